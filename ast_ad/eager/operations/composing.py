"""How do functions that consist of others bring tensors together? Of one dtype, and with plain numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dispatch import Operation, apply
from ..dtypes import result_dtype
from ..tensor import Tensor
from .pointwise import floating

# Arithmetic with a number that PyTorch's own code does: its nodes have no edge for the number.
ADD = Operation(np.add, "AddBackward1")
MUL = Operation(np.multiply, "MulBackward1")
DIV = Operation(np.divide, "DivBackward1")


def plus(t: Any, number: float) -> Any:
    """``t + number``."""
    return apply(ADD, (floating(t), number))


def times(t: Any, number: float) -> Any:
    """``t * number``."""
    return apply(MUL, (floating(t), number))


def over(t: Any, number: float) -> Any:
    """``t / number``."""
    return apply(DIV, (floating(t), number))


def together(*tensors: Tensor) -> list[Tensor]:
    """The tensors in the dtype that they have in common."""
    first = tensors[0]._array.dtype
    if all(t._array.dtype is first for t in tensors):
        return list(tensors)
    dtype = result_dtype(*[t._array for t in tensors])
    return [t if t._array.dtype == dtype else t.to(dtype) for t in tensors]
