"""How do layer and group normalisation, which know no batch, differentiate?

As in ``normalization`` the moments are those of ``x``, passed on so that they are computed once: the
cotangent of ``x`` contains what flows through them.

Index: layer_norm group_norm rms_norm; layer_moments layer_normalized group_moments group_normalized.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import helpers
from ..loops import normalization as kernels
from ..registry import composite, nondifferentiable, program, shape, vjp
from .normalization import along_channels, pooled, rows

# ----- layer: over the last ``rank`` axes


def matrix(x: Any, rank: int) -> Any:
    """``x`` as a matrix whose rows are normalised, in one piece of memory."""
    split = x.ndim - rank
    return np.ascontiguousarray(x).reshape(math.prod(x.shape[:split]), math.prod(x.shape[split:]))


def last(x: Any, rank: int) -> Any:
    """The last ``rank`` axes of ``x``."""
    return tuple(range(np.ndim(x) - rank, np.ndim(x)))


def layer_moments(x: Any, rank: int) -> tuple[Any, Any]:
    """The mean and the variance (not corrected) over the last ``rank`` axes, which are kept with length 1.

    >>> mean, variance = layer_moments(np.array([1.0, 3.0]), 1)
    >>> float(mean[0]), float(variance[0])
    (2.0, 1.0)
    """
    flat = matrix(x, rank)
    mean, squares = kernels.row_moments(flat[None])
    kept = x.shape[: x.ndim - rank] + (1,) * rank
    variance = squares / max(flat.shape[1], 1)
    return mean.reshape(kept).astype(x.dtype), variance.reshape(kept).astype(x.dtype)


@composite(layer_moments)
def layer_moments_program(x, rank):
    mean = np.mean(x, axis=last(x, rank), keepdims=True)
    return mean, np.mean(np.square(x - mean), axis=last(x, rank), keepdims=True)


def layer_normalized(x: Any, weight: Any, bias: Any, mean: Any, var: Any, shape: Any, eps: float) -> Any:
    """``(x - mean) / sqrt(var + eps) * weight + bias``; ``mean, var = layer_moments(x, len(shape))``.

    ``shape``: that of ``weight`` and ``bias``, and of the last axes of ``x``.

    >>> x = np.array([1.0, 3.0])
    >>> layer_normalized(x, None, None, *layer_moments(x, 1), (2,), 0.0)
    array([-1.,  1.])
    """
    check_layer(x, shape, weight, bias)
    flat = matrix(x, len(shape))
    invstd = 1 / np.sqrt(var.ravel() + eps)
    columns = per_column(weight, flat, 1), per_column(bias, flat, 0)
    return kernels.layer_affine(flat, mean.ravel(), invstd, *columns).reshape(x.shape)


def per_column(v: Any, flat: Any, default: float) -> Any:
    """A weight for each column of a matrix."""
    if v is None:
        return np.full(flat.shape[1], default, flat.dtype)
    return np.ascontiguousarray(v, flat.dtype).ravel()


@vjp(layer_normalized)
def layer_normalized_rule(g, ans, x, weight, bias, mean, var, shape, eps):
    rank = len(shape)
    x_bar = layer_cotangent(g, x, weight, mean, var, rank, eps)
    sums = layer_sums(g, x, mean, var, rank, eps)
    weight_bar = None if weight is None else sums[1]
    bias_bar = None if bias is None else sums[0]
    return x_bar, weight_bar, bias_bar, None, None, None, None


def layer_cotangent(g: Any, x: Any, weight: Any, mean: Any, var: Any, rank: int, eps: float) -> Any:
    """The cotangent of ``x`` in ``layer_normalized``, from that of the result (Ba, Kiros and Hinton 2016).

    >>> x = np.array([1.0, 3.0])
    >>> layer_cotangent(np.ones(2), x, None, *layer_moments(x, 1), 1, 0.0)
    array([0., 0.])
    """
    flat, invstd = matrix(x, rank), 1 / np.sqrt(var.ravel() + eps)
    found = kernels.layer_cotangent(matrix(g, rank), flat, mean.ravel(), invstd, per_column(weight, flat, 1))
    return found.reshape(x.shape)


@composite(layer_cotangent)
def layer_cotangent_program(g, x, weight, mean, var, rank, eps):
    axes = last(x, rank)
    d = x - np.mean(x, axis=axes, keepdims=True)
    inverse = 1 / (np.mean(np.square(d), axis=axes, keepdims=True) + eps)
    h = g if weight is None else g * weight
    inner = h - np.mean(h, axis=axes, keepdims=True) - d * inverse * np.mean(h * d, axis=axes, keepdims=True)
    return inner * np.sqrt(inverse)


def layer_sums(g: Any, x: Any, mean: Any, var: Any, rank: int, eps: float) -> Any:
    """The sums over the rows of ``g`` and of ``g * (x - mean) / sqrt(var + eps)``.

    >>> x = np.array([1.0, 3.0])
    >>> layer_sums(np.ones(2), x, *layer_moments(x, 1), 1, 0.0)
    array([[ 1.,  1.],
           [-1.,  1.]])
    """
    invstd = 1 / np.sqrt(var.ravel() + eps)
    sums = kernels.layer_sums(matrix(g, rank), matrix(x, rank), mean.ravel(), invstd)
    return sums.astype(x.dtype).reshape(2, *x.shape[x.ndim - rank :])


@composite(layer_sums)
def layer_sums_program(g, x, mean, var, rank, eps):
    axes, outer = last(x, rank), tuple(range(np.ndim(x) - rank))
    d = x - np.mean(x, axis=axes, keepdims=True)
    hat = d / np.sqrt(np.mean(np.square(d), axis=axes, keepdims=True) + eps)
    return np.stack((np.sum(g, axis=outer), np.sum(g * hat, axis=outer)))


def check_layer(input: Any, normalized_shape: Any, weight: Any, bias: Any, rms: bool = False) -> None:
    """Refuse shapes that do not fit."""
    normal, shape = list(normalized_shape), list(np.shape(input))
    if not normal:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, "
            f"but got normalized_shape = {normal}"
        )
    for name, v in (("weight", weight), ("bias", bias)):
        if v is not None and list(np.shape(v)) != normal:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(np.shape(v))} and normalized_shape = {normal}"
            )
    if shape[len(shape) - len(normal) :] != normal or len(shape) < len(normal):
        expected = "".join(f"{'' if rms and not i else ', '}{n}" for i, n in enumerate(normal))
        raise RuntimeError(
            f"Given normalized_shape={normal}, expected input with shape [*{expected}], but got input of "
            f"size{shape}"
        )


@program
def layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """``input`` with mean 0 and variance 1 over its last axes, times ``weight``, plus ``bias``.

    ``normalized_shape``: the lengths of these axes, and the shape of ``weight`` and ``bias``.

    >>> layer_norm(np.array([1.0, 3.0]), (2,), eps=0.0)
    array([-1.,  1.])
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    mean, var = layer_moments(input, len(shape))
    return layer_normalized(input, weight, bias, mean, var, shape, eps)


