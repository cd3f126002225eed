"""Complex values that are written to arrays of real numbers: NumPy warns, and drops a part of them."""

import numpy as np
import pytest

import ast_ad
from ast_ad.tracing import trace

pytestmark = [
    pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning"),
    pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning"),
]
X = np.array([0.3, 1.2, -0.7, 2.0])
ALONG = np.array([0.2, -0.5, 1.0, 0.4])


def whole(x):
    out = np.zeros(4)
    out[:] = np.fft.ifft(np.fft.fft(x) ** 2)
    return np.sum(out * X)


def rows(x):
    out = np.zeros((2, 4))
    for i in range(2):
        out[i, :] = np.fft.fft(x * (i + 1))
    return np.sum(out**2)


def items(x):
    out, z = np.empty(4), np.exp(1j * x)
    for i in range(4):
        out[i] = z[i] * 2
    return np.sum(out**2)


def masked(x):
    out, chosen = np.zeros(4), x > 0
    out[chosen] = np.sqrt((x + 0j)[chosen])
    return np.sum(out)


def eigenvalues(x):
    out = np.zeros(4)
    out[:] = np.linalg.eig(np.outer(x, x) + np.diag([1.0, 2.0, 3.0, 4.0]))[0]
    return np.sum(out * X)


def written_again(x):
    out = np.zeros(4)
    out[...] = np.fft.fft(x)
    out[1] += 3.0
    return np.sum(out[::2] ** 2)


def symmetric(x):
    k = np.zeros((2, 2, 4))
    for i in range(2):
        for j in range(i + 1):
            t = np.sqrt(x[i] ** 2 + x[j] ** 2 - 2 * x[i] * x[j] * np.cos(np.arange(4.0)) + 0.1)
            t = 0.5 * np.fft.fft(t, axis=0)
            k[i, j, :] = t
            k[j, i, :] = t
    return np.sum(k**2)


def view(x):
    out = np.zeros((2, 2))
    out.T[0][:] = np.exp(1j * x[:2])
    return np.sum(out**2) + out[0, 0]


PROGRAMS = [whole, rows, items, masked, eigenvalues, written_again, symmetric, view]


def difference(f):
    return (f(X + 1e-6 * ALONG) - f(X - 1e-6 * ALONG)) / 2e-6


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=pytest.mark.slow(beyond=2))])
def test_compiled(f, backend):
    value, bar = ast_ad.value_and_grad(f, backend=backend, fallback="error")(X)
    assert value == pytest.approx(f(X), rel=1e-13)
    assert np.sum(bar * ALONG) == pytest.approx(difference(f), rel=1e-6)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", [f for f in PROGRAMS if f is not items], ids=lambda f: f.__name__)
def test_traced(f):
    value, pullback = trace(f, (X.copy(),), {}, (0,))
    assert value == pytest.approx(f(X), rel=1e-13)
    assert np.sum(pullback((1.0,))[0] * ALONG) == pytest.approx(difference(f), rel=1e-6)


def test_the_warning_is_numpys():
    with pytest.warns(np.exceptions.ComplexWarning):
        ast_ad.grad(whole, check=False)(X)


@pytest.mark.slow
def test_numbers_of_pythons_are_refused():
    def f(x):
        y = x * 2
        y[0] = 1j * x[1]
        return np.sum(y)

    with pytest.raises(TypeError, match="float"):
        f(X)
    with pytest.raises(ast_ad.InputTypeError, match="a complex value is written to a real array"):
        ast_ad.grad(f)(X)
