"""Are the lengths of rows told to the compiler, and is a row of another length noticed?"""

import numpy as np
import pytest

pytest.importorskip("numba")

import ast_ad
from ast_ad.compiler.kernels import runtime as kernels
from ast_ad.compiler.kernels.runtime import Mismatch

POINTS, WAVES = np.sin(np.arange(60.0)).reshape(20, 3), np.cos(np.arange(45.0)).reshape(15, 3)


def amplitudes(points, waves):
    phases = waves @ points.T
    return np.sum(np.abs(np.sum(np.exp(1j * phases), axis=1)) ** 2)


def test_rows_of_three():
    derivative = ast_ad.value_and_grad(amplitudes, argnums=(0, 1), backend="numba", fallback="error")
    value, bars = derivative(POINTS, WAVES)
    assert value == pytest.approx(amplitudes(POINTS, WAVES), rel=1e-13)
    assert derivative.source.count("counted(n, 3)") == 2
    assert "counted" not in str(derivative.explain())  # nothing that may not hold
    for bar, other in zip(
        bars, ast_ad.grad(amplitudes, argnums=(0, 1), backend="numpy")(POINTS, WAVES), strict=True
    ):
        np.testing.assert_allclose(bar, other, rtol=1e-12, atol=1e-12)


def test_rows_of_another_length_get_kernels_of_their_own():
    derivative = ast_ad.value_and_grad(amplitudes, argnums=(0, 1), backend="numba", fallback="error")
    derivative(POINTS, WAVES)
    value, (bar, _) = derivative(POINTS[:, :2], WAVES[:, :2])
    assert value == pytest.approx(amplitudes(POINTS[:, :2], WAVES[:, :2]), rel=1e-13)
    assert bar.shape == (20, 2)


def test_long_rows_are_not_told():
    derivative = ast_ad.value_and_grad(amplitudes, argnums=(0, 1), backend="numba", fallback="error")
    points, waves = np.hstack([POINTS, POINTS]), np.hstack([WAVES, WAVES])
    value, _ = derivative(points, waves)
    assert value == pytest.approx(amplitudes(points, waves), rel=1e-13)
    assert "counted" not in derivative.source


def test_a_length_that_was_told_wrongly_stops_the_kernel():
    @kernels.lean_kernel
    def first(x):
        kernels.counted(x.shape[1], 3)
        return x[0, 0]

    assert first(POINTS) == POINTS[0, 0]
    for run in (first, first.py_func):
        with pytest.raises(Mismatch):
            run(POINTS[:, :2].copy())
