"""Is the sum of outer products that the turns of an adjoint add up right when it is taken as one product?"""

import numpy as np
import pytest
from numba import njit

import ast_ad
from ast_ad.calls import code, pipeline
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.show import show
from ast_ad.compiler.loops.gathered_products import gather_products

DRAW = np.random.default_rng(0)
W, V = 0.3 * DRAW.normal(size=(18, 18)), 0.3 * DRAW.normal(size=(18, 25))
X, XS = DRAW.normal(size=18), DRAW.normal(size=(6, 25))


def powers(w, x, n):
    for _ in range(n):
        x = np.tanh(w @ x)
    return np.sum(x * x)


def from_the_left(w, x, n):
    for _ in range(n):
        x = np.tanh(x @ w)
    return np.sum(x * x)


def driven(w, v, x, xs):
    total = 0.0
    for t in range(xs.shape[0]):
        x = np.tanh(w @ x + v @ xs[t])
        total += np.sum(x**2)
    return total


def four_stages(w, x, n):
    for _ in range(n):
        a = np.tanh(w @ x)
        b = np.tanh(w @ (x + 0.1 * a))
        c = np.tanh(w @ (x + 0.1 * b))
        x = x + 0.1 * (a + b + c + w @ (x + 0.2 * c))
    return np.sum(x**3)


def both_ways(w, x, n):
    for _ in range(n):
        x = np.sin(w @ x + x @ w + w.T @ np.cos(x))
    return np.sum(x)


def also_else(w, x, n):
    for _ in range(n):
        x = np.tanh(w @ x) + 0.1 * np.sum(w**2, axis=1)
        w_norm = np.sum(w * w)
        x = x / (1 + w_norm)
    return np.sum(x * x) + np.sum(w**3)


def loops_in_loops(w, v, x, xs):
    total = 0.0
    for t in range(xs.shape[0]):
        for _ in range(t):
            x = np.tanh(w @ x + v @ xs[t])
        total += x @ (v @ xs[t])
    return total


def few_turns_within(w, x, n):
    for _ in range(n):
        for _ in range(3):
            x = np.tanh(w @ x)
        x = 2 * x
    return np.sum(x)


def in_branches(w, x, n):
    for i in range(n):
        if i % 2:
            x = np.tanh(w @ x)
        else:
            x = np.cos(w.T @ x)
    return np.sum(x * x)


def until(w, x, n):
    i = 0
    while i < n and np.sum(x * x) > 1e-8:
        x = np.tanh(w @ x) * 0.5
        i += 1
    return np.sum(x)


def stops(w, x, n):
    for i in range(n):
        x = np.tanh(w @ x)
        if x[0] > 0.9 or i == 4:
            break
    return np.sum(x)


def backwards(w, x, n):
    for i in range(n, 0, -2):
        x = np.tanh(w @ x) * i
    return np.sum(x)


def written(w, x, n):
    w = w.copy()
    for i in range(n):
        x = np.tanh(w @ x)
        w[i] = w[i] * x[i]
    return np.sum(x) + np.sum(w)


def one_of_them_stays(w, x, n):
    y = x
    for _ in range(n):
        y = y + 0.1 * np.sin(w @ x) * y
    return np.sum(y)


def columns(w, x, n):
    h = x.reshape(-1, 1)
    for _ in range(n):
        h = np.tanh(np.dot(w, h))
    return np.sum(h**2)


def rows(w, x, n):
    h = x[None, :]
    for _ in range(n):
        h = np.tanh(h @ w + np.tanh(h) @ w)
    return np.sum(h**2)


def many_columns(w, x, n):
    h = np.stack([x, x + 1, x - 2], axis=1)
    for _ in range(n):
        h = np.tanh(w @ h)
    return np.sum(h**2)


def leapfrog(w, x, n):
    """A matrix goes on through a turn, and what the next one takes from it has one operand."""
    before, now = np.zeros_like(w), w
    for t in range(n):
        after = 2.0 * now - before
        after[t] += x[t]
        before, now = now, after
    return np.sum(now**2)


PROGRAMS = {
    powers: (W, X, 5),
    from_the_left: (W, X, 5),
    driven: (W, V, X, XS),
    four_stages: (W, X, 4),
    both_ways: (W, X, 4),
    also_else: (W, X, 4),
    loops_in_loops: (W, V, X, XS),
    few_turns_within: (W, X, 3),
    in_branches: (W, X, 5),
    until: (W, X, 5),
    stops: (W, X, 9),
    backwards: (W, X, 7),
    written: (W, X, 5),
    one_of_them_stays: (W, X, 4),
    columns: (W, X, 4),
    rows: (W, X, 4),
    many_columns: (W, X, 4),
    leapfrog: (W, X, 5),
}
LEFT = {few_turns_within, in_branches, written, one_of_them_stays, many_columns, leapfrog}
"""Those whose sums stay as they are."""


