"""Do writes in place leave the meaning of a program, and its arguments, alone?"""

import copy
import operator

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.arrays.in_place import write_in_place
from ast_ad.compiler.emit.nesting import plan
from ast_ad.compiler.emit.python import emit_module
from ast_ad.compiler.ir import builtin
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Block, For, Function, Lit, Op, Seq, Slice, Var, walk
from ast_ad.compiler.ir.show import show
from ast_ad.compiler.ir.types import Array, Dim
from tests.compiler.random_ir import INDEX, LIST, LONG, NONE, NUMBER, SHORT, Generator, N, arguments


def run_text(emitted, name="f"):
    namespace = dict(emitted.injected)
    exec(compile(emitted.text, "<generated>", "exec"), namespace)
    return namespace[name]


def same(a, b):
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return np.array_equal(a, b, equal_nan=True) if a is not None else b is None


def outcome(run, args):
    """The result, or the kind of error (an index out of range in a random program)."""
    try:
        with np.errstate(all="ignore"):
            return run(*args)
    except IndexError as error:
        return type(error)


def arrays(value):
    if isinstance(value, (list, tuple)):
        return [a for item in value for a in arrays(item)]
    return [value] if isinstance(value, np.ndarray) else []


@pytest.mark.drawn(of=12)
@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 400, 20))
def test_random_programs_keep_their_meaning(start):
    for seed in range(start, start + 20):
        function = check(Generator(seed).function())
        fresh = range(len(function.body.results)) if seed % 2 else ()
        expected = outcome(lambda *a, f=function: evaluate(f, *a), arguments(seed))
        changed = check(write_in_place(function, fresh=fresh))
        emitted = emit_module([changed])
        for run in (
            lambda *a, f=changed: evaluate(f, *a),
            run_text(emit_module([function])),
            run_text(emitted),
        ):
            args = arguments(seed)
            before = copy.deepcopy(args)
            result = outcome(run, args)
            report = f"seed {seed}\n{show(function)}\n\n{emitted.text}"
            assert same(result, expected), report
            assert same(args, before), report
        if fresh and not isinstance(result, type):
            found = arrays(result)
            for i, one in enumerate(found):
                assert one.flags.writeable, report
                assert not any(np.shares_memory(one, other) for other in [*found[:i], *arrays(args)]), report


# ----- an operation takes the place of an operand that nobody reads any more -----


def reused(function, **options):
    return write_in_place(function, nested=lambda f: plan(f).inlined, **options)


class Reusing(Generator):
    """Programs in which many arrays are the results of arithmetic and are soon forgotten.

    Only exact operations: what a sine gives depends on how its argument lies in memory.
    """

    def op(self):
        if self.rng.random() < 0.4:
            return super().op()
        type = LONG if self.rng.random() < 0.7 else SHORT
        a, b, s = self.pick(type), self.pick(type), self.pick(NUMBER)
        choices = [
            (operator.neg, (a,)),
            (np.absolute, (a,)),
            (np.reciprocal, (a,)),
            (np.multiply, (a, b)),
            (operator.mul, (s, a)),
            (operator.truediv, (a, Lit(3.0))),
            (operator.sub, (a, b)),
            (np.minimum, (a, b)),
            (np.maximum, (a, Lit(-0.5))),
        ]
        fn, args = choices[self.rng.integers(len(choices))]
        return Op(fn, args, (self.var(type),), adjoint=bool(self.rng.random() < 0.5))

    def pick(self, type):
        fits = [v for v in self.scope if v.type == type]
        return fits[-1] if self.rng.random() < 0.5 else fits[self.rng.integers(len(fits))]


