"""Where on its arrays is each element of a tape, and how is it written and read there?

The place of an iteration is a tuple of numbers. A loop that runs equally often whenever it runs adds an axis:
its iteration's place in its range. Another begins a new axis: the iterations of all its runs follow each
other; where a run begins is a number that the loop around it saves.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..ir import builtin
from ..ir.ops import Arg, Block, For, If, Lit, Op, Seq, Slice, Statement, Var, While
from ..ir.types import Array, Dim, Scalar, Type, dtype_of
from ..rules import helpers
from .copying import Renaming, replace_reads
from .lengths import Bounds, Lengths, Ops, is_number, size_of

if TYPE_CHECKING:
    from .typed_tapes import Slot, Tape

FIRST_CAPACITY = 16  # entries of an array that grows, at first
_PYTHON = {"bool": bool, "int": int, "float": float, "complex": complex}
_INT = Scalar("int")
Write = tuple[Arg, tuple[Arg, ...]]
Path = tuple[tuple[For | While | If, Block], ...]  # statements, each with the block of it that leads on


@dataclass
class Axis:
    """The first axis of what irregular loops record. ``end``: how long arrays have to be at least, a Var
    that is known before ``loop`` or, where ``late``, in its body."""

    loop: For | While
    end: Arg
    late: bool


@dataclass
class Frame:
    """A statement that hands a value on, as a result (the ``position``-th) of its block."""

    op: For | While | If
    block: Block
    position: int
    out: Var

    def set(self, value: Arg) -> None:
        results = list(self.block.results)
        results[self.position + (0 if isinstance(self.op, If) else self.op.stops)] = value
        self.block.results = tuple(results)


@dataclass
class Carried:
    """A value that changes in a nest of loops: in the innermost block it is ``now``."""

    frames: list[Frame]
    now: Var

    @property
    def last(self) -> Var:
        """What it is afterwards."""
        return self.frames[0].out

    def set(self, value: Arg) -> None:
        self.frames[-1].set(value)
        if isinstance(value, Var):
            self.now = value


@dataclass
class Place:
    """Where a loop's iteration is: ``write`` in the loop, ``read`` in its reader; ``lengths`` of the axes.
    ``path``: the loops and branches around the iteration, outermost first.
    ``numbers``: what is saved for each iteration, by dtype, each with what the reader calls it."""

    tape: Tape
    path: Path
    write: tuple[Arg, ...] = ()
    read: tuple[Arg, ...] = ()
    lengths: tuple[Arg, ...] = ()
    axis: Axis | None = None
    numbers: dict[np.dtype, list[tuple[Arg, Var]]] = field(default_factory=dict)

    def save(self, value: Arg, hint: str) -> Arg:
        """Save an integer; its name in the reader."""
        if isinstance(value, Lit):
            return value
        item = Var(_INT, hint)
        self.numbers.setdefault(np.dtype(int), []).append((value, item))
        return item


class Storing:
    """Gives a tape, and those on it, their arrays."""

    def __init__(
        self,
        block: Block,
        tape: Tape,
        lengths: Lengths,
        undefined: set[Var],
        makers: dict[Var, Statement],
    ) -> None:
        self.block, self.tape, self.lengths = block, tape, lengths
        self.undefined, self.makers = undefined, makers
        self.before = lengths.ops
        self.pending: list[tuple[Block, Statement | None, int, Ops]] = []
        self.heads: dict[int, Ops] = {}

    def run(self) -> None:
        self.store(self.tape, None)

    def finish(self) -> None:
        """Put the new statements where they belong."""
        for block, anchor, offset, ops in self.pending:
            at = 0 if anchor is None else next(i for i, o in enumerate(block.ops) if o is anchor) + offset
            block.ops[at:at] = ops.ops
        at = next(i for i, o in enumerate(self.block.ops) if o is self.tape.anchor)
        self.block.ops[at:at] = self.before.ops

    # ----- where new statements go -----

    def ops(self, like: Statement, block: Block, anchor: Statement | None, offset: int = 0) -> Ops:
        """Statements to insert before (``offset`` 1: behind) another, or at the head of the block."""
        made = Ops(span=like.span, adjoint=like.adjoint)
        self.pending.append((block, anchor, offset, made))
        return made

    def head(self, loop: For | While) -> Ops:
        """Statements at the head of the loop's body."""
        if id(loop) not in self.heads:
            self.heads[id(loop)] = self.ops(loop, loop.body, None)
        return self.heads[id(loop)]

    # ----- a tape -----

    def store(self, tape: Tape, outer: Place | None) -> None:
        place = self.place(tape, outer)
        names: Renaming = {}
        late: list[Callable[[], None]] = []
        for slot in tape.slots:
            if slot.way == "constant":
                names[slot.item] = slot.value
            elif slot.way == "number":
                assert isinstance(slot.value, Var)
                dtype = dtype_of(slot.value.type)
                assert dtype is not None
                place.numbers.setdefault(dtype, []).append((slot.value, slot.item))
            elif slot.way == "tape":
                assert slot.tape is not None
                self.store(slot.tape, place)
            elif slot.way in ("array", "ragged", "shape"):
                late.append(self.array(slot, place))
        for dtype, numbers in place.numbers.items():
            self.numbers(dtype, numbers, place)
        for load in late:  # they read numbers
            load()
        replace_reads(tape.reader.body, names)

    def place(self, tape: Tape, outer: Place | None) -> Place:
        """Where the iterations of the tape's loop are."""
        loop, bounds = tape.loop, tape.bounds
        path = (*(outer.path if outer else ()), *tape.steps, (loop, loop.body))
        moved = () if bounds is None else tuple(map(self.lengths.move, bounds))
        if bounds is None or None in moved:
            if bounds is None or outer is None:
                return self.unbounded(tape, outer, path)
            return self.following(tape, outer, bounds, path)
        assert isinstance(loop, For)
        count = self.before.trips(moved)  # type: ignore[arg-type]
        written = self.head(loop).place(loop.index, bounds)
        read = self.reading(tape, lambda: count, loop.reverse)
        write, sofar = (outer.write, outer.read) if outer else ((), ())
        lengths = (*(outer.lengths if outer else ()), count)
        return Place(tape, path, (*write, written), (*sofar, read), lengths, outer.axis if outer else None)

    def following(self, tape: Tape, outer: Place, bounds: Bounds, path: Path) -> Place:
        """Of a loop that knows beforehand how often it runs, though not always equally often."""
        loop, reader = tape.loop, tape.reader
        assert isinstance(loop, For)
        ahead = self.ops(loop, path[-2][1], loop)
        position = self.carry(path[:-1], Lit(0), _int, "position")
        start, count = position.now, ahead.trips(bounds)
        end = ahead.integer(operator.add, start, count)
        position.set(end)
        begin = outer.save(start, "start")
        total = self.total(outer, position, start) if tape.steps else lambda: count
        read = self.reading(tape, functools.cache(lambda: outer.save(total(), "count")), loop.reverse)
        written = self.head(loop).place(loop.index, bounds)
        written = self.head(loop).integer(operator.add, start, written)
        read = self.head(reader).integer(operator.add, begin, read)
        return Place(tape, path, (written,), (read,), (Lit(FIRST_CAPACITY),), Axis(loop, end, False))

    def unbounded(self, tape: Tape, outer: Place | None, path: Path) -> Place:
        """Of a loop that does not know beforehand how often it runs."""
        position = self.carry(path, Lit(0), _int, "position")
        now, start = position.now, tape.loop.inits[-1]
        end = self.head(tape.loop).integer(operator.add, now, Lit(1))
        position.set(end)
        begin: Arg = Lit(0)
        count: Callable[[], Arg] = lambda: position.last  # noqa: E731
        if outer is not None:
            begin, total = outer.save(start, "start"), self.total(outer, position, start)
            count = functools.cache(lambda: outer.save(total(), "count"))
        read = self.reading(tape, count, False)
        read = self.head(tape.reader).integer(operator.add, begin, read)
        return Place(tape, path, (now,), (read,), (Lit(FIRST_CAPACITY),), Axis(tape.loop, end, True))

    def total(self, outer: Place, position: Carried, start: Arg) -> Callable[[], Arg]:
        """By how much a position grows in an iteration of the loop around."""
        frame = position.frames[len(outer.path)]
        block = outer.path[-1][1]
        return lambda: self.ops(frame.op, block, frame.op, 1).integer(operator.sub, frame.out, start)

    def reading(self, tape: Tape, count: Callable[[], Arg], backwards: bool) -> Arg:
        """The place in the recording loop's range (``backwards``: which is run from its end), or its number,
        of the iteration that the reader reads."""
        reader, flip = tape.reader, tape.turned != backwards
        if reader.range is None:
            reader.range = (Lit(0), count(), Lit(1))
            if flip and len(reader.items) == 1 and not tape.rest():
                reader.reverse, flip = not reader.reverse, False
        ops = self.head(reader)
        place = ops.place(reader.index, reader.range)
        if not flip:
            return place
        last = ops.integer(operator.sub, count(), Lit(1))
        return ops.integer(operator.sub, last, place)

    # ----- carried values -----

    def carry(
        self,
        path: Path,
        init: Arg,
        type: Callable[[], Type],
        hint: str,
        axis: Axis | None = None,
    ) -> Carried:
        """Carry a value through a nest of loops; an array with an ``axis`` grows where that needs it.

        ``type`` makes the type of each Var that holds it: arrays that grow differ in length.
        """
        value = init
        frames: list[Frame] = []
        for op, block in path:
            grows = axis is not None and axis.loop is op
            if grows and axis is not None and not axis.late:
                ops = self.ops(op, frames[-1].block, op)
                value = ops.op(helpers.reserve, (value, axis.end), type(), hint)
            out = Var(type(), hint)
            op.outs += (out,)
            if isinstance(op, If):
                op.then.results += (value,)
                op.orelse.results += (value,)
            else:
                op.inits += (value,)
                value = Var(type(), hint)
                op.params += (value,)
                op.body.results += (value,)
            if frames:
                frames[-1].set(out)
            frames.append(Frame(op, block, len(op.outs) - 1, out))
            if grows and axis is not None and axis.late:
                value = self.head(axis.loop).op(helpers.reserve, (value, axis.end), type(), hint)
                frames[-1].set(value)
        assert isinstance(value, Var)
        return Carried(frames, value)

    def allocate(self, place: Place, lengths: tuple[Arg, ...], dtype: np.dtype, hint: str) -> Carried:
        """An array with the place's axes and more, carried through the loops."""
        shape = (*place.lengths, *lengths)
        dims = tuple(Dim.fresh() if (d := size_of(n)) is None else d for n in shape)
        type_ = Array(dtype, dims)

        def longer() -> Type:
            return Array(dtype, (Dim.fresh(), *dims[1:]))

        made = self.before.op(np.empty, (Seq(shape), Lit(dtype)), type_, hint)
        return self.carry(
            place.path, made, (lambda: type_) if place.axis is None else longer, hint, place.axis
        )

    # ----- numbers -----

    def numbers(self, dtype: np.dtype, numbers: list[tuple[Arg, Var]], place: Place) -> None:
        """Save numbers of one dtype side by side."""
        tape, many = place.tape, len(numbers) > 1
        array = self.allocate(place, (Lit(len(numbers)),) if many else (), dtype, "tape")
        places = [(*place.write, Lit(k)) if many else place.write for k in range(len(numbers))]
        writes = [(value, at) for (value, _), at in zip(numbers, places, strict=True)]
        self.write_unsure(array, [w for w in writes if self.unsure(w[0])])
        ops = self.ops(tape.append, tape.loop.body, tape.append)
        for value, at in writes:
            if not self.unsure(value):
                array.set(ops.op(helpers.setitem, (array.now, _index(at), value), array.now.type, "tape"))
        for k, (_, item) in enumerate(numbers):
            at = (*place.read, Lit(k)) if many else place.read
            self.read_number(self.head(tape.reader), array.last, at, item, dtype)

    def read_number(self, ops: Ops, array: Var, at: tuple[Arg, ...], item: Var, dtype: np.dtype) -> None:
        args = (array, _index(at))
        if not isinstance(item.type, Scalar) or item.type.dtype is not None:
            ops.ops.append(Op(operator.getitem, args, (item,), span=ops.span, adjoint=ops.adjoint))
            return
        kind = item.type.kind
        number = ops.op(operator.getitem, args, Scalar(kind, dtype))
        ops.ops.append(Op(_PYTHON[kind], (number,), (item,), span=ops.span, adjoint=ops.adjoint))

    # ----- arrays -----

    def array(self, slot: Slot, place: Place) -> Callable[[], None]:
        """Save an array; what is returned lets the reader read it."""
        value, item, reader = slot.value, slot.item, place.tape.reader
        assert isinstance(value, Var) and isinstance(value.type, Array) and value.type.shape is not None
        dims = [self.lengths.of(dim) for dim in value.type.shape]
        steps: Path = ()
        behind = self.head(reader)
        if slot.way != "array" and None in dims or not self.unsure(value):
            steps, value = within(value, self.undefined, self.makers)
            behind = self.behind(value, steps, place)
        shape: tuple[Arg, ...] = ()
        for axis, length in enumerate(dims):
            if length is None:
                length = place.save(lift(behind.length(value, axis), steps), "length")
            shape += (length,)
        assert isinstance(value.type, Array)
        dtype = value.type.dtype
        if slot.way == "shape":
            return lambda: self.stand_in(item, shape, dtype, None in dims, place)
        if slot.way == "array":
            array = self.allocate(place, shape, dtype, "tape")
            inside: tuple[Arg, ...] = () if shape else (Lit(Ellipsis),)
            self.write(array, (*place.write, *inside), value, place)
            ops = self.head(reader)
            args = (array.last, _index((*place.read, *inside)))
            return lambda: ops.ops.append(
                Op(operator.getitem, args, (item,), span=ops.span, adjoint=ops.adjoint)
            )
        return self.ragged(value, item, shape, behind, (*place.path, *steps), place)

    def behind(self, value: Var, steps: Path, place: Place) -> Ops:
        """Statements right behind what computes a value in the loop, before anything overwrites it."""
        like = place.tape.append
        block, maker = steps[-1][1] if steps else place.tape.loop.body, self.makers.get(value)
        if any(op is maker for op in block.ops):
            return self.ops(like, block, maker, 1)
        return self.ops(like, block, None) if steps else self.head(place.tape.loop)

    def stand_in(
        self, item: Var, shape: tuple[Arg, ...], dtype: np.dtype, varies: bool, place: Place
    ) -> None:
        """An array of which only the shape is read."""
        ops = self.head(place.tape.reader) if varies else self.before
        flags = {"span": ops.span, "adjoint": ops.adjoint}
        ops.ops.append(Op(np.empty, (Seq(shape), Lit(dtype)), (item,), **flags))  # type: ignore[arg-type]

    def ragged(
        self, value: Var, item: Var, shape: tuple[Arg, ...], ops: Ops, path: Path, place: Place
    ) -> Callable[[], None]:
        """Save arrays of varying lengths one after the other on an array with one axis."""
        assert isinstance(value.type, Array)
        dtype, reader = value.type.dtype, place.tape.reader
        position = self.carry(path, Lit(0), _int, "position")
        start = position.now
        size: Arg = ops.op(np.size, (value,), _INT)
        end = ops.integer(operator.add, start, size)
        position.set(end)
        begin = place.save(start, "start")

        def row() -> Type:
            return Array(dtype, (Dim.fresh(),))

        made = self.before.op(np.empty, (Seq((Lit(FIRST_CAPACITY),)), Lit(dtype)), row(), "tape")
        array = self.carry(path, made, row, "tape")
        room = ops.op(helpers.reserve, (array.now, end), row(), "tape")
        flat = value
        if len(shape) != 1:
            flat = ops.op(np.reshape, (value, Lit(-1)), row())
        part = Slice(start, end, Lit(None))
        array.set(ops.op(helpers.setitem, (room, part, flat), room.type, "tape"))

        def load() -> None:
            head = self.head(reader)
            count: Arg = Lit(1)
            for n in shape:
                count = n if is_number(count, 1) else head.integer(operator.mul, count, n)
            until = head.integer(operator.add, begin, count)
            args = (array.last, Slice(begin, until, Lit(None)))
            if len(shape) == 1:
                head.ops.append(Op(operator.getitem, args, (item,), span=head.span, adjoint=head.adjoint))
                return
            found = head.op(operator.getitem, args, row())
            flags = {"span": head.span, "adjoint": head.adjoint}
            head.ops.append(Op(np.reshape, (found, Seq(shape)), (item,), **flags))  # type: ignore[arg-type]

        return load

    # ----- writes -----

    def unsure(self, value: Arg) -> bool:
        return isinstance(value, Var) and value in self.undefined

    def write(self, array: Carried, at: tuple[Arg, ...], value: Var, place: Place) -> None:
        """Write an array to its place as soon as it is known."""
        if self.unsure(value):
            self.write_unsure(array, [(value, at)])
            return
        ops = self.behind(value, (), place)
        array.set(ops.op(helpers.setitem, (array.now, _index(at), value), array.now.type, "tape"))

    def write_unsure(self, array: Carried, writes: list[Write]) -> None:
        """Write values that some paths don't have, where they are made."""
        if writes:
            array.set(self.branches(array.frames[-1].block, array.now, writes))

    def branches(self, block: Block, array: Var, writes: list[Write]) -> Var:
        """Let the branches in a block write what they make; the array afterwards."""
        for op in block.ops:
            own = [(op.outs.index(v), at) for v, at in writes if isinstance(v, Var) and v in op.outs]
            if not own or not isinstance(op, If):
                continue
            for inner in (op.then, op.orelse):
                found = [(inner.results[i], at) for i, at in own]
                after = self.branches(inner, array, [w for w in found if self.unsure(w[0])])
                ops = Ops(inner.ops, op.span, op.adjoint)
                for value, at in found:
                    if not self.unsure(value) and not (isinstance(value, Lit) and value.value is None):
                        after = ops.op(helpers.setitem, (after, _index(at), value), array.type, array.hint)
                inner.results += (after,)
            array = Var(array.type, array.hint)
            op.outs += (array,)
        return array


