"""How are shifted sums into one array written so that each element is written once?

The adjoint of a stencil adds a value to an array at several shifts, ``a[1:] += v; a[:-1] += v``: as it stands,
a pass over the array for each, or writes in one loop that no vector unit can do. Where the places overlap, the
sums are gathered element by element, ``a[i] += v[i - 1] + v[i]``; what is left at the edges is done as it stands.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..ir.ops import Arg, Lit, Var
from ..ir.types import Dim
from .body import INT, Body, element_type
from .index import Index
from .nests import Action
from .values import Value, stretched

if TYPE_CHECKING:
    from .scalarize import Scalarizer

Place = tuple[Index, ...]
Number = Dim | int
MAX_WIDTH = 3  # the widest edge that is written out point by point
MAX_UPDATES = 32


@dataclass(eq=False)
class Update:
    """``target[where] = value`` or ``+= value``, for every place within ``lengths``."""

    target: Any
    where: Any
    lengths: tuple[Arg, ...]
    value: Value | Arg
    kind: str
    sign: int

    def element(self, body: Body, place: Place) -> Arg:
        value = self.value
        return value.element(body, stretched(value, place)) if isinstance(value, Value) else value


@dataclass
class Box:
    """Where an update writes: for each of its loops the first place and the one behind the last."""

    update: Update
    first: tuple[int, ...]
    end: tuple[Number, ...]


def gathered(s: Scalarizer, pending: list[Action]) -> list[Action]:
    """The pending actions with the shifted updates of one array made one."""
    result = list(pending)
    done: set[int] = set()
    for action in pending:
        if action.update is None or id(action) in done or action not in result:
            continue
        group = _group(s, result, action)
        done.update(id(a) for a in group)
        boxes = _boxes(s, group)
        if boxes is None:
            continue
        new = _merged(s, group, boxes)
        if new is None:
            continue
        place = result.index(group[-1])
        result[place : place + 1] = new
        result = [a for a in result if a not in group]
    return result


def _group(s: Scalarizer, pending: list[Action], first: Action) -> list[Action]:
    """Further updates of the same places' array, as long as nothing in between interferes."""
    group = [first]
    between: list[Action] = []
    key = _pattern(first)
    for action in pending[pending.index(first) + 1 :]:
        if action.update is not None and _pattern(action) == key and len(group) < MAX_UPDATES:
            if any(_interferes(other, member) for other in between for member in [*group, action]):
                break
            group.append(action)
        else:
            between.append(action)
    return group


def _interferes(other: Action, member: Action) -> bool:
    """Whether an update can't be moved past another action."""
    if not other.defines.isdisjoint(member.reads) or other.barrier:
        return True
    return any(
        a.group == b.group and (a.kind != "r" or b.kind != "r")
        for a in other.accesses
        for b in member.accesses
    )


def _pattern(action: Action) -> Any:
    """The array and how its places follow the loops, but for the shift."""
    update = action.update
    if update is None:
        return None
    loops = tuple(Var(INT) for _ in update.lengths)
    index = update.where(tuple(map(Index, loops)))
    moves = []
    for i in index:
        moves.append(("moves", loops.index(i.loop), i.scale, i.terms) if i.loop in loops else ("stays", i))
    return update.target.var, tuple(moves)


def _boxes(s: Scalarizer, group: list[Action]) -> list[Box] | None:
    """Where the updates write; None if there is nothing to gather, or it is not known well enough."""
    if len(group) < 2:
        return None
    boxes = []
    for action in group:
        update = action.update
        assert update is not None
        loops = tuple(Var(INT) for _ in update.lengths)
        index = update.where(tuple(map(Index, loops)))
        moving = [i for i in index if i.loop in loops]
        if [i.loop for i in moving] != list(loops) or any(i.scale != 1 or i.terms for i in moving):
            return None
        lengths = [s.bounds.affine(n) for n in update.lengths]
        if any(n is None for n in lengths) or _reads_itself(action):
            return None
        first = tuple(i.const for i in moving)
        boxes.append(Box(update, first, tuple(n + f for n, f in zip(lengths, first, strict=True))))  # type: ignore[operator]
    if len({(b.first, b.end) for b in boxes}) < 2 or not boxes[0].first:
        return None
    return boxes


