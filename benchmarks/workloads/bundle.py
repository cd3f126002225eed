"""Bundle adjustment: a loop over observations, with gathers, cross products and a branch in each."""

import numpy as np

SIZE, TINY = (
    {"cameras": 15, "points": 200, "observations": 1000},
    {"cameras": 2, "points": 3, "observations": 5},
)
WRT = (0, 1)


def arguments(cameras, points, observations):
    draw = np.random.default_rng(13)
    turn, place = 0.2 * draw.normal(size=(cameras, 3)), draw.normal(size=(cameras, 3))
    lens = np.array([500.0, 0.01, 0.002]) * draw.uniform(0.9, 1.1, (cameras, 3))
    x = draw.normal(size=(points, 3)) + np.array([0.0, 0.0, 9.0])
    seen = np.stack([draw.integers(0, cameras, observations), draw.integers(0, points, observations)], axis=1)
    return np.hstack([turn, place, lens]), x, seen, 100.0 * draw.normal(size=(observations, 2))


def rotated(turn, x):
    """``x`` turned about the axis ``turn`` by as many radians as that is long."""
    square = np.sum(turn**2)
    if square == 0.0:
        return x + np.cross(turn, x)
    angle = np.sqrt(square)
    axis = turn / angle
    cos, sin = np.cos(angle), np.sin(angle)
    return cos * x + sin * np.cross(axis, x) + (1.0 - cos) * np.dot(axis, x) * axis


def projected(camera, x):
    inside = rotated(camera[:3], x - camera[3:6])
    p = inside[:2] / inside[2]
    square = np.sum(p**2)
    return camera[6] * (1.0 + camera[7] * square + camera[8] * square**2) * p


def primal(cameras, points, seen, pixels):
    cost = 0.0
    for i in range(len(seen)):
        error = projected(cameras[seen[i, 0]], points[seen[i, 1]]) - pixels[i]
        cost += np.sum(error**2)
    return 1e-4 * cost


def generic(np):
    """All observations at once, as one writes it for operations on arrays."""

    def cross(a, b):
        columns = [a[:, i - 2] * b[:, i - 1] - a[:, i - 1] * b[:, i - 2] for i in range(3)]
        return np.stack(columns, 1)

    def cost(cameras, points, seen, pixels):
        camera = cameras[seen[:, 0]]
        x, turn = points[seen[:, 1]] - camera[:, 3:6], camera[:, :3]
        angle = np.sqrt(np.sum(turn**2, 1))[:, None]
        axis = turn / angle
        cos, sin = np.cos(angle), np.sin(angle)
        inside = cos * x + sin * cross(axis, x) + (1.0 - cos) * np.sum(axis * x, 1)[:, None] * axis
        p = inside[:, :2] / inside[:, 2:]
        square = np.sum(p**2, 1)
        scale = camera[:, 6] * (1.0 + camera[:, 7] * square + camera[:, 8] * square**2)
        return 1e-4 * np.sum((scale[:, None] * p - pixels) ** 2)

    return cost
