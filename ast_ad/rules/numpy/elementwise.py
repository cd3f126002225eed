"""What are the partial derivatives of NumPy's elementwise functions?

Each rule gives ``d ans / d x_i``; broadcasting, complex conjugation and dtypes are handled centrally.
The same rules serve the operators and the functions of ``math`` and ``cmath``.
"""

from __future__ import annotations

import builtins
import cmath
import math
import operator

import numpy as np

from ..helpers import safe_product, unbroadcast
from ..partials import arcsin_slope, bessel_i, exp_share, power_dx, power_dy, ratio, sinc_derivative
from ..registry import alias, elementwise, vjp

LN2, LN10 = math.log(2), math.log(10)

# ----- arithmetic -----


@elementwise(np.add, operator.add, unmixed=True)
def add(ans, x, y):
    return 1, 1


@elementwise(np.subtract, operator.sub, unmixed=True)
def subtract(ans, x, y):
    return 1, -1


@elementwise(np.multiply, operator.mul, unmixed=True)
def multiply(ans, x, y):
    return y, x


@elementwise(np.divide, operator.truediv, partial_domain=True, unmixed=True)
def divide(ans, x, y):
    return 1 / y, -ans / y


@elementwise(np.negative, operator.neg)
def negative(ans, x):
    return -1


@elementwise(np.positive, operator.pos)
def positive(ans, x):
    return 1


@elementwise(np.reciprocal, partial_domain=True)
def reciprocal(ans, x):
    return -ans * ans


@elementwise(np.square)
def square(ans, x):
    return 2 * x


@elementwise(np.power, operator.pow, builtins.pow, math.pow, partial_domain=True)
def power(ans, x, y):
    return power_dx(x, y), power_dy(x, y, ans)


elementwise(np.float_power, partial_domain=True)(power)


@elementwise(np.remainder, operator.mod, unmixed=True)
def remainder(ans, x, y):
    return 1, -np.floor_divide(x, y)


@elementwise(np.fmod, math.fmod, unmixed=True)
def fmod(ans, x, y):
    return 1, -np.trunc(x / y)


@elementwise(math.remainder)
def ieee_remainder(ans, x, y):
    return 1, -np.rint((x - ans) / y)


@vjp(np.divmod, builtins.divmod, broadcasts=True)
def divmod_rule(g, ans, x, y):
    _, g_remainder = g
    quotient, _ = ans
    return g_remainder, -safe_product(g_remainder, quotient)


@vjp(np.modf, math.modf)
def modf(g, ans, x):
    g_fraction, _ = g
    return g_fraction


@vjp(np.frexp, math.frexp)
def frexp(g, ans, x):
    g_mantissa, _ = g
    _, exponent = ans
    return np.ldexp(g_mantissa, -exponent)


@elementwise(np.ldexp, math.ldexp)
def ldexp(ans, x, exponent):
    return np.ldexp(1.0, exponent), None


# ----- absolute values, selections -----


@elementwise(np.absolute, builtins.abs, operator.abs, np.fabs, math.fabs)
def absolute(ans, x):
    """``sign(x)``, 0 at 0; of a complex number ``conj(x) / abs(x)``."""
    return np.conj(np.sign(x))


@vjp(np.sign, complex_only=True)
def sign(g, ans, x):
    """Zero for real numbers; the sign ``x / abs(x)`` of a complex one turns with its angle."""
    return None if not np.iscomplexobj(x) else ratio(g - ans * np.real(np.conj(ans) * g), np.abs(x))


@elementwise(np.copysign, math.copysign, unmixed=True)
def copysign(ans, x, y):
    return np.sign(x) * np.copysign(1.0, y), None


@elementwise(np.heaviside, unmixed=True)
def heaviside(ans, x, at_zero):
    return None, np.equal(x, 0) * 1.0


@elementwise(np.maximum, unmixed=True)
def maximum(ans, x, y):
    return np.where(x == y, 0.5, x > y), np.where(x == y, 0.5, x < y)


