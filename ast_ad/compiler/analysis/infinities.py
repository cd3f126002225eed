"""Which values may be infinite or NaN where the program's arguments are finite, and which never are?

``Infinities().follow(statements)``. Asked by ``adjoint``: it follows the primal first, and then what the
sweep adds.

A value is *wild* if a function made it whose results overflow or have poles (``exp``, ``/``), or one of
single elements from a value that is. It is *finite* if it is so whatever the arguments are. Most are neither.

A value is *zero* if it is a constant of zeros, or shows elements of one: what is multiplied by it counts for
nothing.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...rules import helpers
from ...rules.registry import Primitive, lookup
from ..ir.ops import Arg, For, If, Lit, Op, Seq, Statement, Var, While, atoms
from ..ir.types import Scalar, dtype_of, kind_of
from .aliasing import is_whole_index
from .maxima import Maxima

OVERFLOWING: tuple[Callable[..., Any], ...] = (
    *(np.exp, np.exp2, np.expm1, np.sinh, np.cosh, np.tan, np.i0),
    *(np.prod, np.cumprod, math.prod, np.ldexp, np.floor_divide, np.remainder, np.fmod, math.log),
    *(np.mean, np.average, np.var, np.std),  # of nothing
)

# Whose values are infinite or NaN wherever their derivatives are: a finite result has not seen such a place.
AS_SINGULAR = (np.divide, np.reciprocal, np.log, np.log2, np.log10, np.log1p)

# Without a singular point but at zero and below.
SMOOTH_AWAY = (np.sqrt, np.log, np.log2, np.log10)

# Which are finite where one argument is infinite, and flat: that argument. Its cotangent is zero there.
SATURATING: dict[Callable[..., Any], int] = {
    **dict.fromkeys((np.tanh, np.arctan, np.exp, np.exp2, np.expm1, np.reciprocal, np.logaddexp), 0),
    **dict.fromkeys((np.divide, operator.truediv), 1),
    **dict.fromkeys((np.power, operator.pow, np.sinc, np.arctan2, math.tanh, math.atan, math.exp), 0),
}
# Besides elementwise functions: whose results have elements of the arguments.
MOVING = (
    *(np.where, operator.getitem, helpers.setitem, np.take, np.diag, np.diagonal, np.split, np.flip, np.roll),
    *(
        np.swapaxes,
        np.moveaxis,
        np.array,
        np.asarray,
        np.copy,
        np.vstack,
        np.hstack,
        np.repeat,
        np.tile,
        np.append,
    ),
)

# What gives finite values for finite arguments.
KEEPING = (
    *(np.negative, np.positive, np.conjugate, np.real, np.imag, np.absolute, np.sign, np.maximum, np.minimum),
    *(np.sin, np.cos, np.tanh, np.arctan, np.floor, np.ceil, np.rint, np.reshape, np.ravel, np.transpose),
    *(np.expand_dims, np.squeeze, np.broadcast_to, helpers.broadcast_like, np.stack, np.concatenate),
)
# What shows elements of its first argument, and nothing else.
SHOWING = (
    *(operator.getitem, np.reshape, np.ravel, np.transpose, np.matrix_transpose, helpers.mT, np.swapaxes),
    *(np.moveaxis, np.squeeze, np.expand_dims, np.flip, np.broadcast_to, np.copy, np.asarray, np.take),
    *(np.diagonal, np.ascontiguousarray, np.atleast_1d, np.atleast_2d, np.repeat, np.tile, np.negative),
    *(helpers.astype, helpers.broadcast_like),
)
CONSTANT = {np.zeros, np.ones, np.zeros_like, np.ones_like, np.eye, np.identity}


@functools.cache
def _primitives(fns: tuple[Callable[..., Any], ...]) -> frozenset[Primitive | None]:
    return frozenset(map(lookup, fns))


def is_regular(op: Op) -> bool:
    """Whether the derivatives are finite wherever the arguments are: of ``x ** 2``, of ``x / 2``."""
    exponent = op.args[1] if len(op.args) == 2 and not op.kwargs else Lit(None)
    constant = _constant(exponent)
    if constant is None or not math.isfinite(constant):
        return False
    primitive = lookup(op.fn)
    if primitive in _primitives(tuple(helpers.POWERS)):
        return bool(constant >= 1 and constant == int(constant))
    return primitive is lookup(np.divide) and constant != 0


def is_singular(op: Op) -> bool:
    """Whether a derivative may be infinite where the result and the arguments are finite: ``sqrt`` at 0."""
    primitive = lookup(op.fn)
    if primitive is None or not primitive.partial_domain or primitive in _primitives(AS_SINGULAR):
        return False
    if primitive is not lookup(np.power) or len(op.args) != 2 or op.kwargs:
        return True
    constant = _constant(op.args[1])
    return constant is None or bool(0 < constant < 1)


def flat_at_infinity(op: Op, primitive: Primitive | None) -> int | None:
    """The argument that is infinite where the result is finite and no longer depends on it."""
    if primitive is None or primitive.kind != "elementwise":
        return None
    if primitive is lookup(np.power) and len(op.args) == 2 and (_constant(op.args[1]) or -1) > 0:
        return None
    if op.fn in SATURATING:
        return SATURATING[op.fn]
    return 0 if primitive.rule is not None and primitive.rule.__module__.endswith("scipy.special") else None


def _is_square(op: Op, primitive: Primitive) -> bool:
    real = isinstance(op.args[0], Var) and kind_of(op.args[0].type) in ("float", "int")
    return primitive is lookup(np.power) and real and len(op.args) == 2 and _constant(op.args[1]) == 2


def _moves(primitive: Primitive | None) -> bool:
    """Whether each element of the results is made of single elements of the arguments."""
    if primitive is None:
        return False
    return primitive.kind == "elementwise" or primitive in _primitives((*KEEPING, *MOVING))


def _may_overflow(var: Var) -> bool:
    """Whether a result may overflow; of Python's own numbers never, as that raises."""
    python = isinstance(var.type, Scalar) and var.type.dtype is None
    return not python and kind_of(var.type) in ("float", "complex", None)


