"""How are words looked up? Rows of a table, one by one or in bags, and the classes as unit vectors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ....eager.dispatch import Operation, apply
from ....eager.dtypes import legacy_name
from ....eager.modes import no_grad
from ....eager.operations.pointwise import require_tensors
from ....eager.tensor import Tensor
from ....rules.networks import embedding as rules
from ....rules.numpy import gather as gathering
from .surface import functional

__all__ = ["embedding", "embedding_bag", "one_hot"]

ROWS = Operation(rules.rows_at, "EmbeddingBackward0", ("weight", "indices"))
BAGS = Operation(rules.bag_totals, "EmbeddingBagBackward0", ("weight",))
LARGEST = Operation(gathering.gather, "EmbeddingBagBackward0", ("weight",))


SWAPPED = (
    "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
    "deprecated, and should now be `embedding_bag(input, weight, ...)`."
)


def _check_index(name: str, index: Any) -> None:
    if index.dtype != np.int64 and index.dtype != np.int32:
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {legacy_name(index.dtype)} instead (while checking arguments for {name})"
        )


def padding_row(padding_idx: int | None, n: int) -> int | None:
    """The row that is padding, counted from the first.

    Raises:
        AssertionError: there is no such row.
    """
    if padding_idx is None:
        return None
    if not -n <= padding_idx < n:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx % n


def _renormalize(weight: Tensor, index: Any, max_norm: float, norm_type: float) -> None:
    """Scale the rows that are read and longer than ``max_norm`` down to it, in place."""
    rows = np.unique(index)
    rules.check_rows(rows, weight._array.shape[0])
    lengths = np.linalg.norm(weight._array[rows], norm_type, axis=1)
    long = lengths > max_norm
    if not long.any():
        return
    factors = (max_norm / (lengths[long] + 1e-7)).astype(weight._array.dtype)
    with no_grad():
        weight[Tensor._of(rows[long])] = Tensor._of(weight._array[rows[long]] * factors[:, None])


@functional(rules.embedding)
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """The rows of ``weight`` at ``input``.

    Shapes: ``(...), (V, D) -> (..., D)``.

    Args:
        input: integers, of any shape ``(*)``.
        weight: of shape ``(V, D)``.
        padding_idx: a row that gets no gradient.
        max_norm: rows that are longer are first scaled to this length, in place.
        norm_type: the order of the norm that measures them.
        scale_grad_by_freq: whether the gradient of a row is divided by how often it occurs in ``input``.
        sparse: has no effect: gradients are dense.

    Returns:
        A tensor of shape ``(*, D)``.

    Raises:
        IndexError: there is no such row.

    >>> import ast_ad
    >>> table = ast_ad.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> ast_ad.nn.functional.embedding(ast_ad.tensor([1, 0, 1]), table)
    tensor([[3., 4.],
            [1., 2.],
            [3., 4.]])
    """
    require_tensors("embedding", input=input, weight=weight)
    index, n = input._array, len(weight._array) if weight._array.ndim else 0
    if weight._array.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    padding = padding_row(padding_idx, n)
    _check_index("embedding", index)
    if max_norm is not None:
        _renormalize(weight, index, max_norm, norm_type)
    if padding is None and not scale_grad_by_freq:
        return apply(ROWS, (weight, input))
    return apply(ROWS, (weight, input, padding, scale_grad_by_freq))


def _starts(input: Tensor, offsets: Tensor | None, include_last: bool) -> tuple[Any, Any, int]:
    """The rows that are read, the bag of each, and how many bags there are."""
    index = input._array
    if index.ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
                f"length sequences. However, found offsets of type {_type_text(offsets)}"
            )
        n, each = index.shape
        return index.reshape(-1), np.repeat(np.arange(n), each), n
    if index.ndim != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {index.ndim}")
    if not isinstance(offsets, Tensor):
        raise ValueError(f"offsets has to be a 1D Tensor but got {offsets}")
    starts = offsets._array
    if starts.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    if starts.size and starts[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position "
            f"0. However, got {starts[0]}"
        )
    if starts.size and starts[-1] > index.size:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {index.size} but got offsets[-1] of "
            f"{starts[-1]}"
        )
    n = starts.size - include_last
    return index, rules.bags_of(starts, index.size, include_last), n


def _check_rows(index: Any, rows: int) -> None:
    for place in np.flatnonzero((index < 0) | (index >= rows))[:1]:
        raise RuntimeError(
            f"Index {place} of input takes value {index[place]} which is not in the valid range [0, {rows})"
        )


def _type_text(t: Any) -> str:
    return "<class 'torch.Tensor'>" if type(t) is Tensor else str(type(t))


def _check_bags(input: Tensor, mode: str, scale: bool, sample_weights: Tensor | None) -> None:
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if sample_weights is None:
        return
    if sample_weights._array.shape != input._array.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({sample_weights.size()}) is not None, then it must have "
            f"the same shape as the input ({input.size()})"
        )
    if mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
            f"mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )


@functional(rules.embedding_bag)
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """The sums, means or largest elements of bags of rows of ``weight``.

    Shapes: ``(N, L), (V, D) -> (N, D)``; of a vector: ``(L), (V, D), (N) -> (N, D)``.

    Args:
        input: integers: a matrix with a bag in each row, or a vector of bags one after the other.
        weight: of shape ``(V, D)``.
        offsets: where the bags of a vector start.
        mode: 'sum', 'mean' or 'max'.
        per_sample_weights: what each row is multiplied by, for ``mode='sum'``, in the shape of ``input``.
        include_last_offset: whether the last offset is no start of a bag, but the end of the last one, which
            is the length of the vector.
        padding_idx: a row that counts in no bag.
        max_norm, norm_type, scale_grad_by_freq, sparse: as of ``embedding``.

    Returns:
        A tensor of shape ``(number of bags, D)``; 0 for a bag without rows.

    >>> import ast_ad
    >>> table = ast_ad.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> embedding_bag(ast_ad.tensor([[0, 1]]), table)
    tensor([[2., 3.]])
    """
    require_tensors("embedding_bag", input=input, weight=weight)
    if weight._array.dtype.kind in "iu" and input._array.dtype.kind == "f":
        warnings.warn(SWAPPED, stacklevel=3)
        weight, input = input, weight
    _check_bags(input, mode, scale_grad_by_freq, per_sample_weights)
    index, bags, n = _starts(input, offsets, include_last_offset)
    _check_index("embedding_bag", index)
    padding = padding_row(padding_idx, weight._array.shape[0])
    _check_rows(index, weight._array.shape[0])
    if max_norm is not None:
        _renormalize(weight, index, max_norm, norm_type)
    if mode == "max":
        if padding is not None:
            index, bags = index[index != padding], bags[index != padding]
        return apply(LARGEST, (weight, rules.largest_places(weight._array, index, bags, n)))
    factors: Any = rules.bag_factors(weight._array, index, bags, n, mode, padding)
    if per_sample_weights is not None:
        given = per_sample_weights.reshape(-1) if input._array.ndim == 2 else per_sample_weights
        factors = given if padding is None else given * Tensor._of(factors)
    flat = input.reshape(-1) if input._array.ndim == 2 else input  # a tensor: that it changes is noticed
    return apply(BAGS, (weight, factors, flat, bags, n, scale_grad_by_freq))


@functional(rules.one_hot)
def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """1 at the class that each element names along a new last dimension, 0 elsewhere.

    Shapes: ``(...) -> (..., num_classes)``.

    Args:
        input: classes, of any shape ``(*)``.
        num_classes: how many there are; -1: one more than the largest.

    Raises:
        RuntimeError: no integers, negative classes, or too few.

    >>> import ast_ad
    >>> one_hot(ast_ad.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    require_tensors("one_hot", input=input)
    found: Tensor = Tensor._of(rules.one_hot(input._array, num_classes))
    return found
