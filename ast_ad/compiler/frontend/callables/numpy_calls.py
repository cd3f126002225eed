"""Which NumPy functions are more than an operation: they write, ask for a type, or take functions?"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ....rules import containers, helpers
from ...ir.alternatives import alternatives, is_mixed
from ...ir.ops import Lit, Var
from ...ir.types import Array, ListOf, Optional, Scalar, Type, kind_of, rank_of
from .. import doors
from ..builder import content_type, type_of_arg
from ..constructs.attributes import array_attribute, shape_of
from ..constructs.subscripts import load_item, store_item
from ..context import Context
from ..outside_values import capture_live
from ..tables import handles
from ..types.type_questions import asked, has_dtype, known_rank, python_dummy, require_written
from ..values import Arr, Callee, Comprehension, Dct, Generator, Iterable, Live, Lst, Range, Tup, Value
from .call_sites import call_followed
from .items import items_of
from .iterables import to_list
from .overwriting import overwrite

ORDER_REQUIRED = {
    **dict.fromkeys(["C", "CONTIGUOUS", "C_CONTIGUOUS"], "C"),
    **dict.fromkeys(["F", "FORTRAN", "F_CONTIGUOUS"], "F"),
}
"""What np.require calls the orders."""


# ----- NumPy functions that write
def in_place(cx: Context, fn: Callee, array: Arr, *args: Value, **kwargs: Value) -> Any:
    """A call that writes to its first argument: the array becomes the result of the pure twin."""
    require_written(cx, array)
    before = cx.read(array)
    pure, keywords = helpers.IN_PLACE[fn], {k: cx.arg(v) for k, v in kwargs.items()}
    after = cx.builder.opaque(pure, (before, *map(cx.arg, args)), before.type, False, **keywords)
    after.hint = before.hint
    cx.write(array, after)
    return Lit(None)


@handles(np.copyto)
def b_copyto(
    cx: Context, target: Arr, source: Value, casting: Value | None = None, where: Value | None = None
) -> Any:
    if isinstance(source, (Var, Arr)) and isinstance(cx.variable(source).type, Optional):
        raise cx.unsupported("np.copyto of what may be None", "NumPy refuses it", "test for None before")
    store_item(
        cx,
        target,
        Lit(Ellipsis) if where is None else where,
        source if where is None else masked_source(cx, target, source, where),
    )
    return Lit(None)


def masked_source(cx: Context, target: Arr, source: Value, where: Value) -> Any:
    if not isinstance(source, Arr):
        return source
    wide = cx.emit(np.broadcast_to, source, shape_of(cx, cx.read(target)))
    return load_item(cx, wide, where)


def require_only(cx: Context, kwargs: dict[str, Value], followed: Collection[str], name: str) -> None:
    """Refuse keywords that are not followed."""
    unknown = [k for k, v in kwargs.items() if k not in followed and cx.static_value(v) is not None]
    if unknown:
        raise cx.unsupported(f"`{unknown[0]}` of {name}", "it is not followed", "leave it out")


# ----- NumPy functions of sequences and of functions
@handles(np.array)
def b_array(cx: Context, value: Value, dtype: Value | None = None, **kwargs: Value) -> Any:
    copy = cx.demand(kwargs.pop("copy", Lit(True)), "`copy` of np.array")
    if isinstance(value, Arr) and not copy:
        return b_asarray(cx, value, dtype, copy=Lit(copy), **kwargs)
    result = as_array(cx, np.array, value, {**kwargs, **whole(cx, value, dtype)})
    if dtype is None or cx.static_value(dtype) is None:
        return result
    if is_mixed(cx.variable(result).type):  # it is a new array, whether this is a conversion or a copy
        return cx.emit(helpers.astype, result, Lit(np.dtype(cx.static_value(dtype))))
    return method_astype_if(cx, result, dtype)


@handles(np.asarray, np.asanyarray)
def b_asarray(
    cx: Context, value: Value, dtype: Value | None = None, order: Value | None = None, **kwargs: Value
) -> Any:
    copy = cx.demand(kwargs.pop("copy", Lit(None)), "`copy` of np.asarray")
    if isinstance(value, Arr):
        if copy:
            return b_array(cx, value, dtype, **kwargs)
        ndmin = cx.demand(kwargs.pop("ndmin", Lit(0)), "`ndmin` of np.array")
        if set(kwargs) - {"subok"}:
            raise cx.unsupported(f"`{min(kwargs)}` of an array", "it is not followed", "leave it out")
        result: Any = in_order(cx, value, order)
        for _ in range(ndmin - known_rank(cx, cx.read(value)) if ndmin else 0):
            result = doors.call_primitive(cx, np.expand_dims, [result, Lit(0)], {})
        same = dtype is None or cx.demand(dtype, "a dtype") in (None, cx.read(value).type.dtype)  # type: ignore[union-attr]
        if copy is False and (result is not value or not same):
            raise cx.unsupported("copy=False where a copy may be needed", "NumPy refuses it", "leave it out")
    else:
        lying: dict[str, Value] = {} if order is None else {"order": order}
        result = as_array(cx, np.array, value, {**whole(cx, value, dtype), **lying})
    return result if dtype is None or cx.static_value(dtype) is None else method_astype_if(cx, result, dtype)


@handles(np.require)
def b_require(
    cx: Context, a: Value, dtype: Value | None = None, requirements: Value = Lit(None), **kwargs: Value
) -> Any:
    """The array in an order that is required; what else may be, only NumPy knows to fulfil."""
    asked = cx.demand(requirements, "`requirements` of np.require") or ()
    orders = {ORDER_REQUIRED.get(str(flag).upper()) for flag in asked}
    if not isinstance(a, Arr) or kwargs or len(orders) > 1 or None in orders:
        given = {k: v for k, v in (("dtype", dtype), ("requirements", requirements)) if v is not None}
        return doors.call_primitive(cx, np.require, [a], {**given, **kwargs})
    return b_asarray(cx, a, dtype, *(Lit(order) for order in orders))


def whole(cx: Context, value: Value, dtype: Value | None) -> dict[str, Any]:
    """The keyword that makes integers of what is no array: unlike a conversion, it raises.

    Texts and other constants are made what they shall be at once: no array of them is converted.
    """
    target = None if dtype is None else cx.demand(dtype, "a dtype")
    if isinstance(value, Arr) or target is None or np.dtype(target).kind not in "iuOUS":
        return {}
    return {"dtype": Lit(np.dtype(target))}


@handles(np.fromiter)
def b_fromiter(cx: Context, iter: Value, dtype: Value, count: Value = Lit(-1), **kwargs: Value) -> Any:
    """An array of the items, which have to be numbers."""
    require_only(cx, kwargs, (), "np.fromiter")
    if cx.static_value(count) != -1:
        iter = doors.call(cx, Lit(itertools.islice), [iter, count], {})
    items = to_list(cx, iter)
    content = cx.state.get(items)
    types = [content_type(content)] if isinstance(content, Var) else [type_of_arg(cx.arg(v)) for v in content]
    if not all(isinstance(type, Scalar) for type in types):
        raise cx.unsupported("np.fromiter of what are no numbers", "NumPy refuses them", "use np.array")
    return b_array(cx, items, dtype)


def as_array(cx: Context, fn: Callee, value: Value, kwargs: dict[str, Value]) -> Any:
    if isinstance(value, Dct):
        raise cx.no_operand(value)  # NumPy makes one object of it, and of no keys
    if isinstance(value, (Iterable, Comprehension, Generator)) or isinstance(value, Lst) and value.shows:
        raise cx.unsupported(
            "an array of an iterator, or of a view of a dict",
            "NumPy makes one object of it, and no array of its items",
            "make a list of it: `list(...)`",
        )
    if isinstance(value, Range):
        value = to_list(cx, value)
    if isinstance(value, Lst) and isinstance(cx.state.get(value), Var):
        require_only(cx, kwargs, ("dtype",), "np.array of this list")
        return cx.emit(containers.array_from_list, value, **kwargs)
    if isinstance(value, Live):
        value = capture_live(cx, value)
    return cx.emit(fn, value, **kwargs)


def of_run_time_list(cx: Context, value: Value, integers: bool = True, rows: bool = True) -> Any:
    """The array that NumPy makes of a list of run-time length; any other value itself.

    ``integers``: also of integers, which an argument that is no array may be (a shape, the axes). ``rows``:
    also of arrays and of lists, which functions of several arrays (``np.hstack``) take apart.
    """
    content = cx.state.get(value) if isinstance(value, Lst) and not value.shows else None
    if not isinstance(content, Var) or not isinstance(content.type, ListOf):
        return value
    element = content.type.element
    while rows and isinstance(element, ListOf):
        element = element.element
    number = isinstance(element, Scalar) or rows and isinstance(element, Array)
    if not number or not integers and kind_of(element) not in ("float", "complex"):
        return value
    return cx.emit(containers.array_from_list, value)


def may_be_number(type: Type) -> bool:
    """Whether what has the type of an array may be a number, on some path."""
    if isinstance(type, Array) and type.shape is None:
        return not type.either or any(isinstance(kind, Scalar) for kind in type.either)
    return any(isinstance(kind, Scalar) for kind in alternatives(type))


def in_order(cx: Context, value: Arr, order: Value | None) -> Any:
    """The array itself, or perhaps a copy, if it has to lie in memory row by row or column by column."""
    wanted = None if order is None else cx.demand(order, "`order`")
    type = cx.read(value).type
    rank, number = rank_of(type), may_be_number(type)
    if not number and (wanted in (None, "K", "A") or rank == 0):
        return value
    if number or rank is None:  # of a number it is a new array
        return doors.call_primitive(cx, np.asarray, [value], {} if order is None else {"order": Lit(wanted)})
    fn = np.ascontiguousarray if wanted == "C" else np.asfortranarray
    return doors.call_primitive(cx, fn, [value], {})


@handles(np.trim_zeros)
def b_trim_zeros(cx: Context, filt: Value, trim: Value = Lit("fb"), axis: Value = Lit(None)) -> Any:
    """Of a vector, the window between the first and the last number that is not zero."""
    ends = cx.demand(trim, "`trim` of np.trim_zeros")
    vector = isinstance(filt, Arr) and rank_of(type_of_arg(cx.read(filt))) == 1
    if not vector or cx.static_value(axis) is not None or str(ends).lower() not in ("fb", "bf", "f", "b"):
        return call_followed(cx, np.trim_zeros._implementation, [filt, trim, axis], {})  # type: ignore[attr-defined]
    kept = cx.emit(np.flatnonzero, filt)
    found = cx.emit(operator.gt, doors.length(cx, kept), Lit(0))

    def end(chosen: bool, place: int, rest: Value) -> Any:
        def at() -> Any:
            return cx.emit(operator.add, cx.emit(int, load_item(cx, kept, Lit(place))), Lit(-place))

        return doors.choose(cx, found, at if chosen else lambda: rest, lambda: Lit(0))

    start = end("f" in ends.lower(), 0, Lit(0))
    return load_item(cx, filt, slice(start, end("b" in ends.lower(), -1, doors.length(cx, filt)), Lit(None)))


@handles(np.nan_to_num)
def b_nan_to_num(cx: Context, x: Value, copy: Value = Lit(True), *numbers: Value, **kwargs: Value) -> Any:
    """With ``copy=False`` it writes to its argument, and returns it, or the number in it."""
    kwargs = {**dict(zip(("nan", "posinf", "neginf"), numbers, strict=False)), **kwargs}
    result = doors.call_primitive(cx, np.nan_to_num, [x], kwargs)
    if cx.demand(copy, "`copy` of np.nan_to_num"):
        return result
    if not isinstance(x, Arr):
        raise cx.unsupported("copy=False of what is no array", "NumPy refuses it", "leave it out")
    overwrite(cx, x, cx.read(x), result, (x,))
    return x if known_rank(cx, cx.read(x)) else load_item(cx, x, Tup(()))


def method_astype_if(cx: Context, value: Value, dtype: Value) -> Any:
    target = np.dtype(cx.static_value(dtype))
    if isinstance(value, Arr) and has_dtype(cx, value, target):
        return value
    return cx.emit(helpers.astype, value, Lit(target))


@handles(np.piecewise)
def b_piecewise(
    cx: Context, x: Value, conditions: Value, functions: Value, *args: Value, **kwargs: Value
) -> Any:
    if not isinstance(x, Arr) or not known_rank(cx, cx.read(x)):
        return piecewise_number(cx, x, conditions, functions, args, kwargs)
    one = isinstance(conditions, Arr) and known_rank(cx, cx.read(conditions)) == 1
    tests = [mask(cx, test) for test in ([conditions] if one else items_of(cx, conditions))]
    given = items_of(cx, functions)
    if len(given) == len(tests) + 1:
        some = functools.reduce(lambda a, b: cx.emit(operator.or_, a, b), tests)
        tests.append(cx.emit(operator.invert, some))
    return doors.call(cx, Lit(piecewise), [x, Tup(tuple(tests)), Tup(tuple(given)), *args], kwargs)


def piecewise_number(
    cx: Context,
    x: Value,
    conditions: Value,
    functions: Value,
    args: Sequence[Value],
    kwargs: dict[str, Value],
) -> Any:
    """``np.piecewise`` of a number: an array without axes, as of what holds last."""
    number = cx.emit(np.asarray, x) if not isinstance(x, Arr) else x
    one = cx.emit(np.reshape, number, Tup((Lit(1),)))
    several = isinstance(conditions, (Lst, Tup, Arr))
    tests = [
        doors.python_bool(cx, doors.truth(cx, t))
        for t in (items_of(cx, conditions) if several else [conditions])
    ]
    masks = Tup(tuple(cx.emit(np.reshape, cx.emit(np.asarray, t), Tup((Lit(1),))) for t in tests))
    found = b_piecewise(cx, one, masks, functions, *args, **kwargs)
    return cx.emit(np.reshape, found, Tup(()))


def mask(cx: Context, test: Value) -> Any:
    array = test if isinstance(test, Arr) else as_array(cx, np.array, test, {})
    return method_astype_if(cx, array, Lit(np.dtype(bool)))


@handles(np.iscomplexobj)
def b_iscomplexobj(cx: Context, value: Value) -> Any:
    return Lit(bool(asked(cx, np.iscomplexobj, value)))


@handles(np.isrealobj)
def b_isrealobj(cx: Context, value: Value) -> Any:
    return Lit(not b_iscomplexobj(cx, value).value)


@handles(np.isscalar)
def b_isscalar(cx: Context, value: Value) -> Any:
    return Lit(bool(asked(cx, np.isscalar, value)))


@handles(np.iterable)
def b_iterable(cx: Context, value: Value) -> Any:
    return Lit(bool(asked(cx, np.iterable, value)))


@handles(np.may_share_memory, np.shares_memory, np.isfortran)
def b_of_memory(cx: Context, *args: Value, **kwargs: Value) -> Any:
    raise cx.unsupported(
        "a question about the memory of arrays",
        "compiled programs know values only: their views may be copies",
        "decide it outside of the function",
    )


@handles(np.ndim)
def b_ndim(cx: Context, value: Value) -> Any:
    return (
        array_attribute(cx, value, "ndim")
        if isinstance(value, (Arr, Var))
        else Lit(int(np.ndim(python_dummy(cx, value))))
        if not isinstance(value, (Tup, Lst))
        else b_ndim(cx, as_array(cx, np.array, value, {}))
    )


@handles(np.shape)
def b_shape(cx: Context, value: Value) -> Any:
    if isinstance(value, (Arr, Var)):
        return shape_of(cx, cx.variable(value))
    if isinstance(value, Lit):
        return Tup(tuple(map(Lit, np.shape(value.value))))
    return b_shape(cx, as_array(cx, np.array, value, {}))


@handles(np.size)
def b_size(cx: Context, value: Value, axis: Value | None = None) -> Any:
    along = None if axis is None else cx.static_value(axis)
    if isinstance(value, Lit) and along is None:
        return Lit(int(np.size(value.value)))
    array = value if isinstance(value, (Arr, Var)) else as_array(cx, np.array, value, {})
    if along is None:
        return array_attribute(cx, array, "size")
    lengths = shape_of(cx, cx.variable(array)).items
    if not isinstance(along, (int, np.integer)) or not -len(lengths) <= along < len(lengths):
        why = f"the array has {len(lengths)} axes, and this is none of them"
        raise cx.unsupported("`np.size` along this axis", why, "check it")
    return lengths[along]


@handles(helpers.astype)
def b_astype(cx: Context, value: Value, dtype: Value, **kwargs: Value) -> Any:
    return cx.emit(helpers.astype, value, Lit(np.dtype(cx.static_value(dtype))), **kwargs)


def piecewise(
    x: np.ndarray, tests: Sequence[np.ndarray], functions: Sequence[Callee], *args: object, **kwargs: object
) -> Any:
    """``np.piecewise`` of an array: each function sees the elements of which its test holds."""
    y = np.zeros_like(x)
    for test, function in zip(tests, functions, strict=True):
        if callable(function):
            values = x[test]
            if values.size > 0:
                y[test] = function(values, *args, **kwargs)
        else:
            y[test] = function
    return y
