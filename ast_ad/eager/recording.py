"""How does an operation become a node? By its edges, and the residuals that the slice of its rule reads.

``record(op, args, plain, t, out, kwargs, active) -> Any``. When the operation has run, as a rule may read its
result.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import MissingRuleError
from .node import NO_EDGE, next_number
from .saved import INFERENCE_SAVED, SavedValue
from .state import state, watch
from .table import Operation, Plan, nothing, saved_result, shape_of
from .tensor import Tensor
from .views import edge_of, refresh


def showing(t: Any, **shown: Any) -> Any:
    """``t``, just recorded, whose node shows these as ``_saved_`` attributes; functions are called then."""
    if isinstance(t, Tensor) and t._node is not None:
        t._node.shown = shown
    return t


def needs_grad(a: Tensor) -> bool:
    """Whether a tensor requires grad, a view by now."""
    if a._view is not None:
        refresh(a)
        return a._requires_grad or a._view.base._requires_grad and not a._inference
    return a._requires_grad


def is_active(a: Any) -> bool:
    """Whether an argument, or a tensor in a list of them, has a gradient."""
    if isinstance(a, Tensor):
        return needs_grad(a) and a._array.dtype.kind in "fc"
    if isinstance(a, (list, tuple)):
        for item in a:
            if is_active(item):
                return True
    return False


def plain_of(a: Any) -> Any:
    """An argument without tensors: their arrays, also within lists, tuples and slices."""
    if isinstance(a, Tensor):
        return a._array if a._python is None else a._python
    if isinstance(a, (list, tuple)):
        items = [plain_of(item) for item in a]
        return (type(a)(*items) if hasattr(a, "_fields") else type(a)(items)) if a else a
    if isinstance(a, slice):
        return slice(*(_index(part) for part in (a.start, a.stop, a.step)))
    return a


def _index(part: Any) -> Any:
    return operator.index(part) if isinstance(part, Tensor) else part


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
    if active is not None and active[0] and not kwargs and True not in active[1:]:
        node = _simple_node(op, args, plain, out, counter)
        if node is not None:
            return node
    edges: list[Any] = []
    live: list[Any] = []
    nested, complex_ = False, out.dtype.kind == "c"
    if active is None:
        active = tuple([isinstance(a, Tensor) and needs_grad(a) for a in args])
    if True not in active:
        return None
    for a, on in zip(args, active, strict=True):
        if not on:
            if isinstance(a, Tensor):
                if op.combines or a._array.dtype.kind in "fc":  # not a mask, nor an index
                    edges.append(NO_EDGE)
            elif op.scalars and isinstance(a, (float, int, complex)):
                edges.append(NO_EDGE)
        elif isinstance(a, Tensor):
            edge = (a._node, a._nr) if a._view is None and a._node is not None else edge_of(a)
            edges.append(edge)
            live.append(edge)
            if a._array.dtype.kind == "c":
                complex_ = True
        else:
            nested = True
            _edges_of_list(a, edges, live)
    plan = op.plan(active, tuple(kwargs) if kwargs else (), complex_, state.safe)
    node = op.node()
    node._number = next_number()
    node.slice = plan
    node._edges, node._live = tuple(edges), tuple(live)
    node._meta = out.shape, out.dtype
    node.options = kwargs
    if nested:
        node.layout = _layout(op, args, plain, active)
    _save(op, node, plan, args, plain, out, counter)
    if pack and state.pack is not None:
        pack_saved(node)
    if watch.anomaly:
        from .anomaly import remember

        remember(node)
    return node


PLAIN = {int, float, bool, str, slice, type(None), type(Ellipsis), tuple}


def _simple_node(
    op: Operation, args: Sequence[Any], plain: Sequence[Any], out: np.ndarray, counter: Any
) -> Any:
    """The node of an operation on one real tensor and arguments that say how; None if there is more to it."""
    a, rest = args[0], plain[1:]
    if out.dtype.kind != "f" or not isinstance(a, Tensor) or a._array.dtype.kind != "f" or op.scalars:
        return None
    if not state.ordinary or watch.anomaly or op.composite or counter is not None and counter[0]:
        return None
    for p in rest:
        if p.__class__ not in PLAIN or p.__class__ is tuple and _holds_array(p):
            return None
    n = len(args)
    plan = op.singles.get(n)
    if plan is None:
        plan = op.singles[n] = op.plan((True, *(False,) * (n - 1)), (), False, False)
    node = op.node()
    if not plan.save_one(node, counter, a, out, plain[0], tuple(rest)):
        return None
    node.slice, node._meta = plan, (out.shape, out.dtype)
    edge = (a._node, a._nr) if a._view is None and a._node is not None else edge_of(a)
    node._live = node._edges = (edge,)
    node._number = next_number()
    return node


def _edges_of_list(tensors: Sequence[Any], edges: list[Any], live: list[Any]) -> None:
    for item in tensors:
        if isinstance(item, (list, tuple)):
            _edges_of_list(item, edges, live)
            continue
        edge = edge_of(item) if isinstance(item, Tensor) else NO_EDGE
        edges.append(edge)
        if edge[0] is not None:
            live.append(edge)


def _layout(op: Operation, args: Sequence[Any], plain: Sequence[Any], active: tuple[bool, ...]) -> list[Any]:
    """For each active argument None; for a list of tensors the shape to which its cotangent is summed, if it
    may be stretched, and where in it those are that have a gradient."""
    return [
        None if isinstance(a, Tensor) else (np.shape(p) if op.combines else None, list(_paths(a)))
        for a, p, on in zip(args, plain, active, strict=True)
        if on
    ]


def _paths(tensors: Sequence[Any]) -> Iterator[tuple[int, ...]]:
    for i, item in enumerate(tensors):
        if isinstance(item, (list, tuple)):
            yield from ((i, *path) for path in _paths(item))
        elif isinstance(item, Tensor) and edge_of(item)[0] is not None:
            yield (i,)


def _save(
    op: Operation, node: Any, plan: Plan, args: Sequence[Any], plain: Sequence[Any], out: Any, counter: Any
) -> None:
    """Keep what the slice reads: values with their versions, of the rest a shape or nothing."""
    if state.safe:  # what NumPy code reads now must not change when it writes later
        args = [_snapshot(a, kind) for a, kind in zip(args, plan.reads, strict=False)]
        plain = [plain_of(a) for a in args]
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
                owners.append(a if is_active(a) else None)
                continue
        else:
            values.append(shape_of(p) if kind else None)
        owners.append(None)
    node.values, node.owners, node.checks = values, owners, checks


def _holds_array(p: Any) -> bool:
    return p.__class__ is np.ndarray or p.__class__ in (tuple, list) and any(map(_holds_array, p))


def _snapshot(a: Any, kind: str) -> Any:
    """An argument whose value is saved, as it is now."""
    if kind != "value":
        return a
    if isinstance(a, Tensor):
        old = twin(a, a._array.copy())
        if a._python is not None:
            old._python = old._array[()]  # NumPy's number: it divides by zero, and counts as one
        return old
    if isinstance(a, (list, tuple)):
        items = [_snapshot(item, kind) for item in a]
        return type(a)(*items) if hasattr(a, "_fields") else type(a)(items)
    return a.copy() if type(a) is np.ndarray else a


def pack_saved(node: Any) -> None:
    """Let the innermost pair of hooks pack every saved tensor."""
    values = list(node.values)
    for i, _, _ in node.checks:
        tensor = node.owners[i] if i else saved_result(values[0], node, 0, None)
        if isinstance(tensor, Tensor):
            values[i] = SavedValue(tensor, state.pack, node)
            node.owners[i] = None
    node.values, node.packed, node.checks = values, True, []


def pack_results(node: Any, found: Sequence[Tensor]) -> None:
    """Let the innermost pair of hooks pack those of several results that are saved."""
    parts = list(node.values[0])
    for nr, _, _ in node.result_checks:
        t = found[nr]
        tensor = saved_result(t._array, node, nr, None) if t._requires_grad else t
        parts[nr] = SavedValue(tensor, state.pack, node)
    node.values[0], node.packed, node.result_checks = tuple(parts), True, ()


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
    nesting = None
    if any(isinstance(t, (list, tuple)) for t in found):
        found, nesting = _unnested(found)
    arrays = [t._array if isinstance(t, Tensor) else np.asarray(plain_of(t)) for t in found]
    first = next((a for a in arrays if a.dtype.kind in "fc"), None)
    if first is None:
        return
    node = make_node(op, args, plain, first, kwargs, active, None)
    node.take_the_long_way()
    node._outputs = len(arrays)
    node._meta = [(a.shape, a.dtype) for a in arrays]
    if nesting is not None:
        if node.slice.reads_ans:
            raise MissingRuleError(
                f"the derivative of `{getattr(op.fn, '__name__', op.fn)}`",
                why="it reads its results, which are nested in lists",
            )
        node.nesting = nesting
    private = op.private
    if node.slice.reads_ans == "value":
        if state.safe:  # NumPy code may write into what it was given, as into anything else
            private = tuple(nr for nr in range(len(arrays)) if op.results is None or op.results[nr])
        kept = out if op.results is None else _read(out, op.results)
        node.values[0] = _copied(kept, private) if private else kept
    elif node.slice.reads_ans:
        node.values[0] = (
            type(out)(*map(shape_of, out)) if hasattr(out, "_fields") else [shape_of(o) for o in out]
        )
    if len(arrays) == 1:  # a node of one output has no list of gradients
        node._outputs, node._meta, node.boxed = 1, node._meta[0], True
    if node.slice.reads_ans == "value":
        node.result_checks = [
            (nr, t._version_counter, t._version_counter[0])
            for nr, t in enumerate(found)
            if isinstance(t, Tensor) and (op.results is None or op.results[nr]) and nr not in private
        ]
    for nr, t in enumerate(found):
        if isinstance(t, Tensor) and t._array.dtype.kind in "fc":
            t._node, t._nr, t._requires_grad = node, nr, True
    if state.pack is not None and node.result_checks:
        pack_results(node, found)


def _unnested(found: Any) -> tuple[list[Any], Any]:
    """Several results that are nested in lists, in a row, and their places in it, nested as they are."""
    row: list[Any] = []

    def place(t: Any) -> Any:
        if isinstance(t, (list, tuple)):
            return type(t)(map(place, t))
        row.append(t)
        return len(row) - 1

    return row, place(found)


def _read(out: Any, names: Sequence[str]) -> Any:
    """Several results, with stand-ins for those that have no name: they are not read."""
    kept = [o if name else shape_of(o) for o, name in zip(out, names, strict=True)]
    return type(out)(*kept) if hasattr(out, "_fields") else type(out)(kept)


def _copied(out: Any, places: Sequence[int]) -> Any:
    """Several results, with copies of those at ``places``."""
    kept = [o.copy() if nr in places and hasattr(o, "copy") else o for nr, o in enumerate(out)]
    return type(out)(*kept) if hasattr(out, "_fields") else tuple(kept)


def twin(t: Tensor, array: np.ndarray) -> Tensor:
    """What ``t`` was before it is changed."""
    old = Tensor._of(array)
    edge = edge_of(t)
    if edge[0] is not None:
        old._node, old._nr, old._requires_grad = edge[0], edge[1], True
    return old
