"""Does ``array.item()`` give the only element, and raise NumPy's exception where there are others or none?"""

import numpy as np
import pytest

import ast_ad

X = np.array([0.4, -1.1, 0.7])


def of_a_part(x, n):
    return x[:n].item() * x[1]


def handled(x, n):
    try:
        return x[:n].item() * x[1]
    except ValueError:
        return x[2] * 3


def of_one(x, n):
    whole = np.sum(x, keepdims=True)
    return whole.item() * x[n].item() + np.dot(x, x).item() + x.reshape(1, -1)[:, :1].item()


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("f", [of_a_part, handled, of_one], ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_as_numpy(f):
    derivative = ast_ad.value_and_grad(f, check=False)
    for n in (1, 2, 0):
        try:
            wanted = f(X, n)
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error)):
                derivative(X, n)
            continue
        value, gradient = derivative(X, n)
        slopes = [(f(X + d, n) - f(X - d, n)) / 2e-6 for d in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(value, wanted, rtol=1e-15)
        np.testing.assert_allclose(gradient, slopes, atol=1e-8)


@pytest.mark.slow
def test_what_has_one_element_is_not_asked():
    derivative = ast_ad.grad(
        lambda x: np.sum(x, keepdims=True).item() * np.dot(x, x).item(), fallback="error"
    )
    derivative(X)
    assert "raise" not in derivative.source
