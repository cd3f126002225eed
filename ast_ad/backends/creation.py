"""What becomes of new arrays? The same number everywhere: a formula until something is written to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..ir.ops import Arg, Lit, Op, Seq, Var
from ..ir.types import Array, Scalar
from ..rules import helpers
from .forms import form_of
from .scalars import NoForm
from .values import Filled

if TYPE_CHECKING:
    from .scalarize import Scalarizer


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
        n = s.number(item)
        known = s.extent(dim)
        lengths.append(known if known is not None else s.has_length(dim, n))
    value: Arg | None = None
    if op.fn is np.full:
        value = s.number(op.args[1])
    elif op.fn is not np.empty:
        value = Lit(0 if op.fn is np.zeros else 1)
    _bind_new(s, op, type, tuple(lengths), value)


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
