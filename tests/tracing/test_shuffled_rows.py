"""Are rows that compiled code exchanges refused, where a trace would take them twice?"""

import numpy as np
import pytest

import ast_ad

X = np.linspace(0.2, 1.7, 5)
pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "ignore:you are shuffling")


def rows(x, shuffle):
    eval("0")
    z = np.stack([x, x**2, x**3, x**4])
    shuffle(z)
    return np.sum(z * np.arange(20.0).reshape(4, 5))


@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState])
def test_shuffled_rows(kind):
    with pytest.raises(ast_ad.AdError, match="a row of a traced array stored by compiled code"):
        ast_ad.grad(lambda x: rows(x, kind(3).shuffle))(X)


def test_a_shuffled_vector_and_statements():
    def f(x):
        eval("0")
        z, w = x**2, np.stack([x, 2 * x])
        np.random.default_rng(3).shuffle(z)
        w[0] = w[1]
        w[0], w[1] = w[1] * 2, w[0] * 3
        return np.sum(z * np.arange(5)) + np.sum(w**2)

    value, gradient = ast_ad.value_and_grad(f)(X)
    assert value == f(X)
    slopes = [(f(X + step) - f(X - step)) / 2e-6 for step in 1e-6 * np.eye(5)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-7)
