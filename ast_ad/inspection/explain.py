"""What does a compiled derivative keep, why, and what does it depend on?

The forward and the backward program are compared: what the backward one reads is saved, and the adjoint of
which line reads it is written at its operations; a copy, and the write that made it necessary, is found in
the forward program after writes went in place. What both compute from the same values is computed again.
"""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..compiler.adjoint.residuals import read_for_metadata_only
from ..compiler.emit.names import COPIES
from ..compiler.frontend.callables.calls import python_function
from ..compiler.frontend.callables.recursion import told
from ..compiler.frontend.constructs.untaken_paths import told as untaken
from ..compiler.ir import builtin
from ..compiler.ir.ops import (
    NOWHERE,
    Arg,
    Block,
    For,
    Function,
    Lit,
    Op,
    Seq,
    Slice,
    Span,
    Statement,
    Var,
    While,
    blocks,
    operands,
    variables,
    walk,
)
from ..compiler.ir.types import Array, ListOf, Scalar, Type
from ..rules import helpers
from ..rules.registry import lookup
from .storage import APPEND, Storage

TRIVIAL = {builtin.assign, builtin.tuple_get, builtin.unpack, builtin.copy, np.shape, np.ndim, np.size, len}


def explain(program: Any, halves: Any, runs_as: list[str]) -> str:
    """The report on one compiled program, as text; ``runs_as``: which code runs it, line by line."""
    running, program = program, program.whole()
    forward, backward = (half.function for half in halves)
    primal, home = program.primal, _home(program.primal.function)
    saved = Saved(halves[0].placed(), backward, home, later=program.question.later)
    kept = saved.lines() or ["nothing"]
    lines = [_title(program, home), "", "Saved by the forward pass for the backward pass:", *_indent(kept)]
    again = Again(forward, backward, home).lines()
    tried = [f"{os.path.basename(file)}:{first}" for file, first, _ in primal.tried]
    for heading, found in (
        ("Computed again in the backward pass:", [*dict.fromkeys(again)]),
        ("What the passes did:", _notes(running, home)),
        ("Runs as:", runs_as),
        ("Copied when the program is called, because it writes to them:", _written(program)),
        ("Code that was read along:", _inlined(program)),
        ("Recursion, traced where a call goes deeper:", told(primal.depths)),
        ("Branches that no call has taken, traced where one does:", untaken(primal.untaken)),
        ("Traced when the program runs, because it can't be compiled:", _traced(program)),
        (
            "Read from outside, anew at every call:",
            [f"{p}: {kind(v.type)}" for p, v, _ in primal.inputs.captures],
        ),
        ("Stored outside when a call has succeeded:", [*map(str, primal.stores)]),
        ("Compiled in; another value compiles anew:", _constants(program)),
        ("Exceptions are handled by the plain function in:", tried),
    ):
        if found:
            lines += ["", heading, *_indent(found)]
    return "\n".join(lines)


def _notes(program: Any, home: str) -> list[str]:
    """What the passes noted on the code that runs."""
    notes = [note for code in program.codes for note in code.report]
    return [f"{place(n.span, home)}: {n.text}" if n.span.line else n.text for n in notes]


def _title(program: Any, home: str) -> str:
    function = program.owner.function
    plain = python_function(getattr(function, "__func__", function))
    code = plain.__code__ if plain else None
    place = f", {os.path.basename(code.co_filename)}:{code.co_firstlineno}" if code else ""
    names = [program.primal.function.params[i].hint or f"argument {i}" for i in program.wrt]
    return f"The derivative of `{program.primal.function.name}`{place}, with respect to {', '.join(names)}"


def _home(function: Function) -> str:
    """The file of most of the program: its lines are named without the file."""
    files = [op.span.filename for op in walk(function.body) if op.span is not NOWHERE]
    return max(dict.fromkeys(files), key=files.count) if files else ""


def _indent(lines: Iterable[str]) -> list[str]:
    return ["  " + line for line in lines]


def _written(program: Any) -> list[str]:
    return [program.primal.function.params[i].hint or f"argument {i}" for i in sorted(program.primal.written)]


