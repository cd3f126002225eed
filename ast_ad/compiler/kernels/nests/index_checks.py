"""Which indices can be checked before the loops that read by them?

``check_before(kernel) -> None``. After ``hoist`` and ``shrink``, right before ``carry`` and like it only
where none of the kernel's arguments overlap: what the loops write must not be the indices.

``x[k[i]]`` needs a check that ``k[i]`` lies within ``x``. In the loop, where a failure has to leave it, the
check costs more than the load, and no loop that can be left becomes vectors. As long as ``k`` stays as it is,
a loop before the others checks the same indices, all of them at once. It may find a fault that the program
would not have come to, behind a loop without turns; then NumPy code answers, as after any fault.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ...ir import builtin
from ...ir.ops import (
    Arg,
    Block,
    For,
    Function,
    Lit,
    Op,
    Seq,
    Statement,
    Var,
    binders,
    blocks,
    operands,
    variables,
    walk,
)
from ...ir.types import Array, Scalar
from .. import runtime as kernels
from .body import INT, Body, Origin

BOOL = Scalar("bool")
_INTEGERS = {operator.add, operator.sub, operator.mul, kernels.nearby, kernels.small, kernels.wrapped}
_STORES = {builtin.setitem_, builtin.add_item_}
_SHAPES = {np.shape, np.empty, np.ndim, len}
_STOPS = {
    kernels.small, kernels.nearby, kernels.product, kernels.defined, kernels.nonzero, kernels.whole,
    kernels.require,
    builtin.raise_, builtin.assert_,
}  # fmt: skip
"""What leaves a loop from within in any case."""


@dataclass(frozen=True)
class _Term:
    """An integer: ``fn`` of ``args``, which are terms, or an array and where its element is read."""

    fn: object
    args: tuple[_Term | Arg, ...]


Integer = _Term | Arg
Turns = tuple[For, tuple[Integer, ...]]  # a loop, and its range


@dataclass
class _Check:
    """``place`` has to lie within ``length`` in all turns of ``loops``, outermost first.

    ``use``: the statement that checks it now. ``anchor``: the one before which that can be done instead.
    """

    use: Op
    place: Integer
    length: Integer
    anchor: Statement
    loops: list[Turns] = field(default_factory=list)

    def reads(self) -> set[Var]:
        """What it depends on, without the counters of its own loops."""
        parts = [self.place, self.length, *(r for _, range_ in self.loops for r in range_)]
        return {v for part in parts for v in _variables(part)} - {loop.index for loop, _ in self.loops}

    def key(self) -> object:
        """What two checks of the same indices have in common."""
        counters = {loop.index: n for n, (loop, _) in enumerate(self.loops)}
        parts = [self.place, self.length, *(r for _, range_ in self.loops for r in range_)]
        return tuple(_key(part, counters) for part in parts)


def check_before(kernel: Function) -> None:
    """Move checks of indices out of loops, in place."""
    made = {op.outs[0] for op in walk(kernel.body) if isinstance(op, Op) and op.fn is np.empty}
    arrays = {p for p in kernel.params if isinstance(p.type, Array)} | made
    _whole(kernel.body, arrays - _passed_on(kernel.body))


def _whole(block: Block, apart: set[Var]) -> None:
    """Move the checks of a block that is no loop's body to where they can stand in it."""
    _settle(block, _found(block, apart))


def _found(block: Block, apart: set[Var]) -> list[_Check]:
    """The checks that can stand in a block: those of its own statements, and of its loops'."""
    found = _own(block)
    for op in block.ops:
        if isinstance(op, For):
            inner = _found(op.body, apart)
            outer = [check for check in inner if _leave(check, op, apart)]
            _settle(op.body, [check for check in inner if check not in outer])
            found += outer
        else:
            for part in blocks(op):
                _whole(part, apart)
    return found


def _own(block: Block) -> list[_Check]:
    """The checks in the body of an innermost loop, if they are what keeps it from becoming vectors."""
    if not all(isinstance(op, Op) and op.fn not in _STOPS for op in block.ops):
        return []
    checks = [op for op in block.ops if isinstance(op, Op) and op.fn is kernels.position]
    places = {op.outs[0] for op in checks}
    for op in block.ops:
        if isinstance(op, Op) and op.fn in _STORES and not places.isdisjoint(variables(op.args[1])):
            return []  # two turns may write to the same place
    return [_Check(op, op.args[0], op.args[1], op) for op in checks]


def _leave(check: _Check, loop: For, apart: set[Var]) -> bool:
    """Take a check out of one more loop, if what it reads is the same before it."""
    if loop.range is None or loop.items or loop.stops:
        return False
    makers = {out: op for op in loop.body.ops if isinstance(op, Op) for out in op.outs}
    loops = [(inner, tuple(_extended(r, makers) for r in range_)) for inner, range_ in check.loops]
    place, length = _extended(check.place, makers), _extended(check.length, makers)
    moved = _Check(check.use, place, length, loop, loops)
    if loop.index in moved.reads():
        loops.insert(0, (loop, loop.range))
    read = moved.reads()
    if not {v for v in read if isinstance(v.type, Array)} <= apart - _written(loop.body):
        return False
    changed = {v for op in walk(loop.body) for v in (*op.outs, *binders(op))} | {*loop.params, loop.index}
    if not changed.isdisjoint(read):
        return False
    check.place, check.length, check.loops, check.anchor = place, length, loops, loop
    return True


