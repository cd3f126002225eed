"""Is an elementwise derivative right at 0, at the ends of the domain, near them, and far out?

Where the differences from the left and from the right converge, the derivative lies between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..extrapolation import one_sided
from ..rules.registry import Primitive
from .direct import is_inexact, require
from .samples import Sample

POINTS = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 30.0, -30.0, 800.0, -800.0]
    + [1e-9, -1e-9, 1e-4, np.inf, -np.inf]
)


def judged(f: Any, x: float, value: float, slope: float) -> str:
    """What is wrong at a point; empty if nothing is."""
    if not np.isfinite(value):
        return ""
    if np.isinf(x):
        return "" if slope == 0 else f"{slope} at {x}"
    found = [s for s in (one_sided(f, x, -1), one_sided(f, x, 1)) if s is not None]
    if not found:
        return ""
    margin = 1e-3 * max(1.0, *map(abs, found))
    inside = min(found) - margin <= slope <= max(found) + margin
    return "" if inside else f"{slope} at {x}, differences {found}"


def check_points(primitive: Primitive, fn: Callable[..., Any], sample: Sample) -> None:
    """Raise AssertionError where a real elementwise operation has a wrong derivative at a point of POINTS.

    So, too, at the ends of the domain. Each real argument for which the sample asks takes these values in
    turn; the others, integers among them, are those of the sample, of arrays the first element. NaN is wrong
    where the differences from one side converge. A partial derivative that has no formula is not asked for.
    """
    if any(np.iscomplexobj(x) or not np.size(x) for x in sample.args):
        return
    first = [np.ravel(x)[0] if np.ndim(x) else x for x in sample.args]
    for position, x in enumerate(sample.args):
        if is_inexact(x) and (sample.wrt is None or position in sample.wrt):
            _check_argument(primitive, fn, first, position)


def _check_argument(primitive: Primitive, fn: Callable[..., Any], args: list[Any], position: int) -> None:
    def at(x: float) -> list[Any]:
        return [*args[:position], np.float64(x), *args[position + 1 :]]

    def value(x: float) -> float:
        try:
            return float(fn(*at(x)))
        except (ArithmeticError, ValueError):  # as those of ``math`` do outside of their domain
            return np.nan

    for x in [*POINTS.tolist(), *ends_of_domain(value)]:
        here = value(x)
        slope = _slope(primitive, here, at(x), position)
        problem = judged(value, x, here, slope) if slope is not None else ""
        require(not problem, f"argument {position}: the derivative is {problem}")


def ends_of_domain(f: Callable[[float], float]) -> list[float]:
    """The last points, next to those of POINTS, at which a function has a finite value, found by bisection.

    >>> import math
    >>> ends_of_domain(lambda x: math.sqrt(1 - x * x) if abs(x) <= 1 else math.nan)
    [-1.0, 1.0]
    """
    found = []
    points = sorted({float(x) for x in POINTS if np.isfinite(x)})
    for a, b in zip(points, points[1:], strict=False):
        if np.isfinite(f(a)) == np.isfinite(f(b)):
            continue
        inside, outside = (a, b) if np.isfinite(f(a)) else (b, a)
        for _ in range(60):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if np.isfinite(f(middle)) else (inside, middle)
        found.append(inside)
    return found


def _slope(primitive: Primitive, value: float, args: Sequence[Any], position: int) -> float | None:
    """What the rule says at a point; None where it has no formula."""
    assert primitive.rule is not None
    try:
        partials = primitive.rule(np.float64(value), *args)
    except (ArithmeticError, ValueError):
        return np.nan
    partials = partials if isinstance(partials, tuple) else (partials,)
    partial = partials[position] if position < len(partials) else None
    if partial is NotImplemented:
        return None
    return 0.0 if partial is None else float(partial)
