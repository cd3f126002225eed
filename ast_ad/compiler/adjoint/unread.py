"""Which values that nobody reads are computed nevertheless, because that may raise an exception?

``keep_exceptions(function) -> Function``. After ``join_paths`` and before ``adjoint``, whose simplification
removes what nobody reads.

An operation of the user's that may raise gets a reader, ``unread``, which does nothing and stays where it is.
So all later stages keep the operation, in its place, and what only it needs.
"""

from __future__ import annotations

import numpy as np

from ..analysis.counters import Counters
from ..analysis.exceptions import may_raise
from ..ir import builtin
from ..ir.ops import Block, For, Function, Lit, Op, Statement, blocks, walk
from ..simplify.dead_code import Liveness


def keep_exceptions(function: Function) -> Function:
    """Give a reader, in place, to what nobody reads and may raise; return the function.

    What derivative rules compute, in a derivative within the function, is not the user's.

    >>> import operator
    >>> from ast_ad.compiler.ir import show, types
    >>> from ast_ad.compiler.ir.ops import Var
    >>> x, t = Var(types.Scalar("float"), "x"), Var(types.Scalar("float"))
    >>> divide = Op(operator.truediv, (Lit(1.0), x), (t,))
    >>> print(show.show(keep_exceptions(Function("f", (x,), Block([divide], (x,))))))
    function f(x: float)
      t.0: float = operator.truediv(1.0, x)
      ! unread(t.0)
      return x
    """
    liveness = Liveness()
    liveness.visit(function.body, None)
    liveness.need(*function.body.results)
    liveness.run()
    unread = [op for op in walk(function.body) if id(op) not in liveness.statements]
    if not unread:
        return function
    raising = _raising(function, {id(op) for op in unread})
    kept: set[int] = set()
    for op in reversed(unread):  # what a later one reads is read
        if id(op) in raising and id(op) not in liveness.statements:
            liveness.keep(op)
            liveness.run()
            kept.add(id(op))
    if kept:
        _give_readers(function.body, kept)
    return function


def _raising(function: Function, asked: set[int]) -> set[int]:
    """Those among the statements that may raise, by ``id``."""
    counters, found = Counters(), set()
    handling = any(
        isinstance(op, Op)
        and op.fn is np.seterr
        and any(isinstance(a, Lit) and a.value == "raise" for a in op.kwargs.values())
        for op in walk(function.body)
    )
    for op in walk(function.body):
        if isinstance(op, Op):
            if id(op) in asked and not op.adjoint and may_raise(op, counters, handling):
                found.add(id(op))
            counters.learn(op)
        elif isinstance(op, For):
            counters.loop(op)
    return found


def _give_readers(block: Block, kept: set[int]) -> None:
    ops: list[Statement] = []
    for op in block.ops:
        ops.append(op)
        if id(op) in kept:
            ops.append(Op(builtin.unread, op.outs, (), {}, op.span, effect=True))
        for inner in blocks(op):
            _give_readers(inner, kept)
    block.ops = ops
