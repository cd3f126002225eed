"""What do the operators have to get right? Functions with loops, branches, writes in place and views."""

from __future__ import annotations

import math

import numpy as np

X = np.array([0.3, -0.8, 1.2])
Y = np.array([[0.5, -0.2, 0.9], [1.4, 0.1, -0.6]])


def straight(x):
    return np.sin(x) * np.cumsum(x)


def loop_with_writes(x):
    y = np.zeros(4)
    for i in range(3):
        y[i] = np.sin(x[i]) * x[(i + 1) % 3]
        y[i + 1] += y[i] * x[0]
    return y


def branch_on_data(x):
    y = x.copy()
    for i in range(len(x)):
        if y[i] > 0:
            y[i] = np.exp(y[i])
        else:
            y[i] *= y[i - 1]
    return y


def until(x):
    u, turns = x * 1.0, 0
    while np.sum(u * u) > 0.1:
        u = 0.5 * u * np.cos(u)
        turns += 1
    return u * turns


def early(x):
    total = 0.0
    for v in x:
        if v > 1.0:
            return total * v
        total += v * v
    return total


def through_views(x):
    y = np.zeros((2, 3))
    y[0, :] = x
    row = y[1]
    row += x[::-1] * x
    y.T[0] *= 3.0
    return y


def repeated_indices(x):
    y = np.zeros(2)
    y[np.array([0, 0])] = x[:2] * x[1:]
    return np.append(y, x[np.array([1, 1, 2])] ** 2)


def linear_algebra(x):
    a = np.outer(x, x) + 3.0 * np.eye(3)
    return np.linalg.solve(a, x) + np.linalg.inv(a)[0] * np.linalg.det(a)


def number(x):
    return np.sum(np.tanh(x) ** 3) * math.exp(float(np.dot(x, x)) * 0.1)


def list_of_states(x):
    states = [x]
    for k in range(3):
        states.append(states[-1] * np.sin(x) + k)
    return sum(states)


def constant(x):
    return np.ones(2) * 3.0


OF_ARRAYS = [
    straight, loop_with_writes, branch_on_data, until, early, through_views, repeated_indices, linear_algebra,
    number, list_of_states, constant,
]  # fmt: skip


def differences(function, x, order=1):
    """The Jacobian by differences of the fourth order, by columns."""
    step, columns = 1e-3, []
    for j in range(x.size):
        e = np.zeros(x.size)
        e[j] = step
        e = e.reshape(x.shape)
        at = [np.asarray(function(x + k * e), float) for k in (-2, -1, 1, 2)]
        columns.append((at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step))
    found = np.stack(columns, axis=-1)
    return found.reshape(found.shape[:-1] + x.shape)
