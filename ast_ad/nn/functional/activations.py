"""Which activation functions does ``nn.functional`` have? Those of tensors, with PyTorch's parameters."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...eager import activations as eager
from ...eager.dimensions import axis_of
from ...eager.dispatch import Operation, apply, unary
from ...eager.dispatch import inplace as in_place
from ...eager.dtypes import scalar_name
from ...eager.pointwise import require_tensor
from ...eager.randomness import generator
from ...eager.surface import FUNCTIONS
from ...eager.tensor import Tensor
from ...rules import nn_activations as rules
from ...rules import torch_activations
from .surface import functional

__all__ = [
    "celu", "celu_", "elu", "elu_", "gelu", "glu", "gumbel_softmax", "hardshrink", "hardsigmoid",
    "hardswish", "hardtanh", "hardtanh_", "leaky_relu", "leaky_relu_", "log_softmax", "logsigmoid", "mish",
    "prelu", "relu", "relu6", "relu_", "rrelu", "rrelu_", "selu", "selu_", "sigmoid", "silu", "softmax",
    "softmin", "softplus", "softshrink", "softsign", "tanh", "tanhshrink", "threshold", "threshold_",
]  # fmt: skip

GLU = Operation(rules.gated, "GluBackward0", ("self",))
RRELU = Operation(torch_activations.leaky_relu, "RreluWithNoiseBackward0", ("self", "noise"))

# What PyTorch calls the nodes of those that ran in place, where that differs.
IN_PLACE = {
    op: Operation(op.fn, name, op.saved)
    for op, name in (
        (eager.ELU, "EluBackward1"),
        (eager.CELU, "CeluBackward1"),
        (eager.LEAKY_RELU, "LeakyReluBackward1"),
        (eager.THRESHOLD, "ThresholdBackward1"),
        (RRELU, "RreluWithNoiseBackward1"),
    )
}

_relu, _relu_ = FUNCTIONS["relu"], FUNCTIONS["relu_"]
_sigmoid, _tanh = FUNCTIONS["sigmoid"], FUNCTIONS["tanh"]

# By function: PyTorch's kernel, which takes floating-point numbers only.
KERNELS = {
    "elu": "elu_cpu", "selu": "elu_cpu", "celu": "elu_cpu", "leaky_relu": "leaky_relu_cpu",
    "gelu": "GeluKernelImpl", "silu": "silu_cpu", "mish": "mish_cpu", "softplus": "softplus_cpu",
    "logsigmoid": "log_sigmoid_cpu", "hardsigmoid": "hardsigmoid_cpu", "hardswish": "hardswish_cpu",
    "softshrink": "softshrink_check", "rrelu": "leaky_relu_cpu", "glu": "glu_cpu", "prelu": "prelu_cpu",
}  # fmt: skip


def _check(name: str, input: Any) -> None:
    """Refuse what is no tensor of floating-point numbers."""
    if not isinstance(input, Tensor):
        require_tensor(name, input)
    dtype = input._array.dtype
    if dtype.kind != "f" and (name != "silu" or dtype.kind != "c"):
        raise NotImplementedError(f"\"{KERNELS[name]}\" not implemented for '{scalar_name(dtype)}'")


def _run(name: str, op: Operation, input: Any, how: tuple[Any, ...] = (), inplace: bool = False) -> Any:
    """``op`` of a tensor of floating-point numbers, perhaps in place; ``how``: the options in order."""
    _check(name, input)
    if inplace:
        return in_place(IN_PLACE.get(op, op), input, *how)
    return apply(op, (input, *how)) if how else unary(op, input)


# ----- rectifiers


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
    return in_place(eager.HARDTANH, input, low, high) if inplace else apply(eager.HARDTANH, (input, low, high))


@functional(rules.leaky_relu)
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """``input`` where it is positive, else ``negative_slope * input``.

    >>> import ast_ad
    >>> leaky_relu(ast_ad.tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    return _run("leaky_relu", eager.LEAKY_RELU, input, (negative_slope,), inplace)


@functional(rules.prelu)
def prelu(input: Tensor, weight: Tensor) -> Any:
    """``leaky_relu`` with a slope that is learned, or one for each channel (dimension 1).

    Raises:
        RuntimeError: there are neither as many weights as channels nor one.

    >>> import ast_ad
    >>> prelu(ast_ad.tensor([-1.0, 2.0]), ast_ad.tensor([0.5]))
    tensor([-0.5000,  2.0000])
    """
    require_tensor("prelu", input)
    require_tensor("prelu", weight, "weight", 2)
    x, w = input._array, weight._array
    if x.dtype != w.dtype:
        raise RuntimeError(
            "prelu: Type promoting not supported. Got "
            f"{scalar_name(x.dtype)} and {scalar_name(w.dtype)}"
        )
    if w.size != 1:
        if x.ndim == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = x.shape[1] if x.ndim > 1 else 1
        if channels != w.size:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {w.size} "
                f"and channel size = {channels}."
            )
    if w.ndim > 1:
        raise RuntimeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {w.ndim}"
        )
    if x.ndim != w.ndim:
        shape = [1] * x.ndim
        if x.ndim > 1:
            shape[1] = w.size
        weight = weight.reshape(*shape) if shape else weight.reshape(())
    return apply(eager.PRELU, (input, weight))


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
    _check("rrelu", input)
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    x = input._array
    slope: Any = (lower + upper) / 2
    if training:
        slope = generator(None).uniform(lower, upper, x.shape).astype(x.dtype)
    return in_place(IN_PLACE[RRELU], input, slope) if inplace else apply(RRELU, (input, slope))


