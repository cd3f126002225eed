"""Which branches by one condition, one behind the other, are one branch?

``join_branches(function) -> Function``. Behind the front end, before ``adjoint``, which else saves what the
first gives to the second: a value that only one path has. ``join_alike(function) -> bool``: after loop
fusion, where the adjoint of a branch follows the branch itself.

What a statement within ``try`` gives, where it does not raise, is read where it did not::

    if c == 0: r = undefined           if c == 0:
    else:      r = 1 / c                   s = 0
    if c == 0: s = 0             =>    else:
    else:      s = 2 * r                   s = 2 * (1 / c)
"""

from __future__ import annotations

from ..ir.ops import Block, Function, If, Op, Statement, Undefined, Var, blocks, reads, walk
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


def join_alike(function: Function) -> bool:
    """Join, in place, every branch with an earlier one by the same condition; whether there were any.

    Statements between the two run after both, or before where the second needs them.

    >>> import operator
    >>> from ast_ad.compiler.ir.ops import Lit, Var
    >>> from ast_ad.compiler.ir.types import Scalar
    >>> number, c, x = Scalar("float"), Var(Scalar("bool")), Var(Scalar("float"))
    >>> r, s, t, u = (Var(number) for _ in range(4))
    >>> first = If(c, Block([], (Undefined(number),)), Block([], (x,)), (r,))
    >>> between = [Op(operator.neg, (r,), (t,)), Op(operator.neg, (x,), (u,))]
    >>> second = If(c, Block([], (Lit(0.0),)), Block([], (u,)), (s,))
    >>> function = Function("f", (c, x), Block([first, *between, second], (s, t)))
    >>> join_alike(function), [type(op).__name__ for op in function.body.ops]
    (True, ['Op', 'If', 'Op'])
    """
    joined = _join_alike(function.body)
    if joined:
        _drop_unread(function)
    return joined


def _join(block: Block) -> bool:
    joined, ops = False, list[Statement]()
    for op in block.ops:
        last = ops[-1] if ops else None
        if isinstance(op, If) and isinstance(last, If) and op.cond is last.cond and _leaves_open(last):
            _append(last, op)
            joined = True
        else:
            ops.append(op)
    block.ops = ops
    return any([_join(inner) for op in block.ops for inner in blocks(op)]) or joined


def _join_alike(block: Block) -> bool:
    joined, ops = False, list[Statement]()
    for op in block.ops:
        found = _beside(ops, op) if isinstance(op, If) and isinstance(op.cond, Var) else None
        if found is None:
            ops.append(op)
        else:
            place, before, after = found
            _append(ops[place], op)  # type: ignore[arg-type]
            ops[place:] = [*before, ops[place], *after]
            joined = True
    block.ops = ops
    return any([_join_alike(inner) for op in block.ops for inner in blocks(op)]) or joined


def _append(first: If, second: If) -> None:
    """What the second does is done at the end of the first."""
    for one, other in ((first.then, second.then), (first.orelse, second.orelse)):
        replace_reads(other, dict(zip(first.outs, one.results, strict=True)))
        one.ops += other.ops
        one.results += other.results
    first.outs += second.outs


def _beside(ops: list[Statement], second: If) -> tuple[int, list[Statement], list[Statement]] | None:
    """The place of a branch that the second may join, and what is to run before and after both; None if
    there is no such branch, or if the second reads what comes of the first by something in between."""
    alike = (i for i, op in enumerate(ops) if isinstance(op, If) and op.cond is second.cond)
    place = max(alike, default=None)
    if place is None:
        return None
    before, after, needed = list[Statement](), list[Statement](), set(reads(second))
    for op in reversed(ops[place + 1 :]):
        if needed.isdisjoint(op.outs):
            after.insert(0, op)
        else:
            before.insert(0, op)
            needed.update(reads(op))
    first = set(ops[place].outs)
    if any(not first.isdisjoint(reads(op)) for op in before):
        return None
    if before and has_effect(ops[place]) or after and has_effect(second) or any(map(has_effect, before)):
        return None
    return place, before, after


def _leaves_open(op: If) -> bool:
    return any(isinstance(result, Undefined) for side in (op.then, op.orelse) for result in side.results)


def _drop_unread(function: Function) -> None:
    """Results that only the second branch read are none of the joined one."""
    counts = reads_of(function.body)

    def visit(block: Block) -> None:
        for op in block.ops:
            if isinstance(op, If):
                kept = [i for i, out in enumerate(op.outs) if counts[out]]
                op.outs = tuple(op.outs[i] for i in kept)
                for side in (op.then, op.orelse):
                    side.results = tuple(side.results[i] for i in kept)
            for inner in blocks(op):
                visit(inner)

    visit(function.body)


def has_effect(op: Statement) -> bool:
    """Whether something in a statement is done for its effect."""
    return any(isinstance(inner, Op) and inner.effect for inner in walk(Block([op])))
