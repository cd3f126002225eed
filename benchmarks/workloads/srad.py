"""SRAD, single precision: Rodinia's speckle reducing diffusion, with index arrays and a region's mean."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"rows": 256, "columns": 228, "sweeps": 20}, {"rows": 8, "columns": 7, "sweeps": 2}, (0, 2)
TOLERANCE = 1e-3
WIDEST = 1024  # columns that there is room for


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
def sweep(image, c, out, rate, q0, k):
    """The coefficients ``c`` and the next image; images have a frame that repeats their border."""
    rows, columns = image.shape
    coefficients(image[0], image[1], image[2], q0, k, c[1])
    for i in range(1, rows - 1):
        up, here, down, to = image[i - 1], image[i], image[i + 1], out[i]
        if i < rows - 2:
            coefficients(here, down, image[i + 2], q0, k, c[i + 1])
        at, below = c[i], c[i + 1]
        for j in range(1, columns - 1):
            flow = below[j] * (down[j] - here[j]) + at[j + 1] * (here[j + 1] - here[j])
            to[j] = here[j] + rate * (flow + at[j] * (up[j] + here[j - 1] - TWO * here[j]))
        to[0], to[columns - 1] = to[1], to[columns - 2]
    out[0], out[rows - 1] = out[1], out[rows - 2]


@compiled
def pull_row(up, here, down, c, below, bar_up, bar, q0, k, rate, scratch):
    """Adjoints of one row's differences and of its pixels, and those of ``rate`` and ``q0``.

    One array has them all, with constants between the parts: of many arrays LLVM would not prove that they
    are distinct, and not use vectors.
    """
    rate_bar, q0_bar = ZERO, ZERO
    slope, rest = ONE + TWO * q0, ONE - q0 * k
    for j in range(1, here.size - 1):
        centre, at, b = here[j], c[j], bar[j]
        north, south, west, east = (
            up[j] - centre,
            down[j] - centre,
            here[j - 1] - centre,
            here[j + 1] - centre,
        )
        total = north + south + west + east
        rate_bar += b * (below[j] * south + c[j + 1] * east + at * (north + west))
        c_bar = rate * (b * (north + west) - bar_up[j] * north - bar[j - 1] * west)
        c_bar = c_bar * at if at > ZERO and at < ONE else ZERO
        q0_bar += c_bar * (at + (ONE - at) * slope)
        inverse = ONE / (centre + QUARTER * total)
        g_bar = -c_bar * at * k * inverse * inverse
        mean_bar = TWO * c_bar * inverse * (ONE - at * rest)
        all_bar = QUARTER * mean_bar - EIGHTH * g_bar * total
        b *= rate
        scratch[j] = b * at + g_bar * north + all_bar
        scratch[j + WIDEST] = b * below[j] + g_bar * south + all_bar
        scratch[j + 2 * WIDEST] = b * at + g_bar * west + all_bar
        scratch[j + 3 * WIDEST] = b * c[j + 1] + g_bar * east + all_bar
        scratch[j + 4 * WIDEST] = bar[j] + mean_bar
    return rate_bar, k * q0_bar


@compiled
def spread(scratch, above, here, below):
    """What a row's differences move; nothing flows across the border."""
    last = here.size - 2
    scratch[1 + 2 * WIDEST], scratch[last + 3 * WIDEST] = ZERO, ZERO
    for j in range(1, last + 1):
        north, south = scratch[j], scratch[j + WIDEST]
        west, east = scratch[j + 2 * WIDEST], scratch[j + 3 * WIDEST]
        moved = scratch[j + 4 * WIDEST] - (north + south + west + east)
        here[j] += moved + scratch[j - 1 + 3 * WIDEST] + scratch[j + 1 + 2 * WIDEST]
        above[j] += north
        below[j] = south


