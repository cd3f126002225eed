"""Which functions do networks consist of? PyTorch's ``nn.functional``, on tensors and on arrays."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# The modules that define the functions: every public function defined in one of them is a name of this package.
DEFINING = ("linear", "activations", "losses", "convolution", "pooling", "normalization", "regularization",
            "embedding", "attention", "shaping", "distances")  # fmt: skip


def _names() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in DEFINING:
        module = import_module(f".{name}", __package__)
        found |= {k: getattr(module, k) for k in module.__all__}
    return found


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    names = _names()
    if name not in names:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update(names)
    return names[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *_names()})
