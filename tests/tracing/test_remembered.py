"""Are names found again that have come to mean something else since the last trace of a function?

Each helper calls ``math.exp`` by a name of a module of its own: it takes no traced number unless that name
was found, and replaced, in the very trace.
"""

import collections
import functools
import gc
import itertools
import math
import sys
import types
import weakref

import numpy as np
import pytest

import ast_ad
from ast_ad.tracing import patches

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
_counter = itertools.count()
X = 0.5


def helper_of(factor, name="helper"):
    """A function of a module that nothing else names."""
    module = types.ModuleType(f"helpers_{next(_counter)}")
    exec(f"from math import exp\ndef {name}(x):\n    return {factor} * exp(x)\n", vars(module))
    sys.modules[module.__name__] = module
    return getattr(module, name)


def traced(x):
    sys._getframe()  # which no compiler follows
    return x


PROGRAMS = """
class Box:
    pass

class Base:
    def energy(self, x, call=helper_of(2.0)):
        return call(x)

class Model(Base):
    pass

helper, table, named = helper_of(2.0), [helper_of(2.0)], {"one": helper_of(2.0)}
Step = collections.namedtuple("Step", "name calls")
nested, paths = {"all": {"one": (0.0, [helper_of(2.0)])}}, [Step("one", [helper_of(2.0)])]
ordered, boxed = collections.OrderedDict(one=helper_of(2.0)), Box()
boxed.calls = {"one": [helper_of(2.0)]}
box, model, module = Box(), Model(), sys.modules[helper_of(2.0, "inside").__module__]
box.call = helper_of(2.0)
partial = functools.partial(lambda x, call: call(x), call=helper_of(2.0))
vectorized = np.vectorize(helper_of(2.0))

def by_name(x):
    return helper(traced(x))

def by_table(x):
    return table[0](traced(x))

def by_text(x):
    return named["one"](traced(x))

def by_nested(x):
    return nested["all"]["one"][1][0](traced(x))

def by_tuple(x):
    return paths[0].calls[0](traced(x))

def by_ordered(x):
    return ordered["one"](traced(x))

def by_table_of_object(x):
    return boxed.calls["one"][0](traced(x))

def by_object(x):
    return box.call(traced(x))

def by_method(x):
    return model.energy(traced(x))

def by_module(x):
    return module.inside(traced(x))

def by_default(x, call=helper_of(2.0)):
    return call(traced(x))

def by_keyword(x, *, call=helper_of(2.0)):
    return call(traced(x))

def by_partial(x):
    return partial(traced(x))

def by_vectorized(x):
    return vectorized(traced(x))

def by_import(x):
    import helpers_late
    return helpers_late.helper(traced(x))

def closed():
    call = helper_of(2.0)
    def by_cell(x):
        return call(traced(x))
    def change(value):
        nonlocal call
        call = value
    return by_cell, change

by_cell, change_cell = closed()

def calls_a_callee(x):
    return by_default(x)
"""


def again(space, value):
    """The name is deleted before, so that the new function may be where the old one was."""
    code = value.__code__, value.__globals__
    del value, space["helper"]
    gc.collect()
    space["helper"] = types.FunctionType(*code)


def late(space, value):
    sys.modules["helpers_late"] = module = types.ModuleType("helpers_late")
    module.helper = value


def another_code(space, value):
    space["by_name"].__code__ = space["by_module"].__code__
    space["module"].inside = value


def energy_of(value):
    return lambda self, x: value(x)


def class_of(value):
    return type("Other", (), {"energy": energy_of(value)})


