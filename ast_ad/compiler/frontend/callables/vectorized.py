"""What do ``np.vectorize`` and ``np.apply_along_axis`` make of a function? A loop that calls it."""

from __future__ import annotations

import builtins
import functools
import operator
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from ....rules import helpers
from ...ir.alternatives import alternatives
from ...ir.ops import Lit
from ...ir.types import dtype_of, element_of, kind_of
from .. import doors
from ..constructs.attributes import shape_of
from ..constructs.boundness import raise_where
from ..constructs.subscripts import load_item
from ..context import Context
from ..conversion import from_python
from ..loops.loops import run_for
from ..store.holding import own_elements
from ..tables import Intrinsic, handles
from ..types.type_questions import known_rank
from ..values import Arr, Bound, Iterable, Lst, Tup, Value
from .caches import Before
from .container_methods import list_append
from .numpy_calls import as_array

Call = Callable[[Sequence[Value]], Any]


# ----- np.vectorize
@handles(np.vectorize)
def b_vectorize(
    cx: Context,
    pyfunc: Value = Lit(None),
    otypes: Value = Lit(None),
    doc: Value = Lit(None),
    excluded: Value = Lit(None),
    cache: Value = Lit(False),
    signature: Value = Lit(None),
) -> Any:
    wanted = cx.demand(otypes, "`otypes` of np.vectorize")
    fixed = cx.demand(excluded, "`excluded` of np.vectorize") or ()
    by = cx.demand(signature, "`signature` of np.vectorize")
    if isinstance(pyfunc, Lit) and pyfunc.value in (None, np._NoValue):  # a decorator with options

        def decorate(cx: Context, function: Value) -> Any:
            return b_vectorize(cx, function, otypes, doc, excluded, cache, signature)

        return Bound(Lit(Intrinsic(decorate)), ())
    run = functools.partial(
        run_vectorized,
        dtypes=dtypes_of(wanted),
        excluded=frozenset(fixed),
        signature=by,
        cached=bool(cx.demand(cache, "`cache` of np.vectorize")),
    )
    return Bound(Lit(Intrinsic(lambda cx, *args, **kwargs: run(cx, pyfunc, args, kwargs))), ())


def call_vectorized(cx: Context, made: Any, *args: Value, **kwargs: Value) -> Any:
    """A call of an instance of ``np.vectorize`` that was made before."""
    function, dtypes = from_python(cx, made.pyfunc), dtypes_of(made.otypes)
    excluded, cached = frozenset(made.excluded), bool(made.cache)
    return run_vectorized(cx, function, args, kwargs, dtypes, excluded, made.signature, cached)


def dtypes_of(otypes: Any) -> list[np.dtype[Any]] | None:
    return None if otypes is None else [np.dtype(one) for one in otypes]


def run_vectorized(
    cx: Context,
    function: Value,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    dtypes: list[np.dtype[Any]] | None,
    excluded: Collection[Any],
    signature: str | None,
    cached: bool,
) -> Any:
    keys: list[Any] = [*range(len(args)), *kwargs]
    given = dict(zip(keys, [*args, *kwargs.values()], strict=True))
    varied = [key for key in keys if key not in excluded]

    def call(values: Sequence[Value]) -> Any:
        whole = given | dict(zip(varied, values, strict=True))
        named = {key: value for key, value in whole.items() if isinstance(key, str)}
        return doors.call(cx, function, [whole[i] for i in range(len(args))], named)

    arrays = [v if isinstance(v, Arr) else cx.emit(np.asarray, v) for v in (given[key] for key in varied)]
    if not arrays:
        return call([])
    if signature is not None:
        return along_signature(cx, call, arrays, signature, dtypes)
    given_dtypes = [dtype_of(cx.variable(a).type) for a in arrays]
    if dtypes is None and any(d is None or d.char not in "?ldD" for d in given_dtypes):
        raise cx.unsupported(
            "`np.vectorize` of an array that holds no numbers of Python's precision",
            "its first call tells the type of the result, and sees a number of NumPy's",
            "pass `otypes`",
        )
    shape = shape_of(cx, cx.variable(arrays[0]))
    if len(arrays) > 1:
        wide = cx.emit(np.broadcast_arrays, *arrays)
        arrays = list(wide.items) if isinstance(wide, Tup) else list(cx.state.get(wide))
        shape = shape_of(cx, cx.variable(arrays[0]))
    flat = [cx.emit(np.ravel, a) for a in arrays]
    if dtypes is None:
        require_an_item(cx, flat[0])
    before = Before.of(cx)
    results = results_of(cx, lambda values: call([as_pythons(cx, v) for v in values]), flat)
    if dtypes is None and not cached:
        why = "without `otypes` it is called once more, to see of which type its result is"
        before.require_same(cx, "`np.vectorize` of a function", why, "pass `otypes`")
    return shaped(cx, results, shape, dtypes)


