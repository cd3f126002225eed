"""Do arrays in the place of tapes leave the meaning of a program alone, and do the lists go?"""

import copy
import math

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.arrays.in_place import write_in_place
from ast_ad.compiler.emit.python import emit_module
from ast_ad.compiler.ir import builtin
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Function, Op, walk
from ast_ad.compiler.ir.show import show
from ast_ad.compiler.loops.tape_layout import lists, typed_tapes
from ast_ad.rules import helpers
from tests.compiler.arrays.test_in_place import outcome, run_text, same
from tests.compiler.checking import differentiable, leaves_of, primal
from tests.compiler.random_ir import Generator, arguments
from tests.programs.check import load, unload
from tests.programs.generate import copies, generate


def close(found, expected, report):
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected), report
        for one, other in zip(found, expected, strict=True):
            close(one, other, report)
        return
    if expected is None:
        assert found is None, report
        return
    assert np.shape(found) == np.shape(expected), report
    assert np.asarray(found).dtype == np.asarray(expected).dtype, report
    np.testing.assert_allclose(found, expected, rtol=1e-6 if _single(expected) else 1e-12, err_msg=report)


def _single(value):
    return np.asarray(value).dtype in (np.float32, np.complex64)


def same_meaning(function: Function, *leaves):
    """The function with arrays for tapes, after it was compared with the function itself."""
    shown = show(function)
    changed = check(typed_tapes(function))
    assert show(function) == shown
    placed = check(write_in_place(changed))
    report = f"{shown}\n\n{show(changed)}\n\n{show(placed)}"
    with np.errstate(all="ignore"):
        expected = evaluate(function, *copy.deepcopy(leaves))
        close(evaluate(changed, *copy.deepcopy(leaves)), expected, report)
        close(evaluate(placed, *copy.deepcopy(leaves)), expected, report)
        close(run_text(emit_module([placed]), placed.name)(*copy.deepcopy(leaves)), expected, report)
    tapes = {v for op in walk(placed.body) for v in op.outs if v.hint == "tape"}
    for op in walk(placed.body):
        if isinstance(op, Op) and any(a in tapes for a in op.args):
            assert op.fn not in (builtin.copy, helpers.setitem), report
    return changed


def verify(function, *args, left=0, order=2, of=None):
    """First and second order; ``left``: how many lists the first may still carry."""
    program, leaves = primal(function, *args), leaves_of(args)
    wrt = differentiable(leaves)
    joint = adjoint(program, wrt)
    changed = same_meaning(joint, *leaves)
    assert len(list(lists(changed))) == left, show(changed)
    if order > 1:
        generator = np.random.default_rng(0)
        with np.errstate(all="ignore"):
            results = evaluate(joint, *leaves)
        seeds = [
            np.asarray(generator.normal(size=np.shape(r))).astype(np.asarray(r).dtype)[()] for r in results
        ]
        same_meaning(adjoint(joint, wrt, seed=True), *leaves, *seeds)
        with np.errstate(all="ignore"):
            twice = evaluate(adjoint(joint, wrt, seed=True), *leaves, *seeds)
            again = evaluate(check(adjoint(changed, wrt, seed=True)), *leaves, *seeds)
        close(again, twice, show(changed))
    return changed


# ----- loops ------------------------------------------------------------------------------------------
def recurrence(x, n):
    for i in range(n):
        x = math.sin(x) * x + i
    return x


def upwards(x, n, m, step):
    for i in range(n, m, step):
        x = math.sin(x) * x + 0.1 * i
    return x


def threes(x, n):
    y = x
    for i in range(n, -4, -3):
        y = math.cos(y) * x + i
    for i in range(2, n, 3):
        y = math.cos(y) * x + i
    return y


def backwards(x, n):
    for i in reversed(range(n)):
        x = math.sin(x) * x + i
    return x


@pytest.mark.drawn(of=2)
@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 7, -2])
def test_ranges(n):
    verify(recurrence, 0.3, n)
    verify(threes, 0.3, n)
    verify(backwards, 0.3, n)
    for step in (1, 2, -1):
        verify(upwards, 0.3, n, 4, step)


