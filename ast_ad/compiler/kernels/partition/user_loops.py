"""Which loops of the program are array operations in disguise, and better written as such?

``as_updates(s, op) -> bool``. Tried by ``region`` for a ``For``, before it writes the loop as it stands.

A loop whose turns are independent, and that adds to one array at several shifts (``bar[i] += u; bar[i + 1] +=
v``, the adjoint of a loop over neighbours), keeps a compiler from using vectors. As updates of the array by
whole vectors they can be gathered, like those of array code.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...ir import builtin
from ...ir.ops import Arg, For, Lit, Op, Seq, Slice, Var, operands, variables
from ...ir.types import Array, Dim, Scalar
from ..lowering.loop_values import Formula, Memory, Value
from ..nests.affine_indices import Index
from ..nests.body import INT, Body
from ..numbers.scalars import NoForm, scalar_operation

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

Place = tuple[Index, ...]


@dataclass
class Turn:
    """One turn of a loop, as a function of the counter.

    ``makers``: what computes each number in it; ``updates``: the writes; ``sums``: for carried numbers, the
    terms that are added (with their signs).
    """

    loop: For
    start: Arg
    step: int
    makers: dict[Var, Op] = field(default_factory=dict)
    updates: list[Op] = field(default_factory=list)
    sums: dict[int, list[tuple[Arg, int]]] = field(default_factory=dict)
    arrays: set[int] = field(default_factory=set)  # positions of the arrays that it carries


def as_updates(s: Scalarizer, op: For) -> bool:
    """Write the loop as sums and updates of whole vectors, if that helps; whether it was done."""
    turn = _turn(s, op)
    if turn is None or not _shifts(s, turn):
        return False
    try:
        _write(s, turn)
    except NoForm:
        return False
    return True


def _turn(s: Scalarizer, op: For) -> Turn | None:
    if op.stops or op.items or op.range is None or not all(isinstance(o, Op) for o in op.body.ops):
        return None
    start, _, step = op.range
    if not isinstance(step, Lit) or step.value not in (1, -1):
        return None
    turn = Turn(op, start, step.value)
    writes = {builtin.setitem_, builtin.add_item_}
    for inner in op.body.ops:
        assert isinstance(inner, Op)
        if inner.fn in writes and isinstance(inner.args[0], Var):
            if inner.fn is builtin.setitem_:
                return None
            turn.updates.append(inner)
        elif inner.effect or len(inner.outs) != 1 or not isinstance(inner.out.type, Scalar):
            return None
        turn.makers.update(dict.fromkeys(inner.outs, inner))
    return turn if _carried(turn) else None


def _carried(turn: Turn) -> bool:
    """Sort the carried values: arrays that are added to, and sums."""
    op = turn.loop
    written = {u.args[0] for u in turn.updates}
    for j, (param, result) in enumerate(zip(op.params, op.body.results, strict=True)):
        if isinstance(param.type, Array):
            if _origin(result, turn) is not param:
                return False
            turn.arrays.add(j)
            continue
        terms = _terms(param, result, turn)
        if terms is None or not isinstance(param.type, Scalar) or param.type.kind != "float":
            return False
        turn.sums[j] = terms
    chain = {_origin(w, turn) for w in written}
    if not all(c in op.params for c in chain):
        return False
    for inner in op.body.ops:
        args = list(operands(inner))
        if isinstance(inner, Op) and inner in turn.updates:
            args = args[1:]
        for var in variables(*args):
            if _origin(var, turn) in chain or (var in op.params and not isinstance(var.type, Array)):
                if not _is_own_sum(inner, var, turn):
                    return False
    return True


def _origin(arg: Arg, turn: Turn) -> Arg:
    """The array that a Var is, back through updates."""
    while isinstance(arg, Var) and arg in turn.makers and turn.makers[arg].fn is builtin.add_item_:
        arg = turn.makers[arg].args[0]
    return arg


def _terms(param: Var, result: Arg, turn: Turn) -> list[tuple[Arg, int]] | None:
    """What is added to a carried number, back from its next value."""
    terms: list[tuple[Arg, int]] = []
    while result is not param:
        op = turn.makers.get(result) if isinstance(result, Var) else None
        if op is None or op.fn not in (operator.add, operator.sub) or len(op.args) != 2:
            return None
        terms.append((op.args[1], 1 if op.fn is operator.add else -1))
        result = op.args[0]
    return terms[::-1]


def _is_own_sum(inner: Any, var: Var, turn: Turn) -> bool:
    """Whether a carried number is read only where its own next value is made."""
    if not isinstance(inner, Op) or inner.fn not in (operator.add, operator.sub) or inner.args[0] is not var:
        return False
    return var not in set(variables(*inner.args[1:]))


def _shifts(s: Scalarizer, turn: Turn) -> bool:
    """Whether one array is added to at several places that move with the counter."""
    seen: dict[Arg, set[Any]] = {}
    for update in turn.updates:
        try:
            place = _index(s, turn, update.args[1], Var(INT))
        except NoForm:
            return False
        moving = [i for i in place if i.loop is not None]
        if len(moving) != 1 or moving[0].scale != 1:
            return False
        seen.setdefault(_origin(update.args[0], turn), set()).add(moving[0].const)
    return any(len(shifts) > 1 for shifts in seen.values())


def _index(s: Scalarizer, turn: Turn, index: Arg, counter: Var) -> Place:
    """The place that an index names in the turn ``counter`` (counted from 0, in the order of the memory)."""
    items = index.items if isinstance(index, Seq) else (index,)
    return tuple(_affine(s, turn, item, counter) for item in items)


def _affine(s: Scalarizer, turn: Turn, arg: Arg, counter: Var) -> Index:
    if isinstance(arg, Slice) or isinstance(arg, Lit) and type(arg.value) is not int:
        raise NoForm("an index that is no number")
    if isinstance(arg, Lit):
        if arg.value < 0:
            raise NoForm("an index from the end")
        return Index.of(arg)
    assert isinstance(arg, Var)
    if arg is turn.loop.index:
        return Index(counter).plus(Index.of(_lowest(s, turn)))
    op = turn.makers.get(arg)
    if op is None:
        number = s.number(arg)
        if isinstance(number, Var) and not s.bounds.not_negative(s.bounds.affine(number)):
            raise NoForm("an index of unknown sign")
        return Index.of(number)
    if op.fn not in (operator.add, operator.sub) or not all(isinstance(a, (Var, Lit)) for a in op.args):
        raise NoForm("an index that is no sum")
    sign = 1 if op.fn is operator.add else -1
    a, b = op.args
    if isinstance(b, Lit) and type(b.value) is int:
        return _affine(s, turn, a, counter).plus(Index(None, 0, sign * b.value))
    raise NoForm("an index that is no sum")


def _lowest(s: Scalarizer, turn: Turn) -> Arg:
    """The smallest value of the counter."""
    assert turn.loop.range is not None
    start, stop, _ = turn.loop.range
    if turn.step == 1:
        return s.number(start)
    return s.body.number(Index.of(s.number(stop)).plus(Index(None, 0, 1)))


def _count(s: Scalarizer, turn: Turn) -> tuple[Arg, Dim | int]:
    """The number of turns, and its form."""
    assert turn.loop.range is not None
    start, stop = (s.bounds.affine(s.number(a)) for a in turn.loop.range[:2])
    if start is None or stop is None:
        raise NoForm("a range of unknown length")
    form = stop - start if turn.step == 1 else start - stop
    number = s.extent(form)
    if number is None or not s.bounds.not_negative(form):
        raise NoForm("a range of unknown length")
    return number, form


def _write(s: Scalarizer, turn: Turn) -> None:
    op = turn.loop
    count, form = _count(s, turn)
    memories = {j: s.in_memory(op.inits[j]) for j in turn.arrays}  # type: ignore[arg-type]
    plans = []
    for update in turn.updates:
        origin = _origin(update.args[0], turn)
        memory = memories[op.params.index(origin)]
        _check_bounds(s, turn, update.args[1], memory, form)
        plans.append((memory, update, _formula(s, turn, update.args[2], count, form, memory.type.dtype)))
    totals = {}
    for j, terms in turn.sums.items():
        dtype = op.params[j].type.dtype or float  # type: ignore[union-attr]
        totals[j] = [(_formula(s, turn, arg, count, form, dtype), sign) for arg, sign in terms]
    written = {memory.group for memory, _, _ in plans}
    values = [value for _, _, value in plans] + [value for parts in totals.values() for value, _ in parts]
    if any(memory.group in written for value in values for memory in value.reads()):
        raise NoForm("a loop that reads what it may write")
    for j in turn.arrays:
        s.env[op.params[j]] = s.env[op.outs[j]] = memories[j]
    for memory, update, value in plans:
        s.store(memory, _where(s, turn, update), (count,), value, "a")
    for j, parts in totals.items():
        _sum(s, op, j, parts)


def _where(s: Scalarizer, turn: Turn, update: Op) -> Any:
    counter = Var(INT)
    pattern = _index(s, turn, update.args[1], counter)

    def where(place: Place) -> Place:
        moved = []
        for i in pattern:
            fixed = Index(None, 0, i.const, i.terms)
            moved.append(place[0].plus(fixed) if i.loop is counter else i)
        return tuple(moved)

    return where


def _check_bounds(s: Scalarizer, turn: Turn, index: Arg, memory: Value, form: Dim | int) -> None:
    """Refuse places that are not certainly within the array."""
    items = index.items if isinstance(index, Seq) else (index,)
    for item, dim in zip(items, memory.type.shape or (), strict=True):
        if not s.bounds.within(_bounded(s, turn, item), dim):
            raise NoForm("an index out of bounds")


def _bounded(s: Scalarizer, turn: Turn, arg: Arg) -> Arg:
    """A number whose bounds are known, for an index in the loop."""
    if not isinstance(arg, Var):
        return arg
    counter = Var(INT)
    index = _affine(s, turn, arg, counter)
    assert turn.loop.range is not None
    start, stop = (s.bounds.affine(s.number(a)) for a in turn.loop.range[:2])
    low, high = (start, stop - 1) if turn.step == 1 else (stop + 1, start)  # type: ignore[operator]
    if index.loop is None:
        out = Var(INT)
        total: Any = index.const
        for var, c in index.terms:
            form = s.bounds.affine(var)
            if form is None:
                raise NoForm("an index of unknown bounds")
            total = total + form * c
        s.bounds.define(out, total)
        return out
    s.bounds.loop(counter, low, high)
    out, base = Var(INT), s.bounds.affine(counter)
    lowest = s.bounds.affine(_lowest(s, turn))
    assert base is not None and lowest is not None
    rest: Any = index.const
    for var, c in index.terms:
        rest = rest + s.bounds.affine(var) * c  # type: ignore[operator]
    s.bounds.define(out, base + rest - lowest)
    return out


def _formula(s: Scalarizer, turn: Turn, arg: Arg, count: Arg, form: Dim | int, dtype: Any) -> Formula:
    """A number of each turn as a vector."""
    import numpy as np

    parts: list[Value] = []
    size = [0]
    _survey(s, turn, arg, parts, size)
    type = Array(np.dtype(dtype), (form,))
    return Formula(type, (count,), parts, lambda body, place: _value(s, turn, arg, body, place[0]), size[0])


def _survey(s: Scalarizer, turn: Turn, arg: Arg, parts: list[Value], size: list[int]) -> None:
    """What a number is computed from, and whether a kernel can compute it."""
    op = turn.makers.get(arg) if isinstance(arg, Var) else None
    if op is None:
        if isinstance(arg, Var) and arg is not turn.loop.index:
            s.number(arg)
        return
    if op.fn is operator.getitem:
        array = s.array(op.args[0])
        if not isinstance(array, Memory):
            raise NoForm("an element of what is no array in memory")
        parts.append(array)
        _check_bounds(s, turn, op.args[1], array, 0)
        return
    types = [a.type if isinstance(a, Var) else None for a in op.args]
    if op.kwargs or any(t is not None and not isinstance(t, Scalar) for t in types):
        raise NoForm("an operation on arrays")
    size[0] += 1
    for inner in op.args:
        _survey(s, turn, inner, parts, size)


def _value(s: Scalarizer, turn: Turn, arg: Arg, body: Body, place: Index) -> Arg:
    """Write what computes a number in the turn at ``place``."""
    if not isinstance(arg, Var):
        return arg
    if arg is turn.loop.index:
        return body.number(place.plus(Index.of(_lowest(s, turn))))
    op = turn.makers.get(arg)
    if op is None:
        return s.number(arg)
    if op.fn is operator.getitem:
        array = s.array(op.args[0])
        counter = Var(INT)
        pattern = _index(s, turn, op.args[1], counter)
        moved = tuple(
            place.plus(Index(None, 0, i.const, i.terms)) if i.loop is counter else i for i in pattern
        )
        return array.element(body, moved)
    args = [_value(s, turn, a, body, place) for a in op.args]
    return scalar_operation(body, s.bounds, op.fn, args, op.out)


def _sum(s: Scalarizer, op: For, j: int, parts: list[tuple[Formula, int]]) -> None:
    """A carried number: its first value and the sum of what the turns add."""
    from ..lowering.reductions import Reduction, reduce_axes

    total: Arg = s.number(op.inits[j])
    type = op.params[j].type
    assert isinstance(type, Scalar)
    for value, sign in parts:
        part = Var(Scalar("float", value.type.dtype), op.params[j].hint)
        reduce_axes(s, part, value, (0,), False, Reduction(0.0, operator.add, True), None)
        s.flush()
        if isinstance(total, Lit) and total.value == 0 and sign > 0:
            total = s.number(part)
            continue
        fn = operator.add if sign > 0 else operator.sub
        total = s.body.op(fn, total, s.number(part), type=type)
    s.env[op.outs[j]] = total
