"""What does a list hold, and a name that a loop carries, where it holds a reference to an array?

Ints: the number of a place, and where it is there. A place is an array from before all branches and loops, a
heap (heaps.py), or a window on one of these; the ints are a position in the heap and the indices of the
window. What a reference leads to is an array as any other: a choice (choices.py) where there are several
places. So a write through one reference is seen through all, whatever lists do with their elements.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....rules import containers
from ...ir.alternatives import is_mixed
from ...ir.builtin import make_tuple, tuple_get
from ...ir.ops import (
    Arg,
    Block,
    For,
    If,
    Lit,
    Seq,
    Slice,
    Undefined,
    Var,
    atoms,
    binders,
    blocks,
    operands,
    walk,
)
from ...ir.types import (
    NOTHING,
    Array,
    ListOf,
    Record,
    Reference,
    Scalar,
    Type,
    element_of,
    has_references,
    list_of,
    without_places,
)
from .. import doors
from ..builder import content_type, type_of_arg
from ..context import Context
from ..loops.slots import in_heap
from ..types.joins import is_alike, join
from ..values import Arr, Choice, Heap, Lst, is_outside
from .choices import among, is_replaced
from .heaps import INT, array_in_heap, heap_of_lists, is_lasting, list_at, move, move_list
from .records import has_records, of_record, require_unseen

NOWHERE = -1  # instead of the number of a place
MOST = 4  # places that one reference may lead to
WHICH = "which array an element of a list, or a name, refers to"


class Hole(Lit):
    """A place in the index of a window for an int that the reference has."""

    def __repr__(self) -> str:
        return f"<{self.value}>"


@dataclass(frozen=True)
class Place:
    """``steps``: the indices of the windows, from the base on; ``width``: how many ints it takes."""

    base: Arr
    steps: tuple[Arg, ...]
    type: Type
    width: int

    def is_same(self, other: Place) -> bool:
        same = self.base is other.base and self.type == other.type
        return same and repr(self.steps) == repr(other.steps)


@dataclass
class Location:
    """Where an array is: the number of its place, and the ints there; ``numbers``: of all that it may be.

    ``own``: whether it may be nowhere, as a number is, or None.
    """

    which: Arg
    ints: list[Arg]
    numbers: frozenset[int]
    own: bool = False


# ----- from arrays to references
def reference(cx: Context, value: Arr | Lst) -> Var:
    """The reference to an array or a list, as an element."""
    found = locate(cx, value) if isinstance(value, Arr) else locate_list(cx, value)
    if found.own:
        raise cx.aliased(WHICH, "it may be an array, a number or None")
    cx.outside().demand_width(len(found.ints))
    width = cx.outside().width
    ints = [*found.ints, *[Lit(0)] * (width - len(found.ints))]
    type = Reference((INT,) * (1 + width), found.numbers)
    return cx.builder.opaque(make_tuple, (found.which, *ints), type)


def locate(cx: Context, arr: Arr, steps: tuple[Arg, ...] = (), certain: bool = True) -> Location:
    """Where an array is, or a window on it; it gets a place if it has none.

    ``certain``: whether it is there, on whatever path.
    """
    if arr in cx.located and not steps:
        return cx.located[arr]
    if not steps and is_own(cx, arr):
        return Location(Lit(NOWHERE), [], frozenset(), own=True)
    while True:
        if arr.sources or arr.foreign and not is_outside(arr):
            raise cx.aliased(WHICH, "it may be one of several, of which one was written since")
        view = arr.view
        if view is None and not is_lasting(cx, arr):
            if not certain or arr in cx.partial:
                raise cx.aliased(WHICH, "it may be an array that only one path has made")
            move(cx, arr)
            continue
        if view is not None and isinstance(view.parent, Choice):
            return one_of_two(cx, view.parent, steps, certain)
        if view is None or view.at is not None:
            break
        if view.index is None or not isinstance(view.parent, Arr):
            if not is_lasting(cx, arr) or not isinstance(view.parent, Arr):
                raise cx.aliased(WHICH, "a view that is no window by an index is made in a branch or loop")
            break
        arr, steps = view.parent, (view.index, *steps)
    ints: list[Arg] = []
    base = arr
    if arr.view is not None and arr.view.at is not None:
        assert isinstance(arr.view.parent, Heap)
        base = arr.view.parent
        ints.append(arr.view.at)
    holes = tuple(with_holes(cx, step, ints) for step in steps)
    number = number_of(cx, base, arr, steps, holes, len(ints))
    return Location(Lit(number), ints, frozenset([number]))


def is_own(cx: Context, arr: Arr) -> bool:
    """Whether it is a number or None, one of two values of which the other one is an array."""
    return arr.view is None and not isinstance(arr, Heap) and is_replaced(cx.read(arr).type)


def locate_list(cx: Context, base: Lst) -> Location:
    """The location of a list; it gets a place if it has none."""
    if not in_heap(base):
        move_list(cx, base)
    assert base.view is not None and base.view.at is not None
    number = place_of_lists(cx)
    return Location(Lit(number), [base.view.at], frozenset([number]))


def place_of_lists(cx: Context) -> int:
    return numbered(cx, Place(heap_of_lists(cx), (), list_of(NOTHING), 1))


def number_of(
    cx: Context, base: Arr, arr: Arr, steps: Sequence[Arg], holes: tuple[Arg, ...], width: int
) -> int:
    """The number of a place, which it gets when it is first met."""
    type = type_seen(cx, arr, steps)
    return numbered(cx, Place(base, holes, type, width))


def numbered(cx: Context, place: Place) -> int:
    for number, known in enumerate(cx.places):
        if known.is_same(place):
            return number
    cx.places.append(place)
    return len(cx.places) - 1


def type_seen(cx: Context, arr: Arr, steps: Sequence[Arg]) -> Array:
    """The type of a window on an array, whatever its lengths are where they hang on no argument."""
    outer, cx.state = cx.state, cx.state.fork()
    try:
        with cx.builder.nested(Block()):
            for step in steps:
                arr = doors.item_view(cx, arr, step)
            type = list_of(cx.read(arr).type).element
    finally:
        cx.state = outer
    if not isinstance(type, Array) or type.shape is None or is_mixed(type):
        raise cx.aliased(WHICH, "it may be an array, a number or None")
    return type


def with_holes(cx: Context, index: Arg, ints: list[Arg]) -> Arg:
    """An index with holes for ints that may be others where the window is opened again."""

    def hole(value: Arg) -> Arg:
        if isinstance(value, Var) and value.type != INT:
            value = cx.builder.opaque(int, (value,), INT)
        ints.append(Lit(int(value.value)) if isinstance(value, Lit) else value)
        return Hole(len(ints) - 1)

    def part(arg: Arg) -> Arg:
        if isinstance(arg, Slice):
            return Slice(*(bound(one) for one in (arg.start, arg.stop, arg.step)))
        plain = isinstance(arg, Lit) and isinstance(arg.value, (int, np.integer))
        number = plain and not isinstance(arg.value, bool)  # type: ignore[union-attr]
        return hole(arg) if number or isinstance(arg, Var) else arg

    def bound(arg: Arg) -> Arg:
        made = isinstance(arg, Var) and bool(cx.regions) and arg.id >= cx.regions[0].first
        return hole(arg) if made else arg

    if isinstance(index, Seq) and index.kind is tuple:
        return Seq(tuple(map(part, index.items)), tuple)
    return part(index)


def one_of_two(cx: Context, choice: Choice, steps: tuple[Arg, ...], certain: bool) -> Location:
    """The location of the one of two arrays that a boolean tells."""
    one, two = (locate(cx, side, steps, certain) for side in (choice.first, choice.second))
    width = max(len(one.ints), len(two.ints))
    pairs = [(one.which, two.which)]
    for i in range(width):
        a, b = (side.ints[i] if i < len(side.ints) else Lit(0) for side in (one, two))
        pairs.append((a, b))
    outs = tuple(Var(INT) for _ in pairs)
    sides = Block([], tuple(a for a, _ in pairs)), Block([], tuple(b for _, b in pairs))
    cx.builder.append(If(choice.flag, *sides, outs, cx.builder.span, cx.builder.adjoint))
    which: Arg = one.which if _same(one.which, two.which) else outs[0]
    return Location(which, list(outs[1:]), one.numbers | two.numbers, one.own or two.own)


def _same(a: Arg, b: Arg) -> bool:
    return a is b or isinstance(a, Lit) and isinstance(b, Lit) and a.value == b.value


# ----- from references to arrays
def referred_to(cx: Context, var: Var) -> Any:
    """The array or list that a reference leads to, or what else a tuple stands for."""
    if isinstance(var.type, Record):
        return of_record(cx, var)
    assert isinstance(var.type, Reference)
    if any(isinstance(cx.places[n].type, ListOf) for n in var.type.places):
        return list_at(cx, cx.builder.opaque(tuple_get, (var, Lit(1)), INT))
    numbers = require_few(cx, var.type.places)
    width = max(cx.places[n].width for n in numbers)
    ints: list[Arg] = [cx.builder.opaque(tuple_get, (var, Lit(i + 1)), INT) for i in range(width)]
    if len(numbers) == 1:
        return array_at(cx, cx.places[numbers[0]], ints)
    which = cx.builder.opaque(tuple_get, (var, Lit(0)), INT)
    found = one_of(cx, numbers, flags_of(cx, which, numbers), ints, var.hint)
    cx.located[found] = Location(which, ints, frozenset(numbers))
    return found


def require_few(cx: Context, numbers: frozenset[int]) -> list[int]:
    types = [cx.places[n].type for n in sorted(numbers)]
    if len(numbers) > MOST or not all(is_alike(type, types[0]) for type in types):
        raise cx.unsupported(
            WHICH,
            f"there are more than {MOST}, or they have other dtypes or numbers of axes",
            "use copies, or fewer arrays",
        )
    return sorted(numbers)


def flags_of(cx: Context, which: Arg, numbers: Sequence[int]) -> list[Arg]:
    """For each place but the last one, whether it is the one."""
    if isinstance(which, Lit):
        return [Lit(which.value == n) for n in numbers[:-1]]
    return [cx.builder.opaque(operator.eq, (which, Lit(n)), Scalar("bool")) for n in numbers[:-1]]


def one_of(
    cx: Context,
    numbers: Sequence[int],
    flags: Sequence[Arg],
    ints: Sequence[Arg],
    hint: str | None,
    values: Sequence[Arr] = (),
) -> Arr:
    """The array at the place of which the flag holds; if it is none of them, the last of ``values``."""
    places = [cx.places[n] for n in numbers]
    types: list[Type] = [place.type for place in places]
    type = element_of(ListOf(functools.reduce(join, types)))
    arrays = [array_at(cx, place, ints) for place in places]
    type = functools.reduce(join, [type, *(cx.read(value).type for value in values)])
    return among([*arrays, *values], [f for f in flags if isinstance(f, Var)], type, hint)


def array_at(cx: Context, place: Place, ints: Sequence[Arg]) -> Arr:
    arr = array_in_heap(cx, place.base, ints[0]) if isinstance(place.base, Heap) else place.base
    for step in place.steps:
        arr = doors.item_view(cx, arr, filled(step, ints))
    return arr


def filled(index: Arg, ints: Sequence[Arg]) -> Arg:
    """An index with ints in its holes."""
    if isinstance(index, Hole):
        return ints[index.value]
    if isinstance(index, Seq):
        return Seq(tuple(filled(part, ints) for part in index.items), index.kind)
    if isinstance(index, Slice):
        return Slice(*(filled(part, ints) for part in (index.start, index.stop, index.step)))
    return index


def values_of(cx: Context, content: Var) -> Var:
    """A list of the values to which the references in a list lead, for functions that look at no more."""
    assert isinstance(content.type, ListOf)
    index, outer = Var(INT), cx.state
    cx.state = outer.fork()
    with cx.builder.nested(Block()) as body:
        item = cx.builder.opaque(containers.list_get, (content, index), content_type(content))
        value = cx.arg(cx.wrap_var(item))
        type = list_of(type_of_arg(value))
        so_far = Var(type)
        body.results = (cx.builder.opaque(containers.list_append, (so_far, value), type),)
    cx.state = outer
    none = doors.dynamic_list(cx, ())
    count = cx.builder.opaque(containers.list_len, (content,), INT)
    out = Var(type, content.hint)
    steps = Lit(0), count, Lit(1)
    cx.builder.append(
        For(
            index,
            steps,
            (),
            (so_far,),
            (none,),
            body,
            (out,),
            span=cx.builder.span,
            adjoint=cx.builder.adjoint,
        )
    )
    return out


def without_references(block: Block) -> None:
    """Behind the front end references are tuples of ints, and records are tuples, too."""
    require_unseen(block)
    for op in walk(block):
        outs = op.outs
        results = [arg for inner in blocks(op) for arg in inner.results]
        for atom in (*outs, *binders(op), *(a for arg in (*operands(op), *results) for a in atoms(arg))):
            if isinstance(atom, (Var, Undefined)) and (has_references(atom.type) or has_records(atom.type)):
                atom.type = without_places(atom.type)


doors.reference = reference
doors.referred_to = referred_to
doors.values_of = values_of
