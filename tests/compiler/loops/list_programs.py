"""What must hold of a program with lists, as kernels: for the tests beside this."""

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import code
from tests.compiler.kernels.comparing import compare
from tests.compiler.kernels.running import watched

RAISED = IndexError, ZeroDivisionError, ValueError


def ends(call, *args):
    """What a call returns, or the class of the exception that it raises."""
    try:
        return call(*args)
    except RAISED as error:
        return type(error)


def check(f, points, monkeypatch, told=""):
    """Values, with their kinds, and exceptions are the plain call's; gradients NumPy code's, and differences.

    One derivative gets all the points, each an array or all the arguments: lists are long at one, and empty
    at the next.
    """
    monkeypatch.setattr(code, "FAIL_LOUDLY", True)
    derivative = ast_ad.value_and_grad(f, backend="numba", check=False)
    plain = ast_ad.value_and_grad(f, backend="numpy", check=False)
    for point in points:
        w, *more = point if isinstance(point, tuple) else (point,)
        called, found, expected = (ends(call, w.copy(), *more) for call in (f, derivative, plain))
        if isinstance(called, type):
            assert called is found is expected, told
            continue
        assert type(found[0]) is type(called), told
        assert found[0] == pytest.approx(called, rel=1e-12, nan_ok=True), told
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-10, atol=1e-13, err_msg=told)
        if np.isfinite(called):
            slopes, smooth = differences(lambda v: f(v, *more), w)  # noqa: B023 (called at once)
            np.testing.assert_allclose(found[1][smooth], slopes[smooth], rtol=1e-5, atol=1e-6, err_msg=told)


def differences(f, w, h=1e-6):
    """Central differences, and where those to both sides agree: where no maximum changes."""
    steps = h * np.eye(len(w))
    above, below = (np.array([sign * (f(w + sign * step) - f(w)) / h for step in steps]) for sign in (1, -1))
    return (above + below) / 2, np.abs(above - below) < 1e-3


def require_evaluated(f, *args):
    """The kernels give what NumPy code gives when the evaluator runs them: Numba compiles nothing."""
    assert compare(f, args, "evaluated", check=False) == ""


def require_no_list(f, w):
    """All of it is a kernel; nothing has to be compiled to tell."""
    derivative = ast_ad.value_and_grad(f, backend="numba", check=False)
    with watched("evaluated"):
        derivative(w)
    assert "NumPy code" not in derivative.explain()
