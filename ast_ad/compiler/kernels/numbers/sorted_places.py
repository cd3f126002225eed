"""Where does a number belong in a sorted array, and what lies between two nodes? As NumPy has it."""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator, no-any-return"
import math
from typing import Any

from ..linked import linked
from ..runtime import Mismatch


@linked
def place_before(x: float, a: Any) -> int:
    """``np.searchsorted(a, x)``: how many elements are less; NaN belongs behind all numbers."""
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x or (math.isnan(x) and not math.isnan(a[middle])):
            low = middle + 1
        else:
            high = middle
    return low


@linked
def place_behind(x: float, a: Any) -> int:
    """``np.searchsorted(a, x, "right")``: how many elements are not greater."""
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if x < a[middle] or (math.isnan(a[middle]) and not math.isnan(x)):
            high = middle
        else:
            low = middle + 1
    return low


@linked
def require_ascending(a: Any) -> None:
    """Stop the kernel if some element is less than the one before, or NaN."""
    for i in range(len(a)):
        if not a[max(i - 1, 0)] <= a[i]:
            raise Mismatch


@linked
def quantile_place(q: float, count: int) -> float:
    """Where the quantile ``q`` lies among ``count`` numbers in order, as the rule of quantiles has it."""
    place = count * q + 1.0 + q * (1.0 - 1.0 - 1.0) - 1.0
    return min(max(place, 0.0), count - 1.0)


@linked
def interpolated(x: float, xp: Any, fp: Any, left: float, right: float) -> float:
    """``np.interp(x, xp, fp, left, right)``."""
    last = len(xp) - 1
    if last < 0:  # an error, which NumPy raises
        raise Mismatch
    if math.isnan(x):
        return x
    if x > xp[last]:
        return right
    if x < xp[0]:
        return left
    j = place_behind(x, xp) - 1
    if j >= last or xp[j] == x:  # a node's own value, next to infinite ones, too
        return fp[min(j, last)]
    slope = (fp[j + 1] - fp[j]) / (xp[j + 1] - xp[j])
    found = slope * (x - xp[j]) + fp[j]
    if math.isnan(found):
        found = slope * (x - xp[j + 1]) + fp[j + 1]
        if math.isnan(found) and fp[j] == fp[j + 1]:
            found = fp[j]
    return found


@linked
def interpolated_within(x: float, xp: Any, fp: Any) -> float:
    """``np.interp(x, xp, fp)``: beyond the nodes the first value and the last."""
    if len(fp) == 0:
        raise Mismatch
    return interpolated(x, xp, fp, fp[0], fp[len(fp) - 1])


@linked
def interpolated_from(x: float, xp: Any, fp: Any, left: float) -> float:
    """``np.interp(x, xp, fp, left)``: behind the nodes the last value."""
    if len(fp) == 0:
        raise Mismatch
    return interpolated(x, xp, fp, left, fp[len(fp) - 1])


@linked
def interpolated_to(x: float, xp: Any, fp: Any, right: float) -> float:
    """``np.interp(x, xp, fp, None, right)``: before the nodes the first value."""
    if len(fp) == 0:
        raise Mismatch
    return interpolated(x, xp, fp, fp[0], right)
