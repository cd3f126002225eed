"""Which arrays are elements of lists of run-time length, and who else may refer to them?

The element of such a list is a reference in Python; in the IR the list holds values. Both are the same as
long as no element is written, or only through the list while nothing else refers to it. Lists made at one
place of the program share a ``Pool``, which stands for the elements of all of them. A write to an array that
is in a pool is refused, and so is a write through a list to an element that something else may refer to; an
element that was read stays what it was when the list gets another one in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...ir.ops import Var
from ...ir.types import Array, DictOf, ListOf, Optional, Reference, TupleOf, Type
from .. import doors
from ..context import Context
from ..loops.slots import in_heap
from ..values import AGAIN, Arr, Dct, Held, Lost, Lst, Pool, Seen, Slot, State, Value
from .identities import changed
from .shared_names import items_held, lists_of, live_lists, may_be, references, roots_of

if TYPE_CHECKING:
    from ..loops.template import Template

ELEMENT = "an array that is also an element of a list"
STALE: Any = type("Stale", (), {"__repr__": lambda self: "STALE"})()
STALE_LIST = Lost(
    "a list that is an element of another list", "elements were written since, under another name perhaps"
)


def refers(type: Type) -> bool:
    """Whether values of the type are, or hold, references to what can be written."""
    if isinstance(type, Optional):
        return refers(type.value)
    if isinstance(type, Reference):  # ints: who writes to the array has the array itself
        return False
    if isinstance(type, TupleOf):
        return any(map(refers, type.items))
    return isinstance(type, (Array, ListOf, DictOf))


# ----- what is in which pool
def pools_of(cx: Context, base: Lst | Dct) -> frozenset[Pool]:
    """The pools of a list's elements: one for the place where it was made, unless it has some already."""
    if not base.pools:
        span = cx.builder.span
        base.pools = frozenset((Pool((span.filename, span.line, span.column, span.function)),))
    return base.pools


def placed(cx: Context, base: Lst) -> Lst:
    """A new list, with the pool of the place where it is made."""
    pools_of(cx, base)
    return base


def pools_with(cx: Context, root: object, state: State) -> frozenset[Pool]:
    """The pools that an array or list may be in."""
    known = state.held.roots.get(root, frozenset())
    return known | root.within if isinstance(root, (Arr, Lst, Dct)) else known


def hold_element(cx: Context, pools: frozenset[Pool], value: Value, once: bool = False) -> None:
    """``value`` becomes an element; ``once``: not anew in each pass of a loop."""
    if cx.handles:
        return  # as a reference
    for part in references_in(cx, value):
        if isinstance(part, Lst):
            hold_inside(cx, pools, pools_of(cx, part))
    parts = [(one, root) for one in references_in(cx, value) for root in roots_of(one)]
    parts += [(one, root) for one in references_in(cx, value) for s in may_be(one) for root in roots_of(s)]
    for part, root in parts:
        before = pools_with(cx, root, cx.state)
        fresh = part is root and not before and (once or root.serial > cx.since)
        if isinstance(root, (Lst, Dct)) and part is not root:  # an element of another list
            before |= pools_of(cx, root)
            fresh = False
        if isinstance(part, Arr) and (part.foreign or part.argument is not None):
            fresh = False
        if not (isinstance(root, (Lst, Dct)) and part is not root):
            held = cx.state.held
            cx.state.held = replace(held, roots={**held.roots, root: before | pools})
        if not fresh:
            share(cx, before | pools, "an array or list that is an element of several lists, or twice of one")


def hold_inside(cx: Context, pools: frozenset[Pool], inner: frozenset[Pool]) -> None:
    """Note that elements of ``pools`` are lists with elements of ``inner``."""
    held = cx.state.held
    new = {pool: found for pool in pools if not inner <= (found := held.inside.get(pool, frozenset()))}
    if new:
        inside = {**held.inside, **{pool: found | inner for pool, found in new.items()}}
        cx.state.held = replace(held, inside=inside)


