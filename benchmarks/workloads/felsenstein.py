"""Felsenstein's pruning: likelihood of a tree by its branches and base frequencies, a list of arrays."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"taxa": 24, "sites": 400}, {"taxa": 4, "sites": 3}, (0, 1)


def arguments(taxa, sites):
    draw = np.random.default_rng(52)
    roots, pairs = list(range(taxa)), []
    while len(roots) > 1:
        left = roots.pop(draw.integers(len(roots)))
        right = roots.pop(draw.integers(len(roots)))
        roots.append(taxa + len(pairs))
        pairs.append((left, right))
    tips = np.eye(4)[draw.integers(0, 4, (taxa, sites))]
    counts = draw.integers(1, 9, sites).astype(float)
    return (
        np.log(draw.uniform(0.02, 0.5, 2 * taxa - 2)),
        0.3 * draw.normal(size=4),
        tips,
        np.array(pairs),
        counts,
    )


def primal(log_lengths, logits, tips, pairs, counts):
    """F81: a base stays what it is, or is drawn anew; partial likelihoods are scaled at each node."""
    frequencies = np.exp(logits) / np.sum(np.exp(logits))
    rate = 1.0 / (1.0 - np.sum(frequencies**2))
    partials = [tip for tip in tips]
    scales = np.zeros(len(counts))
    for pair in pairs:
        above = np.ones((len(counts), 4))
        for child in pair:
            stays = np.exp(-rate * np.exp(log_lengths[child]))
            change = stays * np.eye(4) + (1.0 - stays) * frequencies
            above *= partials[child] @ change.T
        largest = np.max(above, axis=1)
        partials.append(above / largest[:, None])
        scales += np.log(largest)
    return -np.sum(counts * (np.log(partials[-1] @ frequencies) + scales))


@compiled
def moved(x, change, out):
    """Of the four likelihoods at one end of a branch, those at the other, for all sites."""
    a, b, c, d = x[0], x[1], x[2], x[3]
    for k in range(4):
        p, q, r, s, into = change[k, 0], change[k, 1], change[k, 2], change[k, 3], out[k]
        for i in range(into.size):
            into[i] = p * a[i] + q * b[i] + r * c[i] + s * d[i]


@compiled
def pulled(x, x_bar, change, out_bar, change_bar):
    for k in range(4):
        a, b, c, d, back, column = out_bar[0], out_bar[1], out_bar[2], out_bar[3], x_bar[k], x[k]
        p, q, r, s = change[0, k], change[1, k], change[2, k], change[3, k]
        f = g = u = v = 0.0
        for i in range(back.size):
            back[i] = p * a[i] + q * b[i] + r * c[i] + s * d[i]
            f += a[i] * column[i]
            g += b[i] * column[i]
            u += c[i] * column[i]
            v += d[i] * column[i]
        change_bar[0, k], change_bar[1, k], change_bar[2, k], change_bar[3, k] = f, g, u, v


@compiled
def hand(log_lengths, logits, tips, pairs, counts):
    """Sites on the inner axis; what a node is scaled by cancels, and has no adjoint."""
    taxa, n, nodes = tips.shape[0], tips.shape[1], pairs.shape[0]
    frequencies = np.exp(logits)
    frequencies /= np.sum(frequencies)
    rate = 1.0 / (1.0 - np.sum(frequencies * frequencies))
    stays, changes = np.exp(-rate * np.exp(log_lengths)), np.empty((2 * taxa - 2, 4, 4))
    for e in range(2 * taxa - 2):
        for k in range(4):
            for j in range(4):
                changes[e, k, j] = (1.0 - stays[e]) * frequencies[j]
            changes[e, k, k] += stays[e]
    partials, come = np.empty((taxa + nodes, 4, n)), np.empty((2 * taxa - 2, 4, n))
    for tip in range(taxa):
        for i in range(n):
            for k in range(4):
                partials[tip, k, i] = tips[tip, i, k]
    factors, product = np.empty((nodes, n)), np.ones(n)
    value = 0.0
    for v in range(nodes):
        left, right, x = pairs[v, 0], pairs[v, 1], partials[taxa + v]
        y, z, factor = come[left], come[right], factors[v]
        moved(partials[left], changes[left], y)
        moved(partials[right], changes[right], z)
        for i in range(n):
            a, b, c, d = y[0, i] * z[0, i], y[1, i] * z[1, i], y[2, i] * z[2, i], y[3, i] * z[3, i]
            largest = max(max(a, b), max(c, d))
            f = 1.0 / largest
            factor[i] = f
            product[i] *= largest
            x[0, i], x[1, i], x[2, i], x[3, i] = a * f, b * f, c * f, d * f
        if v % 8 == 7 or v == nodes - 1:
            for i in range(n):
                value -= counts[i] * np.log(product[i])
                product[i] = 1.0
    frequencies_bar, bars = np.zeros(4), np.empty((taxa + nodes, 4, n))
    top, top_bar = partials[taxa + nodes - 1], bars[taxa + nodes - 1]
    for i in range(n):
        total = 0.0
        for k in range(4):
            total += top[k, i] * frequencies[k]
        value -= counts[i] * np.log(total)
        for k in range(4):
            top_bar[k, i] = -counts[i] / total * frequencies[k]
            frequencies_bar[k] -= counts[i] / total * top[k, i]
    rate_bar, lengths_bar = 0.0, np.zeros(2 * taxa - 2)
    y_bar, z_bar, change_bar = np.empty((4, n)), np.empty((4, n)), np.empty((4, 4))
    for v in range(nodes - 1, -1, -1):
        left, right, x_bar, factor = pairs[v, 0], pairs[v, 1], bars[taxa + v], factors[v]
        y, z = come[left], come[right]
        for k in range(4):
            for i in range(n):
                through = x_bar[k, i] * factor[i]
                y_bar[k, i], z_bar[k, i] = through * z[k, i], through * y[k, i]
        for e, bar in ((left, y_bar), (right, z_bar)):
            pulled(partials[e], bars[e], changes[e], bar, change_bar)
            stays_bar, s = 0.0, stays[e]
            for k in range(4):
                stays_bar += change_bar[k, k]
                for j in range(4):
                    stays_bar -= change_bar[k, j] * frequencies[j]
                    frequencies_bar[j] += (1.0 - s) * change_bar[k, j]
            length = np.exp(log_lengths[e])
            rate_bar -= stays_bar * s * length
            lengths_bar[e] = -stays_bar * s * length * rate
    for k in range(4):
        frequencies_bar[k] += 2.0 * rate_bar * rate * rate * frequencies[k]
    mean = np.sum(frequencies_bar * frequencies)
    return value, lengths_bar, frequencies * (frequencies_bar - mean)


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(log_lengths, logits, tips, pairs, counts):
        frequencies = jax.nn.softmax(logits)
        rate = 1.0 / (1.0 - jnp.sum(frequencies**2))
        stays = jnp.exp(-rate * jnp.exp(log_lengths))[:, None, None]
        changes = stays * jnp.eye(4) + (1.0 - stays) * frequencies
        taxa, nodes = tips.shape[0], pairs.shape[0]
        room = jnp.concatenate([tips, jnp.zeros((nodes, *tips.shape[1:]))])

        def node(state, data):
            partials, scales = state
            pair, place = data
            come = jnp.einsum("cij,csj->csi", changes[pair], partials[pair])
            above = come[0] * come[1]
            largest = jnp.max(above, axis=1)
            return (partials.at[place].set(above / largest[:, None]), scales + jnp.log(largest)), None

        begin = (room, jnp.zeros(len(counts)))
        (partials, scales), _ = jax.lax.scan(node, begin, (pairs, jnp.arange(taxa, taxa + nodes)))
        return -jnp.sum(counts * (jnp.log(partials[-1] @ frequencies) + scales))

    return cost
