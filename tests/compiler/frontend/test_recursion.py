"""Is recursion whose depth the data decide followed as deep as calls go, and traced where they go deeper?"""

import sys

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.frontend.callables.recursion import FIRST_BOUND, LAST_BOUND
from ast_ad.errors import RecursionDepthError

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")


def root(x, a, tolerance):
    y = 0.5 * (x + a / x)
    return y if abs(y - x) < tolerance else root(y, a, tolerance)


def chain(x, n):
    return x if n == 0 else np.sin(chain(x, n - 1))


def tree(x, n):
    return x if n < 1 else tree(x * 0.5, n - 1) + np.cos(tree(x * 0.3, n - 2))


def derivative_of_chain(x, n):
    inner, product = x, 1.0
    for _ in range(n):
        product, inner = product * np.cos(inner), np.sin(inner)
    return product


def modes(derivative, depths):
    found = []
    for n in depths:
        np.testing.assert_allclose(derivative(0.7, n), derivative_of_chain(0.7, n), rtol=1e-12)
        found.append(derivative.mode)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_deeper_call_is_traced_and_the_next_program_is_as_deep(backend):
    if backend == "numba":
        pytest.importorskip("numba")
    derivative = ast_ad.grad(chain, backend=backend)
    assert modes(derivative, [2, 9, 10, 3, 12, 12]) == [
        "compiled",
        "fallback",
        "compiled",
        "compiled",
        "fallback",
        "compiled",
    ]


@pytest.mark.slow
def test_calls_that_are_too_deep_for_any_program_are_traced():
    derivative = ast_ad.grad(chain)
    assert modes(derivative, [2, 60, 60, 20]) == ["compiled", "fallback", "fallback", "compiled"]


@pytest.mark.slow
def test_a_first_call_that_is_deeper_than_the_first_bound():
    derivative = ast_ad.grad(chain)
    assert modes(derivative, [FIRST_BOUND + 3] * 2) == ["fallback", "compiled"]


@pytest.mark.slow
def test_the_text_says_how_deep_it_goes():
    derivative = ast_ad.grad(chain)
    derivative(0.7, 2)
    assert (
        f"RecursionDepthError('recursion in `chain`, more than {FIRST_BOUND} calls deep'" in derivative.source
    )


@pytest.mark.slow
def test_explain_says_how_deep_it_goes():
    derivative = ast_ad.grad(chain)
    derivative(0.7, 2)
    assert f": {FIRST_BOUND} calls deep" in str(derivative.explain())


@pytest.mark.slow
def test_where_nothing_may_be_traced_the_program_is_made_twice_as_deep():
    derivative = ast_ad.grad(chain, fallback="error")
    assert modes(derivative, [2, 3 * FIRST_BOUND, 1]) == ["compiled"] * 3
    with pytest.raises(RecursionDepthError, match=f"more than {LAST_BOUND} calls deep"):
        derivative(0.7, LAST_BOUND + 5)


@pytest.mark.slow
def test_another_profiler_keeps_its_events():
    seen = []
    derivative = ast_ad.grad(chain)
    derivative(0.7, 2)
    before = sys.getprofile()
    sys.setprofile(lambda *event: seen.append(event[1]))
    try:
        deep = derivative(0.7, 2 * FIRST_BOUND - 1)
        assert sys.getprofile() is not None
    finally:
        sys.setprofile(before)
    assert seen
    np.testing.assert_allclose(deep, derivative_of_chain(0.7, 2 * FIRST_BOUND - 1), rtol=1e-12)
    assert modes(derivative, [2 * FIRST_BOUND - 1]) == ["compiled"]


@pytest.mark.slow
def test_a_pullback_of_a_recursion():
    value, pullback = ast_ad.vjp(lambda x: chain(x, 3))(0.7)
    np.testing.assert_allclose(pullback(1.0), derivative_of_chain(0.7, 3), rtol=1e-12)
    derivative = ast_ad.vjp(chain, argnums=0)
    for n in (2, 9, 9):
        np.testing.assert_allclose(derivative(0.7, n)[1](1.0), derivative_of_chain(0.7, n), rtol=1e-12)


def test_a_recursion_that_ends_by_itself_has_no_bound():
    nested = [1.0, [2.0, [3.0, [4.0, [5.0, [6.0, [7.0]]]]]]]

    def total(x, part):
        return (
            part * x
            if isinstance(part, float)
            else total(x, part[0]) + sum(total(x * x, p) for p in part[1:])
        )

    derivative = ast_ad.grad(lambda x: total(x, nested))
    step = 1e-6
    expected = (total(0.9 + step, nested) - total(0.9 - step, nested)) / (2 * step)
    np.testing.assert_allclose(derivative(0.9), expected, rtol=1e-7)
    assert derivative.mode == "compiled"
    assert "RecursionDepthError" not in derivative.source


