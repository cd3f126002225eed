"""Are densities that Gaussian kernels estimate differentiated: by points, data, weights and bandwidths?"""

import numpy as np
import pytest
from sample import normal, positive

import ast_ad
from ast_ad.tracing import trace

stats = pytest.importorskip("scipy.stats")
DATA, PLANE, AT = normal(7), normal(2, 6), normal(2, 3, seed=2)
KDE = stats.gaussian_kde(DATA)

PROGRAMS = {
    "points": (lambda x: np.sum(KDE(x) * KDE.pdf(2 * x)), normal(3)),
    "data": (lambda x: np.sum(stats.gaussian_kde(x)(AT[0])), DATA),
    "plane": (lambda x: np.sum(stats.gaussian_kde(x).logpdf(AT) * np.array([1.0, -2.0, 3.0])), PLANE),
    "weights": (lambda w: np.sum(stats.gaussian_kde(PLANE, 0.4, w).evaluate(AT) ** 2), positive(6)),
    "row": (lambda x: np.sum(stats.gaussian_kde(PLANE, "silverman")(x)), normal(2)),
}


@pytest.mark.drawn(of=5)
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    f, x = PROGRAMS[name]
    value, pullback = trace(f, (x,), {}, (0,))
    assert value == f(x)
    steps = 1e-4 * np.eye(x.size).reshape(-1, *x.shape)
    rows = [(8 * (f(x + e) - f(x - e)) - f(x + 2 * e) + f(x - 2 * e)) / 12e-4 for e in steps]
    expected = np.reshape(rows, x.shape)
    np.testing.assert_allclose(pullback([1.0])[0], expected, rtol=1e-7, atol=1e-9)
    for backend in ("numpy", "numba"):
        derivative = ast_ad.value_and_grad(f, backend=backend, fallback="error")
        found, gradient = derivative(x)
        np.testing.assert_allclose(found, value, rtol=0 if backend == "numpy" else 1e-13)
        np.testing.assert_allclose(gradient, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_points_of_another_dimension_are_refused_as_ever():
    with pytest.raises(ValueError, match="points have dimension 3, dataset has dimension 2"):
        ast_ad.grad(lambda x: np.sum(stats.gaussian_kde(PLANE)(x)))(np.ones((3, 4)))
