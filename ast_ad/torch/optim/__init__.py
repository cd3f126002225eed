"""How do parameters follow their gradients? PyTorch's optimisers, and pure ones for dicts of arrays.

The classes take what PyTorch's take, and also nested containers of arrays, which they update in place:

>>> import numpy as np
>>> import ast_ad
>>> params = {"w": np.array([1.0, 2.0]), "b": np.array(0.5)}
>>> optimizer = ast_ad.optim.SGD(params, lr=0.1)
>>> optimizer.step({"w": np.array([1.0, 1.0]), "b": np.array(2.0)})
>>> params
{'w': array([0.9, 1.9]), 'b': array(0.3)}

``optim.pure`` has the same rules as functions that change nothing; ``optim.lr_scheduler`` changes rates.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Which module defines a name.
_HOMES = {
    "Optimizer": "optimizer",
    "SGD": "sgd",
    "ASGD": "asgd",
    "Rprop": "rprop",
    "Adagrad": "adagrad",
    "Adafactor": "adafactor",
    "Adadelta": "adadelta",
    "RMSprop": "rmsprop",
    "Adam": "adam",
    "AdamW": "adam",
    "Adamax": "adamax",
    "NAdam": "nadam",
    "RAdam": "radam",
    "Muon": "muon",
    "LBFGS": "lbfgs",
}
_MODULES = {*_HOMES.values(), "lr_scheduler", "swa_utils", "pure"}

__all__ = sorted([*_HOMES, "lr_scheduler", "pure"])


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        found = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = found
        return found
    if name in _MODULES and not name.startswith("__"):
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
