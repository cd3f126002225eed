"""Which values are written inside the expression that uses them, instead of under a name of their own?

``plan(function) -> Nesting``. Before ``assign_names``, which names what is left. ``write_in_place`` asks it
for NumPy code, too: an operation that is not written in a statement of its own can't write to an operand.

A value without a name of the user's that is used once, in the same block, where nothing in between changes
what it reads. Depth and length of the expression are limited, so that lines stay readable.
"""

from __future__ import annotations

import builtins
import operator
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ...rules import required
from ..ir import builtin
from ..ir.builtin import MUTATORS
from ..ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Lit,
    Op,
    Statement,
    Var,
    While,
    binders,
    blocks,
    operands,
    variables,
    walk,
)
from ..ir.types import Array, DictOf, ListOf, Scalar
from .outlining import RunCall

MAX_DEPTH = 10
MAX_LENGTH = 84
MAX_BAR_LENGTH = 44  # a cotangent is written into its only use where it is short
_STATEMENTS = {builtin.unpack, builtin.raise_, builtin.assert_, builtin.unread, *MUTATORS}
_SUMS = {operator.add, operator.sub}
_DIVISIONS = {operator.truediv, operator.floordiv, operator.mod, divmod}
_CHECKS = {builtin.raise_, builtin.assert_, required.require_items}
_READ_ONLY_EFFECTS = {
    builtins.print, builtin.raise_, builtin.assert_, builtin.unread, required.require_some,
    required.require_items, required.require_as_many,
    required.require_real, required.require_none_absent, required.require_told_apart,
}  # fmt: skip


@dataclass
class _Pending:
    """A value that waits for its use: the size of its expression and what it reads."""

    op: Op | If
    depth: int
    length: int
    leaves: frozenset[Var]
    valid: bool = True

    def reads(self, *but: type) -> bool:
        """Whether it reads a value of none of these types."""
        return any(not isinstance(leaf.type, but) for leaf in self.leaves)


class _Waiting(dict[Var, _Pending]):
    """The values of a block that wait for their uses, and which of them a statement in between would change.

    Those that may wait no longer are found without a look at the others, which may be thousands.
    """

    def __init__(self) -> None:
        super().__init__()
        self.by_hint: dict[str, list[_Pending]] = {}  # by the names that they read
        self.of_memory: list[_Pending] = []  # what reads arrays or containers
        self.of_containers: list[_Pending] = []
        self.raising: list[_Pending] = []

    def add(self, var: Var, waiting: _Pending) -> None:
        self[var] = waiting
        for hint in {leaf.hint for leaf in waiting.leaves if leaf.hint}:
            self.by_hint.setdefault(hint, []).append(waiting)
        if waiting.reads(Scalar):
            self.of_memory.append(waiting)
        if waiting.reads(Array, Scalar):
            self.of_containers.append(waiting)
        if _raises(waiting.op) and not waiting.op.adjoint:
            self.raising.append(waiting)

    def end(self, several: list[_Pending]) -> None:
        """They may wait no longer."""
        for waiting in several:
            waiting.valid = False
        several.clear()


@dataclass
class Nesting:
    """The plan: ``inlined`` maps each nested Var to what computes it.

    ``choices`` holds the branches that are written as ``a if c else b``, by ``id``.
    """

    inlined: dict[Var, Op | If] = field(default_factory=dict)
    choices: set[int] = field(default_factory=set)
    uses: Counter[Var] = field(default_factory=Counter)

    def leaves(self, *args: Arg) -> list[Var]:
        """The named Vars that the arguments' expressions read."""
        found: list[Var] = []
        for var in variables(*args):
            op = self.inlined.get(var)
            if op is None:
                found.append(var)
            elif isinstance(op, Op):
                found += self.reads(op)
            else:
                found += self.leaves(op.cond, *op.then.results, *op.orelse.results)
        return found

    def reads(self, op: Op) -> list[Var]:
        """The named Vars that the op's expression reads."""
        return self.leaves(*operands(op))

    def is_inlined(self, op: Statement) -> bool:
        return len(op.outs) == 1 and op.outs[0] in self.inlined


def plan(function: Function) -> Nesting:
    """Decide for every Var of the function."""
    planner = _Planner(function)
    planner.block(function.body, function.body.results)
    planner.nesting.uses = planner.uses
    return planner.nesting


