"""Which names does a loop carry by reference: to arrays from before it, or to one that its passes make?

The template is 'same' for the very array, and 'choice' for one of several. What can't be told so is carried
by value.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ..ir.alternatives import is_mixed
from ..ir.ops import Arg, Undefined, Var
from ..ir.types import Array, Scalar, Type
from .choices import among, is_first, is_itself, members, own_content
from .context import Context
from .elements import reference_template
from .holding import pools_around
from .joins import is_alike, join, join_carried
from .sharing import SHARED, roots_of
from .template import Template
from .values import Arr, Pool, Value

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


def referred(cx: Context, old: Template, value: Arr, first: Value | None = None) -> Template | None:
    """The template for what a pass leaves, one of arrays from before the loop or one that it has made.

    ``first``: what the name holds before the loop, if that is known. None: it must be carried by value.
    """
    kinds = "same", "choice", "leaf", "reference"
    if old.kind == "same" and not isinstance(old.info, Arr) or old.kind not in kinds:
        return None
    if old.kind == "leaf" and (not old.array or old.foreign):
        return None
    found = None if old.kind == "reference" else among_known(cx, old, value)
    return reference_template(cx, old, value, first) if found is None and cx.handles else found


def among_known(cx: Context, old: Template, value: Arr) -> Template | None:
    """The template of arrays from before the loop, and one that the passes make and nobody else has."""
    known = [old.info] if old.kind == "same" else list(old.info[0]) if old.kind == "choice" else []
    own, pools = None if old.kind == "same" else old.type, old.pools
    for one in dict.fromkeys(members(value)):
        roots = list(roots_of(one))
        shared = cx.apart or any(root in cx.shared or one is not value and root in cx.held for root in roots)
        if one in known:
            continue
        if one.serial <= cx.since and shared and is_itself(one):
            known.append(one)
        elif not shared and is_itself(one) and all(isinstance(root, Arr) for root in roots):
            type = cx.read(one).type
            own = type if own is None else join_carried(own, type, cx.own_dims)
            pools |= pools_around(cx, one, cx.state)
        else:
            return None
    if len(known) == 1 and own is None:
        return old
    return choice_of(cx, known, own, pools) if 0 < len(known) + (own is not None) <= MOST and known else None


def among_values(cx: Context, old: Template) -> Template:
    """The template of the same arrays by value: writes to it are refused."""
    arrays = [old.info] if old.kind == "same" else old.info[0]
    types = [cx.read(old.info).type] if old.kind == "same" else old.info[1]
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
    """The template of what is one of these arrays, or one of its ``own``, if they have one rank and dtype."""
    types = [cx.read(one).type for one in arrays] + ([own] if own is not None else [])
    if not isinstance(types[0], Array) or any(is_mixed(t) or not is_alike(t, types[0]) for t in types):
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
