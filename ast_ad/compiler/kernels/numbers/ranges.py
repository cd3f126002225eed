"""How many numbers does ``np.arange`` of floats give, and which? How many elements are on a diagonal?

Ranges are counted with NumPy's rounding, which decides how long they are.
"""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator, no-any-return"
import math

from ..linked import linked
from ..runtime import Mismatch

MOST = 2.0**40


@linked
def count(start: float, stop: float, step: float) -> int:
    """How many there are; NumPy raises an error where that can't be told.

    >>> count(0.0, 1.0, 0.3), count(1.0, 0.0, 0.5)
    (4, 0)
    """
    found = (stop - start) / step
    if not abs(found) < MOST:
        raise Mismatch
    return max(0, int(math.ceil(found)))


@linked
def as_float(x: float) -> float:
    return float(x)


@linked
def difference(start: float, step: float) -> float:
    """The second number less the first, which rounding makes another one than the step.

    >>> difference(0.1, 0.2) == 0.2
    False
    """
    return (start + step) - start


@linked
def on_diagonal(rows: int, columns: int, offset: int) -> int:
    """How many elements there are.

    >>> on_diagonal(3, 3, 1), on_diagonal(3, 5, -1), on_diagonal(2, 2, 7)
    (2, 2, 0)
    """
    return max(0, min(rows + min(offset, 0), columns - max(offset, 0)))


@linked
def place_backwards(i: int, n: int) -> int:
    """A bound of a slice with a negative step, within ``n`` elements; -1 is before the first."""
    return min(i, n - 1) if i >= 0 else max(i + n, -1)
