"""How does compiled code compute with Python's own numbers, and where does it have to give up?

Where Python raises (a division by zero, a number outside the domain, a float out of range) these functions
raise the same error. Where Python's result is of another type or size than compiled code has (an int above
64 bits, the complex power of a negative float), they raise ``NotInKernel``: what is computed has to be
computed by the interpreter.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types

from .. import vector_math
from ..linked import linked
from . import remainders
from .as_written import PLAIN


class NotInKernel(ArithmeticError):
    """A result that exists in Python but not in compiled code."""


# ----- integers -----


@linked
def int_sum(x, y):
    total = x + y
    if ((x ^ total) & (y ^ total)) < 0:
        raise NotInKernel("an int above 64 bits")
    return total


@linked
def int_difference(x, y):
    rest = x - y
    if ((x ^ y) & (x ^ rest)) < 0:
        raise NotInKernel("an int above 64 bits")
    return rest


@linked
def int_product(x, y):
    product = x * y
    if abs(np.float64(x) * np.float64(y)) >= 9.2e18:
        raise NotInKernel("an int above 64 bits")
    return product


@linked
def int_floor_divide(x, y):
    if y == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return -x if y == -1 else x // y


@linked
def int_remainder(x, y):
    if y == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    if 0 <= x < y:
        return x
    return 0 if y == -1 else x % y


@linked
def to_int(x):
    """``int(x)`` of a float, and ``math.trunc``."""
    if not abs(x) < 9.2e18:
        _refuse_int(x)
    return np.int64(x)


@linked
def floor(x):
    return to_int(np.floor(x))


@linked
def ceil(x):
    return to_int(np.ceil(x))


@linked
def round_half_even(x):
    """``round(x)`` of a float."""
    return to_int(np.rint(x))


@linked
def _refuse_int(x):
    if x != x:
        raise ValueError("cannot convert float NaN to integer")
    if abs(x) == np.inf:
        raise OverflowError("cannot convert float infinity to integer")
    raise NotInKernel("an int above 64 bits")


# ----- floats -----


def truediv(x, y):
    if y == 0:
        raise ZeroDivisionError("division by zero")
    return x / y


def _real(x: Any, y: Any) -> Any:
    if not all(isinstance(given, (types.Integer, types.Boolean, types.Float)) for given in (x, y)):
        return None
    number = types.float32 if x == y == types.float32 else types.float64
    return number(number, number)


def truediv_as_written(x, y):
    """``x / y``, never as a product with ``1 / y``: for what is rounded to an integer or compared."""
    return truediv(x, y)


def _quotient(flags: Any) -> Any:
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        x, y = args
        with builder.if_then(builder.fcmp_ordered("==", y, ir.Constant(y.type, 0.0)), likely=False):
            context.call_conv.return_user_exc(builder, ZeroDivisionError, ("division by zero",))
        return builder.fdiv(x, y, flags=flags)

    return lower


# As instructions: to compile a function takes longer than all of a short kernel.
for _function, _flags in (truediv, ()), (truediv_as_written, PLAIN):
    vector_math.type_callable(_function)(lambda context: lambda x, y: _real(x, y))
    for _number in types.float32, types.float64:
        vector_math.lower_builtin(_function, _number, _number)(_quotient(_flags))


@linked
def divide_complex(x, y):
    """``x / y`` of complex numbers."""
    if y == 0:
        raise ZeroDivisionError("division by zero")
    return x / y


@linked
def floor_divide(x, y):
    if y == 0:
        raise ZeroDivisionError("division by zero")
    return remainders.floor_divide(x, y)


@linked
def remainder(x, y):
    if y == 0:
        raise ZeroDivisionError("division by zero")
    return remainders.remainder(x, y)


@linked
def power(x, y):
    """``x ** y`` of floats."""
    base, exponent = np.float64(x), np.float64(y)
    result = vector_math.pow(base, exponent)
    if base == 0 and exponent < 0 and exponent > -np.inf:
        raise ZeroDivisionError("zero to a negative power")
    if result != result and base == base and exponent == exponent:
        raise NotInKernel("a complex power")
    if abs(result) == np.inf and abs(base) < np.inf and abs(exponent) < np.inf:
        raise OverflowError("Numerical result out of range")
    return result


@linked
def _in_range(result, base):
    if abs(result) == np.inf and abs(base) < np.inf:
        raise OverflowError("Numerical result out of range")
    return result


@linked
def power_two(x, two):
    """``x ** 2`` of a float."""
    return _in_range(x * x, x)


@linked
def power_three(x, three):
    """``x ** 3`` of a float."""
    return _in_range(x * x * x, x)


@linked
def math_pow(x, y):
    """``math.pow``."""
    base, exponent = np.float64(x), np.float64(y)
    result = vector_math.pow(base, exponent)
    if base == 0 and exponent < 0 and exponent > -np.inf:
        raise ValueError("math domain error")
    if result != result and base == base and exponent == exponent:
        raise ValueError("math domain error")
    if abs(result) == np.inf and abs(base) < np.inf and abs(exponent) < np.inf:
        raise OverflowError("math range error")
    return result


@linked
def larger(x, y):
    """``max(x, y)``: the first, unless the second is larger."""
    return y if y > x else x


@linked
def smaller(x, y):
    """``min(x, y)``: the first, unless the second is smaller."""
    return y if y < x else x


@linked
def largest(first, *others):
    """``max`` of numbers of one type."""
    for other in others:
        first = larger(first, other)
    return first


@linked
def least(first, *others):
    """``min`` of numbers of one type."""
    for other in others:
        first = smaller(first, other)
    return first


# ----- the functions of math -----


def _domain(form: Any, name: str, overflows: bool = False) -> Any:
    """A function that raises as Python's does: for NaN from a number, for an infinity from a finite one."""

    def function(x):
        number = np.float64(x)
        result = form(number)
        if result != result and number == number:
            raise ValueError("math domain error")
        if abs(result) == np.inf and abs(number) < np.inf:
            if overflows:
                raise OverflowError("math range error")
            raise ValueError("math domain error")
        return result

    function.__name__ = function.__qualname__ = name
    return linked(function)


