"""What becomes of new arrays? The same number everywhere: a formula until something is written to them."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from ....rules import helpers
from ...ir.builtin import assign
from ...ir.ops import Arg, Lit, Op, Seq, Var
from ...ir.types import Array, Dim, Scalar
from ..nests.affine_indices import Index
from ..nests.body import INT, Body, element_type
from ..numbers.scalar_calls import scalar_form
from ..numbers.scalars import NoForm
from ..partition.mixed_types import held_as
from .forms import form_of, require_not_negative
from .loop_values import Filled, Formula, Value

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

CONVERSIONS = [helpers.astype, *([np.astype] if hasattr(np, "astype") else [])]


@form_of(np.zeros, np.ones, np.empty, np.full)
def _new(s: Scalarizer, op: Op) -> None:
    type = op.out.type
    if not isinstance(type, Array) or not type.shape or type.kind == "other":
        raise NoForm("an array without axes")
    shape = op.args[0]
    items = shape.items if isinstance(shape, Seq) else (shape,)
    if isinstance(shape, Var) and isinstance(s.arg(shape), Seq):
        items = s.arg(shape).items
    lengths = []
    for item, dim in zip(items, type.shape, strict=True):
        lengths.append(_length(s, s.number(item), dim))
    value: Arg | None = None
    if op.fn is np.full:
        value = s.number(op.args[1])
    elif op.fn is not np.empty:
        value = Lit(0 if op.fn is np.zeros else 1)
    _bind_new(s, op, type, tuple(lengths), value)


def _length(s: Scalarizer, n: Arg, dim: Dim | int) -> Arg:
    """A length that the program computes; NumPy raises an error if it is negative.

    Also where it is a difference of lengths: until an array of it exists, nobody knows that they differ so.
    """
    known = s.extent(dim)
    require_not_negative(s, n if known is None else known)
    return s.has_length(dim, n) if known is None else known


@form_of(np.zeros_like, np.ones_like, np.empty_like, np.full_like, helpers.zero_like)
def _new_like(s: Scalarizer, op: Op) -> None:
    type = op.out.type
    if not isinstance(type, Array):
        if isinstance(type, Scalar) and op.fn is helpers.zero_like:
            s.env[op.out] = Lit(0j if type.kind == "complex" else 0.0)
            return
        raise NoForm("no array")
    value: Arg | None = Lit(1 if op.fn is np.ones_like else 0)
    if op.fn is np.full_like:
        value = s.number(op.args[1])
    _bind_new(s, op, type, s.array(op.args[0]).lengths, None if op.fn is np.empty_like else value)


@form_of(np.eye, np.identity, np.tri)
def _eye(s: Scalarizer, op: Op) -> None:
    """Ones on, or up to, a diagonal."""
    type = op.out.type
    rows, columns, offset = (*op.args, *[Lit(None), Lit(0)][len(op.args) - 1 :])[:3]
    if not isinstance(type, Array) or len(type.shape or ()) != 2 or not set(op.kwargs) <= {"k", "dtype"}:
        raise NoForm("a matrix of ones and zeros, called like this")
    k = s.number(op.kwargs.get("k", offset))
    numbers = [
        s.number(rows),
        s.number(rows if isinstance(columns, Lit) and columns.value is None else columns),
    ]
    lengths = []
    for n, dim in zip(numbers, type.shape or (), strict=True):
        lengths.append(_length(s, n, dim))
        s.bounds.is_length(dim)
    one, zero = (Lit(type.dtype.type(x).item()) for x in (1, 0))
    inside = operator.le if op.fn is np.tri else operator.eq

    def element(body: Body, place: tuple[Index, ...]) -> Arg:
        row, column = body.number(place[0]), body.number(place[1])
        if not (isinstance(k, Lit) and k.value == 0):
            row = body.op(operator.add, row, k, type=INT)
        return body.choose(body.op(inside, column, row, type=Scalar("bool")), one, zero, element_type(type))

    s.bind(op.out, Formula(type, tuple(lengths), [], element, 2))


@form_of(*CONVERSIONS)
def _astype(s: Scalarizer, op: Op) -> None:
    value, type = s.arg(op.args[0]), op.out.type
    if not isinstance(value, Value):
        given = op.args[1] if len(op.args) > 1 else op.kwargs.get("dtype")
        if not isinstance(given, Lit) or not set(op.kwargs) <= {"copy", "dtype"}:
            raise NoForm("a conversion, called like this")
        single = isinstance(op.args[0], Var) and held_as(op.args[0].type) is np.dtype(given.value).type
        s.compute(assign if single else np.dtype(given.value).type, [value], op.out)
        return
    if not isinstance(type, Array) or not set(op.kwargs) <= {"copy", "dtype"}:
        raise NoForm("a conversion, called like this")
    s.bind(op.out, converted(value, type))


def converted(value: Value, type: Array) -> Formula:
    """The same numbers as those of another type."""
    if value.type.dtype == type.dtype:
        return Formula(type, value.lengths, [value], value.element, 0)
    fn = scalar_form(type.dtype.type, [element_type(value.type)])
    if fn is None:
        raise NoForm(f"{value.type.dtype} as {type.dtype}")

    def element(body: Body, place: tuple[Index, ...]) -> Arg:
        return body.op(fn, value.element(body, place), type=element_type(type))

    return Formula(type, value.lengths, [value], element, 1)


def _bind_new(s: Scalarizer, op: Op, type: Array, lengths: tuple[Arg, ...], value: Arg | None) -> None:
    if type.kind == "other" or type.dtype.name in ("float16", "longdouble", "clongdouble"):
        raise NoForm(f"arrays of {type.dtype}")
    for n, dim in zip(lengths, type.shape or (), strict=True):
        s.has_length(dim, n)
        s.bounds.is_length(dim)
    if isinstance(value, Lit):
        value = Lit(type.dtype.type(value.value).item())
    if value is not None:
        s.env[op.out] = Filled(type, lengths, value)
        return
    s.env[op.out] = s.allocate(type, lengths, op.out.hint, op.out)
