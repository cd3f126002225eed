"""How do the lists that the user's program keeps become arrays?

``lists_as_arrays(function, rows_like) -> Function``. For kernels only, after ``fuse_loops`` and before
``read_final``: what is left of lists then are tapes, and lists that don't fit (``Lists``).

A list of numbers, or of arrays of one shape, that grows at its end becomes an array with room for more, and
how many of its rows count::

    xs = [x]                        xs, count = np.empty((16, 3)), 1; xs[0] = x
    for i in range(n):              for i in range(n):
        xs.append(f(xs[-1]))            xs = reserve(xs, count + 1)
                                        xs[count] = f(xs[:count][-1])
                                        count += 1

So do the lists of cotangents of such a list. Where elements are Python's numbers or NumPy's, as in
``[1.0, x[0]]``, a second array says of each whether it is NumPy's: dividing by one of them raises, or not.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...rules import containers, helpers
from ..arrays.lengths import Lengths, Ops
from ..ir import builtin
from ..ir.alternatives import is_mixed
from ..ir.dims import Dim, reaches
from ..ir.mixed_numbers import is_numpys, own_and_numpys, restored
from ..ir.ops import (
    Arg,
    Block,
    For,
    Function,
    Lit,
    Op,
    Seq,
    Slice,
    Var,
    variables,
)
from ..ir.types import CLASSES, KIND_OF, Array, ListOf, Scalar, dtype_of
from ..simplify.dead_code import eliminate_dead_code
from ..simplify.renaming import copy_function, renamed
from .given_lists import is_of_numbers, own_lists
from .joined_lists import Joining, joining
from .kept_lists import EXTREMA, GIVEN, ROWS, Kind, Lists, of_two, takes_array
from .list_statements import Replacing
from .tape_places import FIRST_CAPACITY, INT

_BOOL = Scalar("bool")
_FLAGS = np.dtype(bool)
_HINTS = "items", "numpys"


class Rows(NamedTuple):
    """What a list has become: how many rows count, their values, and whether each is NumPy's, where told."""

    length: Arg
    columns: tuple[Var, ...]

    @property
    def values(self) -> Var:
        return self.columns[0]

    def with_values(self, values: Var) -> Rows:
        return self._replace(columns=(values, *self.columns[1:]))


def lists_as_arrays(function: Function, rows_like: Collection[Any] = ()) -> Function:
    """The same function with arrays for the lists that it keeps, as far as there are forms for what it does.

    Args:
        function: pure IR; it is left as it is.
        rows_like: functions of an array and a list that cut the array into rows like the list's elements.

    >>> lists_as_arrays(Function("nothing", (), Block([], (Lit(1),)))).body.results
    (1,)
    """
    found = Lists(function, rows_like)
    if not found.leaders:
        return function
    function = copy_function(function)
    own_lists(function, lambda own: Lists(own, rows_like), is_of_numbers)
    _Conversion(Lists(function, rows_like)).block(function.body)
    eliminate_dead_code(function)
    return function


