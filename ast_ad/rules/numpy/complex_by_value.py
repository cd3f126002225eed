"""What are the partial derivatives of ``np.emath``'s functions, complex where no real one exists?

They are those of NumPy's functions on the complex plane, approached from above where the real axis is a cut.
"""

from __future__ import annotations

import numpy as np

from ..helpers import COMPLEX_BY_VALUE
from ..partials import arcsin_slope, power_dx, power_dy
from ..registry import elementwise
from .elementwise import LN2, LN10


@elementwise(np.emath.sqrt, partial_domain=True)
def sqrt(ans, x):
    return 0.5 / ans


@elementwise(np.emath.log, partial_domain=True)
def log(ans, x):
    return 1 / x


@elementwise(np.emath.log2, partial_domain=True)
def log2(ans, x):
    return 1 / (x * LN2)


@elementwise(np.emath.log10, partial_domain=True)
def log10(ans, x):
    return 1 / (x * LN10)


@elementwise(np.emath.logn, partial_domain=True)
def logn(ans, base, x):
    log_base = np.log(base + 0j)
    return -ans / (base * log_base), 1 / (x * log_base)


@elementwise(np.emath.power, partial_domain=True)
def power(ans, x, p):
    return power_dx(x + 0j, p), power_dy(x + 0j, p, ans)


@elementwise(np.emath.arcsin, partial_domain=True)
def arcsin(ans, x):
    return arcsin_slope(x + 0j)


@elementwise(np.emath.arccos, partial_domain=True)
def arccos(ans, x):
    return -arcsin_slope(x + 0j)


@elementwise(np.emath.arctanh, partial_domain=True)
def arctanh(ans, x):
    return 1 / (1 - x * x)


COMPLEX_BY_VALUE.update(getattr(np.emath, name) for name in np.emath.__all__)
