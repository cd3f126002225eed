"""What becomes of inverses, solutions and determinants? Within loops calls of LAPACK, or plain elimination.

NumPy does those outside of loops, and large ones.
"""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ....rules.numpy.linalg import cofactor, cofactor_bar
from ....rules.triangular import solve_triangular
from ...ir.ops import Lit, Op, Var
from ...ir.types import Scalar
from ..numbers import (
    factored_systems as systems,
    matrix_functions as large,
    small_matrices as small,
    tiny_matrices as tiny,
)
from ..numbers.scalars import NoForm
from .forms import filled_by, form_of, require_equal
from .loop_values import Memory, Value

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer


DOUBLE = (np.dtype(np.float64), np.dtype(np.complex128))
TINY: dict[tuple[Any, int], Any] = {
    (small.invert_small, 1): tiny.invert_one,
    (small.solve_small_vector, 1): tiny.solve_one_vector,
    (small.solve_small_matrix, 1): tiny.solve_one_matrix,
    (small.factor_small, 1): tiny.factor_one,
    (small.determinant_of_small, 1): tiny.determinant_of_one,
    (small.determinant_of_small, 2): tiny.determinant_of_two,
    (small.determinant_of_small, 3): tiny.determinant_of_three,
    (small.cofactors_of_small, 1): tiny.cofactor_of_one,
    (small.cofactors_of_small, 2): tiny.cofactors_of_two,
    (small.cofactors_of_small, 3): tiny.cofactors_of_three,
    (small.cofactors_of_small, 4): tiny.cofactors_of_four,
    (small.cofactor_bars_of_small, 1): tiny.cofactor_bars_of_one,
    (small.cofactor_bars_of_small, 2): tiny.cofactor_bars_of_two,
}
"""By the number of rows, what takes the place of a function of any number of them."""


def _matrix(s: Scalarizer, op: Op, position: int = 0, dtype: Any = None) -> Memory:
    """An argument in memory, where LAPACK finds it, its elements of this type (None: as they are)."""
    arg = op.args[position]
    value = s.array(arg)
    if op.kwargs or not s.depth:
        raise NoForm(f"`{op.fn.__name__}` of arrays")
    kind = np.dtype(dtype or value.type.dtype)
    if value.type.dtype not in DOUBLE or kind not in DOUBLE or not isinstance(arg, Var):
        raise NoForm(f"`{op.fn.__name__}` of other than double precision")
    return _contiguous(s, value, kind)


def _contiguous(s: Scalarizer, value: Value, kind: Any) -> Memory:
    if isinstance(value, Memory) and value.type.dtype == kind:
        return value
    memory = s.allocate(replace(value.type, dtype=kind), value.lengths)
    s.fill(memory, value)
    return memory


def _require_real(*matrices: Memory) -> None:
    if any(m.type.dtype != np.float64 for m in matrices):
        raise NoForm("this operation of complex matrices")


def _chosen(op: Op, matrix: Memory, of_small: Any, of_large: Any) -> Any:
    """Which function computes it: how small a matrix is, is known or not when it is compiled."""
    n = matrix.type.shape[0] if matrix.type.shape else None
    if isinstance(n, int) and (of_small, n) in TINY:
        return TINY[of_small, n]
    if isinstance(n, int) and n <= small.MOST_ROWS:
        return of_small
    if importlib.util.find_spec("scipy") is None:
        raise NoForm(f"`{op.fn.__name__}` of arrays")
    return of_large


def _square(s: Scalarizer, op: Op, dtype: Any = None) -> Memory:
    matrix = _matrix(s, op, 0, dtype)
    if matrix.rank != 2:
        raise NoForm(f"`{op.fn.__name__}` of stacks of matrices")
    require_equal(s, *matrix.lengths)
    return matrix


_OF_ONE: dict[Any, Any] = {
    np.linalg.inv: (small.invert_small, large.invert),
    np.linalg.cholesky: (small.factor_small, large.factor),
    cofactor: (small.cofactors_of_small, large.cofactors),
}
_SOLVE = {
    1: (small.solve_small_vector, large.solve_vector),
    2: (small.solve_small_matrix, large.solve_matrix),
}


@form_of(*_OF_ONE)
def _inverse(s: Scalarizer, op: Op) -> None:
    matrix = _square(s, op)
    filled_by(s, op, _chosen(op, matrix, *_OF_ONE[op.fn]), [matrix.var], [matrix.lengths])


@form_of(cofactor_bar)
def _cofactor_bar(s: Scalarizer, op: Op) -> None:
    g, matrix = _square(s, op), _matrix(s, op, 1)
    if matrix.rank != 2:
        raise NoForm("cofactors of stacks of matrices")
    _require_real(g, matrix)
    for one, other in zip(g.lengths, matrix.lengths, strict=True):
        require_equal(s, one, other)
    fn = _chosen(op, matrix, small.cofactor_bars_of_small, large.bars_of_cofactors)
    filled_by(s, op, fn, [g.var, matrix.var], [matrix.lengths])


@form_of(np.linalg.solve)
def _solve(s: Scalarizer, op: Op) -> None:
    dtype = getattr(op.out.type, "dtype", None)
    matrix, right = _square(s, op, dtype), _matrix(s, op, 1, dtype)
    if right.rank > 2:
        raise NoForm("`solve` of stacks of matrices")
    require_equal(s, matrix.lengths[0], right.lengths[0])
    fn = _chosen(op, matrix, *_SOLVE[right.rank])
    if fn is _SOLVE[right.rank][1]:
        _require_real(matrix)
    filled_by(s, op, fn, [matrix.var, right.var], [right.lengths])


_SUBSTITUTE = {1: systems.triangular_vector, 2: systems.triangular_matrix}


@form_of(solve_triangular)
def _solve_triangular(s: Scalarizer, op: Op) -> None:
    dtype = getattr(op.out.type, "dtype", None)
    matrix, right = _square(s, op, dtype), _matrix(s, op, 1, dtype)
    require_equal(s, matrix.lengths[0], right.lengths[0])
    given = matrix.var, right.var, Lit(systems.PLAIN), op.args[2], Lit(False)
    filled_by(s, op, _SUBSTITUTE[right.rank], given, [right.lengths])


@form_of(np.linalg.det)
def _determinant(s: Scalarizer, op: Op) -> None:
    matrix = _square(s, op)
    if not isinstance(op.out.type, Scalar):
        raise NoForm("determinants")
    s.flush()
    out = Var(op.out.type, op.out.hint)
    fn = _chosen(op, matrix, small.determinant_of_small, large.determinant)
    s.body.append(Op(fn, (matrix.var,), (out,), effect=True))
    s.env[op.out] = out


@form_of(np.linalg.slogdet)
def _log_determinant(s: Scalarizer, op: Op) -> None:
    matrix = _square(s, op)
    if not all(isinstance(out.type, Scalar) for out in op.outs):
        raise NoForm("determinants")
    s.flush()
    sign, log = (Var(out.type, out.hint) for out in op.outs)
    real = matrix.type.dtype == np.float64
    of_small = small.log_determinant_of_small if real else small.log_determinant_of_complex
    fn = _chosen(op, matrix, of_small, large.log_determinant)
    s.body.append(Op(fn, (matrix.var,), (sign, log), effect=True))
    s.env.update(zip(op.outs, (sign, log), strict=True))
