"""Which functions pool arrays? Those of PyTorch's ``nn.functional``, by their names and parameters.

Index: max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d adaptive_max_pool1d
adaptive_max_pool2d adaptive_max_pool3d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d lp_pool1d
lp_pool2d lp_pool3d max_unpool1d max_unpool2d max_unpool3d.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..helpers import astype
from ..registry import program
from ..torch.activations import relu
from .pooling import adaptive_avg_pool, adaptive_max_pool, avg_pool, max_pool, max_unpool
from .pooling_sizes import each


def with_places(found: Any, return_indices: bool) -> Any:
    """The values, or the values and their places as 64-bit integers."""
    values, places = found
    return (values, astype(places, np.int64)) if return_indices else values


@program
def max_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window along the last one axis.

    >>> max_pool1d(np.array([[1.0, 3.0, 2.0]]), 3)
    array([[3.]])
    """
    return with_places(max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, 1), return_indices)


@program
def max_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window along the last two axes.

    >>> max_pool2d(np.array([[[1.0, 3.0], [2.0, 4.0]]]), 2)
    array([[[4.]]])
    """
    return with_places(max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, 2), return_indices)


@program
def max_pool3d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window along the last three axes.

    >>> max_pool3d(np.array([[[[1.0, 3.0], [2.0, 4.0]]]]), (1, 2, 2))
    array([[[[4.]]]])
    """
    return with_places(max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, 3), return_indices)


@program
def avg_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """The mean of each window along the last one axis.

    >>> avg_pool1d(np.array([[1.0, 3.0, 2.0]]), 3)
    array([[2.]])
    """
    return avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, None, 1)


@program
def avg_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Any:
    """The mean of each window along the last two axes.

    >>> avg_pool2d(np.array([[[1.0, 3.0], [2.0, 4.0]]]), 2)
    array([[[2.5]]])
    """
    return avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 2)


@program
def avg_pool3d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Any:
    """The mean of each window along the last three axes.

    >>> avg_pool3d(np.array([[[[1.0, 3.0], [2.0, 4.0]]]]), (1, 2, 2))
    array([[[[2.5]]]])
    """
    return avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 3)


@program
def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of ``output_size`` windows along the last one axis.

    >>> adaptive_max_pool1d(np.array([[1.0, 3.0, 2.0]]), 1)
    array([[3.]])
    """
    return with_places(adaptive_max_pool(input, output_size, 1), return_indices)


@program
def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of ``output_size`` windows along the last two axes.

    >>> adaptive_max_pool2d(np.array([[[1.0, 3.0], [2.0, 4.0]]]), 1)
    array([[[4.]]])
    """
    return with_places(adaptive_max_pool(input, output_size, 2), return_indices)


@program
def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of ``output_size`` windows along the last three axes.

    >>> adaptive_max_pool3d(np.array([[[[1.0, 3.0], [2.0, 4.0]]]]), 1)
    array([[[[4.]]]])
    """
    return with_places(adaptive_max_pool(input, output_size, 3), return_indices)


@program
def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """The mean of each of ``output_size`` windows along the last one axis.

    >>> adaptive_avg_pool1d(np.array([[1.0, 3.0, 2.0]]), 1)
    array([[2.]])
    """
    return adaptive_avg_pool(input, output_size, 1)


@program
def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """The mean of each of ``output_size`` windows along the last two axes.

    >>> adaptive_avg_pool2d(np.array([[[1.0, 3.0], [2.0, 4.0]]]), 1)
    array([[[2.5]]])
    """
    return adaptive_avg_pool(input, output_size, 2)


@program
def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    """The mean of each of ``output_size`` windows along the last three axes.

    >>> adaptive_avg_pool3d(np.array([[[[1.0, 3.0], [2.0, 4.0]]]]), 1)
    array([[[[2.5]]]])
    """
    return adaptive_avg_pool(input, output_size, 3)


def norms(x: Any, p: float, kernel_size: Any, stride: Any, ceil_mode: bool, rank: int) -> Any:
    """The p-norm of each window over ``rank`` axes; where the mean of powers is negative, 0."""
    means = avg_pool(np.power(x, p), kernel_size, stride, 0, ceil_mode, True, None, rank)
    taps = each("lp_pool", "kernel_size", kernel_size, rank)
    return np.power(np.sign(means) * relu(np.abs(means)) * math.prod(taps), 1.0 / p)


@program
def lp_pool1d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """The p-norm of each window along the last one axis, with ``p = norm_type``.

    >>> lp_pool1d(np.array([[1.0, 2.0, 2.0]]), 2, 3)
    array([[3.]])
    """
    return norms(input, norm_type, kernel_size, stride, ceil_mode, 1)


@program
def lp_pool2d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """The p-norm of each window along the last two axes, with ``p = norm_type``.

    >>> lp_pool2d(np.array([[[3.0, 0.0], [0.0, 4.0]]]), 2, 2)
    array([[[5.]]])
    """
    return norms(input, norm_type, kernel_size, stride, ceil_mode, 2)


@program
def lp_pool3d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """The p-norm of each window along the last three axes, with ``p = norm_type``.

    >>> lp_pool3d(np.array([[[[3.0, 0.0], [0.0, 4.0]]]]), 2, (1, 2, 2))
    array([[[[5.]]]])
    """
    return norms(input, norm_type, kernel_size, stride, ceil_mode, 3)


@program
def max_unpool1d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """Zeros with the elements of ``input`` at their places, which ``max_pool1d`` told.

    >>> max_unpool1d(np.array([[5.0]]), np.array([[1]]), 2)
    array([[0., 5.]])
    """
    return max_unpool(input, indices, kernel_size, stride, padding, output_size, 1)


@program
def max_unpool2d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """Zeros with the elements of ``input`` at their places, which ``max_pool2d`` told.

    >>> max_unpool2d(np.array([[[5.0]]]), np.array([[[1]]]), 2)
    array([[[0., 5.],
            [0., 0.]]])
    """
    return max_unpool(input, indices, kernel_size, stride, padding, output_size, 2)


@program
def max_unpool3d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """Zeros with the elements of ``input`` at their places, which ``max_pool3d`` told.

    >>> max_unpool3d(np.array([[[[5.0]]]]), np.array([[[[1]]]]), (1, 1, 2))
    array([[[[0., 5.]]]])
    """
    return max_unpool(input, indices, kernel_size, stride, padding, output_size, 3)
