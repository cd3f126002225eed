"""Do the checker, the printer and the evaluator agree on what the IR is?"""

import operator

import numpy as np
import pytest

from ast_ad.compiler.ir import builtin, ops
from ast_ad.compiler.ir.check import MalformedIR, check
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Block, For, Function, If, Lit, Op, Seq, Slice, Var, While
from ast_ad.compiler.ir.show import show
from ast_ad.compiler.ir.types import Scalar

FLOAT, INT, BOOL = Scalar("float"), Scalar("int"), Scalar("bool")


def var(hint=None, type=FLOAT):
    return Var(type, hint)


def power_loop(reverse=False, stops=False):
    """s = s * 2 + i over range(n), stopping when s exceeds 20."""
    n, s, i, p, t, q, stop, out = (var(h) for h in ("n", "s", "i", "s", None, "s", "stop", "s"))
    body = [Op(operator.mul, (p, Lit(2)), (t,)), Op(operator.add, (t, i), (q,))]
    results = (q,)
    if stops:
        body.append(Op(operator.gt, (q, Lit(20)), (stop,)))
        results = (stop, q)
    loop = For(i, (Lit(0), n, Lit(1)), (), (p,), (s,), Block(body, results), (out,), reverse, stops)
    return Function("f", (n, s), Block([loop], (out,)))


def test_for_forward_reverse_and_stop():
    assert evaluate(check(power_loop()), 4, 1.0) == (((1 * 2 + 0) * 2 + 1) * 2 + 2) * 2 + 3
    assert evaluate(check(power_loop(reverse=True)), 4, 1.0) == (((1 * 2 + 3) * 2 + 2) * 2 + 1) * 2 + 0
    assert evaluate(check(power_loop(stops=True)), 100, 1.0) == 27
    assert evaluate(power_loop(), 0, 7.0) == 7.0


def test_while_and_if():
    x, p, c, h, o, even, a, b, r = (var(h) for h in ("x", "x", "c", "h", "x", "even", "a", "b", "r"))
    choose = If(
        even,
        Block([Op(operator.floordiv, (p, Lit(2)), (a,))], (a,)),
        Block([Op(operator.sub, (p, Lit(1)), (b,))], (b,)),
        (r,),
    )
    body = Block([Op(operator.mod, (p, Lit(2)), (h,)), Op(operator.eq, (h, Lit(0)), (even,)), choose], (r,))
    loop = While((p,), (x,), Block([Op(operator.gt, (p, Lit(3)), (c,))], (c,)), body, (o,))
    function = check(Function("f", (x,), Block([loop], (o,))))
    assert evaluate(function, 37) == 2
    assert "while [x.1: float = x]" in show(function)


def test_zipped_items_and_unpacking():
    tape, total, i, r, s, p, t, q, o, a, b = (var(h) for h in "tape total i r s p t q o a b".split())
    body = Block([Op(operator.mul, (r, s), (t,)), Op(operator.sub, (t, p), (q,))], (q,))
    loop = For(i, None, ((tape, (r, s)),), (p,), (Lit(0),), body, (o,), reverse=True)
    function = Function("f", (tape,), Block([loop], (o,)))
    assert evaluate(check(function), [(1, 2), (3, 4), (5, 6)]) == 2 - (12 - (30 - 0))
    function = Function(
        "g", (tape,), Block([Op(builtin.unpack, (tape, Lit(2)), (a, b))], (Seq((b, a)), total))
    )
    with pytest.raises(MalformedIR, match="total.* is read where it is not defined"):
        check(function)


def test_arguments():
    x, y = var("x"), var("y")
    index = Seq((Slice(Lit(1), Lit(None), Lit(None)), Lit(None)))
    function = Function("f", (x,), Block([Op(operator.getitem, (x, index), (y,))], (y, Seq((x,), list))))
    value, listed = evaluate(check(function), np.arange(3.0))
    assert value.shape == (2, 1) and isinstance(listed, list)
    assert "operator.getitem(x, (1::, None))" in show(function)


@pytest.mark.parametrize("fault", ["twice", "scope", "arity", "carried", "index"])
def test_faults_are_marked(fault):
    function = power_loop()
    loop = function.body.ops[0]
    if fault == "twice":
        function.body.ops.append(Op(operator.neg, (loop.outs[0],), (loop.outs[0],)))
    elif fault == "scope":
        function.body.results = (loop.body.ops[0].out,)
    elif fault == "arity":
        loop.body.results = ()
    elif fault == "carried":
        loop.inits = ()
    else:
        loop.range = None
        loop.items = ((Lit((1, 2)), (var("k"),)),)
    with pytest.raises(MalformedIR, match=">>>"):
        check(function)


def test_effects_are_shown():
    x = var("x")
    body = Block([Op(builtin.assert_, (x, Lit("no")), (), effect=True)], (x,))
    function = check(Function("f", (x,), body))
    assert "! assert_(x, 'no')" in show(function)
    with pytest.raises(AssertionError, match="no"):
        evaluate(function, 0)
    assert list(ops.reads(function.body.ops[0])) == [x]


def test_what_a_statement_reads_in_all_its_regions():
    names = "flag a b c d e f".split()
    flag, a, b, c, d, e, f = (var(name, BOOL if name == "flag" else FLOAT) for name in names)
    inner, made, out, outer = (var() for _ in range(4))
    nested = If(a, Block([], (b,)), Block([], (c,)), (inner,))
    then = Block([nested], (inner,))
    orelse = Block([Op(operator.mul, (d, e), (made,))], (made,))
    branch = If(flag, then, orelse, (out,))
    found = [arg for arg in ops.all_operands(branch) if isinstance(arg, Var)]
    assert found == [flag, a, b, c, inner, d, e, made]
    assert ops.reads(branch) == found
    loop = While((f,), (b,), Block([], (flag,)), Block([branch], (out,)), (outer,))
    assert ops.reads(loop) == [b, flag, *found, out]