def _constant(arg: Arg) -> Any:
    value = arg.value if isinstance(arg, Lit) else getattr(arg, "known", None)
    return value if type(value) in (int, float) else None


def _is_infinite(value: object) -> bool:
    """Whether a constant is infinite or NaN, or has elements that are."""
    inexact = isinstance(value, (float, complex, np.inexact)) or (
        isinstance(value, np.ndarray) and value.dtype.kind in "fc"
    )
    return inexact and not bool(np.all(np.isfinite(value)))  # type: ignore[call-overload]


class Infinities:
    """The side tables, filled as statements are followed in their order."""

    def __init__(self) -> None:
        self.finite: set[Var] = set()
        self.wild: set[Var] = set()
        self.zero: set[Var] = set()
        self.positive: set[Var] = set()  # not negative, or NaN
        self.away: set[Var] = set()  # larger than some positive constant, or NaN
        self.maxima = Maxima()

    def follow(self, statements: Iterable[Statement]) -> None:
        for op in statements:
            if isinstance(op, Op):
                self.op(op)
            elif isinstance(op, If):
                for branch in (op.then, op.orelse):
                    self.follow(branch.ops)
                self.join(op.outs, op.then.results, op.orelse.results)
            else:
                self.loop(op)

    def join(self, outs: Iterable[Var], *sources: Iterable[Arg]) -> None:
        for out, *args in zip(outs, *sources, strict=True):
            if any(map(self.is_wild, args)):
                self.wild.add(out)

    def loop(self, op: For | While) -> None:
        self.join(op.params, op.inits)
        if isinstance(op, For):
            for source, items in op.items:
                self.wild.update(items if self.is_wild(source) else ())
        size = -1
        while size != len(self.wild):
            size = len(self.wild)
            self.follow(op.body.ops)
            self.join(op.params, op.body.results[op.stops :])
        self.join(op.outs, op.params)

    def is_wild(self, arg: Arg) -> bool:
        return any(v in self.wild if isinstance(v, Var) else _is_infinite(v.value) for v in atoms(arg))

    def is_finite(self, arg: Any) -> bool:
        if isinstance(arg, Lit):
            return isinstance(arg.value, (int, float, complex)) and bool(np.isfinite(arg.value))
        if isinstance(arg, Seq):
            return all(map(self.is_finite, arg.items))
        return isinstance(arg, Var) and (arg in self.finite or kind_of(arg.type) in ("bool", "int"))

    def op(self, op: Op) -> None:
        primitive = lookup(op.fn)
        self.maxima.follow(op)
        poles = self.has_poles(op)
        if op.fn is helpers.setitem and is_whole_index(op.args[1]):
            self.stored(op)
            return
        self.bounds(op, primitive)
        if self.made_zero(op, primitive):
            self.zero.update(op.outs)
        if self.made_finite(op, primitive):
            self.finite.update(op.outs)
        elif poles or _moves(primitive) and any(map(self.is_wild, (*op.args, *op.kwargs.values()))):
            self.wild.update(filter(_may_overflow, op.outs))

    def stored(self, op: Op) -> None:
        """Note that all of an array is overwritten by a value."""
        value, out = op.args[2], op.out
        if self.is_wild(value):
            self.wild.add(out)
        elif isinstance(value, Var) and dtype_of(value.type) == dtype_of(out.type):
            for known in (self.finite, self.positive, self.away):
                known.update({out} if value in known else ())

    def has_poles(self, op: Op) -> bool:
        """Whether results or derivatives may be infinite where the arguments are finite."""
        primitive = lookup(op.fn)
        if primitive is None or self.maxima.is_below(op):
            return False
        if primitive is lookup(np.divide) and len(op.args) == 2 and self.is_away(op.args[1]):
            return False
        if primitive in _primitives(SMOOTH_AWAY) and len(op.args) == 1 and self.is_away(op.args[0]):
            return False
        return primitive.partial_domain and not is_regular(op) or primitive in _primitives(OVERFLOWING)

    def bounds(self, op: Op, primitive: Primitive | None) -> None:
        """Note results that are not negative: ``1 + exp(x)`` has no zeros."""
        if primitive is None or len(op.outs) != 1:
            return
        if primitive in _primitives((np.exp, np.exp2, np.absolute, np.square)) or _is_square(op, primitive):
            self.positive.add(op.out)
        elif primitive is lookup(np.sqrt) and len(op.args) == 1 and self.is_positive(op.args[0]):
            self.positive.add(op.out)
            if self.is_away(op.args[0]):
                self.away.add(op.out)
        elif primitive is lookup(np.add) and len(op.args) == 2:
            if all(map(self.is_positive, op.args)):
                self.positive.add(op.out)
                if any(map(self.is_away, op.args)):
                    self.away.add(op.out)
        elif self.maxima.has_a_one(op):
            self.away.add(op.out)

    def is_positive(self, arg: Arg) -> bool:
        return isinstance(arg, Var) and arg in self.positive or self.is_away(arg)

    def is_away(self, arg: Arg) -> bool:
        if isinstance(arg, Lit):
            return type(arg.value) in (int, float) and bool(arg.value > 0)
        return isinstance(arg, Var) and arg in self.away

    def is_zero(self, arg: Arg) -> bool:
        if isinstance(arg, Lit):
            return isinstance(arg.value, (int, float, complex, np.number)) and bool(arg.value == 0)
        return isinstance(arg, Var) and arg in self.zero

    def made_zero(self, op: Op, primitive: Primitive | None) -> bool:
        """Whether all of the result is a constant zero."""
        if op.fn in (np.zeros, np.zeros_like):
            return True
        if op.fn in (np.full, np.full_like):
            return len(op.args) > 1 and self.is_zero(op.args[1])
        shows = primitive is not None and primitive in _primitives(SHOWING)
        return shows and len(op.outs) == 1 and bool(op.args) and self.is_zero(op.args[0])

    def made_finite(self, op: Op, primitive: Primitive | None) -> bool:
        """Whether the result is finite whatever the arguments of the program are."""
        if op.fn in CONSTANT:
            return True
        if op.fn is np.where:
            return all(map(self.is_finite, op.args[1:]))
        if op.fn in (np.full, np.full_like):
            return len(op.args) == 2 and self.is_finite(op.args[1])
        if primitive is not None and primitive is lookup(np.multiply):  # two large numbers would overflow
            flags = [a for a in op.args if isinstance(a, Var) and kind_of(a.type) == "bool"]
            return bool(flags) and all(map(self.is_finite, op.args))
        if primitive is None or primitive not in _primitives(KEEPING):
            return False
        return all(map(self.is_finite, op.args if primitive.kind == "elementwise" else op.args[:1]))
