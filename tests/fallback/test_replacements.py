"""Is a derivative that is compiled while its module's functions are replaced by traced ones the same?"""

import numpy as np
import pytest

import ast_ad

X = np.array([-1.687, 1.813, -0.787])


def written_through_a_view(x, s):
    part = np.hsplit(x, 1)[0]
    same = np.array(part, copy=None)
    same -= 0.3
    x[0] *= part[0] * s
    return np.sum(np.cos(x))


def put_in_place(x, s):
    y = x * s
    np.put(y, [0], s**3)
    return np.sum(y * y)


def extrema(x, s):
    return max(x[0] * s**2, s**3) + min(s, 5.0)


@pytest.mark.filterwarnings("ignore::ast_ad.errors.FallbackWarning")
@pytest.mark.parametrize("program", [written_through_a_view, put_in_place, extrema])
def test_second_order_in_a_trace(program):
    def slope(x, s):
        def once():  # what no compiler follows
            yield ast_ad.grad(program, argnums=1)(x, s)

        return sum(once())

    step, s = 1e-6, 0.733
    expected = (slope(X.copy(), s + step) - slope(X.copy(), s - step)) / (2 * step)
    assert ast_ad.grad(slope, argnums=1)(X.copy(), s) == pytest.approx(expected, rel=1e-6)
