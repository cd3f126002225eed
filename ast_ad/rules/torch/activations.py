"""How do the activation functions of neural networks differentiate?

Values and derivatives, those at kinks included, are PyTorch's: ``relu`` and ``hardtanh`` have derivative 0 at
their borders, and what a mask stops is 0 even where the cotangent is infinite.

Index: relu leaky_relu prelu threshold hardtanh hardsigmoid hardswish hardshrink softshrink; sigmoid
logsigmoid softplus silu mish gelu elu selu celu softsign tanhshrink.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..loops import masks
from ..loops.normal import distribution
from ..registry import elementwise, program, vjp
from .special import erf

# ----- piecewise linear -----


def relu(x: Any) -> Any:
    """``max(x, 0)``.

    >>> relu(np.array([-1.0, 0.0, 2.0]))
    array([0., 0., 2.])
    """
    return np.maximum(x, 0)


@vjp(relu)
def relu_rule(g, ans, x):
    return where_positive(g, ans)


def where_positive(g: Any, y: Any) -> Any:
    """``g``, and 0 where ``y <= 0``: the cotangent of what only passes positive numbers on.

    >>> where_positive(np.array([1.0, np.inf]), np.array([2.0, 0.0]))
    array([1., 0.])
    """
    if isinstance(g, np.ndarray) and isinstance(y, np.ndarray) and g.shape == y.shape:
        return masks.where_positive(y, g)
    return np.where(y <= 0, 0, g)[()]


@vjp(where_positive, broadcasts=True)
def where_positive_rule(h, ans, g, y):
    return where_positive(h, y), None


def leaky_relu(x: Any, slope: Any = 0.01) -> Any:
    """``x`` where it is positive, else ``slope * x``.

    >>> leaky_relu(np.array([-1.0, 2.0]), 0.5)
    array([-0.5,  2. ])
    """
    return leak(x, x, slope)


def leak(x: Any, g: Any, slope: Any) -> Any:
    """``g`` where ``x`` is positive, else ``slope * g``.

    >>> leak(np.array([-1.0, 2.0]), np.array([3.0, 3.0]), 0.5)
    array([1.5, 3. ])
    """
    alike = isinstance(x, np.ndarray) and isinstance(g, np.ndarray) and x.dtype == g.dtype
    if alike and x.ndim and x.shape == g.shape and x.dtype.kind == "f" and isinstance(slope, (int, float)):
        return masks.leaked(x, g, x.dtype.type(slope))
    return np.where(np.greater(x, 0), g, slope * g)[()]


@vjp(leak, broadcasts=True)
def leak_rule(g, ans, x, v, slope):
    return None, leak(x, g, slope), np.where(x > 0, 0, v * g)


def leaky_relu_by_mask(g, ans, x, slope=0.01):
    """The cotangents of leaky_relu, chosen in one loop."""
    return leak(x, g, slope), np.where(x > 0, 0, x * g)


@elementwise(leaky_relu)
def leaky_relu_rule(ans, x, slope=0.01):
    return np.where(x > 0, 1.0, slope), np.where(x > 0, 0, x)


@program
def prelu(x: Any, weight: Any) -> Any:
    """``leaky_relu`` whose slope is learned: one number, or one for each channel (axis 1).

    >>> prelu(np.array([[-1.0, -1.0]]), np.array([0.5, 2.0]))
    array([[-0.5, -2. ]])
    """
    if np.ndim(weight) == 1 and np.ndim(x) > 2:
        weight = np.reshape(weight, (-1, *((1,) * (np.ndim(x) - 2))))
    return leaky_relu(x, weight)


def threshold(x: Any, limit: float, value: float) -> Any:
    """``x`` where it is above ``limit``, else ``value``.

    >>> threshold(np.array([1.0, 3.0]), 1.0, -5.0)
    array([-5.,  3.])
    """
    return np.where(np.less_equal(x, limit), value, x)[()]


@vjp(threshold, broadcasts=True)
def threshold_rule(g, ans, x, limit, value):
    return np.where(x <= limit, 0, g), None, np.where(x <= limit, g, 0)


def hardtanh(x: Any, low: float = -1.0, high: float = 1.0) -> Any:
    """``x`` confined to ``[low, high]``; unlike that of ``clamp`` the derivative is 0 at both.

    >>> hardtanh(np.array([-3.0, 0.5, 3.0]))
    array([-1. ,  0.5,  1. ])
    """
    return np.clip(x, low, high)


@vjp(hardtanh, broadcasts=True)
def hardtanh_rule(g, ans, x, low=-1.0, high=1.0):
    below, above = x <= low, x >= high
    return np.where(below | above, 0, g), np.where(below, g, 0), np.where(above, g, 0)


def hardsigmoid(x: Any) -> Any:
    """``relu6(x + 3) / 6``.

    >>> hardsigmoid(np.array([-4.0, 0.0, 4.0]))
    array([0. , 0.5, 1. ])
    """
    return np.clip(x + 3, 0, 6) / 6


@vjp(hardsigmoid)
def hardsigmoid_rule(g, ans, x):
    return np.where((x > -3) & (x < 3), g / 6, 0)


def hardswish(x: Any) -> Any:
    """``x * hardsigmoid(x)``.

    >>> hardswish(np.array([-4.0, 0.0, 3.0]))
    array([-0.,  0.,  3.])
    """
    return x * np.clip(x + 3, 0, 6) / 6


@vjp(hardswish)
def hardswish_rule(g, ans, x):
    return np.where(x <= -3, 0, g * np.where(x < 3, x / 3 + 0.5, 1))


def hardshrink(x: Any, limit: float = 0.5) -> Any:
    """``x``, but 0 between ``-limit`` and ``limit``.

    >>> hardshrink(np.array([-1.0, 0.5]))
    array([-1.,  0.])
    """
    return np.where(np.less_equal(np.abs(x), limit), 0, x)[()]


@vjp(hardshrink)
def hardshrink_rule(g, ans, x, limit=0.5):
    return np.where((x >= -limit) & (x <= limit), 0, g), None


def softshrink(x: Any, limit: float = 0.5) -> Any:
    """``x`` moved towards 0 by ``limit``, and 0 between.

    >>> softshrink(np.array([-1.0, 0.25]))
    array([-0.5,  0. ])
    """
    return np.where(np.less_equal(np.abs(x), limit), 0, x - np.copysign(limit, x))[()]


@vjp(softshrink, broadcasts=True)
def softshrink_rule(g, ans, x, limit=0.5):
    within = (x >= -limit) & (x <= limit)
    return np.where(within, 0, g), np.where(within, 0, -g * np.sign(x))


# ----- smooth -----


def sigmoid(x: Any) -> Any:
    """``1 / (1 + exp(-x))``.

    >>> sigmoid(np.array([-1000.0, 0.0]))
    array([0. , 0.5])
    """
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-x))


@elementwise(sigmoid)
def sigmoid_rule(ans, x):
    return ans * (1 - ans)


def logsigmoid(x: Any) -> Any:
    """``log(sigmoid(x))``, exact where that is tiny.

    >>> logsigmoid(np.array([-1000.0]))
    array([-1000.])
    """
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


@elementwise(logsigmoid)
def logsigmoid_rule(ans, x):
    return sigmoid(-x)


def softplus(x: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """``log(1 + exp(beta * x)) / beta``, and ``x`` where ``beta * x`` exceeds ``threshold``.

    >>> softplus(np.array([-1000.0, 1000.0]))
    array([   0., 1000.])
    """
    with np.errstate(over="ignore"):
        return np.where(np.greater(x * beta, threshold), x, np.log1p(np.exp(x * beta)) / beta)[()]


@elementwise(softplus)
def softplus_rule(ans, x, beta=1.0, threshold=20.0):
    return np.where(x * beta > threshold, 1, sigmoid(x * beta)), NotImplemented, None


def silu(x: Any) -> Any:
    """``x * sigmoid(x)``.

    >>> silu(np.array([0.0]))
    array([0.])
    """
    with np.errstate(over="ignore"):
        return x / (1 + np.exp(-x))


@elementwise(silu)
def silu_rule(ans, x):
    s = sigmoid(x)
    return s * (1 + x * (1 - s))


def mish(x: Any) -> Any:
    """``x * tanh(log(1 + exp(x)))``.

    >>> mish(np.array([0.0]))
    array([0.])
    """
    return x * np.tanh(softplus(x))


@elementwise(mish)
def mish_rule(ans, x):
    t = np.tanh(softplus(x))
    return t + x * sigmoid(x) * (1 - t * t)


GELU_SCALE, GELU_CUBIC = (2 / np.pi) ** 0.5, 0.044715
DENSITY = (0.5 / np.pi) ** 0.5


def normal_cdf(x: Any) -> Any:
    """The normal distribution function.

    >>> normal_cdf(np.array([0.0]))
    array([0.5])
    """
    if isinstance(x, np.ndarray) and x.dtype == np.float32:
        with np.errstate(over="ignore"):
            powers = np.exp(-0.5 * x * x)
        return distribution(x, powers)
    return 0.5 * (1 + erf(x * 0.5**0.5))


@elementwise(normal_cdf)
def normal_cdf_rule(ans, x):
    return np.exp(-0.5 * x * x) * DENSITY


def gelu(x: Any, approximate: str = "none") -> Any:
    """``x`` times the normal distribution function of ``x``; ``approximate="tanh"``: by a tanh.

    >>> gelu(np.array([0.0]))
    array([0.])
    """
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(GELU_SCALE * (x + GELU_CUBIC * x * x * x)))
    return x * normal_cdf(x)


@elementwise(gelu)
def gelu_rule(ans, x, approximate="none"):
    if approximate == "tanh":
        t = np.tanh(GELU_SCALE * (x + GELU_CUBIC * x * x * x))
        slope = GELU_SCALE * (1 + 3 * GELU_CUBIC * x * x)
        return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope, None
    return 0.5 * (1 + erf(x * 0.5**0.5)) + x * np.exp(-0.5 * x * x) * DENSITY, None


def gelu_by_cdf(ans, x, approximate="none"):
    """The rule of gelu with a distribution function that is fast in single precision."""
    if approximate == "tanh":
        t = np.tanh(GELU_SCALE * (x + GELU_CUBIC * x * x * x))
        slope = GELU_SCALE * (1 + 3 * GELU_CUBIC * x * x)
        return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope, None
    return normal_cdf(x) + x * np.exp(-0.5 * x * x) * DENSITY, None


def elu(x: Any, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Any:
    """``scale * x`` where ``x`` is positive, else ``scale * alpha * (exp(input_scale * x) - 1)``.

    >>> elu(np.array([-1000.0, 2.0]))
    array([-1.,  2.])
    """
    below = np.expm1(np.minimum(x, 0) * input_scale) * (alpha * scale)
    return np.maximum(x, 0) * scale + below


@elementwise(elu)
def elu_rule(ans, x, alpha=1.0, scale=1.0, input_scale=1.0):
    below = np.exp(np.minimum(x, 0) * input_scale) * (alpha * scale * input_scale)
    return np.where(x <= 0, below, scale), NotImplemented, NotImplemented, NotImplemented


SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


@program
def selu(x: Any) -> Any:
    """The ``elu`` whose constants keep the mean 0 and the variance 1.

    >>> selu(np.array([0.0]))
    array([0.])
    """
    return elu(x, SELU_ALPHA, SELU_SCALE)


@program
def celu(x: Any, alpha: float = 1.0) -> Any:
    """The ``elu`` with slope 1 at 0: ``alpha * (exp(x / alpha) - 1)`` where ``x`` is not positive.

    >>> celu(np.array([0.0]), 2.0)
    array([0.])
    """
    return elu(x, alpha, 1.0, 1 / alpha)


@program
def softsign(x: Any) -> Any:
    """``x / (1 + abs(x))``.

    >>> softsign(np.array([1.0]))
    array([0.5])
    """
    return x / (1 + np.abs(x))


@program
def tanhshrink(x: Any) -> Any:
    """``x - tanh(x)``.

    >>> tanhshrink(np.array([0.0]))
    array([0.])
    """
    return x - np.tanh(x)
