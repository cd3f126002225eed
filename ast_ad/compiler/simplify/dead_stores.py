"""Where is zero written to a cotangent to which something is added right after?

``fill_erased(block) -> None``. In ``simplify_block``, when the block has been rewritten: it looks for chains
of additions that nothing else reads, and the rules of ``peephole`` remove such readers.

The adjoint of ``a[i] += v`` and its like takes ``a_bar[i]``, sets it to zero and adds it, or what became of
it, again, with other additions between. As sums may be taken in any order, the addition moves up to the
zero, where it is a write; and where the very element that was there is written, there is nothing to do::

    t = a_bar[i]
    a_bar[i] = 0
    a_bar[i - 1] += t                   a_bar[i - 1] += a_bar[i]
    a_bar[i] += t
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator

from ...rules import helpers
from ..ir.ops import Arg, Block, Lit, Op, Var, blocks, operands, variables, walk
from ..ir.types import Array
from .patterns import arg_key
from .view_indices import is_basic_index


def fill_erased(block: Block) -> None:
    """Change, in place, the adjoint statements of a block and of the regions within."""
    if any(isinstance(op, Op) and _is_addition(op) for op in walk(block)):
        _fill_block(block, Counter(_reads(block)))


def _fill_block(block: Block, uses: Counter[Var]) -> None:
    for op in block.ops:
        for inner in blocks(op):
            _fill_block(inner, uses)
    makers = {op.outs[0]: op for op in block.ops if isinstance(op, Op) and op.adjoint and len(op.outs) == 1}
    for op in list(block.ops):
        chain = _chain_to_zero(op, makers, uses) if isinstance(op, Op) and _is_addition(op) else None
        if chain is not None:
            uses.subtract(_own_reads(chain))
            uses.update(_own_reads(_fill(block, chain, makers)))


def _reads(block: Block) -> Iterator[Var]:
    for op in walk(block):
        yield from variables(*operands(op))
        for inner in blocks(op):
            yield from variables(*inner.results)
    yield from variables(*block.results)


def _own_reads(ops: list[Op]) -> Iterator[Var]:
    return (var for op in ops for var in variables(*operands(op)))


def _is_addition(op: Op) -> bool:
    return op.adjoint and op.fn is helpers.add_at and isinstance(op.out.type, Array)


def _chain_to_zero(op: Op, makers: dict[Var, Op], uses: Counter[Var]) -> list[Op] | None:
    """The writes from the zero at the op's own index to the op, none of which anything else reads."""
    index, chain = op.args[1], [op]
    if not is_basic_index(index):
        return None
    while True:
        target = chain[-1].args[0]
        maker = makers.get(target) if isinstance(target, Var) else None
        if maker is None or uses[target] != 1:  # type: ignore[index]
            return None
        chain.append(maker)
        if maker.fn is helpers.setitem:
            zero = isinstance(maker.args[2], Lit) and maker.args[2].value == 0
            return chain[::-1] if zero and arg_key(maker.args[1]) == arg_key(index) else None
        if not _is_addition(maker):
            return None


def _fill(block: Block, chain: list[Op], makers: dict[Var, Op]) -> list[Op]:
    """Write the last addition's value in place of the zero; all of the chain moves to where it stood.

    What stays of the chain is returned.
    """
    erase, *between, last = chain
    whole, index, value = erase.args[0], last.args[1], last.args[2]
    moved: list[Op] = []
    if not _is_item(value, whole, index, makers):
        erase.args, moved = (whole, index, value), [erase]
        whole = erase.out
    for op in between:
        op.args, whole = (whole, *op.args[1:]), op.out
        moved.append(op)
    if not moved:
        return chain
    del makers[moved[-1].out]
    moved[-1].outs = last.outs
    makers[last.out] = moved[-1]
    gone = {id(op) for op in chain}
    position = next(i for i, op in enumerate(block.ops) if op is last)
    block.ops[position : position + 1] = moved
    kept = {id(op) for op in moved}
    block.ops = [
        op for i, op in enumerate(block.ops) if id(op) not in gone or id(op) in kept and i >= position
    ]
    return moved


def _is_item(value: Arg, whole: Arg, index: Arg, makers: dict[Var, Op]) -> bool:
    """Whether the value is ``whole[index]`` itself."""
    maker = makers.get(value) if isinstance(value, Var) else None
    if maker is None or maker.fn is not operator.getitem or maker.args[0] is not whole:
        return False
    return arg_key(maker.args[1]) == arg_key(index)
