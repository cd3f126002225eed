"""Whether a gradient was asked for rightly is said by the call, where the compiler can't tell."""

import types
import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import DefectWarning, FallbackWarning, InputTypeError

X = np.array([0.5, 1.5, 2.5])


def real_or_complex(x):
    z = x * 2.0
    if x > 1.0:
        z = z * 1j
    return z


def nested_in_a_branch(x):
    if np.sum(x) > 100.0:
        return np.sum(ast_ad.grad(lambda v: v * 2.0)(x))
    return np.sum(x**2)


CASES = [
    (real_or_complex, (0.5,), 2.0, (1.5,)),
    (nested_in_a_branch, (X,), 2 * X, (X * 100,)),
]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function, good, gradient, bad", CASES, ids=lambda v: getattr(v, "__name__", None))
def test_a_call_that_is_fine_has_a_gradient(function, good, gradient, bad, backend):
    derivative = ast_ad.grad(function, backend=backend)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        warnings.simplefilter("error", DefectWarning)
        np.testing.assert_array_equal(derivative(*good), gradient)
        with pytest.raises(InputTypeError):
            derivative(*bad)
        np.testing.assert_array_equal(derivative(*good), gradient)


@pytest.mark.parametrize(
    "function, argument",
    [
        (lambda x: x * 2.0, X),
        (lambda x: [np.sum(x)], X),
        (lambda x: "text", X),
        (lambda x: 1j * np.sum(x), X),
        (lambda x: np.sum(x), np.arange(3)),
        (lambda x: x, "text"),
    ],
)
def test_a_call_that_is_not_has_one_error_and_no_warning(function, argument):
    derivative = ast_ad.grad(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(InputTypeError) as error:
                derivative(argument)
    assert not getattr(error.value, "__notes__", ())


def test_it_is_told_why_such_a_call_is_traced():
    derivative = ast_ad.grad(types.FunctionType(real_or_complex.__code__, globals()))
    with pytest.warns(FallbackWarning, match="is traced, not compiled: .* type complex"):
        derivative(0.5)
    assert derivative.mode == "fallback"


def test_with_fallback_error_it_is_the_compilers():
    with pytest.raises(InputTypeError):
        ast_ad.grad(real_or_complex, fallback="error")(0.5)
