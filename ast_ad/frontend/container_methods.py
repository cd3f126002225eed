"""What do the methods of lists, tuples and dicts do to a container?"""

from __future__ import annotations

from typing import Any

from ..ir.ops import Lit, Op, Var
from ..ir.types import ListOf, Type, element_of, list_of
from ..rules import containers
from .boundness import Raised
from .builder import type_of_arg
from .core import Core
from .joins import ShapeChange, join_lists
from .values import (
    Dct,
    Lst,
    Tup,
)


class ContainerMethods(Core):
    def joined_lists(self, a: Type, b: Type) -> Type:
        """The type of a list that holds the elements of two, or gets one of another type."""
        try:
            return join_lists(a, b)
        except ShapeChange as change:
            raise self.unsupported(
                "a list with unlike elements, whose length is known at run time only",
                str(change).replace("it is", "an element is").replace("on one path and", "and another one"),
                "give all elements one type",
            ) from None

    def list_append(self, base: Lst, value: Any) -> None:
        content = self.state.get(base)
        if isinstance(content, tuple):
            self.set_list(base, (*content, value), "append")
            return
        arg = self.element(base, value)
        type = self.joined_lists(content.type, list_of(type_of_arg(arg)))
        after = self.builder.opaque(containers.list_append, (content, arg), type)
        after.hint = content.hint
        self.set_list(base, after, "append")

    def list_extend(self, base: Lst, other: Any) -> None:
        other = self.consumed(other)
        content = self.state.get(base)
        source = self.state.get(other) if isinstance(other, Lst) else None
        if (
            isinstance(content, tuple)
            and not isinstance(source, Var)
            and self.static_items(other) is not None
        ):
            self.set_list(base, (*content, *self.items_of(other)))
            return
        if isinstance(source, Var) or isinstance(source, tuple):
            left, right = self.own_elements(base), self.own_elements(other)
            type = self.joined_lists(left.type, right.type)
            base.pools |= self.same_elements(other, right).pools
            self.set_list(base, self.builder.opaque(containers.list_concat, (left, right), type))
            return
        self.run_for(other, lambda item: self.list_append(base, item), set())

    # ----- methods of lists, tuples and dicts
    def list_insert(self, base: Lst, index: Any, value: Any) -> Any:
        items = list(self.static_content(base, "insert"))
        items.insert(self.demand(index, "a position"), value)
        self.set_list(base, tuple(items))
        return Lit(None)

    def list_pop(self, base: Lst, index: Any = None) -> Any:
        content = self.state.get(base)
        if isinstance(content, Var):
            assert isinstance(content.type, ListOf)
            if index is not None and self.static_value(index) != -1:
                raise self.unsupported(
                    ".pop(i)", "the list's length is known at run time only", "pop the last item"
                )
            rest, last = Var(content.type, content.hint), Var(element_of(content.type))
            self.builder.append(Op(containers.list_pop, (content,), (rest, last), {}, self.builder.span))
            self.set_list(base, rest)
            return self.popped(base, last)
        items = list(content)
        try:
            found = items.pop(-1 if index is None else self.demand(index, "a position"))
        except IndexError as error:
            self.emit_raise(error)
            raise Raised from None
        self.set_list(base, tuple(items))
        return found

    def list_copy(self, base: Any) -> Any:
        return self.same_elements(base, self.state.get(base))

    def list_reverse(self, base: Lst) -> Any:
        self.set_list(base, self.static_content(base, "reverse")[::-1])
        return Lit(None)

    def list_clear(self, base: Lst) -> Any:
        self.set_list(base, ())
        return Lit(None)

    def list_sort(self, base: Lst, **kwargs: Any) -> Any:
        self.set_list(base, self.state.get(self.b_sorted(base, **kwargs)))
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
        return content

    def dict_get(self, base: Dct, key: Any, default: Any = Lit(None)) -> Any:
        return self.state.get(base).get(self.demand(key, "a dict key"), default)

    def dict_items(self, base: Dct) -> Any:
        items = [Tup((self.from_python(k), v)) for k, v in self.state.get(base).items()]
        return self.view_of(base, "items", items)

    def dict_keys(self, base: Dct) -> Any:
        return self.view_of(base, "keys", [self.from_python(k) for k in self.state.get(base)])

    def dict_values(self, base: Dct) -> Any:
        return self.view_of(base, "values", self.state.get(base).values())

    def dict_copy(self, base: Dct) -> Any:
        return Dct(dict(self.state.get(base)), base.cls)

    def dict_update(self, base: Dct, other: Any = None, **kwargs: Any) -> Any:
        extra = self.state.get(self.b_dict(other)) if other is not None else {}
        self.set_dict(base, {**self.state.get(base), **extra, **kwargs})
        return Lit(None)

    def dict_setdefault(self, base: Dct, key: Any, default: Any = Lit(None)) -> Any:
        name = self.demand(key, "a dict key")
        if name not in self.state.get(base):
            self.set_dict(base, {**self.state.get(base), name: default})
        return self.state.get(base)[name]

    def dict_pop(self, base: Dct, key: Any, *default: Any) -> Any:
        content = dict(self.state.get(base))
        name = self.demand(key, "a dict key")
        if name not in content and default:
            return default[0]
        found = content.pop(name)
        self.set_dict(base, content)
        return found