@functional(rules.threshold)
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Any:
    """``input`` where it is above ``threshold``, else ``value``.

    >>> import ast_ad
    >>> ast_ad.nn.functional.threshold(ast_ad.tensor([1.0, 3.0]), 1.0, -5.0)
    tensor([-5.,  3.])
    """
    require_tensor("threshold", input)
    how = {"limit": threshold, "value": value}
    if inplace:
        return in_place(IN_PLACE[eager.THRESHOLD], input, **how)
    return apply(eager.THRESHOLD, (input,), how)


# ----- exponential and smooth


@functional(rules.elu)
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Any:
    """``input`` where it is positive, else ``alpha * (exp(input) - 1)``.

    >>> import ast_ad
    >>> elu(ast_ad.tensor([-1000.0, 2.0]))
    tensor([-1.,  2.])
    """
    return _run("elu", eager.ELU, input, (alpha,), inplace)


@functional(rules.selu)
def selu(input: Tensor, inplace: bool = False) -> Any:
    """The ``elu`` whose constants keep the mean 0 and the variance 1.

    >>> import ast_ad
    >>> selu(ast_ad.tensor([1.0]))
    tensor([1.0507])
    """
    how = (torch_activations.SELU_ALPHA, torch_activations.SELU_SCALE)
    return _run("selu", eager.ELU, input, how, inplace)


@functional(rules.celu)
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Any:
    """``input`` where it is positive, else ``alpha * (exp(input / alpha) - 1)``.

    >>> import ast_ad
    >>> celu(ast_ad.tensor([-1000.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return _run("celu", eager.CELU, input, (alpha, 1.0, 1 / alpha), inplace)


@functional(rules.gelu)
def gelu(input: Tensor, approximate: str = "none") -> Any:
    """``input`` times the normal distribution function of it.

    Args:
        approximate: 'none', or 'tanh' for an approximation.

    >>> import ast_ad
    >>> gelu(ast_ad.tensor([1.0]))
    tensor([0.8413])
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return _run("gelu", eager.GELU, input, () if approximate == "none" else (approximate,))


@functional(rules.silu)
def silu(input: Tensor, inplace: bool = False) -> Any:
    """``input * sigmoid(input)``.

    >>> import ast_ad
    >>> silu(ast_ad.tensor([0.0]))
    tensor([0.])
    """
    return _run("silu", eager.SILU, input, (), inplace)


