"""Which functions of several tensors work element by element? Extrema, remainders, bounds, mixtures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..rules import torch_elementwise, torch_products, torch_special
from .arithmetic import POW, POW_TENSOR
from .checks import refuse_shapes
from .dispatch import Operation, _active, apply, binary, inplace, promoted, record
from .dtypes import result_dtype
from .extrema import MAXIMUM, MINIMUM
from .pointwise import require_tensor
from .state import restore, silence, state
from .surface import attach, function
from .tensor import Tensor

# Names, the function on arrays, the nodes' name, whether integers become floating, whether numbers may stand
# for either tensor.
TABLE: tuple[tuple[str, Any, str, bool], ...] = (
    ("atan2 arctan2", torch_elementwise.atan2, "Atan2Backward0", True),
    ("fmod", np.fmod, "FmodBackward1", False),
    ("hypot", np.hypot, "HypotBackward0", False),
    ("fmax", torch_elementwise.fmax, "FmaxBackward0", False),
    ("fmin", torch_elementwise.fmin, "FminBackward0", False),
    ("copysign", np.copysign, "CopysignBackward0", True),
    ("logaddexp", np.logaddexp, "LogaddexpBackward0", False),
    ("logaddexp2", np.logaddexp2, "Logaddexp2Backward0", False),
    ("xlogy", torch_special.xlogy, "XlogyBackward0", True),
    ("nextafter", np.nextafter, "NextafterBackward0", False),
    ("heaviside", np.heaviside, "HeavisideBackward0", False),
)
IN_PLACE = {"atan2", "arctan2", "fmod", "hypot", "copysign", "xlogy", "nextafter", "heaviside"}


BY_NUMBER = {"fmod": "FmodBackward0"}  # the nodes' names where the second operand is a number


def _define(names: list[str], op: Operation) -> None:
    by_number = Operation(op.fn, BY_NUMBER.get(names[0], op.name), inexact=op.inexact)

    def run(input: Any, other: Any) -> Any:
        both = isinstance(input, Tensor) and isinstance(other, Tensor)
        return binary(op, input, other) if both else promoted(by_number, input, other)

    def run_in_place(self: Tensor, other: Any) -> Tensor:
        from .arithmetic import inplace_binary

        return inplace_binary(op, self, other)

    run.__name__, run_in_place.__name__ = names[0], f"{names[0]}_"
    run.__doc__ = f"``{names[0]}`` of the elements of two tensors."
    function(*names)(run)
    for name in names:
        if name in IN_PLACE:
            attach(f"{name}_", run_in_place)


for _names, _fn, _node, _floating in TABLE:
    _define(_names.split(), Operation(_fn, _node, inexact=_floating))


@function()
def maximum(input: Tensor, other: Tensor) -> Any:
    """The larger element of each pair; at a tie both get half of the gradient."""
    require_tensor("maximum", input)
    require_tensor("maximum", other, "other", 2)
    return binary(MAXIMUM, input, other)


@function()
def minimum(input: Tensor, other: Tensor) -> Any:
    """The smaller element of each pair; at a tie both get half of the gradient."""
    require_tensor("minimum", input)
    require_tensor("minimum", other, "other", 2)
    return binary(MINIMUM, input, other)


@function()
def float_power(input: Any, exponent: Any) -> Any:
    """``input ** exponent`` in double precision."""
    double = [_double(t) for t in (input, exponent)]
    if isinstance(double[0], Tensor):
        return binary(POW_TENSOR if isinstance(exponent, Tensor) else POW, double[0], double[1])
    return promoted(POW_TENSOR, *double)


def _double(t: Any) -> Any:
    if not isinstance(t, Tensor):
        return t
    return t.to(_tensor_dtype(np.complex128 if t._array.dtype.kind == "c" else np.float64))


def _tensor_dtype(kind: Any) -> Any:
    from .dtypes import dtype_of

    return dtype_of(np.dtype(kind))


@function()
def ldexp(input: Tensor, other: Tensor) -> Any:
    """``input * 2**other``."""
    return input * promoted(POW_TENSOR, 2.0, other)


# ----- of three tensors


def mixed(op: Operation, args: tuple[Any, ...], options: dict[str, Any], fixed: int | None = None) -> Any:
    """An operation on tensors (or numbers) of several types, in their common type.

    ``fixed``: the argument that keeps its type, a condition or mask.
    """
    plain = [a._array if isinstance(a, Tensor) else a for a in args]
    dtype = result_dtype(*[p for i, p in enumerate(plain) if i != fixed and p is not None])
    cast = [
        p if i == fixed or p is None else np.asarray(p).astype(dtype, copy=False) for i, p in enumerate(plain)
    ]
    token = silence()
    try:
        out = op.fn(*cast, **options)
    except ValueError as error:
        refuse_shapes(error, cast)
    finally:
        restore(token)
    t = Tensor._of(out)
    if state.grad and any(map(_active, args)):
        record(op, args, cast, t, out, options)
    return t


CLAMP = Operation(torch_elementwise.clamp, "ClampBackward1", ("self", "min", "max"))
CLAMP_TENSOR = Operation(torch_elementwise.clamp, "ClampBackward0", ("self", "min", "max"))
CLAMP_MIN = Operation(torch_elementwise.clamp, "ClampMinBackward0", ("self", "min"))
CLAMP_MAX = Operation(torch_elementwise.clamp, "ClampMaxBackward0", ("self", "min", "max"))
LERP = Operation(torch_elementwise.lerp, "LerpBackward0", ("self", "end", "weight"))
LERP_TENSOR = Operation(torch_elementwise.lerp, "LerpBackward1", ("self", "end", "weight"))
ADDCMUL = Operation(torch_products.add_scaled_product, "AddcmulBackward0", ("self", "tensor1", "tensor2"))
ADDCDIV = Operation(torch_products.add_scaled_quotient, "AddcdivBackward0", ("self", "tensor1", "tensor2"))


def _bounds(low: Any, high: Any) -> tuple[Operation, tuple[Any, ...]]:
    if low is None and high is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    tensors = isinstance(low, Tensor) or isinstance(high, Tensor)
    return CLAMP_TENSOR if tensors else CLAMP, (low, high)


@function("clamp", "clip")
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Any:
    """``input`` confined to ``[min, max]``; at a bound the gradient still reaches ``input``."""
    require_tensor("clamp", input)
    op, bounds = _bounds(min, max)
    return mixed(op, (input, *bounds), {})


@function("clamp_", "clip_")
def clamp_(input: Tensor, min: Any = None, max: Any = None) -> Any:
    """``clamp`` in place."""
    op, bounds = _bounds(min, max)
    return inplace(op, input, *bounds)


@function()
def clamp_min(input: Tensor, min: Any) -> Any:
    """``input``, at least ``min``."""
    return mixed(CLAMP_MIN, (input, min), {})


@function()
def clamp_min_(input: Tensor, min: Any) -> Any:
    """``clamp_min`` in place."""
    return inplace(CLAMP_MIN, input, min)


@function()
def clamp_max(input: Tensor, max: Any) -> Any:
    """``input``, at most ``max``."""
    return mixed(CLAMP_MAX, (input, None, max), {})


@function()
def clamp_max_(input: Tensor, max: Any) -> Any:
    """``clamp_max`` in place."""
    return inplace(CLAMP_MAX, input, None, max)


@function()
def lerp(input: Tensor, end: Tensor, weight: Any) -> Any:
    """``input + weight * (end - input)``."""
    return apply(LERP_TENSOR if isinstance(weight, Tensor) else LERP, (input, end, weight))


@function()
def lerp_(input: Tensor, end: Tensor, weight: Any) -> Any:
    """``lerp`` in place."""
    return inplace(LERP_TENSOR if isinstance(weight, Tensor) else LERP, input, end, weight)


def _adding(name: str, op: Operation) -> Callable[..., Any]:
    def run(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Any:
        return mixed(op, (input, tensor1, tensor2), {} if value == 1 else {"value": value})

    def run_in_place(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Any:
        return inplace(op, self, tensor1, tensor2, **({} if value == 1 else {"value": value}))

    run.__name__, run_in_place.__name__ = name, f"{name}_"
    run.__doc__ = f"``{name}``: ``input`` plus ``value`` times a product or quotient."
    function(name)(run)
    attach(f"{name}_", run_in_place)
    return run


_adding("addcmul", ADDCMUL)
_adding("addcdiv", ADDCDIV)
