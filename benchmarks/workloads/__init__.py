"""What is timed? One module for each workload, see ``Workload`` for what it holds."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]


class Workload:
    """A module of this package: a function as users write it, arguments, and gradients by other means.

    A module has ``primal``, ``arguments(**size)``, ``SIZE`` and ``TINY`` (sizes for timing and for tests),
    and ``WRT``, the positions of the arguments that have a gradient. Most have ``hand``, a gradient in Numba
    that returns the value and the gradients in one tuple. For other tools they have ``generic(np)``, which
    makes the function of a module with NumPy's names, or ``jax_version()``, ``torch_version()`` and
    ``autograd_version()``; ``WITHOUT`` tells why a tool has none. ``UNSEEN`` marks the functions that the
    compiler has not been tuned for; ``TOLERANCE`` is how much gradients may differ in single precision.

    >>> workload("rosenbrock").title
    'Rosenbrock, slices'
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.module = importlib.import_module(f"{__name__}.{name}")
        first, _, _ = (self.module.__doc__ or name).partition(":")
        self.title = first
        self.primal: Function = self.module.primal
        self.wrt: tuple[int, ...] = self.module.WRT
        self.hand: Function | None = getattr(self.module, "hand", None)
        self.tolerance: float = getattr(self.module, "TOLERANCE", 1e-8)

    def arguments(self, tiny: bool = False) -> tuple[Any, ...]:
        return self.module.arguments(**(self.module.TINY if tiny else self.module.SIZE))

    def version(self, tool: str, numpy: str) -> Function:
        """The function as written for a tool, whose module with NumPy's names is ``numpy``."""
        if own := getattr(self.module, f"{tool}_version", None):
            return own()
        if generic := getattr(self.module, "generic", None):
            return generic(importlib.import_module(numpy))
        raise NotImplementedError(getattr(self.module, "WITHOUT", {}).get(tool, "not written"))


def workload(name: str) -> Workload:
    return Workload(name)


def names(unseen: bool = False) -> list[str]:
    """Those of the workloads that are timed by default, or of the unseen ones."""
    found = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [name for name in found if getattr(workload(name).module, "UNSEEN", False) == unseen]
