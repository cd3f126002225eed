"""Does what nobody reads stay where it may raise, and go where it can't?"""

import itertools
import math
import operator
import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.adjoint.unread import keep_exceptions
from ast_ad.compiler.analysis import exceptions
from ast_ad.compiler.analysis.counters import Counters
from ast_ad.compiler.ir import builtin
from ast_ad.compiler.ir.ops import Block, Function, Lit, Op, Seq, Slice, Var, walk
from ast_ad.compiler.ir.types import Array, Dim, Scalar, type_of
from ast_ad.rules import containers, dicts, helpers

THREE = np.array([0.4, -0.9, 1.3])
NUMBERS = [
    0, 1, -1, 2000, True, 0.0, -2.0, 1e200, math.nan, math.inf, 1j, 1e200 + 1e200j,
    np.float64(0.0), np.float64(math.nan), np.int64(-3),
]  # fmt: skip
ARRAYS = [
    np.zeros(0), np.array([1.5, -2.0, math.nan]), np.arange(4.0), np.zeros((2, 3)), np.ones((3, 3)),
    np.array([0, 2, -1]), np.array([True, False, True]), np.zeros((0, 3)), np.array(2.5), np.ones(1) * 1j,
]  # fmt: skip
OPTIONS = [None, (2, 3), -1, slice(None), slice(None, None, 0), (1, slice(None)), (None, 0), ...]
for _array in ARRAYS:
    _array.setflags(write=False)


def as_arg(value, sized):
    """The value as an argument of its type; whether an int is known, decides ``sized``."""
    if isinstance(value, tuple):
        return Seq(tuple(as_arg(v, sized) for v in value))
    if isinstance(value, slice):
        return Slice(Lit(value.start), Lit(value.stop), Lit(value.step))
    if value is None or value is ... or sized == "literal" and not isinstance(value, np.ndarray):
        return Lit(value)
    if type(value) is int:
        return Var(Scalar("int", None, value if sized == "sized" else None))
    return Var(type_of(value))


