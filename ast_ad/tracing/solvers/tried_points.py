"""Is a function smooth where it is least? What the minimiser has seen of it near there tells.

At a kink (a distance that is zero, the larger of two) the gradient is not zero, and the second derivative is
noise: Newton's step from there can be as short as from a minimum. But on one side the function then rises
where its derivatives say that it falls, or by another amount. The points are those that the solver has tried:
the question takes no call of the user's function.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ..traced_array import plain

LAST = 128  # points that are kept: the solver ends near the minimum
NEAR = 1e-2  # of the size of a coordinate and 1: what is farther away tells nothing
ROUNDED = 1e-7  # of the size of a coordinate: a step as short as this is mostly rounding
NOISE = 1e-9  # of the function's value: a change that is smaller may be rounding
WINDOW = 100.0  # rises up to so many times the smallest one that counts are compared


class Tried:
    """The last points at which a function was called, with what it returned."""

    def __init__(self) -> None:
        self.points: deque[tuple[Any, Any]] = deque(maxlen=LAST)

    def watching(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, of which points and values are kept, copied: solvers write to their points.

        They are plain, but for a solver that hands the function to another one.
        """

        def watched(x: Any, *args: Any, **kwargs: Any) -> Any:
            at = np.array(plain(x))
            value = function(x, *args, **kwargs)
            first = value[0] if isinstance(value, (tuple, list)) else value  # with its slope behind it
            self.points.append((at, plain(first)))
            return value

        return watched

    def near(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The steps to points near a minimum, as rows, and the values there."""
        steps, values = [], []
        for at, value in self.points:
            if np.size(at) != x.size or np.size(value) != 1 or np.iscomplexobj(value):
                continue  # many points at once
            step = np.reshape(at, x.size) - x
            within = np.all(np.abs(step) <= NEAR * (1.0 + np.abs(x)))
            if within and np.any(np.abs(step) > ROUNDED * np.abs(x)):
                steps.append(step)
                values.append(float(np.reshape(value, ())))
        return np.array(steps, float).reshape(-1, x.size), np.array(values)


def kink(tried: Tried, x: Any, cost: float, slope: np.ndarray, curvature: np.ndarray) -> str:
    """What tells that a function has a kink where it is least, or nothing.

    Args:
        tried: the points.
        x: the minimum, of n numbers.
        cost: the function there.
        slope, curvature: its first derivatives there, (n,), and its second ones, (n, n).
    """
    x = np.reshape(np.asarray(x, float), -1)
    steps, values = tried.near(x)
    with np.errstate(all="ignore"):
        rise = values - cost
        told = steps @ slope + 0.5 * np.sum(steps @ curvature * steps, 1)
        rounding = (np.abs(slope) + np.abs(steps) @ np.abs(curvature)) @ np.abs(x)
        noise = NOISE * (np.abs(values) + abs(cost)) + 16 * np.finfo(float).eps * rounding
        larger = np.maximum(np.abs(rise), np.abs(told))
        counts = np.isfinite(larger) & (larger > noise)
        counts &= larger <= WINDOW * np.min(larger, where=counts, initial=np.inf)
        apart = counts & (np.abs(rise - told) > 0.5 * larger + noise)
    if not np.any(apart):
        return ""
    worst = int(np.argmax(np.where(apart, np.abs(rise - told) / larger, 0.0)))
    return f"{rise[worst]:.3g} where its derivatives tell {told[worst]:.3g}"
