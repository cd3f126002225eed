"""RK45, adaptive: Dormand and Prince's steps of eight oscillators, accepted or rejected by their error."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"t_end": 120.0}, {"t_end": 0.5}, (0, 1, 2, 3)
N = 8  # oscillators in a ring
LIMIT = 3000  # attempts that the version for JAX has room for


def arguments(t_end):
    draw = np.random.default_rng(27)
    y = np.concatenate([draw.normal(size=N), draw.normal(size=N)])
    return y, draw.uniform(0.2, 1.0, N), draw.uniform(0.8, 1.6, N), 0.3, t_end, 1e-8


def slopes(y, mu, omega, coupling):
    """Van der Pol's oscillators: positions, then velocities; each is drawn to its two neighbours."""
    x, v = y[:N], y[N:]
    pull = np.roll(x, 1) - 2.0 * x + np.roll(x, -1)
    return np.concatenate([v, mu * (1.0 - x**2) * v - omega**2 * x + coupling * pull])


def attempt(y, k1, h, f):
    """The state after a step, its slope and the estimate of the error."""
    k2 = f(y + h * (k1 / 5))
    k3 = f(y + h * (3 / 40 * k1 + 9 / 40 * k2))
    k4 = f(y + h * (44 / 45 * k1 - 56 / 15 * k2 + 32 / 9 * k3))
    late = 19372 / 6561 * k1 - 25360 / 2187 * k2 + 64448 / 6561 * k3 - 212 / 729 * k4
    k5 = f(y + h * late)
    late = 9017 / 3168 * k1 - 355 / 33 * k2 + 46732 / 5247 * k3 + 49 / 176 * k4 - 5103 / 18656 * k5
    k6 = f(y + h * late)
    late = 35 / 384 * k1 + 500 / 1113 * k3 + 125 / 192 * k4 - 2187 / 6784 * k5 + 11 / 84 * k6
    y_new = y + h * late
    k7 = f(y_new)
    error = 71 / 57600 * k1 - 71 / 16695 * k3 + 71 / 1920 * k4 - 17253 / 339200 * k5 + 22 / 525 * k6 - k7 / 40
    return y_new, k7, h * error


def primal(y, mu, omega, coupling, t_end, tolerance):
    def f(y):
        return slopes(y, mu, omega, coupling)

    t, h = 0.0, 0.01
    k1 = f(y)
    while t_end - t > 1e-10:
        h = min(h, t_end - t)
        y_new, k7, error = attempt(y, k1, h, f)
        scale = tolerance + tolerance * np.maximum(np.abs(y), np.abs(y_new))
        norm = np.sqrt(np.mean((error / scale) ** 2))
        if norm <= 1.0:
            t, y, k1 = t + h, y_new, k7
        h = h * min(5.0, max(0.2, 0.9 * norm**-0.2))
    return np.sum(y**2)


# A row keeps an attempt: for each of seven stages positions, velocities and accelerations, one after the
# other, so that the state of stage i is at ``i * STAGE`` and its slope (from velocities on) N later.
STAGE, CHUNK = 3 * N, 256
K1, K2, K3, K4, K5, K6, K7 = [i * STAGE + N for i in range(7)]
Y1, Y2, Y3, Y4, Y5, Y6, Y7 = [i * STAGE for i in range(7)]
B2, B3, B4, B5, B6, B7 = [2 * N * i for i in range(1, 7)]  # adjoints of states, after that of the error


@compiled
def accelerate(row, at, mu, square, coupling):
    """From a stage's positions and velocities; ``square`` is that of ``omega``."""
    for j in range(N):
        x = row[at + j]
        pull = row[at + (j + N - 1) % N] - 2.0 * x + row[at + (j + 1) % N]
        row[at + 2 * N + j] = mu[j] * (1.0 - x * x) * row[at + N + j] - square[j] * x + coupling * pull


