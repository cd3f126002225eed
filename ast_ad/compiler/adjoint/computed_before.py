"""Which numbers of a reverse sweep has the loop itself computed?

``read_computed(block, primal) -> None``. In ``reverse_loop``, before the residuals are chosen: what is read
from the loop may then be saved.

The derivative of a sine is a cosine. Where the loop needs both, the sweep need not compute them again::

    c, s = cos(q[i]), sin(q[i])              c_bar, s_bar = ...
                                      =>     q_bar[i] += s_bar * c - c_bar * s
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..ir.ops import Block, Op, Var, blocks
from ..ir.types import Scalar
from ..simplify.renaming import Renaming, renamed, replace_reads
from ..simplify.simplify import expression_key

DEAR = {
    np.sin, np.cos, np.tan, np.exp, np.expm1, np.exp2, np.log, np.log1p, np.log2, np.log10, np.sinh, np.cosh,
    np.tanh, np.arctan, np.arcsin, np.arccos, np.arctan2, np.power, pow, math.erf, math.erfc, math.gamma,
}  # fmt: skip
"""What takes longer than to save a number and to read it."""


def read_computed(block: Block, primal: Block) -> None:
    """Read, in place, from the primal what it computes of the same numbers.

    >>> number = Scalar("float")
    >>> x, c, again, t = (Var(number) for _ in range(4))
    >>> primal = Block([Op(np.cos, (x,), (c,))], (c,))
    >>> sweep = Block([Op(np.cos, (x,), (again,), adjoint=True), Op(np.negative, (again,), (t,))], (t,))
    >>> read_computed(sweep, primal)
    >>> len(sweep.ops), sweep.ops[0].args[0] is c
    (1, True)
    """
    if not any(isinstance(op, Op) and _is_dear(op) for op in primal.ops):
        return
    known: dict[Any, Var] = {}
    same: Renaming = {}
    for op in primal.ops:
        if isinstance(op, Op) and len(op.outs) == 1 and (key := _key(op, same)) is not None:
            found = known.setdefault(key, op.out)
            if found is not op.out:
                same[op.out] = found
    names: Renaming = {}
    _look_up(block, known, same, names)
    replace_reads(block, names)


def _key(op: Op, same: Renaming) -> Any:
    """What an operation computes, where what was computed twice counts as one."""
    args = tuple(renamed(arg, same) for arg in op.args)
    kwargs = {name: renamed(arg, same) for name, arg in op.kwargs.items()}
    return expression_key(Op(op.fn, args, op.outs, kwargs, effect=op.effect))


def _look_up(block: Block, known: dict[Any, Var], same: Renaming, names: Renaming) -> None:
    kept = []
    for op in block.ops:
        found = known.get(_key(op, same)) if isinstance(op, Op) and _is_dear(op) else None
        if found is not None and found.type == op.outs[0].type:
            names[op.outs[0]] = found
        else:
            kept.append(op)
        for inner in blocks(op):
            _look_up(inner, known, same, names)
    block.ops = kept


def _is_dear(op: Op) -> bool:
    return op.fn in DEAR and len(op.outs) == 1 and isinstance(op.out.type, Scalar)
