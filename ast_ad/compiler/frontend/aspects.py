"""What of an argument decides what the program is? Its shape, its order in memory, or all of it."""

from __future__ import annotations

from typing import Any


def aspect_of(value: Any, aspect: str) -> Any:
    """What of an argument decided what the program is: its "shape", the "order" in memory, or ("") all of it.

    The order of an array with gaps is told by its strides, in elements; of a number it may be whether it is
    "several", 2 at least.

    >>> import numpy as np
    >>> aspect_of(np.zeros((2, 3)), "shape"), aspect_of(np.zeros((2, 3)).T, "order")
    ((2, 3), 'F')
    >>> aspect_of(np.zeros((2, 4))[:, ::2], "order")
    (4, 2)
    """
    if aspect == "order":
        orders = "C" * value.flags.c_contiguous + "F" * value.flags.f_contiguous
        strides = [divmod(step, value.itemsize or 1) for step in value.strides]
        return orders if orders or any(rest for _, rest in strides) else tuple(step for step, _ in strides)
    if aspect == "several":
        return bool(value >= 2)
    return value.shape if aspect == "shape" else value
