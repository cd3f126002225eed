"""Is a function that stores outside run once for each call, however closely its derivative is checked?"""

from __future__ import annotations

import collections
import functools
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


def untraceable() -> Any:
    """A factor of one that no compiled program has."""
    turns = (i for i in range(2))
    first = next(turns)
    return first + sum(turns)


def in_the_arguments_of_a_partial() -> Case:
    part = functools.partial(lambda seen, x: np.sum(x) * seen[0], [1])

    def f(x):
        part.args[0][0] *= 2
        return part(x) * untraceable()

    return f, lambda: part.args[0][0]


def in_the_keywords_of_a_partial() -> Case:
    part = functools.partial(lambda x, *, n: np.sum(x) * n, n=1)

    def f(x):
        part.keywords["n"] *= 2
        return part(x) * untraceable()

    return f, lambda: part.keywords["n"]


def in_the_keywords_of_a_partial_of_numpy() -> Case:
    part = functools.partial(np.sum, initial=1.0)

    def f(x):
        part.keywords["initial"] *= 2
        return part(x) * untraceable()

    return f, lambda: part.keywords["initial"]


def in_a_default() -> Case:
    def total(x, seen=[1]):  # noqa: B006
        return np.sum(x) * seen[0]

    def f(x):
        total.__defaults__[0][0] *= 2
        return total(x) * untraceable()

    return f, lambda: total.__defaults__[0][0]


def in_what_an_attribute_of_a_function_holds() -> Case:
    def total(x):
        return np.sum(x)

    total.seen = [1]

    def f(x):
        total.seen[0] *= 2
        return total(x) * total.seen[0] * untraceable()

    return f, lambda: total.seen[0]


def in_what_an_attribute_of_a_class_holds() -> Case:
    class Counting:
        seen = [1]

    class Derived(Counting):
        pass

    def f(x):
        Derived.seen[0] *= 2
        return np.sum(x) * Counting.seen[0] * untraceable()

    return f, lambda: Counting.seen[0]


def in_a_tuple() -> Case:
    seen = ([1], "n")

    def f(x):
        seen[0][0] *= 2
        return np.sum(x) * seen[0][0] * untraceable()

    return f, lambda: seen[0][0]


def in_what_a_function_returns() -> Case:
    seen = [1]

    def found():
        return seen

    def f(x):
        turns = (i for i in range(2))
        first = next(turns)
        found()[0] *= 2
        return np.sum(x) * found()[0] * (first + sum(turns))

    return f, lambda: seen[0]


def in_what_a_method_returns() -> Case:
    class Counting:
        def __init__(self):
            self.seen = [1]

        def found(self):
            return self.seen

    counting = Counting()

    def f(x):
        turns = (i for i in range(2))
        first = next(turns)
        counting.found()[0] *= 2
        return np.sum(x) * counting.found()[0] * (first + sum(turns))

    return f, lambda: counting.seen[0]


def by_a_method_of_a_class() -> Case:
    class Counting:
        n = 1

        @classmethod
        def turn(cls):
            cls.n *= 2
            return cls.n

    def f(x):
        return np.sum(x) * Counting.turn() * untraceable()

    return f, lambda: Counting.n


def in_a_class_when_an_object_is_made() -> Case:
    class Counting:
        n = 1

        def __init__(self):
            Counting.n *= 2

    def f(x):
        return np.sum(x) * Counting().n * untraceable()

    return f, lambda: Counting.n


def in_the_one_object_of_a_class() -> Case:
    class Single:
        found = None

        def __new__(cls):
            if cls.found is None:
                cls.found = object.__new__(cls)
                cls.found.n = 1
            return cls.found

        def __init__(self):
            self.n *= 2

    Single()

    def f(x):
        return np.sum(x) * Single().n * untraceable()

    return f, lambda: Single.found.n


def in_an_object_of_a_class_of_which_others_are_made() -> Case:
    class Counting:
        def __init__(self):
            self.n = 1

        def turn(self):
            self.n *= 2
            return self.n

    counting, kind = Counting(), Counting

    def f(x):
        turns = (i for i in range(2))
        first = next(turns)
        return np.sum(x) * (kind().turn() + counting.turn()) * (first + sum(turns))

    return f, lambda: counting.n


def by_a_function_that_is_given_a_dict() -> Case:
    seen = {"n": 1}

    def turn(entries):
        entries["n"] *= 2
        return entries["n"]

    def f(x):
        turns = (i for i in range(2))
        first = next(turns)
        return np.sum(x) * turn(seen) * (first + sum(turns))

    return f, lambda: seen["n"]


def by_what_wraps_a_function() -> Case:
    def counted(function):
        @functools.wraps(function)
        def run(*args):
            counted.n *= 2
            return function(*args) * counted.n

        return run

    counted.n = 1

    @counted
    def f(x):
        turns = (i for i in range(2))
        first = next(turns)
        return np.sum(x) * (first + sum(turns))

    return f, lambda: counted.n


MAKERS = [
    by_a_function_that_is_given_a_dict,
    by_what_wraps_a_function,
    in_a_user_dict,
    in_a_user_list,
    in_a_chain_of_dicts,
    in_a_sparse_matrix,
    in_the_dict_of_an_object,
    in_the_arguments_of_a_partial,
    in_the_keywords_of_a_partial,
    in_the_keywords_of_a_partial_of_numpy,
    in_a_default,
    in_what_an_attribute_of_a_function_holds,
    in_what_an_attribute_of_a_class_holds,
    in_a_tuple,
    in_what_a_function_returns,
    in_what_a_method_returns,
    by_a_method_of_a_class,
    in_a_class_when_an_object_is_made,
    in_the_one_object_of_a_class,
    in_an_object_of_a_class_of_which_others_are_made,
]


@pytest.mark.drawn(of=3)
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


@pytest.mark.parametrize("ask", ["jacfwd", "jacrev", "jacobian", "grad"])
def test_a_store_by_a_function_whose_derivative_is_differentiated_is_made_once(ask: str) -> None:
    """The inner derivative is compiled, the outer one is not."""
    seen = {"n": 0.0}

    def cubes(x):
        seen["n"] = min(seen["n"] + 1.0, 2.0)
        return np.sum(x**3) * seen["n"]

    inner = ast_ad.grad(cubes)

    def f(x):
        turns = (i for i in range(2))
        first = next(turns)
        found = inner(x) * (first + sum(turns))
        return np.sum(found) if ask == "grad" else found

    derivative, x = getattr(ast_ad, ask)(f), np.array([1.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        for turn in (1.0, 2.0, 2.0):
            expected = 6.0 * x * turn
            np.testing.assert_allclose(derivative(x), expected if ask == "grad" else np.diag(expected))
            assert seen["n"] == turn
