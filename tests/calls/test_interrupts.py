"""A time limit reaches the user, whatever ran when its alarm went off."""

import ast
import functools
import importlib.util
import itertools
import signal
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import ast_ad
from ast_ad import value_and_grad
from ast_ad.calls.code import Pure, kernels_or_why
from ast_ad.compiler.report import Report
from ast_ad.interrupts import let_through
from tests.compiler.checking import primal

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="this system has no alarms that count a process' own time"
)


class Limit(Exception):
    """No more time."""


def ring(*_):
    raise Limit("time is up")


class Bell:
    """A handler that counts."""

    times = 0

    def __call__(self, *_):
        self.times += 1
        raise Limit("time is up")

    def method(self, *_):
        raise Limit("time is up")


@pytest.fixture
def handled():
    """Sets the handler of SIGVTALRM for a test."""
    before = signal.getsignal(signal.SIGVTALRM)
    yield functools.partial(signal.signal, signal.SIGVTALRM)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("handler", [ring, Bell(), Bell().method, functools.partial(ring, 1)])
def test_what_a_handler_raises_goes_on(handled, handler):
    handled(handler)
    with pytest.raises(Limit):
        try:
            signal.raise_signal(signal.SIGVTALRM)
        except Exception as error:
            let_through(error)


def test_other_exceptions_are_the_catchers(handled):
    handled(ring)
    try:
        raise Limit("by the function itself")
    except Limit as error:
        let_through(error)
        let_through(error, causes=True)


def test_what_was_put_in_its_place_is_the_functions_own_unless_a_library_did_it(handled):
    handled(ring)

    def library():
        try:
            signal.raise_signal(signal.SIGVTALRM)
        except Limit:
            raise ValueError("too long") from None

    try:
        library()
    except ValueError as error:
        let_through(error)
        with pytest.raises(Limit):
            let_through(error, causes=True)


def test_a_limit_that_is_being_handled_is_no_cause(handled):
    """It is the context of all that fails while it is, and of what that was made of."""
    handled(ring)
    try:
        signal.raise_signal(signal.SIGVTALRM)
    except Limit:
        try:
            try:
                raise KeyError("within a library")
            except KeyError as inner:
                raise ValueError("as the library tells it") from inner
        except ValueError as error:
            let_through(error, causes=True)


def test_other_threads_have_no_handlers(handled):
    handled(ring)
    raised = []

    def work():
        try:
            ring()
        except Limit as error:
            try:
                let_through(error)
            except Limit as again:
                raised.append(again)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not raised


def test_the_kernels_compiler_is_not_blamed(handled):
    handled(ring)

    def compiled(*_, **__):
        signal.raise_signal(signal.SIGVTALRM)

    with pytest.raises(Limit):
        kernels_or_why(compiled, Pure(primal(lambda x: x * x, 2.0), (), ()), Report())


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_code_that_was_interrupted_has_not_failed(handled, backend):
    if backend == "numba":
        pytest.importorskip("numba")
    handled(ring)
    derivative = value_and_grad(lambda x: x * x, backend=backend)
    derivative(2.0)
    program, _ = derivative._prepare((2.0,), {})
    try:
        signal.raise_signal(signal.SIGVTALRM)
    except Limit as error:
        problem = error
    with pytest.raises(Limit):
        program.failed([2.0], problem)
    assert derivative(2.0) == (4.0, 4.0)


TEXT = """
import numpy as np


def function(x, a):
    y, total = x, 0.0
    for i in range(3):
        y = np.tanh(a @ y) + 0.1 * np.sin(y) * i
        if y[0] > 0.3:
            y = y * 0.5
        total += np.sum(y**2)
    return total
"""


def handlers(folder):
    """The clauses that catch any exception."""
    for path in sorted(Path(ast_ad.__file__).parent.joinpath(folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Name):
                if node.type.id == "Exception":
                    yield f"{path.name}:{node.lineno}", ast.unparse(node.body[0])


@pytest.mark.parametrize("folder", ["calls", "compiler/frontend"])
def test_whoever_catches_anything_asks(folder):
    caught = dict(handlers(folder))
    assert len(caught) > 10
    again = {place: first for place, first in caught.items() if "let_through(" not in first}
    of_a_call = {place for place in again if place.startswith("program.py")}  # ``failed`` asks, next
    assert len(of_a_call) == (folder == "calls")
    assert again.keys() == of_a_call, again


def made_anew(folder, number):
    """A function that nobody has compiled yet."""
    path = folder / f"made_anew_{number}.py"
    path.write_text(TEXT)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.function


@pytest.fixture
def swallowed(monkeypatch):
    """The limits that Python itself reports and drops: in callbacks of weak references, and in `__del__`."""
    limits, others = [], sys.unraisablehook

    def hook(report):
        if isinstance(report.exc_value, Limit):
            limits.append(str(report.exc_value))
        else:
            others(report)

    monkeypatch.setattr(sys, "unraisablehook", hook)
    return limits


def test_a_limit_ends_a_first_call_wherever_it_is_and_the_next_call_is_right(handled, swallowed, tmp_path):
    bell = Bell()
    handled(bell)
    x, a = np.array([0.1, 0.2]), np.array([[0.3, 0.1], [0.2, 0.4]])
    want = value_and_grad(made_anew(tmp_path, 0), check=False)(x, a)
    seen = 0
    for milliseconds in itertools.count(1, 7):
        derivative = value_and_grad(made_anew(tmp_path, milliseconds))
        before = bell.times
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, milliseconds / 1000)
            derivative(x, a)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        except Limit:
            seen += 1
        assert seen + len(swallowed) == bell.times, "a limit was lost"
        if bell.times == before:
            break
        value, bar = derivative(x, a)
        np.testing.assert_array_equal(value, want[0])
        np.testing.assert_array_equal(bar, want[1])
        assert derivative.mode == "compiled"
    assert seen
