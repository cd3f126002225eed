"""Does a derivative leave outside what the plain function leaves there, once for each call?"""

import warnings

import numpy as np
import pytest

import ast_ad

from .soundness.stores_cases import CASES

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
    if not isinstance(expected, type):
        assert (found.mode == "compiled") == compiled, found.explain()
