"""Which numbers did an operation make, so that none of them can be another value's object?

Containers hold a number for equal to itself, be it nan. Of most values the program tells which are one: they
are one Var. What a branch, a loop or a list hands on, and what ``+x``, ``float(x)`` or ``max(x, y)`` returns,
may be an object that is known by another Var already; where two such numbers are nan, the call is traced.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.ops import Lit, Op, Var
from ..ir.types import Array, Scalar

_MAKE_NEW: set[Any] = {
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod),
    *(operator.pow, operator.neg, operator.abs, abs),
}


class NewNumbers:
    """The results of arithmetic, and elements of arrays, of which each read makes a number."""

    def __init__(self) -> None:
        self._made: set[int] = set()

    def append(self, op: Op) -> None:
        element = op.fn is operator.getitem and isinstance(getattr(op.args[0], "type", None), Array)
        if element or op.fn in _MAKE_NEW or isinstance(op.fn, np.ufunc):
            self._made.update(out.id for out in op.outs if isinstance(out.type, Scalar))

    def may_be_one(self, a: object, b: object) -> bool:
        """Whether two values may be one object that differs from itself.

        >>> x, y = Var(Scalar("float")), Var(Scalar("float"))
        >>> NewNumbers().may_be_one(x, y), NewNumbers().may_be_one(x, Lit(1.0))
        (True, False)
        """
        constants = isinstance(a, Lit) and isinstance(b, Lit)  # two objects, as they are told apart
        return not constants and all(self._may_be_other(value) for value in (a, b))

    def _may_be_other(self, value: object) -> bool:
        if isinstance(value, Lit):
            return isinstance(value.value, (float, complex, np.inexact)) and bool(value.value != value.value)
        if not isinstance(value, Var) or value.id in self._made:
            return False
        return isinstance(value.type, Scalar) and value.type.kind in ("float", "complex")
