"""Which branches by one condition, one behind the other, are one branch?

``join_branches(function) -> Function``. Behind the front end, before ``adjoint``, which else saves what the
first gives to the second: a value that only one path has.

What a statement within ``try`` gives, where it does not raise, is read where it did not::

    if c == 0: r = undefined           if c == 0:
    else:      r = 1 / c                   s = 0
    if c == 0: s = 0             =>    else:
    else:      s = 2 * r                   s = 2 * (1 / c)
"""

from __future__ import annotations

from ..ir.ops import Block, Function, If, Undefined, blocks
from .renaming import reads_of, replace_reads


def join_branches(function: Function) -> Function:
    """Join, in place, a branch with the one before it that leaves something undefined; return the function.

    >>> from ast_ad.compiler.ir.ops import Lit, Var
    >>> from ast_ad.compiler.ir.types import Scalar
    >>> number, c, x = Scalar("float"), Var(Scalar("bool")), Var(Scalar("float"))
    >>> r, s = Var(number), Var(number)
    >>> first = If(c, Block([], (Undefined(number),)), Block([], (x,)), (r,))
    >>> second = If(c, Block([], (Lit(0.0),)), Block([], (r,)), (s,))
    >>> found = join_branches(Function("f", (c, x), Block([first, second], (s,)))).body.ops
    >>> len(found), found[0].then.results, found[0].orelse.results == (x,)
    (1, (0.0,), True)
    """
    if _join(function.body):
        _drop_unread(function)
    return function


def _join(block: Block) -> bool:
    joined, ops = False, list[object]()
    for op in block.ops:
        last = ops[-1] if ops else None
        if isinstance(op, If) and isinstance(last, If) and op.cond is last.cond and _leaves_open(last):
            for one, other in ((last.then, op.then), (last.orelse, op.orelse)):
                replace_reads(other, dict(zip(last.outs, one.results, strict=True)))
                one.ops += other.ops
                one.results += other.results
            last.outs += op.outs
            joined = True
        else:
            ops.append(op)
    block.ops[:] = ops  # type: ignore[assignment]
    return any([_join(inner) for op in block.ops for inner in blocks(op)]) or joined


def _leaves_open(op: If) -> bool:
    return any(isinstance(result, Undefined) for side in (op.then, op.orelse) for result in side.results)


def _drop_unread(function: Function) -> None:
    """Results that only the second branch read are none of the joined one."""
    reads = reads_of(function.body)

    def visit(block: Block) -> None:
        for op in block.ops:
            if isinstance(op, If):
                kept = [i for i, out in enumerate(op.outs) if reads[out]]
                op.outs = tuple(op.outs[i] for i in kept)
                for side in (op.then, op.orelse):
                    side.results = tuple(side.results[i] for i in kept)
            for inner in blocks(op):
                visit(inner)

    visit(function.body)
