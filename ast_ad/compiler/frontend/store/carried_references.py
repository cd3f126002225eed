"""Which places may an array have that a loop carries by a name, and in which of them is it now?

Its template holds the numbers of the places: a boolean for each but the last one, and the ints there. In some
passes it may be a number or None, which has no place: each place has a boolean, and the value is carried.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....errors import AdError
from ...ir.ops import Arg, Block, If, Lit, Undefined, Var
from ...ir.types import ListOf, Scalar, Type
from .. import doors
from ..builder import type_of_arg
from ..constructs.boundness import value_of
from ..context import Context
from ..loops.slots import get_slot, in_heap
from ..loops.template import Template
from ..types.joins import have_join, join
from ..values import Arr, Dct, Lst, Maybe, Obj, Slot, State, Tup, Value
from .choices import is_choice, is_replaced
from .elements import (
    MOST,
    NOWHERE,
    WHICH,
    flags_of,
    is_own,
    locate,
    locate_list,
    one_of,
    place_of_lists,
)
from .heaps import INT, Before, back, list_at, move_list


def numbers_of(cx: Context, arr: Value | None) -> frozenset[int] | None:
    """The places where an array may be, or will be once it has one; None if it can't be told."""
    outer, moved = cx.state, len(cx.moved)
    cx.state = outer.fork()
    try:
        with cx.builder.nested(Block()):
            return locate(cx, arr).numbers if isinstance(arr, Arr) else None
    except AdError:
        return None
    finally:
        back(cx, moved)
        cx.state = outer


def reference_template(
    cx: Context, old: Template, value: Value, first: Value | None, own: Type | None
) -> Template | None:
    """The template of a name that holds references, or values of the type ``own`` that are no arrays.

    ``first``: what it holds before the loop, if known.
    """
    before: Sequence[Value | None] = [old.info] if isinstance(old.info, Arr) else []
    if old.kind == "choice":  # its own one may be that from before the loop
        array = old.type is not None and not is_replaced(old.type) and first is not None
        before = [*old.info[0], first] if array else old.info[0]
    elif old.kind == "leaf" and old.array:
        before = [first]
    found = [numbers_of(cx, one) for one in (*before, *([value] if isinstance(value, Arr) else []))]
    if old.kind == "reference":
        found.append(frozenset(old.info))
    numbers = frozenset[int]()
    for one in found:
        if one is None:
            return None
        numbers |= one
    types = [cx.places[n].type for n in numbers]
    few = 0 < len(numbers) <= MOST and have_join(types)
    return Template("reference", own, info=tuple(sorted(numbers))) if few else None


def list_template(cx: Context, old: Template | None, first: Value | None) -> Template:
    """The template of a name that holds one of the lists in the heap."""
    if old is not None and old.kind != "reference":
        if old.kind not in ("same", "leaf", "list") or not isinstance(first, Lst):
            raise cx.aliased("a list that is an element of a list", "a name holds it on some path only")
        if not in_heap(first):
            raise Before(first.serial, lambda: move_list(cx, first))
    return Template("reference", info=(place_of_lists(cx),))


def instantiate_reference(cx: Context, template: Template, params: list[Var], hint: str | None) -> Arr | Lst:
    numbers = template.info
    if isinstance(cx.places[numbers[0]].type, ListOf):
        params.append(Var(INT, None if hint is None else f"{hint}_at"))
        return list_at(cx, params[-1])
    which, own = (None if hint is None else f"{hint}_which"), template.type
    flags = [Var(Scalar("bool"), which) for _ in (numbers[1:] if own is None else numbers)]
    ints = [
        Var(INT, None if hint is None else f"{hint}_at")
        for _ in range(max(cx.places[n].width for n in numbers))
    ]
    values = [] if own is None else [Var(own, hint)]
    params += [*flags, *ints, *values]
    return one_of(cx, numbers, flags, ints, hint, [Arr(value) for value in values])


def flatten_reference(cx: Context, template: Template, value: Value | None, out: list[Arg]) -> None:
    numbers, own = template.info, template.type
    width = max(cx.places[n].width for n in numbers)
    if isinstance(value, Lst):
        out += locate_list(cx, value).ints
        return
    if value is None:
        out += [Undefined(Scalar("bool"))] * (len(numbers) - (own is None)) + [Undefined(INT)] * width
        out += [] if own is None else [Undefined(own)]
        return
    if not isinstance(value, Arr):
        if own is None:
            raise cx.aliased(WHICH, "it may be an array, a number or None")
        out += [Lit(False)] * len(numbers) + [Undefined(INT)] * width + [cx.arg(value)]
        return
    found = locate(cx, value)
    if not found.numbers <= set(numbers) or found.own and own is None:
        raise cx.aliased(WHICH, "it may be another one than those that the loop was read with")
    out += flags_of(cx, found.which, numbers if own is None else [*numbers, NOWHERE])
    out += [*found.ints, *[Lit(0)] * (width - len(found.ints))]
    if own is not None:
        content = number_in(cx, value)
        out.append(Undefined(own) if content is None else content)


def number_in(cx: Context, value: Arr) -> Arg | None:
    """The number that it is, if it may be one."""
    if not is_choice(value):
        return cx.read(value) if is_own(cx, value) else None
    choice = value.view.parent  # type: ignore[union-attr]
    one, two = (number_in(cx, part) for part in (choice.first, choice.second))
    if one is None or two is None or one == two:
        return two if one is None else one
    found = Var(join(type_of_arg(one), type_of_arg(two)), choice.hint)
    sides = Block([], (one,)), Block([], (two,))
    cx.builder.append(If(choice.flag, *sides, (found,), cx.builder.span, cx.builder.adjoint))
    return found


def settle_places(cx: Context, templates: dict[Slot, Template], end: State) -> None:
    """At the end of a pass: what it leaves to the next one by a reference gets its place.

    It has it before the loop is asked what its passes change, as heaps are.
    """
    if cx.handles:
        for slot, template in templates.items():
            settle_place(cx, template, get_slot(end, slot))


def settle_place(cx: Context, template: Template, value: Value | None) -> None:
    """``value``: of the template's structure, unless the pass has changed that."""
    inner, held = template.children[0] if template.kind == "maybe" else template, value_of(value)
    if inner.kind == "reference":
        if isinstance(held, Arr):
            locate(cx, held, certain=not isinstance(value, Maybe))
        elif isinstance(held, Lst) and not in_heap(held):
            move_list(cx, held)
        return
    items: Sequence[Value] = ()
    if isinstance(held, Tup):
        items = held.items
    elif isinstance(held, (Lst, Dct, Obj)) and cx.state.look(held) is not None:
        content = cx.state.get(held)
        items = tuple(content.values()) if isinstance(content, dict) else content
    elif isinstance(held, tuple):  # the content of a list
        items = held
    if isinstance(items, tuple) and inner.kind == "leaf" and isinstance(inner.type, ListOf):
        doors.dynamic_list(cx, items)
    elif isinstance(items, tuple) and len(items) == len(inner.children):
        for child, item in zip(inner.children, items, strict=True):
            settle_place(cx, child, item)
