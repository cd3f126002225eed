"""How does one operation run on tensors? NumPy computes the value; a node keeps what the rule will read."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import rules  # noqa: F401  (fills the registry)
from ..errors import MissingRuleError
from ..rules.helpers import hollow
from ..rules.registry import lookup
from . import slices
from .dtypes import get_default_dtype, result_dtype
from .node import NO_EDGE, next_number, node_class
from .saved import INFERENCE_SAVED, SavedValue
from .state import restore, silence, state, watch
from .tensor import Tensor
from .views import accumulator, check_inference, check_inplace, edge_of, make_view, rebase

SMALL = 64  # elements: a stand-in for what is read for its shape only would take more room
nothing: dict[str, Any] = {}


@dataclass(slots=True, eq=False)
class Plan:
    """A slice of a rule, for one choice of active arguments. ``keeps``: whether it reads any value."""

    run: Callable[..., Any]
    run_tensors: Callable[..., Any]
    reads_ans: str
    reads: tuple[str, ...]
    keeps: bool

    def save(self, node: Any, a: Any, b: Any, x: Any, y: Any, out: Any, t: Any) -> None:
        """Keep what the slice reads of ``out = fn(x, y)``: the short way of ``_save``."""
        if not self.keeps:
            node.values = (None, shape_of(x) if self.reads[0] else None, shape_of(y) if self.reads[1] else None)
            return
        first, second = self.reads
        node.frees = True
        checks = []
        if self.reads_ans == "value":
            checks.append((0, t._version_counter, 0))
        if first == "value":
            if a._inference:
                raise RuntimeError(INFERENCE_SAVED)
            checks.append((1, a._version_counter, a._version_counter[0]))
        elif first:
            x = shape_of(x)
        if second == "value":
            if y is not b:
                if b._inference:
                    raise RuntimeError(INFERENCE_SAVED)
                checks.append((2, b._version_counter, b._version_counter[0]))
        elif second:
            y = shape_of(y)
        node.values = (
            out if self.reads_ans == "value" else shape_of(out) if self.reads_ans else None,
            x if first else None,
            y if second else None,
        )
        node.owners = (None, a if first == "value" else None, b if second == "value" and y is not b else None)
        node.checks = checks
        node.wrap = _saved_result


_named: dict[Callable[..., Any], Operation] = {}  # the first that the tensor interface made of a callable


class Operation:
    """A primitive as the eager mode runs it.

    ``name``: of its nodes, as in 'Mul' of MulBackward0. ``saved``: the names of its arguments among the node's
    ``_saved_`` attributes. ``inexact``: integers are computed in the default floating-point type. ``scalars``:
    a number among its arguments counts as a tensor, with an edge that leads nowhere. ``rule``: instead of the
    registered one.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        name: str = "",
        saved: Sequence[str] = ("self", "other"),
        inexact: bool = False,
        scalars: bool = False,
        rule: Callable[..., Any] | None = None,
    ) -> None:
        self.fn, self.saved, self.inexact, self.scalars = fn, tuple(saved), inexact, scalars
        self.primitive = lookup(fn)
        if rule is not None and self.primitive is not None:
            self.primitive = replace(self.primitive, rule=rule)
        self.name = name or backward_name(fn)
        self.node = type(self.name, (node_class(self.name),), {"operation": self, "__module__": "torch.autograd"})
        self.plans: dict[Any, Plan | None] = {}
        self.short: list[Plan | None] = [None] * 4
        self.aten = self.name.partition("Backward")[0].lower()
        if name:
            _named.setdefault(fn, self)

    def remember(self, flags: int) -> None:
        """Let the short way of arithmetic take this choice of active operands from now on."""
        if not state.safe:
            self.short[flags] = self.plan((flags & 1 > 0, flags & 2 > 0), (), False, False)

    def plan(self, active: tuple[bool, ...], keywords: tuple[str, ...], complex_: bool, safe: bool) -> Plan:
        key = active, keywords, complex_, safe
        found = self.plans.get(key)
        if found is None:
            if self.primitive is None:
                raise MissingRuleError(
                    f"the derivative of `{getattr(self.fn, '__qualname__', self.fn)}`",
                    why="there is no rule for it, and it was called with a tensor that requires grad",
                    fix="detach() the tensor, or write an autograd.Function",
                )
            cut = slices.slice_rule(self.primitive, active, keywords, complex_, safe)
            assert cut is not None
            keeps = cut.reads_ans == "value" or "value" in cut.reads
            found = Plan(cut.run, cut.run_tensors, cut.reads_ans, cut.reads, keeps)
            self.plans[key] = found
        return found


