"""Which activation functions are there? Softmax and its relatives, rectifiers, smooth and shrinking ones."""

from __future__ import annotations

from typing import Any

from ...rules.registry import Primitive
from ...rules.torch import activations as rules, softmax as torch_softmax
from ..dispatch import Operation, apply, inplace as in_place
from ..dtypes import as_numpy
from ..surface import function
from ..tensor import Tensor
from .dimensions import axis_of, numpy_names
from .pointwise import require_tensor
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


def _along(op: Operation, input: Tensor, dim: int | None, dtype: Any) -> Any:
    require_tensor("softmax", input)
    if dtype is not None:
        input = input.to(dtype)
    if dim is None:
        dim = 0 if input._array.ndim in (0, 1, 3) else 1
    return apply(op, (input,), {"axis": axis_of(input._array.ndim, dim)})


@function()
@numpy_names
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Any:
    """``exp(input) / exp(input).sum(dim)``.

    >>> import ast_ad
    >>> ast_ad.softmax(ast_ad.zeros(2), 0)
    tensor([0.5000, 0.5000])
    """
    _floating_only("softmax", input, dtype)
    return _along(SOFTMAX, input, dim, dtype)


@function()
@numpy_names
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Any:
    """``log(softmax(input, dim))``, exact where the softmax is tiny."""
    _floating_only("log_softmax", input, dtype)
    return _along(LOG_SOFTMAX, input, dim, dtype)


def _floating_only(name: str, input: Tensor, dtype: Any = None) -> None:
    require_tensor(name, input)
    check_kind(name, input._array.dtype if dtype is None else as_numpy(dtype))


SELU = {"alpha": rules.SELU_ALPHA, "scale": rules.SELU_SCALE}


@function(method=False)
def selu(input: Tensor, inplace: bool = False) -> Any:
    """The ``elu`` whose constants keep the mean 0 and the variance 1."""
    _floating_only("selu", input)
    return in_place(ELU, input, **SELU) if inplace else apply(ELU, (input,), SELU)


@function(method=False)
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Any:
    """``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""
    _floating_only("celu", input)
    how = {"alpha": alpha, "scale": 1.0, "input_scale": 1 / alpha}
    return in_place(CELU, input, **how) if inplace else apply(CELU, (input,), how)


@function(method=False)
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Any:
    """``x`` where it is above ``threshold``, else ``value``."""
    check_kind("threshold", input._array.dtype)
    how = {"limit": threshold, "value": value}
    return in_place(THRESHOLD, input, **how) if inplace else apply(THRESHOLD, (input,), how)


@function()
def hardshrink(input: Tensor, lambd: float = 0.5) -> Any:
    """``x``, but 0 between ``-lambd`` and ``lambd``."""
    _floating_only("hardshrink", input)
    return apply(HARDSHRINK, (input,), {"limit": lambd})


@function()
def prelu(input: Tensor, weight: Tensor) -> Any:
    """``x`` where it is positive, else ``weight * x``; one weight, or one for each channel (dimension 1)."""
    require_tensor("prelu", weight, "weight", 2)
    if weight._array.ndim > 1:
        raise RuntimeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight._array.ndim}"
        )
    if weight._array.size != 1:
        shape = input._array.shape
        if not shape:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = shape[1] if len(shape) > 1 else 1
        if weight._array.size != channels:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight._array.size} and channel size = {channels}."
            )
    if weight._array.ndim and input._array.ndim > 1:
        weight = weight.reshape(1, -1, *[1] * (input._array.ndim - 2))
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
    return in_place(ELU, input, **SELU)


@function(method=False)
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """``celu`` in place."""
    return in_place(CELU, input, alpha=alpha, scale=1.0, input_scale=1 / alpha)


@function("threshold_", method=False)
def threshold_(input: Tensor, threshold: float, value: float) -> Any:
    """``threshold`` in place."""
    return in_place(THRESHOLD, input, limit=threshold, value=value)


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
