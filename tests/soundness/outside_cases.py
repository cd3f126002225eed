"""Which programs read something from outside that changes between two calls?

Each case is a function that makes a fresh function, its arguments, and the changes, one after the other.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import ast_ad

CASES: dict[str, Callable[[], tuple[Any, tuple[Any, ...], list[Callable[[], Any]]]]] = {}


def case(make: Any) -> Any:
    CASES[make.__name__] = make
    return make


def slope(f, x):
    """The derivative by extrapolated central differences."""
    wide, narrow = ((f(x + h) - f(x - h)) / (2 * h) for h in (2e-4, 1e-4))
    return (4 * narrow - wide) / 3


def compare(f, derivative, args):
    for _ in range(3):  # the third call is the short one
        value, gradient = derivative(*args)
        np.testing.assert_allclose(value, f(*args), rtol=1e-14)
        np.testing.assert_allclose(gradient, slope(f, *args), rtol=1e-8)


def run(name: str, backend: str) -> None:
    """Compare value and gradient before and after each change."""
    f, args, changes = CASES[name]()
    derivative = ast_ad.value_and_grad(f, backend=backend)
    compare(f, derivative, args)
    for change in changes:
        change()
        compare(f, derivative, args)


class Box:
    """An object with attributes."""

    shared = 2.0

    def __init__(self, **content: Any) -> None:
        self.__dict__.update(content)

    def scaled(self, x):
        return self.k * x

    def __call__(self, x):
        return self.k * x * x


class Slotted:
    __slots__ = ("k",)

    def __init__(self, k: float) -> None:
        self.k = k


@case
def default_object():
    box = Box(k=2.0)

    def f(x, box=box):
        return box.k * x * x

    return f, (1.5,), [lambda: setattr(box, "k", 5.0), lambda: setattr(box, "k", np.ones(2).sum())]


@case
def default_object_in_a_helper():
    box = Box(weights=np.array([1.0, 2.0]))

    def helper(x, box=box):
        return np.sum(box.weights * x) ** 2

    def f(x):
        return helper(x)

    def grow():
        box.weights = np.array([1.0, 2.0, 3.0])

    return f, (1.5,), [lambda: box.weights.__setitem__(0, 7.0), grow]


@case
def default_of_a_keyword_only_parameter():
    def helper(x, *, k=2.0):
        return k * x * x

    def f(x):
        return helper(x) + helper(x, k=3.0)

    return f, (1.5,), [lambda: helper.__kwdefaults__.__setitem__("k", 4.0)]


@case
def default_array():
    weights = np.array([1.0, 2.0, 3.0])

    def f(x, weights=weights):
        return np.sum(weights * x**2)

    return f, (1.5,), [lambda: weights.__setitem__(1, 9.0), lambda: weights.__imul__(2)]


@case
def default_replaced():
    def helper(x, k=2.0):
        return k * x * x

    def f(x):
        return helper(x)

    return f, (1.5,), [lambda: setattr(helper, "__defaults__", (3.0,))]


@case
def default_tuple_of_arrays():
    layers = (np.array([1.0, 2.0]), np.array([3.0, 4.0]))

    def f(x, layers=layers):
        total = 0.0
        for layer in layers:
            total = total + np.sum(layer * x) ** 2
        return total

    return f, (1.5,), [lambda: layers[1].__setitem__(0, -1.0)]


@case
def default_list_of_numbers():
    rates = [1.0, 2.0]

    def f(x, rates=rates):
        return sum(r * x for r in rates) * x

    return f, (1.5,), [lambda: rates.append(3.0), lambda: rates.__setitem__(0, 7.0)]


@case
def default_of_a_lambda():
    box = Box(k=2.0)
    f = lambda x, b=box: b.k * x * x  # noqa: E731
    return f, (1.5,), [lambda: setattr(box, "k", 4.0)]


@case
def partial_of_an_array():
    weights = np.array([1.0, 2.0])

    def loss(weights, x):
        return np.sum(weights * x**2)

    run = functools.partial(loss, weights)

    def f(x, run=run):
        return run(x)

    return f, (1.5,), [lambda: weights.__setitem__(0, 5.0)]


@case
def differentiated_partial():
    weights, box = np.array([1.0, 2.0]), Box(k=2.0)

    def loss(weights, x, box):
        return np.sum(weights * x**2) * box.k

    f = functools.partial(loss, weights, box=box)
    return f, (1.5,), [lambda: weights.__setitem__(0, 5.0), lambda: setattr(box, "k", 3.0)]


@case
def keywords_of_a_partial():
    def loss(x, k):
        return k * x * x

    run = functools.partial(loss, k=2.0)

    def f(x):
        return run(x)

    return f, (1.5,), [lambda: run.keywords.__setitem__("k", 3.0)]


@case
def bound_method_of_an_object():
    box = Box(k=2.0)
    method = box.scaled

    def f(x, method=method):
        return method(x) * x

    return f, (1.5,), [lambda: setattr(box, "k", 3.0)]


@case
def bound_method_in_a_partial():
    box = Box(k=2.0)
    run = functools.partial(box.scaled)

    def f(x):
        return run(x) * x

    return f, (1.5,), [lambda: setattr(box, "k", 3.0)]


@case
def attribute_of_a_function():
    def helper(x):
        return helper.k * x * x

    helper.k = 2.0

    def f(x):
        return helper(x)

    return f, (1.5,), [lambda: setattr(helper, "k", 3.0)]


@case
def attribute_of_a_class():
    class Constants:
        k = 2.0

    def f(x):
        return Constants.k * x * x

    return f, (1.5,), [lambda: setattr(Constants, "k", 3.0)]


@case
def attribute_of_the_class_of_a_new_object():
    class Model:
        k = 2.0

        def __init__(self, x):
            self.x = x

        def value(self):
            return self.k * self.x**2

    def f(x):
        return Model(x).value()

    return f, (1.5,), [lambda: setattr(Model, "k", 3.0)]


@case
def method_of_the_class_of_a_new_object():
    class Model:
        def __init__(self, x):
            self.x = x

        def value(self):
            return self.x**2

    def f(x):
        return Model(x).value()

    return f, (1.5,), [lambda: setattr(Model, "value", lambda self: self.x**3)]


@case
def property_of_the_class_of_a_new_object():
    class Model:
        def __init__(self, x):
            self.x = x

        @property
        def value(self):
            return self.x**2

    def f(x):
        return Model(x).value

    return f, (1.5,), [lambda: setattr(Model, "value", property(lambda self: self.x**3))]


@case
def static_method_of_a_class():
    class Model:
        @staticmethod
        def value(x):
            return x**2

    def f(x):
        return Model.value(x)

    return f, (1.5,), [lambda: setattr(Model, "value", staticmethod(lambda x: x**3))]


@case
def class_method_of_a_class():
    class Model:
        k = 2.0

        @classmethod
        def value(cls, x):
            return cls.k * x**2

    def f(x):
        return Model.value(x)

    return f, (1.5,), [lambda: setattr(Model, "k", 5.0)]


@case
def default_of_a_dataclass():
    @dataclasses.dataclass
    class Options:
        x: float
        k: float = 2.0

    def f(x):
        return Options(x).k * x * x + Options(x).x

    return f, (1.5,), []


@case
def nested_objects():
    outer = Box(inner=Box(k=2.0))

    def f(x):
        return outer.inner.k * x * x

    def replace():
        outer.inner = Box(k=7.0)

    return f, (1.5,), [lambda: setattr(outer.inner, "k", 3.0), replace]


@case
def slots():
    box = Slotted(2.0)

    def f(x, box=box):
        return box.k * x * x

    return f, (1.5,), [lambda: setattr(box, "k", 3.0)]


@case
def object_that_is_called():
    box = Box(k=2.0)

    def f(x, run=box):
        return run(x)

    return f, (1.5,), [lambda: setattr(box, "k", 3.0)]


@case
def attribute_that_may_be_missing():
    box = Box()

    def f(x):
        k = getattr(box, "k", 2.0)
        return k * x * x

    return f, (1.5,), [lambda: setattr(box, "k", 3.0), lambda: delattr(box, "k")]


@case
def attribute_that_is_asked_for():
    box = Box()

    def f(x):
        if hasattr(box, "k"):
            return x**3
        return x**2

    return f, (1.5,), [lambda: setattr(box, "k", 3.0), lambda: delattr(box, "k")]


@case
def set_of_flags():
    flags = {"square"}

    def f(x):
        return x**2 if "square" in flags else x**3

    return f, (1.5,), [lambda: flags.clear(), lambda: flags.add("square")]


@case
def length_of_a_deque():
    queue = collections.deque([1.0, 2.0])

    def f(x):
        return x ** len(queue)

    return f, (1.5,), [lambda: queue.append(3.0)]


@case
def keys_of_a_dict():
    options = {"k": 2.0}

    def f(x):
        return x * options["k"] * (2.0 if "double" in options else 1.0)

    return f, (1.5,), [lambda: options.__setitem__("double", 1), lambda: options.__setitem__("k", 5.0)]


@case
def ordered_dict():
    options = collections.OrderedDict(k=2.0)

    def f(x):
        return x * x * options["k"]

    return f, (1.5,), [lambda: options.__setitem__("k", 5.0)]


@case
def default_dict():
    options = collections.defaultdict(lambda: 2.0)

    def f(x):
        return x * x * options["k"]

    return f, (1.5,), [lambda: options.__setitem__("k", 5.0)]


@case
def simple_namespace():
    space = types.SimpleNamespace(k=2.0, flags=["a"])

    def f(x, p=space):
        return x * x * p.k * (1.0 if "a" in p.flags else 3.0)

    return f, (1.5,), [lambda: setattr(space, "k", 5.0), lambda: space.flags.remove("a")]


@case
def closure_cell():
    k = 2.0

    def change():
        nonlocal k
        k = 3.0

    def f(x):
        return k * x * x

    return f, (1.5,), [change]


@case
def helper_in_a_cell():
    def helper(x):
        return x * x

    def change():
        nonlocal helper
        helper = lambda x: x**3  # noqa: E731

    def f(x):
        return helper(x)

    return f, (1.5,), [change]


@case
def code_replaced():
    def helper(x):
        return x * x

    def other(x):
        return x**3

    def f(x):
        return helper(x)

    return f, (1.5,), [lambda: setattr(helper, "__code__", other.__code__)]


@case
def member_of_an_enum():
    class Mode(enum.Enum):
        SQUARE = 1
        CUBE = 2

    box = Box(mode=Mode.SQUARE)

    def f(x):
        return x**2 if box.mode is Mode.SQUARE else x**3

    return f, (1.5,), [lambda: setattr(box, "mode", Mode.CUBE)]


class Pair(NamedTuple):
    weights: np.ndarray
    k: float


@case
def named_tuple():
    pair = Pair(np.array([1.0, 2.0]), 2.0)

    def f(x, pair=pair):
        return np.sum(pair.weights * x) ** 2 * pair.k

    return f, (1.5,), [lambda: pair.weights.__setitem__(0, 6.0)]


@case
def list_in_an_object_in_a_default():
    box = Box(steps=[0.1, 0.2])

    def f(x, box=box):
        for step in box.steps:
            x = x + step * x
        return x * x

    return f, (1.5,), [lambda: box.steps.append(0.3), lambda: box.steps.__setitem__(0, 0.5)]


@case
def array_in_a_list_of_a_partial():
    arrays = [np.array([1.0, 2.0]), np.array([3.0])]

    def loss(x, arrays):
        return sum(np.sum(a * x**2) for a in arrays)

    f = functools.partial(loss, arrays=arrays)
    return f, (1.5,), [lambda: arrays[0].__setitem__(0, 5.0), lambda: arrays.append(np.array([4.0]))]


@case
def attribute_becomes_an_instance_attribute():
    box = Box()

    def f(x, box=box):
        return box.shared * x * x

    return f, (1.5,), [lambda: setattr(box, "shared", 9.0)]


@case
def method_becomes_an_instance_attribute():
    box = Box(k=2.0)

    def f(x, box=box):
        return box.scaled(x) * x

    return f, (1.5,), [lambda: setattr(box, "scaled", lambda x: 10.0 * x)]


@case
def class_of_an_object_changes():
    class Other:
        def scaled(self, x):
            return x**3

    box = Box(k=2.0)

    def f(x, box=box):
        return box.scaled(x) * x

    return f, (1.5,), [lambda: setattr(box, "__class__", Other)]


@case
def nested_function_with_a_default_from_outside():
    box = Box(k=2.0)

    def f(x):
        def inner(y, b=box):
            return b.k * y * y

        return inner(x)

    return f, (1.5,), [lambda: setattr(box, "k", 3.0)]


@case
def integer_in_a_default_object():
    box = Box(n=3)

    def f(x, box=box):
        for _ in range(box.n):
            x = x * 1.5 + x * x
        return x

    return f, (0.5,), [lambda: setattr(box, "n", 4), lambda: setattr(box, "n", 0)]


@case
def flag_in_a_default_object():
    box = Box(square=True)

    def f(x, box=box):
        return x * x if box.square else x**3

    return f, (1.5,), [lambda: setattr(box, "square", False)]


@case
def text_in_a_default_dict():
    options = {"kind": "square"}

    def f(x, options=options):
        return x * x if options["kind"] == "square" else x**3

    return f, (1.5,), [lambda: options.__setitem__("kind", "cube")]


@case
def dtype_of_a_default_array():
    box = Box(w=np.array([1.0, 2.0]))

    def f(x, box=box):
        return np.sum(box.w * x * x)

    return f, (1.5,), [lambda: setattr(box, "w", np.array([1, 2])), lambda: setattr(box, "w", 2.0)]


@case
def method_of_a_base_class():
    class Base:
        def value(self):
            return self.x**2

    class Model(Base):
        def __init__(self, x):
            self.x = x

        def value(self):
            return super().value() * 2.0

    def f(x):
        return Model(x).value()

    return f, (1.5,), [lambda: setattr(Base, "value", lambda self: self.x**3)]


@case
def constructor_replaced():
    class Model:
        def __init__(self, x):
            self.x = x

    def other(self, x):
        self.x = x * x

    def f(x):
        return Model(x).x ** 2

    return f, (1.5,), [lambda: setattr(Model, "__init__", other)]


@case
def getter_of_a_property_changed_in_place():
    def getter(self):
        return self.x**2

    def other(self):
        return self.x**3

    class Model:
        value = property(getter)

        def __init__(self, x):
            self.x = x

    def f(x):
        return Model(x).value

    return f, (1.5,), [lambda: setattr(getter, "__code__", other.__code__)]


class Gain:
    __slots__ = ("k",)

    def __call__(self, x):
        return self.k * x


@case
def slotted_object_that_is_called():
    gain = Gain()
    gain.k = 2.0

    def f(x):
        return gain(x) * x

    return f, (1.5,), [lambda: setattr(gain, "k", 3.0)]


@case
def object_in_a_comprehension():
    boxes = [Box(k=1.0), Box(k=2.0)]

    def f(x):
        return sum([b.k * x * x for b in boxes])

    return f, (1.5,), [lambda: setattr(boxes[1], "k", 3.0), lambda: boxes.append(Box(k=4.0))]


@case
def object_in_nested_loops():
    grid = Box(rows=[Box(w=np.array([1.0, 2.0])), Box(w=np.array([3.0, 4.0]))])

    def step(x, grid=grid):
        total = 0.0
        for row in grid.rows:
            for j in range(len(row.w)):
                total = total + row.w[j] * x**2
        return total

    def f(x):
        return step(x)

    def replace():
        grid.rows[0].w = np.array([7.0, 8.0, 9.0])

    return f, (1.5,), [lambda: grid.rows[1].w.__setitem__(0, 5.0), replace]


@case
def optional_attribute_of_a_class():
    class Model:
        def __init__(self, x):
            self.x = x

    def f(x):
        model = Model(x)
        return x**3 if hasattr(model, "cubic") else model.x**2

    return f, (1.5,), [lambda: setattr(Model, "cubic", True)]


@case
def method_given_to_a_partial_by_keyword():
    box = Box(k=2.0)

    def apply(x, run):
        return run(x) * x

    f = functools.partial(apply, run=box.scaled)
    return f, (1.5,), [lambda: setattr(box, "k", 3.0)]


@case
def class_with_a_default_in_its_constructor():
    weights = np.array([1.0, 2.0])

    class Model:
        def __init__(self, x, weights=weights):
            self.x, self.weights = x, weights

        def value(self):
            return np.sum(self.weights * self.x**2)

    def f(x):
        return Model(x).value()

    return f, (1.5,), [lambda: weights.__setitem__(0, 4.0)]