def precision(x: Any) -> float:
    """The distance from 1 to the next number of ``x``'s type.

    >>> precision(np.ones(3, np.float32)) == 2.0**-23
    True
    """
    return float(np.finfo(np.asarray(x).dtype).eps)


@program
def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Any:
    """``input / sqrt(mean(input ** 2) + eps) * weight`` over the last axes (Zhang and Sennrich 2019).

    ``eps``: if None, the distance from 1 to the next number of ``input``'s type.

    >>> rms_norm(np.array([3.0, -3.0]), (2,))
    array([ 1., -1.])
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    return rms_normalized(input, weight, shape, precision(input) if eps is None else eps)


def rms_normalized(x: Any, weight: Any, shape: Any, eps: float) -> Any:
    """``x / sqrt(mean(x ** 2) + eps) * weight`` over the last axes, which have this shape.

    >>> rms_normalized(np.array([3.0, -3.0]), None, (2,), 0.0)
    array([ 1., -1.])
    """
    check_layer(x, shape, weight, None, True)
    return rms_program(x, weight, shape, eps)


@composite(rms_normalized)
def rms_program(x, weight, shape, eps):
    out = x / np.sqrt(np.mean(np.square(x), axis=last(x, len(shape)), keepdims=True) + eps)
    return out if weight is None else out * weight


# ----- group: over the channels of a group and what follows them


def grouped(v: Any, x: Any) -> Any:
    """A number per sample and group as one per sample and channel of ``x``."""
    return np.repeat(v, x.shape[1] // v.shape[1], axis=1)


def split(x: Any, groups: int) -> Any:
    """``x`` of shape ``(N, C, ...)`` as ``(N, groups, L)``."""
    length = np.shape(x)[1] // groups
    for n in np.shape(x)[2:]:
        length = length * n
    return np.reshape(x, (np.shape(x)[0], groups, length))


def group_moments(x: Any, groups: int) -> tuple[Any, Any]:
    """The mean and the variance (not corrected) of each of the groups of channels of each sample.

    >>> mean, variance = group_moments(np.array([[1.0, 3.0]]), 1)
    >>> float(mean[0, 0]), float(variance[0, 0])
    (2.0, 1.0)
    """
    if groups <= 0 or x.ndim < 2 or x.shape[1] % groups:
        check_group(x, groups, None, None)
    flat = rows(x)
    means, squares = (v.reshape(x.shape[0], groups, -1 if v.size else 0) for v in kernels.row_moments(flat))
    return pooled(means, squares, flat.shape[2], 2, x.dtype)


@composite(group_moments)
def group_moments_program(x, groups):
    parts = split(x, groups)
    mean = np.mean(parts, axis=2)
    return mean, np.mean(np.square(parts - np.expand_dims(mean, 2)), axis=2)


def group_normalized(x: Any, weight: Any, bias: Any, mean: Any, var: Any, eps: float) -> Any:
    """``(x - mean) / sqrt(var + eps) * weight + bias``; ``mean, var = group_moments(x, groups)``.

    >>> x = np.array([[1.0, 3.0]])
    >>> group_normalized(x, None, None, *group_moments(x, 1), 0.0)
    array([[-1.,  1.]])
    """
    check_group(x, var.shape[1], weight, bias)
    scale = grouped(1 / np.sqrt(var + eps), x)
    scale = scale if weight is None else (scale * weight).astype(x.dtype, copy=False)
    shift = np.zeros_like(scale)
    shift += 0 if bias is None else bias
    return kernels.row_affine(rows(x), grouped(mean, x), scale, shift).reshape(x.shape)


@vjp(group_normalized)
def group_normalized_rule(g, ans, x, weight, bias, mean, var, eps):
    sums = group_sums(g, x, mean, var, eps)
    x_bar = group_cotangent(g, x, weight, mean, var, sums, eps)
    weight_bar = None if weight is None else np.sum(sums[1], axis=0)
    bias_bar = None if bias is None else np.sum(sums[0], axis=0)
    return x_bar, weight_bar, bias_bar, None, None, None


def group_sums(g: Any, x: Any, mean: Any, var: Any, eps: float) -> Any:
    """The sums of ``g`` and of ``g * (x - mean) / sqrt(var + eps)`` over each channel of each sample.

    >>> x = np.array([[1.0, 3.0]])
    >>> group_sums(np.ones((1, 2)), x, *group_moments(x, 1), 0.0)
    array([[[ 1.,  1.]],
    <BLANKLINE>
           [[-1.,  1.]]])
    """
    sums = kernels.row_products(rows(g), rows(x), grouped(mean, x))
    sums[1] *= grouped(1 / np.sqrt(var + eps), x)
    return sums.astype(x.dtype)


@composite(group_sums)
def group_sums_program(g, x, mean, var, eps):
    beyond = tuple(range(2, np.ndim(x)))
    parts = split(x, np.shape(mean)[1])
    d = parts - np.mean(parts, axis=2, keepdims=True)
    hat = np.reshape(d / np.sqrt(np.mean(np.square(d), axis=2, keepdims=True) + eps), np.shape(x))
    return np.stack((np.sum(g, axis=beyond), np.sum(g * hat, axis=beyond)))


def group_cotangent(g: Any, x: Any, weight: Any, mean: Any, var: Any, sums: Any, eps: float) -> Any:
    """The cotangent of ``x`` in ``group_normalized``, from that of the result (Wu and He 2018).

    >>> x = np.array([[1.0, 3.0]])
    >>> mean, var = group_moments(x, 1)
    >>> sums = group_sums(np.ones((1, 2)), x, mean, var, 0.0)
    >>> group_cotangent(np.ones((1, 2)), x, None, mean, var, sums, 0.0)
    array([[0., 0.]])
    """
    invstd = 1 / np.sqrt(var + eps)
    weighted = sums if weight is None else sums * weight
    totals = weighted.reshape(2, *var.shape, x.shape[1] // var.shape[1]).sum(3) * (var.size / max(x.size, 1))
    a = grouped(invstd, x) * (1 if weight is None else weight)
    b = grouped(-invstd * invstd * totals[1], x)
    c = grouped(-invstd * totals[0], x)
    a, b, c = (v.astype(x.dtype, copy=False) for v in (a, b, c))
    return kernels.row_combination(rows(g), rows(x), grouped(mean, x), a, b, c).reshape(x.shape)


@composite(group_cotangent)
def group_cotangent_program(g, x, weight, mean, var, sums, eps):
    groups = np.shape(mean)[1]
    h = split(g if weight is None else g * along_channels(weight, x), groups)
    parts = split(x, groups)
    d = parts - np.mean(parts, axis=2, keepdims=True)
    inverse = 1 / (np.mean(np.square(d), axis=2, keepdims=True) + eps)
    inner = h - np.mean(h, axis=2, keepdims=True) - d * inverse * np.mean(h * d, axis=2, keepdims=True)
    return np.reshape(inner * np.sqrt(inverse), np.shape(x))


def check_group(input: Any, num_groups: int, weight: Any, bias: Any) -> None:
    """Refuse shapes that do not fit."""
    shape = list(np.shape(input))
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    if shape[1] % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{shape} and num_groups={num_groups}"
        )
    for name, v in (("weight", weight), ("bias", bias)):
        if v is not None and np.shape(v) != (shape[1],):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got "
                f"{name} of shape {list(np.shape(v))} and input of shape {shape}"
            )
    if shape[0] * shape[1] // num_groups * math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {shape}")


@program
def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """Each group of channels of each sample with mean 0 and variance 1, times ``weight``, plus ``bias``.

    >>> group_norm(np.array([[1.0, 3.0]]), 1, eps=0.0)
    array([[-1.,  1.]])
    """
    mean, var = group_moments(input, num_groups)
    return group_normalized(input, weight, bias, mean, var, eps)


nondifferentiable(precision)
helpers.METADATA[precision] = 0
helpers.SHAPED_LIKE.update(
    {layer_normalized: (0, (0,)), rms_normalized: (0, (0,)), group_normalized: (0, (0,))}
)
helpers.SHAPED_LIKE.update({layer_cotangent: (1, (1,)), group_cotangent: (1, (1,))})


@shape(layer_sums)
def layer_sums_shape(g, x, mean, var, rank, eps):
    return (2, *x[len(x) - rank :])


@shape(group_sums)
def group_sums_shape(g, x, mean, var, eps):
    return (2, *x[:2])
