"""How many items has an iterable, and which are they?"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.ops import Lit, Var
from ..ir.types import Array, Scalar
from .builder import type_of_arg
from .core import Core
from .identities import is_iterator
from .values import Arr, Dct, Flat, Iterable, Lst, Obj, Range, Tup


class Items(Core):
    # ----- lengths and items
    def length(self, value: Any) -> Any:
        if isinstance(value, Tup):
            return Lit(len(value.items))
        if isinstance(value, (Lst, Dct)):
            content = self.state.get(value)
            return self.emit(len, content) if isinstance(content, Var) else Lit(len(content))
        if isinstance(value, Arr):
            type = self.read(value).type
            if isinstance(type, Array) and type.shape is not None:
                if not type.shape:
                    raise self.unsupported("len() of a 0-d array", "it has no length", "use .size")
                if isinstance(type.shape[0], int):
                    return Lit(type.shape[0])
                return self.builder.opaque(len, (self.read(value),), Scalar("int", None, type.shape[0]))
            return self.emit(len, value)
        if isinstance(value, Range):
            count = self.range_length(value)
            return Lit(max(count.value, 0)) if isinstance(count, Lit) else self.emit(max, count, Lit(0))
        if isinstance(value, Flat):
            return self.load_attribute(value.array, "size")
        static = self.static_value(value)
        if hasattr(static, "__len__"):
            return Lit(len(static))
        if isinstance(value, Obj):
            return self.call(self.load_attribute(value, "__len__"), [], {})
        if hasattr(value, "python_value"):
            return self.length(self.capture_live(value))
        raise self.unsupported(
            "len() of this value",
            "its length can't be found",
            "use a list or an array",
            TypeError if isinstance(type_of_arg(self.arg(value)), Scalar) else None,
        )

    def items_of(self, value: Any, expected: int | None = None) -> list[Any]:
        """The items of an iterable whose length is static (``expected``: unpacking fixes the length)."""
        items = self.static_items(value, short=False)
        if items is not None:
            return items
        if isinstance(value, (Arr, Lst)) and expected is not None:
            return self.unpack_run_time(value, expected)
        count = self.demand(self.indexable(value)[0], "the length of an iterable")
        get = self.indexable(value)[1]
        return [get(Lit(i)) for i in range(count)]

    def unpack_run_time(self, value: Any, expected: int) -> list[Any]:
        """``a, b = x``: items of an array, after a check of its length."""
        from ..ir.builtin import assert_
        from ..ir.ops import Op

        if isinstance(value, Arr):
            type = self.read(value).type
            if isinstance(type, Array) and type.shape and type.shape[0] == expected:
                return [self.load_item(value, Lit(i)) for i in range(expected)]
        cond = self.emit(operator.eq, self.length(value), Lit(expected))
        message = Lit(f"expected {expected} values to unpack")
        self.builder.append(Op(assert_, (self.arg(cond), message), (), {}, self.builder.span, effect=True))
        return [self.load_item(value, Lit(i)) for i in range(expected)]

    def static_items(self, value: Any, short: bool = True) -> list[Any] | None:
        """The items where the structure of the iterable is static, else None."""
        from .values import Comprehension

        if isinstance(value, Comprehension):
            return self.static_items(self.generated(value), short)
        if isinstance(value, Tup):
            return list(value.items)
        if isinstance(value, Lst):
            content = self.state.get(self.used_up(value) if is_iterator(value) else value)
            return list(content) if isinstance(content, tuple) else None
        if isinstance(value, Dct):
            return [Lit(k) for k in self.state.get(value)]
        if isinstance(value, Range):
            found = self.static_value(value)
            return (
                None
                if short or not isinstance(found, range) or len(found) > 10_000
                else [Lit(i) for i in found]
            )
        if isinstance(value, Iterable):
            return self.static_iterable(value, short)
        if isinstance(value, Lit) and isinstance(
            value.value, (tuple, list, str, dict, set, frozenset, range)
        ):
            return [self.from_python(v) for v in value.value]
        if isinstance(value, Arr) and not short:
            type = self.read(value).type
            if (
                isinstance(type, Array)
                and type.shape
                and isinstance(type.shape[0], int)
                and type.shape[0] <= 16
            ):
                return [self.load_item(value, Lit(i)) for i in range(type.shape[0])]
        if isinstance(value, Obj) and hasattr(value.cls, "__iter__"):
            return self.items_of(self.call(self.load_attribute(value, "__iter__"), [], {}))
        if hasattr(value, "python_value"):
            return self.static_items(self.capture_live(value), short)
        return None

    def static_iterable(self, value: Iterable, short: bool) -> list[Any] | None:
        if value.kind == "ndindex":
            return None
        sources = value.sources[1:] if value.kind in ("map", "filter") else value.sources
        lists = [self.static_items(s, short) for s in sources]
        if (
            value.kind == "zip"
            and any(items is not None for items in lists)
            and any(items is None for items in lists)
        ):
            lists = self.zip_mixed(sources, lists)
        if any(items is None for items in lists):
            return None
        found: list[list[Any]] = lists  # type: ignore[assignment]
        if value.kind == "zip":
            return [Tup(parts) for parts in zip(*found, strict=False)]
        if value.kind == "enumerate":
            return [
                Tup((self.binary(operator.add, value.start, Lit(i)), item)) for i, item in enumerate(found[0])
            ]
        if value.kind == "reversed":
            return found[0][::-1]
        if value.kind == "filter":
            return [
                v
                for v in found[0]
                if self.demand(self.truth(self.call(value.sources[0], [v], {})), "a filter")
            ]
        return [self.call(value.sources[0], list(parts), {}) for parts in zip(*found, strict=False)]

    def zip_mixed(self, sources: Any, lists: list[Any]) -> list[Any]:
        """Static sequences of unlike things zipped with run-time ones: item by item."""
        count = min(len(items) for items in lists if items is not None)
        plain = all(isinstance(v, (Var, Lit)) for items in lists if items is not None for v in items)
        if plain and count > 8:
            return lists
        full: list[Any] = []
        for source, items in zip(sources, lists, strict=True):
            if items is None and isinstance(source, Range):
                items = [
                    self.binary(operator.add, source.start, self.binary(operator.mul, Lit(i), source.step))
                    for i in range(count)
                ]
            elif items is None and isinstance(source, (Arr, Lst)):
                items = self.unpack_run_time(source, count)
            full.append(items)
        return full

    def read_flat(self, value: Flat) -> Var:
        return self.builder.op(np.ravel, self.read(value.array))
