"""Which losses ask for a margin? Between the scores of classes, between pairs of vectors, and in triplets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....eager.dispatch import Operation, apply, binary
from ....eager.dtypes import scalar_name
from ....eager.operations.composing import plus, together
from ....eager.operations.pointwise import require_tensors
from ....eager.operations.selections import where
from ....eager.surface import FUNCTIONS
from ....eager.tensor import Tensor
from ....rules.networks import loss_parts as parts, margin_losses as rules
from .activations import logsigmoid
from .distances import pairwise_distance
from .loss_options import VALID, check_broadcast, reduced, reduction_of
from .surface import functional

__all__ = [
    "cosine_embedding_loss", "hinge_embedding_loss", "margin_ranking_loss", "multi_margin_loss",
    "multilabel_margin_loss", "multilabel_soft_margin_loss", "soft_margin_loss", "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]  # fmt: skip

SOFT_MARGIN = Operation(parts.soft_margin, "SoftMarginLossBackward0", ("self", "target"))
MULTI_MARGIN = Operation(parts.multi_margin, "MultiMarginLossBackward0", ("self", "target", "weight"))
MULTILABEL_MARGIN = Operation(parts.multilabel_margin, "MultilabelMarginLossBackward0", ("self", "target"))
TINY = 1e-12  # keeps the cosine of vectors of length 0 finite


SINGLE_TARGET = "1D target tensor expects 2D input tensors, but found inputs with sizes {} and {}."
NO_TARGET = "0D target tensor expects 1D input tensors, but found inputs with sizes {} and {}."


@functional(rules.soft_margin_loss)
def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``log(1 + exp(-target * input))`` for targets 1 and -1.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.

    >>> import ast_ad
    >>> soft_margin_loss(ast_ad.zeros(2), ast_ad.ones(2))
    tensor(0.6931)
    """
    how = reduction_of(size_average, reduce, reduction)
    require_tensors("soft_margin_loss", input=input, target=target)
    shape = np.broadcast_shapes(input._array.shape, target._array.shape)
    if shape != input._array.shape:
        raise RuntimeError(
            f"output with shape {list(input._array.shape)} doesn't match the broadcast shape {list(shape)}"
        )
    if how == "mean":
        return binary(SOFT_MARGIN, input, target)
    return apply(SOFT_MARGIN, (*together(input, target), how))


@functional(rules.hinge_embedding_loss)
def hinge_embedding_loss(
    input: Any,
    target: Any,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``input`` for the target 1, ``max(margin - input, 0)`` for -1.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.

    >>> import ast_ad
    >>> hinge_embedding_loss(ast_ad.tensor([0.25, 0.25]), ast_ad.tensor([1, -1]))
    tensor(0.5000)
    """
    how = reduction_of(size_average, reduce, reduction)
    require_tensors("hinge_embedding_loss", input=input, target=target)
    zero = Tensor._of(np.zeros((), input._array.dtype))
    apart = where(target != 1, (margin - input).clamp_min(0), zero)
    return reduced(apart + where(target != -1, input, zero), how)


@functional(rules.margin_ranking_loss)
def margin_ranking_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``max(-target * (input1 - input2) + margin, 0)``; the target is 1 or -1: which should be larger.

    Shapes: ``(...), (...), (...) -> ()``; ``reduction='none'``: ``(...), (...), (...) -> (...)``.

    >>> import ast_ad
    >>> margin_ranking_loss(ast_ad.tensor([1.0]), ast_ad.tensor([3.0]), ast_ad.tensor([1.0]))
    tensor(2.)
    """
    how = reduction_of(size_average, reduce, reduction)
    require_tensors("margin_ranking_loss", input1=input1, input2=input2, target=target)
    if not input1._array.ndim == input2._array.ndim == target._array.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return reduced(plus(-target * (input1 - input2), margin).clamp_min(0), how)


@functional(rules.cosine_embedding_loss)
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

    Shapes: ``(N, D), (N, D), (N) -> ()``; ``reduction='none'``: ``(N, D), (N, D), (N) -> (N)``; ``N`` may be
    missing.

    Args:
        input1, input2: of shape ``(N, D)`` or ``(D)``.
        target: of shape ``(N)`` or ``()``.

    >>> import ast_ad
    >>> cosine_embedding_loss(ast_ad.eye(2), ast_ad.eye(2), ast_ad.tensor([1, -1]))
    tensor(0.5000)
    """
    how = reduction_of(size_average, reduce, reduction)
    require_tensors("cosine_embedding_loss", input1=input1, input2=input2, target=target)
    rank = target._array.ndim
    if rank > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if not input1._array.ndim == input2._array.ndim == rank + 1:
        text = SINGLE_TARGET if rank else NO_TARGET
        raise RuntimeError(text.format(list(input1._array.shape), list(input2._array.shape)))
    product = (input1 * input2).sum(rank)
    first, second = (plus((t * t).sum(rank), TINY) for t in (input1, input2))
    cosine = product / (first * second).sqrt()
    check_broadcast(cosine, target)
    zero = Tensor._of(np.zeros((), cosine._array.dtype))
    close = where(target == 1, 1 - cosine, zero)
    return reduced(close + where(target == -1, (cosine - margin).clamp_min(0), zero), how)


# ----- triplets


def _check_triplet(margin: float, anchor: Tensor, positive: Tensor, negative: Tensor) -> None:
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    ranks = anchor._array.ndim, positive._array.ndim, negative._array.ndim
    if len(set(ranks)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {ranks[0]}D, positive {ranks[1]}D, and negative {ranks[2]}D inputs"
        )


@functional(rules.triplet_margin_loss)
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``max(distance(anchor, positive) - distance(anchor, negative) + margin, 0)``.

    Shapes: ``(N, D), (N, D), (N, D) -> ()``; ``reduction='none'``: ``(N, D), (N, D), (N, D) -> (N)``; ``N``
    may be missing.

    Args:
        anchor, positive, negative: of shape ``(N, D)`` or ``(D)``.
        p: the order of the norm of the differences.
        eps: is added to the differences.
        swap: the negative's distance from the positive counts where that is smaller.

    >>> import ast_ad
    >>> triplet_margin_loss(ast_ad.zeros(1, 2), ast_ad.zeros(1, 2), ast_ad.tensor([[3.0, 4.0]]))
    tensor(0.)
    """
    how = reduction_of(size_average, reduce, reduction)
    require_tensors("triplet_margin_loss", anchor=anchor, positive=positive, negative=negative)
    _check_triplet(margin, anchor, positive, negative)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = FUNCTIONS["minimum"](far, pairwise_distance(positive, negative, p, eps))
    return reduced((plus(near, margin) - far).clamp_min(0), how)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Any, Any], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """``triplet_margin_loss`` with any distance.

    Shapes: ``(N, D), (N, D), (N, D) -> ()``; ``reduction='none'``: ``(N, D), (N, D), (N, D) -> (N)``.

    Args:
        distance_function: of two tensors; None: ``pairwise_distance``.

    >>> import ast_ad
    >>> a, b = ast_ad.zeros(1, 2), ast_ad.ones(1, 2)
    >>> triplet_margin_with_distance_loss(a, a, b, distance_function=lambda x, y: (x - y).abs().sum(-1))
    tensor(0.)
    """
    if reduction not in VALID:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    _check_triplet(margin, anchor, positive, negative)
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = FUNCTIONS["minimum"](far, distance(positive, negative))
    return reduced((near + margin - far).clamp_min(0), reduction)


