"""Wavelets by lifting: predict and update along both axes in place, levels on ever smaller corners."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"n": 128, "levels": 4}, {"n": 8, "levels": 2}, (0, 1, 2)


def arguments(n, levels):
    draw = np.random.default_rng(73)
    return draw.normal(size=(n, n)) + np.sin(0.1 * np.arange(n)), 0.5, 0.25, levels


def lift(x, predict, update):
    """Along the first axis: means come first, details behind them."""
    even, odd = x[0::2].copy(), x[1::2].copy()
    odd[:-1] -= predict * (even[:-1] + even[1:])
    odd[-1] -= 2.0 * predict * even[-1]
    even[1:] += update * (odd[:-1] + odd[1:])
    even[0] += 2.0 * update * odd[0]
    half = len(even)
    x[:half], x[half:] = even, odd


def primal(image, predict, update, levels):
    x = image.copy()
    m = x.shape[0]
    for _ in range(levels):
        lift(x[:m, :m], predict, update)
        lift(x[:m, :m].T, predict, update)
        m = m // 2
    return np.sum(np.sqrt(x**2 + 0.01))


@compiled
def forth(rows, m, predict, update, room):
    """The first m columns of m rows; what was is in ``room``."""
    half = m // 2
    for i in range(m):
        room[i, :m] = rows[i, :m]
    for i in range(half):
        even, odd, after, to = room[2 * i], room[2 * i + 1], room[min(2 * i + 2, m - 2)], rows[half + i]
        for j in range(m):
            to[j] = odd[j] - predict * (even[j] + after[j])
    for i in range(half):
        even, odd, before, to = room[2 * i], rows[half + i], rows[half + max(i - 1, 0)], rows[i]
        for j in range(m):
            to[j] = even[j] + update * (before[j] + odd[j])


@compiled
def back(rows, bars, m, predict, update, room, room_bar):
    """Undoes ``forth`` of values, and takes their adjoints along; those of the two numbers are returned."""
    half, predict_bar, update_bar = m // 2, 0.0, 0.0
    for i in range(half):
        low, odd, before, to, low_bar = (
            rows[i],
            rows[half + i],
            rows[half + max(i - 1, 0)],
            room[2 * i],
            bars[i],
        )
        odd_bar, before_bar, total = bars[half + i], bars[half + max(i - 1, 0)], 0.0
        for j in range(m):
            pair = before[j] + odd[j]
            to[j] = low[j] - update * pair
            total += low_bar[j] * pair
        for j in range(m):
            odd_bar[j] += update * low_bar[j]
        for j in range(m):
            before_bar[j] += update * low_bar[j]
        room_bar[2 * i, :m] = low_bar[:m]
        update_bar += total
    for i in range(half):
        k = min(2 * i + 2, m - 2)
        odd, even, after, to, odd_bar = rows[half + i], room[2 * i], room[k], room[2 * i + 1], bars[half + i]
        even_bar, after_bar, total = room_bar[2 * i], room_bar[k], 0.0
        for j in range(m):
            pair = even[j] + after[j]
            to[j] = odd[j] + predict * pair
            total += odd_bar[j] * pair
        for j in range(m):
            even_bar[j] -= predict * odd_bar[j]
        for j in range(m):
            after_bar[j] -= predict * odd_bar[j]
        room_bar[2 * i + 1, :m] = odd_bar[:m]
        predict_bar -= total
    for i in range(m):
        rows[i, :m], bars[i, :m] = room[i, :m], room_bar[i, :m]
    return predict_bar, update_bar


@compiled
def turned(x, m):
    for start in range(0, m, 8):
        for i in range(m):
            for j in range(start, min(start + 8, m)):
                if j < i:
                    x[i, j], x[j, i] = x[j, i], x[i, j]


@compiled
def hand(image, predict, update, levels):
    """Nothing is saved: lifting is undone on the way back. Columns are rows of the turned corner."""
    n = image.shape[0]
    x, bars, room, room_bar = image.copy(), np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    m, value = n, 0.0
    for _ in range(levels):
        forth(x, m, predict, update, room)
        turned(x, m)
        forth(x, m, predict, update, room)
        turned(x, m)
        m = m // 2
    for i in range(n):
        for j in range(n):
            size = np.sqrt(x[i, j] * x[i, j] + 0.01)
            value += size
            bars[i, j] = x[i, j] / size
    predict_bar = update_bar = 0.0
    for level in range(levels - 1, -1, -1):
        m = n // 2**level
        turned(x, m)
        turned(bars, m)
        one, two = back(x, bars, m, predict, update, room, room_bar)
        predict_bar, update_bar = predict_bar + one, update_bar + two
        turned(x, m)
        turned(bars, m)
        one, two = back(x, bars, m, predict, update, room, room_bar)
        predict_bar, update_bar = predict_bar + one, update_bar + two
    return value, bars, predict_bar, update_bar


def jax_version():
    import jax.numpy as jnp

    def lifted(x, predict, update):
        even, odd = x[0::2], x[1::2]
        odd = odd - predict * (even + jnp.concatenate([even[1:], even[-1:]]))
        even = even + update * (odd + jnp.concatenate([odd[:1], odd[:-1]]))
        return jnp.concatenate([even, odd])

    def cost(image, predict, update, levels):
        x, m = image, image.shape[0]
        for _ in range(levels):
            corner = lifted(lifted(x[:m, :m], predict, update).T, predict, update).T
            x = x.at[:m, :m].set(corner)
            m = m // 2
        return jnp.sum(jnp.sqrt(x**2 + 0.01))

    return cost
