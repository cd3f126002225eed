"""What structure has a value that a loop carries, and how is it widened to what a pass leaves?"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ....errors import AdError
from ...ir.ops import Arg, Block, Lit, Undefined, Var
from ...ir.types import NOTHING, DictOf, ListOf, Scalar, TupleOf, Type, dict_of, list_of
from .. import doors
from ..builder import type_of_arg
from ..constructs.boundness import PARTS, bound_flag, components, same_make, value_of
from ..context import Context
from ..store.carried_references import flatten_reference, instantiate_reference
from ..store.holding import own_elements, pools_around, pools_of, pools_with
from ..store.keys import key_type
from ..store.loop_references import among_values, by_reference, flatten_choice, instantiate_choice, referred
from ..store.merge import dynamic_list, own_orders, same_constant
from ..store.shared_names import SHARED, STILL_SHARED, mark, refusal_of
from ..types.joins import ShapeChange, join, join_carried, join_lists
from ..values import Arr, Bound, Closure, Dct, Lost, Lst, Maybe, Obj, State, Tup, Unbound, Value
from .slots import in_heap
from .template import Template


def widen(cx: Context, old: Template, value: Value, start: State) -> Template:
    if old.kind == "maybe" or isinstance(value, (Unbound, Maybe)):
        inner = old.children[0] if old.kind == "maybe" else old
        held = value_of(value)
        return Template("maybe", None, (inner if held is None else widen(cx, inner, held, start),))
    if in_heap(value) and value is not old.info:
        raise carried_on(cx)
    if cx.by_reference:
        found = referred(cx, old, value)
        if found is not None:
            return found
    if cx.by_reference and isinstance(value, Arr):
        if old.kind == "choice" or old.kind == "same" and isinstance(old.info, Arr):
            old = among_values(cx, old)
    if old.kind == "reference":
        raise ShapeChange("a variable refers to an array, and in some pass to something else")
    if old.kind == "same":
        if (
            value is old.info
            or isinstance(value, Lit)
            and isinstance(old.info, Lit)
            and same_constant(value.value, old.info.value)
        ):
            return old
        if isinstance(old.info, Lit):
            return widen(cx, Template("leaf", type_of_arg(old.info)), value, start)
        raise ShapeChange("a variable refers to another object in each pass")
    if old.kind == "tuple":
        if not isinstance(value, Tup) or len(value.items) != len(old.children):
            raise ShapeChange("the length of a tuple changes")
        if value.cls is not old.info:
            raise ShapeChange("the class of a tuple changes")
        children = tuple(widen(cx, c, v, start) for c, v in zip(old.children, value.items, strict=True))
        return Template("tuple", None, children, old.info)
    if old.kind == "parts":
        if not same_make(old.info, value):
            raise ShapeChange("a variable refers to another function in each pass")
        pairs = zip(old.children, components(value)[0], strict=True)
        return Template("parts", None, tuple(widen(cx, c, v, start) for c, v in pairs), old.info)
    if old.kind == "list":
        return widen_list(cx, old, value, start)
    if old.kind in ("dict", "object"):
        content = cx.state.get(value) if isinstance(value, (Dct, Obj)) else None
        if old.kind == "dict" and isinstance(value, Dct) and isinstance(content, Var):
            return widen_dict(cx, old, value, content)
        if not isinstance(value, (Dct, Obj)) or content is None or list(content) != list(old.info[1]):
            raise ShapeChange("the structure of a dict or object changes")
        if isinstance(value, Dct) != (old.kind == "dict") or value.cls is not old.info[0]:
            raise ShapeChange("the class of a dict or object changes")
        with inside(cx, value):
            children = tuple(
                widen(cx, c, content[k], start) for c, k in zip(old.children, old.info[1], strict=True)
            )
        return Template(old.kind, None, children, old.info)
    return widen_leaf(cx, old, value)


def widen_leaf(cx: Context, old: Template, value: Value) -> Template:
    if isinstance(value, Lst) and not isinstance(cx.state.get(value), Var) and isinstance(old.type, ListOf):
        var: Any = own_elements(cx, value)
    elif isinstance(value, (dict, Dct)) and isinstance(old.type, DictOf):
        content = value if isinstance(value, (dict, Var)) else cx.state.get(value)
        var = content if isinstance(content, Var) else doors.dynamic_dict(cx, content, Dct(pools=old.pools))
    elif isinstance(value, (Tup, Lst, Dct, Obj, Closure, Bound)) and not (
        isinstance(value, Lst) and isinstance(cx.state.get(value), Var)
    ):
        raise ShapeChange("a variable becomes a container or function")
    else:
        var = cx.state.get(value) if isinstance(value, Lst) else cx.arg(value)
    assert old.type is not None
    found = type_of_arg(var)
    if isinstance(old.type, ListOf) and isinstance(found, ListOf):
        pools, within = old.pools, old.within
        if isinstance(value, Lst):
            pools, within = pools | pools_of(cx, value), within | pools_with(cx, value, cx.state)
        return Template("leaf", join_lists(old.type, found), array=False, pools=pools, within=within)
    if isinstance(old.type, DictOf) and isinstance(found, DictOf):
        pools, within = old.pools, old.within
        if isinstance(value, Dct):
            pools, within = pools | pools_of(cx, value), within | pools_with(cx, value, cx.state)
        return Template("leaf", join(old.type, found), pools=pools, within=within)
    foreign = old.foreign
    if isinstance(value, Arr) and (foreign is None or value.foreign == STILL_SHARED):
        foreign = refusal_of(value)
    joined = join_carried(old.type, found, cx.own_dims)
    array = old.array or isinstance(value, Arr)
    return mark(
        cx,
        Template(
            "leaf",
            joined,
            array=array,
            foreign=foreign,
            sources=old.sources,
            lasting=old.lasting,
            orders=old.orders & own_orders(value),
            pools=old.pools | pools_around(cx, value, cx.state),
        ),
        value,
    )


def widen_dict(cx: Context, old: Template, value: Dct, content: Var) -> Template:
    """The template of a dict that gets keys that are known at run time only."""
    type: Type = content.type
    for key, child in zip(old.info[1], old.children, strict=True):
        own = type_of_arg(child.info) if child.kind == "same" and isinstance(child.info, Lit) else child.type
        kind = key_type(Lit(key))
        if own is None or kind is None or child.kind not in ("leaf", "same"):
            raise ShapeChange("the structure of a dict changes")
        type = join(type, dict_of(kind, own))
    pools, within = old.pools | pools_of(cx, value), old.within | pools_with(cx, value, cx.state)
    return Template("leaf", type, pools=pools, within=within)


def widen_list(cx: Context, old: Template, value: Value, start: State) -> Template:
    content = cx.state.get(value) if isinstance(value, Lst) else value
    pools, within = old.pools, old.within
    if isinstance(value, Lst):
        pools, within = pools | pools_of(cx, value), within | pools_with(cx, value, cx.state)
    if isinstance(content, tuple) and len(content) == len(old.children):
        with inside(cx, value):
            children = tuple(widen(cx, c, v, start) for c, v in zip(old.children, content, strict=True))
        return Template("list", None, children, pools=pools, within=within)
    if isinstance(content, tuple):
        content = dynamic_list(cx, content)
    if not isinstance(content, Var) or not isinstance(content.type, ListOf):
        raise ShapeChange("a list becomes something else")
    type: Type = content.type
    for child in old.children:
        own = type_of_template(child)
        type = (
            list_of(join(type.element, own))
            if isinstance(type, ListOf) and type.element != NOTHING
            else list_of(own)
        )
    return Template("leaf", type, pools=pools, within=within)


def type_of_template(template: Template) -> Type:
    """The type that a carried value has as an element of a run-time list."""
    if template.kind == "tuple" and template.info is None:
        return TupleOf(tuple(map(type_of_template, template.children)))
    if template.kind == "list":
        type: Type = NOTHING
        for child in template.children:
            own = type_of_template(child)
            type = own if type == NOTHING else join(type, own)
        return list_of(type)
    if template.kind == "same" and isinstance(template.info, Lit):
        found = type_of_arg(template.info)
        return replace(found, size=None) if isinstance(found, Scalar) else found
    if template.kind != "leaf" or template.type is None:
        raise ShapeChange("a list of containers changes its length")
    return template.type


@contextlib.contextmanager
def inside(cx: Context, value: Value) -> Iterator[None]:
    """Look at the items of a container: if it has two names, so has each array in it."""
    if any(outer is value for outer in cx.looked):
        raise cx.unsupported("a container that is in itself", "a loop carries it on", "cut the ring")
    outer = cx.apart
    cx.apart = outer or isinstance(value, (Lst, Dct, Obj)) and value in cx.twice
    cx.looked.append(value)
    try:
        yield
    finally:
        cx.apart = outer
        cx.looked.pop()


def template_of(cx: Context, value: Value, state: State) -> Template:
    """The structure of a value at the entry of the loop."""
    if isinstance(value, (Unbound, Lost)):
        return Template("unbound" if isinstance(value, Unbound) else "lost", info=value)
    if isinstance(value, Maybe):
        return Template("maybe", None, (template_of(cx, value.value, state),))
    if isinstance(value, tuple):
        return template_content(cx, value, state)
    if isinstance(value, dict):  # what is in a dict that gets other keys
        return Template("leaf", entries_type(cx, value, state))
    if isinstance(value, Tup):
        return Template("tuple", None, tuple(template_of(cx, v, state) for v in value.items), value.cls)
    if isinstance(value, Lst) and in_heap(value):
        if value.serial > cx.since:
            raise carried_on(cx)
        return Template("same", info=value)
    if isinstance(value, Lst):
        with inside(cx, value):
            found = template_content(cx, state.get(value), state)
        return replace(found, pools=pools_of(cx, value), within=pools_with(cx, value, state))
    if isinstance(value, Dct) and isinstance(state.get(value), Var):
        pools = pools_of(cx, value)
        return Template("leaf", state.get(value).type, pools=pools, within=pools_with(cx, value, state))
    if isinstance(value, (Dct, Obj)):
        content = state.get(value)
        kind = "dict" if isinstance(value, Dct) else "object"
        with inside(cx, value):
            children = tuple(template_of(cx, v, state) for v in content.values())
        return Template(kind, None, children, (value.cls, list(content)))
    referred_to = by_reference(cx, value) if cx.by_reference else None
    if referred_to is not None:
        return referred_to
    if isinstance(value, Arr):
        outer, cx.state = cx.state, state
        type = cx.read(value).type
        cx.state = outer
        pools = pools_around(cx, value, state)
        found = Template(
            "leaf", type, array=True, foreign=refusal_of(value), orders=own_orders(value), pools=pools
        )
        return mark(cx, found, value)
    if isinstance(value, Var):
        type = value.type
        return Template("leaf", replace(type, size=None) if isinstance(type, Scalar) else type)
    if isinstance(value, Lit) and type_of_number(value.value):
        return Template(
            "leaf",
            type_of_arg(value)
            if not isinstance(value.value, int) or isinstance(value.value, bool)
            else Scalar("int"),
        )
    if isinstance(value, PARTS):
        return Template("parts", None, tuple(template_of(cx, v, state) for v in components(value)[0]), value)
    return Template("same", info=value)


def entries_type(cx: Context, content: dict[Any, Value], state: State) -> Type:
    """The type that the content of a dict has as a run-time dict."""
    outer, cx.state = cx.state, state.fork()
    try:
        with cx.builder.nested(Block()):
            return doors.dynamic_dict(cx, content, Dct()).type
    finally:
        cx.state = outer


def carried_on(cx: Context) -> AdError:
    """A part of what a loop carries is a list in the heap, which only names are carried as."""
    return cx.aliased("a list that is an element of another one", "a loop carries it on in a container")


def template_content(cx: Context, content: Var | tuple[Value, ...], state: State) -> Template:
    if isinstance(content, Var):
        return Template("leaf", content.type)
    return Template("list", None, tuple(template_of(cx, v, state) for v in content))


def instantiate(
    cx: Context, template: Template, params: list[Var], hint: str | None, after: bool = False
) -> Any:
    """A value of the template's structure on fresh parameters."""
    if template.kind == "choice":
        return instantiate_choice(template, params, hint)
    if template.kind == "reference":
        return instantiate_reference(cx, template, params, hint)
    if template.kind in ("same", "unbound", "lost"):
        return template.info
    if template.kind == "maybe":
        value = instantiate(cx, template.children[0], params, hint, after)
        params.append(Var(Scalar("bool"), None if hint is None else f"{hint}_bound"))
        return Maybe(value, params[-1])
    if template.kind == "leaf":
        assert template.type is not None
        var = Var(template.type, hint)
        params.append(var)
        if template.array:  # or None
            foreign = template.foreign
            if after and foreign == SHARED:
                if not template.lasting:
                    return Arr(var, within=template.pools, orders=template.orders)
                foreign = STILL_SHARED  # whatever an outer loop finds of its own passes
            sources = tuple((r, None) for r in template.sources)
            return Arr(var, None, foreign, sources=sources, within=template.pools, orders=template.orders)
        if isinstance(template.type, ListOf):
            return Lst(var, pools=template.pools, within=template.within)
        if isinstance(template.type, DictOf):
            return Dct(var, pools=template.pools, within=template.within)
        return cx.wrap_var(var)
    children = tuple(instantiate(cx, c, params, hint, after) for c in template.children)
    if template.kind == "tuple":
        return Tup(children, template.info)
    if template.kind == "parts":
        return components(template.info)[1](list(children))
    if template.kind == "list":
        return Lst(children, pools=template.pools, within=template.within)
    cls, keys = template.info
    content = dict(zip(keys, children, strict=True))
    return Dct(content, cls) if template.kind == "dict" else Obj(cls, content)


