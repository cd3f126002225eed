"""How far along a direction? To a point that fulfils the strong Wolfe conditions.

Bracketing and zooming with cubic interpolation: Nocedal and Wright, Numerical optimization (2006), algorithms
3.5 and 3.6; the constants and safeguards are those of Schmidt's minFunc, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

DECREASE = 1e-4  # c1: the part of the decrease that the slope promises which must come true
CURVATURE = 0.9  # c2: the part of the first slope to which the slope must have fallen
EXPANSION = 10  # how much further than the last step the next one may reach


class Point(NamedTuple):
    """A step size; there the loss, its gradient, and its slope along the direction."""

    t: Any
    loss: float
    grad: np.ndarray
    slope: Any


def interpolated(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Where the cubic through two points has its minimum, kept within ``bounds`` (default: between them).

    The middle of the bounds where the cubic has no minimum.
    """
    if a.t > b.t:
        a, b = b, a
    least, most = (a.t, b.t) if bounds is None else bounds
    mean = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = mean**2 - a.slope * b.slope
    if not square >= 0:
        return (least + most) / 2.0
    root = np.sqrt(square)
    best = b.t - (b.t - a.t) * ((b.slope + root - mean) / (b.slope - a.slope + 2 * root))
    return min(max(best, least), most)


class WolfeSearch:
    """A search from ``start`` (at step size 0), with at most ``limit`` further evaluations.

    Args:
        evaluate: ``evaluate(t)`` is the Point at step size t.
        start: the Point at 0.
        size: the largest element of the direction.
        limit: how many evaluations, after the first, are allowed.
        tolerance: the least change of an element that is worth a further evaluation.
    """

    def __init__(
        self, evaluate: Callable[[Any], Point], start: Point, size: Any, limit: int, tolerance: float
    ) -> None:
        self.evaluate, self.start, self.size = evaluate, start, size
        self.limit, self.tolerance = limit, tolerance
        self.rounds = 0

    def run(self, t: Any) -> tuple[Point, int]:
        """The point to go to, beginning with ``t``, and the number of evaluations."""
        found, bracket = self._bracket(self.evaluate(t))
        if found is None:
            found = self._zoom(*bracket)
        return found, self.rounds + 1

    def _too_high(self, p: Point) -> bool:
        return bool(p.loss > self.start.loss + DECREASE * p.t * self.start.slope)

    def _flat(self, p: Point) -> bool:
        return bool(abs(p.slope) <= -CURVATURE * self.start.slope)

    def _bracket(self, p: Point) -> tuple[Point | None, tuple[Point, Point]]:
        """A point that will do, or two that have one between them."""
        last = self.start
        while self.rounds < self.limit:
            if self._too_high(p) or (self.rounds > 1 and p.loss >= last.loss):
                return None, (last, p)
            if self._flat(p):
                return p, (p, p)
            if p.slope >= 0:
                return None, (last, p)
            t = interpolated(last, p, (p.t + 0.01 * (p.t - last.t), p.t * EXPANSION))
            last, p = p, self.evaluate(t)
            self.rounds += 1
        return None, (self.start, p)

    def _zoom(self, a: Point, b: Point) -> Point:
        """The lowest point found while the bracket shrinks around one that will do."""
        low, high = (a, b) if a.loss <= b.loss else (b, a)
        first_is_low = low is a
        near = False
        while self.rounds < self.limit and not abs(high.t - low.t) * self.size < self.tolerance:
            a, b = (low, high) if first_is_low else (high, low)
            t, near = self._inside(a, b, near)
            p = self.evaluate(t)
            self.rounds += 1
            if self._too_high(p) or p.loss >= low.loss:
                a, b = (low, p) if first_is_low else (p, low)
                first_is_low = bool(a.loss <= b.loss)
                low, high = (a, b) if first_is_low else (b, a)
                continue
            if self._flat(p):
                return p
            if p.slope * (high.t - low.t) >= 0:
                high = low
            low = p
        return low

    def _inside(self, a: Point, b: Point, near: bool) -> tuple[Any, bool]:
        """The next step size; one too near to an end, twice or beyond it, is moved a tenth inwards."""
        t = interpolated(a, b)
        least, most = min(a.t, b.t), max(a.t, b.t)
        margin = 0.1 * (most - least)
        if not min(most - t, t - least) < margin:
            return t, False
        if not (near or t >= most or t <= least):
            return t, True
        return (most - margin if abs(t - most) < abs(t - least) else least + margin), False
