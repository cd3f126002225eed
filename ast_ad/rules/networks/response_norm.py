"""How does normalisation by neighbouring channels differentiate?

Index: local_response_norm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import program
from .padding import constant_pad
from .pooling import avg_pool


@program
def local_response_norm(
    input: Any, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0
) -> Any:
    """``input / (k + alpha * mean(input ** 2)) ** beta``, the mean over ``size`` neighbouring channels.

    >>> local_response_norm(np.full((1, 1, 1), 2.0), 1, alpha=0.75, beta=1.0)
    array([[[0.5]]])
    """
    shape = np.shape(input)
    squares = np.reshape(np.square(input), (shape[0], shape[1], -1))
    wide = constant_pad(squares, (0, 0, size // 2, (size - 1) // 2))
    means = np.reshape(avg_pool(wide, (size, 1), 1, 0, False, True, None, 2), shape)
    return input / np.power(alpha * means + k, beta)
