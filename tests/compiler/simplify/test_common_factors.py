"""Are products taken apart where that saves an operation, and only there?"""

import ast
import operator

import numpy as np
import pytest

from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Block, For, Function, Lit, Op, Var, walk
from ast_ad.compiler.ir.types import Array, Scalar
from ast_ad.compiler.simplify.simplify import simplify
from ast_ad.rules import helpers

NUMBER = Scalar("float")
FUNCTIONS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.USub: operator.neg, "sum": np.sum, "safe": helpers.safe_product,
}  # fmt: skip


class Written:
    """A function of the IR from lines ``name = expression``; what the last one gives is its result."""

    def __init__(self, text, type=NUMBER, adjoint=True):
        self.type, self.adjoint, self.ops = type, adjoint, []
        self.names = {name: Var(type, name) for name in "abcdxyz"}
        self.params = tuple(self.names.values())
        for line in text.splitlines():
            name, expression = line.split(" = ")
            self.names[name] = self.value(ast.parse(expression, mode="eval").body)
        self.result = self.names[name]

    def value(self, node):
        if isinstance(node, ast.Name):
            return self.names[node.id]
        if isinstance(node, ast.Constant):
            return Lit(node.value)
        if isinstance(node, ast.Call):
            return self.op(FUNCTIONS[node.func.id], *map(self.value, node.args))
        if isinstance(node, ast.UnaryOp):
            return self.op(FUNCTIONS[type(node.op)], self.value(node.operand))
        return self.op(FUNCTIONS[type(node.op)], self.value(node.left), self.value(node.right))

    def op(self, fn, *args):
        out = Var(NUMBER if fn is np.sum else self.type)
        self.ops.append(Op(fn, args, (out,), adjoint=self.adjoint))
        return out

    def function(self):
        return Function("f", self.params, Block(self.ops, (self.result,)))


POINT = (0.73, -1.31, 2.1, 0.4, 1.9, -0.6, 0.3)
ARRAY = Array(np.dtype(float), (3,))
CASES = {
    "common factor": ("r = x * a + b * x", 2),
    "of differences": ("r = x * a - x * b", 2),
    "with the difference negated": ("r = -(x * a) + x * b", 2),
    "number": ("r = 2 * x + 2 * y", 2),
    "numbers of two signs": ("r = 3.0 * x - -3.0 * y", 2),
    "unlike numbers": ("r = 2 * (x * a) + 3 * (x * b)", 4),
    "deep": ("p = a * x\nr = -(b * (2 * (y * (c * p)))) - c * (2 * (z * p))", 6),
    "numbers of a product": ("r = 0.5 * (a * (2 * x))", 1),
    "two signs": ("r = -(-2 * x)", 1),
    "numbers alone": ("r = 0.5 * (-3.0 * 2.0)", 3),
    "quotient": ("r = (2 * x) * (0.5 / y)", 1),
    "known product": ("p = a * x\nr = a * (x * b) + 1.0 / p", 4),
    "known quotient": ("p = a / y\nr = (a * x) / y + 1.0 / p", 4),
    "all of it known": ("p = (a * x) / y\nr = (a / y) * x + p", 3),
    "sum of numbers": ("r = 1.0 + 2.0 * x", 2),
    "no common factor": ("r = x * a + y * b", 3),
    "a term by itself": ("r = x * a + x", 2),
    "read elsewhere": ("p = x * a\nr = (p + x * b) / p", 4),
}


@pytest.mark.parametrize("type", [NUMBER, ARRAY], ids=["numbers", "arrays"])
@pytest.mark.parametrize("case", CASES)
def test_fewer_operations_with_the_same_result(case, type):
    text, count = CASES[case]
    args = POINT if type is NUMBER else [x + np.array([0.0, 0.25, 0.5]) for x in POINT]
    expected = evaluate(Written(text, type).function(), *args)
    found = simplify(Written(text, type).function())
    assert sum(1 for _ in walk(found.body)) <= count
    np.testing.assert_allclose(evaluate(found, *args), expected, rtol=1e-12)


def test_sums_of_scaled_arrays():
    args = [x + np.array([0.0, 0.25, 0.5]) for x in POINT]
    found = simplify(Written("s = x * (2.0 * y)\nr = sum(s)", ARRAY).function())
    assert [op.fn for op in found.body.ops] == [operator.mul, np.sum, operator.mul]
    np.testing.assert_allclose(evaluate(found, *args), np.sum(2.0 * args[4] * args[5]), rtol=1e-14)


def test_a_constant_is_negated_at_once():
    found = simplify(Written("r = x * -(1.0)").function())
    assert [op.fn for op in found.body.ops] == [operator.neg]


def test_a_zero_stays_zero_where_the_other_factor_is_infinite():
    found = simplify(Written("r = safe(2.0 * x, 0.5 / y)").function())
    assert [op.fn for op in found.body.ops] == [operator.truediv, helpers.safe_product]
    with np.errstate(divide="ignore"):
        assert evaluate(found, *[np.float64(0.0)] * 7) == 0.0


def test_the_primal_stays_to_the_bit():
    text = "r = -(x * (2.0 * a)) - b * (2.0 * x)"
    primal = Written(text, adjoint=False).function()
    before = [op.fn for op in primal.body.ops]
    assert [op.fn for op in simplify(primal).body.ops] == before


def test_what_is_made_outside_of_a_loop_stays_there():
    """Within, it would be made in every turn."""
    written = Written("p = x * (2.0 * a)\nq = x * b\nr = p")
    p, q = written.names["p"], written.names["q"]
    total, out, result, index = Var(NUMBER), Var(NUMBER), Var(NUMBER), Var(Scalar("int"))
    term = Op(operator.add, (p, q), (Var(NUMBER),), adjoint=True)
    both = Op(operator.mul, (total, term.out), (result,), adjoint=True)
    body = Block([term, both], (result,))
    loop = For(index, (Lit(0), Lit(3), Lit(1)), (), (total,), (Lit(1.0),), body, (out,), adjoint=True)
    found = simplify(Function("f", written.params, Block([*written.ops, loop], (out,))))
    assert [op.fn for op in body.ops] == [operator.add, operator.mul]
    a, b, x = POINT[0], POINT[1], POINT[4]
    np.testing.assert_allclose(evaluate(found, *POINT), (x * 2.0 * a + x * b) ** 3, rtol=1e-14)
