"""Which statements are the bodies of several calls of one helper, so that one function can stand for them?

``outline`` comes last before text, on programs with writes in place. A prototype: nothing asks for it but
``emit_module(..., outline=True)``, which only tests call (see "Calls" in ``docs/design.md``).

A *run* is all that one call has in a block, one statement after the other: the primal's, or the sweep's. Runs
that are equal up to the names of their values become one function, with what they read from around them as
parameters, and what is read after them as results. Statements keep their order, so each value is computed
as before, to the bit. Nothing becomes of a run that has an effect, or writes to what it has not made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...rules.in_place import copy_as_it_lies
from ...rules.registry import lookup
from ..ir import builtin
from ..ir.builtin import MUTATORS
from ..ir.evaluate import evaluate
from ..ir.ops import (
    Arg,
    Block,
    Call,
    For,
    Function,
    If,
    Op,
    Seq,
    Slice,
    Statement,
    Undefined,
    Var,
    While,
    all_operands,
    binders,
    blocks,
    operands,
    variables,
    walk,
)
from ..ir.types import Array, Scalar
from .imports import identifier

_NEW: set[Any] = {
    *(np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like, np.full_like),
    *(builtin.copy, copy_as_it_lies),
}
_PLAIN = bool, int, float, complex, str, bytes, type(None), type(Ellipsis)


class RunCall:
    """Stands in the IR for a function that the module defines; called, it evaluates the function's IR."""

    def __init__(self, function: Function) -> None:
        self.function, self.__name__ = function, function.name

    def __call__(self, *args: Any) -> Any:
        return evaluate(self.function, *args)


@dataclass
class Run:
    """What a call has in a block: ``numbers`` has its values in the order in which they come up, ``key`` what
    it does with them."""

    block: Block
    ops: list[Statement]
    call: Call
    adjoint: bool
    numbers: dict[Var, int] = field(default_factory=dict)
    key: Any = None


def outline(
    function: Function, inlined: Callable[[Function], Collection[Var]], taken: set[str]
) -> tuple[list[Function], dict[str, Any]]:
    """The functions that stand for runs, then the function, which calls them; and what stands for each.

    Args:
        function: IR with writes in place; runs are taken out of its blocks.
        inlined: which values of a function have no line of their own.
        taken: names of the module; those of the new functions are added.
    """
    made: list[Function] = []
    local: dict[str, Any] = {}
    todo = [(function, frozenset[Call]())]
    while todo:
        outer, around = todo.pop()
        for several, results in _classes(outer, around, inlined(outer)):
            helper = _function(several[0], results, taken)
            local[helper.name] = stand_in = RunCall(helper)
            for run in several:
                _replace(run, stand_in, several[0], results)
            made.append(helper)
            first = several[0].call
            todo.append((helper, around | {*first.at.path, first}))
    return [*made, function], local


# ----- which runs there are
def _runs(block: Block, within: frozenset[Call], level: int) -> Iterator[Run]:
    """The runs of the block and of those in it, of calls ``level`` deep within those of ``within``."""
    run: Run | None = None
    for op in block.ops:
        path = [call for call in op.span.path if call not in within]
        call = path[level] if level < len(path) else None
        if run is not None and (run.call is not call or run.adjoint is not op.adjoint):
            yield run
            run = None
        if call is not None:
            run = run or Run(block, [], call, op.adjoint)
            run.ops.append(op)
        else:
            for inner in blocks(op):
                yield from _runs(inner, within | set(path), level - len(path))
    if run is not None:
        yield run


def _classes(
    function: Function, within: frozenset[Call], inlined: Collection[Var]
) -> Iterator[tuple[list[Run], list[int]]]:
    """Runs that are equal, and the numbers of what is read after any of them; those of outer calls first."""
    uses = Counter(_reads(function.body))
    deepest = max((len(op.span.path) for op in walk(function.body)), default=0)
    for level in range(deepest):
        runs = list(_runs(function.body, within, level))
        pieces = Counter((run.call, run.adjoint) for run in runs)
        alike: dict[Any, list[Run]] = {}
        for run in runs:
            if pieces[run.call, run.adjoint] == 1 and _may_be_function(run):
                run.key = _Form(run.numbers).statements(run.ops)
                alike.setdefault((run.call.callee, run.key), []).append(run)
        for several in alike.values():
            results = sorted({n for run in several for n in _read_after(run, uses)})
            if results and _gain(several, inlined) > 0:
                yield several, results


def _reads(block: Block) -> list[Var]:
    """Every read in the block and in those within."""
    found = variables(*block.results)
    for op in block.ops:
        found += variables(*all_operands(op))
    return found


def _read_after(run: Run, uses: Counter[Var]) -> list[int]:
    own = Counter(_reads(Block(run.ops)))
    return [run.numbers[v] for op in run.ops for v in op.outs if uses[v] > own[v]]


def _gain(several: list[Run], inlined: Collection[Var]) -> int:
    """How many lines fewer the text has with a function for them: about, as each statement counts for one."""
    lines = sum(not any(v in inlined for v in op.outs) for op in walk(Block(several[0].ops)))
    return (len(several) - 1) * lines - len(several) - 4


