"""Do exceptions that are told from the arguments come up exactly where Python raises them?"""

import math

import numpy as np
import pytest

from ast_ad import grad
from ast_ad.compiler.frontend.constructs.testable_exceptions import LARGEST, OF_MATH

EDGES = [-math.inf, -2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, LARGEST, 800.0, math.inf, math.nan]
NEIGHBOURS = [math.nextafter(v, end) for v in (-1.0, 0.0, 1.0, LARGEST) for end in (-math.inf, math.inf)]
WHOLE = [-1, 0, 1, 2]


def guarded(f):
    """A function that takes one way where ``f`` raises, and another where it does not."""

    def g(v, scale):
        try:
            t = f(v)
        except (ValueError, OverflowError):
            return scale * 3.0
        return scale * (2.0 if math.isnan(t) else 1.0)

    return g


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("f", OF_MATH, ids=lambda f: f.__name__)
def test_the_way_taken_is_that_of_python(f):
    plain = guarded(f)
    derivative = grad(plain, wrt="scale", fallback="error")
    for v in EDGES + NEIGHBOURS + WHOLE:
        assert derivative(v, 1.5) == plain(v, 1.0), v


DIVISIONS = {
    "/": lambda v: v / 0,
    "//": lambda v: v // 0.0,
    "%": lambda v: v % 0,
}


@pytest.mark.parametrize("name", DIVISIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::ast_ad.FallbackWarning")
def test_a_number_of_python_or_numpy_over_zero(name):
    divide = DIVISIONS[name]

    def f(x, c):
        v = 2.5 if c else x[0]
        try:
            t = divide(v)
        except ZeroDivisionError:
            return x[1] * 3.0
        return x[1] * (2.0 if np.isinf(t) or np.isnan(t) else 1.0)

    x = np.array([0.5, 1.5])
    for c in (True, False):
        np.testing.assert_array_equal(grad(f, wrt="x")(x, c), [0.0, 3.0 if c else 2.0])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_is_raised_is_evaluated_first():
    def f(x, c):
        if c:
            told = "negative"
        try:
            if x[0] > 0.0:
                raise ValueError(told)
        except ValueError:
            return x[0] * 3.0
        except NameError:
            return x[0] * 5.0
        return x[0]

    derivative = grad(f, wrt="x")
    for c, slope in ((True, 3.0), (False, 5.0)):
        np.testing.assert_array_equal(derivative(np.array([0.5]), c), [slope])
