"""A place outside that is stored by one of its names and read by another: the value is the new one."""

import functools
import types

import numpy as np
import pytest

import ast_ad

POINTS = [np.array([0.1, 0.2]), np.array([0.7, 0.2]), np.array([0.1, 0.3]), np.array([0.8, 0.25])]


def keywords_of_a_partial():
    part = functools.partial(lambda x, *, k=1.0: np.sum(x) * k, k=3.0)

    def f(x):
        if x[0] > 0.5:
            part.keywords["k"] = x[1]
        return part(x)

    return f


def keywords_of_a_partial_method():
    class Total:
        def scaled(self, x, *, k=1.0):
            return np.sum(x) * k

        twice = functools.partialmethod(scaled, k=2.0)

    total, part = Total(), vars(Total)["twice"]

    def f(x):
        if x[0] > 0.5:
            part.keywords["k"] = x[1]
        return total.twice(x)

    return f


def defaults_by_keyword():
    def scaled(x, *, k=1.0):
        return np.sum(x) * k

    def f(x):
        if x[0] > 0.5:
            scaled.__kwdefaults__["k"] = x[1]
        return scaled(x)

    return f


def dict_of_a_function():
    def total(x):
        return np.sum(x)

    total.k = 1.0

    def f(x):
        if x[0] > 0.5:
            vars(total)["k"] = x[1]
        return total(x) * total.k

    return f


def attribute_of_a_function():
    def total(x):
        return np.sum(x)

    total.k = 1.0

    def f(x):
        if x[0] > 0.5:
            total.k = x[1]
        return total(x) * total.__dict__["k"]

    return f


def dict_of_a_module():
    module = types.ModuleType("module")
    module.k = 1.0

    def f(x):
        if x[0] > 0.5:
            vars(module)["k"] = x[1]
        return np.sum(x) * module.k

    return f


def attribute_of_a_module():
    module = types.ModuleType("module")
    module.k = 1.0

    def f(x):
        if x[0] > 0.5:
            module.k = x[1]
        return np.sum(x) * module.__dict__["k"]

    return f


def dict_that_has_a_name_of_its_own():
    thing = types.SimpleNamespace(k=1.0)
    entries = vars(thing)

    def f(x):
        if x[0] > 0.5:
            thing.k = x[1]
        return np.sum(x) * entries["k"]

    return f


def view_of_a_dict():
    entries = {"k": 1.0}
    view = types.MappingProxyType(entries)

    def f(x):
        if x[0] > 0.5:
            entries["k"] = x[1]
        return np.sum(x) * view["k"]

    return f


def dict_of_a_class():
    class Scale:
        k = 1.0

    def f(x):
        if x[0] > 0.5:
            Scale.k = x[1]
        return np.sum(x) * vars(Scale)["k"]

    return f


def attribute_of_a_metaclass():
    class Meta(type):
        k = 1.0

    class Scale(metaclass=Meta):
        pass

    def f(x):
        if x[0] > 0.5:
            Meta.k = x[1]
        return np.sum(x) * Scale.k

    return f


def class_and_what_it_derives_from():
    class Base:
        k = 1.0

    class Scale(Base):
        pass

    scale = Scale()

    def f(x):
        if x[0] > 0.5:
            Base.k = x[1]
        if x[0] > 0.75:
            Scale.k = x[0]
        return np.sum(x) * scale.k

    return f


def slope(make, point, before):
    """Differences of the function behind the calls before."""

    def value(x):
        f = make()
        for earlier in before:
            f(earlier)
        return f(x)

    steps = np.eye(len(point)) * 1e-5
    return np.array([(value(point + h) - value(point - h)) / 2e-5 for h in steps])


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(
    "make",
    [
        keywords_of_a_partial,
        keywords_of_a_partial_method,
        defaults_by_keyword,
        dict_of_a_function,
        attribute_of_a_function,
        dict_of_a_module,
        attribute_of_a_module,
        dict_that_has_a_name_of_its_own,
        view_of_a_dict,
        dict_of_a_class,
        attribute_of_a_metaclass,
        class_and_what_it_derives_from,
    ],
)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_is_stored_is_read(make, check):
    plain, derivative = make(), ast_ad.value_and_grad(make(), check=check)
    for i, point in enumerate(POINTS):
        value, gradient = derivative(point)
        assert value == plain(point)
        np.testing.assert_allclose(gradient, slope(make, point, POINTS[:i]), atol=1e-8)


def test_a_store_that_no_other_read_misses_stays_compiled():

    part = functools.partial(lambda x, *, k=1.0: np.sum(x) * k, k=3.0)
    notes = {"calls": 0.0}

    def f(x):
        notes["calls"] = notes["calls"] + 1.0
        return part(x) * notes["calls"]

    derivative = ast_ad.grad(f, fallback="error")
    np.testing.assert_array_equal(derivative(POINTS[0]), [3.0, 3.0])
    np.testing.assert_array_equal(derivative(POINTS[0]), [6.0, 6.0])
