"""What does each operation make of values along all unit vectors?

``RULES``: from an operation, linear in what depends on the seeds, to a function ``(columns, op) -> form``.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...rules import helpers
from ..frontend.builder import type_of_arg
from ..ir import builtin
from ..ir.ops import Arg, Lit, Op, Seq, Var, variables
from ..ir.types import Array, Scalar
from ..simplify.patterns import arg_key
from ..simplify.view_indices import is_basic_index, is_int, parts_of
from .unit_forms import ZERO, Columns, Form, NoForm, Rules, Terms, Unit, Zero, changed


# ----- arithmetic -------------------------------------------------------------------------------------------
def _same(columns: Columns, op: Op) -> Form:
    return columns.form(op.args[0])


def _as_number(columns: Columns, op: Op) -> Form:
    """One of NumPy's numbers of one of Python's: elements of arrays are NumPy's anyway."""
    form = columns.form(op.args[0])
    if isinstance(form, Terms):
        return changed(form, lambda factor: columns.builder.op(op.fn, factor))
    return form


def _negated(columns: Columns, op: Op) -> Form:
    form = columns.form(op.args[0])
    if isinstance(form, Terms):
        return changed(form, lambda factor: columns.builder.op(operator.neg, factor))
    if isinstance(form, Zero):
        return form
    return columns.builder.op(operator.neg, columns.dense(op.args[0]))  # type: ignore[no-any-return]


def _sum(columns: Columns, op: Op) -> Form:
    """Of two numbers, or of two values one of which may be an array."""
    a, b = map(columns.form, op.args)
    if isinstance(a, Terms) and isinstance(b, Terms) and isinstance(op.out.type, Scalar):
        return _merged(columns, op.fn, a, b)
    if isinstance(b, Terms) and b.parts and isinstance(op.out.type, Scalar):
        terms = changed(b, lambda f: columns.builder.op(operator.neg, f)) if op.fn in SUBTRACT else b
        return columns.added(columns.dense(op.args[0]), terms)
    if isinstance(a, Terms) and a.parts and isinstance(op.out.type, Scalar):
        row = columns.dense(op.args[1])
        return columns.added(columns.builder.op(operator.neg, row) if op.fn in SUBTRACT else row, a)
    first = _in_sum(columns, op.args[0], op.args[1], op.out)
    second = _in_sum(columns, op.args[1], op.args[0], op.out)
    if first is None or second is None:
        if second is None:
            return ZERO if first is None else first
        return columns.builder.op(operator.neg, second) if op.fn in SUBTRACT else second
    return columns.builder.op(op.fn, first, second)  # type: ignore[no-any-return]


def _in_sum(columns: Columns, arg: Arg, other: Arg, out: Var) -> Var | None:
    """The values of a summand; None for zeros beside which the other one has the shape of the sum."""
    if _is_nothing(columns.form(arg)):
        if isinstance(out.type, Scalar) or type_of_arg(other) == out.type:
            return None
    return columns.dense(arg)


def _merged(columns: Columns, fn: Any, a: Terms, b: Terms) -> Terms:
    """The sum, in which each element of the seed has one factor."""
    found = {arg_key(index): (index, factor) for index, factor in a.parts}
    for index, factor in b.parts:
        key = arg_key(index)
        if key in found:
            found[key] = (index, columns.builder.op(fn, found[key][1], factor))
        else:
            negative = fn in SUBTRACT
            found[key] = (index, columns.builder.op(operator.neg, factor) if negative else factor)
    return Terms(tuple(found.values()))


def _product(columns: Columns, op: Op) -> Form:
    """Of a value that depends on the seeds and one that does not; a quotient of such."""
    places = [i for i, arg in enumerate(op.args) if not columns.late.isdisjoint(variables(arg))]
    if len(op.args) != 2 or len(places) != 1 or op.fn in DIVIDE and places != [0]:
        raise NoForm
    (place,) = places
    form, args = columns.form(op.args[place]), list(op.args)
    if isinstance(form, Terms) and isinstance(op.out.type, Scalar):

        def change(factor: Arg) -> Arg:
            args[place] = factor
            return columns.builder.op(op.fn, *args)  # type: ignore[no-any-return]

        return changed(form, change)
    args[1 - place] = columns.spread(args[1 - place])
    args[place] = columns.dense(args[place])
    return columns.builder.op(op.fn, *args)  # type: ignore[no-any-return]


