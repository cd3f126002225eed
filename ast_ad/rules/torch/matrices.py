"""How do the matrix functions that NumPy has not differentiate?

Index: matrix_exp logdet cholesky_solve cholesky_inverse solve_triangular.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..helpers import mT
from ..numpy.linalg import block_triangular, upper_right
from ..numpy.products import H
from ..registry import program, vjp

# ----- matrix functions -----

TERMS = 18  # of the exponential series, at a norm of 1/2: the rest is below 1e-22


def matrix_exp(a: Any) -> Any:
    """The exponential of each matrix, by scaling, a Taylor series and squaring.

    >>> matrix_exp(np.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    a = np.asarray(a)
    one = np.eye(a.shape[-1], dtype=a.dtype)
    size = float(np.max(np.sum(np.abs(a), axis=-2), initial=0))
    if not math.isfinite(size):
        return np.full_like(a, np.nan)
    halvings = max(0, math.ceil(math.log2(size)) + 1) if size > 0 else 0
    scaled = a / a.dtype.type(2.0**halvings)
    result = one + scaled * 0
    for k in range(TERMS, 0, -1):
        result = one + scaled @ result / k
    for _ in range(halvings):
        result = result @ result
    return result


@vjp(matrix_exp)
def matrix_exp_rule(g, ans, a):
    """The upper right block of ``exp([[h, g], [0, h]])``, with ``h = H(a)``: the derivative along ``g``."""
    return upper_right(matrix_exp(block_triangular(H(a), g)), a)


@program
def logdet(a: Any) -> Any:
    """The logarithm of the determinant of each matrix; NaN where that is negative.

    >>> float(logdet(np.eye(2)))
    0.0
    """
    sign, log = np.linalg.slogdet(a)
    return np.where(np.real(sign) < 0, np.nan, log)


@program
def cholesky_solve(b: Any, factor: Any, upper: bool = False) -> Any:
    """``x`` with ``a @ x = b`` where ``a = l @ H(l)``, ``l`` being ``factor`` (``upper``: its transpose).

    >>> cholesky_solve(np.ones((2, 1)), np.eye(2))
    array([[1.],
           [1.]])
    """
    lower = H(np.triu(factor)) if upper else np.tril(factor)
    return np.linalg.solve(H(lower), np.linalg.solve(lower, b))


@program
def cholesky_inverse(factor: Any, upper: bool = False) -> Any:
    """The inverse of ``l @ H(l)``, ``l`` being ``factor`` (``upper``: its transpose).

    >>> cholesky_inverse(np.eye(2))
    array([[1., 0.],
           [0., 1.]])
    """
    inverse = np.linalg.inv(H(np.triu(factor)) if upper else np.tril(factor))
    return H(inverse) @ inverse


@program
def solve_triangular(a: Any, b: Any, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    """``x`` with ``a @ x = b`` (not ``left``: ``x @ a = b``), of which only one triangle of ``a`` is read.

    >>> solve_triangular(np.array([[2.0, 9.0], [0.0, 1.0]]), np.array([[2.0], [0.0]]), False).ravel()
    array([1., 0.])
    """
    skip = 1 if unitriangular else 0
    triangle = np.triu(a, skip) if upper else np.tril(a, -skip)
    if unitriangular:
        triangle = triangle + np.eye(np.shape(a)[-1], dtype=bool)
    return np.linalg.solve(triangle, b) if left else mT(np.linalg.solve(mT(triangle), mT(b)))
