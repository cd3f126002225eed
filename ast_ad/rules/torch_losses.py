"""How do the loss functions of regression and classification differentiate?

``reduction``: "mean", "sum", or "none" for one loss per element (per sample).

Index: mse_loss l1_loss smooth_l1_loss huber_loss; nll_loss cross_entropy kl_div binary_cross_entropy
binary_cross_entropy_with_logits; soft_margin_loss hinge_embedding_loss margin_ranking_loss
cosine_embedding_loss triplet_margin_loss poisson_nll_loss gaussian_nll_loss.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .registry import elementwise, program
from .torch_activations import logsigmoid
from .torch_elementwise import absolute, clamp
from .torch_gather import gather
from .torch_norms import cosine_similarity, pairwise_distance
from .torch_softmax import log_softmax
from .torch_special import xlogy


def reduced(losses: Any, reduction: str) -> Any:
    """The mean, the sum, or the losses themselves."""
    if reduction == "mean":
        return np.mean(losses)
    return np.sum(losses) if reduction == "sum" else losses


# ----- of the difference to a target -----


@program
def mse_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """``(x - target) ** 2``.

    >>> float(mse_loss(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    2.0
    """
    return reduced(np.square(x - target), reduction)


@program
def l1_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """``abs(x - target)``.

    >>> float(l1_loss(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    1.0
    """
    return reduced(absolute(x - target), reduction)


@program
def smooth_l1_loss(x: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Any:
    """``abs(d) - beta / 2`` with ``d = x - target``; below ``beta`` the parabola that continues it.

    >>> float(smooth_l1_loss(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    0.75
    """
    if beta == 0:
        return l1_loss(x, target, reduction)
    return reduced(pseudo_huber(x - target, beta) / beta, reduction)


@program
def huber_loss(x: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """``d ** 2 / 2`` with ``d = x - target``; beyond ``delta`` the line that continues it.

    >>> float(huber_loss(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    0.75
    """
    return reduced(pseudo_huber(x - target, delta), reduction)


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


def kept_targets(target: Any, ignore_index: int, n: int) -> Any:
    """The classes with 0 in place of the ignored ones, after a check that they are in ``range(n)``.

    >>> kept_targets(np.array([2, -100]), -100, 3)
    array([2, 0])
    """
    kept = np.where(np.equal(target, ignore_index), 0, target)
    if np.any((kept < 0) | (kept >= n)):
        raise IndexError(f"Target {kept[(kept < 0) | (kept >= n)].flat[0]} is out of bounds.")
    return kept


def class_weights(target: Any, kept: Any, ignore_index: int, weight: Any, x: Any) -> Any:
    """The weight of each target: that of its class, 0 where it is ignored."""
    counted = np.not_equal(target, ignore_index)
    return np.where(counted, np.ones_like(x[(0,) * np.ndim(x)]) if weight is None else weight[kept], 0)


@program
def nll_loss(
    x: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"
) -> Any:
    """``-weight[target] * x[target]`` along the axis of classes of ``x`` (axis 1, of a vector 0).

    The mean is weighted. Targets equal to ``ignore_index`` don't count.

    >>> float(nll_loss(np.array([[-1.0, -2.0], [-3.0, -4.0]]), np.array([0, 1])))
    2.5
    """
    axis = 1 if np.ndim(x) > 1 else 0
    kept = kept_targets(target, ignore_index, np.shape(x)[axis])
    weights = class_weights(target, kept, ignore_index, weight, x)
    picked = np.squeeze(gather(x, axis, np.expand_dims(kept, axis)), axis)
    losses = np.where(np.equal(target, ignore_index), 0, -weights * picked)
    return np.sum(losses) / np.sum(weights) if reduction == "mean" else reduced(losses, reduction)


@program
def cross_entropy(
    x: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """``nll_loss(log_softmax(x), target)``; a target of ``x``'s shape holds the probabilities of the classes.

    >>> round(float(cross_entropy(np.array([[0.0, 0.0]]), np.array([1]))), 6)
    0.693147
    """
    axis = 1 if np.ndim(x) > 1 else 0
    logs, n = log_softmax(x, axis), np.shape(x)[axis]
    per_class = 1 if weight is None else np.reshape(weight, (-1, *((1,) * (np.ndim(x) - axis - 1))))
    if np.ndim(target) == np.ndim(x):
        smooth = target * (1 - label_smoothing) + label_smoothing / n
        losses = -np.sum(logs * smooth * per_class, axis=axis)
        return np.sum(losses) / (np.size(x) / n) if reduction == "mean" else reduced(losses, reduction)
    hard = nll_loss(logs, target, weight, ignore_index, reduction)
    if label_smoothing == 0:
        return hard
    spread = np.where(np.equal(target, ignore_index), 0, -np.sum(logs * per_class, axis=axis))
    if reduction == "mean":
        kept = kept_targets(target, ignore_index, n)
        soft = np.sum(spread) / np.sum(class_weights(target, kept, ignore_index, weight, x))
    else:
        soft = reduced(spread, reduction)
    return (1 - label_smoothing) * hard + label_smoothing / n * soft


@program
def kl_div(x: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    """``target * (log(target) - x)``; ``log_target``: the target is a logarithm too.

    ``reduction="batchmean"`` divides the sum by the length of the first axis.

    >>> float(kl_div(np.array([0.0]), np.array([1.0])))
    0.0
    """
    losses = np.exp(target) * (target - x) if log_target else xlogy(target, target) - target * x
    return np.sum(losses) / np.shape(x)[0] if reduction == "batchmean" else reduced(losses, reduction)


def cross_entropies(p: Any, target: Any) -> Any:
    """``-target * log(p) - (1 - target) * log(1 - p)``, no logarithm being less than -100.

    >>> cross_entropies(np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    array([100., 100.])
    """
    with np.errstate(divide="ignore"):
        return (target - 1) * np.maximum(np.log1p(-p), -100) - target * np.maximum(np.log(p), -100)


@elementwise(cross_entropies)
def cross_entropies_rule(ans, p, target):
    by_target = np.maximum(np.log1p(-p), -100) - np.maximum(np.log(p), -100)
    return (p - target) / np.maximum(p * (1 - p), 1e-12), by_target


@program
def binary_cross_entropy(p: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """``-target * log(p) - (1 - target) * log(1 - p)``, times ``weight``.

    >>> round(float(binary_cross_entropy(np.array([0.5]), np.array([1.0]))), 6)
    0.693147
    """
    losses = cross_entropies(p, target)
    return reduced(losses if weight is None else losses * weight, reduction)


@program
def binary_cross_entropy_with_logits(
    x: Any, target: Any, weight: Any = None, reduction: str = "mean", pos_weight: Any = None
) -> Any:
    """``binary_cross_entropy(sigmoid(x), target)`` without loss of precision.

    ``pos_weight`` multiplies the part of ``target``.

    >>> round(float(binary_cross_entropy_with_logits(np.array([0.0]), np.array([1.0]))), 6)
    0.693147
    """
    slope = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
    losses = (1 - target) * x - slope * logsigmoid(x)
    return reduced(losses if weight is None else losses * weight, reduction)


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
def soft_margin_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """``log(1 + exp(-target * x))`` for targets 1 and -1.

    >>> round(float(soft_margin_loss(np.array([0.0]), np.array([1.0]))), 6)
    0.693147
    """
    return reduced(-logsigmoid(target * x), reduction)


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
def cosine_embedding_loss(x: Any, y: Any, target: Any, margin: float = 0.0, reduction: str = "mean") -> Any:
    """``1 - cos(x, y)`` for the target 1, ``max(cos(x, y) - margin, 0)`` for -1.

    >>> float(cosine_embedding_loss(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0]]), np.array([1])))
    1.0
    """
    cosine = cosine_similarity(x, y, -1)
    apart = np.where(np.equal(target, -1), clamp(cosine - margin, 0), 0)
    return reduced(np.where(np.equal(target, 1), 1 - cosine, 0) + apart, reduction)


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
