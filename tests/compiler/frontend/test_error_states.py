"""Does ``np.seterr`` do in a compiled program what it does in the function, and leave what it leaves?"""

import numpy as np
import pytest

import ast_ad

X = np.array([-1.0, 2.0, 0.5])


@pytest.fixture(autouse=True)
def _warned():
    with np.errstate(all="warn"):
        yield


def silent_part(x):
    old = np.seterr(invalid="ignore")
    y = np.where(x > 0, np.log(x), 0.0)
    np.seterr(**old)
    return np.sum(y * x)


def in_a_loop(x):
    y = x
    for i in range(3):
        old = np.seterr(all="ignore")
        y = y + np.where(x > 0, np.log(x), 0.0)
        if i == 1:
            y = y * 2.0
        old = np.seterr(**old)
    return np.sum(y * x)


def helper(x):
    old = np.seterr("warn", None, invalid="ignore")
    y = np.sqrt(x)
    np.seterr(**old)
    return np.where(x > 0, y, 0.0)


def of_a_helper(x):
    return np.sum(helper(x) * helper(x * 2))


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", [silent_part, in_a_loop, of_a_helper])
def test_errors_are_handled_as_told(function, backend):
    with np.errstate():
        value = function(X)
        left = np.geterr()
    derivative = ast_ad.value_and_grad(function, backend=backend, fallback="error")
    for _ in range(2):
        with np.errstate():
            found, gradient = derivative(X)
            assert np.geterr() == left
        np.testing.assert_allclose(found, value, rtol=1e-14)
    h = 1e-6
    with np.errstate(all="ignore"):
        rows = [(function(X + h * e) - function(X - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(gradient, rows, rtol=1e-7)


def heard(x):
    old = np.seterr(invalid="ignore")
    np.seterr(**old)
    return np.sum(np.where(x > 0, np.log(x), x))


def raising(x):
    old = np.seterr(divide="raise")
    total = np.sum(1.0 / x)
    np.seterr(**old)
    return total


@pytest.mark.slow
def test_what_is_heard_and_what_raises_is_what_the_function_does():
    with pytest.warns(RuntimeWarning, match="invalid value"):
        ast_ad.grad(heard, fallback="error")(X)
    gradient = ast_ad.grad(raising, fallback="error")
    np.testing.assert_allclose(gradient(X), -1 / X**2)
    with pytest.raises(FloatingPointError):
        gradient(np.array([0.0, 1.0, 2.0]))


def read(x):
    old = np.seterr(invalid="ignore")
    factor = 2.0 if old["divide"] == "warn" else 3.0
    np.seterr(**old)
    return np.sum(x * factor)


def left_silent(x):
    np.seterr(invalid="ignore")
    return np.sum(x * x)


def left_on_one_path(x):
    old = np.seterr(divide="ignore")
    if x[0] > 0:
        np.seterr(**old)
    return np.sum(x * x)


def twice(x):
    first = np.seterr(divide="ignore")
    second = np.seterr(invalid="ignore")
    np.seterr(**first)
    np.seterr(**second)  # it ends with divide="ignore"
    return np.sum(x * x)


def left_by_an_exception(x):
    old = np.seterr(divide="ignore")
    if x.shape[0] > 3:
        raise ValueError("too long")
    np.seterr(**old)
    return np.sum(x * x)


@pytest.mark.slow(beyond=1)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("function", [read, left_silent, left_on_one_path, twice, left_by_an_exception])
def test_what_asks_how_it_was_or_changes_it_for_good_is_traced(function):
    with np.errstate():
        function(X)
        left = np.geterr()
    gradient = ast_ad.grad(function)
    for _ in range(2):
        with np.errstate():
            np.testing.assert_array_equal(gradient(X), 2 * X if function is not read else [2.0, 2.0, 2.0])
            assert np.geterr() == left
    assert gradient.mode == "fallback"
