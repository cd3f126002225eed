"""Do NumPy's checks for tests stand in programs as they are: no derivative, and their own error?"""

import numpy as np
import numpy.testing as checks
import pytest

import ast_ad

X = np.array([1.0, 2.0, 3.0])


def close(x, tolerance):
    y = 2 * x
    if tolerance > 0:
        checks.assert_allclose(x, y, rtol=tolerance)
    checks.assert_array_less(x, 10.0, err_msg="too large")
    return np.sum(x * y)


def in_a_loop(x, count):
    for _ in range(2):
        checks.assert_equal(x.shape, (count,))
        x = x * 2
        checks.assert_array_equal(x, x)
        checks.assert_almost_equal(x[0], x[0])
    return np.sum(x**2)


def traced(x, count):
    return in_a_loop(x * eval("1.0"), count)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize(
    "function, fine, wrong, slope", [(close, 2.0, 0.1, 4), (in_a_loop, 3, 2, 32), (traced, 3, 2, 32)]
)
def test_checks(function, fine, wrong, slope):
    gradient = ast_ad.grad(function, fallback="trace" if function is traced else "error")
    np.testing.assert_allclose(gradient(X, fine), slope * X)
    with pytest.raises(AssertionError) as expected:
        function(X, wrong)
    with pytest.raises(AssertionError) as found:
        gradient(X, wrong)
    assert str(found.value) == str(expected.value)
    with (
        pytest.raises(AssertionError, match="too large")
        if function is close
        else pytest.raises(AssertionError)
    ):
        gradient(10 * X if function is close else X[:2], fine)
