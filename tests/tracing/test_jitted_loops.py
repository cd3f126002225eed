"""Is a loop that Numba compiles one operation of a trace, where it may be, and right in any case?"""

import math
import warnings

import numba
import numpy as np
import pytest

import ast_ad
from ast_ad.calls import compiled_pullbacks, pipeline
from ast_ad.errors import DefectWarning
from ast_ad.tracing import jitted_loops
from ast_ad.tracing.recorder import trace

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.3, 0.8, 0.5, 1.1])
SCALE = np.array([1.0, 2.0, 0.5])


@numba.njit
def recurrence(x, n):
    s = 0.0
    for i in range(n):
        a = x[i % 4] * 0.5
        s = s * 0.9 + math.sin(a) * a
    return s


@numba.njit
def moments(x, scale):
    first, rows = 0.0, np.zeros((2, x.shape[0]))
    for i in range(x.shape[0]):
        first += x[i] * scale
        rows[0, i] = x[i] ** 2
        rows[1, i] = math.exp(x[i]) * SCALE[i % 3]
    return first, rows


@numba.njit
def until(x):
    s, turns = x[0], 0
    while s < 20.0 and turns < 100:
        s = s * 1.5 + x[1]
        turns += 1
    return s, turns


@numba.njit
def written(x, out):
    for i in range(x.shape[0]):
        out[i] = x[i] ** 2
    return out[0]


@numba.njit
def returned(x):
    for i in range(3):
        if x[i] > 100.0:
            return x * 2.0
    return x


