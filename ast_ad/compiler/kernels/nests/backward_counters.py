"""Which counters does LLVM not see to be 0 or more? Those of loops that run backwards.

``tell_signs(kernel) -> None``. The last change of a kernel's loops, as nothing else has to know of it.

A negative index counts from the end of an array, in compiled code as in Python. In a loop upwards from 0
LLVM proves that there are none. In one downwards it does not, and then leaves the loop within without
vectors, where places are counted from the counter: ``a[i, j + k]`` for a ``k`` from ``n - 1`` to 0.
"""

from __future__ import annotations

import operator

from ...ir import builtin
from ...ir.ops import Block, For, Function, Lit, Op, Var, blocks, variables, walk
from .body import INT

_ACCESSES = {operator.getitem, builtin.setitem_, builtin.add_item_}


def tell_signs(kernel: Function) -> None:
    """Let such a counter be ``max(counter, 0)``, which it is, in place."""
    _block(kernel.body)


def _block(block: Block) -> None:
    for op in block.ops:
        for inner in blocks(op):
            _block(inner)
        if isinstance(op, For) and op.range is not None and _goes_down(op) and _is_offset(op):
            counter, op.index = op.index, Var(INT, "back")
            op.body.ops.insert(0, Op(max, (op.index, Lit(0)), (counter,), span=op.span, adjoint=op.adjoint))


def _goes_down(loop: For) -> bool:
    """Whether it counts downwards, to 0 at least."""
    assert loop.range is not None
    _, stop, step = loop.range
    numbers = [a.value for a in (stop, step) if isinstance(a, Lit)]
    return len(numbers) == 2 and numbers[0] >= -1 and numbers[1] < 0


def _is_offset(loop: For) -> bool:
    """Whether a loop within reads or writes at places that are its own counter and this one's."""
    of_this, of_both = {loop.index}, set[Var]()
    inner = {op.index for op in walk(loop.body) if isinstance(op, For)}
    for op in walk(loop.body):
        if not isinstance(op, Op):
            continue
        if op.fn is operator.add or op.fn is operator.sub:
            terms = set(variables(*op.args))
            if not terms.isdisjoint(of_this):
                (of_this if terms.isdisjoint(inner) else of_both).update(op.outs)
        elif op.fn in _ACCESSES and not of_both.isdisjoint(variables(op.args[1])):
            return True
    return False
