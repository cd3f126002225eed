"""Are methods compiled that classes get from what the interpreter holds itself, as ``collections.abc``?"""

import collections.abc as cabc

import numpy as np
import pytest

import ast_ad


class Lower(cabc.Mapping):
    """A dict whose keys are found in any case."""

    def __init__(self, of):
        self.of = dict(of)

    def __getitem__(self, key):
        return {name.lower(): self.of[name] for name in self.keys()}[key.lower()]

    def __iter__(self):
        yield from self.of

    def __len__(self):
        return len(self.of)


class Row(cabc.Sequence):
    def __init__(self, *of):
        self.of = of

    def __getitem__(self, at):
        return self.of[at]

    def __len__(self):
        return len(self.of)


class Store(cabc.MutableMapping):
    def __init__(self):
        self.of = {}

    def __getitem__(self, key):
        return self.of[key]

    def __setitem__(self, key, value):
        self.of[key] = value

    def __delitem__(self, key):
        del self.of[key]

    def __iter__(self):
        yield from self.of

    def __len__(self):
        return len(self.of)


UNITS = Lower({"Metre": 2.0, "Second": 3.0})
ROW = Row(1.0, 2.0, 3.0)
FLOATS = np.float32 | np.float64
counted = 0


def item(x):
    return np.sum(x**2) * UNITS["METRE"]


def got(x):
    return np.sum(x**2) * UNITS.get("second", 1.0) + UNITS.get("mile", 5.0) * x[0]


def held(x):
    return np.sum(x**3) if "metre" in UNITS else np.sum(x)


def keys(x):
    total = 0.0
    for name in UNITS.keys():
        total = total + UNITS[name] * np.sum(np.sin(x))
    return total


def items_in_order(x):
    total = 0.0
    for weight in ROW:
        total = total * 0.3 + weight * np.sum(np.tan(x))
    return total


def reversed_items(x):
    total = 0.0
    for weight in reversed(ROW):
        total = total * 0.5 + weight * np.sum(np.cos(x))
    return total


def filled(x):
    store = Store()
    store["a"] = np.sum(x**2)
    return store.setdefault("a", 1.0) * store.setdefault("b", 2.0)


def popped(x):
    store = Store()
    store["a"] = x * 2.0
    return np.sum(store.pop("a") ** 2) + len(store) * x[0]


def updated(x):
    store = Store()
    store["a"] = x[0] * x[1]
    store["b"] = x[1]
    return store.get("a") * store.get("b") + store.get("c", x[0])


def types_of_a_union(x):
    global counted
    counted = counted + 1
    return np.sum(x**3) if np.float64 in FLOATS.__args__ else np.sum(x)


PROGRAMS = [
    item, got, held, keys, items_in_order, reversed_items, filled, popped, updated, types_of_a_union,
]  # fmt: skip


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_compiled(f, backend):
    x = np.array([0.4, 1.3])
    value, gradient = ast_ad.value_and_grad(f, backend=backend, fallback="error")(x)
    np.testing.assert_allclose(value, f(x), rtol=1e-12)
    differences = [(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(2)]
    np.testing.assert_allclose(gradient, differences, atol=1e-6)


def test_other_data_is_seen():
    derivative = ast_ad.grad(item)
    x = np.array([0.4, 1.3])
    np.testing.assert_allclose(derivative(x), 4.0 * x)
    UNITS.of["Metre"] = 5.0
    try:
        np.testing.assert_allclose(derivative(x), 10.0 * x)
    finally:
        UNITS.of["Metre"] = 2.0