exp = _domain(vector_math.exp, "exp", overflows=True)
exp2 = _domain(vector_math.exp2, "exp2", overflows=True)
expm1 = _domain(vector_math.expm1, "expm1", overflows=True)
sinh = _domain(vector_math.sinh, "sinh", overflows=True)
cosh = _domain(vector_math.cosh, "cosh", overflows=True)
log = _domain(vector_math.log, "log")
log1p = _domain(vector_math.log1p, "log1p")
log2 = _domain(vector_math.log2, "log2")
log10 = _domain(vector_math.log10, "log10")
sqrt = _domain(np.sqrt, "sqrt")
sin = _domain(vector_math.sin, "sin")
cos = _domain(vector_math.cos, "cos")
tan = _domain(vector_math.tan, "tan")
asin = _domain(vector_math.asin, "asin")
acos = _domain(vector_math.acos, "acos")
acosh = _domain(vector_math.acosh, "acosh")
atanh = _domain(vector_math.atanh, "atanh")


def _total(form: Any, name: str) -> Any:
    """A function that never raises."""

    def function(x):
        return form(np.float64(x))

    function.__name__ = function.__qualname__ = name
    return linked(function)


_lgamma = _total(math.lgamma, "_lgamma")
tanh = _total(vector_math.tanh, "tanh")
atan = _total(vector_math.atan, "atan")
asinh = _total(vector_math.asinh, "asinh")
erf = _total(vector_math.erf, "erf")
erfc = _total(vector_math.erfc, "erfc")
cbrt = _total(vector_math.cbrt, "cbrt")


@linked
def degrees(x):
    return np.float64(x) * (180 / math.pi)


@linked
def radians(x):
    return np.float64(x) * (math.pi / 180)


@linked
def fabs(x):
    return abs(np.float64(x))


@linked
def atan2(y, x):
    return vector_math.atan2(np.float64(y), np.float64(x))


@linked
def hypot(x, y):
    return vector_math.hypot(np.float64(x), np.float64(y))


@linked
def copysign(x, y):
    return np.copysign(np.float64(x), np.float64(y))


@linked
def fmod(x, y):
    result = remainders.fmod(np.float64(x), np.float64(y))
    if result != result and x == x and y == y:
        raise ValueError("math domain error")
    return result


@linked
def lgamma(x):
    result = _lgamma(x)
    if result == np.inf and abs(x) < np.inf:
        if x <= 0:
            raise ValueError("math domain error")
        raise OverflowError("math range error")
    return result


@linked
def log_with_base(x, base):
    """``math.log(x, base)``."""
    return truediv(log(x), log(base))


@linked
def fraction(x):
    """``math.modf(x)[0]``: with the sign of ``x``, 0 of an infinite one."""
    return np.copysign(0.0 if np.isinf(x) else x - np.trunc(x), x)


@linked
def whole(x):
    """``math.modf(x)[1]``."""
    return np.trunc(x)


@linked
def gamma(x):
    found = math.gamma(x)
    if not abs(found) < np.inf and abs(x) < np.inf or x == -np.inf:
        raise NotInKernel  # a pole, or too large: Python's own errors
    return found


@linked
def rounded(x, decimals):
    """``round(x, decimals)`` of one of NumPy's numbers, which it computes by a power of ten."""
    if decimals == 0:
        return np.rint(x)
    power = 10.0 ** abs(decimals)
    return np.rint(x * power) / power if decimals > 0 else np.rint(x / power) * power
