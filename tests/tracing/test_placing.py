"""Do all names mean after a trace what they meant before, but for what the user has changed meanwhile?

Whether a trace is alone, one of several, within another, or fails.
"""

import builtins
import itertools
import json
import math
import sys
import threading
import types

import numpy as np
import pytest

import ast_ad
from ast_ad.tracing import patches

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
_counter = itertools.count()
X = 0.5


def meanings():
    """What each name of each module means, and json's and builtin ones among them."""
    modules = {id(vars(m)): vars(m) for m in list(sys.modules.values()) if type(m) is types.ModuleType}
    return {(id(space), name): value for space in modules.values() for name, value in list(space.items())}


def changed(before):
    """The names that mean something else; libraries that count or measure something change their numbers."""
    after, gone = meanings(), object()
    pairs = {
        (space, name): (before.get((space, name), gone), after.get((space, name), gone))
        for space, name in {**before, **after}
    }
    return {
        name
        for (_, name), (old, new) in pairs.items()
        if old is not new and not (isinstance(old, int | float) and isinstance(new, int | float))
    }


def module_of(source):
    module = types.ModuleType(f"placed_{next(_counter)}")
    module.sys = sys
    sys.modules[module.__name__] = module
    exec(
        "import math, json, builtins\nfrom math import exp, sin\nimport numpy as np\n" + source, vars(module)
    )
    return module


@pytest.fixture
def derivative():
    """Of a function that is traced, warmed, so that its places are known."""

    def make(source):
        module = module_of(source)
        found = ast_ad.value_and_grad(module.f)
        found(X), found(X)
        return module, found

    yield make
    assert not patches._held
    assert patches._Alone.whole is None


OUTER = """
inner = None
def f(x):
    sys._getframe()
    y = inner(2.0)[1] if inner else 1.0
    return y * exp(x)
"""
PLAIN = "def f(x, inside=None):\n    sys._getframe()\n    return exp(x)\n"


def test_nothing_is_left(derivative):
    module, of = derivative(PLAIN)
    before = meanings()
    assert of(X) == (math.exp(X), math.exp(X))
    assert not changed(before)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, GeneratorExit])
def test_nothing_is_left_by_what_fails(kind, derivative):
    module, of = derivative(
        "fail = []\ndef f(x):\n    sys._getframe()\n    if fail: raise fail[0]\n    return exp(x)\n"
    )
    module.fail.append(kind())
    before = meanings()
    with pytest.raises(kind):
        of(X)
    assert not changed(before)
    module.fail.clear()
    assert of(X) == (math.exp(X), math.exp(X))


STORES = {
    "rebound": ("exp = sin", {"exp"}),
    "deleted": ("del exp", {"exp"}),
    "a builtin name": ("float = int", {"float"}),
    "and deleted": ("del float", set()),
    "a module": ("np = math", {"np"}),
    "another": ("other = 3", {"other"}),
    "json's": ("json.dumps = max", {"dumps"}),
    "the import": ("builtins.__import__ = max", {"__import__"}),
}


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("case", STORES)
def test_what_the_function_stores_stays(case, derivative, monkeypatch):
    store, names = STORES[case]
    source = "now = []\ndef f(x):\n    global exp, float, np, other\n    y = exp(x)\n"
    source += f"    if now:\n        {store}\n"
    module, of = derivative(source + "    sys._getframe()\n    return y\n")
    monkeypatch.setattr(json, "dumps", json.dumps)
    monkeypatch.setattr(builtins, "__import__", builtins.__import__)
    module.now.append(1)
    before = meanings()
    found = of(X)
    stored = changed(before)
    monkeypatch.undo()  # what tells of failures imports
    assert found == (math.exp(X), math.exp(X))
    assert stored == names


def test_what_is_patched_between_calls_is_called(derivative, monkeypatch):
    source = "def f(x):\n    sys._getframe()\n    import math as m\n    json.dumps(1)\n    return m.exp(x)\n"
    module, of = derivative(source)
    seen = []
    dumps, plain = json.dumps, builtins.__import__

    def dumped(value):
        seen.append("dumps")
        return dumps(value)

    def imported(*args, **kwargs):
        seen.append(args[0])
        return plain(*args, **kwargs)

    monkeypatch.setattr(json, "dumps", dumped)
    monkeypatch.setattr(builtins, "__import__", imported)
    before = meanings()
    for _ in range(2):
        seen.clear()
        assert of(X) == (math.exp(X), math.exp(X))
        assert seen.count("dumps") == 1
        assert "math" in seen
    assert not changed(before)


def test_a_trace_within_a_trace(derivative):
    inner, of_inner = derivative(PLAIN)
    module, of = derivative(OUTER)
    module.inner = of_inner
    before = meanings()
    for _ in range(3):
        assert of(X) == (math.exp(2.0) * math.exp(X),) * 2
    assert not changed(before)
    module.inner = of  # and of itself

    def once(x):
        module.inner = None
        return of(x)

    module.inner = once
    assert of(X) == (math.exp(2.0) * math.exp(X),) * 2
    assert changed(before) == {"inner"}


