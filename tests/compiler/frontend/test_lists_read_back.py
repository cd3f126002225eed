"""Lists that a loop fills and reads back by position, empty in its first pass."""

import numpy as np
import pytest

import ast_ad

P = np.array([0.4, -1.1, 0.8, 1.7, -0.3, 0.9])


def chain(p):
    """Frames of joints, each in that of the one before; every third begins a chain."""
    frames = []
    for i in range(6):
        c, s = np.cos(p[i]), np.sin(p[i])
        frame = np.array([[c, -s], [s, c]])
        if i % 3 != 0:
            frame = frames[i - 1] @ frame
        frames.append(frame)
    return sum(np.sum(f * (k + 1)) for k, f in enumerate(frames)) + frames[4][0, 1] ** 2


def numbers(p):
    seen = []
    for i in range(6):
        x = p[i] * 2
        if i >= 2:
            x += seen[i - 2] ** 2 - seen[-1]
        seen.append(x)
    return seen[3] * seen[5]


def chosen_by_value(p):
    seen = []
    total = 0.0
    for i in range(6):
        if p[i] > 0.5 and len(seen) > 0:
            total += seen[i % len(seen)] * p[i]
        seen.append(p[i] ** 2)
    return total


def pairs(p):
    stack = []
    for i in range(6):
        if i > 1:
            a, b = stack[i // 2 - 1]
            stack.append((a + p[i], b * p[i]))
        else:
            stack.append((p[i], 1.0))
    return stack[5][0] * stack[4][1]


def rows(p):
    table = []
    for i in range(4):
        row = [p[i], p[i] ** 2]
        if i:
            row[1] += table[i - 1][0] * 3
        table.append(row)
    return table[3][1] * table[1][1]


def until_long(p):
    seen, k = [], 0
    while len(seen) < 5:
        seen.append(p[k] + (seen[k - 1] ** 2 if k > 0 else 0.0))
        k += 1
    return seen[4] + seen[2]


def caught(p):
    seen, total = [], 0.0
    for i in range(6):
        try:
            total += seen[i] ** 2
        except IndexError:
            total += 10.0
        seen.append(p[i])
        seen.append(p[i] * 2)
    return total + seen[3]


def missed(p):
    seen, total = [], 0.0
    for i in range(3):
        total += seen[i]
        seen.append(p[i])
    return total


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize(
    "function", [chain, numbers, chosen_by_value, pairs, rows, until_long, caught], ids=lambda f: f.__name__
)
def test_values_and_gradients(function):
    derivative = ast_ad.value_and_grad(function, backend="numpy", fallback="error")
    for p in (P, P[::-1].copy(), -P):
        value, bar = derivative(p)
        assert value == function(p)
        moved = [function(p + 1e-6 * e) - function(p - 1e-6 * e) for e in np.eye(6)]
        np.testing.assert_allclose(bar, np.array(moved) / 2e-6, rtol=1e-6, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("function", [chain, numbers], ids=lambda f: f.__name__)
def test_kernels(function):
    derivative = ast_ad.value_and_grad(function, backend="numba", fallback="error")
    value, bar = derivative(P)
    assert value == pytest.approx(function(P), rel=1e-14)
    np.testing.assert_allclose(bar, ast_ad.grad(function, backend="numpy")(P), rtol=1e-13)
    assert "NumPy code" not in str(derivative.explain())


def test_what_is_not_there_is_pythons_error():
    with pytest.raises(ast_ad.UnsupportedError, match="the sequence has 0 items"):
        ast_ad.grad(missed, fallback="error")(P)
    with pytest.warns(ast_ad.FallbackWarning), pytest.raises(IndexError, match="list index out of range"):
        ast_ad.grad(missed)(P)
