"""How are tensors normalised? By the moments of batches, samples, groups of channels, or running ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....eager.dispatch import Operation, apply
from ....eager.dtypes import scalar_name
from ....eager.operations.pointwise import require_tensor
from ....eager.recording import plain_of, showing
from ....eager.state import restore, silence
from ....eager.tensor import Tensor
from ....rules.networks import (
    layer_norm as nn_layer_norm,
    normalization as rules,
    response_norm as nn_response_norm,
)
from .pooling import avg_pool2d, avg_pool3d
from .shaping import pad
from .surface import functional

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "local_response_norm", "rms_norm"]

SAVED = ("input", "weight")
BATCH = Operation(rules.batch_normalized, "NativeBatchNormBackward0", SAVED, images=True)
BY_RUNNING = Operation(rules.channel_affine, "NativeBatchNormBackward0", SAVED, images=True)
LAYER = Operation(
    nn_layer_norm.layer_normalized, "NativeLayerNormBackward0", (*SAVED, "bias"), keeps=("bias",)
)
GROUP = Operation(nn_layer_norm.group_normalized, "NativeGroupNormBackward0", SAVED, images=True)


def _moments(fn: Any, *args: Any) -> Any:
    """Moments, without a word on NaN and infinity."""
    token = silence()
    try:
        return fn(*args)
    finally:
        restore(token)


def _check_kind(kernel: str, x: np.ndarray) -> None:
    if x.dtype.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(x.dtype)}'")


# ----- by channels


@functional(rules.batch_norm)
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Each channel of ``input`` with mean 0 and variance 1, times ``weight``, plus ``bias``.

    Shapes: ``(N, C, ...), (C), (C), (C), (C) -> (N, C, ...)``.

    Args:
        input: of shape ``(N, C)`` or ``(N, C, ...)``, a tensor or an array.
        running_mean: of shape ``(C,)``. In training, it moves by ``momentum`` towards the batch's mean.
        running_var: likewise, with the variance (divided by one less than the number of values).
        weight: a factor for each channel, of shape ``(C,)``, or None.
        bias: what is added to each channel, likewise.
        training: whether the moments are those of the batch, else the running ones.
        eps: added to the variance.

    Raises:
        ValueError: in training, channels of a single value.
        RuntimeError: sizes or dtypes that do not fit, or no running moments where they are needed.

    >>> import ast_ad
    >>> batch_norm(ast_ad.tensor([[1.0], [3.0]]), None, None, training=True, eps=0.0)
    tensor([[-1.],
            [ 1.]])
    """
    require_tensor("batch_norm", input)
    x = input._array
    if training:
        _check_batch(list(x.shape), f"torch.Size({list(x.shape)})")
    _check_channels(x, running_mean, running_var, weight, bias, not training)
    if not x.size:
        return _of_nothing(input, weight, bias)
    if not training:
        moments = (plain_of(v).copy() for v in (running_mean, running_var))  # they may move before the sweep
        found = apply(BY_RUNNING, (input, weight, bias, *moments, eps))
        return _showing_moments(found, False, running_mean, running_var)
    mean, var = _moments(rules.batch_moments, x)
    n = x.size / x.shape[1]
    move(running_mean, mean, momentum)
    move(running_var, var, momentum, n)
    found = apply(BATCH, (input, weight, bias, mean, var, eps))
    return _showing_moments(found, True, running_mean, running_var)


def _of_nothing(input: Tensor, weight: Any, bias: Any) -> Any:
    """What becomes of a tensor without elements; the running moments stay."""
    out = input.clone()
    out = out if weight is None or not weight._array.size else out * weight[0]
    return out if bias is None or not bias._array.size else out + bias[0]


def move(running: Any, value: Any, momentum: float, n: float = 0.0) -> None:
    """Let a running moment follow; ``n``: of so many values it is the variance, and is corrected."""
    if running is None:
        return
    array = plain_of(running)
    if n:
        value = value * (n / (n - 1)) if n > 1 else value * np.nan
    array *= 1 - momentum
    array += np.asarray(momentum * value, array.dtype)
    if isinstance(running, Tensor):
        running._version_counter[0] += 1


def _check_batch(shape: list[int], shown: str) -> None:
    """Refuse channels of a single value, whose variance is 0."""
    if math.prod(shape) == (shape[1] if len(shape) > 1 else 0) and len(shape) > 1 and shape[1]:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {shown}")


