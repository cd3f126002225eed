"""Which elementwise operations do tensors have? Operators, functions, and their in-place forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.torch import reads as torch_reads, steps as torch_steps
from ..dispatch import Operation, binary, inplace, promoted, unary
from ..dtypes import result_dtype
from ..state import state
from ..surface import attach, function, method
from ..tensor import Tensor
from .whole_factors import whole_factor_only

ADD = Operation(np.add, "AddBackward0", ("self", "other"), scalars=True)
SUB = Operation(np.subtract, "SubBackward0", ("self", "other"), scalars=True)
RSUB = Operation(np.subtract, "RsubBackward1", ("other", "self"))
MUL = Operation(np.multiply, "MulBackward0", ("self", "other"), scalars=True)
DIV = Operation(
    np.divide, "DivBackward0", ("self", "other"), inexact=True, scalars=True, rule=torch_reads.divide
)
POW = Operation(np.power, "PowBackward0", ("self", "exponent"))
POW_TENSOR = Operation(np.power, "PowBackward1", ("self", "exponent"))
POW_OF_NUMBER = Operation(np.power, "PowBackward2", ("self", "exponent"))
NEG = Operation(np.negative, "NegBackward0", ("self", "other"))
FLOOR_DIV = Operation(
    torch_steps.floor_quotient, "NotImplemented", ("self", "other"), rule=torch_reads.floor_divide
)
DIV_FLOOR = Operation(torch_steps.floor_quotient, "DivBackward2", ("self", "other"))
DIV_TRUNC = Operation(torch_steps.trunc_quotient, "DivBackward2", ("self", "other"))
REMAINDER = Operation(torch_steps.remainder, "RemainderBackward1", ("self", "other"))
REMAINDER_OF_NUMBER = Operation(torch_steps.remainder, "RemainderBackward0", ("self", "other"))
WRONG_ROUNDING = "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'"


NUMBERS = int, float, complex, np.generic


def operand(b: Any) -> Any:
    """The second operand of an operator, or NotImplemented."""
    if isinstance(b, Tensor) or isinstance(b, NUMBERS):
        return b
    if isinstance(b, np.ndarray):
        return Tensor._of(b)
    return NotImplemented


def _operator(op: Operation) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """The operator, its reflection and its in-place form."""

    def forward(self: Tensor, other: Any) -> Any:
        if other.__class__ is not Tensor and other.__class__ is not float:
            other = operand(other)
            if other is NotImplemented:
                return NotImplemented
        if op is REMAINDER and not isinstance(other, Tensor):
            return binary(REMAINDER_OF_NUMBER, self, other)
        if op is DIV and state.rules is not None and other.__class__ is int and other == 0:
            other = self._array.dtype.type(0)  # no elements: in the quotient's own rule Python would raise
        return binary(op, self, other)

    def reflected(self: Tensor, other: Any) -> Any:
        other = operand(other)
        return NotImplemented if other is NotImplemented else from_left(op, other, self)

    def in_place(self: Tensor, other: Any) -> Any:
        other = operand(other)
        return NotImplemented if other is NotImplemented else inplace_binary(op, self, other)

    return forward, reflected, in_place


def from_left(op: Operation, other: Any, self: Tensor) -> Any:
    """``op.fn(other, self)``; with a number as other operand by the operation that PyTorch takes for it."""
    if isinstance(other, Tensor):
        return binary(op, other, self)
    if op is ADD or op is MUL:
        return binary(op, self, other)
    if op is DIV:
        return binary(MUL, self.reciprocal(), other)
    return promoted(RSUB if op is SUB else op, other, self)


def inplace_binary(op: Operation, self: Tensor, other: Any) -> Tensor:
    """``self`` becomes ``op.fn(self, other)``, in its own dtype whatever that of ``other``."""
    if isinstance(other, Tensor) and other._array.dtype != self._array.dtype:
        from ..dtypes import result_dtype
        from ..mutation import check_result

        check_result(np.empty(self._array.shape, result_dtype(self, other)), self._array)
    return inplace(op, self, other)


for _name, _op in (
    ("add", ADD),
    ("sub", SUB),
    ("mul", MUL),
    ("truediv", DIV),
    ("floordiv", FLOOR_DIV),
    ("mod", REMAINDER),
):
    _forward, _reflected, _in_place = _operator(_op)
    attach(f"__{_name}__", _forward)
    attach(f"__r{_name}__", _reflected)
    attach(f"__i{_name}__", _in_place)
attach("__neg__", lambda self: unary(NEG, self))
attach("__pos__", lambda self: self)


def _scaled(input: Any, other: Any, alpha: Any) -> Any:
    """``other * alpha``, of what is added to ``input``."""
    if alpha.__class__ is int and alpha == 1:
        return other
    alpha = whole_factor_only(result_dtype(input, other), alpha)
    return other if alpha == 1 else other * alpha


@function()
def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """``input + alpha * other``."""
    return (
        binary(ADD, input, _scaled(input, other, alpha))
        if isinstance(input, Tensor)
        else other * alpha + input
    )


def _no_booleans(*operands: Any) -> None:
    """Refuse to subtract with tensors of booleans."""
    if any(isinstance(t, Tensor) and t._array.dtype.kind == "b" for t in operands):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert "
            "a mask, use the `~` or `logical_not()` operator instead."
        )


@function("sub", "subtract")
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """``input - alpha * other``."""
    _no_booleans(input, other)
    return (
        binary(SUB, input, _scaled(input, other, alpha))
        if isinstance(input, Tensor)
        else -other * alpha + input
    )


@function()
def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """``other - alpha * input``."""
    _no_booleans(input, other)
    return other - _scaled(other, input, alpha)


@function("mul", "multiply")
def mul(input: Any, other: Any) -> Any:
    """``input * other``."""
    return binary(MUL, input, other) if isinstance(input, Tensor) else from_left(MUL, input, other)


@function("div", "divide", "true_divide")
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """``input / other``, rounded towards zero (``'trunc'``) or down (``'floor'``) if asked for."""
    if rounding_mode is None:
        return binary(DIV, input, other) if isinstance(input, Tensor) else from_left(DIV, input, other)
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(WRONG_ROUNDING.format(rounding_mode))
    return promoted(DIV_FLOOR if rounding_mode == "floor" else DIV_TRUNC, input, other)


@function()
def floor_divide(input: Any, other: Any) -> Any:
    """``input // other``."""
    return input // other


