"""What do inverses, solutions and determinants of stacks of small matrices stand for? Those of each in turn.

Part of the ``definitions``. NumPy calls LAPACK for each matrix, which takes longer than the work itself; and
what stays with NumPy ends a kernel: all that goes in and comes out is an array in memory. The loops are over
``enumerate``: those over a short ``range`` are written out, and only loops call what is for one matrix.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from typing import Any

import numpy as np

from ....rules.numpy.gather import refuse
from ....rules.numpy.linalg import cofactor
from ..numbers.small_matrices import MOST_ROWS


def _small(a, most):
    """Refuse what is no stack of small square matrices: also those of a length that is not known."""
    shape = np.shape(a)
    if np.ndim(a) < 3 or a.dtype.str[1:] not in ("f8", "c16") or shape[-1] != shape[-2] or shape[-1] > most:
        refuse("this call")


def det(a):
    _small(a, MOST_ROWS)
    out = np.empty(np.shape(a)[:-2], a.dtype)
    for i, matrix in enumerate(a):
        out[i] = np.linalg.det(matrix)
    return out


def inv(a):
    _small(a, MOST_ROWS)
    out = np.empty_like(a)
    for i, matrix in enumerate(a):
        out[i] = np.linalg.inv(matrix)
    return out


def solve(a, b):
    """Of as many right sides as matrices; which of them are vectors, their ranks say in NumPy 2."""
    _small(a, MOST_ROWS)
    if np.ndim(b) != np.ndim(a) or b.dtype != a.dtype or len(a) != len(b):
        refuse("this call")
    out = np.empty_like(b)
    for i, matrix in enumerate(a):
        out[i] = np.linalg.solve(matrix, b[i])
    return out


def cofactors(a):
    """Of more rows they are left to NumPy: near to singular matrices elimination is not accurate."""
    _small(a, 4)
    out = np.empty_like(a)
    for i, matrix in enumerate(a):
        out[i] = cofactor(matrix)
    return out


DEFINITIONS: dict[Any, Any] = {
    np.linalg.det: det,
    np.linalg.inv: inv,
    np.linalg.solve: solve,
    cofactor: cofactors,
}
