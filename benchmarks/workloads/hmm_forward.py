"""Hidden Markov model: the likelihood of a sequence by the forward algorithm, scaled in each step."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"k": 12, "symbols": 24, "length": 2000}, {"k": 3, "symbols": 4, "length": 6}, (0, 1, 2)


def arguments(k, symbols, length):
    draw = np.random.default_rng(42)
    seen = draw.integers(0, symbols, length)
    return draw.normal(size=k), draw.normal(size=(k, k)), draw.normal(size=(k, symbols)), seen


def softmax(a):
    e = np.exp(a - np.max(a, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def primal(start, transitions, emissions, seen):
    p, a, b = softmax(start), softmax(transitions), softmax(emissions)
    alpha = p * b[:, seen[0]]
    scale = np.sum(alpha)
    alpha, likelihood = alpha / scale, np.log(scale)
    for t in range(1, len(seen)):
        alpha = (alpha @ a) * b[:, seen[t]]
        scale = np.sum(alpha)
        alpha = alpha / scale
        likelihood += np.log(scale)
    return likelihood


@compiled
def softmax_rows(a):
    out = np.empty_like(a)
    for i in range(a.shape[0]):
        top = np.max(a[i])
        total = 0.0
        for j in range(a.shape[1]):
            out[i, j] = np.exp(a[i, j] - top)
            total += out[i, j]
        for j in range(a.shape[1]):
            out[i, j] /= total
    return out


@compiled
def pull_softmax(p, counts):
    """From the expected counts of what has the probabilities ``p``, in rows."""
    out = np.empty_like(p)
    for i in range(p.shape[0]):
        total = np.sum(counts[i])
        for j in range(p.shape[1]):
            out[i, j] = counts[i, j] - p[i, j] * total
    return out


@compiled
def times(v, matrix, out):
    """A row times a matrix, four of its rows at once; lengths are multiples of four."""
    out[:] = 0.0
    for i in range(0, v.size, 4):
        p, q, r, s = v[i], v[i + 1], v[i + 2], v[i + 3]
        a, b, c, d = matrix[i], matrix[i + 1], matrix[i + 2], matrix[i + 3]
        for j in range(out.size):
            out[j] += p * a[j] + q * b[j] + r * c[j] + s * d[j]


@compiled
def hand(start, transitions, emissions, seen):
    """Forwards and backwards: the expected counts of starts, transitions and symbols are the gradient."""
    k, length = start.size, seen.size
    p, a, b = softmax_rows(start.reshape(1, k)), softmax_rows(transitions), softmax_rows(emissions)
    wide = (k + 3) // 4 * 4  # with zeros past the last state
    bt, forwards, backwards = np.zeros((b.shape[1], wide)), np.zeros((wide, wide)), np.zeros((wide, wide))
    bt[:, :k], forwards[:k, :k], backwards[:k, :k] = b.T, a, a.T
    alphas, inverses, ahead = np.zeros((length, wide)), np.empty(length), np.empty((length, wide))
    alphas[0, :k] = p[0]
    likelihood = 0.0
    for t in range(length):
        new, emit = alphas[t], bt[seen[t]]
        if t > 0:
            times(alphas[t - 1], forwards, new)
        scale = 0.0
        for j in range(wide):
            new[j] *= emit[j]
            scale += new[j]
        inverses[t] = 1.0 / scale
        for j in range(wide):
            new[j] *= inverses[t]
        likelihood += np.log(scale)
    symbols = np.zeros_like(bt)
    beta = np.ones(wide)
    for t in range(length - 1, 0, -1):
        alpha, count, emit, after = alphas[t], symbols[seen[t]], bt[seen[t]], ahead[t]
        for j in range(wide):
            count[j] += alpha[j] * beta[j]
            after[j] = emit[j] * beta[j] * inverses[t]
        times(after, backwards, beta)
    first = alphas[0] * beta
    symbols[seen[0]] += first
    pairs = np.dot(alphas[: length - 1].T, ahead[1:])[:k, :k] * a
    return (
        likelihood,
        pull_softmax(p, first[:k].reshape(1, k))[0],
        pull_softmax(a, pairs),
        pull_softmax(b, symbols[:, :k].T.copy()),
    )


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(start, transitions, emissions, seen):
        p, a, b = (jax.nn.softmax(x, axis=-1) for x in (start, transitions, emissions))
        b = b.T[seen]

        def step(alpha, emit):
            alpha = (alpha @ a) * emit
            scale = jnp.sum(alpha)
            return alpha / scale, scale

        alpha = p * b[0]
        scale = jnp.sum(alpha)
        _, scales = jax.lax.scan(step, alpha / scale, b[1:])
        return jnp.log(scale) + jnp.sum(jnp.log(scales))

    return cost
