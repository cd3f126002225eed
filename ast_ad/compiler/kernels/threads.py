"""What do kernels with parallel loops call? A loop's turns are cut into chunks, one for each thread."""

from __future__ import annotations

import types
from typing import Any

import numba
import numpy as np
from numba import prange
from numba.core import types as numba_types
from numba.np.ufunc import parallel as layer

from .code_cache import keep_machine_code
from .compilers import Careful
from .runtime import FLAGS

LEAST = 100_000
"""Operations, by estimate, that a chunk has at least; a thread takes some microseconds to start."""
_LOOPS = {"fusion", "inplace_binop", "reduction", "setitem", "numpy", "comprehension", "stencil"}


def parallel_kernel(function: Any) -> Any:
    """Compile a generated function whose parallel loops run in threads."""
    _launch()  # defines the symbols that machine code refers to
    function.__code__ = _renamed(function.__code__)
    parallel: Any = {"prange": True, **dict.fromkeys(_LOOPS, False)}
    how: Any = {"fastmath": FLAGS, "pipeline_class": Careful, "parallel": parallel}
    dispatcher = numba.njit(error_model="numpy", **how)(function)
    keep_machine_code(dispatcher)
    return dispatcher


def _renamed(code: types.CodeType) -> types.CodeType:
    """The code without names like ``t_1``: Numba makes such of its own where ``t`` is assigned twice."""
    names = [name + "_" if name.rpartition("_")[2].isdigit() else name for name in code.co_varnames]
    while len(set(names)) < len(names):
        names = [name + "_" if name in names[:i] else name for i, name in enumerate(names)]
    return code.replace(co_varnames=tuple(names))


_launch: Any = layer._launch_threads
_threads: Any = numba_types.ExternalFunction("get_num_threads", numba_types.intp())
"""Numba's own function for that would keep what calls it out of the cache on disk."""


@numba.njit
def chunks(turns: int, work: float) -> int:
    """How many chunks a loop gets, whose turns have ``work`` operations each."""
    return max(1, min(turns, _threads(), int(min(turns * work / LEAST, 1e6))))


@numba.njit
def cut(chunk: int, chunks: int, turns: int) -> int:
    """The first turn of a chunk."""
    return chunk * (turns // chunks) + min(chunk, turns % chunks)


@numba.njit
def blocks(chunks: int) -> int:
    """How many blocks of turns there are where each chunk takes two."""
    return 1 if chunks == 1 else 2 * chunks


@numba.njit
def block(chunk: int, end: int, chunks: int) -> int:
    """A chunk's first block, or that which is as far from the last one."""
    first = int(np.intp(chunk))  # counters of parallel loops are unsigned: their differences would be floats
    return first if end == 0 else 2 * chunks - 1 - first


@numba.njit(forceinline=True)
def attempt(part: Any, args: Any) -> bool:
    """Run a chunk; whether all that it takes for granted holds. An exception must not leave its thread.

    It is always inlined: a call would pass the address of ``part``, and could not be kept on disk.
    """
    try:
        part(*args)
    except Exception:
        return False
    return True


@numba.njit
def copies(chunks: int, array: Any) -> Any:
    """Zeros of an array's shape for each chunk."""
    return np.zeros((chunks,) + array.shape, array.dtype)


@numba.njit
def copy_of(copies: Any, chunk: int) -> Any:
    """The copy that a chunk adds to."""
    return copies[chunk]


@numba.njit
def add_copies(array: Any, copies: Any) -> None:
    """Add what the chunks have summed, in their order."""
    for chunk in range(len(copies)):
        array += copies[chunk]


__all__ = [
    "add_copies",
    "attempt",
    "block",
    "blocks",
    "chunks",
    "copies",
    "copy_of",
    "cut",
    "parallel_kernel",
    "prange",
]