class _Planner:
    def __init__(self, function: Function) -> None:
        self.nesting = Nesting()
        self.rotating: set[Var] = set()
        self.uses: Counter[Var] = Counter(variables(*function.body.results))
        for op in walk(function.body):
            self.uses.update(_direct(op))
            for block in blocks(op):
                self.uses.update(variables(*block.results))
            if isinstance(op, If) and is_and_or(op):
                self.uses[op.cond] -= 1  # type: ignore[index]  # written once, in ``a and b``
            if isinstance(op, (For, While)):
                self.rotating.update(_rotating(op))
        self.pending = _Waiting()

    def block(
        self,
        block: Block,
        consumed: Iterable[Arg] = (),
        moved: frozenset[Var] = frozenset(),
        moving: Iterable[Arg] = (),
    ) -> None:
        """Plan a block; ``consumed``: those of its results that may hold nested expressions, which must not
        read what is ``moved`` on before; ``moving``: results that are moved in parallel, and may too."""
        outer, self.pending = self.pending, _Waiting()
        for op in block.ops:
            self.statement(op)
        for arg in moving:
            self.consume([arg])
        for arg in consumed:
            for var in variables(arg):
                if var in self.pending and not moved.isdisjoint(self.pending[var].leaves):
                    self.pending[var].valid = False
            self.consume([arg])
        self.pending = outer

    def statement(self, op: Statement) -> None:
        if isinstance(op, Op):
            if op.fn is builtin.undefined or (op.fn is builtin.assign and _unnamed_constant(op)):
                self.nesting.inlined[op.out] = op
                return
            keep = op.args[:1] if op.fn in MUTATORS else ()
            self._keep(keep)
            depth, length, leaves = self.consume([*op.args, *op.kwargs.values()], op)
            length += 3 if len(op.args) < 3 else 6
            if self._may_wait(op, length):
                self.pending.add(op.out, _Pending(op, depth + 1, length, leaves))
                return
        elif isinstance(op, If):
            depth, length, leaves = self.consume([op.cond], op)
            self.block(op.then)
            self.block(op.orelse)
            choice = self.as_expression(op, depth, length, leaves)
            if choice is not None and op.outs[0].hint is None and self.uses[op.outs[0]] == 1:
                self.pending.add(op.outs[0], choice)
                return
        else:
            if isinstance(op, For):
                self.consume([*(op.range or ()), *(source for source, _ in op.items)], op)
            else:
                self.block(op.cond, op.cond.results)
            moving = [v for v in _rotating(op) if self.uses[v] == 1]
            self.block(op.body, op.body.results[:1] if op.stops else (), frozenset(op.params), moving)
        self._passed(op)

    def as_expression(self, op: If, depth: int, length: int, leaves: frozenset[Var]) -> _Pending | None:
        """The branch as a conditional expression, where the user wrote one and its parts are short."""
        written_so = op.span.text.startswith(("if ", "if(", "elif ", "else")) and not is_and_or(op)
        if len(op.outs) != 1 or written_so or _is_flag(op):
            return None
        sides = [block for block in (op.then, op.orelse) if block.results[0] is not op.cond]
        for block in sides:
            d, n, inner = self._branch(block)
            if d > (3 if len(sides) > 1 else MAX_DEPTH):  # `a and b` reads as deep as its parts
                return None
            depth, length, leaves = max(depth, d), length + n, leaves | inner
        if length > (MAX_LENGTH if len(sides) < 2 else MAX_LENGTH // 2):
            return None
        for block in sides:
            self.nesting.inlined.update((o.outs[0], o) for o in block.ops if isinstance(o, Op))
        self.nesting.choices.add(id(op))
        return _Pending(op, depth + 1, length + 10, leaves)

    def _branch(self, block: Block) -> tuple[int, int, frozenset[Var]]:
        """Depth, length and leaves of a branch as one expression; depth 99 where it is none."""
        sizes: dict[Var, tuple[int, int, frozenset[Var]]] = {}
        for op in block.ops:
            ok = isinstance(op, Op) and len(op.outs) == 1 and not op.effect and op.fn not in _STATEMENTS
            if not ok or op.outs[0].hint is not None or self.uses[op.outs[0]] != 1:
                return 99, 0, frozenset()
            assert isinstance(op, Op)
            sizes[op.out] = _combined([*op.args, *op.kwargs.values()], sizes)
        results = _combined(block.results, sizes)
        return results if len(block.results) == 1 else (99, 0, frozenset())

    def _may_wait(self, op: Op, length: int) -> bool:
        if op.effect or len(op.outs) != 1 or op.fn in _STATEMENTS or self.uses[op.out] != 1:
            return False
        hint = op.out.hint
        if hint is None or op.out in self.rotating or not op.adjoint:
            return hint is None or op.out in self.rotating
        first = op.args[0] if op.args else None
        accumulates = op.fn in _SUMS and isinstance(first, Var) and first.hint == hint
        return hint.endswith("_bar") and length <= MAX_BAR_LENGTH and not accumulates

    def _keep(self, args: Iterable[Arg]) -> None:
        """These operands need a name: they are changed in place."""
        for var in variables(*args):
            self.pending.pop(var, None)

    def consume(self, args: Iterable[Arg], user: Statement | None = None) -> tuple[int, int, frozenset[Var]]:
        """Nest what waits for this use and fits; the depth, length and leaves of the whole."""
        args = list(args)
        sizes: dict[Var, tuple[int, int, frozenset[Var]]] = {}
        found = _combined(args, sizes)
        total = found[1]
        for var in variables(*args):
            waiting = self.pending.pop(var, None)
            if waiting is None or not waiting.valid or waiting.depth >= MAX_DEPTH:
                continue
            elsewhere = user is None or user.span != waiting.op.span
            if var.hint is not None and var not in self.rotating and elsewhere:
                continue  # a cotangent stays under the source line that it belongs to
            if total + waiting.length <= MAX_LENGTH:
                total += waiting.length
                self.nesting.inlined[var] = waiting.op
                sizes[var] = waiting.depth, waiting.length, waiting.leaves
        return _combined(args, sizes) if sizes else found

    def _passed(self, op: Statement) -> None:
        """A statement stays here: what waits and would read something else behind it may wait no longer."""
        if not self.pending:
            return
        inner = [op, *(o for block in blocks(op) for o in walk(block))]
        written = [o.args[0] for o in inner if isinstance(o, Op) and o.fn in MUTATORS]
        only_lists = all(isinstance(a, Var) and isinstance(a.type, (ListOf, DictOf)) for a in written)
        effects = any(isinstance(o, Op) and _may_write(o) for o in inner)
        names = {v.hint for o in inner for v in _defined(o)}
        if self.pending.raising and any(map(_raises, inner)):
            self.pending.end(self.pending.raising)  # the first exception is the one that comes up
        if any(isinstance(o, Op) and o.fn in (np.seterr, builtin.restore) for o in inner):
            self.pending.clear()  # what was computed under one handling of errors is not under another
        for name in names:
            self.pending.end(self.pending.by_hint.get(name or "", []))
        if written or effects:
            of_containers = only_lists and not effects
            self.pending.end(self.pending.of_containers if of_containers else self.pending.of_memory)


def is_and_or(op: If) -> bool:
    """Whether the branch is ``a and b`` or ``a or b``: one side yields the condition itself."""
    if len(op.outs) != 1 or not isinstance(op.cond, Var):
        return False
    left = not op.then.ops and op.then.results[0] is op.cond
    return left or (not op.orelse.ops and op.orelse.results[0] is op.cond)


def _is_flag(op: If) -> bool:
    """Whether the branch only says whether its condition held."""
    results = (*op.then.results, *op.orelse.results)
    return all(isinstance(r, Lit) and isinstance(r.value, bool) for r in results)


def _rotating(op: For | While) -> list[Var]:
    """The next values of what is itself moved on to another carried value: ``a, b = b, a + b``."""
    yields = op.body.results[1:] if op.stops else op.body.results
    pairs = list(zip(op.params, yields, strict=True))
    moved = {y for p, y in pairs if y is not p}
    return [y for p, y in pairs if isinstance(y, Var) and p in moved and y not in op.params]


def _combined(
    args: Iterable[Arg], sizes: dict[Var, tuple[int, int, frozenset[Var]]]
) -> tuple[int, int, frozenset[Var]]:
    depth, length, leaves = 0, 0, frozenset[Var]()
    named: list[Var] = []
    for arg in args:
        length += 2
        if isinstance(arg, Lit):
            length += len(str(arg.value))
        for var in variables(arg):
            nested = sizes.get(var)
            if nested is None:
                named.append(var)
                length += len(var.hint or "t")
                continue
            depth, length, leaves = max(depth, nested[0]), length + nested[1], leaves | nested[2]
    return depth + 1, length, leaves.union(named) if named else leaves


def _direct(op: Statement) -> list[Var]:
    return variables(*operands(op))


def _defined(op: Statement) -> Iterator[Var]:
    yield from op.outs
    yield from binders(op)


def _may_write(op: Op) -> bool:
    return op.effect and op.fn not in _READ_ONLY_EFFECTS


def _raises(op: Statement) -> bool:
    """Whether it raises for some of Python's numbers, or checks something.

    Derivatives divide by what such an operation has found not to be zero.
    """
    if not isinstance(op, Op) or op.fn in _CHECKS or isinstance(op.fn, RunCall):
        return isinstance(op, Op)
    if op.fn in _DIVISIONS:
        divisor = op.args[-1]
        return all(map(_is_pythons, op.args)) and not (isinstance(divisor, Lit) and divisor.value)
    return getattr(op.fn, "__module__", "") == "math"


def _is_pythons(arg: Arg) -> bool:
    return (
        isinstance(arg, Lit)
        or isinstance(arg, Var)
        and isinstance(arg.type, Scalar)
        and arg.type.dtype is None
    )


def _unnamed_constant(op: Op) -> bool:
    return op.out.hint is None and isinstance(op.args[0], Lit)
