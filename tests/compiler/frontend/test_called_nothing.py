"""Does a call of what is no function raise where it is reached, and stop nothing where it is not?"""

import numpy as np
import pytest

import ast_ad


class Surface:
    def __init__(self, kind, index):
        self.kind, self.index = kind, index


SURFACES = [Surface(1, None), Surface(2, np.sin)]


def through_surfaces(x):
    t = x[0]
    for surface in SURFACES:
        t = surface.index(t) * x[1] if surface.kind == 2 else t * 2.0
    return t


def far_away(x, g=None):
    if x[0] > 10:
        return g(x[0])
    return x[0] * x[1]


def caught(x, g=None):
    try:
        y = g(x[0])
    except TypeError:
        y = x[1] ** 2
    return y * x[0]


def by_name(x):
    table, total = {"a": None, "b": np.cos}, 0.0
    for name in ("a", "b"):
        total = total + (x[1] if table[name] is None else table[name](x[0]))
    return total


def a_number(x):
    n = 3
    if len(x) > 5:
        return n(x)
    return x[0] ** n


@pytest.mark.slow(beyond=3)
@pytest.mark.parametrize("f", [through_surfaces, far_away, caught, by_name, a_number])
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_compiled(f, backend):
    x = np.array([0.7, 0.4])
    value, gradient = ast_ad.value_and_grad(f, backend=backend, fallback="error")(x)
    assert value == pytest.approx(f(x), rel=1e-14)
    slopes = [(f(x + step) - f(x - step)) / 2e-6 for step in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_it_raises_where_it_is_reached(backend):
    g = ast_ad.grad(far_away, backend=backend, fallback="error")
    np.testing.assert_array_equal(g(np.array([0.7, 0.4])), [0.4, 0.7])
    with pytest.raises(TypeError, match="'NoneType' object is not callable"):
        g(np.array([11.0, 0.4]))