def nested(x, n, m):
    total = 0.0
    for i in range(n):
        y = x * i
        for j in range(m):
            y = math.sin(y) + y * x
            for _ in range(3):
                y = y * math.cos(y + j)
        total = total + y * y
    return total


def triangle(x, n):
    total = 0.0
    for i in range(n):
        y = x
        for j in range(i):
            y = math.sin(y * total) + y * x
            for k in range(j, 2, -1):
                y = y * math.cos(y + k)
            for _ in range(2):
                y = y * math.cos(y)
        total = total + y * y
    return total


@pytest.mark.drawn(of=3)
@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 5])
def test_nests(n):
    verify(nested, 0.7, n, 3)
    verify(nested, 0.7, 3, n)
    verify(triangle, 0.7, n)


def branched(x, n, m):
    total = x
    if m > 2:
        for i in range(n):
            x = math.sin(x) * x + i
    else:
        while x < m:
            x = x * x + 1.1
    if n > 0:
        if m > 1:
            for _ in range(m):
                total = math.sin(total) * x
    for i in range(n):
        y = x
        if i % 2 == 1:
            for j in range(3):
                y = y * math.sin(y) + j
            if i > 2:
                for j in range(i, -1, -1):
                    y = y * math.sin(y) + j
        else:
            while y < 2.0:
                y = y * 1.5 + 0.1 * x
        total = total + y * y
    return total


@pytest.mark.slow
def test_loops_in_branches():
    for n in (0, 1, 5):
        for m in (0, 2, 4):
            verify(branched, 0.4, n, m, order=1)
    verify(branched, 0.4, 5, 4)


@pytest.mark.slow
def test_what_no_iteration_saves_takes_no_memory():
    def sparse(x, n):
        total = 0.0
        for i in range(n):
            if i == 1:
                y = np.sin(x)
                for _ in range(1000):
                    y = np.sin(y) * x
                total = total + np.sum(y)
        return total

    program = adjoint(primal(sparse, np.ones(50), 20), (0,))
    changed = typed_tapes(program)
    sizes = []
    placed = write_in_place(changed)
    for op in walk(placed.body):
        if isinstance(op, Op) and op.fn is np.empty:
            op.fn = lambda shape, dtype: sizes.append(math.prod(shape)) or np.empty(shape, dtype)
    evaluate(placed, np.ones(50), 20)
    assert sizes and sum(sizes) < 10_000


def collatz(x, n):
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        x = math.sin(x) * x + n
    return x


def whiles(x, n):
    total = x
    for i in range(n):
        y = x
        while y < 3.0:
            y = y * 1.5 + 0.1 * total * total
            for _ in range(2):
                y = y * math.sqrt(y)
        total = total + y * i
    return total


def breaks(x, n):
    for i in range(n):
        y = x
        for _ in range(10):
            y = y * y + 0.1 * x
            if y > 2.0 + i:
                break
        x = math.sin(y) + x
        if x > 3.0:
            break
    return x


@pytest.mark.slow
def test_loops_that_stop_when_they_like():
    verify(collatz, 0.5, 1)
    verify(collatz, 0.5, 27)
    for n in (0, 1, 6):
        verify(whiles, 0.5, n)
        verify(breaks, 0.9, n)


def over_lists(xs, ys):
    total = 0.0
    for x in xs:
        total = math.sin(total + x) * x
    for i, (x, y) in enumerate(zip(xs, ys)):
        total = total * math.cos(total) + x * y * i
    return total


def grown(x, n):
    squares = []
    for i in range(n):
        squares.append(math.sin(x) * i)
        x = x * 1.1
    total = 0.0
    for s in squares:
        total = total + s * s * x
    return total


def grown_and_kept(x, n):
    squares = []
    for i in range(n):
        squares.append(math.sin(x) * i)
        x = x * math.cos(x)
    return squares[0] * squares[-1] + len(squares)


@pytest.mark.slow
def test_lists():
    verify(over_lists, [0.1, 0.2, 0.3], [1.0, 2.0, 3.0])
    verify(grown, 0.3, 5, left=3)  # the list, and the cotangents of its elements
    verify(grown_and_kept, 0.3, 5, left=2, order=1)


# ----- what is saved ----------------------------------------------------------------------------------
def kinds(x, n):
    total = 0.0
    for i in range(n):
        big = total > 0.5
        k = int(total * 3) + 2
        total = total + (x**k if big else x * k)
    return total


