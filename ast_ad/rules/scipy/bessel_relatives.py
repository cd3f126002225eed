"""What are the derivatives of the functions akin to Bessel's: of Airy, Hankel, Struve, Kelvin?

They follow from the recurrences of the functions, or from the differential equation that each solves. By the
order there is a formula for ``K`` alone (``bessel_orders``).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp

from ..helpers import safe_product
from ..registry import composite, elementwise, vjp
from .bessel_orders import kve_by_order

# ----- Airy functions -----


@vjp(sp.airy)
def airy(g, ans, z):
    ai, ai_slope, bi, bi_slope = ans
    growing = safe_product(g[2], np.conj(bi_slope)) + safe_product(g[3], np.conj(z * bi))
    return g[0] * np.conj(ai_slope) + safe_product(g[1], np.conj(z * ai)) + growing


# ----- Bessel functions with an exponential factor, Hankel functions -----


@elementwise(sp.k0e, partial_domain=True)
def k0e(ans, x):
    return ans - sp.k1e(x)


@elementwise(sp.k1e, partial_domain=True)
def k1e(ans, x):
    return ans - sp.k0e(x) - ans / x


@elementwise(sp.kve, partial_domain=True)
def kve(ans, v, z):
    return kve_by_order(v, z, 1), ans - 0.5 * (sp.kve(v - 1, z) + sp.kve(v + 1, z))


@elementwise(sp.hankel1, partial_domain=True)
def hankel1(ans, v, z):
    return NotImplemented, 0.5 * (sp.hankel1(v - 1, z) - sp.hankel1(v + 1, z))


@elementwise(sp.hankel2, partial_domain=True)
def hankel2(ans, v, z):
    return NotImplemented, 0.5 * (sp.hankel2(v - 1, z) - sp.hankel2(v + 1, z))


@elementwise(sp.hankel1e, partial_domain=True)
def hankel1e(ans, v, z):
    return NotImplemented, 0.5 * (sp.hankel1e(v - 1, z) - sp.hankel1e(v + 1, z)) - 1j * ans


@elementwise(sp.hankel2e, partial_domain=True)
def hankel2e(ans, v, z):
    return NotImplemented, 0.5 * (sp.hankel2e(v - 1, z) - sp.hankel2e(v + 1, z)) + 1j * ans


@composite(sp.ive)
def ive(v, z):
    """By a complex number it is no analytic function: its scale is that of the real part."""
    return scaled_iv(v, z, np.abs(np.real(z)))


def scaled_iv(v: Any, z: Any, scale: Any) -> Any:
    """``iv(v, z) * exp(-scale)``, for a scale near ``abs(z.real)``.

    >>> bool(np.isclose(scaled_iv(1, 0.5 + 2j, 0.5), sp.ive(1, 0.5 + 2j)))
    True
    """
    return sp.ive(v, z) * np.exp(np.abs(np.real(z)) - scale)


@elementwise(scaled_iv)
def scaled_iv_rule(ans, v, z, scale):
    return NotImplemented, 0.5 * (scaled_iv(v - 1, z, scale) + scaled_iv(v + 1, z, scale)), -ans


# ----- spherical Bessel functions -----


@vjp(sp.spherical_jn, broadcasts=True)
def spherical_jn(g, ans, n, z, derivative=False):
    if derivative:
        return None, g * np.conj(curved(ans, sp.spherical_jn(n, z), n, z, 1.0))
    return None, g * np.conj(sp.spherical_jn(n, z, True))


@vjp(sp.spherical_yn, broadcasts=True)
def spherical_yn(g, ans, n, z, derivative=False):
    if derivative:
        return None, g * np.conj(curved(ans, sp.spherical_yn(n, z), n, z, 1.0))
    return None, g * np.conj(sp.spherical_yn(n, z, True))


@vjp(sp.spherical_in, broadcasts=True)
def spherical_in(g, ans, n, z, derivative=False):
    if derivative:
        return None, g * np.conj(curved(ans, sp.spherical_in(n, z), n, z, -1.0))
    return None, g * np.conj(sp.spherical_in(n, z, True))


@vjp(sp.spherical_kn, broadcasts=True)
def spherical_kn(g, ans, n, z, derivative=False):
    if derivative:
        return None, g * np.conj(curved(ans, sp.spherical_kn(n, z), n, z, -1.0))
    return None, g * np.conj(sp.spherical_kn(n, z, True))


def curved(slope: Any, value: Any, n: Any, z: Any, sign: float) -> Any:
    """The second derivative of a spherical Bessel function, by its differential equation."""
    return (n * (n + 1) / (z * z) - sign) * value - 2 * slope / z


# ----- Struve functions -----


@elementwise(sp.struve, partial_domain=True)
def struve(ans, v, x):
    return NotImplemented, 0.5 * (sp.struve(v - 1, x) - sp.struve(v + 1, x) + source(v, x))


@elementwise(sp.modstruve, partial_domain=True)
def modstruve(ans, v, x):
    return NotImplemented, 0.5 * (sp.modstruve(v - 1, x) + sp.modstruve(v + 1, x) + source(v, x))


def source(v: Any, x: Any) -> Any:
    """By what the recurrence of Struve's functions differs from that of Bessel's."""
    return (x / 2) ** v * sp.rgamma(v + 1.5) / math.sqrt(math.pi)


@elementwise(sp.hyp0f1)
def hyp0f1(ans, v, z):
    return NotImplemented, sp.hyp0f1(v + 1, z) / v


# ----- Kelvin functions -----


@elementwise(sp.ber)
def ber(ans, x):
    return sp.berp(x)


@elementwise(sp.bei)
def bei(ans, x):
    return sp.beip(x)


@elementwise(sp.ker, partial_domain=True)
def ker(ans, x):
    return sp.kerp(x)


@elementwise(sp.kei, partial_domain=True)
def kei(ans, x):
    return sp.keip(x)


@elementwise(sp.berp)
def berp(ans, x):
    return -sp.bei(x) - np.where(x == 0, 0.0, ans / np.where(x == 0, 1.0, x))


@elementwise(sp.beip)
def beip(ans, x):
    return sp.ber(x) - np.where(x == 0, 0.5, ans / np.where(x == 0, 1.0, x))


@elementwise(sp.kerp, partial_domain=True)
def kerp(ans, x):
    return -sp.kei(x) - ans / x


@elementwise(sp.keip, partial_domain=True)
def keip(ans, x):
    return sp.ker(x) - ans / x
