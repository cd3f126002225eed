"""How many operations does a Hessian times a vector take, as a multiple of the function's own?

Counted as they run: each sum, product, function of NumPy and product of matrices of floats is one, whatever
the size. Indices, shapes and memory are free.
"""

import ast
import inspect
import operator
import textwrap

import numpy as np
import pytest

import ast_ad
from ast_ad.operators.products import _kept as operator_of, hvp, second

FREE = {
    "broadcast_like", "copy", "empty", "eye", "expand_dims", "float64", "len", "range", "reshape", "reversed",
    "transpose", "zeros", "zeros_like", "zip",
}  # fmt: skip
UPDATES = {
    ast.Add: operator.iadd, ast.Sub: operator.isub, ast.Mult: operator.imul, ast.Div: operator.itruediv,
}  # fmt: skip


class Counted(ast.NodeTransformer):
    """Text in which every operation goes through ``count``."""

    def visit_Subscript(self, node):
        node.value = self.visit(node.value)
        return node

    def visit_BinOp(self, node):
        return self.counted(self.generic_visit(node))

    def visit_UnaryOp(self, node):
        return node if isinstance(node.operand, ast.Constant) else self.counted(self.generic_visit(node))

    def visit_Call(self, node):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        return self.generic_visit(node) if name in FREE else self.counted(self.generic_visit(node))

    def visit_AugAssign(self, node):
        node.value = self.visit(node.value)
        target = ast.parse(ast.unparse(node.target), mode="eval").body
        update = ast.Call(ast.Name(UPDATES[type(node.op)].__name__, ast.Load()), [target, node.value], [])
        return ast.Assign([node.target], self.counted(update))

    def counted(self, node):
        return ast.Call(ast.Name("count", ast.Load()), [node], [])


def operations(text, name, args):
    """The result of a function, and how many operations it took."""
    found = []

    def count(value):
        if value is not None and np.result_type(value).kind == "f":
            found.append(value)
        return value

    tree = ast.fix_missing_locations(Counted().visit(ast.parse(text)))
    names = {"np": np, "count": count} | {f.__name__: f for f in UPDATES.values()}
    exec(compile(tree, "<counted>", "exec"), names)
    return names[name](*args), len(found)


def mlp(w, b, v, x, y):
    h = np.tanh(x @ w + b)
    r = h @ v - y
    return np.sum(r * r)


def tanh_of_tanh(x):
    return np.sum(np.tanh(np.tanh(x)))


def gravity(x, m):
    energy = 0.0
    for i in range(len(m)):
        for j in range(i):
            d = x[i] - x[j]
            energy -= m[i] * m[j] / np.sqrt(np.sum(d * d) + 0.01)
    return energy


def cross_entropy(w, x, y):
    z = x @ w
    z = z - np.max(z, axis=1, keepdims=True)
    return -np.sum(y * (z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))))


def swish(w, x):
    total = 0.0
    for i in range(len(x) - 2):
        a = w[0] * x[i] + w[1] * x[i + 1] + w[2] * x[i + 2]
        total += a / (1.0 + np.exp(-a))
    return total


RNG = np.random.default_rng(0)
X = RNG.normal(size=(7, 4))
MOST = {
    mlp: (
        (RNG.normal(size=(4, 5)), RNG.normal(size=5), RNG.normal(size=(5, 2)), X, X[:, :2]),
        3,
        4.15,
    ),  # of 11 products of matrices; the function has 2
    tanh_of_tanh: ((X[0],), 1, 4.0),
    gravity: ((RNG.normal(size=(4, 3)), np.array([1.0, 2.0, 3.0, 4.0])), 1, 4.0),
    cross_entropy: ((RNG.normal(size=(4, 3)), X, np.eye(3)[[0, 1, 2, 0, 1, 2, 0]]), 1, 4.0),
    swish: ((RNG.normal(size=3), RNG.normal(size=9)), 1, 4.0),
}


@pytest.mark.parametrize("function", MOST, ids=lambda f: f.__name__)
def test_operations_of_a_hessian_times_a_vector(function):
    args, varied, most = MOST[function]
    tangents = tuple(RNG.normal(size=a.shape) for a in args[:varied])
    chosen = tuple(range(varied))
    product = operator_of(second, hvp, function, chosen, len(args), False, {"backend": "numpy"})
    expected = product(*args, *tangents)
    value, own = operations(textwrap.dedent(inspect.getsource(function)), function.__name__, args)
    assert value == function(*args)
    given = {f"primals_{i}": a for i, a in enumerate(args)} | {
        f"tangents_{i}": t for i, t in enumerate(tangents)
    }
    name = f"{function.__name__}_hvp"
    names = inspect.signature(load(product.source, name)).parameters
    found, count = operations(product.source, name, [given[name] for name in names])
    for one, other in zip(found if varied > 1 else (found,), expected, strict=True):
        np.testing.assert_allclose(np.reshape(one, other.shape), other, rtol=1e-12)
    gradient = ast_ad.grad(function, argnums=tuple(range(varied)), backend="numpy")
    h = 1e-6
    moved = [
        gradient(*(a + s * h * t for a, t in zip(args, tangents, strict=False)), *args[varied:])
        for s in (1, -1)
    ]
    for one, ahead, behind in zip(expected, *moved, strict=True):
        np.testing.assert_allclose(one, (ahead - behind) / (2 * h), rtol=1e-5, atol=1e-7)
    assert 0 < count <= most * own, (count, own)


def load(text, name):
    names = {}
    exec(compile(text, "<generated>", "exec"), names)
    return names[name]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_powers_by_a_variable_are_computed_once_for_all_directions(backend):
    """The linear half, which runs once for each direction, reads what the other one has saved."""

    def f(x, n):
        values = np.zeros(3)
        values[:] = x
        for i in range(n):
            values[0] = values[1] * values[0] ** (2 * i - n) + x[2]
        return values[0]

    x, h = np.array([0.7, 1.1, 0.3]), 1e-4
    hessian, slope = ast_ad.hessian(f, backend=backend), ast_ad.grad(f, backend="numpy")
    rows = [
        (8 * (slope(x + h * e, 5) - slope(x - h * e, 5)) - slope(x + 2 * h * e, 5) + slope(x - 2 * h * e, 5))
        / (12 * h)
        for e in np.eye(3)
    ]
    np.testing.assert_allclose(hessian(x, 5), rows, rtol=1e-7)
    text = hessian.forward_source
    code = [line for line in text[text.index("seed") :].splitlines() if not line.strip().startswith("#")]
    assert not any(" ** " in line for line in code)