def vectors(x, n):
    y = x
    for _ in range(n):
        y = np.sin(y) * x + y[0]
    return np.sum(y)


def prefixes(a):
    total = 0.0
    for i in range(1, a.shape[0]):
        for j in range(i):
            part = np.exp(a[i, :j] * total)
            square = np.outer(part, part) * total
            total = total + 0.1 * np.sum(np.sin(square)) + a[i, j]
    return total


def heads(a):
    total = 0.0
    for i in range(a.shape[0]):
        rows = np.exp(a[:i] * total)
        if i % 2 == 0:
            columns = np.sin(a[:, i:] * total)
            total = total + np.sum(columns * columns)
        total = total + 0.1 * np.sum(np.sin(rows)) + a[i, i]
    return total


def stencil(a, n):
    a = a.copy()
    for _ in range(n):
        a[1:-1] = np.sin(a[2:]) * a[:-2] * a[1:-1]
    return np.sum(a)


def products(z, n):
    w = z
    for _ in range(n):
        w = w * w * z + z
    return np.abs(w) ** 2


def paths(x, n):
    total = np.zeros(3)
    for i in range(n):
        y = x * i + total
        if i % 3 == 0:
            if np.sum(y) > 2.0:
                z = np.sin(y)
                s = np.sum(z)
            else:
                z = y * y
                s = np.sum(z) * z[0]
            y = z * z * s
        elif i % 3 == 1:
            c = np.cos(y)
            y = c * c
        total = total + y
    return np.sum(total)


@pytest.mark.slow
def test_kinds_of_values():
    for n in (0, 1, 6):
        verify(kinds, 0.8, n)
        verify(vectors, np.array([0.1, 0.2, 0.3]), n)
        verify(vectors, np.zeros(0) + 0.0, 0)
        verify(stencil, np.linspace(0.5, 1.5, 6), n)
        verify(paths, np.array([0.1, 0.2, 0.3]), n)
    verify(heads, np.linspace(0.1, 0.3, 20).reshape(4, 5))
    verify(prefixes, np.linspace(0.1, 0.3, 16).reshape(4, 4))


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.complex128, np.float64])
def test_dtypes(dtype):
    verify(products, dtype(0.3), 4)
    x = np.linspace(0.1, 0.4, 4).astype(dtype)

    def rows(x, n):
        total = 0.0
        for i in range(n):
            total = total + np.abs(np.sin(x[i] * total) * x[i]) ** 2
        return total

    verify(rows, x, 4, order=1)


# ----- whole algorithms -----------------------------------------------------------------------------
def lorenz(p, start, steps):
    trajectory = np.zeros((steps + 1, 3))
    trajectory[0] = start

    def slope(u):
        return np.array([p[0] * (u[1] - u[0]), u[0] * (p[1] - u[2]) - u[1], u[0] * u[1] - p[2] * u[2]])

    for i in range(steps):
        u = trajectory[i]
        k1 = slope(u)
        k2 = slope(u + 0.005 * k1)
        trajectory[i + 1] = u + 0.01 * k2
    return np.sum(trajectory[-1] ** 2)


def recurrent(weights, scale, state, sequence):
    state = state.copy()
    total = 0.0
    for t in range(sequence.shape[0] - 1):
        x = sequence[t] * scale[0]
        for layer in range(weights.shape[0]):
            w, b = weights[layer]
            h, c = state[layer]
            gate = 1.0 / (1.0 + np.exp(-(x * w + b)))
            c = c * gate + np.tanh(h * w)
            x = gate * np.tanh(c)
            state[layer, 0] = x
            state[layer, 1] = c
        y = x * scale[1]
        y = y - np.log(np.sum(np.exp(y)) + 2.0)
        total = total + np.sum(sequence[t + 1] * y)
    return total


def cholesky(a, w):
    a = a.copy()
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])
    return np.sum(w * np.tril(a))


def triangular(icf, x, d):
    total = 0.0
    for k in range(icf.shape[0]):
        factor = np.zeros((d, d))
        position = d
        for i in range(d):
            factor[i, i] = np.exp(icf[k, i])
            for j in range(i + 1, d):
                factor[j, i] = icf[k, position]
                position += 1
        y = x @ factor.T
        total = total - 0.5 * np.sum(y**2) + np.sum(icf[k, :d])
    return total


