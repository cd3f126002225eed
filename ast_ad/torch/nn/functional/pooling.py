"""How are tensors pooled? Windows become their largest element, their mean or their norm."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ....eager.dispatch import Operation, apply
from ....eager.dtypes import scalar_name
from ....eager.operations.pointwise import require_tensor, require_tensors
from ....eager.tensor import Tensor
from ....rules.networks import pooling as steps, pooling_functions as rules, pooling_sizes as sizes_of
from ....rules.networks.pooling_sizes import check_adaptive, check_average, check_maximum, each, lengths
from .surface import functional

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
    "adaptive_max_pool1d", "adaptive_max_pool1d_with_indices", "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d", "adaptive_max_pool3d_with_indices",
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "lp_pool1d", "lp_pool2d", "lp_pool3d",
    "max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool2d_with_indices",
    "max_pool3d", "max_pool3d_with_indices", "max_unpool1d", "max_unpool2d", "max_unpool3d",
]  # fmt: skip


def _operations(fn: Callable[..., Any], name: str, saved: tuple[str, ...], several: bool) -> Any:
    """The operations of two and three axes; one axis counts as two."""
    found = {rank: Operation(fn, name.format(rank), saved, images=True) for rank in (2, 3)}
    for op in found.values():
        op.results = ("", "result1") if several else None
    return found


MAX = _operations(steps.max_pool, "MaxPool{}DWithIndicesBackward0", ("self", "kernel_size"), True)
ADAPTIVE_MAX = _operations(steps.adaptive_max_pool, "AdaptiveMaxPool{}DBackward0", ("self",), True)
MEAN = _operations(steps.avg_pool, "AvgPool{}DBackward0", ("self",), False)
ADAPTIVE_MEAN = _operations(steps.adaptive_avg_pool, "AdaptiveAvgPool{}DBackward0", ("self",), False)
UNPOOL = _operations(steps.max_unpool, "MaxUnpool{}DBackward0", ("self", "indices"), False)


def _after_one(given: Any) -> Any:
    """An option of one axis as that of two, the first of which is of length 1."""
    return (1, *given) if isinstance(given, (tuple, list)) else (1, given)


def _results(found: Any, return_indices: bool, one_axis: bool = False) -> Any:
    """The values, and the indices as PyTorch's are."""
    values = found[0].squeeze(-2) if one_axis else found[0]
    if not return_indices:
        return values
    indices = Tensor._of(found[1]._array.astype(np.int64))
    return values, indices.squeeze(-2) if one_axis else indices


# ----- maxima


@functional(rules.max_pool1d)
def max_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window along the last dimension; see ``max_pool2d``.

    Shapes: ``(N, C, L) -> (N, C, L_out)``, as of ``max_pool2d``.

    >>> import ast_ad
    >>> max_pool1d(ast_ad.tensor([[1.0, 3.0, 2.0]]), 2, 1)
    tensor([[3., 3.]])
    """
    require_tensor("max_pool1d", input)
    k, s, p, d = lengths("max_pool", 1, kernel_size, stride, padding, dilation)
    check_maximum(input._array.shape, k, s, p, d, 1)
    wide = input.unsqueeze(-2)
    found = apply(MAX[2], (wide, (1, *k), (1, *s), (0, *p), (1, *d), bool(ceil_mode), 2))
    return _results(found, return_indices, True)


@functional(rules.max_pool2d)
def max_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window that moves over images.

    Shapes: ``(N, C, H, W) -> (N, C, H_out, W_out)`` with
    ``H_out = (H + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1`` (or rounded up, by
    ``ceil_mode``), ``W_out`` likewise; ``N`` may be missing.

    Args:
        input: images, of shape ``(N, C, H, W)`` or ``(C, H, W)``, a tensor or an array.
        kernel_size: the window's height and width, or one number for both; so for the next three.
        stride: by how many pixels the windows move; by default they touch.
        padding: how far windows reach beyond the edges, at most half of the window.
        dilation: how far apart the pixels of a window are.
        ceil_mode: whether windows count that are not wholly inside.
        return_indices: whether the places of the largest elements are returned too, numbers in the
            flattened image. The first of equal elements counts; NaN is larger than any number.

    Raises:
        RuntimeError: sizes that do not fit.

    >>> import ast_ad
    >>> max_pool2d(ast_ad.tensor([[[1.0, 2.0], [4.0, 3.0]]]), 2, return_indices=True)
    (tensor([[[4.]]]), tensor([[[2]]]))
    """
    require_tensor("max_pool2d", input)
    found = apply(MAX[2], (input, kernel_size, stride, padding, dilation, bool(ceil_mode), 2))
    return _results(found, return_indices)


