"""Which rules read what PyTorch saves, where the rules for NumPy read something else?

What a rule reads must not be changed in place before the reverse sweep. Tensors forbid the same changes as
PyTorch's: ``y = a / b; y += 1`` is fine, since the derivative of a division reads its operands.
"""

import numpy as np

from . import torch_special
from .partials import exp_share
from .torch_special import HALF_SQRT_PI

LN2 = float(np.log(2))


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
    total = np.logaddexp(x, y)
    return exp_share(x, total), exp_share(y, total)


def logaddexp2(ans, x, y):
    total = np.logaddexp2(x, y)
    return exp_share(x * LN2, total * LN2), exp_share(y * LN2, total * LN2)


def copysign(ans, x, y):
    return np.where(x == 0, 0, ans / x), 0