@pytest.mark.slow
def test_a_recursion_with_too_many_calls_is_traced():
    derivative = ast_ad.grad(tree)
    step = 1e-6
    for n in (2, 9, 9):
        expected = (tree(0.7 + step, n) - tree(0.7 - step, n)) / (2 * step)
        np.testing.assert_allclose(derivative(0.7, n), expected, rtol=1e-7, atol=1e-8)


@pytest.mark.slow
def test_exceptions_of_the_recursion_itself():
    def fails(x, n):
        return 1.0 / n * x if n < 1 else fails(x, n - 1)

    derivative = ast_ad.grad(fails)
    with pytest.raises(ZeroDivisionError):
        derivative(0.5, 2)
    with pytest.raises(ZeroDivisionError):
        derivative(0.5, 9)


@pytest.mark.slow
def test_second_derivatives():
    derivative = ast_ad.grad(ast_ad.grad(chain))
    step = 1e-5
    for n in (2, 7, 7):
        expected = (derivative_of_chain(0.7 + step, n) - derivative_of_chain(0.7 - step, n)) / (2 * step)
        np.testing.assert_allclose(derivative(0.7, n), expected, rtol=1e-7)


@pytest.mark.slow
def test_newton_with_more_steps():
    derivative = ast_ad.value_and_grad(root, argnums=(0, 1))
    for a in (2.0, 2000.0, 2000.0):
        value, (_, by_a) = derivative(1.5, a, 1e-9)
        np.testing.assert_allclose(value, np.sqrt(a), rtol=1e-12)
        np.testing.assert_allclose(by_a, 0.5 / np.sqrt(a), rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["store", "print"])
def test_what_is_stored_or_printed_comes_once(how, monkeypatch, capsys):
    monkeypatch.setenv("AST_AD_CHECK", "")
    log = []

    def noted(x, n):
        log.append(n)
        return x if n <= 0 else np.sin(noted(x, n - 1))

    def told(x, n):
        print(n)
        return x if n <= 0 else np.sin(told(x, n - 1))

    derivative = ast_ad.grad({"store": noted, "print": told}[how])
    for n in (6, 6, 9, 9):
        log.clear()
        np.testing.assert_allclose(derivative(0.7, n), derivative_of_chain(0.7, n), rtol=1e-12)
        out = capsys.readouterr().out.split()
        assert [*map(int, out)] + log == [*range(n, -1, -1)]
    assert derivative.mode == "compiled"


def heap(weights, x):
    """Where it ends the length of an array decides, which is no argument of a call."""

    def value(node):
        if node >= len(weights):
            return x
        return np.tanh(weights[node] * value(2 * node + 1) + value(2 * node + 2))

    return np.sum(value(0))


def halves(x, least):
    """Sums of halves; ``least`` is an int that is compared with a length."""

    def total(start, stop):
        if stop - start <= least * len(x) // len(x):
            return np.sum(np.sin(x[start:stop]))
        middle = (start + stop) // 2
        return np.cos(total(start, middle)) * total(middle, stop)

    return total(0, len(x))


@pytest.mark.slow
@pytest.mark.parametrize("function, rest", [(heap, (np.ones(3),)), (halves, (2,))])
def test_lengths_of_other_arrays_end_a_recursion(function, rest):
    """A program for each length, as deep as that takes, and none that is traced."""
    derivative = ast_ad.value_and_grad(function, backend="numpy", fallback="error")
    for n in (3, 7, 12, 3, 1):
        x, h = 0.3 + np.linspace(0.0, 1.0, n), 1e-5
        value, gradient = derivative(x, *rest)
        assert value == function(x, *rest)
        for i, step in enumerate(h * np.eye(n)):
            slope = (function(x + step, *rest) - function(x - step, *rest)) / (2 * h)
            assert np.isclose(gradient[i], slope, rtol=1e-6, atol=1e-9)


@pytest.mark.slow
def test_kernels_of_such_a_recursion():
    pytest.importorskip("numba")
    derivative = ast_ad.value_and_grad(heap, argnums=(0, 1), backend="numba", fallback="error")
    plain = ast_ad.value_and_grad(heap, argnums=(0, 1), backend="numpy")
    for n in (7, 20):
        x = 0.3 + np.linspace(0.0, 1.0, n)
        for got, expected in zip(derivative(x, np.ones(4))[1], plain(x, np.ones(4))[1], strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-12)


@pytest.mark.slow
def test_data_that_end_a_recursion_ask_for_no_length():
    """One program serves all lengths; that the data are compared with a length as well changes nothing."""

    def along(x, following):
        def value(i):
            if following[i] < 0:
                return x[i]
            return np.sin(x[i] * value(following[i])) if i < len(x) else x[0]

        return value(0)

    derivative = ast_ad.grad(along, backend="numpy")
    for n in (5, 6, 7):
        x = np.linspace(0.2, 1.0, n)
        following = np.array([2, -1, 1, *[-1] * (n - 3)])
        gradient = derivative(x, following)
        expected = np.cos(x[0] * np.sin(x[2] * x[1]))
        assert np.isclose(gradient[0], expected * np.sin(x[2] * x[1]))
    assert "shape" not in str(derivative.explain()).split("Runs as")[-1]
