"""Which copies keep axes that run backwards in memory?

``keep_directions(body) -> None``. The end of ``write_in_place``, on the copies that it has made.

NumPy sums in the order of memory. ``x.copy()`` of a flipped array lies forwards: a sum over it may differ in
its last bit from the sum over ``x`` that the program of the user makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ...rules.in_place import copy_as_it_lies
from ..analysis.aliasing import behaviour
from ..ir import builtin
from ..ir.ops import Arg, Block, For, If, Lit, Op, Seq, Slice, Statement, Var, While, variables, walk
from ..ir.types import Array

FLIPS = np.flip, np.flipud, np.fliplr, np.rot90
SHARED = "view", "read-only", "itself", "same", "element", "pop", "shallow", "may-return"


def keep_directions(body: Block) -> None:
    """Let copies of what may lie backwards lie backwards."""
    starts = [out for op in walk(body) if isinstance(op, Op) and _turns(op) for out in op.outs]
    if not starts:
        return
    backwards, statements = set(starts), list(walk(body))
    while more := {b for op in statements for a, b in _flows(op) if a in backwards} - backwards:
        backwards |= more
    for op in statements:
        if isinstance(op, Op) and op.fn is builtin.copy and op.args[0] in backwards and not op.adjoint:
            if isinstance(op.out.type, Array):  # a list of such arrays is copied as any list
                op.fn = copy_as_it_lies


def _turns(op: Op) -> bool:
    """Whether the operation turns axes round, or may do so."""
    if op.fn in FLIPS:
        return True
    return behaviour(op) == "view" and any(_steps_back(arg) for arg in op.args[1:])


def _steps_back(index: Arg) -> bool:
    if isinstance(index, Seq):
        return any(map(_steps_back, index.items))
    if not isinstance(index, Slice):
        return False
    step = index.step.value if isinstance(index.step, Lit) else -1
    return step is not None and step < 0


def _flows(op: Statement) -> Iterator[tuple[Var, Var]]:
    """Pairs of variables, the second of which may be the first one, hold it, or show it."""
    if isinstance(op, Op):
        if op.fn in builtin.MUTATORS or op.fn is builtin.copy or behaviour(op) in SHARED:
            yield from ((var, out) for var in variables(*op.args) for out in op.outs)
    elif isinstance(op, If):
        for block in (op.then, op.orelse):
            yield from _pairs(block.results, op.outs)
    elif isinstance(op, (For, While)):
        results = op.body.results[1:] if op.stops else op.body.results
        yield from _pairs(op.inits, op.params)
        yield from _pairs(results, op.params)
        yield from _pairs(op.params, op.outs)
        if isinstance(op, For):
            yield from ((v, item) for source, items in op.items for v in variables(source) for item in items)


def _pairs(args: Iterable[Arg], into: Iterable[Var]) -> Iterator[tuple[Var, Var]]:
    return ((var, out) for arg, out in zip(args, into, strict=True) for var in variables(arg))
