"""SRAD, single precision: Rodinia's speckle reducing diffusion, with index arrays and a region's mean."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"rows": 256, "columns": 228, "sweeps": 20}, {"rows": 8, "columns": 7, "sweeps": 2}, (0, 2)
TOLERANCE = 1e-3


def arguments(rows, columns, sweeps):
    draw = np.random.default_rng(26)
    i, j = np.mgrid[:rows, :columns]
    clean = np.exp(0.4 + 0.2 * np.sin(0.05 * i) * np.cos(0.07 * j) + 0.2 * (i + j > 0.5 * (rows + columns)))
    speckle = draw.gamma(10.0, 0.1, (rows, columns))
    return (clean * speckle).astype(np.float32), clean.astype(np.float32), np.float32(0.5), sweeps


def primal(image, clean, rate, sweeps):
    rows, columns = image.shape
    north, south = np.maximum(np.arange(rows) - 1, 0), np.minimum(np.arange(rows) + 1, rows - 1)
    west, east = np.maximum(np.arange(columns) - 1, 0), np.minimum(np.arange(columns) + 1, columns - 1)
    for _ in range(sweeps):
        region = image[: rows // 4, : columns // 4]
        mean = np.mean(region)
        variance = np.mean(region**2) - mean**2
        q0_square = variance / mean**2

        d_north, d_south = image[north] - image, image[south] - image
        d_west, d_east = image[:, west] - image, image[:, east] - image
        g2 = (d_north**2 + d_south**2 + d_west**2 + d_east**2) / image**2
        laplace = (d_north + d_south + d_west + d_east) / image
        q_square = (0.5 * g2 - laplace**2 / 16.0) / (1.0 + 0.25 * laplace) ** 2
        c = 1.0 / (1.0 + (q_square - q0_square) / (q0_square * (1.0 + q0_square)))
        c = np.clip(c, 0.0, 1.0)

        divergence = c[south] * d_south + c * d_north + c[:, east] * d_east + c * d_west
        image = image + 0.25 * rate * divergence
    return np.mean((image - clean) ** 2)


ZERO, ONE, TWO, HALF = np.float32(0.0), np.float32(1.0), np.float32(2.0), np.float32(0.5)
QUARTER, EIGHTH, SIXTEENTH = np.float32(0.25), np.float32(0.125), np.float32(0.0625)


@compiled
def statistics(image):
    """Of the region: how many pixels, their mean and the mean of their squares."""
    rows, columns = (image.shape[0] - 2) // 4, (image.shape[1] - 2) // 4
    total, squares = 0.0, 0.0
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            total += image[i, j]
            squares += np.float64(image[i, j]) * image[i, j]
    return rows * columns, total / (rows * columns), squares / (rows * columns)


@compiled
def coefficients(up, here, down, q0, k, c):
    """Those of a row, by its neighbours. The quotients have one denominator, as ``image`` cancels in them."""
    for j in range(1, here.size - 1):
        centre = here[j]
        north, south, west, east = (
            up[j] - centre,
            down[j] - centre,
            here[j - 1] - centre,
            here[j + 1] - centre,
        )
        total = north + south + west + east
        mean = centre + QUARTER * total
        g = HALF * (north * north + south * south + west * west + east * east) - SIXTEENTH * total * total
        square = mean * mean
        ratio = square / (square + (g - q0 * square) * k)
        ratio = ratio if ratio < ONE else ONE
        c[j] = ratio if ratio > ZERO else ZERO


@compiled
def frame(image):
    """Copies the border outward."""
    rows, columns = image.shape
    for j in range(columns):
        image[0, j], image[rows - 1, j] = image[1, j], image[rows - 2, j]
    for i in range(rows):
        image[i, 0], image[i, columns - 1] = image[i, 1], image[i, columns - 2]


@compiled
def sweep(image, out, rate, q0, k):
    rows, columns = image.shape
    c, below = np.zeros(columns, np.float32), np.zeros(columns, np.float32)
    coefficients(image[0], image[1], image[2], q0, k, c)
    for i in range(1, rows - 1):
        up, here, down, to = image[i - 1], image[i], image[i + 1], out[i]
        if i < rows - 2:
            coefficients(here, down, image[i + 2], q0, k, below)
        c[columns - 1] = ZERO  # the difference is zero there
        for j in range(1, columns - 1):
            flow = below[j] * (down[j] - here[j]) + c[j + 1] * (here[j + 1] - here[j])
            flow += c[j] * (up[j] + here[j - 1] - TWO * here[j])
            to[j] = here[j] + rate * flow
        c, below = below, c
    frame(out)


@compiled
def pull_row(up, here, down, c, below, bar_up, bar, q0, k, rate, buffers):
    """Adjoints of one row's differences into four buffers and of its pixels into the fifth; two sums.

    Returns what ``rate`` and the coefficients' numbers ``q0`` and ``k`` are moved by.
    """
    to_north, to_south, to_west, to_east, own = buffers
    rate_bar, q0_bar, k_bar = ZERO, ZERO, ZERO
    for j in range(1, here.size - 1):
        centre, b = here[j], bar[j]
        north, south, west, east = (
            up[j] - centre,
            down[j] - centre,
            here[j - 1] - centre,
            here[j + 1] - centre,
        )
        total = north + south + west + east
        rate_bar += b * (below[j] * south + c[j + 1] * east + c[j] * (north + west))
        c_bar = rate * (b * (north + west) - bar_up[j] * north - bar[j - 1] * west)
        mean = centre + QUARTER * total
        g = HALF * (north * north + south * south + west * west + east * east) - SIXTEENTH * total * total
        square = mean * mean
        rest = g - q0 * square
        inverse = ONE / (square + rest * k)
        ratio = square * inverse
        c_bar = c_bar if ratio > ZERO and ratio < ONE else ZERO
        moved = inverse * inverse * k * c_bar
        g_bar, mean_bar = -moved * square, TWO * moved * mean * g
        k_bar -= ratio * inverse * rest * c_bar
        q0_bar += ratio * ratio * k * c_bar
        all_bar = QUARTER * mean_bar - EIGHTH * g_bar * total
        to_north[j] = rate * b * c[j] + g_bar * north + all_bar
        to_west[j] = rate * b * c[j] + g_bar * west + all_bar
        to_south[j] = rate * b * below[j] + g_bar * south + all_bar
        to_east[j] = rate * b * c[j + 1] + g_bar * east + all_bar
        own[j] = b + mean_bar
    return rate_bar, q0_bar, k_bar


@compiled
def spread(buffers, above, here, below):
    """What a row's differences move; nothing flows across the border."""
    to_north, to_south, to_west, to_east, own = buffers
    last = here.size - 2
    to_west[1], to_east[last] = ZERO, ZERO
    for j in range(1, last + 1):
        away = to_north[j] + to_south[j] + to_west[j] + to_east[j]
        here[j] += own[j] - away + to_east[j - 1] + to_west[j + 1]
        above[j] += to_north[j]
        below[j] = to_south[j]


