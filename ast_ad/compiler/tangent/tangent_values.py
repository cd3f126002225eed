"""Which tangents have the values of a program, and of which types?

One ``Tangents`` for a program. A value without an entry has the tangent zero, which is written out only where
something needs one: where branches and loops merge, in lists, and beside tangents that are joined with it.
A tangent has the shape and the dtype of its value, and is real where that is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...rules import containers, dicts, helpers
from ..adjoint.contributions import Cotangents, cotangent_type, zero_number
from ..analysis.activity import Activity
from ..frontend.builder import Builder, type_of_arg
from ..ir import builtin
from ..ir.ops import Arg, Lit, Op, Seq, Slice, Undefined, Var
from ..ir.types import (
    NONE,
    Array,
    DictOf,
    ListOf,
    Optional,
    Scalar,
    TupleOf,
    Type,
    carries_derivative,
    kind_of,
)


def tangent_type(type: Type) -> Type:
    """The type of the tangent of a value: as of a cotangent, with None for what carries no derivative.

    >>> print(tangent_type(TupleOf((Scalar("int"), Scalar("float")))))
    (None, float)
    """
    if isinstance(type, Optional):
        inner = tangent_type(type.value)
        return replace(inner, shape=None) if isinstance(inner, Array) else inner
    if isinstance(type, (ListOf, DictOf)):
        return replace(type, element=_item(type.element))
    if isinstance(type, TupleOf):
        return TupleOf(tuple(map(_item, type.items)))
    return cotangent_type(type)


def _item(type: Type) -> Type:
    return tangent_type(type) if carries_derivative(type) else NONE


def tangent_hint(var: Var) -> str | None:
    """The name of a value's tangent."""
    return None if var.hint is None else f"{var.hint if var.hint.strip('_') else 'unnamed'}_dot"


