"""Have arrays that ``np.r_`` joins NumPy's type and numbers, where Python's numbers stand among them?"""

import numpy as np
import pytest

import ast_ad

JOINED = {
    "a number of Python's": lambda x: np.r_[x, 0.05, x],
    "an int": lambda x: np.r_[x, 2] * x[0],
    "a number of NumPy's": lambda x: np.r_[x, np.float64(0.3)],
    "elements and ranges": lambda x: np.r_[0.5, x[0], 1:3, x],
    "a list": lambda x: np.r_[x, x[0] * 2, [1.0]],
    "numbers alone": lambda x: np.r_[1, 2, True] * x,
    "computed numbers": lambda x: np.r_[x, float(x[0]), len(x)],
    "a complex number": lambda x: abs(np.r_[x, 1j]),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", JOINED.values(), ids=JOINED)
def test_what_an_index_joins_has_numpys_type(function, dtype):
    x = np.array([0.1, 0.2, 0.3], dtype)
    value, pullback = ast_ad.vjp(function, x, backend="numpy", fallback="error", check=False)
    expected = function(x)
    assert value.dtype == expected.dtype
    np.testing.assert_array_equal(value, expected)
    (x_bar,) = np.atleast_2d(pullback(np.ones_like(expected)))
    assert x_bar.dtype == dtype
    h = 1e-6 * np.eye(3)
    wide = x.astype(float)
    ways = [np.sum(function(wide + e) - function(wide - e)) / 2e-6 for e in h]
    np.testing.assert_allclose(x_bar, ways, rtol=1e-5)
