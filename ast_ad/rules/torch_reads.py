"""Which rules read what PyTorch saves, where the rules for NumPy read something else?

What a rule reads must not be changed in place before the reverse sweep. Tensors forbid the same changes as
PyTorch's: ``y = a / b; y += 1`` is fine, since the derivative of a division reads its operands.
"""

import numpy as np


def divide(ans, x, y):
    return 1 / y, -(x / y) / y


def whole_extremum(g, ans, a):
    """Equal extrema share the gradient evenly, and so do NaNs."""
    reached = (a == ans) | (np.isnan(a) & np.isnan(ans))
    return np.where(reached, g / np.sum(reached), 0)
