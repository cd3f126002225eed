"""Shallow water on triangles: rows gathered by the edges of a mesh, fluxes added to either side."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"side": 20, "steps": 20}, {"side": 3, "steps": 2}, (0,)


def arguments(side, steps):
    """Squares cut in two, periodic, moved a little; edges in random order."""
    draw = np.random.default_rng(83)
    edges = []
    for i in range(side):
        for j in range(side):
            low, high = 2 * (i * side + j), 2 * (i * side + j) + 1
            edges.append((low, high, 1.0, 1.0))
            edges.append((high, 2 * (((i + 1) % side) * side + j), 1.0, 0.0))
            edges.append((high, 2 * (i * side + (j + 1) % side), 0.0, 1.0))
    order = draw.permutation(len(edges))
    left, right, a, b = (np.array(column)[order] for column in zip(*edges, strict=True))
    normal = np.stack([a, b], axis=1) + 0.1 * draw.normal(size=(len(order), 2))
    size = np.sqrt(np.sum(normal**2, axis=1))
    cells = 2 * side * side
    state = np.stack([1.0 + 0.2 * draw.uniform(size=cells), *(0.3 * draw.normal(size=(2, cells)))], axis=1)
    return state, left, right, normal / size[:, None], size, draw.uniform(0.4, 0.6, cells), 0.02, steps


def primal(state, left, right, normal, size, area, dt, steps):
    """Rusanov's flux of height and momentum; the energy at the end."""
    for _ in range(steps):
        a, b = state[left], state[right]
        speed_a = np.sum(a[:, 1:] * normal, axis=1) / a[:, 0]
        speed_b = np.sum(b[:, 1:] * normal, axis=1) / b[:, 0]
        flux = 0.5 * (a * speed_a[:, None] + b * speed_b[:, None])
        flux[:, 1:] += 0.25 * (a[:, 0] ** 2 + b[:, 0] ** 2)[:, None] * normal
        wave = np.maximum(np.abs(speed_a) + np.sqrt(a[:, 0]), np.abs(speed_b) + np.sqrt(b[:, 0]))
        flux -= 0.5 * wave[:, None] * (b - a)
        flux *= size[:, None]
        change = np.zeros_like(state)
        np.add.at(change, left, -flux)
        np.add.at(change, right, flux)
        state = state + dt * change / area[:, None]
    height = state[:, 0]
    return 0.5 * np.sum(area * (height**2 + (state[:, 1] ** 2 + state[:, 2] ** 2) / height))


@compiled
def hand(state, left, right, normal, size, area, dt, steps):
    """Saves the states; one loop over edges forth, one back."""
    cells, edges = area.size, left.size
    states = np.empty((steps + 1, cells, 3))
    states[0] = state
    factor = dt / area
    for s in range(steps):
        now, then = states[s], states[s + 1]
        for c in range(cells):
            then[c, 0], then[c, 1], then[c, 2] = now[c, 0], now[c, 1], now[c, 2]
        for e in range(edges):
            i, j, nx, ny = left[e], right[e], normal[e, 0], normal[e, 1]
            h, p, q = now[i, 0], now[i, 1], now[i, 2]
            g, r, t = now[j, 0], now[j, 1], now[j, 2]
            u, w = (p * nx + q * ny) / h, (r * nx + t * ny) / g
            wave = max(abs(u) + np.sqrt(h), abs(w) + np.sqrt(g))
            press, half = 0.25 * (h * h + g * g), 0.5 * size[e]
            x = half * (h * u + g * w - wave * (g - h))
            y = half * (p * u + r * w + 2.0 * press * nx - wave * (r - p))
            z = half * (q * u + t * w + 2.0 * press * ny - wave * (t - q))
            f, o = factor[i], factor[j]
            then[i, 0] -= f * x
            then[i, 1] -= f * y
            then[i, 2] -= f * z
            then[j, 0] += o * x
            then[j, 1] += o * y
            then[j, 2] += o * z
    value, bar = 0.0, np.empty((cells, 3))
    last = states[steps]
    for c in range(cells):
        h, p, q = last[c, 0], last[c, 1], last[c, 2]
        motion = (p * p + q * q) / h
        value += 0.5 * area[c] * (h * h + motion)
        bar[c, 0] = 0.5 * area[c] * (2.0 * h - motion / h)
        bar[c, 1], bar[c, 2] = area[c] * p / h, area[c] * q / h
    scaled = np.empty((cells, 3))
    for s in range(steps - 1, -1, -1):
        now = states[s]
        for c in range(cells):
            f = factor[c]
            scaled[c, 0], scaled[c, 1], scaled[c, 2] = f * bar[c, 0], f * bar[c, 1], f * bar[c, 2]
        for e in range(edges):
            i, j, nx, ny = left[e], right[e], normal[e, 0], normal[e, 1]
            h, p, q = now[i, 0], now[i, 1], now[i, 2]
            g, r, t = now[j, 0], now[j, 1], now[j, 2]
            over_h, over_g = 1.0 / h, 1.0 / g
            u, w = (p * nx + q * ny) * over_h, (r * nx + t * ny) * over_g
            root_h, root_g = np.sqrt(h), np.sqrt(g)
            first, second = abs(u) + root_h, abs(w) + root_g
            wave, half = max(first, second), 0.5 * size[e]
            x = half * (scaled[j, 0] - scaled[i, 0])
            y = half * (scaled[j, 1] - scaled[i, 1])
            z = half * (scaled[j, 2] - scaled[i, 2])
            push = nx * y + ny * z
            u_bar, w_bar = h * x + p * y + q * z, g * x + r * y + t * z
            wave_bar = (h - g) * x + (p - r) * y + (q - t) * z
            h_bar, g_bar = u * x + h * push + wave * x, w * x + g * push - wave * x
            if first > second:
                u_bar += wave_bar if u > 0.0 else -wave_bar
                h_bar += 0.5 * wave_bar / root_h
            else:
                w_bar += wave_bar if w > 0.0 else -wave_bar
                g_bar += 0.5 * wave_bar / root_g
            u_bar *= over_h
            w_bar *= over_g
            bar[i, 0] += h_bar - u * u_bar
            bar[i, 1] += (u + wave) * y + u_bar * nx
            bar[i, 2] += (u + wave) * z + u_bar * ny
            bar[j, 0] += g_bar - w * w_bar
            bar[j, 1] += (w - wave) * y + w_bar * nx
            bar[j, 2] += (w - wave) * z + w_bar * ny
    return value, bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(state, left, right, normal, size, area, dt, steps):
        def step(state, _):
            a, b = state[left], state[right]
            speed_a = jnp.sum(a[:, 1:] * normal, axis=1) / a[:, 0]
            speed_b = jnp.sum(b[:, 1:] * normal, axis=1) / b[:, 0]
            flux = 0.5 * (a * speed_a[:, None] + b * speed_b[:, None])
            flux = flux.at[:, 1:].add(0.25 * (a[:, 0] ** 2 + b[:, 0] ** 2)[:, None] * normal)
            wave = jnp.maximum(jnp.abs(speed_a) + jnp.sqrt(a[:, 0]), jnp.abs(speed_b) + jnp.sqrt(b[:, 0]))
            flux = (flux - 0.5 * wave[:, None] * (b - a)) * size[:, None]
            change = jnp.zeros_like(state).at[left].add(-flux).at[right].add(flux)
            return state + dt * change / area[:, None], None

        state, _ = jax.lax.scan(step, state, None, length=steps)
        height = state[:, 0]
        return 0.5 * jnp.sum(area * (height**2 + (state[:, 1] ** 2 + state[:, 2] ** 2) / height))

    return cost
