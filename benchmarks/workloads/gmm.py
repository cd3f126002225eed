"""Gaussian mixture: a likelihood with a loop over components, products of matrices and a log-sum-exp."""

import numpy as np

SIZE, TINY, WRT = {"points": 500, "components": 12, "n": 8}, {"points": 4, "components": 2, "n": 2}, (0, 1, 2)


def arguments(points, components, n):
    draw = np.random.default_rng(12)
    factors = np.tril(0.3 * draw.normal(size=(components, n, n))) + np.eye(n)
    return (
        draw.normal(size=components),
        draw.normal(size=(components, n)),
        factors,
        draw.normal(size=(points, n)),
    )


def logsumexp(x):
    largest = np.max(x, axis=-1, keepdims=True)
    return np.log(np.sum(np.exp(x - largest), axis=-1)) + largest[..., 0]


def primal(weights, means, factors, x):
    terms = np.zeros((x.shape[0], weights.shape[0]))
    for k in range(weights.shape[0]):
        lower = np.tril(factors[k])
        y = (x - means[k]) @ lower.T
        terms[:, k] = weights[k] + np.sum(np.log(np.abs(np.diag(lower)))) - 0.5 * np.sum(y**2, axis=1)
    return np.sum(logsumexp(terms)) - x.shape[0] * logsumexp(weights)


def written_with(np, diagonals, logsumexp):
    def likelihood(weights, means, factors, x):
        lower = np.tril(factors)
        y = np.einsum("kij,nkj->nki", lower, x[:, None, :] - means)
        scales = np.sum(np.log(np.abs(diagonals(lower))), 1)
        terms = weights + scales - 0.5 * np.sum(y**2, 2)
        return np.sum(logsumexp(terms, 1)) - x.shape[0] * logsumexp(weights, 0)

    return likelihood


def jax_version():
    import jax
    import jax.numpy as jnp

    return written_with(jnp, lambda a: jnp.diagonal(a, axis1=1, axis2=2), jax.scipy.special.logsumexp)


def torch_version():
    import torch

    return written_with(torch, lambda a: torch.diagonal(a, dim1=1, dim2=2), torch.logsumexp)


def autograd_version():
    import autograd.numpy as anp
    from autograd.scipy.special import logsumexp

    return written_with(anp, lambda a: anp.sum(a * anp.eye(a.shape[-1]), 2), logsumexp)
