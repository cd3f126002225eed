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


def square(x):
    return x * x


def polynomial(x, c):
    value = 0.0
    for k in range(len(c)):
        value = value * x + c[k]
    return value


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def gauss_seidel(u):
    u = u.copy()
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return np.sum(u**2)


def log_likelihood(theta, t, y):
    a, b, s = theta
    residual = (y - a * np.exp(-b * t)) / s
    return 0.5 * np.sum(residual**2) + len(t) * np.log(s)


def softmax_entropy(z):
    e = np.exp(z - np.max(z))
    p = e / np.sum(e)
    return -np.sum(p * np.log(p))


def solved(a, b):
    x = np.linalg.solve(a, b)
    return x @ x


def whitened(cov, x):
    factor = np.linalg.cholesky(cov)
    return np.sum(np.linalg.solve(factor, x) ** 2)


def guarded(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


def oscillator(x, v, k, steps):
    energy = 0.0
    for _ in range(steps):
        v = v - 0.01 * k * x
        x = x + 0.01 * v
        energy += 0.5 * v * v + 0.5 * k * x * x
    return energy


def appended(x, rate):
    path = [x]
    while path[-1] > 0.1:
        path.append(path[-1] * rate)
    return sum(path)


def early(x, limit):
    total = 0.0
    for v in x:
        total += v * v
        if total > limit:
            return limit * v
    return total


def payoff(s, strike):
    if s > strike:
        return s - strike
    return 0.01 * s


def scattered(x, groups):
    sums = np.zeros(3)
    np.add.at(sums, groups, x)
    return np.sum(sums**2)


def distances(p):
    d = p[:, None, :] - p[None, :, :]
    return np.sum(np.exp(-np.sum(d**2, axis=-1)))


def buffered(x, y):
    out = np.empty_like(x)
    np.multiply(x, y, out=out)
    out += x
    return np.sum(out**3)


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
    square: (3.0,),
    polynomial: (0.5, np.array([1.0, -2.0, 0.5])),
    rosenbrock: (np.linspace(-1.0, 1.0, 5),),
    gauss_seidel: (np.linspace(0.0, 1.0, 16).reshape(4, 4),),
    log_likelihood: (np.array([1.0, 0.5, 0.3]), np.arange(5.0), np.ones(5)),
    softmax_entropy: (np.array([0.1, 0.5, -0.3]),),
    solved: (np.eye(3) * 2.0, np.ones(3)),
    whitened: (np.eye(2) * 2.0, np.ones(2)),
    guarded: (np.array([1.0, 4.0]),),
    oscillator: (1.0, 0.0, 2.0, 5),
    appended: (1.0, 0.5),
    early: (np.array([0.5, 1.5, 2.0]), 2.0),
    payoff: (1.2, 1.0),
    scattered: (np.ones(4), np.array([0, 2, 0, 1])),
    distances: (np.linspace(0.0, 1.0, 6).reshape(3, 2),),
    buffered: (np.ones(3), np.arange(3.0)),
}