@functional(rules.max_pool3d)
def max_pool3d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window that moves over volumes; see ``max_pool2d``.

    Shapes: ``(N, C, D, H, W) -> (N, C, D_out, H_out, W_out)``, as of ``max_pool2d``.

    >>> import ast_ad
    >>> max_pool3d(ast_ad.ones(1, 2, 2, 2), 2)
    tensor([[[[1.]]]])
    """
    require_tensor("max_pool3d", input)
    found = apply(MAX[3], (input, kernel_size, stride, padding, dilation, bool(ceil_mode), 3))
    return _results(found, return_indices)


@functional(rules.adaptive_max_pool1d)
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of ``output_size`` windows along the last dimension.

    Shapes: ``(N, C, L) -> (N, C, output_size)``; ``N`` may be missing.

    >>> import ast_ad
    >>> adaptive_max_pool1d(ast_ad.tensor([[1.0, 3.0, 2.0]]), 2)
    tensor([[3., 3.]])
    """
    require_tensor("adaptive_max_pool1d", input)
    check_adaptive("adaptive_max_pool", input._array.shape, output_size, 1)
    found = apply(ADAPTIVE_MAX[2], (input.unsqueeze(-2), _after_one(output_size), 2))
    return _results(found, return_indices, True)


@functional(rules.adaptive_max_pool2d)
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of ``output_size`` windows of about the same size, over images.

    Shapes: ``(N, C, H, W) -> (N, C, *output_size)``; ``N`` may be missing.

    Args:
        input: of shape ``(N, C, H, W)`` or ``(C, H, W)``, a tensor or an array.
        output_size: how many windows there are along each dimension; None: as many as pixels.
        return_indices: whether the places are returned too, as by ``max_pool2d``.

    Raises:
        RuntimeError: sizes that do not fit.

    >>> import ast_ad
    >>> adaptive_max_pool2d(ast_ad.tensor([[[1.0, 2.0], [4.0, 3.0]]]), (1, None))
    tensor([[[4., 3.]]])
    """
    require_tensor("adaptive_max_pool2d", input)
    return _results(apply(ADAPTIVE_MAX[2], (input, output_size, 2)), return_indices)


@functional(rules.adaptive_max_pool3d)
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of ``output_size`` windows over volumes; see ``adaptive_max_pool2d``.

    Shapes: ``(N, C, D, H, W) -> (N, C, *output_size)``; ``N`` may be missing.

    >>> import ast_ad
    >>> adaptive_max_pool3d(ast_ad.ones(1, 2, 2, 2), 1)
    tensor([[[[1.]]]])
    """
    require_tensor("adaptive_max_pool3d", input)
    return _results(apply(ADAPTIVE_MAX[3], (input, output_size, 3)), return_indices)


