"""Which values of a program are cotangents, or hold some?

``cotangents(block) -> set[Var]``. Asked where the facts of a program are checked in a first call.

A cotangent may be one number for all elements, or zero. A derivative of a program that has cotangents saves
them as any other values.
"""

from __future__ import annotations

from ...rules import containers, helpers
from ..ir import builtin
from ..ir.ops import Arg, Block, For, If, Op, Var, While, binders, variables, walk

HOLDING = (
    *(builtin.copy, builtin.own, builtin.assign, builtin.append_, builtin.make_tuple, builtin.make_list),
    *(containers.list_append, helpers.hollow),
)  # what they make holds what they are given


def cotangents(block: Block) -> set[Var]:
    """The cotangents of a program, and what holds some: a derivative of it saves them as other values."""
    found = {v for op in walk(block) if op.adjoint for v in (*op.outs, *binders(op))}
    others = [op for op in walk(block) if not op.adjoint]
    size = -1
    while size < len(found):
        size = len(found)
        for op in others:
            if isinstance(op, Op):
                if op.fn in HOLDING and not found.isdisjoint(variables(*op.args)):
                    found.update(op.outs)
                continue
            sides = [op.then.results, op.orelse.results] if isinstance(op, If) else _passed(op)
            targets = [op.outs] if isinstance(op, If) else [op.params, op.outs]
            for values in sides:
                for value, *into in zip(values, *targets, strict=True):
                    if not found.isdisjoint(variables(value)):
                        found.update(into)
    return found


def _passed(op: For | While) -> list[tuple[Arg, ...]]:
    """What a loop carries: into its first pass, and out of each."""
    return [op.inits, op.body.results[1:] if op.stops else op.body.results]
