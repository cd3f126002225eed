"""Is a program given up where an object or a class from outside is not what it was when it was compiled?"""

from __future__ import annotations

import collections
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ast_ad import value_and_grad

POINTS = np.array([0.3, 0.7, 1.1]), np.array([1.7, 0.4, 0.9])
Case = tuple[Callable[[np.ndarray], Any], Callable[[], object]]  # a program, and what then happens outside


def differences(f: Callable[[np.ndarray], Any], x: np.ndarray) -> np.ndarray:
    return np.array([(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(x.size)])


def chosen(x: np.ndarray, first: object) -> Any:
    return np.sum(x) if first else np.sum(x**2)


# ----- objects that hold something else
def equal_deques() -> Case:
    a, b = collections.deque([1]), collections.deque([1])
    return lambda x: chosen(x, a == b), lambda: a.append(2)


def unlike_sets() -> Case:
    a, b = {1}, {1}
    return lambda x: chosen(x, a != b), lambda: a.add(2)


def smaller_sets() -> Case:
    a, b = {1}, {1, 2}
    return lambda x: chosen(x, a < b), lambda: a.update((2, 3))


def smaller_deques() -> Case:
    a, b = collections.deque([1]), collections.deque([2])
    return lambda x: chosen(x, a < b), lambda: a.appendleft(3)


def equal_bytes() -> Case:
    a, b = bytearray(b"a"), bytearray(b"a")
    return lambda x: chosen(x, a == b), lambda: a.append(3)


def equal_namespaces() -> Case:
    a, b = types.SimpleNamespace(v=1), types.SimpleNamespace(v=1)
    return lambda x: chosen(x, a == b), lambda: setattr(a, "v", 2)


def equal_ordered_dicts() -> Case:
    a, b = collections.OrderedDict(v=1), collections.OrderedDict(v=1)
    return lambda x: chosen(x, a == b), lambda: a.update(v=2)


def equal_lists_of_deques() -> Case:
    a, b = [1, collections.deque([1])], [1, collections.deque([1])]
    return lambda x: chosen(x, a == b), lambda: b[1].append(2)  # type: ignore[attr-defined]


def text_of_a_deque() -> Case:
    a = collections.deque([1])
    return lambda x: chosen(x, str(a) == "deque([1])"), lambda: a.append(2)


def equal_by_code_that_asks_for_an_attribute() -> Case:
    class Holder:
        def __init__(self, v):
            self.v = v

        def __eq__(self, other):
            return self.v == other.v

    a, b = Holder(1), Holder(1)
    return lambda x: chosen(x, a == b), lambda: setattr(a, "v", 2)


CONTENTS = [
    equal_deques,
    unlike_sets,
    smaller_sets,
    smaller_deques,
    equal_bytes,
    equal_namespaces,
    equal_ordered_dicts,
    equal_lists_of_deques,
    text_of_a_deque,
    equal_by_code_that_asks_for_an_attribute,
]


# ----- classes that get other code
def no(self: object) -> bool:
    return False


def yes(self: object, other: object) -> bool:
    return True


def truth_of_a_class() -> Case:
    class Own:
        pass

    own = Own()
    return lambda x: chosen(x, own), lambda: setattr(Own, "__bool__", no)


def equality_of_a_class() -> Case:
    class Base:
        pass

    class Own(Base):
        pass

    a, b = Own(), Own()
    return lambda x: chosen(x, a == b), lambda: setattr(Base, "__eq__", yes)


def equality_of_objects_that_are_made() -> Case:
    class Own:
        pass

    return lambda x: chosen(x, Own() == Own()), lambda: setattr(Own, "__eq__", yes)


def call_of_a_class() -> Case:
    class Own:
        pass

    own = Own()
    return lambda x: chosen(x, callable(own)), lambda: setattr(Own, "__call__", lambda self: 1.0)


def change_in_place() -> Case:
    class Own:
        def __init__(self, v):
            self.v = v

        def __add__(self, other):
            return Own(self.v + other)

    def f(x):
        a = Own(x[0])
        a += x[1]
        return a.v

    return f, lambda: setattr(Own, "__iadd__", lambda self, other: Own(self.v * other))


def fields_of_a_pattern() -> Case:
    class Own:
        __match_args__ = ("a", "b")
        a, b = 1.0, 2.0

    own = Own()

    def f(x):
        match own:
            case Own(a) if a < 1.5:
                return np.sum(x)
            case _:
                return np.sum(x**2)

    return f, lambda: setattr(Own, "__match_args__", ("b", "a"))


CLASSES = [
    fields_of_a_pattern,
    truth_of_a_class,
    equality_of_a_class,
    equality_of_objects_that_are_made,
    call_of_a_class,
    change_in_place,
]


@pytest.mark.drawn(of=2)
@pytest.mark.slow(one_in=6)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("make", CONTENTS + CLASSES, ids=lambda make: make.__name__)
def test_what_may_change_is_read_anew(make: Callable[[], Case], backend: str) -> None:
    f, change = make()
    derivative = value_and_grad(f, backend=backend, fallback="error", check=False)
    for _ in range(2):
        for x in POINTS:
            value, gradient = derivative(x)
            assert value == pytest.approx(f(x), rel=1e-12)
            np.testing.assert_allclose(gradient, differences(f, x), rtol=1e-6)
        change()
