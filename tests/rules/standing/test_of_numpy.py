"""Are NumPy's older polynomials, and methods whose arguments have an order of their own, followed?"""

import numpy as np
import pytest

import ast_ad

from .checking import hold_compiled, hold_traced

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "ignore::DeprecationWarning")
OUTSIDE = np.poly1d([1.0, 2.0, 3.0])


def polynomials(x):
    p = np.poly1d(x)
    slope = p.deriv()(0.5) + (p * np.poly1d([1.0, x[1]]) + 2)(x[2]) + p.integ()(1.0) + p[2] * p.order
    return np.poly1d([1, 2, 3.0])(x[0]) + p(0.5) * slope + (1.0 - p)(x[1]) + (-p)(2.0) * p.c[0]


def leading_zeros(x):
    p = np.poly1d([0.0, x[0], x[1]])
    return p(2.0) + p.order * x[2] + np.poly1d(np.polyfit([0.0, 1, 2, 3], x, 2))(1.5) * len(p)


def windows(x):
    return np.sum(np.kaiser(4, x[0]) * x) + np.sum(np.row_stack([x, x**2]) * np.arange(4.0))


def methods(x):
    chosen = np.sum(x.compress([1, 0, 1, 0]) * x[0]) + np.sum(x.reshape(2, 2).compress([0, 1], axis=1) ** 2)
    return chosen + np.sum(x.clip(0.5) ** 2) + np.sum(x.clip(max=1.0) ** 2) + np.sum(x.clip(0.5, 1.5) * x)


def powers_and_quotients(x):
    p = np.poly1d(x)
    whole, rest = p / np.poly1d([1.0, 0.5])
    return (p**2)(0.5) + (p / 2.0)(x[1]) + whole(0.3) * rest(0.1) + (p**0)(x[2]) + p.o * p.coefficients[1]


PROGRAMS = [polynomials, leading_zeros, windows, methods, powers_and_quotients]


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("f", PROGRAMS)
def test_compiled(f):
    hold_compiled(f)


def polynomial_from_outside(x):
    return np.sum(OUTSIDE(x)) + OUTSIDE.deriv()(x[0])


@pytest.mark.parametrize("f", [*PROGRAMS, polynomial_from_outside])
def test_traced(f):
    hold_traced(f)


def unwritten(x):
    first, rows = np.ndarray(4), np.ndarray(shape=(2, *x.shape), dtype=np.float64, order="F")
    first[:] = x**2
    for i in range(len(x)):
        rows[0, i] = x[i] * i
    rows[1] = np.sin(x)
    return np.sum(first * rows[0]) + np.sum(rows[1]) * isinstance(rows, np.ndarray)


def test_arrays_made_by_their_class():
    hold_compiled(unwritten)


def test_a_view_of_other_memory_is_refused():
    with pytest.raises(ast_ad.AdError):
        ast_ad.grad(lambda x: np.sum(np.ndarray((2,), buffer=x)), fallback="error")(np.ones(4))
