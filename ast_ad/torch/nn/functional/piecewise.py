"""Which activation functions consist of straight lines? Rectifiers, bounded and shrinking ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....eager.dispatch import apply, either
from ....eager.dtypes import scalar_name
from ....eager.operations import activations as eager
from ....eager.operations.activations import IN_PLACE, RRELU, check, run
from ....eager.operations.pointwise import require_tensor
from ....eager.operations.randomness import generator
from ....eager.surface import FUNCTIONS
from ....eager.tensor import Tensor
from ....rules.networks import activations as rules
from .surface import functional

__all__ = [
    "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "hardtanh_", "leaky_relu", "leaky_relu_", "prelu",
    "relu", "relu6", "relu_", "rrelu", "rrelu_", "softshrink", "threshold", "threshold_",
]  # fmt: skip

_relu, _relu_ = FUNCTIONS["relu"], FUNCTIONS["relu_"]


@functional(rules.relu)
def relu(input: Tensor, inplace: bool = False) -> Any:
    """``max(input, 0)``, with derivative 0 at 0.

    >>> import ast_ad
    >>> relu(ast_ad.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return _relu_(input) if inplace else _relu(input)


@functional(rules.relu6)
def relu6(input: Tensor, inplace: bool = False) -> Any:
    """``min(max(input, 0), 6)``.

    >>> import ast_ad
    >>> relu6(ast_ad.tensor([-1.0, 7.0]))
    tensor([0., 6.])
    """
    return _bounded("relu6", input, 0, 6, inplace)


@functional(rules.hardtanh)
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """``input`` confined to ``[min_val, max_val]``, with derivative 0 at both.

    Raises:
        ValueError: ``min_val`` is the larger.

    >>> import ast_ad
    >>> hardtanh(ast_ad.tensor([-3.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _bounded("hardtanh", input, min_val, max_val, inplace)


def _bounded(name: str, input: Any, low: Any, high: Any, inplace: bool) -> Any:
    require_tensor(name, input)
    kind = input._array.dtype.kind
    if kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if kind in "iu":
        low, high = int(low), int(high)
    return either(inplace, eager.HARDTANH, input, low, high)


@functional(rules.leaky_relu)
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """``input`` where it is positive, else ``negative_slope * input``.

    >>> import ast_ad
    >>> leaky_relu(ast_ad.tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    return run("leaky_relu", eager.LEAKY_RELU, input, (negative_slope,), inplace)


@functional(rules.prelu)
def prelu(input: Tensor, weight: Tensor) -> Any:
    """``leaky_relu`` with a slope that is learned, or one for each channel (dimension 1).

    Shapes: ``(N, C, ...), (C) -> (N, C, ...)``, ``(...), (1) -> (...)``.

    Raises:
        RuntimeError: there are neither as many weights as channels nor one.

    >>> import ast_ad
    >>> prelu(ast_ad.tensor([-1.0, 2.0]), ast_ad.tensor([0.5]))
    tensor([-0.5000,  2.0000])
    """
    return eager.prelu(input, weight)


@functional(rules.rrelu)
def rrelu(
    input: Tensor,
    lower: float = 0.125,
    upper: float = 1 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Any:
    """``leaky_relu`` with slopes drawn from ``[lower, upper]``; without ``training`` with their mean.

    >>> import ast_ad
    >>> rrelu(ast_ad.tensor([-1.0, 2.0]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])
    """
    check("rrelu", input)
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    x = input._array
    slope: Any = (lower + upper) / 2
    if training:
        slope = generator(None).uniform(lower, upper, x.shape).astype(x.dtype)
    return either(inplace, IN_PLACE[RRELU] if inplace else RRELU, input, slope)


@functional(rules.threshold)
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Any:
    """``input`` where it is above ``threshold``, else ``value``.

    >>> import ast_ad
    >>> ast_ad.nn.functional.threshold(ast_ad.tensor([1.0, 3.0]), 1.0, -5.0)
    tensor([-5.,  3.])
    """
    return eager.threshold(input, threshold, value, inplace)


# ----- bounded and shrinking


@functional(rules.hardsigmoid)
def hardsigmoid(input: Tensor, inplace: bool = False) -> Any:
    """``relu6(input + 3) / 6``.

    >>> import ast_ad
    >>> hardsigmoid(ast_ad.tensor([-4.0, 0.0]))
    tensor([0.0000, 0.5000])
    """
    return run("hardsigmoid", eager.HARDSIGMOID, input, (), inplace)


@functional(rules.hardswish)
def hardswish(input: Tensor, inplace: bool = False) -> Any:
    """``input * hardsigmoid(input)``.

    >>> import ast_ad
    >>> hardswish(ast_ad.tensor([0.0, 3.0]))
    tensor([0., 3.])
    """
    return run("hardswish", eager.HARDSWISH, input, (), inplace)


@functional(rules.hardshrink)
def hardshrink(input: Tensor, lambd: float = 0.5) -> Any:
    """``input``, but 0 between ``-lambd`` and ``lambd``.

    >>> import ast_ad
    >>> hardshrink(ast_ad.tensor([-1.0, 0.5]))
    tensor([-1.,  0.])
    """
    return eager.hardshrink(input, lambd)


@functional(rules.softshrink)
def softshrink(input: Tensor, lambd: float = 0.5) -> Any:
    """``input`` moved towards 0 by ``lambd``, and 0 between.

    Raises:
        RuntimeError: ``lambd`` is negative.

    >>> import ast_ad
    >>> softshrink(ast_ad.tensor([-1.0, 0.25]))
    tensor([-0.5000,  0.0000])
    """
    check("softshrink", input)
    if lambd < 0:
        dtype = input._array.dtype
        raise RuntimeError(
            f"lambda must be in range [0, {np.finfo(dtype).max:g}] for input dtype {scalar_name(dtype)}, but "
            f"found {lambd:g}"
        )
    return apply(eager.SOFTSHRINK, (input, lambd))


# ----- in place


def relu_(input: Tensor) -> Any:
    """``relu`` in place."""
    return _relu_(input)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Any:
    """``leaky_relu`` in place."""
    return leaky_relu(input, negative_slope, True)


def rrelu_(input: Tensor, lower: float = 0.125, upper: float = 1 / 3, training: bool = False) -> Any:
    """``rrelu`` in place."""
    return rrelu(input, lower, upper, training, True)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """``hardtanh`` in place."""
    return hardtanh(input, min_val, max_val, True)


def threshold_(input: Tensor, threshold: float, value: float) -> Any:
    """``threshold`` in place."""
    return eager.threshold_(input, threshold, value)