def _with_indices(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function that returns the indices too."""

    def run(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **{**kwargs, "return_indices": True})

    run.__name__ = f"{fn.__name__}_with_indices"
    run.__doc__ = f"``{fn.__name__}(..., return_indices=True)``."
    return run


max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = map(
    _with_indices, (max_pool1d, max_pool2d, max_pool3d)
)
adaptive_max_pool1d_with_indices, adaptive_max_pool2d_with_indices, adaptive_max_pool3d_with_indices = map(
    _with_indices, (adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d)
)


# ----- and back


def _unpooled(name: str, rank: int, input: Tensor, indices: Tensor, *how: Any) -> Any:
    require_tensors(name, input=input, indices=indices)
    if indices._array.dtype != np.int64:
        kind = scalar_name(indices._array.dtype)
        raise RuntimeError(f"elements in indices should be type int64 but got: {kind}")
    if indices._array.shape != input._array.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(input._array.shape)}) "
            f"but got indices tensor with shape: {list(indices._array.shape)}"
        )
    return apply(UNPOOL[rank], (input, indices, *how, rank))


@functional(rules.max_unpool1d)
def max_unpool1d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """Zeros with the elements of ``input`` where ``max_pool1d`` found them; see ``max_unpool2d``.

    Shapes: ``(N, C, L), (N, C, L) -> (N, C, L_out)``, as of ``max_unpool2d``.

    >>> import ast_ad
    >>> max_unpool1d(ast_ad.tensor([[5.0]]), ast_ad.tensor([[1]]), 2)
    tensor([[0., 5.]])
    """
    require_tensor("max_unpool1d", input)
    sizes = sizes_of.unpooled_sizes(input._array.shape, kernel_size, stride, padding, output_size, 1)
    taps, strides, pads = lengths("max_unpool", 1, kernel_size, stride, padding)
    wide = input.unsqueeze(-2), indices.unsqueeze(-2)
    how = (1, *taps), (1, *strides), (0, *pads), (1, *sizes)
    return _unpooled("max_unpool1d", 2, *wide, *how).squeeze(-2)


@functional(rules.max_unpool2d)
def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """Zeros with the elements of ``input`` where ``max_pool2d`` found them.

    Shapes: ``(N, C, H, W), (N, C, H, W) -> (N, C, H_out, W_out)`` with
    ``H_out = (H - 1) * stride - 2 * padding + kernel_size``, ``W_out`` likewise; ``N`` may be missing.

    Args:
        input: of shape ``(N, C, H, W)`` or ``(C, H, W)``.
        indices: what ``max_pool2d`` returned with ``return_indices``.
        kernel_size: as it was for ``max_pool2d``; so the next two.
        output_size: the size of what was pooled, if it does not follow from the others.

    Raises:
        RuntimeError: sizes or indices that do not fit.

    >>> import ast_ad
    >>> max_unpool2d(ast_ad.tensor([[[5.0]]]), ast_ad.tensor([[[1]]]), (1, 2))
    tensor([[[0., 5.]]])
    """
    return _unpooled("max_unpool2d", 2, input, indices, kernel_size, stride, padding, output_size)


@functional(rules.max_unpool3d)
def max_unpool3d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """Zeros with the elements of ``input`` where ``max_pool3d`` found them, as of ``max_unpool2d``.

    Shapes: ``(N, C, D, H, W), (N, C, D, H, W) -> (N, C, D_out, H_out, W_out)``.
    """
    return _unpooled("max_unpool3d", 3, input, indices, kernel_size, stride, padding, output_size)


# ----- means


@functional(rules.avg_pool1d)
def avg_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:  # fmt: skip
    """The mean of each window along the last dimension; see ``avg_pool2d``.

    Shapes: ``(N, C, L) -> (N, C, L_out)``, as of ``avg_pool2d``.

    >>> import ast_ad
    >>> avg_pool1d(ast_ad.tensor([[1.0, 3.0, 5.0]]), 2, 1)
    tensor([[2., 4.]])
    """
    require_tensor("avg_pool1d", input)
    k, s, p = lengths("avg_pool", 1, kernel_size, stride, padding)
    check_average(input._array.shape, k, s, p, None, 1)
    sizes_of.pooled_sizes(input._array.shape, k, s, p, (1,), ceil_mode, 1)
    how = (1, *k), (1, *s), (0, *p), bool(ceil_mode), bool(count_include_pad), None, 2
    return apply(MEAN[2], (input.unsqueeze(-2), *how)).squeeze(-2)


@functional(rules.avg_pool2d)
def avg_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Any:  # fmt: skip
    """The mean of each window that moves over images.

    Shapes: ``(N, C, H, W) -> (N, C, H_out, W_out)`` with
    ``H_out = (H + 2 * padding - kernel_size) // stride + 1`` (with ``ceil_mode`` rounded up), ``W_out``
    likewise; ``N`` may be missing.

    Args:
        input: images, of shape ``(N, C, H, W)`` or ``(C, H, W)``, a tensor or an array.
        kernel_size: the window's height and width, or one number for both; so for the next two.
        stride: by how many pixels the windows move; by default they touch.
        padding: how many zeros there are beyond the edges.
        ceil_mode: whether windows count that are not wholly inside.
        count_include_pad: whether the zeros count among the elements.
        divisor_override: what sums are divided by instead of the number of elements.

    Raises:
        RuntimeError: sizes that do not fit.

    >>> import ast_ad
    >>> avg_pool2d(ast_ad.tensor([[[1.0, 2.0], [4.0, 3.0]]]), 2)
    tensor([[[2.5000]]])
    """
    require_tensor("avg_pool2d", input)
    how = kernel_size, stride, padding, bool(ceil_mode), bool(count_include_pad), divisor_override
    return apply(MEAN[2], (input, *how, 2))


@functional(rules.avg_pool3d)
def avg_pool3d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Any:  # fmt: skip
    """The mean of windows as of ``avg_pool2d``: ``(N, C, D, H, W) -> (N, C, D_out, H_out, W_out)``."""
    require_tensor("avg_pool3d", input)
    how = kernel_size, stride, padding, bool(ceil_mode), bool(count_include_pad), divisor_override
    return apply(MEAN[3], (input, *how, 3))


def _adaptive_mean(rank: int, input: Tensor, output_size: Any) -> Any:
    """The operation, or the mean where there is one window."""
    shape = input._array.shape
    check_adaptive("adaptive_avg_pool", shape, output_size, rank)
    sizes = steps.adaptive_sizes(shape, output_size, rank)
    if input._array.dtype.kind != "f":
        kind = scalar_name(input._array.dtype)
        raise NotImplementedError(f"\"adaptive_avg_pool{rank}d\" not implemented for '{kind}'")
    if all(n == 1 for n in sizes):
        return input.mean(tuple(range(-1, -rank - 1, -1)), keepdim=True)
    return apply(ADAPTIVE_MEAN[rank], (input, sizes, rank))


@functional(rules.adaptive_avg_pool1d)
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Any:
    """The mean of each of ``output_size`` windows along the last dimension.

    Shapes: ``(N, C, L) -> (N, C, output_size)``; ``N`` may be missing.

    >>> import ast_ad
    >>> adaptive_avg_pool1d(ast_ad.tensor([[1.0, 3.0, 5.0]]), 2)
    tensor([[2., 4.]])
    """
    require_tensor("adaptive_avg_pool1d", input)
    check_adaptive("adaptive_avg_pool", input._array.shape, output_size, 1)
    return _adaptive_mean(2, input.unsqueeze(-2), _after_one(output_size)).squeeze(-2)


@functional(rules.adaptive_avg_pool2d)
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Any:
    """The mean of each of ``output_size`` windows of about the same size, over images.

    Shapes: ``(N, C, H, W) -> (N, C, *output_size)``; ``N`` may be missing.

    Args:
        input: of shape ``(N, C, H, W)`` or ``(C, H, W)``, a tensor or an array.
        output_size: how many windows there are along each dimension; None: as many as pixels.

    Raises:
        RuntimeError: sizes that do not fit.

    >>> import ast_ad
    >>> adaptive_avg_pool2d(ast_ad.tensor([[[1.0, 2.0], [4.0, 3.0]]]), (1, None))
    tensor([[[2.5000, 2.5000]]])
    """
    require_tensor("adaptive_avg_pool2d", input)
    return _adaptive_mean(2, input, output_size)


@functional(rules.adaptive_avg_pool3d)
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Any:
    """The mean of each of ``output_size`` windows in volumes: ``(N, C, D, H, W) -> (N, C, *output_size)``."""
    require_tensor("adaptive_avg_pool3d", input)
    return _adaptive_mean(3, input, output_size)


# ----- norms


def _norm(rank: int, pool: Any, input: Tensor, p: float, kernel_size: Any, stride: Any, ceil: bool) -> Any:
    require_tensor(f"lp_pool{rank}d", input)
    means = pool(input.pow(p), kernel_size, stride, 0, ceil)
    count = math.prod(each("lp_pool", "kernel_size", kernel_size, rank))
    return (means.sign() * means.abs().relu()).mul(count).pow(1.0 / p)


@functional(rules.lp_pool1d)
def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """``sum(x ** p) ** (1 / p)`` of each window along the last dimension, ``p`` being ``norm_type``.

    Shapes: ``(N, C, L) -> (N, C, L_out)``, as of ``lp_pool2d``.

    >>> import ast_ad
    >>> lp_pool1d(ast_ad.tensor([[3.0, 4.0]]), 2, 2)
    tensor([[5.]])
    """
    return _norm(1, avg_pool1d, input, norm_type, kernel_size, stride, ceil_mode)


@functional(rules.lp_pool2d)
def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """``sum(x ** p) ** (1 / p)`` of each window over images; see ``avg_pool2d`` for the sizes.

    Shapes: ``(N, C, H, W) -> (N, C, H_out, W_out)`` with ``H_out = (H - kernel_size) // stride + 1`` (with
    ``ceil_mode`` rounded up), ``W_out`` likewise; ``N`` may be missing.
    """
    return _norm(2, avg_pool2d, input, norm_type, kernel_size, stride, ceil_mode)


@functional(rules.lp_pool3d)
def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """``sum(x ** p) ** (1 / p)`` of each window over volumes; see ``avg_pool2d`` for the sizes.

    Shapes: ``(N, C, D, H, W) -> (N, C, D_out, H_out, W_out)``, as of ``lp_pool2d``.
    """
    return _norm(3, avg_pool3d, input, norm_type, kernel_size, stride, ceil_mode)
