"""What do functions give that design filters and windows?

``designed(cx, fn, args, kwargs)``: coefficients, which are constants where the arguments are. The function
runs as it is, at every call of the program: what it gives is new, and may be written to. To read it would
lead through roots that are real or complex by their values. What these modules keep for themselves is read:
it gives other things, too, such as the library whose functions to call.
"""

from __future__ import annotations

import contextlib
import types
from typing import Any

from ....errors import AdError
from ..context import Context
from ..values import Callee, Value

DESIGNS = "scipy.signal._filter_design", "scipy.signal._fir_filter_design", "scipy.signal.windows._windows"


def designed(cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value]) -> Any:
    """The coefficients that are made of constants, or None."""
    if not isinstance(fn, types.FunctionType) or fn.__module__ not in DESIGNS or fn.__name__.startswith("_"):
        return None
    if all(cx.is_static(value) for value in (*args, *kwargs.values())):
        with contextlib.suppress(AdError):  # what raises is read, and raises where it does
            return cx.emit(fn, *args, **kwargs)
    return None
