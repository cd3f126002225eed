"""Why is a function traced, and how is that told? By warnings and notes that point to the user's line."""

from __future__ import annotations

import os
import sys
import warnings
import weakref
from typing import Any

from ..compiler.frontend.callables.calls import python_function
from ..errors import AdError, DefectWarning, FallbackWarning, InternalError
from .checks.check import is_inside
from .checks.failures import defect

_warned: weakref.WeakSet[Any] = weakref.WeakSet()
_defective: weakref.WeakSet[Any] = weakref.WeakSet()


def as_reason(error: Exception) -> AdError:
    """The error of the compiler; what it did not foresee is one of its own."""
    if isinstance(error, AdError):
        return error.kept()
    return defect(
        f"the compiler failed: {type(error).__name__}: {error}",
        "it met something that it did not expect",
        error,
    )


def warn(function: Any, reason: AdError, inside: Any = None) -> None:
    """Warn, once for each function, that it is traced; ``inside``: the function that calls it.

    A defect of ours is told once, too, whatever was told before.
    """
    plain = python_function(getattr(function, "__func__", function)) or function
    ours = isinstance(reason, InternalError)
    if is_inside() and not ours:  # the program that is checked has no use for it
        return
    told = _defective if ours else _warned
    try:
        if plain in told:
            return
        told.add(plain)
    except TypeError:  # nothing to remember it by
        pass
    name = getattr(function, "__name__", type(function).__name__)
    called = f", called in `{getattr(inside, '__name__', 'function')}`," if inside is not None else ""
    if ours:
        text = (
            f"`{name}`{called} is traced, because of a defect of ast_ad: [{reason.code}] {reason.construct}"
        )
        text += f"{at_line(reason)} ({reason.why}); {reason.fix}"
        warnings.warn(text, DefectWarning, stacklevel=level())
        return
    text = f"`{name}`{called} is traced, not compiled: {reason.construct}{at_line(reason)}"
    text += f" ({reason.why})" if reason.why else ""
    warnings.warn(f"{text}; fallback='error' forbids it", FallbackWarning, stacklevel=level())


def add_reason(error: AdError, reason: AdError) -> None:
    """Note on an error of the tracing why there was tracing at all."""
    note = f"the function was traced, because it can't be compiled: {reason.construct}{at_line(reason)}"
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def at_line(reason: AdError) -> str:
    span = reason.span
    return f" at {span.filename}:{span.line}" if span is not None and span.line else ""


def level() -> int:
    """The stack level of the first frame outside of the package."""
    package = os.path.dirname(os.path.dirname(__file__)) + os.sep
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame, level = frame.f_back, level + 1
    return level