@elementwise(np.minimum, unmixed=True)
def minimum(ans, x, y):
    return np.where(x == y, 0.5, x < y), np.where(x == y, 0.5, x > y)


@elementwise(np.fmax, unmixed=True)
def fmax(ans, x, y):
    return np.where(x == y, 0.5, (x > y) | np.isnan(y)), np.where(x == y, 0.5, (x < y) | np.isnan(x))


@elementwise(np.fmin, unmixed=True)
def fmin(ans, x, y):
    return np.where(x == y, 0.5, (x < y) | np.isnan(y)), np.where(x == y, 0.5, (x > y) | np.isnan(x))


@vjp(np.clip, broadcasts=True)
def clip(g, ans, a, a_min=None, a_max=None, *, min=None, max=None):
    low, high = a_min if min is None else min, a_max if max is None else max
    a_bar, low_bar, high_bar = clip_cotangents(g, a, low, high)
    return a_bar, low_bar, high_bar, low_bar, high_bar


def clip_cotangents(g, a, low, high):
    """The cotangent goes where the value comes from; at a bound, to the bound."""
    if low is None and high is None:
        return g, None, None
    if low is None:
        return np.where(a < high, g, 0), None, np.where(a < high, 0, g)
    if high is None:
        return np.where(a > low, g, 0), np.where(a > low, 0, g), None
    low_bar = np.where((a <= low) & (low < high), g, 0)
    high_bar = np.where((a < high) & (low < high), 0, g)
    return np.where((a > low) & (a < high), g, 0), low_bar, high_bar


@vjp(np.where, broadcasts=True)
def where(g, ans, condition, x=None, y=None):
    return None, np.where(condition, g, 0), np.where(condition, 0, g)


@vjp(np.nan_to_num)
def nan_to_num(g, ans, x, copy=True, nan=0.0, posinf=None, neginf=None):
    x_bar = np.where(np.isfinite(x), g, 0)
    nan_bar = unbroadcast(np.where(np.isnan(x), g, 0), nan)
    high_bar = None if posinf is None else unbroadcast(np.where(np.isposinf(x), g, 0), posinf)
    low_bar = None if neginf is None else unbroadcast(np.where(np.isneginf(x), g, 0), neginf)
    return x_bar, None, nan_bar, high_bar, low_bar


@elementwise(np.nextafter, math.nextafter, unmixed=True)
def nextafter(ans, x, y):
    return 1, None


# ----- exponentials and logarithms -----


@elementwise(np.exp, math.exp, cmath.exp)
def exp(ans, x):
    return ans


@elementwise(np.exp2)
def exp2(ans, x):
    return ans * LN2


@elementwise(np.expm1, math.expm1)
def expm1(ans, x):
    return ans + 1


@elementwise(np.log, partial_domain=True)
def log(ans, x):
    return 1 / x


@vjp(math.log, cmath.log)
def log_with_base(g, ans, x, base=None):
    if base is None:
        return g * np.conj(1 / x), None
    log_base = np.log(base)
    return g * np.conj(1 / (x * log_base)), -g * np.conj(ans / (base * log_base))


@elementwise(np.log2, math.log2, partial_domain=True)
def log2(ans, x):
    return 1 / (x * LN2)


@elementwise(np.log10, math.log10, cmath.log10, partial_domain=True)
def log10(ans, x):
    return 1 / (x * LN10)


@elementwise(np.log1p, math.log1p, partial_domain=True)
def log1p(ans, x):
    return 1 / (1 + x)


@elementwise(np.logaddexp)
def logaddexp(ans, x, y):
    return exp_share(x, ans), exp_share(y, ans)


@elementwise(np.logaddexp2)
def logaddexp2(ans, x, y):
    return exp_share(x * LN2, ans * LN2), exp_share(y * LN2, ans * LN2)


@elementwise(np.sqrt, math.sqrt, cmath.sqrt, partial_domain=True)
def sqrt(ans, x):
    return 0.5 / ans


