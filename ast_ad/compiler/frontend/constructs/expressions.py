"""What is the value of a name, a subscript, a display, a comprehension or a piece of text?"""

from __future__ import annotations

import builtins
import operator
import sys
from collections.abc import Callable
from typing import Any

import gast

from ....deep import require_depth
from ...budget import spend
from ...ir.ops import Lit
from ...ir.types import Opaque
from .. import doors
from ..callables.container_methods import list_append
from ..context import Context
from ..conversion import from_python
from ..guards import Guard, Path, is_own
from ..hash_orders import note_order
from ..outside_values import MAPPINGS, capture_live, outside, outside_value
from ..source.live_names import targets
from ..store.holding import placed
from ..store.identities import read_once, static_entries
from ..store.outer_stores import is_stored
from ..tables import EVAL, expression
from ..values import (
    ArrayMethod,
    Bound,
    Closure,
    Comprehension,
    Dct,
    Frame,
    Generator,
    Iterable,
    Live,
    Lst,
    Maybe,
    Obj,
    Range,
    Tup,
    Unbound,
    Value,
)
from .attributes import load_attribute
from .boundness import Raised, emit_raise, read_name
from .local_classes import enclosing_scope
from .subscripts import load_item

INLINED = sys.version_info >= (3, 12)
"""Whether Python runs comprehensions (but no generators) in the frame around them."""


def evaluate(cx: Context, node: gast.AST) -> Any:
    """The abstract value of an expression."""
    require_depth()
    spend(1, cx.builder.span)
    handler = EVAL.get(type(node))
    outer = cx.builder.span
    doors.place(cx, node)
    try:
        if handler is None:
            raise cx.unsupported(
                f"`{type(node).__name__}` expression", "the compiler does not follow it yet", "rewrite it"
            )
        return handler(cx, node)
    finally:
        cx.builder.span = outer


@expression(gast.Constant)
def eval_constant(cx: Context, node: gast.Constant) -> Any:
    return Lit(node.value)


@expression(gast.Name)
def eval_name(cx: Context, node: gast.Name) -> Any:
    return load_name(cx, node.id)


def load_name(cx: Context, name: str) -> Any:
    """A local, a variable of an enclosing function, a global, or a builtin."""
    frame: Frame | None = None if "global " + name in cx.frame.nonlocals else cx.frame
    while frame is not None:
        value = cx.state.get_name(frame, name)
        if value is None and name in frame.locals:
            if frame.class_name is not None:
                break  # the body of a class looks for its own names outside of all functions
            value = Unbound(name)
        if value is not None:
            if frame.class_name is not None and isinstance(value, (Unbound, Maybe)):
                raise cx.unsupported(
                    f"name `{name}`", "the class has it on some paths only", "bind it on every path"
                )
            return read_once(cx, read_name(cx, value, frame, name), frame)
        if name in frame.cells:
            return outside(cx, frame, "cell", name)
        frame = enclosing_scope(frame)
    if name in cx.frame.globals or is_stored(cx, cx.frame.globals, name):
        return outside(cx, cx.frame, "global", name)
    if hasattr(builtins, name):
        missing = Guard.missing(Path.of_global(cx.frame.globals, name))
        if cx.inputs is None or is_own(missing):
            return Lit(getattr(builtins, name))
        cx.inputs.guards.add(missing)
        return outside_value(cx, getattr(builtins, name), Path.of_global(vars(builtins), name))
    if cx.inputs is None:
        raise cx.unsupported(f"name `{name}`", "it is not defined", "define it")
    cx.inputs.guards.add(Guard.missing(Path.of_global(cx.frame.globals, name)))
    emit_raise(cx, NameError(f"name '{name}' is not defined"))  # on this path; others may not read it
    raise Raised


# ----- subscripts and attributes
@expression(gast.Subscript)
def eval_subscript(cx: Context, node: gast.Subscript) -> Any:
    return load_item(cx, evaluate(cx, node.value), evaluate(cx, node.slice))


@expression(gast.Slice)
def eval_slice(cx: Context, node: gast.Slice) -> Any:
    return slice(
        *(Lit(None) if part is None else evaluate(cx, part) for part in (node.lower, node.upper, node.step))
    )


@expression(gast.Attribute)
def eval_attribute(cx: Context, node: gast.Attribute) -> Any:
    return load_attribute(cx, evaluate(cx, node.value), mangled(cx, node.attr))


def mangled(cx: Context, name: str) -> str:
    """``__private`` names inside a class."""
    frame: Frame | None = cx.frame
    while frame is not None and frame.class_name is None:
        frame = frame.enclosing
    owner = getattr(cx.frame.source, "class_name", None) if frame is None else frame.class_name
    return name if owner is None else mangle(owner, name)


