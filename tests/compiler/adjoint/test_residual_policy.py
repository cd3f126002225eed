"""Do loops save less by a minimum cut, and are the gradients the same?"""

import operator
import pathlib
import tempfile

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.adjoint.recomputation import cost_again
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Lit, Op, Var, walk
from ast_ad.compiler.ir.types import Array, TupleOf
from ast_ad.rules.containers import list_append
from tests.compiler.checking import differentiable, flatten_values, leaves_of, primal
from tests.programs.check import copies, load, unload
from tests.programs.generate import generate


def tapes(function):
    """How many values each tape holds."""
    found = []
    for op in walk(function.body):
        if isinstance(op, Op) and op.fn is list_append and op.out.hint == "tape":
            element = op.out.type.element
            found.append(len(element.items) if isinstance(element, TupleOf) else 1)
    return found


def same(a, b, leaves, rtol=1e-9):
    with np.errstate(all="ignore"):
        expected, found = flatten_values(evaluate(a, *leaves)), flatten_values(evaluate(b, *leaves))
    scale = np.max(np.abs(expected), initial=1.0, where=np.isfinite(expected))
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-13 * scale)


def compared(function, *args, second=True):
    """The adjoint by minimum cut, once it and its own adjoint agree with those by default."""
    program, leaves = primal(function, *args), leaves_of(args)
    wrt = differentiable(leaves)
    default, cut = adjoint(program, wrt), check(adjoint(program, wrt, residuals="min-cut"))
    same(default, cut, leaves)
    if second:
        results = evaluate(default, *leaves)
        rng = np.random.default_rng(0)
        seeds = [rng.normal(size=np.shape(r)) if np.ndim(r) else float(rng.normal()) for r in results]
        twice = check(adjoint(cut, wrt, seed=True, residuals="min-cut"))
        same(adjoint(default, wrt, seed=True), twice, [*leaves, *seeds])
    assert sum(tapes(cut)) <= sum(tapes(default))
    return cut


def lotka_volterra(x, y, a, b, steps):
    h, cost = 0.01, 0.0
    for _ in range(steps):
        k1x, k1y = a * x - b * x * y, b * x * y - a * y
        x1, y1 = x + 0.5 * h * k1x, y + 0.5 * h * k1y
        k2x, k2y = a * x1 - b * x1 * y1, b * x1 * y1 - a * y1
        x2, y2 = x + h * k2x, y + h * k2y
        k3x, k3y = a * x2 - b * x2 * y2, b * x2 * y2 - a * y2
        x = x + h / 6.0 * (k1x + 4.0 * k2x + k3x)
        y = y + h / 6.0 * (k1y + 4.0 * k2y + k3y)
        cost = cost + h * (x - 1.0) ** 2
    return cost + y


@pytest.mark.slow
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_a_step_of_an_integrator_saves_the_state(steps):
    assert tapes(compared(lotka_volterra, 1.0, 0.5, 1.1, 0.4, steps)) == [2]


@pytest.mark.slow
def test_a_state_in_a_small_array_is_saved_alone():
    def f(a, b, c, n):
        y = np.array([a, b, c])
        for _ in range(n):
            k = np.array([y[1] - y[0], y[0] * (2.0 - y[2]), y[0] * y[1] - y[2]])
            z = y + 0.01 * k
            m = np.array([z[1] - z[0], z[0] * (2.0 - z[2]), z[0] * z[1] - z[2]])
            y = y + 0.005 * (k + m)
        return np.sum(y * y)

    assert tapes(compared(f, 1.0, 0.5, 0.2, 4)) == [1]


@pytest.mark.slow
def test_sigmoids_save_their_argument_only():
    def f(w, x, n):
        for i in range(n):
            gate = 1.0 / (1.0 + np.exp(-(w[i] * x)))
            x = gate * np.tanh(x) + x
        return np.sum(x)

    cut = compared(f, np.array([[0.3, -0.2], [0.1, 0.5]]), np.array([0.5, 2.0]), 2)
    assert tapes(cut) == [1]  # exp and tanh of it are vectors


@pytest.mark.slow
def test_transcendental_functions_of_numbers_and_products_are_not_repeated():
    def f(a, x, n):
        for _ in range(n):
            x = np.exp(np.sin(a * x) * 0.1)
        return x

    def of_arrays(a, x, n):
        for _ in range(n):
            x = np.exp(np.sin(a @ x) * 0.1)
        return np.sum(x)

    def count(cut, *functions):
        return sum(isinstance(op, Op) and op.fn in functions for op in walk(cut.body))

    assert count(compared(f, 0.3, 0.5, 3), np.exp, np.sin) == 2
    cut = compared(of_arrays, np.array([[0.3, -0.2], [0.1, 0.5]]), np.array([0.5, 2.0]), 3)
    assert count(cut, operator.matmul) == 2 and tapes(cut) == [2]  # the product with it, and x


