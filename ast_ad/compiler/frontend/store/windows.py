"""Which results are windows on the memory of an argument, and which arrays are surely contiguous?"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ....rules import containers, helpers
from ....rules.registry import lookup
from ...ir.alternatives import is_mixed
from ...ir.ops import Arg, Lit, Seq, Slice, Var, variables
from ...ir.types import Array, Scalar, kind_of, rank_of, type_of_shape
from .. import doors
from ..context import NOT_STATIC, Context
from ..types.basic_indices import without_ellipsis
from ..types.layouts import (
    ASKED,
    BOTH,
    CONVERTING,
    LIKE,
    NONE,
    ORDER_AT,
    SEEING,
    SEVERAL,
    Orders,
    decided_by_strides,
    is_crosswise,
    is_view_by_letters,
    lies_as_given,
    order_asked,
    orders_of_result,
    relation,
)
from ..types.probing import may_share
from ..types.strides import Strides, has_no_gaps, of_item, of_moved, of_order
from ..values import Arr, Callee, Lst, Tup, Value, View
from .holding import hold_element, pools_of, share

ALIASES_INPUT = {
    np.asarray,
    np.asanyarray,
    np.ascontiguousarray,
    np.asfortranarray,
    np.atleast_1d,
    np.atleast_2d,
    np.atleast_3d,
    np.require,
    np.asarray_chkfinite,
}
RESHAPING = {
    np.reshape, np.ravel, np.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.ix_,
}  # fmt: skip
"""Their views show all elements in the same order (where they are asked for no other one)."""
OWN_INVERSE = {
    np.swapaxes, np.flip, np.fliplr, np.flipud, np.matrix_transpose, np.linalg.matrix_transpose, helpers.mT
}  # fmt: skip
"""Done twice, they give the array again."""
FLIPS: dict[Any, Any] = {np.flip: None, np.flipud: 0, np.fliplr: 1}
"""The axis that each turns round, or None for those that it is told."""
EACH = {np.broadcast_arrays, np.meshgrid, np.ix_, np.atleast_1d, np.atleast_2d, np.atleast_3d}
"""Their results are views of one argument each."""

READ_ONLY = {np.broadcast_to, np.diagonal, np.lib.stride_tricks.sliding_window_view}
"""Nobody may write to the views that they give."""


# ----- which results are windows on their argument
def mark_view(cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value], result: Value) -> Any:
    """Where the result may share memory with an argument, remember it."""
    primitive = lookup(fn)
    bases = [a for a in (*args, *kwargs.values()) if isinstance(a, Arr)]
    base = bases[0] if len(bases) == 1 else args[0] if args else next(iter(kwargs.values()), None)
    if fn is np.broadcast_to and isinstance(result, Arr) and not isinstance(base, Arr):
        result.foreign = "a number that np.broadcast_to has stretched, which is read-only"
    if (
        primitive is None
        or not primitive.view
        or not isinstance(base, Arr)
        or not isinstance(result, (Arr, Tup, Lst))
    ):
        return result
    if not may_share(fn, tuple(map(cx.arg, args)), {k: cx.arg(v) for k, v in kwargs.items()}):
        return result
    if isinstance(result, Lst) and isinstance(cx.state.get(result), Var):
        hold_element(cx, pools_of(cx, result), base)
        share(cx, result.pools, "a window on an array")
        return result
    if isinstance(result, (Tup, Lst)):
        content = result.items if isinstance(result, Tup) else cx.state.get(result)
        owners = args if fn in EACH else [base] * len(content)
        items = tuple(
            see(cx, fn, args, kwargs, owner, item, i)
            for i, (owner, item) in enumerate(zip(owners, content, strict=True))
        )
        return Tup(items, result.cls) if isinstance(result, Tup) else Lst(items)
    return see(cx, fn, args, kwargs, base, result)


def see(
    cx: Context,
    fn: Callee,
    args: list[Value],
    kwargs: dict[str, Value],
    base: Value,
    result: Value,
    part: int | None = None,
) -> Any:
    """The result (or the ``part`` of it), as what it is to the array ``base``."""
    if not isinstance(result, Arr) or not isinstance(base, Arr):
        return result
    how = relation_of_call(cx, fn, args, kwargs, base, result)
    if how == "copy":
        asked = cx.static_value(order_asked(fn, args, kwargs)) if fn in ASKED else CONVERTING.get(fn, "CF")
        result.orders = frozenset(asked)
        return result
    if how == "same" and cx.read(base).type == cx.variable(result).type:
        return base
    if how == "view" and fn in FLIPS and cx.by_reference:
        turned = index_of_flip(cx, fn, args, kwargs, base)
        if turned is not None:  # a window by an index can be opened again, by whatever pass
            return doors.item_view(cx, base, turned)
    view = View(base, None, None)
    fixed: list[Value] = [
        a if a is base else cx.arg(a) for a in args
    ]  # as they are now: lists of places may change
    named: dict[str, Value] = {k: a if a is base else cx.arg(a) for k, a in kwargs.items()}
    view.by_lengths = not how and decided_by_strides(fn) and strides_of(cx, base) is not None
    view.reads = tuple(variables(*(a for a in (*fixed, *named.values()) if a is not base)))  # type: ignore[arg-type]
    view.fixed = fn in READ_ONLY
    if how:
        view.get = window_of(cx, fn, fixed, named, base, part)
    if how == "view":
        view.put = lens(cx, fn, fixed, named, base, view.get)
    found = Arr(None, view, base.foreign, strides=strides_seen(cx, fn, args, kwargs, base, result, part))
    cx.state.set(found, (cx.read(base), result.initial))
    return found


def index_of_flip(
    cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value], base: Arr
) -> Arg | None:
    """The index that shows an array as ``np.flip`` does, if the axes are known."""
    rank, axes = rank_of(cx.read(base).type), FLIPS[fn]
    if axes is None:
        axes = cx.static_value(kwargs.get("axis", args[1] if len(args) > 1 else Lit(None)))
    if not rank or len(args) > 2 or kwargs.keys() - {"m", "axis"}:
        return None
    turned = range(rank) if axes is None else [axes] if isinstance(axes, int) else axes
    if not isinstance(turned, (range, list, tuple)) or not all(type(axis) is int for axis in turned):
        return None
    places = {axis % rank for axis in turned}
    parts = tuple(Slice(Lit(None), Lit(None), Lit(-1 if k in places else None)) for k in range(rank))
    return parts[0] if rank == 1 else Seq(parts, tuple)


def relation_of_call(
    cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value], base: Arr, result: Arr
) -> str:
    """See ``layouts.relation``; here with what depends on the other arguments."""
    type, made = cx.read(base).type, result.initial.type  # type: ignore[union-attr]
    order = order_of_call(cx, fn, args, kwargs)
    if fn in (np.real, np.imag) and kind_of(type) in ("bool", "int", "float") and not is_mixed(type):
        return "same" if fn is np.real else "shown"  # of zeros, which are not written to
    if fn in ALIASES_INPUT and isinstance(type, Array) and type.shape is not None:
        if type == made and fn not in CONVERTING and not (order and fn in ASKED):
            own = base.view is None and len(type.shape) == 1 and orders_of(cx, base) == BOTH
            return "same" if fn is not np.require or own else ""
        if fn not in CONVERTING and fn not in SEEING and not (type == made and fn in ASKED):
            return ""
    elif fn in ALIASES_INPUT:
        return ""  # it may get axes, or become an array
    if fn is np.ix_ and isinstance(type, Array) and type.dtype.kind == "b":
        return ""  # places
    if fn is np.broadcast_arrays and isinstance(type, Array) and type.shape is not None and type == made:
        return "same"  # it is as large as all of them
    if fn is np.meshgrid and cx.static_value(kwargs.get("copy", Lit(True))) is not False:
        return ""
    if fn is np.einsum:
        moved = len(args) == 2 and not kwargs and is_view_by_letters(cx.static_value(args[0]))
        return "view" if moved else ""
    if fn in (np.real, np.imag) and kind_of(type) == "complex":
        return "view"
    if order is not None and not isinstance(order, str):
        return ""
    return relation(fn, strides_of(cx, base), type, order, made)


def order_of_call(cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value]) -> Any:
    """The order that a call asks for; None: none, or what leaves the array as it is."""
    order = cx.static_value(order_asked(fn, args, kwargs))
    return None if order == "K" and fn in ASKED else order


def window_of(
    cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value], base: Arr, part: int | None
) -> Any:
    """What gives the result (or the ``part`` of it) for another value of the base."""

    def get(v: Var) -> Any:
        found = cx.emit(
            fn,
            *(v if a is base else a for a in args),
            **{k: v if a is base else a for k, a in kwargs.items()},
        )
        if part is not None:
            found = (found.items if isinstance(found, Tup) else cx.state.get(found))[part]
        return cx.variable(found)

    return get


def uncertain(cx: Context, base: Value, result: Value) -> Any:
    if not isinstance(result, Arr) or not isinstance(base, Arr):
        return result
    view = Arr(None, View(base, None, None), base.foreign)
    cx.state.set(view, (cx.read(base), result.initial))
    return view


def with_known_order(
    cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value]
) -> tuple[list[Any], dict[str, Any]]:
    """The order "A" or "K", in which elements are read as they lie, by its own name."""
    order = cx.static_value(order_asked(fn, args, kwargs)) if fn in (np.ravel, np.reshape) else None
    base = args[0] if args else kwargs.get("a")
    if order not in ("A", "K") or not isinstance(base, Arr):
        return args, kwargs
    orders = orders_of(cx, base)
    if "C" not in orders and not (orders and is_crosswise(cx.read(base).type)):  # one row lies in both
        cx.demand_orders()
        raise cx.unsupported(
            f"order={order!r}", "how the array lies in memory is not known", "write 'C' or 'F'"
        )
    known = Lit("C" if "C" in orders else "F")
    kwargs = {**kwargs, "order": known} if "order" in kwargs else kwargs
    args = [known if i == ORDER_AT[fn] and "order" not in kwargs else a for i, a in enumerate(args)]
    return args, kwargs


# ----- how a write through a view changes its base
def lens(
    cx: Context,
    fn: Callee,
    args: list[Value],
    kwargs: dict[str, Value],
    base: Arr,
    get: Callable[[Var], Var] | None,
) -> Any:
    """The value of the base after a write through the view, from what it was and what the view is now."""
    if fn in RESHAPING and cx.static_value(order_asked(fn, args, kwargs)) in (None, "C"):
        return lambda v, new: cx.builder.opaque(np.reshape, (new, whole_shape(cx, v)), v.type)
    if fn in (np.transpose, np.permute_dims):
        axes = cx.static_value(args[1] if len(args) > 1 else kwargs.get("axes", Lit(None)))
        if axes is None:
            return lambda v, new: cx.builder.opaque(np.transpose, (new,), v.type)
        if isinstance(axes, (tuple, list)):
            inverse = Seq(tuple(Lit(int(i)) for i in np.argsort(axes)), tuple)
            return lambda v, new: cx.builder.opaque(np.transpose, (new, inverse), v.type)
    if fn in OWN_INVERSE and args and args[0] is base:
        return lambda v, new: cx.variable(cx.emit(fn, new, *args[1:], **kwargs))
    if fn is np.moveaxis and len(args) == 3:
        source, target = map(cx.arg, args[1:])
        return lambda v, new: cx.builder.opaque(np.moveaxis, (new, target, source), v.type)
    if fn in (np.real, np.imag):
        return lens_of_part(cx, fn)
    assert get is not None
    return lens_by_places(cx, get)


def lens_of_part(cx: Context, fn: Callee) -> Any:
    """The real or the imaginary part of a complex array is written."""
    other = np.imag if fn is np.real else np.real

    def put(v: Var, new: Var) -> Any:
        kept = cx.builder.op(other, v)
        real, imag = (new, kept) if fn is np.real else (kept, new)
        return cx.builder.op(operator.add, real, cx.builder.op(operator.mul, imag, Lit(1j)))

    return put


def lens_by_places(cx: Context, get: Callable[[Var], Var]) -> Any:
    """Any view: the elements that it shows are those of the base whose numbers it shows."""

    def put(v: Var, new: Var) -> Any:
        if rank_of(v.type) == 1:
            places = get(cx.builder.op(np.arange, cx.builder.op(np.size, v)))
            return cx.builder.opaque(helpers.setitem, (v, places, new), v.type)
        shape = cx.builder.op(np.shape, v)
        numbers = cx.builder.op(np.reshape, cx.builder.op(np.arange, cx.builder.op(np.size, v)), shape)
        places = cx.builder.op(np.unravel_index, get(numbers), shape)
        index = Seq(tuple(places), tuple) if isinstance(places, (tuple, list)) else places
        return cx.builder.opaque(helpers.setitem, (v, index, new), v.type)

    return put


# ----- how the elements of an array lie
def strides_of(cx: Context, arr: Arr) -> Strides | None:
    """How far apart they are in memory, in elements; None where that is not known."""
    if arr.strides is not None:
        return arr.strides
    shape = shape_of(cx, arr)
    if shape is None:
        return None
    if arr.view is None or arr.view.index is None:
        order = next(iter(sorted(arr.orders)), None)
        return None if order is None else of_order(shape, order)
    if not isinstance(arr.view.parent, Arr):
        return None
    own, rank = strides_of(cx, arr.view.parent), len(shape_of(cx, arr.view.parent) or ())
    parts = parts_of(arr.view.index)
    missing = rank - sum(not (isinstance(p, Lit) and p.value in (None, ...)) for p in parts)
    return None if own is None else of_item(own, without_ellipsis(parts, missing))


def orders_of(cx: Context, arr: Arr) -> Orders:
    """Those in which they certainly lie in memory, without gaps."""
    shape, strides = shape_of(cx, arr), strides_of(cx, arr)
    if shape is None or strides is None:
        return arr.orders
    return frozenset(order for order in "CF" if has_no_gaps(shape, strides, order))


def lies_in_rows(cx: Context, arr: Arr) -> bool:
    """Whether an array has one axis, or certainly lies by rows, as a part of what does so."""
    if rank_of(cx.read(arr).type) in (0, 1):
        return True
    while arr.view is not None and arr.view.index is not None and isinstance(arr.view.parent, Arr):
        arr = arr.view.parent
    return "C" in orders_of(cx, arr)


def shape_of(cx: Context, arr: Arr) -> Any:
    type = cx.read(arr).type
    return type.shape if isinstance(type, Array) else None


def is_contiguous(cx: Context, arr: Arr) -> bool:
    """Whether the array is certainly C-contiguous."""
    return "C" in orders_of(cx, arr)


def orders_made(
    cx: Context, fn: Callee, args: tuple[Value, ...], kwargs: dict[str, Value], result: Arr
) -> Orders:
    """Those of an array that an operation has made."""
    if fn is np.array and isinstance(args[0], (Lst, Tup)) and "ndmin" not in kwargs:
        fn = containers.array_from_list
    order = cx.static_value(order_asked(fn, list(args), kwargs))
    if order is not None and not isinstance(order, str):
        return NONE
    type = result.initial.type  # type: ignore[union-attr]
    shape = type.shape if isinstance(type, Array) else None
    if shape is None or len(shape) <= 1 or not lies_as_given(fn):
        return orders_of_result(fn, [], shape, order)
    found = [*args, *kwargs.values()][: 1 if fn in LIKE else None]
    given: list[tuple[Any, Any]] = []
    while found:
        value = found.pop()
        if isinstance(value, (Tup, Lst)):
            content = value.items if isinstance(value, Tup) else cx.state.get(value)
            found += content if isinstance(content, tuple) else [content]
        elif isinstance(value, (Arr, Var)):
            its = cx.variable(value).type
            if not isinstance(its, Scalar):
                known = isinstance(value, Arr) and isinstance(its, Array) and its.shape is not None
                given.append((strides_of(cx, value), its.shape) if known else (None, None))  # type: ignore
        elif isinstance(value, Lit) and isinstance(value.value, np.ndarray):
            given.append((None, value.value.shape))
    return orders_of_result(fn, given, shape, order)


def arrays_made(cx: Context, fn: Callee, result: Value) -> list[Arr]:
    """Those among several results of a function of whose memory the same is known."""
    if fn not in SEVERAL or not isinstance(result, (Tup, Lst)):
        return []
    content = result.items if isinstance(result, Tup) else cx.state.get(result)
    return [part for part in content if isinstance(part, Arr)] if isinstance(content, tuple) else []


def strides_seen(
    cx: Context,
    fn: Callee,
    args: list[Value],
    kwargs: dict[str, Value],
    base: Arr,
    result: Arr,
    part: int | None,
) -> Strides | None:
    """Those of a view that a function has returned."""
    own, shape = strides_of(cx, base), shape_of(cx, base)
    type = result.initial.type  # type: ignore[union-attr]
    if own is None or shape is None or not isinstance(type, Array) or type.shape is None:
        return None
    if fn in (np.reshape, np.ravel):
        order = cx.static_value(order_asked(fn, args, kwargs)) or "C"
        solid = order in ("C", "F") and has_no_gaps(shape, own, order)
        return of_order(type.shape, order) if solid else None
    known = fn in SEEING or fn is np.einsum and is_view_by_letters(cx.static_value(args[0]))
    aside = np.zeros(1) if fn in EACH else NOT_STATIC  # an array on which the view does not depend
    others = [a if a is base else aside if isinstance(a, Arr) else cx.static_value(a) for a in args]
    named = {k: a if a is base else cx.static_value(a) for k, a in kwargs.items()}
    if not known or any(v is NOT_STATIC for v in (*others, *named.values())):
        return None

    def look(view: np.ndarray) -> Any:
        keywords = {k: view if a is base else a for k, a in named.items()}
        seen = fn(*(view if a is base else a for a in others), **keywords)
        return seen if part is None else seen[part]

    found = of_moved(own, shape, look)
    return found if found is not None and len(found) == len(type.shape) else None


def parts_of(index: Arg) -> tuple[Arg, ...]:
    return index.items if isinstance(index, Seq) and index.kind is tuple else (index,)


def is_int(part: Arg) -> bool:
    if isinstance(part, Lit):
        return isinstance(part.value, (int, np.integer)) and not isinstance(part.value, bool)
    return isinstance(part, Var) and isinstance(part.type, Scalar) and part.type.kind == "int"


def is_run(part: Arg) -> bool:
    """Whether it takes neighbours: a slice without a step."""
    if isinstance(part, Lit):
        return isinstance(part.value, slice) and part.value.step in (None, 1)
    return isinstance(part, Slice) and isinstance(part.step, Lit) and part.step.value in (None, 1)


def whole_shape(cx: Context, var: Var) -> Any:
    """The shape of an array; as one value where its rank is known."""
    if not isinstance(var.type, Array) or var.type.shape is None:
        return cx.builder.op(np.shape, var)
    return cx.builder.opaque(np.shape, (var,), type_of_shape(var.type))


doors.orders_made = orders_made
doors.arrays_made = arrays_made
