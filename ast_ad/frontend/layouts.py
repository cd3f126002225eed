"""In which order do the elements of an array certainly lie in memory, and is it seen or copied therefore?

An order is "C" (row by row) or "F" (column by column); what has one axis lies in both, if it has no gaps. An
array of which nothing is certain has none. tests/rules/test_layouts.py measures all that is claimed.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ir.ops import Lit
from ..ir.types import Array, Type, differs_from_one
from ..rules import containers, helpers
from .values import Callee, Value

Orders = frozenset[str]
NONE: Orders = frozenset()
BOTH: Orders = frozenset("CF")

ROWS = {
    np.arange, np.linspace, np.eye, np.identity, np.outer, np.tri, np.matmul, operator.matmul, np.dot,
    containers.array_from_list,
}  # fmt: skip
"""What they make lies row by row, whatever they are given; of products that is so up to two axes."""
MADE = {np.zeros: 2, np.ones: 2, np.empty: 2, np.full: 3}
"""They lie row by row, or as they are asked to, by an argument at this place."""
ORDER_AT = {
    **MADE, np.reshape: 2, np.ravel: 1, np.copy: 1, np.zeros_like: 2, np.ones_like: 2, np.empty_like: 2,
    np.full_like: 3, np.eye: 4,
}  # fmt: skip
KEEPING = {
    np.array, np.copy, np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.where, np.clip,
    np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack, np.dstack,
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.neg, operator.pos, abs,
}  # fmt: skip
"""Their results lie in memory as their arguments do, like those of ufuncs."""
CONVERTING = {np.ascontiguousarray: "C", np.asfortranarray: "F"}
"""They return their argument, or a copy if it does not lie in memory in that order."""
SEEING = {
    np.transpose, np.permute_dims, np.matrix_transpose, np.linalg.matrix_transpose, np.swapaxes, np.moveaxis,
    np.rollaxis, np.flip, np.fliplr, np.flipud, np.rot90, np.squeeze, np.expand_dims, np.split,
    np.array_split, np.hsplit, np.vsplit, np.dsplit, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.ix_,
    helpers.mT, *([np.unstack] if hasattr(np, "unstack") else []),
}  # fmt: skip
"""They return a view of an array, which can be written to, however it lies in memory."""
SHOWING = {
    np.diagonal, np.linalg.diagonal, np.broadcast_to, np.broadcast_arrays, np.meshgrid,
    np.lib.stride_tricks.sliding_window_view,
}  # fmt: skip
"""They return a view that is not written to: NumPy raises an error or warns."""


def orders_of_result(
    fn: Callee, given: list[tuple[Orders, Any]], shape: Sequence[object] | None, order: object
) -> Orders:
    """The orders in which an array that a function has made certainly lies.

    Args:
        given: of each array among the arguments its orders and its shape, as far as it is known.
        shape: that of the result, or None.
        order: that which the call asks for, or None.

    >>> sorted(orders_of_result(np.add, [(frozenset("F"), (2, 3)), (frozenset("F"), (2, 3))], (2, 3), None))
    ['F']
    """
    keeping = fn in KEEPING or isinstance(fn, np.ufunc) and fn.signature is None
    if shape is None or order not in (None, "K", "C", "F") or not (keeping or fn in ROWS or fn in MADE):
        return NONE
    rank = len(shape)
    if rank <= 1:
        return BOTH
    if order in ("C", "F"):
        return frozenset(order)
    if fn in ROWS:
        return frozenset("C") if rank == 2 else NONE
    if fn in MADE:
        return frozenset("C")
    found = BOTH
    for orders, its in given:
        if its is None:
            return NONE
        if len(its) > 1:
            found &= orders
        if its and its != shape:  # stretched: where no array tells otherwise, NumPy goes row by row
            found &= frozenset("C")
    return found if any(its is not None and len(its) > 1 for _, its in given) else found & frozenset("C")


def is_crosswise(type: Type) -> bool:
    """Whether rows and columns certainly differ: two of the lengths are not 1 (or there is no element)."""
    dims = type.shape if isinstance(type, Array) and type.shape is not None else ()
    return sum(d != 1 if isinstance(d, int) else differs_from_one(d) for d in dims) >= 2


def relation(fn: Callee, orders: Orders, type: Type, order: str | None) -> str:
    """What the result is to an array of which a function may return a view.

    Returns:
        "view"; "shown", which is a view that is not written to; "same", which is the array itself; "copy";
        or "", where that is not certain.
    """
    rank = len(type.shape) if isinstance(type, Array) and type.shape is not None else None
    if fn in SEEING:
        return "view"
    if fn in SHOWING or fn is np.diag and rank == 2:
        return "shown"
    if fn in CONVERTING:
        wanted = CONVERTING[fn]
        return "same" if wanted in orders else "copy" if orders and is_crosswise(type) else ""
    wanted = order or "C"
    if fn is np.reshape and (wanted in orders or rank is not None and rank <= 1 and wanted in "CF"):
        return "view"
    if fn is np.ravel and wanted in ("C", "F"):
        return "view" if wanted in orders else "copy" if orders and is_crosswise(type) else ""
    return ""


def order_asked(fn: Callee, args: list[Value], kwargs: dict[str, Value]) -> Any:
    """The argument that asks for an order, if there is one."""
    place = ORDER_AT.get(fn)
    if "order" in kwargs:
        return kwargs["order"]
    return args[place] if place is not None and len(args) > place else Lit(None)


def is_view_by_letters(subscripts: object) -> bool:
    """Whether ``np.einsum`` of one array moves or joins axes only, and sums over none: that is a view.

    >>> is_view_by_letters("ij->ji"), is_view_by_letters("ii->i"), is_view_by_letters("ij->i")
    (True, True, False)
    """
    if not isinstance(subscripts, str) or subscripts.count("->") != 1 or "." in subscripts:
        return False
    before, after = subscripts.replace(" ", "").split("->")
    return set(before) == set(after) and "," not in before
