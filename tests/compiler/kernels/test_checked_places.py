"""Does no kernel read or write beside an array? Each of its accesses is compared here.

Kernels take indices for places, without a look for negative ones (``translation``): what counts from the end
must have become a place before.
"""

import numba
import numpy as np
import pytest
from numba.core import cgutils

import ast_ad
from ast_ad.compiler.kernels import translation
from ast_ad.compiler.kernels.runtime import kernel

X, PLACES = np.linspace(0.5, 2.0, 7), np.array([3, -1, 0, 3, -7])


class Outside(BaseException):
    """An index that is no place; nothing in the package catches it."""


@pytest.fixture(autouse=True)
def accesses_are_compared(monkeypatch, tmp_path):
    monkeypatch.setenv("AST_AD_CACHE", "0")
    plain = translation._Placed._place

    def place(self, array, kind, index):
        counted, given = translation._axes(self.typeof(index.name)), self.loadvar(index.name)
        several = isinstance(self.typeof(index.name), numba.types.BaseTuple)
        at = cgutils.unpack_tuple(self.builder, given, len(counted)) if several else [given]
        for c, i, n in zip(counted, at, self._lengths(array, kind, "shape"), strict=True):
            i = self.context.cast(self.builder, i, c, numba.types.intp)
            with self.builder.if_then(self.builder.icmp_unsigned(">=", i, n), likely=False):
                self.context.call_conv.return_user_exc(self.builder, Outside, (array.name,))
        return plain(self, array, kind, index)

    monkeypatch.setattr(translation._Placed, "_place", place)


def around(x):
    """The first turn reads the last element."""
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i - 1] * x[i - 3]
    return total


def backwards(x):
    y = x.copy()
    for i in range(1, len(x) + 1):
        y[-i] += y[i - len(x)] * x[-1]
    return np.sum(y[::-2] * x[::2]) + y[-2]


def chosen(x):
    y = np.zeros_like(x)
    y[PLACES] = x[PLACES - 1 + (PLACES < -6)]
    for k in PLACES:
        y[k] += x[k] ** 2
    return np.sum(y[PLACES] * x[:5])


def kept(x):
    """Lists and tapes: what the last turns have left."""
    found = [x[0]]
    for i in range(1, len(x)):
        found.append(found[-1] * x[-i] if found[i - 1] < 1.0 else found[i - 1] - x[i])
    return found[-1] + found[-2] * found[-len(x)]


def windows(x):
    """Clamped places, images of a margin, and parts that move with a loop."""
    total, wide = 0.0, np.pad(x, 2, mode="wrap")
    for i in range(len(x)):
        total += x[max(i - 1, 0)] * x[min(i + 1, len(x) - 1)] + np.sum(wide[i : i + 3] * x[-3:])
    return total


def rows(x):
    a = np.outer(x, x)
    for i in range(len(x)):
        a[i - 1, i:] -= a[i, -1] * a[i - 2, i:]
    return np.sum(a[-1] * a[:, -2])


@pytest.mark.parametrize("f", [around, backwards, chosen, kept, windows, rows])
def test_values_and_gradients_are_those_of_numpy_code(f):
    compiled = ast_ad.value_and_grad(f, backend="numba")
    expected = ast_ad.value_and_grad(f, backend="numpy")(X)
    value, gradient = compiled(X)
    assert compiled.backend == "numba"
    np.testing.assert_allclose(value, f(X), rtol=1e-12)
    np.testing.assert_allclose(gradient, expected[1], rtol=1e-11)


def test_an_access_beside_an_array_is_seen():
    def beside(x, i):
        return x[i]

    checked = kernel(beside)
    assert checked(X, 6) == X[6]
    for i in (-1, 7):
        with pytest.raises(Outside):
            checked(X, i)
