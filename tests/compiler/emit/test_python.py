"""Does generated source read as if a colleague wrote it, and mean what the IR means?"""

import ast
import itertools
import math
import operator

import numpy as np
import pytest

from ast_ad.compiler.emit.python import emit_module
from ast_ad.compiler.ir import builtin
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Block, For, Function, If, Lit, Op, Seq, Slice, Span, Var, While
from ast_ad.compiler.ir.types import Array, Dim, ListOf, Scalar
from ast_ad.rules import containers, helpers

FLOAT, INT, BOOL = Scalar("float"), Scalar("int"), Scalar("bool")
VECTOR = Array(np.dtype(float), (Dim.symbol("n", True),))
NONE = Lit(None)


def var(hint=None, type=FLOAT):
    return Var(type, hint)


def function(params, ops, *results, doc=""):
    return check(Function("f", tuple(params), Block(list(ops), tuple(results)), doc))


def body(fn):
    """The lines of the function's body, unindented."""
    tree = emit_module([fn]).text
    lines = tree[tree.index("def f(") :].splitlines()[1:]
    return [line.removeprefix("    ") for line in lines]


def call(emitted, *args):
    namespace = dict(emitted.injected)
    exec(emitted.text, namespace)
    return namespace["f"](*args)


def agree(fn, *args):
    emitted = emit_module([fn])
    assert np.array_equal(call(emitted, *args), evaluate(fn, *args)), emitted.text
    return emitted


# ----- names and nesting -----


def test_single_uses_are_nested_and_user_names_stay():
    x, t, u, y = var("x"), var(), var(), var("y")
    fn = function(
        [x],
        [Op(operator.mul, (x, Lit(2)), (t,)), Op(math.sin, (t,), (y,)), Op(operator.pow, (y, Lit(2)), (u,))],
        u,
    )
    assert body(fn) == ["y = math.sin(x * 2)", "return y ** 2"]


def test_what_is_used_twice_gets_a_name():
    x, t, y = var("x"), var(), var()
    fn = function([x], [Op(operator.neg, (x,), (t,)), Op(operator.mul, (t, t), (y,))], y)
    assert body(fn) == ["minus_x = -x", "return minus_x * minus_x"]


def test_names_that_mean_something_else_are_changed():
    np_, range_, s, lambda_, i, p, q, out = (
        var(h) for h in ("np", "range", "sum", "lambda", "i", "s", "s", "s")
    )
    loop = For(
        i,
        (Lit(0), Lit(3), Lit(1)),
        (),
        (p,),
        (np_,),
        Block([Op(operator.add, (p, range_), (q,))], (q,)),
        (out,),
    )
    fn = function([np_, range_, lambda_], [loop, Op(np.sum, (out,), (s,))], Seq((s, out)))
    emitted = agree(fn, 1.0, 2.0, 3.0)
    assert "def f(np_, range_, lambda_):" in emitted.text
    assert "sum = np.sum(s)" in emitted.text


def test_clashing_hints_are_numbered():
    x, a, b, y = var("x"), var("a"), var("a"), var("y")
    fn = function(
        [x], [Op(operator.neg, (x,), (a,)), Op(operator.mul, (x, x), (b,)), Op(operator.sub, (a, b), (y,))], y
    )
    assert body(fn) == ["a = -x", "a_1 = x * x", "y = a - a_1", "return y"]


def test_an_expression_does_not_move_past_a_new_value_of_its_name():
    x, t, x1, y = var("x"), var(), var("x"), var()
    fn = function(
        [x],
        [Op(operator.neg, (x,), (t,)), Op(operator.mul, (x, Lit(3)), (x1,)), Op(operator.add, (t, x1), (y,))],
        y,
    )
    assert body(fn) == ["minus_x = -x", "x = x * 3", "return minus_x + x"]
    agree(fn, 2.0)


def test_depth_and_length_are_limited():
    x = var("x")
    ops, last = [], x
    for _ in range(60):
        ops.append(Op(np.sin, (last,), (var(),)))
        last = ops[-1].out
    lines = body(function([x], ops, last))
    assert len(lines) > 4
    assert all(len(line) < 110 and line.count("(") <= 12 for line in lines)
    agree(function([x], ops, last), 0.5)


