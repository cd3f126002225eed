"""What is known where two paths meet? One store of two.

A slot that holds different things on the two paths becomes one value, chosen at run time. Structures
(tuples, lists of one length, dicts with the same keys) are merged element by element; two lists of
different length become one whose length is known at run time only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....interrupts import let_through
from ...ir.ops import Arg, Block, Lit, Seq, Var
from ...ir.types import NOTHING, Array, ListOf, Scalar, Type, list_of
from .. import doors
from ..builder import type_of_arg
from ..constructs.boundness import PARTS, components, merge_bound, merge_dead, same_make
from ..constructs.statements import EXITS
from ..context import Context
from ..loops.slots import in_heap, is_window
from ..types.joins import ShapeChange, join, join_lists
from ..values import Arr, Dct, Frame, Heap, Lost, Lst, Maybe, Obj, Pool, Sides, State, Tup, Unbound, Value
from .holding import is_element, own_elements, pools_around, pools_of, pools_with, stale
from .identities import CONTAINERS, ITERATORS, NamedTwice, is_iterator, one_of
from .made_on_paths import one_of_two
from .records import record
from .shared_names import ONE_OF_TWO, readable, refusal_of, roots_of, still_returned, watch


@dataclass
class Phis:
    """The values that two branches yield, and the variables that receive them."""

    then: list[Arg] = field(default_factory=list)
    orelse: list[Arg] = field(default_factory=list)
    outs: list[Var] = field(default_factory=list)
    memo: dict[Any, Any] = field(default_factory=dict)
    named_twice: NamedTwice | None = None  # what has several names, on each path
    apart: bool = False  # whether what is merged lies in such a container
    arrays: list[Arr] = field(default_factory=list)
    pairs: list[tuple[Arr, tuple[Any, Any]]] = field(
        default_factory=list
    )  # the arrays, and what each is one of
    merged: State = field(default_factory=State)  # the store behind the branch
    flag: Var | None = None  # which path was taken
    states: tuple[State, ...] = ()  # the stores at the ends of the paths

    @property
    def shared(self) -> tuple[Collection[Any], Collection[Any]]:
        """The roots with several names, on each path."""
        return ((), ()) if self.named_twice is None else self.named_twice.roots

    @property
    def twice(self) -> tuple[Collection[Any], Collection[Any]]:
        """The containers with several names, on each path."""
        return ((), ()) if self.named_twice is None else self.named_twice.containers

    def add(self, a: Arg, b: Arg, type: Type, hint: str | None) -> Var:
        key = (
            a.id if isinstance(a, Var) else ("lit", repr(a)),
            b.id if isinstance(b, Var) else ("lit", repr(b)),
        )
        found = self.memo.get(key)
        if found is None:
            self.then.append(a)
            self.orelse.append(b)
            found = self.memo[key] = Var(type, hint)
            self.outs.append(found)
        return found


def merge_states(
    cx: Context, since: int, sides: tuple[tuple[State, Block], tuple[State, Block]], phis: Phis
) -> State:
    """One store for what follows a branch; values that differ are added to ``phis``."""
    (first, _), (second, _) = sides
    if first.dead or second.dead:
        return merge_dead(cx, sides, phis, since)
    merged = phis.merged = first.fork()
    merged.held = first.held | second.held
    phis.states = first, second
    phis.named_twice = NamedTwice(cx, first, second)
    for key in {**first.contents, **second.contents}:
        a, b = first.contents.get(key), second.contents.get(key)
        if a is b:
            continue
        if is_element(key):
            merged.contents[key] = stale(key)
            continue
        if in_heap(key):
            merged.contents.pop(key, None)
            continue
        if isinstance(key, Arr) and key.view is not None:
            if a is None or b is None or is_window(key):
                merged.contents.pop(key, None)
            continue
        if getattr(key, "serial", 0) > since and not isinstance(key, Frame):
            continue
        lost = next((c for c in (first.look(key), second.look(key)) if isinstance(c, Lost)), None)
        if lost is not None:
            merged.set(key, lost)
            continue
        try:
            content = merge_content(cx, key, first.get(key), second.get(key), sides, phis, since)
        except ShapeChange as change:
            raise cx.unsupported(
                "a list or an array that differs between the paths",
                str(change),
                "give it one type and structure on every path",
            ) from None
        merged.set(key, content)
    merged.held = merged.held | first.held | second.held  # lists have got a run-time length meanwhile
    for arr, values in phis.pairs:
        for value in values:
            if isinstance(value, Arr):
                arr.within |= pools_around(cx, value, merged)
    for arr in phis.arrays:
        watch(cx, arr, merged)
    return merged


def merge_content(cx: Context, key: object, a: Any, b: Any, sides: Sides, phis: Phis, since: int) -> Any:
    if isinstance(key, Dct) and (isinstance(a, Var) or isinstance(b, Var)):
        return merge_dicts(cx, a, b, sides, phis, pools_of(cx, key))
    if isinstance(key, (Frame, Dct, Obj)):
        names = {**a, **b}
        if isinstance(key, Dct) and set(a) != set(b):
            raise cx.unsupported(
                "a dict whose keys depend on the path taken",
                "its structure must be static",
                "set every key on both paths",
            )
        return {
            name: merge_slot(
                cx, name, a.get(name, Unbound(str(name))), b.get(name, Unbound(str(name))), sides, phis, since
            )
            for name in names
        }
    if isinstance(key, ITERATORS):
        return a | b
    if isinstance(key, Lst):
        return merge_lists(cx, a, b, sides, phis, since, pools_of(cx, key))
    if isinstance(key, Heap):
        return merge_lists(cx, a, b, sides, phis, since, frozenset())
    if isinstance(key, Arr):
        return phis.add(a, b, join(a.type, b.type), a.hint or b.hint)
    return a


OF_NO_NAME: dict[object, str] = {"$choice": "the value of an expression", "$value": "what is returned"}


def merge_slot(cx: Context, name: object, a: Value, b: Value, sides: Sides, phis: Phis, since: int) -> Any:
    if name in EXITS:  # not set is not left: the other path may have returned, this one has not
        a, b = (Lit(False) if isinstance(flag, Unbound) else flag for flag in (a, b))
    try:
        return merge_values(cx, a, b, sides, phis, since, str(name))
    except ShapeChange as change:
        raise cx.unsupported(
            f"{OF_NO_NAME.get(name, f'`{name}`')}, which differs between the paths",
            str(change),
            "give it one type and structure on every path",
        ) from None


def merge_values(cx: Context, a: Value, b: Value, sides: Sides, phis: Phis, since: int, name: str) -> Any:
    if a is b:  # also within a tuple, that a path has made anew: an array is none of two then
        return still_returned(cx, a, sides, phis) if name == "$value" else a
    if in_heap(a) and isinstance(b, Lst) or in_heap(b) and isinstance(a, Lst):
        return one_in_heap(cx, a, b, phis)
    key = ("merge", id(a), id(b))
    if key not in phis.memo:
        outer = phis.apart
        if isinstance(a, CONTAINERS) and isinstance(b, CONTAINERS):
            phis.apart = outer or a in phis.twice[0] or b in phis.twice[1]
        phis.memo[key] = (one_of(cx, _merge(cx, a, b, sides, phis, since, name), a, b), a, b)
        phis.apart = outer
    return phis.memo[key][0]


def _merge(cx: Context, a: Value, b: Value, sides: Sides, phis: Phis, since: int, name: str) -> Any:
    now = [
        readable(cx, v, state, name) if isinstance(v, (Arr, Maybe)) else v
        for v, (state, _) in zip((a, b), sides, strict=True)
    ]
    if now[0] is not a or now[1] is not b:
        if name != "$value":
            return now[0] if now[0] is not a else now[1]
        # what wrote since did not return: only the other path has a value
        a, b = (Unbound() if isinstance(state, Lost) else state for state in now)
    if isinstance(a, (Unbound, Maybe, Lost)) or isinstance(b, (Unbound, Maybe, Lost)):
        return merge_bound(cx, a, b, sides, phis, since, name)
    if isinstance(a, Lit) and isinstance(b, Lit) and same_constant(a.value, b.value):
        return a
    if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items) and a.cls == b.cls:
        return Tup(
            tuple(
                merge_values(cx, x, y, sides, phis, since, name)
                for x, y in zip(a.items, b.items, strict=True)
            ),
            a.cls,
        )
    if isinstance(a, Lst) and isinstance(b, Lst):
        (first, _), (second, _) = sides
        pools = pools_of(cx, a) | pools_of(cx, b)
        content = merge_lists(cx, first.get(a), second.get(b), sides, phis, since, pools)
        within = pools_with(cx, a, first) | pools_with(cx, b, second)
        iterator = next((v.shows for v in (a, b) if is_iterator(v)), None)
        return Lst(content, pools=pools, within=within, shows=iterator)
    if isinstance(a, (Dct, Obj)) and type(a) is type(b) and a.cls is b.cls:
        (first, _), (second, _) = sides
        one, two = first.get(a), second.get(b)
        if isinstance(a, Dct) and isinstance(b, Dct) and (isinstance(one, Var) or isinstance(two, Var)):
            pools = pools_of(cx, a) | pools_of(cx, b)
            within = pools_with(cx, a, first) | pools_with(cx, b, second)
            return Dct(merge_dicts(cx, one, two, sides, phis, pools), pools=pools, within=within)
        if set(one) == set(two):
            merged = {k: merge_values(cx, one[k], two[k], sides, phis, since, str(k)) for k in one}
            return type(a)(a.cls, merged) if isinstance(a, Obj) else Dct(merged, a.cls)
    if isinstance(a, PARTS) and same_make(a, b):
        pairs = zip(components(a)[0], components(b)[0], strict=True)
        parts = [merge_values(cx, x, y, sides, phis, since, name) for x, y in pairs]
        return components(a)[1](parts)
    return merge_leaves(cx, a, b, sides, phis, since, name)


def one_in_heap(cx: Context, a: Any, b: Any, phis: Phis) -> Lst:
    """The list that is one of two, each of which is known by its place."""
    if not (in_heap(a) and in_heap(b)):
        raise cx.aliased("a list that is an element of another one, on one path", "who has it is not known")
    at = phis.add(a.view.at, b.view.at, Scalar("int"), None)
    return doors.list_at(cx, at)


def merge_leaves(cx: Context, a: Value, b: Value, sides: Sides, phis: Phis, since: int, name: str) -> Any:
    one, two = leaf_in(cx, a, sides[0]), leaf_in(cx, b, sides[1])
    hint = name if name.isidentifier() else getattr(one, "hint", None)
    if (
        isinstance(one, Lit)
        and isinstance(two, Lit)
        and one.value is True
        and two.value is False
        and cx.flag_cond
    ):
        return cx.flag_cond
    out = phis.add(
        one, two, join(type_of_arg(one), type_of_arg(two)), hint if not name.startswith("$") else name[1:]
    )
    if not isinstance(a, Arr) and not isinstance(b, Arr):
        return cx.wrap_var(out) if isinstance(out.type, (Array, ListOf)) else out
    return merged_array(cx, out, (a, b), phis, since)


def merged_array(cx: Context, out: Var, values: tuple[Value, Value], phis: Phis, since: int) -> Arr:
    """The array that is one of two; read only, until one is written, if one of them has other names."""
    chosen = one_of_two(cx, out, values, phis, since)
    if chosen is not None:
        return chosen
    foreign, sources, within = None, [], frozenset[Pool]()
    for value, shared in zip(values, phis.shared, strict=True):
        if not isinstance(value, Arr):
            continue
        roots = list(roots_of(value))
        within |= pools_around(cx, value, phis.merged)
        sources += [known for known, _ in value.sources]
        foreign = foreign or refusal_of(value)
        if phis.apart or any(root in shared for root in roots):
            foreign = foreign or ONE_OF_TWO
            sources += roots  # which stay what they are, even made on this path, if the other has none
    once = tuple((root, None) for root in dict.fromkeys(sources))
    orders = frozenset.intersection(*(own_orders(value) for value in values if value is not None))
    merged = Arr(out, None, foreign, sources=once, within=within, orders=orders)
    phis.arrays.append(merged)
    phis.pairs.append((merged, values))
    return merged


def own_orders(value: Value) -> frozenset[str]:
    """The orders in which an array that is no view certainly lies in memory."""
    return value.orders if isinstance(value, Arr) and value.view is None else frozenset()


def leaf_in(cx: Context, value: Value, side: tuple[State, Block]) -> Arg:
    """The value as an argument, read at the end of its branch."""
    state, block = side
    outer, cx.state = cx.state, state
    try:
        with cx.builder.nested(block):
            arg = cx.arg(value)
    finally:
        cx.state = outer
    if isinstance(arg, Lit) and not isinstance(
        arg.value, (bool, int, float, complex, str, type(None), np.generic)
    ):
        raise ShapeChange("it is a different object on each path")
    if isinstance(arg, Seq):
        raise ShapeChange("its structure differs between the paths")
    return arg


def merge_lists(
    cx: Context, a: Value, b: Value, sides: Sides, phis: Phis, since: int, pools: frozenset[Pool]
) -> Any:
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(merge_values(cx, x, y, sides, phis, since, "item") for x, y in zip(a, b, strict=True))
    one, two = (dynamic_in(cx, c, side, pools) for c, side in ((a, sides[0]), (b, sides[1])))
    return phis.add(one, two, join_lists(one.type, two.type), one.hint or two.hint)


def merge_dicts(cx: Context, a: Value, b: Value, sides: Sides, phis: Phis, pools: frozenset[Pool]) -> Var:
    one, two = (dict_in(cx, c, side, pools) for c, side in ((a, sides[0]), (b, sides[1])))
    return phis.add(one, two, join(one.type, two.type), one.hint or two.hint)


def dict_in(cx: Context, content: Any, side: tuple[State, Block], pools: frozenset[Pool]) -> Var:
    """A dict's content as a run-time dict."""
    return run_time_in(cx, content, side, lambda: doors.dynamic_dict(cx, content, Dct(pools=pools)))


