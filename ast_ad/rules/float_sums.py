"""How does Python add floats? From 3.12 on ``sum`` keeps what rounding takes away, and adds that at the end.

``sum([0.1] * 10)`` is 1.0 there, and 0.9999999999999999 before. That is so for floats of Python's; where a
number of NumPy's comes, what was kept is added, and no more is kept.
"""

from __future__ import annotations

import math
import sys
from typing import Any

from .registry import elementwise, nondifferentiable

COMPENSATES = sys.version_info >= (3, 12)


def rounded_off(total: Any, x: Any, after: Any) -> Any:
    """What is lost where ``total + x`` is rounded to ``after``, of floats of Python's (Neumaier 1974).

    >>> rounded_off(1e16, 1.0, 1e16 + 1.0), rounded_off(1.0, 1e16, 1.0 + 1e16), rounded_off(1e16, 1, 1e16)
    (1.0, 1.0, 0.0)
    """
    if type(total) is not float or type(x) is not float:
        return 0.0
    return (total - after) + x if abs(total) >= abs(x) else (x - after) + total


def compensated(total: Any, lost: float) -> Any:
    """A sum with what was lost; not so of infinite ones, where that is nan.

    >>> compensated(2.0, 1.0), compensated(math.inf, math.nan)
    (3.0, inf)
    """
    return total + lost if lost and math.isfinite(lost) else total


nondifferentiable(rounded_off)


@elementwise(compensated)
def compensated_rule(ans, total, lost):
    return 1.0, None
