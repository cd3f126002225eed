"""Which functions have their generated source kept as a text? One for each feature that shapes the text.

``CASES`` maps a function to example arguments; the expected source lies in ``<function name>.py.txt``.
"""

import numpy as np


def mean_square(w, x, y):
    r = x @ w - y
    return np.mean(r**2)


def wave_step(u, v, dt):
    v = v.copy()
    v[1:-1] += dt * (u[2:] - 2 * u[1:-1] + u[:-2])
    u = u + dt * v
    return np.sum(u * u)


def relax(x, steps):
    t = x.copy()
    for _ in range(steps):
        t[1:-1] = 0.5 * (t[:-2] + t[2:])
    return np.sum(t**2)


def recurrence(x, a):
    h = 0.0
    for i in range(len(x)):
        h = np.tanh(a * h + x[i])
    return h


def newton(a):
    x = a
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x


def huber(x, delta):
    loss = 0.0
    for r in x:
        if abs(r) <= delta:
            loss += 0.5 * r * r
        else:
            loss += delta * (abs(r) - 0.5 * delta)
    return loss


def layer(h, w, b):
    return np.tanh(h @ w + b)


def network(params, x):
    h = x
    for w, b in params:
        h = layer(h, w, b)
    return np.sum(h)


def through_view(x):
    a = np.zeros((3, 2))
    row = a[1]
    row[:] = x * x
    a[0] = 2 * row
    return np.sum(np.sin(a))


def picked(x, idx):
    y = x[idx]
    return np.sum(np.exp(y) * y)


def stopped(x):
    total = 0.0
    for v in x:
        if v > 1.0:
            break
        total += v**3
    return total


_PARAMS = [(np.full((3, 4), 0.1), np.zeros(4)), (np.full((4, 2), 0.2), np.ones(2))]
CASES = {
    mean_square: (np.ones(3), np.ones((5, 3)), np.zeros(5)),
    wave_step: (np.linspace(0.0, 1.0, 6), np.zeros(6), 0.1),
    relax: (np.linspace(0.0, 1.0, 6) ** 2, 3),
    recurrence: (np.linspace(0.0, 1.0, 4), 0.5),
    newton: (2.0,),
    huber: (np.array([0.5, -2.0, 3.0]), 1.0),
    network: (_PARAMS, np.ones((2, 3))),
    through_view: (np.array([0.3, 0.7]),),
    picked: (np.array([0.1, 0.2, 0.3]), np.array([0, 2, 0])),
    stopped: (np.array([0.5, 0.25, 2.0, 0.1]),),
}
