"""How are tensors compared and combined bit by bit? Results are booleans or integers, and never recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.torch.steps import sampled
from ..checks import refuse_shapes, type_name
from ..dispatch import Operation, inplace
from ..dtypes import result_dtype, scalar_name
from ..state import restore, silence
from ..surface import FUNCTIONS, attach, function
from ..tensor import Tensor
from .arithmetic import operand
from .pointwise import require_tensor, require_tensors
from .refusals import check_kind

ABBREVIATED = {"not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}
# Names of the function, the operator, the function on arrays.
COMPARISONS: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("eq", "__eq__", np.equal),
    ("ne not_equal", "__ne__", np.not_equal),
    ("lt less", "__lt__", np.less),
    ("le less_equal", "__le__", np.less_equal),
    ("gt greater", "__gt__", np.greater),
    ("ge greater_equal", "__ge__", np.greater_equal),
)
LOGICAL: dict[str, Callable[..., Any]] = {
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}
# Name, operator without its underscores, the function on arrays.
BITWISE: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("bitwise_and", "and", np.bitwise_and),
    ("bitwise_or", "or", np.bitwise_or),
    ("bitwise_xor", "xor", np.bitwise_xor),
    ("bitwise_left_shift", "lshift", np.left_shift),
    ("bitwise_right_shift", "rshift", np.right_shift),
)
LOGICAL_NOT = Operation(sampled, "LogicalNotBackward0")
BITWISE_NOT = Operation(sampled, "BitwiseNotBackward0")


def alike(first: Any, second: Any) -> tuple[Any, Any]:
    """The arrays of both operands in their common type."""
    x, y = (t._array if isinstance(t, Tensor) else t for t in (first, second))
    if isinstance(x, np.ndarray) and isinstance(y, np.ndarray) and x.dtype == y.dtype:
        return x, y
    dtype = result_dtype(x, y)
    return np.asarray(x).astype(dtype, copy=False), np.asarray(y).astype(dtype, copy=False)


def quietly(fn: Callable[..., Any], *args: Any) -> Any:
    """``fn(*args)`` without reports of floating-point errors."""
    token = silence()
    try:
        return fn(*args)
    except ValueError as error:
        refuse_shapes(error, args)
    finally:
        restore(token)


def write(t: Tensor, values: Tensor, op: Operation) -> Tensor:
    """Put a result that has no derivative into ``t``, whose gradient is zero from now on."""
    return inplace(op, t, values._array.astype(t._array.dtype))


def _pair(name: str, fn: Callable[..., Any], tensors: bool) -> tuple[Any, Any]:
    """A function of two operands and its in-place form."""

    def run(input: Any, other: Any) -> Any:
        if not (name.startswith("bitwise") and isinstance(other, Tensor)):
            require_tensor(name, input)
        if tensors:
            require_tensor(name, other, "other", 2)
        if operand(other) is NotImplemented or operand(input) is NotImplemented:
            wrong = other if operand(other) is NotImplemented else input
            raise TypeError(f"{name}(): argument 'other' (position 2) must be Tensor, not {type_name(wrong)}")
        return Tensor._of(quietly(fn, *alike(operand(input), operand(other))))

    node = "".join(word.capitalize() for word in ABBREVIATED.get(name, name).split("_"))
    ops = [Operation(sampled, f"{node}Backward{i}") for i in (0, 1)]

    def run_in_place(self: Tensor, other: Any) -> Tensor:
        return write(self, run(self, other), ops[isinstance(other, Tensor)])

    run.__name__, run_in_place.__name__ = name, f"{name}_"
    run.__doc__ = f"``{name}`` of the elements of two operands."
    return run, run_in_place


def _operator(fn: Callable[..., Any]) -> tuple[Any, Any]:
    """An operator and its reflection."""

    def forward(self: Tensor, other: Any) -> Any:
        other = operand(other)
        return NotImplemented if other is NotImplemented else Tensor._of(quietly(fn, *alike(self, other)))

    def reflected(self: Tensor, other: Any) -> Any:
        other = operand(other)
        return NotImplemented if other is NotImplemented else Tensor._of(quietly(fn, *alike(other, self)))

    return forward, reflected


def _kinds_checked(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function after a check of what it is applied to."""

    def checked(x: Any, y: Any) -> Any:
        check_kind(name, x.dtype)
        return fn(x, y)

    return checked


