"""Does a branch give and raise the same after what both its sides do was taken out of it?"""

import operator

import numpy as np
import pytest

import ast_ad
from ast_ad.calls.pipeline import settled
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Block, Function, If, Lit, Op, Seq, Undefined, Var
from ast_ad.compiler.ir.types import Array, Scalar
from ast_ad.compiler.simplify.renaming import copy_function
from ast_ad.compiler.simplify.shared_sides import share_sides
from ast_ad.rules.helpers import setitem

FLOAT, INT = Scalar("float"), Scalar("int")


def branch(then, other, params, types=(FLOAT,)):
    """A function of a boolean and ``params`` that returns the results of one branch."""
    c, outs = Var(Scalar("bool")), tuple(Var(type) for type in types)
    return Function("f", (c, *params), Block([If(c, then, other, outs)], outs))


def shared(function, *args):
    """What is there after sharing, by name, once the values were compared on both sides."""
    found = share_sides(copy_function(function))
    for c in (True, False):
        assert evaluate(found, c, *args) == evaluate(function, c, *args)
    return [op.fn.__name__ if isinstance(op, Op) else "if" for op in found.body.ops], found


def side(*steps, results=None):
    """A block of operations of one result each: ``(fn, *args)``, where an int is the result of a step."""
    ops = []
    for fn, *args in steps:
        read = tuple(ops[a].out if isinstance(a, int) else a for a in args)
        ops.append(Op(fn, read, (Var(FLOAT),)))
    return Block(ops, (ops[-1].out,) if results is None else tuple(ops[r].out for r in results))


def test_the_middle_of_a_formula_is_shared_from_both_ends():
    x, y, z = Var(FLOAT), Var(FLOAT), Var(FLOAT)
    then = side((operator.neg, x), (operator.mul, y, z), (operator.add, 0, 1))
    other = side((operator.mul, z, z), (operator.neg, x), (operator.add, 1, 0))
    names, found = shared(branch(then, other, (x, y, z)), 1.5, 2.5, 3.5)
    assert names == ["neg", "if", "mul", "add"]
    assert [len(side.ops) for side in (found.body.ops[1].then, found.body.ops[1].orelse)] == [0, 0]


def test_what_a_side_computes_twice_leaves_it_once_and_for_all():
    x, y = Var(FLOAT), Var(FLOAT)
    then = side((operator.neg, x), (operator.sub, 0, y), (operator.mul, 1, 1))
    other = side(
        *((operator.neg, x), (operator.neg, x), (operator.sub, 1, y), (operator.sub, 0, y)),
        (operator.truediv, 2, 3),
    )
    names, found = shared(branch(then, other, (x, y)), 1.5, 2.5)
    assert names == ["neg", "sub", "if"]
    assert [len(side.ops) for side in (found.body.ops[2].then, found.body.ops[2].orelse)] == [1, 1]


def test_what_differs_in_two_numbers_stays():
    x, y = Var(FLOAT), Var(FLOAT)
    names, _ = shared(branch(side((operator.mul, x, x)), side((operator.mul, x, y)), (x, y)), 1.5, 2.5)
    assert names == ["if", "mul"]
    names, _ = shared(branch(side((operator.mul, x, y)), side((operator.mul, y, x)), (x, y)), 1.5, 2.5)
    assert names == ["if"]


def test_one_pair_at_two_places_is_one_number():
    x, y = Var(FLOAT), Var(FLOAT)
    names, _ = shared(branch(side((operator.mul, x, x)), side((operator.mul, y, y)), (x, y)), 1.5, 2.5)
    assert names == ["if", "mul"]


def test_what_a_side_reads_again_stays():
    x, y = Var(FLOAT), Var(FLOAT)
    then = side((operator.neg, x), (operator.mul, 0, x), results=(0, 1))
    other = side((operator.neg, y), (operator.mul, 0, y), results=(0, 1))
    names, _ = shared(branch(then, other, (x, y), (FLOAT, FLOAT)), 1.5, 2.5)
    assert names == ["if"]


def test_places_are_not_chosen():
    """A constant place is worth more than a short branch."""
    a = Var(Array(np.dtype(float), (3,)))
    then, other = (Block([Op(operator.getitem, (a, Lit(i)), (v := Var(FLOAT),))], (v,)) for i in (0, 2))
    names, _ = shared(branch(then, other, (a,)), np.array([1.0, 2.0, 3.0]))
    assert names == ["if"]


def test_a_place_that_is_not_there_is_written_to_on_either_side():
    a, x, y = Var(Array(np.dtype(float), (3,))), Var(FLOAT), Var(FLOAT)

    def write(value, place=1):
        op = Op(setitem, (a, Lit(place), value), (Var(a.type),))
        return Block([op], (op.out,))

    found = share_sides(branch(write(x), write(y), (a, x, y), (a.type,)))
    assert [type(op) for op in found.body.ops] == [If, Op]
    for c, kept in ((True, 5.0), (False, 6.0)):
        assert evaluate(found, c, np.zeros(3), 5.0, 6.0).tolist() == [0.0, kept, 0.0]
    found = share_sides(branch(write(x), write(y, 2), (a, x, y), (a.type,)))
    assert [type(op) for op in found.body.ops] == [If]


@pytest.mark.parametrize("where", [0, 1])
def test_nothing_passes_an_effect(where):
    said = []

    def say(value):
        said.append(value)

    x, y = Var(FLOAT), Var(FLOAT)
    then, other = side((operator.neg, x), (operator.mul, 0, y)), side((operator.neg, x), (operator.mul, 0, x))
    for block in (then, other):
        block.ops.insert(where * 2, Op(say, (Lit(1),), (), effect=True))
    found = share_sides(branch(then, other, (x, y)))
    assert [type(op) for op in found.body.ops] == ([If] if where == 0 else [Op, If])
    evaluate(found, True, 1.0, 2.0)
    assert said == [1]


