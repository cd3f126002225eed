"""Do programs compute the same with scalars in place of small arrays?"""

import inspect
import operator

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.adjoint.split import split
from ast_ad.compiler.elements.small_arrays import small_arrays
from ast_ad.compiler.elements.small_classes import is_small
from ast_ad.compiler.frontend.length_patterns import Known
from ast_ad.compiler.frontend.lower import lower
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import For, Op, While, binders, walk
from ast_ad.compiler.ir.show import show
from ast_ad.compiler.ir.types import Array, ListOf, TupleOf
from ast_ad.compiler.simplify.dead_code import eliminate_dead_code
from ast_ad.trees import flatten
from tests.compiler import random_ir
from tests.compiler.arrays.test_in_place import outcome
from tests.compiler.checking import leaves_of
from tests.programs.check import load, unload
from tests.programs.generate import copies, generate


def primal(function, *args):
    """The IR of a call, its short lengths constants."""
    trees = [flatten(arg)[1] for arg in args]
    names = list(inspect.signature(function).parameters)
    return check(lower(function, names, trees, leaves_of(args), known=Known.CONSTANTS).function)


def adjoint_of(program, args):
    leaves = leaves_of(args)
    wrt = tuple(i for i, leaf in enumerate(leaves) if np.asarray(leaf).dtype.kind in "fc")
    return check(adjoint(program, wrt))


def same(a, b, rtol=1e-12):
    if isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same(x, y, rtol)
        return
    assert np.shape(a) == np.shape(b)
    assert isinstance(a, np.ndarray) == isinstance(b, np.ndarray)
    assert np.asarray(a).dtype == np.asarray(b).dtype
    rtol = max(rtol, 100 * np.finfo(a.dtype).eps) if getattr(a, "dtype", np.dtype(int)).kind in "fc" else rtol
    np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)


def small_left(function):
    """The Vars inside loops that are, or hold, small arrays."""

    def has(type):
        if isinstance(type, ListOf):
            return has(type.element)
        return any(map(has, type.items)) if isinstance(type, TupleOf) else is_small(type, 16)

    loops = [op for op in walk(function.body) if isinstance(op, (For, While))]
    inner = [s for op in loops for s in walk(op.body)]
    variables = [v for op in [*loops, *inner] for v in (*binders(op), *op.outs)]
    return [v for v in variables if has(v.type)]


def verify(function, *args, scalar=True, second=False):
    """Check the primal and the adjoint; ``scalar``: no small array may be left in loops."""
    program = primal(function, *args)
    joint = adjoint_of(program, args)
    wrt = tuple(i for i, leaf in enumerate(leaves_of(args)) if np.asarray(leaf).dtype.kind in "fc")
    versions = [program, joint]
    if second:
        versions.append(check(adjoint(joint, wrt, seed=True)))
    inputs = leaves_of(args)
    copies = [np.copy(leaf) if isinstance(leaf, np.ndarray) else leaf for leaf in inputs]
    for order, version in enumerate(versions):
        text = show(version)
        changed = check(small_arrays(version))
        assert show(version) == text
        seeds = [0.5 + r * 0 for r in evaluate(joint, *inputs)] if order == 2 else []
        same(evaluate(version, *inputs, *seeds), evaluate(changed, *inputs, *seeds))
        same(copies, inputs, 0)
        if scalar and order < 2:
            assert not small_left(changed), show(changed)
    before = check(small_arrays(program, differentiated=True))
    same(evaluate(joint, *inputs), evaluate(check(adjoint(before, wrt)), *inputs))
    return check(small_arrays(joint))


R = np.random.default_rng(0)


def vec(n=3):
    return R.normal(size=n)


def lorenz(y, p, steps):
    h = 0.01
    traj = np.zeros((steps + 1, 3))
    traj[0] = y
    for i in range(steps):
        s = traj[i]
        k = np.array([p[0] * (s[1] - s[0]), s[0] * (p[1] - s[2]) - s[1], s[0] * s[1] - p[2] * s[2]])
        traj[i + 1] = traj[i] + h * k
    return np.mean(traj[:, 2]) + np.sum(traj[-1] ** 2)


@pytest.mark.slow
def test_lorenz():
    verify(lorenz, vec(), vec(), 20, second=True)


@pytest.mark.slow
def test_nothing_is_left_of_empty_loops():
    verify(lorenz, vec(), vec(), 0)


def rotations(angles, points):
    total = 0.0
    for i in range(len(angles)):
        c, s = np.cos(angles[i]), np.sin(angles[i])
        m = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        v = m @ points[i]
        total += v[0] * v[1] + np.linalg.norm(np.cross(v, points[i]) + 1.0)
    return total


@pytest.mark.slow
def test_rotations():
    verify(rotations, R.normal(size=20), R.normal(size=(20, 3)), second=True)


def products(a, b, n):
    m = np.eye(3)
    for _ in range(n):
        m = m @ a + b.T * 0.1
        m = m / np.sqrt(np.sum(m * m))
    return np.trace(m) + np.dot(m[0], m[1])


