"""What are the derivatives of elliptic integrals, and of the integrals of Fresnel, Voigt, sines and cosines?

An integral has its integrand as the derivative by its limit. By the parameter of an elliptic integral the
formulas divide by it, and lose all digits near 0; series stand there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp

from ..helpers import safe_product
from ..registry import composite, elementwise, vjp

NEAR = 0.02  # parameters for which the series are summed; of the integrals by a limit 1e-2 ** 7 remains
# Of (1 - m t)**(-3/2) and (1 - m t)**(-1/2) by powers of m t.
CUBED = (1.0, 3 / 2, 15 / 8, 35 / 16, 315 / 128, 693 / 256, 3003 / 1024, 6435 / 2048)
ROOTED = (1.0, 1 / 2, 3 / 8, 5 / 16, 35 / 128, 63 / 256, 231 / 1024, 429 / 2048)
FAR = 300.0  # from where Faddeeva's function is summed by powers of 1 / z

# ----- complete elliptic integrals -----


@elementwise(sp.ellipk, partial_domain=True)
def ellipk(ans, m):
    return complete_first(ans, m)


def complete_first(k: Any, m: Any) -> Any:
    """The derivative of the complete integral of the first kind, of value ``k``."""
    near = np.abs(m) < 0.1
    away = np.where(near, 0.5, m)
    closed = (sp.ellipe(away) / (1 - away) - np.where(near, 0.0, k)) / (2 * away)
    return np.where(near, math.pi / 8 * sp.hyp2f1(1.5, 1.5, 2.0, np.where(near, m, 0.0)), closed)


@elementwise(sp.ellipkm1, partial_domain=True)
def ellipkm1(ans, p):
    near = np.abs(1 - p) < 0.1
    away = np.where(near, 0.5, p)
    closed = (np.where(near, 0.0, ans) - sp.ellipe(1 - away) / away) / (2 * (1 - away))
    return np.where(near, -math.pi / 8 * sp.hyp2f1(1.5, 1.5, 2.0, np.where(near, 1 - p, 0.0)), closed)


@elementwise(sp.ellipe, partial_domain=True)
def ellipe(ans, m):
    near = np.abs(m) < 0.1
    away = np.where(near, 0.5, m)
    closed = (np.where(near, 0.0, ans) - sp.ellipk(away)) / (2 * away)
    return np.where(near, -math.pi / 8 * sp.hyp2f1(0.5, 1.5, 2.0, np.where(near, m, 0.0)), closed)


@composite(sp.agm)
def agm(a, b):
    return math.pi / 4 * (a + b) / sp.ellipk(((a - b) / (a + b)) ** 2)


# ----- incomplete elliptic integrals, and their inverses -----


@elementwise(sp.ellipkinc, partial_domain=True)
def ellipkinc(ans, phi, m):
    return 1 / np.sqrt(1 - m * np.sin(phi) ** 2), first_by_parameter(phi, m)


@elementwise(sp.ellipeinc, partial_domain=True)
def ellipeinc(ans, phi, m):
    near = np.abs(m) < NEAR
    away = np.where(near, 0.5, m)
    closed = (sp.ellipeinc(phi, away) - sp.ellipkinc(phi, away)) / (2 * away)
    by_parameter = np.where(near, -0.5 * power_integrals(phi, np.where(near, m, 0.0), ROOTED), closed)
    return np.sqrt(1 - m * np.sin(phi) ** 2), by_parameter


def first_by_parameter(phi: Any, m: Any) -> Any:
    """The derivative of the incomplete integral of the first kind by its parameter."""
    near = np.abs(m) < NEAR
    away = np.where(near, 0.5, m)
    turns = np.round(phi / math.pi)
    s = np.sin(phi - turns * math.pi)
    carlson = s**3 / 6 * sp.elliprd(np.cos(phi) ** 2, 1.0, 1 - away * s * s)
    whole = np.where(turns == 0, 0.5, away)  # a full integral may be infinite where none is in the sum
    closed = carlson + 2 * turns * complete_first(sp.ellipk(whole), whole)
    return np.where(near, 0.5 * power_integrals(phi, np.where(near, m, 0.0), CUBED), closed)


def power_integrals(phi: Any, m: Any, series: tuple[float, ...]) -> Any:
    """The integral of ``sin(t)**2 * sum(c * (m * sin(t)**2)**k)`` from 0 to ``phi``."""
    s, c = np.sin(phi), np.cos(phi)
    integral, total = phi, 0.0
    for k, factor in enumerate(series):
        integral = ((2 * k + 1) * integral - s ** (2 * k + 1) * c) / (2 * k + 2)
        total = total + factor * m**k * integral
    return total


@vjp(sp.ellipj, broadcasts=True)
def ellipj(g, ans, u, m):
    """The amplitude inverts ``u = F(phi, m)``; the functions are its sine, its cosine and a root."""
    sn, cn, dn, phi = ans
    by_amplitude = g[0] * cn - g[1] * sn - g[2] * m * sn * cn / dn + g[3]
    m_bar = -by_amplitude * dn * first_by_parameter(phi, m) - g[2] * sn * sn / (2 * dn)
    return by_amplitude * dn, m_bar


@elementwise(sp.elliprf, partial_domain=True)
def elliprf(ans, x, y, z):
    return -sp.elliprd(y, z, x) / 6, -sp.elliprd(x, z, y) / 6, -sp.elliprd(x, y, z) / 6


@elementwise(sp.elliprd, partial_domain=True)
def elliprd(ans, x, y, z):
    """By the equation of Euler and Poisson, and by the degree; nan where two arguments are equal."""
    by_x = (sp.elliprd(y, z, x) - ans) / (2 * (x - z))
    by_y = (sp.elliprd(x, z, y) - ans) / (2 * (y - z))
    return by_x, by_y, -(1.5 * ans + x * by_x + y * by_y) / z


# ----- integrals of sines and cosines -----


@vjp(sp.sici)
def sici(g, ans, x):
    return g[0] * np.conj(over(np.sin(x), x, 1.0)) + safe_product(g[1], np.conj(over(np.cos(x), x, np.inf)))


@vjp(sp.shichi)
def shichi(g, ans, x):
    """At 0 only the second has an infinite slope; far out both have, and one may be read alone."""
    first = safe_product(g[0], np.conj(over(np.sinh(x), x, 1.0)))
    return first + safe_product(g[1], np.conj(over(np.cosh(x), x, np.inf)))


def over(y: Any, x: Any, limit: float) -> Any:
    """``y / x``, and its limit at 0."""
    return np.where(x == 0, limit, y / np.where(x == 0, 1.0, x))


@vjp(sp.fresnel)
def fresnel(g, ans, z):
    phase = math.pi / 2 * z * z
    return g[0] * np.conj(np.sin(phase)) + g[1] * np.conj(np.cos(phase))


@vjp(sp.expn, broadcasts=True)
def expn(g, ans, n, x):
    lowest = np.exp(-x) * (1 + x) / (x * x)
    return None, -g * np.where(n > 0, sp.expn(np.maximum(n - 1, 0), x), lowest)


# ----- Dawson's integral, Faddeeva's function, and Voigt's profile: its real part -----


@elementwise(sp.dawsn)
def dawsn(ans, x):
    return 1 - 2 * x * ans


@elementwise(sp.wofz)
def wofz(ans, z):
    return faddeeva_slope(ans, z)


def faddeeva_slope(w: Any, z: Any) -> Any:
    """The derivative of ``wofz``, of value ``w``; far out in the upper half plane by powers of 1 / z."""
    far = (np.abs(z) > FAR) & (np.imag(z) >= 0)
    inverse = 1 / np.where(far, z * z, 1.0)
    series = -1j / math.sqrt(math.pi) * inverse * (1 + inverse * (1.5 + 3.75 * inverse))
    return np.where(far, series, -2 * z * w + 2j / math.sqrt(math.pi))


def faddeeva_curve(w: Any, z: Any) -> Any:
    """``w + z w'`` of ``wofz``, of value ``w``: half its second derivative, with the other sign."""
    far = (np.abs(z) > FAR) & (np.imag(z) >= 0)
    inverse = 1 / np.where(far, z, 1.0)
    square = inverse * inverse
    series = -1j / math.sqrt(math.pi) * inverse * square * (1 + square * (3 + 11.25 * square))
    return np.where(far, series, w + z * faddeeva_slope(w, z))


@elementwise(sp.voigt_profile, partial_domain=True)
def voigt_profile(ans, x, sigma, gamma):
    """Without a width of the normal density it is Cauchy's, and even in that width."""
    cauchy = sigma == 0
    width = np.where(cauchy, 1.0, sigma) * math.sqrt(2)
    z = (x + 1j * gamma) / width
    w, area = sp.wofz(z), width * width * math.sqrt(math.pi)
    slope = faddeeva_slope(w, z) / area
    squares = np.where(cauchy, x * x + gamma * gamma, 1.0)
    size = 1 / (math.pi * squares * squares)
    by_sigma = -np.real(faddeeva_curve(w, z)) * math.sqrt(2) / area
    return (
        np.where(cauchy, -2 * x * gamma * size, np.real(slope)),
        np.where(cauchy, 0.0, by_sigma),
        np.where(cauchy, (x * x - gamma * gamma) * size, -np.imag(slope)),
    )
