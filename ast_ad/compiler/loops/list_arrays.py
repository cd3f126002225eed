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
from collections.abc import Collection, Sequence
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
    If,
    Lit,
    Op,
    Seq,
    Slice,
    Statement,
    Var,
    While,
    operands,
    variables,
)
from ..ir.types import Array, Scalar, dtype_of
from ..simplify.dead_code import eliminate_dead_code
from ..simplify.renaming import copy_function, renamed
from .kept_lists import EXTREMA, ROWS, Kind, Lists, of_two, takes_array
from .tape_places import FIRST_CAPACITY, INT

_PYTHON = {"float": float, "complex": complex}
_BOOL = Scalar("bool")
_FLAGS = np.dtype(bool)


class Rows(NamedTuple):
    """What a list has become: how many rows count, their values, and whether each is NumPy's, where told."""

    length: Arg
    columns: tuple[Arg, ...]

    @property
    def values(self) -> Arg:
        return self.columns[0]


def lists_as_arrays(function: Function, rows_like: Collection[Any] = ()) -> Function:
    """The same function with arrays for the lists that it keeps, as far as there are forms for what it does.

    Args:
        function: pure IR; it is left as it is.
        rows_like: functions of an array and a list that cut the array into rows like the list's elements.

    >>> lists_as_arrays(Function("nothing", (), Block([], (Lit(1),)))).body.results
    (1,)
    """
    found = Lists(function, rows_like)
    if not any(found.elements.values()):
        return function
    function = copy_function(function)
    _Conversion(Lists(function, rows_like)).block(function.body)
    eliminate_dead_code(function)
    return function


