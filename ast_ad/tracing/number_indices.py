"""Which indices does a number of NumPy's take? None, an ellipsis, and what is true or false.

All else is an error, but an IndexError would end an iteration by ``for``: so it is asked who asks.
"""

from __future__ import annotations

import dis
from typing import Any

import numpy as np


def is_truth(index: Any) -> bool:
    """Whether an index is true or false: of a number it gives an array with that, or with nothing."""
    return isinstance(index, (bool, np.bool_)) or getattr(index, "dtype", None) == np.dtype(bool)


def is_indexing(frame: Any) -> bool:
    """Whether the code of a frame is at an index expression."""
    code, place = frame.f_code.co_code, frame.f_lasti
    while place and dis.opname[code[place]] == "CACHE":  # behind the instruction, in code that is warm
        place -= 2
    return dis.opname[code[place]] == "BINARY_SUBSCR"
