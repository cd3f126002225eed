"""Which numbers does a loop read back from memory that it wrote in the turn before? They stay in registers.

``carry(kernel) -> None``. The last pass on the statements of a kernel, after ``hoist`` and ``shrink``, and
only where none of its arguments overlap: a write by another name would not reach the register.

In a recurrence such as ``a[j] = (a[j] + a[j - 1]) / 9`` every turn waits for the one before; through memory
it waits several times as long. So do the columns of a state, ``y[i + 1, 0] = f(y[i, 0], y[i, 1])``, each by
itself: what differs in a constant place is apart.
"""

from __future__ import annotations

import itertools
import operator
from dataclasses import dataclass

import numpy as np

from ...ir import builtin
from ...ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Lit,
    Op,
    Seq,
    Statement,
    Var,
    blocks,
    operands,
    variables,
    walk,
)
from ...ir.types import Array, Scalar, computed_alike
from .body import element_type

MOST_COLUMNS = 16
"""Of more the numbers would be in memory after all, for want of registers."""

_LOAD, _STORES = operator.getitem, (builtin.setitem_, builtin.add_item_)


@dataclass
class _Access:
    """``op`` reads or writes the array at ``rest``, with the counter plus ``offset`` on the axis ``axis``."""

    op: Op
    axis: int
    offset: int
    rest: tuple[object, ...]

    @property
    def is_load(self) -> bool:
        return self.op.fn is _LOAD


def carry(kernel: Function) -> None:
    """Carry such numbers from turn to turn, in place. None of the kernel's arguments overlap."""
    made = {op.outs[0] for op in walk(kernel.body) if isinstance(op, Op) and op.fn is np.empty}
    _block(kernel.body, {*kernel.params, *made})


def _block(block: Block, apart: set[Var]) -> None:
    new: list[Statement] = []
    for op in block.ops:
        for inner in blocks(op):
            _block(inner, apart)
        if isinstance(op, For) and op.range is not None and all(isinstance(o, Op) for o in op.body.ops):
            arrays = {v for o in op.body.ops for v in variables(*operands(o)) if isinstance(v.type, Array)}
            new += _carried(op) if arrays <= apart else []
        new.append(op)
    block.ops = new


def _carried(loop: For) -> list[Statement]:
    """Change a loop; the statements that have to stand before it."""
    assert loop.range is not None
    step = loop.range[2]
    if not isinstance(step, Lit) or step.value not in (1, -1) or loop.stops:
        return []
    before: list[Statement] = []
    for array in dict.fromkeys(_arrays(loop)):
        for accesses in _columns(_accesses(loop, array) or []):
            for store_offset in sorted({a.offset for a in accesses if not a.is_load}):
                if any(a.offset == store_offset - step.value and _reads(a) for a in accesses):
                    before += _forward(loop, array, accesses, store_offset, step.value)
                    break
    return before


def _columns(accesses: list[_Access]) -> list[list[_Access]]:
    """The accesses by the column that they go along; none where two columns may be one, or are too many."""
    columns: dict[tuple[int, tuple[object, ...]], list[_Access]] = {}
    for access in accesses:
        columns.setdefault((access.axis, access.rest), []).append(access)
    apart = all(_are_apart(*pair) for pair in itertools.combinations(columns, 2))
    return list(columns.values()) if apart and len(columns) <= MOST_COLUMNS else []


def _are_apart(one: tuple[int, tuple[object, ...]], other: tuple[int, tuple[object, ...]]) -> bool:
    """Whether two columns have other constants in some place, counted from the same end."""
    pairs = zip(one[1], other[1], strict=False)
    numbers = [(i, j) for i, j in pairs if type(i) is int and type(j) is int]
    return one[0] == other[0] and any(i != j and min(i, j) >= 0 for i, j in numbers)


def _reads(access: _Access) -> bool:
    return access.is_load or access.op.fn is builtin.add_item_


def _arrays(loop: For) -> list[Var]:
    """The arrays of numbers that the loop writes to."""
    found = []
    for op in loop.body.ops:
        if isinstance(op, Op) and op.fn in _STORES and isinstance(op.args[0], Var):
            found.append(op.args[0])
    return found


def _accesses(loop: For, array: Var) -> list[_Access] | None:
    """All accesses of the array in the loop; None if one of them is of another form."""
    offsets: dict[Var, int] = {loop.index: 0}
    inside = {out for op in loop.body.ops for out in op.outs}
    found: list[_Access] = []
    for op in loop.body.ops:
        assert isinstance(op, Op)
        _offset(op, offsets)
        if op.fn is not _LOAD and op.fn not in _STORES:
            if array in op.args:
                return None
            continue
        if op.args[0] is not array:
            continue
        index = list(op.args[1].items) if isinstance(op.args[1], Seq) else [op.args[1]]
        moving = [k for k, i in enumerate(index) if isinstance(i, Var) and i in offsets]
        rest = [i for k, i in enumerate(index) if k not in moving]
        if len(moving) != 1 or any(isinstance(i, Var) and i in inside for i in rest):
            return None
        place = index[moving[0]]
        assert isinstance(place, Var)
        key = tuple(i.value if isinstance(i, Lit) else i for i in rest)
        found.append(_Access(op, moving[0], offsets[place], key))
    return found


