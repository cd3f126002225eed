"""What a solver did, repeated as plain code: the compiler reads it, with the user's function in it.

Each takes that function first. Where it is compiled, thousands of its calls are one operation of a graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def residual(f: Any, x: Any, args: tuple[Any, ...]) -> Any:
    """The numbers of ``f(x, *args)``."""
    return np.reshape(np.asarray(f(x, *args)), -1)


def explicit_steps(
    f: Any, y0: Any, begins: Any, lengths: Any, args: tuple[Any, ...], a: Any, b: Any, c: Any
) -> Any:
    """The states of ``y' = f(t, y, *args)`` before and after each step of an explicit Runge-Kutta method.

    Args:
        y0: the first state, of n numbers.
        begins, lengths: of the m steps.
        a, b, c: the method's coefficients: of the slopes before a stage, of all slopes, and the places.

    Returns:
        m + 1 rows of n.
    """
    states = np.empty((len(lengths) + 1, len(y0)))
    slopes = np.empty((len(b), len(y0)))
    states[0] = y0
    for n in range(len(lengths)):
        t, h, y = begins[n], lengths[n], states[n].copy()
        slopes[0] = f(t, y, *args)
        for s in range(1, len(b)):
            slopes[s] = f(t + c[s] * h, y + h * (a[s, :s] @ slopes[:s]), *args)
        states[n + 1] = y + h * (b @ slopes)
    return states


def values_at(f: Any, times: Any, points: Any, args: tuple[Any, ...]) -> Any:
    """``f(times[i], points[i], *args)`` as rows."""
    found = np.empty(points.shape)
    for i in range(len(times)):
        found[i] = f(times[i], points[i].copy(), *args)
    return found


def values_at_swapped(f: Any, times: Any, points: Any, args: tuple[Any, ...]) -> Any:
    """The same of a function whose first argument is the point."""
    found = np.empty(points.shape)
    for i in range(len(times)):
        found[i] = f(points[i].copy(), times[i], *args)
    return found


def weighted_sum(f: Any, points: Any, weights: Any, args: tuple[Any, ...]) -> Any:
    """The sum of ``weights[i] * f(points[i], *args)``."""
    total = 0.0
    for i in range(len(points)):
        total += weights[i] * f(points[i], *args)
    return total
