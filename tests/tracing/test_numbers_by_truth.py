"""Are numbers of NumPy's indexed by what is true or false, as code for arrays does with them?"""

import numpy as np
import pytest

import ast_ad


def masked(x):
    r = np.sqrt(np.asarray(x) ** 2)
    b = np.empty_like(r)
    bad = np.isclose(r, 0.0) | np.isclose(r, 5.0)
    b[~bad] = np.sin(r[~bad] * 2.0)
    b[~bad] += 2.0 * b[~bad]
    b[bad] = 0.0
    return np.sum(b)


def chosen(x):
    r = np.exp(x)
    return np.sum(r[r > 1.0] * 2.0) + np.sum(r[np.array(False)]) + np.sum(r[True, None])


def slope_of_masked(x):
    return np.where(np.asarray(x) == 5.0, 0.0, 6.0 * np.cos(2.0 * x))


def slope_of_chosen(x):
    return 3.0 * np.exp(x)


pytestmark = pytest.mark.filterwarnings(
    "ignore::ast_ad.FallbackWarning", "ignore::ast_ad.ZeroGradientWarning"
)


@pytest.mark.parametrize(
    ("f", "slope", "x"),
    [(masked, slope_of_masked, x) for x in (2.0, np.float64(2.0), np.array(2.0), np.float64(5.0))]
    + [(masked, slope_of_masked, np.array([2.0, 5.0]))]
    + [(chosen, slope_of_chosen, x) for x in (2.0, np.float64(0.5), np.array(2.0))],
)
def test_by_truth(f, slope, x):
    for one in (f, eval("lambda x: f(x)", {"f": f})):
        np.testing.assert_allclose(ast_ad.grad(one)(x), slope(x), rtol=1e-13)


def test_other_indices_are_errors():
    traced = eval("lambda x: np.exp(x)[i]", {"np": np, "i": 0})
    with pytest.raises(IndexError, match="invalid index"):
        ast_ad.grad(traced)(2.0)
