"""Which programs run in the place of functions and classes of NumPy's while a function is traced?"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..eager.state import state
from ..eager.tensor import Tensor


class _Standing(type):
    """The type of a class in the place of one of NumPy's, ``_original``; its objects are of ``_program``."""

    _original: Any
    _program: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return (cls._program if _stands(cls._original, args) else cls._original)(*args, **kwargs)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, (cls._original, cls._program))

    def __subclasscheck__(cls, kind: Any) -> bool:
        return issubclass(kind, (cls._original, cls._program))


def stand_in(original: Any, program: Callable[..., Any]) -> Any:
    """What stands in the place of a function or a class of NumPy's: the original, but for what is traced."""
    if isinstance(original, type) and isinstance(program, type):
        return _Standing(original.__name__, (), {"_original": original, "_program": program})

    @functools.wraps(program)
    def call(*args: Any, **kwargs: Any) -> Any:
        return (program if _stands(original, args) else original)(*args, **kwargs)

    return call


def _stands(original: Any, args: tuple[Any, ...]) -> bool:
    """Whether the program is run. Masked arrays are its own from the start: they may get what is traced."""
    module = getattr(original, "__module__", None) or type(original).__module__
    return state.tracing > 0 and (module.startswith("numpy.ma") or any(map(_asks, args)))


def _asks(value: Any) -> bool:
    """Whether it is traced, or an array that is yet to be made."""
    return (
        any(part is None or _asks(part) for part in value)
        if isinstance(value, (list, tuple))
        else isinstance(value, Tensor)
    )
