"""What do functions that join the arrays of a list, or cut an array into such, make of the rows of one array?

``joining(op, rows_like) -> Joining | None``. Asked by ``kept_lists``, which says whether there is a form, and
by ``list_arrays``, which writes it. The arrays of the list are of one shape: joined along their first axis
they are the rows in another shape, and along a new last one the rows turned.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from ..ir.ops import Arg, Lit, Op, Var
from ..ir.types import Array, ListOf


class Joining(enum.Enum):
    """How an array lies to the rows of a list."""

    AS_ROWS = "it is the rows"
    ALONG = "the rows one behind the other, along their own first axis"
    TURNED = "the rows as columns"


def joining(op: Op, rows_like: Collection[Any]) -> Joining | None:
    """How the result, or what is cut, lies to the rows; None where that is not known.

    ``rows_like``: functions of an array and a list that cut the array into pieces like the list's elements.
    """
    cuts = op.fn in rows_like
    axis = _axis(op, 2 if cuts else 1)
    held = op.args[int(cuts)] if len(op.args) > cuts else None
    if not isinstance(held, Var) or not isinstance(held.type, ListOf) or axis is None:
        return None
    kind = held.type.element
    if not isinstance(kind, Array) or not kind.shape:
        return None
    rank = len(kind.shape)
    if cuts:
        return _of_cut(op.args[0], kind, axis)
    if op.fn is np.stack:
        return Joining.AS_ROWS if axis == 0 else Joining.TURNED if rank == 1 and axis in (1, -1) else None
    found = _JOINING.get(op.fn)
    return None if found is None else found(rank, axis)


def _axis(op: Op, place: int) -> int | None:
    """The axis that a call names, 0 if none; ``place``: of it among the arguments."""
    given = op.kwargs.get("axis", op.args[place] if len(op.args) > place else Lit(0))
    more = len(op.args) > place + 1 or not set(op.kwargs) <= {"axis"}
    return given.value if isinstance(given, Lit) and type(given.value) is int and not more else None


def _of_cut(array: Arg, kind: Array, axis: int) -> Joining | None:
    type = array.type if isinstance(array, Var) else None
    if not isinstance(type, Array) or type.shape is None or type.dtype != kind.dtype:
        return None
    axes, rank = len(type.shape), len(kind.shape or ())
    if axes == rank and axis == 0:
        return Joining.ALONG
    if axes == rank + 1 and axis == 0:
        return Joining.AS_ROWS
    return Joining.TURNED if axes == 2 and rank == 1 and axis == 1 else None


_JOINING: dict[Any, Callable[[int, int], Joining | None]] = {
    np.concatenate: lambda rank, axis: Joining.ALONG if axis == 0 else None,
    np.hstack: lambda rank, axis: Joining.ALONG if rank == 1 else None,
    np.vstack: lambda rank, axis: Joining.AS_ROWS if rank == 1 else Joining.ALONG,
    np.column_stack: lambda rank, axis: Joining.TURNED if rank == 1 else None,
}