@pytest.mark.drawn(of=5)
@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 300, 20))
def test_reuse_keeps_the_meaning_of_random_programs(start):
    count = 0
    for seed in range(start, start + 20):
        function = check(Reusing(seed).function(20))
        expected = outcome(lambda *a, f=function: evaluate(f, *a), arguments(seed))
        changed = check(reused(function, fresh=range(len(function.body.results)) if seed % 2 else ()))
        emitted = emit_module([changed])
        count += sum(isinstance(op, Op) and op.fn in REUSES for op in walk(changed.body))
        for run in (lambda *a, f=changed: evaluate(f, *a), run_text(emitted)):
            args = arguments(seed)
            before = copy.deepcopy(args)
            result = outcome(run, args)
            report = f"seed {seed}\n{show(function)}\n\n{emitted.text}"
            assert same(result, expected), report
            assert same(args, before), report
        if seed % 2 and not isinstance(result, type):
            found = arrays(result)
            for i, one in enumerate(found):
                assert not any(np.shares_memory(one, other) for other in [*found[:i], *arrays(args)]), report
    assert count  # something was reused


ONE = Dim((), 1)
REUSES = builtin.into_, builtin.imul_, builtin.itruediv_


class Built:
    """A function that is put together by hand: ``x`` and ``y`` are its parameters."""

    def __init__(self):
        self.x, self.y, self.ops = Var(LONG, "x"), Var(LONG, "y"), []

    def add(self, fn, *args, hint=None, adjoint=True, type=LONG):
        args = tuple(arg if isinstance(arg, (Var, Lit, Slice, Seq)) else Lit(arg) for arg in args)
        self.ops.append(Op(fn, args, (Var(type, hint),), adjoint=adjoint))
        return self.ops[-1].outs[0]

    def text(self, *results):
        """The code; it computes what the pure program does, twice, and leaves its arguments alone."""
        function = check(Function("f", (self.x, self.y), Block(self.ops, results)))
        emitted = emit_module([check(reused(function))])
        args = [np.linspace(0.5, 1.5, N), np.linspace(-1.0, 2.0, N)]
        expected = evaluate(function, *copy.deepcopy(args))
        run = run_text(emitted)
        for _ in range(2):
            given = copy.deepcopy(args)
            assert same(run(*given), expected if isinstance(expected, tuple) else expected), emitted.text
            assert same(given, args), emitted.text
        return emitted.text


def test_a_function_fills_the_array_that_it_read():
    f = Built()
    a = f.add(operator.mul, f.x, f.y)
    total = f.add(np.sum, a, type=NUMBER)
    b = f.add(np.exp, a, hint="b_bar")
    assert "b_bar = np.exp(x_times_y, out=x_times_y)" in f.text(total, b)


def test_the_result_of_the_caller_is_what_was_filled():
    f = Built()
    a_bar = f.add(operator.mul, f.x, f.y, hint="a_bar")
    total = f.add(np.sum, a_bar, type=NUMBER)
    b_bar = f.add(operator.truediv, a_bar, f.y, hint="b_bar")
    assert "a_bar /= y" in f.text(total, b_bar)


def test_a_result_is_not_overwritten():
    f = Built()
    a = f.add(operator.mul, f.x, f.y)
    b = f.add(np.exp, a, hint="b_bar")
    assert "out=" not in f.text(a, b)


def test_an_array_in_a_list_is_not_overwritten():
    f = Built()
    a = f.add(operator.mul, f.x, f.y)
    kept = f.add(builtin.make_list, a, hint="tape", type=LIST)
    b = f.add(np.exp, a, hint="b_bar")
    assert "out=" not in f.text(b, kept)


def test_an_argument_is_not_overwritten():
    f = Built()
    total = f.add(np.sum, f.x, type=NUMBER)
    assert "out=" not in f.text(total, f.add(np.exp, f.x, hint="b_bar"))


def test_an_array_that_a_view_shows_is_not_overwritten():
    f = Built()
    a = f.add(operator.mul, f.x, f.y)
    part = f.add(operator.getitem, a, Slice(Lit(1), Lit(4), NONE), type=SHORT, hint="part")
    b = f.add(np.exp, a, hint="b_bar")
    last = f.add(np.sin, part, type=SHORT, hint="last")
    assert "out=" not in f.text(b, part, last)