def inner_pools(cx: Context, base: Lst | Dct) -> frozenset[Pool]:
    """The pools of the elements of a list's elements."""
    pools = pools_of(cx, base)
    found = frozenset[Pool]().union(*(cx.state.held.inside.get(pool, frozenset()) for pool in pools))
    if not found:
        found = frozenset(Pool(("inside", pool)) for pool in pools)
        hold_inside(cx, pools, found)
    return found


def references_in(cx: Context, value: Value) -> Iterator[Any]:
    """The arrays and lists of which a value is made."""
    stack, seen = [value], set()
    while stack:
        part = stack.pop()
        if isinstance(part, Arr):
            yield part
            continue
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, Lst):
            yield part
        stack += items_held(part, cx.state)


def share(cx: Context, pools: Collection[Pool], why: str) -> None:
    """Note that elements of the pools may have other references from now on."""
    held = cx.state.held
    new = {pool: why for pool in pools if pool not in held.shared}
    if new:
        cx.state.held = replace(held, shared={**held.shared, **new})


def same_elements(cx: Context, base: Lst, content: object) -> Lst:
    """A list with elements of another one."""
    if isinstance(content, Var) and isinstance(content.type, ListOf) and refers(content.type.element):
        share(cx, pools_of(cx, base), "an array or list that is an element of several lists")
    return Lst(content, pools=base.pools)


def own_elements(cx: Context, base: Lst) -> Any:
    """The content of a list as a run-time list."""
    content = cx.state.get(base)
    if isinstance(content, Var):
        return content
    for item in content:
        hold_element(cx, pools_of(cx, base), item, once=True)
    return doors.dynamic_list(cx, content)


def element_value(cx: Context, base: Lst | Dct, var: Var) -> Any:
    """What was read out of a list of tuples or lists: its parts must not be written."""
    value = cx.wrap_var(var)
    if refers(var.type):
        inner = inner_pools(cx, base)
        for part in references_in(cx, value):
            part.within = pools_of(cx, base)
            if isinstance(part, Lst):
                part.pools = inner
    return value


# ----- changes of lists and of their elements
def change_items(cx: Context, base: Lst, change: Callable[[list[Any]], Any], kind: str = "other") -> Any:
    """Change the items of a list of fixed length; where Python would raise, the program does."""
    items = list(cx.state.get(base))
    try:
        found = change(items)
    except (IndexError, ValueError) as error:
        raise cx.unsupported(
            "a change of a list", f"{error}: it has {len(items)} items", "check it", exception=error
        ) from None
    set_list(cx, base, tuple(items), kind)
    return found


def set_list(cx: Context, base: Lst, content: object, change: str = "other") -> None:
    """The list holds ``content`` from now on; ``change``: 'set' (of one item), 'append', or 'other'."""
    doors.check_iterated(cx, base, change)
    if in_heap(base):
        write_in_heap(cx, base, content)
        return
    if base.view is not None:
        assert isinstance(base.view.parent, (Lst, Dct))
        write_element(cx, base, base.view.parent, variable(cx, base, content))
        return
    if pools_with(cx, base, cx.state):
        raise cx.element(
            "a change of a list that is an element of another list",
            "that list's length is known at run time only",
            "use a two-dimensional array, or change the list before it is put into the other one",
        )
    settled(cx, base)
    changed(cx, base)
    cx.state.set(base, content)


def write_in_heap(cx: Context, base: Lst, content: object) -> None:
    """A list that is known by its place holds ``content`` from now on."""
    assert base.view is not None and base.view.put is not None
    heap = base.view.parent
    for source in cx.iterated:
        if any(in_heap(one) and one.view.parent is heap and one is not base for one in lists_of(source)):  # type: ignore
            raise cx.unsupported(
                "a change of a list in a list, while a loop runs over it, perhaps",
                "the compiler can't tell which items are still to come",
                "run over a copy: `for v in list(...)`",
            )
    var = variable(cx, base, content)
    after = base.view.put(cx.read(heap), var)
    changed(cx, base)
    cx.state.set(heap, after)
    cx.state.set(base, Seen(after, var))


