"""PolyBench's kernels as one writes them for JAX: what `polybench` compares with.

Functions have the names and the arguments of those in `polybench_numpy`. A loop whose passes don't need each
other is an operation on whole arrays, one whose passes do is a `lax` loop of a known length, and nothing is
written in place. A library's function stands only for a kernel that is that very function.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.linalg import solve_triangular

jax.config.update("jax_enable_x64", True)


def dominant(A: jax.Array) -> jax.Array:
    return A + A.shape[0] * jnp.eye(A.shape[0])


def squares(*found: jax.Array) -> Any:
    return sum(jnp.sum(a * a) for a in found)


# ----- products
def run_2mm(alpha, beta, A, B, C, D):
    return squares(alpha * (A @ B) @ C + beta * D)


def run_3mm(A, B, C, D):
    return squares((A @ B) @ (C @ D))


def atax(A, x):
    return squares((A @ x) @ A)


def bicg(A, p, r):
    return squares(r @ A, A @ p)


def doitgen(A, C4):
    return squares(A @ C4)


def gemm(alpha, beta, A, B, C):
    return squares(alpha * (A @ B) + beta * C)


def gemver(alpha, beta, A, u1, v1, u2, v2, y, z):
    A = A + jnp.stack([u1, u2], axis=1) @ jnp.stack([v1, v2])
    x = beta * (y @ A) + z
    return squares(alpha * (A @ x))


def gesummv(alpha, beta, A, B, x):
    return squares(alpha * (A @ x) + beta * (B @ x))


def mvt(x1, x2, y1, y2, A):
    return squares(x1 + A @ y1, x2 + y2 @ A)


def symm(alpha, beta, C, A, B):
    return squares(beta * C + alpha * ((jnp.tril(A) + jnp.tril(A, -1).T) @ B))


def lower_part(C, new):
    return jnp.where(np.tri(C.shape[0], dtype=bool), new, C)


def syr2k(alpha, beta, C, A, B):
    product = A @ B.T
    return squares(lower_part(C, beta * C + alpha * (product + product.T)))


def syrk(alpha, beta, C, A):
    return squares(lower_part(C, beta * C + alpha * (A @ A.T)))


def trmm(alpha, A, B):
    return squares(alpha * (B + jnp.tril(A, -1).T @ B))


# ----- statistics
def correlation(data):
    n, m = data.shape
    stddev = jnp.std(data, axis=0)
    scaled = (data - jnp.mean(data, axis=0)) / (np.sqrt(n) * jnp.where(stddev <= 0.1, 1.0, stddev))
    return squares(jnp.where(np.eye(m, dtype=bool), 1.0, scaled.T @ scaled))


def covariance(data):
    centred = data - jnp.mean(data, axis=0)
    return squares(centred.T @ centred / (data.shape[0] - 1.0))


# ----- solvers
def cholesky(A):
    return squares(jnp.linalg.cholesky(dominant(A @ A.T)))


def durbin(r):
    r = 0.01 * r
    n = r.shape[0]

    def step(state, k):
        y, alpha, beta = state
        beta = beta * (1.0 - alpha * alpha)
        turned = lax.dynamic_slice(jnp.pad(y[::-1], (0, n)), (n - k,), (n,))  # y[:k] from its end
        alpha = -(r[k] + r @ turned) / beta
        return ((y + alpha * turned).at[k].set(alpha), alpha, beta), None

    start = jnp.zeros(n).at[0].set(-r[0]), -r[0], 1.0
    (y, _, _), _ = lax.scan(step, start, jnp.arange(1, n))
    return squares(y)


def gramschmidt(A):
    columns = jnp.arange(A.shape[1])

    def column(A, k):
        length = jnp.sqrt(A[:, k] @ A[:, k])
        q = A[:, k] / length
        r = jnp.where(columns > k, q @ A, 0.0)
        return A - jnp.outer(q, r), (q, r.at[k].set(length))

    _, (Q, R) = lax.scan(column, A, columns)
    return squares(R) + Q[:, 0] @ Q[:, -1]


def factors(A):
    """L and U, without pivots."""

    def eliminate(A, k):
        row, column = A[k], A[:, k] / A[k, k]
        return A - jnp.outer(column, row), (column, row)  # leaves zeros in this row and column

    _, (L, U) = lax.scan(eliminate, A, jnp.arange(A.shape[0]))
    return L.T, U


def lu(A):
    L, U = factors(dominant(A))
    return squares(jnp.tril(L, -1), U)


def ludcmp(A, b):
    L, U = factors(dominant(A))
    return squares(solve_triangular(U, solve_triangular(L, b, lower=True, unit_diagonal=True)))


def trisolv(L, b):
    return squares(solve_triangular(dominant(L), b, lower=True))


# ----- filters and paths
def smooth(img, a1, a2, a3, a4, b1, b2):
    """The recursive filter down the first axis and up again."""
    zero = jnp.zeros_like(img[:1])
    down = a1 * img + a2 * jnp.concatenate([zero, img[:-1]])
    up = a3 * jnp.concatenate([img[1:], zero]) + a4 * jnp.concatenate([img[2:], zero, zero])

    def step(last, x):
        y = x + b1 * last[0] + b2 * last[1]
        return (y, last[0]), y

    both = jnp.stack([down, up[::-1]], axis=1)
    _, y = lax.scan(step, (jnp.zeros_like(both[0]), jnp.zeros_like(both[0])), both)
    return y[:, 0] + y[::-1, 1]


def deriche(alpha, img):
    e = jnp.exp(-alpha)
    k = (1.0 - e) ** 2 / (1.0 + alpha * e - jnp.exp(2.0 * alpha))
    terms = k, k * e * (alpha - 1.0), k * e * (alpha + 1.0), -k * e**2, 2.0 ** (-alpha), -(e**2)
    return squares(smooth(smooth(img.T, *terms).T, *terms))


def floyd_warshall(path):
    def through(k, path):
        by = path[:, k, None] + path[k]
        return jnp.where(by < path, by, path)  # jnp.minimum sees to ties: its derivative takes twice as long

    return squares(lax.fori_loop(0, path.shape[0], through, path))


def nussinov(weight, bonus):
    """One diagonal of the table after the other: by lengths and starts of intervals, and by their ends."""
    n = weight.shape[0]
    starts = np.arange(n)
    ends = starts[:, None] + starts  # by length and start
    pairs = jnp.where(ends < n, weight * weight[ends % n] * bonus[starts, ends % n], 0.0)

    def diagonal(state, length):
        by_start, by_end = state
        left = by_start + lax.dynamic_slice(jnp.pad(by_end[::-1], (0, n)), (n - length, length), (n, n))
        paired = jnp.roll(by_start[length - 2], -1) + pairs[length]
        best = jnp.maximum(jnp.max(left, axis=0), paired)
        return (by_start.at[length].set(best), by_end.at[length].set(jnp.roll(best, length))), None

    (table, _), _ = lax.scan(diagonal, (jnp.zeros((n, n)), jnp.zeros((n, n))), jnp.arange(2, n))
    return table[n - 1, 0]


# ----- stencils
def solved(rhs, along, diagonal):
    """Of the equations along the first axis with ones on the border, by Thomas's algorithm."""
    n = rhs.shape[0]
    p, pivots = [0.0], []
    for _ in range(n):
        pivots.append(along * p[-1] + diagonal)
        p.append(-along / pivots[-1])

    def eliminate(q, row):
        q = (row[0] - along * q) / row[1]
        return q, q

    def substitute(after, row):
        x = row[1] * after + row[0]
        return x, x

    ones = jnp.ones(rhs.shape[1])
    _, q = lax.scan(eliminate, ones, (rhs, np.array(pivots)))
    return lax.scan(substitute, ones, (q, np.array(p[1:])), reverse=True)[1]


