"""What in a kernel's loops need not be done at every turn, and which arrays need not be as large?

``hoist(kernel) -> None`` and then ``shrink(kernel) -> None``. After ``tidy``, and after ``parallelise``,
whose chunks are kernels that get the same; before ``allocate_outside``, which takes the allocations that then
stand in no loop.

Lengths are computed, and temporary arrays allocated, once before the loop. An array of which every turn of
some loops only sees its own part is as large as that part.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, field

import numpy as np

from ...ir import builtin
from ...ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Lit,
    Op,
    Seq,
    Statement,
    Var,
    While,
    binders,
    blocks,
    operands,
    variables,
    walk,
)
from ...ir.types import Array, Scalar
from .. import runtime as kernels, threads
from ..numbers import (
    factored_systems,
    matrix_functions,
    ranges,
    small_matrices,
    sorted_places,
    tiny_matrices,
)

_ACCESSES = {operator.getitem, builtin.setitem_, builtin.add_item_}
_WHOLE = {np.dot, np.transpose, threads.attempt, threads.copies, threads.add_copies}
"""What reads, or fills, a whole array; so do the functions of matrices, and searches."""
_CALLS = {
    module.__name__
    for module in (factored_systems, matrix_functions, small_matrices, sorted_places, tiny_matrices)
}
_PURE = {
    operator.add,
    operator.sub,
    operator.mul,
    max,
    min,
    np.shape,
    kernels.span,
    kernels.bound,
    kernels.turns,
    ranges.place_backwards,
}
SMALL = 1024  # numbers: arrays that may be made whether a branch is taken or not


def hoist(kernel: Function) -> None:
    """Move what does not change out of loops, in place."""
    _block(kernel.body, _local_arrays(kernel))


def _block(block: Block, local: set[Var]) -> None:
    new: list[Statement] = []
    for op in block.ops:
        for inner in blocks(op):
            _block(inner, local)
        if isinstance(op, (For, While)):
            new += _invariant(op, local)
        elif isinstance(op, If):
            new += _small_arrays(op, local)
        new.append(op)
    block.ops = new


def _invariant(loop: For | While, local: set[Var]) -> list[Statement]:
    """Take out of a loop's body what only reads what is defined before it."""
    made = {v for op in walk(loop.body) for v in (*op.outs, *binders(op))} | set(binders(loop))
    if isinstance(loop, While):
        made |= {v for op in walk(loop.cond) for v in op.outs}
    moved: list[Statement] = []
    kept: list[Statement] = []
    for op in loop.body.ops:
        if isinstance(op, Op) and _may_move(op, local) and made.isdisjoint(variables(*operands(op))):
            moved.append(op)
            made.difference_update(op.outs)
        else:
            kept.append(op)
    loop.body.ops = kept
    return moved


def _small_arrays(branch: If, local: set[Var]) -> list[Statement]:
    """Take out of a branch the small arrays that it makes: out of the loop around it then."""
    moved: list[Statement] = []
    for block in blocks(branch):
        small = [op for op in block.ops if isinstance(op, Op) and op.fn is np.empty and _is_small(op)]
        small = [op for op in small if op.outs[0] in local]
        block.ops = [op for op in block.ops if op not in small]
        moved += small
    return moved


def _is_small(op: Op) -> bool:
    lengths = op.args[0].items if isinstance(op.args[0], Seq) else (op.args[0],)
    return math.prod(n.value if isinstance(n, Lit) else SMALL + 1 for n in lengths) <= SMALL


def _may_move(op: Op, local: set[Var]) -> bool:
    if op.fn is np.empty:
        return op.outs[0] in local
    if op.fn is operator.getitem:
        source = op.args[0]
        return isinstance(source, Var) and not isinstance(source.type, Array)  # of a shape
    integer = all(isinstance(o.type, Scalar) and o.type.kind == "int" for o in op.outs) or op.fn is np.shape
    return not op.effect and op.fn in _PURE and integer


