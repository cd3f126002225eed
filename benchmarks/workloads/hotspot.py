"""Hotspot, Rodinia: the temperature of a chip from its power, with a stencil of four neighbours."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"n": 256, "steps": 60}, {"n": 5, "steps": 3}, (0, 1, 2)
DEPTH = 10  # steps that are done in one pass over the rows
T_CHIP, CHIP_HEIGHT, CHIP_WIDTH, AMBIENT = 0.0005, 0.016, 0.016, 80.0
MAX_PD, PRECISION, SPEC_HEAT_SI, FACTOR_CHIP = 3.0e6, 0.001, 1.75e6, 0.5


def arguments(n, steps):
    draw = np.random.default_rng(36)
    temp, power = 330.0 + 5.0 * draw.normal(size=(n, n)), draw.uniform(0.0, 0.01, size=(n, n))
    return temp, power, 100.0, 330.0 + 5.0 * draw.normal(size=(n, n)), steps


def coefficients(conductivity, rows, columns):
    """The time step over the capacity of a cell, and the resistances to neighbours and to the ambient."""
    height, width = CHIP_HEIGHT / rows, CHIP_WIDTH / columns
    capacity = FACTOR_CHIP * SPEC_HEAT_SI * T_CHIP * width * height
    rx = width / (2.0 * conductivity * T_CHIP * height)
    ry = height / (2.0 * conductivity * T_CHIP * width)
    rz = T_CHIP / (conductivity * height * width)
    step = PRECISION / (MAX_PD / (FACTOR_CHIP * T_CHIP * SPEC_HEAT_SI))
    return step / capacity, rx, ry, rz


def single_step(temp, power, ratio, rx, ry, rz):
    """Cells on an edge have no neighbour there, which is as if it were as warm as they are."""
    t = np.pad(temp, 1, mode="edge")
    vertical = (t[2:, 1:-1] + t[:-2, 1:-1] - 2.0 * temp) / ry
    horizontal = (t[1:-1, 2:] + t[1:-1, :-2] - 2.0 * temp) / rx
    return temp + ratio * (power + vertical + horizontal + (AMBIENT - temp) / rz)


def primal(temp, power, conductivity, measured, steps):
    ratio, rx, ry, rz = coefficients(conductivity, *temp.shape)
    for _ in range(steps):
        temp = single_step(temp, power, ratio, rx, ry, rz)
    return np.mean((temp - measured) ** 2)


@compiled
def forward_row(above, here, below, power, weights, out):
    """A row of the next temperatures."""
    ratio, wx, wy, wz = weights
    n = power.size
    for j in range(n):
        beside = wy * (above[j + 1] + below[j + 1]) + wx * (here[j] + here[j + 2])
        kept = (1.0 - 2.0 * wy - 2.0 * wx - wz) * here[j + 1]
        out[j + 1] = kept + beside + (ratio * power[j] + wz * AMBIENT)
    out[0], out[n + 1] = out[1], out[n]


@compiled
def forward_sum(above, here, below, old, new, weights, out):
    """A row of temperatures plus their derivatives by the logarithm of the conductivity.

    What the weights have part in is the same of both, so that the sum needs no neighbours of its parts.
    """
    _, wx, wy, wz = weights
    n = out.size - 2
    for j in range(n):
        beside = wy * (above[j + 1] + below[j + 1]) + wx * (here[j] + here[j + 2])
        kept = (1.0 - 2.0 * wy - 2.0 * wx - wz) * here[j + 1]
        out[j + 1] = kept + beside + (new[j + 1] - old[j + 1] + wz * AMBIENT)
    out[0], out[n + 1] = out[1], out[n]


@compiled
def backward_row(above, here, below, weights, total, out):
    """A row of the adjoints one step earlier: the step is its own adjoint."""
    _, wx, wy, wz = weights
    n = total.size
    for j in range(n):
        total[j] += here[j + 1]
        beside = wy * (above[j + 1] + below[j + 1]) + wx * (here[j] + here[j + 2])
        out[j + 1] = (1.0 - 2.0 * wy - 2.0 * wx - wz) * here[j + 1] + beside
    out[0], out[n + 1] = out[1], out[n]


@compiled
def load_row(row, ring):
    n = row.size
    for j in range(n):
        ring[j + 1] = row[j]
    ring[0], ring[n + 1] = row[0], row[n - 1]


@compiled
def store_row(ring, row):
    for j in range(row.size):
        row[j] = ring[j + 1]


@compiled
def forward(temp, both, power, weights, count, rings, rings_both):
    """So many steps in place in one pass over the rows: each step follows a row behind the one before."""
    n = temp.shape[0]
    for front in range(n + count):
        if front < n:
            load_row(temp[front], rings[0, front & 3])
            load_row(both[front], rings_both[0, front & 3])
        for k in range(max(1, front - n + 1), min(count, front) + 1):
            i = front - k
            a, b, c = max(i - 1, 0) & 3, i & 3, min(i + 1, n - 1) & 3
            old, sums = rings[k - 1], rings_both[k - 1]
            forward_row(old[a], old[b], old[c], power[i], weights, rings[k, b])
            forward_sum(sums[a], sums[b], sums[c], old[b], rings[k, b], weights, rings_both[k, b])
        if front >= count:
            store_row(rings[count, (front - count) & 3], temp[front - count])
            store_row(rings_both[count, (front - count) & 3], both[front - count])


@compiled
def backward(bar, total, weights, count, rings):
    n = bar.shape[0]
    for front in range(n + count):
        if front < n:
            load_row(bar[front], rings[0, front & 3])
        for k in range(max(1, front - n + 1), min(count, front) + 1):
            i = front - k
            a, b, c = max(i - 1, 0) & 3, i & 3, min(i + 1, n - 1) & 3
            old = rings[k - 1]
            backward_row(old[a], old[b], old[c], weights, total[i], rings[k, b])
        if front >= count:
            store_row(rings[count, (front - count) & 3], bar[front - count])


@compiled
def hand(temp, power, conductivity, measured, steps):
    """The derivative by the one conductivity is carried forwards, so that no temperature is kept."""
    rows, columns = temp.shape
    height, width = CHIP_HEIGHT / rows, CHIP_WIDTH / columns
    ratio = PRECISION * T_CHIP * SPEC_HEAT_SI * FACTOR_CHIP / MAX_PD
    ratio /= FACTOR_CHIP * SPEC_HEAT_SI * T_CHIP * width * height
    scale = ratio * conductivity
    wx, wy = scale * 2.0 * T_CHIP * height / width, scale * 2.0 * T_CHIP * width / height
    weights = ratio, wx, wy, scale * height * width / T_CHIP
    temp, both = temp.copy(), temp.copy()
    rings, rings_both = np.empty((DEPTH + 1, 4, columns + 2)), np.empty((DEPTH + 1, 4, columns + 2))
    for done in range(0, steps, DEPTH):
        forward(temp, both, power, weights, min(DEPTH, steps - done), rings, rings_both)
    value = conductivity_bar = 0.0
    total = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            misfit = temp[i, j] - measured[i, j]
            value += misfit * misfit
            conductivity_bar += 2.0 / temp.size * misfit * (both[i, j] - temp[i, j])
            temp[i, j] = 2.0 / temp.size * misfit
    for done in range(0, steps, DEPTH):
        backward(temp, total, weights, min(DEPTH, steps - done), rings)
    total *= ratio
    return value / temp.size, temp, total, conductivity_bar / conductivity


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(temp, power, conductivity, measured, steps):
        ratio, rx, ry, rz = coefficients(conductivity, *temp.shape)

        def body(temp, _):
            t = jnp.pad(temp, 1, mode="edge")
            vertical = (t[2:, 1:-1] + t[:-2, 1:-1] - 2.0 * temp) / ry
            horizontal = (t[1:-1, 2:] + t[1:-1, :-2] - 2.0 * temp) / rx
            return temp + ratio * (power + vertical + horizontal + (AMBIENT - temp) / rz), None

        return jnp.mean((jax.lax.scan(jax.checkpoint(body), temp, None, steps)[0] - measured) ** 2)

    return cost
