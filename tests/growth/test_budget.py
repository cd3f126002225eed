"""What becomes of programs that are too much work to compile?"""

import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad import value_and_grad
from ast_ad.compiler import budget

from . import programs


def unrolled(x):
    total = x * 0.0
    for a in (0.5, 0.25, 0.1, 0.2):
        for b in (1, 2, 3, 4, 5, 6, 7, 8):
            total = total + np.sin(a * b * x)
    return total


def helped(x):
    return unrolled(x) * x


def small(x):
    return np.sin(x) * x


@pytest.fixture
def little(monkeypatch):
    monkeypatch.setattr(budget, "MOST_STEPS", 150)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", [unrolled, helped])
def test_too_much_work_is_traced_and_told(little, function, backend):
    derivative = value_and_grad(function, backend=backend)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)  # given once for a function
        value, slope = derivative(0.7)
    weights = np.outer((0.5, 0.25, 0.1, 0.2), range(1, 9)).ravel()
    total, inner = np.sum(np.sin(weights * 0.7)), np.sum(weights * np.cos(weights * 0.7))
    expected = (total, inner) if function is unrolled else (total * 0.7, inner * 0.7 + total)
    np.testing.assert_allclose((value, slope), expected)
    told = derivative.explain()
    assert "a program of this size" in told and "150 steps" in told
    assert "total = total + np.sin(a * b * x)" in told  # the line that was one too many


def test_each_compilation_has_a_budget_of_its_own(little):
    derivative = value_and_grad(small)
    for argument in (0.7, np.float64(0.7), np.float32(0.7)):
        derivative(argument)
    assert derivative.mode == "compiled"


def test_it_is_an_error_where_tracing_is_forbidden(little):
    with pytest.raises(ast_ad.UnsupportedError, match="more than 150 steps"):
        value_and_grad(unrolled, fallback="error")(0.7)


def test_kernels_of_long_programs_are_not_compiled(monkeypatch):
    monkeypatch.setattr(budget, "MOST_FOR_KERNELS", 100)
    derivative = value_and_grad(programs.scalars(40), backend="numba")
    derivative(0.7)
    assert derivative.backend == "numpy" and "so many operations" in derivative.explain()


def test_explaining_takes_no_longer_than_compiling():
    told = ast_ad.inspect(programs.scalars(200), 0.7).explain()  # each number is read twice or more
    assert "Saved by the forward pass" in told