# ----- expressions -----


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-2, "-2"),
        (-2.5e-17, "-2.5e-17"),
        (-0.0, "-0.0"),
        (2j, "2.0j"),
        (-2j, "complex(-0.0, -2.0)"),
        (1 + 2j, "complex(1.0, 2.0)"),
        (math.inf, "np.inf"),
        (-math.inf, "-np.inf"),
        (math.nan, "np.nan"),
        (np.float32(1.5), "np.float32(1.5)"),
        (np.dtype("f4"), "np.float32"),
        (np.dtype(">f8"), "np.dtype('>f8')"),
        ("it's\n", '"it\'s\\n"'),
        ((1, -2), "1, -2"),
        (True, "True"),
        (np.float64, "np.float64"),
        (math.pi, repr(math.pi)),
    ],
)
def test_literals(value, text):
    fn = function([], [], Lit(value))
    emitted = emit_module([fn])
    assert f"return {text}" in emitted.text
    result = call(emitted)
    assert repr(result) == repr(value) or result == value or text == "np.float32"


def test_a_negative_base_keeps_its_parentheses():
    x, y = var("x"), var()
    agree(function([x], [Op(operator.pow, (Lit(-2.0), x), (y,))], y), 2)
    agree(function([x], [Op(operator.neg, (x,), (t := var(),)), Op(operator.pow, (t, Lit(2)), (y,))], y), 3.0)


@pytest.mark.parametrize(
    ("fn", "args", "text"),
    [
        (operator.is_, ("x", None), "x is None"),
        (operator.contains, ((1, 2), "x"), "x in (1, 2)"),
        (operator.le, ("x", 1), "x <= 1"),
        (operator.matmul, ("x", "x"), "x @ x"),
        (np.abs, ("x",), "np.abs(x)"),
        (np.linalg.norm, ("x",), "np.linalg.norm(x)"),
        (abs, ("x",), "abs(x)"),
        (np.divide, ("x", 2), "np.divide(x, 2)"),
        (helpers.unbroadcast, ("x", "x"), "unbroadcast(x, x)"),
        (builtin.call, ("x", 2), "x(2)"),
        (getattr, ("x", "real"), "x.real"),
        (np.maximum.reduce, ("x",), "np.maximum.reduce(x)"),
        (operator.floordiv, (7, "x"), "7 // x"),
        (builtin.make_list, ("x", 1), "[x, 1]"),
        (builtin.copy, ("x",), "x.copy()"),
    ],
)
def test_spelling_of_calls(fn, args, text):
    x, y = var("x"), var()
    op = Op(fn, tuple(x if a == "x" else Lit(a) for a in args), (y,))
    assert body(function([x], [op], y)) == [f"return {text}"]


def test_shapes_are_attributes_of_arrays():
    x, m, t = var("x", VECTOR), var("m", Array(np.dtype(float), (2, 3))), [var() for _ in range(3)]
    ops = [Op(np.shape, (x,), (t[0],)), Op(np.transpose, (m,), (t[1],)), Op(helpers.mT, (m,), (t[2],))]
    assert body(function([x, m], ops, *t)) == ["return x.shape, m.T, m.T"]


def test_what_has_no_spelling_is_injected():
    x, y, secret = var("x"), var(), lambda v: v + 1
    emitted = agree(function([x], [Op(secret, (x,), (y,))], y), 3)
    assert list(emitted.injected.values()) == [secret]


def test_subscripts():
    x, i, y = var("x", VECTOR), var("i", INT), var()
    index = Seq((Slice(Lit(1), NONE, Lit(-1)), i, NONE, Lit(...), Lit(slice(None, 2))))
    assert body(function([x, i], [Op(operator.getitem, (x, index), (y,))], y)) == [
        "return x[1::-1, i, None, ..., :2]"
    ]


# ----- control flow -----


def counted(body_of, carried, init, reverse=False, stops=False, items=()):
    i, n = var("i", INT), var("n", INT)
    p, out = var(carried), var(carried)
    ops, results = body_of(i, p)
    loop = For(i, (Lit(0), n, Lit(1)), items, (p,), (init,), Block(ops, results), (out,), reverse, stops)
    return function([n], [loop], out)


def test_a_sum():
    q, t = var("s"), var()
    fn = counted(
        lambda i, p: ([Op(operator.mul, (i, i), (t,)), Op(operator.add, (p, t), (q,))], (q,)), "s", Lit(0)
    )
    assert body(fn) == ["s = 0", "for i in range(n):", "    s += i * i", "return s"]
    agree(fn, 5)


