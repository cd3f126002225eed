"""Which divisions of derivative rules may be Python's own?

Python's numbers raise where the divisor is zero, NumPy's give inf or nan. The value has been found without an
exception, and a derivative is what the formula gives: a rule divides Python's numbers by NumPy's function,
unless the divisor certainly is not zero. The quotient is made one of Python's again, for NumPy's would turn
arrays of single precision into doubles; where doubles come out in any case it is left as it is.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...ir.dims import lower
from ...ir.ops import Arg, Block, If, Lit, Op, Var, binders, variables, walk
from ...ir.types import DictOf, ListOf, Scalar, TupleOf, Type, type_of
from ..values import Callee

_DIVISIONS = {operator.truediv, operator.floordiv, operator.mod, divmod}
CONTAINERS = (ListOf, DictOf, TupleOf)
_LOGARITHMS = {math.log, math.log2, math.log10}


def is_pythons(arg: Arg) -> bool:
    """Whether an argument is a real number of Python's."""
    type = arg.type if isinstance(arg, Var) else type_of(arg.value) if isinstance(arg, Lit) else None
    return isinstance(type, Scalar) and type.dtype is None and type.kind in ("bool", "int", "float")


def number_class(type: Type) -> Any:
    """What makes NumPy's double a number of the type; None if it is one."""
    if not isinstance(type, Scalar) or type.dtype == np.float64 or type.kind not in ("bool", "int", "float"):
        return None
    return float if type.dtype is None else type.dtype.type


def _follows(fn: Callee) -> bool:
    """Whether a function of Python's numbers gives one."""
    return fn in (operator.add, operator.sub, operator.mul, operator.neg, operator.truediv)


class Known(NamedTuple):
    """What is known of a number: see ``Divisors``."""

    merged: bool
    nonzero: bool
    square: bool
    quotient: Var | None


class Divisors:
    """What is known not to be zero among the numbers that a rule divides by."""

    def __init__(self) -> None:
        self.merged: set[Var] = set()  # a NumPy number, or the zero of a path that gives none
        self.quotients: dict[Any, Var] = {}  # numbers of Python, and the doubles behind them
        self.nonzero: set[Var] = set()
        self._squares: set[Var] = set()

    def enter(self, op: Op) -> None:
        """The rule of an operation follows: what raised at zero was none."""
        self.nonzero, self._squares = set(), set()
        pythons = all(map(is_pythons, op.args))
        divisor = op.args[-1] if op.fn in _DIVISIONS and pythons and len(op.args) == 2 else None
        if op.fn in _LOGARITHMS and pythons:
            divisor = op.args[0]
        if isinstance(divisor, Var):
            self.nonzero.add(divisor)

    def follow(self, body: Block) -> None:
        """The program contains reverse sweeps: marks what their branches leave and lists hold."""
        for op in walk(body):
            if not op.adjoint:
                continue
            if isinstance(op, Op):
                self.load(op)
                if _follows(op.fn) and len(op.outs) == 1:
                    self.learn(op.fn, op.args, op.outs[0])
            else:
                self.merged.update(op.outs)
                if not isinstance(op, If):
                    self.merged.update(binders(op))

    def load(self, op: Op) -> None:
        """What a list, dict or tuple of cotangents holds is the zero where none has come."""
        if op.args and isinstance(op.args[0], Var) and isinstance(op.args[0].type, CONTAINERS):
            self.merged.update(op.outs)

    def of(self, var: Var) -> Known:
        """What is known of a variable."""
        squares, quotient = self._squares, self.quotients.get(var)
        return Known(var in self.merged, var in self.nonzero, var in squares, quotient)

    def tell(self, var: Var, known: Known) -> None:
        """The same is known of another variable."""
        for holds, held in zip(known[:3], (self.merged, self.nonzero, self._squares), strict=True):
            if holds:
                held.add(var)
        if known.quotient is not None:
            self.quotients[var] = known.quotient

    def division(self, fn: Callee, args: tuple[Arg, ...]) -> Callable[..., Any]:
        """What divides: ``fn``, or NumPy's function in its place."""
        if fn is not operator.truediv or not all(map(self.may_be_pythons, args)) or self.is_nonzero(args[1]):
            return fn
        return np.divide

    def may_be_pythons(self, arg: Arg) -> bool:
        return is_pythons(arg) or isinstance(arg, Var) and arg in self.merged and isinstance(arg.type, Scalar)

    def is_nonzero(self, arg: Arg) -> bool:
        if isinstance(arg, Lit):
            return bool(arg.value)
        if not isinstance(arg, Var) or arg in self.nonzero:
            return isinstance(arg, Var)
        size = arg.type.size if isinstance(arg.type, Scalar) else None
        return size is not None and (lower(size) or 0) > 0

    def learn(self, fn: Callee, args: tuple[Arg, ...], out: Var) -> None:
        """``x * x``, ``1 + x * x``, and what is known times a constant that does not make it smaller."""
        if not all(map(self.may_be_pythons, args)) or not _follows(fn):
            return
        if not self.merged.isdisjoint(variables(*args)):
            self.merged.add(out)
        if len(args) != 2:
            return
        for a, b in (args, args[::-1]):
            constant = a.value if isinstance(a, Lit) else None
            if fn is operator.mul and a is b:
                self._squares.add(out)
            elif constant is None or not isinstance(b, Var):
                continue
            elif fn is operator.add and constant > 0 and b in self._squares:
                self.nonzero.add(out)
            elif fn is operator.mul and abs(constant) > 0.5 and b in self.nonzero:
                self.nonzero.add(out)
