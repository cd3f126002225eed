"""Do numbers in arrays of objects keep their derivatives in a trace?"""

import numpy as np
import pytest

import ast_ad
from ast_ad import AdError, tracing as fallback

X = np.array([0.7, -1.3, 2.1])


def checked_by_its_shape(x):
    given = [x[0], x[1] * x[2], 3.0]
    if np.squeeze(np.asarray(given, dtype=object)).shape != (3,):
        raise ValueError("three numbers are needed")
    return np.sum(np.asarray(given) * x)


def there_and_back(x):
    held = np.array(x * x, dtype=object)
    return np.sum(np.asarray(held, dtype=float) * np.array(held[::-1], float))


def by_operators(x):
    held = x.astype(object)
    table = np.array([[x[0], x[1]], [x[2], 1.0]], dtype=object)
    return (held * held).sum() + np.dot(table, table)[0, 1] + held[0] * held.max()


def with_others(x):
    held = np.array([x[0], None, x[2], "text"], dtype=object)
    return sum(v**2 for v in held if isinstance(v, float))


def of_arrays(x):
    held = np.empty(2, dtype=object)
    held[0], held[1] = x * x, x[:2]
    return np.sum(held[0]) + held[1][0] * held[1][1]


def kinds(x):
    """Of what class the objects are: those of a list stay, those of an array are Python's."""
    listed, taken = np.array([x[0], float(x[1])], dtype=object), np.asarray(x, dtype=object)
    known = [type(listed[0]) is np.float64, type(listed[1]) is float, type(taken[0]) is float]
    return taken[1] * (sum(known) + (type(x[0].astype(object)) is float))


@pytest.mark.parametrize(
    "program", [checked_by_its_shape, there_and_back, by_operators, with_others, of_arrays, kinds]
)
def test_gradients(program):
    value, pullback = fallback.trace(program, (X.copy(),), {}, (0,))
    assert value == program(X)
    slope = [(program(X + s) - program(X - s)) / 2e-6 for s in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(pullback([1.0])[0], slope, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("convert", [np.asarray, lambda items, dtype: np.array(items).astype(dtype)])
def test_results(convert):
    """As a result it would hide that it depends on the argument."""

    def alone(x):
        return convert([x[0], x[1]], object)

    def beside(x):
        return np.sum(x), alone(x)

    def constant(x):
        return np.sum(x), np.array([1.0, None], dtype=object)

    for program in alone, beside:
        with pytest.raises(AdError, match="a result that is an array of objects"):
            fallback.trace(program, (X,), {}, (0,))
    np.testing.assert_array_equal(fallback.trace(constant, (X,), {}, (0,))[1]([1.0, None])[0], np.ones(3))


@pytest.mark.filterwarnings("ignore::ast_ad.errors.FallbackWarning")
def test_vjp_is_no_zero():
    def program(x):
        held = np.empty(2, dtype=object)
        held[0], held[1] = x[0] * eval("2.0"), x[1]
        return held

    with pytest.raises(AdError, match="array of objects"):
        ast_ad.vjp(program, X)


def test_what_is_left():
    kept = []

    def program(x):
        kept.append(np.array([x[0], x[1] ** 2], dtype=object))
        kept.append(x.astype(object))
        return np.sum(x)

    fallback.trace(program, (X,), {}, (0,))
    assert [[type(v) for v in held] for held in kept] == [[np.float64] * 2, [float] * 3]
    assert kept[0].tolist() == [X[0], X[1] ** 2]
    assert kept[1].tolist() == X.tolist()


def test_floats_of_it():
    with pytest.raises(AdError, match="a traced number made a plain one"):
        fallback.trace(lambda x: np.sum(x.astype(object).astype(float)), (X,), {}, (0,))


def test_an_array_of_objects_can_be_resized():
    """NumPy refuses where something else may know of the memory, a weak reference too."""

    def program(x):
        held = np.empty(2, dtype=object)
        held.resize(3)
        held[2] = x[0] * x[1]
        return held[2]

    value, pullback = fallback.trace(program, (X,), {}, (0,))
    np.testing.assert_array_equal(pullback([1.0])[0], [X[1], X[0], 0.0])
