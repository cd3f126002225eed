"""Is an IR function well formed? The invariants of ``ops``, after every pass in the tests.

In every compilation they are checked once, with the types (``analysis.invariants``). Every Var is assigned
once and read only where it is visible; blocks yield as many results as their statement binds; a range and
what is zipped with it are bound only where they exist.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import InternalError
from .ops import Arg, Block, For, Function, If, Lit, Op, Seq, Slice, Statement, Var, While, binders, operands
from .show import show


class MalformedIR(InternalError):
    """A bug in a pass: the function it made breaks an invariant of the IR. The message shows where."""

    code = "E902"


def check(function: Function, outer: Iterable[Var] = ()) -> Function:
    """Return the function, or raise ``MalformedIR`` with the function printed and every fault marked.

    ``outer``: what the function reads of another one that it is a part of.
    """
    checker = _Checker()
    checker.visible.update(outer)
    checker.function(function)
    if checker.faults:
        raise MalformedIR(
            f"malformed IR of `{function.name}`",
            why=show_faults(function, checker.faults),
            fix="please report it with the function that triggers it",
        )
    return function


def show_faults(function: Function, faults: list[tuple[Statement | None, str]]) -> str:
    """The printed function with each fault above its statement; those of no statement come first."""
    notes: dict[int, str] = {}
    for op, fault in faults:
        if op is not None:
            notes[id(op)] = "; ".join(filter(None, [notes.get(id(op)), fault]))
    general = [f">>> {fault}" for op, fault in faults if op is None]
    return "\n".join([*general, show(function, notes)])


class _Checker:
    def __init__(self) -> None:
        self.assigned: set[Var] = set()
        self.visible: set[Var] = set()
        self.faults: list[tuple[Statement | None, str]] = []
        self.where: Statement | None = None

    def fault(self, text: str) -> None:
        self.faults.append((self.where, text))

    def function(self, function: Function) -> None:
        self.define(function.params)
        self.block(function.body)

    def define(self, variables: Iterable[Var]) -> None:
        for var in variables:
            if not isinstance(var, Var):
                self.fault(f"{var!r} is bound but is no Var")
            elif var in self.assigned:
                self.fault(f"{var!r} is assigned a second time")
            self.assigned.add(var)
            self.visible.add(var)

    def read(self, arg: Arg) -> None:
        if isinstance(arg, Var):
            if arg not in self.visible:
                self.fault(f"{arg!r} is read where it is not defined")
        elif isinstance(arg, Seq):
            for item in arg.items:
                self.read(item)
        elif isinstance(arg, Slice):
            for part in (arg.start, arg.stop, arg.step):
                self.read(part)
        elif not isinstance(arg, Lit):
            self.fault(f"{arg!r} is no argument (Var, Lit, Seq or Slice)")

    def block(self, block: Block, results: int | None = None, bound: Iterable[Var] = ()) -> None:
        """Check a region that must yield ``results`` values; it reads what is visible, and ``bound``."""
        outer, inner = self.where, list(bound)
        for op in block.ops:
            self.where = op
            self.statement(op)
            self.define(op.outs)
            inner += op.outs
            self.where = outer
        for arg in block.results:
            self.read(arg)
        if results is not None and len(block.results) != results:
            self.fault(f"a block yields {len(block.results)} results where {results} are expected")
        self.visible.difference_update(inner)

    def statement(self, op: Statement) -> None:
        for arg in operands(op):
            self.read(arg)
        if isinstance(op, Op):
            if not callable(op.fn):
                self.fault(f"{op.fn!r} is not callable")
        elif isinstance(op, If):
            self.block(op.then, len(op.outs))
            self.block(op.orelse, len(op.outs))
        else:
            self.loop(op)

    def loop(self, op: For | While) -> None:
        if not len(op.params) == len(op.inits) == len(op.outs):
            self.fault(f"{len(op.params)} carried values, {len(op.inits)} inits, {len(op.outs)} results")
        bound = list(binders(op))
        if isinstance(op, For) and op.range is None:
            bound.remove(op.index)  # nothing gives it a value
            if not op.items:
                self.fault("a loop over neither a range nor items")
        self.define(bound)
        if isinstance(op, While):
            self.block(op.cond, 1)
        self.block(op.body, len(op.outs) + op.stops, bound)