def backward_name(fn: Callable[..., Any]) -> str:
    """The name of the nodes of a NumPy function: 'LogaddexpBackward0' for np.logaddexp."""
    words = getattr(fn, "__name__", "function").strip("_").split("_")
    return "".join(word[:1].upper() + word[1:] for word in words) + "Backward0"


@functools.cache
def operation(fn: Callable[..., Any]) -> Operation:
    """The operation of a callable: that of the tensor interface, if it has one."""
    return _named.get(fn) or Operation(fn)


def call(fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any] = nothing) -> Any:
    """Run a registered callable on tensors, recorded as one operation."""
    return apply(operation(fn), args, kwargs)


def needs_grad(a: Tensor) -> bool:
    """Whether a tensor requires grad, a view by now."""
    return a._requires_grad if a._view is None else a.requires_grad


# ----- the short way of arithmetic


def binary(op: Operation, a: Tensor, b: Any) -> Any:
    """``op.fn(a, b)`` where ``b`` is a tensor or a number."""
    if watch.profiler is not None:
        with watch.profiler.operation(op, (a, b)):
            return _binary(op, a, b)
    return _binary(op, a, b)


def _binary(op: Operation, a: Tensor, b: Any) -> Any:
    x = a._array
    kind = b.__class__
    if kind is Tensor or isinstance(b, Tensor):
        y = b._array
        dtype = x.dtype
        if y.dtype is not dtype and y.dtype != dtype or op.inexact and dtype.kind in "iub":
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
    out = op.fn(x, y)
    restore(token)
    t = Tensor._of(out)
    if not state.grad or (plainly and not flags):
        return t
    plan = op.short[flags] if plainly and state.ordinary and not watch.anomaly else None
    if plan is None or (out := t._array).dtype.kind != "f":
        record(op, (a, b), (x, y), t, out)
        if plainly and flags and t._array.dtype.kind == "f":
            op.remember(flags)
        return t
    node = op.node()
    node.slice = plan
    node._meta = out.shape, out.dtype
    if flags == 1:
        live = ((a._node, a._nr) if a._node is not None else (accumulator(a), 0),)
        node._live, node._edges = live, (*live, NO_EDGE) if op.scalars or y is not b else live
    elif flags == 3:
        node._live = node._edges = (
            (a._node, a._nr) if a._node is not None else (accumulator(a), 0),
            (b._node, b._nr) if b._node is not None else (accumulator(b), 0),
        )
    else:
        live = ((b._node, b._nr) if b._node is not None else (accumulator(b), 0),)
        node._live, node._edges = live, (NO_EDGE, *live)
    node._number = next_number()  # after those of new leaves
    plan.save(node, a, b, x, y, out, t)
    t._node, t._requires_grad = node, True
    return t


def unary(op: Operation, a: Tensor) -> Any:
    """``op.fn(a)``; of integers in the default floating-point type where ``op.inexact``."""
    x = a._array
    if op.inexact and x.dtype.kind in "iub":
        x = x.astype(get_default_dtype().dtype)
    if watch.profiler is not None:
        with watch.profiler.operation(op, (a,)):
            return _unary(op, a, x)
    return _unary(op, a, x)


def _unary(op: Operation, a: Tensor, x: np.ndarray) -> Any:
    token = silence()
    out = op.fn(x)
    restore(token)
    t = Tensor._of(out)
    if (a._requires_grad or a._view is not None) and state.grad:
        record(op, (a,), (x,), t, out)
    return t


def promoted(op: Operation, *args: Any) -> Any:
    """An elementwise operation on operands of several types, in the type that PyTorch chooses."""
    plain = [a._array if isinstance(a, Tensor) else a for a in args]
    dtype = result_dtype(*plain)
    if op.inexact and dtype.kind in "iub":
        dtype = get_default_dtype().dtype
    cast = [p.astype(dtype, copy=False) if isinstance(p, np.ndarray) else dtype.type(p) for p in plain]
    token = silence()
    out = op.fn(*cast)
    restore(token)
    t = Tensor._of(out)
    if state.grad and any(isinstance(a, Tensor) and needs_grad(a) for a in args):
        record(op, args, cast, t, out)
    return t


