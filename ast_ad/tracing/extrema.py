"""What are ``max(x, y)``, ``min(values)``, ``sum(values)`` and ``iter(x)`` of traced numbers?

Of equal numbers Python's own ``max`` returns the first, and it alone would get the gradient: compiled code
shares it. Python's ``sum`` keeps what it loses by rounding of floats, and these are none to it.
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
from ..rules import float_sums


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


def _summed(iterable: Any, /, start: Any = 0) -> Any:
    """``sum``, which compensates the roundings of traced floats as Python does those of its own."""
    if not (float_sums.COMPENSATES and state.tracing) or isinstance(start, (str, bytes, bytearray)):
        return builtins.sum(iterable, start)
    items = iterable if type(iterable) in (list, tuple) else list(iterable)
    if not any(isinstance(item, Tensor) for item in (start, *items)):
        return builtins.sum(items, start)
    total, lost = start, 0.0
    for item in items:
        of_floats, kind = type(plain_of(total)) is float, type(plain_of(item))
        if of_floats and kind is not float and not issubclass(kind, int):
            total, lost = _with_lost(total, lost), 0.0
        after = total + item
        if of_floats and kind is float:
            lost += float_sums.rounded_off(plain_of(total), plain_of(item), plain_of(after))
        total = after
    return _with_lost(total, lost)


def _with_lost(total: Any, lost: float) -> Any:
    if not lost or not isinstance(total, Tensor):
        return float_sums.compensated(total, lost)
    return run(float, (run(float_sums.compensated, (total, lost), {}),), {})


_summed.in_place_of = builtins.sum  # type: ignore[attr-defined]


def _is_number(value: Any) -> bool:
    return value._array.ndim == 0 if isinstance(value, Tensor) else isinstance(value, numbers.Number)


def _iterator(*args: Any) -> Any:
    """``iter``: a number of NumPy's has ``__getitem__``, but is no sequence for that."""
    if len(args) == 1 and isinstance(args[0], Tensor) and getattr(args[0], "_scalar", False):
        return builtins.iter(plain_of(args[0]))  # raises
    return builtins.iter(*args)


_iterator.in_place_of = builtins.iter  # type: ignore[attr-defined]
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "max": _sharing(builtins.max),
    "min": _sharing(builtins.min),
    "sum": _summed,
    "iter": _iterator,
}
