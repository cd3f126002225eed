"""How does a density estimated by Gaussian kernels depend on its data, their weights, and the points?

With ``r_ij = L^-1 (p_i - x_j)``, the covariance of a kernel being ``L L^T``, it is at the points ``p_i``
``sum_j w_j exp(-|r_ij|^2 / 2) / det(sqrt(2 pi) L)``: the compiled functions of SciPy compute these sums.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.linalg as sl
from scipy.stats import gaussian_kde
from scipy.stats._stats import gaussian_kernel_estimate, gaussian_kernel_estimate_log

from ..registry import shape, vjp
from ..standing import stands_for

NAMES = {4: "float", 8: "double"}  # of C's types by their sizes


def kernel_sums(data: Any, weights: Any, points: Any, root: Any) -> Any:
    """The density at ``points``: a row for each variable, as in ``data``; ``root`` is L, a lower triangle.

    >>> kernel_sums(np.zeros((1, 1)), np.ones(1), np.zeros((1, 1)), np.eye(1)) * math.sqrt(2 * math.pi)
    array([1.])
    """
    return _summed(gaussian_kernel_estimate, data, weights, points, root)


def log_kernel_sums(data: Any, weights: Any, points: Any, root: Any) -> Any:
    """The logarithm of ``kernel_sums``.

    >>> log_kernel_sums(np.zeros((1, 1)), np.ones(1), np.zeros((1, 1)), np.eye(1)).round(4)
    array([-0.9189])
    """
    return _summed(gaussian_kernel_estimate_log, data, weights, points, root)


def _summed(estimate: Any, data: Any, weights: Any, points: Any, root: Any) -> Any:
    data, weights, points, root = (np.require(a, requirements="W") for a in (data, weights, points, root))
    dtype = np.common_type(root, points)
    name = NAMES.get(np.dtype(dtype).itemsize, "long double")
    return estimate[name](data.T, weights[:, None], points.T, root, dtype)[:, 0]


@shape(kernel_sums, log_kernel_sums)
def shape_of_sums(data, weights, points, root):
    return (points[1],)


@vjp(kernel_sums)
def kernel_sums_rule(g, ans, data, weights, points, root):
    r, logs = distances(data, points, root)
    kernels = np.exp(logs)
    data_bar, points_bar, root_bar = of_shares(g[:, None] * weights * kernels, r, points, data, root)
    return data_bar, g @ kernels, points_bar, root_bar


@vjp(log_kernel_sums)
def log_kernel_sums_rule(g, ans, data, weights, points, root):
    r, logs = distances(data, points, root)
    kernels = np.exp(logs - ans[:, None])
    data_bar, points_bar, root_bar = of_shares(g[:, None] * weights * kernels, r, points, data, root)
    return data_bar, g @ kernels, points_bar, root_bar


def distances(data, points, root):
    """By variable, point and datum: distances in units of the kernel; and the logarithms of the kernels."""
    own, at = sl.solve_triangular(root, data, lower=True), sl.solve_triangular(root, points, lower=True)
    r = at[:, :, None] - own[:, None, :]
    norm = np.sum(np.log(np.abs(np.diagonal(root)))) + math.log(2 * math.pi) / 2 * np.shape(data)[0]
    return r, -np.sum(r * r, axis=0) / 2 - norm


def of_shares(shares, r, points, data, root):
    """The cotangents of data, points and root from those of the kernels' logarithms."""
    pulls = shares * r
    at_bar = -sl.solve_triangular(root, np.sum(pulls, axis=2), trans="T", lower=True)
    data_bar = sl.solve_triangular(root, np.sum(pulls, axis=1), trans="T", lower=True)
    own = sl.solve_triangular(root, data, lower=True)
    at = sl.solve_triangular(root, points, lower=True)
    root_bar = -np.tril(at_bar @ np.transpose(at) + data_bar @ np.transpose(own))
    root_bar = root_bar - np.diag(np.sum(shares) / np.diagonal(root))
    return data_bar, at_bar, root_bar


@stands_for(gaussian_kde.evaluate)
def evaluate(self: Any, points: Any) -> Any:
    return kernel_sums(self.dataset, self.weights, as_columns(self, points), self.cho_cov)


@stands_for(gaussian_kde.logpdf)
def logpdf(self: Any, x: Any) -> Any:
    return log_kernel_sums(self.dataset, self.weights, as_columns(self, x), self.cho_cov)


def as_columns(self: Any, points: Any) -> Any:
    points = np.atleast_2d(np.asarray(points))
    d, m = np.shape(points)
    if d == self.d:
        return points
    if d == 1 and m == self.d:  # one point, as a row
        return np.reshape(points, (self.d, 1))
    raise ValueError(f"points have dimension {d}, dataset has dimension {self.d}")