def _reads_itself(action: Action) -> bool:
    target = next(a.group for a in action.accesses if a.kind != "r")
    return any(a.kind == "r" and a.group == target for a in action.accesses)


def _merged(s: Scalarizer, group: list[Action], boxes: list[Box]) -> list[Action] | None:
    """One action for the places that all updates reach, and what is left of each."""
    first = [max(b.first[d] for b in boxes) for d in range(len(boxes[0].first))]
    ends: list[Number] = []
    for d in range(len(first)):
        end = boxes[0].end[d]
        for box in boxes[1:]:
            difference = box.end[d] - end
            if not isinstance(difference, int):
                return None
            end = box.end[d] if difference < 0 else end
        ends.append(end)
    for box in boxes:
        widths = [first[d] - box.first[d] for d in range(len(first))]
        widths += [box.end[d] - ends[d] for d in range(len(first))]  # type: ignore[misc]
        if any(w > MAX_WIDTH for w in widths):
            return None
    lengths = [s.extent(ends[d] - first[d]) for d in range(len(first))]
    if any(n is None for n in lengths) or not all(s.bounds.not_negative(e - f) for e, f in zip(ends, first, strict=True)):
        return None
    core = _core(s, group, boxes, first, lengths)  # type: ignore[arg-type]
    edges = [edge for a, box in zip(group, boxes, strict=True) for edge in _edges(s, a, box, first, ends, lengths)]  # type: ignore[arg-type]
    return [*edges, core]


def _core(
    s: Scalarizer, group: list[Action], boxes: list[Box], first: list[int], lengths: list[Arg]
) -> Action:
    target = boxes[0].update.target
    last = max((k for k, b in enumerate(boxes) if b.update.kind == "w"), default=-1)
    relevant = boxes[max(last, 0) :]
    type = element_type(target.type)

    def emit(body: Body, place: Place) -> None:
        total: Arg | None = None
        for box in relevant:
            own = tuple(
                i.plus(Index(None, 0, f - g)) for i, f, g in zip(place, first, box.first, strict=True)
            )
            x = box.update.element(body, own)
            if total is None:
                total = x if box.update.sign > 0 else body.op(operator.neg, x, type=type)
            else:
                total = body.op(operator.add if box.update.sign > 0 else operator.sub, total, x, type=type)
        box = relevant[0]
        own = tuple(i.plus(Index(None, 0, f - g)) for i, f, g in zip(place, first, box.first, strict=True))
        assert total is not None
        body.store(target.var, target.group, box.update.where(own), total, "w" if last >= 0 else "a")

    return s.prepared(tuple(lengths), emit, group[-1])


def _edges(
    s: Scalarizer, action: Action, box: Box, first: list[int], ends: list[Number], lengths: list[Arg]
) -> Iterator[Action]:
    """What an update writes outside of the common places, in slices one place thick."""
    for d in range(len(first)):
        points: list[Index] = [Index(None, 0, k) for k in range(first[d] - box.first[d])]
        beyond = box.end[d] - ends[d]
        assert isinstance(beyond, int)
        for k in range(beyond):
            start = s.extent(ends[d] - box.first[d])
            if start is not None:
                points.append(Index.of(start).plus(Index(None, 0, k)))
        for point in points:
            yield _edge(s, action, box, d, point, first, lengths)


def _edge(
    s: Scalarizer, action: Action, box: Box, d: int, point: Index, first: list[int], lengths: list[Arg]
) -> Action:
    update = box.update
    own_lengths = (*lengths[:d], *update.lengths[d + 1 :])

    def emit(body: Body, place: Place) -> None:
        own = tuple(
            point
            if k == d
            else place[k].plus(Index(None, 0, first[k] - box.first[k]))
            if k < d
            else place[k - 1]
            for k in range(len(first))
        )
        x = update.element(body, own)
        body.store(update.target.var, update.target.group, update.where(own), x, update.kind, update.sign)

    return s.prepared(own_lengths, emit, action)


__all__ = ["Lit", "Update", "gathered"]