# ----- classes


def _check_matrix(x: Any) -> None:
    if x.ndim > 2 or not x.ndim or x.shape[-1] == 0:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(x.shape)}"
        )


@functional(rules.multi_margin_loss)
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
    """``sum(max(0, margin - input[target] + input[i]) ** p) / C`` over the classes ``i`` but the target.

    Shapes: ``(N, C), (N) -> ()``; ``reduction='none'``: ``(N, C), (N) -> (N)``; ``N`` may be missing.

    Args:
        input: of shape ``(N, C)`` or ``(C)``.
        target: classes, of shape ``(N)`` or ``()``.
        p: 1 or 2.
        weight: of each class, of shape ``(C)``.

    >>> import ast_ad
    >>> multi_margin_loss(ast_ad.tensor([[0.1, 0.2, 0.4]]), ast_ad.tensor([2]))
    tensor(0.5000)
    """
    how = reduction_of(size_average, reduce, reduction)
    require_tensors("multi_margin_loss", input=input, target=target)
    x, t = input._array, target._array
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    _check_matrix(x)
    rows = x.shape[0] if x.ndim == 2 else 1
    if t.ndim > 1 or t.size != rows:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples "
            f"(batch size). Expected target size [{rows}], but got {list(t.shape)}. Input has shape "
            f"{list(x.shape)}."
        )
    if t.size and (t.min() < 0 or t.max() >= x.shape[-1]):
        raise RuntimeError("target out of range")
    if weight is not None and weight._array.shape != x.shape[-1:]:
        raise RuntimeError(
            f"inconsistent weight size, expected {x.shape[-1]} but got {list(weight._array.shape)}"
        )
    classes = t.reshape(x.shape[:-1])
    weights = None if weight is None else weight[Tensor._of(classes)]
    found = apply(MULTI_MARGIN, (input, target.reshape(classes.shape), weights, int(p), margin, how))
    return found.reshape(t.shape) if how == "none" and t.ndim > classes.ndim else found


@functional(rules.multilabel_margin_loss)
def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``sum(max(0, 1 - (input[j] - input[i]))) / C`` over the targets ``j`` and the other classes ``i``.

    Shapes: ``(N, C), (N, C) -> ()``; ``reduction='none'``: ``(N, C), (N, C) -> (N)``; ``N`` may be missing.

    Args:
        input: of shape ``(N, C)`` or ``(C)``.
        target: of the same shape; each row holds classes, of which those from the first -1 on don't count.

    >>> import ast_ad
    >>> multilabel_margin_loss(ast_ad.tensor([[0.5, 0.25]]), ast_ad.tensor([[1, -1]]))
    tensor(0.6250)
    """
    how = reduction_of(size_average, reduce, reduction)
    require_tensors("multilabel_margin_loss", input=input, target=target)
    x, t = input._array, target._array
    _check_matrix(x)
    if t.shape != x.shape:
        raise RuntimeError(f"inconsistent target size: {list(t.shape)} for input of size: {list(x.shape)}")
    if t.size and (t.min() < -1 or t.max() >= x.shape[-1]):
        raise RuntimeError("argument #2 'target' is out of range")
    if t.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {scalar_name(t.dtype)}")
    return apply(MULTILABEL_MARGIN, (input, target, how))


@functional(rules.multilabel_soft_margin_loss)
def multilabel_soft_margin_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """The mean over the classes (the last dimension) of the logistic loss of each; targets are 0 and 1.

    Shapes: ``(..., C), (..., C) -> ()``; ``reduction='none'``: ``(..., C), (..., C) -> (...)``.

    >>> import ast_ad
    >>> multilabel_soft_margin_loss(ast_ad.zeros(1, 2), ast_ad.ones(1, 2))
    tensor(0.6931)
    """
    if size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce, reduction)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    loss = loss.sum(dim=-1) / input._array.shape[-1]
    if reduction not in VALID:
        raise ValueError(f"{reduction} is not valid")
    return reduced(loss, reduction)
