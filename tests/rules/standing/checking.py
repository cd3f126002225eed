"""Is a program right in every way: compiled, again, in kernels, traced, differentiated twice?"""

from collections.abc import Callable
from typing import Any

import numpy as np

import ast_ad
from ast_ad.tracing import trace

X = np.array([0.3, 0.7, 1.1, 1.9])
OTHER = np.array([1.3, 0.2, 0.9, 0.6])
Function = Callable[[np.ndarray], Any]


def differences(f: Function, x: np.ndarray, step: float = 1e-4) -> np.ndarray:
    """The derivative of a number, or of each of several, by central differences of fourth order."""
    rows = []
    for i in range(x.size):
        e = np.zeros_like(x)
        e[i] = step
        far, near = np.asarray(f(x + 2 * e)) - f(x - 2 * e), np.asarray(f(x + e)) - f(x - e)
        rows.append((8 * near - far) / (12 * step))
    return np.array(rows)


def hold_compiled(f: Function, backend: str | None = None) -> None:
    """The compiled gradient of two calls, and the value beside it, are those of the function."""
    gradient = ast_ad.grad(f, fallback="error", backend=backend)
    for x in (X, OTHER):
        np.testing.assert_allclose(gradient(x.copy()), differences(f, x), rtol=1e-6, atol=1e-7)
    assert gradient.mode == "compiled"
    value = ast_ad.value_and_grad(f, fallback="error", backend=backend)(X.copy())[0]
    np.testing.assert_allclose(value, f(X.copy()), rtol=1e-12)


def hold_traced(f: Function) -> None:
    value, pullback = trace(f, (X.copy(),), {}, (0,))
    np.testing.assert_allclose(value, f(X.copy()), rtol=1e-12)
    (found,) = pullback([1.0])
    np.testing.assert_allclose(found, differences(f, X), rtol=1e-6, atol=1e-7)


def hold_twice(f: Function) -> None:
    """The second derivative, along a direction too."""
    gradient = ast_ad.grad(f)
    wanted = differences(lambda x: np.array(gradient(x)), X, 1e-3)
    np.testing.assert_allclose(ast_ad.hessian(f)(X.copy()), wanted, rtol=1e-5, atol=1e-6)
    direction = np.array([1.0, -2.0, 0.5, 0.25])
    _, tangent = ast_ad.jvp(f, (X.copy(),), (direction,))
    np.testing.assert_allclose(tangent, differences(f, X) @ direction, rtol=1e-6, atol=1e-7)