@functional(rules.mish)
def mish(input: Tensor, inplace: bool = False) -> Any:
    """``input * tanh(softplus(input))``.

    >>> import ast_ad
    >>> mish(ast_ad.tensor([0.0]))
    tensor([0.])
    """
    return _run("mish", eager.MISH, input, (), inplace)


@functional(rules.softplus)
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """``log(1 + exp(beta * input)) / beta``, and ``input`` where ``beta * input`` exceeds ``threshold``.

    >>> import ast_ad
    >>> softplus(ast_ad.tensor([0.0, 100.0]))
    tensor([  0.6931, 100.0000])
    """
    return _run("softplus", eager.SOFTPLUS, input, (beta, threshold))


@functional(rules.logsigmoid)
def logsigmoid(input: Tensor) -> Any:
    """``log(sigmoid(input))``, exact where that is tiny.

    >>> import ast_ad
    >>> logsigmoid(ast_ad.tensor([-1000.0]))
    tensor([-1000.])
    """
    return _run("logsigmoid", eager.LOGSIGMOID, input)


@functional(rules.sigmoid)
def sigmoid(input: Tensor) -> Any:
    """``1 / (1 + exp(-input))``.

    >>> import ast_ad
    >>> sigmoid(ast_ad.tensor([0.0]))
    tensor([0.5000])
    """
    return _sigmoid(input)


@functional(rules.tanh)
def tanh(input: Tensor) -> Any:
    """The hyperbolic tangent.

    >>> import ast_ad
    >>> tanh(ast_ad.tensor([0.0]))
    tensor([0.])
    """
    return _tanh(input)


@functional(rules.softsign)
def softsign(input: Tensor) -> Any:
    """``input / (1 + abs(input))``.

    >>> import ast_ad
    >>> softsign(ast_ad.tensor([1.0]))
    tensor([0.5000])
    """
    return eager.softsign(input)


# ----- piecewise linear and shrinking


@functional(rules.hardsigmoid)
def hardsigmoid(input: Tensor, inplace: bool = False) -> Any:
    """``relu6(input + 3) / 6``.

    >>> import ast_ad
    >>> hardsigmoid(ast_ad.tensor([-4.0, 0.0]))
    tensor([0.0000, 0.5000])
    """
    return _run("hardsigmoid", eager.HARDSIGMOID, input, (), inplace)


@functional(rules.hardswish)
def hardswish(input: Tensor, inplace: bool = False) -> Any:
    """``input * hardsigmoid(input)``.

    >>> import ast_ad
    >>> hardswish(ast_ad.tensor([0.0, 3.0]))
    tensor([0., 3.])
    """
    return _run("hardswish", eager.HARDSWISH, input, (), inplace)


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
    _check("softshrink", input)
    if lambd < 0:
        dtype = input._array.dtype
        raise RuntimeError(
            f"lambda must be in range [0, {np.finfo(dtype).max:g}] for input dtype {scalar_name(dtype)}, but "
            f"found {lambd:g}"
        )
    return apply(eager.SOFTSHRINK, (input, lambd))


@functional(rules.tanhshrink)
def tanhshrink(input: Tensor) -> Any:
    """``input - tanh(input)``.

    >>> import ast_ad
    >>> tanhshrink(ast_ad.tensor([0.0]))
    tensor([0.])
    """
    return eager.tanhshrink(input)


# ----- along a dimension


@functional(rules.glu)
def glu(input: Tensor, dim: int = -1) -> Any:
    """The first half of ``input`` along ``dim`` times the sigmoid of the second.

    Raises:
        RuntimeError: the length along ``dim`` is odd.

    >>> import ast_ad
    >>> glu(ast_ad.tensor([3.0, 0.0]))
    tensor([1.5000])
    """
    require_tensor("glu", input)
    x = input._array
    if x.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    _check("glu", input)
    axis = axis_of(x.ndim, dim)
    if x.shape[axis] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {x.shape[axis]}")
    return apply(GLU, (input, axis))


