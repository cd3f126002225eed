"""What do networks minimise? Every loss of ``nn.functional``; here those of differences and probabilities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....eager.dispatch import Operation, apply, binary
from ....eager.dtypes import scalar_name
from ....eager.modes import no_grad
from ....eager.operations.composing import plus, together
from ....eager.operations.pointwise import require_tensors
from ....eager.surface import FUNCTIONS
from ....eager.tensor import Tensor
from ....rules.networks import loss_parts as parts, losses as rules
from . import alignment, class_losses, margin_losses
from .alignment import *  # noqa: F403
from .class_losses import *  # noqa: F403
from .loss_options import VALID, check_broadcast, check_floating, reduced, reduction_of, warn_of_sizes
from .margin_losses import *  # noqa: F403
from .surface import functional

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "gaussian_nll_loss", "huber_loss", "kl_div",
    "l1_loss", "mse_loss", "poisson_nll_loss", "smooth_l1_loss",
    *alignment.__all__, *class_losses.__all__, *margin_losses.__all__,
]  # fmt: skip

MSE = Operation(parts.squared_error, "MseLossBackward0", ("self", "target"))
SMOOTH_L1 = Operation(parts.huber_error, "SmoothL1LossBackward0", ("self", "target"))
HUBER = Operation(parts.huber_error, "HuberLossBackward0", ("self", "target"))
BCE = Operation(parts.bce, "BinaryCrossEntropyBackward0", ("self", "target", "weight"))
BCE_LOGITS = Operation(
    parts.bce_logits, "BinaryCrossEntropyWithLogitsBackward0", ("self", "target", "weight", "pos_weight")
)


# ----- of the difference to a target


def _weighted(terms: Any, weight: Tensor, input: Tensor, how: str) -> Any:
    if weight._array.shape != input._array.shape:
        raise ValueError("Weights and input must have the same size.")
    terms = terms * weight
    return terms.sum() / weight.sum() if how == "mean" else reduced(terms, how)


@functional(rules.mse_loss)
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Any:
    """``(input - target) ** 2``.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.

    Args:
        input: of any shape.
        target: of the same shape; another one that broadcasts brings a warning.
        reduction: 'none', 'mean' or 'sum'.
        weight: of each element; the mean is divided by the sum of the weights.

    >>> import ast_ad
    >>> mse_loss(ast_ad.tensor([1.0, 3.0]), ast_ad.tensor([1.0, 1.0]))
    tensor(2.)
    """
    warn_of_sizes(input, target)
    how = reduction_of(size_average, reduce, reduction)
    check_floating("mse_cpu", input, target)
    if weight is not None:
        return _weighted(_difference(MSE, input, target, "none"), weight, input, how)
    return _difference(MSE, input, target, how)


def _difference(op: Operation, input: Tensor, target: Tensor, how: str, *options: Any) -> Any:
    """An operation whose default is the mean."""
    if how == "mean" and not options:
        return binary(op, input, target)
    return apply(op, (*together(input, target), how, *options))


@functional(rules.l1_loss)
def l1_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """``abs(input - target)``; arguments as of ``mse_loss``.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.

    >>> import ast_ad
    >>> l1_loss(ast_ad.tensor([1.0, 3.0]), ast_ad.tensor([1.0, 1.0]))
    tensor(1.)
    """
    warn_of_sizes(input, target)
    how = reduction_of(size_average, reduce, reduction)
    terms = (input - target).abs()
    return reduced(terms, how) if weight is None else _weighted(terms, weight, input, how)


@functional(rules.smooth_l1_loss)
def smooth_l1_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Any:
    """``abs(d) - beta / 2`` with ``d = input - target``; below ``beta`` the parabola that continues it.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.

    Raises:
        RuntimeError: ``beta`` is negative.

    >>> import ast_ad
    >>> smooth_l1_loss(ast_ad.tensor([1.0, 3.0]), ast_ad.tensor([1.0, 1.0]))
    tensor(0.7500)
    """
    warn_of_sizes(input, target)
    how = reduction_of(size_average, reduce, reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return reduced((input - target).abs(), how)
    check_floating("smooth_l1_cpu", input, target)
    options = () if beta == 1 else (float(beta), 1 / beta)
    return _difference(SMOOTH_L1, input, target, how, *options)


@functional(rules.huber_loss)
def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Any:
    """``d ** 2 / 2`` with ``d = input - target``; beyond ``delta`` the line that continues it.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.

    With ``weight``, of each element, the mean is still that over all elements.

    Raises:
        RuntimeError: ``delta`` is not positive.

    >>> import ast_ad
    >>> huber_loss(ast_ad.tensor([1.0, 3.0]), ast_ad.tensor([1.0, 1.0]))
    tensor(0.7500)
    """
    warn_of_sizes(input, target)
    how = reduction_of(None, None, reduction)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    check_floating("huber_cpu", input, target)
    options = () if delta == 1 else (float(delta),)
    if weight is not None:
        if weight._array.shape != input._array.shape:
            raise ValueError("Weights and input must have the same size.")
        return reduced(_difference(HUBER, input, target, "none", *options) * weight, how)
    return _difference(HUBER, input, target, how, *options)


# ----- of probabilities


@functional(rules.binary_cross_entropy)
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``-target * log(input) - (1 - target) * log(1 - input)``, times ``weight``.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.

    Args:
        input: probabilities, of any shape; no logarithm counts as less than -100.
        target: probabilities, of the same shape.
        weight: broadcasts against them.

    Raises:
        ValueError: the shapes differ.
        RuntimeError: what is no probability.

    >>> import ast_ad
    >>> binary_cross_entropy(ast_ad.tensor([0.5]), ast_ad.tensor([1.0]))
    tensor(0.6931)
    """
    how = reduction_of(size_average, reduce, reduction)
    if input._array.shape != target._array.shape:
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    x, y = input._array, target._array
    if x.dtype != y.dtype:
        raise RuntimeError(f"Found dtype {scalar_name(y.dtype)} but expected {scalar_name(x.dtype)}")
    check_floating("binary_cross_entropy", input)
    for name, values in (("input", x), ("target", y)):
        if values.size and not (values.min() >= 0 and values.max() <= 1):
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    if weight is None and how == "mean":
        return binary(BCE, input, target)
    if weight is not None:
        check_broadcast(weight, input)
    return apply(BCE, (input, target, weight, how))


