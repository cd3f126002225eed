"""What becomes of inverses, solutions and determinants? Calls of LAPACK within loops; NumPy does others."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np

from ....rules.numpy.linalg import cofactor
from ...ir.ops import Op, Var
from ...ir.types import Array, Scalar
from ..numbers import matrix_functions
from ..numbers.scalars import NoForm
from .forms import form_of, require_equal
from .loop_values import Memory, Value

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer


def _matrix(s: Scalarizer, op: Op, position: int = 0) -> Memory:
    """An argument in memory, where LAPACK finds it."""
    arg = op.args[position]
    value = s.array(arg)
    if op.kwargs or not s.depth or importlib.util.find_spec("scipy") is None:
        raise NoForm(f"`{op.fn.__name__}` of arrays")
    if value.type.dtype != np.float64 or not isinstance(arg, Var):
        raise NoForm(f"`{op.fn.__name__}` of other than double precision")
    return _contiguous(s, value, arg)


def _contiguous(s: Scalarizer, value: Value, arg: Var) -> Memory:
    if isinstance(value, Memory):
        return value
    memory = s.allocate(value.type, value.lengths)
    s.fill(memory, value)
    return memory


def _square(s: Scalarizer, op: Op) -> Memory:
    matrix = _matrix(s, op)
    if matrix.rank != 2:
        raise NoForm(f"`{op.fn.__name__}` of stacks of matrices")
    require_equal(s, *matrix.lengths)
    return matrix


def _call(s: Scalarizer, op: Op, fn: Any, inputs: list[Memory], like: Memory) -> None:
    if not isinstance(op.out.type, Array):
        raise NoForm(f"`{op.fn.__name__}` of arrays")
    out = s.allocate(op.out.type, like.lengths, op.out.hint, op.out)
    s.flush()
    s.body.append(Op(fn, (*(i.var for i in inputs), out.var), (), effect=True))
    s.body.known.clear()
    s.bind(op.out, out)


@form_of(np.linalg.inv, np.linalg.cholesky, cofactor)
def _inverse(s: Scalarizer, op: Op) -> None:
    fn = {np.linalg.inv: matrix_functions.invert, np.linalg.cholesky: matrix_functions.factor}
    matrix = _square(s, op)
    _call(s, op, fn.get(op.fn, matrix_functions.cofactors), [matrix], matrix)


@form_of(np.linalg.solve)
def _solve(s: Scalarizer, op: Op) -> None:
    matrix, right = _square(s, op), _matrix(s, op, 1)
    if right.rank > 2:
        raise NoForm("`solve` of stacks of matrices")
    require_equal(s, matrix.lengths[0], right.lengths[0])
    fn = matrix_functions.solve_vector if right.rank == 1 else matrix_functions.solve_matrix
    _call(s, op, fn, [matrix, right], right)


@form_of(np.linalg.det)
def _determinant(s: Scalarizer, op: Op) -> None:
    matrix = _square(s, op)
    if not isinstance(op.out.type, Scalar):
        raise NoForm("determinants")
    s.flush()
    out = Var(op.out.type, op.out.hint)
    s.body.append(Op(matrix_functions.determinant, (matrix.var,), (out,), effect=True))
    s.env[op.out] = out