@compiled
def pull_sweep(image, bar, out, rate, q0, k):
    rows, columns = image.shape
    c, below, buffers = (
        np.zeros(columns, np.float32),
        np.zeros(columns, np.float32),
        np.zeros((5, columns), np.float32),
    )
    parts = buffers[0], buffers[1], buffers[2], buffers[3], buffers[4]
    rate_bar, q0_bar, k_bar = 0.0, 0.0, 0.0
    coefficients(image[0], image[1], image[2], q0, k, c)
    out[1] = ZERO
    for i in range(1, rows - 1):
        if i < rows - 2:
            coefficients(image[i], image[i + 1], image[i + 2], q0, k, below)
        more = pull_row(
            image[i - 1], image[i], image[i + 1], c, below, bar[i - 1], bar[i], q0, k, rate, parts
        )
        rate_bar, q0_bar, k_bar = rate_bar + more[0], q0_bar + more[1], k_bar + more[2]
        if i == 1:
            buffers[0] = ZERO
        if i == rows - 2:
            buffers[1] = ZERO
        spread(parts, out[i - 1], out[i], out[i + 1])
        c, below = below, c
    return rate_bar, q0_bar, k_bar


@compiled
def hand(image, clean, rate, sweeps):
    """Keeps the image of each sweep, framed by copies of its border; coefficients are computed again."""
    rows, columns = image.shape
    images = np.empty((sweeps + 1, rows + 2, columns + 2), np.float32)
    images[0, 1:-1, 1:-1] = image
    frame(images[0])
    step = QUARTER * rate
    q0s, ks, moments = np.empty(sweeps, np.float32), np.empty(sweeps, np.float32), np.empty((sweeps, 3))
    for t in range(sweeps):
        moments[t, 0], moments[t, 1], moments[t, 2] = statistics(images[t])
        q0 = moments[t, 2] / moments[t, 1] ** 2 - 1.0
        q0s[t], ks[t] = q0, 1.0 / (q0 * (1.0 + q0))
        sweep(images[t], images[t + 1], step, q0s[t], ks[t])
    value, share = 0.0, np.float32(2.0 / (rows * columns))
    bar, out = np.zeros((rows + 2, columns + 2), np.float32), np.zeros((rows + 2, columns + 2), np.float32)
    for i in range(rows):
        part = ZERO
        for j in range(columns):
            miss = images[sweeps, i + 1, j + 1] - clean[i, j]
            part += miss * miss
            bar[i + 1, j + 1] = share * miss
        value += part
    rate_bar = 0.0
    for t in range(sweeps - 1, -1, -1):
        more, q0_bar, k_bar = pull_sweep(images[t], bar, out, step, q0s[t], ks[t])
        rate_bar += more
        count, mean, square = moments[t, 0], moments[t, 1], moments[t, 2]
        q0_bar -= k_bar * (1.0 + 2.0 * q0s[t]) * ks[t] ** 2
        mean_bar = np.float32(-2.0 * q0_bar * square / mean**3 / count)
        square_bar = np.float32(2.0 * q0_bar / mean**2 / count)
        for i in range(1, rows // 4 + 1):
            for j in range(1, columns // 4 + 1):
                out[i, j] += mean_bar + square_bar * images[t, i, j]
        bar, out = out, bar
    image_bar = bar[1:-1, 1:-1].copy()
    return np.float32(value / (rows * columns)), image_bar, np.float32(0.25 * rate_bar)


def jax_version():
    import jax
    import jax.numpy as jnp

    def body(image, rate):
        rows, columns = image.shape
        region = image[: rows // 4, : columns // 4]
        mean = jnp.mean(region)
        q0_square = (jnp.mean(region**2) - mean**2) / mean**2
        framed = jnp.pad(image, 1, mode="edge")
        d_north, d_south = framed[:-2, 1:-1] - image, framed[2:, 1:-1] - image
        d_west, d_east = framed[1:-1, :-2] - image, framed[1:-1, 2:] - image
        g2 = (d_north**2 + d_south**2 + d_west**2 + d_east**2) / image**2
        laplace = (d_north + d_south + d_west + d_east) / image
        q_square = (0.5 * g2 - laplace**2 / 16.0) / (1.0 + 0.25 * laplace) ** 2
        c = 1.0 / (1.0 + (q_square - q0_square) / (q0_square * (1.0 + q0_square)))
        c = jnp.clip(c, 0.0, 1.0)
        south, east = jnp.pad(c[1:], ((0, 1), (0, 0))), jnp.pad(c[:, 1:], ((0, 0), (0, 1)))
        return image + 0.25 * rate * (south * d_south + c * d_north + east * d_east + c * d_west)

    def cost(image, clean, rate, sweeps):
        image = jax.lax.fori_loop(0, sweeps, lambda _, image: body(image, rate), image)
        return jnp.mean((image - clean) ** 2)

    return cost
