"""Are numbers that a loop has computed read by its adjoint, and not computed again?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.ir.ops import Op, walk
from tests.compiler.adjoint.test_residual_policy import compared
from tests.compiler.checking import differentiable, leaves_of, primal

X = np.array([0.3, -0.7, 1.1, 0.2])


def count(function, *args):
    """How many sines and cosines a value and gradient consists of."""
    program = adjoint(primal(function, *args), differentiable(leaves_of(args)), residuals="min-cut")
    return sum(isinstance(op, Op) and op.fn in (np.sin, np.cos) for op in walk(program.body))


def turned(q):
    """Each turn needs the sine and the cosine of one angle."""
    x, y = 1.0, 0.5
    for i in range(len(q)):
        c, s = np.cos(q[i]), np.sin(q[i])
        x, y = c * x - s * y, s * x + c * y
    return x * y


def on_a_path(q):
    x = 1.0
    for i in range(len(q)):
        a = q[i]
        c = np.cos(a)
        if a > 0.0:
            x = x * np.sin(a) + c
        else:
            x = x + c
    return x * x


def of_what_changes(q):
    """The sine is of another number than the cosine, which has the same name."""
    x = 0.3
    for i in range(len(q)):
        c = np.cos(x)
        x = x + 0.5 * q[i]
        x = x * c + np.sin(x)
    return x


ANGLES = [(turned, 2), (on_a_path, 3), (of_what_changes, 4)]


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize(("function", "times"), ANGLES)
def test_angles(function, times):
    compared(function, X)
    assert count(function, X) == times


@pytest.mark.slow
@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("function", [function for function, _ in ANGLES])
def test_gradients_of_angles(function):
    for backend in ("numpy", "numba"):
        pytest.importorskip("numba")
        bar = ast_ad.grad(function, backend=backend)(X)
        np.testing.assert_allclose(
            bar, ast_ad.grad(function, fallback="trace", backend="numpy")(X), rtol=1e-13
        )
    ast_ad.check_grads(function, (X,), order=2)
