"""Are programs compiled that packages have published, in the directions that were found to fail?"""

import numpy as np
import pytest
import scipy.linalg
import scipy.special as special
from numpy.polynomial import chebyshev, hermite_e, laguerre, legendre

import ast_ad

X, C = np.linspace(-0.5, 0.9, 5), np.array([0.1, -0.2, 0.3, 0.4])
SERIES = [chebyshev.chebval, hermite_e.hermeval, laguerre.lagval, legendre.legval]


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("series", SERIES, ids=lambda f: f.__name__)
def test_a_series_along_its_points_only(series, backend):
    """What a loop carries is one number long at first, and has no tangent."""
    value, tangent = ast_ad.jvp(series, (X, C), (np.ones(5), None), backend=backend, fallback="error")
    np.testing.assert_array_equal(value, series(X, C))
    slope = (series(X + 1e-6, C) - series(X - 1e-6, C)) / 2e-6
    np.testing.assert_allclose(tangent, slope, rtol=1e-8, atol=1e-8)
    _, lin = ast_ad.linearize(series, X, C)
    np.testing.assert_allclose(lin(np.ones(5), np.zeros(4)), tangent, rtol=1e-13)


def noise(dt, blocks):
    q = [[dt**3 / 3.0, dt**2 / 2.0], [dt**2 / 2.0, dt]]
    return np.sum(scipy.linalg.block_diag(*[q] * blocks) ** 2) + np.sum(
        scipy.linalg.block_diag(q, [dt, 2.0], dt) ** 3
    )


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_blocks_that_are_nested_lists(backend):
    gradient = ast_ad.grad(noise, backend=backend, fallback="error")(1.3, 2)
    slope = (noise(1.3 + 1e-6, 2) - noise(1.3 - 1e-6, 2)) / 2e-6
    np.testing.assert_allclose(gradient, slope, rtol=1e-8)
    ast_ad.check_grads(noise, (1.3, 2), order=2)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_the_sign_of_gamma_is_a_factor(backend):
    """It has steps, as what rounds has: ``sign * exp(log(abs(gamma)))`` is gamma, with its derivatives."""

    def gamma(x):
        return np.sum(special.gammasgn(x) * np.exp(special.gammaln(x))) + np.sum(special.round(x))

    x = np.array([-1.3, -0.4, 0.6, 2.2])
    gradient = ast_ad.grad(gamma, backend=backend, fallback="error")(x)
    np.testing.assert_allclose(gradient, special.gamma(x) * special.digamma(x), rtol=1e-12)
    ast_ad.check_grads(gamma, (x,), order=2)
