"""Which activation functions are there? Softmax and its relatives, rectifiers, smooth and shrinking ones."""

from __future__ import annotations

from typing import Any

from ...rules.networks.activations import axis_for
from ...rules.registry import Primitive
from ...rules.torch import activations as rules, softmax as torch_softmax
from ..dispatch import Operation, apply, either, inplace as in_place, unary
from ..dtypes import as_numpy, scalar_name
from ..surface import function
from ..tensor import Tensor
from .dimensions import axis_of, numpy_names
from .pointwise import require_tensor, require_tensors
from .refusals import check_kind

SOFTMAX = Operation(torch_softmax.softmax, "SoftmaxBackward0", rule=torch_softmax.softmax_by_rows, rows=True)
LOG_SOFTMAX = Operation(
    torch_softmax.log_softmax, "LogSoftmaxBackward0", rule=torch_softmax.log_softmax_by_rows, rows=True
)
KEPT_SUM = Operation(torch_softmax.kept_sum, "SumBackward1")  # within the derivatives of both
ELU = Operation(rules.elu, "EluBackward0")
CELU = Operation(rules.elu, "CeluBackward0")
THRESHOLD = Operation(rules.threshold, "ThresholdBackward0")
HARDSHRINK = Operation(rules.hardshrink, "HardshrinkBackward0")
LEAK = Primitive(rules.leaky_relu, "vjp", rules.leaky_relu_by_mask, broadcasts=True)
LEAKY_RELU = Operation(rules.leaky_relu, "LeakyReluBackward0", primitive=LEAK)
RRELU = Operation(rules.leaky_relu, "RreluWithNoiseBackward0", ("self", "noise"), primitive=LEAK)
PRELU = Operation(rules.leaky_relu, "PreluKernelBackward0", ("self", "weight"), primitive=LEAK)
GELU = Operation(rules.gelu, "GeluBackward0", rule=rules.gelu_by_cdf)
SILU = Operation(rules.silu, "SiluBackward0")
MISH = Operation(rules.mish, "MishBackward0")
SOFTPLUS = Operation(rules.softplus, "SoftplusBackward0")
LOGSIGMOID = Operation(rules.logsigmoid, "LogSigmoidBackward0")
HARDTANH = Operation(rules.hardtanh, "HardtanhBackward0")
HARDSIGMOID = Operation(rules.hardsigmoid, "HardsigmoidBackward0")
HARDSWISH = Operation(rules.hardswish, "HardswishBackward0")
SOFTSHRINK = Operation(rules.softshrink, "SoftshrinkBackward0")


# What PyTorch calls the nodes of those that ran in place, where that differs.
IN_PLACE = {
    op: Operation(op.fn, name, op.saved, primitive=op.primitive)
    for op, name in (
        (ELU, "EluBackward1"),
        (CELU, "CeluBackward1"),
        (LEAKY_RELU, "LeakyReluBackward1"),
        (THRESHOLD, "ThresholdBackward1"),
        (RRELU, "RreluWithNoiseBackward1"),
    )
}

# By function: PyTorch's kernel, which takes floating-point numbers only.
KERNELS = {
    "elu": "elu_cpu", "selu": "elu_cpu", "celu": "elu_cpu", "leaky_relu": "leaky_relu_cpu",
    "gelu": "GeluKernelImpl", "silu": "silu_cpu", "mish": "mish_cpu", "softplus": "softplus_cpu",
    "logsigmoid": "log_sigmoid_cpu", "hardsigmoid": "hardsigmoid_cpu", "hardswish": "hardswish_cpu",
    "softshrink": "softshrink_check", "rrelu": "leaky_relu_cpu", "glu": "glu_cpu", "prelu": "prelu_cpu",
    "hardshrink": "hardshrink_cpu",
}  # fmt: skip


def check(name: str, input: Any) -> None:
    """Refuse what is no tensor of floating-point numbers."""
    if not isinstance(input, Tensor):
        require_tensor(name, input)
    dtype = input._array.dtype
    if dtype.kind != "f" and (name != "silu" or dtype.kind != "c"):
        raise NotImplementedError(f"\"{KERNELS[name]}\" not implemented for '{scalar_name(dtype)}'")


def run(name: str, op: Operation, input: Any, how: tuple[Any, ...] = (), inplace: bool = False) -> Any:
    """``op`` of a tensor of floating-point numbers, perhaps in place; ``how``: the options in order."""
    check(name, input)
    if inplace:
        return in_place(IN_PLACE.get(op, op), input, *how)
    return apply(op, (input, *how)) if how else unary(op, input)


