"""Which functions of several tensors work element by element? Extrema, remainders, bounds, mixtures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.torch import (
    elementwise as torch_elementwise,
    norms as torch_norms,
    products as torch_products,
    reads as torch_reads,
    special as torch_special,
    steps as torch_steps,
)
from ..checks import refuse_shapes
from ..dispatch import Operation, apply, binary, inplace, is_active, promoted, record
from ..dtypes import dtype_of, result_dtype, scalar_name
from ..state import restore, silence, state
from ..surface import attach, function
from ..tensor import Tensor
from .arithmetic import POW, POW_OF_NUMBER, POW_TENSOR, inplace_binary
from .extrema import MAXIMUM, MINIMUM
from .pointwise import require_tensor, require_tensors
from .refusals import check_kind
from .whole_factors import whole_factor


class Kind:
    """One row of the table. ``nodes``: names of nodes of two tensors, with a number second, with one first.

    Where there is one name only, PyTorch takes tensors only.
    """

    def __init__(self, names: str, fn: Any, *nodes: str, inexact: bool = False, rule: Any = None) -> None:
        self.names = names.split()
        self.ops = [
            Operation(fn, f"{node}Backward{i}", ("self", "other"), inexact=inexact, rule=rule)
            for node, i in map(_split, nodes)
        ]
        self.numbers = len(nodes) > 1

    def chosen(self, first: Any, second: Any) -> Operation:
        """The operation for these operands; refuses numbers where only tensors will do."""
        name = self.names[0]
        if not isinstance(second, Tensor):
            if not self.numbers:
                require_tensor(name, second, "other", 2)
            return self.ops[1]
        if not isinstance(first, Tensor):
            if len(self.ops) < 3:
                require_tensor(name, first)
            return self.ops[2]
        return self.ops[0]


def _split(node: str) -> tuple[str, int]:
    return node[:-1], int(node[-1])


TABLE = (
    Kind("atan2 arctan2", torch_elementwise.atan2, "Atan20", inexact=True),
    Kind("fmod", torch_steps.fmod, "Fmod1", "Fmod0"),
    Kind("hypot", np.hypot, "Hypot0"),
    Kind("fmax", torch_elementwise.fmax, "Fmax0"),
    Kind("fmin", torch_elementwise.fmin, "Fmin0"),
    Kind("copysign", np.copysign, "Copysign0", "Copysign1", inexact=True, rule=torch_reads.copysign),
    Kind("logaddexp", np.logaddexp, "Logaddexp0", rule=torch_reads.logaddexp),
    Kind("logaddexp2", np.logaddexp2, "Logaddexp20", rule=torch_reads.logaddexp2),
    Kind("xlogy", torch_special.xlogy, "Xlogy0", "Xlogy2", "Xlogy1", inexact=True),
    Kind("nextafter", np.nextafter, "Nextafter0", rule=torch_reads.nextafter),
)
IN_PLACE = {"atan2", "arctan2", "fmod", "hypot", "copysign", "xlogy", "nextafter"}


def _define(kind: Kind) -> None:
    name = kind.names[0]

    def run(input: Any, other: Any) -> Any:
        op = kind.chosen(input, other)
        check_kind(name, result_dtype(input, other))
        both = isinstance(input, Tensor) and isinstance(other, Tensor)
        return binary(op, input, other) if both else promoted(op, input, other)

    def run_in_place(self: Tensor, other: Any) -> Tensor:
        op = kind.chosen(self, other)
        check_kind(name, result_dtype(self, other))
        return inplace_binary(op, self, other)

    run.__name__, run_in_place.__name__ = name, f"{name}_"
    run.__doc__ = f"``{name}`` of the elements of two tensors."
    function(*kind.names)(run)
    for each in kind.names:
        if each in IN_PLACE:
            attach(f"{each}_", run_in_place)


for _kind in TABLE:
    _define(_kind)

HEAVISIDE = Operation(torch_steps.step_function, "NotImplemented", ("self", "other"))


def _step_values(input: Tensor, values: Any) -> Any:
    require_tensor("heaviside", values, "values", 2)
    require_tensor("heaviside", input)
    if input._array.dtype != values._array.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    check_kind("heaviside", input._array.dtype)
    return values


@function()
def heaviside(input: Tensor, values: Tensor) -> Any:
    """0 where ``input`` is negative, ``values`` where it is 0, else 1; it cannot be differentiated."""
    return apply(HEAVISIDE, (input, _step_values(input, values)))


@function()
def heaviside_(input: Tensor, values: Tensor) -> Any:
    """``heaviside`` in place."""
    return inplace(HEAVISIDE, input, _step_values(input, values))


@function()
def maximum(input: Tensor, other: Tensor) -> Any:
    """The larger element of each pair; at a tie both get half of the gradient."""
    require_tensors("maximum", input=input, other=other)
    check_kind("maximum", result_dtype(input, other))
    return binary(MAXIMUM, input, other)


@function()
def minimum(input: Tensor, other: Tensor) -> Any:
    """The smaller element of each pair; at a tie both get half of the gradient."""
    require_tensors("minimum", input=input, other=other)
    check_kind("minimum", result_dtype(input, other))
    return binary(MINIMUM, input, other)


@function()
def float_power(input: Any, exponent: Any) -> Any:
    """``input ** exponent`` in double precision."""
    double = [_double(t) for t in (input, exponent)]
    if isinstance(double[0], Tensor):
        return binary(POW_TENSOR if isinstance(exponent, Tensor) else POW, double[0], double[1])
    return promoted(POW_OF_NUMBER, *double)


@function("float_power_")
def float_power_(input: Tensor, exponent: Any) -> Any:
    """``float_power`` in place, of double precision only."""
    if input._array.dtype.itemsize < 8:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {scalar_name(input._array.dtype)} but the operation's "
            "result requires dtype Double"
        )
    return inplace_binary(POW_TENSOR if isinstance(exponent, Tensor) else POW, input, _double(exponent))


def _double(t: Any) -> Any:
    if not isinstance(t, Tensor):
        return t
    return t.to(dtype_of(np.dtype(np.complex128 if t._array.dtype.kind == "c" else np.float64)))


@function()
def ldexp(input: Tensor, other: Tensor) -> Any:
    """``input * 2**other``."""
    require_tensors("ldexp", input=input, other=other)
    return input * promoted(POW_TENSOR, 2.0, other)


@function("ldexp_")
def ldexp_(input: Tensor, other: Tensor) -> Any:
    """``ldexp`` in place."""
    return input.mul_(promoted(POW_TENSOR, 2.0, other))


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
    if state.grad and any(map(is_active, args)):
        record(op, args, cast, t, out, options)
    return t


DIST = Operation(torch_norms.dist, "DistBackward0", ("self", "other"))
CLAMP = Operation(torch_elementwise.clamp, "ClampBackward1", ("self", "min", "max"))
CLAMP_TENSOR = Operation(torch_elementwise.clamp, "ClampBackward0", ("self", "min", "max"))
CLAMP_MIN = tuple(Operation(torch_elementwise.clamp, f"ClampMinBackward{i}", ("self", "min")) for i in (0, 1))
CLAMP_MAX = tuple(
    Operation(torch_elementwise.clamp, f"ClampMaxBackward{i}", ("self", "", "max")) for i in (0, 1)
)
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
    check_kind("clamp", input._array.dtype)
    op, bounds = _bounds(min, max)
    if op is CLAMP and input._array.dtype.kind == "f":
        return apply(CLAMP, (input, *bounds))
    return mixed(op, (input, *bounds), {})


@function("clamp_", "clip_")
def clamp_(input: Tensor, min: Any = None, max: Any = None) -> Any:
    """``clamp`` in place."""
    check_kind("clamp", input._array.dtype)
    op, bounds = _bounds(min, max)
    return inplace(op, input, *bounds)


@function()
def clamp_min(input: Tensor, min: Any) -> Any:
    """``input``, at least ``min``."""
    check_kind("clamp", input._array.dtype)
    return mixed(CLAMP_MIN[isinstance(min, Tensor)], (input, min), {})


@function()
def clamp_min_(input: Tensor, min: Any) -> Any:
    """``clamp_min`` in place."""
    check_kind("clamp", input._array.dtype)
    return inplace(CLAMP_MIN[isinstance(min, Tensor)], input, min)


@function()
def clamp_max(input: Tensor, max: Any) -> Any:
    """``input``, at most ``max``."""
    check_kind("clamp", input._array.dtype)
    return mixed(CLAMP_MAX[isinstance(max, Tensor)], (input, None, max), {})


@function()
def clamp_max_(input: Tensor, max: Any) -> Any:
    """``clamp_max`` in place."""
    check_kind("clamp", input._array.dtype)
    return inplace(CLAMP_MAX[isinstance(max, Tensor)], input, None, max)


@function()
def lerp(input: Tensor, end: Tensor, weight: Any) -> Any:
    """``input + weight * (end - input)``."""
    check_kind("lerp", input._array.dtype)
    return apply(LERP_TENSOR if isinstance(weight, Tensor) else LERP, (input, end, weight))


@function()
def lerp_(input: Tensor, end: Tensor, weight: Any) -> Any:
    """``lerp`` in place."""
    return inplace(LERP_TENSOR if isinstance(weight, Tensor) else LERP, input, end, weight)


def _adding(name: str, op: Operation) -> Callable[..., Any]:
    def run(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Any:
        dtype = result_dtype(input, tensor1, tensor2)
        check_kind(name, dtype)
        value = whole_factor(dtype, value)
        if name == "addcdiv" and result_dtype(tensor1, tensor2).kind in "iub":
            raise RuntimeError(
                "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will "
                "perform a true division of tensor1 and tensor2."
            )
        return mixed(op, (input, tensor1, tensor2), {} if value == 1 else {"value": value})

    def run_in_place(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Any:
        value = whole_factor(self._array.dtype, value)
        return inplace(op, self, tensor1, tensor2, **({} if value == 1 else {"value": value}))

    run.__name__, run_in_place.__name__ = name, f"{name}_"
    run.__doc__ = f"``{name}``: ``input`` plus ``value`` times a product or quotient."
    function(name)(run)
    attach(f"{name}_", run_in_place)
    return run


_adding("addcmul", ADDCMUL)
_adding("addcdiv", ADDCDIV)


@function()
def dist(input: Tensor, other: Tensor, p: float = 2) -> Any:
    """The ``p``-norm of ``input - other``."""
    require_tensors("dist", input=input, other=other)
    check_kind("dist", result_dtype(input, other))
    return mixed(DIST, (input, other), {"p": float(p)})
