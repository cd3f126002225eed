"""What does ``dtype=`` of a ufunc do? Its arguments are converted, as far as casts of one kind go."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.ops import Lit
from ...ir.types import dtype_of
from ..context import Context
from ..types.dummies import plain_type
from ..values import Callee, Value
from .numba_functions import converted


def in_one_dtype(
    cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    """The arguments of a ufunc in the dtype that it is asked for, and the other options.

    Left as they are: an integer dtype, casts that NumPy may refuse, and a dtype that is known at run time.
    """
    if "dtype" not in kwargs or not isinstance(fn, np.ufunc) or fn.signature is not None:
        return args, kwargs
    asked = cx.static_value(kwargs["dtype"])
    others = {name: value for name, value in kwargs.items() if name != "dtype"}
    if asked is None:
        return args, others
    if not isinstance(asked, (type, str, np.dtype)) or "casting" in others:
        return args, kwargs
    dtype, taken = np.dtype(asked), args[: fn.nin]
    if dtype.kind not in "fc" or not all(_fits(cx, arg, dtype) for arg in taken):
        return args, kwargs
    arrays = [Lit(dtype.type(a.value)) if isinstance(a, Lit) else converted(cx, a, dtype) for a in taken]
    return [*arrays, *args[fn.nin :]], others


def _fits(cx: Context, arg: Value, dtype: np.dtype[Any]) -> bool:
    """Whether NumPy converts an argument to the dtype, whatever it holds."""
    if isinstance(arg, Lit):
        return isinstance(arg.value, (int, float)) or dtype.kind == "c" and isinstance(arg.value, complex)
    held = dtype_of(plain_type(cx.arg(arg)))
    return held is not None and np.can_cast(np.dtype(held), dtype, "same_kind")
