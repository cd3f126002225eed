"""In which order do the elements of an array certainly lie in memory, and is it seen or copied therefore?

An order is "C" (row by row) or "F" (column by column); what has one axis lies in both, if it has no gaps. An
array of which nothing is certain has none. tests/rules/test_layouts.py measures all that is claimed.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ....rules import containers, helpers
from ....rules.memory import strided
from ...ir.ops import Lit
from ...ir.types import Array, Type, differs_from_one
from ..values import Callee, Value
from .strides import Given, Shape, Strides, filled, has_no_gaps, joins, kept_orders

Orders = frozenset[str]
NONE: Orders = frozenset()
BOTH: Orders = frozenset("CF")

ROWS = {
    np.arange, np.linspace, np.eye, np.identity, np.outer, np.tri, np.matmul, operator.matmul, np.dot,
    np.vander, np.diagflat, np.diag, np.triu, np.tril, np.inner, np.cov,
    np.corrcoef, np.linalg.inv, np.linalg.pinv, np.linalg.cholesky, np.linalg.solve, np.linalg.outer,
    np.linalg.multi_dot, *([np.linalg.matmul] if hasattr(np.linalg, "matmul") else []),
}  # fmt: skip
"""What they make lies row by row, whatever they are given; of products that is so up to two axes."""
ROWS_OF_ANY = {
    np.repeat, np.take, np.compress, np.resize, np.select, np.meshgrid, np.tensordot, np.interp, np.argsort,
    containers.array_from_list,
}  # fmt: skip
"""What these make lies row by row, too, whatever number of axes it has."""
SOLID = {
    np.sum, np.prod, np.mean, np.std, np.var, np.max, np.min, np.median, np.ptp, np.average, np.quantile,
    np.percentile, np.nansum, np.nanprod, np.nanmean, np.nanstd, np.nanvar, np.nanmax, np.nanmin,
    np.argmax, np.argmin, np.diff, np.gradient, np.ediff1d, np.roll, np.tile, np.append, np.insert, np.delete,
    np.pad, np.extract, np.take_along_axis, np.choose, np.unique, np.flatnonzero, np.round, np.unwrap,
    np.convolve, np.correlate, np.bincount, np.digitize, np.searchsorted, np.trapezoid, np.kron, np.cross,
    np.trace, np.einsum, np.logspace, np.geomspace, np.polyval, np.block, np.fft.fft, np.fft.ifft,
    np.fft.rfft, np.fft.irfft, np.fft.fftshift, np.fft.ifftshift, np.fft.fftfreq, np.fft.rfftfreq,
    np.linalg.norm, np.linalg.det, np.linalg.eigvalsh, np.linalg.eigh, np.linalg.svd,
}  # fmt: skip
"""What they make, where it is no view, has no gaps: it lies in any order if one length only is not 1."""
SEVERAL = {np.meshgrid, np.divmod, divmod, np.modf, np.frexp, np.linalg.eigh, np.linalg.svd}
"""What is known of the arrays that functions make is so of each of several that these make."""
MADE = {np.zeros: 2, np.ones: 2, np.empty: 2, np.full: 3}
"""They lie row by row, or as they are asked to, by an argument at this place."""
ORDER_AT = {
    **MADE, np.reshape: 2, np.ravel: 1, np.copy: 1, np.zeros_like: 2, np.ones_like: 2, np.empty_like: 2,
    np.full_like: 3, np.eye: 4, np.asarray: 2, np.asanyarray: 2, np.asarray_chkfinite: 2,
}  # fmt: skip
KEEPING = {
    np.array, np.copy, np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.where, np.clip,
    np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack, np.dstack,
    np.sort, np.partition, np.cumsum, np.cumprod, np.nan_to_num, np.sinc, np.i0, np.angle, helpers.astype,
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.neg, operator.pos, abs,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
}  # fmt: skip
"""Their results lie in memory as their arguments do, like those of ufuncs."""
CONVERTING = {np.ascontiguousarray: "C", np.asfortranarray: "F"}
"""They return their argument, or a copy if it does not lie in memory in that order."""
ASKED = {np.asarray, np.asanyarray, np.asarray_chkfinite}
"""They do the same if they are asked for an order."""
LIKE = {np.zeros_like, np.ones_like, np.empty_like, np.full_like}
"""What they make lies as their first argument does; the others don't matter."""
JOINING = {np.concatenate, np.vstack, np.hstack}
STACKING = {np.array, np.stack, np.column_stack, np.dstack, *JOINING}
SEEING = {
    np.transpose, np.permute_dims, np.matrix_transpose, np.linalg.matrix_transpose, np.swapaxes, np.moveaxis,
    np.rollaxis, np.flip, np.fliplr, np.flipud, np.rot90, np.squeeze, np.expand_dims, np.split,
    np.array_split, np.hsplit, np.vsplit, np.dsplit, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.ix_,
    helpers.mT, *([np.unstack] if hasattr(np, "unstack") else []),
}  # fmt: skip
"""They return a view of an array, which can be written to, however it lies in memory."""
SHOWING = {
    np.diagonal, np.linalg.diagonal, np.broadcast_to, np.broadcast_arrays, np.meshgrid,
    np.lib.stride_tricks.sliding_window_view, strided,
}  # fmt: skip
"""They return a view that is not written to: NumPy raises an error or warns."""
MOST_TRIED = 1_000_000  # bytes of an array that is made to see what NumPy does