def variable(cx: Context, base: Lst, content: object) -> Var:
    """What a list holds, of a run-time length."""
    return content if isinstance(content, Var) else own_elements(cx, Lst(content, pools=base.pools))


def write_element(cx: Context, part: Arr | Lst, base: Lst | Dct, var: Var) -> None:
    """An array or list that was read out of a list becomes ``var``, and is seen in the list."""
    assert part.view is not None and part.view.put is not None
    content, pools = cx.state.get(base), pools_of(cx, base)
    if isinstance(part, Lst):
        cx.state.get(part)  # perhaps anew
    if parent_of(cx.state.contents[part]) is not content:
        raise cx.element(
            "a write to an element of a list that was changed since the element was read",
            "the compiler can't tell whether it is still in the list",
            "read the element again, or write before the list is changed",
        )
    why = other_names(cx, pools)
    if why is not None or base.view is None and pools_with(cx, base, cx.state):
        raise cx.element(
            f"a write to {why or 'an element of a list in a list'}",
            "the compiler can't tell what else the write changes",
            "copy the array first: `a = a.copy()`",
        )
    after = part.view.put(content, var)
    if base.view is not None:
        assert isinstance(base.view.parent, (Lst, Dct))
        write_element(cx, base, base.view.parent, after)
    else:
        changed(cx, base)
        cx.state.set(base, after)
    touched(cx, cx.state, pools, base, content)
    cx.state.set(part, (after, var) if isinstance(part, Arr) else Seen(after, var))


def parent_of(cached: Any) -> Any:
    """What a list held when an element was read."""
    return cached.parent if isinstance(cached, Seen) else cached[0] if isinstance(cached, tuple) else None


def other_names(cx: Context, pools: Collection[Pool]) -> str | None:
    """Why an element of the pools may be seen otherwise than through the list."""
    held = cx.state.held
    why = next((held.shared[pool] for pool in pools if pool in held.shared), None)
    named = [*references(cx, cx.state), *(one for one in live_lists(cx, cx.state) if one.view is None)]
    if any(pools_with(cx, root, cx.state) & set(pools) for root in named):
        why = "an element of a list, which has another name, too"
    return why


def touched(
    cx: Context, state: State, pools: Collection[Pool], base: Value | None = None, before: object = None
) -> None:
    """An element was written: what else was read out of the lists is to be read again, or lost."""
    marks = {pool: object() for pool in pools}
    state.held = replace(state.held, written={**state.held.written, **marks})
    for key, cached in list(state.contents.items()):
        if is_element(key) and key.view.parent.pools & set(pools):
            again = key.view.parent is base and (cached is AGAIN or parent_of(cached) is before)
            state.contents[key] = AGAIN if again else stale(key)
    for source in cx.iterated:
        for one in lists_of(source):
            if is_element(one) and one.view.parent.pools & set(pools) and one is not base:  # type: ignore
                raise cx.unsupported(
                    "a change of a list in a list, while a loop runs over it, perhaps",
                    "the compiler can't tell which items are still to come",
                    "run over a copy: `for v in list(...)`",
                )


def stale(key: Arr | Lst) -> Any:
    """What is known of an element that may have been written."""
    return STALE if isinstance(key, Arr) else STALE_LIST


def read_element(cx: Context, arr: Arr) -> Var:
    """The value of an array that was read out of a list: what it was then, unless it was written."""
    assert arr.view is not None
    cached = cx.state.contents.get(arr, STALE)
    if cached is AGAIN:
        content = cx.state.get(arr.view.parent)
        assert arr.view.get is not None
        cached = content, arr.view.get(content)
        cx.state.set(arr, cached)
    if cached is STALE:
        raise cx.element(
            "a read of an element of a list after elements were written",
            "the compiler can't tell whether the write changed it",
            "read it from the list again",
        )
    return cached[1]


