"""What else do training loops need? Clipping of gradients, parameters as one vector, padded sequences."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = ("parametrizations", "parametrize", "rnn", "stateless")
# Whose names are also names of this package.
_PUBLISHING = (
    "clip_grad", "convert_parameters", "fusion", "init", "weight_normalization", "spectral_normalization",
)  # fmt: skip


def _names() -> dict[str, Any]:
    found: dict[str, Any] = {
        name: import_module(f".{name}", __package__) for name in (*_MODULES, *_PUBLISHING)
    }
    for name in _PUBLISHING:
        found |= {k: getattr(found[name], k) for k in found[name].__all__}
    return found


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _MODULES or name in _PUBLISHING:
        return import_module(f".{name}", __package__)
    names = _names()
    if name not in names:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update(names)
    return names[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *_names()})
