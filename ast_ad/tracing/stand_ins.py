"""Which programs run in the place of functions, methods and classes while a function is traced, and where?

Functions and classes are replaced by name, as all that traced code finds; a method in its class, which leads
to it from an argument, a global, or what the function itself has made. What is called with plain arrays, in
this thread or in others, runs the library's own code.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..eager.dispatch import needs_grad, plain_of
from ..eager.slices.slices import on_tensors
from ..eager.state import state
from ..eager.tensor import Tensor
from ..homes import home_of
from ..rules.standing import PACKAGE, Standing, traced_programs

Made = Callable[[Any], Any]  # what a call with constants returns, as a new array that may be written to


class _ClassInPlace(type):
    """The type of a class in the place of another one, whose program is a class, too."""

    _original: Any
    _program: Any
    _run: Callable[..., Any]

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls._run(*args, **kwargs)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, (cls._original, cls._program))

    def __subclasscheck__(cls, kind: Any) -> bool:
        return issubclass(kind, (cls._original, cls._program))


def stand_in(standing: Standing, made: Made) -> Any:
    """What stands in the place of the original: that itself, but for what is traced."""
    original, program = standing.original, standing.program

    @functools.wraps(original if isinstance(original, types.FunctionType) else program)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if standing.copies and state.tracing and not any(_leads(v, _varies) for v in given):
            args, kwargs = tuple(map(_plain, args)), {name: _plain(v) for name, v in kwargs.items()}
        elif _runs(standing, args, kwargs):
            # those of the package find what they call replaced, by name
            run = program if home_of(program).startswith(PACKAGE) else on_tensors(program)
            return run(*args, **kwargs)
        before, state.tracing = state.tracing, 0  # what the library makes for itself is no part of the trace
        try:
            found = original(*args, **kwargs)
        finally:
            state.tracing = before
        return made(found) if before else found

    if isinstance(original, type) and isinstance(program, type):
        space = {"_original": original, "_program": program, "_run": staticmethod(call)}
        return _ClassInPlace(
            original.__name__, (), {**_functions(original), **space, "in_place_of": original}
        )
    call.in_place_of = original  # type: ignore[attr-defined]
    return call


def _functions(cls: type) -> dict[str, Any]:
    """What classes that are derived from a class ask it for: ``np.poly1d.__init__(self, roots)``."""
    inherited = {k: v for base in reversed(cls.__mro__[:-1]) for k, v in vars(base).items()}
    return {k: v for k, v in inherited.items() if isinstance(v, types.FunctionType)}


def _runs(standing: Standing, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the program is run."""
    if not state.tracing:
        return False
    if any(_leads(v, _is_traced) for v in (*args, *kwargs.values())):
        return True
    return standing.also(*args, **kwargs) if callable(standing.also) else standing.also


def _is_traced(value: Any) -> bool:
    return isinstance(value, Tensor)


def _varies(value: Any) -> bool:
    return isinstance(value, Tensor) and needs_grad(value)


def _plain(value: Any) -> Any:
    """A copy of what is traced, though constant."""
    if isinstance(value, (list, tuple)):
        return value if not _leads(value, _is_traced) else type(value)(map(_plain, value))
    plain = plain_of(value) if isinstance(value, Tensor) else value
    return plain.copy() if plain is not value and isinstance(plain, np.ndarray) else plain


def _leads(value: Any, test: Callable[[Any], bool]) -> bool:
    """Whether a value, or one that it holds, passes a test."""
    if isinstance(value, Tensor):
        return test(value)
    if isinstance(value, (list, tuple)):
        return any(_leads(v, test) for v in value)
    if not home_of(type(value)).startswith("scipy."):
        return False
    slots = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
    held = [getattr(value, name, None) for name in slots] + list(getattr(value, "__dict__", {}).values())
    return any(isinstance(v, (Tensor, list, tuple)) and _leads(v, test) for v in held)


# ----- where they stand


def named(made: Made) -> list[tuple[Any, Any]]:
    """The functions and classes that are replaced by name, and what replaces them."""
    return [(one.original, stand_in(one, made)) for one in traced_programs() if not _is_method(one.original)]


class ClassNamespace(dict[str, Any]):
    """The methods of a class, as a namespace of its own."""

    def __init__(self, cls: type) -> None:
        self.cls = cls

    def get(self, name: str, default: Any = None) -> Any:
        return vars(self.cls).get(name, default)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self.cls, name, value)


def methods(made: Made) -> list[tuple[dict[str, Any], str, Any, Any]]:
    """Classes as namespaces, names, the methods that stand there, and what replaces them."""
    return _methods(len(traced_programs()), made)


@functools.lru_cache(1)
def _methods(known: int, made: Made) -> list[tuple[dict[str, Any], str, Any, Any]]:
    found: list[tuple[dict[str, Any], str, Any, Any]] = []
    for one in traced_programs():
        owner = _owner(one.original) if _is_method(one.original) else None
        if owner is not None:
            by = stand_in(one, made)
            names = [name for name, method in vars(owner).items() if method is one.original]  # aliases, too
            found += [(ClassNamespace(owner), name, one.original, by) for name in names]
    return found


def _is_method(original: Any) -> bool:
    return isinstance(original, types.FunctionType) and "." in original.__qualname__


def _owner(method: types.FunctionType) -> type | None:
    """The class in which a method is defined."""
    name, _, _ = method.__qualname__.rpartition(".")
    owner = getattr(sys.modules.get(home_of(method)), name, None)
    return owner if isinstance(owner, type) and vars(owner).get(method.__name__) is method else None