def _inlined(program: Any) -> list[str]:
    """Functions whose source became part of the program."""
    root = python_function(getattr(program.owner.function, "__func__", program.owner.function))
    found: dict[str, None] = {}
    for guard in program.primal.inputs.guards:
        plain = (
            python_function(guard.expected)
            if guard.kind == "identical" and callable(guard.expected)
            else None
        )
        if plain is None or plain in program.primal.calls:
            continue
        if plain is not root and lookup(guard.expected) is None:
            code = plain.__code__
            found[f"{plain.__qualname__}  {os.path.basename(code.co_filename)}:{code.co_firstlineno}"] = None
    return list(found)


def _traced(program: Any) -> list[str]:
    """Functions that are called as they are, with the construct that can't be compiled."""
    found = []
    for function, reason in program.primal.calls.items():
        code, span = function.__code__, reason.span
        where = f", {os.path.basename(span.filename)}:{span.line}" if span is not None and span.line else ""
        place = f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"
        found.append(f"{function.__qualname__}  {place}: {reason.construct}{where}")
    return found


def _constants(program: Any) -> list[str]:
    """Values of arguments and of the surroundings that decided what was compiled."""
    primal = program.primal
    found = []
    for (kind, where, *rest), value in primal.constants.items():
        if kind == "arg":
            name = primal.function.params[where].hint or f"argument {where}"
            if rest == ["several"]:
                found.append(f"{name} {'>=' if value else '<'} 2")
                continue
            found.append(f"{''.join(f'{aspect} of ' for aspect in rest)}{name} = {value!r}")
    for guard in primal.inputs.guards:
        if guard.kind == "equal":
            found.append(f"{guard.path} = {guard.expected!r}")
        elif guard.kind in ("length", "keys"):
            found.append(f"the {guard.kind} of {guard.path} = {guard.expected!r}")
    names = [p.hint for p in primal.function.params]
    for i, tree in enumerate(program.trees):
        if not tree.num_leaves and program.names[i] not in names:
            found.append(f"{program.names[i]} = {tree!r}")
    return found


# ----- places ---------------------------------------------------------------------------------------
def place(span: Span, home: str) -> str:
    """``line 14``, with the file where it is another one."""
    return f"line {span.line}" if span.filename == home else f"{os.path.basename(span.filename)}:{span.line}"


def places(spans: Iterable[Span], home: str) -> str:
    """``lines 3, 5 and 8``."""
    ordered = sorted({(s.filename != home, s.filename, s.line): s for s in spans if s.line}.items())
    local = [str(s.line) for (elsewhere, _, _), s in ordered if not elsewhere]
    other = [place(s, home) for (elsewhere, _, _), s in ordered if elsewhere]
    parts = [f"line{'s' * (len(local) > 1)} {_and(local)}"] if local else []
    return _and([*parts, *other])


def verb(subject: str, action: str, what: str, spans: Iterable[Span], home: str) -> str:
    """``the adjoints of lines 3 and 5 read it``; empty without lines."""
    lines = {(s.filename, s.line) for s in spans if s.line}
    if not lines:
        return ""
    if len(lines) > 1:
        subject, action = subject and subject + "s", action.removesuffix("s")
    return f"{subject + ' of ' if subject else ''}{places(spans, home)} {action} {what}"


def kind(type: Type) -> str:
    """A type in a reader's words."""
    if isinstance(type, Array):
        rank = "" if type.ndim is None else f"{type.ndim}-d "
        return f"{rank}{type.dtype.name} array"
    return f"list of {kind(type.element)}s" if isinstance(type, ListOf) else str(type)


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def expression(span: Span) -> str:
    """The user's expression that a span covers."""
    line = linecache.getline(span.filename, span.line).encode()
    text = line[span.column : span.end_column].decode("utf-8", "replace").strip() if span.end_column else ""
    return text or span.text or "a value"


