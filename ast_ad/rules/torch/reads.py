"""Which rules read what PyTorch saves, where the rules for NumPy read something else?

What a rule reads must not be changed in place before the reverse sweep. Tensors forbid the same changes as
PyTorch's: ``y = a / b; y += 1`` is fine, since the derivative of a division reads its operands.
"""

import numpy as np

from . import special as torch_special
from .special import HALF_SQRT_PI
from .steps import undefined


def divide(ans, x, y):
    return 1 / y, -(x / y) / y


def whole_extremum(g, ans, a):
    """Equal extrema share the gradient evenly, and so do NaNs."""
    reached = (a == ans) | (np.isnan(a) & np.isnan(ans))
    return np.where(reached, g / np.sum(reached), 0)


def erfinv(ans, x):
    root = torch_special.erfinv(x)
    return HALF_SQRT_PI * np.exp(root * root)


def logaddexp(ans, x, y):
    return 1 / (1 + np.exp(y - x)), 1 / (1 + np.exp(x - y))


def logaddexp2(ans, x, y):
    return 1 / (1 + np.exp2(y - x)), 1 / (1 + np.exp2(x - y))


def floor_divide(g, ans, x, y):
    return undefined("aten::floor_divide"), undefined("aten::floor_divide")


def nextafter(ans, x, y):
    return np.where(x == y, 0, np.ones_like(x)), 0


def copysign(ans, x, y):
    return np.where(x == 0, 0, ans / x), 0
