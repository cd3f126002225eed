"""How does one operation run on tensors? NumPy computes; where gradients are wanted it is recorded.

``apply(op, args, kwargs) -> Any``. What functions and methods of tensors call when they have checked their
arguments; it ends with ``record``. ``unary`` and ``binary`` do the same by a shorter way.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import asarray, ndarray

from ..errors import MissingRuleError
from . import doors
from .checks import numbers_in_arrays, refuse_shapes, require_arrays
from .dtypes import get_default_dtype, result_dtype
from .memory_formats import as_images_lie, row_by_row
from .mutation import check_result as check_result, inplace as inplace
from .node import NO_EDGE, next_number
from .places import is_dense
from .recording import (
    is_active as is_active,
    make_node as make_node,
    needs_grad as needs_grad,
    plain_of as plain_of,
    record as record,
    record_several,
)
from .slices import slices
from .state import restore, silence, state, watch
from .table import Operation as Operation, Plan, nothing as nothing, operation as operation
from .tensor import Tensor
from .views import accumulator, edge_of, make_view

ROUNDING = frozenset([np.round, np.around])

_new = object.__new__


def call(fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any] = nothing) -> Any:
    """Run a registered callable on tensors, recorded as one operation."""
    return apply(operation(fn), args, kwargs)


# ----- the short way of arithmetic


def binary(op: Operation, a: Tensor, b: Any, shown: bool = False) -> Any:
    """``op.fn(a, b)`` where ``b`` is a tensor or a number; ``shown``: a profiler knows already."""
    if watch.profiler is not None and not shown:
        with watch.profiler.operation(op, (a, b)) as span:
            return span.result(binary(op, a, b, True))
    x = a._array
    kind = b.__class__
    if kind is Tensor or isinstance(b, Tensor):
        y = b._array
        dtype = x.dtype
        if (
            y.dtype is not dtype
            and y.dtype != dtype
            or op.inexact
            and dtype.kind in "iub"
            or x.strides != y.strides
            and not x.flags.c_contiguous
        ):
            return promoted(op, a, b)
        flags = a._requires_grad + 2 * b._requires_grad
        plainly = a._view is None and b._view is None
    elif (kind is float or kind is int) and x.dtype.kind == "f":
        y = b
        flags = 1 if a._requires_grad else 0
        plainly = a._view is None
    else:
        return promoted(op, a, b)
    token = silence()
    try:
        out = op.fn(x, y)
    except ValueError as error:
        refuse_shapes(error, (x, y))
    finally:
        restore(token)
    if not state.grad or (plainly and not flags):
        return a._face._of(out)
    t = _new(a._face)
    t._array = out = out if out.__class__ is ndarray else asarray(out)
    t._version_counter = [0]
    plan = op.short[flags] if plainly and state.ordinary and not watch.anomaly else None
    if plan is None or out.dtype.kind != "f":
        record(op, (a, b), (x, y), t, out)
        if plainly and flags and out.dtype.kind == "f":
            op.remember(flags)
    elif not _short_node(op, plan, flags, t, a, b, out, x, y):
        record(op, (a, b), (x, y), t, out)
    return t


def _short_node(
    op: Operation, plan: Plan, flags: int, t: Tensor, a: Tensor, b: Any, out: Any, x: Any, y: Any
) -> bool:
    """Give ``t = op.fn(a, b)`` its node in the fewest steps; False if there is more to it.

    ``flags``: 1 if ``a`` has a gradient, 2 if ``b``, 3 if both.
    """
    node = op.node()
    if not plan.save_two(node, t, a, b, out, x, y):
        return False
    node.slice = plan
    node._meta = out.shape, out.dtype
    if flags == 3:
        node._live = node._edges = (
            (a._node, a._nr) if a._node is not None else (accumulator(a), 0),
            (b._node, b._nr) if b._node is not None else (accumulator(b), 0),
        )
    elif flags == 1:
        live = ((a._node, a._nr) if a._node is not None else (accumulator(a), 0),)
        node._live, node._edges = live, (*live, NO_EDGE) if op.scalars or y is not b else live
    else:
        live = ((b._node, b._nr) if b._node is not None else (accumulator(b), 0),)
        node._live, node._edges = live, (NO_EDGE, *live)
    node._number = next_number()  # after those of new leaves
    t._node, t._requires_grad = node, True
    return True


def unary(op: Operation, a: Tensor, shown: bool = False) -> Any:
    """``op.fn(a)``; of integers in the default floating-point type where ``op.inexact``."""
    if watch.profiler is not None and not shown:
        with watch.profiler.operation(op, (a,)) as span:
            return span.result(unary(op, a, True))
    x = a._array
    if op.inexact and x.dtype.kind in "iub":
        x = x.astype(state.rules or get_default_dtype().dtype)
    token = silence()
    try:
        out = op.fn(x)
    finally:
        restore(token)
    if not state.grad or not a._requires_grad and a._view is None:
        return a._face._of(out)
    t = _new(a._face)
    t._array = out = out if out.__class__ is ndarray else asarray(out)
    t._version_counter = [0]
    plan = op.short[1] if a._view is None and state.ordinary and not watch.anomaly else None
    if plan is None or out.dtype.kind != "f" or x.dtype.kind != "f":
        node = record(op, (a,), (x,), t, out)
        if node is not None and a._view is None and out.dtype.kind == x.dtype.kind == "f":
            op.remember(1, 1)
        return t
    node = op.node()
    if not plan.save_one(node, t._version_counter, a, out, x):
        record(op, (a,), (x,), t, out)
        return t
    node.slice = plan
    node._meta = out.shape, out.dtype
    node._live = node._edges = ((a._node, a._nr) if a._node is not None else (accumulator(a), 0),)
    node._number = next_number()
    t._node, t._requires_grad = node, True
    return t


def promoted(op: Operation, *args: Any) -> Any:
    """An elementwise operation on operands of several types, in the type that PyTorch chooses."""
    plain = [a._array if isinstance(a, Tensor) else a for a in args]
    dtype = result_dtype(*plain)
    if op.inexact and dtype.kind in "iub":
        dtype = state.rules or get_default_dtype().dtype
    elif state.rules is not None and dtype.kind in "fc" and all(map(_counts, plain)):
        dtype = state.rules if dtype.kind == "f" else np.result_type(state.rules, np.complex64)
    cast = [p.astype(dtype, copy=False) if isinstance(p, np.ndarray) else dtype.type(p) for p in plain]
    token = silence()
    try:
        out = op.fn(*cast)
    except ValueError as error:
        refuse_shapes(error, cast)
    finally:
        restore(token)
    t = Tensor._of(_like_first(np.asarray(out), cast))
    if state.grad and any(isinstance(a, Tensor) and needs_grad(a) for a in args):
        record(op, args, cast, t, t._array)
    return t


def _counts(p: Any) -> bool:
    """Whether an operand does not say in which floating-point type to compute."""
    return not isinstance(p, np.ndarray) or p.dtype.kind in "biu"


def _like_first(out: np.ndarray, operands: Sequence[Any]) -> np.ndarray:
    """A result in the order in memory of the first operand of its shape, as PyTorch lays it out."""
    first = next((p for p in operands if np.shape(p) == out.shape), out)
    if not isinstance(first, np.ndarray) or first.flags.c_contiguous or not is_dense(first):
        return out
    laid = np.empty_like(first, out.dtype)
    if laid.strides == out.strides:
        return out
    laid[...] = out
    return laid


# ----- the general way


def apply(op: Operation, args: Sequence[Any], kwargs: dict[str, Any] = nothing) -> Any:
    """Run an operation on tensors, lists of tensors and anything else; the result holds tensors."""
    if watch.profiler is not None:
        with watch.profiler.operation(op, args) as span:
            return span.result(_apply(op, args, kwargs))
    return _apply(op, args, kwargs)


def either(in_place: bool, op: Operation, t: Tensor, *args: Any, **kwargs: Any) -> Any:
    """``op`` of a tensor, in place or not."""
    return inplace(op, t, *args, **kwargs) if in_place else apply(op, (t, *args), kwargs)


def _apply(op: Operation, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    if state.tracing:
        require_arrays(args)
        require_arrays(kwargs.values())
        args = numbers_in_arrays(args)
    active = tuple([is_active(a) for a in args]) if state.grad else ()
    recorded = state.grad and True in active
    if recorded and op.composite:
        return composite(op, args, kwargs)
    if kwargs:
        kwargs = {k: _option(op, k, v) for k, v in kwargs.items()}
    plain = [plain_of(a) for a in args]
    tracing, state.tracing = state.tracing, 0
    token = None if tracing else silence()  # NumPy reports to a traced function as it does to a plain one
    try:
        out = op.fn(*plain, **kwargs)
    finally:
        if token is not None:
            restore(token)
        state.tracing = tracing
    if op.images and not state.safe:
        out = as_images_lie(out, plain)
    elif op.rows and not state.safe:
        out = row_by_row(out)
    found = wrapped(out, face_of(args))
    if state.safe:
        _alias(op, args, plain, kwargs, out, found)
    if isinstance(found, Tensor):
        first = args[0] if args else None
        if op.view and found._view is None and isinstance(first, Tensor) and _shares(out, plain[0]):
            fn = functools.partial(op.fn, **kwargs) if kwargs else op.fn
            make_view(found, first, (fn, tuple(plain[1:])))
            found._inference = first._inference
        if recorded and found._array.dtype.kind in "fc":
            if not op.constant:
                record(op, args, plain, found, found._array, kwargs, active)
            elif op.fn in ROUNDING:
                state.rounded = True
    elif recorded and isinstance(found, (tuple, list)) and not op.constant:
        record_several(op, args, plain, found, out, kwargs, active)
    elif recorded and not op.constant and not _discrete(found):
        raise MissingRuleError(
            f"the derivative of `{getattr(op.fn, '__qualname__', op.fn)}`",
            why=f"its result is a {type(found).__name__}, which can't be recorded",
            fix="detach() the tensor, or write an autograd.Function",
        )
    return found


def _alias(op: Operation, args: Any, plain: Any, kwargs: Any, out: Any, found: Any) -> None:
    """Make views of results that look into an argument, as NumPy code may write to them."""
    many = issubclass(type(found), (tuple, list))  # a traced array would be asked for its class, twice
    for nr, t in enumerate(found if many else (found,)):
        if not isinstance(t, Tensor) or t._array.base is None:
            continue
        places = [i for i, a in enumerate(args) if isinstance(a, Tensor) and _shares(t._array, plain[i])]
        part = nr if many else None
        if len(places) > 1:  # the arguments share memory with each other
            places = [i for i in places if _looks_into(op.fn, i, part, kwargs, plain)]
        if places:
            place = places[0]
            step = functools.partial(_part, op.fn, place, part, kwargs)
            make_view(t, args[place], (step, (*plain[:place], *plain[place + 1 :])))


def _looks_into(fn: Any, place: int, nr: int | None, kwargs: Any, plain: Any) -> bool:
    """Whether a result still shares memory with the argument at ``place`` where the others are copies."""
    others = [np.copy(a) if isinstance(a, ndarray) else a for a in (*plain[:place], *plain[place + 1 :])]
    tracing, state.tracing = state.tracing, 0
    token = silence()
    try:
        return _shares(_part(fn, place, nr, kwargs, plain[place], *others), plain[place])
    finally:
        restore(token)
        state.tracing = tracing


def _part(fn: Any, place: int, nr: int | None, kwargs: Any, x: Any, *others: Any) -> Any:
    """``fn`` as a function of its argument at ``place``, and one of its results."""
    out = fn(*others[:place], x, *others[place:], **kwargs)
    return out if nr is None else out[nr]


def composite(op: Operation, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Run an operation whose derivative is that of an equivalent program."""
    slices.check_call(op.primitive, len(args), tuple(kwargs))
    program = slices.on_tensors(op.primitive.rule)  # type: ignore[union-attr, arg-type]
    return _as_computed(op, program, args, kwargs) if state.safe else program(*args, **kwargs)


