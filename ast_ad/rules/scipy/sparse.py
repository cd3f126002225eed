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
from scipy.sparse._index import IndexMixin
from scipy.sparse._lil import _lil_base
from scipy.sparse.linalg import spsolve

from .. import helpers
from ..helpers import add_at
from ..numpy.gather import refuse
from ..registry import vjp
from ..standing import stands_for


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


def stored(a: Any) -> Any:
    """The rows, the columns and the numbers of what a matrix stores."""
    if a.format == "csr":
        return majors(a.indptr), a.indices, a.data
    if a.format == "csc":
        return a.indices, majors(a.indptr), a.data
    if a.format == "coo":
        return a.coords[0], a.coords[1], a.data
    return refuse(f"a sparse matrix in the format {a.format}", "its places are not read", "use tocsr()")


def majors(starts: Any) -> Any:
    """The row, of a matrix stored by rows, in which each stored number is.

    >>> majors(np.array([0, 2, 2, 3]))
    array([0, 0, 2])
    """
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


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
