"""Thin-plate spline, warp: points are moved by control points, one at a time, and fitted with a penalty."""

import numpy as np

from benchmarks.compiled import compiled, log

UNSEEN = True
SIZE, TINY, WRT = {"n": 6000, "controls": 60}, {"n": 5, "controls": 3}, (1, 2, 3)
WIDTH = 256  # points that are warped together, so that their logarithms stay in a cache
TINIEST = 1e-12


def arguments(n, controls):
    draw = np.random.default_rng(31)
    points, ctrl = draw.uniform(size=(n, 2)), draw.uniform(size=(controls, 2))
    affine = np.array([[0.1, -0.2], [0.9, 0.2], [-0.1, 1.1]]) + 0.1 * draw.normal(size=(3, 2))
    target = points + 0.1 * np.sin(6.0 * points[:, ::-1])
    return points, ctrl, 0.1 * draw.normal(size=(controls, 2)), affine, target, 1e-3


def kernel(r2):
    return r2 * np.log(r2 + TINIEST)


def warp(points, ctrl, w, affine):
    out = affine[:1] + points @ affine[1:]
    for k in range(len(ctrl)):
        r2 = np.sum((points - ctrl[k : k + 1]) ** 2, axis=1)
        out += kernel(r2)[:, None] * w[k : k + 1]
    return out


def bending_energy(ctrl, w):
    r2 = np.sum((ctrl[:, None, :] - ctrl[None, :, :]) ** 2, axis=2)
    return np.trace(w.T @ kernel(r2) @ w)


def primal(points, ctrl, w, affine, target, stiffness):
    misfit = warp(points, ctrl, w, affine) - target
    return np.mean(np.sum(misfit**2, axis=1)) + stiffness * bending_energy(ctrl, w)


@compiled
def load(points, affine, start, x, y, u, v):
    """The coordinates of a block, and the affine part of its warp; points past the last are zeros."""
    for i in range(WIDTH):
        inside = start + i < points.shape[0]
        x[i] = points[start + i, 0] if inside else 0.0
        y[i] = points[start + i, 1] if inside else 0.0
        u[i] = affine[0, 0] + x[i] * affine[1, 0] + y[i] * affine[2, 0]
        v[i] = affine[0, 1] + x[i] * affine[1, 1] + y[i] * affine[2, 1]


@compiled
def add_kernels(x, y, ctrl, w, logs, u, v):
    for k in range(ctrl.shape[0]):
        a, b, to_u, to_v, row = ctrl[k, 0], ctrl[k, 1], w[k, 0], w[k, 1], logs[k]
        for i in range(WIDTH):
            r2 = (x[i] - a) * (x[i] - a) + (y[i] - b) * (y[i] - b)
            row[i] = log(r2 + TINIEST)
            u[i] += r2 * row[i] * to_u
            v[i] += r2 * row[i] * to_v


@compiled
def pull_kernels(x, y, ctrl, w, logs, u_bar, v_bar, ctrl_bar, w_bar):
    for k in range(ctrl.shape[0]):
        a, b, to_u, to_v, row = ctrl[k, 0], ctrl[k, 1], w[k, 0], w[k, 1], logs[k]
        a_bar = b_bar = to_u_bar = to_v_bar = 0.0
        for i in range(WIDTH):
            dx, dy = x[i] - a, y[i] - b
            r2 = dx * dx + dy * dy
            to_u_bar += u_bar[i] * (r2 * row[i])
            to_v_bar += v_bar[i] * (r2 * row[i])
            r2_bar = (u_bar[i] * to_u + v_bar[i] * to_v) * (row[i] + r2 / (r2 + TINIEST))
            a_bar += r2_bar * dx
            b_bar += r2_bar * dy
        ctrl_bar[k, 0] -= 2.0 * a_bar
        ctrl_bar[k, 1] -= 2.0 * b_bar
        w_bar[k, 0] += to_u_bar
        w_bar[k, 1] += to_v_bar


@compiled
def misfit(target, start, x, y, u, v, affine_bar):
    """A block's share of the cost; ``u`` and ``v`` become their adjoints, zeros past the last point."""
    n = target.shape[0]
    value = 0.0
    for i in range(WIDTH):
        inside = start + i < n
        du = u[i] - target[start + i, 0] if inside else 0.0
        dv = v[i] - target[start + i, 1] if inside else 0.0
        value += (du * du + dv * dv) / n
        u[i], v[i] = 2.0 / n * du, 2.0 / n * dv
        affine_bar[0, 0] += u[i]
        affine_bar[0, 1] += v[i]
        affine_bar[1, 0] += x[i] * u[i]
        affine_bar[1, 1] += x[i] * v[i]
        affine_bar[2, 0] += y[i] * u[i]
        affine_bar[2, 1] += y[i] * v[i]
    return value


@compiled
def bending(ctrl, w, stiffness, ctrl_bar, w_bar):
    """The penalty, by pairs; the kernel of a point and itself is zero."""
    value = 0.0
    for i in range(ctrl.shape[0]):
        for j in range(i):
            dx, dy = ctrl[i, 0] - ctrl[j, 0], ctrl[i, 1] - ctrl[j, 1]
            r2 = dx * dx + dy * dy
            logarithm = np.log(r2 + TINIEST)
            both = 2.0 * stiffness * (w[i, 0] * w[j, 0] + w[i, 1] * w[j, 1])
            value += both * r2 * logarithm
            r2_bar = both * (logarithm + r2 / (r2 + TINIEST))
            ctrl_bar[i, 0] += 2.0 * r2_bar * dx
            ctrl_bar[j, 0] -= 2.0 * r2_bar * dx
            ctrl_bar[i, 1] += 2.0 * r2_bar * dy
            ctrl_bar[j, 1] -= 2.0 * r2_bar * dy
            for k in range(2):
                w_bar[i, k] += 2.0 * stiffness * r2 * logarithm * w[j, k]
                w_bar[j, k] += 2.0 * stiffness * r2 * logarithm * w[i, k]
    return value


@compiled
def hand(points, ctrl, w, affine, target, stiffness):
    """Each block of points is warped and swept back before the next one."""
    ctrl_bar, w_bar, affine_bar = np.zeros_like(ctrl), np.zeros_like(w), np.zeros_like(affine)
    x, y, u, v = np.empty(WIDTH), np.empty(WIDTH), np.empty(WIDTH), np.empty(WIDTH)
    logs = np.empty((ctrl.shape[0], WIDTH))
    value = bending(ctrl, w, stiffness, ctrl_bar, w_bar)
    for start in range(0, points.shape[0], WIDTH):
        load(points, affine, start, x, y, u, v)
        add_kernels(x, y, ctrl, w, logs, u, v)
        value += misfit(target, start, x, y, u, v, affine_bar)
        pull_kernels(x, y, ctrl, w, logs, u, v, ctrl_bar, w_bar)
    return value, ctrl_bar, w_bar, affine_bar


def jax_version():
    import jax.numpy as jnp

    def kernel(r2):
        return r2 * jnp.log(r2 + TINIEST)

    def distances(a, b):
        return (a[:, None, 0] - b[None, :, 0]) ** 2 + (a[:, None, 1] - b[None, :, 1]) ** 2

    def cost(points, ctrl, w, affine, target, stiffness):
        out = affine[0] + points @ affine[1:] + kernel(distances(points, ctrl)) @ w
        energy = jnp.sum(w * (kernel(distances(ctrl, ctrl)) @ w))
        return jnp.mean(jnp.sum((out - target) ** 2, axis=1)) + stiffness * energy

    return cost