def test_parallel_moves():
    a, b, pa, pb, oa, ob, c, i = (var(h) for h in ("a", "b", "a", "b", "a", "b", "b", "i"))
    loop = For(
        i,
        (Lit(0), Lit(5), Lit(1)),
        (),
        (pa, pb),
        (a, b),
        Block([Op(operator.add, (pa, pb), (c,))], (pb, c)),
        (oa, ob),
    )
    fn = function([a, b], [loop], Seq((oa, ob)))
    assert body(fn) == ["for _ in range(5):", "    a, b = b, a + b", "return a, b"]
    agree(fn, 0, 1)


def test_swaps_and_lost_copies():
    a, b, pa, pb, oa, ob, i = (var(h) for h in ("a", "b", "a", "b", "a", "b", "i"))
    loop = For(i, (Lit(0), Lit(3), Lit(1)), (), (pa, pb), (a, a), Block([], (pb, pa)), (oa, ob))
    agree(function([a, b], [loop], Seq((oa, ob, a, b))), 1.0, 2.0)


def moving(*results):
    """What a loop over ``a`` to ``e`` makes of such results, given by positions: 5 is a number of its own."""
    names = "abcde"
    params, inits, outs = ([var(n) for n in names] for _ in range(3))
    new = var("new")
    values = [*params, new]
    block = Block([Op(operator.add, (params[0], params[4]), (new,))], tuple(values[k] for k in results))
    loop = For(var("i"), (Lit(0), Lit(3), Lit(1)), (), tuple(params), tuple(inits), block, tuple(outs))
    fn = function(inits, [loop], Seq(tuple(outs)))
    agree(fn, 1.0, 2.0, 4.0, 8.0, 16.0)
    return [line.strip() for line in body(fn)[1:-1] if "new =" not in line]


def test_only_what_exchanges_names_moves_at_once():
    assert moving(1, 0, 2, 4, 3) == ["a, b = b, a", "d, e = e, d"]
    assert moving(0, 0, 1, 2, 3) == ["e = d", "d = c", "c = b", "b = a"]
    assert moving(1, 2, 0, 0, 3) == ["e = d", "d = a", "a, b, c = b, c, a"]
    for results in itertools.islice(itertools.product(range(6), repeat=5), 7, None, 131):
        moving(*results)


def test_break_stands_where_the_user_wrote_it():
    q, t, flag = var("s"), var(), var("stop", BOOL)

    def ops(i, p):
        choose = If(t, Block([], (Lit(True),)), Block([], (Lit(False),)), (flag,))
        return [Op(operator.add, (p, i), (q,)), Op(operator.gt, (q, Lit(4)), (t,)), choose], (flag, q)

    fn = counted(ops, "s", Lit(0), stops=True)
    assert body(fn)[1:] == ["for i in range(n):", "    s += i", "    if s > 4:", "        break", "return s"]
    agree(fn, 9)
    agree(fn, 2)


def test_a_flag_that_reads_carried_values_is_computed_before_they_move():
    q, t, d = var("x"), var(), var()

    def ops(i, p):
        return [
            Op(operator.mul, (p, Lit(0.5)), (q,)),
            Op(operator.sub, (p, q), (d,)),
            Op(operator.lt, (d, Lit(0.1)), (t,)),
        ], (t, q)

    agree(counted(ops, "x", Lit(3.0), stops=True), 30)


def test_reversed_loops_over_a_tape():
    tape, i, r, s, p, q, out, n = (var(h) for h in ("tape", "i", "r", "s", "a", "a", "a", "n"))
    t = var()

    def loop(ops, result):
        return For(
            i,
            (Lit(0), n, Lit(1)),
            ((tape, (r, s)),),
            (p,),
            (Lit(0),),
            Block(ops, (result,)),
            (out,),
            reverse=True,
        )

    ops = [Op(operator.mul, (r, s), (t,)), Op(operator.sub, (t, p), (q,))]
    fn = function([tape, n], [loop(ops, q)], out)
    assert body(fn)[1] == "for r, s in reversed(tape):"
    agree(fn, [(1, 2), (3, 4)], 2)
    ops = [Op(operator.mul, (r, i), (t,)), Op(operator.sub, (t, p), (q,))]
    fn = function([tape, n], [loop(ops, q)], out)
    assert body(fn)[1] == "for i, (r, _) in zip(reversed(range(n)), reversed(tape)):"
    agree(fn, [(1, 2), (3, 4)], 2)