def raised(fn, args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fn(*args)
        except Exception as problem:
            return problem
    return None


def asked(fn, args, sized):
    return exceptions.may_raise(
        Op(fn, tuple(as_arg(a, sized) for a in args), (Var(Scalar("float")),)), Counters()
    )


def functions():
    ufuncs = {
        np.sin,
        np.exp,
        np.log,
        np.add,
        np.multiply,
        np.divide,
        np.power,
        np.maximum,
        np.sqrt,
        np.floor_divide,
    }
    math_functions = {f for f in vars(math).values() if callable(f)}
    typed = {
        builtin.__name__,
        containers.__name__,
        dicts.__name__,
    }  # whose arguments have the types that they are made for
    pure = {f for f in exceptions._TESTS if f.__module__ not in typed}
    return sorted(pure | ufuncs | math_functions | {operator.pow}, key=lambda f: (f.__name__, f.__module__))


@pytest.mark.drawn(of=15)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("fn", functions(), ids=lambda f: f"{f.__module__}.{f.__name__}")
def test_what_raises_was_said_to_raise(fn):
    everything = [*NUMBERS, *ARRAYS]
    calls = [(a,) for a in everything] + list(itertools.product(everything, [*everything, *OPTIONS]))
    calls += [
        (a, i, v) for a in ARRAYS for i in (0, 2, -1, 3, *OPTIONS) for v in (1.0, 1j, math.nan, *ARRAYS)
    ]
    needed = {operator.getitem: 2, helpers.setitem: 3, helpers.add_at: 3}.get(fn, 1)
    calls = [args for args in calls if len(args) >= needed]
    if fn in (
        operator.pow,
        operator.lshift,
        math.pow,
        math.factorial,
        math.perm,
        math.comb,
        np.power,
        np.float_power,
    ):
        calls = [args for args in calls if not any(type(a) is int and a > 100 for a in args)]
    for args in calls:
        if any(type(a) is int and a > 100 for a in args) and isinstance(args[0], (int, tuple)):
            continue  # an array of that size
        for sized in ("unknown", "sized", "literal"):
            said = asked(fn, args, sized)
            if not said:
                problem = raised(fn, args)
                assert problem is None or isinstance(problem, TypeError), (args, sized, repr(problem))


X = Var(Array(np.dtype(float), (Dim.symbol("n"),)), "x")
MATRIX = Var(Array(np.dtype(float), (Dim.symbol("n"), 3)), "a")
NUMBER, COUNT = Var(Scalar("float"), "s"), Var(Scalar("int"), "k")
LENGTH = Var(Scalar("int", None, Dim.symbol(("arg", 0), least=0)), "n")
NUMPYS = Var(Scalar("float", np.dtype(float)), "t")
WHOLE = Slice(Lit(None), Lit(None), Lit(None))


@pytest.mark.parametrize(
    "op",
    [
        (np.sin, X), (operator.mul, X, X), (operator.truediv, X, NUMBER), (operator.truediv, NUMPYS, NUMPYS),
        (operator.mul, NUMBER, NUMBER), (operator.truediv, NUMBER, Lit(2.0)), (operator.pow, X, Lit(2)),
        (np.zeros, LENGTH), (np.zeros, Seq((Lit(2), LENGTH))), (np.zeros_like, X), (np.sum, X), (np.shape, X),
        (operator.getitem, MATRIX, Seq((WHOLE, Lit(2)))), (operator.getitem, MATRIX, Seq((WHOLE, Lit(-3)))),
        (operator.getitem, X, Slice(COUNT, Lit(None), Lit(None))), (helpers.setitem, X, WHOLE, Lit(0.0)),
        (operator.matmul, X, MATRIX), (np.max, Var(Array(np.dtype(float), (2, 3)))), (len, X),
        (math.tanh, NUMBER),
        (operator.floordiv, COUNT, Lit(2)), (np.reshape, X, Lit(-1)), (float, NUMPYS), (int, COUNT),
        (np.concatenate, Seq((X, X))),
    ],
    ids=lambda op: op[0].__name__,
)  # fmt: skip
def test_what_is_proven_goes(op):
    assert not exceptions.may_raise(Op(op[0], op[1:], (Var(Scalar("float")),)), Counters())


def test_a_counter_within_the_length_goes():
    from ast_ad.compiler.ir.ops import For

    counters, i, j = Counters(), Var(Scalar("int"), "i"), Var(Scalar("int"), "j")
    before, behind = Var(Scalar("int")), Var(Scalar("int"))
    matrix = Var(Array(np.dtype(float), (LENGTH.type.size, LENGTH.type.size)))
    counters.loop(For(i, (Lit(0), LENGTH, Lit(1)), (), (), (), Block(), ()))
    counters.learn(Op(operator.add, (i, Lit(1)), (behind,)))
    counters.learn(Op(operator.sub, (i, Lit(1)), (before,)))
    counters.loop(For(j, (behind, LENGTH, Lit(1)), (), (), (), Block(), ()))

    def may(*index):
        return exceptions.may_raise(Op(operator.getitem, (matrix, Seq(index)), (NUMBER,)), counters)

    assert not may(i, j) and not may(j, i)
    assert may(behind, i) and may(before, j) and may(i, COUNT)


def test_readers_are_given_once_and_what_a_rule_computes_goes():
    ops = [
        Op(operator.getitem, (X, COUNT), (a := Var(Scalar("float")),)),
        Op(operator.truediv, (Lit(1.0), a), (Var(Scalar("float")),)),
        Op(operator.truediv, (Lit(2.0), NUMBER), (Var(Scalar("float")),), adjoint=True),
        Op(operator.mul, (X, X), (Var(X.type),)),
    ]
    function = Function("f", (X, COUNT, NUMBER), Block(ops, (NUMBER,)))
    keep_exceptions(function)
    readers = [op for op in walk(function.body) if op.fn is builtin.unread]
    assert [op.args[0] for op in readers] == [ops[1].out]
    assert all(op.effect for op in readers)


def element_of_no_matter(x, k):
    y = x[k]
    return np.sum(x * x) + 0 * y


def quotient_beside(x, k):
    return np.sum(x**3) + 1.0 / (k - 5)


def read_in_vain(x, k):
    for i in range(2):
        x[k - i]
    return np.sum(x**3)


def of_gradient(x, k):
    return np.sum(ast_ad.grad(quotient_beside)(x, k) ** 2)


def of_gradient_of_element(x, k):
    return np.sum(ast_ad.grad(element_of_no_matter)(x, k) ** 2)


def of_pullback(x, k):
    value, pullback = ast_ad.vjp(read_in_vain, argnums=0)(x, k)
    return np.sum(pullback(1.0) ** 2)


@pytest.mark.drawn(of=2)
@pytest.mark.slow(beyond=6)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("asked", [ast_ad.grad, ast_ad.value_and_grad, ast_ad.vjp])
@pytest.mark.parametrize(
    ("function", "error"),
    [
        (element_of_no_matter, IndexError),
        (quotient_beside, ZeroDivisionError),
        (read_in_vain, IndexError),
        (of_gradient, ZeroDivisionError),
        (of_gradient_of_element, IndexError),
        (of_pullback, IndexError),
    ],
)
def test_derivatives_raise_what_the_value_raises(function, error, asked, backend):
    derivative = asked(function, argnums=(0,), backend=backend)
    derivative(THREE, 1)
    assert derivative.mode == "compiled"
    with pytest.raises(error):
        derivative(THREE, 5)


def test_the_order_of_an_exception_and_what_is_printed(capsys):
    def f(x, k):
        print("before")
        x[k]
        print("behind")
        return np.sum(x * x)

    derivative = ast_ad.grad(f)
    derivative(THREE, 1)
    capsys.readouterr()
    with pytest.raises(IndexError):
        derivative(THREE, 3)
    assert capsys.readouterr().out == "before\n"


@pytest.mark.slow
def test_a_kernel_checks_in_a_loop_of_its_own():
    def f(x, y, n):
        total = 0.0
        for i in range(n):
            y[i] + 1.0
            total = total + x[i] * x[i]
        return total

    derivative = ast_ad.value_and_grad(f, backend="numba")
    derivative(THREE, THREE, 3)
    kernel, driver = derivative._last.text.split("\n\n\ndef ")
    assert "\n        y[position_i]\n" in kernel and "y[" not in driver
    with pytest.raises(IndexError):
        derivative(THREE, THREE[:2], 3)
