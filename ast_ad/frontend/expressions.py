"""What is the value of a name, a subscript, a display, a comprehension or a piece of text?"""

from __future__ import annotations

import builtins
import operator
import sys
from collections.abc import Callable
from typing import Any

from ..ir.ops import Lit
from ..ir.types import Opaque
from .core import Core
from .guards import Guard, Path
from .liveness import targets
from .values import (
    ArrayMethod,
    Bound,
    Closure,
    Comprehension,
    Dct,
    Frame,
    Iterable,
    Lst,
    Obj,
    Range,
    Tup,
    Unbound,
)

INLINED = sys.version_info >= (3, 12)
"""Whether Python runs comprehensions (but no generators) in the frame around them."""


class Expressions(Core):
    def eval(self, node: Any) -> Any:
        """The abstract value of an expression."""
        handler = getattr(self, "eval_" + type(node).__name__, None)
        outer = self.builder.span
        self.place(node)
        try:
            if handler is None:
                raise self.unsupported(
                    f"`{type(node).__name__}` expression", "the compiler does not follow it yet", "rewrite it"
                )
            return handler(node)
        finally:
            self.builder.span = outer

    def eval_Constant(self, node: Any) -> Any:
        return Lit(node.value)

    def eval_Name(self, node: Any) -> Any:
        return self.load_name(node.id)

    def load_name(self, name: str) -> Any:
        """A local, a variable of an enclosing function, a global, or a builtin."""
        frame: Frame | None = self.frame
        while frame is not None:
            value = self.state.get_name(frame, name)
            if value is None and name in frame.locals:
                value = Unbound(name)
            if value is not None:
                return self.read_once(self.read_name(value, frame, name), frame)
            if name in frame.cells:
                return self.outside(frame, "cell", name)
            frame = frame.enclosing
        if name in self.frame.globals:
            return self.outside(self.frame, "global", name)
        if hasattr(builtins, name):
            if self.inputs is not None:
                self.inputs.guards.add(Guard.missing(Path.of_global(self.frame.globals, name)))
            return Lit(getattr(builtins, name))
        raise self.unsupported(f"name `{name}`", "it is not defined", "define it")

    # ----- subscripts and attributes
    def eval_Subscript(self, node: Any) -> Any:
        return self.load_item(self.eval(node.value), self.eval(node.slice))

    def eval_Slice(self, node: Any) -> Any:
        return slice(
            *(Lit(None) if part is None else self.eval(part) for part in (node.lower, node.upper, node.step))
        )

    def eval_Attribute(self, node: Any) -> Any:
        return self.load_attribute(self.eval(node.value), self.mangled(node.attr))

    def mangled(self, name: str) -> str:
        """``__private`` names inside a class."""
        owner = getattr(self.frame.source, "class_name", None)
        return (
            f"_{owner.lstrip('_')}{name}"
            if owner and name.startswith("__") and not name.endswith("__")
            else name
        )

    # ----- displays
    def eval_Tuple(self, node: Any) -> Any:
        return Tup(tuple(self.eval_starred(node.elts)))

    def eval_List(self, node: Any) -> Any:
        return self.placed(Lst(tuple(self.eval_starred(node.elts))))

    def eval_Set(self, node: Any) -> Any:
        items = [self.demand(v, "an element of a set") for v in self.eval_starred(node.elts)]
        return Lit(set(items))

    def eval_starred(self, nodes: list[Any]) -> list[Any]:
        items: list[Any] = []
        for node in nodes:
            if type(node).__name__ == "Starred":
                items += self.items_of(self.eval(node.value))
            else:
                items.append(self.eval(node))
        return items

    def eval_Dict(self, node: Any) -> Any:
        content: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                content.update(self.state.get(self.eval(value)))
            else:
                content[self.demand(self.eval(key), "a dict key")] = self.eval(value)
        return Dct(content)

    def eval_NamedExpr(self, node: Any) -> Any:
        value = self.eval(node.value)
        outer = self.frame
        while self.frame.comprehension and self.frame.enclosing is not None:
            self.frame = self.frame.enclosing
        try:
            self.bind(node.target.id, value)
        finally:
            self.frame = outer
        return self.load_name(node.target.id)

    def eval_Lambda(self, node: Any) -> Any:
        return Closure(node, self.frame, self.closure_defaults(node.args))

    def eval_Starred(self, node: Any) -> Any:
        raise self.unsupported("`*` here", "the compiler does not follow it", "write the items out")

    # ----- comprehensions: nested loops over a list that grows
    def eval_ListComp(self, node: Any) -> Any:
        return self.comprehend(node, self.frame)

    def eval_GeneratorExp(self, node: Any) -> Any:
        return Comprehension(node, self.frame, self.eval(node.generators[0].iter))

    def eval_DictComp(self, node: Any) -> Any:
        pairs = self.items_of(self.comprehend(node, self.frame))
        return Dct({self.demand(p.items[0], "a dict key"): p.items[1] for p in pairs})

    def eval_SetComp(self, node: Any) -> Any:
        return Lit(
            {self.demand(v, "an element of a set") for v in self.items_of(self.comprehend(node, self.frame))}
        )

    def comprehend(self, node: Any, enclosing: Frame, first: Any = None) -> Lst:
        """Run a comprehension in a scope of its own; ``first``: what its outermost loop runs over."""
        outer = self.frame
        first = self.eval(node.generators[0].iter) if first is None else first  # around it, as Python does
        result = self.placed(Lst(()))
        self.frame = Frame(
            enclosing.source,
            enclosing.globals,
            enclosing,
            {},
            set(),
            enclosing.path,
            locals=targets(node),
            comprehension=True,
            inlined=INLINED and type(node).__name__ != "GeneratorExp",
            depth=enclosing.depth,
        )
        try:
            self.run_generators(
                node, list(node.generators), lambda item: self.list_append(result, item), first
            )
        finally:
            self.frame = outer
        return result

    def run_generators(
        self, node: Any, generators: list[Any], emit: Callable[[Any], None], source: Any = None
    ) -> None:
        """Run the loops of a comprehension, and ``emit`` for each of its items."""
        if not generators:
            if type(node).__name__ == "DictComp":
                emit(Tup((self.eval(node.key), self.eval(node.value))))
            else:
                emit(self.eval(node.elt))
            return
        first, *rest = generators
        source = self.eval(first.iter) if source is None else source

        def body(item: Any) -> None:
            self.assign(first.target, item)
            self.run_filters(node, list(first.ifs), rest, emit)

        self.run_for(source, body, set(), first.target, ())

    def run_filters(self, node: Any, tests: list[Any], rest: list[Any], emit: Callable[[Any], None]) -> None:
        if not tests:
            self.run_generators(node, rest, emit)
            return
        cond = self.truth(self.eval(tests[0]))
        static = self.static_value(cond)
        if static is True:
            self.run_filters(node, tests[1:], rest, emit)
        elif static is not False:
            self.branch(cond, lambda: self.run_filters(node, tests[1:], rest, emit), lambda: None, None)

    # ----- text
    def eval_JoinedStr(self, node: Any) -> Any:
        parts = [self.eval(v) for v in node.values]
        if all(self.is_static(p) for p in parts):
            return Lit("".join(str(self.static_value(p)) for p in parts))
        text: Any = None
        for part in parts:
            text = (
                part
                if text is None
                else self.builder.opaque(operator.add, (self.arg(text), self.arg(part)), Opaque("str"))
            )
        return text

    def eval_FormattedValue(self, node: Any) -> Any:
        value = self.eval(node.value)
        spec = Lit("") if node.format_spec is None else self.eval(node.format_spec)
        convert: Any = {114: repr, 115: str, 97: ascii}.get(node.conversion)
        if self.is_static(value) and self.is_static(spec):
            plain = self.static_value(value)
            return Lit(format(convert(plain) if convert else plain, self.static_value(spec)))
        arg = self.runtime_object(value)
        if convert is not None:
            arg = self.builder.opaque(convert, (arg,), Opaque("str"))
        return self.builder.opaque(format, (arg, self.arg(spec)), Opaque("str"))

    def format_percent(self, left: Any, right: Any) -> Any:
        if self.is_static(right):
            return self.fold(operator.mod, self.static_value(left), self.static_value(right))
        return self.builder.opaque(operator.mod, (self.arg(left), self.arg(right)), Opaque("str"))

    def runtime_object(self, value: Any) -> Any:
        """An argument for an effect (print, raise): anything that has a run-time form."""
        if isinstance(value, (Bound, Closure, ArrayMethod, Iterable, Range, Comprehension)):
            return Lit(f"<{type(value).__name__.lower()}>")
        if isinstance(value, Dct):
            return Lit("{...}")
        if isinstance(value, Obj):
            return Lit(f"<{value.cls.__name__}>")
        return self.arg(value)
