"""May an int among the lengths of an array be -1, which would stand for what is left?

``require_signs(cx, fn, array)``: asks for a build in which that is known of an argument, or of what is read
from outside. It is compared at each call. Without it nothing were known of the lengths of a weight
``w[:n * m].reshape(n, m)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.dims import Dim, reaches
from ...ir.types import Array
from ..builder import type_of_arg
from ..context import Context
from ..values import Arr, Callee, Value


def require_signs(cx: Context, fn: Callee, array: Value) -> None:
    """
    Args:
        fn: what has made the array.

    Raises:
        Restart: the build begins anew.
    """
    if fn is np.reshape and cx.inputs is not None:  # a definition that is read of itself has none
        type: Any = type_of_arg(cx.read(array) if isinstance(array, Arr) else array)  # type: ignore[arg-type]
        for dim in (type.shape or ()) if isinstance(type, Array) else ():
            if isinstance(dim, Dim) and not reaches(dim, 0):
                cx.outside().demand_several(dim)
