"""How do a layer and the batch normalisation after it become one? By scaling the layer's weights and bias.

In evaluation the normalisation is ``(y - mean) / sqrt(var + eps) * weight + bias``, which is linear in ``y``.
"""

from __future__ import annotations

import copy
from typing import Any

from ....eager.operations.creation import ones_like, zeros_like
from ..parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def _fused(
    weight: Any, bias: Any, mean: Any, var: Any, eps: float, scale: Any, shift: Any, axis: int
) -> tuple[Parameter, Parameter]:
    factor = (ones_like(mean) if scale is None else scale) * (var + eps).rsqrt()
    shape = [1] * weight.dim()
    shape[axis] = -1
    before = zeros_like(mean) if bias is None else bias
    after = (before - mean) * factor + (zeros_like(mean) if shift is None else shift)
    needs_grad = weight.requires_grad, bias is not None and bias.requires_grad
    return (
        Parameter((weight * factor.reshape(shape)).detach().to(weight.dtype), needs_grad[0]),
        Parameter(after.detach().to(weight.dtype if bias is None else bias.dtype), needs_grad[1]),
    )


def fuse_conv_bn_weights(
    conv_w: Any, conv_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:  # fmt: skip
    """Weight and bias of the convolution that does what this one and the normalisation after it do."""
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 1 if transpose else 0)


def fuse_linear_bn_weights(
    linear_w: Any, linear_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any
) -> tuple[Parameter, Parameter]:
    """Weight and bias of the linear layer that does what this one and the normalisation after it do."""
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 0)


def _with(layer: Any, bn: Any, transpose: bool) -> Any:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    made = copy.deepcopy(layer)
    moments = bn.running_mean, bn.running_var, bn.eps
    made.weight, made.bias = fuse_conv_bn_weights(
        made.weight, made.bias, *moments, bn.weight, bn.bias, transpose
    )
    return made


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A copy of ``conv`` that also does what the normalisation ``bn`` after it does in evaluation.

    Args:
        conv: a convolution, in evaluation mode (else ``AssertionError``).
        bn: a batch normalisation with running moments, in evaluation mode.
        transpose: whether ``conv`` is a transposed one.

    >>> import ast_ad
    >>> conv, bn = ast_ad.nn.Conv2d(1, 2, 1).eval(), ast_ad.nn.BatchNorm2d(2).eval()
    >>> x = ast_ad.ones(1, 1, 2, 2)
    >>> ast_ad.allclose(fuse_conv_bn_eval(conv, bn)(x), bn(conv(x)), atol=1e-6)
    True
    """
    return _with(conv, bn, transpose)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A copy of ``linear`` that also does what the normalisation ``bn`` after it does in evaluation."""
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
    return _with(linear, bn, False)
