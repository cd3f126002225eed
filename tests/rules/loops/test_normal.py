"""Is the normal distribution function right in single precision, in both forms?"""

import math

import numpy as np
import pytest

from ast_ad.rules.loops.normal import distribution


def exact(x):
    return np.array([0.5 * math.erfc(-v * 0.5**0.5) for v in x.astype(float)])


@pytest.mark.parametrize("run", [distribution.plain, distribution.loops, distribution.compile()])
def test_accuracy(run):
    x = np.linspace(-9, 9, 2001).astype(np.float32)
    powers = np.exp(-0.5 * x.astype(float) ** 2).astype(np.float32)
    found = run(x, powers)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact(x), rtol=2e-6, atol=1e-30)


@pytest.mark.parametrize("run", [distribution.plain, distribution.loops, distribution.compile()])
def test_limits_and_shapes(run):
    x = np.array([np.inf, -np.inf, np.nan, 1e30, -1e30, 0.0], np.float32)
    with np.errstate(over="ignore"):
        powers = np.exp(-0.5 * x * x)
        np.testing.assert_allclose(run(x, powers), [1, 0, np.nan, 1, 0, 0.5], rtol=1e-6)
        table = np.linspace(-3, 3, 12, dtype=np.float32).reshape(3, 4)
        expected = run(table.ravel(), np.exp(-0.5 * table * table).ravel()).reshape(3, 4)
        np.testing.assert_array_equal(run(table.T, np.exp(-0.5 * table * table).T), expected.T)


def test_number():
    number = np.array(0.5, np.float32)
    assert distribution(number, np.exp(-0.5 * number * number)).shape == ()
