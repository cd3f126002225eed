"""What do ``x[i]`` and ``x[i] = v`` mean, and what else does a write change?"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.alternatives import alternatives
from ..ir.ops import Arg, Lit, Seq, Var, variables
from ..ir.types import Array, ListOf, element_of, kind_of, list_of
from ..rules import containers, helpers
from .builder import type_of_arg
from .core import Core
from .dummies import InferenceError
from .indexing import index_type
from .values import Arr, Dct, Flat, Iterable, Lst, Obj, Range, Tup, View
from .views import is_int, parts_of


def is_advanced(index: Arg) -> bool:
    """Whether an index has arrays or lists in it, so that NumPy makes a copy."""
    if isinstance(index, Seq):
        return index.kind is list or any(map(is_advanced, index.items))
    return isinstance(index, (Var, Lit)) and isinstance(type_of_arg(index), (Array, ListOf))


class Arrays(Core):
    # ----- reading items
    def load_item(self, base: Any, index: Any) -> Any:
        if isinstance(base, Arr):
            return self.load_array_item(base, index)
        if isinstance(base, (Tup, Lst)):
            return self.read_once(self.load_sequence_item(base, index), id(base))
        if isinstance(base, Dct):
            key = self.demand(index, "a dict key")
            content = self.state.get(base)
            if key in content:
                return self.read_once(content[key], id(base))
            raise self.unsupported(
                f"key {key!r}", "the dict has no such key", "check the key", exception=KeyError(key)
            )
        if isinstance(base, Flat):
            return self.load_array_item(self.wrap(self.builder.op(np.ravel, self.read(base.array))), index)
        if isinstance(base, Obj):
            return self.call(self.load_attribute(base, "__getitem__"), [index], {})
        if isinstance(base, Range) and not self.within_rules():
            places = self.demand(base, "the bounds of a range"), self.demand(index, "an index of a range")
            return self.fold(operator.getitem, *places)
        if isinstance(base, Range):
            return self.binary(operator.add, base.start, self.binary(operator.mul, index, base.step))
        if isinstance(base, Lit):
            if base.value is np.r_ or base.value is np.c_:
                return self.joined_by_index(base.value is np.c_, index)
            return self.from_python(base.value[self.demand(index, "an index into a constant")])
        live = getattr(base, "python_value", None)
        if live is not None:
            return self.load_live_item(base, index)
        return self.emit(operator.getitem, base, index)

    def joined_by_index(self, columns: bool, index: Any) -> Any:
        """``np.r_[a, 0, b]`` and ``np.c_[a, b]``."""
        parts = []
        for part in index.items if isinstance(index, Tup) else (index,):
            if isinstance(part, slice):
                bounds = [self.demand(p, "a bound in np.r_") for p in (part.start, part.stop, part.step)]
                part = self.emit(
                    np.arange, Lit(bounds[0] or 0), Lit(bounds[1]), Lit(1 if bounds[2] is None else bounds[2])
                )
            elif isinstance(part, Lit) and isinstance(part.value, str):
                raise self.unsupported("a directive in np.r_", "it is not followed", "use np.concatenate")
            elif not isinstance(part, Arr):
                part = self.emit(np.array, Lst((part,)) if not isinstance(part, (Lst, Tup)) else part)
            if columns and self.known_rank(self.read(part)) == 1:
                part = self.emit(np.expand_dims, part, Lit(1))
            parts.append(part)
        return self.emit(np.concatenate, Tup(tuple(parts)), axis=Lit(-1 if columns else 0))

    def load_array_item(self, base: Arr, index: Any) -> Any:
        position = self.index_arg(index)
        value = self.read(base)
        try:
            type = index_type(value, position)
        except InferenceError as problem:
            raise self.unsupported(
                "this index", str(problem), "check it against the array's dimensions"
            ) from None
        if type is None:
            found = self.emit(operator.getitem, base, position)
            return found if is_advanced(position) else self.uncertain(base, found)
        return self.window(
            base,
            lambda v: self.builder.opaque(operator.getitem, (v, position), type),
            lambda v, new: self.builder.opaque(helpers.setitem, (v, position, new), v.type),
            position,
            type,
        )

    def window(self, base: Any, get: Any, put: Any, index: Arg | None, type: Any) -> Any:
        """A view of ``base``, or the number that stands there."""
        parent = self.read(base) if isinstance(base, Arr) else self.state.get(base)
        var = get(parent)
        if not isinstance(type, Array):
            return var
        if put is not None:
            inner = put

            def put(before: Any, new: Any) -> Any:
                after = inner(before, new)
                after.hint = after.hint or before.hint
                return after

        view = Arr(None, View(base, get, put, index), base.foreign if isinstance(base, Arr) else None)
        self.state.set(view, (parent, var))
        return view

    def index_arg(self, index: Any) -> Arg:
        """An index as an argument; a known int array of one element stays an array."""
        if isinstance(index, Tup):
            return Seq(tuple(self.index_arg(i) for i in index.items), tuple)
        if isinstance(index, (Range, Iterable)):
            return Seq(tuple(self.arg(i) for i in self.items_of(index)), list)
        arg = self.arg(index)
        if any(len(set(map(kind_of, alternatives(v.type)))) > 1 for v in variables(arg)):
            raise self.unsupported(
                "an index that is a bool on one path and an int on another, or a float",
                "they choose other elements",
                "convert it: `int(i)`",
            )
        return arg

    def load_sequence_item(self, base: Any, index: Any) -> Any:
        content = base.items if isinstance(base, Tup) else self.state.get(base)
        if isinstance(content, Var):
            return self.load_list_item(base, content, index)
        position = self.static_value(index)
        if isinstance(position, (int, np.integer, slice)):
            try:
                found = content[position]
            except IndexError:
                kind = "tuple" if isinstance(base, Tup) else "list"
                raise self.unsupported(
                    "this index",
                    f"the sequence has {len(content)} items",
                    "check it",
                    exception=IndexError(f"{kind} index out of range"),
                ) from None
            return (
                found
                if not isinstance(position, slice)
                else Tup(found)
                if isinstance(base, Tup)
                else Lst(found)
            )
        if isinstance(index, slice):
            self.demand(index, "a slice of a static sequence")
        if len(content) and all(
            isinstance(v, (Var, Lit)) and kind_of(type_of_arg(v)) != "other" for v in content
        ):
            return self.builder.opaque(
                containers.list_get,
                (self.dynamic_list(tuple(content)), self.arg(index)),
                element_of(self.dynamic_list(tuple(content)).type),
            )
        self.demand(index, "an index into a tuple or list of unlike things")
        raise AssertionError

    def load_list_item(self, base: Any, content: Var, index: Any) -> Any:
        assert isinstance(content.type, ListOf)
        if isinstance(index, slice):
            bounds = [self.arg(part) for part in (index.start, index.stop, index.step)]
            part = self.builder.opaque(containers.list_slice, (content, *bounds), content.type)
            return self.same_elements(base, part)
        position = self.arg(index)
        element = element_of(content.type)
        if not isinstance(element, Array):
            item = self.builder.opaque(containers.list_get, (content, position), element)
            return self.element_value(base, item)
        return self.window(
            base,
            lambda v: self.builder.opaque(containers.list_get, (v, position), element_of(v.type)),
            lambda v, new: self.builder.opaque(containers.list_set, (v, position, new), v.type),
            None,
            element,
        )

    # ----- writing items
    def store_item(self, base: Any, index: Any, value: Any) -> None:
        if isinstance(base, Arr):
            self.store_array_item(base, index, value)
        elif isinstance(base, Lst):
            self.store_list_item(base, index, value)
        elif isinstance(base, Dct):
            self.set_dict(base, {**self.state.get(base), self.demand(index, "a dict key"): value})
        elif isinstance(base, Flat):
            array = base.array
            before = self.read(array)
            flat = self.builder.op(np.ravel, before)
            after = self.builder.opaque(
                helpers.setitem, (flat, self.index_arg(index), self.arg(value)), flat.type
            )
            self.write(
                array,
                self.builder.opaque(np.reshape, (after, self.builder.op(np.shape, before)), before.type),
            )
        elif isinstance(base, Obj):
            self.call(self.load_attribute(base, "__setitem__"), [index, value], {})
        else:
            raise self.unsupported(
                "an item assignment",
                "the object is no array, list or dict of the function",
                "copy it into a local one first",
            )

    def store_array_item(self, base: Arr, index: Any, value: Any) -> None:
        position = self.index_arg(index)
        if (
            base.view is not None
            and base.view.index is not None
            and all(map(is_int, parts_of(base.view.index)))
            and not base.foreign
            and isinstance(base.view.parent, Arr)
        ):
            joined = Seq((*parts_of(base.view.index), *parts_of(position)), tuple)
            self.store_array_item(base.view.parent, joined, value)
            return
        before = self.read(base)
        new = self.arg(value)
        kinds = kind_of(before.type), kind_of(type_of_arg(new))
        if kinds[1] == "complex" and kinds[0] != "complex":
            raise self.unsupported(
                "a complex value stored in a real array",
                "NumPy drops the imaginary part",
                "store .real, or make the array complex",
            )
        if kinds[0] == "other":
            raise self.unsupported(
                f"a store into an array of {before.type}", "it holds no numbers", "use a numeric dtype"
            )
        after = self.builder.opaque(helpers.setitem, (before, position, new), before.type)
        after.hint = before.hint
        self.write(base, after)

    def store_list_item(self, base: Lst, index: Any, value: Any) -> None:
        content = self.state.get(base)
        position = self.static_value(index)
        if isinstance(content, tuple) and isinstance(position, (int, np.integer, slice)):
            items = list(content)
            items[position] = self.items_of(value) if isinstance(position, slice) else value
            self.set_list(base, tuple(items), "other" if isinstance(position, slice) else "set")
            return
        content = self.own_elements(base)
        if isinstance(index, slice):
            raise self.unsupported(
                "assignment to a slice of a list", "its length is known at run time only", "use an array"
            )
        new = self.element(base, value)
        type = self.joined_lists(content.type, list_of(type_of_arg(new)))
        after = self.builder.opaque(containers.list_set, (content, self.arg(index), new), type)
        after.hint = content.hint
        self.set_list(base, after, "set")

    def delete_item(self, base: Any, index: Any) -> None:
        key = self.demand(index, "an index")
        content = self.state.get(base) if isinstance(base, (Dct, Lst)) else None
        if isinstance(content, dict):
            self.set_dict(base, {k: v for k, v in content.items() if k != key})
        elif isinstance(content, tuple):
            items = list(content)
            del items[key]
            self.set_list(base, tuple(items))
        else:
            raise self.unsupported(
                "`del` of an item", "the compiler does not follow it here", "rebuild the container"
            )

    def element(self, base: Lst, value: Any) -> Arg:
        """A value that becomes an element of a run-time list, as an argument."""
        self.hold_element(self.pools_of(base), value)
        content = self.state.get(value) if isinstance(value, Lst) else None
        return self.own_elements(value) if isinstance(content, tuple) else self.arg(value)
