"""Does a program give what an earlier call has computed, if it finds the arguments to be the same?

``recalled(function, inputs, kept, results) -> Op | None``, the comparison that asks. Asked after compilation,
of programs that store outside: what such a store gives back is a plain number, and has no derivative. What
only continues from there (a state, the start of an iteration) does not ask whether it is the same.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable

import numpy as np

from ..ir.ops import Arg, Function, Op, Var, variables, walk
from .activity import Varied

EQUAL = {
    operator.eq,
    operator.ne,
    np.equal,
    np.not_equal,
    np.isclose,
    np.allclose,
    np.array_equal,
    math.isclose,
}
BOUNDED = {operator.lt, operator.le, operator.gt, operator.ge, np.less, np.less_equal, np.greater}
SIZES = {abs, np.abs, math.fabs, np.fabs}


def recalled(
    function: Function, inputs: Iterable[Var], kept: Iterable[Var], results: Iterable[Arg]
) -> Op | None:
    """The comparison of what depends on an input with what is kept outside, if a result depends on that, too.

    ``kept``: the parameters that read what the program itself stores of its inputs. A bound on how far the
    two are apart is such a comparison; ``x < kept`` is none.
    """
    by_input, by_kept = Varied(inputs), Varied(kept)
    for varied in (by_input, by_kept):
        varied.block(function.body)
    if not by_kept.vars or not by_kept.has(*results):
        return None
    made = {out: op for op in walk(function.body) if isinstance(op, Op) for out in op.outs}

    def of_both(args: Iterable[Arg]) -> bool:
        return by_input.has(*args) and by_kept.has(*args)

    def far(arg: Arg) -> bool:
        """Whether a number is how far the two are apart, perhaps in parts of another number."""
        ops = [made[v] for v in variables(arg) if v in made]
        return any(op.fn in SIZES and of_both(op.args) or _is_ratio(op) and far(op.args[0]) for op in ops)

    for op in walk(function.body):
        if isinstance(op, Op) and (
            op.fn in EQUAL and of_both(op.args) or op.fn in BOUNDED and any(map(far, op.args))
        ):
            return op
    return None


def _is_ratio(op: Op) -> bool:
    return op.fn in (operator.truediv, np.divide, np.max, np.sum, max)
