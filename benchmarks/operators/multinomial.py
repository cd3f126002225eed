"""Multinomial regression: the Hessian of the penalised likelihood of three classes in 3 x 6 weights."""

import numpy as np

from benchmarks.compiled import compiled

KIND, SIZE, TINY = "hessian", {"rows": 500}, {"rows": 6}


def arguments(rows):
    draw = np.random.default_rng(0)
    return draw.normal(size=(3, 6)), draw.normal(size=(rows, 6)), draw.integers(0, 3, rows), 0.1


def primal(w, x, labels, penalty):
    loss = 0.0
    for i in range(len(x)):
        scores = w @ x[i]
        top = np.max(scores)
        loss += top + np.log(np.sum(np.exp(scores - top))) - scores[labels[i]]
    return loss / len(x) + 0.5 * penalty * np.sum(w**2)


@compiled
def hand(w, x, labels, penalty):
    classes, features = w.shape
    size = classes * features
    found = np.zeros((size, size))
    p = np.empty(classes)
    for i in range(len(x)):
        top = -np.inf
        for k in range(classes):
            score = 0.0
            for j in range(features):
                score += w[k, j] * x[i, j]
            p[k] = score
            top = max(top, score)
        total = 0.0
        for k in range(classes):
            p[k] = np.exp(p[k] - top)
            total += p[k]
        for k in range(classes):
            for m in range(classes):
                weight = ((p[k] if k == m else 0.0) - p[k] * p[m] / total) / (total * len(x))
                for j in range(features):
                    scaled = weight * x[i, j]
                    for n in range(features):
                        found[k * features + j, m * features + n] += scaled * x[i, n]
    for k in range(size):
        found[k, k] += penalty
    return found.reshape((classes, features, classes, features))


def jax_version():
    import jax
    import jax.numpy as jnp

    def loss(w, x, labels, penalty):
        scores = x @ w.T
        picked = jnp.take_along_axis(scores, labels[:, None], axis=1)[:, 0]
        return jnp.mean(jax.nn.logsumexp(scores, axis=1) - picked) + 0.5 * penalty * jnp.sum(w**2)

    return loss
