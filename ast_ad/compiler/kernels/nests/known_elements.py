"""Which elements does a kernel read again that it has read or written before? They are in registers.

``read_once(kernel) -> None`` and ``without_twins(kernel) -> bool``, in this order, behind ``write_out`` and
before ``share_memory``; where none of the kernel's arguments overlap.

A compiler reads ``p[i, j - 1]`` again behind ``p[i, j] = x``, as it can't tell that these are two places; nor
does it make vectors then, as it would have to compare the rows in both orders. Here the places are known by
what their indices differ in. What was read twice was saved twice, too: of two arrays that are written once,
with the same numbers at the same places, one is enough.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...ir import builtin
from ...ir.ops import Arg, Block, Function, Lit, Op, Seq, Statement, Var, blocks, operands, variables, walk
from ...ir.types import Array, computed_alike
from ...simplify.patterns import arg_key
from ...simplify.renaming import Renaming, renamed, replace_operands, replace_reads
from .axis_order import ACCESSES, own
from .body import element_type

_SHAPES = {np.shape, np.empty, np.ndim, len}
_WRITES = {builtin.setitem_, builtin.add_item_}
Place = tuple[tuple[Any, int], ...]
"""For each axis what an index is counted from, a Var or None, and how far it is from there."""


def read_once(kernel: Function) -> None:
    """Take elements that are known from where they are, in place."""
    made = {op.outs[0] for op in walk(kernel.body) if isinstance(op, Op) and op.fn is np.empty}
    arrays = {p for p in kernel.params if isinstance(p.type, Array)} | made
    makers = {out: op for op in walk(kernel.body) if isinstance(op, Op) for out in op.outs}
    _Elements(arrays - _passed_on(kernel.body), makers).block(kernel.body)


class _Elements:
    """``arrays``: those that have one name, and are read and written element by element."""

    def __init__(self, arrays: set[Var], makers: dict[Var, Op]) -> None:
        self.arrays, self.makers = arrays, makers

    def block(self, block: Block) -> None:
        known: dict[Var, dict[Place, Var]] = defaultdict(dict)
        names: Renaming = {}
        kept: list[Statement] = []
        for op in block.ops:
            for inner in blocks(op):
                self.block(inner)
            array = op.args[0] if isinstance(op, Op) and op.fn in ACCESSES else None
            if not isinstance(op, Op) or array not in self.arrays:
                for written in _written(Block([op])):
                    known.pop(written, None)
            elif op.fn is operator.getitem:
                assert isinstance(array, Var)
                place = self.place(op.args[1])
                if place in known[array]:
                    names[op.out] = known[array][place]
                    continue
                known[array][place] = op.out
            else:
                assert isinstance(array, Var)
                self.write(op, known[array], renamed(op.args[2], names))
            kept.append(op)
        block.ops = kept
        if names:
            replace_reads(block, names)

    def write(self, op: Op, known: dict[Place, Var], value: Arg) -> None:
        """Forget what may be at the place that is written, and learn what is."""
        array, place = op.args[0], self.place(op.args[1])
        for other in [p for p in known if not _are_apart(p, place)]:
            del known[other]
        assert isinstance(array, Var) and isinstance(array.type, Array)
        if op.fn is builtin.setitem_ and isinstance(value, Var):
            if computed_alike(value.type, element_type(array.type)):
                known[place] = value

    def place(self, index: Arg) -> Place:
        return tuple(self.counted(i) for i in (index.items if isinstance(index, Seq) else (index,)))

    def counted(self, index: Arg) -> tuple[Any, int]:
        """An index as a number and a constant; those that count from the end have been made others before."""
        offset = 0
        while isinstance(index, Var):
            op = self.makers.get(index)
            if op is None or op.fn not in (operator.add, operator.sub) or len(op.args) != 2:
                return index, offset
            first, second = op.args
            if not isinstance(second, Lit) or type(second.value) is not int:
                return index, offset
            offset += second.value if op.fn is operator.add else -second.value
            index = first
        value = index.value if isinstance(index, Lit) else None
        return (None, offset + value) if type(value) is int else (arg_key(index), offset)


def _are_apart(one: Place, other: Place) -> bool:
    """Whether two places differ for certain: along some axis by a constant."""
    return any(
        a[0] is b[0] and a[1] != b[1] and (a[0] is not None or min(a[1], b[1]) >= 0)
        for a, b in zip(one, other, strict=True)
    )


def _written(block: Block) -> set[Var]:
    """What statements may write to."""
    found: set[Var] = set()
    for op in walk(block):
        if isinstance(op, Op) and op.fn in _WRITES:
            found.update(variables(op.args[0]))
        elif isinstance(op, Op) and op.effect:
            found.update(variables(*operands(op)))
    return found


def _passed_on(block: Block) -> set[Var]:
    """What is not only read and written element by element: it may have other names."""
    found = set(variables(*block.results))
    for op in block.ops:
        args = list(operands(op))
        if isinstance(op, Op) and op.fn in ACCESSES and not any(isinstance(o.type, Array) for o in _read(op)):
            args = args[1:]
        if not (isinstance(op, Op) and op.fn in _SHAPES):
            found.update(variables(*args))
        for inner in blocks(op):
            found |= _passed_on(inner)
    return found


def _read(op: Op) -> tuple[Var, ...]:
    return op.outs if op.fn is operator.getitem else ()


# ----- arrays that hold the same
def without_twins(kernel: Function) -> bool:
    """Let one array do for two that hold the same, in place. Whether there are any: then more is known."""
    makers = {o: op for op in kernel.body.ops if isinstance(op, Op) and op.fn is np.empty for o in op.outs}
    arrays = own(kernel) & makers.keys()
    times: dict[Var, int] = defaultdict(int)
    for op in walk(kernel.body):
        if isinstance(op, Op) and op.fn in _WRITES and op.args[0] in arrays:
            times[op.args[0]] += 1
    twins: dict[Var, Var] = {}
    _twins(kernel.body, {a for a in arrays if times[a] == 1}, makers, twins)
    _replace(kernel.body, twins)
    return bool(twins)


def _twins(block: Block, once: set[Var], makers: dict[Var, Op], twins: dict[Var, Var]) -> None:
    """Find such arrays by the statements that write to them, with no use of either between these."""
    seen: dict[object, tuple[Var, set[Var]]] = {}  # and what was used since
    for op in block.ops:
        for inner in blocks(op):
            _twins(inner, once, makers, twins)
        used = set(_used(op))
        if isinstance(op, Op) and op.fn is builtin.setitem_ and op.args[0] in once:
            array = op.args[0]
            assert isinstance(array, Var)
            key = tuple(arg_key(a) for a in (*makers[array].args, *op.args[1:]))
            other, since = seen.get(key, (array, used))
            if since.isdisjoint((array, other)):
                twins[array] = other
                continue
            seen[key] = array, set()
            used.discard(array)
        for _, since in seen.values():
            since |= used


def _used(op: Statement) -> Iterator[Var]:
    yield from variables(*operands(op))
    for inner in blocks(op):
        for one in inner.ops:
            yield from _used(one)


def _replace(block: Block, twins: dict[Var, Var]) -> None:
    kept: list[Statement] = []
    for op in block.ops:
        if isinstance(op, Op) and (
            op.fn is np.empty and op.outs[0] in twins or op.fn is builtin.setitem_ and op.args[0] in twins
        ):
            continue
        replace_operands(op, dict(twins))
        for inner in blocks(op):
            _replace(inner, twins)
        kept.append(op)
    block.ops = kept