def orders_of_result(fn: Callee, given: Given, shape: Shape | None, order: object) -> Orders:
    """The orders in which an array that a function has made certainly lies.

    Args:
        given: of each array among the arguments its strides and its shape, as far as they are known.
        shape: that of the result, or None.
        order: that which the call asks for, or None.

    >>> sorted(orders_of_result(np.add, [((1, 2), (2, 3)), ((1, 2), (2, 3))], (2, 3), None))
    ['F']
    """
    if shape is None or order not in (None, "K", "C", "F") or not is_solid(fn):
        return NONE
    if orders_of_solid(shape):
        return BOTH
    if order in ("C", "F"):
        return frozenset(order)
    if fn in ROWS_OF_ANY or fn in ROWS and len(shape) == 2:
        return frozenset("C")
    if fn in MADE:
        return frozenset("C")
    if not lies_as_given(fn):
        return NONE
    ranks = {None if its is None else len(its) for _, its in given}
    if fn in JOINING and ranks == {len(shape)}:  # along an axis that they have already
        longest = [(strides, joined_shape(its, shape)) for strides, its in given]
        return kept_orders(longest, shape)
    if fn in STACKING and (fn is not np.array or ranks != {len(shape)}):
        rows = all(strides is not None and has_no_gaps(its or (), strides, "C") for strides, its in given)
        return frozenset("C") if rows else NONE
    return kept_orders(given, shape)


def lies_as_given(fn: Callee) -> bool:
    """Whether what a function makes lies in memory as its arguments do."""
    return fn in KEEPING or isinstance(fn, np.ufunc) and fn.signature is None


def orders_of_solid(shape: Shape | None) -> Orders:
    """Those of an array without gaps, whatever the order of its axes is.

    >>> sorted(orders_of_solid((1, 3))), sorted(orders_of_solid((2, 3)))
    (['C', 'F'], [])
    """
    return BOTH if shape is not None and sum(n != 1 for n in filled(shape)) <= 1 else NONE


def is_solid(fn: Callee) -> bool:
    """Whether an array that a function makes has no gaps."""
    return lies_as_given(fn) or any(fn in some for some in (ROWS, ROWS_OF_ANY, MADE, SOLID))


def joined_shape(its: Shape | None, shape: Shape) -> Shape | None:
    """The shape of a part of a joined array, as if it had all of it; a length of one says nothing."""
    return its and tuple(1 if n == 1 else whole for n, whole in zip(its, shape, strict=True))


def is_crosswise(type: Type) -> bool:
    """Whether rows and columns certainly differ: two of the lengths are not 1 (or there is no element)."""
    dims = type.shape if isinstance(type, Array) and type.shape is not None else ()
    return sum(d != 1 if isinstance(d, int) else differs_from_one(d) for d in dims) >= 2


def relation(
    fn: Callee, strides: Strides | None, type: Type, order: str | None, result: Type | None = None
) -> str:
    """What the result is to an array of which a function may return a view.

    Args:
        strides: those of the array, or None.
        order: that which the call asks for, or None.
        result: the type of the result.

    Returns:
        "view"; "shown", which is a view that is not written to; "same", which is the array itself; "copy";
        or "", where that is not certain.
    """
    shape = type.shape if isinstance(type, Array) else None
    if fn in SEEING:
        return "view"
    if fn in SHOWING or fn is np.diag and shape is not None and len(shape) == 2:
        return "shown"
    wanted = order or CONVERTING.get(fn, "C")
    if shape is None or wanted not in ("C", "F"):
        return ""
    if fn is np.reshape:
        made = result.shape if isinstance(result, Array) else None
        if len(shape) <= 1 or made == shape:
            return "view"
        return "" if strides is None else relation_of_shapes(shape, strides, wanted, made)
    if strides is None:
        return ""
    if fn in CONVERTING or fn in ASKED and order or fn is np.ravel:
        known = has_no_gaps(shape, strides, wanted)
        same = "view" if fn is np.ravel else "same"
        return "" if known is None else same if known else "copy"
    return ""


def relation_of_shapes(shape: Shape, strides: Strides, order: str, made: Shape | None) -> str:
    """What an array of another shape is to the one of which it is made; of constants NumPy tells itself.

    >>> relation_of_shapes((2, 4), (1, 2), "C", (2, 2, 2)), relation_of_shapes((2, 4), (1, 2), "C", (4, 2))
    ('view', 'copy')
    """
    lengths, steps = ([n for n in some if isinstance(n, int)] for some in (shape, strides))
    constant = made is not None and len(lengths) == len(steps) == len(shape)
    if made is not None and constant and all(isinstance(n, int) for n in made):
        ends = [(n - 1) * step for n, step in zip(lengths, steps, strict=True)]
        start = -sum(end for end in ends if end < 0)
        size = start + 1 + sum(end for end in ends if end > 0)
        if 0 not in lengths and size <= MOST_TRIED:
            buffer = np.empty(size, dtype=bool)
            array = np.lib.stride_tricks.as_strided(buffer[start:], lengths, steps)
            seen = np.reshape(array, made, order=order)  # type: ignore[call-overload]
            return "view" if np.shares_memory(seen, buffer) else "copy"
    known = joins(shape, strides, order)
    return "view" if known else "copy" if known is False and made is not None and len(made) == 1 else ""


def decided_by_strides(fn: Callee) -> bool:
    """Whether lengths and strides tell what a function returns, a view or a copy."""
    return fn in (np.reshape, np.ravel) or fn in CONVERTING or fn in ASKED


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