def _publish(names: str, fn: Callable[..., Any], tensors: bool = False) -> None:
    first = names.split()[0]
    run, run_in_place = _pair(first, fn, tensors)
    for name in names.split():
        FUNCTIONS[name] = run
        attach(name, run)
        attach(f"{name}_", run_in_place)


for _names, _dunder, _fn in COMPARISONS:
    _checked = _kinds_checked(_names.split()[0], _fn)
    _publish(_names, _checked)
    _forward, _ = _operator(_checked)
    setattr(Tensor, _dunder, _forward)
for _names, _fn in LOGICAL.items():
    _publish(_names, _fn, tensors=True)
for _names, _fn in (("gcd", np.gcd), ("lcm", np.lcm)):
    _publish(_names, _kinds_checked(_names, _fn), tensors=True)
for _names, _dunder, _fn in BITWISE:
    _checked = _kinds_checked(_names, _fn)
    _publish(_names, _checked)
    _forward, _reflected = _operator(_checked)
    attach(f"__{_dunder}__", _forward)
    attach(f"__r{_dunder}__", _reflected)
    attach(f"__i{_dunder}__", getattr(Tensor, f"{_names}_"))


@function()
def logical_not(input: Tensor) -> Tensor:
    """Whether each element is zero."""
    require_tensor("logical_not", input)
    return Tensor._of(np.logical_not(input._array))


@function()
def logical_not_(input: Tensor) -> Tensor:
    """``logical_not`` in place."""
    return write(input, logical_not(input), LOGICAL_NOT)


@function()
def bitwise_not(input: Tensor) -> Tensor:
    """Each bit turned around, of integers and booleans."""
    require_tensor("bitwise_not", input)
    if input._array.dtype.kind in "fc":
        raise NotImplementedError(
            f"\"bitwise_not_cpu\" not implemented for '{scalar_name(input._array.dtype)}'"
        )
    return Tensor._of(np.invert(input._array))


@function()
def bitwise_not_(input: Tensor) -> Tensor:
    """``bitwise_not`` in place."""
    return write(input, bitwise_not(input), BITWISE_NOT)


attach("__invert__", bitwise_not)


# ----- whole tensors


@function()
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and the same elements."""
    require_tensors("equal", input=input, other=other)
    x, y = input._array, other._array
    return x.shape == y.shape and bool(np.all(x == y))


@function()
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Whether ``abs(input - other) <= atol + rtol * abs(other)``, element by element."""
    require_tensors("isclose", input=input, other=other)
    if input._array.dtype != other._array.dtype:
        raise RuntimeError(f"{_pascal(input)} did not match {_pascal(other)}")
    close = np.isclose(input._array, other._array, rtol, atol, equal_nan)
    return Tensor._of(close)


def _pascal(t: Tensor) -> str:
    return scalar_name(t._array.dtype)


@function()
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether ``isclose`` holds for all elements."""
    require_tensors("allclose", input=input, other=other)
    return bool(np.all(isclose(input, other, rtol, atol, equal_nan)._array))


@function()
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each element is among others."""
    x, y = (t._array if isinstance(t, Tensor) else t for t in (elements, test_elements))
    if "c" in (np.result_type(x).kind, np.result_type(y).kind):
        raise RuntimeError("Unsupported input type encountered for isin(): ComplexDouble")
    found = np.isin(x, y, assume_unique=assume_unique, invert=invert)
    return Tensor._of(found)