class _Conversion:
    """Rewrites blocks; ``rows``: what each list has become."""

    def __init__(self, lists: Lists) -> None:
        self.lists = lists
        self.rows: dict[Var, Rows] = {}
        self.params = list(lists.params)

    def block(self, block: Block) -> None:
        new: list[Statement] = []
        for op in block.ops:
            ops = Ops(new, op.span, op.adjoint)
            if isinstance(op, Op):
                held = (self.lists.of(v) for v in (*variables(*operands(op)), *op.outs))
                kind = next((k for k in held if k is not None), None)
                if kind is None:
                    new.append(op)
                else:
                    self.operation(op, kind, ops)
                continue
            if isinstance(op, If):
                for part in (op.then, op.orelse):
                    self.block(part)
                self.joined(op)
            else:
                self.loop(op, ops)
            new.append(op)
        block.ops = new

    # ----- statements
    def joined(self, op: If) -> None:
        outs: list[Var] = []
        for part in (op.then, op.orelse):
            ends = Ops(part.ops, op.span, op.adjoint)
            results: list[Arg] = []
            for out, result in zip(op.outs, part.results, strict=True):
                kind = self.lists.of(out)
                results += [result] if kind is None else self.carried(result, kind, ends)
            part.results = tuple(results)
        for out in op.outs:
            outs += self.named(out)
        op.outs = tuple(outs)

    def loop(self, op: For | While, ops: Ops) -> None:
        inits: list[Arg] = []
        for param, init in zip(op.params, op.inits, strict=True):
            kind = self.lists.of(param)
            inits += [init] if kind is None else self.carried(init, kind, ops)
        stops, carried = op.body.results[: op.stops], op.body.results[op.stops :]
        kinds = [self.lists.of(p) for p in op.params]
        op.params = tuple(v for p in op.params for v in self.named(p))
        op.inits = tuple(inits)
        if isinstance(op, While):
            self.block(op.cond)
        self.block(op.body)
        ends = Ops(op.body.ops, op.span, op.adjoint)
        results: list[Arg] = []
        for kind, result in zip(kinds, carried, strict=True):
            results += [result] if kind is None else self.carried(result, kind, ends)
        op.body.results = (*stops, *results)
        op.outs = tuple(v for out in op.outs for v in self.named(out))

    def named(self, var: Var) -> tuple[Var, ...]:
        """What stands for a value that a statement binds."""
        kind = self.lists.of(var)
        if kind is None:
            return (var,)
        count, columns = Var(INT, "count"), tuple(Var(type, var.hint) for type in _types_of(kind))
        self.rows[var] = Rows(count, columns)
        return (*columns, count)

    def carried(self, arg: Arg, kind: Kind, ops: Ops) -> tuple[Arg, ...]:
        """What a statement hands on of a list, as ``named`` has it."""
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
            column = ops.op(np.empty, (Seq(shape), Lit(type.dtype)), type, "items")
            for k, part in enumerate(parts):
                column = ops.op(helpers.setitem, (column, Lit(k), part[i]), type, "items")
            columns.append(column)
        return Rows(Lit(len(items)), tuple(columns))

    def parts(self, item: Arg, kind: Kind, ops: Ops) -> tuple[Arg, ...]:
        """What of an element goes into each column."""
        if len(_types_of(kind)) == 1:
            return (item,)
        if isinstance(item, Var) and is_mixed(item.type):
            return item, ops.op(is_numpys, (item,), _BOOL)
        numpys = isinstance(item, Var) and getattr(item.type, "dtype", None) is not None
        return (Lit(float(item.value)) if isinstance(item, Lit) else item), Lit(numpys)

    def operation(self, op: Op, kind: Kind, ops: Ops) -> None:
        fn, args = op.fn, op.args
        if fn is builtin.make_list:
            self.rows[op.out] = self.made(args, kind, ops)
            return
        rows = self.rows[next(a for a in args if isinstance(a, Var) and self.lists.of(a))]
        if fn is containers.list_append:
            self.rows[op.out] = self.appended(rows, self.parts(args[1], kind, ops), ops)
        elif fn is containers.list_zeros_like:
            zeros = ops.op(np.zeros_like, (rows.values,), _type(rows.values))
            self.rows[op.out] = Rows(rows.length, (zeros, *rows.columns[1:]))
        elif fn in self.lists.rows_like:
            self.rows[op.out] = Rows(rows.length, (args[0], *rows.columns[1:]))
        elif fn is containers.list_add_at:
            place = _from_start(args[1], rows.length, ops)
            sums = ops.op(helpers.add_at, (rows.values, place, args[2]), _type(rows.values))
            self.rows[op.out] = Rows(rows.length, (sums, *rows.columns[1:]))
        elif fn is containers.list_set:
            self.require_element(rows, args[1], kind, ops)
            place = _from_start(args[1], rows.length, ops)
            self.rows[op.out] = Rows(
                rows.length, _set(rows.columns, place, self.parts(args[2], kind, ops), ops)
            )
        elif fn is containers.list_pop:
            rest, item = op.outs
            if not op.adjoint:  # one that the program itself pops may be empty
                self.require_element(rows, Lit(-1), kind, ops)
            self.rows[rest] = Rows(ops.integer(operator.sub, rows.length, Lit(1)), rows.columns)
            self.read(item, rows, Lit(-1), ops)
        elif fn is containers.list_reverse:
            self.rows[op.out] = _part(rows, (Lit(None), Lit(None), Lit(-1)), ops)._replace(length=rows.length)
        elif fn is containers.list_slice:
            self.rows[op.out] = _part(rows, args[1:], ops)
        elif fn is containers.list_fill:
            zeros = ops.op(np.zeros_like, (rows.values,), _type(rows.values))
            filled = ops.op(operator.add, (zeros, args[1]), _type(rows.values))
            self.rows[op.out] = Rows(rows.length, (filled, *rows.columns[1:]))
        elif fn in (containers.list_concat, containers.list_add):
            self.rows[op.out] = _of_two_lists(fn, [self.rows[a] for a in args if isinstance(a, Var)], ops)
        elif fn is containers.list_set_slice:
            values = _those(rows, rows.values, ops)
            new = _those(self.rows[args[4]], self.rows[args[4]].values, ops)  # type: ignore[index]
            changed = ops.op(helpers.setitem, (values, Slice(*args[1:4]), new), _type(values))
            self.rows[op.out] = Rows(rows.length, (changed, *rows.columns[1:]))
        elif fn is builtins.sum or fn in EXTREMA:
            self.folded(op, rows, kind, ops)
        elif fn is containers.list_get:
            self.read(op.out, rows, args[1], ops)
        elif fn in ROWS:
            self.all_rows(op, rows, kind, ops)
        elif takes_array(op):
            held = {v: self.rows[v] for v in variables(*args) if self.lists.of(v)}
            arrays = {v: _those(rows, rows.values, ops) for v, rows in held.items()}
            given = tuple(renamed(a, arrays) for a in args)
            ops.ops.append(Op(fn, given, op.outs, op.kwargs, op.span, op.effect, op.adjoint))
        else:
            ops.ops.append(Op(builtin.assign, (rows.length,), op.outs, {}, op.span, adjoint=op.adjoint))

    def appended(self, rows: Rows, parts: tuple[Arg, ...], ops: Ops) -> Rows:
        """The list with one more element."""
        end = ops.integer(operator.add, rows.length, Lit(1))
        room = [ops.op(helpers.reserve, (column, end), _type(column), "items") for column in rows.columns]
        return Rows(end, _set(room, rows.length, parts, ops))

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
                ops.ops.append(Op(_PYTHON[type.kind], (found,), (out,), **ends))
        else:
            found = ops.op(operator.getitem, (those, place), type)
            ops.ops.append(Op(np.copy, (found,), (out,), **ends))

    def folded(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> None:
        """The sum or an extremum, as a loop over the elements like Python's own.

        What the sum of no elements is, an int, can be told beside NumPy's numbers only; all else begins with
        the first element, and takes for granted that there is one.
        """
        begins = op.fn is not builtins.sum or getattr(kind, "dtype", None) is None
        start: Arg = op.args[1] if len(op.args) > 1 else Lit(0)
        type = kind if begins and len(op.args) == 1 else op.out.type
        first = start
        if begins:
            first = Var(kind)
            self.read(first, rows, Lit(0), ops)
            if len(op.args) > 1:
                first = ops.op(operator.add, (start, first), type)
        total, item, i, turn = (
            Var(type, "total"),
            Var(kind, "item"),
            Var(INT, "i"),
            Ops([], op.span, op.adjoint),
        )
        self.read(item, rows, i, turn)
        step = operator.add if op.fn is builtins.sum else op.fn
        result = turn.op(step, (total, item), type if begins else kind)
        op.out.type = type
        bounds, body = (Lit(int(begins)), rows.length, Lit(1)), Block(turn.ops, (result,))
        ends: dict[str, Any] = {"span": op.span, "adjoint": op.adjoint}
        ops.ops.append(For(i, bounds, (), (total,), (first,), body, op.outs, **ends))

    def all_rows(self, op: Op, rows: Rows, kind: Kind, ops: Ops) -> None:
        """The array of all elements; of arrays there has to be one, as an empty list has not their axes."""
        count = rows.length
        if isinstance(kind, Array) or op.fn is np.stack:
            one = ops.op(operator.floordiv, (count, count), INT)  # which raises for zero
            count = ops.op(operator.mul, (count, one), INT)
        those = _those(rows._replace(length=count), rows.values, ops)
        ops.ops.append(Op(np.copy, (those,), op.outs, {}, op.span, adjoint=op.adjoint))


def _those(rows: Rows, column: Arg, ops: Ops) -> Var:
    """The rows of a column that count."""
    return ops.op(operator.getitem, (column, Slice(Lit(None), rows.length, Lit(None))), _type(column))


def _set(columns: Sequence[Arg], place: Arg, parts: Sequence[Arg], ops: Ops) -> tuple[Arg, ...]:
    """The columns with another element at a place."""
    pairs = zip(columns, parts, strict=True)
    return tuple(ops.op(helpers.setitem, (c, place, part), _type(c), "items") for c, part in pairs)


def _part(rows: Rows, bounds: Sequence[Arg], ops: Ops) -> Rows:
    """A slice of a list: rows of its own, all of which count."""
    cut = [
        ops.op(operator.getitem, (_those(rows, column, ops), Slice(*bounds)), _type(column))
        for column in rows.columns
    ]
    copied = tuple(ops.op(np.copy, (found,), found.type, "items") for found in cut)
    return Rows(ops.op(len, (copied[0],), INT, "count"), copied)


def _of_two_lists(fn: Any, lists: Sequence[Rows], ops: Ops) -> Rows:
    """One list behind another, or the sum of two cotangents, of which as many count."""
    a, b = lists
    if fn is containers.list_add:
        both = _those(a, a.values, ops), _those(b, b.values, ops)
        return Rows(a.length, (ops.op(operator.add, both, _type(a.values), "items"), *a.columns[1:]))
    joined = []
    for one, other in zip(a.columns, b.columns, strict=True):
        both = _those(a, one, ops), _those(b, other, ops)
        joined.append(ops.op(np.concatenate, (Seq(both, list),), _type(one), "items"))
    return Rows(ops.integer(operator.add, a.length, b.length), tuple(joined))


def _from_start(place: Arg, count: Arg, ops: Ops) -> Arg:
    """The place of an element that there is, counted from the first."""
    if isinstance(place, Lit) and place.value < 0:
        return ops.integer(operator.add, count, place)
    return place if _is_counter(place) else ops.op(operator.mod, (place, count), INT)


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
