"""Are functions of NumPy's and Python's that are members of classes recorded in traces, and given back?"""

import cmath
import math
import threading

import numpy as np
import pytest

import ast_ad


class Sealed(type):
    def __setattr__(cls, name, value):
        raise AttributeError(f"{cls.__name__} is sealed")


class Library:
    exp = math.exp
    array = np.array
    total = staticmethod(math.fsum)
    convert = staticmethod(np.asarray)
    tanh = np.tanh
    table = {"log": math.log, "zeros": np.zeros}
    array_later = None

    def value(self, x):
        return self.exp(x)

    @classmethod
    def stacked(cls, *items):
        return cls.array(items)


class Derived(Library):
    exp = math.sinh


class Constants(metaclass=Sealed):
    root = math.sqrt


MEMBERS = {name: vars(Library)[name] for name in ("exp", "array", "total", "convert", "tanh")}
pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")


def traced():
    """What can't be compiled, so that the whole function is traced."""
    return eval("1.0")


def by_the_class(x):
    return Library.exp(x[0]) * traced()


def by_an_instance(x):
    return Library().value(x[0]) + Derived().value(x[1]) * traced()


def made_an_array(x):
    return np.sum(Library().array([x[0], x[1] ** 2]) ** 2) * traced()


def inherited(x):
    return np.prod(Derived.stacked(x[0], x[1], x[0])) * traced()


def static(x):
    return Library.total([x[0], x[1] * x[0]]) * traced()


def static_of_an_instance(x):
    return np.sum(Derived().convert([x[0], x[1] ** 3])) * traced()


def ufunc(x):
    return Library().tanh(x[0]) * Library.tanh(x)[1] * traced()


def in_a_table(x):
    kept = Library.table["zeros"](2)
    kept[0] = Library.table["log"](x[1])
    return np.sum(kept) * traced()


def of_a_sealed_class(x):
    return Constants.root(x[0]) * traced()


def stored_on_the_way(x):
    if Library.array_later is None:
        from numpy import array

        Library.array_later = array
    return np.sum(Library.array_later([x[0], x[1] * x[1]])) * traced()


PROGRAMS = [by_the_class, by_an_instance, made_an_array, inherited, static, static_of_an_instance, ufunc,
            in_a_table, of_a_sealed_class, stored_on_the_way]  # fmt: skip
X = np.array([0.7, 1.3])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_its_calls_are_recorded(f):
    expected = [(f(X + step) - f(X - step)) / 2e-6 for step in 1e-6 * np.eye(2)]
    gradient = ast_ad.grad(f)
    for _ in range(3):
        np.testing.assert_allclose(gradient(X), expected, rtol=1e-7, atol=1e-9)
    assert gradient.mode == "fallback"
    assert all(vars(Library)[name] is member for name, member in MEMBERS.items())
    assert Library.table == {"log": math.log, "zeros": np.zeros} and vars(Constants)["root"] is math.sqrt


def test_what_a_function_puts_there_stays():
    def f(x):
        Derived.log = cmath.log
        return Derived.exp(x[0]) * traced()

    ast_ad.grad(f)(X)
    assert Derived.log == cmath.log and Derived.exp is math.sinh


def test_members_are_given_back_after_the_last_of_several_traces():
    wrong = []

    def work():
        for _ in range(5):
            if not np.allclose(ast_ad.grad(by_the_class)(X), [math.exp(0.7), 0.0]):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and vars(Library)["exp"] is math.exp and vars(Library)["array"] is np.array
