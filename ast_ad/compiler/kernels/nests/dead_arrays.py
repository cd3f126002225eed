"""What of a kernel can go? Arrays that are written and never read.

``tidy(kernel) -> None``. Right after the kernel's loops are written: a formula that is stored for several
readers is no longer read from memory where all of them came to stand in its loop.
"""

from __future__ import annotations

import numpy as np

from ...ir import builtin
from ...ir.ops import Block, For, Function, Op, Var, blocks, operands, variables, walk
from ...simplify.dead_code import eliminate_dead_code

_WRITES = {builtin.setitem_, builtin.add_item_}


def tidy(kernel: Function) -> None:
    """Remove the memory that nobody reads, and what only it was computed for, in place."""
    while True:
        made = {op.outs[0] for op in walk(kernel.body) if isinstance(op, Op) and op.fn is np.empty}
        read = set(_reads(kernel.body))
        dead = made - read
        if not dead:
            break
        _remove(kernel.body, dead)
        eliminate_dead_code(kernel)
        _empty_loops(kernel.body)


def _reads(block: Block) -> list[Var]:
    found: list[Var] = list(variables(*block.results))
    for op in block.ops:
        args = list(operands(op))
        if isinstance(op, Op) and op.fn in _WRITES:
            args = args[1:]
        found += variables(*args)
        for inner in blocks(op):
            found += _reads(inner)
    return found


def _remove(block: Block, dead: set[Var]) -> None:
    block.ops = [
        op
        for op in block.ops
        if not (
            isinstance(op, Op) and (op.outs and op.outs[0] in dead or op.fn in _WRITES and op.args[0] in dead)
        )
    ]
    for op in block.ops:
        for inner in blocks(op):
            _remove(inner, dead)


def _empty_loops(block: Block) -> None:
    """Remove loops that do nothing."""
    for op in block.ops:
        for inner in blocks(op):
            _empty_loops(inner)
    block.ops = [op for op in block.ops if not (isinstance(op, For) and not op.body.ops and not op.outs)]