def _check_channels(x: np.ndarray, mean: Any, var: Any, weight: Any, bias: Any, evaluated: bool) -> None:
    _check_kind("batch_norm", x)
    if x.ndim < 2:
        wanted = f"[-{x.ndim}, {x.ndim - 1}]"
        raise IndexError(f"Dimension out of range (expected to be in range of {wanted}, but got 1)")
    for name, v in (("running_mean", mean), ("running_var", var), ("weight", weight), ("bias", bias)):
        if v is None:
            if evaluated and name.startswith("running"):
                raise RuntimeError(f"{name} must be defined in evaluation mode")
            continue
        v = plain_of(v)
        if v.size != x.shape[1]:
            raise RuntimeError(f"{name} should contain {x.shape[1]} elements not {v.size}")
        if v.dtype != x.dtype and not (x.dtype.itemsize == 2 and v.dtype == np.float32):
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")


@functional(rules.instance_norm)
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Each channel of each sample with mean 0 and variance 1, times ``weight``, plus ``bias``.

    Shapes: ``(N, C, L, ...), (C), (C), (C), (C) -> (N, C, L, ...)``.

    Args:
        input: of shape ``(N, C, ...)``.
        running_mean: of shape ``(C,)``; it moves towards the mean over the samples.
        running_var: likewise.
        weight: a factor for each channel, of shape ``(C,)``, or None.
        bias: what is added to each channel, likewise.
        use_input_stats: whether the moments are those of the samples, else the running ones.

    Raises:
        ValueError: channels of a single value.

    >>> import ast_ad
    >>> instance_norm(ast_ad.tensor([[[1.0, 3.0]]]), eps=0.0)
    tensor([[[-1.,  1.]]])
    """
    require_tensor("instance_norm", input)
    shape = input._array.shape
    if use_input_stats and math.prod(shape[2:]) == 1:
        raise ValueError(
            f"Expected more than 1 spatial element when training, got input size torch.Size({list(shape)})"
        )
    n, channels = shape[:2]
    flat = input.contiguous().view(1, n * channels, *shape[2:])
    weights, biases = (None if v is None else v.repeat(n) for v in (weight, bias))
    if not use_input_stats:
        _check_channels(input._array, running_mean, running_var, weight, bias, True)
        moments = [np.tile(plain_of(v), n) for v in (running_mean, running_var)]
        found = apply(BY_RUNNING, (flat, weights, biases, *moments, eps))
        return _showing_moments(found, False, *moments).view(*shape)
    _check_channels(input._array, running_mean, running_var, weight, bias, False)
    if not input._array.size:
        return _of_nothing(flat, weights, biases).view(*shape)
    mean, var = _moments(rules.batch_moments, flat._array)
    repeated = [None if v is None else np.tile(plain_of(v), n) for v in (running_mean, running_var)]
    for each, value, count in zip(repeated, (mean, var), (0.0, math.prod(shape[2:])), strict=True):
        move(each, value, momentum, count)
    move(running_mean, mean.reshape(n, channels).mean(0), momentum)
    move(running_var, var.reshape(n, channels).mean(0), momentum, math.prod(shape[2:]))
    found = apply(BATCH, (flat, weights, biases, mean, var, eps))
    return _showing_moments(found, True, *repeated).view(*shape)


def _showing_moments(found: Any, training: bool, mean: Any, var: Any) -> Any:
    return showing(found, training=training, running_mean=mean, running_var=var)


# ----- by samples


@functional(nn_layer_norm.layer_norm)
def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Any:
    """``input`` with mean 0 and variance 1 over its last dimensions, times ``weight``, plus ``bias``.

    Shapes: ``(..., *S), (*S), (*S) -> (..., *S)`` with ``S = normalized_shape``.

    Args:
        input: of shape ``(*, *normalized_shape)``.
        normalized_shape: the lengths of the dimensions over which the moments are taken.
        weight: of shape ``normalized_shape``, or None.
        bias: likewise.
        eps: added to the variance.

    Raises:
        RuntimeError: shapes that do not fit.

    >>> import ast_ad
    >>> layer_norm(ast_ad.tensor([1.0, 3.0]), (2,), eps=0.0)
    tensor([-1.,  1.])
    """
    require_tensor("layer_norm", input)
    shape = tuple(map(int, normalized_shape))
    nn_layer_norm.check_layer(input._array, shape, plain_of(weight), plain_of(bias))
    _check_kind("LayerNormKernelImpl", input._array)
    mean, var = _moments(nn_layer_norm.layer_moments, input._array, len(shape))
    return apply(LAYER, (input, weight, bias, mean, var, shape, eps))


@functional(nn_layer_norm.group_norm)
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Any:
    """Each group of channels of each sample with mean 0 and variance 1, times ``weight``, plus ``bias``.

    Shapes: ``(N, C, ...), (C), (C) -> (N, C, ...)``.

    Args:
        input: of shape ``(N, C, ...)``.
        num_groups: into how many groups the channels are divided.
        weight: a factor for each channel, of shape ``(C,)``, or None.
        bias: what is added to each channel, likewise.
        eps: added to the variance.

    Raises:
        ValueError: groups of a single value.
        RuntimeError: shapes that do not fit.

    >>> import ast_ad
    >>> group_norm(ast_ad.tensor([[1.0, 3.0]]), 1, eps=0.0)
    tensor([[-1.,  1.]])
    """
    require_tensor("group_norm", input)
    x = input._array
    nn_layer_norm.check_group(x, num_groups, plain_of(weight), plain_of(bias))
    _check_kind("GroupNormKernelImpl", x)
    mean, var = _moments(nn_layer_norm.group_moments, x, num_groups)
    return apply(GROUP, (input, weight, bias, mean, var, eps))


@functional(nn_layer_norm.rms_norm)
def rms_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None
) -> Any:
    """``input / sqrt(mean(input ** 2) + eps) * weight`` over the last dimensions.

    Shapes: ``(..., *S), (*S) -> (..., *S)`` with ``S = normalized_shape``.

    Args:
        input: of shape ``(*, *normalized_shape)``.
        normalized_shape: the lengths of the dimensions over which the mean is taken.
        weight: of shape ``normalized_shape``, or None.
        eps: if None, the distance from 1 to the next number of ``input``'s dtype.

    Raises:
        RuntimeError: shapes that do not fit.

    >>> import ast_ad
    >>> rms_norm(ast_ad.tensor([3.0, -3.0]), (2,))
    tensor([ 1., -1.])
    """
    require_tensor("rms_norm", input)
    nn_layer_norm.check_layer(input._array, normalized_shape, plain_of(weight), None, True)
    small = float(np.finfo(input._array.dtype).eps) if eps is None else eps
    dims = tuple(range(-len(normalized_shape), 0))
    out = input * (input.pow(2).mean(dims, keepdim=True) + small).rsqrt()
    return out if weight is None else out * weight


@functional(nn_response_norm.local_response_norm)
def local_response_norm(
    input: Tensor, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0
) -> Any:
    """``input`` divided by ``(k + alpha * mean(input ** 2)) ** beta``, of ``size`` neighbouring channels.

    Shapes: ``(N, C, L, ...) -> (N, C, L, ...)``.

    Args:
        input: of shape ``(N, C, ...)``.
        size: the number of channels; the mean counts zeros beyond the first and the last.

    Raises:
        ValueError: fewer than 3 dimensions.

    >>> import ast_ad
    >>> local_response_norm(ast_ad.full((1, 1, 1), 2.0), 1, alpha=0.75, beta=1.0)
    tensor([[[0.5000]]])
    """
    require_tensor("local_response_norm", input)
    shape = input._array.shape
    if len(shape) < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality {' ' * 25}input (got {len(shape)} dimensions)"
        )
    if not input._array.size:
        return input
    div = input.mul(input)
    if len(shape) == 3:
        div = avg_pool2d(
            pad(div.unsqueeze(1), (0, 0, size // 2, (size - 1) // 2)), (size, 1), stride=1
        ).squeeze(1)
    else:
        wide = div.view(shape[0], 1, shape[1], shape[2], -1)
        wide = pad(wide, (0, 0, 0, 0, size // 2, (size - 1) // 2))
        div = avg_pool3d(wide, (size, 1, 1), stride=1).squeeze(1).view(*shape)
    return input / div.mul(alpha).add(k).pow(beta)