# ----- along a dimension


def refuse_softmax(name: str, dtype: Any, ndim: int, axis: int) -> None:
    """Say that there is no softmax of integers, in the words of PyTorch's kernel for the dimension."""
    last = "lastdim_" if axis == max(ndim, 1) - 1 else ""
    raise NotImplementedError(f"\"{name}_{last}kernel_impl\" not implemented for '{scalar_name(dtype)}'")


def along(name: str, op: Operation, input: Tensor, dim: int | None, dtype: Any) -> Any:
    """A softmax along a dimension, of floating-point numbers or of what becomes such."""
    require_tensor(name, input)
    ndim = input._array.ndim
    axis = axis_of(ndim, axis_for(ndim, dim))
    kind = input._array.dtype if dtype is None else as_numpy(dtype)
    if kind.kind != "f":
        refuse_softmax(name, kind, ndim, axis)
    if dtype is not None:
        input = input.to(dtype)
    if axis == ndim - 1 and input._array.flags.c_contiguous:  # the short way leaves the memory's order
        return unary(op, input)
    return apply(op, (input, axis))


@function()
@numpy_names
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Any:
    """``exp(input) / exp(input).sum(dim)``.

    >>> import ast_ad
    >>> ast_ad.softmax(ast_ad.zeros(2), 0)
    tensor([0.5000, 0.5000])
    """
    return along("softmax", SOFTMAX, input, dim, dtype)


@function()
@numpy_names
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Any:
    """``log(softmax(input, dim))``, exact where the softmax is tiny."""
    return along("log_softmax", LOG_SOFTMAX, input, dim, dtype)


# ----- element by element


@function(method=False)
def selu(input: Tensor, inplace: bool = False) -> Any:
    """The ``elu`` whose constants keep the mean 0 and the variance 1."""
    return run("selu", ELU, input, (rules.SELU_ALPHA, rules.SELU_SCALE), inplace)


@function(method=False)
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Any:
    """``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return run("celu", CELU, input, (alpha, 1.0, 1 / alpha), inplace)


def _above(input: Tensor, limit: float, value: float, inplace: bool) -> Any:
    require_tensor("threshold", input)
    check_kind("threshold", input._array.dtype)
    return either(inplace, IN_PLACE[THRESHOLD] if inplace else THRESHOLD, input, limit=limit, value=value)


@function(method=False)
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Any:
    """``x`` where it is above ``threshold``, else ``value``."""
    return _above(input, threshold, value, inplace)


@function()
def hardshrink(input: Tensor, lambd: float = 0.5) -> Any:
    """``x``, but 0 between ``-lambd`` and ``lambd``."""
    check("hardshrink", input)
    return apply(HARDSHRINK, (input,), {"limit": lambd})


@function()
def prelu(input: Tensor, weight: Tensor) -> Any:
    """``x`` where it is positive, else ``weight * x``; one weight, or one for each channel (dimension 1)."""
    require_tensors("prelu", input=input, weight=weight)
    x, w = input._array, weight._array
    if x.dtype != w.dtype:
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {scalar_name(x.dtype)} and {scalar_name(w.dtype)}"
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
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {w.ndim}")
    if x.ndim != w.ndim:
        shape = [1] * x.ndim
        if x.ndim > 1:
            shape[1] = w.size
        weight = weight.reshape(*shape) if shape else weight.reshape(())
    return apply(PRELU, (input, weight))


def softsign(input: Tensor) -> Any:
    """``x / (1 + abs(x))``."""
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Any:
    """``x - tanh(x)``."""
    return input - input.tanh()


@function(method=False)
def selu_(input: Tensor) -> Tensor:
    """``selu`` in place."""
    found: Tensor = selu(input, True)
    return found


@function(method=False)
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """``celu`` in place."""
    found: Tensor = celu(input, alpha, True)
    return found


@function("threshold_", method=False)
def threshold_(input: Tensor, threshold: float, value: float) -> Any:
    """``threshold`` in place."""
    return _above(input, threshold, value, True)


@function(method=False)
def dropout(input: Any, p: float = 0.5, train: bool = True) -> Any:
    """``input`` with elements zeroed at random with probability ``p``, the others divided by ``1 - p``."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not train or p == 0:
        return input * 1 if train else input
    from .randomness import generator

    kept = generator(None).random(input._array.shape) >= p
    scale = 0.0 if p == 1 else 1 / (1 - p)
    return input * Tensor._of(kept.astype(input._array.dtype) * input._array.dtype.type(scale))
