"""Subscripts, views and array methods: which memory is read, and what else a write changes."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.ops import Arg, Lit, Seq, Var
from ..ir.types import Array, ListOf, Scalar, kind_of
from ..rules import containers, helpers
from ..rules.registry import lookup
from .builder import type_of_arg
from .core import Core
from .dummies import InferenceError
from .indexing import index_type
from .probing import may_share
from .values import Arr, Dct, Flat, Iterable, Lst, Obj, Range, Tup, Unbound, View

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


class Arrays(Core):
    # ----- reading items
    def load_item(self, base: Any, index: Any) -> Any:
        if isinstance(base, Arr):
            return self.load_array_item(base, index)
        if isinstance(base, (Tup, Lst)):
            return self.load_sequence_item(base, index)
        if isinstance(base, Dct):
            key = self.demand(index, "a dict key")
            content = self.state.get(base)
            if key in content:
                return content[key]
            raise self.unsupported(f"key {key!r}", "the dict has no such key", "check the key", KeyError)
        if isinstance(base, Flat):
            return self.load_array_item(self.wrap(self.builder.op(np.ravel, self.read(base.array))), index)
        if isinstance(base, Obj):
            return self.call(self.load_attribute(base, "__getitem__"), [index], {})
        if isinstance(base, Range):
            return self.binary(operator.add, base.start, self.binary(operator.mul, index, base.step))
        if isinstance(base, Lit):
            if base.value is np.r_ or base.value is np.c_:
                return self.joined_by_index(base.value is np.c_, index)
            return self.from_python(base.value[self.demand(index, "an index into a constant")])
        live = getattr(base, "python_value", None)
        if live is not None:
            return self.load_live_item(base, index)
        if isinstance(base, Unbound):
            self.arg(base)
        return self.emit(operator.getitem, base, index)

    def joined_by_index(self, columns: bool, index: Any) -> Any:
        """``np.r_[a, 0, b]`` and ``np.c_[a, b]``."""
        parts = []
        for part in index.items if isinstance(index, Tup) else (index,):
            if isinstance(part, slice):
                bounds = [self.demand(p, "a bound in np.r_") for p in (part.start, part.stop, part.step)]
                part = self.emit(np.arange, Lit(bounds[0] or 0), Lit(bounds[1]), Lit(1 if bounds[2] is None else bounds[2]))
            elif isinstance(part, Lit) and isinstance(part.value, str):
                raise self.unsupported("a directive in np.r_", "it is not followed", "use np.concatenate")
            elif not isinstance(part, Arr):
                part = self.emit(np.array, Lst((part,)) if not isinstance(part, (Lst, Tup)) else part)
            if columns and self.read(part).type.ndim == 1:
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
            return self.emit(operator.getitem, base, position)  # advanced: a copy
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
        return self.arg(index)

    def load_sequence_item(self, base: Any, index: Any) -> Any:
        content = base.items if isinstance(base, Tup) else self.state.get(base)
        if isinstance(content, Var):
            return self.load_list_item(base, content, index)
        position = self.static_value(index)
        if isinstance(position, (int, np.integer, slice)):
            try:
                found = content[position]
            except IndexError:
                raise self.unsupported(
                    "this index", f"the sequence has {len(content)} items", "check it", IndexError
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
                self.dynamic_list(tuple(content)).type.element,
            )  # type: ignore[union-attr]
        self.demand(index, "an index into a tuple or list of unlike things")
        raise AssertionError

    def load_list_item(self, base: Any, content: Var, index: Any) -> Any:
        assert isinstance(content.type, ListOf)
        if isinstance(index, slice):
            return Lst(self.builder.opaque(operator.getitem, (content, self.arg(index)), content.type))
        position = self.arg(index)
        element = content.type.element
        if not isinstance(element, Array):
            return self.wrap_var(self.builder.opaque(containers.list_get, (content, position), element))
        return self.window(
            base,
            lambda v: self.builder.opaque(containers.list_get, (v, position), v.type.element),
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
            self.state.set(base, {**self.state.get(base), self.demand(index, "a dict key"): value})
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
            self.state.set(base, tuple(items))
            return
        if isinstance(content, tuple):
            content = self.dynamic_list(content)
        if isinstance(index, slice):
            raise self.unsupported(
                "assignment to a slice of a list", "its length is known at run time only", "use an array"
            )
        self.escape(value)
        self.state.set(
            base,
            self.builder.opaque(
                containers.list_set, (content, self.arg(index), self.arg(value)), content.type
            ),
        )

    def delete_item(self, base: Any, index: Any) -> None:
        key = self.demand(index, "an index")
        content = self.state.get(base) if isinstance(base, (Dct, Lst)) else None
        if isinstance(content, dict):
            self.state.set(base, {k: v for k, v in content.items() if k != key})
        elif isinstance(content, tuple):
            items = list(content)
            del items[key]
            self.state.set(base, tuple(items))
        else:
            raise self.unsupported(
                "`del` of an item", "the compiler does not follow it here", "rebuild the container"
            )

    def escape(self, value: Any) -> None:
        """An array that goes into a run-time list must not be written afterwards: the list holds the same one."""
        if isinstance(value, Arr):
            arr: Any = value
            while isinstance(arr, Arr):
                arr.foreign = arr.foreign or "an array that is also an element of a list"
                arr = arr.view.parent if arr.view is not None else None

    # ----- lists
    def list_append(self, base: Lst, value: Any) -> None:
        content = self.state.get(base)
        if isinstance(content, tuple):
            self.state.set(base, (*content, value))
            return
        self.escape(value)
        if isinstance(value, Lst) and isinstance(self.state.get(value), tuple):
            arg: Arg = self.dynamic_list(self.state.get(value))
        else:
            arg = self.arg(value)
        from .merge import join_lists

        type = join_lists(content.type, ListOf(type_of_arg(arg)))
        after = self.builder.opaque(containers.list_append, (content, arg), type)
        after.hint = content.hint
        self.state.set(base, after)

    def list_extend(self, base: Lst, other: Any) -> None:
        other = self.consumed(other)
        content = self.state.get(base)
        source = self.state.get(other) if isinstance(other, Lst) else None
        if (
            isinstance(content, tuple)
            and not isinstance(source, Var)
            and self.static_items(other) is not None
        ):
            self.state.set(base, (*content, *self.items_of(other)))
            return
        if isinstance(source, Var) or isinstance(source, tuple):
            from .merge import join_lists

            left = content if isinstance(content, Var) else self.dynamic_list(content)
            right = source if isinstance(source, Var) else self.dynamic_list(source)
            self.state.set(
                base,
                self.builder.opaque(containers.list_concat, (left, right), join_lists(left.type, right.type)),
            )
            return
        self.run_for(other, lambda item: self.list_append(base, item), set())

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
            return self.range_length(value)
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
            TypeError if isinstance(self.arg(value).type, Scalar) else None,
        )  # type: ignore[union-attr]

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
            return self.static_items(self.comprehend(value.node, value.frame), short)
        if isinstance(value, Tup):
            return list(value.items)
        if isinstance(value, Lst):
            content = self.state.get(value)
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
        return self.builder.op(np.ravel, self.read(value.array))  # type: ignore[no-any-return]

    # ----- which results are windows on their argument
    def mark_view(self, fn: Any, args: list[Any], kwargs: dict[str, Any], result: Any) -> Any:
        """Where the result may share memory with the first argument, remember it."""
        primitive = lookup(fn)
        base = args[0] if args else next(iter(kwargs.values()), None)
        if (
            primitive is None
            or not primitive.view
            or not isinstance(base, Arr)
            or not isinstance(result, (Arr, Tup, Lst))
        ):
            return result
        if not may_share(fn, tuple(map(self.arg, args)), {k: self.arg(v) for k, v in kwargs.items()}):
            return result
        if isinstance(result, Lst) and isinstance(self.state.get(result), Var):
            return result  # its length is known at run time only; writes to elements of such lists are refused
        if isinstance(result, (Tup, Lst)):
            content = result.items if isinstance(result, Tup) else self.state.get(result)
            if isinstance(content, Var):  # a list of run-time length
                if self.inputs is None:
                    return result  # rules write to nothing
                raise self.unsupported(
                    "windows on an array, in a number known at run time only",
                    "writes to them could not be followed",
                    "give the number as a constant, or index the array",
                )
            items = tuple(self.uncertain(base, r) for r in content)
            return Tup(items, result.cls) if isinstance(result, Tup) else Lst(items)
        if fn in ALIASES_INPUT and self.read(base).type == result.initial.type:  # type: ignore[union-attr]
            return base
        put = self.lens(fn, args, kwargs, result.initial.type)  # type: ignore[union-attr]
        view = Arr(
            None,
            View(
                base,
                lambda v: self.builder.op(
                    fn, v, *map(self.arg, args[1:]), **{k: self.arg(x) for k, x in kwargs.items()}
                ),
                put,
            ),
            base.foreign,
        )
        self.state.set(view, (self.read(base), result.initial))
        return view

    def uncertain(self, base: Arr, result: Any) -> Any:
        if not isinstance(result, Arr):
            return result
        view = Arr(None, View(base, lambda v: None, None), base.foreign)
        self.state.set(view, (self.read(base), result.initial))
        return view

    def lens(self, fn: Any, args: list[Any], kwargs: dict[str, Any], type: Any) -> Any:
        """How a write through the view changes its base; None where NumPy may have made a copy."""
        base_type = self.read(args[0]).type
        reshaping = fn in (np.reshape, np.ravel) and self.is_contiguous(args[0])
        if reshaping or fn in (np.squeeze, np.expand_dims):
            return lambda v, new: self.builder.opaque(
                np.reshape, (new, self.builder.opaque(np.shape, (v,), shape_type(base_type))), v.type
            )
        if fn in (np.transpose, np.permute_dims):
            axes = self.static_value(args[1] if len(args) > 1 else kwargs.get("axes", Lit(None)))
            if axes is None:
                return lambda v, new: self.builder.opaque(np.transpose, (new,), v.type)
            if isinstance(axes, (tuple, list)):
                inverse = Seq(tuple(Lit(int(i)) for i in np.argsort(axes)), tuple)
                return lambda v, new: self.builder.opaque(np.transpose, (new, inverse), v.type)
        if fn is np.swapaxes:
            rest = tuple(map(self.arg, args[1:]))
            return lambda v, new: self.builder.opaque(np.swapaxes, (new, *rest), v.type)
        if fn is np.moveaxis:
            source, target = map(self.arg, args[1:])
            return lambda v, new: self.builder.opaque(np.moveaxis, (new, target, source), v.type)
        if fn in (np.real, np.imag) and kind_of(base_type) == "complex":
            other = np.imag if fn is np.real else np.real

            def put(v: Any, new: Any) -> Any:
                kept = self.builder.op(other, v)
                real, imag = (new, kept) if fn is np.real else (kept, new)
                return self.builder.op(operator.add, real, self.builder.op(operator.mul, imag, Lit(1j)))

            return put
        return None

    def is_contiguous(self, arr: Arr) -> bool:
        """Whether the array is certainly C-contiguous."""
        if arr.view is not None:
            parent = arr.view.parent
            index = arr.view.index
            return (
                isinstance(parent, Arr)
                and index is not None
                and self.is_contiguous(parent)
                and (all(map(is_int, parts_of(index))))
            )
        return arr.argument is None and self.built_contiguous(arr.initial)

    def built_contiguous(self, var: Any) -> bool:
        """Whether the operation that made a value allocates a C-ordered array."""
        if not isinstance(var.type, Array) or var.type.shape is None:
            return False
        if len(var.type.shape) <= 1:
            return var.id not in self.strided
        return var.id in self.c_ordered

    @property
    def c_ordered(self) -> set[int]:
        found: set[int] = set()
        from ..ir.ops import Op

        for op in self.builder.block.ops:
            if isinstance(op, Op) and op.outs and op.fn in C_ORDERED:
                found.add(op.outs[0].id)
            elif (
                isinstance(op, Op)
                and op.outs
                and op.fn is helpers.setitem
                and any(isinstance(a, Var) and a.id in found for a in op.args[:1])
            ):
                found.add(op.outs[0].id)
        return found

    strided: frozenset[int] = frozenset()


C_ORDERED = {
    np.zeros,
    np.ones,
    np.empty,
    np.full,
    np.arange,
    np.linspace,
    np.outer,
    np.array,
    np.concatenate,
    np.stack,
    np.vstack,
    np.eye,
    np.identity,
    np.copy,
    np.matmul,
    operator.matmul,
    np.dot,
    containers.array_from_list,
}


def parts_of(index: Arg) -> tuple[Arg, ...]:
    return index.items if isinstance(index, Seq) and index.kind is tuple else (index,)


def is_int(part: Arg) -> bool:
    if isinstance(part, Lit):
        return isinstance(part.value, (int, np.integer)) and not isinstance(part.value, bool)
    return isinstance(part, Var) and isinstance(part.type, Scalar) and part.type.kind == "int"


def shape_type(type: Any) -> Any:
    from ..ir.types import TupleOf

    return TupleOf(tuple(Scalar("int", None, d) for d in type.shape))
