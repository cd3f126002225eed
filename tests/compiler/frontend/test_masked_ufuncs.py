"""What is the derivative of a ufunc that leaves part of its result uninitialised?"""

import numpy as np
import pytest

from ast_ad import grad, tracing as fallback

pytestmark = pytest.mark.filterwarnings("ignore:'where' used without 'out'")
X = np.array([0.7, -1.3, 0.0, 2.1])
A = np.array([1.2, 0.4, -0.3, 0.9])


def quotients(x, a):
    mask = x != 0
    q = np.divide(a, x, where=mask, out=None)
    return np.sum(np.where(mask, q, x + 1.0))


def logarithms(x, a):
    found = np.log(x, where=x > 0)
    found[x <= 0] = a[x <= 0]
    return np.sum(found * a)


def by_position(x, a):
    mask = x > 0
    return np.sum(np.multiply(x, a, None, where=mask)[mask] ** 2)


def broadcast(x, a):
    mask = np.array([[True, False, True, True], [False, True, False, True]])
    return np.sum(np.multiply(x, a, where=mask, out=None)[mask])


def of_lists(x, a):
    return np.sum(np.multiply([x[0], x[1]], 3.0, where=[True, False])[:1])


def two_steps(x, a):
    """As in a conversion to spherical coordinates."""
    r = np.sqrt(x * x + a * a)
    cosine = np.divide(x, r, where=r > 0, out=None)
    angle = np.arccos(cosine, where=(cosine >= -1) & (cosine <= 1), out=None)
    return np.sum(np.where(r > 0, angle, 0.0) * r)


PROGRAMS = [quotients, logarithms, by_position, broadcast, of_lists, two_steps]


def differences(program, x, a):
    steps = 1e-6 * np.eye(len(x))
    return np.array([(program(x + s, a) - program(x - s, a)) / 2e-6 for s in steps])


@pytest.mark.slow(one_in=2)
@pytest.mark.parametrize("program", PROGRAMS)
def test_compiled(program):
    x = X + 0.01
    found = grad(program, fallback="error")(x, A)
    np.testing.assert_allclose(found, differences(program, x, A), rtol=1e-6, atol=1e-8)


@pytest.mark.slow(one_in=3)
@pytest.mark.parametrize("program", PROGRAMS)
def test_traced(program):
    x = X + 0.01
    value, pullback = fallback.trace(program, (x, A), {}, (0,))
    assert value == program(x, A)
    np.testing.assert_allclose(pullback([1.0])[0], differences(program, x, A), rtol=1e-6, atol=1e-8)


@pytest.mark.slow
def test_at_the_point_that_is_left_out():
    np.testing.assert_allclose(grad(quotients, fallback="error")(X, A)[2], 1.0)
    _, pullback = fallback.trace(quotients, (X, A), {}, (0,))
    np.testing.assert_allclose(pullback([1.0])[0], grad(quotients)(X, A), rtol=1e-14)


def test_numbers_and_several_results_are_traced():
    def number(x):
        return np.exp(x[0], where=x[0] > 0)

    def several(x):
        whole, rest = np.divmod(x, 0.5, where=x > 0)
        return np.sum(rest[x > 0])

    assert fallback.trace(number, (X,), {}, (0,))[1]([1.0])[0][0] == np.exp(X[0])
    np.testing.assert_array_equal(fallback.trace(several, (X,), {}, (0,))[1]([1.0])[0], X > 0)
