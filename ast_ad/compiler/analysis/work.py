"""How long would the NumPy code of a program take for these inputs?

``nanoseconds(function, inputs) -> float``. Asked at calls, when the program is there.

An estimate from the program and the lengths of its inputs, never a measurement: the same calls give the same
number. It decides when kernels are compiled, so what they cannot take over (products of large matrices,
decompositions, transforms) counts by its call only.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ir import dim_values
from ..ir.builtin import assign, told, tuple_get, unpack
from ..ir.ops import Arg, Block, For, Function, If, Lit, Op, Statement, Var, While, variables
from ..ir.types import Array, Dim, Scalar, Type

SCALAR_OP, ARRAY_OP, ELEMENT = 100.0, 1000.0, 1.0  # nanoseconds
UNKNOWN_TRIPS = 100
_NAMES: set[Callable[..., Any]] = {assign, told, unpack, tuple_get, np.shape, np.ndim, np.size, len}
_PRODUCTS: set[Callable[..., Any]] = {operator.matmul, np.matmul, np.dot, np.einsum, np.tensordot, np.inner}
_LIBRARIES = "numpy.linalg", "numpy.fft", "scipy."


def nanoseconds(function: Function, inputs: Sequence[Any]) -> float:
    """The estimated time of one run of a function's NumPy code.

    Args:
        function: a pure program.
        inputs: the values of its parameters.

    >>> import numpy as np
    >>> from ast_ad.compiler.ir import ops, types
    >>> x = Var(types.Array(np.dtype(float), (types.Dim.symbol("n"),)), "x")
    >>> y = Var(x.type, "y")
    >>> body = Block([Op(np.sin, (x,), (y,))], (y,))
    >>> nanoseconds(Function("f", (x,), body), [np.zeros(500)])
    1500.0
    """
    return _Estimate(function, inputs).block(function.body)


def numbers_in(function: Function, inputs: Sequence[Any], results: Sequence[int]) -> int | None:
    """About how many numbers these results of a function have; None where the inputs do not tell.

    Lists are no arrays, and nothing is known of them.
    """
    known, total = _Estimate(function, inputs), 0.0
    for i in results:
        arg = function.body.results[i]
        if isinstance(arg, Var) and not isinstance(arg.type, (Array, Scalar)):
            return None
        shape = arg.type.shape if isinstance(arg, Var) and isinstance(arg.type, Array) else ()
        found = [None] if shape is None else [known.length(dim) for dim in shape]
        if None in found:
            return None
        total += math.prod([n for n in found if n is not None])
    return int(total)


class _Estimate:
    def __init__(self, function: Function, inputs: Sequence[Any]) -> None:
        self.atoms: dict[Any, Any] = {}
        self.values: dict[Var, float] = {}
        self.trips: dict[Var, float] = {}
        self.largest = 1.0
        for param, value in zip(function.params, inputs, strict=False):
            if isinstance(value, np.ndarray):
                self.largest = max(self.largest, value.size)
                self.bind_shape(param.type, value.shape)
            elif isinstance(value, (int, np.integer)):
                self.bind(param, float(value))
            elif isinstance(value, list):
                self.trips[param] = len(value)

    def bind_shape(self, type: Type, shape: tuple[int, ...]) -> None:
        if isinstance(type, Array) and type.shape is not None and len(type.shape) == len(shape):
            for dim, n in zip(type.shape, shape, strict=True):
                self.bind_dim(dim, n)

    def bind_dim(self, dim: Dim | int | None, n: float) -> None:
        if isinstance(dim, Dim) and len(dim.terms) == 1 and dim.terms[0][1] == 1:
            self.atoms[dim.terms[0][0].key] = n - dim.const

    def bind(self, var: Var, value: float) -> None:
        self.values[var] = value
        if isinstance(var.type, Scalar):
            self.bind_dim(var.type.size, value)

    # ----- numbers
    def length(self, dim: Dim | int | None) -> float | None:
        if not isinstance(dim, Dim):
            return dim
        try:
            return dim_values.evaluate(dim, self.atoms)
        except (KeyError, ZeroDivisionError, OverflowError, ValueError, TypeError):
            return self.at_most(dim)

    def at_most(self, dim: Dim) -> float | None:
        """The longest length that it was cut from, or stretched to."""
        operands = [p for atom, _ in dim.terms for p in atom.operands or ()]
        found = [self.length(p) for p in operands]
        return max([n for n in found if n is not None], default=None)

    def elements(self, type: Type) -> float:
        if not isinstance(type, Array):
            return 0.0
        if type.shape is None:
            return self.largest
        lengths = [self.length(d) for d in type.shape]
        if any(n is None for n in lengths):
            return self.largest
        return math.prod([max(n, 0.0) for n in lengths if n is not None])

    def number(self, arg: Arg) -> float | None:
        if isinstance(arg, Lit):
            return float(arg.value) if isinstance(arg.value, (int, np.integer)) else None
        if not isinstance(arg, Var):
            return None
        if arg in self.values:
            return self.values[arg]
        return self.length(arg.type.size) if isinstance(arg.type, Scalar) else None

    # ----- statements
    def block(self, block: Block) -> float:
        return sum([self.statement(op) for op in block.ops])

    def statement(self, op: Statement) -> float:
        if isinstance(op, Op):
            return self.operation(op)
        if isinstance(op, If):
            return SCALAR_OP + max(self.block(op.then), self.block(op.orelse))
        count = self.count(op)
        self.trips.update(dict.fromkeys(op.outs, count))  # lists that it filled are run through later
        inner = self.block(op.body) + (self.block(op.cond) if isinstance(op, While) else 0.0)
        return count * (SCALAR_OP + inner)

    def operation(self, op: Op) -> float:
        if op.fn in _NAMES:
            return 0.0
        arrays = [v.type for v in (*op.outs, *variables(*op.args)) if isinstance(v.type, Array)]
        if not arrays:
            return SCALAR_OP
        library = str(getattr(op.fn, "__module__", "")).startswith(_LIBRARIES)
        if library or op.fn in _PRODUCTS:
            return ARRAY_OP
        if op.fn is operator.getitem and not isinstance(op.out.type, Array):
            return SCALAR_OP
        return ARRAY_OP + ELEMENT * max(map(self.elements, arrays))

    def count(self, loop: For | While) -> float:
        """The iterations of a loop; the index counts as the middle of its range within."""
        if isinstance(loop, While):
            return UNKNOWN_TRIPS
        if loop.range is not None:
            start, stop, step = map(self.number, loop.range)
            if start is None or stop is None or not step:
                return UNKNOWN_TRIPS
            self.bind(loop.index, (start + stop) // 2)
            return max(0.0, math.ceil((stop - start) / step))
        known = [self.trips[s] for s, _ in loop.items if isinstance(s, Var) and s in self.trips]
        return known[0] if known else UNKNOWN_TRIPS
