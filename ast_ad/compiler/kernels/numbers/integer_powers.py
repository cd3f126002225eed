"""What computes powers and shifts of Python's integers in a kernel? Products and shifts that don't overflow.

Python's integers have any size, its negative powers are floats, and shifts by negative numbers an error:
where one of these comes about, the call is left to Python. Powers of floats by integers are products, too:
the library's power takes ten times as long, and up to exponents of 32 products are right to 15 digits.
"""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator, no-any-return"
import numpy as np

from .. import vector_math
from ..linked import linked
from ..runtime import Mismatch, product

MOST = 32  # the exponent up to which products are taken


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


@linked
def whole_power(x: float, n: int) -> float:
    """``x ** n`` of a double, as NumPy has it: infinite for 0 and negative ``n``."""
    count = abs(n)
    if count > MOST:
        return vector_math.pow(x, float(n))
    result, square = 1.0, x
    while count > 0:
        if count & 1:
            result *= square
        square *= square
        count >>= 1
    return result if n >= 0 else 1.0 / result


@linked
def whole_power_dx(x: float, n: int) -> float:
    """``n * x ** (n - 1)``, which is 0 for ``n = 0``."""
    return n * whole_power(x, n - 1) if n != 0 else 0.0


@linked
def whole_power_derivative(x: float, y: int, n: int, m: int) -> float:
    """The ``n``-th derivative by ``x`` of ``x ** y``; ``m``, how often by ``y``, is 0."""
    factor = 1.0
    for k in range(n):
        factor *= y - k
    return factor * whole_power(x, y - n) if factor != 0.0 else 0.0


@linked
def python_power(x: float, n: int) -> float:
    """``x ** n`` of Python's float."""
    if x == 0.0 and n < 0:
        raise ZeroDivisionError("zero to a negative power")
    result = whole_power(x, n)
    if abs(result) == np.inf and abs(x) < np.inf:
        raise OverflowError("Numerical result out of range")
    return result