# ----- what is saved --------------------------------------------------------------------------------
class Saved:
    """The residuals of a forward program, and who reads them."""

    def __init__(self, forward: Function, backward: Function, home: str, later: bool = False) -> None:
        self.forward, self.backward, self.home, self.later = forward, backward, home, later
        self.storage = Storage(forward)
        saved = forward.body.results[-1]
        self.saved = saved.items if isinstance(saved, Seq) else ()
        first = backward.body.ops[0] if backward.body.ops else None
        unpacked = (
            isinstance(first, Op) and first.fn is builtin.unpack and first.args[0] is backward.params[0]
        )
        self.local: tuple[Var, ...] = first.outs if unpacked else ()  # type: ignore[union-attr]
        self.shapes = read_for_metadata_only(backward.body)

    def lines(self) -> list[str]:
        found: list[str] = []
        for arg, local in zip(self.saved, self.local, strict=False):
            if isinstance(arg, Var):
                found += self.entry(arg, local)
        return found

    def entry(self, var: Var, local: Var) -> list[str]:
        tape = self.tape(var)
        if tape is None:
            return [f"{self.name(var)}: {kind(var.type)}; {self.kept(var, local)}"]
        loop, elements = tape
        heads = [f"a list with an entry for each iteration of the loop in {place(loop.span, self.home)}:"]
        for element, inner in zip(elements, self.unpacked(local, len(elements)), strict=True):
            if isinstance(element, Var):
                heads += _indent(
                    self.entry(element, inner)
                    if inner is not None
                    else [f"{self.name(element)}: {kind(element.type)}"]
                )
        return heads

    def tape(self, var: Var) -> tuple[Statement, tuple[Arg, ...]] | None:
        """The loop that filled a list, and what it appended in each iteration."""
        if not isinstance(var.type, ListOf):
            return None
        loop = self.storage.makers.get(var)
        if not isinstance(loop, (For, While)) or var not in loop.outs:
            return None
        position = loop.outs.index(var)
        if not (isinstance(loop.inits[position], Seq) and not loop.inits[position].items):  # type: ignore[union-attr]
            return None
        for op in loop.body.ops:
            if isinstance(op, Op) and op.fn in APPEND and op.args[0] is loop.params[position]:
                element = op.args[1]
                return loop, element.items if isinstance(element, Seq) else (element,)
        return None

    def unpacked(self, local: Var, count: int) -> list[Var | None]:
        """What the entries of a list are called where the backward program runs through it."""
        for op in walk(self.backward.body):
            if isinstance(op, For):
                for source, names in op.items:
                    if source is local and len(names) == count:
                        return list(names)
        return [None] * count

    def name(self, var: Var) -> str:
        """The user's name or expression, and the line that gave the value; arguments have none."""
        maker = self.storage.makers.get(var)
        where = f" ({place(maker.span, self.home)})" if maker is not None and maker.span.line else ""
        while not var.hint or var.hint == "tape":
            maker = self.storage.makers.get(var)
            mutates = isinstance(maker, Op) and maker.fn in (*builtin.MUTATORS, *COPIES, helpers.hollow)
            if isinstance(maker, Op) and not mutates:
                return expression(maker.span) + where
            source = maker.args[0] if isinstance(maker, Op) else self.storage.origin.get(var)
            if not isinstance(source, Var):
                break
            var = source
        return (var.hint or "a value") + where

    def kept(self, var: Var, local: Var) -> str:
        """Why it is saved, and how."""
        readers = list(_readers(self.backward.body, local))
        what = "its shape" if self._is_hollow(var) or local in self.shapes else "it"
        why = verb("the adjoint", "reads", what, readers, self.home) or f"the backward pass reads {what}"
        if self._is_hollow(var):
            return f"without its elements; {why}"
        if isinstance(var.type, Scalar):
            return why
        if self.later and self.storage.root(var) in self.forward.params:
            return f"copied, because the caller may change it before the pullback runs; {why}"
        writes = verb("", "overwrites", "it", self.storage.overwritten_by(var), self.home)
        return f"{'copied, because ' + writes if writes else 'kept by reference'}; {why}"

    def _is_hollow(self, var: Var) -> bool:
        maker = self.storage.makers.get(var)
        return isinstance(maker, Op) and maker.fn is helpers.hollow


