"""How do the distances between all rows of arrays, ``cdist`` and ``pdist``, pass a cotangent back?

Read by the registry once the user's program has imported ``scipy.spatial.distance``. SciPy computes the
values; the program that is differentiated has the differences of all pairs of rows as an array. Where a
distance is 0 it has a kink, and the derivative is that of ``np.linalg.norm`` there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.spatial.distance as sd

from ..helpers import scatter
from ..numpy.gather import refuse
from ..registry import composite
from ..standing import stands_for


@composite(sd.cdist)
def cdist(XA, XB, metric="euclidean", *, out=None, p=2, w=None, V=None, VI=None):
    u, v = np.asarray(XA), np.asarray(XB)
    if metric == "seuclidean" and V is None:
        V = np.var(np.vstack((u, v)), axis=0, ddof=1)
    if metric == "mahalanobis" and VI is None:
        VI = inverse_covariance(np.vstack((u, v)))
    return between(u[:, None], v[None], metric, out, p, w, V, VI)


@composite(sd.pdist)
def pdist(X, metric="euclidean", *, out=None, p=2, w=None, V=None, VI=None):
    X = np.asarray(X)
    if metric == "seuclidean" and V is None:
        V = np.var(X, axis=0, ddof=1)
    if metric == "mahalanobis" and VI is None:
        VI = inverse_covariance(X)
    first, second = np.triu_indices(len(X), 1)
    return between(X[first], X[second], metric, out, p, w, V, VI)


@stands_for(sd.squareform)
def squareform(X: Any, force: str = "no", checks: bool = True) -> Any:
    X = np.asarray(X)
    if np.ndim(X) == 2:
        if checks and not np.allclose(X, np.transpose(X)):
            raise ValueError("The matrix argument must be symmetric.")
        first, second = np.triu_indices(len(X), 1)
        return X[first, second]
    n = int(np.ceil(np.sqrt(2 * len(X))))
    if n * (n - 1) != 2 * len(X):
        raise ValueError("Incompatible vector size. It must be a binomial coefficient n choose 2.")
    zeros = np.zeros((max(n, 1), max(n, 1)))
    upper = scatter(zeros, np.triu_indices(len(zeros), 1), X)
    return upper + np.transpose(upper)


@composite(sd.seuclidean)
def seuclidean(u, v, V):
    return np.linalg.norm((np.asarray(u) - np.asarray(v)) / np.sqrt(V))


def inverse_covariance(rows: Any) -> Any:
    return np.transpose(np.linalg.inv(np.atleast_2d(np.cov(np.transpose(rows)))))


def between(u: Any, v: Any, metric: Any, out: Any, p: Any, w: Any, V: Any, VI: Any) -> Any:
    """The distances along the last axis of two arrays that broadcast."""
    if out is not None:
        refuse("distances with out=", "it writes to an array", "use the result that is returned")
    weight = 1.0 if w is None else w
    if metric in ("cosine", "correlation"):
        return 1.0 - similarity(u, v, metric, w)
    d = u - v
    if metric in ("euclidean", "l2") or metric == "minkowski" and isinstance(p, int) and p == 2:
        return np.linalg.norm(np.sqrt(weight) * d, axis=-1)
    if metric in ("sqeuclidean", "sqeuclid"):
        return np.sum(weight * d * d, axis=-1)
    if metric in ("cityblock", "manhattan", "l1"):
        return np.sum(weight * np.abs(d), axis=-1)
    if metric in ("chebyshev", "chebychev"):
        return np.max(np.abs(d), axis=-1)
    if metric in ("minkowski", "mi", "m", "pnorm"):
        return np.sum(weight * np.abs(d) ** p, axis=-1) ** (1.0 / p)
    if metric == "seuclidean":
        return np.linalg.norm(d / np.sqrt(V), axis=-1)
    if metric == "mahalanobis":
        return np.sqrt(np.sum((d @ VI) * d, axis=-1))
    if metric == "canberra":
        size = np.abs(u) + np.abs(v)
        return np.sum(weight * np.abs(d) / np.where(size == 0, 1.0, size), axis=-1)
    if metric == "braycurtis":
        return np.sum(weight * np.abs(d), axis=-1) / np.sum(weight * np.abs(u + v), axis=-1)
    return refuse(f"distances with metric={metric!r}", "there is no rule for it", "write the loop out")


def similarity(u: Any, v: Any, metric: str, w: Any) -> Any:
    """The cosine of the angle between vectors, or between their deviations from the mean."""
    weight = 1.0 if w is None else w / np.sum(w)
    if metric == "correlation":
        if w is None:
            u, v = u - np.mean(u, axis=-1, keepdims=True), v - np.mean(v, axis=-1, keepdims=True)
        else:
            u = u - np.sum(weight * u, axis=-1, keepdims=True)
            v = v - np.sum(weight * v, axis=-1, keepdims=True)
    sizes = np.sqrt(np.sum(weight * u * u, axis=-1) * np.sum(weight * v * v, axis=-1))
    return np.sum(weight * u * v, axis=-1) / sizes
