"""What becomes of writes to parts of arrays? Actions on the loops of what is written."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...ir import builtin
from ...ir.ops import Arg, Lit, Op, Var
from ...ir.types import Array, Dim
from ..nests.affine_indices import Index
from ..nests.body import INT, Body
from ..numbers.scalars import NoForm
from .forms import computes_slowly, form_of, in_memory, mapped_function, require_equal, resolved
from .index_maps import select
from .joined import with_arrays
from .loop_values import Formula, Mapped, Value, stretched
from .masks import mask_of, put, put_in_filled, without_masks

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer


def target_of(s: Scalarizer, op: Op) -> Any:
    """The memory that an operation writes to, which its result names from then on."""
    var = op.args[0]
    assert isinstance(var, Var)
    memory = s.in_memory(var)
    s.before_write(memory.group, op)
    s.env[op.outs[0]] = memory
    return memory


@form_of(builtin.setitem_)
def _setitem(s: Scalarizer, op: Op) -> None:
    write(s, op, "w")


@form_of(builtin.add_item_, builtin.add_at_)
def _add_item(s: Scalarizer, op: Op) -> None:
    write(s, op, "a")


def write(s: Scalarizer, op: Op, kind: str) -> None:
    """``array[index] = value``, or ``+=``."""
    if put_in_filled(s, op, kind):
        return
    memory = target_of(s, op)
    mask = mask_of(s, op.args[1], memory)
    if mask is not None:
        raw = s.env.get(op.args[2]) if isinstance(op.args[2], Var) else None
        put(s, op, memory, mask, s.arg(op.args[2]) if raw is None else raw, kind)
        return
    value = s.arg(op.args[2])
    index = with_arrays(s, without_masks(s, memory, op.args[1]))
    part = select(s, memory, resolved(s, index), None)
    if isinstance(value, Value):
        value = fitted(s, value, part.lengths)
        value = unaliased(s, value, memory, part.where)
    if part.gather is not None:
        scatter(s, memory, part, value, kind)
        return
    if not part.lengths and not s.pending and not isinstance(value, Value):
        s.body.store(memory.var, memory.group, part.where(()), value, kind)
        return
    s.store(memory, part.where, part.lengths, value, kind)


def fitted(s: Scalarizer, value: Value, lengths: tuple[Arg, ...]) -> Value:
    """The value with axes of length 1 in front removed, its other lengths those of the place."""
    if value.rank > len(lengths):
        extra = value.rank - len(lengths)
        if not all(isinstance(n, Lit) and n.value == 1 for n in value.lengths[:extra]):
            raise NoForm("a value with more axes than its place")
        front = (Index(None, 0, 0),) * extra
        shape = (value.type.shape or ())[extra:]
        value = Mapped(Array(value.type.dtype, shape), value.lengths[extra:], value, lambda p: front + p)
    for n, m in zip(value.lengths, lengths[len(lengths) - value.rank :], strict=True):
        if not (isinstance(n, Lit) and n.value == 1):
            require_equal(s, n, m)
    return value


def unaliased(s: Scalarizer, value: Value, target: Any, where: Callable[..., Any]) -> Value:
    """The value; in memory of its own where it reads other elements of the array that is written."""
    if not any(memory.group == target.group for memory in value.reads()):
        return value
    loops = tuple(Var(INT, "i") for _ in value.lengths)
    accesses: list[Any] = []
    value.element(Body(accesses=accesses), tuple(map(Index, loops)))
    if len(loops) == value.rank and value.rank:
        own = where(tuple(map(Index, loops))) if _full_rank(where, loops) else None
        if own is not None and all(
            a.group != target.group or (a.array is target.var and _is_unwritten(s, a.index, own, loops))
            for a in accesses
        ):
            return value
    return in_memory(s, value)


def _is_unwritten(s: Scalarizer, read: Any, own: Any, loops: tuple[Var, ...]) -> bool:
    """Whether what is read is not written before, in loops that go upwards.

    So it is where it is the same element, lies ahead, or is never written.
    """
    ahead: dict[Var, int] = {}
    for i, j in zip(read, own, strict=True):
        if i.loop is not j.loop or i.scale != j.scale:
            return False
        distance = _distance(s, i, j)
        if distance is None:
            return False
        if i.loop is None or i.loop not in loops:
            if distance:
                return True  # another row altogether
        elif i.scale != 1:
            if distance:
                return False
        else:
            ahead[i.loop] = distance
    for loop in loops:
        if ahead.get(loop, 0):
            return ahead[loop] > 0
    return True


def _distance(s: Scalarizer, i: Index, j: Index) -> int | None:
    """The constant by which two indices on the same loop differ."""
    difference: Any = i.const - j.const
    for sign, index in ((1, i), (-1, j)):
        for var, coefficient in index.terms:
            form = s.bounds.affine(var)
            if form is None:
                form = Dim.symbol(("number", var.id))
            difference = difference + form * (sign * coefficient)
    return difference if isinstance(difference, int) else None


def _full_rank(where: Callable[..., Any], loops: tuple[Var, ...]) -> bool:
    try:
        where(tuple(map(Index, loops)))
    except IndexError:
        return False
    return True


def scatter(s: Scalarizer, memory: Any, part: Any, value: Any, kind: str) -> None:
    """Write where the body of the loops finds the place."""
    if isinstance(value, Value) and computes_slowly(value):
        value = in_memory(s, value)  # computed on vectors, in a loop of its own

    def emit(body: Body, place: tuple[Index, ...]) -> None:
        x = value.element(body, stretched(value, place)) if isinstance(value, Value) else value
        body.store(memory.var, memory.group, part.gather(body, place), x, kind)

    s.over(Formula(memory.type, part.lengths, (), lambda body, place: Lit(0)), emit, scatters=True)


IN_PLACE = {
    builtin.iadd_: operator.add,
    builtin.isub_: operator.sub,
    builtin.imul_: operator.mul,
    builtin.itruediv_: operator.truediv,
}


@form_of(*IN_PLACE)
def _update(s: Scalarizer, op: Op) -> None:
    """``array += value``: of a formula, another formula."""
    target, value = s.array(op.args[0]), s.arg(op.args[1])
    out = op.outs[0]
    assert isinstance(out.type, Array)
    lengths = target.lengths
    if isinstance(value, Value):
        value = fitted(s, value, lengths)
    if not target.is_view:
        s.bind(out, mapped_function(s, IN_PLACE[op.fn], [target, value], target.type))
        return
    memory = target_of(s, op)
    if isinstance(value, Value):
        value = unaliased(s, value, memory, lambda place: place)
    if op.fn in (builtin.iadd_, builtin.isub_):
        s.store(memory, lambda place: place, lengths, value, "a", 1 if op.fn is builtin.iadd_ else -1)
        return
    s.fill(memory, mapped_function(s, IN_PLACE[op.fn], [memory, value], memory.type))
