"""Arm with seven joints: the Jacobian of place and direction of its hand, by products of 4 x 4 matrices."""

import numpy as np

KIND, SIZE, TINY = "jacobian", {}, {}


def arguments():
    links = [[0.0, 0.34, 1.5], [0.0, 0.0, -1.5], [0.0, 0.4, -1.5], [0.0, 0.0, 1.5]]
    links += [[0.0, 0.4, 1.5], [0.0, 0.0, -1.5], [0.02, 0.126, 0.0]]
    return np.linspace(-0.7, 0.9, 7), np.array(links)


def joint(angle, length, offset, twist):
    ca, sa, ct, st = np.cos(angle), np.sin(angle), np.cos(twist), np.sin(twist)
    return np.array(
        [
            [ca, -sa * ct, sa * st, length * ca],
            [sa, ca * ct, -ca * st, length * sa],
            [0.0, st, ct, offset],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def primal(angles, links):
    hand = np.eye(4)
    for k in range(len(angles)):
        hand = hand @ joint(angles[k], *links[k])
    pitch = np.arctan2(-hand[2, 0], np.sqrt(hand[0, 0] ** 2 + hand[1, 0] ** 2))
    roll, yaw = np.arctan2(hand[2, 1], hand[2, 2]), np.arctan2(hand[1, 0], hand[0, 0])
    return np.concatenate((hand[:3, 3], np.array([roll, pitch, yaw])))


def jax_version():
    import jax.numpy as jnp

    def pose(angles, links):
        hand = jnp.eye(4)
        for k in range(7):
            length, offset, twist = links[k]
            ca, sa, ct, st = jnp.cos(angles[k]), jnp.sin(angles[k]), jnp.cos(twist), jnp.sin(twist)
            hand = hand @ jnp.array(
                [
                    [ca, -sa * ct, sa * st, length * ca],
                    [sa, ca * ct, -ca * st, length * sa],
                    [0.0, st, ct, offset],
                    [0.0, 0.0, 0.0, 1.0],
                ]
            )
        pitch = jnp.arctan2(-hand[2, 0], jnp.sqrt(hand[0, 0] ** 2 + hand[1, 0] ** 2))
        roll, yaw = jnp.arctan2(hand[2, 1], hand[2, 2]), jnp.arctan2(hand[1, 0], hand[0, 0])
        return jnp.concatenate((hand[:3, 3], jnp.array([roll, pitch, yaw])))

    return pose
