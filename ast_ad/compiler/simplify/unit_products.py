"""What is the product of a matrix with one of zeros and a single one? A row or a column of it.

``unit_product(op, makers) -> None``. A rule of ``peephole``. Where the columns of a Jacobian are computed in
turn, each direction is such a matrix, and the product with it, which has the dearest part of the work, is
written without a product. What is multiplied by a zero of the direction counts for nothing.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from ...rules import helpers
from ..frontend.builder import type_of_arg
from ..ir.dims import lower
from ..ir.ops import Arg, Lit, Op, Seq, Slice, Var
from ..ir.types import Array, Dim, Scalar, dtype_of, rank_of
from .patterns import Makers, change, is_number, maker_of

WHOLE = Slice(Lit(None), Lit(None), Lit(None))


class _Unit(NamedTuple):
    """A vector with a one in a place, or such a matrix of so many rows and columns, or its transpose."""

    place: Arg
    lengths: tuple[Arg, Arg] | None = None
    turned: bool = False


def unit_product(op: Op, makers: Makers) -> None:
    """Change a product of which one factor is all zeros but for a one."""
    if len(op.args) != 2 or op.kwargs or not isinstance(op.out.type, Array):
        return
    if any(dtype_of(type) != np.float64 for type in (op.out.type, *map(type_of_arg, op.args))):
        return
    for unit, other, change_to in zip(op.args, op.args[::-1], (_unit_first, _unit_last), strict=True):
        found = _unit(unit, makers)
        if found is not None and isinstance(other, Var) and rank_of(other.type) in (1, 2):
            change_to(op, found, other, makers)
            return


def _unit(arg: Arg, makers: Makers) -> _Unit | None:
    turned = maker_of(arg, makers, {np.transpose, helpers.mT})
    if turned is not None:
        inner = _unit(turned.args[0], makers) if len(turned.args) == 1 else None
        return inner and inner.lengths and inner._replace(turned=not inner.turned)
    shaped, lengths = maker_of(arg, makers, {np.reshape}), None
    if shaped is not None:
        told = shaped.args[1] if len(shaped.args) == 2 else None
        if not isinstance(told, Seq) or len(told.items) != 2 or any(map(_is_untold, told.items)):
            return None
        arg, lengths = shaped.args[0], (told.items[0], told.items[1])
    one = maker_of(arg, makers, {helpers.setitem})
    if one is None or not is_number(one.args[2], 1) or rank_of(one.out.type) != 1:
        return None
    place, index = one.args[1], type_of_arg(one.args[1])
    if maker_of(one.args[0], makers, {np.zeros}) is None or not isinstance(place, Var):
        return None
    if not isinstance(index, Scalar) or index.kind != "int" or not _is_not_negative(index.size):
        return None
    return _Unit(place, lengths)


def _is_not_negative(size: Any) -> bool:
    low = None if size is None else lower(size)
    return low is not None and low >= 0


def _is_untold(length: Arg) -> bool:
    return isinstance(length, Lit) and length.value < 0


def _unit_last(op: Op, unit: _Unit, left: Var, makers: Makers) -> None:
    """``left @ unit``: a column of ``left`` (or one of its numbers), where the one is."""
    vector = rank_of(left.type) == 1
    if unit.lengths is None:
        if not vector:
            change(op, operator.getitem, left, Seq((WHOLE, unit.place)))
        return
    row, column, _, columns = _placed(op, unit, makers)
    there = _there(op, columns, column, makers)
    if vector:
        picked = makers.before(op, operator.getitem, left, row, type=Scalar("float", np.dtype(float)))
    else:
        picked = _expanded(op, _picked(op, left, Seq((WHOLE, row)), 0, makers), makers)
    change(op, np.where, there, picked, Lit(0.0))


def _unit_first(op: Op, unit: _Unit, right: Var, makers: Makers) -> None:
    """``unit @ right``: a row of ``right`` (or one of its numbers), where the one is."""
    vector = rank_of(right.type) == 1
    if unit.lengths is None:
        if not vector:
            change(op, operator.getitem, right, unit.place)
        return
    row, column, rows, _ = _placed(op, unit, makers)
    there = _there(op, rows, row, makers)
    if vector:
        picked = makers.before(op, operator.getitem, right, column, type=Scalar("float", np.dtype(float)))
    else:
        there, picked = _expanded(op, there, makers), _picked(op, right, column, 1, makers)
    change(op, np.where, there, picked, Lit(0.0))


def _placed(op: Op, unit: _Unit, makers: Makers) -> tuple[Var, Var, Arg, Arg]:
    """The row and the column in which the one is, and how many there are."""
    assert unit.lengths is not None
    rows, columns = unit.lengths
    row = makers.before(op, operator.floordiv, unit.place, columns, type=Scalar("int"))
    column = makers.before(op, operator.mod, unit.place, columns, type=Scalar("int"))
    return (column, row, columns, rows) if unit.turned else (row, column, rows, columns)


def _there(op: Op, count: Arg, place: Var, makers: Makers) -> Var:
    """Which of so many places it is."""
    shape = (_size(count),)
    places = makers.before(op, np.arange, count, type=Array(np.dtype(int), shape))
    return makers.before(op, operator.eq, places, place, type=Array(np.dtype(bool), shape))


def _size(count: Arg) -> Any:
    """A length as the type of an array has it."""
    if isinstance(count, Lit):
        return count.value
    size = getattr(count.type, "size", None) if isinstance(count, Var) else None
    return Dim.fresh() if size is None else size


def _picked(op: Op, matrix: Var, index: Arg, axis: int, makers: Makers) -> Var:
    """A column or a row, which has that axis."""
    assert isinstance(matrix.type, Array) and matrix.type.shape is not None
    shape = (matrix.type.shape[axis],)
    return makers.before(op, operator.getitem, matrix, index, type=Array(matrix.type.dtype, shape))


def _expanded(op: Op, vector: Var, makers: Makers) -> Var:
    """A vector as the only column of a matrix."""
    assert isinstance(vector.type, Array) and vector.type.shape is not None
    type = Array(vector.type.dtype, (*vector.type.shape, 1))
    return makers.before(op, np.expand_dims, vector, Lit(1), type=type)
