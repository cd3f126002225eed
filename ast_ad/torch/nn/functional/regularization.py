"""How are networks kept from learning by heart? Elements or channels dropped at random, norms of 1."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ....eager.dispatch import binary
from ....eager.dtypes import scalar_name
from ....eager.operations.arithmetic import MUL
from ....eager.operations.linear_algebra import LINALG
from ....eager.operations.pointwise import require_tensors
from ....eager.operations.randomness import generator
from ....eager.tensor import Tensor
from ....rules.networks import distances as nn_distances, dropout as nn_dropout
from .surface import functional

__all__ = [
    "alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout", "normalize",
]  # fmt: skip

SELU_LOWER = -1.7580993408473766  # what selu tends to for large negative numbers


def _check(name: str, input: Tensor, p: float, training: bool) -> bool:
    """Whether anything is to be dropped."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    require_tensors(name, input=input)
    return training and p > 0 and input._array.size > 0


def _check_floating(input: Tensor) -> None:
    if input._array.dtype.kind not in "fc":
        raise RuntimeError(
            f"result type Float can't be cast to the desired output type {scalar_name(input._array.dtype)}"
        )


def _kept(shape: tuple[int, ...], p: float) -> Any:
    """Which elements stay."""
    return generator(None).random(shape, np.float32) >= p


def _dropped(input: Tensor, shape: tuple[int, ...], p: float, inplace: bool) -> Any:
    """``input`` times a mask of this shape, divided by the share that stays."""
    _check_floating(input)
    dtype = input._array.dtype
    mask = np.zeros(shape, dtype) if p == 1 else _kept(shape, p) * dtype.type(1 / (1 - p))
    noise = Tensor._of(mask)
    return input.mul_(noise) if inplace else binary(MUL, input, noise)


@functional(nn_dropout.dropout)
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """``input`` with elements set to 0 at random, the others divided by ``1 - p``.

    Shapes: ``(...) -> (...)``.

    Args:
        input: of any shape.
        p: the probability of each element to be dropped.
        training: if not, ``input`` itself is returned.
        inplace: whether to change ``input``.

    Raises:
        ValueError: ``p`` is no probability.

    >>> import ast_ad
    >>> ast_ad.nn.functional.dropout(ast_ad.ones(2), training=False)
    tensor([1., 1.])
    """
    if not _check("dropout", input, p, training):
        return input
    return _dropped(input, input._array.shape, p, inplace)


def _by_channel(input: Tensor, p: float, inplace: bool, rows: int) -> Any:
    """Dropout of whole channels; ``rows``: how many of the first dimensions tell them apart."""
    shape = input._array.shape
    return _dropped(input, shape[:rows] + (1,) * (len(shape) - rows), p, inplace)


@functional(nn_dropout.dropout)
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Dropout of whole channels of ``(N, C, L)`` or ``(C, L)``.

    Shapes: ``(N, C, L) -> (N, C, L)``; ``N`` may be missing.

    Raises:
        RuntimeError: another rank.

    >>> import ast_ad
    >>> dropout1d(ast_ad.ones(1, 1, 2), training=False)
    tensor([[[1., 1.]]])
    """
    drops = _check("dropout1d", input, p, training)
    rank = input._array.ndim
    if rank not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {rank}D input. Note that dropout1d exists "
            "to provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an "
            "optional batch dimension (i.e. 2D or 3D inputs)."
        )
    return _by_channel(input, p, inplace, rank - 1) if drops else input


UNUSUAL = (
    "{0}: Received a {1}-D input to {0}, which is deprecated and will result in an error in a future "
    "release. To retain the behavior and silence this warning, please use dropout instead. Note that {0} "
    "exists to provide channel-wise dropout on inputs with {2} spatial dimensions, a channel dimension, and "
    "an optional batch dimension (i.e. {3}D or {4}D inputs)."
)
ROWS_OF_SIGNALS = (
    "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
    "desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will "
    "change in a future release to interpret the input as one without a batch dimension, i.e. shape "
    "(C, H, W). To maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead."
)


def _check_features(rank: int) -> None:
    if rank < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")


@functional(nn_dropout.dropout)
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Dropout of whole channels of ``(N, C, H, W)``; of ``(N, C, L)`` with a warning.

    Shapes: ``(N, C, H, W) -> (N, C, H, W)``.

    >>> import ast_ad
    >>> dropout2d(ast_ad.ones(1, 1, 1, 2), training=False)
    tensor([[[[1., 1.]]]])
    """
    drops = _check("dropout2d", input, p, training)
    rank = input._array.ndim
    if rank not in (3, 4):
        warnings.warn(UNUSUAL.format("dropout2d", rank, 2, 3, 4), stacklevel=3)
    if rank == 3:
        warnings.warn(ROWS_OF_SIGNALS, stacklevel=3)
    if not drops:
        return input
    if p < 1:
        _check_features(rank)
    return _by_channel(input, p, inplace, min(rank, 2))


