"""Which arrays need no new memory in each turn of a loop? Those of a turn, and those that a turn hands on.

``keep_rooms(kernel) -> None``. In ``improve``, behind all that moves allocations or makes them: what is still
allocated in a loop then has a length that depends on the turn, or is handed on to the next one.

A *room* is memory that a loop keeps, and makes anew only where a turn needs more. What a turn alone reads
and writes has one room. What it hands on, and the next turn reads, has two, which change places::

    for t in range(n):                          for t in range(n):
        m = len(values)                             m = len(values)
        new = empty(m - 1)                          room = grown(spare, m - 1)
                                                    new = carved(room, m - 1)
        ...                                         ...
        values = new                                values, spare, held = new, held, room

The room of a turn is that of the turn before the last one, of which nobody knows any more: a turn does
nothing with what it is handed but read and write elements. If it hands that on as well, as ``old`` values of
a wave, there is a third room. Behind the loop nothing writes to its rooms, so that whoever gets the last
array may do with it what he likes.
"""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

import numpy as np

from ...ir import builtin
from ...ir.ops import (
    Block,
    For,
    Function,
    Lit,
    Op,
    Statement,
    Var,
    While,
    binders,
    blocks,
    operands,
    variables,
)
from ...ir.types import Array, Dim, dtype_of
from ..fresh_memory import carved, grown

_WRITES = {builtin.setitem_, builtin.add_item_}
_DEPTH = 1
"""How deep the loops within a turn are that has so little to do that its allocations count."""
_FEW = 4  # turns


def keep_rooms(kernel: Function) -> None:
    """Let loops keep the memory of their arrays, in place."""
    _block(kernel.body, _Uses(kernel))


def _block(block: Block, uses: _Uses) -> None:
    new: list[Statement] = []
    for op in block.ops:
        for inner in blocks(op):
            _block(inner, uses)
        if isinstance(op, (For, While)) and _has_turns(op) and _depth(op.body) <= _DEPTH:
            new += _Rooms(op, uses).made()
        new.append(op)
    block.ops = new


def _has_turns(loop: For | While) -> bool:
    """Whether there may be many, one after the other."""
    if isinstance(loop, While) or loop.range is None:
        return True
    ends = [a.value for a in loop.range if isinstance(a, Lit)]
    return not loop.parallel and (len(ends) < 3 or len(range(*ends)) > _FEW)


def _depth(block: Block) -> int:
    """How many loops are within one another."""
    inside = [(isinstance(op, (For, While)), inner) for op in block.ops for inner in blocks(op)]
    return max((is_loop + _depth(inner) for is_loop, inner in inside), default=0)


class _Uses:
    """``elements``: the arrays that are used by elements and lengths only, but that loops hand them on.

    ``handed``: how often they do.
    """

    def __init__(self, kernel: Function) -> None:
        self.handed = Counter[Var]()
        self._arrays, self._others, self._elements = set[Var](), set[Var](), set[Var]()
        self._written: dict[Var, Var] = {}  # what a write returns, which is the array that it writes to
        self._look(kernel.body, hands_on=False)
        used = self._others | self._elements | {*self.handed}
        self._others |= {array for out, array in self._written.items() if out in used}
        self.elements = self._arrays - self._others

    def _look(self, block: Block, hands_on: bool) -> None:
        for op in block.ops:
            self._arrays.update(v for v in (*op.outs, *binders(op)) if isinstance(v.type, Array))
            wholes = operands(op)
            if isinstance(op, Op) and _is_of_elements(op):
                self._elements.update(variables(op.args[0]))
                wholes = op.args[1:]
                if op.fn in _WRITES and isinstance(op.args[0], Var):
                    self._written.update(dict.fromkeys(op.outs, op.args[0]))
            self._others.update(variables(*wholes))
            for inner in blocks(op):
                self._look(inner, isinstance(op, (For, While)))
        found = variables(*block.results)
        self.handed.update(found) if hands_on else self._others.update(found)


def _is_of_elements(op: Op) -> bool:
    """Whether an operation uses elements, or the lengths, of its first argument only."""
    if op.fn is operator.getitem:
        return not any(isinstance(out.type, Array) for out in op.outs)
    return op.fn is np.shape or op.fn in _WRITES


class _Rooms:
    """The rooms that a loop gets for the arrays that its turns make."""

    def __init__(self, loop: For | While, uses: _Uses) -> None:
        self.loop, self.uses = loop, uses
        self.handed = list(loop.body.results[loop.stops :])
        self.before: list[Statement] = []

    def made(self) -> list[Statement]:
        """Let the loop have them; what stands before it then."""
        new: list[Statement] = []
        for op in self.loop.body.ops:
            if isinstance(op, Op) and op.fn is np.empty and (count := self.count(op)):
                new += self.carve(op, count)
            else:
                new.append(op)
        self.loop.body.ops = new
        return self.before

    def count(self, maker: Op) -> int:
        """How many rooms an array needs, one for each turn that sees it; 0 if it has to be new."""
        array, seen = maker.out, set[Var]()
        while array in self.uses.elements and array not in seen:
            seen.add(array)
            if not (times := self.uses.handed[array]):
                return len(seen)
            if times > 1 or array not in self.handed:
                break
            array = self.loop.params[self.handed.index(array)]
        return 0

    def carve(self, maker: Op, count: int) -> list[Statement]:
        """What makes an array in its room, in the place of ``maker``."""
        dtype = dtype_of(maker.out.type)
        assert dtype is not None
        hint = maker.out.hint or "buffer"
        nothing, room = self.room(dtype, hint), self.room(dtype, hint)
        span, adjoint = maker.span, maker.adjoint
        self.before.append(Op(np.empty, (Lit(0), maker.args[1]), (nothing,), {}, span, False, adjoint))
        rooms = [self.room(dtype, hint) for _ in range(count)]
        loop = self.loop
        loop.params += tuple(rooms)
        loop.inits += (nothing,) * count
        loop.outs += tuple(self.room(dtype, hint) for _ in rooms)
        loop.body.results += (*rooms[1:], room)
        grow = Op(grown, (rooms[0], maker.args[0]), (room,), {}, span, False, adjoint)
        return [grow, Op(carved, (room, maker.args[0]), maker.outs, {}, span, True, adjoint)]

    def room(self, dtype: np.dtype[Any], hint: str) -> Var:
        return Var(Array(dtype, (Dim.fresh(),)), f"{hint}_room")
