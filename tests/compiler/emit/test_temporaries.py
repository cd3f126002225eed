"""Are values without a name of the user's called after the formula that makes them?"""

import ast
import builtins
import keyword
import math
import operator

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.emit import names as emitted_names, releases as array_releases
from ast_ad.compiler.emit.python import emit_module
from ast_ad.compiler.ir import builtin
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.ir.nouns import MAX_LENGTH
from ast_ad.compiler.ir.ops import Block, For, Function, Lit, Op, Seq, Slice, Var
from ast_ad.compiler.ir.temporaries import Temporaries
from ast_ad.compiler.ir.types import Array, Dim, Scalar
from benchmarks import workloads

from ..golden.programs import CASES

FLOAT, INT = Scalar("float"), Scalar("int")
VECTOR = Array(np.dtype(float), (Dim.symbol("n", True),))


def word(fn, *args, adjoint=False, type=FLOAT):
    """What the result of one operation is called; strings stand for operands of the user's."""
    out = Var(type)
    given = tuple(
        Var(FLOAT, a) if isinstance(a, str) else a if isinstance(a, (Var, Seq)) else Lit(a) for a in args
    )
    return Temporaries(Block([Op(fn, given, (out,), adjoint=adjoint)], (out,))).name(out)


@pytest.mark.parametrize(
    "expected, fn, args",
    [
        ("sin_x", np.sin, ("x",)),
        ("sin_x", math.sin, ("x",)),
        ("exp_logits", np.exp, ("logits",)),
        ("logits_max", np.max, ("logits",)),
        ("x_sum", np.sum, ("x",)),
        ("x_squared", operator.pow, ("x", 2)),
        ("power", operator.pow, ("x", 7)),
        ("w_times_x", operator.matmul, ("w", "x")),
        ("x_plus_y", operator.add, ("x", "y")),
        ("x_plus_y", np.add, ("x", "y")),
        ("one_minus_x", operator.sub, (1.0, "x")),
        ("x_minus_1", operator.sub, ("x", 1)),
        ("difference", operator.sub, (3.0, "x")),
        ("product", operator.mul, (0.25, "x")),
        ("product", operator.mul, (math.nan, "x")),
        ("product", operator.mul, (10**400, "x")),
        ("difference", operator.sub, ("x", -0.5)),
        ("minus_x", operator.neg, ("x",)),
        ("not_done", operator.not_, ("done",)),
        ("x_above_0", operator.gt, ("x", 0)),
        ("n", len, ("x",)),
        ("x_0", operator.getitem, ("x", 0)),
        ("x_i", operator.getitem, ("x", "i")),
        ("x_part", operator.getitem, ("x", slice(1, -1))),
        ("solution", np.linalg.solve, ("a", "b")),
        ("magnitude", abs, (Var(FLOAT),)),
        ("largest", max, ("x", "y")),
        ("summed", sum, (Var(FLOAT),)),
    ],
)
def test_a_name_tells_the_operation_and_its_operands(expected, fn, args):
    assert word(fn, *args) == expected


def test_slices_among_indices_are_a_part():
    assert word(operator.getitem, "x", Seq((Lit(0), Slice(Lit(1), Lit(None), Lit(None))))) == "x_part"


@pytest.mark.parametrize("fn", [operator.add, operator.mul, np.exp, np.sum, operator.getitem, operator.not_])
def test_long_names_are_no_part_of_others(fn):
    long = "the_temperature_of_the_whole_rod"
    text = word(fn, long) if fn in (np.exp, np.sum, operator.not_) else word(fn, long, "x")
    assert long not in text
    assert len(text) <= MAX_LENGTH


@pytest.mark.parametrize("fn", [f for f in vars(builtins).values() if callable(f) and hasattr(f, "__name__")])
def test_no_noun_is_a_builtin_or_a_keyword(fn):
    text = word(fn, Var(FLOAT))
    assert text.isidentifier()
    assert not keyword.iskeyword(text)
    assert not hasattr(builtins, text)


def test_a_cotangent_continues_through_a_factor():
    part = word(operator.getitem, "x_bar", 0, adjoint=True)
    x_bar, first, scaled = Var(VECTOR, "x_bar"), Var(FLOAT), Var(FLOAT)
    ops = [
        Op(operator.getitem, (x_bar, Lit(0)), (first,), adjoint=True),
        Op(operator.mul, (first, Lit(0.5)), (scaled,), adjoint=True),
    ]
    assert Temporaries(Block(ops, (scaled,))).name(scaled) == part == "x_bar_0"
    assert word(np.zeros_like, "path", adjoint=True) == "path_bar"


def test_a_value_that_only_a_loop_carries_has_a_name():
    """It is its own source: what a turn yields is what came in."""
    i, came, out, start = Var(INT), Var(FLOAT), Var(FLOAT), Var(FLOAT)
    bounds = (Lit(0), Lit(3), Lit(1))
    ops = [
        Op(builtin.assign, (Lit(0.0),), (start,)),
        For(i, bounds, (), (came,), (start,), Block([], (came,)), (out,)),
    ]
    names = Temporaries(Block(ops, (out,)))
    assert names.name(out) == names.name(came)
    assert names.name(i) == "i"


def emitted(params, ops, *results):
    return emit_module([check(Function("f", tuple(params), Block(list(ops), tuple(results))))]).text


