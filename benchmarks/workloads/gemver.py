"""Gemver: a matrix of three parts and two products with it, bound by memory."""

import numpy as np

from benchmarks.compiled import compiled

SIZE, TINY, WRT = {"n": 800}, {"n": 4}, (0, 1, 2, 3, 4, 5)


def arguments(n):
    draw = np.random.default_rng(8)
    return (draw.normal(size=(n, n)) / n, *draw.normal(size=(5, n)) / n**0.5)


def primal(a, u, v, p, q, y):
    b = a + np.outer(u, v) + np.outer(p, q)
    x = 1.5 * (y @ b)
    return np.sum((b @ x) ** 2)


@compiled
def hand(a, u, v, p, q, y):
    n = a.shape[0]
    b, x = np.empty_like(a), np.zeros(n)
    for i in range(n):
        for j in range(n):
            b[i, j] = a[i, j] + u[i] * v[j] + p[i] * q[j]
            x[j] += 1.5 * y[i] * b[i, j]
    value = 0.0
    out_bar, x_bar = np.empty(n), np.zeros(n)
    for i in range(n):
        out = 0.0
        for j in range(n):
            out += b[i, j] * x[j]
        value += out * out
        out_bar[i] = 2.0 * out
        for j in range(n):
            x_bar[j] += 2.0 * out * b[i, j]
    u_bar, p_bar, y_bar = np.empty(n), np.empty(n), np.empty(n)
    v_bar, q_bar = np.zeros(n), np.zeros(n)
    for i in range(n):
        of_u, of_p, of_y = 0.0, 0.0, 0.0
        for j in range(n):
            of_y += 1.5 * b[i, j] * x_bar[j]
            bar = out_bar[i] * x[j] + 1.5 * y[i] * x_bar[j]
            b[i, j] = bar  # b becomes its own adjoint
            of_u += bar * v[j]
            of_p += bar * q[j]
            v_bar[j] += bar * u[i]
            q_bar[j] += bar * p[i]
        u_bar[i], p_bar[i], y_bar[i] = of_u, of_p, of_y
    return value, b, u_bar, v_bar, p_bar, q_bar, y_bar


def generic(np):
    def cost(a, u, v, p, q, y):
        b = a + np.outer(u, v) + np.outer(p, q)
        x = 1.5 * (y @ b)
        return np.sum((b @ x) ** 2)

    return cost
