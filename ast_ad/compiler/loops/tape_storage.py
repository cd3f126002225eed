"""How are the elements of a tape written to arrays, and read there?

Numbers of one dtype share an array, side by side. Arrays of one shape are the rows of another. Where shapes
vary they follow each other on an array with one axis, and their beginnings and lengths are saved too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...rules import helpers
from ..arrays.lengths import Ops, is_number
from ..ir.ops import Arg, Block, If, Lit, Op, Seq, Slice, Var
from ..ir.types import CLASSES, Array, Dim, Scalar, Type, dtype_of
from ..simplify.renaming import Renaming, replace_reads
from .tape_places import (
    FIRST_CAPACITY,
    INT,
    Axis,
    Carried,
    Path,
    Place,
    Places,
    index_of,
    integer,
    lift,
    within,
)

if TYPE_CHECKING:
    from .tape_layout import Slot, Tape

Write = tuple[Arg, tuple[Arg, ...]]


class Storing(Places):
    """Gives a tape, and those on it, their arrays."""

    def run(self) -> None:
        self.store(self.tape, None)

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
            elif slot.way in ("array", "rows", "ragged", "shape"):
                late.append(self.array(slot, place))
        for dtype, numbers in place.numbers.items():
            self.numbers(dtype, numbers, place)
        for load in late:  # they read numbers
            load()
        replace_reads(tape.reader.body, names)

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
                array.set(ops.op(helpers.setitem, (array.now, index_of(at), value), array.now.type, "tape"))
        for k, (_, item) in enumerate(numbers):
            at = (*place.read, Lit(k)) if many else place.read
            self.read_number(self.head(tape.reader), array.last, at, item, dtype)

    def read_number(self, ops: Ops, array: Var, at: tuple[Arg, ...], item: Var, dtype: np.dtype) -> None:
        args = (array, index_of(at))
        if not isinstance(item.type, Scalar) or item.type.dtype is not None:
            ops.ops.append(Op(operator.getitem, args, (item,), span=ops.span, adjoint=ops.adjoint))
            return
        kind = item.type.kind
        number = ops.op(operator.getitem, args, Scalar(kind, dtype))
        ops.ops.append(Op(CLASSES[kind], (number,), (item,), span=ops.span, adjoint=ops.adjoint))

    # ----- arrays -----

    def array(self, slot: Slot, place: Place) -> Callable[[], None]:
        """Save an array; what is returned lets the reader read it."""
        value, item, reader = slot.value, slot.item, place.tape.reader
        assert isinstance(value, Var) and isinstance(value.type, Array) and value.type.shape is not None
        dims = [self.lengths.of(dim) for dim in value.type.shape]
        steps: Path = ()
        behind = self.head(reader)
        if slot.way in ("ragged", "rows") or None in dims or not self.unsure(value):
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
            args = (array.last, index_of((*place.read, *inside)))
            return lambda: ops.ops.append(
                Op(operator.getitem, args, (item,), span=ops.span, adjoint=ops.adjoint)
            )
        path = (*place.path, *steps)
        if slot.way == "rows":
            return self.rows(value, item, shape, behind, path, place)
        return self.ragged(value, item, shape, behind, path, place)

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

    def rows(
        self, value: Var, item: Var, shape: tuple[Arg, ...], ops: Ops, path: Path, place: Place
    ) -> Callable[[], None]:
        """Save arrays that few iterations may have: a row for each one that there is."""
        assert isinstance(value.type, Array)
        loop, reader = place.tape.loop, place.tape.reader
        position = self.carry(path, Lit(0), integer, "position")
        end = self.head(loop).integer(operator.add, position.now, Lit(1))
        begin = place.save(position.now, "row")
        made = Place(place.tape, path, lengths=(Lit(FIRST_CAPACITY),), axis=Axis(loop, end, True))
        array = self.allocate(made, shape, value.type.dtype, "tape")
        inside: tuple[Arg, ...] = () if shape else (Lit(Ellipsis),)
        index = index_of((position.now, *inside))
        array.set(ops.op(helpers.setitem, (array.now, index, value), array.now.type, "tape"))
        position.set(end)
        args, head = (array.last, index_of((begin, *inside))), self.head(reader)
        return lambda: head.ops.append(
            Op(operator.getitem, args, (item,), span=head.span, adjoint=head.adjoint)
        )

    def ragged(
        self, value: Var, item: Var, shape: tuple[Arg, ...], ops: Ops, path: Path, place: Place
    ) -> Callable[[], None]:
        """Save arrays of varying lengths one after the other: along the first axis where only that varies,
        else on an array with one axis."""
        assert isinstance(value.type, Array) and value.type.shape is not None
        dtype, reader = value.type.dtype, place.tape.reader
        whole = all(self.lengths.of(dim) is not None for dim in value.type.shape[1:]) and bool(shape)
        tail, dims = (shape[1:], value.type.shape[1:]) if whole else ((), ())
        position = self.carry(path, Lit(0), integer, "position")
        start = position.now
        size: Arg = ops.length(value, 0) if whole else ops.op(np.size, (value,), INT)
        end = ops.integer(operator.add, start, size)
        position.set(end)
        begin = place.save(start, "start")

        def rows() -> Type:
            return Array(dtype, (Dim.fresh(), *dims))

        made = self.before.op(np.empty, (Seq((Lit(FIRST_CAPACITY), *tail)), Lit(dtype)), rows(), "tape")
        array = self.carry(path, made, rows, "tape")
        room = ops.op(helpers.reserve, (array.now, end), rows(), "tape")
        flat = value if whole else ops.op(np.reshape, (value, Lit(-1)), rows())
        part = Slice(start, end, Lit(None))
        array.set(ops.op(helpers.setitem, (room, part, flat), room.type, "tape"))

        def load() -> None:
            head = self.head(reader)
            count: Arg = Lit(1)
            for n in shape[:1] if whole else shape:
                count = n if is_number(count, 1) else head.integer(operator.mul, count, n)
            until = head.integer(operator.add, begin, count)
            args = (array.last, Slice(begin, until, Lit(None)))
            flags: dict[str, Any] = {"span": head.span, "adjoint": head.adjoint}
            if whole:
                head.ops.append(Op(operator.getitem, args, (item,), **flags))
                return
            found = head.op(operator.getitem, args, rows())
            head.ops.append(Op(np.reshape, (found, Seq(shape)), (item,), **flags))

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
        array.set(ops.op(helpers.setitem, (array.now, index_of(at), value), array.now.type, "tape"))

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
                        after = ops.op(helpers.setitem, (after, index_of(at), value), array.type, array.hint)
                inner.results += (after,)
            array = Var(array.type, array.hint)
            op.outs += (array,)
        return array
