"""What computes functions that have an order: polygamma functions, derivatives of ``np.sinc`` and of powers?

The zeta function is summed as SciPy sums it: some terms, and an asymptotic series for the rest.
"""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator, no-any-return"
import math

import numpy as np

from ..linked import linked
from .complex_math import log_complex, power_complex

EULER_MACLAURIN = (
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -1 / 1.8924375803183791606e9, 1 / 7.47242496e10,
    -1 / 2.950130727918164224e12, 1 / 1.1646782814350067249e14, -1 / 4.5979787224074726105e15,
    1 / 1.8152105401943546773e17, -1 / 7.1661652561756670113e18,
)  # fmt: skip
"""The Bernoulli numbers over ``(2 k)!``."""
ULP = 1.11022302462515654042e-16
BERNOULLI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
"""Of the series of the digamma function: ``B(2 k) / (2 k)``."""


@linked
def zeta(n: int, q: float) -> float:
    """The sum of ``(q + k) ** -n`` for ``n > 1``, over all ``k`` from 0 on.

    >>> round(float(zeta(2, 1.0)), 12)  # pi ** 2 / 6
    1.644934066848
    """
    if q <= 0 and q == math.floor(q):
        return math.inf
    if q > 1e8:
        return (1 / (n - 1) + 1 / (2 * q)) * _inverse_power(q, n - 1)
    a, b, i = q, _inverse_power(q, n), 0
    total = b
    while i < 9 or a <= 9.0:
        i += 1
        a += 1.0
        b = _inverse_power(a, n)
        total += b
        if abs(b) < ULP * abs(total):
            return total
    total += b * a / (n - 1) - 0.5 * b
    inverse, factor, k = 1 / a, float(n), 0.0
    b *= inverse
    for number in EULER_MACLAURIN:
        term = factor * b * number
        total += term
        if abs(term) < ULP * abs(total):
            return total
        k += 2
        factor *= (n + k - 1) * (n + k)
        b *= inverse * inverse
    return total


@linked
def _inverse_power(x: float, n: int) -> float:
    inverse, power = 1 / x, 1.0
    for _ in range(n):
        power *= inverse
    return power


@linked
def digamma(x: float) -> float:
    """The derivative of ``log(gamma(x))``: up by the recurrence to where the asymptotic series holds.

    >>> round(float(digamma(1.0)), 12)  # the negative Euler-Mascheroni constant
    -0.577215664902
    """
    if x == 0:
        return math.copysign(math.inf, -x)
    mirrored, total = 0.0, 0.0
    if x < 0:
        part = x - math.floor(x)
        if part == 0:
            return math.nan
        mirrored, x = math.pi / math.tan(math.pi * part), 1 - x
    while x < 12:
        total -= 1 / x
        x += 1
    square, series, power = 1 / (x * x), 0.0, 1.0
    for number in BERNOULLI:
        power *= square
        series += number * power
    return total + math.log(x) - 0.5 / x - series - mirrored


@linked
def trigamma(x: float) -> float:
    """The derivative of ``digamma``: by the recurrence and the asymptotic series, too.

    >>> round(float(trigamma(1.0)), 12)  # pi ** 2 / 6
    1.644934066848
    """
    if x <= 0 and x == math.floor(x):
        return math.inf
    total = 0.0
    while x < 12:
        total += 1 / (x * x)
        x += 1
    inverse = 1 / x
    square, series, power = inverse * inverse, 1.0, 1.0
    for k in range(len(BERNOULLI)):
        power *= square
        series += (2 * k + 2) * BERNOULLI[k] * power
    return total + 0.5 * square + inverse * series


@linked
def polygamma(n: int, x: float) -> float:
    """``scipy.special.polygamma(n, x)``.

    >>> round(float(polygamma(1, 1.0)), 12)
    1.644934066848
    """
    if n == 0:
        return digamma(x)
    if n == 1:
        return trigamma(x)
    sign = 1.0 if n % 2 else -1.0
    return sign * math.gamma(n + 1.0) * zeta(n + 1, x)


@linked
def sinc_derivative(x: float, n: int) -> float:
    """The ``n``-th derivative of ``np.sinc``: near 0 by its Taylor series, elsewhere by the recurrence.

    >>> round(float(sinc_derivative(1.0, 1)), 12)
    -1.0
    """
    if abs(x) < 1:
        total, p = 0.0, n + n % 2
        term = (-1.0) ** (p // 2) * math.pi**p / (p + 1) * x ** (p - n)
        for k in range(2, p - n + 1):
            term /= k
        while p < 60:
            total += term
            p += 2
            step = (p - n) * (p - n - 1.0)
            term *= -(math.pi**2) * x * x / step * (p - 1) / (p + 1)
        return total
    value = np.sin(math.pi * x) / (math.pi * x)
    for k in range(1, n + 1):
        value = (math.pi ** (k - 1) * np.sin(math.pi * x + k * math.pi / 2) - k * value) / x
    return value


@linked
def falling(y: float, n: int, k: int) -> float:
    """The ``k``-th derivative of ``y (y - 1) ... (y - n + 1)``, over ``k!``: products of ``n - k`` factors.

    >>> falling(3.0, 2, 0), falling(3.0, 2, 1), falling(3.0, 2, 2), falling(3.0, 2, 3)
    (6.0, 5.0, 1.0, 0.0)
    """
    total = 0.0
    for chosen in range(1 if k == 0 else 2**n):
        product, left_out = 1.0, 0
        for i in range(n):
            if chosen >> i & 1:
                left_out += 1
            else:
                product *= y - i
        if left_out == k:
            total += product
    return total


@linked
def power_derivative(x: float, y: float, n: int, m: int) -> float:
    """The ``n``-th derivative by ``x``, ``m``-th by ``y``, of ``x ** y``.

    >>> float(power_derivative(2.0, 3.0, 2, 0)), round(float(power_derivative(2.0, 3.0, 1, 1)), 9)
    (12.0, 12.317766167)
    """
    base, exponent = float(x), float(y) - n
    flat = base == 0 and (exponent > 0 if n else exponent >= 0)
    power, log = base**exponent, 0.0
    if m > 0 and not flat:
        log = np.log(base)
    total, scale = 0.0, 1.0  # m (m - 1) ... (m - k + 1)
    for k in range(m + 1):
        part = scale * falling(float(y), n, k)
        if part != 0:
            total += part * power * (log ** (m - k) if k < m else 1.0)
        scale *= m - k
    return total


@linked
def power_derivative_complex(x: complex, y: complex, n: int, m: int) -> complex:
    """``power_derivative`` of complex numbers.

    >>> complex(power_derivative_complex(1j, 3.0, 1, 0))
    (-3+0j)
    """
    base, exponent = complex(x), complex(y) - n
    flat = base == 0 and (exponent.real > 0 if n else exponent.real >= 0)
    power, log = power_complex(base, exponent), complex(0.0, 0.0)
    if m > 0 and not flat:
        log = log_complex(base)
    total, scale = complex(0.0, 0.0), 1.0
    for k in range(m + 1):
        part = scale * falling(complex(y), n, k)
        if part != 0:
            term = part * power
            for _ in range(m - k):
                term *= log
            total += term
        scale *= m - k
    return total
