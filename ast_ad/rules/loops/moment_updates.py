"""How does Adam move an array, and how do its relatives? By moving averages of the gradient and of its size.

Conventions as in ``updates``. ``toward`` is the part of its distance to the gradient by which the first
average moves, ``shrink`` the factor of decoupled weight decay, 1 without it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import kernel
from .updates import Array, accumulate_square, directed


def _moments(param: Array, grad: Array, m: Array, v: Any, toward: float, beta2: float, rest: float,
             decay: float, shrink: float, sign: float) -> tuple[Array, Array]:  # fmt: skip
    """Advance both averages; the gradient, and an array to be overwritten."""
    g = directed(param, grad, decay, sign)
    if shrink != 1:
        param *= shrink
    step = g - m
    step *= toward
    m += step
    if v is not None:
        step = accumulate_square(v, beta2, g, rest)
    return g, step


def _adam(param: Array, grad: Array, m: Array, v: Array, largest: Any, lr: float, toward: float, beta2: float,
          rest: float, root: float, eps: float, decay: float, shrink: float,
          sign: float) -> None:  # fmt: skip
    step = _moments(param, grad, m, v, toward, beta2, rest, decay, shrink, sign)[1]
    if largest is not None:
        np.maximum(largest, v, out=largest)
    np.sqrt(v if largest is None else largest, out=step)
    step /= root
    step += eps
    np.divide(m, step, out=step)
    step *= lr
    param -= step


@kernel(_adam)
def adam(param: Array, grad: Array, m: Array, v: Array, largest: Any, lr: float, toward: float, beta2: float,
         rest: float, root: float, eps: float, decay: float, shrink: float, sign: float) -> None:  # fmt: skip
    """A step ``lr * m / (sqrt(v) / root + eps)``; with ``largest``, of the largest v so far."""
    for i in range(param.size):
        g = sign * grad[i]
        p = param[i]
        if decay != 0:
            g += decay * p
        first = m[i] + toward * (g - m[i])
        m[i] = first
        second = beta2 * v[i] + rest * (g * g)
        v[i] = second
        if largest is not None:
            top = largest[i]
            if second > top or second != second:
                top = second
            largest[i] = top
            second = top
        param[i] = p * shrink - lr * (first / (np.sqrt(second) / root + eps))


def _adamax(param: Array, grad: Array, m: Array, u: Array, lr: float, toward: float, beta2: float, eps: float,
            decay: float, sign: float) -> None:  # fmt: skip
    g, step = _moments(param, grad, m, None, toward, beta2, 0.0, decay, 1.0, sign)
    np.abs(g, out=step)
    step += eps
    u *= beta2
    np.maximum(u, step, out=u)
    np.divide(m, u, out=step)
    step *= lr
    param -= step


@kernel(_adamax)
def adamax(param: Array, grad: Array, m: Array, u: Array, lr: float, toward: float, beta2: float, eps: float,
           decay: float, sign: float) -> None:  # fmt: skip
    """A step ``lr * m / u``, where ``u = max(beta2 * u, |g| + eps)``."""
    for i in range(param.size):
        g = sign * grad[i]
        if decay != 0:
            g += decay * param[i]
        first = m[i] + toward * (g - m[i])
        m[i] = first
        top = beta2 * u[i]
        size = abs(g) + eps
        if size > top or size != size:
            top = size
        u[i] = top
        param[i] -= lr * (first / top)


def _nadam(param: Array, grad: Array, m: Array, v: Array, lr: float, ahead: float, toward: float,
           beta2: float, rest: float, bias: float, eps: float, decay: float, shrink: float,
           sign: float) -> None:  # fmt: skip
    g, scale = _moments(param, grad, m, v, toward, beta2, rest, decay, shrink, sign)
    np.divide(v, bias, out=scale)
    np.sqrt(scale, out=scale)
    scale += eps
    step = lr * g
    step += ahead * m
    step /= scale
    param -= step


@kernel(_nadam)
def nadam(param: Array, grad: Array, m: Array, v: Array, lr: float, ahead: float, toward: float, beta2: float,
          rest: float, bias: float, eps: float, decay: float, shrink: float,
          sign: float) -> None:  # fmt: skip
    """A step ``(lr * g + ahead * m) / (sqrt(v / bias) + eps)``."""
    for i in range(param.size):
        g = sign * grad[i]
        p = param[i]
        if decay != 0:
            g += decay * p
        first = m[i] + toward * (g - m[i])
        m[i] = first
        second = beta2 * v[i] + rest * (g * g)
        v[i] = second
        param[i] = p * shrink - (lr * g + ahead * first) / (np.sqrt(second / bias) + eps)


def _radam(param: Array, grad: Array, m: Array, v: Array, lr: float, rectify: float, toward: float,
           beta2: float, rest: float, eps: float, decay: float, shrink: float,
           sign: float) -> None:  # fmt: skip
    step = _moments(param, grad, m, v, toward, beta2, rest, decay, shrink, sign)[1]
    if rectify != 0:
        np.sqrt(v, out=step)
        step += eps
        np.divide(m, step, out=step)
        step *= lr * rectify
    else:
        np.multiply(m, lr, out=step)
    param -= step


@kernel(_radam)
def radam(param: Array, grad: Array, m: Array, v: Array, lr: float, rectify: float, toward: float,
          beta2: float, rest: float, eps: float, decay: float, shrink: float,
          sign: float) -> None:  # fmt: skip
    """A step ``lr * m``, and once v is known well enough ``lr * rectify * m / (sqrt(v) + eps)``."""
    for i in range(param.size):
        g = sign * grad[i]
        p = param[i]
        if decay != 0:
            g += decay * p
        first = m[i] + toward * (g - m[i])
        m[i] = first
        second = beta2 * v[i] + rest * (g * g)
        v[i] = second
        if rectify != 0:
            first *= rectify / (np.sqrt(second) + eps)
        param[i] = p * shrink - lr * first
