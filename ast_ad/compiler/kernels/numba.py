"""How is each function of a program with kernels compiled? Kernels by kind, the driver where that is asked.

``stamp`` tells what machine code depends on beside its source.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from ..ir.ops import Function
from .lowering import (
    bands,
    extrema,
    joined,
    least_squares,
    library_calls,
    linear_algebra,
    log_sums,
    new_arrays as creation,
    orders,
    partial_writes as writes,
    products,
    reductions,
    reshapes,
    scans,
    scipy_calls,
    searches,
    splines,
    view_writes,
    views,
)
from .lowering.definitions import DEFINITIONS, ROWS_LIKE
from .lowering.lowering import has_form, is_pointwise
from .numbers.signed_zeros import lean_signless_kernel, signless_kernel
from .partition.allocations import uses_arrays_only
from .partition.compiled_driver import require_compiled
from .partition.partition import Parts
from .partition.rounding import cancels
from .runtime import exact_apart_kernel, exact_kernel, kernel, lean_kernel, overlapping_kernel
from .threads import parallel_kernel
from .vector_math import CACHE_TAG

# Imported for what they register.
_FORMS = (
    creation, extrema, joined, least_squares, library_calls, linear_algebra, orders, products, reductions,
    reshapes, scans, searches, views, view_writes, writes,
)  # fmt: skip


def decorators(parts: Parts, whole: bool) -> dict[str, Callable[..., Any]]:
    """What compiles each kernel, and the driver, if compiled code calls it."""
    return {k.name: _decorator(k, parts) for k in parts.kernels} | (_compiled_driver(parts) if whole else {})


def _decorator(written: Function, parts: Parts) -> Callable[..., Any]:
    if written.name in parts.threaded:
        return parallel_kernel
    overlaps = written.name in parts.overlapping
    if cancels(written):
        return exact_kernel if overlaps else exact_apart_kernel
    if overlaps:
        return overlapping_kernel
    if written.name in parts.signless:
        return lean_signless_kernel if uses_arrays_only(written) else signless_kernel
    return lean_kernel if uses_arrays_only(written) else kernel


@functools.cache
def stamp() -> str:
    """A hash of what machine code depends on beside its source: what kernels call, and the vector library.

    In the source, it is part of the name under which machine code is kept.
    """
    files = sorted(Path(__file__).parent.rglob("*.py"))
    parts = [CACHE_TAG.encode(), *(file.read_bytes() for file in files)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


def _compiled_driver(parts: Parts) -> dict[str, Callable[..., Any]]:
    """What compiles the driver, so that compiled code can call it.

    Raises:
        UnsupportedError: something in it stays with NumPy.
    """
    require_compiled(parts)
    return {parts.driver.name: driver}


def driver(function: Any) -> Any:
    """Compile the driver of some kernels."""
    return numba.njit(error_model="numpy")(function)


def why_left(parts: Parts) -> str:
    """Why statements stay with NumPy."""
    return "; ".join(sorted({why for _, why in parts.refused}))


def heading() -> str:
    """The first line of a module of kernels."""
    return f"kernels {stamp()}"


def forms() -> tuple[dict[Any, Any], Callable[..., bool], Callable[..., bool]]:
    """What kernels have a form for, and what stands for the rest, as ``expand`` takes it."""
    scipy_calls.register()
    splines.register()
    return {**DEFINITIONS, **log_sums.of_scipy(), **bands.of_scipy()}, has_form, is_pointwise


__all__ = [
    "ROWS_LIKE", "decorators", "driver", "forms", "heading", "why_left",
]  # fmt: skip
