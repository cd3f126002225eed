"""Tomography: rays through an image at many angles, bilinear samples, total variation."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"n": 48, "angles": 20}, {"n": 6, "angles": 3}, (0,)


def arguments(n, angles):
    draw = np.random.default_rng(72)
    i, j = np.mgrid[:n, :n]
    image = np.exp(-((i - 0.4 * n) ** 2 + (j - 0.55 * n) ** 2) / (0.03 * n * n)) + 0.1 * draw.normal(
        size=(n, n)
    )
    return image, np.pi * np.arange(angles) / angles + 0.01, draw.uniform(0.0, 0.4 * n, (angles, n)), 0.3


def primal(image, angles, seen, strength):
    n = image.shape[0]
    along = (np.arange(n) - 0.5 * (n - 1)) * 0.7
    misfit = 0.0
    for a in range(len(angles)):
        c, s = np.cos(angles[a]), np.sin(angles[a])
        y = 0.5 * (n - 1) + s * along[:, None] + c * along[None, :]
        x = 0.5 * (n - 1) + c * along[:, None] - s * along[None, :]
        i, j = np.floor(y).astype(int), np.floor(x).astype(int)
        p, q = y - i, x - j
        top = (1.0 - q) * image[i, j] + q * image[i, j + 1]
        bottom = (1.0 - q) * image[i + 1, j] + q * image[i + 1, j + 1]
        shadow = np.sum((1.0 - p) * top + p * bottom, axis=1)
        misfit += 0.5 * np.sum((shadow - seen[a]) ** 2)
    down, right = image[1:, :-1] - image[:-1, :-1], image[:-1, 1:] - image[:-1, :-1]
    return misfit + strength * np.sum(np.sqrt(down**2 + right**2 + 1e-3))


@compiled
def hand(image, angles, seen, strength):
    """A ray at a time, forth and back: its places and weights stay at hand."""
    n = image.shape[0]
    flat, bar = image.reshape(-1), np.zeros(n * n)
    middle, value = 0.5 * (n - 1), 0.0
    base, w0, w1, w2, w3 = np.empty(n, np.int64), np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for a in range(angles.size):
        c, s = np.cos(angles[a]), np.sin(angles[a])
        for r in range(n):
            t = (r - middle) * 0.7
            y0, x0, total = middle + s * t, middle + c * t, 0.0
            for k in range(n):
                u = (k - middle) * 0.7
                y, x = y0 + c * u, x0 - s * u
                i, j = int(y), int(x)
                p, q = y - i, x - j
                at = i * n + j
                base[k] = at
                w3[k] = p * q
                w2[k], w1[k] = p - w3[k], q - w3[k]
                w0[k] = 1.0 - p - w1[k]
                total += (
                    w0[k] * flat[at] + w1[k] * flat[at + 1] + w2[k] * flat[at + n] + w3[k] * flat[at + n + 1]
                )
            miss = total - seen[a, r]
            value += 0.5 * miss * miss
            for k in range(n):
                at = base[k]
                bar[at] += miss * w0[k]
                bar[at + 1] += miss * w1[k]
                bar[at + n] += miss * w2[k]
                bar[at + n + 1] += miss * w3[k]
    out, total = bar.reshape(n, n), 0.0
    for i in range(n - 1):
        for j in range(n - 1):
            down, right = image[i + 1, j] - image[i, j], image[i, j + 1] - image[i, j]
            size = np.sqrt(down * down + right * right + 1e-3)
            total += size
            down, right = strength * down / size, strength * right / size
            out[i + 1, j] += down
            out[i, j + 1] += right
            out[i, j] -= down + right
    return value + strength * total, out


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(image, angles, seen, strength):
        n = image.shape[0]
        along = (jnp.arange(n) - 0.5 * (n - 1)) * 0.7

        def shadow(angle):
            c, s = jnp.cos(angle), jnp.sin(angle)
            y = 0.5 * (n - 1) + s * along[:, None] + c * along[None, :]
            x = 0.5 * (n - 1) + c * along[:, None] - s * along[None, :]
            i, j = jnp.floor(y).astype(int), jnp.floor(x).astype(int)
            p, q = y - i, x - j
            top = (1.0 - q) * image[i, j] + q * image[i, j + 1]
            bottom = (1.0 - q) * image[i + 1, j] + q * image[i + 1, j + 1]
            return jnp.sum((1.0 - p) * top + p * bottom, axis=1)

        down, right = image[1:, :-1] - image[:-1, :-1], image[:-1, 1:] - image[:-1, :-1]
        misfit = 0.5 * jnp.sum((jax.vmap(shadow)(angles) - seen) ** 2)
        return misfit + strength * jnp.sum(jnp.sqrt(down**2 + right**2 + 1e-3))

    return cost
