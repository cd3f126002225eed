"""Robot arm: recursive Newton-Euler along a trajectory, torques weighted, rotations and cross products."""

import numpy as np

from benchmarks.compiled import compiled, cos, sin

UNSEEN = True
SIZE, TINY, WRT = {"steps": 150, "joints": 6}, {"steps": 2, "joints": 3}, (0, 1, 2, 3)


def arguments(steps, joints):
    draw = np.random.default_rng(96)
    q, v, a = 0.8 * draw.normal(size=(3, steps, joints))
    twist = draw.choice([0.0, 0.5 * np.pi, -0.5 * np.pi], joints)
    offset, centre = draw.uniform(-0.4, 0.4, (joints, 3)), draw.uniform(-0.2, 0.2, (joints, 3))
    lever = 0.2 * draw.normal(size=(joints, 3, 3))
    inertia = lever @ lever.transpose(0, 2, 1) + 0.02 * np.eye(3)
    return (
        q,
        v,
        a,
        draw.uniform(0.5, 4.0, joints),
        twist,
        offset,
        centre,
        inertia,
        draw.uniform(0.5, 2.0, joints),
    )


def rotation(angle, twist):
    c, s, ct, st = np.cos(angle), np.sin(angle), np.cos(twist), np.sin(twist)
    return np.array([[c, -s, 0.0], [s * ct, c * ct, -st], [s * st, c * st, ct]])


def primal(q, v, a, mass, twist, offset, centre, inertia, weight):
    joints = len(mass)
    axis = np.array([0.0, 0.0, 1.0])
    cost = 0.0
    for t in range(len(q)):
        spin, turn, push = np.zeros(3), np.zeros(3), np.array([0.0, 0.0, 9.81])
        rotations, forces, moments = [], [], []
        for i in range(joints):
            R = rotation(q[t, i], twist[i])
            arm = offset[i]
            push = R.T @ (push + np.cross(turn, arm) + np.cross(spin, np.cross(spin, arm)))
            turned = R.T @ spin
            turn = R.T @ turn + np.cross(turned, v[t, i] * axis) + a[t, i] * axis
            spin = turned + v[t, i] * axis
            centred = push + np.cross(turn, centre[i]) + np.cross(spin, np.cross(spin, centre[i]))
            forces.append(mass[i] * centred)
            moments.append(inertia[i] @ turn + np.cross(spin, inertia[i] @ spin))
            rotations.append(R)
        force, moment = np.zeros(3), np.zeros(3)
        for i in range(joints - 1, -1, -1):
            if i < joints - 1:
                moment = rotations[i + 1] @ moment + np.cross(offset[i + 1], rotations[i + 1] @ force)
                force = rotations[i + 1] @ force
            moment = moment + moments[i] + np.cross(centre[i], forces[i])
            force = force + forces[i]
            cost += weight[i] * moment[2] ** 2
    return cost


