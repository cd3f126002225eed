"""Does each invariant fire on a program that was spoilt, and on no other?"""

import operator

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.adjoint import contributions
from ast_ad.compiler.analysis import invariants
from ast_ad.compiler.analysis.invariants import BrokenInvariant, cotangent_fault, require, within
from ast_ad.compiler.ir import builtin
from ast_ad.compiler.ir.check import MalformedIR
from ast_ad.compiler.ir.ops import Block, For, Function, If, Lit, Op, Undefined, Var, While
from ast_ad.compiler.ir.types import Array, Dim, ListOf, Opaque, Optional, Scalar, TupleOf
from ast_ad.rules import containers, helpers

FLOAT, INT, BOOL, COMPLEX = (Scalar(kind) for kind in ("float", "int", "bool", "complex"))
VECTOR, MATRIX = (Array(np.dtype(float), (Dim.symbol("n"),) * rank) for rank in (1, 2))
ANY = Array(np.dtype(float), None)


def function(*ops, params=(), results=()):
    return Function("f", tuple(params), Block(list(ops), tuple(results)))


def branch(one, two, out):
    cond, a, b = Var(BOOL), Var(one), Var(two)
    return function(If(cond, Block([], (a,)), Block([], (b,)), (Var(out),)), params=(cond, a, b))


def loop(init, param, result, out, turns=None):
    first, carried, after, n = Var(init), Var(param), Var(result), Var(INT)
    body = Block([Op(abs, (carried,), (after,))], (after,))
    stop = n if turns is None else Lit(turns)
    for_ = For(Var(INT), (Lit(0), stop, Lit(1)), (), (carried,), (first,), body, (Var(out),))
    return function(for_, params=(first, n))


def stored(fn, element, value, result):
    xs, v, out = Var(ListOf(element)), Var(value), Var(result)
    args = (xs, v) if fn is containers.list_append else (xs, Lit(0), v)
    return function(Op(fn, args, (out,)), params=(xs, v))


def read(fn, element, *taken):
    xs, outs = Var(ListOf(element)), tuple(map(Var, taken))
    args = (xs,) if fn is containers.list_pop else (xs, Lit(0))
    return function(Op(fn, args, outs), params=(xs,))


