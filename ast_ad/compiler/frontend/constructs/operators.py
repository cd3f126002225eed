"""What do operators mean on numbers, arrays, sequences and objects?"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from ....interrupts import let_through
from ....rules import containers
from ...ir.dims import reaches
from ...ir.ops import Lit, Var
from ...ir.types import Dim, Scalar, kind_of
from .. import doors
from ..builder import type_of_arg
from ..callables.container_methods import list_extend
from ..context import Context
from ..conversion import from_python
from ..hash_orders import note_order
from ..outside_values import capture_live
from ..source.opaque import run_apart
from ..store.holding import own_elements, same_elements
from ..tables import expression
from ..told_values import is_told
from ..types.dummies import int_size
from ..values import Arr, Callee, Live, Lst, Tup, Value
from .expressions import evaluate, format_percent
from .object_operators import (
    binary_objects,
    is_operand,
    unary_object,
)
from .statements import place

BINARY = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "MatMult": operator.matmul,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
}
UNARY: dict[str, Callable[[Any], Any]] = {
    "USub": operator.neg,
    "UAdd": operator.pos,
    "Invert": operator.invert,
}


# ----- operators
@expression(gast.BinOp)
def eval_bin_op(cx: Context, node: gast.BinOp) -> Any:
    operands: list[tuple[Any, Any]] = []
    # A left-deep chain, without recursion: sums have thousands of terms.
    while type(node).__name__ == "BinOp":
        operands.append((node, node.right))
        node = node.left
    value = evaluate(cx, node)
    for parent, right in reversed(operands):
        other = evaluate(cx, right)
        place(cx, parent)
        value = binary(cx, BINARY[type(parent.op).__name__], value, other)
    return value


def binary(cx: Context, fn: Callee, left: Value, right: Value) -> Any:
    """``left fn right`` of Python: sequences are concatenated and repeated, numbers computed."""
    if fn in OF_SETS:
        left, right = as_known_set(cx, left), as_known_set(cx, right)
    if is_operand(left) or is_operand(right):
        found = binary_objects(cx, fn, left, right)
        if found is not None:
            return found
    if isinstance(left, (Tup, Lst)) or isinstance(right, (Tup, Lst)):
        found = binary_sequences(cx, fn, left, right)
        if found is not None:
            return found
        left, right = as_operand(cx, left, right), as_operand(cx, right, left)
    one, two = cx.static_value(left), cx.static_value(right)
    if isinstance(one, str) and fn is operator.mod:
        return format_percent(cx, left, right)
    of_rule = cx.builder.adjoint and fn is operator.truediv  # which may be by zero
    if isinstance(left, Lit) and isinstance(right, Lit) and not isinstance(one, np.ndarray) and not of_rule:
        return fold(cx, fn, one, two)
    if fn is operator.pow:
        settle_exponent(cx, left, right)
    return cx.emit(fn, left, right)


OF_SETS = operator.and_, operator.or_, operator.xor, operator.sub


def as_known_set(cx: Context, value: Value) -> Any:
    """A set from outside as what it holds now; any other value itself."""
    return capture_live(cx, value) if isinstance(value, Live) and is_told(value.value) else value


def settle_exponent(cx: Context, base: Value, exponent: Value) -> None:
    """A power of ints is one where the exponent is not negative: that is asked of the arguments."""
    whole = all(isinstance(n, (Lit, Var)) and type_of_arg(n) == Scalar("int") for n in (base, exponent))
    size = int_size(exponent) if whole and isinstance(exponent, Var) else None
    if cx.inputs is not None and isinstance(size, Dim) and not reaches(size, 0) and not reaches(-1, size):
        cx.inputs.demand_several(size)


def as_operand(cx: Context, value: Value, other: Value) -> Any:
    """A display of numbers and arrays next to an array is the array that NumPy makes of it."""
    return (
        cx.emit(np.array, value) if isinstance(other, Arr) and is_list_of_numbers(cx, value, True) else value
    )


def is_list_of_numbers(cx: Context, value: Value, arrays: bool = False) -> bool:
    """Whether it is a display of numbers, or of such displays; ``arrays``: also of arrays."""
    if not isinstance(value, (Lst, Tup)):
        return False
    items = value.items if isinstance(value, Tup) else cx.state.get(value)
    return (
        isinstance(items, tuple)
        and len(items) > 0
        and all(is_number_or_list(cx, part, arrays) for part in items)
    )


def is_number_or_list(cx: Context, value: Value, arrays: bool) -> bool:
    if isinstance(value, Var):
        return kind_of(value.type) != "other"
    if isinstance(value, Arr):
        return arrays
    return (
        isinstance(value, Lit)
        and isinstance(value.value, (int, float, complex))
        or is_list_of_numbers(cx, value, arrays)
    )


def fold(cx: Context, fn: Callee, *values: object) -> Any:
    note_order(cx, fn, *values)
    try:
        return from_python(cx, run_apart(fn, values, {}))
    except Exception as problem:
        let_through(problem)
        raise cx.unsupported(
            "a constant expression",
            f"{type(problem).__name__}: {problem}",
            "mend it",
            exception=problem,
        ) from None


def binary_sequences(cx: Context, fn: Callee, left: Value, right: Value) -> Any:
    if fn is operator.add and isinstance(left, Tup) and isinstance(right, Tup):
        return Tup(left.items + right.items)
    if fn is operator.add and isinstance(left, Lst) and isinstance(right, Lst):
        result = same_elements(cx, left, cx.state.get(left))
        list_extend(cx, result, right)
        return result
    if fn is operator.mul:
        sequence, times = (left, right) if isinstance(left, (Tup, Lst)) else (right, left)
        if (
            isinstance(times, (Arr, Tup, Lst))
            or isinstance(times, Var)
            and not (isinstance(times.type, Scalar) and times.type.kind in ("int", "bool"))
        ):
            return None
        content = sequence.items if isinstance(sequence, Tup) else cx.state.get(sequence)
        count = cx.static_value(times)
        if isinstance(count, int) and isinstance(content, tuple) and count * len(content) <= 4096:
            return Tup(content * count) if isinstance(sequence, Tup) else Lst(content * count)
        if isinstance(sequence, Lst):
            from ...ir.types import ListOf

            var = own_elements(cx, sequence)
            assert isinstance(var.type, ListOf)
            times = cx.builder.opaque(containers.list_repeat, (var, cx.arg(times)), var.type)
            return same_elements(cx, sequence, times)
    return None


@expression(gast.UnaryOp)
def eval_unary_op(cx: Context, node: gast.UnaryOp) -> Any:
    if type(node.op).__name__ == "Not":
        cond = doors.condition(cx, node.operand)
        return Lit(not cond.value) if isinstance(cond, Lit) else cx.emit(operator.not_, cond)
    value = evaluate(cx, node.operand)
    found = unary_object(cx, UNARY[type(node.op).__name__], value) if is_operand(value) else None
    if found is not None:
        return found
    if isinstance(value, Lit):
        return fold(cx, UNARY[type(node.op).__name__], value.value)
    return cx.emit(UNARY[type(node.op).__name__], value)


doors.binary = binary
doors.fold = fold