@compiled
def error_of(r, j, h):
    early = 71 / 57600 * r[K1 + j] - 71 / 16695 * r[K3 + j] + 71 / 1920 * r[K4 + j]
    return h * (early - 17253 / 339200 * r[K5 + j] + 22 / 525 * r[K6 + j] - 1 / 40 * r[K7 + j])


@compiled
def stages(r, h, mu, square, coupling, tolerance):
    """Fills the row behind its first stage; the norm of the error."""
    for j in range(2 * N):
        r[Y2 + j] = r[j] + h * (1 / 5) * r[K1 + j]
    accelerate(r, Y2, mu, square, coupling)
    for j in range(2 * N):
        r[Y3 + j] = r[j] + h * (3 / 40 * r[K1 + j] + 9 / 40 * r[K2 + j])
    accelerate(r, Y3, mu, square, coupling)
    for j in range(2 * N):
        r[Y4 + j] = r[j] + h * (44 / 45 * r[K1 + j] - 56 / 15 * r[K2 + j] + 32 / 9 * r[K3 + j])
    accelerate(r, Y4, mu, square, coupling)
    for j in range(2 * N):
        late = 19372 / 6561 * r[K1 + j] - 25360 / 2187 * r[K2 + j] + 64448 / 6561 * r[K3 + j]
        r[Y5 + j] = r[j] + h * (late - 212 / 729 * r[K4 + j])
    accelerate(r, Y5, mu, square, coupling)
    for j in range(2 * N):
        late = 9017 / 3168 * r[K1 + j] - 355 / 33 * r[K2 + j] + 46732 / 5247 * r[K3 + j]
        r[Y6 + j] = r[j] + h * (late + 49 / 176 * r[K4 + j] - 5103 / 18656 * r[K5 + j])
    accelerate(r, Y6, mu, square, coupling)
    for j in range(2 * N):
        late = 35 / 384 * r[K1 + j] + 500 / 1113 * r[K3 + j] + 125 / 192 * r[K4 + j]
        r[Y7 + j] = r[j] + h * (late - 2187 / 6784 * r[K5 + j] + 11 / 84 * r[K6 + j])
    accelerate(r, Y7, mu, square, coupling)
    total = 0.0
    for j in range(2 * N):
        ratio = error_of(r, j, h) / (tolerance + tolerance * max(abs(r[j]), abs(r[Y7 + j])))
        total += ratio * ratio
    return np.sqrt(total / (2 * N))


@compiled
def pull_slope(r, at, k_bar, bars, to, rates_bar, mu, square, coupling):
    """The adjoint of a stage's state into ``bars``, from that of its slope; adds to those of the rates."""
    for j in range(N):
        x, v, q = r[at + j], r[at + N + j], k_bar[N + j]
        around, rest = k_bar[N + (j + N - 1) % N] + k_bar[N + (j + 1) % N], 1.0 - x * x
        bars[to + j] = coupling * (around - 2.0 * q) - (2.0 * mu[j] * x * v + square[j]) * q
        bars[to + N + j] = k_bar[j] + mu[j] * rest * q
        rates_bar[j] += rest * v * q
        rates_bar[N + j] -= x * q
        rates_bar[2 * N + j] += x * (around - 2.0 * q)


@compiled
def pull_error(r, h, norm, norm_bar, tolerance, bars, y_bar, new_bar):
    """From the norm to the slopes' weighted sum in ``bars``, and through the scale to both states."""
    share = norm_bar / (2 * N * norm)
    for j in range(2 * N):
        old, new = r[j], r[Y7 + j]
        inverse = 1.0 / (tolerance + tolerance * max(abs(old), abs(new)))
        ratio = error_of(r, j, h) * inverse
        bars[j] = h * share * ratio * inverse
        scale_bar = -tolerance * share * ratio * ratio * inverse
        y_bar[j] += scale_bar * np.copysign(1.0, old) if abs(old) > abs(new) else 0.0
        new_bar[j] += 0.0 if abs(old) > abs(new) else scale_bar * np.copysign(1.0, new)


