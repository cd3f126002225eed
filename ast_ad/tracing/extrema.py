"""What are ``max(x, y)`` and ``min(values)`` of traced numbers? Equal ones share the gradient.

Python's own return the first of them, and it alone would get the gradient: compiled code shares it.
"""

from __future__ import annotations

import builtins
import functools
import numbers
from collections.abc import Callable
from typing import Any

from ..eager.dispatch import needs_grad, plain_of
from ..eager.numpy_protocol import run
from ..eager.state import state
from ..eager.tensor import Tensor


def _sharing(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def extremum(*args: Any, **kwargs: Any) -> Any:
        if not state.tracing or "key" in kwargs or not args:
            return original(*args, **kwargs)
        values = tuple(args[0]) if len(args) == 1 else args
        found = original(values, **kwargs)
        if not _is_number(found):
            return found
        equal = [v for v in values if v is found or _is_number(v) and bool(plain_of(v) == plain_of(found))]
        if len(equal) < 2 or not any(isinstance(v, Tensor) and needs_grad(v) for v in equal):
            return found
        return run(original, equal, {})

    extremum.in_place_of = original  # type: ignore[attr-defined]
    return extremum


def _is_number(value: Any) -> bool:
    return value._array.ndim == 0 if isinstance(value, Tensor) else isinstance(value, numbers.Number)


FUNCTIONS: dict[str, Callable[..., Any]] = {"max": _sharing(builtins.max), "min": _sharing(builtins.min)}