@pytest.mark.slow
def test_products_of_matrices():
    verify(products, R.normal(size=(3, 3)), R.normal(size=(3, 3)), 5, second=True)


def quaternions(q, qs):
    for k in range(len(qs)):
        p = qs[k]
        q = np.array([
            q[0] * p[0] - q[1] * p[1] - q[2] * p[2] - q[3] * p[3],
            q[0] * p[1] + q[1] * p[0] + q[2] * p[3] - q[3] * p[2],
            q[0] * p[2] - q[1] * p[3] + q[2] * p[0] + q[3] * p[1],
            q[0] * p[3] + q[1] * p[2] - q[2] * p[1] + q[3] * p[0],
        ])  # fmt: skip
        q = q / np.linalg.norm(q)
    return q[0] * q[1] + q[2]


@pytest.mark.slow
def test_quaternions():
    verify(quaternions, vec(4), R.normal(size=(12, 4)), second=True)


def in_place(x, n):
    state = np.zeros(4)
    state[:] = x
    for i in range(n):
        half = state[:2]
        half *= 0.9
        state[2:] += half[::-1]
        state[-1] = np.sin(state[0]) * i
        if state[1] > 0:
            state[[0, 1]] = state[1] * 0.5
    return np.sum(state[None, :] * state[:, None]) + state.max()


@pytest.mark.slow
def test_writes_and_views():
    verify(in_place, vec(4), 6)


def control(x, n):
    y = x * 1.0
    i = 0
    while i < n:
        if y[0] > 0.3:
            y = y - np.array([0.25, 0.1])
        else:
            y = np.where(y > 0, y * y, -y)
        if np.sum(y) > 10:
            break
        i += 1
        for _ in range(2):
            z = y + 0.1
            y = z * 0.97
    return np.sum(y)


@pytest.mark.slow
def test_control_flow():
    verify(control, vec(2), 7)


def reductions(x, n):
    total = 0.0
    for k in range(n):
        a = np.stack([x[0], x[1] * k, x[2]])
        total += np.mean(a) + np.prod(a, axis=0)[1] + np.max(a[1]) + np.min(a) + np.cumsum(a[2])[-1]
        b = np.concatenate((a[:2].ravel(), np.ones(2)))
        total = total + np.sum(b[::2]) * np.sum(a, axis=1, keepdims=True)[0, 0]
    return total


@pytest.mark.slow
def test_reductions():
    verify(reductions, R.normal(size=(3, 3)), 3)


def complex_numbers(z, w, n):
    for _ in range(n):
        z = z * np.exp(1j * w) + np.conj(z)[::-1] / 4
    return np.sum(np.abs(z) ** 2) + np.vdot(z, w).real


@pytest.mark.slow
def test_complex_numbers():
    verify(complex_numbers, vec(3) + 1j * vec(3), vec(3), 4)


@pytest.mark.slow
@pytest.mark.parametrize("function, args", [
    (lorenz, (vec(), vec(), 5)), (products, (R.normal(size=(3, 3)), R.normal(size=(3, 3)), 5)),
    (quaternions, (vec(4), R.normal(size=(12, 4)))), (in_place, (vec(4), 6)),
])  # fmt: skip
def test_single_precision(function, args):
    verify(function, *(a.astype(np.float32) if isinstance(a, np.ndarray) else a for a in args))


@pytest.mark.slow
def test_a_dtype_that_changes_in_a_loop():
    verify(control, vec(2).astype(np.float32), 7, scalar=False)


def mixed(a, b, n):
    t = np.zeros(2, np.float32)
    for i in range(n):
        t = (t + a * np.array([1, 2]) / 3).astype(np.float32)
        u = np.array([i, 2]) / np.array([3, 0.5]) + b
        t[0] = u[0]
        t += np.array([True, False]) * u.astype(np.float32)
    return np.sum(t * b)


@pytest.mark.slow
def test_mixed_dtypes():
    verify(mixed, vec(2).astype(np.float32), vec(2), 4)


def integers(x, n):
    k = np.array([1, 2, 3])
    for _ in range(n):
        k = k * 2 + np.array([1, 0, 1])
        k[1] = 7.9
        k = k % 5 // 2
    return np.sum(x * k / 2) + np.sum(x[k > 1])


@pytest.mark.slow
def test_integers():
    verify(integers, vec(3), 3, scalar=False)


def dynamic(x, i, n):
    y = x * 2.0
    for k in range(n):
        y[k % 3] += x[k % 2] * y[i]
    return np.sum(y) + x[i]


@pytest.mark.slow
def test_arrays_with_run_time_indices_stay():
    result = verify(dynamic, vec(3), 1, 5, scalar=False)
    assert any(isinstance(op, Op) and op.fn is operator.getitem for op in walk(result.body))


def unknown(x, a, n):
    for _ in range(n):
        x = np.linalg.solve(a, x) + np.array([1.0, 2.0])
    return np.sum(x)


