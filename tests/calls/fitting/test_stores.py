"""Does a derivative leave outside what the plain function leaves there, once for each call?"""

import threading
import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad.calls.fitting.kept_stores import Made
from tests.soundness import stores_by_code_cases  # noqa: F401  # whose cases are of the table, too
from tests.soundness.stores_cases import CASES, Box, vector

STEP = 1e-6


def picture(value, seen=None):
    """What a value is, to be compared: types, numbers, order of keys, and what is one and the same object."""
    seen = {} if seen is None else seen
    if isinstance(value, (bool, str, type(None))):
        return value
    if isinstance(value, (int, float, complex, np.generic)):
        return type(value).__name__, pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True)
    if isinstance(value, tuple):
        return ("tuple", *[picture(item, seen) for item in value])
    if id(value) in seen:
        return "again", seen[id(value)]
    seen[id(value)] = len(seen)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, [picture(v, seen) for v in value.ravel().tolist()]
    if isinstance(value, list):
        return [picture(item, seen) for item in value]
    content = value if isinstance(value, dict) else vars(value)
    return type(value).__qualname__, [(key, picture(item, seen)) for key, item in content.items()]


def attempt(function, args):
    """The value, or the class of what is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args)
        except Exception as error:
            return type(error)


def own(args):
    """The arguments of a plain call, which may write to them."""
    return [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]


def differences(make, number):
    """The gradient of a call, each run of which finds outside what the calls before have left."""

    def run(change):
        function, calls, _ = make()
        for args in calls[:number]:
            attempt(function, own(args))
        x, *rest = calls[number]
        return function(x + change, *rest)

    x = make()[1][number][0]
    if np.shape(x) == ():
        return (run(STEP) - run(-STEP)) / (2 * STEP)
    found = np.zeros_like(x)
    for i in range(x.size):
        found[i] = (run(STEP * np.eye(x.size)[i]) - run(-STEP * np.eye(x.size)[i])) / (2 * STEP)
    return found


@pytest.mark.drawn(of=86)
@pytest.mark.parametrize("check", ["0", "1", None])
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("name", CASES)
def test_left_behind(name, backend, check, monkeypatch):
    """Value, gradient, exception, and what is there afterwards, in three calls one after the other."""
    monkeypatch.delenv("AST_AD_CHECK", raising=False)
    if check is not None:
        monkeypatch.setenv("AST_AD_CHECK", check)
    make, compiled = CASES[name]
    plain, plain_calls, plain_state = make()
    function, calls, state = make()
    found = ast_ad.value_and_grad(function, backend=backend)
    states = []
    for args in plain_calls:
        states.append((attempt(plain, own(args)), picture(plain_state())))
    _ = make()  # what is global is as at first
    for number, (args, (expected, left)) in enumerate(zip(calls, states, strict=True)):
        given = np.copy(args[0])
        got = attempt(found, args)
        assert picture(state()) == left, f"call {number}"
        assert np.array_equal(given, args[0]), "the argument is as it was"
        if isinstance(expected, type):
            assert got is expected
            continue
        value, gradient = got
        assert picture(value) == picture(expected), f"call {number}"
        assert np.allclose(gradient, differences(make, number), rtol=1e-5, atol=1e-6), f"call {number}"
    if compiled and not isinstance(expected, type):
        assert found.mode == "compiled", found.explain()


def counted():
    """A function that stores in several ways, and what it stores to."""
    box = Box(n=0, last=0.5, log=[], buffer=np.zeros(3))

    def f(x):
        box.n += 1
        box.log.append(float(np.sum(x)))
        y = x * x * box.last
        box.last = float(y[0])
        box.buffer += x
        return np.sum(y * box.buffer)

    return f, box


def pulled(f):
    return lambda x: ast_ad.vjp(f, x)[1](1.0)[0]


def twice(f):
    return ast_ad.grad(lambda x: np.sum(ast_ad.grad(f)(x)))


def inside(f):
    def g(x):
        value, pullback = ast_ad.vjp(f, x)
        return value + np.sum(pullback(1.0)[0])

    return ast_ad.grad(g)


@pytest.mark.parametrize("check", ["0", "1"])
@pytest.mark.parametrize("operator", [ast_ad.grad, ast_ad.value_and_grad, pulled, twice, inside])
def test_once_for_each_call(operator, check, monkeypatch):
    monkeypatch.setenv("AST_AD_CHECK", check)
    (plain, expected), (f, box) = counted(), counted()
    derivative = operator(f)
    for _ in range(3):
        plain(vector())
        derivative(vector())
        assert picture(box) == picture(expected)


def test_a_pullback_keeps_what_was_there():
    f, box = counted()
    _, pullback = ast_ad.vjp(f, vector())
    before = pullback(1.0)
    f(vector(3.0, 4.0, 5.0))
    np.testing.assert_array_equal(pullback(1.0), before)


def test_nothing_is_stored_by_a_compilation():
    f, box = counted()
    found = ast_ad.inspect(f, vector())
    assert box.n == 0 and box.log == [] and found.mode == "compiled"
    assert (
        "Stored outside when a call has succeeded:\n  box.n\n  box.last\n  box.log\n  box.buffer"
        in found.explain()
    )


def test_threads_lose_nothing():
    box, d = Box(n=0, log=[]), {"n": 0}

    def f(x):
        box.n += 1
        d["n"] += 1
        box.log.append(1)
        return np.sum(x @ x)

    derivative, x = ast_ad.grad(f), np.ones((20, 20))
    threads = [threading.Thread(target=lambda: [derivative(x) for _ in range(100)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert box.n == d["n"] == len(box.log) == 400 and derivative.mode == "compiled"


def test_a_wrong_program_stores_nothing(monkeypatch):
    monkeypatch.setenv("AST_AD_CHECK", "1")
    right = Made.value
    monkeypatch.setattr(Made, "value", lambda self, structure: right(self, structure) + 1)
    box, d = Box(n=0), {"b": 0, "a": 0}

    def f(x):
        box.n += 1
        d["new"] = d.pop("b") + 1
        d["b"] = 5
        return x * x

    derivative = ast_ad.grad(f)
    with pytest.warns(ast_ad.errors.DefectWarning, match="what is left in `box.n` is 2, not 1"):
        derivative(0.5)
    assert box.n == 1 and d == {"a": 0, "new": 1, "b": 5} and list(d) == ["a", "new", "b"]
    assert derivative.mode == "fallback"


def test_what_makes_each_call_another_program_is_traced():
    box = Box(k=0)

    def f(x):
        box.k += 1
        return np.sum(x.reshape(-1, 1), axis=box.k % 2)[0] * sum(x * i for i in range(box.k))[0]

    derivative = ast_ad.grad(f)
    with pytest.warns(ast_ad.FallbackWarning, match="makes the next call another program"):
        for _ in range(9):
            derivative(vector())
    assert box.k == 9
