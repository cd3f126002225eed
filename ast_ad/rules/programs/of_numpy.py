"""What are ``np.poly1d``, ``np.ndarray`` and others with code of their own, in plainer functions?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numpy.gather import refuse
from ..standing import read_for, stands_for


@stands_for(np.poly1d)
class poly1d:
    """A polynomial by its coefficients, the highest first."""

    coeffs: Any

    def __init__(self, c_or_r, r=False, variable=None):
        given = c_or_r.coeffs if isinstance(c_or_r, poly1d) else np.atleast_1d(c_or_r)
        kept = np.trim_zeros(np.poly(given) if r else given, "f")
        self.coeffs = kept if len(kept) > 0 else np.zeros(1)

    @property
    def c(self):
        return self.coeffs

    @property
    def coef(self):
        return self.coeffs

    @property
    def coefficients(self):
        return self.coeffs

    @property
    def order(self):
        return len(self.coeffs) - 1

    @property
    def o(self):
        return len(self.coeffs) - 1

    @property
    def roots(self):
        return np.roots(self.coeffs)

    @property
    def r(self):
        return np.roots(self.coeffs)

    def __call__(self, val):
        return np.polyval(self.coeffs, val)

    def __len__(self):
        return len(self.coeffs) - 1

    def __getitem__(self, power):
        return self.coeffs[len(self.coeffs) - 1 - power]

    def deriv(self, m=1):
        return poly1d(np.polyder(self.coeffs, m))

    def integ(self, m=1, k=0):
        if isinstance(k, int) and k == 0:
            return poly1d(np.polyint(self.coeffs, m))
        return poly1d(np.polyint(self.coeffs, m, k))

    def __add__(self, other):
        return poly1d(np.polyadd(self.coeffs, poly1d(other).coeffs))

    def __radd__(self, other):
        return poly1d(np.polyadd(poly1d(other).coeffs, self.coeffs))

    def __sub__(self, other):
        return poly1d(np.polysub(self.coeffs, poly1d(other).coeffs))

    def __rsub__(self, other):
        return poly1d(np.polysub(poly1d(other).coeffs, self.coeffs))

    def __mul__(self, other):
        return poly1d(np.polymul(self.coeffs, poly1d(other).coeffs))

    def __rmul__(self, other):
        return poly1d(np.polymul(poly1d(other).coeffs, self.coeffs))

    def __neg__(self):
        return poly1d(-self.coeffs)

    def __pow__(self, val):
        found = poly1d(np.ones(1))
        for _ in range(val):
            found = poly1d(np.polymul(found.coeffs, self.coeffs))
        return found

    def __truediv__(self, other):
        if np.isscalar(other):
            return poly1d(self.coeffs / other)
        quotient, rest = np.polydiv(self.coeffs, poly1d(other).coeffs)
        return poly1d(quotient), poly1d(rest)


@read_for(np.ndarray)
def ndarray(shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
    if buffer is not None or strides is not None:
        refuse(
            "np.ndarray(buffer=...)", "it is a view of other memory", "use np.frombuffer, or index the array"
        )
    return np.empty(shape, dtype, "C" if order is None else order)


@stands_for(np.kaiser)
def kaiser(M, beta):
    if M == 1:
        return np.ones(1)
    n = np.arange(0.0, M)
    half = (M - 1) / 2.0
    return np.i0(beta * np.sqrt(1 - ((n - half) / half) ** 2.0)) / np.i0(beta)


def row_stack(tup, *, dtype=None, casting="same_kind"):
    if dtype is None:
        return np.vstack(tup)
    return np.vstack(tup).astype(dtype)


if hasattr(np, "row_stack"):  # not since NumPy 2.5
    stands_for(np.row_stack)(row_stack)
