"""The 30 kernels of PolyBench/C 4.2 (L.-N. Pouchet and others) as NumPy programs, from their definitions.

Rows and columns where the definition's inner loop allows it, loops where it does not. Each ends in a number,
the sum of the squares of what it computes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

KERNELS: dict[str, tuple[Callable[..., Any], Callable[[], Sequence[Any]]]] = {}


def kernel(*shapes: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program; ``shapes``: of its arrays, or its other arguments as they are."""

    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        def arguments() -> list[Any]:
            draw = np.random.default_rng(7)
            return [draw.uniform(0.1, 1.0, s) if isinstance(s, tuple) else s for s in shapes]

        KERNELS[f.__name__.removeprefix("run_")] = f, arguments
        return f

    return register


def dominant(A: np.ndarray) -> np.ndarray:
    """A well conditioned matrix."""
    return A + A.shape[0] * np.eye(A.shape[0])


def squares(*found: Any) -> Any:
    return sum(np.sum(a * a) for a in found)


# ----- products
@kernel(1.5, 1.2, (80, 90), (90, 100), (100, 110), (80, 110))
def run_2mm(alpha, beta, A, B, C, D):
    return squares(alpha * A @ B @ C + beta * D)


@kernel((80, 90), (90, 100), (100, 110), (110, 120))
def run_3mm(A, B, C, D):
    return squares((A @ B) @ (C @ D))


@kernel((390, 410), (410,))
def atax(A, x):
    return squares((A @ x) @ A)


@kernel((410, 390), (390,), (410,))
def bicg(A, p, r):
    return squares(r @ A, A @ p)


@kernel((30, 28, 32), (32, 32))
def doitgen(A, C4):
    r, q, p = A.shape
    A = np.reshape(np.reshape(A, (r, q, 1, p)) @ C4, (r, q, p))
    return squares(A)


@kernel(1.5, 1.2, (200, 220), (220, 240), (200, 240))
def gemm(alpha, beta, A, B, C):
    return squares(alpha * A @ B + beta * C)


@kernel(1.5, 1.2, (400, 400), (400,), (400,), (400,), (400,), (400,), (400,))
def gemver(alpha, beta, A, u1, v1, u2, v2, y, z):
    A = A + np.outer(u1, v1) + np.outer(u2, v2)
    x = beta * y @ A + z
    return squares(alpha * A @ x)


@kernel(1.5, 1.2, (250, 250), (250, 250), (250,))
def gesummv(alpha, beta, A, B, x):
    return squares(alpha * A @ x + beta * B @ x)


@kernel((400,), (400,), (400,), (400,), (400, 400))
def mvt(x1, x2, y1, y2, A):
    x1 = x1 + A @ y1
    x2 = x2 + y2 @ A
    return squares(x1, x2)


@kernel(1.5, 1.2, (60, 80), (60, 60), (60, 80))
def symm(alpha, beta, C, A, B):
    C = C * beta
    temp2 = np.empty((C.shape[1],))
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            temp2[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * temp2
    return squares(C)


@kernel(1.5, 1.2, (80, 80), (80, 60), (80, 60))
def syr2k(alpha, beta, C, A, B):
    C = C.copy()
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += A[: i + 1, k] * alpha * B[i, k] + B[: i + 1, k] * alpha * A[i, k]
    return squares(C)


@kernel(1.5, 1.2, (80, 80), (80, 60))
def syrk(alpha, beta, C, A):
    C = C.copy()
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]
    return squares(C)


@kernel(1.5, (60, 60), (60, 80))
def trmm(alpha, A, B):
    B = B.copy()
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    B *= alpha
    return squares(B)