@compiled
def pull_stages(r, h, e, b, k_bar, new_k_bar, rates_bar, mu, square, coupling):
    """From the last slope and, in ``b``, the error and the last state, to ``k_bar`` of the first slope.

    ``e`` has room for two slopes' adjoints; ``b`` has the adjoints of all other states in the end.
    """
    for j in range(2 * N):
        e[j] = new_k_bar[j] - 1 / 40 * b[j]
        e[2 * N + j] = b[B7 + j]
        k_bar[j] += 71 / 57600 * b[j]  # before ``b`` is used for what follows
    pull_slope(r, Y7, e, b, B7, rates_bar, mu, square, coupling)
    for j in range(2 * N):
        b[B7 + j] += e[2 * N + j]
        e[j] = 22 / 525 * b[j] + h * (11 / 84) * b[B7 + j]
    pull_slope(r, Y6, e, b, B6, rates_bar, mu, square, coupling)
    for j in range(2 * N):
        e[j] = -17253 / 339200 * b[j] - h * (2187 / 6784 * b[B7 + j] + 5103 / 18656 * b[B6 + j])
    pull_slope(r, Y5, e, b, B5, rates_bar, mu, square, coupling)
    for j in range(2 * N):
        late = 125 / 192 * b[B7 + j] + 49 / 176 * b[B6 + j] - 212 / 729 * b[B5 + j]
        e[j] = 71 / 1920 * b[j] + h * late
    pull_slope(r, Y4, e, b, B4, rates_bar, mu, square, coupling)
    for j in range(2 * N):
        late = 500 / 1113 * b[B7 + j] + 46732 / 5247 * b[B6 + j] + 64448 / 6561 * b[B5 + j]
        e[j] = -71 / 16695 * b[j] + h * (late + 32 / 9 * b[B4 + j])
    pull_slope(r, Y3, e, b, B3, rates_bar, mu, square, coupling)
    for j in range(2 * N):
        late = -355 / 33 * b[B6 + j] - 25360 / 2187 * b[B5 + j] - 56 / 15 * b[B4 + j]
        e[j] = h * (late + 9 / 40 * b[B3 + j])
    pull_slope(r, Y2, e, b, B2, rates_bar, mu, square, coupling)
    for j in range(2 * N):
        late = 35 / 384 * b[B7 + j] + 9017 / 3168 * b[B6 + j] + 19372 / 6561 * b[B5 + j]
        k_bar[j] += h * (late + 44 / 45 * b[B4 + j] + 3 / 40 * b[B3 + j] + 1 / 5 * b[B2 + j])


@compiled
def add_states(r, h, bars, y_bar):
    """Adds what the stages' states are moved by to the first one's adjoint; that of the step's size."""
    h_bar = 0.0
    for j in range(2 * N):
        whole = 0.0
        for s in range(1, 7):
            bar = bars[2 * N * s + j]
            whole += bar
            h_bar += bar * (r[s * STAGE + j] - r[j])
        h_bar += bars[j] * error_of(r, j, 1.0)  # as ``bars`` begins with h times the adjoint of the error
        y_bar[j] += whole
    return h_bar / h


@compiled
def trajectory(y, rates, t_end, tolerance):
    """All attempts' rows; for each its step, norm, change of the step and whether the end cut it."""
    rows = [np.empty((CHUNK, 7 * STAGE))]
    steps, norms, changes, cuts = [0.0], [0.0], [0.0], [False]
    row, t, h = rows[0][0], 0.0, 0.01
    row[: 2 * N] = y
    accelerate(row, Y1, rates[0], rates[1], rates[2, 0])
    while t_end - t > 1e-10:
        cut = t_end - t < h
        step = t_end - t if cut else h
        norm = stages(row, step, rates[0], rates[1], rates[2, 0], tolerance)
        change = 0.9 * norm**-0.2
        steps.append(step)
        norms.append(norm)
        changes.append(change)
        cuts.append(cut)
        count = len(steps) - 1
        if count % CHUNK == 0:
            rows.append(np.empty((CHUNK, 7 * STAGE)))
        after, start = rows[-1][count % CHUNK], Y7 if norm <= 1.0 else Y1
        for j in range(STAGE):
            after[j] = row[start + j]
        t += step if norm <= 1.0 else 0.0
        row, h = after, step * min(5.0, max(0.2, change))
    return rows, steps, norms, changes, cuts


