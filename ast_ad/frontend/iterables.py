"""What do ``range``, ``zip``, ``map``, ``sum``, ``sorted`` and their like make of an iterable?"""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.ops import Lit, Var
from ..ir.types import Array, ListOf, Scalar, TupleOf, element_of
from ..rules import containers
from .builder import type_of_arg
from .core import Core
from .identities import is_iterator
from .liveness import targets
from .values import Arr, Bound, Closure, Comprehension, Dct, Iterable, Lst, Range, Tup


class Iterables(Core):
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
        items = tuple(map(self.consumed, sources))
        if strict is not None and self.demand(strict, "`strict`") and not self.within_rules():
            counts = [self.length(item) for item in items]
            if not all(self.same_length(counts[0], count) for count in counts[1:]):
                raise self.unsupported(
                    "zip(strict=True)", "the lengths are not known to be equal", "check them before"
                )
        return Iterable("zip", items)

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
        """Generator expressions, and iterators over lists, become lists where they are used."""
        if is_iterator(source):
            return self.used_up(source)
        return self.generated(source) if isinstance(source, Comprehension) else source

    def generated(self, source: Comprehension) -> Lst:
        """All items of a generator expression."""
        return self.comprehend(source.node, source.frame, source.first)

    def b_len(self, value: Any) -> Any:
        return self.length(value)

    def b_list(self, source: Any = None) -> Any:
        return self.to_list(source)

    def to_list(self, source: Any) -> Lst:
        if source is None:
            return Lst(())
        source = self.consumed(source)
        if isinstance(source, Lst):
            return self.same_elements(source, self.state.get(source))
        items = self.static_items(source)
        if items is not None:
            return Lst(tuple(items))
        result = self.placed(Lst(()))
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

    def accumulate(
        self, source: Any, start: Any, step: Callable[[Any, Any], Any], decided: bool | None = None
    ) -> Any:
        """Fold an iterable: ``total = step(total, item)``; once the total is ``decided``, no item is made."""
        source = self.consumed_lazily(source)
        frame = self.frame
        around = sum(str(key).startswith("$total") for key in self.state.get(frame))  # folds around this one
        name = f"$total{around + 1}" if around else "$total"
        self.state.set_name(frame, name, start)
        if decided is not None and isinstance(source, Comprehension) and is_eventful(source.node):
            source = Comprehension(asking_first(source.node, name, decided), source.frame, source.first)

        def body(item: Any) -> None:
            total = step(self.state.get_name(frame, name), item)  # may replace the store
            self.state.set_name(frame, name, total)

        if isinstance(source, Comprehension):
            self.run_generator(source, body)
        else:
            self.run_for(source, body, {name})
        total = self.state.get_name(frame, name)
        var = total.initial if isinstance(total, Arr) else total
        if isinstance(var, Var) and var.hint in (name, name[1:]):
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

        self.frame = self.inner_frame(source.frame, targets(source.node))
        try:
            self.run_generators(source.node, list(source.node.generators), emit, source.first)
        finally:
            self.frame = outer

    def inner_frame(self, enclosing: Any, names: frozenset[str]) -> Any:
        from .values import Frame

        return Frame(
            enclosing.source,
            enclosing.globals,
            enclosing,
            {},
            set(),
            enclosing.path,
            locals=names,
            comprehension=True,
            depth=enclosing.depth,
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

    def b_fsum(self, seq: Any) -> Any:
        """``math.fsum`` rounds once: it is no sum of sums."""
        source = self.consumed(seq)
        return self.emit(math.fsum, source if isinstance(source, Arr) else self.to_list(source))

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
                found = self.emit(fn, source if isinstance(source, (Arr, Lst)) else self.to_list(source))
                return found if isinstance(found, Var) else self.one_of_them(fn)
            args = tuple(items)
        if all(self.is_static(a) for a in args):
            return self.fold(fn, [self.static_value(a) for a in args])
        if any(isinstance(a, (Arr, Lst, Dct)) for a in args) and len(args) > 1:
            self.one_of_them(fn)
        return args[0] if len(args) == 1 else self.emit(fn, *args)

    def one_of_them(self, fn: Any) -> Any:
        raise self.unsupported(
            f"{fn.__name__}() of arrays or lists",
            "it returns one of them, and which is known at run time only",
            "use np.maximum or np.minimum",
        )

    def b_any(self, source: Any) -> Any:
        return self.quantify(source, operator.or_, False)

    def b_all(self, source: Any) -> Any:
        return self.quantify(source, operator.and_, True)

    def quantify(self, source: Any, combine: Any, start: bool) -> Any:
        if isinstance(source, Arr):
            if self.known_rank(self.read(source)) != 1:
                raise self.unsupported("any() or all() of rows", "rows are not true or false", "use .any()")
            return self.python_bool(self.emit(np.any if combine is operator.or_ else np.all, source))

        def step(total: Any, item: Any) -> Any:
            test = self.truth(item)
            if isinstance(test, Lit):
                return total if test.value == start else test
            return (
                test if isinstance(total, Lit) and total.value == start else self.emit(combine, total, test)
            )

        return self.python_bool(self.accumulate(source, Lit(start), step, decided=not start))

    def b_sorted(self, source: Any, key: Any = Lit(None), reverse: Any = Lit(False)) -> Any:
        items = self.items_of(self.consumed(source))
        by_itself = self.static_value(key) is None
        keys = Lst(tuple(items if by_itself else [self.call(key, [item], {}) for item in items]))
        if self.is_static(keys) and self.is_static(reverse):
            static = containers.list_order(self.static_value(keys), self.static_value(reverse))
            return Lst(tuple(items[i] for i in static))
        if not all(isinstance(type_of_arg(self.arg(item)), Scalar) for item in items):
            raise self.unsupported(
                "sorted() of what are no numbers", "their order is not followed", "use np.sort"
            )
        values = self.dynamic_list(items)
        of_keys = values if by_itself else self.arg(keys), self.arg(reverse)
        order = self.builder.opaque(containers.list_order, of_keys, ListOf(Scalar("int")))
        type = TupleOf((element_of(values.type),) * len(items))
        ordered = self.wrap_var(self.builder.opaque(containers.list_permuted, (values, order), type))
        return Lst(ordered.items)

    def b_reduce(self, function: Any, source: Any, initial: Any = None) -> Any:
        if initial is not None:
            return self.accumulate(source, initial, lambda a, b: self.call(function, [a, b], {}))
        items = self.items_of(source)
        total = items[0]
        for item in items[1:]:
            total = self.call(function, [total, item], {})
        return total

    def b_cached(self, *args: Any, **kwargs: Any) -> Any:
        """A function with a cache, or a decorator that gives it one."""
        given = args and self.is_function(args[0])
        return Bound(Lit(self.run_cached), args) if given else Bound(Lit(self.b_cached), ())

    def run_cached(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """A cache changes no value, but all calls return one object, which who changes it changes for all."""
        if any(isinstance(a, (Arr, Lst, Dct)) for a in (*args, *kwargs.values())):
            raise self.unsupported(
                "an array or list for a function with a cache", "it has no hash", "use a tuple"
            )
        return self.kept(self.call(function, list(args), kwargs))

    def kept(self, value: Any) -> Any:
        """What somebody else keeps, too."""
        if isinstance(value, Tup):
            return Tup(tuple(map(self.kept, value.items)), value.cls)
        if isinstance(value, Arr):
            return Arr(self.read(value), None, value.foreign or "the result of a function with a cache")
        if isinstance(value, (Var, Lit)):
            return value
        raise self.unsupported(
            "what a function with a cache returns", "each call returns the same object", "return a number"
        )

    def b_wraps(self, *args: Any, **kwargs: Any) -> Any:
        return Bound(Lit(self.itself), ())

    def itself(self, function: Any) -> Any:
        return function

    def is_function(self, value: Any) -> bool:
        return isinstance(value, (Closure, Bound)) or isinstance(value, Lit) and callable(value.value)

    def b_partial(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        return Bound(function, args, kwargs)

    def b_iter(self, source: Any) -> Any:
        if is_iterator(source):
            return source
        found = Lst(tuple(self.items_of(self.consumed(source))), shows=(None, "iterator"))
        if isinstance(source, Lst):
            source.alike.add(found)  # lost, once the list is changed
        return found

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
        self.set_list(iterator, content[1:])
        return content[0]


def is_eventful(node: Any) -> bool:
    """Whether the items of a generator expression may raise, or change something, as they are made."""
    first, *rest = node.generators
    parts = [node.elt, *first.ifs, *(part for g in rest for part in (g.iter, *g.ifs))]
    return any(type(n).__name__ in EVENTS for part in parts for n in ast.walk(part))


EVENTS = frozenset("Call Subscript NamedExpr Div FloorDiv Mod Pow".split())


def asking_first(node: Any, name: str, decided: bool) -> Any:
    """A generator expression that makes no items where the name's value is ``decided``."""
    value = ast.Name(name, ast.Load())
    test: Any = ast.UnaryOp(ast.Not(), value) if decided else value
    loops = [ast.comprehension(g.target, g.iter, [test, *g.ifs], 0) for g in node.generators]
    return ast.GeneratorExp(node.elt, loops)
