"""Are programs with SciPy's filters, distances and distributions differentiated, compiled and traced?"""

import numpy as np
import pytest
import scipy.signal as sg
import scipy.spatial.distance as sd
import scipy.special as sp
import scipy.stats as st

import ast_ad
from ast_ad import tracing

X = np.array([0.3, 0.7, 1.1, 1.9, -0.4, 0.5, 0.9, 1.6, -1.2, 0.35, 0.1, 0.8])
B, A = sg.butter(2, 0.3)
SECTIONS = sg.butter(3, 0.3, output="sos")
PLANE = np.outer(np.arange(1.0, 4.0), np.cos(np.arange(12.0)))


class Bell(st.rv_continuous):
    def _logpdf(self, x):
        return -(x**2)


class Decay(st.rv_continuous):
    def _pdf(self, x, a):
        return a * np.exp(-a * x)

    def _cdf(self, x, a):
        return 1 - np.exp(-a * x)


BELL, DECAY = Bell(name="bell"), Decay(a=0, name="decay", shapes="a")


def states(x):
    y, z = sg.lfilter(B, A, x, zi=sg.lfilter_zi(B, A) * x[0])
    w, _ = sg.sosfilt(SECTIONS, x, zi=sg.sosfilt_zi(SECTIONS) * x[1])
    return np.sum(y**2) + np.sum(z) + np.sum(w**3)


def coefficients(x):
    return np.sum(sg.lfilter(x[:3], np.append(2.0, x[3:5]), x[5:]) ** 2)


def without_phase(x):
    wide = np.concatenate((x, x[::-1]))
    return np.sum(sg.filtfilt(B, A, x) ** 3) + np.sum(sg.sosfiltfilt(SECTIONS, wide) ** 2)


def convolutions(x):
    total = np.sum(sg.fftconvolve(x, x[:4], "same") ** 3) + np.sum(sg.oaconvolve(x, x[:3]) ** 2)
    total += np.sum(sg.correlate(x, x[:5], "valid") ** 2) + np.sum(sg.convolve(x * PLANE, PLANE[:2, :3]) ** 2)
    total += np.sum(sg.convolve2d(x * PLANE, PLANE[:2, :3], "same", "symm") ** 2)
    return total + np.sum(sg.correlate2d(x * PLANE, PLANE[:2, :2], "same", "fill", 0.5) ** 3)


def smoothed(x):
    return np.sum(sg.savgol_filter(x, 5, 2) ** 3) + np.sum(sg.detrend(x) ** 3)


def pairs(x):
    points = x.reshape(4, 3)
    kernel = np.exp(-sd.squareform(sd.pdist(points, "sqeuclidean")))
    return np.sum(kernel) + np.sum(sd.cdist(points, PLANE[:, :3], "mahalanobis", VI=np.eye(3)))


def own_distribution(x):
    return np.sum(BELL.logpdf(x)) + np.sum(DECAY.logpdf(x**2, 2.0, scale=x[0])) + DECAY.cdf(x[1], x[0])


def distribution_made_inside(x):
    return np.sum(Bell(name="bell").logpdf(x))


PROGRAMS = [states, coefficients, without_phase, convolutions, smoothed, pairs, own_distribution]
PROGRAMS += [distribution_made_inside]


def differences(f):
    found = []
    for step in 1e-3 * np.eye(X.size):
        near, far = f(X + step) - f(X - step), f(X + 2 * step) - f(X - 2 * step)
        found.append((8 * near - far) / 12e-3)
    return np.array(found)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_compiled_and_traced(f):
    gradient = ast_ad.grad(f, fallback="error")(X)
    np.testing.assert_allclose(gradient, differences(f), rtol=1e-7, atol=1e-7)
    value, pullback = tracing.trace(f, (X.copy(),), {}, (0,))
    np.testing.assert_allclose(value, f(X), rtol=1e-12)
    np.testing.assert_allclose(pullback([1.0])[0], gradient, rtol=1e-9, atol=1e-12)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", [states, pairs], ids=lambda f: f.__name__)
def test_kernels(f):
    gradient = ast_ad.grad(f)(X)
    np.testing.assert_allclose(ast_ad.grad(f, backend="numba", fallback="error")(X), gradient, rtol=1e-10)


def test_another_method_at_the_next_call(monkeypatch):
    gradient = ast_ad.grad(lambda x: BELL.logpdf(x), fallback="error")
    assert gradient(0.5) == -1.0
    monkeypatch.setattr(Bell, "_logpdf", lambda self, x: -(x**3))
    assert gradient(0.5) == -0.75


def test_hessian_behind_a_check():
    def f(x):
        y = x**2
        if np.any(x > 5):
            raise ValueError("no")
        return np.sum(y**2)

    hessian = ast_ad.hessian(f, fallback="error")
    np.testing.assert_allclose(hessian(X[:2]), np.diag(12 * X[:2] ** 2))
    with pytest.raises(ValueError, match="no"):
        hessian(X[:2] + 9)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_an_axis_that_is_no_constant(axis):
    """It is read at every call, and decides how many axes the result has."""

    def entropy(x):
        shares = sp.softmax(x, axis=axis)
        return np.sum(shares * np.cos(PLANE)) + np.sum(np.square(sp.logsumexp(x, axis)))

    found = ast_ad.grad(entropy, fallback="error")(PLANE)
    h = 1e-6
    for i in [(0, 0), (2, 5)]:
        step = np.zeros_like(PLANE)
        step[i] = h
        assert found[i] == pytest.approx((entropy(PLANE + step) - entropy(PLANE - step)) / (2 * h), rel=1e-6)
