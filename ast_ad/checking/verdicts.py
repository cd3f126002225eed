"""Is a derivative wrong, by what differences say of it, and where they are sure?

There is no verdict at a kink, a jump, or where rounding covers what is in question: only where the
derivatives to both sides converge to one, and where no smaller step agrees with what is to be wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..extrapolation import Estimate, Values, is_stepped
from .subjects import Subject

SAFETY = 30.0  # how many times its estimate the error of the differences may be
CONFIRMED = 3.0  # the same, where the complex step says what the differences say
NAN_OF = 1e-2  # a NaN counts as a difference of this part of the function's slopes


@dataclass
class Bounds:
    """How far a derivative may be from that by differences, beside the error of these.

    ``rtol`` is relative to the derivative, by default what is left of the precision when a gradient loses
    about half of its digits; ``atol`` is by default the rounding of the sums that the derivative is made of.
    """

    atol: float | None
    rtol: float | None

    def relative(self, eps: float) -> float:
        return eps**0.45 if self.rtol is None else self.rtol

    def margin(
        self, subject: Subject, found: Values, estimate: Estimate, terms: Values, weights: Values | None
    ) -> Values:
        eps = subject.eps
        count = 1.0 if weights is None else float(np.sum(abs(weights)))
        absolute = 1e3 * eps * terms if self.atol is None else self.atol * count
        size = np.fmax(abs(estimate.slope), np.where(np.isfinite(found), abs(found), 0.0))
        return np.asarray(absolute + self.relative(eps) * size)


@dataclass
class Fault:
    """A derivative that is wrong: of which result, what it is, what it has to be, and how sure that is.

    ``result``: None of a sum of them; ``excess``: how many times it is further off than it may be.
    """

    result: int | None
    found: float
    expected: float
    error: float
    excess: float


def fault(
    subject: Subject, direction: Values, found: Values, weights: Values | None, bounds: Bounds
) -> Fault | None:
    """What is wrong about the derivatives along a direction; None if nothing is, or there is no verdict.

    Args:
        found: the derivative of each result, or, with ``weights``, that of their sum.
    """
    line = subject.line(direction)
    with np.errstate(all="ignore"):
        estimate, terms = _weighed(line.estimate(), weights)
        margin = bounds.margin(subject, found, estimate, terms, weights)
        if np.all(abs(found - estimate.slope) <= CONFIRMED * estimate.error + margin):
            return None
        estimate, terms = _weighed(line.estimate(thoroughly=True), weights)
        margin = bounds.margin(subject, found, estimate, terms, weights)
        exact = (estimate.slope == 0) & (estimate.error == 0) & (abs(found) > margin)
        if np.any(exact):  # a zero is good to what differences of numbers of that size lose
            margin = margin + np.where(exact, subject.eps * subject.steepest(direction), 0.0)
        apart = np.where(np.isfinite(found), abs(found - estimate.slope), NAN_OF * estimate.scale)
        nan = ~np.isfinite(found)
        beyond = apart > SAFETY * estimate.error + np.where(nan, 0.0, margin)
        wrong = (estimate.kink <= 0.1 * apart) & (beyond | nan & (apart == 0))
        doubtful = ~wrong & ~nan & estimate.straight & (apart > CONFIRMED * estimate.error + margin)
        if np.any(doubtful) and (analytic := subject.complex_step(direction)) is not None:
            step = analytic if weights is None else np.atleast_1d(weights @ analytic)
            wrong |= doubtful & (abs(step - estimate.slope) <= CONFIRMED * estimate.error)
        wrong &= np.isfinite(estimate.slope)
    order = np.argsort(-np.where(wrong, apart / np.maximum(margin, 1e-300), 0.0))
    for i in map(int, order[: np.count_nonzero(wrong)]):
        expected, error = float(estimate.slope[i]), float(estimate.error[i])
        if not _agrees_closer(subject, direction, found[i], expected, i, weights):
            of = i if weights is None else None
            return Fault(of, float(found[i]), expected, error, _excess(apart[i], margin[i]))
    return None


def _excess(apart: Any, margin: Any) -> float:
    return float(apart / margin) if margin > 0 else np.inf


def _weighed(estimate: Estimate, weights: Values | None) -> tuple[Estimate, Values]:
    """The estimate, and the size of the terms that a derivative is a sum of."""
    if weights is None:
        return estimate, abs(estimate.slope)
    return estimate.weighted(weights), np.atleast_1d(abs(weights) @ abs(estimate.slope))


def _agrees_closer(
    subject: Subject, direction: Values, found: float, expected: float, result: int, weights: Values | None
) -> bool:
    """Whether the function is smooth at a distance only, and nearer has the derivative that was found."""
    if not np.isfinite(found):
        return False
    sums = np.eye(len(subject.values))[result] if weights is None else weights
    unit = subject.eps * float(abs(sums) @ abs(subject.values))
    size = float(np.max(subject.sizes[direction != 0] / abs(direction[direction != 0])))

    def at(t: float) -> float:
        return float(sums @ subject.moved(direction, t)[1])

    first = size * subject.eps ** (1 / 3)
    return any(is_stepped(at, h, found, expected, unit) for h in (1e2 * first, first))