def agrees(function, *args, **options):
    """The derivative in kernels, once it agrees with NumPy code and with differences along a direction."""
    wrt = tuple(i for i, a in enumerate(args) if isinstance(a, np.ndarray))
    derivative = ast_ad.value_and_grad(function, argnums=wrt, backend="numba", **options)
    value, gradients = derivative(*args)
    plain = ast_ad.value_and_grad(function, argnums=wrt, backend="numpy")(*args)
    tight = 1e-11 if args[0].dtype != np.float32 else 3e-5
    np.testing.assert_allclose(value, function(*args), rtol=tight)
    for got, expected in zip(gradients, plain[1], strict=True):
        assert got.dtype == expected.dtype and got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=tight, atol=tight)
    if args[0].dtype == np.float64:
        to = [DRAW.normal(size=args[i].shape) for i in wrt]
        moved = [
            [a + s * to[wrt.index(i)] if i in wrt else a for i, a in enumerate(args)] for s in (1e-6, -1e-6)
        ]
        slope = (function(*moved[0]) - function(*moved[1])) / 2e-6
        assert sum(np.sum(g * d) for g, d in zip(gradients, to, strict=True)) == pytest.approx(
            slope, rel=1e-5
        )
    return derivative


class Seen(Exception):
    """Ends what would make kernels."""


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_gathered_means_the_same(function, monkeypatch):
    """The IR before and after, statement by statement, without kernels."""
    args = PROGRAMS[function]

    def watched(taped, report):
        before = show(taped)
        gathered = check(gather_products(taped, report))
        assert show(taped) == before
        assert (show(gathered) == before) == (function in LEFT)
        for found, expected in zip(evaluate(gathered, *args), evaluate(taped, *args), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
        raise Seen

    monkeypatch.setattr(pipeline, "gather_products", watched)
    monkeypatch.setattr(code, "FAIL_LOUDLY", True)
    monkeypatch.setenv("AST_AD_CACHE", "0")  # not what another process has compiled
    wrt = tuple(i for i, a in enumerate(args) if isinstance(a, np.ndarray))
    with pytest.raises(Seen):
        ast_ad.value_and_grad(function, argnums=wrt, backend="numba")(*args)


@pytest.mark.drawn(of=4)
@pytest.mark.slow
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_one_product_gives_the_sum_of_all_turns(function):
    derivative = agrees(function, *PROGRAMS[function])
    assert ("are taken at once" in str(derivative.explain())) == (function not in LEFT)


@pytest.mark.slow
@pytest.mark.parametrize("turns", [0, -2, 1])
def test_loops_that_hardly_run(turns):
    agrees(powers, W, X, turns)
    agrees(four_stages, W, X, turns)


@pytest.mark.slow
def test_lengths_that_change_between_calls():
    derivative = agrees(driven, W, V, X, XS)
    for n, m, turns in ((20, 30, 3), (40, 17, 0), (1, 1, 4), (0, 20, 3), (17, 0, 2)):
        args = (
            DRAW.normal(size=(n, n)),
            DRAW.normal(size=(n, m)),
            DRAW.normal(size=n),
            DRAW.normal(size=(turns, m)),
        )
        expected = ast_ad.value_and_grad(driven, argnums=(0, 1, 2, 3), backend="numpy")(*args)
        value, gradients = derivative(*args)
        np.testing.assert_allclose(value, expected[0], rtol=1e-12)
        for got, right in zip(gradients, expected[1], strict=True):
            np.testing.assert_allclose(got, right, rtol=1e-10, atol=1e-12)


@pytest.mark.slow
def test_vectors_that_do_not_fit_are_an_error():
    derivative = agrees(powers, W, X, 3)
    with pytest.raises(ValueError, match="mismatch|shape|size"):
        derivative(W, X[:-1], 3)


@pytest.mark.slow
def test_single_precision():
    agrees(powers, W.astype(np.float32), X.astype(np.float32), 4)


@pytest.mark.slow
def test_complex_matrices():
    def rotated(w, x, n):
        for _ in range(n):
            x = (w + 1j * w.T) @ x
            x = x / (1 + np.sum(np.abs(x) ** 2))
        return np.sum(x.real * x.imag)

    agrees(rotated, W, X, 4)


@pytest.mark.slow
def test_parallel():
    agrees(driven, W, V, X, XS, parallel=True)


@pytest.mark.slow
def test_infinities_give_what_numpy_gives():
    x = X.copy()
    x[3] = np.inf

    def scaled(w, x, n):
        for _ in range(n):
            x = np.tanh(w @ x)
        return np.sum(x)

    with np.errstate(all="ignore"):
        got = ast_ad.grad(scaled, backend="numba")(W, x, 2)
        expected = ast_ad.grad(scaled, backend="numpy")(W, x, 2)
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-13)


@pytest.mark.slow
def test_second_derivatives():
    small = W[:17, :17]

    def slope(w):
        return ast_ad.grad(powers, backend="numba")(w, X[:17], 3)

    got = ast_ad.jvp(slope, (small,), (np.ones_like(small),))[1]
    h = 1e-5
    expected = (slope(small + h) - slope(small - h)) / (2 * h)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.slow
def test_in_functions_that_numba_compiles():
    slope = ast_ad.grad(powers)

    @njit
    def step(w, x):
        return w - 0.1 * slope(w, x, 3)

    np.testing.assert_allclose(
        step(W, X), W - 0.1 * ast_ad.grad(powers, backend="numpy")(W, X, 3), rtol=1e-11
    )
