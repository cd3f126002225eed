"""A function that can't be compiled whole is compiled without the branches that no call has taken."""

import sys

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")


def strange(x):
    return float(str(sys._getframe().f_lineno)[0]) * 0.0 + np.sum(x) * 3.0  # no compiler follows frames


class Counted:
    calls = 0
    last = None


COUNTED = Counted()


def one_branch(x):
    total = np.sum(x**2)
    if x[0] > 5.0:
        total = total * strange(x)
    return total


def other_branch(x):
    if x[0] < 5.0:
        return np.sum(x**3)
    else:
        total = strange(x)
    return total * x[1]


def in_turns(x):
    total = 0.0
    for v in x:
        if v > 5.0:
            total = total + strange(x)
        elif v > 0.0:
            total = total + v * v
        else:
            total = total - v
    return total


def texts(x):
    kind = ""
    if x[0] and x[1]:
        kind = "TP"
    elif x[0]:
        kind = "T"
    return np.sum(x * x) if kind[0] == "T" and kind[1] == "P" else np.sum(x) * 2.0


def structures(x):
    if x[0] < 5.0:
        parts = {"a": x}
    else:
        parts = [x, x]
    return np.sum(parts["a"] ** 3) if isinstance(parts, dict) else np.sum(parts[0]) * 4.0


def within_try(x):
    try:
        if x[0] > 5.0:
            return strange(x)
        return np.sum(x * 3.0 * x)
    except Exception:
        return np.sum(x) * 7.0


def stores(x):
    COUNTED.calls += 1
    if x[0] > 5.0:
        COUNTED.last = strange(x)
    return np.sum(x**2) * 1.5


def in_a_call(x):
    return one_branch(x * 0.5) + structures(x)


def generated(x):
    def parts():
        for v in x:
            if v > 5.0:
                yield strange(x) * v
            yield v * v

    return sum(parts())


def late(x):
    total = np.sum(np.sin(x))
    while total > 0.5:
        total = total * 0.5
        if total > 0.9:
            total = total + strange(x) * 0.01
    return total


def in_a_handler(x):
    try:
        if x[0] > 5.0:
            raise ValueError
        total = np.sum(x**2)
    except ValueError:
        total = strange(x)
    return total * x[1]


PROGRAMS = [
    one_branch, other_branch, in_turns, texts, structures, within_try, stores, in_a_call, generated, late,
    in_a_handler,
]  # fmt: skip
USUAL, RARE = np.array([1.5, -0.5]), np.array([6.5, 0.25])


def checked(derivative, f, x):
    before = COUNTED.calls
    value, gradient = derivative(x)
    assert COUNTED.calls == before + (f is stores)
    assert value == pytest.approx(f(x), rel=1e-12)
    assert gradient == pytest.approx([(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(2)], rel=1e-6)


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_second_call_is_compiled(f, backend):
    derivative = ast_ad.value_and_grad(f, backend=backend)
    checked(derivative, f, USUAL)
    assert derivative.mode == "fallback"
    for x in (USUAL, USUAL * 0.9):
        checked(derivative, f, x)
        assert derivative.mode == "compiled"
    assert "Branches that no call has taken" in derivative.explain()
    for x in (RARE, USUAL, RARE, USUAL):  # what was left out is traced, and right
        checked(derivative, f, x)
    assert derivative.mode == "compiled"


def test_a_branch_that_can_be_compiled_is_added():
    def f(x):
        if x[0] > 5.0:
            return strange(x)
        if x[0] > 0.0:
            return np.sum(x**2)
        return np.sum(x**3)

    derivative, modes = ast_ad.value_and_grad(f), []
    for sign in (1.0, 1.0, -1.0, -1.0, 1.0, -1.0):
        checked(derivative, f, sign * USUAL)
        modes.append(derivative.mode)
    assert modes == ["fallback", "compiled", "fallback", "compiled", "compiled", "compiled"]


def test_what_calls_do_is_refused_once():
    """Where the branches that are taken can't be compiled, no call but the second one tries."""

    def f(x):
        if x[0] > 100.0:
            return np.sum(x)
        return strange(x) * x[0]

    derivative = ast_ad.value_and_grad(f)
    for _ in range(3):
        checked(derivative, f, USUAL)
        assert derivative.mode == "fallback"
    (program,) = derivative._programs[next(iter(derivative._programs))]
    derivative(USUAL)
    assert derivative._programs[next(iter(derivative._programs))] == [program]


def test_other_debuggers_keep_their_events():
    events = []

    def note(frame, event, _):
        events.append(event)

    derivative = ast_ad.value_and_grad(one_branch)
    sys.settrace(note)
    try:
        derivative(USUAL)
        assert sys.gettrace() is note
        derivative(USUAL)
    finally:
        sys.settrace(None)
    assert derivative.mode == "fallback" and events


def test_errors_where_tracing_is_forbidden():
    with pytest.raises(ast_ad.AdError, match="strange|_getframe|f_lineno"):
        ast_ad.grad(one_branch, fallback="error")(USUAL)
