"""In which order do independent statements stand?

``schedule(block, may_write) -> None``. In ``write_in_place``, before its analysis: a read that stands behind
the write would cost a copy.

Pure statements may move. What reads an array goes before the write that replaces it, so that the write can
happen in place; what is saved for the reverse sweep is saved as soon as it is known, before its name is used
for the next value::

    z_bar_1 = setitem(z_bar, 1:, 0)            v_bar = z_bar[1:]
    v_bar = z_bar[1:]                          z_bar_1 = setitem(z_bar, 1:, 0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...rules import containers
from ..analysis.aliasing import data_reads
from ..ir.ops import Block, Op, Statement, Var, blocks, operands, variables, walk

Writes = Callable[[Op], object]


def schedule(block: Block, may_write: Writes) -> None:
    """Reorder the statements of the block and of the regions within it.

    ``may_write``: whether an op is to become a write to its first argument.
    """
    for op in block.ops:
        for inner in blocks(op):
            schedule(inner, may_write)
    save_early(block)
    read_first(block, may_write)


def save_early(block: Block) -> None:
    """Move every ``list_append`` up to where its arguments are known."""
    ordered: list[Statement] = []
    for op in block.ops:
        position = len(ordered)
        if isinstance(op, Op) and op.fn is containers.list_append:
            while position and _may_pass(op, ordered[position - 1]):
                position -= 1
        ordered.insert(position, op)
    block.ops = ordered


def _may_pass(op: Op, before: Statement) -> bool:
    """Whether the op reads nothing that ``before`` computes; another append and effects are not passed."""
    if isinstance(before, Op) and (before.effect or before.fn is containers.list_append):
        return False
    return set(before.outs).isdisjoint(variables(*operands(op)))


def read_first(block: Block, may_write: Writes) -> None:
    """Move the reads of an array before the write to it, where that frees the array for the write."""
    yielded = set(variables(*block.results))
    writes = [o for o in block.ops if isinstance(o, Op) and may_write(o) and o.args[0] not in yielded]
    if not writes:
        return
    readers: dict[Var, list[Statement]] = {}
    for other in block.ops:
        for var in dict.fromkeys(_reads(other)):
            readers.setdefault(var, []).append(other)
    place = {id(op): i for i, op in enumerate(block.ops)}
    for op in writes:
        target, position = op.args[0], place[id(op)]
        assert isinstance(target, Var)
        after = (o for o in readers.get(target, ()) if place[id(o)] > position)
        later = sorted(after, key=lambda o: place[id(o)])
        if later and _can_rise(later, block, range(position, place[id(later[-1])] + 1)):
            rising = set(map(id, later))
            between = [o for o in block.ops[position : place[id(later[-1])] + 1] if id(o) not in rising]
            block.ops[position : position + len(later) + len(between)] = later + between
            place.update((id(o), position + i) for i, o in enumerate(later + between))


def _reads(op: Statement) -> Iterator[Var]:
    """What the statement reads by value, its regions included."""
    for inner in walk(Block([op])):
        yield from data_reads(inner) if isinstance(inner, Op) else variables(*operands(inner))
        for block in blocks(inner):
            yield from variables(*block.results)


def _can_rise(later: list[Statement], block: Block, span: range) -> bool:
    """Whether all readers are pure ops of what is known before."""
    rising, between = set(map(id, later)), set[Var]()
    for op in block.ops[span.start : span.stop]:
        if id(op) not in rising:
            between.update(op.outs)
        elif not isinstance(op, Op) or op.effect or not between.isdisjoint(variables(*operands(op))):
            return False
    return True
