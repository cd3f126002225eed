"""Which writes to arrays are writes to a part of a view of them?

``join_writes(function, ordered) -> Function``. In ``write_in_place``, before ``schedule``.
``read_through(function) -> Function`` is the beginning of ``views_before_loops``: it leaves the writes as
they are, and lets what reads a part after a write read it of the array.

As nothing mutates in the IR, ``t = a.T; t[i] = v`` comes as a view of ``a``, a copy of that with another row,
and what ``a`` then is, the transpose of the copy; with a slice for a view as a copy of ``a`` with that part
stored. So does what the reverse sweep makes of it. Joined to one operation on ``a``, it writes one row::

    t = a.T                             a.T[i] = v
    t_1 = setitem(t, i, v)
    a_1 = t_1.T

In NumPy code it depends on an array's order in memory whether another shape of it is a view. That of a part
of one axis is, if the array is ours.
"""

from __future__ import annotations

import operator

import numpy as np

from ...rules import helpers
from ..analysis.aliasing import behaviour, is_basic_index, is_whole_index
from ..ir import builtin
from ..ir.ops import (
    Arg,
    Block,
    Function,
    Lit,
    Op,
    Seq,
    Slice,
    Statement,
    Var,
    blocks,
    variables,
    walk,
)
from ..ir.types import Array
from .dead_code import eliminate_dead_code
from .dead_tapes import shrink_tapes
from .patterns import arg_key
from .renaming import Renaming, reads_of, replace_operands, replace_reads

WRITES = {helpers.setitem, builtin.through}
AXES = {np.transpose, np.swapaxes, helpers.mT}
SHAPES = {np.reshape, np.ravel}


def join_writes(function: Function, ordered: bool) -> Function:
    """Join views, writes to them and what puts them back, in place; return the function.

    ``ordered``: whether arrays have orders in memory, as in NumPy code.
    """
    joined = _Join(function, ordered)
    joined.block(function.body)
    if joined.changed:
        eliminate_dead_code(function)
        while shrink_tapes(function.body):  # of views that only what was joined read
            eliminate_dead_code(function)
    return function


def read_through(function: Function) -> Function:
    """Read what was put back into an array as a part of that, in place; return the function.

    The next write to the part puts it back again. In the reverse sweep the array alone has a cotangent then.
    """
    _Join(function, False, joins=False).block(function.body)
    return function


