"""How is the length of an array, or the number of a loop's iterations, computed before it is there?

An array's lengths are symbols that its type shares with other values; a range within a loop mostly depends
on nothing that the loop changes. Either can then be computed from what is known before an outer loop.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...rules import containers
from ..ir import builtin, dims
from ..ir.ops import NOWHERE, Arg, Lit, Op, Span, Statement, Var
from ..ir.types import Array, Dim, Scalar, TupleOf, Type

_REPEATABLE = {
    operator.add, operator.sub, operator.mul, operator.neg, max, min, len, np.size, np.shape,
    builtin.tuple_get, builtin.assign, containers.list_len,
}  # fmt: skip
COMPUTED: dict[Any, Callable[..., Any]] = {
    operator.floordiv: operator.floordiv,
    operator.mod: operator.mod,
    dims.MAXIMUM: max,
    dims.MINIMUM: min,
}
Bounds = tuple[Arg, Arg, Arg]


@dataclass
class Ops:
    """A list of statements that grows at its end; ``adjoint``, ``span``: what the new ones get."""

    ops: list[Statement] = field(default_factory=list)
    span: Span = NOWHERE
    adjoint: bool = False

    def op(self, fn: Callable[..., Any], args: tuple[Arg, ...], type: Type, hint: str | None = None) -> Var:
        out = Var(type, hint)
        self.ops.append(Op(fn, args, (out,), {}, self.span, adjoint=self.adjoint))
        return out

    def integer(self, fn: Callable[..., Any], *args: Arg, hint: str | None = None) -> Arg:
        """Integer arithmetic, done at once where the numbers are known."""
        if all(isinstance(a, Lit) for a in args):
            return Lit(fn(*(a.value for a in args if isinstance(a, Lit))))
        if fn in (operator.add, operator.sub) and is_number(args[1], 0):
            return args[0]
        if fn is operator.add and is_number(args[0], 0):
            return args[1]
        return self.op(fn, args, Scalar("int", None, _size(fn, args)), hint)

    def trips(self, bounds: Bounds, hint: str | None = None) -> Arg:
        """How many numbers a range has."""
        start, stop, step = bounds
        if is_number(step, 1):
            length = self.integer(operator.sub, stop, start)
            return self.integer(max, length, Lit(0), hint=hint)
        back = self.integer(operator.sub, start, stop)
        length = self.integer(operator.neg, self.integer(operator.floordiv, back, step))
        return self.integer(max, length, Lit(0), hint=hint)

    def place(self, index: Arg, bounds: Bounds) -> Arg:
        """The place of a number in its range, from 0."""
        start, _, step = bounds
        offset = self.integer(operator.sub, index, start)
        return offset if is_number(step, 1) else self.integer(operator.floordiv, offset, step)

    def length(self, array: Arg, axis: int) -> Arg:
        """``array.shape[axis]``."""
        assert isinstance(array, Var) and isinstance(array.type, Array) and array.type.shape is not None
        dims = array.type.shape
        ints = tuple(Scalar("int", None, d) for d in dims)
        shape = self.op(np.shape, (array,), TupleOf(ints))
        return self.op(builtin.tuple_get, (shape, Lit(axis)), ints[axis])


def is_number(arg: Arg, number: int) -> bool:
    return isinstance(arg, Lit) and arg.value == number


def size_of(arg: Arg) -> Dim | int | None:
    """An integer as a length, where that is known."""
    if isinstance(arg, Lit):
        return arg.value if isinstance(arg.value, int) else None
    return arg.type.size if isinstance(arg, Var) and isinstance(arg.type, Scalar) else None


def _size(fn: Callable[..., Any], args: tuple[Arg, ...]) -> Dim | int | None:
    if fn not in (operator.add, operator.sub):
        return None
    a, b = map(size_of, args)
    return None if a is None or b is None else fn(a, b)


class Lengths:
    """Computes lengths from the Vars that are visible at one place, into ``ops``, which stand there.

    ``makers``: the operation that computes each Var, for what is to be computed there though it stands
    behind.
    """

    def __init__(self, visible: Iterable[Var], makers: Mapping[Var, Statement], ops: Ops) -> None:
        self.visible = dict.fromkeys(visible)
        self.makers, self.ops = makers, ops
        self.known: dict[Dim | int, Arg | None] = {}
        self.moved: dict[Var, Arg | None] = {}

    def of(self, dim: Dim | int) -> Arg | None:
        """An array length as a number; None where nothing visible has it."""
        if isinstance(dim, int):
            return Lit(dim)
        if dim not in self.known:
            self.known[dim] = None
            self.known[dim] = self._read(dim) or self._sum(dim) or self._term(dim)
        return self.known[dim]

    def _read(self, dim: Dim) -> Arg | None:
        """The length, read from a value that has it, or one that differs by a constant."""
        for var in self.visible:
            if isinstance(var.type, Scalar) and isinstance(var.type.size, Dim):
                rest = dim - var.type.size
                if isinstance(rest, int):
                    return self.ops.integer(operator.add, var, Lit(rest))
            for axis, length in enumerate((var.type.shape or ()) if isinstance(var.type, Array) else ()):
                rest = dim - length
                if isinstance(length, Dim) and isinstance(rest, int):
                    return self.ops.integer(operator.add, self.ops.length(var, axis), Lit(rest))
        return None

    def _sum(self, dim: Dim) -> Arg | None:
        if len(dim.terms) == 1 and dim.terms[0][1] == 1:
            return None
        total: Arg = Lit(dim.const)
        for atom, factor in dim.terms:
            part = self.of(Dim(((atom, 1),)))
            if part is None:
                return None
            scaled = part if factor == 1 else self.ops.integer(operator.mul, part, Lit(factor))
            total = self.ops.integer(operator.add, total, scaled)
        return total

    def _term(self, dim: Dim) -> Arg | None:
        """The length, computed by the operation that its term stands for."""
        ((atom, factor), *others), operands = dim.terms, dim.terms[0][0].operands
        fn = COMPUTED.get(atom.key[0]) if operands is not None else None
        if fn is None or others or factor != 1 or dim.const or operands is None or len(operands) != 2:
            return None
        parts = [self.of(part) for part in operands]
        return None if None in parts else self.ops.integer(fn, *(p for p in parts if p is not None))

    def move(self, arg: Arg) -> Arg | None:
        """An integer of a later place, computed here again; None where that can't be."""
        if isinstance(arg, Lit):
            return arg
        if not isinstance(arg, Var):
            return None
        if arg in self.visible:
            return arg
        if arg not in self.moved:
            size = size_of(arg)
            self.moved[arg] = None
            self.moved[arg] = (None if size is None else self.of(size)) or self._repeat(arg)
        return self.moved[arg]

    def _repeat(self, var: Var) -> Arg | None:
        op = self.makers.get(var)
        if not isinstance(op, Op) or op.kwargs or op.effect or op.fn not in _REPEATABLE or len(op.outs) != 1:
            return None
        args = [self.move(a) for a in op.args]
        if any(a is None for a in args):
            return None
        return self.ops.op(op.fn, tuple(a for a in args if a is not None), var.type, var.hint)
