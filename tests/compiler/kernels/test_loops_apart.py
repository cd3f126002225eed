"""Are exponentials and their like in loops of their own, which have vectors, with the function's values?"""

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.ZeroGradientWarning")


def gathered(x, w, k):
    return np.sum(w * np.exp(-x[k] * x[k[::-1]]))


def interpolated(x, w, k):
    near, far = x[k], x[(k + 1) % max(len(x), 1)]
    return np.sum(np.log1p(np.exp(near * w + far * (1.0 - w))))


def running(x, w, k):
    return np.sum(w * np.log(np.cumsum(np.exp(x))))


def of_what_runs(x, w, k):
    sums = np.cumsum(x * w)
    return np.sum(np.sin(sums) * np.cumsum(np.tanh(sums)))


def rows(x, w, k):
    table = np.exp(np.outer(x, w))
    return np.sum(np.cumsum(table, axis=1) * np.cumsum(np.cos(table), axis=0))


def overwritten(x, w, k):
    """What was gathered stays what it was."""
    y = x * 2.0
    some = y[k]
    y[k] = 0.5
    return np.sum(np.exp(some) * w) + np.sum(y * w)


PROGRAMS = [gathered, interpolated, running, of_what_runs, rows, overwritten]


@pytest.mark.drawn(of=5)
@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("count", [0, 1, 2, 21])
def test_values_and_gradients_are_those_of_the_function(f, count):
    draw = np.random.default_rng(count)
    x, w, k = draw.normal(size=count), draw.uniform(0.5, 1.5, count), draw.integers(0, max(count, 1), count)
    value, slopes = ast_ad.value_and_grad(f, (0, 1), backend="numba")(x, w, k)
    assert value == pytest.approx(f(x, w, k), rel=1e-12)
    for i in range(count):
        own = 1e-6 * (np.arange(count) == i)
        there = (f(x + own, w, k) - f(x - own, w, k)) / 2e-6
        assert slopes[0][i] == pytest.approx(there, rel=1e-6, abs=1e-7)
        there = (f(x, w + own, k) - f(x, w - own, k)) / 2e-6
        assert slopes[1][i] == pytest.approx(there, rel=1e-6, abs=1e-7)


def test_a_place_that_is_not_there():
    x = np.array([1.0, 2.0])
    with pytest.raises(IndexError):
        ast_ad.value_and_grad(gathered, backend="numba")(x, x, np.array([0, 2]))


def loops(text):
    """The statements of each innermost loop of a kernel."""
    found, lines = [], text.splitlines()
    for i, line in enumerate(lines):
        if line.lstrip().startswith("for "):
            depth = len(line) - len(line.lstrip())
            body = []
            for inner in lines[i + 1 :]:
                if inner.strip() and len(inner) - len(inner.lstrip()) <= depth:
                    break
                body.append(inner)
            if not any(inner.lstrip().startswith("for ") for inner in body):
                found.append("\n".join(body))
    return found


@pytest.mark.parametrize(("f", "call"), [(gathered, "exp("), (interpolated, "log1p("), (running, "exp(")])
def test_no_vectors_are_lost(f, call):
    x, w = np.linspace(0.1, 1.0, 40), np.linspace(0.5, 1.5, 40)
    derivative = ast_ad.value_and_grad(f, (0, 1), backend="numba")
    derivative(x, w, np.arange(40)[::-1].copy())
    found = [body for body in loops(derivative.source) if call in body]
    assert found, derivative.source
    for body in found:
        assert "position(" not in body and "wrapped(" not in body, body
        assert f is not running or "total" not in body, body
