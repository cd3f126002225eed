"""What are ``reduce``, ``accumulate``, ``reduceat``, ``outer`` and ``at`` of a ufunc?

Those of sums, products and extrema are functions of NumPy's with rules of their own, all others programs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ....rules import helpers
from ...ir.ops import Lit
from .. import doors
from ..constructs.subscripts import index_arg, load_item
from ..context import Context
from ..tables import method
from ..types.type_questions import known_rank, require_written
from ..values import Arr, Lst, Tup, Value
from .numpy_calls import of_run_time_list
from .overwriting import overwrite
from .programs import call_ufunc_method, is_float

REDUCTIONS: dict[Any, Callable[..., Any]] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_or: np.any,
    np.logical_and: np.all,
}
CUMULATIONS: dict[Any, Callable[..., Any]] = {np.add: np.cumsum, np.multiply: np.cumprod}
SUMS = (np.add, np.multiply)


@method("ufunc", "at")
def ufunc_at(cx: Context, fn: np.ufunc, array: Arr, index: Value, value: Value | None = None) -> Any:
    require_written(cx, array)
    if value is None or fn not in (np.add, np.subtract):
        if not is_float(cx, array):
            raise cx.unsupported(f"np.{fn.__name__}.at of integers", "they have no derivative", "use floats")
        values = [] if value is None else [value]
        return call_ufunc_method(cx, fn, "at", array, index, *values)
    before, position = cx.read(array), index_arg(cx, index)
    change = cx.arg(value) if fn is np.add else cx.arg(cx.emit(operator.neg, value))
    after = cx.builder.opaque(helpers.add_at, (before, position, change), before.type)
    after.hint = before.hint
    cx.write(array, after)
    return Lit(None)


@method("ufunc", "reduce")
def ufunc_reduce(
    cx: Context,
    fn: np.ufunc,
    array: Value,
    axis: Value = Lit(0),
    dtype: Value = Lit(None),
    out: Value = Lit(None),
    keepdims: Value | None = None,
    initial: Value | None = None,
    where: Value | None = None,
) -> Any:
    array = of_run_time_list(cx, array)
    given = {"dtype": None if is_none(cx, dtype) else dtype}
    given |= {"keepdims": keepdims, "initial": initial, "where": where}
    options = {k: v for k, v in given.items() if v is not None}
    same = REDUCTIONS.get(fn)
    if same is not None and ("dtype" not in options or fn in SUMS):
        found = cx.emit(same, array, axis=axis, **options)
    else:
        found = call_ufunc_method(cx, fn, "reduce", array, axis=axis, **options)
    return written_to(cx, out, found)


@method("ufunc", "accumulate")
def ufunc_accumulate(
    cx: Context,
    fn: np.ufunc,
    array: Value,
    axis: Value = Lit(0),
    dtype: Value = Lit(None),
    out: Value = Lit(None),
) -> Any:
    array = of_run_time_list(cx, array)
    options = {} if is_none(cx, dtype) else {"dtype": dtype}
    same = CUMULATIONS.get(fn)
    if same is not None:
        return written_to(cx, out, cx.emit(same, array, axis=axis, **options))
    return written_to(cx, out, call_ufunc_method(cx, fn, "accumulate", array, axis=axis, **options))


@method("ufunc", "reduceat")
def ufunc_reduceat(
    cx: Context,
    fn: np.ufunc,
    array: Value,
    indices: Value,
    axis: Value = Lit(0),
    dtype: Value = Lit(None),
    out: Value = Lit(None),
) -> Any:
    options = {} if is_none(cx, dtype) else {"dtype": dtype}
    found = call_ufunc_method(cx, fn, "reduceat", array, indices, axis=axis, **options)
    return written_to(cx, out, found)


@method("ufunc", "outer")
def ufunc_outer(cx: Context, fn: np.ufunc, a: Value, b: Value, **kwargs: Value) -> Any:
    a, b = (cx.emit(np.asarray, v) if isinstance(v, (Lst, Tup)) else v for v in (a, b))
    if isinstance(a, Arr):
        a = load_item(cx, a, Tup((Lit(Ellipsis), *[Lit(None)] * known_rank(cx, cx.arg(b)))))
    return doors.call_primitive(cx, fn, [a, b], kwargs)


def is_none(cx: Context, value: Value) -> bool:
    return isinstance(value, Lit) and value.value is None


def written_to(cx: Context, out: Value, found: Value) -> Any:
    """The result, or the array that is given as ``out=`` with it."""
    if is_none(cx, out):
        return found
    (target,) = out.items if isinstance(out, Tup) and len(out.items) == 1 else (out,)
    if not isinstance(target, Arr):
        raise cx.unsupported("out=", "it is no array", "give an array")
    overwrite(cx, target, cx.read(target), found, ())
    return target
