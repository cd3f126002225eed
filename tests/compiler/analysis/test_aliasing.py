"""Is exactly that copied which a write would change for somebody else?"""

import operator

import numpy as np
import pytest

from ast_ad.compiler.arrays.in_place import write_in_place
from ast_ad.compiler.emit.python import emit_module
from ast_ad.compiler.ir import builtin
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Block, For, Function, Lit, Op, Seq, Slice, Var
from ast_ad.compiler.ir.types import Array, Dim, ListOf, Scalar
from ast_ad.rules import containers, helpers

VECTOR = Array(np.dtype(float), (Dim.symbol("n", True),))
FLOAT, INT, LIST = Scalar("float"), Scalar("int"), ListOf(VECTOR)
NONE = Lit(None)
TAIL, HEAD = Slice(Lit(1), NONE, NONE), Slice(NONE, Lit(-1), NONE)


def var(hint=None, type=VECTOR):
    return Var(type, hint)


def lines(params, ops, *results, **options):
    fn = check(Function("f", tuple(params), Block(list(ops), results)))
    text = emit_module([check(write_in_place(fn, **options))]).text
    return [line.strip() for line in text[text.index("def f(") :].splitlines()[1:]]


def test_a_view_that_lives_across_a_write_is_copied():
    """``v_bar = z_bar[1:]; z_bar[1:] = 0`` with ``v_bar`` a view makes every gradient wrong."""
    g, z, v, z1, out = var("g"), var("z_bar"), var("v_bar"), var("z_bar"), var("x_bar")
    ops = [
        Op(operator.mul, (g, Lit(2.0)), (z,)),
        Op(operator.getitem, (z, TAIL), (v,)),
        Op(helpers.setitem, (z, TAIL, Lit(0.0)), (z1,)),
    ]
    expected = ["z_bar = g * 2.0", "v_bar = z_bar[1:].copy()", "z_bar[1:] = 0.0"]
    assert lines([g], ops, Seq((v, z1)))[:3] == expected
    late = [
        ops[0],
        ops[2],
        Op(operator.getitem, (z, TAIL), (v,)),
    ]  # the rule of setitem: the read comes after
    assert lines([g], late, Seq((v, z1)))[:3] == expected
    assert "copy" not in "".join(lines([g], ops, z1)), "nobody reads the view"
    del out


def test_what_the_program_computes_from_a_view_it_computes_from_the_view():
    """A sum over a copy may differ in the last bit: only what comes after the write reads the copy."""
    a, v, s, a1, t = var("a"), var("v"), var("s", FLOAT), var("a"), var("t", FLOAT)
    ops = [
        Op(operator.getitem, (a, Slice(NONE, NONE, Lit(-1))), (v,)),
        Op(operator.matmul, (v, a), (s,)),
        Op(helpers.setitem, (a, Lit(0), s), (a1,)),
        Op(operator.matmul, (v, a1), (t,)),
    ]
    assert lines([a], ops, t, owned=[0]) == [
        "v = a[::-1]",
        "s = v @ a",
        "v = copy_as_it_lies(v)",
        "a[0] = s",
        "t = v @ a",
        "return t",
    ]


def test_parameters_are_copied_unless_they_are_owned():
    x, y = var("x"), var("x")
    ops = [Op(helpers.setitem, (x, Lit(0), Lit(1.0)), (y,))]
    assert lines([x], ops, y) == ["x = x.copy()", "x[0] = 1.0", "return x"]
    assert lines([x], ops, y, owned=[0]) == ["x[0] = 1.0", "return x"]


def test_what_is_read_for_its_shape_only_may_be_overwritten():
    x, a, b, z = var("x"), var("a"), var("a"), var("z")
    ops = [
        Op(np.sin, (x,), (a,)),
        Op(helpers.setitem, (a, Lit(0), Lit(1.0)), (b,)),
        Op(np.zeros_like, (a,), (z,)),
    ]
    assert lines([x], ops, b, z) == ["a = np.sin(x)", "a[0] = 1.0", "z = np.zeros_like(a)", "return a, z"]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda x: Op(operator.mul, (x, Lit(2)), (var("s"),)), "s += x"),
        (lambda x: Op(helpers.broadcast_like, (Lit(1.0), x), (var("s"),)), "s = s + x"),
        (lambda x: Op(helpers.mT, (x,), (var("s"),)), "s = s + x"),
        (lambda x: Op(builtin.assign, (x,), (var("s"),)), "s = s + x"),
        (lambda x: Op(helpers.unbroadcast, (x, x), (var("s"),)), "s = s + x"),
        (lambda x: Op(np.einsum, (Lit("i->i"), x), (var("s"),)), "s = s + x"),
        (lambda x: Op(np.array, (x,), (var("s"),)), "s += x"),
        (lambda x: Op(lambda v: v, (x,), (var("s"),)), "s = s + x"),
    ],
)
def test_only_fresh_arrays_are_accumulated_into(make, text):
    x = var("x")
    first = make(x)
    total = var("s")
    assert text in lines([x], [first, Op(operator.add, (first.out, x), (total,))], total)


