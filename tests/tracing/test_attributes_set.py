"""Numbers and arrays take no attributes; code that tries finds that out, traced or compiled."""

import sys

import numpy as np
import pytest

import ast_ad


def handled(x):
    y = 2.0 * x
    try:
        y.name = "y"
    except AttributeError:
        return 3.0 * np.sum(y)
    return 5.0 * np.sum(y)


def passed_over(x):
    y = x * x
    try:
        y.name = "y"
        y = y * 100
    except (AttributeError, KeyError):
        pass
    return np.sum(y * x)


def otherwise(x):
    y = 2.0 * x
    try:
        y.units = "m"
    except Exception:
        pass
    else:
        y = y * 100
    return np.sum(y * x)


def in_a_loop(x):
    for i in range(3):
        try:
            x.units = i
        except AttributeError:
            x = x * 2
    return np.sum(x)


def constant(x):
    y = np.float64(2.0)
    try:
        y.name = "y"
        x = x * 7
    except AttributeError:
        x = x * 3
    return np.sum(y * x)


def of_several_types(x):
    y = x * x
    y = y if np.sum(y) > 0 else np.sum(y)
    try:
        y.name = "y"
    except AttributeError:
        y = y * 2
    return np.sum(y)


def of_tensors_only(x):
    y = x * 3
    try:
        y.requires_grad = False
    except AttributeError:
        y = y * 2
    return np.sum(y)


def private(x):
    y = x * 3
    try:
        y._units = "m"
    except AttributeError:
        y = y * 2
    return np.sum(y * y)


def traced(f):
    def of(x):
        sys.getrefcount(x)  # which is not compiled
        return f(x)

    return of


FUNCTIONS = [handled, passed_over, otherwise, in_a_loop, constant, of_several_types, of_tensors_only, private]


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("x", [0.7, np.float64(0.7), np.array([0.3, 1.2])], ids=["float", "float64", "array"])
@pytest.mark.parametrize("how", ["compiled", "traced"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=[f.__name__ for f in FUNCTIONS])
def test_code_that_tries_whether_an_attribute_can_be_set(f, how, x):
    derivative = ast_ad.value_and_grad(traced(f) if how == "traced" else f)
    value, gradient = derivative(x)
    assert ("not compiled" in derivative.explain()) == (how == "traced")
    assert value == f(x)
    h = 1e-6
    np.testing.assert_allclose(np.sum(gradient), (f(x + h) - f(x - h)) / (2 * h), rtol=1e-7)


@pytest.mark.drawn(of=3)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("x", [0.7, np.float64(0.7), np.array([0.3, 1.2])])
def test_without_a_handler_it_is_the_functions_own_error(x):
    def f(x):
        x.name = "x"
        return np.sum(x)

    with pytest.raises(AttributeError, match="has no attribute 'name'"):
        ast_ad.grad(f)(x)


def test_a_traced_value_in_a_class_is_read_anew_when_it_has_become_a_plain_one():
    """Python remembers where it found an attribute of a class: it would read what is gone by then."""

    class Base:
        k = 1.0

    class Scale(Base):
        pass

    def f(x):
        turns = (i for i in range(2))
        first = next(turns)
        Scale.k = x[1] * (first + sum(turns))
        if x[0] > 0.5:
            Base.k = x[0]
        return np.sum(x) * Scale.k + Base.k

    derivative = ast_ad.value_and_grad(f)
    with pytest.warns(ast_ad.FallbackWarning):
        derivative(np.array([0.25, 0.5]))
    for point in (np.array([0.75, 0.5]), np.array([0.25, 2.0]), np.array([1.0, 3.0])) * 3:
        value, _ = derivative(point)
        assert type(Scale.k) is np.float64 and Scale.k == point[1]
        assert value == np.sum(point) * point[1] + Base.k
