"""Is a power of Python's numbers real? ``(-0.7) ** 0.5`` is a complex number, where NumPy has nan.

So where the sign of a base is not known and the exponent may be a fraction, the program checks what came out
when it runs, and a call in which it is complex is traced: all that follows would have other types.
"""

from __future__ import annotations

import builtins
import math
import operator
from typing import Any

from ...ir.alternatives import alternatives
from ...ir.dims import lower
from ...ir.ops import Arg, Lit, Var
from ...ir.types import Scalar, type_of
from ..values import Callee

_NEVER_NEGATIVE = {
    builtins.abs,
    operator.abs,
    math.fabs,
    math.sqrt,
    math.exp,
    math.cosh,
    math.hypot,
    math.dist,
}
_KEEP_THE_SIGN = {operator.add, operator.mul, operator.truediv, min, float}
_POWERS = {operator.pow, operator.ipow, builtins.pow}


class Signs:
    """Which of Python's numbers are certainly not negative."""

    def __init__(self) -> None:
        self._known: set[Var] = set()

    def is_known(self, arg: Arg) -> bool:
        """Whether an argument certainly is nan or not below zero.

        >>> Signs().is_known(Lit(2.0)), Signs().is_known(Var(Scalar("float")))
        (True, False)
        """
        if isinstance(arg, Lit):
            return isinstance(arg.value, (int, float)) and arg.value >= 0
        if not isinstance(arg, Var) or arg in self._known:
            return isinstance(arg, Var)
        size = arg.type.size if isinstance(arg.type, Scalar) and arg.type.kind == "int" else None
        return size is not None and (size if isinstance(size, int) else lower(size) or 0) >= 0

    def learn(self, fn: Callee, args: tuple[Arg, ...], out: Var) -> None:
        """Squares, and what is made of such numbers in ways that keep the sign."""
        if (
            fn in _NEVER_NEGATIVE
            or (fn is operator.mul and args[0] is args[1])
            or (fn in _POWERS and (_is_even(args[-1]) or self.is_known(args[0])) and len(args) == 2)
            or (fn in _KEEP_THE_SIGN and all(map(self.is_known, args)))
            or (fn is max and any(map(self.is_known, args)))
        ):
            self._known.add(out)

    def may_be_complex(self, fn: Callee, args: tuple[Arg, ...], result: Any) -> bool:
        """Whether a power that was taken for real may be one of a negative number of Python's."""
        if fn not in _POWERS or len(args) != 2:
            return False
        base, exponent = args
        if self.is_known(base) or not _may_be_a_fraction(exponent):
            return False
        return isinstance(result, Scalar) and any(
            isinstance(t, Scalar) and t.dtype is None and t.kind == "float" for t in alternatives(result)
        )


def _is_even(exponent: Arg) -> bool:
    return isinstance(exponent, Lit) and type(exponent.value) is int and exponent.value % 2 == 0


def _may_be_a_fraction(exponent: Arg) -> bool:
    if isinstance(exponent, Lit):
        return not (isinstance(exponent.value, (int, float)) and float(exponent.value).is_integer())
    types = alternatives(exponent.type) if isinstance(exponent, Var) else (type_of(exponent),)
    return any(isinstance(t, Scalar) and t.kind == "float" for t in types)