@function()
def remainder(input: Any, other: Any) -> Any:
    """``input % other``, with the sign of ``other``."""
    return input % other


@function("pow")
def power(input: Any, exponent: Any) -> Any:
    """``input ** exponent``."""
    return input**exponent


def _pow(self: Tensor, exponent: Any) -> Any:
    exponent = operand(exponent)
    if exponent is NotImplemented:
        return NotImplemented
    return binary(POW_TENSOR if isinstance(exponent, Tensor) else POW, self, exponent)


def _rpow(self: Tensor, base: Any) -> Any:
    base = operand(base)
    return NotImplemented if base is NotImplemented else from_left(POW_OF_NUMBER, base, self)


attach("__pow__", _pow)
attach("__rpow__", _rpow)
attach("__ipow__", _operator(POW)[2])


def _in_place_method(op: Operation) -> Callable[..., Any]:
    def method(self: Tensor, other: Any) -> Tensor:
        return inplace_binary(op, self, other)

    return method


@method()
def add_(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """``self += alpha * other``."""
    return inplace_binary(ADD, self, _scaled(self, other, alpha))


@method("sub_", "subtract_")
def sub_(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """``self -= alpha * other``."""
    _no_booleans(self, other)
    return inplace_binary(SUB, self, _scaled(self, other, alpha))


@method("div_", "divide_", "true_divide_")
def div_(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """``self`` becomes ``div(self, other)``."""
    ops = {None: DIV, "floor": DIV_FLOOR, "trunc": DIV_TRUNC}
    if rounding_mode not in ops:
        raise RuntimeError(WRONG_ROUNDING.format(rounding_mode))
    return inplace_binary(ops[rounding_mode], self, other)


@method()
def pow_(self: Tensor, exponent: Any) -> Tensor:
    """``self **= exponent``."""
    return inplace_binary(POW_TENSOR if isinstance(exponent, Tensor) else POW, self, exponent)


attach("mul_", _in_place_method(MUL))
attach("multiply_", _in_place_method(MUL))
attach("floor_divide_", _in_place_method(FLOOR_DIV))
attach("remainder_", _in_place_method(REMAINDER))