def mangle(owner: str, name: str) -> str:
    """A name in a class, as Python spells it there."""
    private = name.startswith("__") and not name.endswith("__") and owner.lstrip("_")
    return f"_{owner.lstrip('_')}{name}" if private else name


# ----- displays
@expression(gast.Tuple)
def eval_tuple(cx: Context, node: gast.Tuple) -> Any:
    return Tup(tuple(eval_elements(cx, node.elts)))


@expression(gast.List)
def eval_list(cx: Context, node: gast.List) -> Any:
    parts = [
        starred_part(cx, e.value) if type(e).__name__ == "Starred" else [evaluate(cx, e)] for e in node.elts
    ]
    if all(isinstance(part, list) for part in parts):
        return placed(cx, Lst(tuple(item for part in parts for item in part)))
    result = placed(cx, Lst(()))
    for part in parts:
        if not isinstance(part, list):
            doors.call(cx, load_attribute(cx, result, "extend"), [part], {})
            continue
        for item in part:
            doors.call(cx, load_attribute(cx, result, "append"), [item], {})
    return result


def starred_part(cx: Context, node: gast.AST) -> Any:
    """The items of ``*node`` in a display, a Python list where there are known so many."""
    source = doors.consumed(cx, evaluate(cx, node))
    items = doors.lazy_items(cx, source)
    return source if items is None else [get() for get in items]


@expression(gast.Set)
def eval_set(cx: Context, node: gast.Set) -> Any:
    return doors.call(cx, Lit(set), [Lst(tuple(eval_elements(cx, node.elts)))], {})


def eval_elements(cx: Context, nodes: list[gast.AST]) -> list[Any]:
    items: list[Any] = []
    for node in nodes:
        if type(node).__name__ == "Starred":
            items += doors.items_of(cx, evaluate(cx, node.value))
        else:
            items.append(evaluate(cx, node))
    return items


@expression(gast.Dict)
def eval_dict(cx: Context, node: gast.Dict) -> Any:
    content: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            content.update(entries(cx, evaluate(cx, value)))
        else:
            place = cx.demand(evaluate(cx, key), "a dict key")  # before the value, as Python does
            content[place] = evaluate(cx, value)
    return Dct(content)


def entries(cx: Context, value: Value) -> dict[Any, Any]:
    """What ``**value`` stands for, by key."""
    if isinstance(value, Live) and isinstance(value.value, MAPPINGS):
        value = capture_live(cx, value)
    if isinstance(value, Dct):
        return static_entries(cx, value)
    return {k: from_python(cx, v) for k, v in cx.demand(value, "what stands behind `**`").items()}


@expression(gast.NamedExpr)
def eval_named_expr(cx: Context, node: gast.NamedExpr) -> Any:
    value = evaluate(cx, node.value)
    outer = cx.frame
    while cx.frame.comprehension and cx.frame.enclosing is not None:
        cx.frame = cx.frame.enclosing
    try:
        doors.bind(cx, node.target.id, value)
    finally:
        cx.frame = outer
    return load_name(cx, node.target.id)


@expression(gast.Lambda)
def eval_lambda(cx: Context, node: gast.Lambda) -> Any:
    return Closure(node, cx.frame, doors.closure_defaults(cx, node.args))


@expression(gast.Starred)
def eval_starred(cx: Context, node: gast.Starred) -> Any:
    raise cx.unsupported("`*` here", "the compiler does not follow it", "write the items out")


# ----- comprehensions: nested loops over a list that grows
@expression(gast.ListComp)
def eval_list_comp(cx: Context, node: gast.ListComp) -> Any:
    return comprehend(cx, node, cx.frame)


@expression(gast.GeneratorExp)
def eval_generator_exp(cx: Context, node: gast.GeneratorExp) -> Any:
    return Comprehension(node, cx.frame, evaluate(cx, node.generators[0].iter))


@expression(gast.DictComp)
def eval_dict_comp(cx: Context, node: gast.DictComp) -> Any:
    made = comprehend(cx, node, cx.frame)
    if doors.static_items(cx, made) is None:
        return doors.b_dict(cx, made)
    pairs = doors.items_of(cx, made)
    return Dct({cx.demand(p.items[0], "a dict key"): p.items[1] for p in pairs})


@expression(gast.SetComp)
def eval_set_comp(cx: Context, node: gast.SetComp) -> Any:
    return doors.call(cx, Lit(set), [comprehend(cx, node, cx.frame)], {})