@compiled
def pull_sweep(image, c, bar, out, rate, q0, k, scratch):
    rate_bar, q0_bar, last = 0.0, 0.0, image.shape[0] - 2
    out[1] = ZERO
    for i in range(1, last + 1):
        up, here, down = image[i - 1], image[i], image[i + 1]
        more = pull_row(up, here, down, c[i], c[i + 1], bar[i - 1], bar[i], q0, k, rate, scratch)
        rate_bar, q0_bar = rate_bar + more[0], q0_bar + more[1]
        if i == 1:
            scratch[:WIDEST] = ZERO
        if i == last:
            scratch[WIDEST : 2 * WIDEST] = ZERO
        spread(scratch, out[i - 1], out[i], out[i + 1])
    return rate_bar, q0_bar


@compiled
def hand(image, clean, rate, sweeps):
    """Keeps the images and coefficients of all sweeps."""
    rows, columns = image.shape
    images = np.empty((sweeps + 1, rows + 2, columns + 2), np.float32)
    cs = np.zeros((sweeps, rows + 2, columns + 2), np.float32)
    images[0, 1:-1, 1:-1] = image
    images[0, 1:-1, 0], images[0, 1:-1, -1] = image[:, 0], image[:, -1]
    images[0, 0], images[0, -1] = images[0, 1], images[0, -2]
    step = QUARTER * rate
    q0s, ks = np.empty(sweeps, np.float32), np.empty(sweeps, np.float32)
    for t in range(sweeps):
        _, mean, square = statistics(images[t])
        q0 = square / mean**2 - 1.0
        q0s[t], ks[t] = q0, 1.0 / (q0 * (1.0 + q0))
        sweep(images[t], cs[t], images[t + 1], step, q0s[t], ks[t])
    value, share = 0.0, np.float32(2.0 / (rows * columns))
    bar, out = np.zeros((rows + 2, columns + 2), np.float32), np.zeros((rows + 2, columns + 2), np.float32)
    for i in range(rows):
        part = ZERO
        for j in range(columns):
            miss = images[sweeps, i + 1, j + 1] - clean[i, j]
            part += miss * miss
            bar[i + 1, j + 1] = share * miss
        value += part
    rate_bar, scratch = 0.0, np.zeros(5 * WIDEST, np.float32)
    for t in range(sweeps - 1, -1, -1):
        more, q0_bar = pull_sweep(images[t], cs[t], bar, out, step, q0s[t], ks[t], scratch)
        rate_bar += more
        count, mean, square = statistics(images[t])
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

    def to_north(a):
        return jnp.concatenate([a[1:], a[-1:]])

    def to_south(a):
        return jnp.concatenate([a[:1], a[:-1]])

    def to_west(a):
        return jnp.concatenate([a[:, 1:], a[:, -1:]], axis=1)

    def to_east(a):
        return jnp.concatenate([a[:, :1], a[:, :-1]], axis=1)

    def body(image, rate):
        rows, columns = image.shape
        region = image[: rows // 4, : columns // 4]
        mean = jnp.mean(region)
        q0_square = (jnp.mean(region**2) - mean**2) / mean**2
        d_north, d_south = to_south(image) - image, to_north(image) - image
        d_west, d_east = to_east(image) - image, to_west(image) - image
        g2 = (d_north**2 + d_south**2 + d_west**2 + d_east**2) / image**2
        laplace = (d_north + d_south + d_west + d_east) / image
        q_square = (0.5 * g2 - laplace**2 / 16.0) / (1.0 + 0.25 * laplace) ** 2
        c = 1.0 / (1.0 + (q_square - q0_square) / (q0_square * (1.0 + q0_square)))
        c = jnp.clip(c, 0.0, 1.0)
        south, east = to_north(c), to_west(c)
        return image + 0.25 * rate * (south * d_south + c * d_north + east * d_east + c * d_west)

    def cost(image, clean, rate, sweeps):
        image = jax.lax.fori_loop(0, sweeps, lambda _, image: jax.checkpoint(body)(image, rate), image)
        return jnp.mean((image - clean) ** 2)

    return cost