CHANGES = {
    "rebound": ("by_name", lambda space, value: space.update(helper=value)),
    "again": ("by_name", again),
    "in a table": ("by_table", lambda space, value: space["table"].__setitem__(0, value)),
    "another table": ("by_table", lambda space, value: space.update(table=[value])),
    "in a dict": ("by_text", lambda space, value: space["named"].update(one=value)),
    "another dict": ("by_text", lambda space, value: space.update(named={"one": value})),
    "in a table in a table": (
        "by_nested",
        lambda space, value: space["nested"]["all"].update(one=(0, [value])),
    ),
    "in the innermost": (
        "by_nested",
        lambda space, value: space["nested"]["all"]["one"][1].__setitem__(0, value),
    ),
    "in a named tuple": ("by_tuple", lambda space, value: space["paths"][0].calls.__setitem__(0, value)),
    "another named tuple": (
        "by_tuple",
        lambda space, value: space["paths"].__setitem__(0, space["Step"]("one", [value])),
    ),
    "in an ordered dict": ("by_ordered", lambda space, value: space["ordered"].update(one=value)),
    "in a table of an object's": (
        "by_table_of_object",
        lambda space, value: space["boxed"].calls.update(one=[value]),
    ),
    "an object's": ("by_object", lambda space, value: setattr(space["box"], "call", value)),
    "another object": ("by_object", lambda space, value: space.update(box=types.SimpleNamespace(call=value))),
    "a method": ("by_method", lambda space, value: setattr(space["Model"], "energy", energy_of(value))),
    "another class": (
        "by_method",
        lambda space, value: setattr(space["model"], "__class__", class_of(value)),
    ),
    "a module's": ("by_module", lambda space, value: setattr(space["module"], "inside", value)),
    "a default": ("by_default", lambda space, value: setattr(space["by_default"], "__defaults__", (value,))),
    "a callee's default": (
        "calls_a_callee",
        lambda space, value: setattr(space["by_default"], "__defaults__", (value,)),
    ),
    "a keyword": ("by_keyword", lambda space, value: space["by_keyword"].__kwdefaults__.update(call=value)),
    "another base": (
        "by_method",
        lambda space, value: setattr(space["Model"], "__bases__", (class_of(value),)),
    ),
    "in a partial": ("by_partial", lambda space, value: space["partial"].keywords.update(call=value)),
    "vectorized": ("by_vectorized", lambda space, value: setattr(space["vectorized"], "pyfunc", value)),
    "code": ("by_name", another_code),
    "imported": ("by_import", late),
    "a cell": ("by_cell", lambda space, value: space["change_cell"](value)),
}


@pytest.fixture
def space():
    late(None, helper_of(2.0))
    found = {
        "traced": traced,
        "helper_of": helper_of,
        "sys": sys,
        "np": np,
        "functools": functools,
        "collections": collections,
    }
    found["__name__"] = "programs_here"
    exec(PROGRAMS, found)
    return found


@pytest.mark.parametrize("case", CHANGES)
def test_what_has_changed_is_found(case, space):
    name, change = CHANGES[case]
    factors = (3.0, 5.0, 7.0)
    prepared = [helper_of(factor) for factor in factors]  # now: that a module comes is another change
    derivative = ast_ad.value_and_grad(space[name])
    before = derivative(X)
    assert derivative.mode == "fallback"
    assert derivative(X) == before == (2 * math.exp(X), 2 * math.exp(X))
    for factor in factors:
        change(space, prepared.pop(0))
        assert derivative(X) == (factor * math.exp(X), factor * math.exp(X))
    assert not patches._held


def closed_over(n):
    scale = np.exp(float(n))

    def function(x):
        return np.sum(traced(x) * scale)

    return function


counter = 0


def counting(x):
    global counter
    counter += 1
    return np.sum(traced(x) ** 2)


@pytest.mark.parametrize("function", [counting, closed_over(1)])
def test_it_is_not_searched_again(function, monkeypatch):
    """Not even if a variable of the module counts the calls."""
    derivative = ast_ad.grad(function)
    expected = derivative(X), derivative(X)
    walks = []
    monkeypatch.setattr(patches, "Walk", walks.append)
    assert (derivative(X), derivative(X)) == expected
    assert walks == []


def test_what_is_remembered_goes_with_the_function():
    class Holder:
        def __init__(self):
            self.values = np.arange(3.0)
            self.function = lambda x: np.sum(traced(x) * self.values)

    holder = Holder()
    ast_ad.grad(holder.function)(np.ones(3))
    ast_ad.grad(holder.function)(np.ones(3))
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


def test_what_a_function_puts_in_a_place_stays():
    """A name that the function itself sets is not set back, and is found in the next call."""
    source = "from math import exp, sin\nf = exp\ndef function(x):\n    global f\n"
    source += "    y = f(traced(x))\n    f = sin if f is exp else exp\n    return y\n"
    space = {"traced": traced, "__name__": "setting"}
    exec(source, space)
    derivative = ast_ad.grad(space["function"])
    found = [derivative(X) for _ in range(4)]
    assert found == pytest.approx([math.exp(X), math.cos(X)] * 2)
