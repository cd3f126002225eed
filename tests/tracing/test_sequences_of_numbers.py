"""Do ranges and other sequences of numbers stand for arrays in what is traced, for rules too?"""

import array
import collections
import math

import numpy as np
import pytest

from ast_ad.tracing.recorder import trace

EXPRESSIONS = [
    "np.sum(np.interp(np.array([0.5, 1.2]), range(3), x))",
    "np.sum(np.interp(range(2), x, (1.0, 3.0, 2.0)))",
    "np.sum(np.convolve(x, range(3)))",
    "np.sum(np.dot(x, range(3)))",
    "np.sum(np.multiply(x, range(3)))",
    "np.sum(np.outer(range(2), x))",
    "np.sum(np.take(x, range(2))**2)",
    "np.sum(np.average(x, weights=range(1, 4)))",
    "np.sum(np.trapezoid(x, range(3)))",
    "np.sum(np.polyval(range(3), x))",
    "np.sum(np.cross(x, range(3)) ** 2)",
    "np.sum(np.where(range(3), x, 0.0))",
    "np.sum(np.interp(array.array('d', [0.5, 1.5]), range(3), x))",
    "np.sum(np.transpose(np.outer(x, x), axes=range(2))[0])",
    "np.sum(np.polyfit(range(3), x, 1))",
    "np.sum(np.gradient(x, range(3)))",
    "np.sum(np.cov(x, range(3)))",
    "np.sum(np.tensordot(x, range(3), 1))",
    "np.sum(x * np.array(range(3))) + np.sum(np.interp((0.5, 1.5), (0, 1, 2), x))",
    "np.sum(np.concatenate([x, range(2)])) + np.sum(np.append(x, range(3)))",
    "np.einsum('i,i', x, range(3)) + np.inner(x, range(3)) + np.vdot(x, range(3))",
    "np.sum(x @ np.vander(range(3)) ) + np.sum(np.searchsorted(x, range(2)))",
    "np.sum(np.clip(x, range(3), range(2, 5)))",
    "np.sum(np.interp(np.array([0.5, 1.2]), collections.deque([0, 1, 2]), x))",
    "np.sum(np.diff(x, prepend=range(2)))",
    "math.fsum(q * q for q in x) + math.fsum(map(np.sin, x)) + math.fsum({0: x[0], 1: x[2]}.values())",
]
X = np.array([0.3, 1.1, 1.9])
NAMES = {"np": np, "array": array, "collections": collections, "math": math}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_value_and_gradient(expression):
    f = eval(f"lambda x: {expression}", NAMES)
    value, pullback = trace(f, (X.copy(),), {}, [0])
    (gradient,) = pullback([np.ones(())])
    np.testing.assert_allclose(value, f(X), rtol=1e-12)
    differences = [(f(X + 1e-6 * e) - f(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(gradient, differences, atol=1e-6)
