"""Is it told that a pullback gives zeros, whatever the cotangent is?"""

import warnings

import numpy as np
import pytest

import ast_ad

X = np.array([0.7, 1.3])


def not_read(x, y):
    return x * 2.0


def cut_off(x, y):
    return x * int(y[0])


def one_of_two(x, y):
    return x * 2.0, np.sum(y)


def floored(x, y):
    return x * np.floor(y)


def pulled(f):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value, pullback = ast_ad.vjp(f, X, X, argnums=(0, 1))
        again = ast_ad.vjp(f, X, X, argnums=(0, 1))
    del again
    return value, pullback, [str(one.message) for one in caught if one.category is ast_ad.ZeroGradientWarning]


def test_a_pullback_of_what_is_not_read():
    _, pullback, told = pulled(not_read)
    assert len(told) == 1 and "`y` is zero: the result does not depend on it" in told[0]
    np.testing.assert_array_equal(pullback(np.ones(2))[1], np.zeros(2))


def test_a_pullback_that_ends_in_an_integer():
    _, _, told = pulled(cut_off)
    assert len(told) == 1 and "becomes an integer" in told[0] and "int(y[0])" in told[0]


@pytest.mark.parametrize("f", [one_of_two, floored], ids=lambda f: f.__name__)
def test_nothing_is_told(f):
    assert pulled(f)[2] == []


def test_arguments_that_were_not_chosen():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ast_ad.ZeroGradientWarning)
        _, pullback = ast_ad.vjp(not_read, X, X)
    np.testing.assert_array_equal(pullback(np.ones(2))[1], np.zeros(2))
    with pytest.warns(ast_ad.ZeroGradientWarning, match="becomes an integer"):
        ast_ad.vjp(cut_off, X, X)


def traced_cut_off(x, y):
    eval("0")  # not compiled
    return np.sum(x) * int(y[0])


def traced_not_read(x, y):
    eval("0")
    return np.sum(x)


def traced_floored(x, y):
    eval("0")
    return np.sum(x) * float(np.floor(y[0]).astype(int)) * (np.sign(y[1]) + np.argmax(y) + (y[0] > 0))


def traced_by_branch(x, y):
    eval("0")
    return np.sum(x) * np.array(y).astype(np.int32)[0] if x[0] > 0 else np.sum(x * y)


def told_by(f, *args):
    gradient = ast_ad.grad(f, argnums=(0, 1))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = gradient(*args)
        gradient(*args)
    return found, [str(one.message) for one in caught if one.category is ast_ad.ZeroGradientWarning]


@pytest.mark.parametrize("f", [traced_cut_off, traced_by_branch], ids=lambda f: f.__name__)
def test_a_traced_call_that_ends_in_an_integer(f):
    found, told = told_by(f, X, X)
    assert len(told) == 1 and "`y` is zero: it becomes an integer at" in told[0] and "[0]" in told[0]
    np.testing.assert_array_equal(found[1], np.zeros(2))


def test_a_traced_function_that_does_not_read_an_argument():
    _, told = told_by(traced_not_read, X, X)
    assert len(told) == 1 and "`y` is zero: the result does not depend on it" in told[0]


@pytest.mark.parametrize("f, x", [(traced_floored, X), (traced_by_branch, -X)], ids=["flat", "other branch"])
def test_nothing_is_told_of_a_traced_call(f, x):
    assert told_by(f, x, X)[1] == []


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_the_pullback_of_a_trace():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ast_ad.ZeroGradientWarning)
        _, pullback = ast_ad.vjp(traced_cut_off, X, X)
        pullback(1.0)
    assert ["becomes an integer" in str(one.message) for one in caught] == [True]
