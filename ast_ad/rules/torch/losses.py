"""How do the loss functions of regression and classification differentiate?

``reduction``: "mean", "sum", or "none" for one loss per element (per sample).

Index: l1_loss pseudo_huber; class_weights kl_div; poisson_nll_loss gaussian_nll_loss; hinge_embedding_loss
margin_ranking_loss triplet_margin_loss. The others, and PyTorch's parameters for all: ``networks.losses``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..registry import elementwise, program
from .elementwise import absolute, clamp
from .norms import pairwise_distance
from .special import xlogy


def reduced(losses: Any, reduction: str) -> Any:
    """The mean, the sum, or the losses themselves."""
    if reduction == "mean":
        return np.mean(losses)
    return np.sum(losses) if reduction == "sum" else losses


# ----- of the difference to a target -----


@program
def l1_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """``abs(x - target)``.

    >>> float(l1_loss(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    1.0
    """
    return reduced(absolute(x - target), reduction)


def pseudo_huber(d: Any, delta: float) -> Any:
    """``d ** 2 / 2`` where ``abs(d) < delta``, else ``delta * (abs(d) - delta / 2)``.

    >>> pseudo_huber(np.array([1.0, 3.0]), 2.0)
    array([0.5, 4. ])
    """
    size = np.abs(d)
    return np.where(size < delta, 0.5 * d * d, delta * (size - 0.5 * delta))[()]


@elementwise(pseudo_huber)
def pseudo_huber_rule(ans, d, delta):
    return clamp(d, -delta, delta), NotImplemented


# ----- of classes -----


def class_weights(target: Any, kept: Any, ignore_index: int, weight: Any, x: Any) -> Any:
    """The weight of each target: that of its class, 0 where it is ignored."""
    counted = np.not_equal(target, ignore_index)
    return np.where(counted, np.ones_like(x[(0,) * np.ndim(x)]) if weight is None else weight[kept], 0)


@program
def kl_div(x: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    """``target * (log(target) - x)``; ``log_target``: the target is a logarithm too.

    ``reduction="batchmean"`` divides the sum by the length of the first axis.

    >>> float(kl_div(np.array([0.0]), np.array([1.0])))
    0.0
    """
    losses = np.exp(target) * (target - x) if log_target else xlogy(target, target) - target * x
    return np.sum(losses) / np.shape(x)[0] if reduction == "batchmean" else reduced(losses, reduction)


@program
def poisson_nll_loss(
    x: Any,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Any:
    """``exp(x) - target * x``; without ``log_input`` ``x - target * log(x + eps)``.

    ``full`` adds Stirling's approximation of the constant term.

    >>> float(poisson_nll_loss(np.array([0.0]), np.array([5.0])))
    1.0
    """
    losses = np.exp(x) - target * x if log_input else x - target * np.log(x + eps)
    if full:
        large = np.where(target > 1, target, 1)
        stirling = large * np.log(large) - large + 0.5 * np.log(2 * math.pi * large)
        losses = losses + np.where(target > 1, stirling, 0)
    return reduced(losses, reduction)


@program
def gaussian_nll_loss(
    x: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """``(log(var) + (x - target) ** 2 / var) / 2``, no variance counting as less than ``eps``.

    >>> float(gaussian_nll_loss(np.array([1.0]), np.array([3.0]), np.array([1.0])))
    2.0
    """
    bounded = np.where(var < eps, eps, var)
    losses = 0.5 * (np.log(bounded) + np.square(x - target) / bounded)
    return reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


# ----- with margins -----


@program
def hinge_embedding_loss(x: Any, target: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    """``x`` for the target 1, ``max(margin - x, 0)`` for -1, their sum for any other.

    >>> float(hinge_embedding_loss(np.array([0.25, 0.25]), np.array([1, -1])))
    0.5
    """
    apart = np.where(np.not_equal(target, 1), clamp(margin - x, 0), 0)
    return reduced(np.where(np.not_equal(target, -1), x, 0) + apart, reduction)


@program
def margin_ranking_loss(x: Any, y: Any, target: Any, margin: float = 0.0, reduction: str = "mean") -> Any:
    """``max(-target * (x - y) + margin, 0)``.

    >>> float(margin_ranking_loss(np.array([1.0]), np.array([3.0]), np.array([1.0])))
    2.0
    """
    return reduced(clamp(-target * (x - y) + margin, 0), reduction)


@program
def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """``max(distance(anchor, positive) - distance(anchor, negative) + margin, 0)``.

    ``swap``: the negative's distance from the positive counts where that is smaller.

    >>> float(triplet_margin_loss(np.zeros(2), np.zeros(2), np.array([3.0, 4.0])))
    0.0
    """
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = np.minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced(clamp(pairwise_distance(anchor, positive, p, eps) - far + margin, 0), reduction)
