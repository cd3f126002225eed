"""What if a function changes an argument under another name, of an object, say, or finds it changed there?

To a derivative arguments are copies, so that the two names would not show one thing. That is an error, asked
in whatever way; what is apart, in the same derivative, is answered.
"""

import dataclasses
import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import SharedMemoryError


class Holder:
    def __init__(self, held):
        self.held = held


@dataclasses.dataclass
class Rate:
    k: float


def list_changed(x, items, holder):
    items.append(3.0)
    return np.sum(x) * sum(holder.held)


def list_changed_outside(x, items, holder):
    holder.held.append(3.0)
    return np.sum(x) * sum(items)


def dict_changed(x, table, holder):
    table["k"] = 3.0
    return np.sum(x) * holder.held["k"]


def dict_changed_outside(x, table, holder):
    holder.held["k"] = 3.0
    return np.sum(x) * table["k"]


def attribute_changed(x, rate, holder):
    rate.k = 3.0
    return np.sum(x) * holder.held.k


def attribute_changed_outside(x, rate, holder):
    holder.held.k = 3.0
    return np.sum(x) * rate.k


def array_written(x, row, holder):
    row[0] = 3.0
    return np.sum(x) * sum(holder.held)


def array_written_outside(x, row, holder):
    holder.held[0] = 3.0
    return np.sum(x) * sum(row)


def list_held_twice(x, items, others):
    items.append(3.0)
    return np.sum(x) * sum(others)


MADE = {
    list_changed: lambda: [1.0, 2.0],
    list_changed_outside: lambda: [1.0, 2.0],
    dict_changed: lambda: {"k": 1.0},
    dict_changed_outside: lambda: {"k": 1.0},
    attribute_changed: lambda: Rate(1.0),
    attribute_changed_outside: lambda: Rate(1.0),
    array_written: lambda: np.array([1.0, 2.0]),
    array_written_outside: lambda: np.array([1.0, 2.0]),
    list_held_twice: lambda: [1.0, 2.0],
}


def by_gradient(function, backend):
    return ast_ad.value_and_grad(function, backend=backend)


def by_pullback(function, backend):
    return ast_ad.vjp(function, argnums=0, backend=backend)


def by_tangent(function, backend):
    return lambda x, *rest: ast_ad.jvp(function, (x, *rest), (x,), argnums=0, backend=backend)


def by_jacobian(function, backend):
    derivative = ast_ad.jacobian(function, backend=backend)
    return lambda x, *rest: (np.sum(derivative(x, *rest) * x),)  # of a linear function its value


def within(function, backend):
    def nested(x, one, other):
        return ast_ad.value_and_grad(function)(x, one, other)[0]

    return ast_ad.value_and_grad(nested, backend=backend)


def pulled_within(function, backend):
    def nested(x, one, other):
        return ast_ad.vjp(function, x, one, other, argnums=0)[0]

    return ast_ad.value_and_grad(nested, backend=backend)


WAYS = by_gradient, by_pullback, by_tangent, by_jacobian, within, pulled_within
ASKED = [
    *((way, "numpy", False) for way in WAYS),
    (by_gradient, "numpy", True),
    (by_gradient, "numba", True),
]


@pytest.mark.drawn(of=72)
@pytest.mark.parametrize("way, backend, apart_first", ASKED, ids=lambda v: getattr(v, "__name__", str(v)))
@pytest.mark.parametrize("function", MADE, ids=lambda f: f.__name__)
def test_a_change_under_another_name_is_an_error(function, way, backend, apart_first):
    make = MADE[function]
    wrap = Holder if function is not list_held_twice else lambda held: held
    x, derivative = np.array([1.0, 2.0]), way(function, backend)

    def apart():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert derivative(x, make(), wrap(make()))[0] == function(x, make(), wrap(make()))

    if apart_first:
        apart()
    one = make()
    with warnings.catch_warnings(), pytest.raises(SharedMemoryError):
        warnings.simplefilter("ignore")
        derivative(x, one, wrap(one))
    apart()


def read_only(x, items, holder):
    return np.sum(x) * sum(items) * holder.held[0]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_what_is_only_read_may_have_two_names(way):
    items, x = [2.0, 3.0], np.array([1.0, 2.0])
    if way is not by_jacobian:
        assert way(read_only, "numpy")(x, items, Holder(items))[0] == 30.0
    assert way(read_only, "numpy")(x, items, Holder(items))[0] == pytest.approx(30.0)


def test_what_another_array_is_written_to_does_not_matter():
    def stored(x, row, holder):
        holder.held[0] = 3.0
        return np.sum(x) * row[0]

    memory = np.array([5.0, 7.0, 9.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, _ = ast_ad.value_and_grad(stored)(np.ones(2), memory[1:], Holder(memory[:2]))
    assert value == 14.0 and memory[0] == 3.0
