"""Do arrays of a kernel share memory where one is dead before the other is written, and only there?"""

import operator

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.ir import builtin
from ast_ad.compiler.ir.ops import Block, For, Function, Lit, Op, Seq, Var
from ast_ad.compiler.ir.types import Array, Scalar
from ast_ad.compiler.kernels.nests.shared_memory import share_memory

N = Var(Scalar("int"), "n")
INTEGER = Scalar("int")
GET, SET = "get", "set"


class Kernel:
    """Loops over matrices ``a`` and ``b`` that the kernel makes, by a list of what they do with elements."""

    def __init__(self, *body, results="b"):
        self.made = {}
        for name in "ab":
            matrix = Var(Array(np.dtype(float), (None, None)), name)
            self.made[name] = Op(np.empty, (Seq((N, N)), Lit(np.float64)), (matrix,))
        self.x = Var(Array(np.dtype(float), (None, None)), "x")
        out = tuple(self.made[name].outs[0] for name in results)
        ops = [*self.made.values(), *(self.statement(s, {}) for s in body)]
        self.function = Function("kernel", (self.x, N), Block(ops, out))

    def statement(self, what, counters):
        kind, *rest = what
        if kind == "for":
            name, *inner = rest
            index = Var(INTEGER, name)
            ops = [self.statement(s, {**counters, name: index}) for s in inner]
            return For(index, (Lit(0), N, Lit(1)), (), (), (), Block(ops, ()), ())
        name, *indices = rest
        array = self.x if name == "x" else self.made[name].outs[0]
        index = Seq(tuple(counters.get(i, Lit(0)) for i in indices))
        if kind == GET:
            return Op(operator.getitem, (array, index), (Var(Scalar("float")),))
        return Op(builtin.setitem_, (array, index, Lit(1.0)), ())

    def shared(self):
        share_memory(self.function)
        return sum(isinstance(op, Op) and op.fn is np.empty for op in self.function.body.ops) == 1


FILL_A = ("for", "i", ("for", "j", (SET, "a", "i", "j")))
FILL_B = ("for", "i", ("for", "j", (SET, "b", "i", "j")))


@pytest.mark.parametrize(
    "body",
    [
        [FILL_A, ("for", "i", (GET, "a", "i", "i")), FILL_B],
        [FILL_A, ("for", "i", ("for", "j", (GET, "a", "i", "j"), (SET, "b", "i", "j")))],
        [FILL_A, ("for", "i", ("for", "j", (GET, "a", "i", "j")), ("for", "j", (SET, "b", "i", "j")))],
        [FILL_A, ("for", "i", ("for", "j", (GET, "a", "i", "0")), ("for", "j", (SET, "b", "i", "j")))],
        [
            FILL_A,
            ("for", "i", ("for", "j", (GET, "a", "i", "j"), (SET, "b", "i", "j"), (GET, "b", "i", "j"))),
        ],
    ],
)
def test_it_is_read_for_the_last_time(body):
    assert Kernel(*body).shared()


@pytest.mark.parametrize(
    "body",
    [
        [FILL_A, FILL_B, ("for", "i", (GET, "a", "i", "i"))],
        [FILL_A, ("for", "i", ("for", "j", (SET, "b", "i", "j"), (GET, "a", "i", "j")))],
        [FILL_A, ("for", "i", ("for", "j", (GET, "a", "j", "i"), (SET, "b", "i", "j")))],
        [FILL_A, ("for", "i", ("for", "j", (GET, "a", "j", "i"), (SET, "b", "j", "i")))],
        [FILL_A, ("for", "i", ("for", "j", (GET, "a", "i", "0"), (SET, "b", "i", "j")))],
        [FILL_A, ("for", "i", ("for", "j", (GET, "a", "0", "j")), ("for", "j", (SET, "b", "i", "j")))],
        [FILL_A, ("for", "s", ("for", "i", ("for", "j", (GET, "a", "i", "j"), (SET, "b", "i", "j"))))],
        [FILL_A, ("for", "i", ("for", "j", ("for", "k", (GET, "a", "i", "k")), (SET, "b", "i", "j")))],
        [FILL_A, ("for", "i", ("for", "j", ("for", "k", (GET, "a", "i", "j"), (SET, "b", "i", "j"))))],
        [
            FILL_A,
            ("for", "i", ("for", "j", (GET, "a", "i", "j"), (SET, "b", "i", "j")), (GET, "a", "i", "i")),
        ],
    ],
)
def test_it_is_read_again(body):
    assert not Kernel(*body).shared()


def test_both_are_results():
    body = [FILL_A, ("for", "i", ("for", "j", (GET, "a", "i", "j"), (SET, "b", "i", "j")))]
    assert not Kernel(*body, results="ab").shared()
    assert Kernel(*body, results="b").shared()


# ----- whole programs
def outers(A, u, v, w, x):
    A = A + np.outer(u, v)
    x = x + w @ A
    return np.sum((A @ x) ** 2)


def centred(x, w):
    y = (x - np.mean(x, axis=0)) * w
    z = np.exp(-(y**2))
    return np.sum(z * np.sin(y)) + np.sum(z[1:] * y[:-1])


def transposed(x, w):
    y = np.sin(x)
    z = y.T @ y
    return np.sum(np.tanh(z) @ w) + np.sum(z * z.T)


def turned(x, w):
    y = x * 2
    for _ in range(3):
        z = y + y.T
        y = np.sin(z) * w
    return np.sum(y * y[::-1])


def kept_result(x, w):
    y = np.cos(x) * w
    return np.sum(y**2 * np.exp(y)), y


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("function", [outers, centred, transposed, turned])
def test_gradients(function):
    rng = np.random.default_rng(0)
    args = [rng.random((7, 7)) for _ in range(2)]
    if function is outers:
        args = [rng.random((7, 7)), *(rng.random(7) for _ in range(4))]
    argnums = tuple(range(len(args)))
    value, bars = ast_ad.value_and_grad(function, argnums, backend="numba")(*args)
    expected, expected_bars = ast_ad.value_and_grad(function, argnums, backend="numpy")(*args)
    np.testing.assert_allclose(value, expected, rtol=1e-13)
    for bar, other in zip(bars, expected_bars, strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-11, atol=1e-12)
    again = ast_ad.value_and_grad(function, argnums, backend="numba")(*args)[1]
    assert not any(np.shares_memory(a, b) for a in bars for b in (*args, *again))


def test_a_matrix_becomes_its_own_cotangent():
    rng = np.random.default_rng(0)
    derivative = ast_ad.grad(outers, backend="numba")
    derivative(rng.random((7, 6)), rng.random(7), rng.random(6), rng.random(7), rng.random(6))
    assert derivative.source.count("np.empty((n, m)") <= 1
    assert derivative.source.count("np.empty(A.shape") <= 1


def test_a_result_of_the_primal_is_kept():
    x, w = np.random.default_rng(0).random((2, 5, 5))
    (value, y), (bar, _) = ast_ad.value_and_grad(kept_result, (0, 1), has_aux=True, backend="numba")(x, w)
    (_, expected), (bar_numpy, _) = ast_ad.value_and_grad(kept_result, (0, 1), has_aux=True, backend="numpy")(
        x, w
    )
    np.testing.assert_allclose(y, expected, rtol=1e-14)
    np.testing.assert_allclose(bar, bar_numpy, rtol=1e-13)
