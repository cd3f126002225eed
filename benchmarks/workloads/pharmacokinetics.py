"""Pharmacokinetics: three compartments of all patients at once, RK4, doses, masked measurements."""

import numpy as np

from benchmarks.compiled import compiled, exp, log

UNSEEN = True
SIZE, TINY, WRT = {"patients": 200, "steps": 96}, {"patients": 4, "steps": 5}, (0, 1)


def arguments(patients, steps):
    draw = np.random.default_rng(51)
    theta = np.log([1.0, 4.0, 2.5, 0.3, 0.2])
    doses = np.zeros((steps, patients))
    doses[::24] = draw.choice([5.0, 10.0], patients)
    measured = draw.uniform(size=(steps, patients)) < 0.3
    return (
        theta,
        0.2 * draw.normal(size=(patients, 5)),
        doses,
        draw.normal(size=(steps, patients)),
        measured,
        0.25,
    )


def slope(state, rates):
    """Absorption, elimination that saturates, exchange with the tissue."""
    absorption, most, half, there, back = rates
    out = np.empty_like(state)
    out[:, 0] = -absorption * state[:, 0]
    exchange = there * state[:, 1] - back * state[:, 2]
    out[:, 1] = absorption * state[:, 0] - most * state[:, 1] / (half + state[:, 1]) - exchange
    out[:, 2] = exchange
    return out


def primal(theta, eta, doses, seen, measured, dt):
    rates = np.exp(theta + eta).T
    state = np.zeros((len(eta), 3))
    misfit = 0.0
    for t in range(len(doses)):
        state[:, 0] += doses[t]
        k1 = slope(state, rates)
        k2 = slope(state + 0.5 * dt * k1, rates)
        k3 = slope(state + 0.5 * dt * k2, rates)
        k4 = slope(state + dt * k3, rates)
        state = state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        m = measured[t]
        misfit += np.sum((np.log(state[m, 1] + 1e-3) - seen[t, m]) ** 2)
    return 0.5 * misfit / 0.04 + 0.5 * np.sum(eta**2) / 0.09


LANES = 64  # patients at a time, so that all distances in memory are known
X, Y, Z, KA, VM, KM, KT, KB, PULL, RATES_BAR = (LANES * k for k in range(10))


@compiled
def forward(w, tape, dt):
    half, sixth = 0.5 * dt, dt / 6.0
    for i in range(LANES):
        a, b, c = w[X + i], w[Y + i], w[Z + i]
        tape[X + i], tape[Y + i], tape[Z + i] = a, b, c
        k_a, v_m, k_m, k_t, k_b = w[KA + i], w[VM + i], w[KM + i], w[KT + i], w[KB + i]
        f, g = k_a * a, k_t * b - k_b * c
        p1, q1, r1 = -f, f - v_m * b / (k_m + b) - g, g
        d, e, s = a + half * p1, b + half * q1, c + half * r1
        f, g = k_a * d, k_t * e - k_b * s
        p2, q2, r2 = -f, f - v_m * e / (k_m + e) - g, g
        d, e, s = a + half * p2, b + half * q2, c + half * r2
        f, g = k_a * d, k_t * e - k_b * s
        p3, q3, r3 = -f, f - v_m * e / (k_m + e) - g, g
        d, e, s = a + dt * p3, b + dt * q3, c + dt * r3
        f, g = k_a * d, k_t * e - k_b * s
        w[X + i] = a + sixth * (p1 + 2.0 * p2 + 2.0 * p3 - f)
        w[Y + i] = b + sixth * (q1 + 2.0 * q2 + 2.0 * q3 + f - v_m * e / (k_m + e) - g)
        w[Z + i] = c + sixth * (r1 + 2.0 * r2 + 2.0 * r3 + g)