class Tangents:
    """The tangents so far. ``undefined``: the Vars that may have no value on some path."""

    def __init__(self, builder: Builder, activity: Activity, undefined: set[Var]) -> None:
        self.builder, self.activity, self.undefined = builder, activity, undefined
        self.values: dict[Var, Arg] = {}
        self.missing: set[Var] = set()  # what ``builtin.undefined`` made
        self._fitting = Cotangents(builder, activity, undefined)

    def has(self, arg: Arg) -> bool:
        """Whether anything in the argument has a tangent."""
        if isinstance(arg, Seq):
            return any(map(self.has, arg.items))
        return isinstance(arg, Var) and arg in self.values

    def new(self, var: Var) -> Var:
        """A Var for the tangent of another one, which it gets."""
        type = tangent_type(var.type) if carries_derivative(var.type) else NONE
        self.values[var] = made = Var(type, tangent_hint(var))
        return made

    def put(self, var: Var, tangent: Arg, covers: bool = False) -> None:
        """Let a value have the tangent, fitted to it; ``covers``: it certainly has the shape of the value."""
        if isinstance(tangent, Lit) and not isinstance(tangent, Undefined) and tangent.value is None:
            return
        fitted = self.fit(tangent, var, covers)
        ops = self.builder.block.ops
        if isinstance(fitted, Var) and fitted.hint is None and ops and fitted in ops[-1].outs:
            fitted.hint = tangent_hint(var)
        self.values[var] = fitted

    def fit(self, tangent: Arg, var: Var, covers: bool) -> Arg:
        """The tangent with the shape and dtype of ``var``, real if ``var`` is."""
        want, have = tangent_type(var.type), type_of_arg(tangent)
        if not isinstance(want, (Scalar, Array)) or not isinstance(have, (Scalar, Array)) or have == want:
            return tangent
        if isinstance(want, Array):
            shape = have.shape if isinstance(have, Array) else ()
            certain = covers and (shape is not None or want.shape is None)  # unknown: 0.0 for what is None
            if not certain and (want.shape is None or shape != want.shape):
                dtype = have.dtype if isinstance(have, Array) else have.dtype or want.dtype
                tangent = self.builder.opaque(
                    helpers.broadcast_like, (tangent, var), Array(dtype, want.shape)
                )
        fitted = self._fitting.fit(tangent, var, broadcast=False)
        if isinstance(want, Array) and kind_of(type_of_arg(fitted)) != want.kind:
            fitted = self.builder.op(helpers.astype, fitted, Lit(want.dtype))
        return fitted

    def held(self, arg: Arg, type: Type) -> Arg:
        """The tangent of an argument as a value of a tangent's type: zeros where it has none."""
        if isinstance(arg, Seq):
            kinds = _parts(type, len(arg.items))
            return Seq(tuple(map(self.held, arg.items, kinds)), arg.kind)
        if isinstance(arg, Var) and arg in self.values and carries_derivative(type):
            return self.values[arg]
        return self.zeros(arg, type)

    def alike(self, arg: Arg) -> Arg:
        """The tangent of an argument, zeros of its own class and dtype where it has none."""
        if isinstance(arg, Seq):
            return Seq(tuple(map(self.alike, arg.items)), arg.kind)
        if isinstance(arg, Slice) or isinstance(arg, Var) and arg in self.values:
            return self.values[arg] if isinstance(arg, Var) else arg
        if isinstance(arg, Lit):
            number = isinstance(arg.value, (bool, int, float, complex, np.generic))
            return (
                Lit(np.zeros_like(arg.value)[()] if isinstance(arg.value, np.generic) else type(arg.value)(0))
                if number
                else arg
            )
        if isinstance(arg.type, Array) and arg.type.shape is not None and arg not in self.undefined:
            return self.builder.opaque(np.zeros_like, (arg,), arg.type)
        if isinstance(arg.type, Scalar) and not carries_derivative(arg.type):
            return Lit(0)
        if not carries_derivative(arg.type):  # a list of integers, say
            return self.builder.opaque(helpers.zero_like, (arg,), arg.type)
        return self.zeros(arg, tangent_type(arg.type))

    def zeros(self, arg: Arg, type: Type) -> Arg:
        """The zero tangent of an argument, emitted here: missing where the argument is."""
        if isinstance(arg, Undefined):
            return Undefined(type)
        if not carries_derivative(type):
            return Lit(None)
        if isinstance(arg, Var) and arg in self.missing:
            return self.builder.opaque(builtin.undefined, (), type)
        if isinstance(type, Scalar):
            return zero_number(type)
        if isinstance(type, DictOf):
            return self.builder.opaque(dicts.dict_empty, (), type)
        if isinstance(arg, Seq):
            return self.held(arg, type)
        if isinstance(arg, Lit) and arg.value is None:
            return Lit(0.0) if isinstance(type, Array) else Undefined(type)
        have = type_of_arg(arg)
        if isinstance(type, Array) and isinstance(have, Array) and have.shape is not None:
            type = replace(type, shape=have.shape)  # a loop that carries it may change the lengths
        same = isinstance(arg, Var) and isinstance(type, Array) and arg.type == type
        if same and type.shape is not None and arg not in self.undefined:  # type: ignore[union-attr]
            return self.builder.opaque(np.zeros_like, (arg,), type)
        if isinstance(type, ListOf) and arg not in self.undefined:
            return self.builder.opaque(containers.list_zeros_like, (arg,), type)
        if isinstance(type, Array) and isinstance(have, Scalar):
            return Lit(0.0)
        zero = self.builder.opaque(helpers.zero_like, (arg,), type)
        if arg in self.undefined:
            self.undefined.add(zero)
        return zero

    def call(self, op: Op, args: tuple[Arg, ...], fn: object = None) -> tuple[Var, ...]:
        """The operation, or ``fn``, of the given arguments; its results have the types of tangents."""
        outs = tuple(Var(_item(out.type)) for out in op.outs)
        made = Op(fn or op.fn, args, outs, dict(op.kwargs), op.span, adjoint=True)  # type: ignore[arg-type]
        self.builder.append(made)
        return outs


def _parts(type: Type, count: int) -> tuple[Type, ...]:
    """The types of the items of a display whose whole is of the type."""
    if isinstance(type, TupleOf):
        return type.items
    return (type.element if isinstance(type, (ListOf, DictOf)) else type,) * count
