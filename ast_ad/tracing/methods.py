"""Where do programs stand in the place of a library's methods while a function is traced? In the classes.

An interpolator may be an argument, a global or made by the function itself: its class leads to the method in
all cases. What is called with plain arrays, in this thread or in others, runs the library's own code.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

from ..eager.slices.slices import on_tensors
from ..eager.state import state
from ..eager.tensor import Tensor
from ..rules.registry import followed_methods


class ClassNamespace(dict[str, Any]):
    """The methods of a class, as a namespace of its own."""

    def __init__(self, cls: type) -> None:
        self.cls = cls

    def get(self, name: str, default: Any = None) -> Any:
        return vars(self.cls).get(name, default)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self.cls, name, value)


def methods(made: Callable[[Any], Any]) -> list[tuple[dict[str, Any], str, Any, Any]]:
    """Namespaces, names, what stands there, and what replaces it; ``made``: see ``program_or_original``."""
    return _methods(len(followed_methods()), made)


@functools.lru_cache(1)
def _methods(known: int, made: Callable[[Any], Any]) -> list[tuple[dict[str, Any], str, Any, Any]]:
    found: list[tuple[dict[str, Any], str, Any, Any]] = []
    for fn, program in followed_methods().items():
        owner = _owner(fn)
        if owner is not None:
            found.append((ClassNamespace(owner), fn.__name__, fn, program_or_original(fn, program, made)))
    return found


def _owner(fn: Any) -> type | None:
    """The class in which a method is defined."""
    name, _, _ = fn.__qualname__.rpartition(".")
    owner = getattr(sys.modules.get(fn.__module__), name, None)
    return owner if isinstance(owner, type) and vars(owner).get(fn.__name__) is fn else None


def program_or_original(
    original: types.FunctionType, program: Callable[..., Any], made: Callable[[Any], Any]
) -> Callable[..., Any]:
    """A function that runs the program where a traced array is among its arguments, or in its object.

    ``made``: what a call with constants returns, as a new array that may be written to.
    """

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if state.tracing and any(map(_leads_to_traced, (*args, *kwargs.values()))):
            return on_tensors(program)(*args, **kwargs)
        before, state.tracing = state.tracing, 0  # what the library makes for itself is no part of the trace
        try:
            found = original(*args, **kwargs)
        finally:
            state.tracing = before
        return made(found) if before else found

    call.in_place_of = original  # type: ignore[attr-defined]
    return call


def _leads_to_traced(value: Any) -> bool:
    if isinstance(value, Tensor):
        return True
    if isinstance(value, (list, tuple)):
        return any(map(_leads_to_traced, value))
    if not (type(value).__module__ or "").startswith("scipy."):
        return False
    slots = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
    held = [getattr(value, name, None) for name in slots] + list(getattr(value, "__dict__", {}).values())
    return any(isinstance(v, Tensor) or isinstance(v, (list, tuple)) and _leads_to_traced(v) for v in held)