def _local_arrays(kernel: Function) -> set[Var]:
    """Arrays that are made here and only read and written element by element."""
    made = {op.outs[0] for op in walk(kernel.body) if isinstance(op, Op) and op.fn is np.empty}
    return made - _escaping(kernel.body)


def _escaping(block: Block) -> set[Var]:
    found = set(variables(*block.results))
    for op in block.ops:
        args = list(operands(op))
        if isinstance(op, Op) and op.fn in _ACCESSES:
            args = args[1:]
        if isinstance(op, Op) and _takes_whole(op):
            args = []
        found.update(variables(*args))
        for inner in blocks(op):
            found |= _escaping(inner)
    return found


def _takes_whole(op: Op) -> bool:
    return op.fn in _WHOLE or getattr(op.fn, "__module__", "") in _CALLS


# ----- smaller arrays
@dataclass
class _Uses:
    """The accesses of an array, and the loops' counters by which all of them name the same leading places."""

    ops: list[Op] = field(default_factory=list)
    common: list[Arg] | None = None
    loops: list[Var] | None = None


def shrink(kernel: Function) -> None:
    """Drop the leading axes of local arrays by which no turn of a loop meets another's part, in place."""
    uses: dict[Var, _Uses] = {v: _Uses() for v in _local_arrays(kernel)}
    makers = {op.outs[0]: op for op in walk(kernel.body) if isinstance(op, Op) and op.fn is np.empty}
    _collect(kernel.body, [], uses)
    for var, use in uses.items():
        count = _shared(use)
        shape = makers[var].args[0]
        lengths: list[Arg] = list(shape.items) if isinstance(shape, Seq) else [shape]
        if count and _is_before(kernel.body, makers[var], use):
            _shorten(makers[var], var, lengths, count, use.ops)


def _collect(block: Block, loops: list[Var], uses: dict[Var, _Uses]) -> None:
    for op in block.ops:
        if isinstance(op, Op) and _takes_whole(op):
            for var in variables(*op.args):
                if var in uses:
                    uses[var].common = []
        if isinstance(op, Op) and op.fn in _ACCESSES and op.args[0] in uses:
            use = uses[op.args[0]]
            index = list(op.args[1].items) if isinstance(op.args[1], Seq) else [op.args[1]]
            use.ops.append(op)
            lead: list[Arg] = []
            for place in index:
                if not isinstance(place, Var) or place not in loops:
                    break
                lead.append(place)
            before = use.common
            use.common = lead if before is None else _agreeing(before, lead)
        inner = [*loops, op.index] if isinstance(op, For) else loops
        for block_ in blocks(op):
            _collect(block_, inner, uses)


def _agreeing(a: list[Arg], b: list[Arg]) -> list[Arg]:
    same: list[Arg] = []
    for x, y in zip(a, b, strict=False):
        if x is not y:
            break
        same.append(x)
    return same


def _shared(use: _Uses) -> int:
    return len(use.common or ())


def _is_before(body: Block, maker: Op, use: _Uses) -> bool:
    """Whether the array is made outside of the loops whose counters its places name."""
    counters = set(use.common or ())
    for op in walk(body):
        if isinstance(op, For) and op.index in counters:
            if any(inner is maker for inner in walk(op.body)):
                return False
    return True


def _shorten(maker: Op, var: Var, lengths: list[Arg], count: int, ops: list[Op]) -> None:
    rest = lengths[count:] or [Lit(1)]
    maker.args = (rest[0] if len(rest) == 1 else Seq(tuple(rest)), *maker.args[1:])
    assert isinstance(var.type, Array) and var.type.shape is not None
    var.type = Array(var.type.dtype, tuple(var.type.shape[count:]) or (1,))
    for op in ops:
        index = list(op.args[1].items) if isinstance(op.args[1], Seq) else [op.args[1]]
        left = index[count:] or [Lit(0)]
        op.args = (op.args[0], left[0] if len(left) == 1 else Seq(tuple(left)), *op.args[2:])
