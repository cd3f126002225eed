"""What is a number of NumPy's asked for? Which indices it takes, and which instruction asks.

It takes None, an ellipsis, and what is true or false. All else is an error, but an IndexError would end an
iteration by ``for``: so it is looked who asks.
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
    return _instruction(frame)[0] == "BINARY_SUBSCR"


def is_formatting(frame: Any) -> bool:
    """Whether it is at ``text % value``: a text alone asks for a plain number there."""
    name, operator_number = _instruction(frame)
    return name == "BINARY_OP" and dis._nb_ops[operator_number][1] in ("%", "%=")  # type: ignore[attr-defined]


def _instruction(frame: Any) -> tuple[str, int]:
    """The instruction that a frame is at, and its argument."""
    code, place = frame.f_code.co_code, frame.f_lasti
    while place and dis.opname[code[place]] == "CACHE":  # behind the instruction, in code that is warm
        place -= 2
    return dis.opname[code[place]], code[place + 1]