def _readers(block: Block, var: Var) -> Iterator[Span]:
    for op in walk(block):
        if var in set(variables(*operands(op))) or any(var in set(variables(*b.results)) for b in blocks(op)):
            yield op.span


# ----- what is computed again -----------------------------------------------------------------------
class Again:
    """Values that the backward program computes from the same values as the forward program did.

    Two values are the same if they come from the same operation on the same values.
    """

    def __init__(self, forward: Function, backward: Function, home: str) -> None:
        self.home = home
        self.keys: dict[Var, Any] = {p: p for p in forward.params}
        self.numbers: dict[Any, int] = {}
        self.computed: dict[Any, Op] = {}
        self.names: dict[Any, str | None] = {}
        self.loops: dict[Any, For | None] = {}
        self.filled: dict[Any, tuple[Arg, ...]] = {}
        self.primal(forward.body)
        self.found: list[str] = []
        saved = forward.body.results[-1]
        first = backward.body.ops[0] if backward.body.ops else None
        if isinstance(first, Op) and first.fn is builtin.unpack and isinstance(saved, Seq):
            for local, arg in zip(first.outs, saved.items, strict=False):
                self.keys[local] = self.key(arg)
        self.reverse(backward.body)

    def lines(self) -> list[str]:
        return self.found

    def key(self, arg: Arg) -> Any:
        if isinstance(arg, Var):
            return self.keys.get(arg, arg)
        if isinstance(arg, Lit):
            return "lit", type(arg.value), repr(arg.value)
        if isinstance(arg, Seq):
            return ("seq", *map(self.key, arg.items))
        assert isinstance(arg, Slice)
        return "slice", self.key(arg.start), self.key(arg.stop), self.key(arg.step)

    def number(self, op: Op) -> Any:
        """What the operation computes; written out, it would double with each use."""
        named = tuple((k, self.key(v)) for k, v in sorted(op.kwargs.items()))
        computed = op.fn, tuple(map(self.key, op.args)), named
        return "op", self.numbers.setdefault(computed, len(self.numbers))

    def primal(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, Op):
                number = self.number(op)
                for i, out in enumerate(op.outs):
                    self.keys[out] = number if len(op.outs) == 1 else (number, i)
                if op.fn not in TRIVIAL and op.fn not in APPEND and len(op.outs) == 1:
                    self.computed[number] = op
                    self.names[number] = op.out.hint
                continue
            if isinstance(op, For):
                self.loops[op.span] = None if op.span in self.loops else op
            for inner in blocks(op):
                self.primal(inner)
            if isinstance(op, (For, While)):
                self.note_tapes(op)

    def note_tapes(self, op: For | While) -> None:
        for inner in op.body.ops:
            if isinstance(inner, Op) and inner.fn in APPEND and inner.args[0] in op.params:
                out = op.outs[op.params.index(inner.args[0])]
                element = inner.args[1]
                self.filled[out] = element.items if isinstance(element, Seq) else (element,)

    def reverse(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, For):
                self.enter(op)
            if isinstance(op, Op) and len(op.outs) == 1:
                number = self.number(op)
                self.keys[op.out] = number
                if number in self.computed:
                    primal = self.computed[number]
                    text, name = expression(primal.span), self.names[number]
                    label = f"{name} = {text}" if name and name != text else text
                    self.found.append(f"{label}  ({place(primal.span, self.home)})")
            for inner in blocks(op):
                self.reverse(inner)

    def enter(self, op: For) -> None:
        """What the loop's names stand for in the primal's loop."""
        primal = self.loops.get(op.span)
        if primal is not None and op.range is not None and primal.range is not None:
            self.keys[op.index] = self.key(primal.index)
        for source, names in op.items:
            elements = self.filled.get(self.key(source))
            if elements is not None and len(elements) == len(names):
                self.keys.update((n, self.key(e)) for n, e in zip(names, elements, strict=True))