def require_an_item(cx: Context, column: Arr) -> None:
    """Raise what NumPy raises of nothing, of which no call tells the type of the result."""
    none = cx.emit(operator.eq, doors.length(cx, column), Lit(0))
    raise_where(cx, none, ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set"))


def results_of(cx: Context, call: Call, columns: list[Any]) -> list[Lst]:
    """What the calls return for the items of the columns: a list, or a list for each part of a tuple."""
    whole, count = Lst(()), [0]

    def one(item: Value) -> None:
        found = call(cx.parts(item))
        count[0] = len(found.items) if isinstance(found, Tup) else 0
        list_append(cx, whole, found)

    run_for(cx, Iterable("zip", tuple(columns)), one, set())
    if not count[0]:
        return [whole]
    parts = [Lst(()) for _ in range(count[0])]
    for i, part in enumerate(parts):
        append = functools.partial(append_part, cx, part, i)
        run_for(cx, whole, append, set())
    return parts


def append_part(cx: Context, part: Lst, i: int, item: Value) -> None:
    list_append(cx, part, load_item(cx, item, Lit(i)))


def shaped(cx: Context, results: list[Lst], shape: Value, dtypes: list[np.dtype[Any]] | None) -> Any:
    """The results of all calls as arrays: one, or a tuple of several."""
    if dtypes is not None and len(dtypes) != len(results):
        raise cx.unsupported("these `otypes`", "there is not one for each result", "check them")
    found = []
    for i, part in enumerate(results):
        array = array_of_alike(cx, part) if dtypes is None else as_array(cx, np.array, part, {})
        if dtypes is not None:
            array = cx.emit(helpers.astype, array, Lit(dtypes[i]))
        found.append(cx.emit(np.reshape, array, shape))
    return found[0] if len(found) == 1 else Tup(tuple(found))


def along_signature(
    cx: Context, call: Call, arrays: list[Any], signature: str, dtypes: list[np.dtype[Any]] | None
) -> Any:
    """``np.vectorize(f, signature="(n),(n)->()")``: the function sees vectors, matrices, ..."""
    inputs, _, outputs = signature.replace(" ", "").partition("->")
    ranks = [len(re.findall(r"\w+", core)) for core in re.findall(r"\(([^()]*)\)", inputs)]
    kinds = re.findall(r"\(([^()]*)\)", outputs)
    if len(ranks) != len(arrays) or len(kinds) != 1:
        raise cx.unsupported("this `signature`", "one result and all arguments are followed", "check it")
    shapes = [shape_of(cx, cx.variable(a)).items for a in arrays]
    leads = [s[: len(s) - rank] for s, rank in zip(shapes, ranks, strict=True)]
    most = max(leads, key=len)
    if any(lead and lead != most for lead in leads):
        raise cx.unsupported(
            "arrays that are stretched", "their leading axes differ", "broadcast them before"
        )
    if not most:
        return call(arrays)
    columns = []
    for array, s, lead, rank in zip(arrays, shapes, leads, ranks, strict=True):
        core = s[len(s) - rank :]
        wide = array if lead else cx.emit(np.broadcast_to, array, Tup((*most, *core)))
        columns.append(cx.emit(np.reshape, wide, Tup((product(cx, most), *core))))
    (results,) = results_of(cx, call, columns)
    found = array_of_alike(cx, results)
    if dtypes is not None:
        found = cx.emit(helpers.astype, found, Lit(dtypes[0]))
    core = shape_of(cx, cx.variable(found)).items[1:]
    return cx.emit(np.reshape, found, Tup((*most, *core)))


def product(cx: Context, lengths: Sequence[Value]) -> Any:
    return functools.reduce(lambda a, b: doors.binary(cx, np.multiply, a, b), lengths)


def as_pythons(cx: Context, number: Value) -> Any:
    """A number as one of Python's own, as object arrays hold them."""
    return cx.emit(getattr(builtins, kind_of(cx.variable(number).type)), number)


def array_of_alike(cx: Context, results: Lst) -> Any:
    """The array of what calls have returned: the first decides about the dtype of all."""
    content = own_elements(cx, results)
    if len({dtype_of(type) for type in alternatives(element_of(content.type))} - {None}) != 1:
        raise cx.unsupported(
            "results of one type in some calls and of another one in others",
            "NumPy converts all to the type of the first",
            "give them one type (`0.0` for `0`)",
        )
    return as_array(cx, np.array, results, {})


# ----- np.apply_along_axis
@handles(np.apply_along_axis)
def b_apply_along_axis(
    cx: Context, func1d: Value, axis: Value, arr: Value, *args: Value, **kwargs: Value
) -> Any:
    array = arr if isinstance(arr, Arr) else cx.emit(np.asarray, arr)
    rank = known_rank(cx, cx.read(array))
    along = cx.demand(axis, "the axis of np.apply_along_axis")
    if not -rank <= along < rank:
        raise cx.unsupported("an axis that the array lacks", f"it has {rank}", "check the axis")
    along %= rank
    if rank == 1:
        only = doors.call(cx, func1d, [array, *args], kwargs)
        return only if isinstance(only, Arr) else cx.emit(np.asarray, only)
    moved = cx.emit(np.moveaxis, array, Lit(along), Lit(-1))
    lead, rows = shape_of(cx, cx.variable(moved)).items[:-1], moved
    if rank > 2:
        last = shape_of(cx, cx.variable(moved)).items[-1]
        rows = cx.emit(np.reshape, moved, Tup((product(cx, lead), last)))
    result = Lst(())
    run_for(
        cx, rows, lambda row: list_append(cx, result, doors.call(cx, func1d, [row, *args], kwargs)), set()
    )
    found = array_of_alike(cx, result)
    inner = shape_of(cx, cx.variable(found)).items[1:]
    if rank > 2:
        found = cx.emit(np.reshape, found, Tup((*lead, *inner)))
    if not inner or along == rank - 1:
        return found
    source = Tup(tuple(Lit(rank - 1 + i) for i in range(len(inner))))
    return cx.emit(np.moveaxis, found, source, Tup(tuple(Lit(along + i) for i in range(len(inner)))))
