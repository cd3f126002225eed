"""What has a name behind a loop before the loop has run?

``first_values(function) -> None`` is what ``partition`` does to its driver first. An array that each turn
makes and that only the last one leaves has no value before the loop. Where there is a turn for certain, an
empty array takes its place, as loops of kernels carry arrays only; nothing reads it.
"""

from __future__ import annotations

import numpy as np

from ...ir import builtin
from ...ir.dims import reaches
from ...ir.ops import Arg, Block, For, Function, Lit, Op, Seq, Statement, Var, blocks, reads, variables
from ...ir.types import Array, Dim, Scalar


def first_values(function: Function) -> None:
    """Give loops arrays to begin with, in place of those that nothing reads."""
    _block(function.body, set())


def _block(block: Block, undefined: set[Arg]) -> None:
    """``undefined``: the Vars around the block that have no value."""
    undefined = undefined | {op.out for op in block.ops if isinstance(op, Op) and op.fn is builtin.undefined}
    done: list[Statement] = []
    for op in block.ops:
        for inner in blocks(op):
            _block(inner, undefined)
        if isinstance(op, For) and has_turns(op):
            done += _begun(op, undefined)
        done.append(op)
    block.ops = done


def _begun(op: For, undefined: set[Arg]) -> list[Op]:
    """The empty arrays of a loop, which it carries from now on."""
    read = {var for inner in op.body.ops for var in reads(inner)} | set(variables(*op.body.results))
    made: list[Op] = []
    inits = list(op.inits)
    for j, (param, init) in enumerate(zip(op.params, op.inits, strict=True)):
        none = isinstance(init, Lit) and init.value is None or init in undefined
        if not none or param in read or not isinstance(param.type, Array) or not param.type.shape:
            continue
        dims = (0,) * len(param.type.shape)
        first = Var(Array(param.type.dtype, dims), param.hint)
        shape = Seq(tuple(map(Lit, dims)))
        made.append(
            Op(np.empty, (shape,), (first,), {"dtype": Lit(param.type.dtype)}, op.span, adjoint=op.adjoint)
        )
        inits[j] = first
    op.inits = tuple(inits)
    return made


def has_turns(op: For) -> bool:
    """Whether a loop has a turn for certain, by what is known of the lengths that it counts to.

    >>> n = Var(Scalar("int", None, Dim.symbol("n", least=2)))
    >>> loop = For(Var(Scalar("int")), (Lit(1), n, Lit(1)), (), (), (), Block(), ())
    >>> has_turns(loop)
    True
    """
    if op.range is None:
        return False
    start, stop, step = map(_size, op.range)
    if start is None or stop is None or not isinstance(step, int) or not step:
        return False
    return reaches(stop - start if step > 0 else start - stop, 1)


def _size(arg: Arg) -> Dim | int | None:
    """An int as what is known of it."""
    if isinstance(arg, Lit):
        return arg.value if type(arg.value) is int else None
    return arg.type.size if isinstance(arg, Var) and isinstance(arg.type, Scalar) else None
