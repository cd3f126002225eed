"""Entropies of distributions that SciPy has no formula for: by quadrature of their densities.

A program of this package: a trace records the quadrature that it calls.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np
import scipy.integrate
import scipy.special as sp
import scipy.stats._distn_infrastructure as infrastructure

from ..standing import stands_for


@stands_for(infrastructure.rv_continuous._entropy)
def entropy_of_density(self, *args):
    """Far out a density is 0 by rounding, and so are its derivatives, whatever their formulas say there."""

    def term(x):
        density = self._pdf(x, *args)
        return 0.0 if density == 0 else sp.entr(density)

    low, high = self._get_support(*args)
    with np.errstate(over="ignore"):
        found = scipy.integrate.quad(term, low, high)[0]
    if not np.isnan(found):
        return found
    first, last = self.ppf([1e-10, 1.0 - 1e-10], *args)
    high = last if np.isinf(high) else high
    low = first if np.isinf(low) else low
    return scipy.integrate.quad(term, low, high)[0]
