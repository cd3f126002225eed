"""Which NumPy function is a method of an array?"""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from ....rules import helpers
from ...ir.ops import Lit, Var
from ...ir.types import Scalar, kind_of, rank_of
from .. import doors
from ..builder import type_of_arg
from ..constructs.attributes import load_attribute
from ..constructs.boundness import raise_where
from ..constructs.subscripts import load_item, store_item
from ..context import Context
from ..loops.loops import run_for
from ..store.holding import placed
from ..store.memory_layouts import set_writeable
from ..store.windows import lies_in_rows, orders_of, with_known_order
from ..tables import METHODS, method, read_call
from ..types.type_questions import exact, has_dtype, require_written
from ..values import Arr, Flat, Lst, Tup, Value
from .builtins import b_float, b_int
from .calls import call_python
from .container_methods import list_append
from .lazy_items import static_items
from .numpy_calls import in_order
from .overwriting import overwrite

FUNCTIONS: dict[str, Any] = {  # methods that are functions of NumPy
    name: getattr(np, name)
    for name in (
        "sum",
        "prod",
        "mean",
        "std",
        "var",
        "max",
        "min",
        "argmax",
        "argmin",
        "argsort",
        "cumsum",
        "cumprod",
        "any",
        "all",
        "dot",
        "squeeze",
        "swapaxes",
        "repeat",
        "take",
        "trace",
        "diagonal",
        "ravel",
        "nonzero",
        "round",
        "searchsorted",
        "ptp",
        "choose",
    )
}


# ----- methods of arrays
def call_method(cx: Context, receiver: Value, name: str, args: list[Value], kwargs: dict[str, Value]) -> Any:
    handler = METHODS.get(("array", name))
    if handler is not None:
        return read_call(cx, handler, [cx, receiver, *args], kwargs)
    if name in FUNCTIONS:
        return call_python(cx, FUNCTIONS[name], [receiver, *args], kwargs)
    raise cx.unsupported(f"method `.{name}()`", "the compiler does not know it", "use the NumPy function")


@method("array", "reshape")
def method_reshape(cx: Context, receiver: Value, *shape: Value, **kwargs: Value) -> Any:
    return call_python(cx, np.reshape, [receiver, shape[0] if len(shape) == 1 else Tup(shape)], kwargs)


@method("array", "transpose")
def method_transpose(cx: Context, receiver: Value, *axes: Value) -> Any:
    given = (
        []
        if not axes
        else [
            axes[0]
            if len(axes) == 1
            and not isinstance(axes[0], (Lit, Var))
            or len(axes) == 1
            and cx.static_value(axes[0]) is None
            else Tup(axes)
        ]
    )
    return call_python(cx, np.transpose, [receiver, *given], {})


@method("array", "copy")
def method_copy(cx: Context, receiver: Value, order: Value = Lit("C")) -> Any:
    """Row by row, where ``np.copy`` lays its result out as the array is: sums are made in that order."""
    if not isinstance(receiver, Arr):  # a number of NumPy's
        return receiver
    if cx.static_value(order) == "C" and lies_in_rows(cx, receiver):
        found = cx.emit(np.copy, receiver)
        if isinstance(found, Arr):
            found.orders |= {"C"}
        return found
    return cx.emit(np.copy, receiver, order=order)


@method("array", "__array__")
def method_array(cx: Context, receiver: Value, dtype: Value = Lit(None), *, copy: Value = Lit(None)) -> Any:
    """The array itself, or what ``np.asarray`` makes of it."""
    if isinstance(receiver, Arr) and cx.static_value(dtype) is None and cx.static_value(copy) is None:
        return receiver
    return call_python(cx, np.array, [receiver], {"dtype": dtype, "copy": copy})


@method("array", "view")
def method_view(cx: Context, receiver: Value, dtype: Value = Lit(None), type: Value = Lit(None)) -> Any:
    """All of the array, seen under the dtype that it has."""
    asked, cls = cx.demand(dtype, "`dtype` of .view()"), cx.demand(type, "`type` of .view()")
    if asked is np.ndarray and cls is None:
        asked, cls = None, asked
    if isinstance(receiver, Arr) and cls in (None, np.ndarray):
        own = asked is None or not isinstance(asked, builtins.type) or not issubclass(asked, np.ndarray)
        if own and (asked is None or has_dtype(cx, receiver, np.dtype(asked))):
            return load_item(cx, receiver, Lit(Ellipsis))
    raise cx.unsupported(
        "method `.view()` of another dtype or class",
        "the same memory has another meaning then",
        "use astype, or `a[...]`",
    )


@method("array", "flatten")
def method_flatten(cx: Context, receiver: Value, *args: Value, **kwargs: Value) -> Any:
    given, kwargs = with_known_order(cx, np.ravel, [receiver, *args], kwargs)
    return cx.emit(np.ravel, cx.emit(np.copy, receiver), *given[1:], **kwargs)


