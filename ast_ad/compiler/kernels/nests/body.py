"""How are the statements of a generated loop's body put together?

A body writes scalar operations, and does none of them twice: what was computed, loaded or stored before at
the same place of the same array is at hand. A store makes forget what it may have changed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...ir import builtin
from ...ir.ops import NOWHERE, Arg, Lit, Op, Seq, Span, Statement, Var
from ...ir.types import KIND_OF, Array, Scalar, TupleOf, Type
from ..numbers import selections
from .affine_indices import Index

INT = Scalar("int")


ALL: frozenset[object] = frozenset(("all",))


@dataclass(frozen=True)
class Access:
    """A read ('r'), write ('w') or sum ('a') of an array's element; ``group``: what it overlaps with."""

    kind: str
    array: Var
    group: object
    index: tuple[Index, ...]


@dataclass
class Origin:
    """The place in the user's source of what is written now."""

    span: Span = NOWHERE
    adjoint: bool = False


def element_type(type: Type) -> Scalar:
    """The type of an array's elements, or of the number itself."""
    if isinstance(type, Array):
        return Scalar(KIND_OF[type.dtype.kind], type.dtype)
    assert isinstance(type, Scalar), type
    return type


@dataclass
class Body:
    """The statements of one block of generated code, and what is known in it."""

    ops: list[Statement] = field(default_factory=list)
    parent: Body | None = None
    origin: Origin = field(default_factory=Origin)
    known: dict[Any, Arg] = field(default_factory=dict)
    accesses: list[Access] | None = None  # where only the accesses are asked for
    written: frozenset[object] = frozenset()  # the groups of arrays that this loop's body writes to

    def inner(self, written: frozenset[object] | None = None) -> Body:
        """A body within this one; ``written``: what it writes to, None if that is not known."""
        return Body([], self, self.origin, {}, self.accesses, ALL if written is None else written)

    def append(self, op: Statement) -> None:
        op.span, op.adjoint = self.origin.span, self.origin.adjoint
        self.ops.append(op)

    # ----- values
    def op(self, fn: Callable[..., Any], *args: Arg, type: Type, hint: str | None = None) -> Var:
        """The result of a pure scalar operation."""
        key = (fn, *map(_key, args), type.dtype if isinstance(type, Scalar) else None)
        found = self.find(key)
        if isinstance(found, Var):
            return found
        out = Var(type, hint)
        self.append(Op(fn, args, (out,)))
        self.known[key] = out
        return out

    def find(self, key: Any) -> Arg | None:
        """What an operation gave in this body or around it."""
        body: Body | None = self
        while body is not None:
            if key in body.known:
                return body.known[key]
            body = body.parent
        return None

    def number(self, index: Index) -> Arg:
        """The value of an index."""
        value: Arg | None = None
        if index.loop is not None:
            value = index.loop
            if index.scale != 1:
                value = self.op(operator.mul, value, Lit(index.scale), type=INT)
        const = index.const
        for var, coefficient in index.terms:
            sign = coefficient if value is None or coefficient > 0 else -coefficient
            term: Arg = var if sign == 1 else self.op(operator.mul, var, Lit(sign), type=INT)
            if value is None:
                value = term
            else:
                fn = operator.add if coefficient > 0 else operator.sub
                value = self.op(fn, value, term, type=INT)
        if value is None:
            return Lit(const)
        if const:
            fn = operator.add if const > 0 else operator.sub
            value = self.op(fn, value, Lit(abs(const)), type=INT)
        return value

    def choose(self, test: Arg, then: Arg, orelse: Arg, type: Type) -> Arg:
        """``then if test else orelse``, both computed."""
        return self.op(selections.where, test, then, orelse, type=type)

    # ----- memory
    def load(self, array: Var, group: object, index: tuple[Index, ...]) -> Arg:
        """An element of an array."""
        if self.accesses is not None:
            self.accesses.append(Access("r", array, group, index))
        key = ("load", array, index)
        found = self._loaded(key, group)
        if found is not None:
            return found
        if key not in self.known:
            out = Var(element_type(array.type))
            self.append(Op(operator.getitem, (array, self.place(index)), (out,)))
            self.known[key] = out
            self.known[("group", key)] = Lit(group)
        return self.known[key]

    def _loaded(self, key: Any, group: object) -> Arg | None:
        """The element, if it was read or written before and the loops since then don't change it."""
        body: Body | None = self
        while body is not None:
            if key in body.known:
                return body.known[key]
            if body.written is ALL or group in body.written:
                return None
            body = body.parent
        return None

    def store(
        self, array: Var, group: object, index: tuple[Index, ...], value: Arg, kind: str = "w", sign: int = 1
    ) -> None:
        """Write an element, or add to it (``kind`` 'a')."""
        if self.accesses is not None:
            self.accesses.append(Access(kind, array, group, index))
        key = ("load", array, index)
        if kind == "a" and _is_zero(self.known.get(key)):
            kind, type = "w", element_type(array.type)
            value = value if sign > 0 else self.op(operator.neg, value, type=type)
        elif kind == "a" and key in self.known:  # at hand: no need to read it again
            type = element_type(array.type)
            value = self.op(operator.add if sign > 0 else operator.sub, self.known[key], value, type=type)
            kind = "w"
        if kind == "w" and isinstance(value, Var) and self.known.get(key) is value:
            return  # it is there already
        place = self.place(index)
        self.forget(group)
        if kind == "w":
            self.append(Op(builtin.setitem_, (array, place, value), (Var(array.type),), effect=True))
            exact = isinstance(value, Var) and element_type(array.type) == value.type
            if exact or _is_zero(value) and array.type.dtype == np.float64:  # type: ignore[union-attr]
                self.known[key] = value if exact else Lit(0.0)
                self.known[("group", key)] = Lit(group)
        else:
            if sign < 0:
                value = self.op(operator.neg, value, type=element_type(array.type))
            self.append(Op(builtin.add_item_, (array, place, value), (Var(array.type),), effect=True))

    def forget(self, group: object) -> None:
        """Something in the group of arrays changes."""
        body: Body | None = self
        while body is not None:
            for key in [k for k, v in body.known.items() if k[0] == "group" and v.value == group]:  # type: ignore[union-attr]
                body.known.pop(key[1], None)
                del body.known[key]
            body = body.parent

    def forget_elements(self) -> None:
        """Anything may have been written since; what was computed of numbers stays."""
        for key in [key for key in self.known if key[0] in ("load", "group")]:
            del self.known[key]

    def place(self, index: tuple[Index, ...]) -> Arg:
        """An index as it stands between brackets."""
        parts = tuple(map(self.number, index))
        return parts[0] if len(parts) == 1 else Seq(parts)

    def length(self, array: Var, axis: int) -> Var:
        """``array.shape[axis]``."""
        shape = self.op(np.shape, array, type=TupleOf((INT,) * len(array.type.shape)))  # type: ignore[union-attr, arg-type]
        return self.op(operator.getitem, shape, Lit(axis), type=INT)


def _is_zero(arg: Arg | None) -> bool:
    return isinstance(arg, Lit) and type(arg.value) in (int, float) and arg.value == 0


def _key(arg: Arg) -> Any:
    if isinstance(arg, Lit):
        return type(arg.value), repr(arg.value)
    if isinstance(arg, Seq):
        return tuple(map(_key, arg.items))
    return arg
