"""When do kernels give what NumPy gives? The same types, shapes and, to rounding, numbers."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import ast_ad

from .running import HANDED_BACK, Record, watched
from .typed import Untrue

TOLERANCE = {"float64": 1e-10, "complex128": 1e-10, "float32": 2e-4, "complex64": 2e-4}


def outcome(function: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    """What a call gives, or its error."""
    try:
        with np.errstate(all="ignore"):
            return function(), None
    except Exception as error:
        return None, error


def differ(got: Any, wanted: Any, least: float = 0.0) -> str:
    """How two results differ; nothing if they don't. ``least``: the error that is allowed in any case."""
    if isinstance(wanted, (tuple, list)):
        if type(got) is not type(wanted) or len(got) != len(wanted):
            return f"{got!r} instead of {wanted!r}"
        return next(filter(None, (differ(a, b, least) for a, b in zip(got, wanted, strict=True))), "")
    if isinstance(wanted, dict):
        return differ(list(got.values()), list(wanted.values()), least)
    if type(got) is not type(wanted) and not _both_numbers(got, wanted):
        return f"{type(got)} instead of {type(wanted)}: {got!r}, {wanted!r}"
    if wanted is None or isinstance(wanted, (bool, str, int)):
        return "" if got == wanted else f"{got!r} instead of {wanted!r}"
    a, b = np.asarray(got), np.asarray(wanted)
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{a.dtype}{list(a.shape)} instead of {b.dtype}{list(b.shape)}"
    if b.dtype.kind not in "fc":
        return "" if np.array_equal(a, b) else f"{a} instead of {b}"
    near = max(least, TOLERANCE[b.dtype.name])
    with np.errstate(all="ignore"):
        largest = max(1.0, np.max(np.abs(b), initial=0.0, where=np.isfinite(b)))
        right = np.allclose(a, b, rtol=near, atol=near * largest, equal_nan=True)
    return "" if right else f"{a}\ninstead of\n{b}"


def _both_numbers(got: Any, wanted: Any) -> bool:
    """Python's, NumPy's, or arrays without axes: NumPy itself is not of one mind in adjoints."""
    return all(
        isinstance(x, (float, complex, np.inexact, np.ndarray)) and np.ndim(x) == 0 for x in (got, wanted)
    )


def compare(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    how: str = "compiled",
    record: Record | None = None,
    **options: Any,
) -> str:
    """How the derivative with kernels differs from NumPy's: in value, gradient, error or changed arguments.

    An error of the generator, and one of kernels where NumPy has none, are differences too.
    """
    make = options.pop("make", ast_ad.value_and_grad)
    times = options.pop("times", 2)
    least = 1e-5 if any(np.result_type(a).name in ("float32", "complex64") for a in args) else 0.0
    wanted, error = outcome(
        lambda: make(f, backend="numpy", fallback="error", **options)(*copy.deepcopy(args))
    )
    if isinstance(error, ast_ad.AdError):  # the lengths that kernels know may tell more
        wanted, error = outcome(lambda: make(f, backend="numpy", **options)(*copy.deepcopy(args)))
    with watched(how) as found:
        derivative = make(f, backend="numba", fallback="error", **options)
        for _ in range(times):
            given = copy.deepcopy(args)
            try:
                got, problem = outcome(lambda given=given: derivative(*given))
            except Untrue:
                if error is not None:  # of a call that fails the types tell nothing
                    return ""
                raise
            why = _difference(got, problem, wanted, error, least)
            if why:
                return why
            if differ(given, args):
                return f"the arguments were changed to {given}"
    if record is not None:
        _add(record, found)
    if found.broken and error is None:  # errors of the user's code are found at any stage
        return "the generator: " + found.broken[0]
    unexpected = [e for e in found.dropped if not isinstance(e, HANDED_BACK)]
    return f"the kernels: {type(unexpected[0]).__name__}: {unexpected[0]}" if unexpected else ""


def _difference(got: Any, problem: Any, wanted: Any, error: Any, least: float) -> str:
    if isinstance(problem, ast_ad.AdError):
        return ""
    if (problem is None) != (error is None):
        return f"{problem!r} instead of {error!r}"
    if problem is not None:
        return "" if type(problem) is type(error) else f"{problem!r} instead of {error!r}"
    return differ(got, wanted, least)


def _add(record: Record, found: Record) -> None:
    record.kernels += found.kernels
    record.without += found.without
    record.refused += found.refused
    record.broken += found.broken
    record.dropped += found.dropped
