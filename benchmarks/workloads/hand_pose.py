"""Hand pose: bones that turn in their joints, a skin that they move, and the points that were seen of it."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"vertices": 500, "points": 300}, {"vertices": 7, "points": 4}, (0, 1)
PARENTS = [-1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0, 13, 14, 15, 0, 17, 18, 19]
BONES = len(PARENTS)
PARENT = np.array(PARENTS)  # for the gradient by hand


def arguments(vertices, points):
    draw = np.random.default_rng(47)
    rest = np.tile(np.eye(4), (BONES, 1, 1))
    rest[:, :3, 3] = 0.3 * draw.normal(size=(BONES, 3))
    inverses = np.tile(np.eye(4), (BONES, 1, 1)) + 0.1 * draw.normal(size=(BONES, 4, 4))
    inverses[:, 3] = [0.0, 0.0, 0.0, 1.0]
    skin = np.concatenate([draw.normal(size=(vertices, 3)), np.ones((vertices, 1))], axis=1)
    weights = draw.uniform(0.0, 1.0, (vertices, BONES)) ** 4
    weights /= np.sum(weights, axis=1, keepdims=True)
    which = draw.integers(0, vertices, points)
    angles, shift = 0.3 * draw.normal(size=(BONES, 3)), 0.1 * draw.normal(size=3)
    return angles, shift, rest, inverses, skin, weights, draw.normal(size=(points, 3)), which


def turned(angles):
    """The turns about x, y and z, in this order."""
    (a, b, c), (p, q, r) = np.cos(angles), np.sin(angles)
    turn = np.eye(4)
    turn[0, :3] = b * c, c * p * q - a * r, a * c * q + p * r
    turn[1, :3] = b * r, a * c + p * q * r, a * q * r - c * p
    turn[2, :3] = -q, b * p, a * b
    return turn


def primal(angles, shift, rest, inverses, skin, weights, seen, which):
    places = []
    for bone, parent in enumerate(PARENTS):
        local = rest[bone] @ turned(angles[bone])
        places.append(local if parent < 0 else places[parent] @ local)
    moved = np.zeros((len(skin), 3))
    for bone in range(BONES):
        transform = places[bone] @ inverses[bone]
        moved += weights[:, bone, None] * (skin @ transform.T)[:, :3]
    misfit = seen - (moved[which] + shift)
    return 0.5 * np.sum(misfit**2) + 0.01 * np.sum(angles**2)


@compiled
def times(x, y, out):
    """Of two affine maps, three rows of four numbers."""
    for i in range(3):
        for j in range(4):
            out[i, j] = x[i, 0] * y[0, j] + x[i, 1] * y[1, j] + x[i, 2] * y[2, j]
        out[i, 3] += x[i, 3]


@compiled
def times_turned(x, y, out):
    """Adds the product with the transpose of the second, which has a row 0, 0, 0, 1 below."""
    for i in range(3):
        for j in range(3):
            out[i, j] += x[i, 0] * y[j, 0] + x[i, 1] * y[j, 1] + x[i, 2] * y[j, 2] + x[i, 3] * y[j, 3]
        out[i, 3] += x[i, 3]


@compiled
def turned_times(x, y, out):
    """Adds the product of the transpose of the first and the second."""
    for i in range(3):
        for j in range(4):
            out[i, j] += x[0, i] * y[0, j] + x[1, i] * y[1, j] + x[2, i] * y[2, j]


@compiled
def rotation(a, b, c, p, q, r, out):
    out[0, 0], out[0, 1], out[0, 2] = b * c, c * p * q - a * r, a * c * q + p * r
    out[1, 0], out[1, 1], out[1, 2] = b * r, a * c + p * q * r, a * q * r - c * p
    out[2, 0], out[2, 1], out[2, 2] = -q, b * p, a * b
    out[0, 3], out[1, 3], out[2, 3] = 0.0, 0.0, 0.0


@compiled
def pull_rotation(a, b, c, p, q, r, t, out):
    """``t`` is the adjoint of the matrix."""
    a_bar = r * (q * t[1, 2] - t[0, 1]) + c * (q * t[0, 2] + t[1, 1]) + b * t[2, 2]
    p_bar = c * (q * t[0, 1] - t[1, 2]) + r * (t[0, 2] + q * t[1, 1]) + b * t[2, 1]
    b_bar = c * t[0, 0] + r * t[1, 0] + p * t[2, 1] + a * t[2, 2]
    q_bar = c * (p * t[0, 1] + a * t[0, 2]) + r * (p * t[1, 1] + a * t[1, 2]) - t[2, 0]
    c_bar = b * t[0, 0] + q * (p * t[0, 1] + a * t[0, 2]) + a * t[1, 1] - p * t[1, 2]
    r_bar = p * t[0, 2] - a * t[0, 1] + b * t[1, 0] + q * (p * t[1, 1] + a * t[1, 2])
    out[0], out[1], out[2] = a * p_bar - p * a_bar, b * q_bar - q * b_bar, c * r_bar - r * c_bar


@compiled
def hand(angles, shift, rest, inverses, skin, weights, seen, which):
    """Blends the bones' maps for each vertex, which is a product of matrices, and so is its adjoint."""
    bones, vertices = angles.shape[0], skin.shape[0]
    turns, locals_, places = np.zeros((bones, 3, 4)), np.empty((bones, 3, 4)), np.empty((bones, 3, 4))
    maps = np.empty((bones, 12))
    cosines, sines = np.cos(angles), np.sin(angles)
    for k in range(bones):
        a, b, c, p, q, r = cosines[k, 0], cosines[k, 1], cosines[k, 2], sines[k, 0], sines[k, 1], sines[k, 2]
        rotation(a, b, c, p, q, r, turns[k])
        parent = PARENT[k]
        times(rest[k], turns[k], locals_[k])
        if parent < 0:
            places[k] = locals_[k]
        else:
            times(places[parent], locals_[k], places[k])
        times(places[k], inverses[k], maps[k].reshape(3, 4))
    blended = np.dot(weights, maps)
    moved, moved_bar = np.empty((vertices, 3)), np.zeros((vertices, 3))
    for v in range(vertices):
        x, y, z = skin[v, 0], skin[v, 1], skin[v, 2]
        for i in range(3):
            m = blended[v, 4 * i : 4 * i + 4]
            moved[v, i] = m[0] * x + m[1] * y + m[2] * z + m[3] + shift[i]
    value, shift_bar = 0.0, np.zeros(3)
    for n in range(seen.shape[0]):
        v = which[n]
        for i in range(3):
            misfit = moved[v, i] - seen[n, i]
            value += misfit * misfit
            moved_bar[v, i] += misfit
            shift_bar[i] += misfit
    for v in range(vertices):
        x, y, z = skin[v, 0], skin[v, 1], skin[v, 2]
        for i in range(3):
            m, bar = blended[v, 4 * i : 4 * i + 4], moved_bar[v, i]
            m[0], m[1], m[2], m[3] = bar * x, bar * y, bar * z, bar
    maps_bar = np.dot(weights.T, blended).reshape(bones, 3, 4)
    places_bar, angles_bar = np.zeros((bones, 3, 4)), np.empty((bones, 3))
    local_bar, turn_bar = np.empty((3, 4)), np.empty((3, 4))
    for k in range(bones - 1, -1, -1):
        parent = PARENT[k]
        times_turned(maps_bar[k], inverses[k], places_bar[k])
        if parent < 0:
            local_bar[:] = places_bar[k]
        else:
            times_turned(places_bar[k], locals_[k], places_bar[parent])
            local_bar[:] = 0.0
            turned_times(places[parent], places_bar[k], local_bar)
        turn_bar[:] = 0.0
        turned_times(rest[k], local_bar, turn_bar)
        a, b, c, p, q, r = cosines[k, 0], cosines[k, 1], cosines[k, 2], sines[k, 0], sines[k, 1], sines[k, 2]
        pull_rotation(a, b, c, p, q, r, turn_bar, angles_bar[k])
        for i in range(3):
            value += 0.02 * angles[k, i] * angles[k, i]
            angles_bar[k, i] += 0.02 * angles[k, i]
    return 0.5 * value, angles_bar, shift_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def turned(angles):
        (a, b, c), (p, q, r) = jnp.cos(angles), jnp.sin(angles)
        return jnp.array(
            [
                [b * c, c * p * q - a * r, a * c * q + p * r, 0.0],
                [b * r, a * c + p * q * r, a * q * r - c * p, 0.0],
                [-q, b * p, a * b, 0.0],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )

    def cost(angles, shift, rest, inverses, skin, weights, seen, which):
        places = []
        for local, parent in zip(rest @ jax.vmap(turned)(angles), PARENTS, strict=True):
            places.append(local if parent < 0 else places[parent] @ local)
        maps = (jnp.stack(places) @ inverses)[:, :3]
        blended = (weights @ maps.reshape(BONES, 12)).reshape(-1, 3, 4)
        moved = jnp.sum(blended * skin[:, None, :], axis=-1)
        misfit = seen - (moved[which] + shift)
        return 0.5 * jnp.sum(misfit**2) + 0.01 * jnp.sum(angles**2)

    return cost