@numba.njit
def drawn(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * np.random.normal()
    return s


@numba.njit
def raising(x):
    for i in range(x.shape[0]):
        if x[i] < 0.0:
            raise ValueError("negative")
    return x[0] * x[1]


@numba.njit
def of_layers(x, source, receiver, mode):
    first, last = min([source, receiver]) + 0, max([source, receiver]) + 0
    s = 0.0
    for i in range(first, last + 1):
        if mode in [1, 2]:
            s += math.exp(x[i]) * mode
        elif mode == 3:
            s -= x[i] ** 2
    return s


def followed(x):
    eval("1")  # what no compiler follows
    return x


def programs():
    def two_results(x):
        first, rows = moments(followed(x), x[1])
        return first * np.sum(rows**2)

    def of_a_view(x):
        return recurrence((followed(x) * 2.0)[::-1], 30) * np.sum(x)

    def twice(x):
        return recurrence(followed(x), 10) ** 2 + recurrence(x * x, 11)

    def as_long_as_needed(x):
        value, turns = until(followed(x))
        return value * turns

    def into_an_array(x):
        out = np.zeros(4)
        first = written(followed(x), out)
        return first + np.sum(out * x)

    def the_argument_itself(x):
        y = followed(x) * 1.0
        same = returned(y)
        y[0] = x[1] ** 2  # seen in what was returned
        return np.sum(same * x)

    return [two_results, of_a_view, twice, as_long_as_needed, into_an_array, the_argument_itself]  # fmt: skip


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("function", programs(), ids=lambda f: f.__name__)
def test_gradients(function):
    value, gradient = ast_ad.value_and_grad(function)(X)
    np.testing.assert_allclose(value, function(X), rtol=1e-13)
    wanted = [(function(X + d) - function(X - d)) / 2e-6 for d in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-7)
    slope = ast_ad.grad(function)
    wanted = [(slope(X + d) - slope(X - d)) / 2e-6 for d in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(ast_ad.hessian(function)(X), wanted, rtol=1e-5, atol=1e-6)


def test_operations_are_not_counted_by_turns(monkeypatch):
    answers = []
    ast_ad.grad(lambda x: recurrence(followed(x), 5))(X)  # opens the door
    compiled = jitted_loops._compilers[0]

    def noted(*call):
        answers.append(compiled(*call))
        return answers[-1]

    monkeypatch.setattr(jitted_loops, "_compilers", [noted])
    ast_ad.grad(lambda x: recurrence(followed(x), 5000) + np.sum(moments(x, 2.0)[1]))(X)
    assert len(answers) == 2 and jitted_loops.TRACED not in answers
    answers.clear()
    ast_ad.grad(lambda x: written(followed(x), np.zeros(4)))(X)
    ast_ad.grad(lambda x: np.sum(returned(followed(x))))(X)
    assert answers == [jitted_loops.TRACED] * 2


def test_exceptions_are_the_functions_own():
    with pytest.raises(ValueError, match="negative"):
        ast_ad.grad(lambda x: raising(followed(x)))(-X)
    np.testing.assert_allclose(ast_ad.grad(lambda x: raising(followed(x)))(X), [X[1], X[0], 0, 0])


def test_what_draws_is_traced():
    np.random.seed(3)
    draws = np.random.normal(size=4)
    np.random.seed(3)
    np.testing.assert_allclose(ast_ad.grad(lambda x: drawn(followed(x)))(X), draws)


def test_other_types_and_lengths():
    derivative = ast_ad.grad(lambda x: recurrence(followed(x), 12))
    np.testing.assert_allclose(derivative(X.astype(np.float32)), derivative(X), rtol=1e-4)
    assert derivative(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(derivative(np.concatenate([X, X]))[:4], derivative(X))


def test_ints_and_arrays_without_axes(monkeypatch):
    answers = []
    ast_ad.grad(lambda x: recurrence(followed(x), 5))(X)  # opens the door
    compiled = jitted_loops._compilers[0]
    monkeypatch.setattr(
        jitted_loops, "_compilers", [lambda *call: answers.append(compiled(*call)) or answers[-1]]
    )

    def layered(x, source, receiver, mode):
        return of_layers(followed(x), np.array(source), np.array(receiver), mode)

    derivative = ast_ad.value_and_grad(layered)
    for call in ((1, 3, 2), (1, 3, 2), (2, 0, 3), (1, 3, 1), (0, 0, 5)):  # the first is compiled for its ints
        value, gradient = derivative(X, *call)
        wanted = of_layers(X, *call)
        slopes = [(of_layers(X + d, *call) - of_layers(X - d, *call)) / 2e-6 for d in 1e-6 * np.eye(4)]
        np.testing.assert_allclose(value, wanted, rtol=1e-13)
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-8)
    assert len(answers) == 5 and jitted_loops.TRACED not in answers


def test_an_array_without_axes_that_is_written_is_no_number():
    @numba.njit
    def counted(x, total):
        for i in range(x.shape[0]):
            total[()] = total[()] + x[i] ** 2
        return x[0]

    def f(x):
        total = np.array(0.0)
        return counted(followed(x), total) * total

    x = np.array([0.5, 1.5])
    np.testing.assert_allclose(ast_ad.grad(f)(x), [2.5 + 0.5, 1.5])


def test_what_a_loop_raises_is_raised_and_later_calls_are_compiled():
    @numba.njit
    def bounded(x):
        total = 0.0
        for i in range(x.shape[0]):
            if x[i] > 2.0:
                raise ValueError("too large")
            total += x[i] ** 3
        return total

    derivative = ast_ad.grad(lambda x: bounded(followed(x)))
    for _ in range(2):
        np.testing.assert_allclose(derivative(np.array([0.5, 1.0])), [0.75, 3.0])
        with pytest.raises(ValueError, match="too large"):
            derivative(np.array([0.5, 3.0]))


# ----- failures of ours
def failing(*args, **kwargs):
    raise KeyError("boom")


def fresh_loop():
    @numba.njit
    def decayed(x):
        total = 0.0
        for i in range(x.shape[0]):
            total = total * 0.5 + x[i] ** 2
        return total

    return decayed, np.array([0.25, 0.5, 1.0]) * np.array([0.5, 1.5, 2.0]) * 2


@pytest.mark.parametrize("where", [(pipeline, "lower"), (pipeline, "emit_module")])
def test_a_failure_of_the_compiler_is_told_once_and_the_loop_traced(where, monkeypatch):
    decayed, wanted = fresh_loop()
    monkeypatch.setattr(*where, failing)
    x = np.array([0.5, 1.5, 2.0])
    with pytest.warns(DefectWarning, match=r"`decayed`.*E901.*KeyError: 'boom'.*please report it"):
        pullback = trace(decayed_of := lambda x: decayed(followed(x)), (x,), {}, (0,))[1]
    np.testing.assert_allclose(pullback([1.0])[0], wanted)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DefectWarning)
        np.testing.assert_allclose(trace(decayed_of, (x,), {}, (0,))[1]([1.0])[0], wanted)


def test_a_program_of_a_loop_that_raises_what_the_loop_does_not(monkeypatch):
    decayed, wanted = fresh_loop()
    monkeypatch.setattr(compiled_pullbacks, "compiled_vjp", failing)
    with pytest.warns(DefectWarning, match=r"the program of `decayed` raised KeyError: 'boom'"):
        gradient = ast_ad.grad(lambda x: decayed(followed(x)))(np.array([0.5, 1.5, 2.0]))
    np.testing.assert_allclose(gradient, wanted)


def test_what_a_loop_raises_is_no_failure_of_ours():
    derivative = ast_ad.grad(lambda x: raising(followed(x)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", DefectWarning)
        with pytest.raises(ValueError, match="negative"):
            derivative(-X)
