"""How is a program run with its facts checked? As plain Python text, a statement for each operation.

The text is made anew from the IR with writes in place, apart from the emitter, so that it is a second opinion
of that, too. After some statements their values are compared with their types. Prints are left out.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from ...compiler.analysis.cotangents import cotangents
from ...compiler.analysis.undefined import undefined_values
from ...compiler.garbage import collector_paused
from ...compiler.ir import builtin
from ...compiler.ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Lit,
    Op,
    Seq,
    Slice,
    Var,
    While,
    reads,
    variables,
)
from ...compiler.ir.types import DictOf, ListOf, Optional, Scalar, TupleOf, Type
from ...deep import run_deep
from .facts import EARLY, LOOKED, Broken, Casting, Facts, unlooked
from .mixed_precision import mixed
from .rounding import ROUNDED, Noise, decides

# What Python has signs for; a call of the operator's function would take twice as long.
SIGNS = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/", operator.floordiv: "//",
    operator.mod: "%", operator.pow: "**", operator.matmul: "@", operator.and_: "&", operator.or_: "|",
    operator.xor: "^", operator.lshift: "<<", operator.rshift: ">>", operator.lt: "<", operator.le: "<=",
    operator.gt: ">", operator.ge: ">=", operator.eq: "==", operator.ne: "!=",
}  # fmt: skip
CHANGES = {builtin.iadd_: "+=", builtin.isub_: "-=", builtin.imul_: "*=", builtin.itruediv_: "/="}
STORES = {builtin.setitem_: "=", builtin.add_item_: "+="}
Run = Callable[..., tuple[Any, ...]]
MOST_LOOKED_AT = 40  # values that one line looks at


class NotRehearsed(Exception):
    """There is no such text: blocks are nested too deep for Python."""


@collector_paused()
def rehearsed(
    function: Function, first: Function | None = None, long: bool = False, noise: Noise | None = None
) -> Callable[[Facts], Run]:
    """From facts to a function that takes the inputs of the program and returns its results.

    Args:
        function: a program, with writes in place or without.
        first: the forward half, where it is a backward half.
        long: whether it will run so long that innermost loops shall have text without a look, too.
        noise: what moves the numbers that it computes, to learn what rounding may do.

    Raises:
        NotRehearsed: Python can't compile the text.
    """
    text, space = run_deep(lambda: _Writer(function, first or function, long, noise).function(function))
    try:
        code = run_deep(compile, text, f"<rehearsal of {function.name}>", "exec")
    except (SyntaxError, RecursionError, MemoryError) as problem:
        raise NotRehearsed(str(problem)) from None
    exec(code, space)
    run = space["program"]
    return lambda facts: lambda *inputs: run(facts, *inputs)


class _Writer:
    def __init__(self, function: Function, first: Function, long: bool, noise: Noise | None) -> None:
        self.undefined = undefined_values(function.body)
        self.partial = bool(undefined_values(first.body))  # what is saved may have no value on some paths
        self.parameters = set() if first is function else set(function.params)
        self.adjoint = cotangents(function.body)
        self.mixed = mixed(function.body) | (mixed(first.body) if first is not function else set())
        self.lines: list[str] = []
        self.space: dict[str, Any] = {"Broken": Broken, "LOOKED": LOOKED, "unlooked": unlooked}
        self.noise = noise
        self.names: dict[int, str] = {}  # of objects, by identity
        self.variables: dict[Var, str] = {}
        self.blocks = 0
        self.indent = 1
        self.loops: list[int] = []  # the numbers of the enclosing ones
        self.long, self.looking = long, True

    def function(self, function: Function) -> tuple[str, dict[str, Any]]:
        params = ", ".join(self.name(p) for p in function.params)
        self.section(list(function.params))
        self.block(function.body)
        self.line(f"return ({''.join(self.arg(r) + ', ' for r in function.body.results)})")
        counters = "".join(f"n{number} = " for number in range(self.blocks + 1))
        head = f"def program(facts, {params}):\n    look = True\n    {counters}0\n"
        return head + "\n".join(self.lines), self.space

    # ----- words
    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def name(self, var: Var) -> str:
        return self.variables.setdefault(var, f"v{len(self.variables)}")

    def constant(self, value: Any) -> str:
        """The name of an object in the text."""
        if value is None or value is True or value is False or type(value) is int:
            return repr(value)
        name = self.names.get(id(value))
        if name is None:
            name = self.names[id(value)] = f"k{len(self.names)}"
            self.space[name] = value
        return name

    def arg(self, arg: Arg) -> str:
        if isinstance(arg, Var):
            return self.name(arg)
        if isinstance(arg, Lit):
            return f"({self.constant(arg.value)})"
        if isinstance(arg, Slice):
            return f"slice({self.arg(arg.start)}, {self.arg(arg.stop)}, {self.arg(arg.step)})"
        assert isinstance(arg, Seq)
        inner = "".join(self.arg(item) + ", " for item in arg.items)
        return f"[{inner}]" if arg.kind is list else f"({inner})"

    def assign(self, targets: Iterator[Var] | tuple[Var, ...], values: tuple[Arg, ...]) -> None:
        left, right = [self.name(v) for v in targets], [self.arg(a) for a in values]
        pairs = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
        if pairs:
            self.line(f"{', '.join(a for a, _ in pairs)} = {', '.join(b for _, b in pairs)}")

    def section(self, variables: list[Var]) -> None:
        """Look at values; those that were overwritten since are some other variable's."""
        if variables and self.looking:
            believed = [(v, v in self.adjoint, self.may_be_none(v), self.casting(v)) for v in variables]
            name = self.constant(tuple(believed))
            self.line(f"if look: facts.check({name}, ({''.join(self.name(v) + ', ' for v in variables)}))")

    def release(self, variables: list[Var]) -> None:
        """Let go of what nobody reads any more: memory that is used again costs far less than new memory."""
        self.line(f"{' = '.join(self.name(v) for v in variables)} = None")
        variables.clear()

    def may_be_none(self, var: Var) -> bool:
        saved = (
            isinstance(var.type, (ListOf, DictOf, TupleOf)) or var in self.adjoint or var in self.parameters
        )
        return var in self.undefined or self.partial and saved

    def casting(self, var: Var) -> Casting:
        """Which dtypes pass for the believed one: where precisions are mixed, those of its kind."""
        saved = var in self.adjoint or var in self.parameters
        return "same_kind" if var in self.mixed or self.mixed and saved else "safe"

    # ----- statements
    def block(self, block: Block) -> list[list[Var]]:
        """Write the statements; the variables of each of its sections."""
        sections: list[list[Var]] = [[]]
        ends = {} if self.loops else _ends(block)
        done: list[Var] = []
        for number, op in enumerate(block.ops):
            done += ends.get(number, ())
            if isinstance(op, Op):
                self.operation(op)
                if op.fn in builtin.MUTATORS and op.args and op.args[0] in sections[-1]:
                    sections[-1].remove(op.args[0])
                sections[-1] += op.outs
                if done or len(sections[-1]) >= MOST_LOOKED_AT:
                    self.section(sections[-1])
                    sections.append([])
                if done:
                    self.release(done)
                continue
            self.section(sections[-1])
            sections.append([])
            if isinstance(op, If):
                self.branch(op)
            elif isinstance(op, For):
                self.loop(op)
            else:
                self.while_loop(op)
            sections[-1] += op.outs
        self.section(sections[-1])
        return sections

    def operation(self, op: Op) -> None:
        if op.fn in builtin.TELLING:
            return
        outs = [self.name(v) for v in op.outs]
        call = self.with_signs(op)
        if not outs:
            self.line(call)
        elif len(outs) == 1 and op.fn is not builtin.unpack:
            self.line(f"{outs[0]} = {call}")
        else:
            self.line(f"{', '.join(outs)}, = {call}")
        if self.noise is not None and len(outs) == 1:
            self.tell(op, outs[0], self.constant(self.noise))

    def tell(self, op: Op, out: str, noise: str) -> None:
        """Let a run that rounds otherwise move what is computed, and hear what is decided."""
        if op.fn in ROUNDED or op.fn in CHANGES:
            self.line(f"{out} = {noise}.moved({out})")
        elif decides(op):
            self.line(f"{noise}.decided({out})")

    def with_signs(self, op: Op) -> str:
        """The value of an operation as an expression; a line before it changes what is changed."""
        given = [self.arg(a) for a in op.args]
        if isinstance(op.args[0] if op.args else None, Var) and not op.kwargs:  # Python warns of ``(3)[0]``
            if op.fn in SIGNS:
                return f"{given[0]} {SIGNS[op.fn]} {given[1]}"
            if op.fn in CHANGES:
                self.line(f"{given[0]} {CHANGES[op.fn]} {given[1]}")
                return given[0]
            if op.fn is operator.getitem:
                return f"{given[0]}[{given[1]}]"
            if op.fn in STORES:
                self.line(f"{given[0]}[{given[1]}] {STORES[op.fn]} {given[2]}")
                return given[0]
        given += [f"{k}={self.arg(a)}" for k, a in op.kwargs.items()]
        return f"{self.constant(op.fn)}({', '.join(given)})"

    def branch(self, op: If) -> None:
        self.line(f"if {self.arg(op.cond)}:")
        for block, other in ((op.then, False), (op.orelse, True)):
            if other:
                self.line("else:")
            self.indent += 1
            number = self.new_block()
            self.line(f"outer{number} = look")
            self.begins(number)
            self.block(block)
            self.assign(op.outs, block.results)
            self.line(f"look = outer{number}")
            self.indent -= 1

    def new_block(self) -> int:
        self.blocks += 1
        return self.blocks

    def begins(self, number: int) -> None:
        """A block begins; whether it is looked at says its number of times."""
        self.line(f"n{number} += 1")
        self.line(f"look = n{number} in LOOKED")
        self.looks()

    def looks(self) -> None:
        # Loops beside each other may have turns of one number, with nothing that is looked at between them.
        turns = "".join(f"({number}, n{number}), " for number in self.loops)
        self.line(f"if look: facts.block(({turns}))")

    def loop(self, op: For) -> None:
        self.assign(op.params, op.inits)
        number = self.new_block()
        sources, targets = [], []
        if op.range is not None:
            sources.append(f"range({', '.join(map(self.arg, op.range))})")
            targets.append(self.name(op.index))
        for source, items in op.items:
            sources.append(self.arg(source))
            inner = ", ".join(self.name(v) for v in items)
            targets.append(self.name(items[0]) if len(items) == 1 else f"({inner},)")
        if op.reverse:
            sources = [f"reversed({source})" for source in sources]
        strict = ", strict=True" if op.reverse else ""
        over = sources[0] if len(sources) == 1 else f"zip({', '.join(sources)}{strict})"
        self.line(f"outer{number}, before{number} = look, n{number}")
        head = f"for {targets[0] if len(targets) == 1 else ', '.join(targets)} in {over}:"
        bound = [] if op.range is None else [op.index]
        bound += [v for _, items in op.items for v in items]
        if self.long and is_plain(op):
            self.line(f"turns = len(range({', '.join(map(self.arg, op.range or ()))}))")
            self.line(f"if unlooked(n{number}, turns):")
            self.plain(number, head, op)
            self.line("else:")
            self.indent += 1
            self.line(head)
            sections = self.turn(number, [*bound, *op.params], op)
            self.indent -= 1
        else:
            self.line(head)
            sections = self.turn(number, [*bound, *op.params], op)
        self.behind(number, sections, op)

    def plain(self, number: int, head: str, op: For) -> None:
        """Turns that are not looked at, as many as the variable ``turns`` says."""
        self.indent += 1
        self.line(head)
        self.indent += 1
        before, self.looking = len(self.lines), False
        self.block(op.body)
        self.assign(op.params, op.body.results)
        self.looking = True
        if len(self.lines) == before:
            self.line("pass")
        self.indent -= 1
        self.line(f"n{number} += turns")
        self.indent -= 1

    def while_loop(self, op: While) -> None:
        self.assign(op.params, op.inits)
        number = self.new_block()
        self.line(f"outer{number}, before{number} = look, n{number}")
        self.line("while True:")
        self.behind(number, self.turn(number, list(op.params), op), op)

    def turn(self, number: int, bound: list[Var], op: For | While) -> list[list[Var]]:
        """Write a turn of a loop; the variables of its sections."""
        self.indent += 1
        self.loops.append(number)
        self.begins(number)
        self.section(bound)
        if isinstance(op, While):
            self.block(op.cond)
            self.line(f"if not {self.arg(op.cond.results[0])}: break")
        block = op.body
        sections = self.block(block)
        if op.stops:
            self.line(f"stop{number} = {self.arg(block.results[0])}")
        self.assign(op.params, block.results[1:] if op.stops else block.results)
        if op.stops:
            self.line(f"if stop{number}: break")
        self.indent -= 1
        return sections

    def behind(self, number: int, sections: list[list[Var]], op: For | While) -> None:
        """Look at what the last turn of a loop left."""
        self.line(f"look = outer{number} and n{number} > {EARLY} and n{number} - before{number} > 1")
        self.looks()
        for section in sections:  # at its end a turn may have changed the lists that it made
            self.section([v for v in section if not _has_lists(v.type)])
        self.loops.pop()
        self.line(f"look = outer{number}")
        self.looks()
        self.assign(op.outs, op.params)


def is_plain(op: For) -> bool:
    """Whether a loop is an innermost one whose number of turns is known where it begins."""
    plain = op.range is not None and not op.items and not op.stops
    return plain and all(isinstance(inner, Op) for inner in op.body.ops)


def _has_lists(type: Type) -> bool:
    match type:
        case Optional():
            return _has_lists(type.value)
        case TupleOf():
            return any(map(_has_lists, type.items))
    return isinstance(type, ListOf)


def _ends(block: Block) -> dict[int, list[Var]]:
    """The memory that operations of a block make, by the number of the statement that reads it last."""
    last = {
        out: number
        for number, op in enumerate(block.ops)
        if isinstance(op, Op)
        for out in op.outs
        if not isinstance(out.type, Scalar)
    }
    for number, op in enumerate(block.ops if last else ()):
        for var in reads(op):
            if var in last:
                last[var] = number
    for var in variables(*block.results):
        last.pop(var, None)
    found: dict[int, list[Var]] = {}
    for var, number in last.items():
        found.setdefault(number, []).append(var)
    return found