@method("array", "astype")
def method_astype(
    cx: Context,
    receiver: Value,
    dtype: Value,
    order: Value | None = None,
    *args: Value,
    copy: Value = Lit(True),
    **kwargs: Value,
) -> Any:
    target = np.dtype(cx.static_value(dtype))
    fresh = cx.demand(args[2] if len(args) > 2 else copy, "`copy` of astype")
    if not fresh and isinstance(receiver, Arr) and has_dtype(cx, receiver, target):
        return in_order(cx, receiver, order)
    found = cx.emit(helpers.astype, receiver, Lit(target))
    wanted = "K" if order is None else cx.demand(order, "`order`")
    if order is None or wanted == "K" or not isinstance(found, Arr) or {wanted} <= orders_of(cx, found):
        return found
    return cx.emit(np.copy, found, order=order)


@method("array", "conj")
def method_conj(cx: Context, receiver: Value) -> Any:
    """Of real numbers the array itself, where the function gives a copy; another number of NumPy's."""
    var = cx.variable(receiver)
    type = exact(cx, var, var.type, "the conjugate")
    if kind_of(type) != "complex" and isinstance(type, Scalar) and type.dtype is not None:
        return cx.emit(operator.pos, receiver)
    return receiver if kind_of(type) != "complex" else cx.emit(np.conj, receiver)


@method("array", "conjugate")
def method_conjugate(cx: Context, receiver: Value) -> Any:
    return method_conj(cx, receiver)


@method("array", "item")
def method_item(cx: Context, receiver: Value, *index: Value) -> Any:
    value = receiver
    if index:
        value = load_item(
            cx, receiver if len(index) > 1 else Flat(receiver), Tup(index) if len(index) > 1 else index[0]
        )
    elif isinstance(receiver, Arr):
        require_one(cx, receiver)
        value = load_item(cx, Flat(receiver), Lit(0))
    kind = getattr(cx.arg(value).type, "kind", "float")  # type: ignore[union-attr]
    if kind in ("bool", "complex"):
        return doors.python_bool(cx, value) if kind == "bool" else cx.emit(complex, value)
    return b_float(cx, value) if kind == "float" else b_int(cx, value) if kind == "int" else value


def require_one(cx: Context, array: Arr) -> None:
    """Raise what NumPy raises of several elements, or of none."""
    others = cx.emit(operator.ne, load_attribute(cx, array, "size"), Lit(1))
    if cx.static_value(others) is not False:
        raise_where(cx, others, ValueError("can only convert an array of size 1 to a Python scalar"))


@method("array", "tolist")
def method_tolist(cx: Context, receiver: Value) -> Any:
    if not isinstance(receiver, Arr):
        return method_item(cx, receiver)
    return nested_list(cx, receiver)


def nested_list(cx: Context, value: Value) -> Any:
    rank = rank_of(type_of_arg(cx.read(value))) if isinstance(value, Arr) else 0
    if rank is None:
        raise cx.unsupported(
            ".tolist() of an array whose number of axes is only known at run time",
            "the lists are as deep as it has axes",
            "make the array's rank the same on every path",
        )
    if rank == 0:
        return method_item(cx, value)
    items = static_items(cx, value)
    if items is None:
        result = placed(cx, Lst(()))
        run_for(cx, value, lambda item: list_append(cx, result, nested_list(cx, item)), set())
        return result
    return Lst(tuple(nested_list(cx, part) for part in items))


@method("array", "fill")
def method_fill(cx: Context, receiver: Arr, value: Value) -> Any:
    require_written(cx, receiver)
    store_item(cx, receiver, Lit(Ellipsis), value)
    return Lit(None)


@method("array", "setflags")
def method_setflags(
    cx: Context, receiver: Value, write: Value = Lit(None), align: Value = Lit(None), uic: Value = Lit(None)
) -> Any:
    if not all(cx.is_static(flag) and cx.static_value(flag) is None for flag in (align, uic)):
        raise cx.unsupported("`.setflags()` of other flags", "arrays lie as they lie", "set `write` alone")
    if not (cx.is_static(write) and cx.static_value(write) is None):
        set_writeable(cx, receiver, write)
    return Lit(None)


@method("array", "sort")
def method_sort(cx: Context, receiver: Arr, *args: Value, **kwargs: Value) -> Any:
    require_written(cx, receiver)
    ordered = cx.emit(np.sort, receiver, *args, **kwargs)
    overwrite(cx, receiver, cx.read(receiver), ordered, (receiver,))
    return Lit(None)


@method("array", "put")
def method_put(cx: Context, receiver: Arr, index: Value, value: Value, **kwargs: Value) -> Any:
    require_written(cx, receiver)
    store_item(cx, Flat(receiver), index, value)
    return Lit(None)


@method("array", "clip")
def method_clip(
    cx: Context, receiver: Value, min: Value = Lit(None), max: Value = Lit(None), **kwargs: Value
) -> Any:
    return call_python(cx, np.clip, [receiver, min, max], kwargs)


@method("array", "compress")
def method_compress(cx: Context, receiver: Value, condition: Value, *args: Value, **kwargs: Value) -> Any:
    return call_python(cx, np.compress, [condition, receiver, *args], kwargs)


@method("array", "__getitem__")
def method_getitem(cx: Context, receiver: Value, index: Value) -> Any:
    return load_item(cx, receiver, index)


@method("array", "is_integer")
def method_is_integer(cx: Context, receiver: Value) -> Any:
    return cx.emit(float.is_integer, b_float(cx, receiver))


doors.call_method = call_method