def dynamic_in(cx: Context, content: Any, side: tuple[State, Block], pools: frozenset[Pool]) -> Var:
    """A list's content as a run-time list."""
    return run_time_in(cx, content, side, lambda: own_elements(cx, Lst(content, pools=pools)))


def run_time_in(cx: Context, content: object, side: tuple[State, Block], make: Callable[[], Var]) -> Var:
    """A container's content as a value of the program, made at the end of a side where it is none."""
    if isinstance(content, Var):
        return content
    state, block = side
    outer, cx.state = cx.state, state
    try:
        with cx.builder.nested(block):
            return make()
    finally:
        cx.state = outer


def dynamic_list(cx: Context, items: tuple[Value, ...], element: Type | None = None) -> Var:
    """``[a, b, c]`` at run time."""
    from ...ir.builtin import make_list

    args = [element_arg(cx, v) for v in items]
    for arg in args:
        found = type_of_arg(arg)
        element = found if element is None else join(element, found)
    return cx.builder.opaque(make_list, tuple(args), list_of(element if element is not None else NOTHING))


def element_arg(cx: Context, value: Value) -> Arg:
    """A value as an element of a run-time list: the lists in it are run-time lists, too."""
    if isinstance(value, (Arr, Lst)) and cx.handles:
        return doors.reference(cx, value)
    if isinstance(value, Lst):
        return own_elements(cx, value)
    if isinstance(value, Tup) and value.cls is None:
        return Seq(tuple(element_arg(cx, part) for part in value.items), tuple)
    found = record(cx, value)
    return cx.arg(value) if found is None else found


def same_constant(a: object, b: object) -> bool:
    if a is b:
        return True
    if type(a) is not type(b) or isinstance(a, np.ndarray):
        return False
    try:
        return bool(a == b) and not (isinstance(a, float) and str(a) != str(b))
    except Exception as error:  # a comparison of the user's own, which may raise anything: they differ then
        let_through(error)
        return False


doors.dynamic_list = dynamic_list
doors.element_arg = element_arg
doors.leaf_in = leaf_in
doors.merge_values = merge_values
doors.merged_array = merged_array
