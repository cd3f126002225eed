"""How do products that are added to something differentiate, and the plain product of vectors?

Index: add_product add_summed_products add_outer plain_dot; add_scaled_product add_scaled_quotient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numpy.products import H
from ..registry import vjp


def _combined(x: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """``beta * x + alpha * product``; with ``beta`` 0 nothing of ``x``, not even NaN."""
    product = product if alpha == 1 else alpha * product
    return product if beta == 0 else x + product if beta == 1 else beta * x + product


def add_product(x: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * x + alpha * (a @ b)`` of matrices, stacks of them, or a matrix and a vector.

    >>> add_product(np.ones((1, 1)), np.array([[2.0]]), np.array([[3.0]]), alpha=10)
    array([[61.]])
    """
    return _combined(x, np.matmul(a, b), beta, alpha)


@vjp(add_product, broadcasts=True)
def add_product_rule(g, ans, x, a, b, beta=1, alpha=1):
    x_bar = g * np.conj(beta)
    scaled = g * np.conj(alpha)
    beta_bar, alpha_bar = np.sum(g * np.conj(x)), np.sum(g * np.conj(np.matmul(a, b)))
    if np.ndim(b) == 1:
        return x_bar, np.outer(scaled, np.conj(b)), H(a) @ scaled, beta_bar, alpha_bar
    return x_bar, scaled @ H(b), H(a) @ scaled, beta_bar, alpha_bar


def add_summed_products(x: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * x + alpha * sum(a @ b, axis=0)`` of stacks of matrices.

    >>> add_summed_products(np.ones((1, 1)), np.ones((2, 1, 1)), np.ones((2, 1, 1)))
    array([[3.]])
    """
    return _combined(x, np.sum(np.matmul(a, b), axis=0), beta, alpha)


@vjp(add_summed_products, broadcasts=True)
def add_summed_products_rule(g, ans, x, a, b, beta=1, alpha=1):
    scaled = g * np.conj(alpha)
    beta_bar, alpha_bar = np.sum(g * np.conj(x)), np.sum(g * np.conj(np.sum(np.matmul(a, b), axis=0)))
    return g * np.conj(beta), scaled @ H(b), H(a) @ scaled, beta_bar, alpha_bar


def add_outer(x: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * x + alpha * outer(a, b)``.

    >>> add_outer(np.zeros((1, 2)), np.array([2.0]), np.array([3.0, 4.0]))
    array([[6., 8.]])
    """
    return _combined(x, np.outer(a, b), beta, alpha)


@vjp(add_outer, broadcasts=True)
def add_outer_rule(g, ans, x, a, b, beta=1, alpha=1):
    scaled = g * np.conj(alpha)
    beta_bar, alpha_bar = np.sum(g * np.conj(x)), np.sum(g * np.conj(np.outer(a, b)))
    return g * np.conj(beta), scaled @ np.conj(b), np.conj(a) @ scaled, beta_bar, alpha_bar


def plain_dot(a: Any, b: Any) -> Any:
    """``sum(a * b)`` of two vectors.

    >>> float(plain_dot(np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    11.0
    """
    return np.dot(a, b)


@vjp(plain_dot)
def plain_dot_rule(g, ans, a, b):
    return g * np.conj(b), g * np.conj(a)


def add_scaled_product(x: Any, a: Any, b: Any, value: Any = 1) -> Any:
    """``x + value * a * b``, element by element.

    >>> float(add_scaled_product(1.0, 2.0, 3.0, value=10))
    61.0
    """
    return x + (a * b if value == 1 else value * a * b)


@vjp(add_scaled_product, broadcasts=True)
def add_scaled_product_rule(g, ans, x, a, b, value=1):
    return g, g * np.conj(b * value), g * np.conj(a * value), np.sum(g * np.conj(a * b))


def add_scaled_quotient(x: Any, a: Any, b: Any, value: Any = 1) -> Any:
    """``x + value * a / b``, element by element.

    >>> float(add_scaled_quotient(1.0, 6.0, 3.0, value=10))
    21.0
    """
    return x + (a / b if value == 1 else value * (a / b))


@vjp(add_scaled_quotient, broadcasts=True)
def add_scaled_quotient_rule(g, ans, x, a, b, value=1):
    return g, g * np.conj(value / b), -g * np.conj(value * a / (b * b)), np.sum(g * np.conj(a / b))
