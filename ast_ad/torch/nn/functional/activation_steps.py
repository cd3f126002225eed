"""How do activation functions run on tensors? Checked for their type, in place or not, in a few steps."""

from __future__ import annotations

from typing import Any

from ....eager.dispatch import Operation, apply, inplace as in_place, unary
from ....eager.dtypes import scalar_name
from ....eager.operations import activations as eager
from ....eager.operations.pointwise import require_tensor
from ....eager.tensor import Tensor
from ....rules.torch import activations as torch_activations

RRELU = Operation(
    torch_activations.leaky_relu, "RreluWithNoiseBackward0", ("self", "noise"), primitive=eager.LEAK
)

# What PyTorch calls the nodes of those that ran in place, where that differs.
IN_PLACE = {
    op: Operation(op.fn, name, op.saved, primitive=op.primitive)
    for op, name in (
        (eager.ELU, "EluBackward1"),
        (eager.CELU, "CeluBackward1"),
        (eager.LEAKY_RELU, "LeakyReluBackward1"),
        (eager.THRESHOLD, "ThresholdBackward1"),
        (RRELU, "RreluWithNoiseBackward1"),
    )
}

# By function: PyTorch's kernel, which takes floating-point numbers only.
KERNELS = {
    "elu": "elu_cpu", "selu": "elu_cpu", "celu": "elu_cpu", "leaky_relu": "leaky_relu_cpu",
    "gelu": "GeluKernelImpl", "silu": "silu_cpu", "mish": "mish_cpu", "softplus": "softplus_cpu",
    "logsigmoid": "log_sigmoid_cpu", "hardsigmoid": "hardsigmoid_cpu", "hardswish": "hardswish_cpu",
    "softshrink": "softshrink_check", "rrelu": "leaky_relu_cpu", "glu": "glu_cpu", "prelu": "prelu_cpu",
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