@compiled
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compiled
def plus(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@compiled
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled
def forth(c, s, ct, st, x):
    """``R @ x``."""
    u = s * x[0] + c * x[1]
    return c * x[0] - s * x[1], ct * u - st * x[2], st * u + ct * x[2]


@compiled
def back(c, s, ct, st, x):
    """``R.T @ x``."""
    u = ct * x[1] + st * x[2]
    return c * x[0] + s * u, c * u - s * x[0], ct * x[2] - st * x[1]


@compiled
def times(m, x):
    return (
        m[0, 0] * x[0] + m[0, 1] * x[1] + m[0, 2] * x[2],
        m[1, 0] * x[0] + m[1, 1] * x[1] + m[1, 2] * x[2],
        m[2, 0] * x[0] + m[2, 1] * x[1] + m[2, 2] * x[2],
    )


@compiled
def twice(s, w, r):
    """Cotangents of ``w`` for ``w x (w x r)`` whose own is ``s``: ``(s.w) r + (w.r) s - 2 (s.r) w``."""
    sw, wr, sr = dot(s, w), dot(w, r), 2.0 * dot(s, r)
    return (
        sw * r[0] + wr * s[0] - sr * w[0],
        sw * r[1] + wr * s[1] - sr * w[1],
        sw * r[2] + wr * s[2] - sr * w[2],
    )


@compiled
def hand(q, v, a, mass, twist, offset, centre, inertia, weight):
    """Each step for itself: its spins, accelerations and forces kept in small arrays, vectors as numbers."""
    steps, n = q.shape
    q_bar, v_bar, a_bar = np.empty((steps, n)), np.empty((steps, n)), np.empty((steps, n))
    mass_bar, value = np.zeros(n), 0.0
    spins, turns, pushes = np.empty((n + 1, 3)), np.empty((n + 1, 3)), np.empty((n + 1, 3))
    forces, torques = np.empty((n, 3)), np.empty(n)
    cosines, sines, ctwist, stwist = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        ctwist[i], stwist[i] = np.cos(twist[i]), np.sin(twist[i])
    moments, sums, wholes = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    force_bars, moment_bars = np.empty((n, 3)), np.empty((n, 3))
    spins[0], turns[0], pushes[0] = 0.0, 0.0, 0.0
    pushes[0, 2] = 9.81
    for t in range(steps):
        for i in range(n):
            cosines[i], sines[i] = cos(q[t, i]), sin(q[t, i])
        for i in range(n):
            c, s, ct, st, rate = cosines[i], sines[i], ctwist[i], stwist[i], v[t, i]
            w = (spins[i, 0], spins[i, 1], spins[i, 2])
            dw = (turns[i, 0], turns[i, 1], turns[i, 2])
            p = (pushes[i, 0], pushes[i, 1], pushes[i, 2])
            r = (offset[i, 0], offset[i, 1], offset[i, 2])
            p = back(c, s, ct, st, plus(p, plus(cross(dw, r), cross(w, cross(w, r)))))
            w = back(c, s, ct, st, w)
            dw = back(c, s, ct, st, dw)
            dw = (dw[0] + rate * w[1], dw[1] - rate * w[0], dw[2] + a[t, i])
            w = (w[0], w[1], w[2] + rate)
            spins[i + 1, 0], spins[i + 1, 1], spins[i + 1, 2] = w
            turns[i + 1, 0], turns[i + 1, 1], turns[i + 1, 2] = dw
            pushes[i + 1, 0], pushes[i + 1, 1], pushes[i + 1, 2] = p
            m = (centre[i, 0], centre[i, 1], centre[i, 2])
            f = plus(p, plus(cross(dw, m), cross(w, cross(w, m))))
            forces[i, 0], forces[i, 1], forces[i, 2] = f
            f = (mass[i] * f[0], mass[i] * f[1], mass[i] * f[2])
            k = plus(times(inertia[i], dw), cross(w, times(inertia[i], w)))
            k = plus(k, cross(m, f))
            moments[i, 0], moments[i, 1], moments[i, 2] = k
        f, k = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for i in range(n - 1, -1, -1):
            # what comes from further out, already in this frame
            m = mass[i]
            f = plus(f, (m * forces[i, 0], m * forces[i, 1], m * forces[i, 2]))
            k = plus(k, (moments[i, 0], moments[i, 1], moments[i, 2]))
            sums[i, 0], sums[i, 1], sums[i, 2] = f
            wholes[i, 0], wholes[i, 1], wholes[i, 2] = k
            torques[i] = k[2]
            value += weight[i] * k[2] * k[2]
            r = (offset[i, 0], offset[i, 1], offset[i, 2])
            f = forth(cosines[i], sines[i], ctwist[i], stwist[i], f)
            k = plus(forth(cosines[i], sines[i], ctwist[i], stwist[i], k), cross(r, f))
        f, k = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)  # cotangents, from the base outwards
        for i in range(n):
            slope = 0.0
            c, s, ct, st = cosines[i], sines[i], ctwist[i], stwist[i]
            if i > 0:
                r = (offset[i, 0], offset[i, 1], offset[i, 2])
                f = plus(f, cross(k, r))
                f, k = back(c, s, ct, st, f), back(c, s, ct, st, k)
                # the derivative of R @ x by its angle is R @ (axis x x)
                slope += f[1] * sums[i, 0] - f[0] * sums[i, 1] + k[1] * wholes[i, 0] - k[0] * wholes[i, 1]
            k = (k[0], k[1], k[2] + 2.0 * weight[i] * torques[i])
            q_bar[t, i] = slope
            force_bars[i, 0], force_bars[i, 1], force_bars[i, 2] = f
            moment_bars[i, 0], moment_bars[i, 1], moment_bars[i, 2] = k
        w_bar, dw_bar, p_bar = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for i in range(n - 1, -1, -1):
            c, s, ct, st, rate = cosines[i], sines[i], ctwist[i], stwist[i], v[t, i]
            w = (spins[i + 1, 0], spins[i + 1, 1], spins[i + 1, 2])
            dw = (turns[i + 1, 0], turns[i + 1, 1], turns[i + 1, 2])
            p = (pushes[i + 1, 0], pushes[i + 1, 1], pushes[i + 1, 2])
            m = (centre[i, 0], centre[i, 1], centre[i, 2])
            k = (moment_bars[i, 0], moment_bars[i, 1], moment_bars[i, 2])
            f = plus((force_bars[i, 0], force_bars[i, 1], force_bars[i, 2]), cross(k, m))
            mass_bar[i] += f[0] * forces[i, 0] + f[1] * forces[i, 1] + f[2] * forces[i, 2]
            f = (mass[i] * f[0], mass[i] * f[1], mass[i] * f[2])
            p_bar = plus(p_bar, f)
            dw_bar = plus(dw_bar, plus(cross(m, f), times(inertia[i].T, k)))
            w_bar = plus(w_bar, plus(twice(f, w, m), cross(times(inertia[i], w), k)))
            w_bar = plus(w_bar, times(inertia[i].T, cross(k, w)))
            turned = (w[0], w[1], w[2] - rate)
            before = (dw[0] - rate * w[1], dw[1] + rate * w[0], dw[2] - a[t, i])
            a_bar[t, i] = dw_bar[2]
            v_bar[t, i] = w_bar[2] + dw_bar[0] * w[1] - dw_bar[1] * w[0]
            w_bar = (w_bar[0] - rate * dw_bar[1], w_bar[1] + rate * dw_bar[0], w_bar[2])
            # the derivative of R.T @ x by its angle is -axis x (R.T @ x)
            q_bar[t, i] += (
                p_bar[0] * p[1] - p_bar[1] * p[0] + w_bar[0] * turned[1] - w_bar[1] * turned[0]
                + dw_bar[0] * before[1] - dw_bar[1] * before[0]
            )  # fmt: skip
            r = (offset[i, 0], offset[i, 1], offset[i, 2])
            w = (spins[i, 0], spins[i, 1], spins[i, 2])
            p_bar = forth(c, s, ct, st, p_bar)
            w_bar = plus(forth(c, s, ct, st, w_bar), twice(p_bar, w, r))
            dw_bar = plus(forth(c, s, ct, st, dw_bar), cross(r, p_bar))
    return value, q_bar, v_bar, a_bar, mass_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def turn_by(angle, twist):
        c, s, ct, st = jnp.cos(angle), jnp.sin(angle), jnp.cos(twist), jnp.sin(twist)
        zero = jnp.zeros_like(c)
        return jnp.array([[c, -s, zero], [s * ct, c * ct, -st], [s * st, c * st, ct]])

    def torques(q, v, a, mass, twist, offset, centre, inertia):
        axis = jnp.array([0.0, 0.0, 1.0])
        R = jax.vmap(turn_by)(q, twist)

        def out(state, given):
            spin, turn, push = state
            R, v, a, mass, arm, centre, inertia = given
            push = R.T @ (push + jnp.cross(turn, arm) + jnp.cross(spin, jnp.cross(spin, arm)))
            turned = R.T @ spin
            turn = R.T @ turn + jnp.cross(turned, v * axis) + a * axis
            spin = turned + v * axis
            centred = push + jnp.cross(turn, centre) + jnp.cross(spin, jnp.cross(spin, centre))
            moment = inertia @ turn + jnp.cross(spin, inertia @ spin)
            return (spin, turn, push), (mass * centred, moment + jnp.cross(centre, mass * centred))

        first = jnp.zeros(3), jnp.zeros(3), jnp.array([0.0, 0.0, 9.81])
        _, (forces, moments) = jax.lax.scan(out, first, (R, v, a, mass, offset, centre, inertia), unroll=True)

        def home(state, given):
            force, moment = state
            R, arm, own_force, own_moment = given
            force, moment = force + own_force, moment + own_moment
            felt = R @ force
            return (felt, R @ moment + jnp.cross(arm, felt)), moment[2]

        zero = jnp.zeros(3), jnp.zeros(3)
        return jax.lax.scan(home, zero, (R, offset, forces, moments), reverse=True, unroll=True)[1]

    def cost(q, v, a, mass, twist, offset, centre, inertia, weight):
        along = jax.vmap(torques, (0, 0, 0, None, None, None, None, None))
        return jnp.sum(weight * along(q, v, a, mass, twist, offset, centre, inertia) ** 2)

    return cost
