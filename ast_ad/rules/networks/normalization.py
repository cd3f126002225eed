"""How does batch normalisation differentiate?

The normalising step takes the moments of ``x`` as arguments, so that they are computed once and kept for the
reverse sweep. They are those of ``x`` and nothing else: the cotangent of ``x`` contains what flows through
them, and they get none of their own. Second derivatives go through equivalent programs of NumPy functions.

Index: batch_norm instance_norm; batch_moments batch_normalized channel_affine batch_sums batch_cotangent.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import helpers
from ..loops import normalization as kernels
from ..registry import composite, program, shape, vjp


def rows(x: Any) -> Any:
    """``x`` of shape ``(N, C, ...)`` as ``(N, C, L)`` in one piece of memory."""
    return np.ascontiguousarray(x).reshape(*x.shape[:2], math.prod(x.shape[2:]))


def along_channels(v: Any, x: Any) -> Any:
    """A number per channel, such that it broadcasts against ``x`` of shape ``(N, C, ...)``.

    >>> along_channels(np.ones(3), np.ones((2, 3, 4))).shape
    (3, 1)
    """
    return np.reshape(v, (-1,) + (1,) * (np.ndim(x) - 2))


def over_batch(x: Any) -> Any:
    """The axes that batch normalisation averages over."""
    return (0, *range(2, np.ndim(x)))


def check_channels(x: Any, **of_channels: Any) -> None:
    """Refuse what has not one number for each channel."""
    for name, v in of_channels.items():
        if v is not None and np.shape(v) != x.shape[1:2]:
            raise RuntimeError(f"{name} should contain {x.shape[1]} elements not {np.size(v)}")


# ----- batch


def batch_moments(x: Any) -> tuple[Any, Any]:
    """The mean and the variance (not corrected) of each channel of ``x``, shape ``(N, C, ...)``.

    >>> mean, variance = batch_moments(np.array([[1.0], [3.0]]))
    >>> float(mean[0]), float(variance[0])
    (2.0, 1.0)
    """
    if x.size == x.shape[1] > 0:
        size = f"torch.Size({list(x.shape)})"
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")
    flat = rows(x)
    mean, squares = kernels.row_moments(flat)
    return pooled(mean, squares, flat.shape[2], 0, x.dtype)


def pooled(mean: Any, squares: Any, length: int, axis: int, dtype: Any) -> tuple[Any, Any]:
    """The moments of several rows of the same length from those of each."""
    n = mean.shape[axis]
    if n * length == 0:
        nothing = np.full(np.delete(mean.shape, axis), np.nan, dtype)
        return nothing, nothing.copy()
    middle = np.add.reduce(mean, axis) / n
    apart = mean - (middle[..., None] if axis else middle)  # the axis is the first or the last
    apart *= apart
    variance = (np.add.reduce(squares, axis) / length + np.add.reduce(apart, axis)) / n
    return middle.astype(dtype), variance.astype(dtype)


@composite(batch_moments)
def batch_moments_program(x):
    mean = np.mean(x, axis=over_batch(x))
    return mean, np.mean(np.square(x - along_channels(mean, x)), axis=over_batch(x))


def batch_normalized(x: Any, weight: Any, bias: Any, mean: Any, var: Any, eps: float) -> Any:
    """``(x - mean) / sqrt(var + eps) * weight + bias``; ``mean, var = batch_moments(x)``.

    >>> x = np.array([[1.0], [3.0]])
    >>> batch_normalized(x, None, None, *batch_moments(x), 0.0)
    array([[-1.],
           [ 1.]])
    """
    check_channels(x, running_mean=mean, running_var=var, weight=weight, bias=bias)
    scale = 1 / np.sqrt(var + eps)
    scale = scale if weight is None else (scale * weight).astype(x.dtype, copy=False)
    shift = np.zeros_like(mean) if bias is None else bias.astype(x.dtype, copy=False)
    return kernels.row_affine(rows(x), mean[None], scale[None], shift[None]).reshape(x.shape)


@vjp(batch_normalized)
def batch_normalized_rule(g, ans, x, weight, bias, mean, var, eps):
    sums = batch_sums(g, x, mean, var, eps)
    x_bar = batch_cotangent(g, x, weight, mean, var, sums, eps)
    weight_bar = None if weight is None else sums[1]
    bias_bar = None if bias is None else sums[0]
    return x_bar, weight_bar, bias_bar, None, None, None


def batch_sums(g: Any, x: Any, mean: Any, var: Any, eps: float) -> Any:
    """The sums of ``g`` and of ``g * (x - mean) / sqrt(var + eps)`` over each channel.

    >>> x = np.array([[1.0], [3.0]])
    >>> batch_sums(np.ones((2, 1)), x, *batch_moments(x), 0.0)
    array([[2.],
           [0.]])
    """
    sums = kernels.row_products(rows(g), rows(x), mean[None]).sum(1)
    sums[1] /= np.sqrt(var + eps)
    return sums.astype(x.dtype)


@composite(batch_sums)
def batch_sums_program(g, x, mean, var, eps):
    axes = over_batch(x)
    d = x - np.mean(x, axis=axes, keepdims=True)
    hat = d / np.sqrt(np.mean(np.square(d), axis=axes, keepdims=True) + eps)
    return np.stack((np.sum(g, axis=axes), np.sum(g * hat, axis=axes)))


def batch_cotangent(g: Any, x: Any, weight: Any, mean: Any, var: Any, sums: Any, eps: float) -> Any:
    """The cotangent of ``x`` in ``batch_normalized``, from that of the result (Ioffe and Szegedy 2015).

    >>> x = np.array([[1.0], [3.0]])
    >>> mean, var = batch_moments(x)
    >>> sums = batch_sums(np.ones((2, 1)), x, mean, var, 0.0)
    >>> batch_cotangent(np.ones((2, 1)), x, None, mean, var, sums, 0.0)
    array([[0.],
           [0.]])
    """
    n = x.dtype.type(max(x.size // max(x.shape[1], 1), 1))
    invstd = 1 / np.sqrt(var + eps)
    a = invstd if weight is None else (invstd * weight).astype(x.dtype, copy=False)
    b, c = -a * invstd * sums[1] / n, -a * sums[0] / n
    return kernels.row_combination(rows(g), rows(x), mean[None], a[None], b[None], c[None]).reshape(x.shape)


@composite(batch_cotangent)
def batch_cotangent_program(g, x, weight, mean, var, sums, eps):
    axes = over_batch(x)
    d = x - np.mean(x, axis=axes, keepdims=True)
    inverse = 1 / (np.mean(np.square(d), axis=axes, keepdims=True) + eps)
    scale = np.sqrt(inverse) if weight is None else np.sqrt(inverse) * along_channels(weight, x)
    inner = g - np.mean(g, axis=axes, keepdims=True) - d * inverse * np.mean(g * d, axis=axes, keepdims=True)
    return inner * scale


def channel_affine(x: Any, weight: Any, bias: Any, mean: Any, var: Any, eps: float) -> Any:
    """``(x - mean) / sqrt(var + eps) * weight + bias`` with any ``mean`` and ``var`` of channels.

    >>> channel_affine(np.array([[5.0]]), None, None, np.array([1.0]), np.array([4.0]), 0.0)
    array([[2.]])
    """
    return batch_normalized(x, weight, bias, mean.astype(x.dtype, copy=False), var, eps)


@vjp(channel_affine)
def channel_affine_rule(g, ans, x, weight, bias, mean, var, eps):
    axes, invstd = over_batch(x), 1 / np.sqrt(var + eps)
    scale = invstd if weight is None else invstd * weight
    product = np.sum(g * (x - along_channels(mean, x)), axis=axes)
    weight_bar = None if weight is None else product * invstd
    bias_bar = None if bias is None else np.sum(g, axis=axes)
    mean_bar, var_bar = -scale * np.sum(g, axis=axes), -0.5 * scale * invstd * invstd * product
    return g * along_channels(scale, x), weight_bar, bias_bar, mean_bar, var_bar, None


@program
def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Each channel (axis 1) of ``input`` with mean 0 and variance 1, times ``weight``, plus ``bias``.

    In training by the moments of the batch, which also move ``running_mean`` and ``running_var`` (in place,
    unless they are None); else by these two.

    >>> batch_norm(np.array([[1.0], [3.0]]), None, None, training=True, eps=0.0)
    array([[-1.],
           [ 1.]])
    """
    if not training:
        return channel_affine(input, weight, bias, running_mean, running_var, eps)
    mean, var = batch_moments(input)
    if running_mean is not None:
        n = np.size(input) / np.shape(input)[1]
        running_mean[...] = momentum * mean + (1 - momentum) * running_mean
        running_var[...] = momentum * n / (n - 1) * var + (1 - momentum) * running_var
    return batch_normalized(input, weight, bias, mean, var, eps)


