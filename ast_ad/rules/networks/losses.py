"""What are the losses of ``nn.functional``, on arrays? PyTorch's parameters, our rules.

Those with margins are in ``margin_losses``.

Index: l1_loss mse_loss smooth_l1_loss huber_loss; nll_loss cross_entropy; kl_div binary_cross_entropy
binary_cross_entropy_with_logits; poisson_nll_loss gaussian_nll_loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import program
from ..torch import losses
from ..torch.softmax import log_softmax
from . import loss_parts as parts


def chosen(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction that the older arguments mean, if one of them is given.

    >>> chosen(False, None, "mean"), chosen(None, False, "mean"), chosen(None, None, "sum")
    ('sum', 'none', 'sum')
    """
    if size_average is not None or reduce is not None:
        if reduce is False:
            return "none"
        return "sum" if size_average is False else "mean"
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def weighted(terms: Any, weight: Any, how: str) -> Any:
    """The terms times weights; the mean is divided by the sum of the weights."""
    total = np.sum(terms * weight)
    if how == "mean":
        return total / np.sum(weight)
    return total if how == "sum" else terms * weight


# ----- of the difference to a target -----


@program
def l1_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """``abs(input - target)``.

    >>> float(l1_loss(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    1.0
    """
    how = chosen(size_average, reduce, reduction)
    if weight is not None:
        return weighted(losses.l1_loss(input, target, "none"), weight, how)
    return losses.l1_loss(input, target, how)


@program
def mse_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """``(input - target) ** 2``.

    >>> float(mse_loss(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    2.0
    """
    how = chosen(size_average, reduce, reduction)
    if weight is not None:
        return weighted(parts.squared_error(input, target, "none"), weight, how)
    return parts.squared_error(input, target, how)


@program
def smooth_l1_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Any:
    """``abs(d) - beta / 2`` with ``d = input - target``; below ``beta`` the parabola that continues it.

    >>> float(smooth_l1_loss(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    0.75
    """
    how = chosen(size_average, reduce, reduction)
    if beta == 0:
        return losses.l1_loss(input, target, how)
    return parts.huber_error(input, target, how, beta, 1 / beta)


@program
def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
    """``d ** 2 / 2`` with ``d = input - target``; beyond ``delta`` the line that continues it.

    >>> float(huber_loss(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    0.75
    """
    how = chosen(None, None, reduction)
    if weight is not None:
        return losses.reduced(parts.huber_error(input, target, "none", delta) * weight, how)
    return parts.huber_error(input, target, how, delta)


# ----- of classes -----


@program
def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``-weight[target] * input[target]`` along the axis of classes (axis 1, of a vector 0).

    >>> float(nll_loss(np.array([[-1.0, -2.0], [-3.0, -4.0]]), np.array([0, 1])))
    2.5
    """
    how = chosen(size_average, reduce, reduction)
    places = parts.class_places(input, target, ignore_index)
    kept = np.where(np.equal(target, ignore_index), 0, target)
    weights = losses.class_weights(target, kept, ignore_index, weight, input)
    return parts.nll_at(input, places, weights, how)


@program
def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """``nll_loss(log_softmax(input), target)``; a target of ``input``'s shape holds probabilities.

    >>> round(float(cross_entropy(np.array([[0.0, 0.0]]), np.array([1]))), 6)
    0.693147
    """
    how = chosen(size_average, reduce, reduction)
    axis = 1 if np.ndim(input) > 1 else 0
    logs, n = log_softmax(input, axis), np.shape(input)[axis]
    if np.ndim(target) == np.ndim(input):
        smooth = target * (1 - label_smoothing) + label_smoothing / n
        terms = -np.sum(by_class(logs * smooth, weight, axis), axis=axis)
        return np.sum(terms) / (np.size(input) / n) if how == "mean" else losses.reduced(terms, how)
    if label_smoothing == 0:
        return nll_loss(logs, target, weight, None, ignore_index, None, how)
    hard = nll_loss(logs, target, weight, None, ignore_index, None, how)
    ignored = np.equal(target, ignore_index)
    spread = np.where(ignored, 0, -np.sum(by_class(logs, weight, axis), axis=axis))
    if how == "mean":
        kept = np.where(ignored, 0, target)
        soft = np.sum(spread) / np.sum(losses.class_weights(target, kept, ignore_index, weight, input))
    else:
        soft = losses.reduced(spread, how)
    return (1 - label_smoothing) * hard + label_smoothing / n * soft


def by_class(x: Any, weight: Any, axis: int) -> Any:
    """``x`` times the weight of each class, along the axis of classes."""
    return x if weight is None else x * np.reshape(weight, (-1, *((1,) * (np.ndim(x) - axis - 1))))


# ----- of probabilities and distributions -----


@program
def kl_div(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Any:
    """``target * (log(target) - input)``; ``reduction="batchmean"`` divides by the length of the first axis.

    >>> float(kl_div(np.array([0.0]), np.array([1.0])))
    0.0
    """
    how = "batchmean" if reduction == "batchmean" else chosen(size_average, reduce, reduction)
    return losses.kl_div(input, target, how, log_target)


@program
def binary_cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``-target * log(input) - (1 - target) * log(1 - input)``, times ``weight``.

    >>> round(float(binary_cross_entropy(np.array([0.5]), np.array([1.0]))), 6)
    0.693147
    """
    return parts.bce(input, target, weight, chosen(size_average, reduce, reduction))


@program
def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Any:
    """``binary_cross_entropy(sigmoid(input), target)`` without loss of precision.

    >>> round(float(binary_cross_entropy_with_logits(np.array([0.0]), np.array([1.0]))), 6)
    0.693147
    """
    return parts.bce_logits(input, target, weight, pos_weight, chosen(size_average, reduce, reduction))


@program
def poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``exp(input) - target * input``; without ``log_input`` ``input - target * log(input + eps)``.

    >>> float(poisson_nll_loss(np.array([0.0]), np.array([5.0])))
    1.0
    """
    how = chosen(size_average, reduce, reduction)
    return losses.poisson_nll_loss(input, target, log_input, full, eps, how)


@program
def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """``(log(var) + (input - target) ** 2 / var) / 2``, no variance counting as less than ``eps``.

    >>> float(gaussian_nll_loss(np.array([1.0]), np.array([3.0]), np.array([1.0])))
    2.0
    """
    spread = var
    if np.ndim(var) and np.ndim(var) == np.ndim(input) - 1:
        spread = np.expand_dims(var, -1)
    return losses.gaussian_nll_loss(input, target, spread, full, eps, chosen(None, None, reduction))
