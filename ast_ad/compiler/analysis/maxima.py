"""Which values are what they are less their maximum, so that ``exp`` of them is between 0 and 1?

``Maxima().follow(op)``. Asked by ``Infinities``, for each operation in order. The largest of such values has
the exponential 1, so that the sum of all is at least that, and has no infinite reciprocal or logarithm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import lookup
from ..ir.ops import Arg, Lit, Op, Var
from ..ir.types import kind_of, rank_of

EVERY = None
"""Along all axes."""


class Maxima:
    """``shifted``: values less their maximum, with its axis; ``peaked``: their exponentials."""

    def __init__(self) -> None:
        self.maxima: dict[Var, tuple[Arg, int | None]] = {}
        self.shifted: dict[Var, int | None] = {}
        self.peaked: dict[Var, int | None] = {}

    def follow(self, op: Op) -> None:
        primitive = lookup(op.fn)
        if primitive is None or len(op.outs) != 1 or not op.args or not isinstance(op.args[0], Var):
            return
        first = op.args[0]
        if primitive is lookup(np.max) and kind_of(first.type) == "float":  # complex terms might cancel
            axis, told = _axis(op)
            if told and not op.kwargs.keys() & {"where", "initial", "out"}:
                self.maxima[op.out] = first, axis
        elif primitive is lookup(np.subtract) and len(op.args) == 2 and not op.kwargs:
            of, axis = self.maxima.get(op.args[1], (None, EVERY))  # type: ignore[arg-type]
            if of is first:
                self.shifted[op.out] = axis
        elif primitive in (lookup(np.exp), lookup(np.exp2)) and first in self.shifted:
            if len(op.args) > 1 or op.kwargs:  # with `where` there may be anything in some places
                return
            self.peaked[op.out] = self.shifted[first]

    def is_below(self, op: Op) -> bool:
        """Whether it is an exponential that is at most 1."""
        return len(op.outs) == 1 and op.out in self.peaked

    def has_a_one(self, op: Op) -> bool:
        """Whether it is a sum of values that are not negative, each with a 1 among its terms."""
        if lookup(op.fn) is not lookup(np.sum) or op.kwargs.keys() & {"where", "initial", "out"}:
            return False
        first = op.args[0]
        if not isinstance(first, Var) or first not in self.peaked:
            return False
        axis, told = _axis(op, False)
        return told and axis in (EVERY, self.peaked[first])


def _axis(op: Op, again: bool = True) -> tuple[int | None, bool]:
    """The only axis of a reduction, and whether that is told; ``again``: the result is to have it, too."""
    rank = rank_of(op.args[0].type)  # type: ignore[union-attr]
    arg: Any = op.args[1] if len(op.args) > 1 else op.kwargs.get("axis", Lit(None))
    if not isinstance(arg, Lit) or len(op.args) > 2 or rank is None:
        return EVERY, False
    if rank == 1 or arg.value is None:
        return EVERY, arg.value is None or type(arg.value) is int
    keeps = op.kwargs.get("keepdims", Lit(False))
    if type(arg.value) is not int or again and not (isinstance(keeps, Lit) and keeps.value is True):
        return EVERY, False
    return arg.value % rank, True