def flatten(cx: Context, template: Template, value: Value, out: list[Arg], at_end: bool = False) -> None:
    """The arguments that a value of the template's structure has at its leaves; ``at_end``: of a pass."""
    if template.kind == "choice":
        flatten_choice(cx, template, value, out, at_end)
        return
    if template.kind == "reference":
        flatten_reference(cx, template, value, out)
        return
    if template.kind in ("same", "unbound", "lost"):
        return
    if template.kind == "maybe":
        flatten(cx, template.children[0], value_of(value), out, at_end)
        out.append(cx.arg(bound_flag(value)))
        return
    if value is None and template.kind != "leaf":
        for child in template.children:
            flatten(cx, child, None, out, at_end)
        return
    if template.kind == "leaf":
        if isinstance(value, (dict, Dct)) and isinstance(template.type, DictOf):
            content = value if isinstance(value, dict) else cx.state.get(value)
            base = value if isinstance(value, Dct) else Dct(pools=template.pools)
            value = content if isinstance(content, Var) else doors.dynamic_dict(cx, content, base)
        if isinstance(value, tuple):
            value = dynamic_list(cx, value)
        if isinstance(value, Lst):
            content = cx.state.get(value)
            value = dynamic_list(cx, content) if isinstance(content, tuple) else content
        assert template.type is not None
        out.append(Undefined(template.type) if value is None else cx.arg(value))
        return
    if template.kind == "tuple":
        items: Any = cx.parts(value)
    elif template.kind == "parts":
        items = components(value)[0]
    elif template.kind == "list":
        items = cx.state.get(value) if isinstance(value, Lst) else value
    else:
        items = cx.state.get(value).values()
    for child, item in zip(template.children, items, strict=True):
        flatten(cx, child, item, out, at_end)


def type_of_number(value: object) -> bool:
    import numpy as np

    return isinstance(value, (bool, int, float, complex, np.generic))
