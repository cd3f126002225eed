"""Are the derivatives of algorithms those that are known on paper?

They have loops, ``while``, branches on data, early returns and writes in place. Each has a gradient in closed
form, which is computed in another way; second derivatives are differences of that.
"""

import numpy as np
import pytest

import ast_ad

from .functions import differences

X = np.array([0.4, 1.3, 0.7])
V = np.array([0.7, -0.2, 1.1])
A = np.array([[4.0, 0.5, 0.2], [0.5, 3.0, -0.4], [0.2, -0.4, 5.0]])


def logistic_map(x):
    states = np.zeros(9)
    states[0] = x[0]
    for i in range(8):
        states[i + 1] = (1.0 + x[1]) * states[i] * (1.0 - states[i])
    return states[8] * x[2]


def of_logistic_map(x):
    s, by_start, by_rate = x[0], 1.0, 0.0
    for _ in range(8):
        slope = (1.0 + x[1]) * (1.0 - 2.0 * s)
        by_start, by_rate, s = slope * by_start, slope * by_rate + s * (1.0 - s), (1.0 + x[1]) * s * (1.0 - s)
    return np.array([by_start * x[2], by_rate * x[2], s])


def horner(x):
    total, i = 0.0, 2
    while i >= 0:
        total = total * x[0] + x[i]
        i -= 1
    return total


def of_horner(x):
    return np.array([1.0 + x[1] + 2.0 * x[0] * x[2], x[0], x[0] ** 2])


def root_by_newton(x):
    target, root, turns = np.sum(x), 1.0, 0
    while abs(root * root - target) > 1e-14 and turns < 50:
        root -= (root * root - target) / (2.0 * root)
        turns += 1
    return root


def of_root_by_newton(x):
    return np.full(3, 0.5 / np.sqrt(np.sum(x)))


def tridiagonal_solve(x):
    """Thomas's algorithm, in place."""
    main, right = 3.0 + x, np.array([1.0, 2.0, -1.0])
    for i in range(1, 3):
        factor = 1.0 / main[i - 1]
        main[i] -= factor
        right[i] -= factor * right[i - 1]
    right[2] /= main[2]
    for i in range(1, -1, -1):
        right[i] = (right[i] - right[i + 1]) / main[i]
    return np.sum(right)


def of_tridiagonal_solve(x):
    inverse = np.linalg.inv(np.diag(3.0 + x) + np.eye(3, k=1) + np.eye(3, k=-1))
    return -np.sum(inverse, axis=0) * (inverse @ np.array([1.0, 2.0, -1.0]))


def determinant_by_elimination(x):
    """With pivoting: rows are swapped."""
    a = A * 0.1 + np.outer(x, x[::-1]) - np.diag(x)
    sign = 1.0
    for k in range(3):
        p = k
        for i in range(k + 1, 3):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            a[[k, p]] = a[[p, k]]
            sign = -sign
        for i in range(k + 1, 3):
            a[i, k:] -= a[i, k] / a[k, k] * a[k, k:]
    return sign * a[0, 0] * a[1, 1] * a[2, 2]


def of_determinant_by_elimination(x):
    a = A * 0.1 + np.outer(x, x[::-1]) - np.diag(x)
    cofactors = np.linalg.det(a) * np.linalg.inv(a).T
    return cofactors @ x[::-1] + (x @ cofactors)[::-1] - np.diag(cofactors)


def cholesky_by_columns(x):
    """The logarithm of the determinant of a matrix that is overwritten with its factor."""
    a = A + np.diag(x)
    for j in range(3):
        for k in range(j):
            a[j:, j] -= a[j:, k] * a[j, k]
        a[j:, j] /= np.sqrt(a[j, j])
    return 2.0 * np.sum(np.log(np.diag(a)))


def of_cholesky_by_columns(x):
    return np.diag(np.linalg.inv(A + np.diag(x)))


def power_by_squaring(x):
    base, n, found = A * 0.2 + np.diag(x), 11, np.eye(3)
    while n > 0:
        if n % 2:
            found = found @ base
        base = base @ base
        n //= 2
    return np.trace(found)


def of_power_by_squaring(x):
    return 11.0 * np.diag(np.linalg.matrix_power(A * 0.2 + np.diag(x), 10))


def heat_in_place(x):
    u = np.zeros(5)
    u[1:4] = x
    for _ in range(6):
        u[1:-1] += 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def of_heat_in_place(x):
    step = np.eye(3) * 0.6 + 0.2 * (np.eye(3, k=1) + np.eye(3, k=-1))
    many = np.linalg.matrix_power(step, 6)
    return 2.0 * many.T @ many @ x


def first_passage(x):
    """When a path that accelerates gets beyond a bound, interpolated within the step."""
    place, speed = 0.0, x[0]
    for i in range(100):
        before = place
        place += 0.1 * speed
        speed += 0.1 * x[1]
        if place > 2.0 * x[2]:
            return 0.1 * (i + (2.0 * x[2] - before) / (place - before))
    return 10.0


