"""What does a network minimise that is not told where in a sequence each label is? The CTC loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....eager.dispatch import Operation, apply
from ....eager.operations.pointwise import require_tensors
from ....eager.tensor import Tensor
from ....rules.networks import alignment as rules
from .loss_options import reduction_of
from .surface import functional

__all__ = ["ctc_loss"]

CTC = Operation(rules.ctc_costs, "CtcLossBackward0", ("log_probs", "targets"))


def _lengths(name: str, given: Any, rows: int, largest: int) -> Any:
    """Lengths as a vector, one for each row, none above ``largest``."""
    found = np.atleast_1d(np.asarray(given._array if isinstance(given, Tensor) else given))
    if found.dtype.kind not in "iu" and found.size:
        raise RuntimeError(f"{name} must be integral")
    if found.shape != (rows,):
        raise RuntimeError(f"{name} must be of size batch_size")
    if found.size and (found.min() < 0 or found.max() > largest):
        wrong = found.min() if found.min() < 0 else found.max()
        raise RuntimeError(
            f"Expected {name} to have value at most {largest} and at least 0, but got value {wrong}"
        )
    return found.astype(np.int64)


@functional(rules.ctc_loss)
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """The negative log-likelihood of targets, over all ways to align them with the input.

    Shapes: ``(T, N, C), (N, S), (N), (N) -> ()``; ``reduction='none'``:
    ``(T, N, C), (N, S), (N), (N) -> (N)``.

    The gradient is that of independent log-probabilities. PyTorch adds ``exp(log_probs)`` to it, which the
    ``log_softmax`` in front takes away again: there both give the same.

    Args:
        log_probs: of shape ``(T, N, C)`` or ``(T, C)``: ``log_softmax`` of the scores of the classes.
        targets: of shape ``(N, S)``, or one after the other in a vector.
        input_lengths: how many of the ``T`` times of each row count.
        target_lengths: how many labels each target has.
        blank: the class that stands for no label.
        reduction: 'none', 'sum', or 'mean': the mean over the rows of the loss per label.
        zero_infinity: whether targets that are too long for their input count as 0.

    Raises:
        RuntimeError: lengths or classes that do not fit.

    >>> import ast_ad
    >>> p = ast_ad.full((2, 1, 2), 0.5).log()
    >>> ctc_loss(p, ast_ad.tensor([[1]]), [2], [1]).exp()
    tensor(1.3333)
    """
    how = reduction_of(None, None, reduction)
    require_tensors("ctc_loss", log_probs=log_probs, targets=targets)
    single = log_probs._array.ndim == 2
    if single:
        log_probs = log_probs.unsqueeze(1)
    times, rows, classes = log_probs._array.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    before = _lengths("input_lengths", input_lengths, rows, times)
    t = targets._array
    if single and t.ndim == 1:
        t = t[None]
    after = _lengths("target_lengths", target_lengths, rows, t.shape[-1])
    t = rules.padded_targets(t, after)
    used = t[np.arange(t.shape[1]) < after[:, None]]
    if used.size and (used.min() < 0 or used.max() >= classes):
        raise RuntimeError(f"Expected targets to be classes below {classes}, but got {used.max()}")
    labels = np.where(np.arange(t.shape[1]) < after[:, None], t, 0)
    costs = apply(CTC, (log_probs, labels, before, after, int(blank)))
    if zero_infinity:
        costs = costs.masked_fill(Tensor._of(np.isinf(costs._array)), 0.0)
    if how == "mean":
        return (costs / Tensor._of(np.maximum(after, 1).astype(costs._array.dtype))).mean()
    if how == "sum":
        return costs.sum()
    return costs.squeeze(0) if single else costs