def test_the_first_exception_comes_first():
    """A logarithm of 0 and a division by 0 keep their order on each side."""
    x, y = Var(FLOAT), Var(FLOAT)

    def both(first, second):
        return side(first, second, results=(0, 1))

    over, mod = (operator.truediv, x, y), (operator.mod, x, y)
    function = branch(both(over, mod), both(mod, over), (x, y), (FLOAT, FLOAT))
    assert shared(function, 1.5, 2.5)[0] == ["if"]
    function = branch(both(over, mod), both(over, mod), (x, y), (FLOAT, FLOAT))
    assert shared(function, 1.5, 2.5)[0] == ["truediv", "mod", "if"]


def test_undefined_values_are_none_to_choose_from():
    x, c, out = Var(FLOAT), Var(Scalar("bool")), Var(FLOAT)
    then = Block([Op(operator.neg, (x,), (v := Var(FLOAT),))], (v,))
    other = Block([Op(operator.neg, (Undefined(FLOAT),), (w := Var(FLOAT),))], (w,))
    function = share_sides(Function("f", (c, x), Block([If(c, then, other, (out,))], (out,))))
    assert [type(op) for op in function.body.ops] == [If]


def test_indices_with_several_parts_and_numbers_of_other_types():
    a, x = Var(Array(np.dtype(float), (2, 2))), Var(FLOAT)

    def write(value):
        op = Op(setitem, (a, Seq((Lit(0), Lit(1))), value), (Var(a.type),))
        return Block([op], (op.out,))

    found = share_sides(branch(write(x), write(Lit(2.0)), (a, x), (a.type,)))
    assert [type(op) for op in found.body.ops] == [If, Op]
    assert evaluate(found, False, np.zeros((2, 2)), 5.0)[0, 1] == 2.0
    found = share_sides(branch(write(x), write(Lit(2)), (a, x), (a.type,)))
    assert [type(op) for op in found.body.ops] == [If]


# ----- programs
def leverage(p, r):
    s = np.zeros(len(r) + 1)
    s[0] = p[0]
    for t in range(len(r)):
        if r[t] < 0:
            s[t + 1] = p[0] + (p[1] + p[2]) * r[t] ** 2 + p[3] * s[t]
        else:
            s[t + 1] = p[0] + p[1] * r[t] ** 2 + p[3] * s[t]
    return np.sum(np.log(s) + s)


def three_ways(p, r):
    kept, last = [], p[0]
    for x in r:
        if x < -0.5:
            last = np.exp(p[1] * x) * last
            kept.append(last * p[2])
        elif x < 0.5:
            last = np.exp(p[2] * x) * last
            kept.append(last * p[2])
        else:
            last = np.exp(p[3]) * last
            kept.append(last * p[1])
    return last + sum(kept)


def reads_and_writes(p, r):
    """Both sides read what both overwrite."""
    a = p.copy()
    for t in range(len(r)):
        i = t % 4
        if r[t] > 0:
            old = a[i]
            a[i] = a[i - 1] * r[t]
            a[i - 1] = old
        else:
            old = a[i]
            a[i] = a[i - 1] + r[t]
            a[i - 1] = old
    return np.sum(a * p)


def two_names(p, r):
    """A view of what the sides write to."""
    a = p.copy()
    view = a[1:]
    for t in range(len(r)):
        if r[t] > 0:
            view[0] = a[0] * r[t]
            a[1] = view[0] * p[2]
        else:
            view[0] = a[0] * p[3]
            a[1] = view[0] * p[2]
    return np.sum(view**2) + a[0]


@pytest.mark.slow
@pytest.mark.parametrize("f", [leverage, three_ways, reads_and_writes, two_names])
@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_gradients_in_kernels_are_those_of_the_function(f, count):
    p, r = np.array([0.7, 0.4, 0.3, 0.5]), np.random.default_rng(3).normal(size=count)
    value, slope = ast_ad.value_and_grad(f, backend="numba")(p, r)
    assert value == pytest.approx(f(p.copy(), r), rel=1e-13)
    for i in range(4):
        step = np.eye(4)[i] * 1e-6
        assert slope[i] == pytest.approx((f(p + step, r) - f(p - step, r)) / 2e-6, rel=1e-7, abs=1e-8)


@pytest.mark.slow
def test_a_place_that_only_one_side_may_read_is_not_read_before():
    def guarded(x, i):
        if i < len(x):
            y = x[i] * 2.0
        else:
            y = x[0] * 2.0
        return y

    x = np.array([1.0, 2.0])
    slope = ast_ad.grad(guarded, backend="numba")
    assert slope(x, 1).tolist() == [0.0, 2.0]
    assert slope(x, 2).tolist() == [2.0, 0.0]


@pytest.mark.slow
def test_the_exception_of_a_side_is_the_functions():
    def f(x, i, j):
        if x[0] > 0:
            y = x[i] * x[j]
        else:
            y = x[i] + x[j]
        return y

    slope = ast_ad.grad(f, backend="numba")
    assert slope(np.array([3.0, 2.0]), 0, 1).tolist() == [2.0, 3.0]
    with pytest.raises(IndexError, match="7"):
        slope(np.array([-3.0, 2.0]), 7, 9)


def test_numpy_code_keeps_its_branches():
    """Only kernels gain; what is read by people stays as it was written."""
    x, y = Var(FLOAT), Var(FLOAT)
    function = branch(side((operator.neg, x)), side((operator.neg, y)), (x, y))
    assert len(settled(copy_function(function)).body.ops) == 1
    assert len(settled(copy_function(function), "numba").body.ops) == 2
