"""Small programs in every construct that the front end reads: value to the bit, gradient by differences."""

import numpy as np
import pytest

import ast_ad

from . import programs


def exception_that_comes(x):
    try:
        y = np.sum(np.reshape(x, (2, -1))[0] * -1.0)
    except ValueError:
        y = x[0] ** 2
    return y


def test_a_handler_that_would_run_is_an_error():
    with pytest.raises(ast_ad.AdError, match="try"):
        ast_ad.grad(exception_that_comes, fallback="error")(np.zeros(3))
    assert ast_ad.grad(exception_that_comes)(np.ones(4))[0] == -1


def exception_that_is_told(x):
    try:
        y = x[5]
    except IndexError:
        y = x[0] ** 2
    return y


def test_a_handler_is_a_branch_where_it_can_be_told():
    gradient = ast_ad.grad(exception_that_is_told, fallback="error")
    assert gradient(np.ones(3))[0] == 2
    assert gradient(np.ones(6))[5] == 1


POINT = np.array([0.71, -0.43, 1.13, 0.37])
OF_SCIPY = {programs.q41}  # for which all of scipy.stats is imported
PROGRAMS = [
    pytest.param(f, marks=[pytest.mark.slow] if f in OF_SCIPY else ())
    for name, f in vars(programs).items()
    if name[0] in "pq" and name[1:].isdigit()
]


def test_a_name_that_was_rebound_shares_nothing():
    ast_ad.grad(programs.rebound)(POINT)


@pytest.mark.drawn(of=2)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(program):
    before = POINT.copy()
    value, gradient = ast_ad.value_and_grad(program)(POINT)
    assert value == program(POINT.copy())
    np.testing.assert_array_equal(POINT, before)
    steps = 1e-4 * np.eye(4)
    expected = [
        (8 * (program(POINT + e) - program(POINT - e)) - program(POINT + 2 * e) + program(POINT - 2 * e))
        / 12e-4
        for e in steps
    ]
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-7)