def _as_computed(op: Operation, program: Any, args: Any, kwargs: Any) -> Any:
    """The history is that of an equivalent program; the values and the memory are those of the function."""
    plain = [plain_of(a) for a in args]
    options = {k: plain_of(v) for k, v in kwargs.items()}
    tracing, state.tracing = state.tracing, 0
    try:
        out = op.fn(*plain, **options)
    finally:
        state.tracing = tracing
    token = silence()
    try:
        found = program(*args, **kwargs)
    finally:
        restore(token)
    face = face_of([*args, *kwargs.values()])
    settled = _settled(found, out, face)
    _alias(op, args, plain, options, out, settled)
    return settled


def _settled(found: Any, out: Any, face: Any) -> Any:
    """``out``, with the histories of ``found``."""
    if isinstance(found, (tuple, list)) and isinstance(out, (tuple, list)) and len(found) == len(out):
        items = [_settled(t, o, face) for t, o in zip(found, out, strict=True)]
        return type(out)(*items) if hasattr(out, "_fields") else type(out)(items)
    if not isinstance(found, Tensor) or found._array.shape != np.shape(out):
        return found
    t = wrapped(out, face)
    if isinstance(t, Tensor) and t._array.dtype == found._array.dtype and needs_grad(found):
        t._node, t._nr = edge_of(found)
        t._requires_grad = True
        return t
    return found


