"""What do classifiers minimise? The negative log-likelihood of classes, and cross entropy."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ....eager.dispatch import Operation, apply, unary
from ....eager.dtypes import scalar_name
from ....eager.node import next_number
from ....eager.operations.activations import LOG_SOFTMAX, refuse_softmax
from ....eager.operations.composing import over, plus, times
from ....eager.operations.pointwise import require_tensors
from ....eager.recording import needs_grad, showing
from ....eager.state import restore, silence, state, watch
from ....eager.tensor import Tensor
from ....eager.views import edge_of
from ....rules.networks import loss_parts as parts, losses as rules
from .loss_options import reduction_of
from .surface import functional

__all__ = ["cross_entropy", "nll_loss"]

NLL = Operation(parts.nll_at, "NllLossBackward0", keeps=("self",))
MANY = 4096  # rows: the places where those of a larger matrix start are not kept
NLL_2D = Operation(parts.nll_at, "NllLoss2DBackward0", keeps=("self",))


@functional(rules.nll_loss)
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    """``-weight[target] * input[target]``: the negative log-likelihood of the target classes.

    Shapes: ``(N, C, ...), (N, ...) -> ()``, ``(C), () -> ()``; ``reduction='none'``:
    ``(N, C, ...), (N, ...) -> (N, ...)``, ``(C), () -> ()``.

    Args:
        input: log-probabilities, of shape ``(C)``, ``(N, C)`` or ``(N, C, d1, ...)``.
        target: classes, of shape ``()``, ``(N)`` or ``(N, d1, ...)``.
        weight: of each class, of shape ``(C)``; the mean is weighted.
        ignore_index: a target that does not count.
        reduction: 'none', 'mean' or 'sum'.

    Raises:
        IndexError: a target is no class.
        ValueError, RuntimeError: the shapes or dtypes do not fit.

    >>> import ast_ad
    >>> nll_loss(ast_ad.tensor([[-1.0, -2.0], [-3.0, -4.0]]), ast_ad.tensor([0, 1]))
    tensor(2.5000)
    """
    how = reduction_of(size_average, reduce, reduction)
    require_tensors("nll_loss_nd", input=input, target=target)
    return _nll(input, target, weight, ignore_index, how)


def _nll(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, how: str) -> Any:
    x, t = input._array, target._array
    _check_targets(x, t, weight)
    if x.ndim > 2:
        return _nll_of_images(input, t, weight, ignore_index, how)
    if x.ndim == 1 and t.ndim == 1:
        t = t[0]
    return _recorded(NLL, input, t, weight, ignore_index, how)


def _check_targets(x: Any, t: Any, weight: Tensor | None) -> None:
    if x.ndim == 0:
        raise ValueError(f"Expected 1 or more dimensions (got {x.ndim})")
    if x.ndim == 1:
        if t.ndim == 1 and t.size != 1:
            raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {t.size}")
    elif t.ndim and x.shape[0] != t.shape[0]:
        raise ValueError(
            f"Expected input batch_size ({x.shape[0]}) to match target batch_size ({t.shape[0]})."
        )
    if x.ndim <= 2 and t.ndim > 1 or x.ndim == 2 and not t.ndim:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if x.ndim > 2 and t.shape != (x.shape[0], *x.shape[2:]):
        if x.ndim == 4 and t.ndim == 3:
            raise RuntimeError(f"size mismatch (got input: {list(x.shape)} , target: {list(t.shape)}")
        raise RuntimeError(f"Expected target size {[x.shape[0], *x.shape[2:]]}, got {list(t.shape)}")
    if t.dtype != np.int64 and t.dtype != np.uint8:
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {scalar_name(t.dtype)}")
    n = x.shape[1] if x.ndim > 1 else x.shape[0]
    if weight is not None and weight._array.shape != (n,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {n} classes or no classes but got weight tensor "
            f"of shape: {list(weight._array.shape)}"
        )


def _nll_of_images(input: Tensor, t: Any, weight: Tensor | None, ignore_index: int, how: str) -> Any:
    """The loss of every pixel; other ranks than that of images are taken for those of one row."""
    x = input._array
    if x.ndim == 4:
        return _recorded(NLL_2D, input, t, weight, ignore_index, how)
    rows = input.reshape(x.shape[0], x.shape[1], 1, x[:1, :1].size)
    found = _recorded(NLL_2D, rows, t.reshape(t.shape[0], 1, rows._array.shape[3]), weight, ignore_index, how)
    return found.view(*t.shape) if how == "none" else found


def _recorded(op: Operation, input: Tensor, t: Any, weight: Tensor | None, ignore: int, how: str) -> Any:
    def total() -> Any:
        """The weights of all targets that count; without a reduction nobody asks for their sum."""
        counted = t[t != ignore] if how != "none" else t[:0].ravel()
        weights = np.ones(counted.shape) if weight is None else weight._array[counted]
        return np.asarray(np.sum(weights), input._array.dtype)

    found = _loss_at(op, input, t, weight, ignore, how)
    number = ("none", "mean", "sum").index(how)
    return showing(
        found, target=t, weight=weight, ignore_index=ignore % 2**64, reduction=number, total_weight=total
    )


def _loss_at(op: Operation, input: Tensor, t: Any, weight: Tensor | None, ignore: int, how: str) -> Any:
    x = input._array
    if t.dtype != np.int64:
        t = t.astype(np.int64)
    if weight is None and how == "mean" and x.ndim == 2 and _all_count(x, t, ignore):
        starts = _starts if t.size <= MANY else _starts.__wrapped__
        return _nll_of_rows(op, input, starts(*x.shape) + t)
    places = parts.class_places(x, t, ignore)
    counted = t != ignore
    weights: Any = None
    if weight is not None:
        weights = _weights(weight, np.where(counted, t, 0), counted)
    elif np.count_nonzero(counted) != t.size:
        weights = np.asarray(counted).astype(x.dtype)
    if weights is None and how == "mean":
        return apply(op, (input, places))
    return apply(op, (input, places, weights, how))


def _all_count(x: Any, t: Any, ignore: int) -> bool:
    """Whether every target is a class and none is ignored."""
    return bool(ignore < 0 < t.size and t.view(np.uint64).max() < x.shape[1])


@functools.lru_cache(maxsize=16)
def _starts(rows: int, classes: int) -> Any:
    """Where each row of a matrix starts."""
    found = np.arange(rows) * classes
    found.flags.writeable = False
    return found


def _nll_of_rows(op: Operation, input: Tensor, places: Any) -> Any:
    """The mean loss of the elements at ``places``, recorded in the fewest steps."""
    if not state.grad or input._view is not None or not state.ordinary or watch.anomaly or watch.profiler:
        return apply(op, (input, places))
    token = silence()
    try:
        out = np.asarray(parts.nll_at(input._array, places))
    finally:
        restore(token)
    t = Tensor._of(out)
    if not input._requires_grad:
        return t
    plan = op.short[1]
    if plan is None:
        plan = op.short[1] = op.plan((True, False), (), False, False)
    node = op.node()
    if not plan.save_one(node, t._version_counter, input, out, input._array, (places,)):
        return apply(op, (input, places))
    node.slice, node._meta = plan, (out.shape, out.dtype)
    node._live = node._edges = (edge_of(input),)
    node._number = next_number()
    t._node, t._requires_grad = node, True
    return t


def _weights(weight: Any, kept: Any, counted: Any) -> Any:
    """The weight of each target, a tensor if it needs a gradient."""
    if not needs_grad(weight):
        w = weight._array
        return np.where(counted, w[kept], w.dtype.type(0))
    each: Any = weight[Tensor._of(np.asarray(kept))]
    return each * Tensor._of(np.asarray(counted).astype(weight._array.dtype))


@functional(rules.cross_entropy)
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """``nll_loss(log_softmax(input), target)``.

    Shapes: ``(N, C, ...), (N, ...) -> ()``, ``(C), () -> ()``; ``reduction='none'``:
    ``(N, C, ...), (N, ...) -> (N, ...)``, ``(C), () -> ()``; a target of probabilities has the shape of
    ``input``.

    Args:
        input: scores, of shape ``(C)``, ``(N, C)`` or ``(N, C, d1, ...)``.
        target: classes, of shape ``()``, ``(N)`` or ``(N, d1, ...)``, or the probabilities of all classes, in
            the shape of ``input``.
        weight: of each class, of shape ``(C)``; the mean over classes is weighted.
        ignore_index: a target that does not count.
        reduction: 'none', 'mean' or 'sum'.
        label_smoothing: how much of the probability is spread evenly over all classes.

    Raises:
        IndexError: a target is no class.
        ValueError, RuntimeError: the shapes or dtypes do not fit.

    >>> import ast_ad
    >>> cross_entropy(ast_ad.zeros(3, 4), ast_ad.tensor([0, 1, 3]))
    tensor(1.3863)
    """
    how = reduction_of(size_average, reduce, reduction)
    require_tensors("cross_entropy_loss", input=input, target=target)
    x, t = input._array, target._array
    if x.shape == t.shape:
        return _soft(input, target, weight, ignore_index, how, label_smoothing)
    if label_smoothing:
        _check_smoothing(label_smoothing)
        _check_targets(x, t, weight)
    logs = _log_probabilities(input)
    hard = _nll(logs, target, weight, ignore_index, how)
    if not label_smoothing:
        return hard
    return _smoothed(hard, logs, target, weight, ignore_index, how, label_smoothing)


def _check_smoothing(label_smoothing: float) -> None:
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")


def _log_probabilities(input: Tensor) -> Any:
    x = input._array
    axis = 1 if x.ndim > 1 else 0
    if x.dtype.kind != "f":
        refuse_softmax("log_softmax", x.dtype, x.ndim, axis)
    return unary(LOG_SOFTMAX, input) if x.ndim < 3 else apply(LOG_SOFTMAX, (input, axis))


def _soft(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore: int, how: str, smoothing: float
) -> Any:
    """Cross entropy with the probabilities of all classes."""
    x, t = input._array, target._array
    if t.dtype.kind not in "fc":
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {scalar_name(t.dtype)}"
        )
    if ignore >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    axis = 1 if x.ndim > 1 else 0
    n = x.shape[axis]
    if weight is not None and weight._array.shape != (n,):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {n} classes or no classes but "
            f"got weight tensor of shape: {list(weight._array.shape)}"
        )
    logs = _log_probabilities(input)
    if smoothing:
        _check_smoothing(smoothing)
        target = plus(times(target, 1 - smoothing), smoothing / n)
    terms = logs * target
    if weight is not None:
        terms = terms * weight.view(*([1] * axis), n, *([1] * (x.ndim - axis - 1)))
    if how == "none":
        return -terms.sum(axis)
    return -terms.sum() if how == "sum" else over(-terms.sum(), x.size // n)


def _smoothed(
    hard: Any, logs: Any, target: Tensor, weight: Tensor | None, ignore: int, how: str, smoothing: float
) -> Any:
    """The loss of the classes, mixed with that of a distribution that is even over all of them."""
    x, t = logs._array, target._array
    axis = 1 if x.ndim > 1 else 0
    n = x.shape[axis]
    counted = t != ignore
    terms = logs
    if weight is not None:
        terms = logs * weight.view(*([1] * axis), n, *([1] * (x.ndim - axis - 1)))
    spread = -terms.sum(axis)
    ignored = Tensor._of(np.asarray(~counted).reshape(spread._array.shape))
    spread = spread.masked_fill(ignored, 0.0)
    if how == "mean":
        if weight is None:
            total = Tensor._of(np.asarray(np.count_nonzero(counted), x.dtype))
        else:
            total = _weights(weight, np.where(counted, t, 0), counted)
            total = total.sum() if isinstance(total, Tensor) else Tensor._of(np.asarray(total.sum()))
        spread = spread.sum() / total
    elif how == "sum":
        spread = spread.sum()
    return times(hard, 1 - smoothing) + times(spread, smoothing / n)
