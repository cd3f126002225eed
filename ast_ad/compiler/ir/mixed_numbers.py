"""Which numbers are Python's own on one path and NumPy's on another?

What asks whether one is NumPy's, and gives it its type again, are operations like any other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .alternatives import alternatives
from .types import CLASSES, Scalar, Type


def restored(value: Any, numpys: bool, dtype: type, own: type) -> Any:
    """A number from a kernel as NumPy's, or as Python's own.

    >>> restored(2.0, False, np.float64, int), restored(2.0, True, np.float64, int)
    (2, np.float64(2.0))
    """
    if numpys:
        return dtype(value)
    return own(value if own is complex else value.real)


def is_numpys(value: object) -> bool:
    """Whether a number is NumPy's."""
    return isinstance(value, np.generic)


def own_and_numpys(type: Type) -> tuple[type, type] | None:
    """Python's class and NumPy's, if a number is of one of two."""
    types = [t for t in alternatives(type) if isinstance(t, Scalar)]
    own = [t.kind for t in types if t.dtype is None]
    numpys = [t.dtype.type for t in types if t.dtype is not None]
    return (CLASSES[own[0]], numpys[0]) if len(own) == len(numpys) == 1 else None