def rotations(angles, points):
    total = 0.0
    for i in range(angles.shape[0]):
        angle = angles[i]
        square = np.sum(angle**2)
        if square == 0.0:
            turned = points[i] + np.cross(angle, points[i])
        else:
            theta = np.sqrt(square)
            axis = angle / theta
            turned = points[i] * np.cos(theta) + np.cross(axis, points[i]) * np.sin(theta)
        p = turned[:2] / turned[2]
        total = total + np.sum(p**2)
    return total


@pytest.mark.slow
def test_algorithms():
    draw = np.random.default_rng(0).uniform
    verify(lorenz, np.array([10.0, 28.0, 8 / 3]), np.ones(3), 6)
    sequence = draw(0, 1, (5, 4))
    verify(recurrent, draw(-1, 1, (2, 2, 4)), draw(-1, 1, (2, 4)), draw(-1, 1, (2, 2, 4)), sequence)
    root = np.tril(draw(0, 1, (5, 5))) + np.eye(5)
    verify(cholesky, root @ root.T, draw(0, 1, (5, 5)))
    verify(triangular, draw(-1, 1, (2, 6)), draw(-1, 1, (4, 3)), 3)
    angles = draw(-1, 1, (4, 3))
    angles[2] = 0.0
    verify(rotations, angles, draw(1, 2, (4, 3)))


# ----- programs ---------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 60, 20))
def test_random_ir(start):
    for seed in range(start, start + 20):
        function = check(Generator(seed).function())
        expected = outcome(lambda *a, f=function: evaluate(f, *a), arguments(seed))
        changed = check(typed_tapes(function))
        placed = check(write_in_place(changed))
        for program in (changed, placed):
            result = outcome(lambda *a, f=program: evaluate(f, *a), arguments(seed))
            assert same(result, expected), f"seed {seed}\n{show(function)}\n\n{show(program)}"


@pytest.mark.drawn(of=3)
@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 40, 10))
def test_random_programs(start, tmp_path):
    for seed in range(start, start + 10):
        program = generate(seed)
        module = load(program, tmp_path)
        try:
            with np.errstate(all="ignore"):
                try:
                    joint = adjoint(primal(module.f, *copies(program.args)), (0, 1, 2))
                except ast_ad.AdError:
                    continue
                same_meaning(joint, *copies(program.args))
        finally:
            unload(module)


def in_a_branch_of_its_own(x, n):
    y = x[0]
    if x[1] < n:
        for i in range(n):
            y = np.sin(y) * x[i]
    return y


@pytest.mark.slow
def test_a_loop_in_a_branch():
    for n in (3, -2):
        verify(in_a_branch_of_its_own, np.array([0.4, -0.9, 1.3]), n)


def triangle_in_place(p, n):
    """What a turn of the inner loop reads goes to a tape that is an element of another one."""
    v = np.zeros(n + 1)
    for j in range(n + 1):
        v[j] = p[0] * j
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            v[j] = np.sin(v[j + 1] * p[1]) + v[j] * p[0]
    return v[0]


@pytest.mark.slow
def test_tapes_within_tapes_that_several_loops_read():
    """The adjoint reads them, and so does the linear half of its derivative."""
    p, direction = np.array([0.7, 1.2]), np.array([1.0, -0.5])
    found = {}
    for backend in ("numpy", "numba"):
        asked = ast_ad.linearize(ast_ad.grad(triangle_in_place), argnums=0, backend=backend)
        gradient, push = asked(p, 6)
        found[backend] = [gradient, push(direction), ast_ad.hessian(triangle_in_place, backend=backend)(p, 6)]
        assert asked.mode == "compiled"
    close(found["numba"], found["numpy"], "")
    assert ".append(" not in asked.forward_source
    h = 1e-6
    gradient = ast_ad.grad(triangle_in_place)
    along = (gradient(p + h * direction, 6) - gradient(p - h * direction, 6)) / (2 * h)
    np.testing.assert_allclose(found["numba"][1], along, rtol=1e-6)
    np.testing.assert_allclose(found["numba"][2] @ direction, along, rtol=1e-6)