def _chosen(columns: Columns, op: Op) -> Form:
    """By a condition, of two values; what is not chosen counts for nothing."""
    if len(op.args) != 3 or not columns.late.isdisjoint(variables(op.args[0])):
        raise NoForm
    condition, *sides = op.args
    first, second = forms = [columns.form(side) for side in sides]
    if isinstance(op.out.type, Scalar) and isinstance(first, Terms) and isinstance(second, Terms):
        zero = Lit(0.0)
        kept = changed(first, lambda f: columns.builder.op(op.fn, condition, f, zero))
        others = changed(second, lambda f: columns.builder.op(op.fn, condition, zero, f))
        return _merged(columns, operator.add, kept, others)
    if all(map(_is_nothing, forms)):
        return ZERO
    dense = [
        Lit(0.0) if _is_nothing(form) else columns.dense(side)
        for side, form in zip(sides, forms, strict=True)
    ]
    return columns.builder.op(op.fn, columns.spread(condition), *dense)  # type: ignore[no-any-return]


# ----- arrays -----------------------------------------------------------------------------------------------
def _broadcast(columns: Columns, op: Op) -> Form:
    value, like = op.args
    form = columns.form(value)
    if _is_nothing(form):
        return ZERO
    if isinstance(like, Var) and like in columns.late:
        raise NoForm
    zeros = columns.zeros(columns.lengths(like))
    return columns.builder.op(operator.add, zeros, columns.dense(value))  # type: ignore[no-any-return]


def _reshaped(columns: Columns, op: Op) -> Form:
    """A number that stays one, or an array of known lengths."""
    form = columns.form(op.args[0])
    if isinstance(op.out.type, Scalar) and isinstance(type_of_arg(op.args[0]), Scalar):
        return form
    if isinstance(form, Zero):
        return Terms() if isinstance(op.out.type, Scalar) else form
    if len(op.args) != 2 or isinstance(op.out.type, Scalar):
        raise NoForm
    lengths = Seq((*columns.lengths(op.out), columns.count))
    return columns.builder.op(np.reshape, columns.dense(op.args[0]), lengths)  # type: ignore[no-any-return]


def _total(columns: Columns, op: Op) -> Form:
    """A sum over all axes, or along one."""
    axes = [*op.args[1:], *op.kwargs.values()]
    rank, form = _rank(op.args[0]), columns.form(op.args[0])
    if isinstance(form, Zero):
        return Terms() if isinstance(op.out.type, Scalar) else form
    if rank < 0 or len(axes) > 1 or not set(op.kwargs) <= {"axis"}:
        raise NoForm
    axis = axes[0].value if axes and isinstance(axes[0], Lit) else None if not axes else NoForm
    if axis is None:
        axis = tuple(range(rank))
    elif type(axis) is int:
        axis %= rank
    else:
        raise NoForm
    return columns.builder.op(op.fn, columns.dense(op.args[0]), axis=axis)  # type: ignore[no-any-return]


def _matrix_product(columns: Columns, op: Op) -> Form:
    """Of a vector that depends on the seeds, and a matrix or a vector that does not.

    Of a matrix that depends on them where directions are few: there the axis of directions is the last of a
    stack of matrices.
    """
    a, b = op.args
    late = [not columns.late.isdisjoint(variables(arg)) for arg in op.args]
    if columns.bounded and 2 in (_rank(a), _rank(b)) and max(_rank(a), _rank(b)) == 2:
        if late == [True, False] and _rank(a) == 2:
            return _of_stack(columns, b, a, op)
        if late == [False, True] and _rank(b) == 2:
            return _of_stack(columns, a, b, op, swapped=True)
    if late == [True, False] and _rank(a) == 1 and _rank(b) in (1, 2):
        a, b = columns.builder.op(np.transpose, b) if _rank(b) == 2 else b, a
    elif late != [False, True] or _rank(b) != 1 or _rank(a) not in (1, 2):
        raise NoForm
    form = columns.form(b)
    if isinstance(form, Zero):
        return Terms() if isinstance(op.out.type, Scalar) else ZERO
    if isinstance(form, Unit) and isinstance(a, Var):
        return a  # of the unit vectors the columns
    return columns.builder.op(operator.matmul, a, columns.dense(b))  # type: ignore[no-any-return]