def adi(steps, u):
    n = u.shape[0]
    a, d = -(n**2) / steps, -0.5 * n**2 / steps

    def explicit(u, by):
        return (1.0 + 2.0 * by) * u[:, 1:-1] - by * (u[:, :-2] + u[:, 2:])

    def step(u, _):
        v = solved(explicit(u, d)[1:-1], a, 1.0 - 2.0 * a)
        v = jnp.pad(v, ((1, 1), (0, 0)), constant_values=1.0)
        inner = solved(explicit(v.T, a), d, 1.0 - 2.0 * d).T
        return u.at[1:-1].set(jnp.pad(inner, ((0, 0), (1, 1)), constant_values=1.0)), None

    return squares(lax.scan(step, u, None, steps)[0])


def fdtd_2d(steps, ex, ey, hz, fict):
    def step(fields, source):
        ex, ey, hz = fields
        ey = ey.at[0].set(source).at[1:].add(-0.5 * (hz[1:] - hz[:-1]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        curl = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
        return (ex, ey, hz.at[:-1, :-1].add(-0.7 * curl)), None

    return squares(*lax.scan(step, (ex, ey, hz), fict)[0])


def heat_3d(steps, A, B):
    def diffused(A, B):
        """B with new values from A within its border."""
        near = A[2:, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1] + A[1:-1, 2:, 1:-1] + A[1:-1, :-2, 1:-1]
        near = near + A[1:-1, 1:-1, 2:] + A[1:-1, 1:-1, :-2]
        return B.at[1:-1, 1:-1, 1:-1].set(0.125 * near + 0.25 * A[1:-1, 1:-1, 1:-1])

    return squares(both_ways(diffused, steps, A, B))


def both_ways(new, steps, A, B):
    def step(_, state):
        A, B = state
        B = new(A, B)
        return new(B, A), B

    return lax.fori_loop(1, steps, step, (A, B))[0]


def jacobi_1d(steps, A, B):
    def mean(A, B):
        return B.at[1:-1].set(0.33333 * (A[:-2] + A[1:-1] + A[2:]))

    return squares(both_ways(mean, steps, A, B))


def jacobi_2d(steps, A, B):
    def mean(A, B):
        near = A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        return B.at[1:-1, 1:-1].set(0.2 * near)

    return squares(both_ways(mean, steps, A, B))


def seidel_2d(steps, A):
    """What a row takes from the row above it and from its own left is a product with a matrix.

    The recurrence is x[j] = (known[j] + x[j - 1]) / 9.
    """
    n = A.shape[0] - 2
    left = np.tril(9.0 ** -(np.subtract.outer(np.arange(n), np.arange(n)) + 1.0))
    across = left @ (np.eye(n, k=-1) + np.eye(n) + np.eye(n, k=1))

    def row(above, known):
        new = across @ above + known
        return new, new

    def sweep(_, A):
        known = A[1:-1, 1:-1] + A[1:-1, 2:] + A[2:, :-2] + A[2:, 1:-1] + A[2:, 2:]
        known = known.at[:, 0].add(A[1:-1, 0] + A[:-2, 0]).at[:, -1].add(A[:-2, -1])
        return A.at[1:-1, 1:-1].set(lax.scan(row, A[0, 1:-1], known @ left.T)[1])

    return squares(lax.fori_loop(1, steps, sweep, A))
