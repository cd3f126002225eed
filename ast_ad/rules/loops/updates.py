"""How is an array moved along its gradient? By plain descent, by Rprop, and by rules that scale with size.

Each rule changes ``param`` and the arrays of its state in place. In NumPy it makes at most two temporaries;
in loops it reads and writes every array once. ``sign`` is -1 where the objective is maximised; ``decay`` is
the factor of the L2 penalty. Arrays that may be None are those of options that are off.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import kernel

Array = Any


def directed(param: Array, grad: Array, decay: float, sign: float) -> Array:
    """The gradient to descend along: ``sign * grad + decay * param``; ``grad`` itself where it is that."""
    g = grad if sign == 1 else -grad
    if decay == 0:
        return g
    penalty = decay * param
    penalty += g
    return penalty


def accumulate_square(total: Array, old: float, g: Array, new: float) -> Array:
    """``total`` becomes ``old * total + new * g**2``; returned is an array to be overwritten."""
    square = g * g
    if new != 1:
        square *= new
    if old != 1:
        total *= old
    total += square
    return square


def _sgd(param: Array, grad: Array, buf: Any, lr: float, momentum: float, keep: float, ahead: float,
         decay: float, sign: float) -> None:  # fmt: skip
    g = directed(param, grad, decay, sign)
    if buf is not None:
        buf *= momentum
        buf += g if keep == 1 else keep * g
    if ahead != 0:
        step = ahead * buf
        step += g
        step *= lr
    else:
        step = lr * (g if buf is None else buf)
    param -= step


@kernel(_sgd)
def sgd(param: Array, grad: Array, buf: Any, lr: float, momentum: float, keep: float, ahead: float,
        decay: float, sign: float) -> None:  # fmt: skip
    """``buf = momentum * buf + keep * g``, and a step along ``buf``, or along ``g + ahead * buf``."""
    for i in range(param.size):
        g = sign * grad[i]
        if decay != 0:
            g += decay * param[i]
        if buf is not None:
            m = momentum * buf[i] + keep * g
            buf[i] = m
            g = m if ahead == 0 else g + ahead * m
        param[i] -= lr * g


def _averaged(param: Array, grad: Array, ax: Array, eta: float, shrink: float, mu: float, decay: float,
              sign: float) -> None:  # fmt: skip
    g = directed(param, grad, decay, sign)
    param *= shrink
    param -= eta * g
    if mu == 1:
        ax[...] = param
    else:
        step = param - ax
        step *= mu
        ax += step


@kernel(_averaged)
def averaged_sgd(param: Array, grad: Array, ax: Array, eta: float, shrink: float, mu: float, decay: float,
                 sign: float) -> None:  # fmt: skip
    """``param = shrink * param - eta * g``, and ``ax`` moves by the part ``mu`` of its way there."""
    for i in range(param.size):
        g = sign * grad[i]
        if decay != 0:
            g += decay * param[i]
        p = shrink * param[i] - eta * g
        param[i] = p
        ax[i] = p if mu == 1 else ax[i] + mu * (p - ax[i])


def _rprop(param: Array, grad: Array, prev: Array, size: Array, down: float, up: float, least: float,
           most: float, sign: float) -> None:  # fmt: skip
    g = grad if sign == 1 else -grad
    agree = g * prev
    size *= np.where(agree > 0, up, np.where(agree < 0, down, 1)).astype(param.dtype)
    np.clip(size, least, most, out=size)
    prev[...] = g
    prev[agree < 0] = 0
    step = size * (prev > 0)  # the sign of NaN is 0
    step -= size * (prev < 0)
    param -= step


@kernel(_rprop)
def rprop(param: Array, grad: Array, prev: Array, size: Array, down: float, up: float, least: float,
          most: float, sign: float) -> None:  # fmt: skip
    """A step of ``size`` against the sign of the gradient; ``size`` grows while the sign stays."""
    for i in range(param.size):
        g = sign * grad[i]
        agree = g * prev[i]
        step = size[i]
        prev[i] = g
        if agree > 0:
            step *= up
        elif agree < 0:
            step *= down
            prev[i] = 0
        if step < least:
            step = least
        elif step > most:
            step = most
        size[i] = step
        if prev[i] > 0:
            param[i] -= step
        elif prev[i] < 0:
            param[i] += step


def _adagrad(param: Array, grad: Array, total: Array, lr: float, eps: float, decay: float,
             sign: float) -> None:  # fmt: skip
    g = directed(param, grad, decay, sign)
    step = accumulate_square(total, 1.0, g, 1.0)
    np.sqrt(total, out=step)
    step += eps
    np.divide(g, step, out=step)
    step *= lr
    param -= step


@kernel(_adagrad)
def adagrad(param: Array, grad: Array, total: Array, lr: float, eps: float, decay: float,
            sign: float) -> None:  # fmt: skip
    """``total += g**2``, and a step ``lr * g / (sqrt(total) + eps)``."""
    for i in range(param.size):
        g = sign * grad[i]
        if decay != 0:
            g += decay * param[i]
        t = total[i] + g * g
        total[i] = t
        param[i] -= lr * (g / (np.sqrt(t) + eps))


def _rmsprop(param: Array, grad: Array, square: Array, mean: Any, buf: Any, lr: float, alpha: float,
             rest: float, eps: float, momentum: float, decay: float, sign: float) -> None:  # fmt: skip
    g = directed(param, grad, decay, sign)
    step = accumulate_square(square, alpha, g, rest)
    if mean is None:
        np.sqrt(square, out=step)
    else:
        np.subtract(g, mean, out=step)
        step *= rest
        mean += step
        np.multiply(mean, mean, out=step)
        np.subtract(square, step, out=step)
        np.sqrt(step, out=step)
    step += eps
    np.divide(g, step, out=step)
    if buf is not None:
        buf *= momentum
        buf += step
        np.multiply(buf, lr, out=step)
    else:
        step *= lr
    param -= step


@kernel(_rmsprop)
def rmsprop(param: Array, grad: Array, square: Array, mean: Any, buf: Any, lr: float, alpha: float,
            rest: float, eps: float, momentum: float, decay: float, sign: float) -> None:  # fmt: skip
    """A step ``lr * g / (sqrt(square) + eps)``, where ``square`` is the moving average of ``g**2``.

    With ``mean``, the moving average of g, its square is taken off; with ``buf``, steps have momentum.
    """
    for i in range(param.size):
        g = sign * grad[i]
        if decay != 0:
            g += decay * param[i]
        v = alpha * square[i] + rest * (g * g)
        square[i] = v
        if mean is not None:
            m = mean[i] + rest * (g - mean[i])
            mean[i] = m
            v -= m * m
        step = g / (np.sqrt(v) + eps)
        if buf is not None:
            step += momentum * buf[i]
            buf[i] = step
        param[i] -= lr * step


def _adadelta(param: Array, grad: Array, square: Array, delta: Array, lr: float, rho: float, rest: float,
              eps: float, decay: float, sign: float) -> None:  # fmt: skip
    g = directed(param, grad, decay, sign)
    scale = accumulate_square(square, rho, g, rest)
    np.add(square, eps, out=scale)
    np.sqrt(scale, out=scale)
    step = delta + eps
    np.sqrt(step, out=step)
    step /= scale
    step *= g
    np.multiply(step, step, out=scale)
    scale *= rest
    delta *= rho
    delta += scale
    step *= lr
    param -= step


@kernel(_adadelta)
def adadelta(param: Array, grad: Array, square: Array, delta: Array, lr: float, rho: float, rest: float,
             eps: float, decay: float, sign: float) -> None:  # fmt: skip
    """A step ``lr * g * sqrt(delta + eps) / sqrt(square + eps)``, with moving averages of squares."""
    for i in range(param.size):
        g = sign * grad[i]
        if decay != 0:
            g += decay * param[i]
        v = rho * square[i] + rest * (g * g)
        square[i] = v
        step = np.sqrt((delta[i] + eps) / (v + eps)) * g  # an estimate of 1 / sqrt(inf) may be NaN
        delta[i] = rho * delta[i] + rest * (step * step)
        param[i] -= lr * step
