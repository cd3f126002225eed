"""Is every change of what a function reads from outside of its arguments noticed at the next call?"""

import builtins
import importlib.util

import numpy as np
import pytest

from ast_ad import FallbackWarning, StaleError, grad

X = np.array([1.0, 2.0, 3.0])
SOURCE = """
import dataclasses

import numpy as np

scale, integer, flag, mode = 2.0, 3, True, "a"
table = np.array([1.0, 2.0, 3.0])
items, pair, many = [1.0, 2.0], (1.0, 2.0), [float(i) for i in range(50)]
settings = {"a": 1.0, "b": {"c": 2.0}, "name": "x"}
log = []

def helper(x):
    return np.sin(x)

class Model:
    k = 3.0
    def __init__(self):
        self.w = 2.0
        self.part = None
    def times(self, x):
        return self.w * x * self.k
    @property
    def area(self):
        return self.w ** 2
    @classmethod
    def of_class(cls, x):
        return x * cls.k
    @staticmethod
    def free(x):
        return x * 2.0

model = Model()

@dataclasses.dataclass
class Plain:
    a: float = 2.0
    b: list = dataclasses.field(default_factory=list)
    c: float = dataclasses.field(default=3.0, kw_only=True)

def number(x): return scale * np.sum(x)
def axis(x): return np.sum(np.sum(np.outer(x, x * x), axis=integer - 3) ** 2)
def array(x): return np.sum(table * x)
def loop(x):
    t = 0.0
    for v in items:
        t = t + v * np.sum(x)
    return t
def long_list(x):
    t = 0.0
    for v in many:
        t = t + v * np.sum(x)
    return t
def unpacks(x):
    a, b = pair
    return np.sum(a * x ** b)
def calls(x): return np.sum(helper(x))
def branches(x): return np.sum(x) if flag and mode == "a" else np.sum(x * x)
def reads_dict(x): return np.sum(x) * settings["a"] * settings["b"]["c"]
def method(x): return model.times(np.sum(x)) * model.area
def class_method(x): return model.of_class(np.sum(x)) + model.free(np.sum(x ** 2))
def class_attribute(x): return Model.k * np.sum(x)
def default(x, s=2.0): return s * np.sum(x)
def keyword(x, *, s=2.0): return s * np.sum(x)
def builtin(x): return abs(np.sum(x))
def library(x): return np.sum(np.tanh(x))
def added_builtin(x): return np.sum(x) * outside_scale
def length(x): return np.sum(x) * len(items)
def makes(x):
    made = Plain()
    return np.sum(x ** 2) * made.a * made.c + len(made.b)
def identity(x): return np.sum(x) if model.part is None else np.sum(x) * model.part.w
def loop_over_keys(x):
    t = 0.0
    for name in settings:
        t = t + np.sum(x) * len(name)
    return t
def writes(x):
    log.append(1.0)
    return np.sum(x) * len(log)
def writes_array(x):
    table[0] = x[0]
    return np.sum(x * table)
"""


