"""MLP, a training step: two layers and the cross entropy, most of it products of matrices."""

import numpy as np

from benchmarks.compiled import compiled, exp

SIZE, WRT = {"batch": 128, "n": 400, "hidden": 128, "classes": 10}, (0, 1, 2, 3)
TINY = {"batch": 3, "n": 4, "hidden": 5, "classes": 2}


def arguments(batch, n, hidden, classes):
    draw = np.random.default_rng(9)
    w1, w2 = draw.normal(size=(n, hidden)) / n**0.5, draw.normal(size=(hidden, classes)) / hidden**0.5
    labels = np.eye(classes)[draw.integers(0, classes, batch)]
    return w1, 0.1 * np.ones(hidden), w2, np.zeros(classes), draw.normal(size=(batch, n)), labels


def primal(w1, b1, w2, b2, x, labels):
    h = np.maximum(x @ w1 + b1, 0.0)
    z = h @ w2 + b2
    z = z - np.max(z, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(z), axis=1)) - np.sum(labels * z, axis=1))


@compiled
def hand(w1, b1, w2, b2, x, labels):
    h = x @ w1
    batch, hidden = h.shape
    for i in range(batch):
        for j in range(hidden):
            h[i, j] = max(h[i, j] + b1[j], 0.0)
    z = h @ w2
    classes = z.shape[1]
    total, share = 0.0, 1.0 / batch
    b1_bar, b2_bar = np.zeros(hidden), np.zeros(classes)
    for i in range(batch):
        largest = -np.inf
        for j in range(classes):
            z[i, j] += b2[j]
            largest = max(largest, z[i, j])
        whole, right = 0.0, 0.0
        for j in range(classes):
            right += labels[i, j] * (z[i, j] - largest)
            z[i, j] = exp(z[i, j] - largest)
            whole += z[i, j]
        total += np.log(whole) - right
        for j in range(classes):  # z becomes its own adjoint
            z[i, j] = (z[i, j] / whole - labels[i, j]) * share
            b2_bar[j] += z[i, j]
    h_bar = z @ w2.T
    for i in range(batch):
        for j in range(hidden):
            h_bar[i, j] = h_bar[i, j] if h[i, j] > 0.0 else 0.0
            b1_bar[j] += h_bar[i, j]
    return total * share, x.T @ h_bar, b1_bar, h.T @ z, b2_bar


def with_relu(np, relu):
    def cost(w1, b1, w2, b2, x, labels):
        z = relu(x @ w1 + b1) @ w2 + b2
        z = z - np.amax(z, 1)[:, None]
        return np.mean(np.log(np.sum(np.exp(z), 1)) - np.sum(labels * z, 1))

    return cost


def jax_version():
    import jax

    return with_relu(jax.numpy, jax.nn.relu)


def torch_version():
    import torch

    return with_relu(torch, torch.relu)


def autograd_version():
    import autograd.numpy as anp

    return with_relu(anp, lambda x: anp.maximum(x, 0.0))
