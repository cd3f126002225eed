"""Do distributions of SciPy, special functions and parts of numbers run in kernels, and right?"""

import math

import numpy as np
import pytest

import ast_ad

special = pytest.importorskip("scipy.special")
stats = pytest.importorskip("scipy.stats")
X = np.random.default_rng(3).uniform(0.1, 1.6, 24)

VALUES = {
    "norm": lambda x: stats.norm.logpdf(x, 0.5, 1.2) + stats.norm.cdf(x),
    "gamma": lambda x: stats.gamma.logpdf(x, 2.0),
    "beta": lambda x: stats.beta.logpdf(x / 4, 2.0, 3.0),
    "poisson": lambda x: stats.poisson.logpmf(3, x),
    "digamma": lambda x: special.digamma(x) + special.polygamma(2, x),
    "trigamma left of 0": lambda x: special.digamma(x - 3.05),
    "kn": lambda x: special.kn(2, x) + special.k1(x),
    "polynomials": lambda x: (
        special.eval_legendre(3, x / 2) + special.eval_hermite(3, x) * special.eval_chebyt(2, x)
    ),
    "i0": lambda x: np.i0(x),
    "sinc": lambda x: np.sinc(3 * x - 1) + np.sinc(x - x),
    "logsumexp": lambda x: special.logsumexp(5 * x) - special.logsumexp(np.reshape(x, (4, 6)), axis=1),
    "logsumexp of columns": lambda x: special.logsumexp(np.reshape(x, (4, 6)), axis=0, keepdims=True),
    "log_softmax": lambda x: special.log_softmax(np.reshape(x, (4, 6)), axis=1) + special.softmax(x)[0],
}
NUMBERS = {
    "divmod": lambda x: divmod(x[3], 0.7)[0] * x[1] + divmod(-x[3], 0.3)[1] * x[2],
    "modf": lambda x: math.modf(10 * x[3])[0] * x[1] + math.modf(-10 * x[3])[1] * x[2],
    "gamma of a number": lambda x: math.gamma(x[2]) * math.lgamma(x[3]),
    "prod": lambda x: math.prod(x),
    "round": lambda x: round(x[0], 1) * x[1] + round(100 * x[2], -1) * x[3],
    "argmax of a matrix": lambda x: x[np.argmax(np.reshape(x, (4, 6)))] ** 2,
    "unravelled": lambda x: np.reshape(x, (4, 6))[np.unravel_index(np.argmin(x), (4, 6))] ** 2,
    "lists": lambda x: np.sum(x[[0, 2, 5]] ** 2) * x[[1, 1]][0],
    "logaddexp": lambda x: np.logaddexp.reduce(x),
}


def in_loop(f, x):
    total = 0.0
    for k in range(2):
        total += np.sum(f(x * (1.0 + 0.1 * k)) ** 2)
    return total


@pytest.mark.drawn(of=18)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*VALUES, *NUMBERS])
def test_as_numpy(name):
    f = {**VALUES, **NUMBERS}[name]
    derivative = ast_ad.value_and_grad(in_loop, 1, backend="numba", check=False)
    value, bar = derivative(f, X)
    assert value == pytest.approx(in_loop(f, X), rel=1e-13)
    expected = ast_ad.grad(in_loop, 1, backend="numpy", check=False)(f, X)
    np.testing.assert_allclose(bar, expected, rtol=1e-10, atol=1e-12)
    assert derivative.backend == "numba" and "NumPy code" not in derivative.explain()


@pytest.mark.parametrize("x", [0.0, -2.0, 1e3, math.nan])
def test_gamma_where_python_raises(x):
    def f(a):
        return math.gamma(a[0]) * a[1]

    derivative = ast_ad.value_and_grad(f, backend="numba", check=False)
    derivative(np.array([1.5, 2.0]))
    try:
        expected = f([x, 2.0])
    except (ValueError, OverflowError) as error:
        with pytest.raises(type(error)):
            derivative(np.array([x, 2.0]))
    else:
        np.testing.assert_equal(derivative(np.array([x, 2.0]))[0], expected)


OF_EXPONENTIALS = [
    [0.0, -40.0],
    [0.0, 0.0, -800.0],
    [1000.0, 1000.0],
    [-1e4, -1e4 - 1],
    [3.0],
    [-math.inf, 2.0],
    [-math.inf, -math.inf],
    [math.inf, 1.0],
    [math.nan, 1.0],
]


def of_exponentials(x):
    return special.logsumexp(x) * 1.0


@pytest.mark.drawn(of=2)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("x", OF_EXPONENTIALS, ids=str)
def test_sums_of_exponentials_lose_no_small_rest(x):
    x = np.array(x)
    derivative = ast_ad.value_and_grad(of_exponentials, backend="numba", check=False)
    value, bar = derivative(x)
    assert derivative.backend == "numba" and "NumPy code" not in derivative.explain()
    np.testing.assert_allclose(value, special.logsumexp(x), rtol=1e-15)
    expected = ast_ad.grad(of_exponentials, backend="numpy", check=False)(x)
    np.testing.assert_allclose(bar, expected, rtol=1e-15)
