"""Volume rendering: rays through a grid, trilinear interpolation by gathers, products along each ray."""

import numpy as np

from benchmarks.compiled import compiled, exp, log

UNSEEN = True
SIZE, TINY, WRT = {"side": 24, "rays": 300, "samples": 40}, {"side": 4, "rays": 3, "samples": 5}, (0, 1)


def arguments(side, rays, samples):
    draw = np.random.default_rng(53)
    density, colours = draw.normal(size=(side, side, side)), draw.normal(size=(side, side, side, 3))
    begin, end = draw.uniform(0.0, side - 1.0, (2, rays, 3))
    begin[:, 0], end[:, 0] = 0.0, side - 1.001
    places = (np.arange(samples) + 0.5) / samples
    points = begin[:, None] + places[:, None] * (end - begin)[:, None]
    return density, colours, points, 0.1, draw.uniform(size=(rays, 3))


def primal(density, colours, points, step, seen):
    low = np.floor(points).astype(int)
    part = points - low
    i, j, k = low[..., 0], low[..., 1], low[..., 2]
    dense, colour = 0.0, 0.0
    for a in (0, 1):
        for b in (0, 1):
            for c in (0, 1):
                weight = (
                    (part[..., 0] if a else 1.0 - part[..., 0])
                    * (part[..., 1] if b else 1.0 - part[..., 1])
                    * (part[..., 2] if c else 1.0 - part[..., 2])
                )
                dense = dense + weight * density[i + a, j + b, k + c]
                colour = colour + weight[..., None] * colours[i + a, j + b, k + c]
    alpha = 1.0 - np.exp(-step * np.log1p(np.exp(dense)))
    rgb = 1.0 / (1.0 + np.exp(-colour))
    passed = np.cumprod(1.0 - alpha, axis=1)
    light = np.concatenate([np.ones((len(points), 1)), passed[:, :-1]], axis=1)
    image = np.sum((light * alpha)[..., None] * rgb, axis=1)
    return np.mean((image - seen) ** 2)


@compiled
def hand(density, colours, points, step, seen):
    """A ray at a time, forth and back: places, weights and what was read of it stay in the cache."""
    rays, samples = points.shape[:2]
    n1, n2 = density.shape[1], density.shape[2]
    dense_flat, colour_flat = density.reshape(-1), colours.reshape(-1)
    corners = np.array([0, 1, n2, n2 + 1, n1 * n2, n1 * n2 + 1, n1 * n2 + n2, n1 * n2 + n2 + 1])
    density_bar, colours_bar = np.zeros(dense_flat.size), np.zeros(colour_flat.size)
    base, weights = np.empty(samples, np.int64), np.empty((samples, 8))
    dense, slopes, alphas, light = np.empty(samples), np.empty(samples), np.empty(samples), np.empty(samples)
    rgb = np.empty(3 * samples)
    scale = 2.0 / (3.0 * rays)
    value = 0.0
    for r in range(rays):
        for s in range(samples):
            x, y, z = points[r, s, 0], points[r, s, 1], points[r, s, 2]
            i, j, k = int(x), int(y), int(z)
            x, y, z = x - i, y - j, z - k
            at = (i * n1 + j) * n2 + k
            base[s], w = at, weights[s]
            p, q = (1.0 - x) * (1.0 - y), (1.0 - x) * y
            u, v = x * (1.0 - y), x * y
            w[1], w[3], w[5], w[7] = p * z, q * z, u * z, v * z
            w[0], w[2], w[4], w[6] = p - w[1], q - w[3], u - w[5], v - w[7]
            total = red = green = blue = 0.0
            for corner in range(8):
                there, weight = at + corners[corner], w[corner]
                total += weight * dense_flat[there]
                red += weight * colour_flat[3 * there]
                green += weight * colour_flat[3 * there + 1]
                blue += weight * colour_flat[3 * there + 2]
            dense[s], rgb[3 * s], rgb[3 * s + 1], rgb[3 * s + 2] = total, red, green, blue
        for s in range(samples):
            e = exp(dense[s])
            alphas[s] = 1.0 - exp(-step * log(1.0 + e))
            slopes[s] = step * e / (1.0 + e)
        for s in range(3 * samples):
            rgb[s] = 1.0 / (1.0 + exp(-rgb[s]))
        red = green = blue = 0.0
        passed = 1.0
        for s in range(samples):
            light[s] = passed
            amount = passed * alphas[s]
            red += amount * rgb[3 * s]
            green += amount * rgb[3 * s + 1]
            blue += amount * rgb[3 * s + 2]
            passed *= 1.0 - alphas[s]
        red, green, blue = red - seen[r, 0], green - seen[r, 1], blue - seen[r, 2]
        value += red * red + green * green + blue * blue
        red, green, blue = scale * red, scale * green, scale * blue
        passed_bar = 0.0
        for s in range(samples - 1, -1, -1):
            a, f, g, h = alphas[s], rgb[3 * s], rgb[3 * s + 1], rgb[3 * s + 2]
            of_colour = red * f + green * g + blue * h
            alpha_bar = light[s] * (of_colour - passed_bar)
            passed_bar = passed_bar * (1.0 - a) + of_colour * a
            amount = light[s] * a
            d = alpha_bar * (1.0 - a) * slopes[s]
            f, g, h = (
                amount * red * f * (1.0 - f),
                amount * green * g * (1.0 - g),
                amount * blue * h * (1.0 - h),
            )
            at, w = base[s], weights[s]
            for corner in range(8):
                there, weight = at + corners[corner], w[corner]
                density_bar[there] += weight * d
                colours_bar[3 * there] += weight * f
                colours_bar[3 * there + 1] += weight * g
                colours_bar[3 * there + 2] += weight * h
    return value / (3.0 * rays), density_bar.reshape(density.shape), colours_bar.reshape(colours.shape)


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(density, colours, points, step, seen):
        low = jnp.floor(points).astype(int)
        part = points - low
        bits = jnp.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
        weights = jnp.prod(jnp.where(bits, part[:, :, None], 1.0 - part[:, :, None]), axis=-1)
        places = low[:, :, None] + bits
        i, j, k = places[..., 0], places[..., 1], places[..., 2]
        dense = jnp.sum(weights * density[i, j, k], axis=-1)
        rgb = jax.nn.sigmoid(jnp.sum(weights[..., None] * colours[i, j, k], axis=-2))
        alpha = 1.0 - jnp.exp(-step * jax.nn.softplus(dense))
        passed = jnp.cumprod(1.0 - alpha, axis=1)
        light = jnp.concatenate([jnp.ones((len(points), 1)), passed[:, :-1]], axis=1)
        image = jnp.sum((light * alpha)[..., None] * rgb, axis=1)
        return jnp.mean((image - seen) ** 2)

    return cost