def _of_stack(columns: Columns, other: Arg, matrix: Arg, op: Op, swapped: bool = False) -> Form:
    """The product of ``matrix``, which depends on the seeds, and one that does not, from the other side."""
    if isinstance(columns.form(matrix), Zero):
        return ZERO
    make, stack = columns.builder.op, columns.dense(matrix)
    if not swapped:
        other = make(np.transpose, other) if _rank(other) == 2 else other
        return make(np.matmul, other, stack)  # type: ignore[no-any-return]
    found = make(np.matmul, other, make(np.swapaxes, stack, Lit(0), Lit(1)))
    return make(np.swapaxes, found, Lit(0), Lit(1)) if _rank(other) == 2 else found  # type: ignore[no-any-return]


def _rearranged(columns: Columns, op: Op) -> Form:
    """A matrix transposed, or an array with one more axis, where directions are few."""
    form, rank = columns.form(op.args[0]), _rank(op.args[0])
    if isinstance(form, Zero):
        return form
    if not columns.bounded or rank < 1:
        raise NoForm
    array = columns.dense(op.args[0])
    if op.fn is np.expand_dims and isinstance(op.args[1], Lit) and type(op.args[1].value) is int:
        return columns.builder.op(np.expand_dims, array, Lit(op.args[1].value % (rank + 1)))  # type: ignore[no-any-return]
    if op.fn is np.transpose and len(op.args) == 1 and rank <= 2:
        return array if rank == 1 else columns.builder.op(np.swapaxes, array, Lit(0), Lit(1))
    raise NoForm


def _outer(columns: Columns, op: Op) -> Form:
    """Of two vectors, one of which depends on the seeds, where directions are few."""
    late = [not columns.late.isdisjoint(variables(arg)) for arg in op.args]
    if not columns.bounded or late.count(True) != 1 or len(late) != 2 or [*map(_rank, op.args)] != [1, 1]:
        raise NoForm
    place = late.index(True)
    if isinstance(columns.form(op.args[place]), Zero):
        return ZERO
    array = columns.builder.op(np.expand_dims, columns.dense(op.args[place]), Lit(1 - place))
    other = columns.spread(columns.builder.op(np.expand_dims, op.args[1 - place], Lit(place)))
    return columns.builder.op(operator.mul, array, other)  # type: ignore[no-any-return]


def _solution(columns: Columns, op: Op) -> Form:
    """Of a system whose matrix does not depend on the seeds: it is factored once for all directions."""
    a, b = op.args
    if not columns.late.isdisjoint(variables(a)) or _rank(a) != 2 or _rank(b) != 1:
        raise NoForm
    form = columns.form(b)
    return ZERO if isinstance(form, Zero) else columns.builder.op(op.fn, a, columns.dense(b))


# ----- elements ---------------------------------------------------------------------------------------------
def _basic(columns: Columns, index: Arg) -> Arg:
    """An index of ints and slices, which leaves the last axes alone, or one of all there is."""
    if _is_ellipsis(index):
        return index
    late = not columns.late.isdisjoint(variables(index))
    if late or not is_basic_index(index) or any(_is_ellipsis(part) for part in parts_of(index)):
        raise NoForm
    return index


def _is_ellipsis(part: Arg) -> bool:
    return isinstance(part, Lit) and part.value is Ellipsis


