"""How soon does machine code of an earlier process run? Without the compiler's tables, of no use to it.

Numba fills its tables of types and implementations before it looks into its cache, which takes longer than
all the rest. Code that is found there needs the memory management of Numba's runtime only; where nothing is
found, Numba fills its tables then and compiles.
"""

from __future__ import annotations

import types
from typing import Any


def load_at_once(module: types.ModuleType) -> None:
    """Let the kernels of a generated module be loaded that way."""
    for kernel in vars(module).values():
        cache: Any = getattr(kernel, "_cache", None)
        if hasattr(kernel, "targetctx") and hasattr(cache, "_load_overload"):
            cache.load_overload = _Loader(cache)


class _Loader:
    """Takes the place of a cache's ``load_overload``."""

    def __init__(self, cache: Any) -> None:
        self.cache = cache

    def __call__(self, signature: Any, context: Any) -> Any:
        from numba.core.runtime.nrt import rtsys

        rtsys.initialize(context)
        with self.cache._guard_against_spurious_io_errors():
            return self.cache._load_overload(signature, context)
