"""How does a program run at the speed of compiled loops? As kernels that Numba compiles, and a driver.

``compile_numba`` is the whole back end, a line a stage. ``prepare(function) -> Function`` comes first, the
pure passes, each with the reason for its place in its own module; then ``write_in_place``, ``partition`` and
``emit_module``.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import AdError
from ..arrays.in_place import write_in_place
from ..elements.small_arrays import small_arrays
from ..emit.load import load_module
from ..emit.python import emit_module
from ..ir.ops import Function, Statement
from ..loops.loop_fusion import fuse_loops
from ..loops.tape_elision import read_final
from ..loops.tape_layout import typed_tapes
from ..simplify.expand_definitions import expand
from .lowering import (
    extrema,
    joined,
    linear_algebra,
    new_arrays as creation,
    partial_writes as writes,
    products,
    reductions,
    scans,
    views,
)
from .lowering.definitions import DEFINITIONS
from .lowering.lowering import has_form, is_pointwise
from .nests.regions import Unsupported
from .partition.allocations import uses_arrays_only
from .partition.partition import Parts, partition
from .partition.rounding import cancels
from .runtime import Mismatch, exact_kernel, kernel, lean_kernel, overlapping_kernel
from .threads import parallel_kernel
from .vector_math import CACHE_TAG

# Imported for what they register.
_FORMS = creation, extrema, joined, linear_algebra, products, reductions, scans, views, writes


class NotCompiled(AdError):
    """Nothing of a program is for Numba."""


@dataclass
class Program:
    """A program that was compiled: the function, its source, and what of it stayed with NumPy."""

    run: Callable[..., Any]
    text: str
    refused: list[tuple[Statement | None, str]] = field(default_factory=list)


def compile_numba(
    function: Function,
    owned: Collection[int] = (),
    fresh: Collection[int] = (),
    name: str | None = None,
    parallel: bool = False,
    dropped: Collection[tuple[str, int]] = (),
) -> Program:
    """Compile a program for Numba.

    Args:
        function: pure IR.
        owned: positions of parameters that it may overwrite.
        fresh: positions of results that the caller gets for keeps.
        name: what the generated function is called.
        parallel: whether independent loops run in threads.
        dropped: files and lines of statements that stay with NumPy.

    Raises:
        NotCompiled: it has no part that kernels can do.
    """
    name = name or function.name
    prepared = prepare(function)
    placed = write_in_place(prepared, owned, fresh)
    parts = partition(placed, f"{name}_kernel", parallel=parallel, dropped=dropped)
    if not parts.kernels:
        raise NotCompiled("nothing for kernels: " + "; ".join(sorted({why for _, why in parts.refused})))
    parts.driver.name = name
    emitted = emit_module(
        [*parts.kernels, parts.driver],
        header=f"kernels {stamp()}",
        decorators=decorators(parts),
        local=parts.calls,
    )
    module = load_module(emitted.text, emitted.injected, name, dict(emitted.lines))
    return Program(getattr(module, name), emitted.text, parts.refused)


def decorators(parts: Parts) -> dict[str, Callable[..., Any]]:
    """What compiles each kernel."""
    return {k.name: _decorator(k, parts) for k in parts.kernels}


def _decorator(written: Function, parts: Parts) -> Callable[..., Any]:
    if written.name in parts.threaded:
        return parallel_kernel
    if cancels(written):
        return exact_kernel
    if written.name in parts.overlapping:
        return overlapping_kernel
    return lean_kernel if uses_arrays_only(written) else kernel


@functools.cache
def stamp() -> str:
    """A hash of what machine code depends on beside its source: what kernels call, and the vector library.

    In the source, it is part of the name under which machine code is kept.
    """
    files = sorted(Path(__file__).parent.glob("*.py"))
    parts = [CACHE_TAG.encode(), *(file.read_bytes() for file in files)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


def prepare(function: Function) -> Function:
    """The pure program in the form that kernels like best."""
    small = expand(small_arrays(function), DEFINITIONS, has_form, is_pointwise)
    return typed_tapes(read_final(fuse_loops(small)))


__all__ = ["Mismatch", "NotCompiled", "Program", "Unsupported", "compile_numba"]