class _Join:
    """What was put back is a view of the array from then on: it is taken where it is read again."""

    def __init__(self, function: Function, ordered: bool, joins: bool = True) -> None:
        self.ordered, self.joins = ordered, joins
        self.makers: dict[Var, Op] = {}
        self.reads = reads_of(function.body)
        self.changed = False
        self.again: dict[Var, Op] = {}  # how to take as views what was put back
        self.names: Renaming = {}
        for op in walk(function.body):
            if isinstance(op, Op) and len(op.outs) == 1:
                self.makers[op.out] = op

    def block(self, block: Block) -> None:
        kept: list[Statement] = []
        for number, op in enumerate(block.ops):
            if self.again or self.names:
                self.take_again(Block([op]), kept)
            for inner in blocks(op):
                self.block(inner)
            kept += (isinstance(op, Op) and self.joined(op, block, number)) or [op]
        if self.again or self.names:
            last = Block([], block.results)
            self.take_again(last, kept)
            block.results = last.results
        block.ops = kept

    def take_again(self, reader: Block, kept: list[Statement]) -> None:
        """Let a statement, or results, read views in the place of what was put back."""
        for var in reads_of(reader):
            self.view_of(var, kept)
        replace_reads(reader, self.names)

    def view_of(self, var: Var, kept: list[Statement]) -> None:
        """Take a view, and what it is one of, in front of its reader."""
        op = self.again.pop(var, None)
        if op is None:
            return
        for other in variables(*op.args):
            self.view_of(other, kept)
        replace_operands(op, self.names)
        kept.append(op)
        self.names[var], self.makers[op.out] = op.out, op

    def joined(self, op: Op, block: Block, number: int) -> list[Op]:
        """The writes that an operation in a block amounts to, if it puts a view back; else none."""
        found = self.put_back(op)
        if found is None:
            return []
        array, stored = found
        if not isinstance(array, Var):
            return []
        chain: list[Op] = []  # the writes to the view, the last one first
        seen: Arg = stored
        while isinstance(seen, Var) and self.is_write(maker := self.makers.get(seen)):
            if self.reads[seen] != 1 and (chain or not self.is_read_later(seen, block, number)):
                return []
            chain.append(maker)  # type: ignore[arg-type]
            seen = maker.args[0]  # type: ignore[union-attr]
        view = self.makers.get(seen) if isinstance(seen, Var) else None
        if not chain or view is None or not view.args or view.args[0] is not array:
            return []
        if not _undoes(op, view) or view.fn in SHAPES and not self.is_line(view.args[0]):
            return []
        assert isinstance(stored, Var)
        if self.reads[stored] > 1 or any(stored in variables(*taken.args) for taken in self.again.values()):
            taken = Op(view.fn, (op.out, *view.args[1:]), (Var(stored.type, stored.hint),), span=op.span)
            taken.adjoint = op.adjoint
            self.again[stored] = taken
        new = self.through(op, array, view, chain[::-1])
        return new if self.joins else [op]

    def through(self, op: Op, array: Arg, view: Op, chain: list[Op]) -> list[Op]:
        """Writes to the array, in the place of those to a view of it and of what puts that back."""
        new: list[Op] = []
        for write in chain:
            last = write is chain[-1]
            out = op.out if last else Var(op.out.type)
            _, index, value, *_ = write.args
            path = Seq((step_of(view), *_path(write)))
            if len(path.items) == 1 and view.fn is operator.getitem and is_whole_index(index):
                made = Op(helpers.setitem, (array, view.args[1], value), (out,))
            else:
                made = Op(builtin.through, (array, index, value, path), (out,))
            made.span, made.adjoint = op.span, op.adjoint
            new.append(made)
            self.makers[out] = new[-1]
            self.reads[out] += not last
            array = out
        self.changed = True
        return new

    def is_read_later(self, var: Var, block: Block, number: int) -> bool:
        """Whether all reads but the one that puts it back, there in a block, come after that."""
        return reads_of(Block(block.ops[number + 1 :], block.results))[var] == self.reads[var] - 1

    def put_back(self, op: Op) -> tuple[Arg, Arg] | None:
        """The array and what is put back into it, if an operation may be one that does that."""
        if op.kwargs or len(op.outs) != 1 or not isinstance(op.out.type, Array):
            return None
        if op.fn is helpers.setitem and is_basic_index(op.args[1]):
            return op.args[0], op.args[2]
        view = self.makers.get(self.origin(op.args[0])) if op.fn in AXES | SHAPES else None  # type: ignore[arg-type]
        return None if view is None or not view.args else (view.args[0], op.args[0])

    def origin(self, arg: Arg) -> Arg:
        """What was written to, one write after the other."""
        while isinstance(arg, Var) and self.is_write(maker := self.makers.get(arg)):
            arg = maker.args[0]  # type: ignore[union-attr]
        return arg

    def is_line(self, array: Arg) -> bool:
        """Whether any shape of an array that is ours, or of a part of one, is a view."""
        while self.ordered and isinstance(array, Var):
            if not isinstance(array.type, Array) or len(array.type.shape or ()) != 1:
                return False
            maker = self.makers.get(array)
            if maker is None or maker.fn not in WRITES and behaviour(maker) == "fresh":
                break
            if maker.fn in WRITES:  # in place, perhaps: the array lies as before
                array = maker.args[0]
                continue
            if maker.fn is not operator.getitem:  # a view: who knows in what steps
                return False
            index = maker.args[1]
            if not isinstance(index, Slice) or getattr(index.step, "value", 0) not in (None, 1):
                return False
            array = maker.args[0]
        return True

    def is_write(self, op: Op | None) -> bool:
        return op is not None and op.fn in WRITES and is_basic_index(op.args[1])


def step_of(view: Op) -> Seq:
    return Seq((Lit(view.fn), Lit(view.out.type), *view.args[1:]))


def _path(write: Op) -> tuple[Arg, ...]:
    path = write.args[3] if write.fn is builtin.through else Seq(())
    assert isinstance(path, Seq)
    return path.items


def _undoes(op: Op, view: Op) -> bool:
    """Whether an operation puts a view of an array back where it was."""
    if view.kwargs or not isinstance(view.out.type, Array) or view.args[0].type != op.out.type:  # type: ignore[union-attr]
        return False
    if op.fn is helpers.setitem:
        return view.fn is operator.getitem and arg_key(view.args[1]) == arg_key(op.args[1])
    if view.fn in SHAPES:  # without an order of elements
        return op.fn in SHAPES and all(len(o.args) == 1 + (o.fn is np.reshape) for o in (op, view))
    if view.fn is not op.fn:
        return False
    if op.fn is np.transpose and len(op.args) == len(view.args) == 2:
        return _is_inverse(op.args[1], view.args[1])
    return arg_key(Seq(op.args[1:])) == arg_key(Seq(view.args[1:]))


def _is_inverse(one: Arg, other: Arg) -> bool:
    """Whether two orders of axes, written out, undo each other."""
    first, second = _axes(one), _axes(other)
    return len(first) == len(second) > 0 and [second[i] for i in first] == list(range(len(first)))


def _axes(arg: Arg) -> list[int]:
    """An order of axes; empty where it is not known or not written from the front."""
    values = [i.value for i in arg.items if isinstance(i, Lit)] if isinstance(arg, Seq) else []
    if isinstance(arg, Lit) and isinstance(arg.value, (list, tuple)):
        values = list(arg.value)
    return values if sorted(values) == list(range(len(values))) else []