def test_while_conditions():
    x, p, c, q, out = var("x"), var("x"), var(), var("x"), var("x")
    simple = While(
        (p,),
        (x,),
        Block([Op(operator.gt, (p, Lit(1)), (c,))], (c,)),
        Block([Op(operator.truediv, (p, Lit(2)), (q,))], (q,)),
        (out,),
    )
    fn = function([x], [simple], out)
    assert body(fn) == ["while x > 1:", "    x = x / 2", "return x"]
    agree(fn, 10.0)
    h = var("h")
    simple.cond = Block(
        [
            Op(operator.sub, (p, Lit(1)), (h,)),
            Op(operator.mul, (h, h), (t := var(),)),
            Op(operator.gt, (t, Lit(1)), (c,)),
        ],
        (c,),
    )
    assert body(fn)[:3] == ["while True:", "    h = x - 1", "    if not h * h > 1:"]
    agree(fn, 10.0)


def test_branches():
    x, c, d, a, b, e, inner, out = (var(h) for h in ("x", None, None, "y", "y", "y", "y", "y"))
    nested = If(d, Block([Op(operator.neg, (x,), (b,))], (b,)), Block([], (Lit(0.0),)), (inner,))
    outer = If(
        c,
        Block([Op(operator.mul, (x, x), (a,))], (a,)),
        Block([Op(operator.lt, (x, Lit(-1)), (d,)), nested], (inner,)),
        (out,),
    )
    fn = function([x], [Op(operator.gt, (x, Lit(0)), (c,)), outer], out)
    assert [line.strip() for line in body(fn)] == [
        "if x > 0:", "y = x * x", "elif x < -1:", "y = -x", "else:", "y = 0.0", "return y"]  # fmt: skip
    for value in (3.0, -0.5, -3.0):
        agree(fn, value)
    del e


def test_effects_stay_in_order():
    x, y = var("x"), var()
    ops = [
        Op(builtin.assert_, (x, Lit("positive")), (), effect=True),
        Op(print, (x,), (), effect=True),
        Op(builtin.raise_, (Lit(ValueError),), (), effect=True),
    ]
    assert body(function([x], [*ops, Op(operator.neg, (x,), (y,))], y)) == [
        "assert x, 'positive'", "print(x)", "raise ValueError", "return -x"]  # fmt: skip


def test_unpacking_and_lists():
    xs, a, b, t = var("xs", ListOf(FLOAT)), var("a"), var("b"), var("t", ListOf(FLOAT))
    ops = [
        Op(builtin.unpack, (xs, Lit(2)), (a, b)),
        Op(builtin.make_list, (b,), (t,)),
        Op(builtin.append_, (t, a), (u := var("t", ListOf(FLOAT)),)),
    ]
    fn = function([xs], ops, u)
    assert body(fn) == ["a, b = xs", "t = [b]", "t.append(a)", "return t"]


# ----- the module -----


def test_comments_doc_and_lines():
    span, other = Span("user.py", 7, text="y = x ** 2"), Span("user.py", 8, text="return\n  y * 3")
    x, y, z, g, h = var("x"), var("y"), var(), var("y_bar"), var("x_bar")
    ops = [
        Op(operator.pow, (x, Lit(2)), (y,), span=span),
        Op(operator.mul, (y, Lit(3)), (z,), span=other),
        Op(builtin.assign, (Lit(3.0),), (g,), span=other, adjoint=True),
        Op(operator.mul, (g, x), (t := var(),), span=span, adjoint=True),
        Op(operator.mul, (t, Lit(2)), (h,), span=span, adjoint=True),
    ]
    emitted = emit_module([function([x], ops, z, h, doc='The "gradient"\nof f.')], header="made by\nast_ad")
    assert emitted.text.splitlines()[:2] == ["# made by", "# ast_ad"]
    assert [line.strip() for line in emitted.text.splitlines()[3:]] == [
        "'The \"gradient\" of f.'",
        "y = x ** 2",
        "# return y * 3",
        "y_bar = 3.0",
        "# y = x ** 2",
        "x_bar = y_bar * x * 2",
        "return y * 3, x_bar",
    ]
    lines = emitted.text.splitlines()
    assert [(lines[number - 1].strip()[:5], place.line) for number, place in emitted.lines] == [
        ("y = x", 7), ("y_bar", 8), ("x_bar", 7)]  # fmt: skip


def test_output_is_deterministic_and_parses():
    x, y = var("x", VECTOR), var("y", VECTOR)
    make = lambda: function([x], [Op(containers.list_append, (Seq((), list), x), (y,))], y)  # noqa: E731
    assert emit_module([make()]).text == emit_module([make()]).text
    ast.parse(emit_module([make()]).text)