# ----- the general way


def apply(op: Operation, args: Sequence[Any], kwargs: dict[str, Any] = nothing, name: str = "") -> Any:
    """Run an operation on tensors, lists of tensors and anything else; the result holds tensors."""
    if watch.profiler is not None:
        with watch.profiler.operation(op, args):
            return _apply(op, args, kwargs)
    return _apply(op, args, kwargs)


def _apply(op: Operation, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    active = tuple([_active(a) for a in args])
    primitive = op.primitive
    recorded = state.grad and any(active)
    if recorded and primitive is not None and primitive.kind == "composite":
        return slices.on_tensors(primitive.rule)(*args, **kwargs)
    plain = [_plain(a) for a in args]
    token = silence()
    try:
        out = op.fn(*plain, **kwargs)
    finally:
        restore(token)
    found = _wrapped(out, face_of(args))
    if isinstance(found, Tensor):
        first = args[0] if args else None
        if primitive is not None and primitive.view and isinstance(first, Tensor) and _shares(out, plain[0]):
            fn = functools.partial(op.fn, **kwargs) if kwargs else op.fn
            make_view(found, first, (fn, tuple(plain[1:])))
            found._inference = first._inference
        if recorded and found._array.dtype.kind in "fc" and not _constant(op):
            record(op, args, plain, found, found._array, kwargs, active)
    elif recorded and isinstance(found, (tuple, list)) and not _constant(op):
        record_several(op, args, plain, found, out, kwargs, active)
    elif recorded and not isinstance(found, (Tensor, np.ndarray, np.generic, bool, int, str)) and not _constant(op):
        raise MissingRuleError(
            f"the derivative of `{getattr(op.fn, '__qualname__', op.fn)}`",
            why=f"its result is a {type(found).__name__}, which can't be recorded",
            fix="detach() the tensor, or write an autograd.Function",
        )
    return found


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


def _constant(op: Operation) -> bool:
    return op.primitive is not None and op.primitive.kind == "nondifferentiable"


def _active(a: Any) -> bool:
    if isinstance(a, Tensor):
        return needs_grad(a) and a._array.dtype.kind in "fc"
    return isinstance(a, (list, tuple)) and any(_active(item) for item in a)


def _plain(a: Any) -> Any:
    """An argument without tensors: their arrays, also within lists, tuples and slices."""
    if isinstance(a, Tensor):
        return a._array
    if isinstance(a, (list, tuple)) and not hasattr(a, "_fields"):
        return type(a)(_plain(item) for item in a) if a else a
    if isinstance(a, slice):
        return slice(*(_index(part) for part in (a.start, a.stop, a.step)))
    return a


def _index(part: Any) -> Any:
    return int(part._array) if isinstance(part, Tensor) else part


def _wrapped(out: Any, face: Any) -> Any:
    if isinstance(out, (np.ndarray, np.generic)):
        return face._of(out)
    if isinstance(out, (float, complex)):  # of a function of Python's math
        return face._of(np.result_type(out).type(out))
    if isinstance(out, tuple):
        items = [_wrapped(item, face) for item in out]
        return type(out)(*items) if hasattr(out, "_fields") else tuple(items)
    if isinstance(out, list):
        return [_wrapped(item, face) for item in out]
    return out


def _shares(out: Any, x: Any) -> bool:
    return isinstance(out, np.ndarray) and isinstance(x, np.ndarray) and np.may_share_memory(out, x)


# ----- recording


def record(
    op: Operation,
    args: Sequence[Any],
    plain: Sequence[Any],
    t: Tensor,
    out: Any,
    kwargs: dict[str, Any] = nothing,
    active: tuple[bool, ...] | None = None,
) -> Any:
    """Give ``t = op.fn(*args)`` its node, if an argument requires grad."""
    node = make_node(op, args, plain, t._array, kwargs, active, t._version_counter)
    if node is not None:
        t._node, t._requires_grad = node, True
    return node


def make_node(
    op: Operation,
    args: Sequence[Any],
    plain: Sequence[Any],
    out: np.ndarray,
    kwargs: dict[str, Any],
    active: tuple[bool, ...] | None,
    counter: Any,
    pack: bool = True,
) -> Any:
    """The node of a call, or None if no argument has a gradient."""
    edges = []
    live = []
    nested = False
    if active is None:
        active = tuple([isinstance(a, Tensor) and needs_grad(a) for a in args])
    if True not in active:
        return None
    combining = op.primitive is not None and op.primitive.kind == "elementwise"
    for a, on in zip(args, active, strict=True):
        if isinstance(a, Tensor):
            edge = edge_of(a)
            if edge[0] is None and a._array.dtype.kind in "biu" and not combining:
                continue  # a mask or an index
            edges.append(edge)
            if on:
                live.append(edge)
        elif on:
            nested = True
            for item in a:
                edge = edge_of(item) if isinstance(item, Tensor) else (None, 0)
                edges.append(edge)
                if edge[0] is not None:
                    live.append(edge)
        elif op.scalars and isinstance(a, (float, int, complex)):
            edges.append(NO_EDGE)
    plan = op.plan(active, tuple(kwargs), out.dtype.kind == "c" or _any_complex(plain), state.safe)
    node = op.node()
    node._number = next_number()
    node.slice = plan
    node._edges, node._live = tuple(edges), tuple(live)
    node._meta = out.shape, out.dtype
    node.options = kwargs
    if nested:
        node.layout = _layout(args, active)
    _save(op, node, plan, args, plain, out, counter)
    if pack and state.pack is not None:
        _pack(node)
    if watch.anomaly:
        from ..autograd.anomaly_mode import remember

        remember(node)
    return node


def _any_complex(plain: Sequence[Any]) -> bool:
    for p in plain:
        if p.__class__ is np.ndarray:
            if p.dtype.kind == "c":
                return True
        elif p.__class__ is complex:
            return True
        elif p.__class__ in (list, tuple) and _any_complex(p):
            return True
    return False


def _layout(args: Sequence[Any], active: tuple[bool, ...]) -> list[Any]:
    """For each active argument None, or which items of a list of tensors have a gradient."""
    return [
        None if isinstance(a, Tensor) else [i for i, item in enumerate(a) if _active(item)]
        for a, on in zip(args, active, strict=True)
        if on
    ]


def _save(op: Operation, node: Any, plan: Plan, args: Sequence[Any], plain: Sequence[Any], out: Any, counter: Any) -> None:
    """Keep what the slice reads: values with their versions, of the rest a shape or nothing."""
    if state.safe:  # what NumPy code reads now must not change when it writes later
        args = [_snapshot(a, kind) for a, kind in zip(args, plan.reads, strict=False)]
        plain = [_plain(a) for a in args]
        out, counter = out.copy() if plan.reads_ans == "value" else out, None
    values: list[Any] = [None]
    owners: list[Any] = [None]
    checks = []
    kind = plan.reads_ans
    node.frees = kind == "value"
    if kind == "value":
        values[0] = out
        if counter is not None:
            checks.append((0, counter, counter[0]))
    elif kind:
        values[0] = shape_of(out)
    i = 0
    for kind, a, p in zip(plan.reads, args, plain, strict=False):
        i += 1
        if kind == "value":
            values.append(p)
            node.frees = node.frees or op.scalars or _holds_array(p)
            if isinstance(a, Tensor):
                if a._inference:
                    raise RuntimeError(INFERENCE_SAVED)
                owners.append(a)
                counter = a._version_counter
                checks.append((i, counter, counter[0]))
                continue
            if a.__class__ in (list, tuple):
                owners.append(a if _active(a) else None)
                continue
        else:
            values.append(shape_of(p) if kind else None)
        owners.append(None)
    node.values, node.owners, node.checks = values, owners, checks
    node.wrap = _saved_result


def _holds_array(p: Any) -> bool:
    return p.__class__ is np.ndarray or p.__class__ in (tuple, list) and any(map(_holds_array, p))


def _snapshot(a: Any, kind: str) -> Any:
    """An argument whose value is saved, as it is now."""
    if kind != "value":
        return a
    if isinstance(a, Tensor):
        return _twin(a, a._array.copy())
    if isinstance(a, (list, tuple)) and not hasattr(a, "_fields"):
        return type(a)([_snapshot(item, kind) for item in a])
    return a.copy() if type(a) is np.ndarray else a


def shape_of(p: Any) -> Any:
    """What stands in for an argument of which only the shape is read."""
    if p.__class__ is np.ndarray:
        return p if p.size <= SMALL else hollow(p)
    if p.__class__ in (list, tuple):
        return type(p)([shape_of(item) for item in p])
    return p


def _pack(node: Any) -> None:
    """Let the innermost pair of hooks pack every saved tensor."""
    values = list(node.values)
    for i, _, _ in node.checks:
        tensor = node.owners[i] if i else _saved_result(values[0], node, 0, None)
        if isinstance(tensor, Tensor):
            values[i] = SavedValue(tensor, state.pack, node)
            node.owners[i] = None
    node.values, node.packed, node.checks = values, True, []


def _saved_result(array: np.ndarray, node: Any, nr: int, counter: Any) -> Tensor:
    t = Tensor._of(array)
    t._node, t._nr, t._requires_grad = node, nr, True
    if counter is not None:
        t._version_counter = counter
    return t


def record_several(
    op: Operation,
    args: Sequence[Any],
    plain: Sequence[Any],
    found: Any,
    out: Any,
    kwargs: dict[str, Any],
    active: tuple[bool, ...],
) -> None:
    """Give several results one node."""
    arrays = [t._array if isinstance(t, Tensor) else np.asarray(t) for t in found]
    first = next((a for a in arrays if a.dtype.kind in "fc"), None)
    if first is None:
        return
    node = make_node(op, args, plain, first, kwargs, active, None)
    node._outputs = len(arrays)
    node._meta = [(a.shape, a.dtype) for a in arrays]
    if node.slice.reads_ans == "value":
        node.values[0] = out
    elif node.slice.reads_ans:
        node.values[0] = type(out)(*map(shape_of, out)) if hasattr(out, "_fields") else [shape_of(o) for o in out]
    if len(arrays) == 1:  # a node of one output has no list of gradients
        node._outputs, node._meta = 1, node._meta[0]
    for nr, t in enumerate(found):
        if isinstance(t, Tensor) and t._array.dtype.kind in "fc":
            t._node, t._nr, t._requires_grad = node, nr, True


# ----- in place


def inplace(op: Operation, t: Tensor, *others: Any, **kwargs: Any) -> Tensor:
    """``t`` becomes ``op.fn(t, *others)``, in its own memory."""
    args = (t, *others)
    recorded = state.grad and any(_active(a) for a in args)
    if recorded:
        check_inplace(t)
    check_inference(t)
    plain = [_plain(a) for a in args]
    x = t._array
    token = silence()
    try:
        out = np.asarray(op.fn(*plain, **kwargs))
    finally:
        restore(token)
    _check_result(out, x)
    if not x.flags.writeable:
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )
    node = None
    if recorded:
        plain[0] = x.copy()
        args = (_twin(t, plain[0]), *others)
        node = make_node(op, args, plain, x, kwargs, tuple(map(_active, args)), None, pack=False)
    x[...] = out
    t._version_counter[0] += 1
    if node is not None:
        if node.slice.reads_ans == "value":
            node.checks.append((0, t._version_counter, t._version_counter[0]))
        if state.pack is not None:
            _pack(node)
        rebase(t, node)
    return t


def _twin(t: Tensor, array: np.ndarray) -> Tensor:
    """What ``t`` was before it is changed."""
    old = Tensor._of(array)
    edge = edge_of(t)
    if edge[0] is not None:
        old._node, old._nr, old._requires_grad = edge[0], edge[1], True
    return old


def _check_result(out: np.ndarray, x: np.ndarray) -> None:
    if out.shape != x.shape:
        raise RuntimeError(
            f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(out.shape)}"
        )
    order = "biufc"
    if order.index(out.dtype.kind) > order.index(x.dtype.kind) and not (
        out.dtype.kind in "iu" and x.dtype.kind in "iu"
    ):
        from .dtypes import cpp_name

        raise RuntimeError(
            f"result type {cpp_name(out.dtype)} can't be cast to the desired output type {cpp_name(x.dtype)}"
        )


def _dispatch(fn: Any, args: Any, kwargs: Any) -> Any:
    return call(fn, args, kwargs)


slices.dispatch = _dispatch
