"""Does an exception of ours never reach the user, and one of the user's own come through as it is?"""

import gc
import math
import time
import types
import warnings
import weakref
from collections import deque, namedtuple

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import pipeline, questions
from ast_ad.compiler.emit import python as emission
from ast_ad.compiler.frontend.callables.calls import is_foldable, may_be_tried
from ast_ad.errors import DefectWarning, FallbackWarning, InternalError, UnsupportedError
from ast_ad.tracing.argument_copies import copied

X = np.array([0.5, 1.5])


def fails(*args, **kwargs):
    raise KeyError("boom")


def gradient_of(function, *args, **options):
    found = ast_ad.grad(function, backend="numpy", **options)
    return found, found(*args)


# ----- what the compiler raises
@pytest.mark.parametrize("stage", [(questions, "adjoint"), (pipeline, "lower"), (questions, "scalar_result")])
def test_an_error_of_the_compiler_is_traced_and_told(stage, monkeypatch):
    def loss(x):
        return np.sum(np.sin(x) * x)

    monkeypatch.setattr(*stage, fails)
    with pytest.warns(DefectWarning, match=r"E901.*KeyError: 'boom'.*please report it.*NumPy") as told:
        gradient, found = gradient_of(loss, X)
    np.testing.assert_allclose(found, np.cos(X) * X + np.sin(X))
    assert gradient.mode == "fallback" and "E901" in gradient.explain()
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once
        gradient(X)


def test_an_error_of_the_emission_is_traced_and_told(monkeypatch):
    monkeypatch.setattr(pipeline, "emit_module", fails)
    with pytest.warns(DefectWarning, match="E901"):
        gradient, found = gradient_of(lambda x: np.sum(x * x), X)
    np.testing.assert_allclose(found, 2 * X)
    assert gradient.mode == "fallback"
    assert emission.emit_module is not fails


@pytest.mark.parametrize("error", [KeyError, IndexError, TypeError, AssertionError, RecursionError])
def test_fallback_error_raises_an_error_of_ours(error, monkeypatch):
    def raises(*args, **kwargs):
        raise error("boom")

    monkeypatch.setattr(questions, "adjoint", raises)
    with pytest.raises(InternalError, match=r"E901.*boom") as caught:
        ast_ad.grad(lambda x: x * x, fallback="error")(2.0)
    assert type(caught.value.__cause__) is error


def test_pullbacks_too(monkeypatch):
    monkeypatch.setattr(pipeline, "split", fails)
    with pytest.warns(DefectWarning, match="E901"):
        value, pullback = ast_ad.vjp(lambda x: x * x, X)
    np.testing.assert_allclose(pullback(np.ones(2))[0], 2 * X)


def test_the_two_halves_of_a_program(monkeypatch):
    gradient, _ = gradient_of(lambda x: np.sum(x * x), X)
    monkeypatch.setattr(pipeline, "split", fails)
    with pytest.raises(InternalError, match="KeyError"):
        _ = gradient.forward_source


# ----- what a program raises
def broken(gradient, error):
    """Let the program that ran last raise from now on."""

    def run(*args):
        raise error

    gradient._last.code.run = run
    gradient._last.forget()
    gradient._use(None)


