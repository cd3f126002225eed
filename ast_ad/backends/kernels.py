"""What do generated kernels import? The decorator that compiles them, and what they call to check and to compute.

Everything here is either for the module level of a generated file or can be called from compiled code.
"""

from __future__ import annotations

import os
from typing import Any

import numba
import numpy as np
from numba.core.compiler import Compiler

FLAGS = {"reassoc", "contract", "nsz", "arcp"}
"""What LLVM may do with floating-point numbers: reorder sums and products; infinities and NaN stay what they are."""


class Mismatch(Exception):
    """What a kernel takes for granted does not hold in this call; the NumPy program answers it."""


class _Apart(Compiler):  # type: ignore[misc]
    """Tells LLVM that no array that a function writes to overlaps with another argument."""

    def define_pipelines(self) -> Any:
        self.state.flags.noalias = True
        return super().define_pipelines()


def kernel(function: Any) -> Any:
    """Compile a generated function on its first call, or take what another process has compiled.

    What it writes to must overlap with no other argument.
    """
    return _compiled(function, pipeline_class=_Apart)


def overlapping_kernel(function: Any) -> Any:
    """``kernel`` for a function whose arguments may overlap."""
    return _compiled(function)


def _compiled(function: Any, **options: Any) -> Any:
    kept = os.path.exists(function.__code__.co_filename)  # not where the user wants no files
    return numba.njit(error_model="numpy", fastmath=FLAGS, cache=kept, **options)(function)


@numba.njit(error_model="numpy", inline="never")
def require(condition: bool) -> None:
    """Stop the kernel if a condition does not hold."""
    if not condition:
        raise Mismatch


@numba.njit(error_model="numpy")
def position(i: int, n: int) -> int:
    """Where the element ``i`` of ``n`` lies; counted from the end where it is negative."""
    if i < 0:
        i += n
    if i < 0 or i >= n:
        raise Mismatch
    return i


@numba.njit(error_model="numpy")
def bound(i: int, n: int) -> int:
    """A bound of a slice with a positive step, within ``n`` elements."""
    if i < 0:
        i += n
    return min(max(i, 0), n)


@numba.njit(error_model="numpy")
def small(i: int) -> int:
    """An integer that is far from overflow, so that a sum of two such does not overflow."""
    if i > 4611686018427387903 or i < -4611686018427387903:
        raise Mismatch
    return i


@numba.njit(error_model="numpy")
def product(a: int, b: int) -> int:
    """``a * b`` of integers; Python's don't overflow, so a product that would is left to Python."""
    if abs(float(a) * float(b)) > 4e18:
        raise Mismatch
    return a * b


@numba.njit(error_model="numpy")
def defined(x: float) -> float:
    """``x``, which Python computes without an exception if it is finite."""
    if not (x - x == 0.0):
        raise Mismatch
    return x


@numba.njit(error_model="numpy")
def nonzero(x: Any) -> Any:
    """A divisor of Python's own, which must not be zero."""
    if x == 0:
        raise Mismatch
    return x


@numba.njit(error_model="numpy")
def span(start: int, stop: int, step: int) -> int:
    """How many elements a slice with a positive step has."""
    return max(0, (stop - start + step - 1) // step)


@numba.njit(error_model="numpy")
def turns(start: int, stop: int, step: int) -> int:
    """How many numbers ``range(start, stop, step)`` has."""
    return max(0, (stop - start + step - (1 if step > 0 else -1)) // step)


@numba.njit(error_model="numpy")
def reserve(array: Any, length: int) -> Any:
    """``rules.helpers.reserve``: an array with room for so many rows at least."""
    if length <= len(array):
        return array
    out = np.empty((max(length, 2 * len(array)),) + array.shape[1:], array.dtype)
    out[: len(array)] = array
    return out
