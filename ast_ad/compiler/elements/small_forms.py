"""What does an operation on small arrays do to their elements?

A form takes the operation and gives, for each of its results, an array of arguments (or one argument, where
the result is a number). Operations that only move elements run as they are, on arrays of arguments.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules import helpers
from ...rules.numpy import cumulative, gather, joining, reductions, shapes
from ...rules.registry import lookup
from ..frontend.types.infer import COMPARISONS, is_plain_ufunc
from ..ir import builtin
from ..ir.ops import Arg, Lit, Op, Seq, Var
from ..ir.types import Array, Scalar
from . import small_reductions as written_out
from .small_elements import (
    Elements,
    ElementWriter,
    NoForm,
    blank,
    broadcast,
    cast,
    dtype_of_result,
    known,
    map_elements,
    one,
    stand_in,
)

Form = Callable[[ElementWriter, Op], Any]


# ----- element by element -----
def elementwise(w: ElementWriter, op: Op) -> Elements:
    if op.kwargs or len(op.outs) != 1:
        raise NoForm
    number = isinstance(op.out.type, Scalar)  # NumPy makes one of arrays without axes
    if not (number or w.is_small(op.out.type)):
        raise NoForm
    want = np.dtype(bool) if number and op.fn in COMPARISONS else dtype_of_result(op)
    operands, dtypes = zip(*map(w.data, op.args), strict=True)
    fn = op.fn
    if fn in (operator.pow, np.power):  # as NumPy does it for arrays
        exponent = op.args[1].value if isinstance(op.args[1], Lit) else None
        if type(exponent) in (int, float) and exponent == 2:
            square = [operands[0], operands[0]]
            return map_elements(lambda a, b: w.op(operator.mul, (a, b), dtypes[:1] * 2, want), *square)
        if fn is operator.pow and type(exponent) is float and exponent == 0.5:
            return map_elements(lambda a: w.op(np.sqrt, (a,), dtypes[:1], want), operands[0])
    return map_elements(lambda *e: w.op(fn, e, dtypes, want), *operands)


def where(w: ElementWriter, op: Op) -> Elements:
    if op.kwargs or len(op.args) != 3 or not w.is_small(op.out.type):
        raise NoForm
    want = dtype_of_result(op)
    cond, _ = w.data(op.args[0])
    return map_elements(w.select, cond, cast(w, op.args[1], want), cast(w, op.args[2], want))


# ----- movements -----
MOVES: dict[Callable[..., Any], tuple[int, ...]] = {
    **dict.fromkeys((
        np.reshape, np.ravel, np.squeeze, np.expand_dims, np.transpose, np.swapaxes, np.moveaxis, np.rollaxis,
        np.flip, np.fliplr, np.flipud, np.rot90, np.roll, np.broadcast_to, np.tile, np.repeat, np.stack,
        np.concatenate, np.vstack, np.hstack, np.column_stack, np.dstack, np.array, np.asarray, np.copy,
        np.atleast_1d, np.atleast_2d, np.diag, np.diagonal, np.tril, np.triu, np.matrix_transpose,
        np.linalg.matrix_transpose, np.ascontiguousarray, builtin.assign, builtin.copy, builtin.own,
        helpers.mT, helpers.astype, helpers.expand_reduced, helpers.stack_like,
        cumulative.shift, joining.split_like, joining.join_like, reductions.along_axis, shapes.untransposed,
        shapes.unrolledaxis, np.split, np.array_split, np.delete,
    ), (0,)),
    np.append: (0, 1),
    np.diagflat: (0,),
}  # fmt: skip
DROPPED = {"dtype", "copy", "order", "subok", "like", "casting"}  # keywords of which the result's type tells
IDENTITY = {np.array, np.asarray, np.copy, np.ascontiguousarray, helpers.astype, builtin.copy, builtin.own}


def move(w: ElementWriter, op: Op) -> Any:
    want = dtype_of_result(op)
    data, like = MOVES[op.fn], helpers.METADATA.get(op.fn)
    args = [
        moved(w, a, want) if i in data else stand_in(a) if i == like else known(a)
        for i, a in enumerate(op.args)
    ]
    kwargs = {k: known(v) for k, v in op.kwargs.items() if k not in DROPPED or known(v) == "F"}
    if op.fn in IDENTITY:
        if kwargs:
            raise NoForm
        return np.asarray(args[0], object)
    try:
        found = op.fn(*args, **kwargs)
    except Exception as problem:
        raise NoForm from problem
    return found if isinstance(found, np.ndarray) else list(found)


def moved(w: ElementWriter, arg: Arg, want: np.dtype) -> Any:
    """The elements of an array, or of the arrays in a display."""
    if isinstance(arg, Seq):
        items = [moved(w, item, want) for item in arg.items]
        if all(item.shape == items[0].shape for item in items if isinstance(item, np.ndarray)):
            try:
                return np.stack(items) if items else np.empty(0, object)
            except ValueError:  # lists beside arrays: a display whose items differ in shape
                pass
        return items
    return cast(w, arg, want)


def broadcast_like(w: ElementWriter, op: Op) -> Elements:
    shape = np.shape(stand_in(op.args[1]))
    return broadcast(cast(w, op.args[0], dtype_of_result(op)), shape)


def created(w: ElementWriter, op: Op) -> Elements:
    """Arrays of constants."""
    type = op.out.type
    if not w.is_small(type) or not isinstance(type, Array):
        raise NoForm
    fn: Any = {np.empty: np.zeros, np.empty_like: np.zeros_like}.get(op.fn, op.fn)
    try:
        args = [known(a) for a in op.args]
        values = fn(*args, **{k: known(v) for k, v in op.kwargs.items()})
    except NoForm:
        raise
    except Exception as problem:
        raise NoForm from problem
    if values.shape != type.shape or values.dtype != type.dtype:
        raise NoForm
    return literals(values)


def literals(values: np.ndarray) -> Elements:
    out = blank(values.shape)
    for place in np.ndindex(out.shape):
        out[place] = Lit(values[place].item())
    return out


def filled_like(w: ElementWriter, op: Op) -> Elements:
    """``np.zeros_like(x)`` and its family."""
    type = op.out.type
    if not w.is_small(type) or not isinstance(type, Array):
        raise NoForm
    if op.fn is np.full_like:
        return broadcast(cast(w, op.args[1], type.dtype), type.shape)
    return literals(np.full(type.shape, op.fn is np.ones_like, type.dtype))  # type: ignore[arg-type]


def full(w: ElementWriter, op: Op) -> Elements:
    type = op.out.type
    if not w.is_small(type) or not isinstance(type, Array):
        raise NoForm
    return broadcast(cast(w, op.args[1], type.dtype), type.shape)


# ----- items and writes -----
def getitem(w: ElementWriter, op: Op) -> Any:
    if not isinstance(op.args[0], Var) or not w.is_small(op.args[0].type):
        raise NoForm
    elements, have = w.data(op.args[0])
    index = known(op.args[1])
    try:
        found = elements[index]
        if op.fn is helpers.written and _repeats(np.arange(elements.size).reshape(elements.shape)[index]):
            raise NoForm
    except (IndexError, TypeError) as problem:
        raise NoForm from problem
    return found


def setitem(w: ElementWriter, op: Op) -> Elements:
    """Writes to, and additions at, constant places."""
    want, index = dtype_of_result(op), known(op.args[1])
    target = np.array(cast(w, op.args[0], want))
    return write(w, op, target, index, want)


def scatter(w: ElementWriter, op: Op) -> Elements:
    type = op.out.type
    if not w.is_small(type) or not isinstance(type, Array):
        raise NoForm
    want, index = dtype_of_result(op), known(op.args[1])
    target = literals(np.zeros(type.shape, want))  # type: ignore[arg-type]
    return write(w, op, target, index, want)


def write(w: ElementWriter, op: Op, target: Elements, index: Any, want: np.dtype) -> Elements:
    places = np.arange(target.size).reshape(target.shape)
    value, have = w.data(op.args[2])
    try:
        chosen = np.asarray(places[index])
        value = broadcast(value.reshape(shrink(value.shape, chosen.ndim)), chosen.shape)
    except (IndexError, ValueError, TypeError) as problem:
        raise NoForm from problem
    repeats, wide = _repeats(chosen), want if have is None else np.result_type(want, have)
    if not np.can_cast(wide, want, "same_kind") and op.fn is not helpers.setitem:
        raise NoForm
    if repeats and op.fn is helpers.setitem:
        raise NoForm
    for place in np.ndindex(chosen.shape):
        spot = np.unravel_index(chosen[place], target.shape)
        if op.fn is helpers.setitem or op.fn is helpers.scatter and not repeats:
            target[spot] = w.convert(value[place], have, want)
        else:
            total = w.op(operator.add, (target[spot], value[place]), (want, have), wide)
            target[spot] = w.convert(total, wide, want)
    return target


def _repeats(chosen: Any) -> bool:
    return np.unique(chosen).size < np.size(chosen)


def shrink(shape: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    """The shape without leading ones: what is written may have them."""
    while len(shape) > ndim and shape[0] == 1:
        shape = shape[1:]
    return shape


def numbered(w: ElementWriter, op: Op) -> Elements:
    """``positions(x)`` and ``nowhere(x)``."""
    return literals(op.fn(np.zeros(np.shape(stand_in(op.args[0])))))


def gathered(w: ElementWriter, op: Op) -> Any:
    """Elements of the flattened array; 0 where a place is negative."""
    want, index = dtype_of_result(op), places(w, op.args[1])
    flat = [*cast(w, op.args[0], want).flat, Lit(want.type(0).item())]
    out = blank(index.shape)
    for place in np.ndindex(index.shape):
        out[place] = flat[max(index[place], -1)]
    return out


def scattered_to(w: ElementWriter, op: Op) -> Any:
    want, index = dtype_of_result(op), places(w, op.args[1])
    shape = np.shape(stand_in(op.args[0]))
    flat = literals(np.zeros(int(np.prod(shape)), want))
    values = broadcast(cast(w, op.args[2], want), index.shape)
    for place in np.ndindex(index.shape):
        i = index[place]
        if i >= 0:
            flat[i] = w.op(operator.add, (flat[i], values[place]), (want, want), want)
    return flat.reshape(shape)


def places(w: ElementWriter, arg: Arg) -> Any:
    """An array of constant integers."""
    elements, _ = w.data(arg)
    if not all(isinstance(e, Lit) for e in elements.flat):
        raise NoForm
    return np.array([e.value for e in elements.flat], int).reshape(elements.shape)


def metadata(w: ElementWriter, op: Op) -> Any:
    """``len``, ``np.size`` and ``np.ndim`` of what is known to be small."""
    if len(op.args) != 1 or op.kwargs:
        raise NoForm
    return one(Lit(op.fn(stand_in(op.args[0]))))


FORMS: dict[Callable[..., Any], Form] = {
    **dict.fromkeys(MOVES, move),
    **dict.fromkeys((np.zeros, np.ones, np.empty, np.eye, np.identity, np.arange, np.linspace), created),
    **dict.fromkeys(
        (np.zeros_like, np.ones_like, np.empty_like, np.full_like, helpers.zero_like, helpers.hollow),
        filled_like,
    ),
    np.full: full,
    **dict.fromkeys((gather.positions, gather.nowhere), numbered),
    gather.gather: gathered,
    gather.scatter_to: scattered_to,
    np.where: where,
    operator.getitem: getitem,
    helpers.written: getitem,
    helpers.setitem: setitem,
    helpers.add_at: setitem,
    helpers.scatter: scatter,
    np.sum: written_out.reduction(operator.add),
    np.prod: written_out.reduction(operator.mul),
    **dict.fromkeys((np.max, np.amax), written_out.reduction(np.maximum)),
    **dict.fromkeys((np.min, np.amin), written_out.reduction(np.minimum)),
    np.any: written_out.reduction(np.logical_or),
    np.all: written_out.reduction(np.logical_and),
    np.mean: written_out.mean,
    np.cumsum: written_out.cumulative(operator.add),
    np.cumprod: written_out.cumulative(operator.mul),
    helpers.unbroadcast: written_out.unbroadcast,
    helpers.broadcast_like: broadcast_like,
    **dict.fromkeys((len, np.size, np.ndim), metadata),
    **dict.fromkeys((np.matmul, operator.matmul, np.dot, np.inner, np.linalg.matmul), written_out.matmul),
    **dict.fromkeys((helpers.safe_product, helpers.exact_product, np.clip), elementwise),
    np.vdot: written_out.vdot,
    **dict.fromkeys((np.outer, np.linalg.outer), written_out.outer),
    **dict.fromkeys((np.cross, np.linalg.cross), written_out.cross),
    np.trace: written_out.trace,
    np.linalg.norm: written_out.norm,
}


# At a kink, what these are written out to has another derivative than they have.
KINKED = frozenset({np.max, np.amax, np.min, np.amin, np.linalg.norm})
# Composites that NumPy refuses for some values, as their text does not; their definitions for kernels do.
REFUSED_BY_VALUE = frozenset({np.average})


def form_of(op: Op) -> Form | None:
    """How the operation is done on elements, as far as its callable tells."""
    found = FORMS.get(op.fn)
    if found is not None:
        return found
    primitive = lookup(op.fn)
    if (
        primitive is not None
        and primitive.kind == "elementwise"
        or is_plain_ufunc(op.fn)
        or op.fn in COMPARISONS
    ):
        return elementwise
    return None
