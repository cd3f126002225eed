"""What is a derivative by a function's values alone, and how far is that to be trusted?

Differences of ever smaller steps are extrapolated to none (Richardson). What they are good for is told by
how much the extrapolations differ among themselves, and by the rounding of the values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

RATIO = 4.0  # of a step to the next one: few steps reach from a tenth to where rounding is all
FIRST = 0.1  # the first step, relative to the size of what is moved
ORDERS = 6  # how many terms of the error are eliminated at most
Values = np.ndarray[Any, np.dtype[np.float64]]


def eliminated(coarse: Any, fine: Any, ratio: float, power: int) -> Any:
    """Two estimates, of steps of this ratio, without the term of their errors that has this power."""
    factor = ratio**power
    return (factor * fine - coarse) / (factor - 1)


def central(at: Callable[[float], float], h: float) -> float:
    """The central difference quotient of a function at 0."""
    return (at(h) - at(-h)) / (2 * h)


def extrapolated(at: Callable[[float], float], h: float) -> float:
    """The derivative at 0 by two central differences, with an error of the fourth order.

    >>> abs(extrapolated(math.sin, 2e-3) - 1) < 1e-12
    True
    """
    wide, narrow = (central(at, size) for size in (h, h / 2))
    return float(eliminated(wide, narrow, 2, 2))


def one_sided(f: Callable[[float], float], x: float, side: int) -> float | None:
    """The limit of difference quotients from one side, or None where they don't converge.

    >>> one_sided(abs, 0.0, 1), one_sided(abs, 0.0, -1), one_sided(math.sqrt, 0.0, 1)
    (1.0, -1.0, None)
    """
    start = f(x)
    steps = max(abs(x), 1e-3) * 1e-3 * 0.5 ** np.arange(12)
    slopes = np.array([(f(x + side * h) - start) / (side * h) for h in steps])
    first = eliminated(slopes[:-1], slopes[1:], 2, 1)
    second = eliminated(first[:-1], first[1:], 2, 2)
    changes = np.abs(np.diff(second))
    if not np.isfinite(changes).any():
        return None
    best = int(np.nanargmin(np.where(np.isfinite(changes), changes, np.inf)))
    limit = float(second[best + 1])
    return limit if changes[best] <= 1e-5 * max(1.0, abs(limit)) else None


def is_stepped(at: Callable[[float], float], h: float, found: float, narrow: float, unit: float) -> bool:
    """Whether the function has steps that are smaller than those of the differences, as np.round(x, 12) has.

    Then a smaller difference is the derivative that was found, and not what larger ones are, by more than
    rounding can do to it.

    Args:
        at: the function, along a line.
        h: the step of the differences.
        found, narrow: the derivative that is in question, and the one by differences.
        unit: how much rounding changes a value.
    """
    for power in range(1, 8):
        size = h / 10**power
        try:
            slope = central(at, size)
        except Exception:
            return True
        blur = 100 * unit / size
        if abs(slope - found) <= blur < abs(narrow - found) / 2:
            return True
    return False


class Table:
    """Estimates of several numbers, of ever smaller steps, extrapolated; the best of each number is kept.

    The error of an estimate is how far it is from the two that it was made of (Ridders), and what rounding
    does to it.

    >>> table = Table(1, powers=(2, 4, 6))
    >>> for h in (0.1, 0.025, 0.00625, 0.0015625):
    ...     table.add(np.array([math.sin(h) / h]), np.array([1e-16 / h]))
    >>> bool(abs(table.best[0] - 1) < table.error[0] < 1e-12)
    True
    """

    def __init__(self, count: int, powers: Sequence[int]) -> None:
        self.powers = tuple(powers)
        self.best: Values = np.full(count, np.nan)
        self.error: Values = np.full(count, np.inf)
        self.row_of_best = np.zeros(count, int)
        self.rows: list[list[Values]] = []

    def add(self, estimates: Values, rounding: Values) -> None:
        """The estimates of the next step."""
        last = self.rows[-1] if self.rows else []
        row = [estimates]
        for coarse, power in zip(last, self.powers, strict=False):
            row.append(eliminated(coarse, row[-1], RATIO, power))
        for order in range(1, len(row)):
            apart = np.maximum(abs(row[order] - row[order - 1]), abs(row[order] - last[order - 1]))
            error = np.where(np.isfinite(apart), apart + rounding, np.inf)
            better = error < self.error
            self.best = np.where(better, row[order], self.best)
            self.error = np.where(better, error, self.error)
            self.row_of_best = np.where(better, len(self.rows), self.row_of_best)
        self.rows.append(row)

    def scatter(self) -> Values:
        """How far from the best the estimates of smaller steps are, at most, brought to the best one's step.

        Two estimates that agree by chance give a small error; so many don't. Rounding grows as steps shrink.
        """
        found = np.zeros_like(self.best)
        for number, row in enumerate(self.rows):
            behind = number - self.row_of_best
            apart = abs(row[min(2, len(row) - 1)] - self.best) * RATIO ** (-np.maximum(behind, 0.0))
            found = np.where((behind > 0) & np.isfinite(apart), np.maximum(found, apart), found)
        return found


@dataclass
class Estimate:
    """Derivatives of several results along a line: how far each is to be trusted, and how far it has a kink.

    ``kink`` is the most that the derivative to the right may differ from that to the left, ``bend_error`` how
    well this difference is known, and ``scale`` the size of the differences.
    """

    slope: Values
    error: Values
    kink: Values
    bend_error: Values
    scale: Values

    @property
    def straight(self) -> Any:
        """Whether there is no sign of a kink, which is less than a sign that there is none."""
        return self.kink <= 20 * self.bend_error

    def weighted(self, weights: Values) -> Estimate:
        """The derivative of a sum of the results."""
        sizes = abs(weights)
        slope = np.atleast_1d(weights @ self.slope)
        parts = self.error, self.kink, self.bend_error, self.scale
        return Estimate(slope, *(np.atleast_1d(sizes @ part) for part in parts))


class Line:
    """The differences of a function of one number, at 0, which has several results.

    Args:
        at: how far it moved, for a number, and what the results are there; NaN where there are none.
        size: of what is moved: steps are parts of it.
        eps: the precision of the results.
        first: the first step; by default a tenth of the size.

    >>> line = Line(lambda t: (t, np.array([math.exp(t), abs(t)])), 1.0, 2.0**-52)
    >>> estimate = line.estimate()
    >>> bool(abs(estimate.slope[0] - 1) < estimate.error[0] < 1e-10)
    True
    >>> line.estimate(thoroughly=True).kink.round(6) + 0.0
    array([0., 2.])
    """

    def __init__(
        self,
        at: Callable[[float], tuple[float, Values]],
        size: float,
        eps: float,
        first: float | None = None,
    ) -> None:
        self.at, self.eps = at, eps
        self.step = FIRST * size if first is None else first
        self.here = at(0.0)[1]
        # to steps at which half of the digits are lost, and a little further
        self.most = math.ceil(math.log(FIRST / math.sqrt(eps), RATIO)) + 2
        count = len(self.here)
        self.slopes = Table(count, range(2, 2 * ORDERS + 1, 2))
        self.bends = Table(count, range(1, 2 * ORDERS, 2))
        self.scale: Values = np.zeros(count)
        self.rounding: Values = np.full(count, np.inf)

    def refine(self) -> None:
        """Take the next step."""
        (ahead, right), (behind, left) = self.at(self.step), self.at(-self.step)
        with np.errstate(all="ignore"):
            self.rounding = self.eps * np.fmax(abs(self.here), np.fmax(abs(right), abs(left))) / self.step
            forward, backward = (right - self.here) / ahead, (left - self.here) / behind
            self.slopes.add((right - left) / (ahead - behind), self.rounding)
            self.bends.add(forward - backward, 4 * self.rounding)
            larger = np.fmax(abs(forward), abs(backward))
            self.scale = np.where(np.isfinite(larger), np.maximum(self.scale, larger), self.scale)
        self.step /= RATIO

    def estimate(self, thoroughly: bool = False) -> Estimate:
        """What is known after as many steps as it takes; ``thoroughly``: after all of them."""
        while len(self.slopes.rows) < (self.most if thoroughly else 3) or not self._is_done():
            self.refine()
        with np.errstate(all="ignore"):
            error, kink = self.slopes.error, abs(self.bends.best) + 10 * self.bends.error
            if thoroughly:
                error = np.maximum(error, self.slopes.scatter())
        return Estimate(self.slopes.best, error, kink, self.bends.error, self.scale)

    def _is_done(self) -> bool:
        if len(self.slopes.rows) >= self.most:
            return True
        with np.errstate(all="ignore"):
            goal = self.eps**0.6 * abs(self.slopes.best) + 8 * self.rounding
            return bool(np.all(self.slopes.error <= goal))
