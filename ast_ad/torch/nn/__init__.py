"""What are networks made of? PyTorch's ``nn``: modules, parameters, functions, initialisation, on tensors."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = {"functional", "init", "utils", "modules", "parameter"}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    names = import_module(".modules", __name__).names()
    if name not in names:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update(names)
    return names[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *import_module(".modules", __name__).names()})