# ----- statistics
@kernel((260, 120))
def correlation(data):
    data = data.copy()
    n, m = data.shape
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    stddev[stddev <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(n) * stddev
    corr = np.eye(m)
    for i in range(m - 1):
        corr[i + 1 : m, i] = corr[i, i + 1 : m] = data[:, i] @ data[:, i + 1 : m]
    return squares(corr)


@kernel((260, 120))
def covariance(data):
    n, m = data.shape
    data = data - np.mean(data, axis=0)
    cov = np.zeros((m, m))
    for i in range(m):
        cov[i:m, i] = cov[i, i:m] = data[:, i] @ data[:, i:m] / (n - 1.0)
    return squares(cov)


# ----- solvers
@kernel((80, 80))
def cholesky(A):
    A = dominant(A @ A.T)
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])
    return np.sum(np.tril(A) ** 2)


@kernel((200,))
def durbin(r):
    r = 0.01 * r
    n = r.shape[0]
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return squares(y)


@kernel((80, 60))
def gramschmidt(A):
    A = A.copy()
    n = A.shape[1]
    Q = np.zeros_like(A)
    R = np.zeros((n, n))
    for k in range(n):
        nrm = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(nrm)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return squares(R) + np.sum(Q[0] * Q[-1])


@kernel((70, 70))
def lu(A):
    A = dominant(A)
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return squares(A)


@kernel((60, 60), (60,))
def ludcmp(A, b):
    A = dominant(A)
    n = A.shape[0]
    x, y = np.zeros_like(b), np.zeros_like(b)
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    for i in range(n):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return squares(x)


@kernel((300, 300), (300,))
def trisolv(L, b):
    L = dominant(L)
    x = np.zeros_like(b)
    for i in range(x.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return squares(x)


# ----- filters and paths
@kernel(0.25, (120, 100))
def deriche(alpha, img):
    k = (1.0 - np.exp(-alpha)) * (1.0 - np.exp(-alpha)) / (1.0 + alpha * np.exp(-alpha) - np.exp(2.0 * alpha))
    a1 = a5 = k
    a2 = a6 = k * np.exp(-alpha) * (alpha - 1.0)
    a3 = a7 = k * np.exp(-alpha) * (alpha + 1.0)
    a4 = a8 = -k * np.exp(-2.0 * alpha)
    b1 = 2.0 ** (-alpha)
    b2 = -np.exp(-2.0 * alpha)
    y1, y2 = np.empty_like(img), np.empty_like(img)
    y1[:, 0] = a1 * img[:, 0]
    y1[:, 1] = a1 * img[:, 1] + a2 * img[:, 0] + b1 * y1[:, 0]
    for j in range(2, img.shape[1]):
        y1[:, j] = a1 * img[:, j] + a2 * img[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
    y2[:, -1] = 0.0
    y2[:, -2] = a3 * img[:, -1]
    for j in range(img.shape[1] - 3, -1, -1):
        y2[:, j] = a3 * img[:, j + 1] + a4 * img[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
    out = y1 + y2
    y1[0, :] = a5 * out[0, :]
    y1[1, :] = a5 * out[1, :] + a6 * out[0, :] + b1 * y1[0, :]
    for i in range(2, img.shape[0]):
        y1[i, :] = a5 * out[i, :] + a6 * out[i - 1, :] + b1 * y1[i - 1, :] + b2 * y1[i - 2, :]
    y2[-1, :] = 0.0
    y2[-2, :] = a7 * out[-1, :]
    for i in range(img.shape[0] - 3, -1, -1):
        y2[i, :] = a7 * out[i + 1, :] + a8 * out[i + 2, :] + b1 * y2[i + 1, :] + b2 * y2[i + 2, :]
    return squares(y1 + y2)


@kernel((90, 90))
def floyd_warshall(path):
    path = path.copy()
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))
    return squares(path)


@kernel((60,), (60, 60))
def nussinov(weight, bonus):
    n = weight.shape[0]
    table = np.zeros((n, n))
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if i + 1 < n and i < j - 1:
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + weight[i] * weight[j] * bonus[i, j])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table[0, n - 1]