@pytest.mark.slow
def test_what_is_summed_along_a_few_elements_is_summed_again():
    """Squared distances of all pairs: 3 terms each, from places that are at hand anyway."""

    def f(x, a):
        total = 0.0
        for i in range(len(x) - 1):
            d = x[i : i + 2, None, :] - x[None, :, :]
            total += np.sum(np.exp(-a * np.sum(d * d, axis=2))) ** 2
        return total * total

    compared(f, np.arange(12.0).reshape(4, 3) ** 0.5, 0.3)
    number, few = Array(np.dtype(float), (5, 3)), Array(np.dtype(float), (5,))
    wide = Array(np.dtype(float), (5, 300))
    assert cost_again(Op(np.sum, (Var(number),), (Var(few),), {"axis": Lit(1)})) == 2 * 3 * 5
    assert cost_again(Op(np.sum, (Var(number), Lit(-1)), (Var(few),))) == 2 * 3 * 5
    assert cost_again(Op(np.sum, (Var(wide),), (Var(few),), {"axis": Lit(1)})) is None


def with_margins(x, mode, n):
    for _ in range(n):
        t = np.pad(x, 1, mode=mode)
        x = x + 0.1 * (t[2:] * t[:-2] - np.sin(x))
    return np.sum(x**2)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["constant", "edge", "wrap", "reflect", "symmetric"])
def test_an_array_with_margins_is_made_again_of_the_one_without(mode):
    cut = compared(lambda x, n: with_margins(x, mode, n), np.array([0.5, 0.3, 1.0, 1.5]), 3)
    assert tapes(cut) == [1]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["mean", "maximum", "linear_ramp"])
def test_margins_of_several_elements_are_saved(mode):
    """A maximum above all, which is looked for by its value."""
    cut = compared(lambda x, n: with_margins(x, mode, n), np.array([0.5, 0.3, 1.0, 1.5]), 3, second=False)
    assert tapes(cut) == [2]


@pytest.mark.slow
def test_what_is_put_together_of_what_is_saved_is_put_together_again():
    def f(x, y, n):
        for k in range(n):
            both = np.concatenate([x[1:], y])
            moved = np.hstack([np.roll(both, 1), np.repeat(x, 2)])
            x, y = x + 0.1 * np.stack([both[:4], moved[-4:]])[k % 2] * y, y - 0.1 * moved[:4] * both[-4:]
        return np.sum(x * y)

    cut = compared(f, np.array([0.5, 0.3, 1.0, 1.5]), np.array([0.2, 0.7, 0.4, 0.9]), 3)
    assert tapes(cut) == [3]  # x, y, and the shape of a product


@pytest.mark.slow
def test_a_carried_array_is_not_saved_for_an_element():
    def f(x):
        y = x.copy()
        for i in range(1, 4):
            y[i] = y[i - 1] * y[i] * x[i]
        return np.sum(y)

    cut = compared(f, np.array([0.5, 2.0, -1.0, 0.3]))
    (append,) = [op for op in walk(cut.body) if isinstance(op, Op) and op.fn is list_append]
    assert not any("[" in str(t) for t in append.out.type.element.items)


@pytest.mark.slow
def test_a_copy_and_its_source_are_saved_once():
    def f(x, n):
        x = x.copy()
        for _ in range(n):
            before = x.copy()
            x[1:] = np.sin(x[:-1]) * before[1:] + before[0] * x[1:] ** 2
        return np.sum(x**2)

    (count,) = tapes(compared(f, np.array([0.5, -2.0, 1.0, 0.3]), 3))
    assert count == 1  # x


@pytest.mark.slow
def test_branches_and_inner_loops():
    def f(x, n):
        total = 0.0
        for i in range(n):
            t = x[i] * x[i] + 1.0
            if x[i] > 0:
                u = t * x[i]
                for j in range(2):
                    u = u * t + x[j]
                total += u * np.exp(-t)
            else:
                total += t * t * total
        return total

    compared(f, np.array([0.5, -2.0, 1.0, 0.3]), 4)


@pytest.mark.slow
def test_loops_that_stop():
    def f(x, n):
        y, k = x[0], 0
        while y < 3.0:
            z = y * x[1] + 1.0
            k += 1
            if k > n:
                break
            y = z * z - y
        for i in range(n):
            if x[i] < -1.0:
                continue
            y = y * (x[i] + 2.0) ** 2
            if y > 50.0:
                break
        return y

    compared(f, np.array([0.5, 0.3, 1.0, 1.5]), 4)


