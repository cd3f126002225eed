"""Where is an array that is known under names which change from pass to pass, or in lists?

In a heap: a list of all such arrays of one type, which only grows, so that a position in it stands for the
array as long as the program runs. Who knows the position reads and writes the very array. An array moves
there when it becomes an element, or when a pass of a loop leaves it to the next one and another name has it.

It has to move where it is known in all that follows. If that is noticed within a branch or loop that
began after the array was made, what was read of the branch or loop is dropped; the array moves in front
of it, and it is read again (``region``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ....rules import containers
from ...ir.alternatives import is_mixed
from ...ir.ops import Arg, Op, Var
from ...ir.types import NOTHING, Array, Scalar, Type, list_of
from .. import doors
from ..builder import content_type
from ..callables.container_methods import joined_lists
from ..context import Context
from ..values import AGAIN, Arr, Heap, Lst, Pool, Seen, View, now
from .holding import own_elements

INT = Scalar("int")
T = TypeVar("T")


@dataclass
class Region:
    """A branch or loop under way: the time at which it began, and the first variable that is made in it."""

    start: int
    first: int


class Before(Exception):
    """Raised where something older than a branch or loop has to be done in front of it."""

    def __init__(self, serial: int, act: Callable[[], None]) -> None:
        super().__init__("to be done before a branch or loop")
        self.serial, self.act = serial, act


def region(cx: Context, run: Callable[[], T]) -> T:
    """Read a branch or loop, after all that has to be done before it."""
    if not cx.handles:
        return run()
    while True:
        entry, block, mark = cx.state.fork(), cx.builder.block, len(cx.builder.block.ops)
        errors, start, span = dict(cx.errstate), cx.branch_start, cx.builder.span
        cx.regions.append(Region(now(), Var(INT).id))
        try:
            return run()
        except Before as first:
            if any(outer.start > first.serial for outer in cx.regions[:-1]):
                raise
            act = first.act
        finally:
            cx.regions.pop()
        del block.ops[mark:]
        cx.state, cx.errstate, cx.branch_start, cx.builder.span = entry, errors, start, span
        act()


def is_lasting(cx: Context, arr: Arr) -> bool:
    """Whether it was made before all branches and loops under way."""
    return not cx.regions or arr.serial < cx.regions[0].start


def heap_of(cx: Context, arr: Arr, type: Type) -> Heap:
    """The heap of the arrays of a type."""
    if not isinstance(type, Array) or type.shape is None or is_mixed(type):
        raise cx.aliased(
            "a reference to what may be an array, a number or None", "what it refers to decides its type"
        )
    element = list_of(type).element
    key = element, arr.orders
    if key not in cx.heaps:
        cx.heaps[key] = Heap(element=element, orders=arr.orders)
    return cx.heaps[key]


def array_in_heap(cx: Context, heap: Heap, at: Arg) -> Arr:
    """The array at a position of a heap."""
    return Arr(None, view_at(cx, heap, at), orders=heap.orders)


def view_at(cx: Context, heap: Heap, at: Arg) -> View:
    def get(whole: Var) -> Var:
        found, read = Var(content_type(whole)), containers.list_get
        cx.builder.append(  # the program's own place, which it has where the element is read
            Op(read, (whole, at), (found,), {}, cx.builder.span, False, cx.builder.adjoint, sure=True)
        )
        return found

    def put(whole: Var, new: Var) -> Var:
        type = joined_lists(cx, whole.type, list_of(new.type))
        after = cx.builder.opaque(containers.list_set, (whole, at, new), type)
        after.hint = whole.hint
        return after

    return View(heap, get, put, None, (at,) if isinstance(at, Var) else (), at=at)


def move(cx: Context, arr: Arr) -> None:
    """An array gets a place in a heap."""
    if cx.regions and arr.serial < cx.regions[-1].start:
        raise Before(arr.serial, lambda: move(cx, arr))
    content = cx.read(arr)
    heap = heap_of(cx, arr, content.type)
    whole = cx.read(heap)
    whole.hint = whole.hint or "arrays"
    at = cx.builder.opaque(containers.list_len, (whole,), INT)
    type = joined_lists(cx, whole.type, list_of(heap.element))
    after = cx.builder.opaque(containers.list_append, (whole, content), type)
    after.hint = whole.hint
    cx.state.set(heap, after)
    arr.view = view_at(cx, heap, at)
    cx.state.set(arr, (after, content))
    cx.moved.append((arr, arr.initial))


def heap_of_lists(cx: Context) -> Heap:
    """The heap of all lists: what an empty one will hold is not known, so that there is one for all."""
    return cx.heaps.setdefault("lists", Heap(element=list_of(NOTHING)))


def move_list(cx: Context, base: Lst) -> None:
    """A list gets a place in the heap of lists."""
    known = cx.outside().containers
    if base.view is not None or base.serial < 0 or base.shows or base in known or base.alike:
        raise cx.aliased(
            "a list that is an element of a list, and is known otherwise", "who changes it can't be told"
        )
    if cx.regions and base.serial < cx.regions[-1].start:
        raise Before(base.serial, lambda: move_list(cx, base))
    content, heap = own_elements(cx, base), heap_of_lists(cx)
    whole = cx.read(heap)
    whole.hint = whole.hint or "lists"
    at = cx.builder.opaque(containers.list_len, (whole,), INT)
    type = joined_lists(cx, whole.type, list_of(content.type))
    after = cx.builder.opaque(containers.list_append, (whole, content), type)
    after.hint = whole.hint
    cx.state.set(heap, after)
    cx.moved.append((base, base.initial))
    base.view, base.initial = view_at(cx, heap, at), AGAIN
    base.pools = INSIDE
    cx.state.set(base, Seen(after, content))


INSIDE = frozenset((Pool("inside of lists"),))


def list_at(cx: Context, at: Arg) -> Lst:
    """The list at a position of the heap of lists."""
    return Lst(AGAIN, pools=INSIDE, view=view_at(cx, heap_of_lists(cx), at))


def back(cx: Context, count: int) -> None:
    """Undo all moves to a heap but the first ``count``, as what was read since is dropped."""
    while len(cx.moved) > count:
        part, initial = cx.moved.pop()
        part.view, part.initial = None, initial


doors.list_at = list_at
