"""Bilateral filter: windows of an image with a margin, weights by distance and by likeness."""

import numpy as np

from benchmarks.compiled import compiled, exp

UNSEEN = True
SIZE, TINY, WRT = {"side": 64, "radius": 3}, {"side": 4, "radius": 1}, (0, 1, 2)


def arguments(side, radius):
    draw = np.random.default_rng(86)
    return draw.uniform(size=(side, side)), 1.5, 0.3, draw.uniform(size=(side, side)), radius


def primal(image, near, like, target, radius):
    height, width = image.shape
    padded = np.pad(image, radius, mode="edge")
    total, weight = np.zeros_like(image), np.zeros_like(image)
    for dy in range(2 * radius + 1):
        for dx in range(2 * radius + 1):
            window = padded[dy : dy + height, dx : dx + width]
            away = (dy - radius) ** 2 + (dx - radius) ** 2
            w = np.exp(-0.5 * away / near**2 - 0.5 * ((window - image) / like) ** 2)
            total += w * window
            weight += w
    return np.mean((total / weight - target) ** 2)


@compiled
def hand(image, near, like, target, radius):
    """A row at a time: its weights are kept until its adjoint, which is next."""
    height, width = image.shape
    wide = 2 * radius + 1
    padded = np.empty((height + 2 * radius, width + 2 * radius))
    for i in range(height + 2 * radius):
        for j in range(width + 2 * radius):
            padded[i, j] = image[min(max(i - radius, 0), height - 1), min(max(j - radius, 0), width - 1)]
    padded_bar, bar = np.zeros_like(padded), np.zeros_like(image)
    total, weight, kept = np.empty(width), np.empty(width), np.empty((wide * wide, width))
    value, near_bar, like_bar = 0.0, 0.0, 0.0
    over = 0.5 / (like * like)
    for i in range(height):
        here, there, here_bar = image[i], target[i], bar[i]
        total[:], weight[:] = 0.0, 0.0
        for dy in range(wide):
            row = padded[i + dy]
            for dx in range(wide):
                from_here, w = (
                    0.5 * ((dy - radius) ** 2 + (dx - radius) ** 2) / (near * near),
                    kept[dy * wide + dx],
                )
                for j in range(width):
                    gap = row[j + dx] - here[j]
                    w[j] = exp(-from_here - over * gap * gap)
                    total[j] += w[j] * row[j + dx]
                    weight[j] += w[j]
        for j in range(width):
            mean = total[j] / weight[j]
            miss = mean - there[j]
            value += miss * miss
            total[j], weight[j] = mean, 2.0 * miss / (weight[j] * (height * width))
        for dy in range(wide):
            row, row_bar = padded[i + dy], padded_bar[i + dy]
            for dx in range(wide):
                away, w, s = (dy - radius) ** 2 + (dx - radius) ** 2, kept[dy * wide + dx], 0.0
                for j in range(width):
                    gap, part = row[j + dx] - here[j], w[j] * weight[j]
                    slope = part * (row[j + dx] - total[j])
                    s += slope
                    push = 2.0 * over * slope * gap
                    like_bar += push * gap
                    here_bar[j] += push
                    row_bar[j + dx] += part - push
                near_bar += away * s
    for i in range(height + 2 * radius):
        for j in range(width + 2 * radius):
            bar[min(max(i - radius, 0), height - 1), min(max(j - radius, 0), width - 1)] += padded_bar[i, j]
    return value / (height * width), bar, near_bar / near**3, like_bar / like


def jax_version():
    import jax.numpy as jnp

    def cost(image, near, like, target, radius):
        height, width = image.shape
        padded = jnp.pad(image, radius, mode="edge")
        total, weight = jnp.zeros_like(image), jnp.zeros_like(image)
        for dy in range(2 * radius + 1):
            for dx in range(2 * radius + 1):
                window = padded[dy : dy + height, dx : dx + width]
                away = (dy - radius) ** 2 + (dx - radius) ** 2
                w = jnp.exp(-0.5 * away / near**2 - 0.5 * ((window - image) / like) ** 2)
                total += w * window
                weight += w
        return jnp.mean((total / weight - target) ** 2)

    return cost
