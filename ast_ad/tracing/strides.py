"""What does ``np.lib.stride_tricks.as_strided`` do with a traced array? It makes a view of the same memory.

Which elements the view shows follows from where they lie; what is written to either is seen in both.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..eager.dispatch import plain_of
from ..eager.numpy_protocol import run
from ..eager.operations.layout import AS_STRIDED, strided_look
from ..eager.tensor import Tensor
from ..eager.viewing import look, look_from_base
from .memory import refused


def strides_seen(original: Callable[..., Any]) -> Callable[..., Any]:
    """``np.lib.stride_tricks.as_strided`` of what may be traced."""

    @functools.wraps(original)
    def as_strided(
        x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True
    ) -> Any:
        if not isinstance(x, Tensor):
            return original(x, shape, strides, subok, writeable)
        array = plain_of(x)
        shape = array.shape if shape is None else tuple(map(operator.index, shape))
        steps = array.strides if strides is None else tuple(map(operator.index, strides))
        found = _view(x, shape, steps)
        if not (writeable and array.flags.writeable):
            found._array.flags.writeable = False
        return found

    return as_strided


def _view(x: Any, shape: Sequence[int], strides: Sequence[int]) -> Any:
    """The view; its axes with negative strides are looked at from their other ends."""
    size = x._array.itemsize
    if any(n % size for n in strides):
        raise refused(
            "as_strided between the elements of a traced array", "it reads bytes", "use the numbers"
        )
    if len(shape) != len(strides):
        raise ValueError("mismatch in length of strides and shape")
    steps = [n // size for n in strides]
    back = [axis for axis, step in enumerate(steps) if step < 0]
    start = x.storage_offset() + sum(steps[axis] * (shape[axis] - 1) for axis in back)
    base = x if x._view is None or x._view.base.dtype != x.dtype else x._view.base  # it has more elements
    try:
        if start < 0 and 0 not in shape:
            raise RuntimeError("it begins before the memory")
        array, own, step = strided_look(base, shape, [abs(n) for n in steps], start)
    except RuntimeError:
        raise _beyond() from None
    if np.min(own, initial=0) < 0:
        raise _beyond()
    found = (
        look(AS_STRIDED, base, own, array=array)
        if step is None
        else look_from_base(AS_STRIDED, base, (own,), array, step)
    )
    return run(np.flip, (found, tuple(back)), {}) if back else found


def _beyond() -> Exception:
    return refused(
        "as_strided beyond the elements of a traced array",
        "what lies in its memory besides them is not known",
        "apply as_strided to the array that has all of them",
    )