def _discrete(found: Any) -> bool:
    """Whether a result has no derivative; an array of objects might."""
    if isinstance(found, np.ndarray):
        return found.dtype.kind != "O"
    return isinstance(found, (np.generic, bool, int, str))


def _option(op: Operation, name: str, value: Any) -> Any:
    """A keyword argument: it has no gradient, or its own would silently be lost."""
    if is_active(value):
        raise MissingRuleError(
            f"a tensor as {name}= of `{getattr(op.fn, '__name__', op.fn)}`",
            why="its derivative with respect to this argument is not known",
            fix="pass it by position, or detach() it",
        )
    return plain_of(value)


def face_of(args: Sequence[Any]) -> Any:
    """The class of results: that of the first tensor among the arguments."""
    for a in args:
        if isinstance(a, Tensor):
            return a._face
        if isinstance(a, (list, tuple)):
            face = face_of(a)
            if face is not Tensor:
                return face
    return Tensor


def wrapped(out: Any, face: Any) -> Any:
    if isinstance(out, (np.ndarray, np.generic)):
        return face._of(out)
    if isinstance(out, (float, complex)):  # of a function of Python's math
        return face._of_number(out)
    if isinstance(out, tuple):
        items = [wrapped(item, face) for item in out]
        return type(out)(*items) if hasattr(out, "_fields") else tuple(items)
    if isinstance(out, list):
        return [wrapped(item, face) for item in out]
    return out


def _shares(out: Any, x: Any) -> bool:
    return isinstance(out, np.ndarray) and isinstance(x, np.ndarray) and np.may_share_memory(out, x)


doors.call = call
