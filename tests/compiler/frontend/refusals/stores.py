"""Stores in what outlives the call that are refused."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from .case import OUTSIDE, Plain, X, refused

PARTS: list[Any] = [[1.0], [2.0]]


NESTED: dict[Any, Any] = {"a": [1.0]}


VALUES: list[float] = [1.0, 2.0]


@refused("others take their places", X, placed=False)
def store_of_other_objects(x):
    for i in range(len(PARTS)):
        PARTS[int(x[i] > 0)] = [x[i]]
    return np.sum(x)


@refused("the keys of the dict are known at run time only", X, placed=False)
def store_of_a_dict(x):
    found = {}
    for i in range(len(x)):
        found[i] = x[i]
    OUTSIDE.found = found
    return np.sum(x)


@refused("has another name", X, placed=False)
def store_of_a_list_twice(x):
    both = [x[0]]
    OUTSIDE.one = both
    OUTSIDE.two = both
    return np.sum(x)


@refused("defines its class at each call", X, placed=False)
def store_of_a_local_object(x):
    class Inner:
        pass

    OUTSIDE.made = Inner()
    return np.sum(x)


GRID = np.zeros((2, 2))


@refused("an array that has another name", X, placed=False)
def store_of_a_view(x):
    GRID[0] = 1.0
    OUTSIDE.view = GRID[0]
    return np.sum(x)


@refused("an array that shares memory with it", X, placed=False)
def store_of_two_views(x):
    y = x * 2.0
    OUTSIDE.one = y[:2]
    OUTSIDE.two = y[1:]
    return np.sum(x)


class Slotted:
    __slots__ = ("x",)


SLOTTED = Slotted()


@refused("has code or slots for it", X)
def store_in_a_slot(x):
    SLOTTED.other = 1.0  # here
    return np.sum(x)


@refused("a write to `VALUES`", X, placed=False)
def store_on_one_path(x):
    own = [3.0, 4.0]
    one = VALUES if x[0] > 0 else own
    one[0] = 5.0
    return np.sum(x)


@refused("that may be the same one was changed", X)
def store_of_a_list_that_may_be_changed(x):
    one, two = [v for v in x], [v for v in x]
    for v in x:
        OUTSIDE.either = one if v > 0 else two
        one.append(v)  # here
    return np.sum(x)


@refused("that may be the same one was changed", X)
def store_in_a_dict_of_a_list_that_may_be_changed(x):
    one, two = [v for v in x], [v for v in x]
    for v in x:
        NESTED["a"] = one if v > 0 else two
        one.append(v)  # here
    return np.sum(x)


@refused("that may be the same one was changed", X)
def read_of_a_stored_list_that_may_be_changed(x):
    one = [v for v in x]
    for v in x:
        if v > 0:
            OUTSIDE.either = one
        one.append(v)  # here
    return np.sum(x) + len(OUTSIDE.either)


@refused("a read of a list, dict or object", X)
def read_of_a_list_that_may_be_changed(x):
    one, two = [x[0]], [x[1]]
    either = one if x[0] > 0 else two
    one.append(x[2])
    return either[0]  # here


@refused("that may be the same one was changed", X)
def read_of_a_list_in_a_dict_that_may_be_changed(x):
    one, two, kept = [v for v in x], [v for v in x], {}
    kept["a"] = one
    for v in x:
        kept["a"] = one if v > 0 else two
        one.append(v)  # here
    return np.sum(x) + len(kept["a"])


@refused("that may be the same one was changed", X)
def read_of_a_list_in_an_object_that_may_be_changed(x):
    one, two, kept = [v for v in x], [v for v in x], Plain(x)
    for v in x:
        kept.x = one if v > 0 else two
        one.append(v)  # here
    return np.sum(x) + len(kept.x)


MATRIX = types.SimpleNamespace(value=np.ones((1, 2)).view(np.matrix))  # which warns of nothing


@refused("its operators do not mean what they mean for arrays", X)
def store_on_one_path_in_place_of_a_matrix(x):
    if x[0] > 0:
        MATRIX.value = x * 2.0
    return np.sum(MATRIX.value)  # here