@compiled
def backward(w, tape, pull, dt):
    """Before: the adjoint of a state is in ``w[X:]``; the four slopes are made again."""
    half, sixth = 0.5 * dt, dt / 6.0
    for i in range(LANES):
        a, b, c = tape[X + i], tape[Y + i], tape[Z + i]
        k_a, v_m, k_m, k_t, k_b = w[KA + i], w[VM + i], w[KM + i], w[KT + i], w[KB + i]
        f, g, h1 = k_a * a, k_t * b - k_b * c, 1.0 / (k_m + b)
        d2, e2, s2 = a - half * f, b + half * (f - v_m * b * h1 - g), c + half * g
        f, g, h2 = k_a * d2, k_t * e2 - k_b * s2, 1.0 / (k_m + e2)
        d3, e3, s3 = a - half * f, b + half * (f - v_m * e2 * h2 - g), c + half * g
        f, g, h3 = k_a * d3, k_t * e3 - k_b * s3, 1.0 / (k_m + e3)
        d4, e4, s4 = a - dt * f, b + dt * (f - v_m * e3 * h3 - g), c + dt * g
        h4 = 1.0 / (k_m + e4)
        xb, yb, zb = w[X + i], w[Y + i] + pull[i], w[Z + i]
        pb, qb, rb = sixth * xb, sixth * yb, sixth * zb
        f, g, h = qb - pb, rb - qb, v_m * k_m * h4 * h4
        ka_bar, kt_bar, kb_bar, vm_bar = f * d4, g * e4, -g * s4, -qb * e4 * h4
        km_bar = qb * v_m * e4 * h4 * h4
        db, eb, sb = k_a * f, k_t * g - qb * h, -k_b * g
        xb, yb, zb = xb + db, yb + eb, zb + sb
        pc, qc, rc = 2.0 * pb + dt * db, 2.0 * qb + dt * eb, 2.0 * rb + dt * sb
        f, g, h = qc - pc, rc - qc, v_m * k_m * h3 * h3
        ka_bar, kt_bar, kb_bar = ka_bar + f * d3, kt_bar + g * e3, kb_bar - g * s3
        vm_bar, km_bar = vm_bar - qc * e3 * h3, km_bar + qc * v_m * e3 * h3 * h3
        db, eb, sb = k_a * f, k_t * g - qc * h, -k_b * g
        xb, yb, zb = xb + db, yb + eb, zb + sb
        pc, qc, rc = 2.0 * pb + half * db, 2.0 * qb + half * eb, 2.0 * rb + half * sb
        f, g, h = qc - pc, rc - qc, v_m * k_m * h2 * h2
        ka_bar, kt_bar, kb_bar = ka_bar + f * d2, kt_bar + g * e2, kb_bar - g * s2
        vm_bar, km_bar = vm_bar - qc * e2 * h2, km_bar + qc * v_m * e2 * h2 * h2
        db, eb, sb = k_a * f, k_t * g - qc * h, -k_b * g
        xb, yb, zb = xb + db, yb + eb, zb + sb
        pc, qc, rc = pb + half * db, qb + half * eb, rb + half * sb
        f, g, h = qc - pc, rc - qc, v_m * k_m * h1 * h1
        ka_bar, kt_bar, kb_bar = ka_bar + f * a, kt_bar + g * b, kb_bar - g * c
        vm_bar, km_bar = vm_bar - qc * b * h1, km_bar + qc * v_m * b * h1 * h1
        w[X + i], w[Y + i], w[Z + i] = xb + k_a * f, yb + k_t * g - qc * h, zb - k_b * g
        w[RATES_BAR + i] += ka_bar
        w[RATES_BAR + LANES + i] += vm_bar
        w[RATES_BAR + 2 * LANES + i] += km_bar
        w[RATES_BAR + 3 * LANES + i] += kt_bar
        w[RATES_BAR + 4 * LANES + i] += kb_bar


@compiled
def hand(theta, eta, doses, seen, measured, dt):
    """Of a step only the state is kept, for as many patients at a time as the cache has room for."""
    n, steps = eta.shape[0], doses.shape[0]
    w, tape, pulls = np.zeros(RATES_BAR + 5 * LANES), np.empty((steps, 3 * LANES)), np.empty((steps, LANES))
    theta_bar, eta_bar = np.zeros(5), np.empty((n, 5))
    value, prior = 0.0, 0.0
    for begin in range(0, n, LANES):
        count = min(LANES, n - begin)
        w[:] = 0.0
        w[KA : KB + LANES] = 1.0
        for i in range(count):
            for k in range(5):
                w[KA + LANES * k + i] = exp(theta[k] + eta[begin + i, k])
                prior += eta[begin + i, k] ** 2
        for t in range(steps):
            for i in range(count):
                w[X + i] += doses[t, begin + i]
            forward(w, tape[t], dt)
            for i in range(count):
                there = w[Y + i] + 1e-3
                miss = log(there) - seen[t, begin + i] if measured[t, begin + i] else 0.0
                value += miss * miss
                pulls[t, i] = miss / (0.04 * there)
            for i in range(count, LANES):
                pulls[t, i] = 0.0
        w[X : Z + LANES] = 0.0
        for t in range(steps - 1, -1, -1):
            backward(w, tape[t], pulls[t], dt)
        for i in range(count):
            for k in range(5):
                pull = w[RATES_BAR + LANES * k + i] * w[KA + LANES * k + i]
                theta_bar[k] += pull
                eta_bar[begin + i, k] = pull + eta[begin + i, k] / 0.09
    return 0.5 * value / 0.04 + 0.5 * prior / 0.09, theta_bar, eta_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def slopes(state, rates):
        x, y, z = state
        absorbed, exchange = rates[0] * x, rates[3] * y - rates[4] * z
        return jnp.stack([-absorbed, absorbed - rates[1] * y / (rates[2] + y) - exchange, exchange])

    def cost(theta, eta, doses, seen, measured, dt):
        rates = jnp.exp(theta + eta).T

        def step(state, data):
            dose, there, mask = data
            state = state.at[0].add(dose)
            k1 = slopes(state, rates)
            k2 = slopes(state + 0.5 * dt * k1, rates)
            k3 = slopes(state + 0.5 * dt * k2, rates)
            k4 = slopes(state + dt * k3, rates)
            state = state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
            return state, jnp.sum(jnp.where(mask, jnp.log(state[1] + 1e-3) - there, 0.0) ** 2)

        misfits = jax.lax.scan(step, jnp.zeros((3, len(eta))), (doses, seen, measured))[1]
        return 0.5 * jnp.sum(misfits) / 0.04 + 0.5 * jnp.sum(eta**2) / 0.09

    return cost