# ----- which may become functions
def _may_be_function(run: Run) -> bool:
    """Whether it has no effect and writes only to what it has made itself."""
    ops = [op for op in walk(Block(run.ops)) if isinstance(op, Op)]
    if any(op.effect for op in ops):
        return False
    outer = _outer(run)
    return not any(op.fn in MUTATORS and not outer.isdisjoint(variables(op.args[0])) for op in ops)


def _outer(run: Run) -> set[Var]:
    """The values that may share memory with what the run has not made."""
    sources: dict[Var, list[Var]] = {}
    for op in walk(Block(run.ops)):
        if isinstance(op, Op):
            sources.update((out, _shown(op, out)) for out in op.outs)
        elif isinstance(op, If):
            for out, one, other in zip(op.outs, op.then.results, op.orelse.results, strict=True):
                sources[out] = variables(one, other)
        else:
            _of_loop(op, sources)
    outer = {v for vs in sources.values() for v in vs} - sources.keys()
    while more := {v for v, vs in sources.items() if v not in outer and not outer.isdisjoint(vs)}:
        outer |= more
    return outer | (set(_reads(Block(run.ops))) - sources.keys())


def _of_loop(op: For | While, sources: dict[Var, list[Var]]) -> None:
    results = op.body.results[op.stops :]
    for out, param, init, result in zip(op.outs, op.params, op.inits, results, strict=True):
        sources[param] = variables(init, result)
        sources[out] = [param]
    if isinstance(op, For):
        sources[op.index] = []
        for source, items in op.items:
            sources.update((item, variables(source)) for item in items)


def _shown(op: Op, out: Var) -> list[Var]:
    """Of which values the result may show the memory."""
    primitive = lookup(op.fn)
    if isinstance(out.type, Scalar):
        return []
    if op.fn in MUTATORS and isinstance(out.type, Array):  # what is stored in an array is copied
        return variables(op.args[0])
    new = primitive is not None and primitive.kind == "elementwise" and not primitive.view or op.fn in _NEW
    return [] if new and isinstance(out.type, Array) else variables(*operands(op))


# ----- what a run does, up to names
class _Form:
    """What statements do, with ``numbers`` for values: equal forms are equal programs on equal types."""

    def __init__(self, numbers: dict[Var, int]) -> None:
        self.numbers = numbers

    def statements(self, ops: list[Statement]) -> Any:
        return tuple(map(self.statement, ops))

    def arg(self, arg: Arg) -> Any:
        if isinstance(arg, Var):
            return self.numbers.setdefault(arg, len(self.numbers)), arg.type
        if isinstance(arg, Seq):
            return arg.kind, *map(self.arg, arg.items)
        if isinstance(arg, Slice):
            return "slice", self.arg(arg.start), self.arg(arg.stop), self.arg(arg.step)
        if isinstance(arg, Undefined):
            return "undefined", arg.type
        return _constant(arg.value)

    def args(self, args: Collection[Arg]) -> Any:
        return tuple(map(self.arg, args))

    def block(self, block: Block) -> Any:
        return self.statements(block.ops), self.args(block.results)

    def statement(self, op: Statement) -> Any:
        read = self.args(operands(op))
        bound = self.args([*binders(op)])
        if isinstance(op, Op):
            what: Any = id(op.fn), len(op.args), tuple(op.kwargs)
        elif isinstance(op, If):
            what = "if"
        elif isinstance(op, For):
            counts = op.range is not None, tuple(len(items) for _, items in op.items), len(op.params)
            what = "for", counts, op.reverse, op.stops, op.parallel
        else:
            what = "while", len(op.params), op.stops
        inner = tuple(map(self.block, blocks(op)))
        return what, op.adjoint, read, bound, inner, self.args(op.outs)


def _constant(value: Any) -> Any:
    """What tells a constant from any other: its type and value, or that it is this object."""
    if type(value) in _PLAIN:
        return type(value), repr(value)  # tells 0.0 from -0.0
    if type(value) is tuple:
        return tuple, *map(_constant, value)
    return (np.dtype, value) if isinstance(value, np.dtype) else ("object", id(value))


# ----- the functions
def _function(run: Run, results: list[int], taken: set[str]) -> Function:
    values = list(run.numbers)
    defined = {v for op in walk(Block(run.ops)) for v in (*op.outs, *binders(op))}
    params = tuple(v for v in values if v not in defined)
    base = identifier(run.call.callee) + ("_adjoint" if run.adjoint else "_primal")
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name)
    return Function(name, params, Block(run.ops, tuple(values[n] for n in results)))


def _replace(run: Run, stand_in: RunCall, first: Run, results: list[int]) -> None:
    """Put a call of the function in the place of the run: it may raise, so that nothing passes it."""
    values = list(run.numbers)
    args = tuple(values[first.numbers[param]] for param in stand_in.function.params)
    outs = tuple(values[n] for n in results)
    call = Op(stand_in, args, outs, {}, run.call.at, effect=True, adjoint=run.adjoint)
    own = set(map(id, run.ops))
    position = next(i for i, op in enumerate(run.block.ops) if id(op) in own)
    run.block.ops[position : position + len(run.ops)] = [call]