# ----- stencils
@kernel(20, (60, 60))
def adi(steps, u):
    u = u.copy()
    n = u.shape[0]
    v, p, q = np.empty(u.shape), np.empty(u.shape), np.empty(u.shape)
    dx, dy, dt = 1.0 / n, 1.0 / n, 1.0 / steps
    mul1, mul2 = 2.0 * dt / (dx * dx), 1.0 * dt / (dy * dy)
    a = -mul1 / 2.0
    b = 1.0 + mul1
    d = -mul2 / 2.0
    e = 1.0 + mul2
    for _ in range(steps):
        v[0, 1 : n - 1] = 1.0
        p[1 : n - 1, 0] = 0.0
        q[1 : n - 1, 0] = v[0, 1 : n - 1]
        for j in range(1, n - 1):
            p[1 : n - 1, j] = -a / (a * p[1 : n - 1, j - 1] + b)
            q[1 : n - 1, j] = (
                -d * u[j, 0 : n - 2]
                + (1.0 + 2.0 * d) * u[j, 1 : n - 1]
                - d * u[j, 2:n]
                - a * q[1 : n - 1, j - 1]
            ) / (a * p[1 : n - 1, j - 1] + b)
        v[n - 1, 1 : n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1 : n - 1] = p[1 : n - 1, j] * v[j + 1, 1 : n - 1] + q[1 : n - 1, j]
        u[1 : n - 1, 0] = 1.0
        p[1 : n - 1, 0] = 0.0
        q[1 : n - 1, 0] = u[1 : n - 1, 0]
        for j in range(1, n - 1):
            p[1 : n - 1, j] = -d / (d * p[1 : n - 1, j - 1] + e)
            q[1 : n - 1, j] = (
                -a * v[0 : n - 2, j]
                + (1.0 + 2.0 * a) * v[1 : n - 1, j]
                - a * v[2:n, j]
                - d * q[1 : n - 1, j - 1]
            ) / (d * p[1 : n - 1, j - 1] + e)
        u[1 : n - 1, n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1 : n - 1, j] = p[1 : n - 1, j] * u[1 : n - 1, j + 1] + q[1 : n - 1, j]
    return squares(u)


@kernel(30, (90, 100), (90, 100), (90, 100), (30,))
def fdtd_2d(steps, ex, ey, hz, fict):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for t in range(steps):
        ey[0, :] = fict[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return squares(ex, ey, hz)


@kernel(20, (25, 25, 25), (25, 25, 25))
def heat_3d(steps, A, B):
    A, B = A.copy(), B.copy()
    for _ in range(1, steps):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, 0:-2])
            + A[1:-1, 1:-1, 1:-1]
        )
        A[1:-1, 1:-1, 1:-1] = (
            0.125 * (B[2:, 1:-1, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[:-2, 1:-1, 1:-1])
            + 0.125 * (B[1:-1, 2:, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, :-2, 1:-1])
            + 0.125 * (B[1:-1, 1:-1, 2:] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, 1:-1, 0:-2])
            + B[1:-1, 1:-1, 1:-1]
        )
    return squares(A)


@kernel(100, (400,), (400,))
def jacobi_1d(steps, A, B):
    A, B = A.copy(), B.copy()
    for _ in range(1, steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
    return squares(A)


@kernel(30, (90, 90), (90, 90))
def jacobi_2d(steps, A, B):
    A, B = A.copy(), B.copy()
    for _ in range(1, steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return squares(A)


@kernel(10, (60, 60))
def seidel_2d(steps, A):
    A = A.copy()
    n = A.shape[0]
    for _ in range(steps - 1):
        for i in range(1, n - 1):
            A[i, 1:-1] += (
                A[i - 1, :-2]
                + A[i - 1, 1:-1]
                + A[i - 1, 2:]
                + A[i, 2:]
                + A[i + 1, :-2]
                + A[i + 1, 1:-1]
                + A[i + 1, 2:]
            )
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0
    return squares(A)
