"""What does a program read of how an array lies in memory: its strides, its flags? Who may write to it?

What NumPy would say, where that is certain. Else the program is read again with the orders of the arguments,
and refused if they don't tell. Writes to an array that is locked (``flags.writeable = False``) are refused:
the call is traced, and NumPy raises.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from ....rules.memory import ArrayFlags
from ...ir.builtin import tuple_get
from ...ir.dims import Int, differs_from_one, divided, product
from ...ir.ops import Lit, Var
from ...ir.types import Array, Scalar, dtype_of
from ..context import Context
from ..types.strides import has_no_gaps
from ..types.type_questions import exact
from ..values import Arr, Obj, Tup, Value
from .windows import shape_of, strides_of, whole_shape

OWNER = "array"  # what flags keep of whose they are; NumPy's have no such name
LOCKED = "an array that is read-only by its flags"
Product = tuple[Int, Var, tuple[int, ...]]  # lengths multiplied: the integer, the array, its axes


def itemsize_of(cx: Context, arr: Arr) -> int:
    var = cx.read(arr)
    dtype: Any = dtype_of(exact(cx, var, var.type, "the dtype"))
    return int(dtype.itemsize)


def strides_read(cx: Context, arr: Value) -> Tup:
    """``arr.strides``, in bytes. What those of an axis of one element are, arrays don't agree upon."""
    shape, strides = _layout(cx, arr, "the strides of an array")
    assert isinstance(arr, Arr)
    size, known = itemsize_of(cx, arr), list(_products(cx, arr))
    values = [_value(cx, stride, size, known) for stride in strides]
    if not all(n != 1 if isinstance(n, int) else differs_from_one(n) for n in shape) or None in values:
        if cx.inputs is not None:
            cx.inputs.demand_shapes([cx.read(arr)])
        raise _unknown(cx, "the strides of an array")
    return Tup(tuple(values))


def flags_read(cx: Context, arr: Value) -> Obj:
    """``arr.flags``, as far as they tell the order of the elements."""
    shape, strides = _layout(cx, arr, "the memory layout of an array")
    rows, columns = (has_no_gaps(shape, strides, order) for order in "CF")
    if rows is None or columns is None:
        raise _unknown(cx, "the memory layout of an array")
    told = {
        "c_contiguous": rows,
        "f_contiguous": columns,
        "contiguous": rows,
        "fnc": columns and not rows,
        "forc": rows or columns,
    }
    return Obj(ArrayFlags, {name: Lit(value) for name, value in told.items()} | {OWNER: arr})


def set_writeable(cx: Context, arr: Value, writeable: Value) -> None:
    """``arr.flags.writeable = False``: of an array of the program's own, from now on and on all paths.

    Not of one that an earlier pass of the loop under way may have written to or has yet to write to, nor of a
    view: others show the same elements, and may be written.
    """
    locks = cx.is_static(writeable) and not cx.static_value(writeable)
    own = isinstance(arr, Arr) and arr.view is None and arr.argument is None and not arr.within
    if not (
        locks and own and isinstance(arr, Arr) and arr.serial > cx.since and arr.foreign in (None, LOCKED)
    ):
        why = "what may be written later depends on it"
        raise cx.unsupported("a store to `flags.writeable` of an array", why, "leave it out")
    arr.foreign = LOCKED


def _layout(cx: Context, arr: Value, what: str) -> tuple[Any, Any]:
    if isinstance(arr, Arr):
        shape, strides = shape_of(cx, arr), strides_of(cx, arr)
        if shape is not None and strides is not None:
            return shape, strides
    raise _unknown(cx, what)


def _unknown(cx: Context, what: str) -> Exception:
    cx.demand_orders()
    return cx.unsupported(what, "how it lies in memory is not known", "use np.ascontiguousarray first")


def _products(cx: Context, arr: Arr) -> Iterator[Product]:
    """What strides are made of: lengths of the array, and of those of which it is a view."""
    found: Any = arr
    while isinstance(found, Arr):
        var = cx.read(found)
        shape = var.type.shape if isinstance(var.type, Array) and var.type.shape is not None else ()
        for axes in (tuple(range(len(shape)))[::-1], tuple(range(len(shape)))):
            total: Int = 1
            for i, axis in enumerate(axes):
                yield total, var, axes[:i]
                length = shape[axis]
                if length is None:
                    break
                total = product(total, length)
        found = None if found.view is None else found.view.parent


def _value(cx: Context, stride: Int, size: int, known: list[Product]) -> Any:
    """A stride as a value of the program; None if it is not made of the lengths of arrays."""
    if isinstance(stride, int):
        return Lit(stride * size)
    for number, var, axes in known:
        times = divided(stride, number)
        if isinstance(times, int):
            value: Any = Lit(times * size)
            for axis in axes:
                value = cx.emit(operator.mul, _length(cx, var, axis), value)
            return value
    return None


def _length(cx: Context, var: Var, axis: int) -> Any:
    assert isinstance(var.type, Array) and var.type.shape is not None
    length = var.type.shape[axis]
    if isinstance(length, int):
        return Lit(length)
    return cx.builder.opaque(tuple_get, (whole_shape(cx, var), Lit(axis)), Scalar("int", None, length))