@functional(rules.binary_cross_entropy_with_logits)
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Any:
    """``binary_cross_entropy(sigmoid(input), target)`` without loss of precision.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.

    Args:
        input: scores, of any shape.
        target: probabilities, of the same shape.
        weight: broadcasts against them.
        pos_weight: of the part of ``target``; broadcasts too.

    Raises:
        ValueError: the shapes of ``input`` and ``target`` differ.

    >>> import ast_ad
    >>> binary_cross_entropy_with_logits(ast_ad.tensor([0.0]), ast_ad.tensor([1.0]))
    tensor(0.6931)
    """
    how = reduction_of(size_average, reduce, reduction)
    if input._array.shape != target._array.shape:
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    if weight is None and pos_weight is None and how == "mean":
        return binary(BCE_LOGITS, input, target)
    given = [t for t in (input, target, weight, pos_weight) if t is not None]
    check_broadcast(*given[::-1])
    both = iter(together(*given))
    args = [None if t is None else next(both) for t in (input, target, weight, pos_weight)]
    return apply(BCE_LOGITS, (*args, how))


@functional(rules.kl_div)
def kl_div(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Any:
    """``target * (log(target) - input)``: how much a distribution differs from another.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.

    Args:
        input: log-probabilities.
        target: probabilities; with ``log_target`` their logarithms.
        reduction: 'none', 'mean', 'sum', or 'batchmean': the sum divided by the first length.

    >>> import ast_ad
    >>> kl_div(ast_ad.zeros(1), ast_ad.ones(1), reduction="batchmean")
    tensor(0.)
    """
    if reduction == "mean" and size_average is None and reduce is None:
        import warnings

        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
            stacklevel=3,
        )
    batch = reduction == "batchmean" and size_average is None and reduce is None
    how = "sum" if batch else reduction_of(size_average, reduce, reduction)
    if log_target:
        terms = target.exp() * (target - input)
    else:
        terms = FUNCTIONS["xlogy"](target, target) - target * input
    found = reduced(terms, how)
    return found / input._array.shape[0] if batch and input._array.ndim else found


@functional(rules.poisson_nll_loss)
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

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.

    ``full`` adds Stirling's approximation of the constant term where the target is above 1.

    >>> import ast_ad
    >>> poisson_nll_loss(ast_ad.zeros(1), ast_ad.tensor([5.0]))
    tensor(1.)
    """
    how = reduction_of(size_average, reduce, reduction)
    require_tensors("poisson_nll_loss", input=input, target=target)
    if log_input:
        terms = input.exp() - target * input
    else:
        terms = input - target * plus(input, eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        terms = terms + stirling.masked_fill(target <= 1, 0)
    return reduced(terms, how)


@functional(rules.gaussian_nll_loss)
def gaussian_nll_loss(
    input: Any,
    target: Any,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:
    """``(log(var) + (input - target) ** 2 / var) / 2``, no variance counting as less than ``eps``.

    Shapes: ``(...), (...), (...) -> ()``; ``reduction='none'``: ``(...), (...), (...) -> (...)``.

    Args:
        input: means of normal distributions.
        target: samples of them.
        var: variances, a number, or a tensor of the shape of ``input``, perhaps with a last dimension of
            length 1 or without it.
        full: whether to add the constant term.

    Raises:
        ValueError: ``var`` is negative or does not fit.

    >>> import ast_ad
    >>> gaussian_nll_loss(ast_ad.tensor([1.0]), ast_ad.tensor([3.0]), ast_ad.tensor([1.0]))
    tensor(2.)
    """
    if np.any(var._array < 0) if isinstance(var, Tensor) else var < 0:
        raise ValueError("var has negative entry/entries")
    if not isinstance(var, Tensor):
        var = Tensor._of(np.full(input._array.shape, var, input._array.dtype))
    m, n = input._array.shape, var._array.shape
    if m != n:
        if m[:-1] == n:
            var = var.unsqueeze(-1)
        elif len(m) != len(n) or sum(b for a, b in zip(m, n, strict=True) if a != b) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in VALID:
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    terms = 0.5 * (var.log() + (input - target) ** 2 / var)
    return reduced(terms + 0.5 * math.log(2 * math.pi) if full else terms, reduction)
