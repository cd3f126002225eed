"""Is a function that stores outside run once for each call, however closely its derivative is checked?"""

from __future__ import annotations

import collections
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import ast_ad
from ast_ad import value_and_grad

Case = tuple[
    Callable[[np.ndarray], Any], Callable[[], Any]
]  # a function that can't be compiled, what it leaves


def in_a_user_dict() -> Case:
    seen = collections.UserDict(n=0)

    def f(x):
        turns = (i for i in range(2))
        first = next(turns)
        seen["n"] = seen["n"] + 1
        return np.sum(x) * (first + sum(turns)) * seen["n"]

    return f, lambda: seen["n"]


def in_a_user_list() -> Case:
    seen = collections.UserList([])

    def f(x):
        turns = (i for i in range(2))
        first = next(turns)
        seen.append(1.0)
        return np.sum(x) * (first + sum(turns)) * len(seen)

    return f, lambda: list(seen)


def in_a_chain_of_dicts() -> Case:
    seen = collections.ChainMap({"n": 0})

    def f(x):
        turns = (i for i in range(2))
        first = next(turns)
        seen["n"] += 1
        return np.sum(x) * (first + sum(turns)) * seen["n"]

    return f, lambda: seen["n"]


def in_a_sparse_matrix() -> Case:
    seen = scipy.sparse.dok_array((2, 2))

    def f(x):
        turns = (i for i in range(2))
        first = next(turns)
        seen[0, 0] = seen[0, 0] + 1
        return np.sum(x) * (first + sum(turns)) * float(seen[0, 0])

    return f, lambda: float(seen[0, 0])


def in_the_dict_of_an_object() -> Case:
    class Counting:
        n = 0

        def __getattribute__(self, name):
            held = object.__getattribute__(self, "__dict__")
            if name == "v":
                held["n"] = held.get("n", 0) + 1
                return 2.0 * held["n"]
            return object.__getattribute__(self, name)

    counting = Counting()

    def f(x):
        turns = (i for i in range(2))
        first = next(turns)
        return counting.v * np.sum(x) * (first + sum(turns))

    return f, lambda: counting.n


MAKERS = [in_a_user_dict, in_a_user_list, in_a_chain_of_dicts, in_a_sparse_matrix, in_the_dict_of_an_object]


@pytest.mark.parametrize("check", [False, None, True])
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_a_store_is_made_once(make: Callable[[], Case], check: bool | None) -> None:
    plain, left = make()
    f, state = make()
    derivative = value_and_grad(f, **({} if check is None else {"check": check}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        for x in (np.array([0.5, 1.0]), np.array([2.0, 1.0])):
            assert derivative(x)[0] == plain(x)
            assert state() == left()
