"""Which operations only show an array in another way? Each becomes a map of places."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ....rules import helpers
from ...ir.ops import Arg, Lit, Op, Seq
from ...ir.types import Array, Scalar
from ..nests.affine_indices import ZERO, Index
from ..numbers.scalars import NoForm
from .forms import broadcast, form_of, require_at_least, require_equal, require_not_negative
from .loop_values import Filled, Mapped, Sliding, Value, stretched

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

Place = tuple[Index, ...]
BOOL = Scalar("bool")


def show(
    s: Scalarizer, op: Op, value: Value, lengths: tuple[Arg, ...], where: Callable[[Place], Place]
) -> None:
    if not isinstance(op.out.type, Array) or op.out.type.shape is None:
        raise NoForm("a view of unknown rank")
    s.bind(op.out, Mapped(op.out.type, lengths, value, where))


@form_of(
    np.transpose,
    np.matrix_transpose if hasattr(np, "matrix_transpose") else helpers.mT,
    helpers.mT,
    np.swapaxes,
)
def _transpose(s: Scalarizer, op: Op) -> None:
    value = s.array(op.args[0])
    order = list(range(value.rank))
    if op.kwargs:
        raise NoForm("keywords")
    if op.fn is np.transpose and len(op.args) > 1:
        given = _integers(op.args[1])
        order = [a % value.rank for a in given]
    elif op.fn is np.transpose:
        order.reverse()
    else:
        a, b = (_integers(Seq(op.args[1:])) if op.fn is np.swapaxes else (-1, -2)) or (-1, -2)
        order[a], order[b] = order[b], order[a]
    inverse = [order.index(axis) for axis in range(value.rank)]
    show(s, op, value, tuple(value.lengths[a] for a in order), lambda p: tuple(p[k] for k in inverse))


def _integers(arg: Arg) -> tuple[int, ...]:
    if isinstance(arg, Seq):
        items = [i.value if isinstance(i, Lit) else None for i in arg.items]
    elif isinstance(arg, Lit):
        items = list(arg.value) if isinstance(arg.value, tuple) else [arg.value]
    else:
        items = [None]
    if not all(type(i) is int for i in items):
        raise NoForm("axes that are known at run time only")
    return tuple(items)  # type: ignore[arg-type]


@form_of(np.expand_dims)
def _expand(s: Scalarizer, op: Op) -> None:
    value = s.array(op.args[0])
    axes = _integers(op.args[1] if len(op.args) > 1 else op.kwargs["axis"])
    rank = value.rank + len(axes)
    new = {a % rank for a in axes}
    old = [k for k in range(rank) if k not in new]
    lengths: list[Arg] = [Lit(1)] * rank
    for k, n in zip(old, value.lengths, strict=True):
        lengths[k] = n
    show(s, op, value, tuple(lengths), lambda p: tuple(p[k] for k in old))


@form_of(np.squeeze)
def _squeeze(s: Scalarizer, op: Op) -> None:
    value = s.array(op.args[0])
    axis = op.args[1] if len(op.args) > 1 else op.kwargs.get("axis", Lit(None))
    ones = [k for k, n in enumerate(value.lengths) if isinstance(n, Lit) and n.value == 1]
    gone = ones if isinstance(axis, Lit) and axis.value is None else [a % value.rank for a in _integers(axis)]
    if not set(gone) <= set(ones):
        raise NoForm("axes of unknown length")
    kept = [k for k in range(value.rank) if k not in gone]
    _drop(s, op, value, kept)


def _drop(s: Scalarizer, op: Op, value: Value, kept: list[int]) -> None:
    """Leave out axes of length 1."""

    def where(p: Place) -> Place:
        full = [ZERO] * value.rank
        for k, i in zip(kept, p, strict=True):
            full[k] = i
        return tuple(full)

    if not kept:
        raise NoForm("a view without axes")
    show(s, op, value, tuple(value.lengths[k] for k in kept), where)


@form_of(np.broadcast_to)
def _broadcast_to(s: Scalarizer, op: Op) -> None:
    value, type = s.arg(op.args[0]), op.out.type
    shape = s.arg(op.args[1] if len(op.args) > 1 else op.kwargs["shape"])
    if isinstance(shape, Lit) and isinstance(shape.value, tuple):
        shape = Seq(tuple(map(Lit, shape.value)))
    items = shape.items if isinstance(shape, Seq) else (shape,)
    if not isinstance(type, Array) or not type.shape or len(items) != len(type.shape) or len(op.args) > 2:
        raise NoForm("a view of unknown rank")
    lengths = []
    for item, dim in zip(items, type.shape, strict=True):
        known = s.extent(dim)
        lengths.append(s.number(item) if known is None else known)
        require_not_negative(s, lengths[-1])
    if not isinstance(value, Value):
        s.bind(op.out, Filled(type, tuple(lengths), value))
        return
    for n, m in zip(value.lengths, lengths[len(lengths) - value.rank :], strict=True):
        if not (isinstance(n, Lit) and n.value == 1):
            require_equal(s, n, m)
    show(s, op, value, tuple(lengths), lambda p: stretched(value, p))


@form_of(np.lib.stride_tricks.sliding_window_view)
def _windows(s: Scalarizer, op: Op) -> None:
    """Windows of an array: an element of one is where it begins, and so many places on."""
    value, type = s.array(op.args[0]), op.out.type
    options = dict(zip(("window_shape", "axis"), op.args[1:], strict=False)) | op.kwargs
    axis = options.get("axis", Lit(None))
    if not isinstance(type, Array) or type.shape is None or None in type.shape or len(op.args) > 3:
        raise NoForm("windows of lengths that are not told")
    given = range(value.rank) if isinstance(axis, Lit) and axis.value is None else _integers(axis)
    axes = [a % value.rank for a in given]
    if type.ndim != value.rank + len(axes):
        raise NoForm("windows along other axes")
    lengths = []
    for n, dim in enumerate(type.shape):
        known = s.extent(dim)
        if known is None:
            raise NoForm("windows of lengths that are not known")
        if n < value.rank:
            require_at_least(s, known, 1)
        else:
            require_at_least(s, known, 0)  # NumPy raises where one is asked for that is shorter
        lengths.append(known)

    def where(place: Place) -> tuple[Place, ...]:
        within = [[i] for i in place[: value.rank]]
        for a, i in zip(axes, place[value.rank :], strict=True):
            within[a].append(i)
        return tuple(map(tuple, within))

    s.bind(op.out, Sliding(type, tuple(lengths), value, where))


@form_of(helpers.broadcast_like)
def _broadcast_like(s: Scalarizer, op: Op) -> None:
    value, like = s.arg(op.args[0]), s.array(op.args[1])
    if not isinstance(op.out.type, Array):
        raise NoForm("a number")
    if not isinstance(value, Value):
        s.bind(op.out, Filled(op.out.type, like.lengths, value))
        return
    lengths = broadcast(s, [value, like], Array(op.out.type.dtype, op.out.type.shape))
    for n, m in zip(lengths, like.lengths, strict=True):
        require_equal(s, n, m)
    show(s, op, value, like.lengths, lambda p: stretched(value, p))


@form_of(helpers.unbroadcast)
def _unbroadcast(s: Scalarizer, op: Op) -> None:
    value, like = s.arg(op.args[0]), s.arg(op.args[1])
    if isinstance(value, Value) and isinstance(like, Value) and value.rank == like.rank:
        pairs = list(zip(value.lengths, like.lengths, strict=True))
        ones = [isinstance(m, Lit) and m.value == 1 for _, m in pairs]
        if not any(
            one and not (isinstance(n, Lit) and n.value == 1) for one, (n, _) in zip(ones, pairs, strict=True)
        ):
            for n, m in pairs:
                require_equal(s, n, m)
            s.env[op.out] = value
            return
    if not isinstance(value, Value) and not isinstance(like, Value):
        s.env[op.out] = value
        return
    from .reductions import sum_to

    if not isinstance(value, Value):
        raise NoForm("a number as an array")
    sum_to(s, op, value, like)


@form_of(helpers.hollow)
def _hollow(s: Scalarizer, op: Op) -> None:
    value = s.arg(op.args[0])
    if isinstance(value, Value) and isinstance(op.out.type, Array):
        s.env[op.out] = Filled(value.type, value.lengths, Lit(0))
    else:
        s.env[op.out] = value


@form_of(helpers.expand_reduced)
def _expand_reduced(s: Scalarizer, op: Op) -> None:
    value, like = s.arg(op.args[0]), s.arg(op.args[1])
    if not isinstance(value, Value) and not isinstance(like, Value):
        s.env[op.out] = value
        return
    like = s.array(op.args[1])
    keep = op.args[3] if len(op.args) > 3 else op.kwargs.get("keepdims", Lit(False))
    axis = op.args[2] if len(op.args) > 2 else op.kwargs.get("axis", Lit(None))
    if not isinstance(keep, Lit) or not isinstance(op.out.type, Array):
        raise NoForm("an axis that is known at run time only")
    if keep.value and isinstance(value, Value):
        s.env[op.out] = value
        return
    if not isinstance(value, Value):
        s.bind(op.out, Filled(op.out.type, (Lit(1),) * like.rank, value))
        return
    reduced = {a % like.rank for a in _integers(axis)}
    old = [k for k in range(like.rank) if k not in reduced]
    lengths: list[Arg] = [Lit(1)] * like.rank
    for k, n in zip(old, value.lengths, strict=True):
        lengths[k] = n
    show(s, op, value, tuple(lengths), lambda p: tuple(p[k] for k in old))


@form_of(np.outer)
def _outer(s: Scalarizer, op: Op) -> None:
    from .forms import mapped_function

    a, b = s.array(op.args[0]), s.array(op.args[1])
    if a.rank != 1 or b.rank != 1 or not isinstance(op.out.type, Array) or op.kwargs:
        raise NoForm("an outer product of matrices")
    column = Mapped(
        Array(a.type.dtype, (*(a.type.shape or ()), 1)), (a.lengths[0], Lit(1)), a, lambda p: p[:1]
    )
    s.bind(op.out, mapped_function(s, operator.mul, [column, b], op.out.type))
