"""Callables that work on structure: builtins, container methods, array methods, in-place NumPy functions."""

from __future__ import annotations

import builtins
import copy
import functools
import math
import operator
import typing
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.ops import Lit, Op, Var
from ..ir.types import Array, ListOf, Opaque, Optional, Scalar
from ..rules import containers, helpers
from .core import Core
from .values import (
    Arr,
    ArrayMethod,
    Bound,
    Closure,
    Comprehension,
    Dct,
    Flat,
    Iterable,
    Lst,
    Obj,
    Range,
    Super,
    Tup,
)

METHODS: dict[str, Any] = {
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
        "clip",
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
        "compress",
        "choose",
    )
}
METHODS |= {"conj": np.conj, "conjugate": np.conj}


class Builtins(Core):
    def special(self, fn: Any) -> Callable[..., Any] | None:
        """The handler of a callable that needs structure, or None."""
        if not callable(fn):
            raise self.unsupported("a call", f"{type(fn).__name__} is not callable", "check the name")
        try:
            name = SPECIAL.get(fn)
        except TypeError:
            return None
        if name is not None:
            return getattr(self, name)  # type: ignore[no-any-return]
        if fn in OF_TYPES:
            return functools.partial(self.by_dummies, fn)
        if fn in helpers.IN_PLACE:
            return functools.partial(self.in_place, fn)
        owner = getattr(fn, "__self__", None)
        if owner is self:
            return fn  # type: ignore[no-any-return]
        if isinstance(owner, np.ufunc):
            handler = getattr(self, "ufunc_" + fn.__name__, None)
            return None if handler is None else functools.partial(handler, owner)
        return None

    # ----- iteration
    def b_range(self, *args: Any) -> Any:
        start, stop, step = (Lit(0), args[0], Lit(1)) if len(args) == 1 else (*args, Lit(1))[:3]
        return Range(
            *(
                self.emit(int, v) if isinstance(v, Var) and not isinstance(v.type, Scalar) else v
                for v in (start, stop, step)
            )
        )

    def b_zip(self, *sources: Any, strict: Any = None) -> Any:
        return Iterable("zip", tuple(map(self.consumed, sources)))

    def b_enumerate(self, source: Any, start: Any = None) -> Any:
        return Iterable("enumerate", (self.consumed(source),), Lit(0) if start is None else start)

    def b_reversed(self, source: Any) -> Any:
        if isinstance(source, Range):
            parts = [self.static_value(p) for p in (source.start, source.stop, source.step)]
            if parts[2] == 1:
                one = Lit(1)
                return Range(
                    self.binary(operator.sub, source.stop, one),
                    self.binary(operator.sub, source.start, one),
                    Lit(-1),
                )
        return Iterable("reversed", (self.consumed(source),))

    def b_map(self, function: Any, *sources: Any) -> Any:
        return Iterable("map", (function, *map(self.consumed, sources)))

    def b_filter(self, function: Any, source: Any) -> Any:
        return Iterable("filter", (function, self.consumed(source)))

    def b_ndindex(self, *shape: Any) -> Any:
        dims = shape[0] if len(shape) == 1 and isinstance(shape[0], Tup) else Tup(tuple(shape))
        return Iterable("ndindex", dims.items)

    def consumed(self, source: Any) -> Any:
        """Generator expressions become lists where they are used."""
        return self.comprehend(source.node, source.frame) if isinstance(source, Comprehension) else source

    def b_len(self, value: Any) -> Any:
        return self.length(value)

    def b_list(self, source: Any = None) -> Any:
        return self.to_list(source)

    def to_list(self, source: Any) -> Lst:
        if source is None:
            return Lst(())
        source = self.consumed(source)
        if isinstance(source, Lst):
            return Lst(self.state.get(source))
        items = self.static_items(source)
        if items is not None:
            return Lst(tuple(items))
        result = Lst(())
        self.run_for(source, lambda item: self.list_append(result, item), set())
        return result

    def b_tuple(self, source: Any = None) -> Any:
        if source is None:
            return Tup(())
        source = self.consumed(source)
        return Tup(tuple(self.items_of(source)))

    def b_dict(self, source: Any = None, **kwargs: Any) -> Any:
        content: dict[Any, Any] = {}
        if isinstance(source, Dct):
            content = dict(self.state.get(source))
        elif source is not None:
            for pair in self.items_of(source):
                key, value = self.items_of(pair)
                content[self.demand(key, "a dict key")] = value
        return Dct({**content, **kwargs})

    def accumulate(self, source: Any, start: Any, step: Callable[[Any, Any], Any]) -> Any:
        """Fold an iterable: ``total = step(total, item)``."""
        source = self.consumed_lazily(source)
        frame = self.frame
        name = f"$total{self.builder.block.ops.__len__()}.{id(source)}"
        self.state.set_name(frame, name, start)

        def body(item: Any) -> None:
            self.state.set_name(frame, name, step(self.state.get_name(frame, name), item))

        if isinstance(source, Comprehension):
            self.run_generator(source, body)
        else:
            self.run_for(source, body, {name})
        total = self.state.get_name(frame, name)
        for var in [total] if isinstance(total, Var) else [total.initial] if isinstance(total, Arr) else []:
            if (
                var is not None
                and var.hint
                and "total" in var.hint
                and "." in var.hint
                or var is not None
                and (var.hint or "").startswith("$")
            ):
                var.hint = "total"
        self.state.set(frame, {k: v for k, v in self.state.get(frame).items() if k != name})
        return total

    def consumed_lazily(self, source: Any) -> Any:
        return source

    def run_generator(self, source: Comprehension, body: Callable[[Any], None]) -> None:
        """The items of a generator expression, as they come."""
        outer = self.frame

        def emit(item: Any) -> None:
            inner, self.frame = self.frame, outer
            try:
                body(item)
            finally:
                self.frame = inner

        self.frame = self.inner_frame(source.frame)
        try:
            self.run_generators(source.node, list(source.node.generators), emit)
        finally:
            self.frame = outer

    def inner_frame(self, enclosing: Any) -> Any:
        from .values import Frame

        return Frame(
            enclosing.source, enclosing.globals, enclosing, {}, set(), enclosing.path, depth=enclosing.depth
        )

    def b_sum(self, source: Any, start: Any = None) -> Any:
        if isinstance(source, Lst) and isinstance(self.state.get(source), Var):
            return self.emit(builtins.sum, source, *(() if start is None else (start,)))
        if isinstance(source, Arr) and not isinstance(self.read(source).type, type(None)):
            type_ = self.read(source).type
            if isinstance(type_, Array) and type_.ndim == 1 and start is None:
                return self.emit(builtins.sum, source)
        return self.accumulate(
            source, Lit(0) if start is None else start, lambda a, b: self.binary(operator.add, a, b)
        )

    def b_min(self, *args: Any, **kwargs: Any) -> Any:
        return self.extremum(min, args, kwargs)

    def b_max(self, *args: Any, **kwargs: Any) -> Any:
        return self.extremum(max, args, kwargs)

    def extremum(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kwargs:
            raise self.unsupported(
                f"{fn.__name__}() with keywords", "key functions are not followed", "write the loop out"
            )
        if len(args) == 1:
            source = self.consumed(args[0])
            items = self.static_items(source)
            if items is None:
                return self.emit(fn, source if isinstance(source, (Arr, Lst)) else self.to_list(source))
            args = tuple(items)
        if all(self.is_static(a) for a in args):
            return self.fold(fn, [self.static_value(a) for a in args])
        return args[0] if len(args) == 1 else self.emit(fn, *args)

    def b_any(self, source: Any) -> Any:
        return self.quantify(source, operator.or_, False)

    def b_all(self, source: Any) -> Any:
        return self.quantify(source, operator.and_, True)

    def quantify(self, source: Any, combine: Any, start: bool) -> Any:
        if isinstance(source, Arr):
            return self.emit(np.any if combine is operator.or_ else np.all, source)

        def step(total: Any, item: Any) -> Any:
            test = self.truth(item)
            if isinstance(test, Lit):
                return total if test.value == start else test
            return (
                test if isinstance(total, Lit) and total.value == start else self.emit(combine, total, test)
            )

        return self.accumulate(source, Lit(start), step)

    def b_sorted(self, source: Any, **kwargs: Any) -> Any:
        values = self.static_value(source)
        if self.is_static(source) and not kwargs:
            return self.from_python(sorted(values))
        if kwargs:
            raise self.unsupported(
                "sorted() with keywords", "key functions are not followed", "use np.sort or np.argsort"
            )
        items = self.items_of(source)
        ordered = self.emit(np.sort, self.emit(np.array, Lst(tuple(items))))
        return Lst(tuple(self.load_item(ordered, Lit(i)) for i in range(len(items))))

    def b_reduce(self, function: Any, source: Any, initial: Any = None) -> Any:
        if initial is not None:
            return self.accumulate(source, initial, lambda a, b: self.call(function, [a, b], {}))
        items = self.items_of(source)
        total = items[0]
        for item in items[1:]:
            total = self.call(function, [total, item], {})
        return total

    def b_partial(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        return Bound(function, args, kwargs)

    # ----- kinds of values
    def python_dummy(self, value: Any) -> Any:
        """A Python object of the same class."""
        from .infer import dummy

        if isinstance(value, (Var, Arr)):
            var = self.arg(value)
            from .infer import _atoms

            return dummy(var, dict.fromkeys(_atoms((var,), {}), 1))
        if isinstance(value, Tup):
            return () if value.cls is None else value.cls(*([None] * len(value.items)))
        if isinstance(value, Lst):
            return []
        if isinstance(value, Dct):
            return value.cls()
        if isinstance(value, Obj):
            return object.__new__(value.cls)
        if isinstance(value, Range):
            return range(0)
        if isinstance(value, slice):
            return slice(None)
        if isinstance(value, (Closure, Bound, ArrayMethod)):
            return lambda: None
        return value.python_value() if hasattr(value, "python_value") else self.static_value(value)

    def b_isinstance(self, value: Any, cls: Any) -> Any:
        classes = self.static_value(cls)
        if isinstance(value, Var) and isinstance(value.type, Optional):
            raise self.unsupported(
                "isinstance of a value that may be None",
                "its class depends on the path taken",
                "test `is None`",
            )
        return Lit(isinstance(self.python_dummy(value), classes))

    def b_issubclass(self, cls: Any, other: Any) -> Any:
        return Lit(issubclass(self.demand(cls, "a class"), self.demand(other, "a class")))

    def b_issubdtype(self, cls: Any, other: Any) -> Any:
        return Lit(bool(np.issubdtype(self.demand(cls, "a dtype"), self.demand(other, "a dtype"))))

    def b_type(self, value: Any) -> Any:
        return Lit(type(self.python_dummy(value)))

    def b_callable(self, value: Any) -> Any:
        return Lit(callable(self.python_dummy(value)))

    def b_hasattr(self, value: Any, name: Any) -> Any:
        key = self.demand(name, "an attribute name")
        if isinstance(value, Obj):
            return Lit(key in self.state.get(value) or hasattr(value.cls, key))
        return Lit(hasattr(self.python_dummy(value), key))

    def b_getattr(self, value: Any, name: Any, *default: Any) -> Any:
        key = self.demand(name, "an attribute name")
        if default and not self.b_hasattr(value, name).value:
            return default[0]
        return self.load_attribute(value, key)

    def b_setattr(self, value: Any, name: Any, new: Any) -> Any:
        self.store_attribute(value, self.demand(name, "an attribute name"), new)
        return Lit(None)

    def b_slice(self, *args: Any) -> Any:
        none = Lit(None)
        return slice(none, args[0], none) if len(args) == 1 else slice(*(*args, none)[:3])

    def b_float(self, value: Any = Lit(0.0)) -> Any:
        if self.is_static(value):
            return self.fold(float, self.static_value(value))
        if isinstance(value, Var) and value.type == Scalar("float"):
            return value
        return self.emit(float, value)

    def b_int(self, value: Any = Lit(0), *base: Any) -> Any:
        if self.is_static(value):
            return self.fold(int, self.static_value(value), *map(self.static_value, base))
        if (
            isinstance(value, Var)
            and isinstance(value.type, Scalar)
            and value.type.kind == "int"
            and value.type.dtype is None
        ):
            return value
        return self.emit(int, value)

    def b_bool(self, value: Any = Lit(False)) -> Any:
        return self.truth(value)

    def b_print(self, *args: Any, **kwargs: Any) -> Any:
        given = tuple(map(self.runtime_object, args))
        self.builder.append(
            Op(print, given, (), {k: self.arg(v) for k, v in kwargs.items()}, self.builder.span, effect=True)
        )
        return Lit(None)

    def b_warn(self, message: Any, *args: Any, **kwargs: Any) -> Any:
        given = (self.runtime_object(message), *map(self.arg, args))
        self.builder.append(
            Op(
                warnings.warn,
                given,
                (),
                {k: self.arg(v) for k, v in kwargs.items()},
                self.builder.span,
                effect=True,
            )
        )
        return Lit(None)

    def b_super(self, *args: Any) -> Any:
        cell = self.frame.cells.get("__class__")
        names = list(self.state.get(self.frame))
        if args or cell is None or not names:
            raise self.unsupported("super() here", "its class is not known", "name the base class")
        return Super(cell.cell_contents, self.state.get_name(self.frame, names[0]))

    def b_iter(self, source: Any) -> Any:
        return Lst(tuple(self.items_of(self.consumed(source))))

    def b_next(self, iterator: Any, *default: Any) -> Any:
        content = self.state.get(iterator) if isinstance(iterator, Lst) else None
        if not isinstance(content, tuple):
            raise self.unsupported(
                "next()", "only iterators over static sequences are followed", "use a for loop"
            )
        if not content and default:
            return default[0]
        if not content:
            raise self.unsupported("next()", "the iterator is exhausted", "check it", StopIteration)
        self.state.set(iterator, content[1:])
        return content[0]

    def b_copy(self, value: Any) -> Any:
        if isinstance(value, Arr):
            return self.emit(np.copy, value)
        if isinstance(value, Lst):
            return Lst(self.state.get(value))
        if isinstance(value, Dct):
            return Dct(dict(self.state.get(value)), value.cls)
        return Obj(value.cls, dict(self.state.get(value))) if isinstance(value, Obj) else value

    def b_deepcopy(self, value: Any) -> Any:
        if isinstance(value, Lst) and isinstance(self.state.get(value), tuple):
            return Lst(tuple(map(self.b_deepcopy, self.state.get(value))))
        if isinstance(value, Tup):
            return Tup(tuple(map(self.b_deepcopy, value.items)), value.cls)
        if isinstance(value, (Dct, Obj)):
            content = {k: self.b_deepcopy(v) for k, v in self.state.get(value).items()}
            return Dct(content, value.cls) if isinstance(value, Dct) else Obj(value.cls, content)
        return self.b_copy(value)

    # ----- methods of lists, tuples and dicts
    def list_insert(self, base: Lst, index: Any, value: Any) -> Any:
        items = list(self.static_content(base, "insert"))
        items.insert(self.demand(index, "a position"), value)
        self.state.set(base, tuple(items))
        return Lit(None)

    def list_pop(self, base: Lst, index: Any = None) -> Any:
        content = self.state.get(base)
        if isinstance(content, Var):
            assert isinstance(content.type, ListOf)
            if index is not None and self.static_value(index) != -1:
                raise self.unsupported(
                    ".pop(i)", "the list's length is known at run time only", "pop the last item"
                )
            rest, last = Var(content.type, content.hint), Var(content.type.element)
            self.builder.append(Op(containers.list_pop, (content,), (rest, last), {}, self.builder.span))
            self.state.set(base, rest)
            return self.wrap_var(last)
        items = list(content)
        found = items.pop(-1 if index is None else self.demand(index, "a position"))
        self.state.set(base, tuple(items))
        return found

    def list_copy(self, base: Any) -> Any:
        return Lst(self.state.get(base))

    def list_reverse(self, base: Lst) -> Any:
        self.state.set(base, self.static_content(base, "reverse")[::-1])
        return Lit(None)

    def list_clear(self, base: Lst) -> Any:
        self.state.set(base, ())
        return Lit(None)

    def list_sort(self, base: Lst, **kwargs: Any) -> Any:
        self.state.set(base, self.state.get(self.b_sorted(base, **kwargs)))
        return Lit(None)

    def list_index(self, base: Any, value: Any) -> Any:
        return Lit(self.demand(base, "a sequence").index(self.demand(value, "an item")))

    def list_count(self, base: Any, value: Any) -> Any:
        return Lit(self.demand(base, "a sequence").count(self.demand(value, "an item")))

    def list__replace(self, base: Tup, **kwargs: Any) -> Any:
        fields = base.cls._fields  # type: ignore[union-attr]
        return Tup(tuple(kwargs.get(f, v) for f, v in zip(fields, base.items, strict=True)), base.cls)

    def list__asdict(self, base: Tup) -> Any:
        return Dct(dict(zip(base.cls._fields, base.items, strict=True)))  # type: ignore[union-attr]

    def static_content(self, base: Lst, method: str) -> tuple[Any, ...]:
        content = self.state.get(base)
        if isinstance(content, Var):
            raise self.unsupported(
                f".{method}()", "the list's length is known at run time only", "use an array"
            )
        return content  # type: ignore[no-any-return]

    def dict_get(self, base: Dct, key: Any, default: Any = Lit(None)) -> Any:
        return self.state.get(base).get(self.demand(key, "a dict key"), default)

    def dict_items(self, base: Dct) -> Any:
        return Lst(tuple(Tup((self.from_python(k), v)) for k, v in self.state.get(base).items()))

    def dict_keys(self, base: Dct) -> Any:
        return Lst(tuple(self.from_python(k) for k in self.state.get(base)))

    def dict_values(self, base: Dct) -> Any:
        return Lst(tuple(self.state.get(base).values()))

    def dict_copy(self, base: Dct) -> Any:
        return Dct(dict(self.state.get(base)), base.cls)

    def dict_update(self, base: Dct, other: Any = None, **kwargs: Any) -> Any:
        extra = self.state.get(self.b_dict(other)) if other is not None else {}
        self.state.set(base, {**self.state.get(base), **extra, **kwargs})
        return Lit(None)

    def dict_setdefault(self, base: Dct, key: Any, default: Any = Lit(None)) -> Any:
        name = self.demand(key, "a dict key")
        if name not in self.state.get(base):
            self.state.set(base, {**self.state.get(base), name: default})
        return self.state.get(base)[name]

    def dict_pop(self, base: Dct, key: Any, *default: Any) -> Any:
        content = dict(self.state.get(base))
        name = self.demand(key, "a dict key")
        if name not in content and default:
            return default[0]
        found = content.pop(name)
        self.state.set(base, content)
        return found

    # ----- methods of arrays
    def call_method(self, receiver: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        handler = getattr(self, "method_" + name, None)
        if handler is not None:
            return handler(receiver, *args, **kwargs)
        if name in METHODS:
            return self.call_python(METHODS[name], [receiver, *args], kwargs)
        raise self.unsupported(
            f"method `.{name}()`", "the compiler does not know it", "use the NumPy function"
        )

    def method_reshape(self, receiver: Any, *shape: Any, **kwargs: Any) -> Any:
        return self.call_python(np.reshape, [receiver, shape[0] if len(shape) == 1 else Tup(shape)], kwargs)

    def method_transpose(self, receiver: Any, *axes: Any) -> Any:
        given = (
            []
            if not axes
            else [
                axes[0]
                if len(axes) == 1
                and not isinstance(axes[0], (Lit, Var))
                or len(axes) == 1
                and self.static_value(axes[0]) is None
                else Tup(axes)
            ]
        )
        return self.call_python(np.transpose, [receiver, *given], {})

    def method_copy(self, receiver: Any, **kwargs: Any) -> Any:
        return self.emit(np.copy, receiver)

    def method_flatten(self, receiver: Any, *args: Any, **kwargs: Any) -> Any:
        return self.emit(np.ravel, self.emit(np.copy, receiver), *args, **kwargs)

    def method_astype(self, receiver: Any, dtype: Any, **kwargs: Any) -> Any:
        target = self.static_value(dtype)
        return self.emit(helpers.astype, receiver, Lit(np.dtype(target)))

    def method_item(self, receiver: Any, *index: Any) -> Any:
        value = receiver
        if index:
            value = self.load_item(
                receiver if len(index) > 1 else Flat(receiver), Tup(index) if len(index) > 1 else index[0]
            )
        elif isinstance(receiver, Arr):
            value = self.load_item(Flat(receiver), Lit(0))
        kind = getattr(self.arg(value).type, "kind", "float")  # type: ignore[union-attr]
        return self.b_float(value) if kind == "float" else self.b_int(value) if kind == "int" else value

    def method_tolist(self, receiver: Any) -> Any:
        if not isinstance(receiver, Arr):
            return self.method_item(receiver)
        return self.nested_list(receiver)

    def nested_list(self, value: Any) -> Any:
        items = self.static_items(value)
        if items is None:
            result = Lst(())
            self.run_for(value, lambda item: self.list_append(result, self.nested_list(item)), set())
            return result
        return Lst(tuple(map(self.nested_list, items))) if isinstance(value, Arr) else self.method_item(value)

    def method_fill(self, receiver: Arr, value: Any) -> Any:
        self.store_item(receiver, Lit(Ellipsis), value)
        return Lit(None)

    def method_sort(self, receiver: Arr, *args: Any, **kwargs: Any) -> Any:
        ordered = self.emit(np.sort, receiver, *args, **kwargs)
        self.overwrite(receiver, self.read(receiver), self.arg(ordered))
        return Lit(None)

    def method_put(self, receiver: Arr, index: Any, value: Any, **kwargs: Any) -> Any:
        self.store_item(Flat(receiver), index, value)
        return Lit(None)

    def method_tostring(self, receiver: Any) -> Any:
        raise self.unsupported(".tostring()", "bytes carry no derivative", "leave it out")

    def method_is_integer(self, receiver: Any) -> Any:
        return self.emit(float.is_integer, self.b_float(receiver))

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
        same = {
            np.add: np.sum,
            np.multiply: np.prod,
            np.maximum: np.max,
            np.minimum: np.min,
            np.logical_or: np.any,
            np.logical_and: np.all,
        }.get(fn)
        if same is not None:
            return self.emit(
                same, array, axis=axis, **{k: v for k, v in kwargs.items() if k in ("keepdims", "initial")}
            )
        items = (
            self.items_of(array)
            if self.static_value(axis) == 0
            else self.demand(axis, "the axis of ufunc.reduce")
        )
        total = items[0]
        for item in items[1:]:
            total = self.emit(fn, total, item)
        return total

    def ufunc_accumulate(self, fn: np.ufunc, array: Any, axis: Any = Lit(0), **kwargs: Any) -> Any:
        same = {np.add: np.cumsum, np.multiply: np.cumprod}.get(fn)
        if same is None:
            raise self.unsupported(f"np.{fn.__name__}.accumulate", "it has no rule", "write the loop out")
        return self.emit(same, array, axis=axis)

    def ufunc_outer(self, fn: np.ufunc, a: Any, b: Any) -> Any:
        ranks = [getattr(self.arg(v).type, "ndim", 0) or 0 for v in (a, b)]  # type: ignore[union-attr]
        wide = (
            self.load_item(a, Tup((*[Lit(Ellipsis)], *[Lit(None)] * ranks[1]))) if isinstance(a, Arr) else a
        )
        return self.emit(fn, wide, b)

    def in_place(self, fn: Any, array: Arr, *args: Any, **kwargs: Any) -> Any:
        """A function that writes to its first argument: the array becomes the result of its pure twin."""
        before = self.read(array)
        pure, keywords = helpers.IN_PLACE[fn], {k: self.arg(v) for k, v in kwargs.items()}
        after = self.builder.opaque(pure, (before, *map(self.arg, args)), before.type, **keywords)
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
        kwargs.pop("copy", None)
        result = self.as_array(np.array, value, kwargs)
        return (
            result
            if dtype is None or self.static_value(dtype) is None
            else self.method_astype_if(result, dtype)
        )

    def b_asarray(self, value: Any, dtype: Any = None, **kwargs: Any) -> Any:
        if isinstance(value, Arr):
            result: Any = value
        else:
            result = self.as_array(np.array, value, {})
        return (
            result
            if dtype is None or self.static_value(dtype) is None
            else self.method_astype_if(result, dtype)
        )

    def as_array(self, fn: Any, value: Any, kwargs: dict[str, Any]) -> Any:
        value = self.consumed(value)
        if isinstance(value, (Iterable, Range)):
            value = self.to_list(value)
        if isinstance(value, Lst) and isinstance(self.state.get(value), Var):
            return self.emit(containers.array_from_list, value)
        if hasattr(value, "python_value"):
            value = self.capture_live(value)
        return self.emit(fn, value, **kwargs)

    def method_astype_if(self, value: Any, dtype: Any) -> Any:
        target = np.dtype(self.static_value(dtype))
        type = self.arg(value).type  # type: ignore[union-attr]
        if isinstance(type, Array) and type.dtype == target:
            return value
        return self.emit(helpers.astype, value, Lit(target))

    def b_vectorize(self, function: Any, **kwargs: Any) -> Any:
        return Bound(Lit(self.run_vectorized), (function,))

    def run_vectorized(self, function: Any, *args: Any) -> Any:
        """np.vectorize: a loop over the elements."""
        arrays = [self.emit(np.asarray, a) if not isinstance(a, Arr) else a for a in args]
        if len(arrays) > 1:
            wide = self.emit(np.broadcast_arrays, *arrays)
            arrays = list(wide.items) if isinstance(wide, Tup) else list(self.state.get(wide))
        flat = [self.emit(np.ravel, a) for a in arrays]
        result = Lst(())
        self.run_for(
            Iterable("zip", tuple(flat)),
            lambda item: self.list_append(result, self.call(function, list(item.items), {})),
            set(),
        )
        return self.emit(np.reshape, self.as_array(np.array, result, {}), self.shape_of(self.arg(arrays[0])))  # type: ignore[arg-type]

    def b_apply_along_axis(self, function: Any, axis: Any, array: Any, *args: Any, **kwargs: Any) -> Any:
        moved = self.emit(np.moveaxis, array, axis, Lit(-1))
        rank = self.read(moved).type.ndim
        if rank != 2:
            raise self.unsupported(
                "np.apply_along_axis", "it is followed for matrices only", "write the loop out"
            )
        result = Lst(())
        self.run_for(
            moved, lambda row: self.list_append(result, self.call(function, [row, *args], kwargs)), set()
        )
        return self.as_array(np.array, result, {})

    def b_piecewise(self, x: Any, conditions: Any, functions: Any, *args: Any, **kwargs: Any) -> Any:
        """np.piecewise, each function on the whole array, chosen by its condition."""
        tests = self.items_of(conditions)
        given = self.items_of(functions)
        result: Any = Lit(0.0)
        if len(given) == len(tests) + 1:
            result = self.piece(given[-1], x, args, kwargs)
        for test, function in zip(tests, given, strict=False):  # later conditions win
            result = self.emit(np.where, test, self.piece(function, x, args, kwargs), result)
        return (
            self.emit(helpers.astype, result, Lit(self.arg(x).type.dtype)) if isinstance(x, Arr) else result
        )  # type: ignore[union-attr]

    def piece(self, function: Any, x: Any, args: Any, kwargs: Any) -> Any:
        if isinstance(function, (Var, Arr)) or isinstance(function, Lit) and not callable(function.value):
            return function
        return self.call(function, [x, *args], kwargs)

    def b_iscomplexobj(self, value: Any) -> Any:
        return Lit(bool(np.iscomplexobj(self.python_dummy(value))))

    def b_isrealobj(self, value: Any) -> Any:
        return Lit(not self.b_iscomplexobj(value).value)

    def b_isscalar(self, value: Any) -> Any:
        return Lit(bool(np.isscalar(self.python_dummy(value))))

    def b_iterable(self, value: Any) -> Any:
        return Lit(bool(np.iterable(self.python_dummy(value))))

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
            return self.shape_of(self.arg(value))  # type: ignore[arg-type]
        return Tup(()) if isinstance(value, Lit) else self.b_shape(self.as_array(np.array, value, {}))

    def b_size(self, value: Any, axis: Any = None) -> Any:
        if axis is not None and self.static_value(axis) is not None:
            return self.shape_of(self.arg(value)).items[self.static_value(axis)]  # type: ignore[arg-type]
        return self.array_attribute(value, "size") if isinstance(value, (Arr, Var)) else self.length(value)

    def by_dummies(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        """A function that reads dtypes and ranks only."""
        keywords = {k: self.demand(v, f"`{k}`") for k, v in kwargs.items()}
        return self.from_python(fn(*map(self.python_dummy, args), **keywords))

    def b_astype(self, value: Any, dtype: Any, **kwargs: Any) -> Any:
        return self.emit(helpers.astype, value, Lit(np.dtype(self.static_value(dtype))), **kwargs)

    def b_cast(self, cls: Any, value: Any) -> Any:
        return value


# Functions of the types of their arguments: their results are static.
OF_TYPES = {np.result_type, np.common_type, np.promote_types, np.can_cast, np.mintypecode, np.min_scalar_type}
SPECIAL: dict[Any, str] = {
    range: "b_range",
    zip: "b_zip",
    enumerate: "b_enumerate",
    reversed: "b_reversed",
    map: "b_map",
    filter: "b_filter",
    np.ndindex: "b_ndindex",
    len: "b_len",
    list: "b_list",
    tuple: "b_tuple",
    dict: "b_dict",
    sum: "b_sum",
    min: "b_min",
    max: "b_max",
    any: "b_any",
    all: "b_all",
    sorted: "b_sorted",
    functools.reduce: "b_reduce",
    functools.partial: "b_partial",
    isinstance: "b_isinstance",
    issubclass: "b_issubclass",
    np.issubdtype: "b_issubdtype",
    type: "b_type",
    callable: "b_callable",
    hasattr: "b_hasattr",
    getattr: "b_getattr",
    setattr: "b_setattr",
    slice: "b_slice",
    float: "b_float",
    int: "b_int",
    bool: "b_bool",
    print: "b_print",
    warnings.warn: "b_warn",
    super: "b_super",
    iter: "b_iter",
    next: "b_next",
    copy.copy: "b_copy",
    copy.deepcopy: "b_deepcopy",
    np.copyto: "b_copyto",
    np.array: "b_array",
    np.asarray: "b_asarray",
    np.asanyarray: "b_asarray",
    np.vectorize: "b_vectorize",
    np.apply_along_axis: "b_apply_along_axis",
    np.piecewise: "b_piecewise",
    np.iscomplexobj: "b_iscomplexobj",
    np.isrealobj: "b_isrealobj",
    np.isscalar: "b_isscalar",
    np.iterable: "b_iterable",
    np.ndim: "b_ndim",
    np.shape: "b_shape",
    np.size: "b_size",
    typing.cast: "b_cast",
    helpers.astype: "b_astype",
    math.fsum: "b_sum",
}
__all__ = ["Builtins", "Opaque"]
