"""Camera, radial distortion: the Jacobian of reprojection errors in a camera's pose and intrinsics."""

import numpy as np

KIND, SIZE, TINY = "jacobian", {"points": 300}, {"points": 4}


def arguments(points):
    draw = np.random.default_rng(0)
    world = draw.uniform(-1.0, 1.0, (points, 3))
    camera = np.array([0.1, -0.2, 0.3, 0.1, 0.2, 5.0, 800.0, 790.0, 320.0, 240.0, -0.1, 0.02])
    return camera, world, draw.uniform(0.0, 640.0, (points, 2))


def rotation(w):
    angle = np.sqrt(w @ w)
    if angle < 1e-9:
        return np.eye(3)
    k = w / angle
    cross = np.array([[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)


def primal(camera, world, pixels):
    turn = rotation(camera[:3])
    errors = np.zeros(2 * len(world))
    for i in range(len(world)):
        x, y, z = turn @ world[i] + camera[3:6]
        u, v = x / z, y / z
        r2 = u * u + v * v
        bend = 1.0 + r2 * (camera[10] + camera[11] * r2)
        errors[2 * i] = camera[6] * bend * u + camera[8] - pixels[i, 0]
        errors[2 * i + 1] = camera[7] * bend * v + camera[9] - pixels[i, 1]
    return errors


def jax_version():
    import jax.numpy as jnp

    def errors(camera, world, pixels):
        w = camera[:3]
        angle = jnp.sqrt(w @ w)
        k = w / angle
        cross = jnp.array([[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]])
        turn = jnp.eye(3) + jnp.sin(angle) * cross + (1.0 - jnp.cos(angle)) * (cross @ cross)
        there = world @ turn.T + camera[3:6]
        flat = there[:, :2] / there[:, 2:]
        r2 = jnp.sum(flat**2, axis=1, keepdims=True)
        bend = 1.0 + r2 * (camera[10] + camera[11] * r2)
        return (camera[6:8] * bend * flat + camera[8:10] - pixels).ravel()

    return errors