@pytest.mark.parametrize("calls", [1, 3])
def test_a_program_that_raises_what_the_function_does_not(calls):
    def loss(x):
        return np.sum(x * x)

    gradient, _ = gradient_of(loss, X)
    for _ in range(calls):
        gradient(X)
    broken(gradient, ValueError("operands could not be broadcast"))
    with pytest.warns(DefectWarning, match=r"raised ValueError.*the function raises nothing.*report"):
        np.testing.assert_allclose(gradient(X), 2 * X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(gradient(X), 2 * X)
    assert gradient.mode == "fallback"


def test_a_program_that_raises_another_error():
    def pick(x, i):
        return x[i] * x[i]

    gradient, _ = gradient_of(pick, X, 1)
    broken(gradient, TypeError("NoneType"))
    with pytest.raises(IndexError):
        gradient(X, 5)


def test_with_fallback_error_a_program_that_raises_is_an_error_of_ours():
    gradient, _ = gradient_of(lambda x: np.sum(x * x), X, fallback="error")
    broken(gradient, ValueError("broadcast"))
    with pytest.raises(InternalError, match="E901") as caught:
        gradient(X)
    assert type(caught.value.__cause__) is ValueError


def test_an_exception_of_the_users_own_comes_through():
    def pick(x, i):
        if i > 5:
            raise RuntimeError("too far")
        return x[i] * x[i]

    gradient = ast_ad.grad(pick, backend="numpy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(4):
            gradient(X, 1)
            with pytest.raises(IndexError) as caught:
                gradient(X, 2)
            assert any("line" in note for note in caught.value.__notes__)
            with pytest.raises(RuntimeError, match="too far"):
                gradient(X, 6)
    assert gradient.mode == "compiled"


def test_a_program_that_prints_is_not_run_again(capsys):
    def loud(x, i):
        print("here")
        return x[i]

    gradient, _ = gradient_of(loud, X, 0)
    with pytest.raises(IndexError):
        gradient(X, 3)
    assert capsys.readouterr().out.count("here") == 2


# ----- what is not called to learn what it returns
def test_compiled_functions_without_a_rule_are_not_called_with_made_up_arguments():
    fitpack = pytest.importorskip("scipy.interpolate._dfitpack")
    assert not may_be_tried(fitpack.splev, "") and not is_foldable(fitpack.splev, "")
    assert not may_be_tried(time.time, "time") and not is_foldable(time.time, "time")
    assert not is_foldable(print, "builtins") and not is_foldable([].append, "builtins")
    assert may_be_tried(math.hypot, "math") and is_foldable("".join, "builtins")


def test_splines_of_fitpack():
    interpolate = pytest.importorskip("scipy.interpolate")
    t, c, k = interpolate.splrep(np.arange(10.0), np.arange(10.0) ** 2)

    def loss(x, t, c):
        return x * interpolate.splev(3.5, (t, c, 3))

    np.testing.assert_allclose(ast_ad.grad(loss)(2.0, t, c), 12.25)


HISTORY: deque[float] = deque()


def test_methods_that_change_something_are_not_called_by_the_compiler():
    def loss(x):
        HISTORY.append(1.0)
        return x * x

    gradient = ast_ad.grad(loss)
    with pytest.warns(FallbackWarning):
        for _ in range(4):
            gradient(2.0)
    assert len(HISTORY) == 4


# ----- what is read from outside
class Attached:
    """An object with a method of its own, as scipy's distributions have."""

    def __init__(self):
        self.scale = 3.0
        self.method = types.MethodType(lambda self, x: self.scale * x * x, self)


ATTACHED = Attached()
ENDLESS: list = [1.0]
ENDLESS.append(ENDLESS)
WITHIN: dict = {"w": 1.0}
WITHIN["self"] = WITHIN


def test_an_object_that_holds_its_own_method():
    gradient, found = gradient_of(lambda x: ATTACHED.method(x), 2.0)
    assert found == 12.0


def test_a_list_in_itself():
    derivative, found = gradient_of(lambda x: ENDLESS[1][1][0] * x, 2.0)
    assert found == 1.0 and derivative.mode == "compiled"


def test_a_dict_in_itself():
    with pytest.warns(FallbackWarning, match="it contains itself"):
        _, found = gradient_of(lambda x: WITHIN["w"] * x, 2.0)
    assert found == 1.0


def test_a_distribution_of_scipy():
    stats = pytest.importorskip("scipy.stats")

    def loss(mu):
        return np.sum(stats.poisson.logpmf(np.array([1.0, 2.0, 3.0]), mu))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        found = ast_ad.grad(loss)(1.5)
    np.testing.assert_allclose(found, (loss(1.5 + 1e-6) - loss(1.5 - 1e-6)) / 2e-6, rtol=1e-6)


# ----- what is left of a trace
def test_what_a_trace_leaves_behind_is_plain():
    class Slotted:
        __slots__ = ("value",)

    pair = namedtuple("pair", "a b")
    kept, slotted = [], Slotted()

    def loss(x):
        for y in (x * i for i in range(2)):
            kept.append((1, (y, 2)))
            kept.append(pair(y, {"k": y}))
            slotted.value = y
        return np.sum(y)

    with pytest.warns(FallbackWarning):
        gradient_of(eval("lambda x: loss(x)", {"loss": loss}), X)
    found = [kept[2][1][0], kept[3].a, kept[3].b["k"], slotted.value]
    assert [type(v) for v in found] == [np.ndarray] * 4


def test_no_object_but_those_of_python_code_is_touched(monkeypatch):
    """A tuple that nothing holds may not be filled yet: it is not read."""
    from ast_ad.tracing import survivors

    read = []
    monkeypatch.setattr(survivors, "_rebuilt", lambda holder, items: read.append(holder))
    monkeypatch.setattr(survivors, "plain", lambda value: [2.0])
    old = [1.0]
    unseen = tuple([old])
    monkeypatch.setattr(survivors, "_holders", lambda values: [unseen] if values == [old] else [])
    survivors.make_plain([old])
    assert read == []


def test_the_collector_is_asked_once_for_all_that_is_left(monkeypatch):
    """It reads the whole heap each time, where a holder is older than the trace."""
    from ast_ad.tracing import survivors

    asked, before, kept = [], gc.get_referrers, deque()
    gc.collect()

    def loss(x):
        for y in (x * i for i in range(20)):
            kept.append((y, (y, 1)))
        return np.sum(y)

    monkeypatch.setattr(survivors.gc, "get_referrers", lambda *v: asked.append(len(v)) or before(*v))
    with pytest.warns(FallbackWarning):
        gradient_of(loss, X)
    assert asked and all(type(y) is type(z) is np.ndarray and y is z for y, (z, _) in kept)
    assert len(asked) <= 2 * (survivors.DEPTH + 1)


class Held:
    """Something that can be asked for by its holders."""


def held_by_each(value):
    """A holder of each kind: containers, a variable of a function, attributes, the frames of an exception."""

    class Slotted:
        __slots__ = ("value",)

    def inner():
        kept = {"k": (value, [value])}
        raise ValueError(kept)

    slotted, plain = Slotted(), Held()
    slotted.value = plain.value = value
    try:
        inner()
    except ValueError as error:
        return [value], {1: value}, deque([value]), inner, slotted, plain, error


def test_young_holders_are_those_that_the_collector_finds():
    from ast_ad.tracing import survivors

    values = [Held(), Held()]
    made = [held_by_each(values[0]), held_by_each(values[1])]
    young = survivors._young_holders(values)
    assert young is not None and len(made) == 2
    found = gc.get_referrers(*values)
    assert {id(one) for one in young} == {id(one) for one in found if one is not young}
    assert len(young) > 2 * 7
    left = [weakref.ref(one) for one in values]
    del values, made, young, found
    gc.collect()
    assert [one() for one in left] == [None, None]


def test_the_search_for_young_holders_leaves_no_garbage():
    from ast_ad.tracing import survivors

    values = [Held()]
    gc.collect()
    before = gc.get_count()[0]
    for _ in range(20):
        survivors._young_holders(values)
    assert gc.get_count()[0] - before < 20


@pytest.mark.parametrize("kind", ["old", "unseen"])
def test_what_young_holders_do_not_explain_is_searched_for(kind):
    """A list that was there before, or an array of objects, which the collector does not see."""
    from ast_ad.tracing import survivors

    holder = [None] if kind == "old" else np.array([None])
    gc.collect()
    values = [Held()]
    assert survivors._young_holders(values) is not None
    holder[0] = values[0]
    assert survivors._young_holders(values) is None
    assert (kind == "old") == any(one is holder for one in survivors._holders(values))


def test_many_young_objects_are_not_read(monkeypatch):
    from ast_ad.tracing import survivors

    monkeypatch.setattr(survivors, "MOST_YOUNG", 0)
    value = Held()
    assert survivors._young_holders([value]) is None


# ----- the mode of what is traced whole
def test_a_program_that_is_one_traced_call_is_no_program():
    def parts(x):
        turns = (i for i in range(2))
        yield x * x * next(turns)
        yield x * x * next(turns)

    def inner(x):
        return sum(parts(x))

    def outer(x):
        return inner(x)

    with pytest.warns(FallbackWarning):
        gradient, found = gradient_of(outer, 3.0)
    assert (found, gradient.mode) == (6.0, "fallback")
    with pytest.raises(UnsupportedError):
        ast_ad.grad(outer, fallback="error")(3.0)


# ----- copies
def test_copies_have_the_strides_and_the_sharing_of_the_originals():
    base = np.arange(24.0).reshape(4, 6)
    given = [base[::2, ::-1], base.T, base[1], np.broadcast_to(X, (3, 2)), {"a": [base, X]}, 1.5, "text"]
    found = copied(given)
    for a, b in zip(given[:4], found, strict=False):
        assert a.strides == b.strides and a.dtype == b.dtype and not np.may_share_memory(a, b)
        np.testing.assert_array_equal(a, b)
    assert np.shares_memory(found[0], found[1]) and found[4]["a"][0] is not base
    found[1][0, 0] = 100.0
    assert found[4]["a"][0][0, 0] == found[0][0, -1] == 100.0 and base[0, 0] == 0.0
    assert found[5:] == [1.5, "text"]


def test_one_array_twice_is_one_copy():
    a, b, c = copied([X, X, X[::-1]])
    assert a is b and np.shares_memory(a, c)


@pytest.mark.parametrize("shape", [(0,), (3, 0), ()])
@pytest.mark.parametrize("dtype", ["f8", "i4", "c16", "?", ">f8"])
def test_copies_of_small_arrays(shape, dtype):
    array = np.ones(shape, dtype)
    (found,) = copied([array])
    assert found.dtype == array.dtype and found.shape == shape
    np.testing.assert_array_equal(found, array)


def test_read_only_arrays_stay_so():
    array = np.ones(3)
    array.flags.writeable = False
    (found,) = copied([array])
    assert not found.flags.writeable
