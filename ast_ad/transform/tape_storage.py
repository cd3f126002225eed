"""Where on its arrays is each element of a tape, and how is it written and read there?

The place of an iteration is a tuple of numbers. A loop that runs equally often whenever it runs adds an axis:
its iteration's place in its range. Another begins a new axis: the iterations of all its runs follow each
other; where a run begins is a number that the loop around it saves.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..ir.ops import Arg, Block, For, If, Lit, Op, Seq, Slice, Statement, Var, While
from ..ir.types import Array, Dim, Scalar, Type, dtype_of
from ..rules import helpers
from .copying import Renaming, replace_reads
from .lengths import Lengths, Ops, is_number, size_of

if TYPE_CHECKING:
    from .typed_tapes import Slot, Tape

FIRST_CAPACITY = 16  # entries of an array that grows, at first
_PYTHON = {"bool": bool, "int": int, "float": float, "complex": complex}
_INT = Scalar("int")
Write = tuple[Arg, tuple[Arg, ...]]


@dataclass
class Axis:
    """The first axis of what irregular loops record. ``end``: how long arrays have to be at least, a Var
    that is known before ``loop`` or, where ``late``, in its body."""

    loop: For | While
    end: Arg
    late: bool


@dataclass
class Carried:
    """A value that changes in a nest of loops: in the innermost it is ``now``, and ``last`` afterwards."""

    loop: For | While
    position: int
    now: Var
    last: Var

    def set(self, value: Arg) -> None:
        _set_result(self.loop, self.position, value)
        if isinstance(value, Var):
            self.now = value


@dataclass
class Place:
    """Where a loop's iteration is: ``write`` in the loop, ``read`` in its reader; ``lengths`` of the axes.
    ``numbers``: what is saved for each iteration, by dtype, each with what the reader calls it."""

    tape: Tape
    loops: tuple[For | While, ...]
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
        at = next(i for i, o in enumerate(self.block.ops) if o is self.tape.loop)
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

    def around(self, place: Place | None, loop: For | While, offset: int) -> Ops:
        """Statements before (behind) a loop, in the body of the taped loop around it."""
        if place is None and not offset:
            return self.before
        block = self.block if place is None else place.loops[-1].body
        return self.ops(loop, block, loop, offset)

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
        loop, reader = tape.loop, tape.reader
        loops = (*(outer.loops if outer else ()), loop)
        bounds = tape.bounds
        if bounds is None:
            return self.unbounded(tape, outer, loops)
        assert isinstance(loop, For)
        moved = bounds if outer is None else tuple(map(self.lengths.move, bounds))
        written = self.head(loop).place(loop.index, bounds)
        if None not in moved:
            count = self.before.trips(moved)  # type: ignore[arg-type]
            read = self.reading(tape, lambda: count, loop.reverse)
            write, sofar = (outer.write, outer.read) if outer else ((), ())
            lengths = (*(outer.lengths if outer else ()), count)
            axis = outer.axis if outer else None
            return Place(tape, loops, (*write, written), (*sofar, read), lengths, axis)
        assert outer is not None
        ahead = self.around(outer, loop, 0)
        position = self.carry(outer.loops, Lit(0), _int, "position")
        start, count = position.now, ahead.trips(bounds)
        end = ahead.integer(operator.add, start, count)
        position.set(end)
        begin = outer.save(start, "start")
        read = self.reading(tape, functools.cache(lambda: outer.save(count, "count")), loop.reverse)
        written = self.head(loop).integer(operator.add, start, written)
        read = self.head(reader).integer(operator.add, begin, read)
        return Place(tape, loops, (written,), (read,), (Lit(FIRST_CAPACITY),), Axis(loop, end, False))

    def unbounded(self, tape: Tape, outer: Place | None, loops: tuple[For | While, ...]) -> Place:
        """Of a loop that does not know beforehand how often it runs."""
        position = self.carry(loops, Lit(0), _int, "position")
        now, last = position.now, tape.loop.outs[-1]
        end = self.head(tape.loop).integer(operator.add, now, Lit(1))
        position.set(end)
        begin: Arg = Lit(0)
        start = tape.loop.inits[-1]
        if outer is not None:
            begin = outer.save(start, "start")

        @functools.cache
        def count() -> Arg:
            if outer is None:
                return last
            total = self.around(outer, tape.loop, 1).integer(operator.sub, last, start)
            return outer.save(total, "count")

        read = self.reading(tape, count, False)
        read = self.head(tape.reader).integer(operator.add, begin, read)
        return Place(tape, loops, (now,), (read,), (Lit(FIRST_CAPACITY),), Axis(tape.loop, end, True))

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
        loops: tuple[For | While, ...],
        init: Arg,
        type: Callable[[], Type],
        hint: str,
        axis: Axis | None = None,
    ) -> Carried:
        """Carry a value through a nest of loops; an array with an ``axis`` grows where that needs it.

        ``type`` makes the type of each Var that holds it: arrays that grow differ in length.
        """
        value = init
        found: list[tuple[For | While, int]] = []
        for loop in loops:
            outer = found[-1][0] if found else None
            if axis is not None and axis.loop is loop and not axis.late:
                assert outer is not None
                ops = self.ops(loop, outer.body, loop)
                value = ops.op(helpers.reserve, (value, axis.end), type(), hint)
            param, out = Var(type(), hint), Var(type(), hint)
            loop.params += (param,)
            loop.inits += (value,)
            loop.outs += (out,)
            loop.body.results += (param,)
            if outer is not None:
                _set_result(outer, found[-1][1], out)
            found.append((loop, len(loop.params) - 1))
            value = param
            if axis is not None and axis.loop is loop and axis.late:
                value = self.head(loop).op(helpers.reserve, (value, axis.end), type(), hint)
                _set_result(loop, len(loop.params) - 1, value)
        (first, i), (last, k) = found[0], found[-1]
        assert isinstance(value, Var)
        return Carried(last, k, value, first.outs[i])

    def allocate(self, place: Place, lengths: tuple[Arg, ...], dtype: np.dtype, hint: str) -> Carried:
        """An array with the place's axes and more, carried through the loops."""
        shape = (*place.lengths, *lengths)
        dims = tuple(Dim.fresh() if (d := size_of(n)) is None else d for n in shape)
        type_ = Array(dtype, dims)

        def longer() -> Type:
            return Array(dtype, (Dim.fresh(), *dims[1:]))

        made = self.before.op(np.empty, (Seq(shape), Lit(dtype)), type_, hint)
        return self.carry(
            place.loops, made, (lambda: type_) if place.axis is None else longer, hint, place.axis
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
        behind = self.head(reader) if self.unsure(value) else self.behind(value, place)
        shape: tuple[Arg, ...] = ()
        for axis, length in enumerate(dims):
            shape += (length or place.save(behind.length(value, axis), "length"),)
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
        return self.ragged(value, item, shape, behind, place)

    def behind(self, value: Var, place: Place) -> Ops:
        """Statements right behind what computes a value in the loop, before anything overwrites it."""
        body, maker = place.tape.loop.body, self.makers.get(value)
        if any(op is maker for op in body.ops):
            return self.ops(place.tape.append, body, maker, 1)
        return self.head(place.tape.loop)

    def stand_in(
        self, item: Var, shape: tuple[Arg, ...], dtype: np.dtype, varies: bool, place: Place
    ) -> None:
        """An array of which only the shape is read."""
        ops = self.head(place.tape.reader) if varies else self.before
        flags = {"span": ops.span, "adjoint": ops.adjoint}
        ops.ops.append(Op(np.empty, (Seq(shape), Lit(dtype)), (item,), **flags))  # type: ignore[arg-type]

    def ragged(
        self, value: Var, item: Var, shape: tuple[Arg, ...], ops: Ops, place: Place
    ) -> Callable[[], None]:
        """Save arrays of varying lengths one after the other on an array with one axis."""
        assert isinstance(value.type, Array)
        dtype, loops, reader = value.type.dtype, place.loops, place.tape.reader
        position = self.carry(loops, Lit(0), _int, "position")
        start = position.now
        size: Arg = ops.op(np.size, (value,), _INT)
        end = ops.integer(operator.add, start, size)
        position.set(end)
        begin = place.save(start, "start")

        def row() -> Type:
            return Array(dtype, (Dim.fresh(),))

        made = self.before.op(np.empty, (Seq((Lit(FIRST_CAPACITY),)), Lit(dtype)), row(), "tape")
        array = self.carry(loops, made, row, "tape")
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
        ops = self.behind(value, place)
        array.set(ops.op(helpers.setitem, (array.now, _index(at), value), array.now.type, "tape"))

    def write_unsure(self, array: Carried, writes: list[Write]) -> None:
        """Write values that some paths don't have, where they are made."""
        if writes:
            array.set(self.branches(array.loop.body, array.now, writes))

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


def _int() -> Type:
    return _INT


def _set_result(loop: For | While, position: int, value: Arg) -> None:
    results = list(loop.body.results)
    results[position + loop.stops] = value
    loop.body.results = tuple(results)


def _index(at: tuple[Arg, ...]) -> Arg:
    return at[0] if len(at) == 1 else Seq(at)
