"""How do diagonals, triangles and traces of matrices pass a cotangent back?"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..helpers import unbroadcast
from ..registry import composite, nondifferentiable, vjp
from .gather import nowhere, positions, scatter_to


@vjp(np.tril)
def tril(g, ans, m, k=0):
    return unbroadcast(np.tril(g, k), m)


@vjp(np.triu)
def triu(g, ans, m, k=0):
    return unbroadcast(np.triu(g, k), m)


@vjp(np.diag, view=True)
def diag(g, ans, v, k=0):
    if np.ndim(v) == 1:
        return np.diag(g, k)
    return on_diagonal(g, v, k)


@vjp(np.diagonal, view=True)
def diagonal(g, ans, a, offset=0, axis1=0, axis2=1):
    return on_diagonal(g, a, offset, axis1, axis2)


@vjp(np.linalg.diagonal, view=True)
def linalg_diagonal(g, ans, x, offset=0):
    return on_diagonal(g, x, offset, -2, -1)


def on_diagonal(g: Any, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """``g`` on the diagonals of zeros of the shape of ``x``; of a number on all of it. Reads the shape only.

    >>> on_diagonal(np.array([1.0, 2.0]), np.zeros((2, 3)), 1)
    array([[0., 1., 0.],
           [0., 0., 2.]])
    """
    out = np.zeros(np.shape(x), np.result_type(g))
    planes = np.moveaxis(out, (axis1, axis2), (-2, -1))
    offset = int(offset)  # it may be an integer without a sign
    rows, columns = np.shape(planes)[-2:]
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    places = np.arange(count)
    planes[..., places + max(-offset, 0), places + max(offset, 0)] = g
    return out


@vjp(on_diagonal)
def on_diagonal_rule(g, ans, v, x, offset=0, axis1=0, axis2=1):
    return unbroadcast(np.diagonal(g, offset, axis1, axis2), v), None, None, None, None


@composite(np.diagflat)
def diagflat(v, k=0):
    return np.diag(np.ravel(v), k)


@vjp(np.trace)
def trace(g, ans, a, offset=0, axis1=0, axis2=1):
    return on_diagonal(np.expand_dims(g, -1), a, offset, axis1, axis2)


@vjp(np.linalg.trace)
def linalg_trace(g, ans, x, offset=0):
    return on_diagonal(np.expand_dims(g, -1), x, offset, -2, -1)


def with_diagonal(a: Any, val: Any, wrap: bool = False) -> Any:
    """A copy of ``a`` after ``np.fill_diagonal(a, val, wrap)``.

    >>> with_diagonal(np.zeros((2, 2)), [1.0, 2.0])
    array([[1., 0.],
           [0., 2.]])
    """
    out = np.array(a)
    np.fill_diagonal(out, val, wrap)
    return out


@vjp(with_diagonal)
def with_diagonal_rule(g, ans, a, val, wrap=False):
    places = with_diagonal(nowhere(a), positions(val), wrap)
    return with_diagonal(g, 0, wrap), scatter_to(val, places, g)


nondifferentiable(
    np.diag_indices,
    np.diag_indices_from,
    np.tril_indices,
    np.tril_indices_from,
    np.triu_indices,
    np.triu_indices_from,
)
helpers.SHAPED_LIKE[with_diagonal] = 0, (0,)
helpers.SHAPED_LIKE[on_diagonal] = 1, (0,)
helpers.METADATA[on_diagonal] = 1
helpers.IN_PLACE[np.fill_diagonal] = with_diagonal
