"""Lorenz, small arrays: a trajectory of states of three numbers, each step made of small arrays."""

import numpy as np

from benchmarks.compiled import compiled

SIZE, TINY, WRT = {"steps": 2000}, {"steps": 3}, (0, 1)


def arguments(steps):
    return np.array([1.0, 2.0, 15.0]), np.array([10.0, 28.0, 8.0 / 3.0]), steps


def slope(s, p):
    return np.array([p[0] * (s[1] - s[0]), s[0] * (p[1] - s[2]) - s[1], s[0] * s[1] - p[2] * s[2]])


def primal(start, p, steps):
    h = 0.002
    path = np.zeros((steps + 1, 3))
    path[0] = start
    for i in range(steps):
        k = slope(path[i], p)
        path[i + 1] = path[i] + h * slope(path[i] + 0.5 * h * k, p)
    return np.mean(path[:, 2] ** 2) + np.sum(path[-1])


@compiled
def slope3(a, b, c, p, q, r):
    return p * (b - a), a * (q - c) - b, a * b - r * c


@compiled
def pull3(a, b, c, p, q, r, u, v, w):
    return b * w - p * u + (q - c) * v, p * u - v + a * w, -a * v - r * w


@compiled
def hand(start, parameters, steps):
    h = 0.002
    p, q, r = parameters
    path = np.empty((steps + 1, 3))
    a, b, c = start
    path[0, 0], path[0, 1], path[0, 2] = a, b, c
    squares = c * c
    for i in range(steps):
        ka, kb, kc = slope3(a, b, c, p, q, r)
        ma, mb, mc = slope3(a + 0.5 * h * ka, b + 0.5 * h * kb, c + 0.5 * h * kc, p, q, r)
        a, b, c = a + h * ma, b + h * mb, c + h * mc
        path[i + 1, 0], path[i + 1, 1], path[i + 1, 2] = a, b, c
        squares += c * c
    share = 1.0 / (steps + 1)
    value = squares * share + a + b + c
    a_bar, b_bar, c_bar = 1.0, 1.0, 1.0 + 2.0 * share * c
    p_bar, q_bar, r_bar = 0.0, 0.0, 0.0
    for i in range(steps - 1, -1, -1):
        a, b, c = path[i, 0], path[i, 1], path[i, 2]
        ka, kb, kc = slope3(a, b, c, p, q, r)
        a1, b1, c1 = a + 0.5 * h * ka, b + 0.5 * h * kb, c + 0.5 * h * kc
        u, v, w = h * a_bar, h * b_bar, h * c_bar
        p_bar += u * (b1 - a1)
        q_bar += v * a1
        r_bar -= w * c1
        d1, e1, f1 = pull3(a1, b1, c1, p, q, r, u, v, w)
        u, v, w = 0.5 * h * d1, 0.5 * h * e1, 0.5 * h * f1
        p_bar += u * (b - a)
        q_bar += v * a
        r_bar -= w * c
        d, e, f = pull3(a, b, c, p, q, r, u, v, w)
        a_bar += d + d1
        b_bar += e + e1
        c_bar += f + f1 + 2.0 * share * c
    return value, np.array([a_bar, b_bar, c_bar]), np.array([p_bar, q_bar, r_bar])


def step_with(stack):
    def f(s, p):
        return stack([p[0] * (s[1] - s[0]), s[0] * (p[1] - s[2]) - s[1], s[0] * s[1] - p[2] * s[2]])

    return lambda s, p: s + 0.002 * f(s + 0.001 * f(s, p), p)


def jax_version():
    import jax
    import jax.numpy as jnp

    step = step_with(jnp.stack)

    def cost(start, p, steps):
        def body(s, _):
            s = step(s, p)
            return s, s[2]

        end, heights = jax.lax.scan(body, start, length=steps)
        return (start[2] ** 2 + jnp.sum(heights**2)) / (steps + 1) + jnp.sum(end)

    return cost


def loop_with(np, stack):
    step = step_with(stack)

    def cost(s, p, steps):
        squares = s[2] ** 2
        for _ in range(steps):
            s = step(s, p)
            squares = squares + s[2] ** 2
        return squares / (steps + 1) + np.sum(s)

    return cost


def torch_version():
    import torch

    return loop_with(torch, torch.stack)


def autograd_version():
    import autograd.numpy

    return loop_with(autograd.numpy, autograd.numpy.array)
