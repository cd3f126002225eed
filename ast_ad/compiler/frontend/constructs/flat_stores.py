"""What is written to ``a.flat``? One number after the other by rows, however the array lies in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....rules import helpers
from ...ir.ops import Arg, Lit, Var
from ...ir.types import rank_of
from ..context import Context
from ..store.windows import lies_in_rows
from ..types.type_questions import known_rank
from ..values import Arr, Lst, Tup, Value


def store_flat(cx: Context, array: Any, index: Value, position: Arg, value: Value) -> None:
    """``array.flat[index] = value``; ``position``: the index in the program."""
    before: Any = cx.read(array)
    known_rank(cx, before)
    flat = cx.builder.op(np.ravel, before)
    new = in_a_row(cx, value, flat, is_whole(cx, index))
    after = cx.builder.opaque(helpers.setitem, (flat, position, new), flat.type)
    shape = cx.builder.op(np.shape, before)
    shaped = cx.builder.opaque(np.reshape, (after, shape), before.type)
    if not lies_in_rows(cx, array):
        shaped = cx.builder.opaque(helpers.setitem, (before, Lit(Ellipsis), shaped), before.type)
    cx.write(array, shaped)


def is_whole(cx: Context, index: Value) -> bool:
    """Whether an index is ``...`` or ``:``."""
    known = cx.static_value(index)
    return known is Ellipsis or isinstance(known, slice) and known == slice(None)


def in_a_row(cx: Context, value: Value, flat: Var, whole: bool) -> Arg:
    """The numbers of an array in a row; for all of ``flat`` from the beginning again where they end."""
    if isinstance(value, (Lst, Tup)):
        value = cx.emit(np.array, value)
    if not isinstance(value, Arr) or rank_of(cx.read(value).type) == 0:
        return cx.arg(value)
    row = cx.builder.op(np.ravel, cx.read(value))
    if not whole or row.type == flat.type:
        return row
    return cx.builder.op(np.resize, row, cx.builder.op(np.size, flat))
