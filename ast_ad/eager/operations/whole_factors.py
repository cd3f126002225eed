"""Which numbers may multiply integers? Whole ones: others are refused or cut off, as PyTorch does."""

from __future__ import annotations

from typing import Any


def whole_factor(dtype: Any, factor: Any, name: str = "alpha") -> Any:
    """A factor of elements of this dtype, which integers cut off behind the point.

    >>> import numpy as np
    >>> whole_factor(np.dtype(int), 2.7), whole_factor(np.dtype(float), 2.7)
    (2, 2.7)
    """
    return int(factor) if dtype.kind in "iu" and isinstance(factor, float) else factor


def whole_factor_only(dtype: Any, factor: Any, name: str = "alpha") -> Any:
    """As ``whole_factor``, but refuses to cut anything off.

    Raises:
        RuntimeError: a factor that is no integer, of integers.
    """
    if dtype.kind in "iub" and isinstance(factor, float):
        raise RuntimeError(
            f"For integral input tensors, argument {name} must not be a floating point number."
        )
    if dtype.kind == "b":
        return bool(factor)
    return factor