SOUND = {
    "int and float in branches": branch(INT, FLOAT, FLOAT),
    "rank by the path": branch(FLOAT, VECTOR, ANY),
    "None or a number": branch(Opaque("None"), FLOAT, Optional(FLOAT)),
    "an int that becomes a float": loop(INT, FLOAT, FLOAT, FLOAT),
    "what a loop that runs leaves": loop(FLOAT, FLOAT, INT, INT, turns=3),
    "a float in a list of both": stored(containers.list_set, INT, FLOAT, ListOf(FLOAT)),
    "an int in a list of floats": stored(containers.list_append, FLOAT, INT, ListOf(FLOAT)),
    "an element": read(containers.list_get, FLOAT, FLOAT),
    "a pair": read(containers.list_get, TupleOf((FLOAT, INT)), FLOAT, INT),
    "the last element": read(containers.list_pop, FLOAT, ListOf(FLOAT), FLOAT),
}
SPOILT = {
    "a float that a branch takes for an int": branch(INT, FLOAT, INT),
    "an array that a branch takes for a number": branch(FLOAT, VECTOR, FLOAT),
    "a rank that a branch forgets": branch(VECTOR, MATRIX, VECTOR),
    "an unknown rank taken for a known one": branch(VECTOR, ANY, VECTOR),
    "None taken for a number": branch(Opaque("None"), FLOAT, FLOAT),
    "complex numbers taken for real ones": branch(FLOAT, COMPLEX, FLOAT),
    "a first value that is more than its parameter": loop(FLOAT, INT, INT, FLOAT),
    "a pass that leaves more than it takes": loop(INT, INT, FLOAT, FLOAT),
    "a loop whose result has lost its kind": loop(INT, FLOAT, FLOAT, INT),
    "a loop that may not run": loop(FLOAT, FLOAT, INT, INT),
    "a loop that does not run": loop(FLOAT, FLOAT, INT, INT, turns=0),
    "a loop whose result has lost its rank": loop(FLOAT, ANY, VECTOR, VECTOR),
    "a float stored in a list of ints": stored(containers.list_set, INT, FLOAT, ListOf(INT)),
    "a float appended to a list of ints": stored(containers.list_append, INT, FLOAT, ListOf(INT)),
    "a list that forgets its elements": stored(containers.list_append, FLOAT, INT, ListOf(INT)),
    "an array stored in a list of numbers": stored(containers.list_set, FLOAT, VECTOR, ListOf(FLOAT)),
    "an element taken for an int": read(containers.list_get, FLOAT, INT),
    "the last element taken for an int": read(containers.list_pop, FLOAT, ListOf(FLOAT), INT),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound(name):
    assert require(SOUND[name]) is SOUND[name]


@pytest.mark.parametrize("name", SPOILT)
def test_spoilt(name):
    with pytest.raises(BrokenInvariant, match=">>>"):
        require(SPOILT[name])


def test_items_of_a_loop():
    xs, item = Var(ListOf(FLOAT)), Var(INT)
    spoilt = For(Var(INT), None, ((xs, (item,)),), (), (), Block(), ())
    with pytest.raises(BrokenInvariant):
        require(function(spoilt, params=(xs,)))


def test_while():
    x, p, c, out = Var(FLOAT), Var(INT), Var(BOOL), Var(FLOAT)
    cond = Block([Op(operator.gt, (p, Lit(3)), (c,))], (c,))
    with pytest.raises(BrokenInvariant):
        require(function(While((p,), (x,), cond, Block([], (p,)), (out,)), params=(x,)))


def test_display_and_write():
    x, z, a, out = Var(FLOAT), Var(COMPLEX), Var(VECTOR), Var(ListOf(INT))
    with pytest.raises(BrokenInvariant):
        require(function(Op(builtin.make_list, (x,), (out,)), params=(x,)))
    with pytest.raises(BrokenInvariant):
        require(function(Op(helpers.setitem, (a, Lit(0), z), (Var(VECTOR),)), params=(a, z)))


def test_undefined_is_no_operand():
    with pytest.raises(BrokenInvariant):
        require(function(Op(operator.add, (Undefined(FLOAT), Lit(1.0)), (Var(FLOAT),))))
    cond, x = Var(BOOL), Var(FLOAT)
    either = If(cond, Block([], (x,)), Block([], (Undefined(FLOAT),)), (Var(FLOAT),))
    require(function(either, params=(cond, x)))


def test_form_is_checked_too():
    with pytest.raises(MalformedIR):
        require(function(Op(abs, (Var(FLOAT),), (Var(FLOAT),))))


@pytest.mark.parametrize(
    ("value", "bar", "sound"),
    [
        (FLOAT, FLOAT, True),
        (FLOAT, Array(np.dtype(float), ()), True),
        (FLOAT, VECTOR, False),
        (VECTOR, MATRIX, False),
        (VECTOR, FLOAT, False),
        (VECTOR, ANY, True),
        (FLOAT, COMPLEX, False),
        (COMPLEX, FLOAT, True),
    ],
)
def test_cotangents(value, bar, sound):
    assert (cotangent_fault(value, bar) is None) == sound


def test_types_within_others():
    assert within(ListOf(Opaque("nothing")), ListOf(FLOAT))
    assert not within(ListOf(FLOAT), ListOf(INT))
    assert not within(TupleOf((FLOAT, VECTOR)), TupleOf((FLOAT, FLOAT)))


def clamp(x):
    if x > 1.0:
        x = x * 2.0
    return x * x


@pytest.mark.slow
def test_every_program_is_checked(monkeypatch):
    """A pass that forgets a type is noticed before its program runs; the call is traced, and told."""
    monkeypatch.setattr(invariants, "faults", lambda block: iter([(None, "spoilt on purpose")]))
    with pytest.raises(BrokenInvariant, match="spoilt on purpose"):
        ast_ad.grad(clamp, fallback="error")(2.0)
    with pytest.warns(ast_ad.FallbackWarning, match="E904"):
        assert ast_ad.grad(clamp)(2.0) == 16.0


def test_every_cotangent_is_checked(monkeypatch):
    monkeypatch.setattr(contributions, "cotangent_fault", lambda value, bar: "spoilt on purpose")
    with pytest.raises(BrokenInvariant, match="spoilt on purpose"):
        ast_ad.grad(clamp, fallback="error")(3.0)
