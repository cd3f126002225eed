"""Has a tangent the precision that its value has in this call, where that depends on the path taken?"""

import numpy as np
import pytest

import ast_ad

X = np.array([0.7, 1.3], np.float32)


def chosen(x):
    return [v for v in x if v > 1]


def array_of_chosen(x):
    return np.array(chosen(x))


def repeated(x):
    return np.array(chosen(x) * 3 + [x[0]])


def appended(x):
    found = []
    for v in x:
        if v > 1:
            found.append(v * v)
    return np.array(found)


def wide_if_negative(x):
    return x if x[0] > 0 else x.astype(float)


def wide_after_a_turn(x):
    y = x * 2
    for _ in range(int(x[1])):
        y = y * np.ones(2)
    return y


FUNCTIONS = array_of_chosen, repeated, appended, wide_if_negative, wide_after_a_turn


@pytest.mark.drawn(of=2)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("factor", [1, -1, 3])
def test_tangents_have_the_precision_of_their_values(f, factor):
    x, v = np.float32(factor) * X, np.array([0.5, -1.0], np.float32)
    value, tangent = ast_ad.jvp(f, (x,), (v,), check=False, fallback="error")
    assert value.dtype == tangent.dtype == f(x).dtype
    wide = x.astype(float)
    assert np.allclose(tangent, ast_ad.jvp(f, (wide,), (v.astype(float),))[1], rtol=1e-5)
    jacobian = ast_ad.jacfwd(f, fallback="error")(x)
    assert jacobian.dtype == f(x).dtype
    assert np.allclose(jacobian @ v, tangent, rtol=1e-5)
