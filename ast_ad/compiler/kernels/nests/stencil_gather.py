"""How are shifted sums into one array written so that each element is written once?

``gathered(s, pending) -> list[Action]``. In ``Scalarizer.flush``, before ``nests.run`` makes loops of the
pending actions, since it makes one action of several.

The adjoint of a stencil adds a value to an array at several shifts, ``a[1:] += v; a[:-1] += v``: as it
stands, a pass over the array for each, or writes in one loop that no vector unit can do. Where the places
overlap, the sums are gathered element by element, ``a[i] += v[i - 1] + v[i]``; what is left at the edges is
done as it stands.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...ir.ops import Arg, Block, For, If, Lit, Var
from ...ir.types import Array, Dim, Scalar
from ..lowering.loop_values import Formula, Value, stretched
from .affine_indices import Index
from .body import INT, Body, element_type
from .nests import Action

if TYPE_CHECKING:
    from .scalarize import Scalarizer

Place = tuple[Index, ...]
Number = Dim | int
MAX_WIDTH = 3  # the widest edge that is written out point by point
MAX_UPDATES = 32
BOOL = Scalar("bool")


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
    action: Action
    first: tuple[int, ...]
    end: tuple[Number, ...]

    @property
    def place(self) -> Any:
        return self.first, self.end

    def is_fill(self) -> bool:
        return self.update.kind == "w" and isinstance(self.update.value, Lit)


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
        if len(new[0].lengths) == 1 and len(boxes[0].first) == 1:
            first = max(box.first[0] for box in boxes)
            result = [_peeled(s, a, first, new[0].lengths[0]) for a in result]
    return result


def _peeled(s: Scalarizer, action: Action, first: int, length: Arg) -> Action:
    """A sum over a little more than the common places, as one over these that starts with the rest."""
    start, step = action.start, action.step
    if start is None or step is None or len(action.lengths) != 1 or action.kept != 0:
        return action
    if not action.any_order:  # what runs along the places has to take them as they come
        return action
    whole, core = s.bounds.affine(action.lengths[0]), s.bounds.affine(length)
    if whole is None or core is None or whole == core:
        return action
    beyond = whole - core - first
    end = s.extent(core + first)
    if not isinstance(beyond, int) or not 0 <= beyond <= MAX_WIDTH or first > MAX_WIDTH or end is None:
        return action
    points = [Index(None, 0, k) for k in range(first)]
    points += [Index.of(end).plus(Index(None, 0, k)) for k in range(beyond)]

    def begin(body: Body) -> list[Arg]:
        states = start(body)
        for point in points:
            states = step(body, (point,), states)  # type: ignore[arg-type]
        return states

    def turn(body: Body, place: Place, states: list[Var]) -> list[Arg]:
        return step(body, (place[0].plus(Index(None, 0, first)),), states)

    key = length.value if isinstance(length, Lit) else length
    return s.retraced(
        replace(
            action, lengths=(length,), keys=(key,), start=begin, step=turn, accesses=[], reads=frozenset()
        )
    )


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
        end = tuple(n + f for n, f in zip(lengths, first, strict=True))
        boxes.append(Box(update, action, first, end))
    if len({b.place for b in boxes if not b.is_fill()}) < 2 or not boxes[0].first:
        return None
    return _united(boxes)


def _united(boxes: list[Box]) -> list[Box]:
    """One update for those at the same places that follow each other but for sums elsewhere."""
    found: list[Box] = []
    for box in boxes:
        same = next((b for b in found if b.place == box.place), None)
        after = found[found.index(same) + 1 :] if same is not None else []
        if same is None or box.update.kind != "a" or any(b.update.kind != "a" for b in after):
            found.append(box)
        elif not same.is_fill():
            found[found.index(same)] = replace(same, update=_both(same.update, box.update))
        else:
            found.append(box)
    return found


def _both(one: Update, two: Update) -> Update:
    """Two updates of the same places as one."""
    type = Array(one.target.type.dtype, tuple([0] * len(one.lengths)))
    number = element_type(type)

    def compute(body: Body, place: Place) -> Arg:
        a, b = one.element(body, place), two.element(body, place)
        if one.sign < 0:
            a = body.op(operator.neg, a, type=number)
        return body.op(operator.add if two.sign > 0 else operator.sub, a, b, type=number)

    parts = [u.value for u in (one, two) if isinstance(u.value, Value)]
    value = Formula(type, one.lengths, parts, compute)
    return Update(one.target, one.where, one.lengths, value, one.kind, 1)


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
    if any(n is None for n in lengths) or not all(
        s.bounds.not_negative(e - f) for e, f in zip(ends, first, strict=True)
    ):
        return None
    if len(first) == 1:
        core = _core(s, group, boxes, first, lengths)  # type: ignore[arg-type]
        return [core, *(e for box in boxes for e in _edges(s, box.action, box, first, ends, lengths))]  # type: ignore[arg-type]
    rows = Rows(s, group, boxes, first, ends, lengths)  # type: ignore[arg-type]
    return None if rows.union is None else [rows.action()]


def _core(
    s: Scalarizer, group: list[Action], boxes: list[Box], first: list[int], lengths: list[Arg]
) -> Action:
    target = boxes[0].update.target
    last = max((k for k, b in enumerate(boxes) if b.update.kind == "w"), default=-1)
    relevant = boxes[max(last, 0) :]
    type = element_type(target.type)

    def emit(body: Body, place: Place) -> None:
        gather(body, relevant, first, place, type, last >= 0)

    return s.prepared(tuple(lengths), emit, group[-1])


def gather(
    body: Body, boxes: list[Box], first: Sequence[int], place: Place, type: Scalar, overwrites: bool
) -> None:
    """Write one element, at ``place`` counted from ``first``, with what all updates put there."""
    total: Arg | None = None
    for box in boxes:
        own = tuple(i.plus(Index(None, 0, f - g)) for i, f, g in zip(place, first, box.first, strict=True))
        x = box.update.element(body, own)
        if total is None or isinstance(total, Lit) and total.value == 0:
            total = x if box.update.sign > 0 else body.op(operator.neg, x, type=type)
        else:
            total = body.op(operator.add if box.update.sign > 0 else operator.sub, total, x, type=type)
    box = boxes[0]
    own = tuple(i.plus(Index(None, 0, f - g)) for i, f, g in zip(place, first, box.first, strict=True))
    assert total is not None
    target = box.update.target
    body.store(target.var, target.group, box.update.where(own), total, "w" if overwrites else "a")


class Rows:
    """Updates of an array with several axes: rows that all reach are gathered, others added to in turn."""

    def __init__(
        self,
        s: Scalarizer,
        group: list[Action],
        boxes: list[Box],
        first: list[int],
        ends: list[Number],
        lengths: list[Arg],
    ) -> None:
        self.s, self.group, self.boxes = s, group, boxes
        self.first, self.ends, self.lengths = first, ends, lengths
        self.low = [min(b.first[d] for b in boxes) for d in range(len(first))]
        self.high = [max(_difference(b.end[d], e) for b in boxes) for d, e in enumerate(ends)]
        union = [s.extent(e + h - low) for e, h, low in zip(ends, self.high, self.low, strict=True)]
        self.union = None if any(n is None for n in union) else union
        self.bounds = {d: self._numbers(d) for d in range(len(first) - 1)} if self.union else {}
        self.beyond = [s.extent(self.ends[-1] - b.first[-1]) for b in boxes]
        if any(n is None for n in self.beyond):
            self.union = None

    def _numbers(self, d: int) -> list[tuple[Arg, Arg]]:
        """First place and end of the common rows, then of each update's, along an axis."""
        pairs = [(self.first[d], self.ends[d]), *((b.first[d], b.end[d]) for b in self.boxes)]
        found: list[tuple[Arg, Arg]] = []
        for low, end in pairs:
            number = self.s.extent(end)
            if number is None:
                self.union = None
                number = Lit(0)
            found.append((Lit(low), number))
        return found

    def action(self) -> Action:
        assert self.union is not None
        outer = tuple(n for n in self.union[:-1] if n is not None)
        return self.s.prepared(outer, self.row, self.group[-1])

    def row(self, body: Body, place: Place) -> None:
        """Everything that is written to one row."""
        at = [i.plus(Index(None, 0, low)) for i, low in zip(place, self.low, strict=False)]
        numbers = [body.number(i) for i in at]
        then, orelse = body.inner(), body.inner()
        self.common(then, at)
        for k, box in enumerate(self.boxes):
            self.single(orelse, box, at, numbers, k + 1)
        cond = self.within(body, numbers, 0)
        body.append(If(cond, Block(then.ops, ()), Block(orelse.ops, ()), ()))
        for box in self.boxes[:1]:
            body.forget(box.update.target.group)

    def within(self, body: Body, numbers: list[Arg], which: int) -> Arg:
        """Whether a row belongs to the common ones (0), or to those of an update."""
        found: Arg | None = None
        low_union, high_union = self.low, self.high
        for d, number in enumerate(numbers):
            low, end = self.bounds[d][which]
            box_first = self.first[d] if which == 0 else self.boxes[which - 1].first[d]
            tests = []
            if box_first > low_union[d]:
                tests.append(body.op(operator.ge, number, low, type=BOOL))
            over = 0 if which == 0 else self.boxes[which - 1].end[d] - self.ends[d]
            if over < high_union[d]:  # type: ignore[operator]
                tests.append(body.op(operator.lt, number, end, type=BOOL))
            for test in tests:
                found = test if found is None else body.op(operator.and_, found, test, type=BOOL)
        return Lit(True) if found is None else found

    def common(self, body: Body, at: list[Index]) -> None:
        """A row that all updates reach: gathered, but for its ends."""
        last = max((k for k, b in enumerate(self.boxes) if b.update.kind == "w"), default=-1)
        type = element_type(self.boxes[0].update.target.type)
        for box, beyond in zip(self.boxes, self.beyond, strict=True):
            points = [Index(None, 0, k) for k in range(self.first[-1] - box.first[-1])]
            over = box.end[-1] - self.ends[-1]
            assert isinstance(over, int) and beyond is not None
            points += [Index.of(beyond).plus(Index(None, 0, k)) for k in range(over)]
            for point in points:
                self.put(body, box, at, point)
        counter, inner = Var(INT, "k"), body.inner()
        place = (*(i.plus(Index(None, 0, -f)) for i, f in zip(at, self.first, strict=False)), Index(counter))
        gather(inner, self.boxes[max(last, 0) :], self.first, place, type, last >= 0)
        self.loop(body, counter, self.lengths[-1], inner)

    def single(self, body: Body, box: Box, at: list[Index], numbers: list[Arg], which: int) -> None:
        """One update's part of a row."""
        counter, inner = Var(INT, "k"), body.inner().inner()
        self.put(inner, box, at, Index(counter))
        block = body.inner()
        self.loop(block, counter, box.update.lengths[-1], inner)
        cond = self.within(body, numbers, which)
        if isinstance(cond, Lit):
            body.ops += block.ops
        else:
            body.append(If(cond, Block(block.ops, ()), Block(), ()))

    def put(self, body: Body, box: Box, at: list[Index], last: Index) -> None:
        """What an update writes at one place, its last index counted from its own first."""
        own = (*(i.plus(Index(None, 0, -f)) for i, f in zip(at, box.first, strict=False)), last)
        update = box.update
        x = update.element(body, own)
        body.store(update.target.var, update.target.group, update.where(own), x, update.kind, update.sign)

    def loop(self, body: Body, counter: Var, length: Arg, inner: Body) -> None:
        body.append(For(counter, (Lit(0), length, Lit(1)), (), (), (), Block(inner.ops, ()), ()))


def _difference(a: Number, b: Number) -> int:
    """The constant by which two ends differ: ``_merged`` made sure that it is one."""
    difference = a - b
    assert isinstance(difference, int)
    return difference


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
