"""Which names does a loop carry by reference: to arrays from before it, or to one that its passes make?

The template is 'same' for the very array, and 'choice' for one of several. What can't be told so is carried
by value.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

from ...ir.ops import Arg, Lit, Undefined, Var
from ...ir.types import Scalar, Type, is_none
from ..builder import type_of_arg
from ..context import Context
from ..loops.template import Template
from ..types.joins import carried, have_join, is_alike, join, join_carried
from ..values import Arr, Pool, Value
from .carried_references import reference_template
from .choices import among, is_first, is_itself, is_plain, is_replaced, members, own_content, type_read
from .holding import pools_around
from .shared_names import SHARED, roots_of

MOST = 4  # arrays of which a name may hold one


def by_reference(cx: Context, value: Value) -> Template | None:
    """The template of a value at the entry that is carried by reference: it has other names."""
    known = is_itself if cx.by_reference else has_itself
    arrays = list(dict.fromkeys(members(value)))
    if any(one.serial > cx.since for one in arrays):
        return None
    if len(arrays) == 1 and known(arrays[0]) and is_held_before(cx, arrays[0]):
        return Template("same", info=arrays[0])
    if 1 < len(arrays) <= (MOST if cx.by_reference else 2) and all(map(known, arrays)):
        return choice_of(cx, arrays)
    return None


def is_held_before(cx: Context, arr: Arr) -> bool:
    """Whether an array from before the loop has another name."""
    return cx.by_reference and cx.apart or any(root in cx.shared for root in roots_of(arr))


def is_from_before(cx: Context, value: Value) -> bool:
    """Whether it is an array from before the loop, which has another name, or one of two such."""
    arrays = list(members(value))
    return bool(arrays) and all(
        one.serial <= cx.since and one in cx.shared and has_itself(one) for one in arrays
    )


def has_itself(value: Value) -> bool:
    """Whether it is an array that can be carried by reference."""
    return isinstance(value, Arr) and not (value.view or value.foreign or value.sources)


def widened(cx: Context, old: Template, value: Value) -> Template | None:
    """The template for what a pass leaves, if it is one of two arrays from before the loop."""
    found = [old.info] if old.kind == "same" else list(old.info[0])
    for one in members(value):
        if one.serial > cx.since or not has_itself(one):
            return None
        if one not in found:
            found.append(one)
    if len(found) > 2:
        return None
    return old if len(found) == 1 or old.kind == "choice" else choice_of(cx, found)


def referred(cx: Context, old: Template, value: Value, first: Value | None = None) -> Template | None:
    """The template for what a pass leaves, one of arrays from before the loop or one that it has made.

    It may be a number or None in some passes. ``first``: what the name holds before the loop, if it is known.
    None: it must be carried by value.
    """
    array = isinstance(value, Arr)
    if old.kind in ("choice", "reference") or old.kind == "same" and isinstance(old.info, Arr):
        known = array or own_type(value) is not None
    elif old.kind == "leaf":
        known = array and not old.foreign and (old.array or isinstance(old.type, Scalar))
    else:
        known = array and old.kind == "same" and own_type(old.info) is not None
    if not known:
        return None
    found = None if old.kind == "reference" else among_known(cx, old, value)
    if found is not None or not cx.handles:
        return found
    before = own_type(old.info) if old.kind == "same" else None if old.array else old.type
    types = [before, own_type(value), *(type_read(cx, one) for one in members(value) if is_itself(one))]
    own = [carried(t, None, cx.own_dims) for t in types if t is not None and is_replaced(t)]
    return reference_template(cx, old, value, first, functools.reduce(join, own) if own else None)


def own_type(value: object) -> Type | None:
    """The type of a number, or of None; None for anything else."""
    if not isinstance(value, (Lit, Var)):
        return None
    type = type_of_arg(value)
    return replace(type, size=None) if isinstance(type, Scalar) else type if is_none(type) else None


def among_known(cx: Context, old: Template, value: Value) -> Template | None:
    """The template of arrays from before the loop, and one that the passes make and nobody else has."""
    known: list[Arr] = [old.info] if isinstance(old.info, Arr) else []
    own, pools = own_type(old.info) if old.kind == "same" else old.type, old.pools
    if old.kind == "choice":
        known = list(old.info[0])
    found = own_type(value)
    if found is not None:
        own = found if own is None else join(own, found)
    for one in dict.fromkeys(members(value)):
        roots = list(roots_of(one))
        shared = cx.apart or any(root in cx.shared or one is not value and root in cx.held for root in roots)
        if one in known:
            continue
        if one.serial <= cx.since and shared and is_itself(one):
            known.append(one)
            continue
        type = type_read(cx, one) if is_itself(one) else None
        if type is None or shared and not is_replaced(type):  # nobody can tell whose number it is
            return None
        if not all(isinstance(root, Arr) for root in roots):
            return None
        own = carried(type, None, cx.own_dims) if own is None else join_carried(own, type, cx.own_dims)
        pools |= pools_around(cx, one, cx.state)
    if len(known) == 1 and own is None:
        return old
    return choice_of(cx, known, own, pools) if 0 < len(known) + (own is not None) <= MOST and known else None


def among_values(cx: Context, old: Template) -> Template:
    """The template of the same arrays by value: writes to it are refused."""
    arrays = [old.info] if old.kind == "same" else old.info[0]
    types = [type_read(cx, old.info)] if old.kind == "same" else old.info[1]
    roots = tuple(dict.fromkeys(root for one in arrays for root in roots_of(one)))
    return Template(
        "leaf",
        functools.reduce(join, types),
        array=True,
        foreign=SHARED,
        sources=roots,
        lasting=True,
        pools=old.pools.union(*(pools_around(cx, one, cx.state) for one in arrays)),
    )


def choice_of(
    cx: Context, arrays: Sequence[Arr], own: Type | None = None, pools: frozenset[Pool] = frozenset()
) -> Template | None:
    """The template of what is one of these arrays, or one of its ``own``.

    They have one rank and dtype, if names are not read as references throughout.
    """
    types = [type_read(cx, one) for one in arrays]
    types += [own] if own is not None else []
    alike = is_plain(types[0]) and all(is_plain(t) and is_alike(t, types[0]) for t in types)
    if not alike and not (cx.by_reference and have_join(types)):
        return None
    return Template("choice", own, info=(tuple(arrays), tuple(types), []), pools=pools)


def instantiate_choice(template: Template, params: list[Var], hint: str | None) -> Arr:
    """``info``: the arrays, their types, and the variables that hold what its own one holds."""
    arrays: list[Arr] = list(template.info[0])
    types, own = template.info[1:]
    if template.type is not None:
        params.append(Var(template.type, hint))
        own.append(params[-1])
        arrays.append(Arr(params[-1], within=template.pools))
    flags = [Var(Scalar("bool"), None if hint is None else f"{hint}_which") for _ in arrays[1:]]
    params += flags
    return among(arrays, flags, functools.reduce(join, types), hint)  # lengths of this very pass


def flatten_choice(cx: Context, template: Template, value: Value, out: list[Arg], at_end: bool) -> None:
    """Where a pass leaves none of its own, the one from before stays: its cotangent keeps a shape."""
    arrays = template.info[0]
    if template.type is not None:
        last = template.info[2][-1] if at_end else None
        own = last if value is None else own_content(cx, value, arrays, last)
        out.append(Undefined(template.type) if own is None else own)
    out += [is_first(cx, value, one) for one in (arrays if template.type is not None else arrays[:-1])]