def test_a_view_is_no_array_of_its_own():
    f = Built()
    a = f.add(operator.mul, f.x, f.y)
    back = f.add(operator.getitem, a, Slice(NONE, NONE, Lit(-1)))
    total = f.add(np.sum, back, type=NUMBER)
    b = f.add(np.exp, back, hint="b_bar")
    assert "out=" not in f.text(a, total, b)


def test_the_other_operand_may_be_a_view_of_the_same_memory():
    f = Built()
    a = f.add(operator.mul, f.x, f.y)
    back = f.add(operator.getitem, a, Slice(NONE, NONE, Lit(-1)), hint="back")
    total = f.add(np.sum, back, type=NUMBER)
    b = f.add(np.arctan2, a, back, hint="b_bar")
    assert "b_bar = np.arctan2(x_times_y, back, out=x_times_y)" in f.text(total, b)


def test_an_array_that_is_both_operands():
    f = Built()
    a = f.add(operator.mul, f.x, f.y)
    total = f.add(np.sum, a, type=NUMBER)
    f.text(total, f.add(np.arctan2, a, a, hint="b_bar"))


def test_an_operand_that_is_stretched_is_not_filled():
    f = Built()
    column = Array(np.dtype(float), (ONE,))
    a = f.add(np.sum, f.x, 0, None, None, True, type=column)
    total = f.add(np.sum, a, type=NUMBER)
    assert "out=" not in f.text(total, f.add(np.arctan2, a, f.y, hint="b_bar"))


def test_an_operand_of_another_dtype_is_not_filled():
    f = Built()
    a = f.add(operator.mul, f.x, f.y)
    total = f.add(np.sum, a, type=NUMBER)
    b = f.add(np.signbit, a, hint="b", type=Array(np.dtype(bool), LONG.shape))
    assert "out=" not in f.text(total, b)


def test_the_users_names_keep_their_values():
    f = Built()
    a = f.add(operator.mul, f.x, f.y, hint="a", adjoint=False)
    b = f.add(np.exp, a, hint="b", adjoint=False)
    assert "out=" not in f.text(b)


def test_nested_expressions_stay_nested():
    f = Built()
    a = f.add(operator.mul, f.x, f.y)
    b = f.add(np.exp, a)
    assert "return np.exp(x * y)" in f.text(b)


def test_an_expression_is_not_broken_up_for_a_write():
    f = Built()
    a = f.add(operator.mul, f.x, f.y, adjoint=False)
    b = f.add(np.sin, f.add(np.maximum, a, f.y, adjoint=False), adjoint=False)
    c = f.add(np.exp, a, adjoint=False)
    d = f.add(np.minimum, b, c, adjoint=False)
    text = f.text(f.add(np.maximum, d, c, adjoint=False))
    assert "np.sin(np.maximum(x_times_y, y)), exp_x_times_y), exp_x_times_y)" in text


def test_a_temporary_of_a_loop():
    f = Built()
    u, i = Var(LONG, "u"), Var(INDEX, "i")
    body = Built()
    a = body.add(operator.mul, u, f.y, adjoint=False)
    b = body.add(np.sum, a, type=NUMBER, hint="total", adjoint=False)
    c = body.add(operator.mul, a, 0.5, adjoint=False)
    d = body.add(np.minimum, c, b, adjoint=False)
    nxt = body.add(np.maximum, d, c, hint="u", adjoint=False)
    out = Var(LONG, "u")
    f.ops.append(For(i, (Lit(0), Lit(3), Lit(1)), (), (u,), (f.x,), Block(body.ops, (nxt,)), (out,)))
    assert "u_times_y *= 0.5" in f.text(out)


def moved(x, y, t):
    m = x.copy()
    for b in range(len(t)):
        m += y * t[b]
    return np.sum(m**2)


def filled(x, y, t):
    m = np.zeros((len(x), 3))
    for b in range(len(t)):
        m[:] += np.sin(x) * t[b]
        m *= y
    return np.sum(m**2)