def pools_around(cx: Context, value: Value, state: State) -> frozenset[Pool]:
    """The pools that an array is in, as an element or as a window on one."""
    found: frozenset[Pool] = frozenset()
    for root in roots_of(value):
        if isinstance(root, (Lst, Dct)):
            found |= pools_of(cx, root)
        elif isinstance(root, Arr):
            found |= pools_with(cx, root, state)
    return found


def popped(cx: Context, base: Lst | Dct, var: Var) -> Any:
    """The last element, which is in the list no longer."""
    held, pools = cx.state.held, pools_of(cx, base)
    named = any(
        pools_with(cx, root, cx.state) & pools or isinstance(root, (Lst, Dct)) and root.pools & pools
        for root in references(cx, cx.state)
    )
    if named or not pools.isdisjoint(held.shared):
        return element_value(cx, base, var)
    value = cx.wrap_var(var)
    if refers(var.type):
        inner = inner_pools(cx, base)
        for part in references_in(cx, value):
            if isinstance(part, Lst):
                part.pools = inner
    return value


def settled(cx: Context, base: Lst | Dct) -> None:
    """The list is about to be rearranged: elements that were to be read again are lost."""
    for key, cached in list(cx.state.contents.items()):
        if cached is AGAIN and key.view.parent is base:
            cx.state.contents[key] = stale(key)


# ----- loops
def hold_entries(
    cx: Context, entry: State, state: State, templates: dict[Slot, Template], held: Held
) -> None:
    """What is known at the start of any pass; lists that become run-time lists hold their items."""
    state.held = held
    written = {p for p, mark in held.written.items() if entry.held.written.get(p) is not mark}
    for key in list(state.contents):
        if is_element(key) and key.view.parent.pools & written:
            state.contents[key] = stale(key)
    for (owner, name), template in templates.items():
        content = entry.look(owner)
        value = owner if name is None else content.get(name) if isinstance(content, dict) else None
        if isinstance(value, (Lst, Dct)):
            hold_items(cx, (owner, name), value, template, entry, state)


def hold_items(
    cx: Context, slot: Slot, value: Value, template: Template, state: State, into: State | None = None
) -> None:
    """The items of a list that is to be a run-time list are elements from now on."""
    base = slot[0] if isinstance(slot[0], (Lst, Dct)) and slot[1] is None else value
    if not (template.kind == "leaf" and isinstance(template.type, (ListOf, DictOf))):
        return
    if not isinstance(base, (Lst, Dct)):
        return
    content = value if isinstance(value, (tuple, dict)) else state.get(base)
    items = content.values() if isinstance(content, dict) else content if isinstance(content, tuple) else ()
    outer, cx.state = cx.state, into or state
    for item in items:
        hold_element(cx, pools_of(cx, base) | template.pools, item, once=into is not None)
    cx.state = outer


def known_later(cx: Context, held: Held, states: tuple[State, State, State], since: int) -> Held:
    """What is known at the start of a pass, given what is known at the end of one."""
    entry, start, end = states
    roots = {root: pools for root, pools in end.held.roots.items() if root.serial <= since}
    for root, pools in held.roots.items():
        roots[root] = roots.get(root, frozenset()) | pools
    written = dict(held.written)
    for pool, mark in end.held.written.items():
        if start.held.written.get(pool) is not mark and written.get(pool) is entry.held.written.get(pool):
            written[pool] = object()
    return Held(roots, {**end.held.shared, **held.shared}, written, (held | end.held).inside)


def is_element(key: object) -> bool:
    """Whether it is an array that was read out of a run-time list."""
    return isinstance(key, (Arr, Lst)) and key.view is not None and isinstance(key.view.parent, (Lst, Dct))


doors.pools_with = pools_with
doors.read_element = read_element
doors.write_element = write_element
