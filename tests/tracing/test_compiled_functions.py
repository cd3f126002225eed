"""Are compiled functions of several types asked for by their types in a trace, too?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.tracing import trace

kernels = pytest.importorskip("scipy.stats._stats")
ROOT, POINTS = np.eye(1), np.zeros((2, 1))


def estimated(x, data):
    density = kernels.gaussian_kernel_estimate["double"](data, np.full((3, 1), 1 / 3), POINTS, ROOT, float)
    return np.sum(x * density[:, 0])


def test_what_nothing_differentiated_led_to_is_passed():
    data = np.array([[0.1], [0.4], [-0.3]])
    value, pullback = trace(estimated, (np.ones(2), data), {}, (0,))
    assert value == estimated(np.ones(2), data)
    density = estimated(np.ones(2), data) / 2
    np.testing.assert_allclose(pullback([1.0])[0], [density, density])


def test_what_is_differentiated_is_refused_in_words():
    with pytest.raises(ast_ad.AdError, match="plain"):
        trace(estimated, (np.ones(2), np.zeros((3, 1))), {}, (0, 1))