def _settle(block: Block, checks: list[_Check]) -> None:
    """Write the checks of a block that have left a loop, each before what it is for."""
    given = list(block.ops)
    done: dict[object, int] = {}  # before which statement the same indices were checked
    for check in sorted((c for c in checks if c.anchor is not c.use), key=lambda c: given.index(c.anchor)):
        check.use.fn = kernels.wrapped
        here, key = given.index(check.anchor), check.key()
        if key in done and _written(Block(given[done[key] : here])).isdisjoint(check.reads()):
            continue
        done[key] = here
        at = block.ops.index(check.anchor)
        block.ops[at:at] = _statements(check)


def _statements(check: _Check) -> list[Statement]:
    """A check as statements: loops that find whether all indices are within bounds, and what stops if not."""
    origin = Origin(check.use.span, check.use.adjoint)
    counters = {loop.index: Var(INT, loop.index.hint) for loop, _ in check.loops}
    loops, inside = list(check.loops), [check.place]
    if loops and check.place is loops[-1][0].index and _is_one(loops[-1][1][2]):  # then the ends tell it
        inside = list(loops.pop()[1][:2])
    around = [Body(origin=origin)]
    ranges = []
    for _, range_ in loops:
        start, stop, step = (_number(r, around[-1], counters) for r in range_)
        ranges.append((start, stop, step))
        around.append(around[-1].inner())
    numbers = [_number(part, around[-1], counters) for part in (*inside, check.length)]
    now: Arg = around[-1].op(_INSIDE[len(inside)], *numbers, type=BOOL)
    before = [Var(BOOL, "within") for _ in loops]
    if loops:
        now = around[-1].op(operator.and_, before[-1], now, type=BOOL)
    for k in reversed(range(len(loops))):
        loop, init, after = loops[k][0], before[k - 1] if k else Lit(True), Var(BOOL, "within")
        body = Block(around[k + 1].ops, (now,))
        around[k].append(
            For(counters[loop.index], ranges[k], (), (before[k],), (init,), body, (after,), loop.reverse)
        )
        now = after
    around[0].append(Op(kernels.all_inside, (now,), (), effect=True))
    return around[0].ops


def _is_one(integer: Integer) -> bool:
    return isinstance(integer, Lit) and integer.value == 1


_INSIDE = {1: kernels.inside, 2: kernels.range_inside}


# ----- integers
def _extended(integer: Integer, makers: dict[Var, Op]) -> Integer:
    """The integer, computed from what there is before the statements that make the others."""
    if isinstance(integer, _Term):
        return _Term(integer.fn, tuple(_extended(a, makers) for a in integer.args))
    op = makers.get(integer) if isinstance(integer, Var) else None
    if (
        op is None
        or op.kwargs
        or not all(isinstance(o.type, Scalar) and o.type.kind == "int" for o in op.outs)
    ):
        return integer
    fn = kernels.wrapped if op.fn is kernels.position else op.fn  # its own check comes before
    if fn in _INTEGERS:
        return _Term(fn, tuple(_extended(a, makers) for a in op.args))
    array = op.args[0] if op.fn is operator.getitem else None
    if isinstance(array, Var) and isinstance(array.type, Array):
        index = op.args[1].items if isinstance(op.args[1], Seq) else (op.args[1],)
        return _Term(op.fn, (array, *(_extended(i, makers) for i in index)))
    return integer


def _number(integer: Integer, body: Body, counters: dict[Var, Var]) -> Arg:
    """The statements that compute it, with other counters."""
    if not isinstance(integer, _Term):
        return counters.get(integer, integer) if isinstance(integer, Var) else integer
    args = [_number(a, body, counters) for a in integer.args]
    if integer.fn is operator.getitem:
        args[1:] = [args[1] if len(args) == 2 else Seq(tuple(args[1:]))]
    return body.op(integer.fn, *args, type=INT)  # type: ignore[arg-type]


def _variables(integer: Integer) -> Iterator[Var]:
    if isinstance(integer, _Term):
        for arg in integer.args:
            yield from _variables(arg)
    else:
        yield from variables(integer)


def _key(integer: Integer, counters: dict[Var, int]) -> object:
    if isinstance(integer, _Term):
        return integer.fn, *(_key(a, counters) for a in integer.args)
    return repr(integer.value) if isinstance(integer, Lit) else counters.get(integer, integer)  # type: ignore[arg-type]


# ----- arrays
def _written(block: Block) -> set[Var]:
    """The arrays that a block writes to by their names."""
    return {op.args[0] for op in walk(block) if isinstance(op, Op) and op.fn in _STORES}  # type: ignore[misc]


def _passed_on(block: Block) -> set[Var]:
    """What is not only read and written element by element: it may have other names."""
    found = set(variables(*block.results))
    for op in block.ops:
        args = operands(op)
        if isinstance(op, Op) and (op.fn in _STORES or op.fn is operator.getitem):
            args = args[1:]
        if not (isinstance(op, Op) and op.fn in _SHAPES):
            found.update(variables(*args))
        for inner in blocks(op):
            found |= _passed_on(inner)
    return found
