"""Are derivatives of results right that are lists whose length is known at run time only?"""

import dataclasses

import numpy as np
import pytest
import scipy.interpolate

import ast_ad
from ast_ad.trees import flatten

X = np.array([1.0, 2.0, 3.0])


def numbers(x, y):
    out = []
    for v in x:
        out.append(v * v * y)
    return out


def nested(x, y):
    out = []
    for v in x:
        row = []
        for w in x:
            row.append(v * w * y)
        out.append(row)
    return out


def trajectory(x, y):
    time, states = 0.0, [(0.0, x)]
    for _ in range(3):
        x, time = x + y * np.sin(x), time + y
        states.append((time, x))
    return states


def sorted_out(x, y):
    large, small = [], []
    for v in x:
        if v > 1.5:
            large.append(x * v)
        else:
            small.append(np.sin(v * y))
    return {"large": large, "small": small, "first": x[0] * y}


def with_integers(x, y):
    out = []
    for i, v in enumerate(x):
        out.append((i, v * v * y))
    return out


def labels(x, y):
    out = []
    for i in range(len(x)):
        out.append(i)
    return out, x * y


def traced(f):
    return eval("lambda *args: f(*args)", {"f": f})


def require_same(found, expected):
    (parts, tree), (others, other) = flatten(found), flatten(expected)
    assert tree == other
    for part, wanted in zip(parts, others, strict=True):
        assert np.shape(part) == np.shape(wanted)
        np.testing.assert_allclose(part, wanted, rtol=1e-12, atol=1e-14)


OF_FLOATS = [numbers, nested, trajectory, sorted_out]


@pytest.mark.drawn(of=15)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("argnums", [0, 1, (0, 1)])
@pytest.mark.parametrize("function", OF_FLOATS)
@pytest.mark.parametrize("ask", [ast_ad.jacfwd, ast_ad.jacrev, ast_ad.hessian])
def test_compiled_as_traced(ask, function, argnums):
    for x in (X, X + 5.0):
        expected = ask(traced(function), argnums)(x, 2.0)
        require_same(ask(function, argnums, backend="numpy", fallback="error")(x, 2.0), expected)


@pytest.mark.drawn(of=3)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("function", OF_FLOATS)
def test_kernels(function):
    expected = ast_ad.jacrev(traced(function))(X, 2.0)
    require_same(ast_ad.jacfwd(function, backend="numba", fallback="error")(X, 2.0), expected)


def test_against_differences():
    """Of the list's items one by one."""
    found = ast_ad.jacfwd(trajectory, fallback="error")(X, 0.3)
    step = 1e-5
    for i, h in enumerate(step * np.eye(3)):
        pairs = zip(trajectory(X + h, 0.3), trajectory(X - h, 0.3), found, strict=True)
        for (_, above), (_, below), (_, block) in pairs:
            np.testing.assert_allclose(block[:, i], (above - below) / (2 * step), rtol=1e-8, atol=1e-10)


def test_a_gradient_of_such_a_jacobian():
    def loss(x, y):
        return sum([np.sum(block**2) for block in ast_ad.jacrev(numbers)(x, y)])

    np.testing.assert_allclose(ast_ad.grad(loss, fallback="error")(X, 2.0), 32.0 * X, rtol=1e-13)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("how", ["compiled", "traced"])
@pytest.mark.parametrize("ask", [ast_ad.jacfwd, ast_ad.jacrev])
def test_a_list_without_items(ask, how):
    function = traced(numbers) if how == "traced" else numbers
    assert ask(function)(np.zeros(0), 2.0) == []


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("how", ["compiled", "traced"])
def test_integers_in_a_list_have_zeros(how):
    """In the structure of the value: neither None, nor one zero for all of a list."""
    for function, expected in [
        (with_integers, [(0, 4.0), (0, 16.0), (0, 36.0)]),
        (labels, ([0, 0, 0], 2.0 * X)),
    ]:
        f = traced(function) if how == "traced" else function
        require_same(ast_ad.jvp(f, (X, 2.0), (X, None))[1], expected)
        require_same(ast_ad.linearize(f, X, 2.0)[1](X, None), expected)


# ----- what a region of a nested derivative was made anew for
def spline(y, t):
    return scipy.interpolate.CubicSpline(np.arange(5.0), y)(t)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_names_that_paths_have_left_alone(backend):
    """Tuples, functions and lists of the surroundings are as they were, though made anew where paths meet."""
    y, options = np.array([0.4, 0.2, 0.7, 1.0, 0.3]), dict(backend=backend, fallback="error")
    by_y, by_t = ast_ad.jacfwd(spline, (0, 1), **options)(y, 1.3)
    rows = [spline(e, 1.3) for e in np.eye(5)]
    np.testing.assert_allclose(by_y, rows, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(by_t, (spline(y, 1.3 + 1e-6) - spline(y, 1.3 - 1e-6)) / 2e-6, rtol=1e-8)
    ys, ts = np.stack([y, y[::-1], y**2]), np.array([0.3, 1.2, 2.6])
    expected = [spline(*row) for row in zip(ys, ts, strict=True)]
    np.testing.assert_allclose(ast_ad.vmap(spline, **options)(ys, ts), expected, rtol=1e-12)
    found, _ = ast_ad.vmap(ast_ad.grad(spline, (0, 1)), **options)(ys, ts)
    np.testing.assert_allclose(found, [[spline(e, t) for e in np.eye(5)] for t in ts], rtol=1e-11, atol=1e-13)


@dataclasses.dataclass
class Layer:
    weight: np.ndarray
    bias: float
    kind: str = "tanh"


def test_a_tangent_that_is_an_object_from_outside():
    def of_layer(layer, x):
        return np.sum(np.tanh(layer.weight * x) * layer.bias)

    layer, tangent = Layer(X, 0.5), Layer(X[::-1].copy(), 1.0)

    def along(layer, x):
        return ast_ad.jvp(of_layer, (layer, x), (tangent, None))[1]

    def within(layer, x):
        own = Layer(np.array([3.0, 2.0, 1.0]), 1.0)
        return ast_ad.jvp(of_layer, (layer, x), (own, None))[1]

    found, expected = (ast_ad.grad(f, fallback="error")(layer, X / 7.0) for f in (along, within))
    np.testing.assert_allclose(found.weight, expected.weight, rtol=1e-13)
    assert found.bias == pytest.approx(expected.bias, rel=1e-13)
