"""Is ``zip(strict=True)`` compiled where lengths show at run time, and Python's where they differ?"""

import numpy as np
import pytest

import ast_ad

X = np.linspace(0.5, 1.5, 9)


def of_lists(x, n):
    xs, ys = [x[i] for i in range(n)], [x[i] ** 2 for i in range(n)]
    s = 0.0
    for i, (u, v) in enumerate(zip(xs, ys, strict=True)):
        s += u * v * i
    return s


def of_arrays(x, n):
    return sum(p * q for p, q in zip(x[:n], np.sin(x[:n]), strict=True))


def reversed_one(x, n):
    xs, ys = [x[i] for i in range(n)], [x[i] ** 2 for i in range(n)]
    return sum([u * v for u, v in zip(reversed(xs), ys, strict=True)])


def both_grow(x, n):
    xs, ys = [x[i] for i in range(n)], [x[i] ** 2 for i in range(n)]
    s = 0.0
    for u, v in zip(xs, ys, strict=True):
        s += u * v
        if len(xs) < 7:
            xs.append(u)
            ys.append(v * x[0])
    return s


def left_before_the_end(x, n):
    xs, ys = [x[i] for i in range(n)], [x[i] ** 2 for i in range(n + 1)]
    s = 0.0
    for u, v in zip(xs, ys, strict=True):
        s += u * v
        if n == 2:
            break
    return s


def one_grows(x, n):
    xs, ys = [x[i] for i in range(n)], [x[i] ** 2 for i in range(n)]
    s = 0.0
    for u, v in zip(xs, ys, strict=True):
        s += u * v
        if n % 2:
            ys.append(u)
    return s


def first_only(x, n):
    xs, ys = [x[i] for i in range(n)], [x[i] ** 2 for i in range(n + 1)]
    return next(zip(xs, ys, strict=True))[0] * x[1]


def listed_later(x, n):
    xs, ys = [x[0], x[1]], [x[1], x[2]]
    pairs = zip(xs, ys, strict=True)
    if n > 2:
        ys.append(x[0])
    found = list(pairs)
    return found[0][0] * found[1][1]


def always_listed_later(x, n):
    xs, ys = [x[0], x[1]], [x[1], x[2]]
    pairs = zip(xs, ys, strict=True)
    ys.append(x[0])
    (a, b), (c, d) = pairs
    return a * b + c * d


def handled(x, n):
    xs, ys = [x[i] for i in range(n)], [x[i] ** 2 for i in range(n + n % 2)]
    s = 0.0
    try:
        for u, v in zip(xs, ys, strict=True):
            s += u * v
    except ValueError:
        s *= 2
    return s


COMPILED = [of_lists, of_arrays, reversed_one, both_grow]
OTHERS = [left_before_the_end, one_grows, first_only, handled, listed_later, always_listed_later]


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", COMPILED, ids=lambda f: f.__name__)
def test_equal_lengths(f, backend):
    derivative = ast_ad.value_and_grad(f, backend=backend, fallback="error")
    for n in (3, 6, 0, 1):
        check(derivative, f, n)


@pytest.mark.drawn(of=36)
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", OTHERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("first", [2, 3, 4])
def test_other_lengths(f, backend, first):
    """Whichever call comes first: what is believed then must not be what a later one gets."""
    derivative = ast_ad.value_and_grad(f, backend=backend, check=False)
    for n in (first, 2, 3, 4, 1):
        check(derivative, f, n)


def check(derivative, f, n):
    try:
        expected = f(X, n)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error).replace("(", r"\(").replace(")", r"\)")):
            derivative(X, n)
        return
    value, found = derivative(X, n)
    assert value == pytest.approx(expected, rel=1e-12)
    steps = np.eye(9) * 1e-6
    differences = [(f(X + e, n) - f(X - e, n)) / 2e-6 for e in steps]
    np.testing.assert_allclose(found, differences, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_refusal_at_run_time_says_its_line(backend):
    def unequal(x):
        s = 0.0
        for u, v in zip(x, x[1:], strict=True):
            s += u * v
        return s

    with pytest.raises(ast_ad.errors.UnsupportedError, match="of unequal lengths") as caught:
        ast_ad.grad(unequal, backend=backend, fallback="error")(X)
    assert "for u, v in zip(x, x[1:], strict=True):" in str(caught.value)
    assert caught.value.span.line == unequal.__code__.co_firstlineno + 2


def test_a_range_whose_step_is_zero():
    def f(x, n):
        for _ in range(0, n, 0):
            x = x * x
        return x

    with pytest.warns(ast_ad.FallbackWarning, match="raises whatever its arguments are.*must not be zero"):
        with pytest.raises(ValueError, match="range.. arg 3 must not be zero"):
            ast_ad.grad(f)(2.0, 3)
