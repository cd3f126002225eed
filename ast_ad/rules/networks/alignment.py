"""How does the loss of all alignments of a sequence with a shorter one differentiate (CTC)?

Graves et al., "Connectionist temporal classification", ICML 2006: a path names a class or a blank at each
time; it stands for what is left when repetitions are merged and then blanks removed. The likelihood of a
target is the sum over its paths, found by the forward-backward algorithm on the target with blanks between
its labels.

Index: ctc_costs; ctc_loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numpy.gather import refuse
from ..registry import nondifferentiable, program, vjp
from .losses import chosen


def padded_targets(targets: Any, lengths: Any) -> Any:
    """Targets one after the other as the rows of a matrix; a matrix as it is.

    >>> padded_targets(np.array([1, 2, 3]), np.array([1, 2]))
    array([[1, 0],
           [2, 3]])
    """
    if np.ndim(targets) == 2:
        return targets
    out = np.zeros((len(lengths), int(np.max(lengths, initial=0))), np.int64)
    start = 0
    for row, n in zip(out, lengths, strict=True):
        row[:n] = targets[start : start + n]
        start += n
    return out


def with_blanks(targets: Any, blank: int) -> tuple[Any, Any]:
    """The rows with a blank before, between and after their labels, and what may be reached past a blank.

    >>> labels, skips = with_blanks(np.array([[1, 1, 2]]), 0)
    >>> labels[0].tolist(), np.flatnonzero(skips[0]).tolist()
    ([0, 1, 0, 1, 0, 2, 0], [5])
    """
    labels = np.full((len(targets), 2 * targets.shape[1] + 1), blank, np.int64)
    labels[:, 1::2] = targets
    skips = np.zeros(labels.shape, bool)
    skips[:, 2:] = (labels[:, 2:] != blank) & (labels[:, 2:] != labels[:, :-2])
    return labels, skips


def _before(a: Any, k: int) -> Any:
    """The rows of ``a`` shifted ``k`` places to the right."""
    out = np.full_like(a, -np.inf)
    out[:, k:] = a[:, : a.shape[1] - k]
    return out


def forward_paths(steps: Any, skips: Any) -> Any:
    """The logarithms of the likelihoods of all paths up to each time and label."""
    out = np.full_like(steps, -np.inf)
    out[0, :, :2] = steps[0, :, :2]
    for t in range(1, len(steps)):
        arrived = np.logaddexp(out[t - 1], _before(out[t - 1], 1))
        jumped = np.where(skips, _before(out[t - 1], 2), -np.inf)
        out[t] = np.logaddexp(arrived, jumped) + steps[t]
    return out


def backward_paths(steps: Any, skips: Any, lengths: Any, ends: Any) -> Any:
    """The logarithms of the likelihoods of all paths from each time and label on, to the end of each row."""
    out = np.full_like(steps, -np.inf)
    places = np.arange(steps.shape[2])
    last = (places == ends[:, None]) | (places == ends[:, None] - 1)
    later = np.full_like(steps[0], -np.inf)
    jumps = skips[:, ::-1]
    for t in reversed(range(len(steps))):
        turned = later[:, ::-1]
        onward = np.logaddexp(turned, _before(turned, 1))
        jumped = _before(np.where(jumps, turned, -np.inf), 2)
        reached = np.logaddexp(onward, jumped)[:, ::-1]
        start = (t == lengths - 1)[:, None]
        later = np.where(start, np.where(last, 0, -np.inf), reached) + steps[t]
        out[t] = later
    return out


def _steps(log_probs: Any, labels: Any) -> Any:
    """The log-probability of each label at each time."""
    rows = np.arange(len(labels))[:, None]
    return np.asarray(log_probs, np.float64)[:, rows, labels]


def _costs(paths: Any, lengths: Any, ends: Any) -> Any:
    rows = np.arange(len(lengths))
    final = paths[np.maximum(lengths - 1, 0), rows]
    before = np.where(ends > 0, final[rows, np.maximum(ends - 1, 0)], -np.inf)
    total = np.logaddexp(final[rows, ends], before)
    return -np.where(lengths > 0, total, np.where(ends == 0, 0, -np.inf))


def ctc_costs(log_probs: Any, targets: Any, lengths: Any, target_lengths: Any, blank: int = 0) -> Any:
    """The negative log-likelihood of each target.

    ``log_probs`` has the axes time, row and class; ``targets`` is a matrix of which the first
    ``target_lengths`` entries of each row count, as do the first ``lengths`` times.

    >>> p = np.log(np.full((2, 1, 2), 0.5))
    >>> one = np.array([[1]])
    >>> float(np.exp(-ctc_costs(p, one, np.array([2]), np.array([1])))[0])  # of "01", "10" and "11"
    0.75
    """
    counted = np.arange(np.shape(targets)[1]) < np.expand_dims(target_lengths, -1)
    if np.min(targets, where=counted, initial=0) < 0:
        raise IndexError("a label of a target is negative")
    labels, skips = with_blanks(targets, blank)
    with np.errstate(invalid="ignore"):
        paths = forward_paths(_steps(log_probs, labels), skips)
        found = _costs(paths, np.asarray(lengths), 2 * np.asarray(target_lengths))
    return found.astype(log_probs.dtype)


def label_shares(log_probs: Any, targets: Any, lengths: Any, target_lengths: Any, blank: int) -> Any:
    """How likely each class is at each time, given the target; 0 where the target is impossible.

    >>> p = np.log(np.full((2, 1, 2), 0.5))
    >>> label_shares(p, np.array([[1]]), np.array([2]), np.array([1]), 0)[0, 0].round(6)
    array([0.333333, 0.666667])
    """
    labels, skips = with_blanks(targets, blank)
    lengths, ends = np.asarray(lengths), 2 * np.asarray(target_lengths)
    steps = _steps(log_probs, labels)
    with np.errstate(invalid="ignore"):
        ahead = forward_paths(steps, skips)
        costs = _costs(ahead, lengths, ends)
        both = ahead + backward_paths(steps, skips, lengths, ends) - steps + costs[:, None]
        likely = np.where(np.isfinite(both), np.exp(both), 0)
    out = np.zeros(np.shape(log_probs))
    rows = np.arange(len(labels))[:, None]
    for t in range(len(out)):
        np.add.at(out[t], (rows, labels), likely[t])
    return out.astype(log_probs.dtype)


@vjp(ctc_costs)
def ctc_costs_rule(g, ans, log_probs, targets, lengths, target_lengths, blank=0):
    shares = label_shares(log_probs, targets, lengths, target_lengths, blank)
    return np.where(shares == 0, 0, -np.expand_dims(g, -1) * shares), None, None, None, None


@vjp(label_shares)
def label_shares_rule(g, ans, log_probs, targets, lengths, target_lengths, blank):
    refuse("the second derivative of ctc_loss")
    return None, None, None, None, None


nondifferentiable(padded_targets)


@program
def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """The negative log-likelihood of each target; the mean is that of the losses per label.

    >>> p = np.log(np.full((2, 1, 2), 0.5))
    >>> float(np.exp(-ctc_loss(p, np.array([[1]]), np.array([2]), np.array([1]))))
    0.75
    """
    how = chosen(None, None, reduction)
    costs = ctc_costs(
        log_probs, padded_targets(targets, target_lengths), input_lengths, target_lengths, blank
    )
    if zero_infinity:
        costs = np.where(np.isinf(costs), 0, costs)
    if how == "mean":
        return np.mean(costs / np.maximum(target_lengths, 1))
    return np.sum(costs) if how == "sum" else costs
