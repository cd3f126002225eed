"""Are arguments let go of when a call is over? And does the end of a trace leave the heap alone?"""

import gc
import warnings
import weakref

import numpy as np
import pytest

import ast_ad
import ast_ad.torch as torch


def model(x, y):
    return np.sum(np.sin(x) * y)


def without_source(function):
    return eval("lambda *args: function(*args)", {"function": function})


QUESTIONS = ["grad", "value_and_grad", "hessian", "jacfwd", "jacrev", "jacobian", "laplacian"]
MAKES = {
    "numpy": lambda name: getattr(ast_ad, name)(model, backend="numpy"),
    "numba": lambda name: getattr(ast_ad, name)(model, backend="numba"),
    "traced": lambda name: getattr(ast_ad, name)(without_source(model)),
}


def called(derivative, x, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        derivative(x, y)


@pytest.mark.drawn(of=21)
@pytest.mark.parametrize("kind", MAKES)
@pytest.mark.parametrize("name", QUESTIONS)
def test_no_argument_outlives_its_call(name, kind):
    derivative = MAKES[kind](name)
    x, y = np.arange(1.0, 4.0), np.arange(2.0, 5.0)
    left = [weakref.ref(x), weakref.ref(y)]
    called(derivative, x, y)
    del x, y
    gc.collect()  # of what compiling leaves behind
    assert [reference() for reference in left] == [None, None]


@pytest.mark.drawn(of=21)
@pytest.mark.parametrize("kind", MAKES)
@pytest.mark.parametrize("name", QUESTIONS)
def test_no_tensor_outlives_its_call(name, kind):
    derivative = MAKES[kind](name)
    called(derivative, torch.tensor([1.0, 2.0, 3.0], requires_grad=True), np.arange(2.0, 5.0))
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    left = weakref.ref(x)
    called(derivative, x, np.arange(2.0, 5.0))
    del x
    gc.collect()
    assert left() is None


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_heap_is_not_searched(name, monkeypatch):
    """A trace that leaves nothing in the user's objects takes no longer where there are many of them."""
    derivative = MAKES["traced"](name)
    called(derivative, np.arange(1.0, 4.0), np.arange(2.0, 5.0))  # compiling leaves cycles

    def searched(*objects):
        raise AssertionError(f"searched for {objects}")

    monkeypatch.setattr(gc, "get_referrers", searched)
    called(derivative, np.arange(1.0, 4.0), np.arange(2.0, 5.0))


def test_a_reason_keeps_no_variables_of_callers():
    derivative = ast_ad.grad(without_source(model))
    x = np.arange(1.0, 4.0)

    def caller(x):
        big = np.ones(10)
        left = weakref.ref(big)
        called(derivative, x, x)
        return left

    assert caller(x)() is None
    with pytest.raises(ast_ad.SourceError) as caught:
        ast_ad.grad(without_source(model), fallback="error")(x, x)
    assert "is not available" in str(caught.value)


def test_an_exception_of_the_users_stays_as_it_is():
    """That is being handled where a derivative is asked for, and not compiled."""
    with pytest.raises(ZeroDivisionError) as caught:
        try:
            _ = 1 / 0
        except ZeroDivisionError as error:
            before = error.__traceback__
            called(ast_ad.grad(without_source(model)), np.arange(1.0, 4.0), np.ones(3))
            assert error.__traceback__ is before
            raise
    assert "_ = 1 / 0" in str(caught.traceback[-1])
