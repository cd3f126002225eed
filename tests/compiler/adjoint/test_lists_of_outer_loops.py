"""Does a loop within a loop save what it reads of the outer one's list, rather than copies of the list?"""

import numpy as np
import pytest

import ast_ad

PAIRS = np.array([(0, 1), (3, 2), (4, 0), (5, 1)])
TIPS = np.linspace(0.5, 1.5, 18).reshape(3, 6)


def tree(lengths, tips):
    """Each node reads two of those before it."""
    parts = [tip for tip in tips]
    for pair in PAIRS:
        above = np.ones(6)
        for child in pair:
            above = above * (1.0 + np.sin(lengths[child]) * parts[child])
        parts.append(above / np.max(above))
    return np.sum(np.log(parts[-1]))


def changed_within(lengths, tips):
    """The list grows in the inner loop, too, and is read behind it."""
    parts = [tip for tip in tips]
    total = 0.0
    for pair in PAIRS:
        for child in pair:
            parts.append(np.sin(lengths[child] * parts[child]) + 0.1 * parts[-1])
        total = total + np.sum(parts[-2] * parts[pair[0]])
    return total


def overwritten(lengths, tips):
    parts = [tip for tip in tips] + [tip * 0.5 for tip in tips]
    for pair in PAIRS:
        for child in pair:
            parts[child] = np.exp(0.1 * parts[child]) * lengths[child]
        parts[pair[0]] = parts[pair[1]] * parts[pair[0]]
    return np.sum(parts[0] * parts[3])


@pytest.mark.drawn(of=2)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", [tree, changed_within, overwritten])
def test_gradients(function, backend):
    if backend == "numba":
        pytest.importorskip("numba")
    lengths = np.linspace(0.4, 1.3, 6)
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1), backend=backend, fallback="error")
    value, bars = derivative(lengths, TIPS)
    assert value == pytest.approx(function(lengths, TIPS), rel=1e-13)
    directions = [np.cos(np.arange(6.0)), np.sin(np.arange(18.0)).reshape(3, 6)]

    def at(s):
        return function(lengths + s * directions[0], TIPS + s * directions[1])

    h = 1e-3
    slope = (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h)
    assert sum(np.sum(b * d) for b, d in zip(bars, directions, strict=True)) == pytest.approx(slope, rel=1e-8)


@pytest.mark.slow(beyond=1)
def test_no_copies_of_the_list():
    derivative = ast_ad.value_and_grad(tree, argnums=(0, 1), backend="numpy")
    derivative(np.linspace(0.4, 1.3, 6), TIPS)
    assert ".copy()" not in derivative.source, derivative.source


@pytest.mark.slow
def test_the_whole_tree_is_one_kernel():
    pytest.importorskip("numba")
    derivative = ast_ad.value_and_grad(tree, argnums=(0, 1), backend="numba", fallback="error")
    derivative(np.linspace(0.4, 1.3, 6), TIPS)
    assert "NumPy code at" not in str(derivative.explain())