@pytest.mark.slow
def test_shapes_are_saved_without_contents():
    def f(x, n):
        total = 0.0
        for i in range(n):
            y = np.exp(x[i:])
            total += np.sum(y[1:]) * x[i]
        return total

    compared(f, np.array([0.5, 0.3, 1.0, 1.5]), 3)


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_dtypes_stay(dtype):
    def f(x, n):
        y = x * 1
        for _ in range(n):
            y = (y * y + x) / (1.0 + y)
        return np.sum(np.abs(y) ** 2)

    x = np.array([0.5, 0.25], dtype)
    program = primal(f, x, 3)
    default, cut = (evaluate(adjoint(program, (0,), residuals=p), x, 3) for p in ("cheap", "min-cut"))
    for a, b in zip(default, cut, strict=True):
        assert np.result_type(a) == np.result_type(b)
        np.testing.assert_allclose(a, b, rtol=1e-5 if dtype is np.float32 else 1e-12)


@pytest.mark.drawn(of=6)
@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 120, 20))
def test_random_programs(start):
    saved = np.zeros(2, int)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(start, start + 20):
            program = generate(seed)
            module = load(program, pathlib.Path(folder))
            try:
                function = primal(module.f, *copies(program.args))
            except ast_ad.AdError:
                continue
            finally:
                unload(module)
            leaves = leaves_of(program.args)
            wrt = differentiable(leaves)
            default, cut = adjoint(function, wrt), check(adjoint(function, wrt, residuals="min-cut"))
            same(default, cut, leaves)
            saved += sum(tapes(default)), sum(tapes(cut))
    assert saved[1] < saved[0]


def eliminated(A, b):
    A, b, n = A + 6 * np.eye(20), b.copy(), len(b)
    for k in range(n - 1):
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            A[i, k:] -= f * A[k, k:]
            b[i] -= f * b[k]
    return np.sum(b / np.diag(A))


@pytest.mark.slow
def test_of_an_array_of_constant_lengths_parts_are_saved():
    """A row from a counter on has no known length, but no more numbers than the matrix has in a row."""
    derivative = ast_ad.grad(eliminated, (0, 1), backend="numba")
    A, b = np.random.default_rng(0).normal(size=(20, 20)), np.ones(20)
    plain = ast_ad.grad(eliminated, (0, 1), backend="numpy")(A, b)
    for bar, expected in zip(derivative(A, b), plain, strict=True):
        np.testing.assert_allclose(bar, expected, rtol=1e-10)
    assert "20, 20" in derivative.source and "16, 20" not in derivative.source


def chosen(w):
    levels = [w[0]]
    for i in range(len(w)):
        if w[i] > 0.1:
            levels.append(levels[-1] * w[i])
        else:
            levels.append(levels[i // 2] * levels[-1])
    return levels[-1]


@pytest.mark.slow
def test_a_branch_saves_elements_of_a_list():
    """Not the list, which would be copied in every turn."""
    derivative = ast_ad.grad(chosen, backend="numpy")
    np.testing.assert_allclose(derivative(np.array([1.0, 2, 0, 3])), [24.0, 3.0, 0.0, 2.0])
    assert ".copy()" not in derivative.source


def two_steps(x, n):
    for _ in range(n):
        u = x - 0.1 / (1.0 + x * x)
        v = u - 0.1 / (1.0 + u * u)
        x = v - 0.1 * v * v * v
    return x


@pytest.mark.slow
def test_what_many_directions_read_is_saved_rather_than_computed_again():
    program, leaves = primal(two_steps, 0.7, 3), [0.7, 3]
    once, often = (check(adjoint(program, (0,), residuals=n)) for n in (1, 1000))
    same(once, often, leaves)
    assert tapes(once) == tapes(adjoint(program, (0,), residuals="min-cut")) == [1]
    assert tapes(often) > [1]


@pytest.mark.slow
def test_derivatives_that_are_called_within_follow_the_policy():
    def steps(x, n):
        for _ in range(n):
            x = x - 0.1 * np.exp(x) * x + x / (1.0 + x * x)
        return x

    def slope(x, n):
        return ast_ad.grad(steps)(x, n)

    def curvature(x, n):
        value, along = ast_ad.linearize(lambda x: ast_ad.grad(steps)(x, n), x)
        return along(1.0)

    for function in (slope, curvature):
        cheap, cut = (primal(function, 0.7, 3, residuals=policy) for policy in ("cheap", "min-cut"))
        same(cheap, cut, [0.7, 3])
        assert sum(tapes(cut)) < sum(tapes(cheap))


@pytest.mark.slow
def test_where_floating_point_errors_are_heeded_nothing_is_computed_again_for_less_memory():
    def slope(x, n):
        with np.errstate(divide="raise"):
            return ast_ad.grad(two_steps)(x, n)

    cheap, cut = (primal(slope, np.float64(0.7), 3, residuals=policy) for policy in ("cheap", "min-cut"))
    assert tapes(cheap) == tapes(cut)