@elementwise(np.cbrt, partial_domain=True)
def cbrt(ans, x):
    return 1 / (3 * ans * ans)


@elementwise(np.hypot, partial_domain=True)
def hypot(ans, x, y):
    return ratio(x, ans), ratio(y, ans)


# ----- trigonometric and hyperbolic functions -----


@elementwise(np.sin, math.sin, cmath.sin)
def sin(ans, x):
    return np.cos(x)


@elementwise(np.cos, math.cos, cmath.cos)
def cos(ans, x):
    return -np.sin(x)


@elementwise(np.tan, math.tan, cmath.tan)
def tan(ans, x):
    return 1 + ans * ans


@elementwise(np.arcsin, math.asin, cmath.asin, partial_domain=True)
def arcsin(ans, x):
    return arcsin_slope(x) if np.iscomplexobj(x) else 1 / np.sqrt(1 - x * x)


@elementwise(np.arccos, math.acos, cmath.acos, partial_domain=True)
def arccos(ans, x):
    return -arcsin_slope(x) if np.iscomplexobj(x) else -1 / np.sqrt(1 - x * x)


@elementwise(np.arctan, math.atan, cmath.atan)
def arctan(ans, x):
    return 1 / (1 + x * x)


@elementwise(np.arctan2, math.atan2, partial_domain=True)
def arctan2(ans, y, x):
    square = 1.0 * x * x + 1.0 * y * y  # of integers, it may be too large for one
    return x / square, -y / square


@elementwise(np.sinh, math.sinh, cmath.sinh)
def sinh(ans, x):
    return np.cosh(x)


@elementwise(np.cosh, math.cosh, cmath.cosh)
def cosh(ans, x):
    return np.sinh(x)


@elementwise(np.tanh, math.tanh, cmath.tanh)
def tanh(ans, x):
    return 1 - ans * ans


@elementwise(np.arcsinh, math.asinh, cmath.asinh)
def arcsinh(ans, x):
    return 1 / np.sqrt(1 + x * x)


@elementwise(np.arccosh, math.acosh, cmath.acosh, partial_domain=True)
def arccosh(ans, x):
    return 1 / (np.sqrt(x - 1) * np.sqrt(x + 1))


@elementwise(np.arctanh, math.atanh, cmath.atanh, partial_domain=True)
def arctanh(ans, x):
    return 1 / (1 - x * x)


@elementwise(np.degrees, np.rad2deg, math.degrees)
def degrees(ans, x):
    return 180 / np.pi


@elementwise(np.radians, np.deg2rad, math.radians)
def radians(ans, x):
    return np.pi / 180


@elementwise(np.sinc)
def sinc(ans, x):
    return sinc_derivative(x, 1)


@elementwise(np.i0)
def i0(ans, x):
    return bessel_i(1, x)


# ----- complex numbers -----
# A real-valued function of a complex number has the partial p with d ans = real(p * dx).


@elementwise(np.real, view=True)
def real(ans, val):
    return 1


@elementwise(np.imag, view=True)
def imag(ans, val):
    return -1j


@vjp(np.conjugate)
def conjugate(g, ans, x):
    return np.conj(g)


@vjp(np.angle, cmath.phase)
def angle(g, ans, z, deg=False):
    turn = g * 1j * np.conj(ratio(1.0, z))
    return turn * (180 / np.pi) if deg else turn


@vjp(cmath.polar)
def polar(g, ans, z):
    g_size, g_turn = g
    return g_size * np.sign(z) + g_turn * 1j * np.conj(ratio(1.0, z))


@vjp(cmath.rect)
def rect(g, ans, r, phi):
    return np.real(g * np.exp(-1j * phi)), np.real(g * np.conj(1j * ans))


# ----- Python versions differ in what `math` has -----

for _name, _ufunc in (("cbrt", np.cbrt), ("exp2", np.exp2)):
    if hasattr(math, _name):
        alias(_ufunc, getattr(math, _name))