@compiled
def hand(y, mu, omega, coupling, t_end, tolerance):
    """Keeps all stages of all attempts; sizes of steps have adjoints as states have."""
    rates, rates_bar = np.empty((3, N)), np.zeros(3 * N)
    rates[0], rates[1], rates[2] = mu, omega**2, coupling
    rows, steps, norms, changes, cuts = trajectory(y, rates, t_end, tolerance)
    count = len(steps) - 1
    last = rows[-1][count % CHUNK]
    y_bar, k_bar, new_k_bar = 2.0 * last[: 2 * N], np.zeros(2 * N), np.zeros(2 * N)
    bars, room = np.empty(7 * 2 * N), np.empty(2 * 2 * N)
    t_bar, h_bar = 0.0, 0.0
    for i in range(count - 1, -1, -1):
        row, step, norm, change = rows[i // CHUNK][i % CHUNK], steps[i + 1], norms[i + 1], changes[i + 1]
        accepted = norm <= 1.0
        norm_bar = -0.2 * change / norm * step * h_bar if 0.2 < change < 5.0 else 0.0
        step_bar = min(5.0, max(0.2, change)) * h_bar + (t_bar if accepted else 0.0)
        passed = 1.0 if accepted else 0.0
        for j in range(2 * N):
            bars[B7 + j], new_k_bar[j] = passed * y_bar[j], passed * k_bar[j]
            y_bar[j] -= bars[B7 + j]
            k_bar[j] -= new_k_bar[j]
        pull_error(row, step, norm, norm_bar, tolerance, bars, y_bar, bars[B7:])
        pull_stages(row, step, room, bars, k_bar, new_k_bar, rates_bar, rates[0], rates[1], coupling)
        step_bar += add_states(row, step, bars, y_bar)
        t_bar -= step_bar if cuts[i + 1] else 0.0
        h_bar = 0.0 if cuts[i + 1] else step_bar
    pull_slope(rows[0][0], Y1, k_bar, bars, B2, rates_bar, rates[0], rates[1], coupling)
    y_bar += bars[B2 : B2 + 2 * N]
    value, coupling_bar = np.sum(last[: 2 * N] ** 2), np.sum(rates_bar[2 * N :])
    return value, y_bar, rates_bar[:N], 2.0 * omega * rates_bar[N : 2 * N], coupling_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def slopes(y, mu, omega, coupling):
        x, v = y[:N], y[N:]
        pull = jnp.roll(x, 1) - 2.0 * x + jnp.roll(x, -1)
        return jnp.concatenate([v, mu * (1.0 - x**2) * v - omega**2 * x + coupling * pull])

    def cost(y, mu, omega, coupling, t_end, tolerance):
        def step(state):
            t, h, y, k1 = state
            h = jnp.minimum(h, t_end - t)
            y_new, k7, error = attempt(y, k1, h, lambda y: slopes(y, mu, omega, coupling))
            scale = tolerance + tolerance * jnp.maximum(jnp.abs(y), jnp.abs(y_new))
            norm = jnp.sqrt(jnp.mean((error / scale) ** 2))
            good = norm <= 1.0
            t, y, k1 = jnp.where(good, t + h, t), jnp.where(good, y_new, y), jnp.where(good, k7, k1)
            return t, h * jnp.clip(0.9 * norm**-0.2, 0.2, 5.0), y, k1

        def body(state, _):
            return jax.lax.cond(t_end - state[0] > 1e-10, step, lambda same: same, state), None

        start = 0.0 * t_end, 0.01 + 0.0 * t_end, y, slopes(y, mu, omega, coupling)
        (t, _, y, _), _ = jax.lax.scan(body, start, None, LIMIT)
        return jnp.where(t_end - t > 1e-10, jnp.nan, jnp.sum(y**2))

    return cost
