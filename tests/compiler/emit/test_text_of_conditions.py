"""Does a chain of comparisons read as one condition?"""

import numpy as np
import pytest

import ast_ad


def chained(x, i):
    return x[0] if 0 < i < x.shape[0] - 1 else x[1]


def joined(x, i):
    return x[0] if 0 < i and i < x.shape[0] - 1 else x[1]


@pytest.mark.parametrize("function", [chained, joined])
def test_later_operands_stand_behind_and(function):
    derivative = ast_ad.grad(function)
    for i in (0, 1, 2):
        x = np.array([0.4, 1.2, -0.3])
        assert derivative(x, i).tolist() == ([1.0, 0.0, 0.0] if i == 1 else [0.0, 1.0, 0.0])
    assert "0 < i and i < x.shape[0] - 1" in derivative.forward_source
