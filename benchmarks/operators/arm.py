"""Robot arm, six links: the Jacobian of the hand's place in the joints' angles."""

import numpy as np

from benchmarks.compiled import compiled

KIND, SIZE, TINY = "jacobian", {}, {}
A = np.array([0.0, -0.425, -0.392, 0.0, 0.0, 0.0])
D = np.array([0.0892, 0.0, 0.0, 0.1093, 0.09475, 0.0825])
ALPHA = np.array([np.pi / 2, 0.0, 0.0, np.pi / 2, -np.pi / 2, 0.0])


def arguments():
    return np.array([0.1, -0.7, 0.9, 0.3, 1.1, -0.4]), A, D, ALPHA


def link(angle, a, d, alpha):
    c, s, ca, sa = np.cos(angle), np.sin(angle), np.cos(alpha), np.sin(alpha)
    return np.array(
        [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0.0, sa, ca, d], [0.0, 0.0, 0.0, 1.0]]
    )


def primal(q, a, d, alpha):
    pose = np.eye(4)
    for i in range(len(q)):
        pose = pose @ link(q[i], a[i], d[i], alpha[i])
    return pose[:3, 3]


@compiled
def hand(q, a, d, alpha):
    """Columns are axis x (hand - joint)."""
    n = len(q)
    axes, places = np.empty((n, 3)), np.empty((n, 3))
    r = np.eye(3)
    x, y, z = 0.0, 0.0, 0.0
    for i in range(n):
        for j in range(3):
            axes[i, j] = r[j, 2]
        places[i, 0], places[i, 1], places[i, 2] = x, y, z
        c, s, ca, sa = np.cos(q[i]), np.sin(q[i]), np.cos(alpha[i]), np.sin(alpha[i])
        x += r[0, 0] * a[i] * c + r[0, 1] * a[i] * s + r[0, 2] * d[i]
        y += r[1, 0] * a[i] * c + r[1, 1] * a[i] * s + r[1, 2] * d[i]
        z += r[2, 0] * a[i] * c + r[2, 1] * a[i] * s + r[2, 2] * d[i]
        for j in range(3):
            u, v, w = r[j, 0], r[j, 1], r[j, 2]
            r[j, 0] = u * c + v * s
            r[j, 1] = -u * s * ca + v * c * ca + w * sa
            r[j, 2] = u * s * sa - v * c * sa + w * ca
    columns = np.empty((3, n))
    for i in range(n):
        u, v, w = x - places[i, 0], y - places[i, 1], z - places[i, 2]
        columns[0, i] = axes[i, 1] * w - axes[i, 2] * v
        columns[1, i] = axes[i, 2] * u - axes[i, 0] * w
        columns[2, i] = axes[i, 0] * v - axes[i, 1] * u
    return columns


def jax_version():
    import jax.numpy as jnp

    def place(q, a, d, alpha):
        pose = jnp.eye(4)
        for i in range(len(q)):
            c, s, ca, sa = jnp.cos(q[i]), jnp.sin(q[i]), jnp.cos(alpha[i]), jnp.sin(alpha[i])
            pose = pose @ jnp.array(
                [
                    [c, -s * ca, s * sa, a[i] * c],
                    [s, c * ca, -c * sa, a[i] * s],
                    [0.0, sa, ca, d[i]],
                    [0.0, 0.0, 0.0, 1.0],
                ]
            )
        return pose[:3, 3]

    return place
