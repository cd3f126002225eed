"""Are branches by one condition joined only where nothing between them would change?"""

import operator

import pytest

from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Block, Function, If, Lit, Op, Undefined, Var
from ast_ad.compiler.ir.types import Scalar
from ast_ad.compiler.simplify.joined_branches import join_alike
from ast_ad.compiler.simplify.renaming import copy_function

NUMBER = Scalar("float")


def program(between, read):
    """``r = x if c else undefined``, a statement, and ``s = read if c else 0``."""
    c, x, r, s, t = Var(Scalar("bool")), Var(NUMBER), Var(NUMBER), Var(NUMBER), Var(NUMBER)
    names = {"x": x, "r": r, "t": t}
    first = If(c, Block([], (x,)), Block([], (Undefined(NUMBER),)), (r,))
    middle = [Op(operator.neg, (names[between],), (t,))] if between else []
    second = If(c, Block([], (names[read],)), Block([], (Lit(0.0),)), (s,))
    results = (s, t) if between == "x" else (s,)
    return Function("f", (c, x), Block([first, *middle, second], results))


@pytest.mark.parametrize(
    ("between", "read", "joined"),
    [(None, "r", True), ("x", "r", True), ("x", "t", True), ("r", "r", True), ("r", "t", False)],
)
def test_what_is_between_runs_before_or_behind(between, read, joined):
    function = program(between, read)
    found = copy_function(function)
    assert join_alike(found) is joined
    assert sum(isinstance(op, If) for op in found.body.ops) == (1 if joined else 2)
    for c in (True,) if between == "r" else (True, False):  # a negative of what is undefined is an error
        assert evaluate(found, c, 1.5) == evaluate(function, c, 1.5)


@pytest.mark.parametrize("where", ["first", "between", "second"])
def test_effects_keep_their_order(where):
    """Nothing passes what is done for its effect."""
    said = []

    def say(value):
        said.append(value)

    function = program("x", "t")
    first, middle, second = function.body.ops
    effect = Op(say, (Lit(1),), (), effect=True)
    block = {"first": first.then, "second": second.then}.get(where)
    if block is None:
        middle.effect = True
    else:
        block.ops.append(effect)
    assert join_alike(function) is (where == "second")
    evaluate(function, True, 2.0)
    assert said == ([] if where == "between" else [1])
