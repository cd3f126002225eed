"""How does compiled code compute with complex numbers what NumPy's functions compute?

By the formulas for real and imaginary parts, and with NumPy's results at edges that programs meet: signs of
zeros along cuts, infinite parts. A zero part stays zero where the other factor overflows.
"""

from __future__ import annotations

import math

import numpy as np

from .. import vector_math
from ..linked import linked

LN10 = math.log(10)

# ----- parts and arithmetic -----


@linked
def of_parts(x, y):
    return complex(float(x), float(y))


@linked
def to_complex(z):
    return complex(float(z.real), float(z.imag))


@linked
def real(z):
    return z.real


@linked
def imag(z):
    return z.imag


@linked
def conjugate(z):
    return z.conjugate()


@linked
def angle(z):
    return vector_math.atan2(z.imag, z.real)


@linked
def sign_complex(z):
    """``z / abs(z)``, and 0 at 0; with one infinite part the direction of that."""
    size = abs(z)
    if abs(z.real) == np.inf and abs(z.imag) < np.inf:
        return complex(math.copysign(1.0, z.real), 0.0)
    if abs(z.imag) == np.inf and abs(z.real) < np.inf:
        return complex(0.0, math.copysign(1.0, z.imag))
    return z if size == 0 else z / size


@linked
def divide_complex(x, y):
    """``x / y`` by the larger part of ``y``, so that no square overflows; NaN or infinite for ``y = 0``."""
    if abs(y.real) >= abs(y.imag):
        if y.real == 0 and y.imag == 0:
            return complex(x.real / abs(y.real), x.imag / abs(y.real))
        part = y.imag / y.real
        scale = 1.0 / (y.real + y.imag * part)
        return complex((x.real + x.imag * part) * scale, (x.imag - x.real * part) * scale)
    part = y.real / y.imag
    scale = 1.0 / (y.imag + y.real * part)
    return complex((x.real * part + x.imag) * scale, (x.imag * part - x.real) * scale)


@linked
def reciprocal_complex(z):
    """``1 / z`` by the larger part; NaN for 0, as NumPy has it."""
    if abs(z.real) >= abs(z.imag):
        part = z.imag / z.real
        size = z.real + z.imag * part
        return complex(1.0 / size, -part / size)
    part = z.real / z.imag
    size = z.real * part + z.imag
    return complex(part / size, -1.0 / size)


@linked
def safe_product_complex(g, p):
    """``g * p``, but 0 where ``g`` is 0."""
    return g * p if g != 0 else g


@linked
def exact_product_complex(g, p):
    """``g * p``, but 0 where either is 0."""
    return g * p if g != 0 and p != 0 else complex(0.0, 0.0)


@linked
def ratio_complex(x, y):
    """``x / y``, but 0 where ``y`` is 0."""
    return divide_complex(x, y) if y != 0 else complex(0.0, 0.0)


@linked
def isnan_complex(z):
    return z.real != z.real or z.imag != z.imag


@linked
def isinf_complex(z):
    return abs(z.real) == np.inf or abs(z.imag) == np.inf


@linked
def isfinite_complex(z):
    return abs(z.real) < np.inf and abs(z.imag) < np.inf


# ----- functions -----


@linked
def _part(a, b):
    """``a * b``, and 0 where one is 0 and the other has overflowed."""
    product = a * b
    if product == product or (a != 0 and b != 0):
        return product
    return math.copysign(0.0, a) * math.copysign(1.0, b) if a == a and b == b else product


@linked
def exp_complex(z):
    """Without branches, so that loops of it are vectors: the edges choose between what is computed anyway."""
    half = vector_math.exp(0.5 * z.real)  # twice, so that a result in range is found
    x, y = half * vector_math.cos(z.imag) * half, half * vector_math.sin(z.imag) * half
    y = z.imag if z.imag == 0 else y
    return complex(0.0 if half == 0 else x, 0.0 if half == 0 else y)