def _chosen(name: str, input: Any, dim: int | None, stacklevel: int, dtype: Any) -> int:
    """The dimension of a softmax, with a warning where it is left open; refuses integers."""
    require_tensor(name, input)
    ndim = input._array.ndim
    if dim is None:
        warnings.warn(
            f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as "
            "an argument.",
            stacklevel=stacklevel + 1,
        )
    axis = axis_of(ndim, rules.axis_for(ndim, dim))
    kind = input._array.dtype
    if dtype is None and kind.kind != "f":
        stem = "log_softmax" if name == "log_softmax" else "softmax"
        last = "lastdim_" if axis == max(ndim, 1) - 1 else ""
        raise NotImplementedError(f"\"{stem}_{last}kernel_impl\" not implemented for '{scalar_name(kind)}'")
    return axis


@functional(rules.softmax)
def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """``exp(input) / exp(input).sum(dim)``, without overflow.

    Args:
        input: any tensor.
        dim: the dimension along which the result sums to 1.
        dtype: to convert ``input`` to first.

    >>> import ast_ad
    >>> softmax(ast_ad.zeros(2), dim=0)
    tensor([0.5000, 0.5000])
    """
    axis = _chosen("softmax", input, dim, _stacklevel, dtype)
    return apply(eager.SOFTMAX, (input if dtype is None else input.to(dtype),), {"axis": axis})


@functional(rules.softmin)
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """``softmax(-input, dim)``.

    >>> import ast_ad
    >>> softmin(ast_ad.zeros(2), dim=0)
    tensor([0.5000, 0.5000])
    """
    axis = _chosen("softmin", input, dim, _stacklevel, dtype)
    turned = -input
    return apply(eager.SOFTMAX, (turned if dtype is None else turned.to(dtype),), {"axis": axis})


@functional(rules.log_softmax)
def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """``log(softmax(input, dim))``, exact where the softmax is tiny.

    >>> import ast_ad
    >>> log_softmax(ast_ad.zeros(2), dim=0)
    tensor([-0.6931, -0.6931])
    """
    axis = _chosen("log_softmax", input, dim, _stacklevel, dtype)
    return apply(eager.LOG_SOFTMAX, (input if dtype is None else input.to(dtype),), {"axis": axis})


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Any:
    """A sample of the distribution of classes that the logits describe, through which gradients flow.

    Args:
        logits: unnormalised logarithms of probabilities.
        tau: the temperature; the lower, the closer to one class.
        hard: whether the result is 1 for one class and 0 for the others; its gradient is that of the soft
            sample.
        eps: has no effect.
        dim: the dimension of the classes.

    >>> import ast_ad
    >>> gumbel_softmax(ast_ad.zeros(3, 4), hard=True).sum(-1)
    tensor([1., 1., 1.])
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    x = logits._array
    drawn = -np.log(generator(None).exponential(size=x.shape)).astype(x.dtype)
    soft = softmax((logits + Tensor._of(drawn)) / tau, dim)
    if not hard:
        return soft
    largest = np.expand_dims(soft._array.argmax(dim), dim)
    chosen = np.zeros_like(soft._array)
    np.put_along_axis(chosen, largest, 1, dim)
    return Tensor._of(chosen) - soft.detach() + soft


# ----- in place


def relu_(input: Tensor) -> Any:
    """``relu`` in place."""
    return _relu_(input)


def elu_(input: Tensor, alpha: float = 1.0) -> Any:
    """``elu`` in place."""
    return elu(input, alpha, True)


def selu_(input: Tensor) -> Any:
    """``selu`` in place."""
    return selu(input, True)


def celu_(input: Tensor, alpha: float = 1.0) -> Any:
    """``celu`` in place."""
    return celu(input, alpha, True)


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
    how = {"limit": threshold, "value": value}
    return in_place(IN_PLACE[eager.THRESHOLD], input, **how)
