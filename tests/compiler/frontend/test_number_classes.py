"""Numbers of classes that derive from Python's own: as float's where the class has no code of its own."""

import numpy as np
import pytest

import ast_ad

P = np.array([0.4, 1.1, 0.7])


class Metres(float):
    """A float by another name."""


class Tens(float):
    def __mul__(self, other):
        return 10 * float(self) * float(other)

    __rmul__ = __mul__


class Unit:
    scale = Metres(2.0)

    def __init__(self):
        self.offset = Metres(4.0)


LENGTH, UNIT = Metres(3.0), Unit()


TWO = Metres(2.0)


def default(p, k=TWO):
    return p[0] * k


def from_outside(p):
    return p[0] * LENGTH + np.sum(p) * LENGTH


def attributes(p):
    return p[0] * UNIT.scale * UNIT.offset


@pytest.mark.parametrize("f", [default, from_outside, attributes], ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_classes_without_code(f, backend):
    value, bar = ast_ad.value_and_grad(f, backend=backend, fallback="error", check=True)(P)
    assert value == f(P)
    steps = 1e-6 * np.eye(3)
    np.testing.assert_allclose(bar, [(f(P + e) - f(P - e)) / 2e-6 for e in steps], rtol=1e-6, atol=1e-8)


def test_arguments_of_classes_without_code():
    assert ast_ad.grad(lambda x: x * x, fallback="error", check=True)(Metres(2.0)) == 4.0


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_arguments_of_classes_with_code():
    """A number that is traced would be multiplied as any float."""
    with pytest.raises(ast_ad.UnsupportedError, match="its class has code of its own"):
        ast_ad.grad(lambda x: x * x)(Tens(2.0))
