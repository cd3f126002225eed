"""Are arrays traced whose class has operators, methods and a constructor by memory of its own?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import MissingRuleError

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.5, 1.2])
W = np.array([1.0, 3.0])


class Info(np.ndarray):
    """As NumPy's pages on subclasses have it."""

    def __new__(cls, shape, dtype=float, buffer=None, offset=0, strides=None, order=None, info=None):
        obj = super().__new__(cls, shape, dtype, buffer, offset, strides, order)
        obj.info = info
        return obj

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.info = getattr(obj, "info", None)


class Turn(np.ndarray):
    """Complex numbers of length one, whose operators say so of every result."""

    def __new__(cls, parts):
        parts = np.array(parts, dtype=float)
        parts /= np.linalg.norm(parts)
        obj = super().__new__(cls, parts.shape, float, parts)
        obj.A = parts
        return obj

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.A = getattr(obj, "A", np.array([1.0, 0.0]))

    def __mul__(self, other):
        (a, b), (c, d) = self.A, np.asarray(other)
        return Turn([a * c - b * d + 1, a * d + b * c])

    def __sub__(self, other):
        return np.asarray(self) - 3 * np.asarray(other)

    def __pow__(self, k):
        return np.asarray(self) ** (k + 1)

    @property
    def conjugate(self):
        return self.A * np.array([1.0, -1.0])

    @property
    def inverse(self):
        return self.conjugate * 2


def buffer(x):
    held = Info((2,), buffer=x * 2.0, info="k")
    return np.sum(held**2) * (3 if held.info == "k" else 1)


def no_buffer(x):
    held = Info((2,))
    held[:] = x
    held[0] = x[1] * 2
    return np.sum(held * held)


def shared_memory(x):
    y = x * 1.0
    held = Info((2,), buffer=y)
    y[0] = x[1] ** 2
    held[1] = x[0]
    return np.sum(held * W) + np.sum(y)


def product(x):
    return np.sum(np.asarray(Turn(x) * Turn(x * x + 1.0)) * W)


def properties(x):
    return np.sum(Turn(x).inverse * W)


def ufuncs_keep_the_class(x):
    turn = Turn(x)
    return np.sum(np.asarray((np.sin(turn) + turn) * x) * W)


def arrays_on_the_left(x):
    return np.sum(np.asarray((x - Turn(x)) * Turn(x + 1)) * W)


def in_place(x):
    turn = Turn(x)
    turn += x * 2
    turn[0] = x[1]
    return np.sum(np.asarray(turn) * W) + turn.A[0]


def rules_see_arrays(x):
    """The factors that a rule reads have no operators of the class."""
    turn = Turn(x)
    return np.sum(np.asarray(np.multiply(np.exp(turn), turn)) * W)


def copies(x):
    turn = Turn(x)
    return np.sum((turn.copy() - x) * W) + np.linalg.norm(turn - x) + np.dot(turn, x) + turn.dot(turn)


def items(x):
    turn = Turn(x)
    a, b = turn
    return np.sum((turn**2) * W) + turn[0] * 3 + np.sum(np.asarray(turn[:1])) + a * b


def negated(x):
    return np.sum(np.asarray((-Turn(x)) * Turn(x)) * W) + np.sum(np.asarray(2.0 * Turn(x) / x))


def reductions_keep_the_class(x):
    turn = Turn(x)
    return np.sum(np.asarray(np.sum(turn.reshape(2, 1), axis=1) * turn) * W)


PROGRAMS = [buffer, no_buffer, shared_memory, product, properties, ufuncs_keep_the_class, arrays_on_the_left,
            in_place, rules_see_arrays, copies, items, negated, reductions_keep_the_class]  # fmt: skip


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(function):
    value, gradient = ast_ad.value_and_grad(function)(X)
    np.testing.assert_allclose(value, np.asarray(function(X)), rtol=1e-14)
    wanted = [np.asarray(function(X + d) - function(X - d)) / 2e-6 for d in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-8)
    slopes = [(ast_ad.grad(function)(X + d) - ast_ad.grad(function)(X - d)) / 2e-5 for d in 1e-5 * np.eye(2)]
    np.testing.assert_allclose(ast_ad.hessian(function)(X), slopes, rtol=1e-6, atol=1e-7)


class Compared(np.ndarray):
    def __eq__(self, other):
        return False


class Reflected(np.ndarray):
    def __rsub__(self, other):
        return 5.0


REFUSED = {
    "code of NumPy's that subtracts": lambda x: np.std(Turn(x)),
    "a method that divides": lambda x: Turn(x).mean(),
    "a sum that is of the class": lambda x: np.sum(Turn(x)),
    "comparisons": lambda x: np.sum(x.view(Compared)),
    "operators from the right": lambda x: np.sum(x.view(Reflected)),
    "a part of a buffer": lambda x: np.sum(Info((1,), buffer=x * 2.0)),
    "other bytes": lambda x: np.sum(Info((4,), np.float32, x * 2.0)),
}


@pytest.mark.parametrize("function", REFUSED.values(), ids=REFUSED)
def test_refused(function):
    with pytest.raises(MissingRuleError):
        ast_ad.grad(function)(X)


def test_the_package_is_as_it_was():
    """The name ``super`` is Python's again, and does what it does in code that is not traced."""
    ast_ad.grad(product)(X)
    assert "super" not in globals()
    assert type(Turn(X) * Turn(X)) is Turn
    np.testing.assert_array_equal(np.asarray(Turn(X)), Turn(X).A)


class Base:
    def __init__(self, x):
        self.x = x

    def scaled(self):
        return 2 * self.x


class Derived(Base):
    def __init__(self, x):
        super().__init__(x)

    def scaled(self):
        return super().scaled() * super().scaled()

    @classmethod
    def of(cls, x):
        return super().__new__(cls)


def test_super_of_other_classes():
    def function(x):
        kind = Derived.of(x)
        kind.x = x
        exec("pass")
        return kind.scaled() + Derived(x).scaled()

    assert ast_ad.grad(function)(0.5) == pytest.approx(8.0)
