"""How do tables of vectors differentiate, of which some rows are read, perhaps several times?

Index: rows_at rows_added scaled_rows; bag_totals; embedding embedding_bag one_hot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..loops.rows import add_rows
from ..numpy.gather import gather
from ..registry import nondifferentiable, program, vjp


def row_factors(index: Any, padding_idx: int | None, by_frequency: bool) -> Any:
    """What the gradient of each row that was read is multiplied by: 0 for ``padding_idx``, else 1.

    ``by_frequency``: 1 divided by how often the row was read.

    >>> row_factors(np.array([0, 2, 2]), 0, True)
    array([0. , 0.5, 0.5])
    """
    factors = np.ones(np.shape(index))
    if by_frequency:
        _, back, counts = np.unique(index, return_inverse=True, return_counts=True)
        factors = 1 / counts[back].reshape(np.shape(index))
    if padding_idx is not None:
        factors = np.where(np.equal(index, padding_idx), 0, factors)
    return factors


def check_rows(index: Any, n: int) -> None:
    """Refuse rows that a table of ``n`` does not have.

    Raises:
        IndexError: there is one.

    >>> check_rows(np.array([0, 2]), 3)
    """
    if np.size(index) and (np.min(index) < 0 or np.max(index) >= n):
        raise IndexError("index out of range in self")


def rows_at(weight: Any, index: Any, padding_idx: int | None = None, by_frequency: bool = False) -> Any:
    """The rows of ``weight`` at ``index``; the gradient of ``padding_idx`` is 0.

    >>> rows_at(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 1]))
    array([[3., 4.],
           [3., 4.]])
    """
    check_rows(index, np.shape(weight)[0])
    return weight[index]


def rows_added(
    like: Any, index: Any, g: Any, padding_idx: int | None = None, by_frequency: bool = False
) -> Any:
    """Zeros in the shape of ``like`` with the rows ``g`` added at ``index``. Reads ``like``'s shape only.

    >>> rows_added(np.zeros((2, 1)), np.array([1, 1]), np.array([[5.0], [6.0]]))
    array([[ 0.],
           [11.]])
    """
    out = np.zeros(np.shape(like), np.asarray(g).dtype)
    index = np.asarray(index)
    rows = np.reshape(g, (index.size, *out.shape[1:]))
    if padding_idx is not None or by_frequency:
        factors = row_factors(index, padding_idx, by_frequency).reshape(index.size, *[1] * (out.ndim - 1))
        rows = np.where(factors == 0, 0, rows * factors.astype(out.dtype))
    if out.ndim == 2:
        add_rows(rows, index.reshape(-1), out)
    else:
        np.add.at(out, index.reshape(-1), rows)
    return out


def scaled_rows(u: Any, index: Any, padding_idx: int | None = None, by_frequency: bool = False) -> Any:
    """The rows of ``u`` at ``index``, times ``row_factors``: the adjoint of ``rows_added``.

    >>> scaled_rows(np.array([[5.0], [6.0]]), np.array([0, 1]), 0)
    array([[0.],
           [6.]])
    """
    rows = u[index]
    if padding_idx is None and not by_frequency:
        return rows
    factors = row_factors(index, padding_idx, by_frequency)
    return rows * factors.reshape(*factors.shape, *[1] * (rows.ndim - factors.ndim)).astype(rows.dtype)


@vjp(rows_at)
def rows_at_rule(g, ans, weight, index, padding_idx=None, by_frequency=False):
    return rows_added(weight, index, g, padding_idx, by_frequency), None, None, None


@vjp(rows_added)
def rows_added_rule(g, ans, like, index, v, padding_idx=None, by_frequency=False):
    return None, None, np.reshape(scaled_rows(g, index, padding_idx, by_frequency), np.shape(v)), None, None


@vjp(scaled_rows)
def scaled_rows_rule(g, ans, u, index, padding_idx=None, by_frequency=False):
    return rows_added(u, index, g, padding_idx, by_frequency), None, None, None


# ----- sums of rows


def bag_totals(weight: Any, factors: Any, index: Any, bags: Any, n: int, by_frequency: bool = False) -> Any:
    """For each of ``n`` bags the sum of the rows ``index`` of ``weight`` times ``factors``.

    ``bags``: which bag each row is in.

    >>> bag_totals(np.array([[1.0], [2.0]]), np.ones(3), np.array([0, 1, 1]), np.array([0, 0, 1]), 2)
    array([[3.],
           [2.]])
    """
    check_rows(index, np.shape(weight)[0])
    rows = weight[index] * factors[:, None]
    out = np.zeros((n, np.shape(weight)[1]), rows.dtype)
    add_rows(rows, bags, out)
    return out


@vjp(bag_totals)
def bag_totals_rule(g, ans, weight, factors, index, bags, n, by_frequency=False):
    back = g[bags]
    weight_bar = rows_added(weight, index, back * factors[:, None], None, by_frequency)
    return weight_bar, np.sum(back * weight[index], axis=-1), None, None, None, None


def largest_places(weight: Any, index: Any, bags: Any, n: int) -> Any:
    """Where, in the flattened ``weight``, the largest element of each bag's columns is; -1 if it is empty.

    >>> largest_places(np.array([[1.0], [2.0]]), np.array([0, 1, 1]), np.array([0, 0, 2]), 3)
    array([[ 1],
           [-1],
           [ 1]])
    """
    check_rows(index, np.shape(weight)[0])
    columns = np.shape(weight)[1]
    out = np.full((n, columns), -1)
    rows = weight[index]
    for bag in range(n):
        members = np.flatnonzero(np.equal(bags, bag))
        if members.size:
            chosen = np.asarray(index)[members[np.argmax(rows[members], axis=0)]]
            out[bag] = chosen * columns + np.arange(columns)
    return out


nondifferentiable(row_factors, check_rows, largest_places)
helpers.METADATA[rows_added] = 0


# ----- as networks use them


@program
def embedding(
    input: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """The rows of ``weight`` at ``input``.

    >>> embedding(np.array([1]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[3., 4.]])
    """
    if max_norm is not None:
        raise ValueError("max_norm changes the weight, which arrays are not: use tensors")
    padding = padding_idx
    if padding is not None and padding < 0:
        padding = padding + np.shape(weight)[0]
    return rows_at(weight, input, padding, scale_grad_by_freq)


def bags_of(offsets: Any, n: int, include_last: bool) -> Any:
    """The bag of each of ``n`` rows, from where the bags start.

    >>> bags_of(np.array([0, 2]), 3, False)
    array([0, 0, 1])
    """
    starts = offsets[:-1] if include_last else offsets
    return np.searchsorted(starts, np.arange(n), side="right") - 1


def bag_factors(weight: Any, index: Any, bags: Any, n: int, mode: str, padding_idx: int | None) -> Any:
    """What each row counts in its bag: 1, for a mean 1 divided by their number, and 0 for padding.

    Reads the dtype of ``weight`` only.

    >>> bag_factors(np.zeros((2, 1)), np.array([0, 1, 1]), np.array([0, 0, 1]), 2, "mean", None)
    array([0.5, 0.5, 1. ])
    """
    valid = np.ones(np.shape(index))
    if padding_idx is not None:
        valid = np.not_equal(index, padding_idx) * 1.0
    if mode == "mean":
        valid = valid / np.maximum(np.bincount(bags, valid, n), 1)[bags]
    return valid.astype(np.asarray(weight).dtype)


nondifferentiable(bags_of, bag_factors)
helpers.METADATA[bag_factors] = 0


@program
def embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """The sums, means or largest elements of bags of rows of ``weight``; not ``mode="max"`` with padding.

    >>> embedding_bag(np.array([[0, 1]]), np.array([[1.0], [2.0]]))
    array([[1.5]])
    """
    if max_norm is not None:
        raise ValueError("max_norm changes the weight, which arrays are not: use tensors")
    if mode == "max" and padding_idx is not None:
        raise ValueError("the largest elements of bags with padding are for tensors")
    index = np.reshape(input, -1)
    if offsets is None:
        n = np.shape(input)[0]
        bags = np.repeat(np.arange(n), np.shape(input)[1])
    else:
        n = np.shape(offsets)[0] - include_last_offset
        bags = bags_of(offsets, np.size(input), include_last_offset)
    if mode == "max":
        return gather(weight, largest_places(weight, index, bags, n))
    factors = bag_factors(weight, index, bags, n, mode, padding_idx)
    if per_sample_weights is not None:
        factors = factors * np.reshape(per_sample_weights, -1)
    return bag_totals(weight, factors, index, bags, n, scale_grad_by_freq)


def one_hot(input: Any, num_classes: int = -1) -> Any:
    """1 at the place that each element of ``input`` names along a new last axis, 0 elsewhere.

    Raises:
        RuntimeError: negative classes, or not enough of them.

    >>> one_hot(np.array([0, 2]))
    array([[1, 0, 0],
           [0, 0, 1]])
    """
    index = np.asarray(input)
    if index.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not index.size and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if index.size and index.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    n = int(index.max()) + 1 if num_classes == -1 else num_classes
    if index.size and index.max() >= n:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return (index[..., None] == np.arange(n)).astype(np.int64)


nondifferentiable(one_hot)
