"""What becomes of products of a matrix with a few rows or columns, within a loop? Sums in loops.

``thin_product(s, op, a, b) -> bool``. In ``products``, before BLAS: a call takes longer than the sums, and
its factors would have to be memory of their own. Each pass over the larger factor runs along its rows as
they are in memory.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...ir.ops import Arg, Lit, Op, Var
from ...ir.types import Array, Scalar
from ..nests.affine_indices import Index
from ..nests.body import Body
from .loop_values import Formula, Mapped, Value
from .reductions import sum_lines
from .view_order import runs_down

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

Place = tuple[Index, ...]
THIN = 4
"""Rows or columns of the smaller factor."""


def thin_product(s: Scalarizer, op: Op, a: Value, b: Value) -> bool:
    """Write ``a @ b`` where one of the two has only a few rows, or columns; whether it has."""
    if a.type.dtype != np.float64 or b.type.dtype != np.float64 or not isinstance(op.out.type, Array):
        return False
    if not (_is_few(a.lengths[0]) or _is_few(b.lengths[1])):
        return False
    left, right = _kept(s, a, op.args[0]), _kept(s, b, op.args[1])
    by_columns = not _is_few(b.lengths[1])  # the larger factor is the right one
    runs = runs_down(right) if by_columns else not runs_down(left)
    _sum(s, op.out, left, right, by_columns, runs)
    return True


def _is_few(length: Arg) -> bool:
    return isinstance(length, Lit) and 0 < length.value <= THIN


def _kept(s: Scalarizer, value: Value, arg: Arg) -> Value:
    """A factor; as memory if it is computed, as each element is read more than once."""
    return s.in_memory(arg) if value.cost > 1 and isinstance(arg, Var) else value


def _sum(s: Scalarizer, out: Var, a: Value, b: Value, by_columns: bool, rows: bool) -> None:
    """One product with a vector for each of the few rows or columns: they share their loops.

    ``rows``: whether each sum runs along a row of the larger factor, and not over its rows.
    """
    assert isinstance(out.type, Array)
    shape = out.type.shape or ()
    few, many = (a.lengths[0], b.lengths[1]) if by_columns else (b.lengths[1], a.lengths[0])
    memory = s.allocate(
        Array(out.type.dtype, shape if by_columns else shape[::-1]), (few, many), out.hint, out
    )
    if not rows:
        s.fill(memory, Lit(0.0))
    assert isinstance(few, Lit)
    for line in range(few.value):
        sum_lines(s, memory, _products(a, b, line, by_columns, rows), _on(line), rows)
    whole = memory if by_columns else Mapped(out.type, (many, few), memory, lambda p: p[::-1])
    s.bind(out, whole)


def _on(line: int) -> Callable[[Place], Place]:
    return lambda place: (Index(None, 0, line), *place)


def _products(a: Value, b: Value, line: int, by_columns: bool, rows: bool) -> Value:
    """The products whose sums are one line of the result: with the place in the line, and the sum's."""
    at = Index(None, 0, line)
    count, many = (a.lengths[1], b.lengths[1]) if by_columns else (a.lengths[1], a.lengths[0])
    dims = (a.type.shape or ())[1], (b.type.shape or ())[1] if by_columns else (a.type.shape or ())[0]
    lengths, shape = ((many, count), dims[::-1]) if rows else ((count, many), dims)
    number = Scalar(a.type.kind, a.type.dtype)

    def element(body: Body, place: Place) -> Arg:
        there, k = place if rows else place[::-1]
        row, column = (at, there) if by_columns else (there, at)
        return body.op(operator.mul, a.element(body, (row, k)), b.element(body, (k, column)), type=number)

    return Formula(Array(a.type.dtype, shape), lengths, [a, b], element)
