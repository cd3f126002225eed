"""Is a derivative that a rule does not have refused, rather than taken for zero?"""

import numpy as np
import pytest
import scipy.spatial.distance

import ast_ad
from ast_ad import MissingRuleError, UnsupportedError

A = np.array([[2.0, 0.3], [0.1, 1.5], [0.4, 0.2]])
B = np.array([0.4, -0.9, 1.3])


def by_position(b, s):
    return np.sum(np.linalg.lstsq(A, b, s)[0])


def by_name(b, s):
    return np.sum(np.linalg.lstsq(A, b, rcond=s * 2.0)[0])


@pytest.mark.parametrize("f", [by_position, by_name], ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_compiled(f, backend):
    with pytest.raises(MissingRuleError, match="by `rcond`"):
        ast_ad.grad(f, argnums=(0, 1), backend=backend, fallback="error")(B, 1e-9)
    found = ast_ad.grad(f, backend=backend, fallback="error")(B, 1e-9)
    np.testing.assert_allclose(found, np.linalg.pinv(A).sum(axis=0))


@pytest.mark.parametrize("f", [by_position, by_name], ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_traced(f):
    with pytest.raises(MissingRuleError, match="argument 3"):
        ast_ad.grad(f, argnums=(0, 1))(B, 1e-9)


def filled(x):
    return np.sum(np.nan_to_num(np.log(x), nan=x[1] * 2.0, neginf=x[2]) * np.arange(1.0, 5.0))


@pytest.mark.filterwarnings("ignore:(invalid value|divide by zero):RuntimeWarning")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_what_fills_has_a_derivative(backend):
    x = np.array([-1.0, 0.5, 2.0, 0.0])
    with np.errstate(all="ignore"):
        found = ast_ad.grad(filled, backend=backend)(x)
    np.testing.assert_allclose(found, [0.0, 2.0 + 2.0 / 0.5, 3.0 / 2.0 + 4.0, 0.0])


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_keyword_that_its_rule_lacks_beside_one_that_is_differentiated():
    def f(x, w):
        return np.quantile(x, 0.3, weights=w, method="inverted_cdf")

    with pytest.raises(MissingRuleError, match="weights="):
        ast_ad.grad(f, argnums=(0, 1))(B, np.ones(3))


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_compiled_code_that_takes_no_traced_array_is_refused():
    def f(x):
        points = x[:, None]
        return scipy.spatial.distance.directed_hausdorff(points, 2 * points)[0]

    with pytest.raises((MissingRuleError, UnsupportedError), match="plain"):
        ast_ad.grad(f)(B)
