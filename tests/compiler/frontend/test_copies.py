"""Are copies what the classes of the objects make of them?"""

import collections
import copy
import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

import ast_ad

X = np.array([0.4, -0.3, 1.2])


class Plain:
    def __init__(self, a):
        self.a = a


class Copied(Plain):
    def __copy__(self):
        return type(self)(self.a * 2.0)

    def __deepcopy__(self, memo):
        return type(self)(self.a * 3.0)


class Reduced(Plain):
    def __reduce_ex__(self, protocol):
        return Reduced, (self.a * 5.0,)


class Stated(Plain):
    def __getstate__(self):
        return {"a": self.a * 7.0}


class Restored(Plain):
    def __setstate__(self, state):
        self.a = state["a"] * 11.0


class Made(Plain):
    def __new__(cls, *args):
        made = super().__new__(cls)
        made.b = 13.0
        return made


class Delegating(Plain):
    def __getattr__(self, name):
        if name == "__deepcopy__":
            return lambda memo: Plain(self.a * 17.0)
        raise AttributeError(name)


class Doubled(collections.namedtuple("Doubled", "a")):
    def __new__(cls, a):
        return super().__new__(cls, a * 2.0)


class Pair(NamedTuple):
    a: Any
    b: Any = 2.0


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted:
    a: Any


@pytest.mark.slow(one_in=4)
@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize(
    "cls", [Plain, Copied, Reduced, Stated, Restored, Made, Delegating, Doubled, Pair, Slotted]
)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_copies_are_what_classes_make_of_them(cls, how):
    def f(x):
        one = cls(x * 1.5)
        other = how(one)
        return np.sum(one.a * other.a) + np.sum(how([one, one])[1].a ** 2)

    value, gradient = ast_ad.value_and_grad(f, check=False)(X)
    assert value == f(X)
    h = 1e-6
    rows = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(gradient, rows, rtol=1e-6)


def test_a_class_without_code_for_copies_is_compiled_until_it_gets_some():
    class Later(Plain):
        pass

    def f(x):
        return np.sum(copy.deepcopy(Later(x)).a + copy.copy(Pair(x)).a)

    gradient = ast_ad.grad(f, check=False)
    np.testing.assert_array_equal(gradient(X), [2.0, 2.0, 2.0])
    assert gradient.mode == "compiled"
    Later.__deepcopy__ = lambda self, memo: Plain(self.a * 4.0)
    with pytest.warns(ast_ad.FallbackWarning, match="a `__deepcopy__` of its own"):
        np.testing.assert_array_equal(gradient(X), [5.0, 5.0, 5.0])


def test_what_python_does_not_copy_is_no_copy():
    def f(x):
        return sum(np.sum(y) for y in copy.copy(y * 2.0 for y in x))

    with pytest.raises(TypeError, match="generator"), pytest.warns(ast_ad.FallbackWarning):
        ast_ad.grad(f, check=False)(X)
