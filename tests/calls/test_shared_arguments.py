"""What if one array is passed twice, or read by another name, and the function writes to it?

Either value and gradient are those of the plain function, to which it is one array, or an error is told. The
caller's arrays stay as they are.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import SharedMemoryError
from ast_ad.trees import flatten

X = np.array([0.7, 1.3, 0.4])
G = X.copy()


def scaled(a, b):
    a[0] = a[0] * 2.0
    return np.sum(a * b)


def both(a, b):
    a[:] = a * b
    b[1] = 3.0 * a[0]
    return np.sum(a * b * b)


def added(a, b):
    a += 1.0
    return np.sum(a**2 * b)


def second(a, b):
    b *= 2.0
    return np.sum(a**2) + np.sum(b**3)


def square(u):
    u[...] = u**2


def in_helper(a, b):
    square(a)
    return np.sum(a * b)


def in_branch(a, b):
    if a[0] > 0:
        a[1] = b[0] * b[1]
    return np.sum(a * b * b)


def in_loop(a, b):
    for i in range(len(a) - 1):
        a[i + 1] = a[i] * b[i]
    return np.sum(a * b)


def through_view(a, b):
    part = a[1:]
    part *= b[:-1]
    return np.sum(a * b)


def only_read(a, b):
    return np.sum(a**2 * b)


def in_list(values):
    values[0][0] = values[0][0] * values[1][1]
    return np.sum(values[0] * values[1])


def in_dict(values):
    values["a"] *= values["b"][0]
    return np.sum(values["a"] * values["b"] ** 2)


def looped_list(values):
    for v in values:
        v *= 2.0
    return np.sum(values[0] * values[1])


def three(a, b, c):
    a[0] = c[1] * 2.0
    return np.sum(a * b * c)


def number(a, b):
    a[...] = b * 3.0
    return np.sum(a * b)


PAIRS: dict[str, Any] = {
    "same": lambda b: (b, b),
    "overlapping": lambda b: (b[:-1], b[1:]),
    "reversed": lambda b: (b, b[::-1]),
    "equal views": lambda b: (b[:], b[:]),
    "columns": lambda b: (b[::2], b[::2]),
}
TWO = (scaled, both, added, second, in_helper, in_branch, in_loop, through_view, only_read)
CASES = [(f, name) for f in TWO for name in PAIRS]
OTHERS: dict[Any, Any] = {
    in_list: lambda b: ([b, b],),
    in_dict: lambda b: ({"a": b, "b": b},),
    looped_list: lambda b: ([b[:-1], b[1:]],),
    three: lambda b: (b, b, b[:]),
    number: lambda b: (b[0, ...], b[0, ...]),
}


def total(f: Any, make: Any) -> np.ndarray:
    """Differences by the one array."""
    found = np.zeros(3)
    for k in range(3):
        values = []
        for step in (1e-5, -1e-5):
            moved = X.copy()
            moved[k] += step
            values.append(f(*make(moved)))
        found[k] = (values[0] - values[1]) / 2e-5
    return found


def judged(f: Any, make: Any, wrt: Any, backend: str) -> None:
    base = X.copy()
    try:
        value, bars = ast_ad.value_and_grad(f, argnums=wrt, backend=backend)(*make(base))
    except SharedMemoryError:
        np.testing.assert_array_equal(base, X)
        return
    np.testing.assert_array_equal(base, X)
    assert value == pytest.approx(f(*make(X.copy())), rel=1e-14)
    places = flatten(make(np.arange(3)))[0]
    shares = [np.zeros(3), np.zeros(3), np.zeros(3)]
    for share, place, bar in zip(shares, places, flatten(bars)[0], strict=False):
        np.add.at(share, place, bar)
    if f is only_read and isinstance(wrt, tuple):
        np.testing.assert_allclose(sum(shares), total(f, make), atol=1e-8)
    elif f is not only_read:  # one array is differentiated, which counts for all its names
        assert not isinstance(wrt, tuple) or not any(map(np.any, shares[1:]))
        np.testing.assert_allclose(shares[0], total(f, make), atol=1e-8)


@pytest.mark.drawn(of=39)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("wrt", [0, (0, 1)], ids=str)
@pytest.mark.parametrize(("f", "how"), CASES, ids=lambda v: getattr(v, "__name__", v))
def test_two_arguments(f, how, wrt):
    judged(f, PAIRS[how], wrt, "numpy")


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("how", ["same", "overlapping"])
@pytest.mark.parametrize("f", [both, in_loop], ids=lambda f: f.__name__)
def test_two_arguments_of_a_kernel(f, how):
    judged(f, PAIRS[how], 0, "numba")


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("f", OTHERS, ids=lambda f: f.__name__)
def test_containers_and_numbers(f):
    judged(f, OTHERS[f], 0, "numpy")


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_later_call_with_one_array():
    derivative = ast_ad.value_and_grad(scaled)
    a, b = X.copy(), X.copy()
    assert derivative(a, b)[0] == scaled(X.copy(), X.copy())
    shared = X.copy()
    for _ in range(2):
        value, gradient = derivative(a, a)
        assert value == scaled(shared, shared)
        np.testing.assert_allclose(gradient, [4 * 2 * X[0], 2 * X[1], 2 * X[2]])
        shared[:] = X
        with pytest.raises(SharedMemoryError):
            derivative(a[:-1], a[1:])
        with pytest.raises(SharedMemoryError):
            ast_ad.vjp(scaled, a, a)
    assert derivative(a, b)[0] == scaled(X.copy(), X.copy())


# ----- read by another name
def of_a_global(a):
    a[0] = a[1] * 2.0
    return np.sum(a * G)


def of_a_default(a, b=G):
    a[0] = a[1] * 2.0
    return np.sum(a * b)


def helper():
    return G[0] * 2.0


def of_a_helper(a):
    a[0] = a[1] * 2.0
    return np.sum(a) * helper()


def closure():
    h = G

    def of_a_closure(a):
        a[0] = a[1] * 2.0
        return np.sum(a * h)

    return of_a_closure


class Weights:
    def __init__(self, w):
        self.w = w

    def energy(self, a):
        a[0] = a[1] * 2.0
        return np.sum(a * self.w)


@pytest.mark.drawn(of=6)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize(
    ("f", "backend"),
    [
        *((f, "numpy") for f in (of_a_global, of_a_default, of_a_helper, closure(), Weights(G).energy)),
        (of_a_global, "numba"),
    ],
    ids=lambda v: getattr(v, "__name__", v),
)
def test_an_argument_that_is_read_by_another_name(f, backend):
    derivative = ast_ad.value_and_grad(f, backend=backend)
    for shared in (G, G[:], G[::-1]):
        with pytest.raises(SharedMemoryError, match="writes to"):
            derivative(shared)
        np.testing.assert_array_equal(G, X)
    assert derivative(G.copy())[0] == pytest.approx(f(G.copy()), rel=1e-14)
    with pytest.raises(SharedMemoryError, match="by another name"):
        derivative(G)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_an_argument_that_an_object_holds():
    def energy(a, weights):
        a[0] = a[1] * 2.0
        return np.sum(a * weights.w)

    b = X.copy()
    with pytest.raises(SharedMemoryError):
        ast_ad.grad(energy)(b, Weights(b))
    np.testing.assert_array_equal(b, X)
    np.testing.assert_allclose(ast_ad.grad(energy)(b, Weights(copy.copy(b))), [0.0, 2 * X[0] + X[1], X[2]])


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_global_array_that_is_not_read():
    def scale(x):
        x[0] = x[1] * 2.0
        return np.sum(x * x) if float(x[0]) > 0 else 0.0

    np.testing.assert_allclose(ast_ad.grad(scale)(G), [0.0, 10 * G[1], 2 * G[2]])


# ----- derivatives within functions
def slope(p, q):
    return np.sum(ast_ad.grad(added)(p, q))


def own_slope(p):
    return ast_ad.grad(scaled)(p, p)[1]


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_derivatives_within_functions():
    derivative = ast_ad.value_and_grad(slope)
    a = X.copy()
    assert derivative(a, X.copy())[0] == slope(a, X.copy())
    with pytest.raises(SharedMemoryError):
        derivative(a, a)
    with pytest.raises(SharedMemoryError):
        ast_ad.value_and_grad(own_slope)(a)
    np.testing.assert_array_equal(a, X)


def changes_its_argument_on_a_path(x, y):
    if y[0] > 0:
        x[1:] += np.sin(y[:-1])
    return np.sum(x * y)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("check", [True, False])
@pytest.mark.filterwarnings("error::ast_ad.DefectWarning")
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_write_to_an_argument_that_is_read_only_raises_as_in_the_function(backend, check):
    x, y = np.array([0.3, -0.7, 1.1]), np.array([0.5, 0.2, -0.4])
    still = x.copy()
    still.flags.writeable = False
    for first in (still, x):
        derivative = ast_ad.grad(changes_its_argument_on_a_path, backend=backend, check=check)
        for argument in (first, still, np.broadcast_to(0.5, 3)):
            np.testing.assert_allclose(derivative(argument, -y), -y)  # nothing is written
            if argument is x:
                np.testing.assert_allclose(derivative(argument, y), y)
                continue
            with pytest.raises(ValueError, match="read-only"):
                derivative(argument, y)


def adds_its_neighbours(x):
    for i in range(len(x) - 1):
        x[i] += x[i + 1]
    return np.sum(x * x)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("ask", [ast_ad.grad, ast_ad.vjp])
@pytest.mark.parametrize("writable", [0, 1, 3])
@pytest.mark.filterwarnings("error::ast_ad.DefectWarning")
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_read_only_argument_is_refused_in_the_first_call_and_in_later_ones(ask, backend, writable):
    derivative = ast_ad.grad(adds_its_neighbours, backend=backend)
    if ask is ast_ad.vjp:
        pull = ast_ad.vjp(adds_its_neighbours, backend=backend)
        derivative = lambda x: pull(x)[1](1.0)  # noqa: E731
    for turn in range(writable):
        derivative(np.array([0.3, -0.7, 1.1]) + turn)
    still = np.array([0.3, -0.7, 1.1])
    still.flags.writeable = False
    for _ in range(2):
        with pytest.raises(ValueError, match="read-only"):
            derivative(still)
        np.testing.assert_array_equal(still, [0.3, -0.7, 1.1])
