"""How do the products of linear layers differentiate?

Index: affine trilinear; linear bilinear.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..helpers import mT
from ..numpy.products import H, conjugate
from ..registry import program, vjp

# ----- what layers consist of -----


def affine(bias: Any, x: Any, weight_t: Any) -> Any:
    """``x @ weight_t + bias`` of two matrices.

    >>> affine(np.array([0.5]), np.ones((1, 2)), np.array([[1.0], [2.0]]))
    array([[3.5]])
    """
    out = np.matmul(x, weight_t)
    out += bias
    return out


@vjp(affine, broadcasts=True)
def affine_rule(g, ans, bias, x, weight_t):
    """The cotangent of the weight lies in memory as the weight does, of which this is the transpose."""
    return g, g @ H(weight_t), mT(mT(g) @ conjugate(x))


def trilinear(x: Any, weight: Any, y: Any) -> Any:
    """``sum(x[b, i] * weight[k, i, j] * y[b, j])`` over ``i`` and ``j``.

    >>> trilinear(np.ones((1, 2)), np.ones((1, 2, 3)), np.ones((1, 3)))
    array([[6.]])
    """
    return np.matmul(np.tensordot(x, weight, (1, 1)), y[:, :, None])[:, :, 0]


@vjp(trilinear)
def trilinear_rule(g, ans, x, weight, y):
    x_bar = np.einsum("bk,kij,bj->bi", g, np.conj(weight), np.conj(y))
    weight_bar = np.einsum("bk,bi,bj->kij", g, np.conj(x), np.conj(y))
    return x_bar, weight_bar, np.einsum("bk,kij,bi->bj", g, np.conj(weight), np.conj(x))


# ----- layers of arrays -----


@program
def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """``input @ weight.T + bias``; ``weight`` may be a vector.

    >>> linear(np.ones(2), np.array([[1.0, 2.0]]), np.array([0.5]))
    array([3.5])
    """
    product = input @ (weight if np.ndim(weight) == 1 else mT(weight))
    return product if bias is None else product + bias


@program
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """``sum(input1[i] * weight[k, i, j] * input2[j]) + bias[k]`` for each pair of vectors.

    >>> bilinear(np.ones(2), np.ones(3), np.ones((1, 2, 3)))
    array([6.])
    """
    rows = np.shape(input1)[:-1]
    x = np.reshape(input1, (-1, np.shape(input1)[-1]))
    y = np.reshape(input2, (-1, np.shape(input2)[-1]))
    product = np.reshape(trilinear(x, weight, y), (*rows, np.shape(weight)[0]))
    return product if bias is None else product + bias
