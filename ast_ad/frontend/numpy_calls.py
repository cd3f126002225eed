"""Which NumPy functions are more than an operation: they write, ask for a type, or take functions?"""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from ..ir.alternatives import alternatives
from ..ir.ops import Lit, Var
from ..ir.types import dtype_of, element_of, kind_of, rank_of
from ..rules import containers, helpers
from .core import Core
from .values import (
    Arr,
    Bound,
    Iterable,
    Lst,
    Range,
    Tup,
)

REDUCTIONS: dict[Any, Callable[..., Any]] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_or: np.any,
    np.logical_and: np.all,
}
CUMULATIONS: dict[Any, Callable[..., Any]] = {np.add: np.cumsum, np.multiply: np.cumprod}


class NumpyCalls(Core):
    # ----- NumPy functions that write
    def b_add_at(self, fn: np.ufunc, array: Arr, index: Any, value: Any = None) -> Any:
        position = self.index_arg(index)
        before = self.read(array)
        if fn is np.add or fn is np.subtract:
            change = self.arg(value) if fn is np.add else self.arg(self.emit(operator.neg, value))
            after = self.builder.opaque(helpers.add_at, (before, position, change), before.type)
            after.hint = before.hint
            self.write(array, after)
            return Lit(None)
        raise self.unsupported(
            f"np.{fn.__name__}.at",
            "repeated indices make its derivative depend on the order",
            "write the loop out",
        )

    def ufunc_at(self, fn: np.ufunc, *args: Any) -> Any:
        return self.b_add_at(fn, *args)

    def ufunc_reduce(self, fn: np.ufunc, array: Any, axis: Any = Lit(0), **kwargs: Any) -> Any:
        same = REDUCTIONS.get(fn)
        self.require_only(kwargs, ("keepdims", "initial") if same else (), f"np.{fn.__name__}.reduce")
        if same is not None:
            return self.emit(same, array, axis=axis, **kwargs)
        items = (
            self.items_of(array)
            if self.static_value(axis) == 0
            else self.demand(axis, "the axis of ufunc.reduce")
        )
        total = items[0]
        for item in items[1:]:
            total = self.emit(fn, total, item)
        return total

    def require_only(self, kwargs: dict[str, Any], followed: Collection[str], name: str) -> None:
        """No keyword is passed over."""
        unknown = [k for k, v in kwargs.items() if k not in followed and self.static_value(v) is not None]
        if unknown:
            raise self.unsupported(f"`{unknown[0]}` of {name}", "it is not followed", "leave it out")

    def ufunc_accumulate(self, fn: np.ufunc, array: Any, axis: Any = Lit(0), **kwargs: Any) -> Any:
        same = CUMULATIONS.get(fn)
        self.require_only(kwargs, (), f"np.{fn.__name__}.accumulate")
        if same is None:
            raise self.unsupported(f"np.{fn.__name__}.accumulate", "it has no rule", "write the loop out")
        return self.emit(same, array, axis=axis)

    def ufunc_outer(self, fn: np.ufunc, a: Any, b: Any) -> Any:
        a, b = (self.emit(np.asarray, v) if isinstance(v, (Lst, Tup)) else v for v in (a, b))
        if isinstance(a, Arr):
            a = self.load_item(a, Tup((Lit(Ellipsis), *[Lit(None)] * self.known_rank(self.arg(b)))))
        return self.emit(fn, a, b)

    def in_place(self, fn: Any, array: Arr, *args: Any, **kwargs: Any) -> Any:
        """A function that writes to its first argument: the array becomes the result of its pure twin."""
        before = self.read(array)
        pure, keywords = helpers.IN_PLACE[fn], {k: self.arg(v) for k, v in kwargs.items()}
        after = self.builder.opaque(pure, (before, *map(self.arg, args)), before.type, False, **keywords)
        after.hint = before.hint
        self.write(array, after)
        return Lit(None)

    def b_copyto(self, target: Arr, source: Any, casting: Any = None, where: Any = None) -> Any:
        self.store_item(
            target,
            Lit(Ellipsis) if where is None else where,
            source if where is None else self.masked_source(target, source, where),
        )
        return Lit(None)

    def masked_source(self, target: Arr, source: Any, where: Any) -> Any:
        if not isinstance(source, Arr):
            return source
        wide = self.emit(np.broadcast_to, source, self.shape_of(self.read(target)))
        return self.load_item(wide, where)

    # ----- NumPy functions of sequences and of functions
    def b_array(self, value: Any, dtype: Any = None, **kwargs: Any) -> Any:
        copy = self.demand(kwargs.pop("copy", Lit(True)), "`copy` of np.array")
        if isinstance(value, Arr) and not copy:
            return self.b_asarray(value, dtype, copy=Lit(copy), **kwargs)
        result = self.as_array(np.array, value, {**kwargs, **self.whole(value, dtype)})
        return (
            result
            if dtype is None or self.static_value(dtype) is None
            else self.method_astype_if(result, dtype)
        )

    def b_asarray(self, value: Any, dtype: Any = None, order: Any = None, **kwargs: Any) -> Any:
        copy = self.demand(kwargs.pop("copy", Lit(None)), "`copy` of np.asarray")
        if isinstance(value, Arr):
            if copy:
                return self.b_array(value, dtype, **kwargs)
            ndmin = self.demand(kwargs.pop("ndmin", Lit(0)), "`ndmin` of np.array")
            if set(kwargs) - {"subok"}:
                raise self.unsupported(f"`{min(kwargs)}` of an array", "it is not followed", "leave it out")
            result: Any = self.in_order(value, order)
            for _ in range(ndmin - self.known_rank(self.read(value)) if ndmin else 0):
                result = self.call_primitive(np.expand_dims, [result, Lit(0)], {})
            same = dtype is None or self.demand(dtype, "a dtype") in (None, self.read(value).type.dtype)  # type: ignore[union-attr]
            if copy is False and (result is not value or not same):
                raise self.unsupported(
                    "copy=False where a copy may be needed", "NumPy refuses it", "leave it out"
                )
        else:
            result = self.as_array(np.array, value, self.whole(value, dtype))
        return (
            result
            if dtype is None or self.static_value(dtype) is None
            else self.method_astype_if(result, dtype)
        )

    def whole(self, value: Any, dtype: Any) -> dict[str, Any]:
        """The keyword that makes integers of what is no array: unlike a conversion, it raises."""
        target = None if dtype is None else self.demand(dtype, "a dtype")
        if isinstance(value, Arr) or target is None or np.dtype(target).kind not in "iu":
            return {}
        return {"dtype": Lit(np.dtype(target))}

    def as_array(self, fn: Any, value: Any, kwargs: dict[str, Any]) -> Any:
        value = self.consumed(value)
        if isinstance(value, (Iterable, Range)):
            value = self.to_list(value)
        if isinstance(value, Lst) and isinstance(self.state.get(value), Var):
            self.require_only(kwargs, ("dtype",), "np.array of this list")
            return self.emit(containers.array_from_list, value, **kwargs)
        if hasattr(value, "python_value"):
            value = self.capture_live(value)
        return self.emit(fn, value, **kwargs)

    def in_order(self, value: Arr, order: Any) -> Any:
        """The array itself, or perhaps a copy, if it has to lie in memory row by row or column by column."""
        wanted = None if order is None else self.demand(order, "`order`")
        if wanted in (None, "K", "A") or not self.read(value).type.shape:  # type: ignore[union-attr]
            return value
        fn = np.ascontiguousarray if wanted == "C" else np.asfortranarray
        return self.call_primitive(fn, [value], {})

    def b_nan_to_num(self, x: Any, copy: Any = Lit(True), **kwargs: Any) -> Any:
        """With ``copy=False`` it writes to its argument, and returns it."""
        result = self.call_primitive(np.nan_to_num, [x], kwargs)
        if self.demand(copy, "`copy` of np.nan_to_num") or not isinstance(x, Arr):
            return result
        self.overwrite(x, self.read(x), self.arg(result))
        return x

    def method_astype_if(self, value: Any, dtype: Any) -> Any:
        target = np.dtype(self.static_value(dtype))
        if isinstance(value, Arr) and self.has_dtype(value, target):
            return value
        return self.emit(helpers.astype, value, Lit(target))

    def b_vectorize(self, function: Any, **kwargs: Any) -> Any:
        self.require_only(kwargs, (), "np.vectorize")
        return Bound(Lit(self.run_vectorized), (function,))

    def run_vectorized(self, function: Any, *args: Any) -> Any:
        """np.vectorize: a loop over the elements, which the function sees as Python's numbers."""
        arrays = [self.emit(np.asarray, a) if not isinstance(a, Arr) else a for a in args]
        if len(arrays) > 1:
            wide = self.emit(np.broadcast_arrays, *arrays)
            arrays = list(wide.items) if isinstance(wide, Tup) else list(self.state.get(wide))
        flat = [self.emit(np.ravel, a) for a in arrays]
        result = Lst(())
        self.run_for(
            Iterable("zip", tuple(flat)),
            lambda item: self.list_append(
                result, self.call(function, [self.as_pythons(v) for v in item.items], {})
            ),
            set(),
        )
        return self.emit(np.reshape, self.array_of_alike(result), self.shape_of(self.arg(arrays[0])))

    def as_pythons(self, number: Any) -> Any:
        """A number as one of Python's own, as object arrays hold them."""
        return self.emit(getattr(builtins, kind_of(self.variable(number).type)), number)

    def array_of_alike(self, results: Lst) -> Any:
        """The array of what calls have returned: the first decides about the dtype of all."""
        content = self.own_elements(results)
        if len({dtype_of(type) for type in alternatives(element_of(content.type))} - {None}) != 1:
            raise self.unsupported(
                "results of one type in some calls and of another one in others",
                "NumPy converts all to the type of the first",
                "give them one type (`0.0` for `0`)",
            )
        return self.as_array(np.array, results, {})

    def b_apply_along_axis(self, function: Any, axis: Any, array: Any, *args: Any, **kwargs: Any) -> Any:
        moved = self.emit(np.moveaxis, array, axis, Lit(-1))
        rank = rank_of(self.read(moved).type)
        if rank != 2:
            raise self.unsupported(
                "np.apply_along_axis", "it is followed for matrices only", "write the loop out"
            )
        result = Lst(())
        self.run_for(
            moved, lambda row: self.list_append(result, self.call(function, [row, *args], kwargs)), set()
        )
        found = self.array_of_alike(result)
        return (
            found if self.known_rank(self.read(found)) == 1 else self.emit(np.moveaxis, found, Lit(-1), axis)
        )

    def b_piecewise(self, x: Any, conditions: Any, functions: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(x, Arr) or not self.known_rank(self.read(x)):
            raise self.unsupported("np.piecewise of a number", "it is not followed", "use `if`")
        one = isinstance(conditions, Arr) and self.known_rank(self.read(conditions)) == 1
        tests = [self.mask(test) for test in ([conditions] if one else self.items_of(conditions))]
        given = self.items_of(functions)
        if len(given) == len(tests) + 1:
            some = functools.reduce(lambda a, b: self.emit(operator.or_, a, b), tests)
            tests.append(self.emit(operator.invert, some))
        return self.call(Lit(piecewise), [x, Tup(tuple(tests)), Tup(tuple(given)), *args], kwargs)

    def mask(self, test: Any) -> Any:
        array = test if isinstance(test, Arr) else self.as_array(np.array, test, {})
        return self.method_astype_if(array, Lit(np.dtype(bool)))

    def b_iscomplexobj(self, value: Any) -> Any:
        return Lit(bool(self.asked(np.iscomplexobj, value)))

    def b_isrealobj(self, value: Any) -> Any:
        return Lit(not self.b_iscomplexobj(value).value)

    def b_isscalar(self, value: Any) -> Any:
        return Lit(bool(self.asked(np.isscalar, value)))

    def b_iterable(self, value: Any) -> Any:
        return Lit(bool(self.asked(np.iterable, value)))

    def b_of_memory(self, *args: Any, **kwargs: Any) -> Any:
        raise self.unsupported(
            "a question about the memory of arrays",
            "compiled programs know values only: their views may be copies",
            "decide it outside of the function",
        )

    def b_ndim(self, value: Any) -> Any:
        return (
            self.array_attribute(value, "ndim")
            if isinstance(value, (Arr, Var))
            else Lit(int(np.ndim(self.python_dummy(value))))
            if not isinstance(value, (Tup, Lst))
            else self.b_ndim(self.as_array(np.array, value, {}))
        )

    def b_shape(self, value: Any) -> Any:
        if isinstance(value, (Arr, Var)):
            return self.shape_of(self.arg(value))
        return Tup(()) if isinstance(value, Lit) else self.b_shape(self.as_array(np.array, value, {}))

    def b_size(self, value: Any, axis: Any = None) -> Any:
        if axis is not None and self.static_value(axis) is not None:
            return self.shape_of(self.arg(value)).items[self.static_value(axis)]
        return self.array_attribute(value, "size") if isinstance(value, (Arr, Var)) else self.length(value)

    def b_astype(self, value: Any, dtype: Any, **kwargs: Any) -> Any:
        return self.emit(helpers.astype, value, Lit(np.dtype(self.static_value(dtype))), **kwargs)


def piecewise(x: Any, tests: Any, functions: Any, *args: Any, **kwargs: Any) -> Any:
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