@pytest.mark.slow
def test_operations_without_a_form():
    verify(unknown, vec(2), R.normal(size=(2, 2)), 3, scalar=False)


def division_by_zero(x, s):
    y = np.array([s, 0.0]) / np.zeros(2)
    z = (x - x) / np.array([0.0, 1.0])
    return np.sum(np.where(np.isfinite(y), y, 1.0)) + np.sum(np.where(np.isnan(z), 0.0, x))


@pytest.mark.slow
def test_division_by_zero():
    with np.errstate(all="ignore"):
        verify(division_by_zero, vec(2), 1.5, scalar=False)


def nested(x, n):
    total = 0.0
    for i in range(n):
        y = x * i
        for _ in range(i):
            y = y * 0.5 + np.sin(y[::-1])
        total += y[0] * y[1]
    return total


@pytest.mark.slow
def test_nested_loops():
    verify(nested, vec(2), 4, second=True)


def kept_list(x, n):
    points = []
    for i in range(n):
        points.append(x * i)
    total = 0.0
    for p in points:
        total += p[0] * p[1]
    return total + points[1][0]


@pytest.mark.slow
def test_lists():
    verify(kept_list, vec(2), 4, scalar=False)


def returned(x):
    y = x + 1.0
    y[1] = 3.0
    return np.sum(y * x)


def test_results_are_arrays_again():
    verify(returned, vec(3))


def kinks(x, n):
    total = 0.0
    for _ in range(n):
        y = x - x[0]
        total += np.max(y) + np.linalg.norm(y) + np.min(y * 2)
        total += np.sum(np.where(y == 0, 1.0, np.sqrt(y)))
    return total


@pytest.mark.slow
def test_derivatives_at_kinks():
    with np.errstate(all="ignore"):
        joint = verify(kinks, np.ones(3), 2, scalar=False)
        np.testing.assert_allclose(evaluate(joint, np.ones(3), 2)[1], [-4, 2, 2])


@pytest.mark.drawn(of=3)
@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 30, 10))
def test_random_programs(start, tmp_path):
    for seed in range(start, start + 10):
        program = generate(seed)
        module = load(program, tmp_path)
        try:
            compare_random(module.f, program)
        except ast_ad.AdError:
            continue
        finally:
            unload(module)


def compare_random(function, program):
    with np.errstate(all="ignore"):
        ir = primal(function, *program.args)
        joint = adjoint_of(ir, program.args)
        before = check(adjoint(check(small_arrays(ir, differentiated=True)), (0, 1, 2)))
        expected = evaluate(joint, *copies(program.args))
        if not all(np.isfinite(value).all() for value in expected):
            return
        for changed in (small_arrays(joint), before):
            same(expected, evaluate(check(changed), *copies(program.args)), 1e-9)
        value = evaluate(ir, *copies(program.args))
        same(value, evaluate(check(small_arrays(ir)), *copies(program.args)), 1e-12)


@pytest.mark.drawn(of=2)
@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 400, 40))
def test_random_ir(start, monkeypatch):
    """Lists, unknown functions, loops that stop: whatever the frontend may make of a program, and more."""
    monkeypatch.setattr(random_ir, "LONG", Array(np.dtype(float), (random_ir.N,)))
    monkeypatch.setattr(random_ir, "SHORT", Array(np.dtype(float), (random_ir.M,)))
    monkeypatch.setattr(random_ir, "LIST", ListOf(random_ir.LONG))
    for seed in range(start, start + 40):
        function = eliminate_dead_code(check(random_ir.Generator(seed).function()))
        expected = outcome(lambda *a, f=function: evaluate(f, *a), random_ir.arguments(seed))
        changed = check(small_arrays(function))
        found = outcome(lambda *a, f=changed: evaluate(f, *a), random_ir.arguments(seed))
        report = f"seed {seed}\n{show(function)}\n\n{show(changed)}"
        if isinstance(expected, type):
            assert found is expected, report
        else:
            assert alike(found, expected), report


def alike(a, b):
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(alike, a, b))
    if a is None or b is None:
        return a is b
    return np.shape(a) == np.shape(b) and np.allclose(a, b, 1e-9, 1e-9, equal_nan=True)


def loops_in_a_loop(x, n):
    t = np.array([x[0], x[1]])
    for i in range(n):
        for j in range(n):
            t = np.sin(t * x[j])
        t = t + np.array([x[i], 1.0])
    return t[0] * t[1]


@pytest.mark.slow
def test_tapes_within_a_tape_that_the_function_returns():
    """The reader has arrays of all of them; nothing but the outer one says that the inner ones leave."""
    args = np.array([0.4, -0.9, 1.3]), 3
    forward, backward = split(adjoint(primal(loops_in_a_loop, *args), (0,), seed=True), 1, 1)
    value, residuals = evaluate(forward, *args)
    found = evaluate(check(small_arrays(forward)), *args)
    same(found, (value, residuals))
    same(evaluate(backward, found[1], 1.0), evaluate(backward, residuals, 1.0))
