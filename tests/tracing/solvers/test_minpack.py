"""Have calls of MINPACK's own functions the derivatives of ``leastsq`` and ``fsolve``?"""

import numpy as np
import pytest
import scipy.optimize as so

import ast_ad

minpack = pytest.importorskip("scipy.optimize._minpack")
pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
T = np.arange(12.0)
Y = 2.0 * np.exp(-((T - 5) ** 2) / 12) + 0.1 * np.sin(T)
START = np.array([1.5, 4.5, 2.0])


def residuals(p, y):
    return y - p[0] * np.exp(-((T - p[1]) ** 2) / (2 * p[2] ** 2))


def slopes(p, y):
    bell = np.exp(-((T - p[1]) ** 2) / (2 * p[2] ** 2))
    return -np.stack(
        [bell, p[0] * bell * (T - p[1]) / p[2] ** 2, p[0] * bell * (T - p[1]) ** 2 / p[2] ** 3], 1
    )


def by_differences(y):
    found, _, code = minpack._lmdif(residuals, START, (y,), 1, 1e-14, 1e-14, 0.0, 2000, 1e-15, 100, None)
    assert code in (1, 2, 3, 4)
    return found


def by_slopes(y):
    return minpack._lmder(residuals, slopes, START, (y,), 1, 0, 1e-14, 1e-14, 0.0, 2000, 100, None)[0]


@pytest.mark.parametrize("fitted", [by_differences, by_slopes])
def test_least_squares(fitted):
    weights = np.array([1.0, 2.0, 3.0])

    def known(y):
        return np.sum(so.leastsq(residuals, START, (y,), xtol=1e-14, ftol=1e-14)[0] ** 2 * weights)

    found = ast_ad.grad(lambda y: np.sum(fitted(y) ** 2 * weights))(Y)
    np.testing.assert_allclose(found, ast_ad.grad(known)(Y), rtol=1e-5, atol=1e-6)


def system(x, a):
    return np.array([x[0] ** 2 - a * x[1], x[1] ** 3 - x[0] - a])


def jacobian(x, a):
    return np.array([[2 * x[0], -a], [-1.0, 3 * x[1] ** 2]])


def root(a):
    start = np.array([1.0, 1.0])
    x, _, code = minpack._hybrd(system, start, (a,), 1, 1e-14, 1000, -10, -10, 1e-15, 100, None)
    y = minpack._hybrj(system, jacobian, start, (a,), 1, 0, 1e-14, 1000, 100, None)[0]
    return x[0] * x[1] + y[0] ** 2 if code == 1 else np.nan


def test_roots():
    h = 1e-4
    expected = (root(1.3 + h) - root(1.3 - h)) / (2 * h)
    assert ast_ad.grad(root)(1.3) == pytest.approx(expected, rel=1e-7)


def test_what_is_told_beside():
    def told(y):
        found, info, _ = minpack._lmdif(residuals, START, (y,), 1, 1e-14, 1e-14, 0.0, 2000, 1e-15, 100, None)
        return np.sum(found) + np.sum(info["fvec"] ** 2)

    with pytest.raises(ast_ad.AdError):
        ast_ad.grad(told)(Y)
