"""What computes powers and shifts of Python's integers in a kernel? Products and shifts that don't overflow.

Python's integers have any size, its negative powers are floats, and shifts by negative numbers an error:
where one of these comes about, the call is left to Python.
"""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator, no-any-return"
from ..linked import linked
from ..runtime import Mismatch, product


@linked
def integer_power(x: int, n: int) -> int:
    """``x ** n`` by repeated squaring."""
    if n < 0:
        raise Mismatch
    result, square = 1, x
    while n > 0:
        if n & 1:
            result = product(result, square)
        n >>= 1
        if n > 0:
            square = product(square, square)
    return result


@linked
def shift_left(x: int, n: int) -> int:
    """``x << n``."""
    return product(x, integer_power(2, n))


@linked
def shift_right(x: int, n: int) -> int:
    """``x >> n``, rounded down."""
    if n < 0:
        raise Mismatch
    return x >> min(n, 63)
