"""What becomes of arrays put together from others, and of triangles and diagonals of matrices?"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Arg, Lit, Op, Seq, Var, variables
from ...ir.types import Array, Scalar, kind_of
from ..nests.affine_indices import Index
from ..nests.body import INT, Body
from ..nests.nests import Action
from ..numbers import ranges
from ..numbers.scalars import NoForm, argument_type
from .forms import form_of, require_equal
from .loop_values import Filled, Formula, Mapped, Value

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

Place = tuple[Index, ...]


@form_of(np.tril, np.triu)
def _triangle(s: Scalarizer, op: Op) -> None:
    value = s.array(op.args[0])
    k = op.args[1] if len(op.args) > 1 else op.kwargs.get("k", Lit(0))
    offset = s.number(k)
    type = op.out.type
    if value.rank < 2 or not isinstance(type, Array):
        raise NoForm("a triangle of a vector")
    number = Scalar(type.kind, type.dtype)
    inside = operator.le if op.fn is np.tril else operator.ge

    def element(body: Body, place: Place) -> Arg:
        x = value.element(body, place)
        row, column = body.number(place[-2]), body.number(place[-1])
        if not (isinstance(offset, Lit) and offset.value == 0):
            row = body.op(operator.add, row, offset, type=INT)
        test = body.op(inside, column, row, type=Scalar("bool"))
        return body.choose(test, x, Lit(type.dtype.type(0).item()), number)

    s.bind(op.out, Formula(type, value.lengths, [value], element, 2))


_WIDER = ("bool", "int", "float", "complex")


def display(s: Scalarizer, op: Op, source: Seq) -> None:
    """An array written out: of numbers, of arrays, or nested."""
    type = op.out.type
    if not isinstance(type, Array) or not type.shape:
        raise NoForm("a display of unknown rank")
    leaves = list(_leaves(s, source, ()))
    kinds = {v.type.kind if isinstance(v, Value) else kind_of(argument_type(v)) for _, v in leaves}
    if type.kind not in _WIDER or not kinds <= set(_WIDER[: _WIDER.index(type.kind) + 1]):
        raise NoForm("a display of numbers as narrower ones")
    lengths: list[Arg] = [Lit(n) for n in _counts(s, source)]
    values = [v for _, v in leaves if isinstance(v, Value)]
    if values:
        for value in values[1:]:
            for n, m in zip(values[0].lengths, value.lengths, strict=True):
                require_equal(s, n, m)
        lengths += values[0].lengths
    depth = {len(place) + (v.rank if isinstance(v, Value) else 0) for place, v in leaves}
    if depth != {len(type.shape)} or len(lengths) != len(type.shape):
        raise NoForm("a ragged display")
    memory = s.allocate(type, lengths, op.out.hint, op.out)
    numbers = [(place, v) for place, v in leaves if not isinstance(v, Value)]

    def emit(body: Body, place: Place) -> None:
        for where, item in numbers:
            body.store(memory.var, memory.group, where, item)

    if numbers:
        s.act(Action((), (), emit, reads=frozenset(variables(*(v for _, v in numbers)))))
    for place, value in leaves:
        if isinstance(value, Value):
            s.store(memory, lambda p, lead=place: (*lead, *p), value.lengths, value)  # type: ignore[misc]
    s.bind(op.out, memory)


def _leaves(s: Scalarizer, source: Seq, place: Place) -> Iterator[tuple[Place, Any]]:
    for k, item in enumerate(source.items):
        at = (*place, Index(None, 0, k))
        value = s.arg(item)
        if isinstance(value, Seq):
            yield from _leaves(s, value, at)
        else:
            yield at, value


def _counts(s: Scalarizer, source: Seq) -> list[int]:
    """The lengths of a display along its own axes."""
    counts, items = [], [s.arg(i) for i in source.items]
    counts.append(len(items))
    if items and all(isinstance(i, Seq) for i in items):
        inner = [_counts(s, i) for i in items]
        if any(c != inner[0] for c in inner):
            raise NoForm("a ragged display")
        counts += inner[0]
    return counts


def with_arrays(s: Scalarizer, index: Arg) -> Arg:
    """An index in which lists of places are arrays."""
    if not isinstance(index, Seq):
        return index
    if index.kind is not list:
        return Seq(tuple(with_arrays(s, item) for item in index.items), index.kind)
    types = [argument_type(s.arg(item)) for item in index.items]
    if not types or not all(isinstance(t, Scalar) and t.kind == "int" for t in types):
        raise NoForm("an index of lists or booleans")
    out = Var(Array(np.dtype(int), (len(types),)))
    display(s, Op(np.array, (index,), (out,)), index)
    return out


@form_of(np.stack, np.concatenate)
def _join(s: Scalarizer, op: Op) -> None:
    parts, type = op.args[0], op.out.type
    axis = op.args[1] if len(op.args) > 1 else op.kwargs.get("axis", Lit(0))
    if not isinstance(parts, Seq) or not isinstance(type, Array) or not set(op.kwargs) <= {"axis"}:
        raise NoForm("a join of a list")
    if not isinstance(axis, Lit) or type.shape is None or axis.value is None:
        raise NoForm("a join along no axis, or one that is known at run time only")
    values = [_part(s, p, type) for p in parts.items]
    if any(v.type.dtype != type.dtype for v in values):
        raise NoForm("a join of different types")
    along = axis.value % len(type.shape)
    for other in values[1:]:
        for k, (n, m) in enumerate(zip(values[0].lengths, other.lengths, strict=True)):
            if op.fn is np.stack or k != along:
                require_equal(s, n, m)
    if op.fn is np.stack:
        s.bind(op.out, _stacked(s, op, values, type, along))
    else:
        _concatenated(s, op, values, type, along)


def _part(s: Scalarizer, part: Arg, type: Array) -> Value:
    """One of the arrays to be joined; it may be a list of numbers."""
    value = s.arg(part)
    if not isinstance(value, Seq):
        return s.array(part)
    own = Array(type.dtype, (len(value.items),))
    if any(isinstance(s.arg(i), (Value, Seq)) for i in value.items):
        raise NoForm("a join of nested lists")
    if len(value.items) == 1:
        return Filled(own, (Lit(1),), s.number(value.items[0]))
    out = Var(own)
    display(s, Op(np.array, (value,), (out,)), value)
    return s.array(out)


def _stacked(s: Scalarizer, op: Op, values: list[Value], type: Array, axis: int) -> Value:
    lengths = list(values[0].lengths)
    lengths.insert(axis, Lit(len(values)))

    def element(body: Body, place: Place) -> Arg:
        at = place[axis]
        rest = (*place[:axis], *place[axis + 1 :])
        if at.loop is None and not at.terms:
            return values[at.const].element(body, rest)
        position, number = body.number(at), Scalar(type.kind, type.dtype)
        found = values[-1].element(body, rest)
        for k in range(len(values) - 2, -1, -1):
            here = body.op(operator.eq, position, Lit(k), type=Scalar("bool"))
            found = body.choose(here, values[k].element(body, rest), found, number)
        return found

    if len(values) > 4:
        raise NoForm("a stack of many arrays")
    return Formula(type, tuple(lengths), values, element, 1)


def _concatenated(s: Scalarizer, op: Op, values: list[Value], type: Array, axis: int) -> None:
    lengths = list(values[0].lengths)
    total: Arg = Lit(0)
    starts: list[Arg] = []
    for value in values:
        starts.append(total)
        total = s.body.number(_sum(total, value.lengths[axis]))
    lengths[axis] = total
    memory = s.allocate(type, lengths, op.out.hint, op.out)
    for start, value in zip(starts, values, strict=True):
        s.store(memory, _shifted(axis, start), value.lengths, value)
    s.bind(op.out, memory)


def _sum(a: Arg, b: Arg) -> Index:
    return Index.of(a).plus(Index.of(b))


def _shifted(axis: int, start: Arg):  # type: ignore[no-untyped-def]
    def where(place: Place) -> Place:
        return (*place[:axis], place[axis].plus(Index.of(start)), *place[axis + 1 :])

    return where


@form_of(np.diagonal, np.diag)
def _diagonal(s: Scalarizer, op: Op) -> None:
    value = s.array(op.args[0])
    given = op.args[1] if len(op.args) > 1 else op.kwargs.get("k", op.kwargs.get("offset", Lit(0)))
    k = given.value if isinstance(given, Lit) else None
    axes = dict(zip(("axis1", "axis2"), op.args[2:], strict=False)) | op.kwargs
    places = [axes.pop(name, Lit(i)) for i, name in enumerate(("axis1", "axis2"))]
    in_order = all(isinstance(p, Lit) and p.value in (i, i - 2) for i, p in enumerate(places))
    if value.rank > 2 or not in_order or axes.keys() - {"k", "offset"}:
        raise NoForm("diagonals of several matrices")
    if not isinstance(k, int) or not isinstance(op.out.type, Array):
        raise NoForm("a diagonal that is known at run time only")
    if value.rank == 1:
        _put_on_diagonal(s, op, value, k)
        return
    down, right = Index.of(Lit(max(-k, 0))), Index.of(Lit(max(k, 0)))
    n, m = value.lengths
    if k == 0:
        require_equal(s, n, m)
        length = n
    else:
        shape = op.out.type.shape
        known = s.extent(shape[0]) if shape else None
        length = s.body.op(ranges.on_diagonal, n, m, Lit(k), type=INT) if known is None else known
    s.bind(op.out, Mapped(op.out.type, (length,), value, lambda p: (p[0].plus(down), p[0].plus(right))))


def _put_on_diagonal(s: Scalarizer, op: Op, value: Value, k: int) -> None:
    """A matrix of zeros, with the elements of a vector in it."""
    type = op.out.type
    assert isinstance(type, Array)
    n = s.body.number(_sum(value.lengths[0], Lit(abs(k))))
    memory = s.allocate(type, (n, n), op.out.hint, op.out)
    s.fill(memory, Filled(type, (n, n), Lit(type.dtype.type(0).item())))
    down, right = Index.of(Lit(max(-k, 0))), Index.of(Lit(max(k, 0)))
    s.store(memory, lambda p: (p[0].plus(down), p[0].plus(right)), value.lengths, value)
    s.bind(op.out, memory)


def _floats(s: Scalarizer, op: Op, type: Array, ends: tuple[Arg, Arg, Arg]) -> None:
    """NumPy's: the first number, the second, and what follows by their difference."""
    double = Scalar("float", type.dtype)
    start, stop, by = ends
    length = s.extent(type.shape[0]) if type.shape else None
    if length is None:
        length = s.body.op(ranges.count, start, stop, by, type=INT)
    first = s.body.op(ranges.as_float, start, type=double)
    difference = s.body.op(ranges.difference, start, by, type=double)

    def element(body: Body, place: Place) -> Arg:
        part = body.op(operator.mul, body.number(place[0]), difference, type=double)
        return body.op(operator.add, first, part, type=double)

    s.bind(op.out, Formula(type, (length,), [], element, 0))


@form_of(np.arange)
def _arange(s: Scalarizer, op: Op) -> None:
    type = op.out.type
    ends = op.args if len(op.args) > 1 else (Lit(0), *op.args)
    if not isinstance(type, Array) or op.kwargs.keys() - {"dtype"}:
        raise NoForm("a range with options")
    start, stop, by = map(s.number, (*ends, Lit(1))[:3])
    if type.dtype == np.float64:
        _floats(s, op, type, (start, stop, by))
        return
    if op.kwargs or type.kind != "int":
        raise NoForm("a range of another dtype than its ends have")
    step = by.value if isinstance(by, Lit) else None
    if not isinstance(step, int) or not step:
        raise NoForm("a range with a step that is known at run time only")
    from .. import runtime as kernels

    length = s.extent(type.shape[0]) if type.shape else None
    if length is None:
        length = s.body.op(kernels.turns, start, stop, Lit(step), type=INT)

    def element(body: Body, place: Place) -> Arg:
        return body.number(place[0].times(step).plus(Index.of(start)))

    counting = Formula(type, (length,), [], element, 0)
    counting.of_counters = True
    s.bind(op.out, counting)