@linked
def expm1_complex(z):
    half = vector_math.sin(0.5 * z.imag)
    real = vector_math.expm1(z.real) * vector_math.cos(z.imag) - 2.0 * half * half
    return complex(real, _part(vector_math.exp(z.real), vector_math.sin(z.imag)))


@linked
def log_complex(z):
    """Near the unit circle by ``log1p``: the logarithm of a rounded 1 would be no more than that rounding."""
    x, y = abs(z.real), abs(z.imag)
    if x < y:
        x, y = y, x
    turn = vector_math.atan2(z.imag, z.real)
    if 0.5 < x < 2.0:
        return complex(0.5 * vector_math.log1p((x - 1.0) * (x + 1.0) + y * y), turn)
    return complex(vector_math.log(vector_math.hypot(x, y)), turn)


@linked
def log10_complex(z):
    found = log_complex(z)
    return complex(found.real / LN10, found.imag / LN10)


@linked
def sinh_complex(z):
    real = _part(vector_math.sinh(z.real), vector_math.cos(z.imag))
    return complex(real, _part(vector_math.cosh(z.real), vector_math.sin(z.imag)))


@linked
def cosh_complex(z):
    real = _part(vector_math.cosh(z.real), vector_math.cos(z.imag))
    return complex(real, _part(vector_math.sinh(z.real), vector_math.sin(z.imag)))


@linked
def tanh_complex(z):
    """Kahan's formula (*Branch cuts for complex elementary functions*, 1987)."""
    if abs(z.real) > 22.0:
        turn = 4.0 * vector_math.sin(z.imag) * vector_math.cos(z.imag)
        one = math.copysign(1.0, z.real)
        return (
            complex(one, _part(turn, vector_math.exp(-2.0 * abs(z.real))))
            if turn == turn
            else complex(one, 0.0)
        )
    tangent, slope = vector_math.tan(z.imag), vector_math.sinh(z.real)
    beta, rho = 1.0 + tangent * tangent, np.sqrt(1.0 + slope * slope)
    scale = 1.0 + beta * slope * slope
    return complex(beta * rho * slope / scale, tangent / scale)


@linked
def sin_complex(z):
    real = _part(vector_math.sin(z.real), vector_math.cosh(z.imag))
    return complex(real, _part(vector_math.cos(z.real), vector_math.sinh(z.imag)))


@linked
def cos_complex(z):
    real = _part(vector_math.cos(z.real), vector_math.cosh(z.imag))
    return complex(real, -_part(vector_math.sin(z.real), vector_math.sinh(z.imag)))


@linked
def tan_complex(z):
    found = tanh_complex(complex(-z.imag, z.real))
    return complex(found.imag, -found.real)


# ----- powers -----


@linked
def power_complex(x, y):
    """A product for whole exponents, as NumPy has it, else ``exp(y * log(x))``; of 0 it is 0, 1 or NaN."""
    if y.real == 0 and y.imag == 0:
        return complex(1.0, 0.0)
    if x.real == 0 and x.imag == 0:
        return complex(0.0, 0.0) if y.real > 0 else complex(np.nan, np.nan)
    if y.imag == 0 and abs(y.real) < 100 and y.real == np.floor(y.real):
        count, square, found = int(abs(y.real)), x, complex(1.0, 0.0)
        while count > 0:
            if count & 1:
                found = found * square
            count >>= 1
            if count > 0:
                square = square * square
        return found if y.real > 0 else reciprocal_complex(found)
    return exp_complex(y * log_complex(x))


@linked
def power_two(x, two):
    return x * x


@linked
def power_dx_complex(x, y):
    """``y * x ** (y - 1)``, which is 0 for ``y = 0``."""
    return y * power_complex(x, y - 1.0) if y != 0 else complex(0.0, 0.0)


@linked
def power_dy_complex(x, y, power):
    """``power * log(x)``, which is 0 at ``x = 0`` unless the real part of ``y`` is negative."""
    flat = x == 0 and y.real >= 0
    return complex(0.0, 0.0) if flat else power * log_complex(x)
