"""Which modules are there? A module of this package per family, each listing its classes in ``__all__``."""

from __future__ import annotations

import functools
from importlib import import_module
from importlib.util import find_spec
from typing import Any

DEFINING = ("module", "containers", "linear", "activation", "loss", "conv", "pooling", "batchnorm",
            "normalization", "dropout", "sparse", "flatten", "padding", "upsampling", "distance",
            "rnn", "rnn_cells", "attention", "transformer", "lazy",
            "parallel")  # fmt: skip


@functools.cache
def names() -> dict[str, Any]:
    """All classes by name, with ``Parameter`` and ``Buffer``."""
    found: dict[str, Any] = {}
    present = [f".{one}" for one in DEFINING if find_spec(f"{__name__}.{one}")]
    for name in ("..parameter", *present):
        module = import_module(name, __package__)
        found |= {k: getattr(module, k) for k in module.__all__}
    return found


def __getattr__(name: str) -> Any:
    if name in DEFINING:
        return import_module(f".{name}", __name__)
    if name.startswith("__") or name not in names():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return names()[name]