def test_what_an_inner_trace_stores_stays(derivative):
    """The first trace had put its names alone."""
    inner, of_inner = derivative(
        "other = None\ndef f(x):\n    sys._getframe()\n    if other: other.exp = sin\n    return exp(x)\n"
    )
    module, of = derivative(OUTER)
    inner.other, module.inner = module, of_inner
    before = meanings()
    assert of(X) == pytest.approx((math.exp(2.0) * math.sin(X), math.exp(2.0) * math.cos(X)))
    assert changed(before) == {"exp"}


def test_modules_that_are_loaded_meanwhile(derivative, tmp_path, monkeypatch):
    name = f"loaded_{next(_counter)}"
    (tmp_path / f"{name}.py").write_text("from math import exp\ndef g(x):\n    return exp(x)\n")
    monkeypatch.syspath_prepend(tmp_path)
    module, of = derivative(
        "name = 'math'\ndef f(x):\n    sys._getframe()\n"
        "    m = __import__(name)\n    return getattr(m, 'g', exp)(x)\n"
    )
    module.name = name
    before = meanings()
    assert of(X) == (math.exp(X), math.exp(X))
    here = sys.modules[name]
    assert here.exp is math.exp
    assert "float" not in vars(here)
    assert {n for n in changed(before) if n not in vars(here)} <= {name}


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("same", [True, False])
def test_traces_of_two_threads(first, same, derivative):
    """Both are under way together; one ends, and the other goes on."""
    source = "wait = None\ndef f(x):\n    sys._getframe()\n    y = exp(x)\n    if wait: wait(y)\n"
    source += "    return y * exp(x) + float(sin(x))\n"
    modules, of = zip(*(derivative(source) for _ in range(2)), strict=True)
    of = (of[0], of[0]) if same else of
    before, entered, ended = meanings(), threading.Barrier(2), threading.Event()
    found = {}

    def wait(_):
        entered.wait(30)
        if threading.current_thread().name != str(first):
            assert ended.wait(30)

    for module in modules:
        module.wait = wait

    def run(at):
        found[at] = of[at](X)
        if at == first:
            ended.set()

    threads = [threading.Thread(target=run, args=(at,), name=str(at)) for at in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    expected = math.exp(2 * X) + math.sin(X), 2 * math.exp(2 * X) + math.cos(X)
    assert found[0] == pytest.approx(expected)
    assert found[1] == pytest.approx(expected)
    assert changed(before) <= {"wait"}


def test_a_thread_that_stores_while_another_traces(derivative):
    source = "wait = None\ndef f(x):\n    sys._getframe()\n    if wait: wait()\n    return exp(x)\n"
    module, of = derivative(source)

    def wait():
        def store():
            module.sin = max

        other = threading.Thread(target=store)
        other.start()
        other.join()

    module.wait = wait
    before = meanings()
    assert of(X) == (math.exp(X), math.exp(X))
    assert changed(before) == {"sin"}


def test_a_variable_of_the_function_around(derivative):
    source = "def outer():\n    call = exp\n    def f(x, now=[]):\n"
    source += "        nonlocal call\n        sys._getframe()\n"
    source += "        y = call(x)\n        if now: call = sin\n        return y\n    return f\nf = outer()\n"
    module, of = derivative(source)
    cell = module.f.__closure__[0]
    assert of(X) == (math.exp(X), math.exp(X))
    assert cell.cell_contents is math.exp
    module.f.__defaults__[0].append(1)
    assert of(X) == (math.exp(X), math.exp(X))
    assert cell.cell_contents == math.sin
    assert of(X) == (math.sin(X), math.cos(X))


def test_names_of_objects_and_dicts(derivative):
    source = (
        "class Box: pass\nbox, table = Box(), {'f': exp}\nbox.call = exp\ndef f(x):\n    sys._getframe()\n"
    )
    module, of = derivative(source + "    return box.call(x) + table['f'](x)\n")
    before = dict(vars(module.box)), dict(module.table)
    assert of(X) == (2 * math.exp(X), 2 * math.exp(X))
    assert (dict(vars(module.box)), dict(module.table)) == before
    assert module.box.call is math.exp
    assert module.table["f"] is math.exp


def test_a_function_that_comes_from_elsewhere(derivative):
    """An argument that has code leads to other modules each time."""
    module, of = derivative("def f(x, call=None):\n    sys._getframe()\n    return (call or exp)(x)\n")
    helper = module_of("def g(x):\n    return exp(x) * 2.0\n")
    before = meanings()
    assert of(X, helper.g) == (2 * math.exp(X), 2 * math.exp(X))
    assert of(X) == (math.exp(X), math.exp(X))
    assert not changed(before)


def test_results_are_those_of_a_walk(derivative):
    """What was put as a whole and what is counted are the same names."""
    module, of = derivative(PLAIN)
    seen = []
    module.exp = lambda x: seen.append({k: v for k, v in vars(module).items()}) or np.exp(x)
    of(X)
    with patches._lock:
        patches._held[(0, "")] = 1, None, None  # another trace
    try:
        of(X)
    finally:
        del patches._held[(0, "")]
    assert seen[0].keys() == seen[1].keys()
    assert all(type(seen[0][k]) is type(seen[1][k]) for k in seen[0])