@pytest.fixture
def m(tmp_path):
    path = tmp_path / "outside_of.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("outside_of", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def differences(f, h=1e-6):
    return np.array([(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(3)])


def programs(g):
    return sum(map(len, g._programs.values())) + sum(len(tier.programs) for tier in g._tiers.values())


def put(name, value):
    return lambda m: setattr(m, name, value)


REREAD, REBUILT = 1, 2
CHANGES = [
    ("number", put("scale", 3.0), REREAD),
    ("number", put("scale", np.float32(3.0)), REBUILT),
    ("number", put("scale", np.array(3.0)), REBUILT),
    ("axis", put("integer", 4), REBUILT),
    ("array", put("table", np.array([3.0, 3.0, 1.0])), REREAD),
    ("array", lambda m: m.table.__setitem__(0, 7.0), REREAD),
    ("array", put("table", 2.0), REBUILT),
    ("loop", lambda m: m.items.append(9.0), REBUILT),
    ("loop", lambda m: m.items.__setitem__(0, 9.0), REREAD),
    ("loop", put("items", (1.0, 2.5, 3.0)), REBUILT),
    ("long_list", lambda m: m.many.append(9.0), REREAD),
    ("long_list", lambda m: m.many.__setitem__(30, 9.0), REREAD),
    ("long_list", put("many", [1.0]), REREAD),
    ("unpacks", put("pair", (2.0, 3.0)), REREAD),
    ("calls", put("helper", np.cos), REBUILT),
    ("calls", lambda m: setattr(m.helper, "__code__", (lambda x: x * 3.0).__code__), REBUILT),
    ("branches", put("flag", False), REBUILT),
    ("branches", put("mode", "b"), REBUILT),
    ("reads_dict", lambda m: m.settings.__setitem__("a", 4.0), REREAD),
    ("reads_dict", lambda m: m.settings["b"].__setitem__("c", 4.0), REREAD),
    ("reads_dict", put("settings", {"b": {"c": 7.0}, "a": 3.0}), REBUILT),
    ("method", lambda m: setattr(m.model, "w", 5.0), REREAD),
    ("method", lambda m: setattr(m.Model, "k", 7.0), REREAD),
    ("method", lambda m: setattr(m.model, "k", 7.0), REREAD),
    ("method", lambda m: setattr(m.Model, "times", lambda self, x: x * 3.0), REBUILT),
    ("method", lambda m: setattr(m.model, "times", lambda x: x * 11.0), REBUILT),
    ("method", lambda m: setattr(m.Model, "area", property(lambda self: 1.5)), REBUILT),
    ("class_method", lambda m: setattr(m.Model, "k", 7.0), REREAD),
    ("class_method", lambda m: setattr(m.Model, "of_class", classmethod(lambda cls, x: x * 5.0)), REBUILT),
    ("class_method", lambda m: setattr(m.Model, "free", staticmethod(lambda x: x * 5.0)), REBUILT),
    ("class_attribute", lambda m: setattr(m.Model, "k", 8.0), REREAD),
    ("default", lambda m: setattr(m.default, "__defaults__", (5.0,)), REBUILT),
    ("keyword", lambda m: setattr(m.keyword, "__kwdefaults__", {"s": 5.0}), REBUILT),
    ("builtin", put("abs", lambda x: x * 2.0), REBUILT),
    ("length", lambda m: m.items.append(9.0), REBUILT),
    ("makes", lambda m: setattr(m.Plain.__init__, "__defaults__", (5.0, [1])), REBUILT),
    ("makes", lambda m: setattr(m.Plain.__init__, "__kwdefaults__", {"c": 5.0}), REBUILT),
    ("makes", lambda m: setattr(m.Plain, "a", 5.0), REREAD),
    ("identity", lambda m: setattr(m.model, "part", m.Model()), REBUILT),
    ("loop_over_keys", lambda m: m.settings.__setitem__("another", 4.0), REBUILT),
]


@pytest.mark.parametrize("name, change, how", CHANGES, ids=[f"{i}-{c[0]}" for i, c in enumerate(CHANGES)])
def test_changes_are_noticed(m, name, change, how):
    f = getattr(m, name)
    g = grad(f)
    before = g(X)
    np.testing.assert_allclose(before, differences(f), rtol=1e-5)
    g(X)
    assert programs(g) == 1
    change(m)
    after = g(X)
    np.testing.assert_allclose(after, differences(f), rtol=1e-5)
    assert programs(g) == how


def test_a_new_object_of_the_same_class_is_read(m):
    g = grad(m.method)
    g(X)
    m.model = m.Model()
    m.model.w = 13.0
    np.testing.assert_allclose(g(X), differences(m.method), rtol=1e-5)
    assert programs(g) == 1


def test_a_replaced_numpy_function(m, monkeypatch):
    g, tanh = grad(m.library), np.tanh
    plain = g(X)
    monkeypatch.setattr(np, "tanh", lambda x: 2 * tanh(x))
    np.testing.assert_allclose(g(X), 2 * plain)
    monkeypatch.undo()
    np.testing.assert_array_equal(g(X), plain)
    assert programs(g) == 2


def test_a_replaced_builtin(m, monkeypatch):
    """As a module may do for all others."""
    g, before = grad(m.builtin), abs
    plain = g(X)
    monkeypatch.setattr(builtins, "abs", lambda x: 2 * before(x))
    np.testing.assert_allclose(g(X), 2 * plain)
    monkeypatch.undo()
    np.testing.assert_array_equal(g(X), plain)
    assert programs(g) == 2


def test_what_was_added_to_the_builtins(m, monkeypatch):
    monkeypatch.setattr(builtins, "outside_scale", 2.0, raising=False)
    g = grad(m.added_builtin)
    np.testing.assert_array_equal(g(X), [2.0] * 3)
    monkeypatch.setattr(builtins, "outside_scale", 5.0)
    np.testing.assert_array_equal(g(X), [5.0] * 3)
    assert programs(g) == 1


def test_closure_cells():
    def make():
        k, a = 2.0, np.ones(3)

        def f(x):
            return k * np.sum(a * x)

        def change(value):
            nonlocal k, a
            k, a = value, a + 1

        return f, change

    f, change = make()
    g = grad(f)
    g(X)
    change(5.0)
    np.testing.assert_allclose(g(X), [10.0, 10.0, 10.0])
    assert programs(g) == 1


@pytest.mark.parametrize("name", ["writes", "writes_array"])
def test_writes_to_what_outlives_the_call_are_done(m, name):
    grad(getattr(m, name), fallback="error")(X)
    left = m.log, m.table
    m.log, m.table = [], np.array([1.0, 2.0, 3.0])
    getattr(m, name)(X)
    assert left[0] == m.log
    np.testing.assert_array_equal(left[1], m.table)


def test_only_as_many_programs_as_are_useful(m):
    g = grad(m.branches, backend="numpy")
    for i in range(40):
        m.mode = str(i)
        g(X)
    assert programs(g) <= 16


def test_objects_that_call_themselves_equal():
    """Two arguments that compare equal may still hold different numbers."""

    class Same:
        def __init__(self, k):
            self.k = k

        def __eq__(self, other):
            return True

        def __hash__(self):
            return 1

    g = grad(lambda x, holder: np.sum(x) * holder[0].k)
    assert g(X, [Same(2.0)])[0] == 2.0
    assert g(X, [Same(3.0)])[0] == 3.0


def test_an_object_that_is_another_at_every_read():
    class Odd:
        @property
        def part(self):
            return lambda x: x * 2.0

        def __getattr__(self, name):
            return lambda x: x * 2.0

    odd = Odd()
    with pytest.warns(FallbackWarning, match="another object at every read"):
        found = grad(lambda x: np.sum(odd.anything(x)))(X)
    np.testing.assert_allclose(found, [2.0, 2.0, 2.0])
    with pytest.raises(StaleError):
        grad(lambda x: np.sum(odd.anything(x)), fallback="error")(X)


ROWS = Ellipsis


def labels_outside(x):
    """``Ellipsis`` is what it is, by the name that it has and by another."""
    m = x.reshape(2, 2)
    squares = np.einsum(m, [Ellipsis, 1], [Ellipsis]) * np.einsum(m, [ROWS, 1], [ROWS])
    return np.sum(squares) if NotImplemented is not None else 0.0


def test_singletons_are_constants(monkeypatch):
    derivative = grad(labels_outside, fallback="error")
    assert derivative(np.arange(4.0)).tolist() == [2.0, 2.0, 10.0, 10.0]
    monkeypatch.setitem(globals(), "ROWS", 0)
    assert derivative(np.arange(4.0)).tolist() == [2.0, 2.0, 10.0, 10.0]