def comprehend(cx: Context, node: gast.AST, enclosing: Frame, first: Value | None = None) -> Lst:
    """Run a comprehension in a scope of its own; ``first``: what its outermost loop runs over."""
    outer = cx.frame
    first = evaluate(cx, node.generators[0].iter) if first is None else first  # around it, as Python does
    result = placed(cx, Lst(()))
    cx.frame = Frame(
        enclosing.source,
        enclosing.globals,
        enclosing,
        {},
        set(),
        enclosing.path,
        locals=targets(node),
        comprehension=True,
        inlined=INLINED and type(node).__name__ != "GeneratorExp",
        call=enclosing.call,
    )
    try:
        run_generators(cx, node, list(node.generators), lambda item: list_append(cx, result, item), first)
    finally:
        cx.frame = outer
    return result


MOST_AXES = 4  # tuples that a comprehension makes of a range are items of their own, where they are so few


def run_generators(
    cx: Context,
    node: gast.AST,
    generators: list[gast.AST],
    emit: Callable[[Value], None],
    source: Value | None = None,
) -> None:
    """Run the loops of a comprehension, and ``emit`` for each of its items."""
    if not generators:
        if type(node).__name__ == "DictComp":
            emit(Tup((evaluate(cx, node.key), evaluate(cx, node.value))))
        else:
            emit(evaluate(cx, node.elt))
        return
    first, *rest = generators
    source = evaluate(cx, first.iter) if source is None else source
    if (
        isinstance(getattr(node, "elt", None), gast.Tuple)
        and isinstance(source, Range)
        and cx.is_static(source)
    ):
        places = cx.static_value(
            source
        )  # pairs for each axis (`np.pad`): their number is a fact, as `x.ndim` is
        source = Tup(tuple(map(Lit, places))) if len(places) <= MOST_AXES else source

    def body(item: Value) -> None:
        doors.assign(cx, first.target, item)
        run_filters(cx, node, list(first.ifs), rest, emit)

    doors.run_for(cx, source, body, set(), first.target, ())


def run_filters(
    cx: Context, node: gast.AST, tests: list[Value], rest: list[gast.AST], emit: Callable[[Value], None]
) -> None:
    if not tests:
        run_generators(cx, node, rest, emit)
        return
    cond = doors.condition(cx, tests[0])
    static = cx.static_value(cond)
    if static is True:
        run_filters(cx, node, tests[1:], rest, emit)
    elif static is not False:
        doors.branch(cx, cond, lambda: run_filters(cx, node, tests[1:], rest, emit), lambda: None, None)


# ----- text
@expression(gast.JoinedStr)
def eval_joined_str(cx: Context, node: gast.JoinedStr) -> Any:
    parts = [evaluate(cx, v) for v in node.values]
    if all(cx.is_static(p) for p in parts):
        return Lit("".join(str(cx.static_value(p)) for p in parts))
    text: Any = None
    for part in parts:
        text = (
            part
            if text is None
            else cx.builder.opaque(operator.add, (cx.arg(text), cx.arg(part)), Opaque("str"))
        )
    return text


@expression(gast.FormattedValue)
def eval_formatted_value(cx: Context, node: gast.FormattedValue) -> Any:
    value = evaluate(cx, node.value)
    spec = Lit("") if node.format_spec is None else evaluate(cx, node.format_spec)
    convert: Any = {114: repr, 115: str, 97: ascii}.get(node.conversion)
    if cx.is_static(value) and cx.is_static(spec):
        plain = cx.static_value(value)
        note_order(cx, format, plain)
        return Lit(format(convert(plain) if convert else plain, cx.static_value(spec)))
    arg = runtime_object(cx, value)
    if convert is not None:
        arg = cx.builder.opaque(convert, (arg,), Opaque("str"))
    return cx.builder.opaque(format, (arg, cx.arg(spec)), Opaque("str"))


def format_percent(cx: Context, left: Value, right: Value) -> Any:
    if cx.is_static(right):
        return doors.fold(cx, operator.mod, cx.static_value(left), cx.static_value(right))
    return cx.builder.opaque(operator.mod, (cx.arg(left), cx.arg(right)), Opaque("str"))


def runtime_object(cx: Context, value: Value) -> Any:
    """An argument for an effect (print, raise): anything that has a run-time form."""
    if isinstance(value, (Bound, Closure, ArrayMethod, Iterable, Range, Comprehension, Generator)):
        return Lit(f"<{type(value).__name__.lower()}>")
    if isinstance(value, Dct):
        return Lit("{...}")
    if isinstance(value, Obj):
        return Lit(f"<{value.cls.__name__}>")
    return cx.arg(value)
