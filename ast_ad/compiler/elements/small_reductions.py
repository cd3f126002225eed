"""What are sums, products of matrices and other reductions of small arrays, written out?

Sums go from left to right.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..ir.ops import Arg, Lit, Op
from .small_elements import (
    Elements,
    ElementWriter,
    NoForm,
    blank,
    cast,
    dtype_of_result,
    known,
    map_elements,
    one,
    stand_in,
)


# ----- reductions -----
def arguments(op: Op, names: Sequence[str]) -> dict[str, Arg]:
    """The arguments of a call by name."""
    if len(op.args) > len(names) or not set(op.kwargs) <= {*names, "keepdims"}:
        raise NoForm
    return {**dict(zip(names, op.args, strict=False)), **op.kwargs}


def groups(elements: Elements, axis: Any, keepdims: bool) -> Elements:
    """The elements that a reduction takes together, as lists; the shape is the result's."""
    axes = tuple(range(elements.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(a % elements.ndim for a in axes)
    rest = [i for i in range(elements.ndim) if i not in axes]
    rows = np.transpose(elements, (*rest, *axes)).reshape(*(elements.shape[i] for i in rest), -1)
    out = blank(rows.shape[:-1])
    for place in np.ndindex(out.shape):
        out[place] = list(rows[place])
    if keepdims:
        out = out.reshape([1 if i in axes else n for i, n in enumerate(elements.shape)])
    return out


def fold(w: ElementWriter, fn: Callable[..., Any], items: Iterable[Arg], want: np.dtype) -> Arg:
    first, *rest = items
    for item in rest:
        first = w.op(fn, (first, item), (want, want), want)
    return first


def reduction(fn: Callable[..., Any]) -> Callable[[ElementWriter, Op], Elements]:
    def form(w: ElementWriter, op: Op) -> Elements:
        given = arguments(op, ("a", "axis", "dtype"))
        want = dtype_of_result(op)
        elements = cast(w, given["a"], want)
        if not elements.ndim:
            raise NoForm
        rows = groups(elements, known(given.get("axis")), bool(known(given.get("keepdims"), False)))
        return map_elements(lambda items: fold(w, fn, items, want), rows)

    return form


def mean(w: ElementWriter, op: Op) -> Elements:
    given = arguments(op, ("a", "axis", "dtype"))
    want = dtype_of_result(op)
    elements = cast(w, given["a"], want)
    if not elements.ndim:
        raise NoForm
    rows = groups(elements, known(given.get("axis")), bool(known(given.get("keepdims"), False)))

    def form(items: Any) -> Arg:
        total = fold(w, operator.add, items, want)
        return w.op(operator.truediv, (total, Lit(len(items))), (want, None), want)

    return map_elements(form, rows)


def cumulative(fn: Callable[..., Any]) -> Callable[[ElementWriter, Op], Elements]:
    def form(w: ElementWriter, op: Op) -> Elements:
        given = arguments(op, ("a", "axis", "dtype"))
        want, axis = dtype_of_result(op), known(given.get("axis"))
        elements = np.array(cast(w, given["a"], want))
        if axis is None:
            elements, axis = elements.ravel(), 0
        rows = np.moveaxis(elements, axis, 0)  # a view
        for i in range(1, len(rows)):
            pair = rows[i - 1, ...], rows[i, ...]
            rows[i, ...] = map_elements(lambda a, b: w.op(fn, (a, b), (want, want), want), *pair)
        return elements

    return form


def unbroadcast(w: ElementWriter, op: Op) -> Elements:
    g, have = w.data(op.args[0])
    shape = np.shape(stand_in(op.args[1]))
    if g.shape == shape:
        return g
    want = dtype_of_result(op)
    extra = g.ndim - len(shape)
    axes = (*range(extra), *(extra + i for i, n in enumerate(shape) if n == 1 and g.shape[extra + i] != 1))
    rows = groups(map_elements(lambda e: w.convert(e, have, want), g), axes, False)
    return map_elements(lambda items: fold(w, operator.add, items, want), rows.reshape(shape))


# ----- products -----
def product(w: ElementWriter, a: Elements, b: Elements, have: tuple[Any, Any], want: np.dtype) -> Elements:
    """``a @ b`` of elements."""
    left, right = (a[None] if a.ndim == 1 else a), (b[:, None] if b.ndim == 1 else b)
    if left.shape[-1] != right.shape[-2] or want.kind == "b":
        raise NoForm
    stack = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left = np.broadcast_to(left, stack + left.shape[-2:])
    right = np.broadcast_to(right, stack + right.shape[-2:])
    out = np.empty((*stack, left.shape[-2], right.shape[-1]), object)
    for *s, i, j in np.ndindex(out.shape):
        pairs = zip(left[(*s, i)], right[(*s, slice(None), j)], strict=True)
        out[(*s, i, j)] = fold(w, operator.add, (w.op(operator.mul, p, have, want) for p in pairs), want)
    out = out[..., 0, :] if a.ndim == 1 else out
    return out[..., 0] if b.ndim == 1 else out


def matmul(w: ElementWriter, op: Op) -> Elements:
    if op.kwargs or len(op.args) != 2:
        raise NoForm
    (a, a_dtype), (b, b_dtype) = map(w.data, op.args)
    if not (a.ndim and b.ndim) or op.fn is np.dot and max(a.ndim, b.ndim) > 2:
        raise NoForm
    if op.fn is np.inner:
        if max(a.ndim, b.ndim) > 2:
            raise NoForm
        b = b.T
    return product(w, a, b, (a_dtype, b_dtype), dtype_of_result(op))


def vdot(w: ElementWriter, op: Op) -> Elements:
    (a, a_dtype), (b, b_dtype) = map(w.data, op.args)
    if a_dtype is not None and a_dtype.kind == "c":
        a = map_elements(lambda e: w.op(np.conj, (e,), (a_dtype,), a_dtype), a)
    return product(w, a.ravel(), b.ravel(), (a_dtype, b_dtype), dtype_of_result(op))


def outer(w: ElementWriter, op: Op) -> Elements:
    if op.kwargs or len(op.args) != 2:
        raise NoForm
    (a, a_dtype), (b, b_dtype) = map(w.data, op.args)
    want = dtype_of_result(op)
    pair = a_dtype, b_dtype
    return map_elements(
        lambda x, y: w.op(operator.mul, (x, y), pair, want), a.reshape(-1, 1), b.reshape(1, -1)
    )


def cross(w: ElementWriter, op: Op) -> Elements:
    if op.kwargs or len(op.args) != 2:
        raise NoForm
    (a, a_dtype), (b, b_dtype) = map(w.data, op.args)
    want = dtype_of_result(op)
    if not (a.ndim and b.ndim and a.shape[-1] == b.shape[-1] == 3):
        raise NoForm

    def times(i: int, j: int) -> Elements:
        pair = a_dtype, b_dtype
        return map_elements(lambda x, y: w.op(operator.mul, (x, y), pair, want), a[..., i], b[..., j])

    def minus(x: Elements, y: Elements) -> Elements:
        return map_elements(lambda p, q: w.op(operator.sub, (p, q), (want, want), want), x, y)

    return np.stack([minus(times(1, 2), times(2, 1)), minus(times(2, 0), times(0, 2)),
                     minus(times(0, 1), times(1, 0))], axis=-1)  # fmt: skip


def trace(w: ElementWriter, op: Op) -> Elements:
    want = dtype_of_result(op)
    elements = cast(w, op.args[0], want)
    if len(op.args) != 1 or op.kwargs or elements.ndim != 2:
        raise NoForm
    return one(fold(w, operator.add, list(np.diagonal(elements)), want))


def norm(w: ElementWriter, op: Op) -> Elements:
    """The length of a vector."""
    elements, have = w.data(op.args[0])
    want = dtype_of_result(op)
    if len(op.args) != 1 or op.kwargs or have != want or want.kind != "f":
        raise NoForm
    squares = [w.op(operator.mul, (e, e), (have, have), want) for e in elements.flat]
    return one(w.op(np.sqrt, (fold(w, operator.add, squares, want),), (want,), want))