def _item(columns: Columns, op: Op) -> Form:
    form, index = columns.form(op.args[0]), _basic(columns, op.args[1])
    if isinstance(form, Zero):
        return Terms() if isinstance(op.out.type, Scalar) else form
    parts = parts_of(index)
    if isinstance(form, Unit) and len(parts) == 1 and is_int(parts[0]):
        return Terms(((parts[0], Lit(1.0)),))
    return columns.builder.op(operator.getitem, columns.dense(op.args[0]), index)  # type: ignore[no-any-return]


def _write(columns: Columns, op: Op) -> Form:
    """An element set, or added to: of a sum, those of its terms."""
    target, index, value = op.args
    _basic(columns, index)
    array, form = columns.dense(target), columns.form(value)
    if isinstance(form, (Zero, Terms)):
        if op.fn is helpers.setitem:
            array = columns.builder.opaque(helpers.setitem, (array, index, Lit(0.0)), array.type)
        whole = len(parts_of(index)) == _rank(target) and all(map(is_int, parts_of(index)))
        if isinstance(form, Zero) or not form.parts:
            return array
        if not whole:
            raise NoForm
        return columns.added(array, form, parts_of(index))
    return columns.builder.opaque(op.fn, (array, index, columns.dense(value)), array.type)


def _array(columns: Columns, op: Op) -> Form:
    """An array of numbers that are written out, or another one copied."""
    items, *options = op.args
    if options:
        raise NoForm
    if not isinstance(items, Seq):
        return columns.form(items)
    array = columns.zeros(columns.lengths(op.out))
    for at, item in _written_out(items):
        form = columns.form(item)
        if isinstance(form, Terms):
            array = columns.added(array, form, at)
        else:
            index = at[0] if len(at) == 1 else Seq(at)
            array = columns.builder.opaque(helpers.setitem, (array, index, columns.dense(item)), array.type)
    return array


def _written_out(items: Seq, at: tuple[Arg, ...] = ()) -> Iterator[tuple[tuple[Arg, ...], Arg]]:
    """The numbers of an array that is written out, with their places."""
    for i, item in enumerate(items.items):
        place = (*at, Lit(i))
        if isinstance(item, Seq):
            yield from _written_out(item, place)
        elif isinstance(type_of_arg(item), Scalar):
            yield place, item
        else:
            raise NoForm


def _is_nothing(form: Form) -> bool:
    return isinstance(form, Zero) or isinstance(form, Terms) and not form.parts


def _rank(arg: Arg) -> int:
    type = type_of_arg(arg)
    return len(type.shape) if isinstance(type, Array) and type.shape is not None else -1


def _zeros(columns: Columns, op: Op) -> Form:
    form = columns.form(op.args[0])
    if isinstance(form, (Var, Unit)):
        return columns.builder.op(np.zeros_like, columns.dense(op.args[0]))  # type: ignore[no-any-return]
    return Terms() if isinstance(op.out.type, Scalar) else ZERO


SUBTRACT = (operator.sub, np.subtract)
DIVIDE = (operator.truediv, np.divide)
RULES: Rules = {
    builtin.assign: _same,
    **dict.fromkeys((float, np.float64), _as_number),
    **dict.fromkeys((operator.neg, np.negative), _negated),
    **dict.fromkeys((operator.add, np.add, *SUBTRACT), _sum),
    **dict.fromkeys((operator.mul, np.multiply, *DIVIDE), _product),
    **dict.fromkeys((helpers.safe_product, helpers.exact_product), _product),
    np.where: _chosen,
    helpers.broadcast_like: _broadcast,
    np.reshape: _reshaped,
    np.sum: _total,
    **dict.fromkeys((operator.matmul, np.matmul, np.dot), _matrix_product),
    np.linalg.solve: _solution,
    **dict.fromkeys((np.transpose, np.expand_dims), _rearranged),
    np.outer: _outer,
    operator.getitem: _item,
    **dict.fromkeys((helpers.setitem, helpers.add_at), _write),
    np.zeros_like: _zeros,
    **dict.fromkeys((np.array, np.asarray, np.copy, builtin.copy, builtin.own), _array),
}