class _Conversion(Replacing):
    """``rows``: what each list has become."""

    def __init__(self, lists: Lists) -> None:
        super().__init__(lists)
        self.rows: dict[Var, Rows] = {}
        self.params = list(lists.params)

    def named(self, var: Var, kind: Kind) -> tuple[Var, ...]:
        hints = var.hint or _HINTS[0], _HINTS[1]
        columns = tuple(Var(type, hint) for type, hint in zip(_types_of(kind), hints, strict=False))
        count = Var(INT, "count")
        self.rows[var] = Rows(count, columns)
        return (*columns, count)

    def carried(self, arg: Arg, out: Var, ops: Ops) -> tuple[Arg, ...]:
        kind = self.lists.of(out)
        assert kind is not None
        rows = self.rows[arg] if isinstance(arg, Var) else self.made((), kind, ops)
        return (*rows.columns, rows.length)

    # ----- operations
    def made(self, items: tuple[Arg, ...], kind: Kind, ops: Ops) -> Rows:
        """A list as it is written."""
        shape: tuple[Arg, ...] = (Lit(max(FIRST_CAPACITY, len(items))),)
        if isinstance(kind, Array):
            lengths = Lengths(self.params, {}, ops)
            found = [lengths.of(dim) for dim in kind.shape or ()]
            shape += tuple(n for n in found if n is not None)
        parts = [self.parts(item, kind, ops) for item in items]
        columns = []
        for i, type in enumerate(_types_of(kind)):
            column = ops.op(np.empty, (Seq(shape), Lit(type.dtype)), type, _HINTS[i])
            for k, part in enumerate(parts):
                column = ops.op(helpers.setitem, (column, Lit(k), part[i]), type, _HINTS[i])
            columns.append(column)
        return Rows(Lit(len(items)), tuple(columns))

    def parts(self, item: Arg, kind: Kind, ops: Ops) -> tuple[Arg, ...]:
        """What of an element goes into each column."""
        if not of_two(kind):
            return (item,)
        if isinstance(item, Var) and is_mixed(item.type):
            return item, ops.op(is_numpys, (item,), _BOOL)
        if isinstance(item, Lit):
            return Lit(CLASSES[kind.kind](item.value)), Lit(isinstance(item.value, np.generic))
        return item, Lit(isinstance(item, Var) and getattr(item.type, "dtype", None) is not None)

    def operation(self, op: Op, kind: Kind, ops: Ops) -> None:
        if op.fn is builtin.make_list:
            self.rows[op.out] = self.made(op.args, kind, ops)
            return
        if op.fn in GIVEN:
            (type,) = _types_of(kind)
            made = containers.own_numbers if op.fn is containers.list_given else containers.own_column
            column = ops.op(made, (*op.args, Lit(type.dtype)), type, op.out.hint)
            self.rows[op.out] = Rows(ops.op(len, (column,), INT, "count"), (column,))
            return
        rows = self.rows[next(a for a in op.args if isinstance(a, Var) and self.lists.of(a))]
        changed = _CHANGES.get(op.fn)
        if changed is not None:
            self.rows[op.outs[0]] = changed(self, op, rows, kind, ops)
        elif (how := joining(op, self.lists.rows_like)) is not None:
            self.joins(op, how, rows, kind, ops)
        elif op.fn in self.lists.rows_like:
            self.rows[op.out] = rows.with_values(op.args[0])  # type: ignore[arg-type]
        elif op.fn is builtins.sum or op.fn in EXTREMA:
            self.folded(op, rows, ops)
        elif op.fn is containers.list_get:
            self.read(op.out, rows, op.args[1], ops)
        elif op.fn in ROWS:
            vector = _vector(rows, kind, ops, some=op.fn is np.stack)
            ops.ops.append(Op(np.copy, (vector,), op.outs, {}, op.span, adjoint=op.adjoint))
        elif takes_array(op):
            held = {v: self.rows[v] for v in variables(*op.args) if self.lists.of(v)}
            arrays = {v: _vector(rows, kind, ops) for v, rows in held.items()}
            given = tuple(renamed(a, arrays) for a in op.args)
            ops.ops.append(Op(op.fn, given, op.outs, op.kwargs, op.span, op.effect, op.adjoint))
        else:
            place = op.fn is containers.list_place
            found = _put_at(op.args[1], rows.length, ops) if place else rows.length
            ops.ops.append(Op(builtin.assign, (found,), op.outs, {}, op.span, adjoint=op.adjoint))

    def joins(self, op: Op, how: Joining, rows: Rows, kind: Kind, ops: Ops) -> None:
        """Join the elements to an array, or cut one into them."""
        assert isinstance(kind, Array)
        lengths = Lengths(self.params, {}, ops)
        shape = [n for n in map(lengths.of, kind.shape or ()) if n is not None]  # arguments have them
        ends: dict[str, Any] = {"span": op.span, "adjoint": op.adjoint}
        if isinstance(op.out.type, ListOf):
            cut = op.args[0]
            if how is Joining.TURNED:
                cut = ops.op(np.transpose, (cut,), _type(rows.values))
            elif how is Joining.ALONG:
                cut = ops.op(np.reshape, (cut, Seq((rows.length, *shape))), _type(rows.values))
            self.rows[op.out] = rows.with_values(cut)  # type: ignore[arg-type]
            return
        vector = _vector(rows, kind, ops)
        if how is Joining.TURNED:
            columns = ops.op(np.transpose, (vector,), op.out.type)
            ops.ops.append(Op(np.copy, (columns,), op.outs, {}, **ends))
        elif how is Joining.ALONG:
            ops.ops.append(Op(np.reshape, (vector, Seq((Lit(-1), *shape[1:]))), op.outs, {}, **ends))
        else:
            ops.ops.append(Op(np.copy, (vector,), op.outs, {}, **ends))

    # ----- lists that are made of one
    def zeros(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> Rows:
        return rows.with_values(ops.op(np.zeros_like, (rows.values,), _type(rows.values)))

    def filled(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> Rows:
        zeros = ops.op(np.zeros_like, (rows.values,), _type(rows.values))
        return rows.with_values(ops.op(operator.add, (zeros, op.args[1]), _type(rows.values)))

    def added(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> Rows:
        place = _from_start(op.args[1], rows.length, ops)
        return rows.with_values(ops.op(helpers.add_at, (rows.values, place, op.args[2]), _type(rows.values)))

    def appended(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> Rows:
        parts, end = self.parts(op.args[1], kind, ops), ops.integer(operator.add, rows.length, Lit(1))
        room = [ops.op(helpers.reserve, (column, end), _type(column), column.hint) for column in rows.columns]
        return Rows(end, _set(room, rows.length, parts, ops))

    def set(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> Rows:
        self.require_element(rows, op.args[1], kind, ops)
        place, parts = _from_start(op.args[1], rows.length, ops), self.parts(op.args[2], kind, ops)
        return Rows(rows.length, _set(rows.columns, place, parts, ops))

    def slice_set(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> Rows:
        values, new = _those(rows, rows.values, ops), self.rows[op.args[4]]  # type: ignore[index]
        given = (values, Slice(*op.args[1:4]), _those(new, new.values, ops))
        return rows.with_values(ops.op(helpers.setitem, given, _type(values)))

    def popped(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> Rows:
        if not op.adjoint:  # one that the program itself pops may be empty
            self.require_element(rows, Lit(-1), kind, ops)
        self.read(op.outs[1], rows, Lit(-1), ops)
        return rows._replace(length=ops.integer(operator.sub, rows.length, Lit(1)))

    def reversed(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> Rows:
        return _part(rows, (Lit(None), Lit(None), Lit(-1)), ops)._replace(length=rows.length)

    def part(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> Rows:
        return _part(rows, op.args[1:], ops)

    def joined(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> Rows:
        other, columns = self.rows[op.args[1]], []  # type: ignore[index]
        for column, more in zip(rows.columns, other.columns, strict=True):
            both = _those(rows, column, ops), _those(other, more, ops)
            columns.append(ops.op(np.concatenate, (Seq(both, list),), _type(column), column.hint))
        return Rows(ops.integer(operator.add, rows.length, other.length), tuple(columns))

    def repeated(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> Rows:
        """Numbers as often as is asked for, none where that is negative."""
        times = op.args[1] if _is_counter(op.args[1]) else ops.integer(max, op.args[1], Lit(0))
        columns = tuple(_again(column, rows, times, ops) for column in rows.columns)
        return Rows(ops.integer(operator.mul, rows.length, times), columns)

    def sum(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> Rows:
        """Of two cotangents, of which as many count."""
        other = self.rows[op.args[1]]  # type: ignore[index]
        both = _those(rows, rows.values, ops), _those(other, other.values, ops)
        return rows.with_values(ops.op(operator.add, both, _type(rows.values), "items"))

    def put(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> Rows:
        """One more element somewhere: those behind it move up."""
        parts, end = self.parts(op.args[2], kind, ops), ops.integer(operator.add, rows.length, Lit(1))
        place = _from_start(op.args[1], end, ops)
        columns, after = [], ops.integer(operator.add, place, Lit(1))
        for column in rows.columns:
            behind = _copied(column, place, rows.length, ops)
            room = ops.op(helpers.reserve, (column, end), _type(column), column.hint)
            columns.append(
                ops.op(helpers.setitem, (room, Slice(after, end, Lit(None)), behind), _type(column))
            )
        return Rows(end, _set(columns, place, parts, ops))

    def removed(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> Rows:
        """One element fewer: those behind it move down."""
        self.require_element(rows, op.args[1], kind, ops)
        self.read(op.outs[1], rows, op.args[1], ops)
        place, end = _from_start(op.args[1], rows.length, ops), ops.integer(operator.sub, rows.length, Lit(1))
        columns, after = [], ops.integer(operator.add, place, Lit(1))
        for column in rows.columns:
            behind, part = _copied(column, after, rows.length, ops), Slice(place, end, Lit(None))
            columns.append(ops.op(helpers.setitem, (column, part, behind), _type(column)))
        return Rows(end, tuple(columns))

    # ----- what is read
    def require_element(self, rows: Rows, place: Arg, kind: Kind, ops: Ops) -> None:
        """Python's exception where there is no such element: beyond those that count there may be room."""
        type = kind if isinstance(kind, Array) else Scalar(kind.kind, dtype_of(kind))
        found = ops.op(operator.getitem, (_those(rows, rows.values, ops), place), type)
        ops.ops.append(Op(builtin.unread, (found,), (), {}, ops.span, True, ops.adjoint))

    def read(self, out: Var, rows: Rows, place: Arg, ops: Ops) -> None:
        """An element, as a value of its own: what the array holds may be overwritten."""
        those = _those(rows, rows.values, ops)
        ends: dict[str, Any] = {"span": ops.span, "adjoint": ops.adjoint}
        type = out.type
        if isinstance(type, Scalar) and type.dtype is not None and not is_mixed(type):
            ops.ops.append(Op(operator.getitem, (those, place), (out,), **ends))
        elif isinstance(type, Scalar):
            dtype = np.dtype(type.kind)
            found = ops.op(operator.getitem, (those, place), Scalar(type.kind, dtype))
            classes = own_and_numpys(type)
            if classes is not None:
                flags = _those(rows, rows.columns[1], ops)
                flag = ops.op(operator.getitem, (flags, place), Scalar("bool", _FLAGS))
                own, numpys = map(Lit, classes)
                ops.ops.append(Op(restored, (found, flag, numpys, own), (out,), **ends))
            else:
                ops.ops.append(Op(CLASSES[type.kind], (found,), (out,), **ends))
        else:
            found = ops.op(operator.getitem, (those, place), type)
            ops.ops.append(Op(np.copy, (found,), (out,), **ends))

    def folded(self, op: Op, rows: Rows, ops: Ops) -> None:
        """The sum or an extremum, as a loop over the elements like Python's own.

        What the sum of no elements is, an int, can be told beside NumPy's numbers only; all else begins with
        the first element, and takes for granted that there is one.
        """
        held = op.args[0]
        assert isinstance(held, Var) and isinstance(held.type, ListOf)
        if isinstance(held.type.element, Array):
            self.added_up(op, held.type.element, rows, ops)
            return
        kind = held.type.element  # of this list: of all that it meets elements may be more
        adds, start = op.fn is builtins.sum, op.args[1] if len(op.args) > 1 else None
        begins = not adds or getattr(kind, "dtype", None) is None
        type = kind if begins and start is None else op.out.type
        first: Arg = Lit(0) if start is None else start
        if begins:
            first = Var(kind)
            self.read(first, rows, Lit(0), ops)
            first = first if start is None else ops.op(operator.add, (start, first), type)
        total, item, i = Var(type, "total"), Var(kind, "item"), Var(INT, "i")
        turn = Ops([], op.span, op.adjoint)
        self.read(item, rows, i, turn)
        result = turn.op(operator.add if adds else op.fn, (total, item), type if begins else kind)
        op.out.type = type
        bounds, body = (Lit(int(begins)), rows.length, Lit(1)), Block(turn.ops, (result,))
        ends: dict[str, Any] = {"span": op.span, "adjoint": op.adjoint}
        ops.ops.append(For(i, bounds, (), (total,), (first,), body, op.outs, **ends))

    def added_up(self, op: Op, kind: Array, rows: Rows, ops: Ops) -> None:
        """The sum of arrays, one by one, as NumPy adds rows; there is one at least."""
        total = ops.op(np.sum, (_vector(rows, kind, ops), Lit(0)), kind)
        start = op.args[1] if len(op.args) > 1 else Lit(0)
        ends: dict[str, Any] = {"span": op.span, "adjoint": op.adjoint}
        ops.ops.append(Op(operator.add, (start, total), op.outs, {}, **ends))


_CHANGES: dict[Any, Callable[..., Rows]] = {
    containers.list_zeros_like: _Conversion.zeros,
    containers.list_fill: _Conversion.filled,
    containers.list_add_at: _Conversion.added,
    containers.list_append: _Conversion.appended,
    containers.list_set: _Conversion.set,
    containers.list_set_slice: _Conversion.slice_set,
    containers.list_pop: _Conversion.popped,
    containers.list_reverse: _Conversion.reversed,
    containers.list_slice: _Conversion.part,
    containers.list_concat: _Conversion.joined,
    containers.list_repeat: _Conversion.repeated,
    containers.list_add: _Conversion.sum,
    containers.list_put: _Conversion.put,
    containers.list_remove: _Conversion.removed,
}


def _copied(column: Arg, start: Arg, stop: Arg, ops: Ops) -> Var:
    """Some rows, as they are now."""
    found = ops.op(operator.getitem, (column, Slice(start, stop, Lit(None))), _type(column))
    return ops.op(np.copy, (found,), found.type)


def _again(column: Var, rows: Rows, times: Arg, ops: Ops) -> Var:
    """The rows of a column that count, so many times."""
    if not isinstance(rows.length, Lit) or rows.length.value != 1:
        return ops.op(np.tile, (_those(rows, column, ops), times), _type(column), column.hint)
    dtype = _type(column).dtype
    number = ops.op(operator.getitem, (column, Lit(0)), Scalar(KIND_OF[dtype.kind], dtype))
    return ops.op(np.full, (times, number), _type(column), column.hint)


def _those(rows: Rows, column: Arg, ops: Ops) -> Var:
    """The rows of a column that count."""
    return ops.op(operator.getitem, (column, Slice(Lit(None), rows.length, Lit(None))), _type(column))


def _vector(rows: Rows, kind: Kind, ops: Ops, some: bool = False) -> Var:
    """The array of all elements. Of none NumPy makes one of floats, whatever they would be; and ``some``
    functions refuse none."""
    length = rows.length
    if some or isinstance(kind, Array) or dtype_of(kind) != np.dtype(float):
        one = ops.op(operator.floordiv, (length, length), INT)  # which raises for zero
        length = ops.op(operator.mul, (length, one), INT)
    return _those(rows._replace(length=length), rows.values, ops)


def _set(columns: Sequence[Var], place: Arg, parts: Sequence[Arg], ops: Ops) -> tuple[Var, ...]:
    """The columns with another element at a place."""
    pairs = zip(columns, parts, strict=True)
    return tuple(ops.op(helpers.setitem, (c, place, part), _type(c), c.hint) for c, part in pairs)


def _part(rows: Rows, bounds: Sequence[Arg], ops: Ops) -> Rows:
    """A slice of a list: rows of its own, all of which count."""
    copied = []
    for column in rows.columns:
        cut = ops.op(operator.getitem, (_those(rows, column, ops), Slice(*bounds)), _type(column))
        copied.append(ops.op(np.copy, (cut,), cut.type, column.hint))
    return Rows(ops.op(len, (copied[0],), INT, "count"), tuple(copied))


def _from_start(place: Arg, count: Arg, ops: Ops) -> Arg:
    """The place of an element that there is, counted from the first."""
    if isinstance(place, Lit) and place.value < 0:
        return ops.integer(operator.sub, count, Lit(-place.value))
    return place if _is_counter(place) else ops.op(operator.mod, (place, count), INT)


def _put_at(place: Arg, count: Arg, ops: Ops) -> Arg:
    """Where ``insert`` puts an element: within the list."""
    if not _is_counter(place):
        negative = ops.op(operator.lt, (place, Lit(0)), Scalar("bool"))
        shift = ops.integer(operator.mul, ops.op(int, (negative,), INT), count)
        place = ops.integer(max, ops.integer(operator.add, place, shift), Lit(0))
    return ops.integer(min, place, count)


def _is_counter(arg: Arg) -> bool:
    """Whether an integer is certainly not negative."""
    if isinstance(arg, Lit):
        return bool(arg.value >= 0)
    size = arg.type.size if isinstance(arg, Var) and isinstance(arg.type, Scalar) else None
    return size is not None and reaches(size, 0)


def _types_of(kind: Kind) -> list[Array]:
    """The types of a list's columns."""
    dtype = dtype_of(kind)
    assert dtype is not None
    values = Array(dtype, (Dim.fresh(), *((kind.shape or ()) if isinstance(kind, Array) else ())))
    return [values, Array(_FLAGS, (Dim.fresh(),))] if of_two(kind) else [values]


def _type(column: Arg) -> Array:
    """The type of a column of another length."""
    assert isinstance(column, Var) and isinstance(column.type, Array)
    return Array(column.type.dtype, (Dim.fresh(), *(column.type.shape or ())[1:]))
