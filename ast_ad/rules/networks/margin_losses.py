"""What are the losses with margins of ``nn.functional``, on arrays? PyTorch's parameters, our rules.

Index: soft_margin_loss hinge_embedding_loss margin_ranking_loss cosine_embedding_loss triplet_margin_loss
multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import program
from ..torch import losses
from ..torch.activations import logsigmoid
from ..torch.elementwise import clamp
from . import loss_parts as parts
from .losses import chosen


@program
def soft_margin_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``log(1 + exp(-target * input))`` for targets 1 and -1.

    >>> round(float(soft_margin_loss(np.array([0.0]), np.array([1.0]))), 6)
    0.693147
    """
    return parts.soft_margin(input, target, chosen(size_average, reduce, reduction))


@program
def hinge_embedding_loss(
    input: Any,
    target: Any,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``input`` for the target 1, ``max(margin - input, 0)`` for -1.

    >>> float(hinge_embedding_loss(np.array([0.25, 0.25]), np.array([1, -1])))
    0.5
    """
    return losses.hinge_embedding_loss(input, target, margin, chosen(size_average, reduce, reduction))


@program
def margin_ranking_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``max(-target * (input1 - input2) + margin, 0)``.

    >>> float(margin_ranking_loss(np.array([1.0]), np.array([3.0]), np.array([1.0])))
    2.0
    """
    how = chosen(size_average, reduce, reduction)
    return losses.margin_ranking_loss(input1, input2, target, margin, how)


@program
def cosine_embedding_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``1 - cos(input1, input2)`` for the target 1, ``max(cos(input1, input2) - margin, 0)`` for -1.

    >>> float(cosine_embedding_loss(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0]]), np.array([1])))
    1.0
    """
    how = chosen(size_average, reduce, reduction)
    lengths = (np.sum(input1 * input1, axis=-1) + 1e-12) * (np.sum(input2 * input2, axis=-1) + 1e-12)
    cosine = np.sum(input1 * input2, axis=-1) / np.sqrt(lengths)
    apart = np.where(np.equal(target, -1), clamp(cosine - margin, 0), 0)
    return losses.reduced(np.where(np.equal(target, 1), 1 - cosine, 0) + apart, how)


@program
def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``max(distance(anchor, positive) - distance(anchor, negative) + margin, 0)``.

    >>> float(triplet_margin_loss(np.zeros(2), np.zeros(2), np.array([3.0, 4.0])))
    0.0
    """
    how = chosen(size_average, reduce, reduction)
    return losses.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, how)


@program
def multi_margin_loss(
    input: Any,
    target: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``sum(max(0, margin - input[target] + input[i]) ** p) / n`` over the classes ``i`` but the target.

    >>> float(multi_margin_loss(np.array([[0.1, 0.2, 0.4]]), np.array([2])))
    0.5
    """
    how = chosen(size_average, reduce, reduction)
    classes = np.reshape(target, np.shape(input)[:-1])
    weights = None if weight is None else weight[classes]
    return parts.multi_margin(input, classes, weights, p, margin, how)


@program
def multilabel_margin_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``sum(max(0, 1 - (input[j] - input[i]))) / n`` over the targets ``j`` and the other classes ``i``.

    >>> float(multilabel_margin_loss(np.array([[0.5, 0.25]]), np.array([[1, -1]])))
    0.625
    """
    return parts.multilabel_margin(input, target, chosen(size_average, reduce, reduction))


@program
def multilabel_soft_margin_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """The mean over the classes of the logistic loss of each.

    >>> round(float(multilabel_soft_margin_loss(np.zeros((1, 2)), np.ones((1, 2)))), 6)
    0.693147
    """
    how = chosen(size_average, reduce, reduction)
    terms = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    each = np.mean(terms if weight is None else terms * weight, axis=-1)
    return losses.reduced(each, how)
