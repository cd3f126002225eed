"""Which arrays that a function returns share memory, and who may write to them? As in NumPy."""

import itertools

import numpy as np
import pytest

import ast_ad


def made_twice(x):
    return np.sum(x**2), (x * 2, x * 2, np.zeros(3), np.zeros(3), np.zeros_like(np.zeros(3)))


def copied(x):
    y = x * 2
    return np.sum(x**2), (y, y.copy(), y * 1.0, x, x.copy(), y)


def in_containers(x):
    y = np.tanh(x)
    return np.sum(y), {"a": y, "b": y if len(x) > 2 else x, "c": [y * 1.0, np.full(3, 2.0), np.full(3, 2.0)]}


def locked(x):
    y = x * 2
    y.flags.writeable = False
    return np.sum(x**2), y


def locked_between_views(x):
    y = np.outer(x, x)
    before = y[1:]
    y.setflags(write=False)
    return np.sum(x**2), (before, y, y[1:], y.T, y.copy(), y * 1.0, y)


def read_only_views(x):
    y = np.outer(x, x)
    return np.sum(x**2), (np.broadcast_to(y, (2, 3, 3)), y.diagonal(), y)


PROGRAMS = made_twice, copied, in_containers, locked, locked_between_views, read_only_views


def arrays(value):
    if isinstance(value, np.ndarray):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return list(itertools.chain.from_iterable(map(arrays, parts)))


def shared(parts, among):
    """Which arrays share memory, and which of these are one object."""
    pairs = itertools.combinations(range(len(parts)), 2)
    return [(i, j, parts[i] is parts[j]) for i, j in pairs if among(parts[i], parts[j])]


@pytest.mark.parametrize("program", PROGRAMS)
def test_numpy_code_shares_what_the_function_shares(program):
    derivative = ast_ad.value_and_grad(program, has_aux=True, backend="numpy", fallback="error", check=False)
    for call in range(4):
        x = np.array([1.0, 2.0, 3.0]) + call
        wanted, ((_, found), _) = arrays(program(x)[1]), derivative(x)
        assert shared([*arrays(found), x], np.shares_memory) == shared([*wanted, x], np.shares_memory)
        assert [a.flags.writeable for a in arrays(found)] == [a.flags.writeable for a in wanted]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("n", [3, 40])
def test_kernels_share_nothing_that_the_function_does_not(program, n):
    """They may copy what is a view, of which others would see a write."""
    if n > 3 and program is read_only_views:
        n = 3
    derivative = ast_ad.value_and_grad(program, has_aux=True, backend="numba", check=False)
    for call in range(3):
        x = np.linspace(1.0, 2.0, n) + call
        wanted, ((_, found), _) = arrays(program(x)[1]), derivative(x)
        allowed = {pair[:2] for pair in shared(wanted, np.shares_memory)}
        assert {pair[:2] for pair in shared(arrays(found), np.shares_memory)} <= allowed
        if program in (locked, locked_between_views):
            assert [a.flags.writeable for a in arrays(found)] == [a.flags.writeable for a in wanted]
