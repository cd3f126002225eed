"""Does ``a += t`` give a plain array's only name another one? Then that one can be traced.

Python binds the name anew to what the operation returns. A plain array that is known under no other name, and
that is no view, is seen by nobody afterwards: a traced copy takes its place. (``np.add(a, t, out=a)`` binds
nothing, and is refused.)
"""

from __future__ import annotations

import dis
import functools
import sys
from typing import Any

import numpy as np

from .asked_numbers import instruction


def is_rebound(frame: Any, target: Any, references: int) -> bool:
    """Whether the code of a frame is at ``name += ...`` for a plain array of floats that nothing else knows.

    ``references``: what ``sys.getrefcount`` says of it in the method that NumPy asks.
    """
    if type(target) is not np.ndarray or target.dtype.kind not in "fc" or target.base is not None:
        return False
    name, number = instruction(frame)
    sign = dis._nb_ops[number][1] if name == "BINARY_OP" else ""  # type: ignore[attr-defined]
    return sign.endswith("=") and references <= _under_one_name(sign == "@=")


@functools.cache
def _under_one_name(of_matrices: bool) -> int:
    """What it says there of an array with one name. NumPy calls its product of matrices in another way."""
    counts = []

    class Asked:
        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
            out = kwargs.get("out")
            if out is not None:
                counts.append(sys.getrefcount(out[0]))
            return 0

    alone: Any = np.zeros((1, 1))
    if of_matrices:
        alone @= Asked()
    else:
        alone += Asked()
    return counts[0]
