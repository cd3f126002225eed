"""Do loops run together with their adjoints where that is right, and only there?"""

import importlib.util
import operator

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.ir.builtin import undefined
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Block, For, If, Lit, Op, Seq, Var, While, walk
from ast_ad.compiler.ir.types import Array, Scalar
from ast_ad.compiler.loops.loop_fusion import _only_adds, fuse_loops
from ast_ad.rules.containers import list_append
from tests.compiler.adjoint.test_residual_policy import same
from tests.compiler.checking import differentiable, leaves_of, primal


def count(function, kind):
    return sum(isinstance(op, kind) for op in walk(function.body))


def saves(function):
    return any(isinstance(op, Op) and op.fn is list_append for op in walk(function.body))


def fused(function, *args, second=True):
    """The adjoint with loops merged, once it and its own adjoint agree with those that save."""
    program, leaves = primal(function, *args), leaves_of(args)
    wrt = differentiable(leaves)
    apart = adjoint(program, wrt, residuals="min-cut")
    together = check(fuse_loops(apart))
    assert evaluate(together, *leaves)[0] == evaluate(apart, *leaves)[0] == function(*args)
    same(apart, together, leaves, rtol=1e-8)
    if second:
        results = evaluate(apart, *leaves)
        seeds = [np.cos(np.asarray(r)) if np.ndim(r) else float(np.cos(r)) for r in results]
        reference = adjoint(apart, wrt, seed=True)
        twice = check(fuse_loops(adjoint(together, wrt, seed=True, residuals="min-cut")))
        same(reference, twice, [*leaves, *seeds], rtol=1e-7)
    return together


def residual(i, x, w):
    t = np.exp(-x[i] * w[0])
    if t > 0.8:
        t = np.sin(t * w[1])
    for j in range(2):
        t = t * np.cos(w[j] + t)
    return t


def squares(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        total += residual(i, x, w) ** 2
    return total


X, W = np.array([0.5, 0.1, 1.5, -0.3]), np.array([0.4, -0.7])


@pytest.mark.slow
def test_independent_iterations_save_nothing_outside():
    together = fused(squares, X, W)
    outer = [op for op in together.body.ops if isinstance(op, For)]
    assert len(outer) == 1 and not any(isinstance(i, Op) and i.fn is list_append for i in together.body.ops)


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1])
def test_few_iterations(n):
    fused(squares, X[:n], W)


@pytest.mark.slow
def test_a_straight_body_saves_nothing_at_all():
    def f(x, w):
        total = 0.0
        for i in range(1, x.shape[0] - 1):
            t = np.exp(x[i] * w[0]) - x[i - 1] * x[i + 1]
            total = total - t * t
        return total

    together = fused(f, X, W)
    assert count(together, For) == 1 and not saves(together)


@pytest.mark.slow
def test_the_same_element_gets_several_contributions():
    def f(x, index):
        total = 0.0
        for i in range(index.shape[0]):
            total += np.exp(x[index[i]]) * x[0]
        return total

    assert count(fused(f, X, np.array([1, 0, 1, 3, 0])), For) == 1


@pytest.mark.slow
def test_loops_within_run_together_too():
    def f(x, w):
        total = 0.0
        for i in range(x.shape[0]):
            for j in range(w.shape[0]):
                total += np.exp(x[i] * w[j])
        return total

    together = fused(f, X, W)
    assert count(together, For) == 2 and not saves(together)


@pytest.mark.slow
def test_a_weight_known_before():
    def f(x, s):
        weight = np.exp(s) * 2.0
        total = 0.0
        for i in range(x.shape[0]):
            total += np.sin(x[i] * weight)
        return total * 3.0

    assert count(fused(f, X, 0.3), For) == 1


@pytest.mark.slow
def test_a_recurrence_beside_that_nobody_differentiates():
    def f(x):
        total, k = 0.0, 1
        for i in range(x.shape[0]):
            total += np.sin(x[i] * k)
            k = k * 2 % 7
        return total

    assert count(fused(f, X), For) == 1