def is_missing(arg: Arg, makers: Mapping[Var, Statement]) -> bool:
    """Whether the argument says that there is no value on this path."""
    maker = makers.get(arg) if isinstance(arg, Var) else None
    return (
        isinstance(arg, Lit) and arg.value is None or isinstance(maker, Op) and maker.fn is builtin.undefined
    )


def within(
    value: Var, undefined: set[Var], makers: Mapping[Var, Statement], steps: Path = ()
) -> tuple[Path, Var]:
    """The branches that lead to where a value is made that some paths don't have, and the value there."""
    op = makers.get(value) if value in undefined else None
    if isinstance(op, If):
        for block in (op.then, op.orelse):
            inner = block.results[op.outs.index(value)]
            if isinstance(inner, Var) and not is_missing(inner, makers):
                return within(inner, undefined, makers, (*steps, (op, block)))
    return steps, value


def lift(value: Arg, steps: Path) -> Arg:
    """A number that a branch computes, behind that branch; 0 where another is taken."""
    for op, block in reversed(steps):
        assert isinstance(op, If)
        for branch in (op.then, op.orelse):
            branch.results += (value if branch is block else Lit(0),)
        value = Var(_INT)
        op.outs += (value,)
    return value


def _int() -> Type:
    return _INT


def _index(at: tuple[Arg, ...]) -> Arg:
    return at[0] if len(at) == 1 else Seq(at)
