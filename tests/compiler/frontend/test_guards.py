"""Is every change of what compiled code depends on noticed, and nothing else?"""

import functools
import math
import timeit
import types

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.frontend.captures import Captures
from ast_ad.compiler.frontend.guards import Guard, Guards, Path


def helper(x, y=1, *, z=2):
    return x


def make(k):
    def f():
        return k

    def change(value):
        nonlocal k
        k = value

    return f, change


class Model:
    scale = 2.0


def test_paths_read_what_is_there_now():
    space = {"m": Model(), "d": {"a": [1, 2]}}
    path = Path.of_global(space, "m").attribute("scale")
    assert path.read() == 2.0 and str(path) == "m.scale" and path.identifier == "m_scale"
    space["m"].scale = 3.0
    assert path.read() == 3.0
    assert Path.of_global(space, "d").item("a").item(1).read() == 2
    f, change = make(1)
    cell = Path.of_cell(f.__closure__[0], "k")
    change(5)
    assert cell.read() == 5
    assert Path.of_default(helper, "y").read() == 1 and Path.of_default(helper, "z").read() == 2
    assert Path.of_module(np, "sin").read() is np.sin
    assert Path.of_argument(1, "model").attribute("scale").read((0, Model())) == 2.0


def test_paths_to_one_place_are_equal():
    one, two = {"a": 1}, {"a": 1}
    assert Path.of_global(one, "a") == Path.of_global(one, "a") != Path.of_global(two, "a")
    assert len({Path.of_argument(0, "x"), Path.of_argument(0, "x"), Path.of_argument(1, "x")}) == 2


@pytest.mark.parametrize(
    "old, new",
    [
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        ("a", "b"),
        (None, 0),
        ((1, 2), (1, 2.0)),
        (len, max),
        (Model, type("Model", (), {})),
        (np.float64, np.float32),
    ],
)
def test_changed_values(old, new):
    space = {"v": old}
    guards = Guards([Guard.value(Path.of_global(space, "v"), old)])
    assert guards.check() and guards.broken() is None
    space["v"] = new
    assert not guards.check() and "`v`" in str(guards.broken())
    space["v"] = old
    assert guards.check()
    del space["v"]
    assert not guards.check() and guards.broken() is not None


@pytest.mark.parametrize("value", [math.nan, "ab", (1, (2.5, "x")), 10**30, 1j])
def test_equal_constants_pass(value):
    space = {"v": value}
    guards = Guards([Guard.value(Path.of_global(space, "v"), value)])
    space["v"] = eval(repr(value), {"nan": math.nan * 1})
    assert guards.check()


def test_structure():
    space = {"d": {"a": 1, "b": 2}, "l": [1], "m": Model()}
    path = {name: Path.of_global(space, name) for name in space}
    guards = Guards([Guard.keys(path["d"], "ab"), Guard.length(path["l"], 1), Guard.type(path["m"], Model)])
    assert guards.check()
    for name, value in (("d", {"b": 2, "a": 1}), ("l", []), ("l", 3), ("m", object()), ("d", {})):
        before = space[name]
        space[name] = value
        assert not guards.check() and str(guards.broken()).startswith(f"`{name}`")
        space[name] = before
    assert guards.check()


def test_a_builtin_that_gets_shadowed():
    space = {}
    guards = Guards([Guard.missing(Path.of_global(space, "sum"))])
    assert guards.check()
    space["sum"] = len
    assert not guards.check()


def test_functions_changed_in_place():
    function = types.FunctionType(helper.__code__, {}, "h", (1,))
    guards = Guards([Guard.value(Path.of_global({"h": function}, "h"), function)])
    assert guards.check()
    function.__code__ = make.__code__
    assert not guards.check()
    function.__code__ = helper.__code__
    function.__defaults__ = (2,)
    assert not guards.check()


def test_a_users_function_that_looks_like_one_of_the_packages():
    function = functools.wraps(ast_ad.jacfwd)(types.FunctionType(helper.__code__, {}, "h", (1,)))
    assert function.__module__.startswith("ast_ad.")
    guards = Guards([Guard.value(Path.of_global({"h": function}, "h"), function)])
    assert guards.check()
    function.__code__ = make.__code__
    assert not guards.check()


def test_empty_cells_and_changed_cells():
    f, change = make(len)
    guards = Guards([Guard.value(Path.of_cell(f.__closure__[0], "k"), len)])
    assert guards.check()
    change(max)
    assert not guards.check()
    del f.__closure__[0].cell_contents
    assert not guards.check()


def test_arguments():
    guards = Guards([Guard.value(Path.of_argument(1, "m").attribute("scale"), 2.0)])
    model = Model()
    assert guards.check((0, model))
    model.scale = 1.0
    assert not guards.check((0, model)) and not guards.check(())


def test_duplicates_and_late_additions():
    space = {"a": len, "b": 1}
    guards = Guards([Guard.value(Path.of_global(space, "a"), len)] * 3)
    assert len(guards) == 1 and guards.check()
    guards.add(Guard.value(Path.of_global(space, "b"), 1))
    guards.add(Guard.value(Path.of_global(space, "b"), 1))
    assert len(guards) == 2 and guards.check()
    guards.add(Guard.value(Path.of_global(space, "b"), 2))  # it changed while the function was compiled
    assert not guards.check()
    assert Guards().check()


def test_captures():
    space = {"a": 1.0, "b": 2.0}
    captures = Captures()
    assert [captures.add(Path.of_global(space, name)) for name in "abab"] == [0, 1, 0, 1]
    space["b"] = 3.0
    assert captures.read() == [1.0, 3.0]
    del space["a"]
    with pytest.raises(KeyError):
        captures.read()


def test_many_guards_are_fast():
    space = {f"f{i}": object() for i in range(500)}
    guards = Guards(Guard.value(Path.of_global(space, name), value) for name, value in space.items())
    assert guards.check()
    seconds = min(timeit.repeat(guards.check, number=20, repeat=5)) / 20 / 500
    assert seconds < 1e-6  # 30 ns on an idle machine


def test_what_the_package_is_made_of_is_not_guarded():
    from ast_ad.operators import programs

    space = vars(programs)
    guards = Guards()
    guards.add(Guard.value(Path.of_global(space, "pulled"), programs.pulled))
    guards.add(Guard.value(Path.of_global(space, "np"), np))
    guards.add(Guard.missing(Path.of_global(space, "enumerate")))
    assert len(guards) == 0
    guards.add(Guard.value(Path.of_global(space, "number"), 2.0))  # data may be another one
    guards.add(Guard.value(Path.of_global(globals(), "helper"), helper))
    assert len(guards) == 5  # the second with its code and its defaults