@functional(nn_dropout.dropout)
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Dropout of whole channels of ``(N, C, D, H, W)`` or ``(C, D, H, W)``.

    Shapes: ``(N, C, D, H, W) -> (N, C, D, H, W)``; ``N`` may be missing.

    >>> import ast_ad
    >>> dropout3d(ast_ad.ones(1, 1, 1, 2), training=False)
    tensor([[[[1., 1.]]]])
    """
    drops = _check("dropout3d", input, p, training)
    rank = input._array.ndim
    if rank not in (4, 5):
        warnings.warn(UNUSUAL.format("dropout3d", rank, 3, 4, 5), stacklevel=3)
    return _by_channel(input, p, inplace, 2 if rank == 5 else 1) if drops else input


def _scaled(input: Tensor, shape: tuple[int, ...], p: float, inplace: bool) -> Any:
    """Elements replaced by the lower limit of ``selu``, and all scaled so that mean and variance stay."""
    _check_floating(input)
    dtype = input._array.dtype
    if p == 1:
        nothing = Tensor._of(np.zeros(shape, dtype))
        return input.mul_(nothing) if inplace else input * nothing
    stays = _kept(shape, p)
    a = ((SELU_LOWER**2 * p + 1) * (1 - p)) ** -0.5
    factor = Tensor._of(stays * dtype.type(a))
    shift = Tensor._of(
        np.where(stays, dtype.type(0), dtype.type(SELU_LOWER * a)) - dtype.type(SELU_LOWER * a * p)
    )
    return input.mul_(factor).add_(shift) if inplace else input * factor + shift


@functional(nn_dropout.alpha_dropout)
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Dropout that keeps the mean 0 and the variance 1 of what comes out of ``selu``.

    Shapes: ``(...) -> (...)``.

    Klambauer et al., "Self-normalizing neural networks", NeurIPS 2017.

    >>> import ast_ad
    >>> alpha_dropout(ast_ad.ones(2))
    tensor([1., 1.])
    """
    if not _check("alpha_dropout", input, p, training):
        return input
    return _scaled(input, input._array.shape, p, inplace)


@functional(nn_dropout.alpha_dropout)
def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Any:
    """``alpha_dropout`` of whole channels (dimension 1).

    Shapes: ``(N, C, ...) -> (N, C, ...)``.

    >>> import ast_ad
    >>> feature_alpha_dropout(ast_ad.ones(1, 2))
    tensor([[1., 1.]])
    """
    if not _check("feature_alpha_dropout", input, p, training):
        return input
    shape = input._array.shape
    if p < 1:
        _check_features(len(shape))
    return _scaled(input, shape[:2] + (1,) * (len(shape) - 2), p, inplace)


@functional(nn_distances.normalize)
def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Any:
    """``input`` divided by its ``p``-norms along ``dim``, of which none counts as less than ``eps``.

    Shapes: ``(N, D, ...) -> (N, D, ...)``.

    >>> import ast_ad
    >>> normalize(ast_ad.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    require_tensors("normalize", input=input)
    length = LINALG["vector_norm"](input, p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    found = input / length
    return found if out is None else out.copy_(found)
