"""Which names do users find? The tables of functions and methods, filled where the operations are defined.

``@function`` makes a name of the package (``ast_ad.exp``) and a method of tensors (``x.exp()``); ``@method``
only the latter; ``inplace_names`` adds ``x.exp_()``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .tensor import Tensor

FUNCTIONS: dict[str, Any] = {}
Function = Callable[..., Any]


def function(*names: str, method: bool = True) -> Callable[[Function], Function]:
    """Publish under ``names`` (default: its own) in the package, and as methods."""

    def publish(fn: Function) -> Function:
        for name in names or (fn.__name__,):
            FUNCTIONS[name] = fn
            if method:
                attach(name, fn)
        return fn

    return publish


def method(*names: str) -> Callable[[Function], Function]:
    """Publish under ``names`` (default: its own) as methods of tensors only."""

    def publish(fn: Function) -> Function:
        for name in names or (fn.__name__,):
            attach(name, fn)
        return fn

    return publish


def attach(name: str, fn: Any) -> None:
    """Make ``fn`` the tensors' method ``name``."""
    if name in Tensor.__dict__:
        raise ValueError(f"Tensor.{name} is defined already")
    setattr(Tensor, name, fn)