@program
def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Each channel of each sample with mean 0 and variance 1, times ``weight``, plus ``bias``.

    Without ``use_input_stats`` by ``running_mean`` and ``running_var``; with it these are moved (in place),
    by the mean over the samples.

    >>> instance_norm(np.array([[[1.0, 3.0]]]), eps=0.0)
    array([[[-1.,  1.]]])
    """
    if not use_input_stats:
        return channel_affine(input, weight, bias, running_mean, running_var, eps)
    n, channels = np.shape(input)[0], np.shape(input)[1]
    flat = np.reshape(input, (1, n * channels) + np.shape(input)[2:])
    mean, var = batch_moments(flat)
    if running_mean is not None:
        size = np.size(input) / (n * channels)
        means, variances = np.reshape(mean, (n, channels)), np.reshape(var, (n, channels))
        running_mean[...] = momentum * np.mean(means, axis=0) + (1 - momentum) * running_mean
        correction = momentum * size / (size - 1)
        running_var[...] = correction * np.mean(variances, axis=0) + (1 - momentum) * running_var
    weights = None if weight is None else np.ravel(np.broadcast_to(weight, (n, channels)))
    biases = None if bias is None else np.ravel(np.broadcast_to(bias, (n, channels)))
    return np.reshape(batch_normalized(flat, weights, biases, mean, var, eps), np.shape(input))


helpers.SHAPED_LIKE.update(
    {batch_normalized: (0, (0,)), channel_affine: (0, (0,)), batch_cotangent: (1, (1,))}
)


@shape(batch_sums)
def batch_sums_shape(g, x, mean, var, eps):
    return 2, x[1]
