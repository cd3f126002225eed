"""Do wrappers, classes and registries vanish from compiled programs, with Python's own result?"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad import grad, hessian, jvp, value_and_grad
from tests.compiler.frontend.dispatching import PROGRAMS, Program

POINTS = np.array([0.3, 0.7, 1.1]), np.array([1.7, 0.4, 0.9])


def differences(f: Program, x: np.ndarray) -> np.ndarray:
    found = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step[i] = 1e-4
        found[i] = (8 * (f(x + step) - f(x - step)) - (f(x + 2 * step) - f(x - 2 * step))) / 12e-4
    return found


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_are_compiled_and_right(f: Program) -> None:
    derivative = value_and_grad(f, fallback="error")
    for x in POINTS:
        for _ in range(2):
            value, gradient = derivative(x)
            assert value == pytest.approx(f(x), rel=1e-13)
            np.testing.assert_allclose(gradient, differences(f, x), rtol=1e-6, atol=1e-7)


@pytest.mark.slow(beyond=6)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_other_modes_agree(f: Program) -> None:
    x = POINTS[0]
    gradient = grad(f)(x)

    def traced(x: np.ndarray) -> object:
        eval("1")
        return f(x)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        np.testing.assert_allclose(grad(traced)(x), gradient, rtol=1e-12)
    np.testing.assert_allclose(grad(f, backend="numba")(x), gradient, rtol=1e-12)
    assert jvp(f, (x,), (POINTS[1],))[1] == pytest.approx(gradient @ POINTS[1], rel=1e-12)
    second = np.array([(grad(f)(x + h) - grad(f)(x - h)) / 2e-5 for h in 1e-5 * np.eye(3)])
    np.testing.assert_allclose(hessian(f)(x), second, rtol=1e-5, atol=1e-6)
