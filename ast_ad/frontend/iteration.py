"""What does a loop run over: how many items, and which is the i-th?"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..ir.ops import Block, If, Lit
from .core import NOT_STATIC, Core
from .values import Iterable, Lst, Range, Tup

# A rule's loops run over a handful of parts (the items of a list); written out, they vanish into assignments.
# A user's loop is never unrolled: the program would be another one than he wrote.
UNROLLED = 16


class Iteration(Core):
    # ----- what a loop runs over
    def iteration(self, source: Any) -> Any:
        """A list of items, or (count, start, stop, step, get): ``get(index)`` for the indices of a range."""
        if isinstance(source, Range):
            parts = [self.static_value(p) for p in (source.start, source.stop, source.step)]
            if all(isinstance(p, int) for p in parts):
                if self.inputs is None and len(range(*parts)) <= UNROLLED:
                    return [Lit(i) for i in range(*parts)]
                return Lit(len(range(*parts))), source.start, source.stop, source.step, IDENTITY
            return self.range_length(source), source.start, source.stop, source.step, IDENTITY
        source = self.consumed(source)
        items = self.static_items(source)
        if items is not None:
            return items
        count, get = self.indexable(source)
        return count, Lit(0), count, Lit(1), get

    def range_length(self, source: Range) -> Any:
        step = self.static_value(source.step)
        if self.static_value(source.start) == 0 and step == 1:
            return source.stop
        span = self.emit(operator.sub, source.stop, source.start)
        if step == 1:
            return span
        if step is NOT_STATIC:
            self.require_step(source.step)
        return self.emit(
            operator.neg, self.emit(operator.floordiv, self.emit(operator.neg, span), source.step)
        )

    def require_step(self, step: Any) -> None:
        """Raise what ``range`` raises of a step of zero."""
        with self.builder.nested(Block()) as zero:
            self.emit_raise(ValueError("range() arg 3 must not be zero"))
        none = self.arg(self.emit(operator.eq, step, Lit(0)))
        self.builder.append(If(none, zero, Block(), (), self.builder.span, self.builder.adjoint))

    def indexable(self, source: Any) -> tuple[Any, Callable[[Any], Any]]:
        """The number of items at run time, and how to get one by its position."""
        if isinstance(source, Iterable):
            find = getattr(self, "indexable_" + source.kind, None)
            if find is None:
                raise self.unsupported(
                    f"`{source.kind}` over what is as long as the call decides",
                    "how many items there are is known only when they have been looked at",
                    "write a loop with an `if`",
                )
            return find(source)
        if isinstance(source, Range):
            return self.range_length(source), lambda i: self.emit(
                operator.add, source.start, self.emit(operator.mul, i, source.step)
            )
        return self.length(source), lambda i: self.load_item(source, i)

    def indexable_zip(self, source: Iterable) -> Any:
        parts = [self.indexable(self.as_indexable(s)) for s in source.sources]
        counts: list[Any] = []
        for count, _ in parts:
            if not any(self.same_length(count, c) for c in counts):
                counts.append(count)
        count = counts[0] if len(counts) == 1 else self.emit(min, *counts)
        return count, lambda i: Tup(tuple(get(i) for _, get in parts))

    def same_length(self, a: Any, b: Any) -> bool:
        from .dummies import int_size

        return bool(int_size(self.arg(a)) == int_size(self.arg(b)))

    def as_indexable(self, source: Any) -> Any:
        """Static sequences beside run-time ones are read by run-time position."""
        items = self.static_items(source)
        if items is None or not items:
            return source
        together = Lst(tuple(items))
        return Lst(self.own_elements(together), pools=together.pools)

    def indexable_enumerate(self, source: Iterable) -> Any:
        count, get = self.indexable(source.sources[0])
        return count, lambda i: Tup((self.binary(operator.add, i, source.start), get(i)))

    def indexable_reversed(self, source: Iterable) -> Any:
        count, get = self.indexable(source.sources[0])
        last = self.binary(operator.sub, count, Lit(1))
        return count, lambda i: get(self.binary(operator.sub, last, i))

    def indexable_map(self, source: Iterable) -> Any:
        function, *rest = source.sources
        parts = [self.indexable(s) for s in rest]
        count = parts[0][0] if len(parts) == 1 else self.emit(min, *(c for c, _ in parts))
        return count, lambda i: self.call(function, [get(i) for _, get in parts], {})

    def indexable_ndindex(self, source: Iterable) -> Any:
        total: Any = Lit(1)
        for dim in source.sources:
            total = self.binary(operator.mul, total, dim)

        def get(i: Any) -> Tup:
            parts = []
            for dim in reversed(source.sources):
                parts.append(self.binary(operator.mod, i, dim))
                i = self.binary(operator.floordiv, i, dim)
            return Tup(tuple(reversed(parts)))

        return total, get


def IDENTITY(index: Any) -> Any:
    """The items of a range are its indices."""
    return index
