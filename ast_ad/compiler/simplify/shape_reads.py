"""Whose shape is read where a value is read for its shape only? That of what it was computed from.

``read_older(op, makers) -> None``, ``value_reads(op) -> Iterator[Var]``. A rule asks for the shape of the
cotangent that it was given, or of a factor of its own: if nobody reads that value itself, it need not be
there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...rules import helpers
from ..ir.builtin import tuple_get
from ..ir.ops import Lit, Op, Statement, Var, operands, variables
from ..ir.types import Array, Scalar, TupleOf
from .patterns import Makers, change, maker_of

SHAPE = {np.shape, np.size}
LONGEST = 16


def value_reads(op: Statement) -> Iterator[Var]:
    """The Vars that a statement reads the values of, and not the shapes only."""
    place = _place(op) if isinstance(op, Op) else None
    if place is None or not isinstance(op, Op):
        yield from variables(*operands(op))
        return
    rest = [arg for k, arg in enumerate(op.args) if k != place or not isinstance(arg, Var)]
    yield from variables(*rest, *op.kwargs.values())


def read_older(op: Op, makers: Makers) -> None:
    """Let an operation read the shape of an older value, which is known to be that of its argument."""
    if op.fn is tuple_get:
        _read_length(op, makers)
        return
    place = _place(op)
    arg = op.args[place] if place is not None and place < len(op.args) else None
    if place is not None and isinstance(arg, Var) and isinstance(arg.type, Array) and arg.type.shape:
        dtype = op.fn not in SHAPE
        older = _oldest(arg, makers, lambda a, b: a.shape == b.shape and (not dtype or a.dtype == b.dtype))
        if older is not arg:
            op.args = (*op.args[:place], older, *op.args[place + 1 :])
            makers.uses[older] += 1
            _release(arg, makers)


def _release(var: Var, makers: Makers) -> None:
    """One read of a value less; what nobody reads any more reads nothing."""
    makers.uses[var] -= 1
    maker = makers.get(var)
    if makers.uses[var] > 0 or maker is None or maker.effect or len(maker.outs) != 1:
        return
    for read in value_reads(maker):
        makers.values_read[read] -= 1
    for read in variables(*operands(maker)):
        _release(read, makers)


def _read_length(op: Op, makers: Makers) -> None:
    """The same for one length: the older value may have it along another axis."""
    shape, axis = maker_of(op.args[0], makers, {np.shape}), op.args[1]
    arg = None if shape is None else shape.args[0]
    if not isinstance(arg, Var) or not isinstance(arg.type, Array) or not arg.type.shape:
        return
    if not isinstance(axis, Lit) or type(axis.value) is not int or not 0 <= axis.value < len(arg.type.shape):
        return
    length = arg.type.shape[axis.value]
    older = _oldest(arg, makers, lambda a, b: a.shape is not None and length in a.shape)
    if older is not arg and isinstance(older.type, Array) and older.type.shape is not None:
        lengths = TupleOf(tuple([Scalar("int", None, n) for n in older.type.shape]))
        _release(op.args[0], makers)  # type: ignore[arg-type]
        makers.uses[older] += 1
        change(
            op,
            tuple_get,
            makers.before(op, np.shape, older, type=lengths),
            Lit(older.type.shape.index(length)),
        )


def _place(op: Op) -> int | None:
    """Which argument an operation reads for its shape only."""
    return 0 if op.fn in SHAPE else helpers.METADATA.get(op.fn)


def _oldest(var: Var, makers: Makers, is_like: Any) -> Var:
    """The oldest value that one was computed from and that is like it, where nobody reads those between."""
    most = 0  # an older one is read by what was computed from it
    for _ in range(LONGEST):
        maker = makers.get(var)
        if maker is None or maker.effect or makers.values_read[var] > most:
            break
        arrays = [a for a in maker.args if isinstance(a, Var) and isinstance(a.type, Array)]
        older = next((a for a in arrays if is_like(a.type, var.type)), None)
        if older is None:
            break
        var, most = older, 1
    return var
