"""Functions with an order in kernels: as SciPy and NumPy code have them, at poles and zeros, too."""

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

from scipy import special

from ast_ad.compiler.kernels.numbers.families import polygamma, power_derivative_complex
from ast_ad.rules import partials

RNG = np.random.default_rng(3)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_polygamma_is_that_of_scipy(n):
    points = np.concatenate(
        [10 ** RNG.uniform(-5, 9, 60), RNG.uniform(0, 30, 60), [0.0, -1.0, -3.0, 1e300, np.inf]]
    )
    found = [polygamma(n, x) for x in points]
    np.testing.assert_allclose(found, special.polygamma(n, points), rtol=4e-15)
    assert np.isnan(polygamma(n, np.nan))
    left = -RNG.uniform(0, 20, 40)
    np.testing.assert_allclose([polygamma(n, x) for x in left], special.polygamma(n, left), rtol=1e-13)


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("n, m", [(0, 1), (0, 2), (1, 1), (2, 0), (2, 2), (3, 1)])
def test_derivatives_of_complex_powers_are_those_of_numpy_code(n, m):
    bases = [1.5 - 2j, -0.5 + 0.1j, 2j, 0j, -3.0 + 0j, 1e-8j]
    for x in bases:
        for y in (0.5, 2.0, 0.0, 3.0, -1.5, 1.2 - 0.7j, 4.0 + 1j):
            found = power_derivative_complex(x, y, n, m)
            np.testing.assert_allclose(
                found, partials.power_derivative(x, y + 0j, n, m), rtol=1e-12, err_msg=f"{x} {y}"
            )


def impedance(p, w, z):
    """Of a cell with a constant phase element."""
    element = 1 / (p[2] * (1j * w) ** p[3])
    model = p[0] + 1 / (1 / p[1] + 1 / element) + 1j * w * p[4]
    return np.sum(np.abs(model - z) ** 2 / np.abs(z) ** 2)


def counts(a, n):
    """The negative logarithm of a Dirichlet-multinomial likelihood."""
    total = np.sum(special.gammaln(a.sum()) - special.gammaln(n.sum(axis=1) + a.sum()))
    return -total - np.sum(special.gammaln(n + a) - special.gammaln(a))


IMPEDANCE = (
    np.array([1.0, 5.0, 0.01, 0.8, 1e-4]),
    np.logspace(-1, 4, 9),
    RNG.normal(size=9) + 1j * RNG.normal(size=9),
)
COUNTS = 0.5 + RNG.random(4), RNG.poisson(3.0, (6, 4)).astype(float)


@pytest.mark.parametrize("f, args", [(impedance, IMPEDANCE), (counts, COUNTS)])
def test_second_derivatives_are_kernels(f, args):
    x, *rest = args
    v = x * RNG.normal(size=x.shape)
    tangents = (v, *[None] * len(rest))
    found = ast_ad.hvp(f, args, tangents, backend="numba", fallback="error")[0]
    expected = ast_ad.hvp(f, args, tangents, backend="numpy", fallback="error")[0]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    gradient = ast_ad.grad(f, backend="numpy")
    h = 1e-5
    slope = (gradient(x + h * v, *rest) - gradient(x - h * v, *rest)) / (2 * h)
    np.testing.assert_allclose(found, slope, rtol=1e-6, atol=1e-8 * np.max(np.abs(slope)))


def test_a_conjugate_of_a_conjugate_is_left_out():
    gradient = ast_ad.grad(
        lambda x: np.sum(np.abs(np.exp(1j * x) - 2.0) ** 2), backend="numpy", fallback="error"
    )
    x = np.linspace(-1.0, 1.0, 5)
    np.testing.assert_allclose(gradient(x), 4.0 * np.sin(x), rtol=1e-13)  # |.|^2 = 5 - 4 cos x
    assert "conj(np.conj" not in gradient.source
