"""What are the derivatives of the noncentral chi-square distribution?

It is the mean of the central ones of ``v + 2 * j`` degrees of freedom, where ``j`` has the distribution of
Poisson of mean ``c / 2``. By ``x`` and ``c`` that gives formulas; by ``v`` it is the mean of the derivatives.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp
import scipy.special._ufuncs as own

from ..numpy.gather import refuse
from ..registry import elementwise
from .incomplete_by_shape import gammainc_by_shape

TINY = 1e-300  # in place of 0, where a density is divided by x


def by_freedom(x: Any, v: Any, c: Any, n: int, dense: bool) -> Any:
    """The ``n``-th derivative of the distribution function, or of the density, by ``v``; ``n`` up to 2.

    >>> up, down = sp.chndtr(2.0, 3.0 + 1e-5, 1.5), sp.chndtr(2.0, 3.0 - 1e-5, 1.5)
    >>> bool(np.isclose(by_freedom(2.0, 3.0, 1.5, 1, False), (up - down) / 2e-5, rtol=1e-7))
    True
    """
    if n > 2:
        refuse("the third derivative of the noncentral chi-square distribution by its degrees of freedom")
    given = (np.asarray(part, float) for part in (x, v, c))
    x, v, c = (part[..., None] for part in np.broadcast_arrays(*given))
    mean = c / 2
    reach = np.ceil(np.max(9 * np.sqrt(mean) + 30, initial=1.0, where=np.isfinite(mean)))
    j = np.maximum(np.floor(mean) - reach, 0) + np.arange(2 * reach + 1)
    weight = np.exp(sp.xlogy(j, mean) - mean - sp.gammaln(j + 1))
    a = v / 2 + j
    if not dense:
        return np.sum(weight * gammainc_by_shape(a, x / 2, n), axis=-1) / 2**n
    near = np.maximum(x, TINY) / 2
    density = np.exp(sp.xlogy(a - 1, near) - near - sp.gammaln(a)) / 2
    away = np.log(near) - sp.digamma(a)
    factor = (1.0, away, away * away - sp.polygamma(1, a))[n]
    return np.sum(weight * density * factor, axis=-1) / 2**n


@elementwise(by_freedom, partial_domain=True)
def by_freedom_rule(ans, x, v, c, n, dense):
    above, near = by_freedom(x, v + 2, c, n, dense), np.maximum(x, TINY)
    if dense:
        by_x = ((v / 2 - 1) / near - 0.5) * ans + c / 2 * (above / near)
        if n > 0:
            by_x = by_x + n / 2 * (by_freedom(x, v, c, n - 1, dense) / near)
    else:
        by_x = by_freedom(x, v, c, n, True)
    return by_x, by_freedom(x, v, c, n + 1, dense), 0.5 * (above - ans), None, None


@elementwise(sp.chndtr, partial_domain=True)
def chndtr(ans, x, df, nc):
    near = np.maximum(x, TINY)
    return own._ncx2_pdf(near, df, nc), by_freedom(x, df, nc, 1, False), -own._ncx2_pdf(near, df + 2, nc)


@elementwise(own._ncx2_sf, partial_domain=True)
def ncx2_sf(ans, x, df, nc):
    near = np.maximum(x, TINY)
    return -own._ncx2_pdf(near, df, nc), -by_freedom(x, df, nc, 1, False), own._ncx2_pdf(near, df + 2, nc)


@elementwise(own._ncx2_pdf, partial_domain=True)
def ncx2_pdf(ans, x, df, nc):
    near = np.maximum(x, TINY)
    here, above = own._ncx2_pdf(near, df, nc), own._ncx2_pdf(near, df + 2, nc)
    by_x = ((df / 2 - 1) / near - 0.5) * here + nc / 2 * (above / near)
    return by_x, by_freedom(x, df, nc, 1, True), 0.5 * (above - here)
