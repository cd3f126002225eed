"""What does a function do that `np.errstate` decorates? What it does within `with np.errstate(...)`.

NumPy's wrapper is made of context variables, which no compiler follows.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.ops import Lit
from .. import doors
from ..context import Context
from ..values import Callee

ERRORS = "all", "divide", "over", "under", "invalid"
WRAPPER = np.errstate()(lambda: None).__code__
PLAIN = np.errstate()


def within_errors(
    function: Callee, all: Any, divide: Any, over: Any, under: Any, invalid: Any, *args: Any, **kwargs: Any
) -> Any:
    """The program that is read in the place of NumPy's wrapper."""
    with np.errstate(all=all, divide=divide, over=over, under=under, invalid=invalid):
        return function(*args, **kwargs)


def decorated(cx: Context, fn: Callee) -> Callable[..., Any] | None:
    """How a function that `np.errstate` has decorated is read, or None for any other."""
    if not isinstance(fn, types.FunctionType) or fn.__code__ is not WRAPPER:
        return None
    held = dict(zip(WRAPPER.co_freevars, (cell.cell_contents for cell in fn.__closure__ or ()), strict=True))
    state, function = held.get("self"), held.get("func")
    if type(state) is not np.errstate or function is None or not hasattr(state, "_all"):
        return None
    if getattr(state, "_call", None) is not getattr(PLAIN, "_call", None):  # who is told
        return None
    options = [Lit(getattr(state, f"_{name}")) for name in ERRORS]
    return lambda *args, **kwargs: doors.call(
        cx, Lit(within_errors), [Lit(function), *options, *args], kwargs
    )