@pytest.mark.slow
def test_two_loops_one_after_the_other():
    def f(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += np.sin(x[i])
        for i in range(x.shape[0]):
            total += np.exp(x[i] * x[0])
        return total

    assert count(fused(f, X), For) == 2


@pytest.mark.slow
def test_three_loops_of_arrays():
    def f(x, w):
        total = 0.0
        for i in range(x.shape[0]):
            total += np.sum(np.sin(x[i] * w))
        total += np.sum(w * w)
        for i in range(x.shape[0]):
            total += np.sum(np.exp(x[i] * x[0] * w)) * x[i]
        if x[0] > 0:
            total += x[1] * w[0]
        for j in range(w.shape[0]):
            total += w[j] ** 3 * x[j]
        return total

    together = fused(f, X, W)
    assert count(together, For) == 3 and not saves(together)


@pytest.mark.slow
def test_the_cotangent_depends_on_the_result():
    def f(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += np.exp(x[i])
        return np.log(total)

    assert count(fused(f, X), For) == 2


@pytest.mark.slow
def test_the_weight_depends_on_the_result_of_another_loop():
    def f(x):
        total, scale = 0.0, 0.0
        for i in range(x.shape[0]):
            total += np.exp(x[i])
        for i in range(x.shape[0]):
            scale += np.sin(x[i])
        return total * scale

    assert count(fused(f, X), For) == 3  # the second loop's weight is the first one's result


@pytest.mark.slow
def test_recurrences():
    def f(x):
        y = 1.0
        for i in range(x.shape[0]):
            y = np.sin(y * x[i]) + y
        return y

    assert count(fused(f, X), For) == 2


@pytest.mark.slow
def test_elements_are_overwritten():
    def f(x):
        y = x.copy()
        for i in range(1, x.shape[0]):
            y[i] = np.sin(y[i]) * y[i - 1]
        return np.sum(y)

    assert count(fused(f, X), For) == 2


@pytest.mark.slow
def test_a_loop_that_stops():
    def f(x):
        total = 0.0
        for i in range(x.shape[0]):
            if x[i] > 1.0:
                break
            total += np.exp(x[i])
        return total

    fused(f, X)


@pytest.mark.slow
def test_while():
    def f(x, n):
        total, i = 0.0, 0
        while i < n:
            total += np.exp(x[i])
            i += 1
        return total

    assert count(fused(f, X, 3), While) == 1


@pytest.mark.slow
def test_lists_are_in_the_order_of_the_loop():
    def f(x):
        parts = []
        for i in range(x.shape[0]):
            parts.append(np.sin(x[i]))
        total = 0.0
        for part in parts:
            total += part**3 * x[0]
        return total

    fused(f, X)


@pytest.mark.slow
def test_backwards():
    def f(x):
        total = 0.0
        for i in range(x.shape[0] - 1, -1, -1):
            total += np.sin(x[i]) * x[0]
        for i in reversed(range(x.shape[0])):
            total += np.exp(x[i])
        return total

    fused(f, X)


def test_exceptions_are_raised_all_the_same():
    def f(x):
        total = 0.0
        for i in range(x.shape[0]):
            assert x[i] > -1.0
            total += np.exp(x[i])
        return total

    together = fused(f, X)
    assert count(together, For) == 1
    with pytest.raises(AssertionError):
        evaluate(together, np.array([1.0, -2.0]))


STATEMENTS = [
    "t = t * w[0] + x[i]",
    "t = np.exp(-t * t)",
    "t = np.sin(t) * s + t",
    "for j in range(2):\n            t = t * w[j] + np.cos(t)",
    "for j in range(i):\n            total += t * x[j]",
    "if t > 0.2:\n            total += t * w[1]\n        else:\n            t = t * t + s",
    "total += t",
    "total = total - np.sum(w * t)",
    "u = w * t\n        total += np.sum(u * u)",
    "y[i] = t * 2.0",
    "y[i] += t",
    "t = t + y[i] * y[i]",
    "s = s * 0.9 + t * 0.1",
    "total += s",
    "k = k + i",
    "total += x[k % 3] * t",
]


@pytest.mark.drawn(of=5)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_random_bodies(seed, tmp_path):
    rng = np.random.default_rng(seed)
    body = [STATEMENTS[k] for k in rng.integers(0, len(STATEMENTS), int(rng.integers(1, 7)))]
    tail = ["total", "total + np.sum(y * w[0])", "np.sin(total) + s", "total * s0 + t"][int(rng.integers(4))]
    lines = [
        "import numpy as np",
        "def f(x, w, s):",
        "    y, total, k, t, s0 = x.copy(), 0.0, 0, 0.5, s",
        f"    for i in range({['x.shape[0]', '1, 3', '2, -1, -1'][int(rng.integers(3))]}):",
        *(["        t = x[i] * w[1]"] if rng.random() < 0.7 else []),
        *("        " + line for line in body),
        f"    return {tail}",
    ]
    path = tmp_path / "program.py"
    path.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location(f"together_{seed}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    fused(module.f, X, W, 0.3, second=seed % 4 == 0)


@pytest.mark.slow
def test_a_branch_and_its_adjoint_are_one():
    """What only one side has is not undefined on the other: no kernel could be given it."""

    def f(x, w):
        total = 0.0
        for i in range(x.shape[0]):
            if x[i] < 0.2:
                continue
            t = np.exp(w * x[i])
            total += np.sum(t) / np.sum(t * t)
        return total

    together = fused(f, X, W)
    assert count(together, For) == count(together, If) == 1 and not saves(together)
    assert not any(isinstance(op, Op) and op.fn is undefined for op in walk(together.body))


@pytest.mark.slow
def test_a_branch_whose_values_are_read_between_stays_apart():
    def f(x, w):
        total = 0.0
        for i in range(x.shape[0]):
            t = np.sin(x[i])
            if x[i] > 0.2:
                t = np.exp(t * w[0])
            s = t * t
            if x[i] > 0.2:
                s = s * np.cos(w[1] * t)
            total += s
        return total

    fused(f, X, W)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is not installed")
def test_elements_of_a_small_array_are_added_to():
    """Taken apart, added to and put together: a sum, as one that is added to as a whole."""

    def f(x, w):
        total = 0.0
        for i in range(x.shape[0]):
            total += np.sum(np.exp(x[i] * w))
            for j in range(w.shape[0]):
                total += np.sin(x[i] * w[j])
        return total

    derivative = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numba", fallback="error")
    value, bars = derivative(X, W)
    assert value == pytest.approx(f(X, W), rel=1e-14)
    for bar, other in zip(bars, ast_ad.grad(f, argnums=(0, 1), backend="numpy")(X, W), strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-13)
    ast_ad.check_grads(f, (X, W), order=1, modes=("rev",))
    assert "run as one" in derivative.explain() and "tape" not in derivative.source


@pytest.mark.parametrize("turned", [False, True])
def test_elements_that_change_places_are_no_sum(turned):
    array, index = Array(np.dtype(float), (2,)), Var(Scalar("int"), "i")
    start, a, b, c, out = Var(array), *(Var(Scalar("float", np.dtype(float))) for _ in range(3)), Var(array)
    ops = [
        Op(operator.getitem, (start, Lit(0)), (a,)),
        Op(operator.getitem, (start, Lit(1)), (b,)),
        Op(operator.add, (a, Lit(1.0)), (c,)),
        Op(np.array, (Seq((b, c) if turned else (c, b), list),), (out,)),
    ]
    loop = For(index, (Lit(0), Lit(3), Lit(1)), (), (start,), (start,), Block(ops, (out,)), (Var(array),))
    assert _only_adds(loop) is not turned
