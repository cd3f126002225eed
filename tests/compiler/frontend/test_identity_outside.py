"""Lists and dicts outside, or of the arguments, that `is` asks about: one or two, as they are in the call."""

import types

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import SharedMemoryError

X = np.array([1.0, 2.0])
OUTSIDE = types.SimpleNamespace(one=[1.0], other=[1.0], table={"a": 1}, again={"a": 1}, rows=[[1.0], [1.0]])


def lists(x):
    return np.sum(x) * (2.0 if OUTSIDE.one is OUTSIDE.other else 3.0)


def dicts(x):
    return np.sum(x) * (2.0 if OUTSIDE.table is OUTSIDE.again else 3.0)


def rows(x):
    return np.sum(x) * (2.0 if OUTSIDE.rows[0] is not OUTSIDE.rows[1] else 3.0)


def given(x):
    return np.sum(x) * (2.0 if OUTSIDE.one is OUTSIDE.rows[0] else 3.0)


@pytest.mark.slow(beyond=3)
@pytest.mark.parametrize("function", [lists, dicts, rows, given])
def test_outside(function, monkeypatch):
    gradient = ast_ad.grad(function, fallback="error")
    for name, value in [
        (None, None),
        ("other", OUTSIDE.one),
        ("again", OUTSIDE.table),
        ("rows", [OUTSIDE.one, OUTSIDE.one]),
        ("rows", [[1.0], OUTSIDE.one]),
        ("other", [1.0]),
    ]:
        if name:
            monkeypatch.setattr(OUTSIDE, name, value)
        assert np.array_equal(gradient(X), np.full(2, function(X) / 3.0)), name


@pytest.mark.parametrize("make", [lambda: [1.0], lambda: {"a": 1.0}])
def test_arguments(make):
    def function(x, one, other):
        return np.sum(x) * (2.0 if one is other else 3.0)

    gradient, same = ast_ad.grad(function), make()
    assert np.array_equal(gradient(X, make(), make()), [3.0, 3.0])
    with pytest.raises(SharedMemoryError, match="hold twice"):  # a trace would be given two copies
        gradient(X, same, same)
    assert np.array_equal(gradient(X, make(), same), [3.0, 3.0])


def test_an_argument_that_lives_outside():
    def function(x, one):
        return np.sum(x) * (2.0 if one is OUTSIDE.one else 3.0)

    gradient = ast_ad.grad(function)
    assert np.array_equal(gradient(X, [1.0]), [3.0, 3.0])
    with pytest.raises(SharedMemoryError, match="another name outside"):
        gradient(X, OUTSIDE.one)
    assert np.array_equal(gradient(X, [1.0]), [3.0, 3.0])