def _offset(op: Op, offsets: dict[Var, int]) -> None:
    """Note a number that is the counter plus a constant."""
    if op.fn in (operator.add, operator.sub) and len(op.args) == 2 and len(op.outs) == 1:
        first, second = op.args
        if isinstance(first, Var) and first in offsets and isinstance(second, Lit):
            if type(second.value) is int:
                sign = 1 if op.fn is operator.add else -1
                offsets[op.out] = offsets[first] + sign * second.value


def _forward(loop: For, array: Var, accesses: list[_Access], store_offset: int, step: int) -> list[Statement]:
    """Let the value written at one offset be the one that the next turn reads there."""
    assert isinstance(array.type, Array)
    type = element_type(array.type)
    if not all(_stores(a, type) for a in accesses if not a.is_load):
        return []
    load_offset = store_offset - step
    first = next(a for a in accesses if a.offset == load_offset)
    if not _reads(first):
        return []  # written again before it is read
    param = Var(type, "before")
    _expand(loop, array, accesses)
    names: dict[Var, Arg] = {}
    last: Arg | None = None
    current: Arg = param  # what is at the load's place now
    kept: list[Statement] = []
    by_op = {id(a.op): a for a in accesses}
    for op in loop.body.ops:
        assert isinstance(op, Op)
        op.args = tuple(_renamed(a, names) for a in op.args)
        access = by_op.get(id(op))
        if access is not None and access.is_load and access.offset == load_offset:
            names[op.out] = current
            continue
        if access is not None and not access.is_load:
            if access.offset == load_offset:
                current = _number(op.args[2])
            if access.offset == store_offset:
                last = _number(op.args[2])
        kept.append(op)
    assert last is not None
    loop.body.ops = kept
    loop.body.results = tuple(_renamed(r, names) for r in (*loop.body.results, last))
    loop.params += (param,)
    loop.outs += (Var(type, "before"),)
    init, statements = _initial(loop, array, first, type)
    loop.inits += (init,)
    return statements


def _stores(access: _Access, type: Scalar) -> bool:
    """Whether what is stored is what will be read."""
    value = access.op.args[2]
    if isinstance(value, Lit):
        return type == Scalar("float", np.dtype(float)) and isinstance(value.value, (int, float))
    return isinstance(value, Var) and computed_alike(value.type, type)


def _number(stored: Arg) -> Arg:
    """What is read where that was stored."""
    return Lit(float(stored.value)) if isinstance(stored, Lit) else stored


def _expand(loop: For, array: Var, accesses: list[_Access]) -> None:
    """Write ``a[i] += v`` as a read, a sum and a write."""
    assert isinstance(array.type, Array)
    type = element_type(array.type)
    new: list[Statement] = []
    for op in loop.body.ops:
        assert isinstance(op, Op)
        access = next((a for a in accesses if a.op is op and op.fn is builtin.add_item_), None)
        if access is None:
            new.append(op)
            continue
        old, total = Var(type), Var(type)
        load = Op(_LOAD, op.args[:2], (old,), {}, op.span, False, op.adjoint)
        new += [load, Op(operator.add, (old, op.args[2]), (total,), {}, op.span, False, op.adjoint)]
        op.fn, op.args = builtin.setitem_, (*op.args[:2], total)
        new.append(op)
        accesses.append(_Access(load, access.axis, access.offset, access.rest))
    loop.body.ops = new


def _renamed(arg: Arg, names: dict[Var, Arg]) -> Arg:
    if isinstance(arg, Var):
        return names.get(arg, arg)
    if isinstance(arg, Seq):
        return Seq(tuple(_renamed(i, names) for i in arg.items), arg.kind)
    return arg


def _initial(loop: For, array: Var, first: _Access, type: Scalar) -> tuple[Arg, list[Statement]]:
    """What the first turn reads, if there is one."""
    assert loop.range is not None
    start, stop, step = loop.range
    assert isinstance(step, Lit)
    span, adjoint = first.op.span, first.op.adjoint
    runs, place, old, out = Var(Scalar("bool")), Var(Scalar("int")), Var(type), Var(type, "before")
    compare = operator.lt if step.value > 0 else operator.gt
    test = Op(compare, (start, stop), (runs,), {}, span, False, adjoint)
    ops: list[Statement] = []
    at: Arg = start
    if first.offset:
        if isinstance(start, Lit):
            at = Lit(start.value + first.offset)
        else:
            at = place
            ops.append(Op(operator.add, (start, Lit(first.offset)), (place,), {}, span, False, adjoint))
    given = first.op.args[1]
    index: list[Arg] = list(given.items) if isinstance(given, Seq) else [given]
    index[first.axis] = at
    where = index[0] if len(index) == 1 else Seq(tuple(index))
    ops.append(Op(_LOAD, (array, where), (old,), {}, span, False, adjoint))
    zero = Lit({"float": 0.0, "int": 0, "bool": False, "complex": 0j}[type.kind])
    branch = If(runs, Block(ops, (old,)), Block([], (zero,)), (out,), span, adjoint)
    return out, [test, branch]