def test_adding_at_an_index():
    x, i, mask = var("x"), var("i", Array(np.dtype(int), (3,))), var("m", Array(np.dtype(bool), VECTOR.shape))
    k = var("k", INT)
    for index, text in (
        (k, "z[k] += 1.0"),
        (TAIL, "z[1:] += 1.0"),
        (mask, "z[m] += 1.0"),
        (i, "np.add.at(z, i, 1.0)"),
    ):
        z, z1 = var("z"), var("z")
        ops = [Op(np.zeros_like, (x,), (z,)), Op(helpers.add_at, (z, index, Lit(1.0)), (z1,))]
        assert text in lines([x, i, mask, k], ops, z1)


def loop_over(carried, init, ops, result, n=4):
    out = Var(carried.type, carried.hint)
    return For(
        var("i", INT), (Lit(0), Lit(n), Lit(1)), (), (carried,), (init,), Block(ops, (result,)), (out,)
    )


def test_a_foreign_array_is_copied_once_before_the_loop():
    x, p, y = var("x"), var("a"), var("a")
    loop = loop_over(p, x, [Op(helpers.setitem, (p, Lit(0), Lit(1.0)), (y,))], y)
    assert lines([x], [loop], loop.outs[0]) == [
        "a = x.copy()",
        "for _ in range(4):",
        "a[0] = 1.0",
        "return a",
    ]


def test_what_is_saved_in_a_loop_is_copied_when_it_is_saved():
    x, p, y, t = var("x"), var("a"), var("a"), [var("tape", LIST) for _ in range(4)]
    ops = [Op(containers.list_append, (t[1], p), (t[2],)), Op(helpers.setitem, (p, Lit(0), Lit(1.0)), (y,))]
    loop = For(
        var("i", INT),
        (Lit(0), Lit(4), Lit(1)),
        (),
        (p, t[1]),
        (x, t[0]),
        Block(ops, (y, t[2])),
        (var("a"), t[3]),
    )
    found = lines([x], [Op(builtin.make_list, (), (t[0],)), loop], t[3])
    assert found[-4:] == ["for _ in range(4):", "tape.append(a.copy())", "a[0] = 1.0", "return tape"]


def test_two_buffers_that_change_places_are_not_copied():
    u, a, b, pa, pb, t, b1 = var("u"), var("a"), var("b"), var("a"), var("b"), var(), var("b")
    ops = [Op(operator.getitem, (pa, HEAD), (t,)), Op(helpers.setitem, (pb, TAIL, t), (b1,))]
    outs = var("a"), var("b")
    loop = For(var("i", INT), (Lit(0), Lit(3), Lit(1)), (), (pa, pb), (a, b), Block(ops, (b1, pa)), outs)
    start = [Op(np.sin, (u,), (a,)), Op(np.cos, (u,), (b,))]
    assert lines([u], [*start, loop], Seq(outs))[2:] == [
        "for _ in range(3):",
        "b[1:] = a[:-1]",
        "a, b = b, a",
        "return a, b",
    ]
    one = [Op(np.sin, (u,), (a,)), Op(builtin.assign, (a,), (b,))]
    assert any(".copy()" in line for line in lines([u], [*one, loop], Seq(outs)))


def test_an_array_of_this_iteration_is_not_that_of_the_last():
    u, p, z, z1, s = var("u"), var("prev"), var("nxt"), var("nxt"), var("s", FLOAT)
    ops = [
        Op(np.zeros_like, (u,), (z,)),
        Op(operator.getitem, (p, Lit(0)), (s,)),
        Op(helpers.setitem, (z, Lit(1), s), (z1,)),
        Op(operator.getitem, (p, Lit(2)), (t := var("t", FLOAT),)),
        Op(helpers.setitem, (z1, Lit(2), t), (z2 := var("nxt"),)),
    ]
    loop = loop_over(p, u, ops, z2)
    assert not any("copy" in line for line in lines([u], [loop], loop.outs[0]))


def test_results_for_keeps_share_nothing():
    x, y, a = var("x"), var("y"), var("a")
    ops = [Op(operator.mul, (x, y), (a,))]
    assert lines([x, y], ops, a, y, a, fresh=[1, 2])[-1] == "return a, y.copy(), a.copy()"
    assert lines([x, y], ops, a, y, a)[-1] == "return a, y, a"
    assert lines([x, y], ops, a, fresh=[0])[-1] == "return a"


def test_lists_are_appended_to_in_place_only_where_they_are_ours():
    xs, ys, x = var("xs", LIST), var("xs", LIST), var("x")
    append = Op(containers.list_append, (xs, x), (ys,))
    assert lines([xs, x], [append], ys) == ["xs = xs.copy()", "xs.append(x)", "return xs"]
    own = Op(builtin.make_list, (), (xs,))
    assert lines([x], [own, append], ys) == ["xs = []", "xs.append(x)", "return xs"]


def test_the_pure_function_is_left_alone():
    x, y = var("x"), var("x")
    fn = Function("f", (x,), Block([Op(helpers.setitem, (x, Lit(0), Lit(1.0)), (y,))], (y,)))
    write_in_place(fn)
    assert fn.body.ops[0].fn is helpers.setitem
    assert evaluate(fn, np.zeros(2)).tolist() == [1.0, 0.0]
