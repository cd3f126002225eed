"""What does an index select? A part of an array as lengths and a map of places.

Integers, slices with a constant step, None, Ellipsis; integer arrays next to each other select along their
axes. Everything else is left to NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...ir import builtin
from ...ir.ops import Arg, Lit, Op, Seq, Slice, Var
from ...ir.types import Array, Dim, Scalar
from .. import runtime as kernels
from ..nests.affine_indices import Index
from ..nests.body import INT, Body
from ..numbers import ranges
from ..numbers.scalars import NoForm, argument_type
from .forms import require_not_negative
from .loop_values import Value, reads_place, stretched

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

Place = tuple[Index, ...]


@dataclass
class Part:
    """``lengths`` of the selected part; ``where`` leads from a place in it to one in the array.

    ``gather`` is set where integer arrays select: it then writes the place in the array, reading the indices.
    """

    lengths: tuple[Arg, ...]
    where: Callable[[Place], Place]
    gather: Callable[[Body, Place], Place] | None = None


def select(s: Scalarizer, array: Value, index: Arg, out_dims: tuple[Dim | int, ...] | None) -> Part:
    """The part of ``array`` that ``array[index]`` is; ``out_dims``: its lengths as the type has them."""
    items = _items(index, array.rank)
    if any(isinstance(s.arg(i) if isinstance(i, Var) else i, Value) for i in items):
        return _gathered(s, array, items)
    lengths: list[Arg] = []
    moves: list[Callable[[Place], Index]] = []
    axis = 0
    dims = list(out_dims) if out_dims is not None else None
    for item in items:
        if isinstance(item, Lit) and item.value is None:
            lengths.append(Lit(1))
            continue
        if isinstance(item, Slice):
            dim = dims[len(lengths)] if dims is not None and len(lengths) < len(dims) else None
            start, length, step = _slice(s, item, array, axis, dim)
            moves.append(_moved(len(lengths), start, step))
            lengths.append(length)
        else:
            place = Index.of(position(s, s.number(item), array, axis))
            moves.append(lambda place_, fixed=place: fixed)  # type: ignore[misc]
        axis += 1
    return Part(tuple(lengths), lambda place: tuple(move(place) for move in moves))


def _moved(position: int, start: Index, step: int) -> Callable[[Place], Index]:
    def move(place: Place) -> Index:
        return place[position].times(step).plus(start)

    return move


def _items(index: Arg, rank: int) -> list[Arg]:
    """The parts of an index, Ellipsis and missing axes written out."""
    if isinstance(index, Seq) and index.kind is tuple:
        items = list(index.items)
    elif isinstance(index, Lit) and isinstance(index.value, tuple):
        items = [Lit(v) for v in index.value]
    else:
        items = [index]
    items = [_slice_of(i.value) if isinstance(i, Lit) and isinstance(i.value, slice) else i for i in items]
    if any(isinstance(i, Seq) or isinstance(i, Lit) and isinstance(i.value, (list, bool)) for i in items):
        raise NoForm("an index of lists or booleans")
    full = Slice(Lit(None), Lit(None), Lit(None))
    used = sum(not (isinstance(i, Lit) and (i.value is None or i.value is Ellipsis)) for i in items)
    out: list[Arg] = []
    for item in items:
        if isinstance(item, Lit) and item.value is Ellipsis:
            out += [full] * (rank - used)
            used = rank
        else:
            out.append(item)
    return out + [full] * (rank - used)


def _slice_of(value: slice) -> Slice:
    return Slice(Lit(value.start), Lit(value.stop), Lit(value.step))


def position(s: Scalarizer, index: Arg, array: Value, axis: int) -> Arg:
    """The place of an element that an integer names, within the axis for certain."""
    type = argument_type(index)
    if not isinstance(type, Scalar) or type.kind != "int":
        raise NoForm("an index that is no integer")
    dim = (array.type.shape or ())[axis] if array.type.shape else None
    length = array.lengths[axis]
    if isinstance(index, Lit) and index.value < 0:
        if isinstance(length, Lit) and -index.value <= length.value:
            return Lit(length.value + index.value)
        if dim is not None and s.bounds.not_negative(dim + index.value):
            return s.body.number(Index.of(length).plus(Index(None, 0, index.value)))
    elif dim is not None and s.bounds.within(index, dim):
        return index
    elif isinstance(length, Lit) and s.bounds.within(index, length.value):
        return index
    return checked(s.body, index, array, axis)


def checked(body: Body, index: Arg, array: Value, axis: int) -> Var:
    """The place that an integer names, which raises an exception where there is none."""
    place = body.op(kernels.position, index, array.lengths[axis], type=INT)
    if not reads_place(array, axis):  # the check would go with the place, that nothing is read from
        body.append(Op(builtin.unread, (place,), (), effect=True))
    return place


def _slice(
    s: Scalarizer, item: Slice, array: Value, axis: int, dim: Dim | int | None
) -> tuple[Index, Arg, int]:
    """Start, length and step of a slice along an axis."""
    length = array.lengths[axis]
    step = 1 if _is_none(item.step) else item.step.value if isinstance(item.step, Lit) else None
    if type(step) is not int or not step:
        raise NoForm("a slice with a step that is known at run time only")
    if step < 0:
        return _backwards(s, item, array, axis, dim, step)
    plain = _plain(s, item, array, axis, step)
    if plain is not None:
        return plain
    start, first = _bound(s, item.start, array, axis, Lit(0))
    known = s.extent(dim) if dim is not None else None
    if known is not None and first is not None:
        return first, known, step
    stop, _ = _bound(s, item.stop, array, axis, length)
    if known is None and isinstance(start, Lit) and isinstance(stop, Lit):
        known = Lit(len(range(start.value, stop.value, step)))
    elif known is None:
        known = s.body.op(kernels.span, start, stop, Lit(step), type=INT)
        if dim is not None:
            known = s.has_length(dim, known)
    return Index.of(start), known, step


def _backwards(
    s: Scalarizer, item: Slice, array: Value, axis: int, dim: Dim | int | None, step: int
) -> tuple[Index, Arg, int]:
    """A slice with a negative step: from a given place or the last, to behind a given one or the first."""
    length = array.lengths[axis]
    last = Index.of(length).plus(Index(None, 0, -1))
    if _is_none(item.start) and _is_none(item.stop) and step == -1:
        return last, length, -1

    def place(bound: Arg) -> Arg:
        return s.body.op(ranges.place_backwards, s.number(bound), length, type=INT)

    start = s.body.number(last) if _is_none(item.start) else place(item.start)
    stop = Lit(-1) if _is_none(item.stop) else place(item.stop)
    known = s.extent(dim) if dim is not None else None
    if known is None:
        known = s.body.op(kernels.turns, start, stop, Lit(step), type=INT)
        if dim is not None:
            known = s.has_length(dim, known)
    return Index.of(start), known, step


def _plain(s: Scalarizer, item: Slice, array: Value, axis: int, step: int) -> tuple[Index, Arg, int] | None:
    """A slice from a constant place to one that is a constant away from the end.

    Where the axis is too short for that the difference is no length: it would count in sums of lengths, and
    NumPy has the call.
    """
    start = 0 if _is_none(item.start) else item.start.value if isinstance(item.start, Lit) else None
    stop = 0 if _is_none(item.stop) else item.stop.value if isinstance(item.stop, Lit) else None
    if type(start) is not int or type(stop) is not int or step != 1 or start < 0 or stop > 0:
        return None
    if stop == 0 and not _is_none(item.stop) or array.type.shape is None:
        return None
    dim = array.type.shape[axis] + (stop - start)
    if isinstance(dim, int):
        return Index(None, 0, start), Lit(max(dim, 0)), 1
    length = s.extent(dim)
    if length is None:
        length = s.body.number(Index.of(array.lengths[axis]).plus(Index(None, 0, stop - start)))
        s.has_length(dim, length)
    require_not_negative(s, length)
    return Index(None, 0, start), length, 1


def _bound(s: Scalarizer, bound: Arg, array: Value, axis: int, default: Arg) -> tuple[Arg, Index | None]:
    """A bound of a slice as a number within the axis, and as an index where it needs no correction."""
    length = array.lengths[axis]
    dim = (array.type.shape or ())[axis] if array.type.shape else None
    if _is_none(bound):
        return default, Index.of(default)
    number = s.number(bound)
    if isinstance(number, Lit) and isinstance(length, Lit):
        within = Lit(kernels.bound(number.value, length.value))
        return within, Index.of(within) if number.value >= 0 else None
    form = s.bounds.affine(number)
    if isinstance(number, Lit) and number.value < 0 and dim is not None:
        if s.bounds.not_negative(dim + number.value):
            index = Index.of(length).plus(Index(None, 0, number.value))
            return s.body.number(index), index
    if form is not None and dim is not None and s.bounds.not_negative(form):
        if s.bounds.not_negative(dim - form):
            return number, Index.of(number)
        if isinstance(form, int):  # the type's length says that it is within, or it is none
            return s.body.op(kernels.bound, number, length, type=INT), Index.of(number)
    if isinstance(number, Lit):
        return s.body.op(kernels.bound, number, length, type=INT), Index.of(
            number
        ) if number.value >= 0 else None
    return s.body.op(kernels.bound, number, length, type=INT), None


def _gathered(s: Scalarizer, array: Value, items: list[Arg]) -> Part:
    """Integer arrays as indices, next to each other and to numbers; they broadcast."""
    from .forms import broadcast

    values = [s.arg(i) if isinstance(i, Var) else i for i in items]
    new = [k for k, v in enumerate(values) if isinstance(v, Lit) and v.value is None]
    places = [k for k, v in enumerate(values) if not isinstance(items[k], Slice) and k not in new]
    arrays: list[Value] = [v for v in values if isinstance(v, Value)]
    if any(a.type.kind != "int" for a in arrays) or len(items) - len(new) != array.rank:
        raise NoForm("an index with booleans")
    axes = {k: axis for axis, k in enumerate(k for k in range(len(items)) if k not in new)}
    if places != list(range(places[0], places[-1] + 1)):
        raise NoForm("an index of arrays and slices by turns")
    rank = max(a.rank for a in arrays)
    shape = next(a.type.shape for a in arrays if a.rank == rank)
    own = broadcast(s, arrays, Array(arrays[0].type.dtype, shape))
    fixed = {
        k: Index.of(position(s, s.number(items[k]), array, axes[k]))
        for k in places
        if not isinstance(values[k], Value)
    }
    slices = {k: _slice(s, i, array, axes[k], None) for k, i in enumerate(items) if isinstance(i, Slice)}
    lead = places[0]
    others = [slices[k][1] if k in slices else Lit(1) for k in range(len(items)) if k not in places]
    lengths = [*others[:lead], *own, *others[lead:]]

    def gather(body: Body, place: Place) -> Place:
        inner = place[lead : lead + rank]
        counters = iter([*place[:lead], *place[lead + rank :]])
        out: list[Index] = []
        for k, value in enumerate(values):
            if isinstance(value, Value):
                number = value.element(body, stretched(value, inner))
                out.append(Index.of(checked(body, number, array, axes[k])))
            elif k in fixed:
                out.append(fixed[k])
            elif k in new:
                next(counters)
            else:
                start, _, step = slices[k]
                out.append(next(counters).times(step).plus(start))
        return tuple(out)

    return Part(tuple(lengths), lambda place: place, gather)


def _is_none(arg: Arg) -> bool:
    return isinstance(arg, Lit) and arg.value is None
