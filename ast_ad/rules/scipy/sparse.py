"""How do products with sparse matrices, and sparse linear systems, depend on what is stored?

The matrices come from outside of what is differentiated, or hold constants. Which places they store, and what
stands there, is read when the program runs. Read by the registry once the user's program has imported
``scipy.sparse``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix
from scipy.sparse._base import _spbase
from scipy.sparse._dia import _dia_base
from scipy.sparse._index import IndexMixin
from scipy.sparse._lil import _lil_base
from scipy.sparse.linalg import SuperLU, factorized, splu, spsolve

from ...errors import AdError
from .. import helpers
from ..helpers import add_at
from ..numpy.gather import refuse
from ..registry import vjp
from ..standing import stands_always_for, stands_for
from .sparse_formats import majors, stored


@stands_for(IndexMixin.__setitem__, _lil_base.__setitem__, copies=True)
def set_item(self: Any, key: Any, x: Any) -> None:
    refuse("a store into a sparse matrix", "what it stores is no part of the program", "make it of arrays")


@stands_for(_spbase._matmul_dispatch)
def product(self: Any, other: Any) -> Any:
    """``self @ other`` for an array: each stored number times the row of ``other`` that it meets."""
    lengths = self._shape
    if hasattr(other, "format"):
        return self._matmul_sparse(other)
    if np.ndim(other) == 0:
        return self._mul_scalar(other)
    if np.ndim(other) > 2 or len(lengths) != 2:
        refuse("a product of other than a sparse matrix with vectors", "there is no rule for it")
    x = np.asarray(other)
    if x.shape[0] != lengths[1]:
        raise ValueError(f"matmul: dimension mismatch of {lengths} and {x.shape}")
    rows, columns, numbers = stored(self)
    terms = (numbers if x.ndim == 1 else numbers[:, None]) * x[columns]
    return add_at(np.zeros((lengths[0], *x.shape[1:]), np.result_type(numbers, x)), rows, terms)


SUM = _spbase.sum, _dia_base.sum  # out of sight of traces, in which the name means the program below


@stands_for(_spbase.sum, _dia_base.sum)
def total(self: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """The sum of all is a number, of whatever class the array would be that has less axes."""
    if axis is None and out is None and self.format in ("csr", "csc", "coo", "dia"):
        return np.sum(self.tocsr().data if self.format == "dia" else self.data, dtype=dtype)
    return SUM[self.format == "dia"](self, axis, dtype, out)


# ----- linear systems -----


@stands_for(spsolve)
def solution(A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    """A matrix of one column has a vector as its solution."""
    if A.format not in ("csr", "csc") or permc_spec is not None:
        refuse("scipy.sparse.linalg.spsolve with these arguments", fix="use tocsc(), and no permc_spec")
    x = np.asarray(b)
    right = x[:, 0] if x.ndim == 2 and x.shape[1] == 1 else x
    return sparse_solve(A.data, A.indices, A.indptr, right, A.format == "csr")


def sparse_solve(numbers: Any, indices: Any, starts: Any, b: Any, by_rows: bool) -> Any:
    """``x`` with ``a @ x = b``, of a matrix stored by rows or by columns.

    >>> sparse_solve(np.array([2.0, 4.0]), np.array([1, 0]), np.array([0, 1, 2]), np.array([6.0, 8.0]), True)
    array([2., 3.])
    """
    n = len(starts) - 1
    a = (csr_matrix if by_rows else csc_matrix)((numbers, indices, starts), shape=(n, n))
    return np.reshape(spsolve(a, b), np.shape(b))


@vjp(sparse_solve)
def sparse_solve_rule(g, ans, numbers, indices, starts, b, by_rows):
    """The transposed matrix has the same arrays, read the other way."""
    b_bar = sparse_solve(np.conj(numbers), indices, starts, g, not by_rows)
    major = majors(starts)
    rows, columns = (major, indices) if by_rows else (indices, major)
    products = b_bar[rows] * np.conj(ans[columns])
    return -(products if np.ndim(b) == 1 else np.sum(products, axis=1)), None, None, b_bar, None


helpers.SHAPED_LIKE[sparse_solve] = 3, (0, 3)


PLAIN = (splu,)  # out of sight of traces, in which the name means the program below


class Kept:
    """The factors of a matrix, and its numbers: the first system that is solved with these makes them."""

    made: Any = None
    numbers: Any = None

    def __init__(self, options: Any = ()) -> None:
        self.options = options


class Factors:
    """What ``splu`` returns, as far as it solves systems."""

    def __init__(self, A: Any, options: Any = ()) -> None:
        self.matrix, self.shape, self.kept = A, A.shape, Kept(options)

    def solve(self, rhs: Any, trans: Any = "N") -> Any:
        A = self.matrix
        return solve_by_factors(A.data, A.indices, A.indptr, rhs, trans, self.kept)

    def __getattr__(self, name: str) -> Any:
        if name not in ("L", "U", "perm_c", "perm_r", "nnz"):
            raise AttributeError(name)
        A = self.matrix
        try:
            numbers = np.asarray(A.data)
        except AdError:  # no constants
            refuse(f"`.{name}` of splu(A)", "it is computed in compiled code", "use scipy.linalg.lu")
        made = PLAIN[0](csc_matrix((numbers, A.indices, A.indptr), shape=A.shape), *self.kept.options)
        return getattr(made, name)


@stands_always_for(Factors.solve)
def solved(self: Any, rhs: Any, trans: Any = "N") -> Any:
    A = self.matrix
    return solve_by_factors(A.data, A.indices, A.indptr, np.asarray(rhs), trans, self.kept)


@stands_always_for(splu)
def factors(
    A: Any,
    permc_spec: Any = None,
    diag_pivot_thresh: Any = None,
    relax: Any = None,
    panel_size: Any = None,
    options: Any = None,
) -> Any:
    return Factors(A.tocsc(), (permc_spec, diag_pivot_thresh, relax, panel_size, options))


@stands_always_for(factorized)
def solver(A: Any) -> Any:
    return Factors(A.tocsc()).solve


@stands_for(SuperLU.solve)
def solved_outside(self: Any, rhs: Any, trans: Any = "N") -> Any:
    """The factors were made outside of what is differentiated, and are constants."""
    return solve_outside(self, np.asarray(rhs), trans)


def solve_outside(factors: Any, b: Any, trans: str) -> Any:
    """``factors.solve(b, trans)``."""
    return factors.solve(b, trans)


@vjp(solve_outside)
def solve_outside_rule(g, ans, factors, b, trans):
    """The system is solved with the same factors, transposed."""
    if trans == "T":
        return None, np.conj(solve_outside(factors, np.conj(g), "N")), None
    return None, solve_outside(factors, g, "N" if trans == "H" else "H"), None


helpers.SHAPED_LIKE[solve_outside] = 1, (1,)


def solve_by_factors(numbers: Any, indices: Any, starts: Any, b: Any, trans: str, kept: Kept) -> Any:
    """``x`` with ``a @ x = b``, of a matrix stored by columns; ``trans``: of what is transposed."""
    if kept.made is None or not np.array_equal(kept.numbers, numbers):
        n, kept.numbers = len(starts) - 1, np.array(numbers)
        kept.made = PLAIN[0](csc_matrix((numbers, indices, starts), shape=(n, n)), *kept.options)
    return kept.made.solve(np.asarray(b, np.result_type(b, numbers)), trans)


@vjp(solve_by_factors)
def solve_by_factors_rule(g, ans, numbers, indices, starts, b, trans, kept):
    """The transposed system has the same factors."""
    if trans == "T":
        b_bar = np.conj(solve_by_factors(numbers, indices, starts, np.conj(g), "N", kept))
    else:
        b_bar = solve_by_factors(numbers, indices, starts, g, "N" if trans == "H" else "H", kept)
    rows, columns = (indices, majors(starts)) if trans == "N" else (majors(starts), indices)
    products = b_bar[rows] * np.conj(ans[columns])
    bar = -(products if np.ndim(b) == 1 else np.sum(products, axis=1))
    return np.conj(bar) if trans == "H" else bar, None, None, b_bar, None, None


helpers.SHAPED_LIKE[solve_by_factors] = 3, (0, 3)
