"""How is a program read that stands for a function, a method or a class?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....rules.list_searches import is_or_equals, may_be_nan
from ....rules.standing import (
    in_index_order,
    is_made_on_demand,
    is_read,
    of_ufuncs,
    program_for,
    subscripts_of,
)
from ...ir.ops import Lit
from ...ir.types import dtype_of, rank_of
from .. import doors
from ..constructs.comparisons import equal_items
from ..context import Context
from ..loops.iteration import has_own_iterator
from ..store.identities import ITERATORS, makes_items
from ..store.windows import is_contiguous
from ..tables import handles
from ..values import Arr, Callee, Lst, Obj, Tup, Value
from .items import items_of
from .iterables import to_list
from .lazy_items import static_items


def by_program(cx: Context, fn: Callee) -> Callable[..., Any] | None:
    """How a callable is read that has a program in its place, or None."""
    program = program_for(fn)
    if program is None:
        return None
    return lambda *args, **kwargs: doors.call(cx, Lit(program), list(args), kwargs)


def call_ufunc_method(cx: Context, fn: np.ufunc, name: str, *args: Value, **kwargs: Value) -> Any:
    """The program of a method of ufuncs, of an array."""
    array, *rest = args
    if isinstance(array, (Lst, Tup)):
        array = cx.emit(np.array, array)
    return doors.call(cx, Lit(of_ufuncs(name)), [Lit(fn), array, *rest], kwargs)


@handles(in_index_order)
def b_in_index_order(cx: Context, arrays: Value) -> Any:
    """True where that is certain; else the program is read again, with the orders of the arguments."""
    items = [item for item in items_of(cx, arrays) if isinstance(item, Arr)]
    ranks = [rank_of(cx.read(item).type) for item in items]
    rank = max((9 if n is None else n for n in ranks), default=0)
    shapes = {getattr(cx.read(item).type, "shape", None) for item in items}
    if rank == 0 or len(shapes) == 1 and any(is_contiguous(cx, item) for item in items):
        return Lit(True)
    cx.demand_orders()
    raise cx.unsupported(
        "np.nditer of these arrays",
        "they are met in the order in which they lie in memory, which is not known",
        'write order="C"',
    )


@handles(set)
def b_set(cx: Context, iterable: Value | None = None) -> Any:
    """A set of what is known; else its program, as of an empty one, to which anything may be added."""
    return set_made(cx, set, iterable)


@handles(frozenset)
def b_frozenset(cx: Context, iterable: Value = Lit(())) -> Any:
    """A frozenset, which is a set that nobody adds to."""
    return set_made(cx, frozenset, iterable)


def set_made(cx: Context, kind: Any, iterable: Value | None) -> Any:
    if iterable is not None and cx.is_static(iterable):
        return doors.call_opaque(cx, kind, [iterable], {})
    if iterable is not None:
        iterable = to_list(cx, iterable)
        items = static_items(cx, iterable)
        if items is not None and all(map(cx.is_static, items)):
            return Lit(kind(map(cx.static_value, items)))
    by = by_program(cx, set)
    assert by is not None
    return by(*(() if iterable is None else (iterable,)))


@handles(is_made_on_demand)
def b_is_made_on_demand(cx: Context, iterable: Value) -> Any:
    if isinstance(iterable, ITERATORS):  # the question is no use of it
        cx.state.set(iterable, cx.state.get(iterable) - {cx.frame})
    return Lit(makes_items(iterable) or has_own_iterator(iterable))


@handles(is_read)
def b_is_read(cx: Context) -> Any:
    return Lit(True)


@handles(np.einsum)
def b_einsum(cx: Context, *args: Value, **kwargs: Value) -> Any:
    """Lists of labels between the arrays become text."""
    if args and not isinstance(cx.static_value(args[0]), str):
        labels = [cx.demand(part, "the labels of np.einsum") for part in args[1::2]]
        result = cx.demand(args[-1], "the labels of np.einsum") if len(args) % 2 else None
        arrays = args[0 : 2 * len(labels) : 2]
        args = (Lit(subscripts_of(labels, result)), *arrays)
    return doors.call_primitive(cx, np.einsum, list(args), kwargs)


def is_float(cx: Context, array: Arr) -> bool:
    dtype = dtype_of(cx.read(array).type)
    return dtype is not None and np.dtype(dtype).kind in "fc"


@handles(is_or_equals)
def b_is_or_equals(cx: Context, item: Value, value: Value) -> Any:
    return equal_items(cx, item, value)


@handles(may_be_nan)
def b_may_be_nan(cx: Context, value: Value) -> Any:
    return Lit(not isinstance(value, Obj))
