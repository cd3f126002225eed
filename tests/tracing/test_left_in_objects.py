"""What a traced function leaves in exceptions, sets, partials, defaults and slices is plain behind it."""

import functools

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.7, -1.3, 2.1])
LEFT = {}


class Diverged(Exception):
    def __init__(self, last, step):
        super().__init__("no convergence", step)
        self.last = last


def with_arrays(x):
    raise ValueError(x * 2, [x[0]], {"a": x[1:]})


def of_its_own(x):
    raise Diverged(x * 2, x[0])


def chained(x):
    try:
        raise KeyError(x[0])
    except KeyError as error:
        raise ValueError(x[1]) from error


def asserted(x):
    assert x[0] > 5.0, x


def grouped(x):
    raise ExceptionGroup("all", [ValueError(x[0]), KeyError(1)])


def stopped(x):
    raise StopIteration(x[0])


def told(error):
    """An exception with the types of what it holds."""
    if error is None:
        return None
    held = [*error.args, *vars(error).values(), getattr(error, "value", None)]
    inner = [told(one) for one in getattr(error, "exceptions", ())]
    held = [part for part in held if not isinstance(part, list) or not inner]
    return type(error), [(type(part), repr(part)) for part in held], told(error.__cause__), inner


@pytest.mark.parametrize("choices", [{}, {"check": False}])
@pytest.mark.parametrize(
    "f", [with_arrays, of_its_own, chained, asserted, grouped, stopped], ids=lambda f: f.__name__
)
def test_exceptions_hold_plain_arrays(f, choices):
    with pytest.raises(Exception) as plain:
        f(X)
    with pytest.raises(Exception) as caught:
        ast_ad.grad(f, **choices)(X)
    expected, found = plain.value, caught.value
    found.__dict__.pop("__notes__", None)
    assert told(found) == told(expected)
    assert "traced_array" not in repr(told(found))


def in_a_set(x):
    LEFT["it"] = {float(x[0])}
    LEFT["it"].add((1, x[1]))


def in_a_partial(x):
    LEFT["it"] = functools.partial(max, x[0], key=x[1])


def in_a_default(x):
    def found(a=x[0]):
        return a

    LEFT["it"] = found


def in_a_slice(x):
    LEFT["it"] = slice(x[0], x[1])


def in_an_exception(x):
    try:
        raise ValueError(x[0], x * 2)
    except ValueError as error:
        LEFT["it"] = error


def held():
    it = LEFT["it"]
    if isinstance(it, slice):
        return it.start, it.stop
    if isinstance(it, functools.partial):
        return *it.args, it.keywords["key"]
    if isinstance(it, set):
        return tuple(sorted(part for one in it for part in (one if isinstance(one, tuple) else (one,))))
    return it.args if isinstance(it, Exception) else it.__defaults__


@pytest.mark.parametrize(
    "leave", [in_a_set, in_a_partial, in_a_default, in_a_slice, in_an_exception], ids=lambda f: f.__name__
)
def test_what_is_left_is_plain(leave):
    def f(x):
        leave(x)
        return np.sum(x * x) + x.__len__() * 0

    f(X)
    expected = [(type(part), repr(part)) for part in held()]
    LEFT.clear()
    assert np.allclose(ast_ad.grad(f)(X), 2 * X)
    assert [(type(part), repr(part)) for part in held()] == expected
