"""Sums in which constants cancel are made as they are written; where other numbers do, all of a kernel's."""

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

X = np.random.default_rng(8).uniform(0.2, 2.0, 64)


def complements(x):
    """What is left of what passes, twice, with sums around it."""
    alpha = 1.0 - np.exp(-x)
    passed = 1.0 - alpha
    return np.sum(passed * x) + np.sum((1.0 - passed) ** 2) + np.mean(x)


def small_complements(x):
    """Of the small number only its first digits are left."""
    return np.sum((1.0 - (1.0 - x * 1e-12)) * 1e12)


def on_a_grid(x):
    """Rounded to a whole number by a constant that has no room for more."""
    whole = (x + 6755399441055744.0) - 6755399441055744.0
    return np.sum((x - whole) * (x - whole)) + np.sum(np.sin(x))


def in_a_loop(x):
    """The constants cancel in one turn, the sum goes on."""
    total = 0.0
    for i in range(len(x)):
        step = (x[i] * 1e-3 + 1e10) - 1e10
        total = total + step * 2.0
    return total


def compensated(x):
    """Numbers of the program cancel: then constants are not all that has to be kept."""
    s = c = 0.0
    for i in range(len(x)):
        y = (1.0 - (1.0 - x[i] * 1e5 ** (i % 3))) - c
        t = s + y
        c = (t - s) - y
        s = t
    return s


def quotients(x):
    """Several numbers are divided by one, and what is missing is added: whichever way they are rounded."""
    s = c = 0.0
    for i in range(len(x)):
        q, p = x[i] / x[0], (x[i] - 3.0) / x[0]
        q = q + (x[i] - q * x[0]) / x[0]
        y = q * p - c
        t = s + y
        c = (t - s) - y
        s = t
    return s


PROGRAMS = [complements, small_complements, on_a_grid, in_a_loop, compensated, quotients]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_gradients_are_those_of_numpy_code(f):
    compiled = ast_ad.value_and_grad(f, backend="numba", fallback="error")
    value, bar = compiled(X)
    expected, wanted = ast_ad.value_and_grad(f, backend="numpy")(X)
    assert value == pytest.approx(f(X), rel=1e-13) == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(bar, wanted, rtol=1e-13, atol=1e-13)
    exact = "exact" in compiled.source
    assert exact == (f in (on_a_grid, compensated, quotients))  # a rounding error is what these compute with
    if not exact:
        assert "minus" in compiled.source


def test_what_does_not_cancel_keeps_its_operators():
    compiled = ast_ad.value_and_grad(
        lambda x: np.sum((2.0 - (1.0 - x)) ** 2) + np.sum(x - 1.0), backend="numba"
    )
    compiled(X)
    assert "minus" not in compiled.source and "exact" not in compiled.source
