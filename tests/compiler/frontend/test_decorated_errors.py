"""Are functions that `np.errstate` decorates compiled, and do they warn and raise where they did?"""

import warnings

import numpy as np
import pytest

import ast_ad

X = np.array([0.7, 1.3, 0.4, 2.1])


@np.errstate(all="ignore")
def logarithms(y):
    return np.sum(np.log(y))


def called(x):
    return logarithms(x) * x[0]


@np.errstate(divide="ignore", invalid="ignore")
def the_function_itself(x, k=2.0):
    return np.sum(np.where(x > 1, np.log(x - 1), x)) * k


class Model:
    k = 2.0

    @np.errstate(all="ignore")
    def energy(self, x):
        return np.sum(np.log(x)) * self.k


MODEL = Model()


def a_method(x):
    return MODEL.energy(x)


def in_a_block(x):
    with np.errstate(divide="ignore"):
        return logarithms(x) * logarithms(x + 1)


@np.errstate(over="raise")
def raising(x):
    return np.sum(np.exp(x))


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("f", [called, the_function_itself, a_method, in_a_block, raising])
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_gradients(f, backend):
    derivative = ast_ad.value_and_grad(f, backend=backend, fallback="error", check=True)
    for x in (X, X + 0.5, X):
        value, gradient = derivative(x)
        assert value == pytest.approx(f(x), rel=1e-13)
        wanted = [(f(x + d) - f(x - d)) / 2e-6 for d in 1e-6 * np.eye(4)]
        np.testing.assert_allclose(gradient, wanted, rtol=1e-6)


def test_errors_are_those_that_the_decorator_asks_for():
    derivative = ast_ad.value_and_grad(raising)
    derivative(X)
    with pytest.raises(FloatingPointError):
        derivative(X + 1000.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, _ = ast_ad.value_and_grad(called)(np.array([1.0, 0.0, 2.0, 3.0]))  # log(0) says nothing
    assert value == -np.inf


def test_behind_the_call_errors_are_told_again():
    def behind(x):
        return logarithms(x) + np.sum(np.log(x))

    with pytest.warns(RuntimeWarning, match="divide by zero"):
        ast_ad.value_and_grad(behind)(np.array([0.0, 1.0, 2.0, 3.0]))


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_function_that_is_told_of_errors_is_called():
    told = []

    @np.errstate(all="call", call=lambda kind, flag: told.append(kind))
    def noted(y):
        return np.sum(np.log(y) * y)

    x = np.array([0.0, 1.0])
    plain = noted(x)
    assert told == ["divide by zero", "invalid value"]
    value, _ = ast_ad.value_and_grad(lambda x: noted(x))(x)
    assert np.isnan(value) and np.isnan(plain)
    assert told[2:4] == ["divide by zero", "invalid value"]