def kept(x, y, t):
    """The reverse sweep, and a list, hold what the array was."""
    m, old = x.copy(), []
    for b in range(len(t)):
        old.append(m.copy())
        m += m * y * t[b]
    return np.sum(m**2) + np.sum(old[1] * y)


def written(x, y, t):
    for b in range(len(t)):
        x += y * t[b]
    return np.sum(x**2)


@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=pytest.mark.slow(beyond=1))])
@pytest.mark.parametrize("f", [moved, filled, kept, written])
def test_an_array_that_a_loop_adds_to_stays_where_it_is(f, backend):
    draw = np.random.default_rng(3)
    x, y, t = draw.normal(size=(7, 3)), draw.normal(size=(7, 3)), draw.normal(size=4)
    derivative = ast_ad.value_and_grad(f, argnums=(0, 1, 2), backend=backend)
    given = x.copy(), y.copy(), t.copy()
    value, found = derivative(*given)
    assert np.isclose(value, f(x.copy(), y, t), rtol=1e-13)
    assert same(given, (x, y, t))
    directions = [draw.normal(size=a.shape) for a in (x, y, t)]

    def at(s):
        return f(*(a + s * d for a, d in zip((x, y, t), directions, strict=True)))

    slope = (8.0 * (at(1e-3) - at(-1e-3)) - (at(2e-3) - at(-2e-3))) / 12e-3
    assert np.isclose(sum(np.sum(g * d) for g, d in zip(found, directions, strict=True)), slope, rtol=1e-8)
    if f is moved:
        lines = [line.strip() for line in derivative.source.split("\n\n\n")[1].splitlines()]
        assert "m += y * t[b]" in lines if backend == "numpy" else not any("empty(" in line for line in lines)


def test_a_factor_that_may_not_be_overwritten_stays_where_it_was():
    f = Built()
    a = f.add(operator.mul, f.x, 2.0)
    kept = f.add(builtin.make_list, a, hint="tape", type=LIST)
    assert "b_bar = y * x_times_2" in f.text(f.add(operator.mul, f.y, a, hint="b_bar"), kept)


def test_an_error_half_way_leaves_the_arguments_alone():
    f = Built()
    a = f.add(operator.mul, f.x, f.y)
    total = f.add(np.sum, a, type=NUMBER)
    b = f.add(np.log, a, hint="b_bar")
    x, y = np.array([1.0, -1.0] * 3), np.ones(N)
    function = Function("f", (f.x, f.y), Block(f.ops, (total, b)))
    run = run_text(emit_module([reused(function)]))
    with np.errstate(invalid="raise"), pytest.raises(FloatingPointError):
        run(x, y)
    assert same([x, y], [np.array([1.0, -1.0] * 3), np.ones(N)])


@pytest.mark.slow
def test_a_pullback_that_is_called_twice():
    def f(x):
        y = np.exp(x) * np.tanh(x)
        return y / np.sum(y)

    x = np.linspace(-1.0, 1.0, 5)
    _, pullback = ast_ad.vjp(f, x, backend="numpy")
    first = np.array(pullback(np.ones(5)))
    assert same(first, np.array(pullback(np.ones(5))))


UNARY = [np.exp, np.log, np.sin, np.cos, np.tanh, np.sqrt, np.negative, np.absolute, np.log1p, np.arctan]
BINARY = [np.multiply, np.divide, np.power, np.arctan2, np.maximum, np.subtract]


@pytest.mark.parametrize("dtype", (float, np.float32))
@pytest.mark.parametrize("n", (1, 7, 64, 1001, 20000))
def test_in_place_is_the_same_to_the_last_bit(n, dtype):
    x = np.random.default_rng(n).uniform(0.1, 3.0, n).astype(dtype)
    for ufunc in UNARY:
        t = x.copy()
        assert ufunc(x).tobytes() == ufunc(t, out=t).tobytes(), ufunc
    for ufunc in BINARY:
        for other in (dtype(1.7), x[::-1].copy()):
            t = x.copy()
            assert ufunc(x, other).tobytes() == ufunc(t, other, out=t).tobytes(), ufunc