def of_first_passage(x):
    i = next(i for i in range(100) if 0.1 * (i + 1) * x[0] + 0.01 * x[1] * i * (i + 1) / 2 > 2.0 * x[2])
    rest, step = 2.0 * x[2] - 0.1 * i * x[0] - 0.01 * x[1] * i * (i - 1) / 2, 0.1 * x[0] + 0.01 * x[1] * i
    by_rest, by_step = 0.1 / step, -0.1 * rest / step**2
    return np.array(
        [
            -0.1 * i * by_rest + 0.1 * by_step,
            -0.01 * i * (i - 1) / 2 * by_rest + 0.01 * i * by_step,
            2.0 * by_rest,
        ]
    )


def shortest_path(x):
    """Dynamic programming on a grid, in place; the least of three ways is taken."""
    cost = np.outer(x, np.array([1.0, 0.5, 2.0])) ** 2
    for i in range(3):
        for j in range(3):
            if i > 0 and j > 0:
                if cost[i - 1, j] < cost[i, j - 1]:
                    cost[i, j] += cost[i - 1, j]
                else:
                    cost[i, j] += cost[i, j - 1]
            elif i > 0:
                cost[i, j] += cost[i - 1, j]
            elif j > 0:
                cost[i, j] += cost[i, j - 1]
    return cost[2, 2]


def of_shortest_path(x):
    weights = np.array([1.0, 0.5, 2.0]) ** 2
    ways = [
        [0, 0, 0, 1, 2],
        [0, 0, 1, 1, 2],
        [0, 0, 1, 2, 2],
        [0, 1, 1, 1, 2],
        [0, 1, 1, 2, 2],
        [0, 1, 2, 2, 2],
    ]
    moves = [np.diff(way) for way in ways]
    columns = [np.concatenate([[0], np.cumsum(1 - move)]) for move in moves]
    totals = [np.sum(x[way] ** 2 * weights[column]) for way, column in zip(ways, columns, strict=True)]
    best = int(np.argmin(totals))
    gradient = np.zeros(3)
    np.add.at(gradient, ways[best], 2.0 * x[ways[best]] * weights[columns[best]])
    return gradient


ALGORITHMS = {
    logistic_map: of_logistic_map,
    horner: of_horner,
    root_by_newton: of_root_by_newton,
    tridiagonal_solve: of_tridiagonal_solve,
    determinant_by_elimination: of_determinant_by_elimination,
    cholesky_by_columns: of_cholesky_by_columns,
    power_by_squaring: of_power_by_squaring,
    heat_in_place: of_heat_in_place,
    first_passage: of_first_passage,
    shortest_path: of_shortest_path,
}


def first_order(f, **options):
    """The gradient by each operator that gives it."""
    yield ast_ad.grad(f, **options)(X)
    yield ast_ad.value_and_grad(f, **options)(X)[1]
    yield ast_ad.vjp(f, X, **options)[1](1.0)[0]
    yield ast_ad.jacfwd(f, **options)(X)
    yield ast_ad.jacrev(f, **options)(X)
    yield ast_ad.vmap(ast_ad.grad(f), **options)(X[None])[0]


def along(f, **options):
    """The derivative along a direction, likewise."""
    yield ast_ad.jvp(f, (X,), (V,), **options)[1]
    yield ast_ad.linearize(f, X, **options)[1](V)


def require(f, **options):
    expected = ALGORITHMS.get(f) or ALGORITHMS[f.of]
    for found in first_order(f, **options):
        np.testing.assert_allclose(found, expected(X), rtol=1e-9, atol=1e-12)
    for found in along(f, **options):
        np.testing.assert_allclose(found, expected(X) @ V, rtol=1e-9, atol=1e-12)
    curvature = differences(expected, X)
    np.testing.assert_allclose(ast_ad.hessian(f, **options)(X), curvature, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(ast_ad.hvp(f, (X,), (V,), **options)[0], curvature @ V, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(ast_ad.laplacian(f, **options)(X), np.trace(curvature), rtol=1e-6, atol=1e-7)


@pytest.mark.drawn(of=21)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", ALGORITHMS)
def test_compiled(f, backend):
    require(f, backend=backend, fallback="error")


@pytest.mark.drawn(of=6)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "error::ast_ad.errors.DefectWarning")
@pytest.mark.parametrize("f", ALGORITHMS)
def test_traced(f):
    opaque = eval("lambda x: f(x)", {"f": f})
    opaque.of = f
    require(opaque)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("f", ALGORITHMS)
def test_tensors(f):
    x = ast_ad.tensor(X, requires_grad=True)
    gradient = ast_ad.grad(f)(x)
    np.testing.assert_allclose(gradient.detach().numpy(), ALGORITHMS[f](X), rtol=1e-9, atol=1e-12)
    (gradient @ ast_ad.tensor(V)).backward()
    np.testing.assert_allclose(x.grad.numpy(), differences(ALGORITHMS[f], X) @ V, rtol=1e-6, atol=1e-7)
