"""How do products of vectors and matrices pass a cotangent back to their factors?

Where both factors may be stacked, the cotangents have the broadcast shape and are summed back centrally.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..helpers import mT, unbroadcast
from ..registry import vjp
from .contractions import tensordot_left, tensordot_right


def conjugate(a: Any) -> Any:
    """``np.conj(a)``, which would copy what is real.

    >>> conjugate(np.array([1j]))
    array([0.-1.j])
    """
    return np.conj(a) if np.iscomplexobj(a) else a


def H(a: Any) -> Any:
    """The conjugate transpose of each matrix in ``a``."""
    return np.conj(mT(a)) if np.iscomplexobj(a) else mT(a)


def column(x: Any) -> Any:
    """Each vector in ``x`` as a matrix of one column."""
    return np.expand_dims(x, -1)


def row(x: Any) -> Any:
    """Each vector in ``x`` as a matrix of one row."""
    return np.expand_dims(x, -2)


def rows(x: Any) -> Any:
    """The vectors along the last axis of ``x`` as the rows of one matrix.

    >>> rows(np.zeros((2, 3, 4))).shape
    (6, 4)
    """
    *stack, length = np.shape(x)
    count = 1
    for n in stack:
        count = count * n
    return np.reshape(x, (count, length))


# ----- matmul and its relatives -----


@vjp(np.matmul, operator.matmul, broadcasts=True)
def matmul(g, ans, x1, x2):
    if np.ndim(x1) == 1 and np.ndim(x2) == 1:
        return g * np.conj(x2), g * np.conj(x1)
    if np.ndim(x1) == 1 and np.ndim(x2) == 2:
        return np.conj(x2) @ g, np.outer(np.conj(x1), g)
    if np.ndim(x1) == 1:  # (k), (..., k, n) -> (..., n)
        return np.sum(np.conj(x2) * row(g), axis=-1), column(np.conj(x1)) * row(g)
    if np.ndim(x2) == 1 and np.ndim(x1) == 2:
        return np.outer(g, np.conj(x2)), H(x1) @ g
    if np.ndim(x2) == 1:  # (..., m, k), (k) -> (..., m)
        return column(g) * np.conj(x2), np.sum(np.conj(x1) * column(g), axis=-2)
    if np.ndim(x2) == 2 and np.ndim(x1) > 2:  # one product for the whole stack, of which x2 has the sum
        return np.reshape(rows(g) @ H(x2), np.shape(x1)), H(rows(x1)) @ rows(g)
    return g @ H(x2), H(x1) @ g


@vjp(np.linalg.matmul, broadcasts=True)
def linalg_matmul(g, ans, x1, x2):
    return matmul(g, ans, x1, x2)


@vjp(np.matvec, broadcasts=True)
def matvec(g, ans, x1, x2):
    return column(g) * row(np.conj(x2)), np.matvec(H(x1), g)


@vjp(np.vecmat, broadcasts=True)
def vecmat(g, ans, x1, x2):
    """``ans = conj(x1) @ x2``."""
    return np.matvec(x2, np.conj(g)), column(x1) * row(g)


@vjp(np.vecdot, np.linalg.vecdot)
def vecdot(g, ans, x1, x2, axis=-1):
    """``ans = sum(conj(x1) * x2)`` along ``axis`` of each."""
    a, b, g = np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1), column(g)
    a_bar, b_bar = unbroadcast(np.conj(g) * b, a), unbroadcast(g * a, b)
    return np.moveaxis(a_bar, -1, axis), np.moveaxis(b_bar, -1, axis)


@vjp(np.vdot)
def vdot(g, ans, a, b):
    """``ans = sum(conj(a) * b)`` over all elements."""
    a_bar, b_bar = np.conj(g) * np.ravel(b), g * np.ravel(a)
    return np.reshape(a_bar, np.shape(a)), np.reshape(b_bar, np.shape(b))


@vjp(np.dot)
def dot(g, ans, a, b):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * np.conj(b), a), unbroadcast(g * np.conj(a), b)
    if np.ndim(a) <= 2 and np.ndim(b) <= 2:
        return matmul(g, ans, a, b)
    axes = ((-1,), (-1,)) if np.ndim(b) == 1 else ((-1,), (-2,))
    return tensordot_left(g, np.conj(b), a, axes), tensordot_right(g, np.conj(a), b, axes)


@vjp(np.inner)
def inner(g, ans, a, b):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * np.conj(b), a), unbroadcast(g * np.conj(a), b)
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return g * np.conj(b), g * np.conj(a)
    axes = (-1,), (-1,)
    return tensordot_left(g, np.conj(b), a, axes), tensordot_right(g, np.conj(a), b, axes)


@vjp(np.outer, np.linalg.outer)
def outer(g, ans, a, b):
    a_bar, b_bar = g @ np.conj(np.ravel(b)), np.conj(np.ravel(a)) @ g
    return np.reshape(a_bar, np.shape(a)), np.reshape(b_bar, np.shape(b))


@vjp(np.kron)
def kron(g, ans, a, b):
    """``ans`` has an axis of ``a`` and one of ``b`` in each of its own: apart, they are summed over."""
    n = max(np.ndim(a), np.ndim(b))
    if n == 0:
        return g * np.conj(b), g * np.conj(a)
    of_a, of_b = ((1,) * (n - np.ndim(x)) + np.shape(x) for x in (a, b))
    each = np.reshape(g, tuple([(of_b if k % 2 else of_a)[k // 2] for k in range(2 * n)]))
    first = np.reshape(a, tuple([1 if k % 2 else of_a[k // 2] for k in range(2 * n)]))
    second = np.reshape(b, tuple([of_b[k // 2] if k % 2 else 1 for k in range(2 * n)]))
    a_bar = np.sum(each * np.conj(second), axis=tuple(range(1, 2 * n, 2)))
    b_bar = np.sum(each * np.conj(first), axis=tuple(range(0, 2 * n, 2)))
    return np.reshape(a_bar, np.shape(a)), np.reshape(b_bar, np.shape(b))


@vjp(np.linalg.multi_dot)
def multi_dot(g, ans, arrays):
    n = len(arrays)
    mats = [np.reshape(arrays[0], (1, -1)) if np.ndim(arrays[0]) == 1 else arrays[0], *arrays[1:]]
    if np.ndim(arrays[-1]) == 1:
        mats = [*mats[:-1], np.reshape(arrays[-1], (-1, 1))]
    bar = np.reshape(g, (np.shape(mats[0])[0], np.shape(mats[-1])[1]))
    bars: list[Any] = []
    for i in range(n):  # bar_i = H(mats[:i] multiplied) bar H(mats[i + 1:] multiplied)
        part = bar
        for j in range(i):
            part = H(mats[j]) @ part
        for j in range(n - 1 - i):
            part = part @ H(mats[n - 1 - j])
        bars = [*bars, np.reshape(part, np.shape(arrays[i]))]
    return (bars,)


# ----- cross products -----


@vjp(np.cross)
def cross(g, ans, a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    if axis is not None:
        axisa, axisb, axisc = axis, axis, axis
    a_rows, b_rows = np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    if np.ndim(ans) < max(np.ndim(a), np.ndim(b)):  # two vectors of length 2: the third component
        a_bar, b_bar = turned(np.conj(b_rows)) * column(g), -turned(np.conj(a_rows)) * column(g)
    else:
        g_rows = np.moveaxis(g, axisc, -1)
        a_bar = np.cross(np.conj(b_rows), g_rows)[..., : np.shape(a_rows)[-1]]
        b_bar = np.cross(g_rows, np.conj(a_rows))[..., : np.shape(b_rows)[-1]]
    return (
        np.moveaxis(unbroadcast(a_bar, a_rows), -1, axisa),
        np.moveaxis(unbroadcast(b_bar, b_rows), -1, axisb),
    )


def turned(x: Any) -> Any:
    """The vectors ``(x0, x1)`` turned to ``(x1, -x0)``."""
    return np.stack((x[..., 1], -x[..., 0]), axis=-1)


@vjp(np.linalg.cross)
def linalg_cross(g, ans, x1, x2, axis=-1):
    a, b, g_rows = np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1), np.moveaxis(g, axis, -1)
    a_bar = unbroadcast(np.linalg.cross(np.conj(b), g_rows), a)
    b_bar = unbroadcast(np.linalg.cross(g_rows, np.conj(a)), b)
    return np.moveaxis(a_bar, -1, axis), np.moveaxis(b_bar, -1, axis)