def test_a_formula_never_gets_a_name_that_means_something_else():
    """The user's `total` is dead when the sum is made; so is the second `x`, which is called `x_1`."""
    x, total, other = Var(VECTOR, "x"), Var(FLOAT, "total"), Var(FLOAT, "value")
    pair, first, both, item = Var(FLOAT), Var(FLOAT), Var(FLOAT), Var(FLOAT)
    text = emitted(
        [x],
        [
            Op(operator.getitem, (x, Lit(0)), (total,)),
            Op(operator.mul, (total, Lit(3)), (other,)),
            Op(operator.mul, (other, Lit(0.3)), (first,)),
            Op(operator.add, (first, Lit(0.5)), (pair,)),
            Op(operator.mul, (pair, pair), (both,)),
            Op(operator.getitem, (x, Lit(1)), (item,)),
            Op(operator.mul, (item, item), (out := Var(FLOAT, "result"),)),
            Op(operator.add, (both, out), (last := Var(FLOAT, "last"),)),
        ],
        last,
    )
    assert "total = x[0]" in text
    assert "total_1 = value * 0.3 + 0.5" in text


def test_a_parameter_keeps_its_name_before_a_length():
    n, x, length = Var(FLOAT, "n"), Var(VECTOR, "x"), Var(INT)
    text = emitted(
        [n, x], [Op(len, (x,), (length,)), Op(operator.mul, (length, length), (y := Var(INT, "y"),))], y
    )
    assert "n_1 = len(x)" in text


def test_an_array_is_deleted_where_a_name_of_its_own_would_hold_it():
    """Each is as large as all: with names of their own three would be held where two are alive."""

    def chain(count):
        x = Var(VECTOR, "x")
        ops, last = [], x
        for fn in [np.sin, np.exp, np.cos, np.tanh][:count]:
            twice, out = Var(VECTOR), Var(VECTOR)
            ops += [Op(fn, (last,), (twice,)), Op(operator.mul, (twice, twice), (out,))]
            last = out
        return emitted([x], ops, last)

    assert "del" not in chain(1)
    text = chain(3)
    namespace = {}
    exec(text, namespace)
    x = np.linspace(0.1, 0.9, 5)
    assert np.array_equal(namespace["f"](x), np.cos(np.exp(np.sin(x) ** 2) ** 2) ** 2)


WORKLOADS = [workloads.workload(name) for name in workloads.names()]
PROGRAMS = [
    *((f.__name__, f, args, (0,)) for f, args in CASES.items()),
    *((w.title, w.primal, w.arguments(tiny=True), w.wrt) for w in WORKLOADS),
]


def operation(value):
    """The outermost operation of an expression, without what gives an operand on: copies, factors."""
    if isinstance(value, ast.Call):
        fn = value.func
        text = fn.attr if isinstance(fn, ast.Attribute) else fn.id
        if text == "copy" and isinstance(fn, ast.Attribute) and not value.args:
            return operation(fn.value)
        if text in ("copy", "unbroadcast", "hollow"):
            return operation(value.args[0])
        return {"safe_product": "Mult", "divide": "Div", "solve_triangular": "solve"}.get(text, text)
    if isinstance(value, ast.BinOp):
        if isinstance(value.op, (ast.Mult, ast.Div)) and isinstance(value.right, ast.Constant):
            return operation(value.left)
        return type(value.op).__name__.replace("MatMult", "Mult")
    return type(value).__name__


@pytest.mark.parametrize("function, args, wrt", [p[1:] for p in PROGRAMS], ids=[p[0] for p in PROGRAMS])
def test_a_name_from_a_formula_means_one_thing_in_a_function(function, args, wrt, monkeypatch):
    """Whatever is bound to it is made by one operation, or is what it already was."""
    given = []
    free = emitted_names._Taken.free

    def noted(self, root, word):
        found = free(self, root, word)
        given.append((id(self), found, word))
        return found

    monkeypatch.setattr(emitted_names._Taken, "free", noted)
    derivative = ast_ad.value_and_grad(function, argnums=wrt, backend="numpy")
    derivative(*args)
    text = derivative.source
    words = {}
    for taken, found, which in given:
        words.setdefault((taken, found), set()).add(which)
    formulas = {found for (_, found), several in words.items() if all(w.formula for w in several)}
    mixed = {key for key, several in words.items() if len(several) > 1 and any(w.formula for w in several)}
    assert not mixed
    bound = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            made = operation(node.value)
            if node.targets[0].id in formulas and made not in ("Name", "Constant"):
                bound.setdefault(node.targets[0].id, set()).add(made)
    assert {n: made for n, made in bound.items() if len(made) > 1} == {}


def test_a_long_chain_of_values_without_names_is_no_deep_recursion():
    x, ops = Var(FLOAT, "x"), []
    last = x
    for _ in range(5000):
        out = Var(FLOAT)
        ops.append(Op(operator.add, (last, x), (out,)))
        last = out
    assert Temporaries(Block(ops, (last,))).name(last) == "total"


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("function, args, wrt", [p[1:] for p in PROGRAMS], ids=[p[0] for p in PROGRAMS])
def test_what_may_be_deleted_is_read_no_more(function, args, wrt, monkeypatch):
    """Where memory counts for everything, each name is deleted that may be: nothing else changes."""

    def gradient():
        derivative = ast_ad.value_and_grad(function, wrt, backend="numpy", check=False)
        return derivative(*args), derivative.source

    expected, source = gradient()
    monkeypatch.setattr(array_releases, "_TOLERANCE", 0.0)
    found, other = gradient()
    assert repr(found) == repr(expected)
    kept = [line for line in other.splitlines() if not line.strip().startswith("del ")]
    assert kept == [line for line in source.splitlines() if not line.strip().startswith("del ")]
    assert other.count("del ") >= source.count("del ")


def test_an_array_is_deleted_in_each_turn_of_a_loop(monkeypatch):
    function, args, wrt = next(p[1:] for p in PROGRAMS if p[0] == "relax")
    monkeypatch.setattr(array_releases, "_TOLERANCE", 0.0)
    derivative = ast_ad.grad(function, wrt, backend="numpy", check=True)
    derivative(*args)
    assert "\n        del " in derivative.source
