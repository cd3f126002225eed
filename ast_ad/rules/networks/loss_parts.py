"""Which losses have a rule of their own? Each computes, reduces and differentiates in one step.

``reduction`` is "mean", "sum" or "none". What a loss is divided by for the mean is the number of its terms;
of ``nll_at`` it is the sum of the weights.

Index: picked placed class_places; squared_error huber_error; nll_at; bce bce_logits soft_margin; multi_margin
multilabel_margin.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import helpers
from ..helpers import unbroadcast
from ..registry import nondifferentiable, vjp
from ..torch.activations import logsigmoid, sigmoid
from ..torch.elementwise import clamp
from ..torch.losses import pseudo_huber


def reduced(losses: Any, reduction: str) -> Any:
    """The losses themselves, their sum, or their mean.

    >>> float(reduced(np.array([1.0, 3.0]), "mean"))
    2.0
    """
    if reduction == "none":
        return losses
    total = np.add.reduce(losses, None)
    return total if reduction == "sum" else np.divide(total, total.dtype.type(np.size(losses)))


def share(g: Any, losses: Any, reduction: str) -> Any:
    """The cotangent of each term of ``reduced(losses, reduction)``. Reads the shape of ``losses`` only."""
    return np.divide(g, np.size(losses)) if reduction == "mean" else g


# ----- single elements -----


def picked(x: Any, places: Any) -> Any:
    """The elements of the flattened ``x`` at ``places``, which are all different.

    >>> picked(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 2]))
    array([2., 3.])
    """
    return np.take(x, places)


def placed(x: Any, places: Any, v: Any) -> Any:
    """Zeros in the shape of ``x`` with ``v`` at ``places`` of the flattened array, which are all different.

    >>> placed(np.ones((2, 2)), np.array([1, 2]), 5.0)
    array([[0., 5.],
           [5., 0.]])
    """
    out = np.zeros(np.shape(x), np.asarray(v).dtype)
    out.reshape(-1)[places] = v
    return out


@vjp(picked)
def picked_rule(g, ans, x, places):
    return placed(x, places, g), None


@vjp(placed)
def placed_rule(g, ans, x, places, v):
    return None, None, unbroadcast(picked(g, places), v)


def class_places(x: Any, target: Any, ignore_index: int) -> Any:
    """Where, in the flattened ``x``, the score of each target's class is; of class 0 where it is ignored.

    The classes are on axis 1 of ``x``, of a vector on axis 0. Reads ``x``'s shape only.

    Raises:
        IndexError: there is no such class.

    >>> class_places(np.zeros((2, 3)), np.array([2, -100]), -100)
    array([2, 3])
    """
    shape, target = np.shape(x), np.asarray(target)
    n = shape[1] if len(shape) > 1 else shape[0]
    kept = target
    if ignore_index >= 0 or target.size and np.minimum.reduce(target, None) < 0:
        kept = np.where(target == ignore_index, 0, target)
    if kept.size and (np.minimum.reduce(kept, None) < 0 or np.maximum.reduce(kept, None) >= n):
        raise IndexError(f"Target {kept[(kept < 0) | (kept >= n)].flat[0]} is out of bounds.")
    if len(shape) == 1:
        return kept
    rows, inner = np.arange(shape[0]) * n, math.prod(shape[2:])
    if len(shape) == 2:
        return rows + kept
    places = kept.reshape(shape[0], inner) * inner + rows[:, None] * inner + np.arange(inner)
    return places.reshape(kept.shape)


nondifferentiable(class_places)


def nll_at(x: Any, places: Any, weights: Any = None, reduction: str = "mean") -> Any:
    """``-weights * x`` of the elements at ``places`` of the flattened ``x``; the mean is weighted.

    An element with weight 0 does not count, even if it is infinite.

    >>> float(nll_at(np.array([[-1.0, -2.0], [-3.0, -4.0]]), np.array([0, 3])))
    2.5
    """
    found = np.take(x, places)
    if weights is None:
        return -reduced(found, reduction)
    losses = np.where(np.equal(weights, 0), 0, -weights * found)[()]
    if reduction == "none":
        return losses
    total = np.add.reduce(losses, None)
    return total if reduction == "sum" else total / np.add.reduce(weights, None)


@vjp(nll_at)
def nll_at_rule(g, ans, x, places, weights=None, reduction="mean"):
    if weights is None:
        return placed(x, places, -share(g, places, reduction)), None, None, None
    each = g / np.sum(weights) if reduction == "mean" else g
    x_bar = placed(x, places, np.where(weights == 0, 0, -weights * each))
    found = picked(x, places) + ans if reduction == "mean" else picked(x, places)
    return x_bar, None, -each * found, None


# ----- differences -----


def squared_error(x: Any, y: Any, reduction: str = "mean") -> Any:
    """``(x - y) ** 2``.

    >>> float(squared_error(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    2.0
    """
    d = np.subtract(x, y)
    if reduction == "none":
        return d * d
    flat = d.ravel()
    total = np.dot(flat, flat)
    return total if reduction == "sum" else np.divide(total, total.dtype.type(d.size))


@vjp(squared_error, broadcasts=True)
def squared_error_rule(g, ans, x, y, reduction="mean"):
    d = x - y
    x_bar = d * (2 * share(g, d, reduction))
    return x_bar, -x_bar, None


def huber_error(x: Any, y: Any, reduction: str = "mean", delta: float = 1.0, scale: float = 1.0) -> Any:
    """``scale * d ** 2 / 2`` with ``d = x - y``; beyond ``delta`` the line that continues it.

    >>> float(huber_error(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    0.75
    """
    losses = pseudo_huber(np.subtract(x, y), delta)
    return reduced(losses if scale == 1 else losses * scale, reduction)


@vjp(huber_error, broadcasts=True)
def huber_error_rule(g, ans, x, y, reduction="mean", delta=1.0, scale=1.0):
    d = x - y
    each = share(g, d, reduction)
    x_bar = clamp(d, -delta, delta) * (scale * each)
    beyond, within = np.maximum(np.abs(d) - delta, 0), np.minimum(np.abs(d), delta)
    by_scale = each * (0.5 * within * within + delta * beyond)
    return x_bar, -x_bar, None, scale * each * beyond, by_scale


# ----- of probabilities -----


def bce(p: Any, y: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """``-y * log(p) - (1 - y) * log(1 - p)``, no logarithm being less than -100, times ``weight``.

    >>> float(bce(np.array([0.0, 1.0]), np.array([1.0, 0.0])))
    100.0
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        no, yes = np.maximum(np.log1p(np.negative(p)), -100), np.maximum(np.log(p), -100)
    losses = (y - 1) * no - y * yes
    return reduced(losses if weight is None else losses * weight, reduction)


@vjp(bce, broadcasts=True)
def bce_rule(g, ans, p, y, weight=None, reduction="mean"):
    if weight is None:
        each = share(g, p * y, reduction)
    else:
        each = share(g, p * y * weight, reduction) * weight
    p_bar = each * (p - y) / np.maximum(p * (1 - p), 1e-12)
    no, yes = np.maximum(np.log1p(-p), -100), np.maximum(np.log(p), -100)
    weight_bar = None if weight is None else share(g, p * y * weight, reduction) * ((y - 1) * no - y * yes)
    return p_bar, each * (no - yes), weight_bar, None


def bce_logits(x: Any, y: Any, weight: Any = None, pos_weight: Any = None, reduction: str = "mean") -> Any:
    """``bce(sigmoid(x), y)`` without loss of precision; ``pos_weight`` multiplies the part of ``y``.

    >>> round(float(bce_logits(np.array([0.0]), np.array([1.0]))), 6)
    0.693147
    """
    if pos_weight is None:
        losses = x * (1 - y) - logsigmoid(x)
    else:
        losses = x * (1 - y) - logsigmoid(x) * (1 + (pos_weight - 1) * y)
    return reduced(losses if weight is None else losses * weight, reduction)


@vjp(bce_logits, broadcasts=True)
def bce_logits_rule(g, ans, x, y, weight=None, pos_weight=None, reduction="mean"):
    losses = x * y if pos_weight is None else x * y * pos_weight
    plain = share(g, losses if weight is None else losses * weight, reduction)
    each = plain if weight is None else plain * weight
    log = logsigmoid(x)
    if pos_weight is None:
        weight_bar = None if weight is None else plain * (x * (1 - y) - log)
        return (sigmoid(x) - y) * each, -x * each, weight_bar, None, None
    t = pos_weight * y
    weight_bar = None if weight is None else plain * (x * (1 - y) - log * (1 + t - y))
    x_bar = ((t + 1 - y) * sigmoid(x) - t) * each
    return x_bar, ((1 - pos_weight) * log - x) * each, weight_bar, -y * log * each, None


def soft_margin(x: Any, y: Any, reduction: str = "mean") -> Any:
    """``log(1 + exp(-y * x))``.

    >>> round(float(soft_margin(np.array([0.0]), np.array([1.0]))), 6)
    0.693147
    """
    return reduced(-logsigmoid(np.multiply(y, x)), reduction)


@vjp(soft_margin, broadcasts=True)
def soft_margin_rule(g, ans, x, y, reduction="mean"):
    each = sigmoid(-y * x) * -share(g, x * y, reduction)
    return y * each, x * each, None


# ----- with margins between classes -----


def rivals(x: Any, target: Any) -> Any:
    """1 for each class but the target's, 0 for that. Reads ``x``'s shape and dtype only.

    >>> rivals(np.zeros((1, 3)), np.array([1]))
    array([[1., 0., 1.]])
    """
    others = np.arange(np.shape(x)[-1]) != np.expand_dims(target, -1)
    return others.astype(np.asarray(x).dtype)


def margins(x: Any, own: Any, others: Any, margin: float) -> Any:
    """By how much each rival comes too close to the target's own score; 0 where it does not."""
    over = margin - np.expand_dims(own, -1) + x
    return np.where((over > 0) & (others > 0), over, 0)


def multi_margin(
    x: Any, target: Any, weights: Any = None, p: int = 1, margin: float = 1.0, reduction: str = "mean"
) -> Any:
    """``sum(max(0, margin - x[target] + x[i]) ** p) / n`` over the classes ``i`` but the target.

    ``target`` and ``weights`` (None: 1) have the shape of ``x`` without the last axis, that of the classes.

    Raises:
        IndexError: a target is no class.

    >>> float(multi_margin(np.array([[0.1, 0.2, 0.4]]), np.array([2])))
    0.5
    """
    if np.size(target) and (np.min(target) < 0 or np.max(target) >= np.shape(x)[-1]):
        raise IndexError("target out of range")
    own = np.take_along_axis(x, np.expand_dims(target, -1), -1)[..., 0]
    over = margins(x, own, rivals(x, target), margin)
    losses = np.sum(over if p == 1 else over * over, axis=-1) / np.shape(x)[-1]
    return reduced(losses if weights is None else losses * weights, reduction)


@vjp(multi_margin)
def multi_margin_rule(g, ans, x, target, weights=None, p=1, margin=1.0, reduction="mean"):
    own = np.take_along_axis(x, np.expand_dims(target, -1), -1)
    others = rivals(x, target)
    over = np.where(others > 0, margin - own + x, 0)
    each = share(g, target, reduction) / np.shape(x)[-1]
    slope = np.where(over > 0, others if p == 1 else 2 * over, 0)
    scaled = each if weights is None else each * weights
    bar = slope * np.expand_dims(scaled * np.ones_like(own[..., 0]), -1)
    x_bar = np.where(others > 0, bar, -np.sum(bar, axis=-1, keepdims=True))
    terms = np.sum(np.where(over > 0, over if p == 1 else over * over, 0), axis=-1)
    return x_bar, None, None if weights is None else each * terms, None, np.sum(bar), None


def listed(x: Any, target: Any) -> Any:
    """How often each row of ``target`` names each class before its first -1. Reads ``x``'s shape and dtype.

    >>> listed(np.zeros((1, 3)), np.array([[2, -1, 0]]))
    array([[0., 0., 1.]])
    """
    valid = np.logical_and.accumulate(np.asarray(target) >= 0, axis=-1)
    counts = np.zeros(np.shape(x), np.asarray(x).dtype)
    flat, chosen = counts.reshape(-1, counts.shape[-1]), np.where(valid, target, 0)
    rows = np.arange(len(flat))[:, None]
    np.add.at(flat, (rows, chosen.reshape(flat.shape)), valid.reshape(flat.shape))
    return counts


def multilabel_margin(x: Any, target: Any, reduction: str = "mean") -> Any:
    """``sum(max(0, 1 - (x[j] - x[i]))) / n`` over the classes ``j`` that are targets and ``i`` that are not.

    A row of ``target`` holds classes, of which those from the first -1 on don't count.

    >>> float(multilabel_margin(np.array([[0.5, 0.25]]), np.array([[1, -1]])))
    0.625
    """
    named = listed(x, target)
    over = 1 - np.expand_dims(x, -1) + np.expand_dims(x, -2)  # [..., j, i]
    pairs = np.expand_dims(named, -1) * np.expand_dims(named == 0, -2)
    close = np.where((over > 0) & (pairs > 0), over, 0) * pairs
    return reduced(np.sum(close, axis=(-2, -1)) / np.shape(x)[-1], reduction)


@vjp(multilabel_margin)
def multilabel_margin_rule(g, ans, x, target, reduction="mean"):
    named = listed(x, target)
    over = 1 - np.expand_dims(x, -1) + np.expand_dims(x, -2)
    pairs = np.expand_dims(named, -1) * np.where(np.expand_dims(named, -2) == 0, 1, 0)
    each = share(g, np.sum(named, axis=-1), reduction) / np.shape(x)[-1]
    active = np.where(over > 0, pairs, 0)
    slope = np.sum(active, axis=-2) - np.sum(active, axis=-1)
    return slope * np.expand_dims(each * np.ones_like(x[..., 0]), -1), None, None


nondifferentiable(rivals, listed)
helpers.METADATA.update({placed: 0, class_places: 0, rivals: 0, listed: 0})
