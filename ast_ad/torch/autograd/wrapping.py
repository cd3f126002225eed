"""What becomes of the outputs of a ``Function``'s forward? Tensors whose history is the Function's node."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ...eager.dispatch import needs_grad
from ...eager.node import next_number
from ...eager.state import state, watch
from ...eager.tensor import Tensor
from ...eager.views import check_inplace, edge_of, make_view, move_retain, rebase

NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that "
    "are modified inplace must all be outputs of the Function."
)
DIRTY_NO_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
    "should be passed to ctx.mark_dirty()."
)
SEVERAL_OUTPUTS = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
    "return more than one Tensor. This is not supported by the current autograd engine. You should either "
    "make sure the input is not a view (using .clone() for example) or make your Function only return one "
    "Tensor (potentially splitting it into two Functions: one doing the inplace that returns a single Tensor "
    "and a second one that does the other operations). You can ask on the forum https://discuss.pytorch.org/ "
    "if you need help to do this change."
)
NOT_ONE_VIEW = (
    "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue if you "
    "need to support more."
)


def run_forward(cls: Any, args: tuple[Any, ...], forward: Callable[[Any], Any]) -> Any:
    """The outputs of ``forward(ctx)``, recorded as one node if an argument requires grad."""
    if watch.profiler is not None:
        with watch.profiler.operation(cls._backward_cls, args) as span:
            return span.result(_run(cls, args, forward))
    return _run(cls, args, forward)


def _run(cls: Any, args: tuple[Any, ...], forward: Callable[[Any], Any]) -> Any:
    node = cls._backward_cls()
    tensors = [a for a in args if isinstance(a, Tensor)]
    node.needs_input_grad = tuple(isinstance(a, Tensor) and needs_grad(a) for a in args)
    recorded = state.grad and any(node.needs_input_grad)
    if recorded:
        node._edges = tuple(edge_of(t) for t in tensors)
        node._live = tuple(edge for edge in node._edges if edge[0] is not None)
        node._tensor_places = tuple(isinstance(a, Tensor) for a in args)
        node._number = next_number()
        if watch.anomaly:
            from ...eager.anomaly import remember

            remember(node)
    tangents = None if state.dual is None else state.dual.before(cls, args)
    grad, state.grad = state.grad, False
    try:
        found = forward(node)
        if recorded and found.__class__ is Tensor and _is_plain(node, found, tensors):
            outputs: tuple[Any, ...] = (found,)
            node._meta = found._array.shape, found._array.dtype
            found._node, found._nr, found._requires_grad = node, 0, True
        else:
            outputs = _wrapped(node, found if isinstance(found, tuple) else (found,), tensors, recorded, grad)
    finally:
        state.grad = grad
    if recorded:
        node._save()
        if state.dual is not None:
            state.dual.after(node, args, outputs, tangents)
    node.dirty_tensors = node.non_differentiable = None
    return outputs if isinstance(found, tuple) else outputs[0]


def _is_plain(node: Any, t: Tensor, tensors: list[Tensor]) -> bool:
    """Whether an only output needs nothing but its history."""
    return (
        node.dirty_tensors is None
        and node.non_differentiable is None
        and t._view is None
        and t._array.dtype.kind in "fc"
        and not any(t is a for a in tensors)
    )


def _wrapped(
    node: Any, outputs: tuple[Any, ...], tensors: list[Tensor], recorded: bool, enabled: bool
) -> tuple[Any, ...]:
    """The outputs as the caller gets them. ``enabled``: the caller has not switched recording off."""
    inputs = {id(t) for t in tensors}
    dirty = _dirty(node, outputs)
    constants = _constants(node)
    if recorded:
        meta = [(o._array.shape, o._array.dtype) if isinstance(o, Tensor) else None for o in outputs]
        node._outputs = len(meta)
        node._meta = meta[0] if len(meta) == 1 else meta
        node._constant_outputs = [nr for nr, t in enumerate(outputs) if id(t) in constants]
    out: list[Any] = []
    for nr, t in enumerate(outputs):
        if not isinstance(t, Tensor):
            out.append(t)
            continue
        is_input, is_dirty = id(t) in inputs, id(t) in dirty
        if not recorded or id(t) in constants or t._array.dtype.kind not in "fc":
            out.append(_without_history(t, is_input, is_dirty))
        else:
            out.append(_with_history(t, node, nr, is_input, is_dirty, tensors[0]))
    if node._is_pure_view and recorded:
        _as_operation(tensors, out)
    elif enabled:
        _forbid_inplace(node, out, [id(t) in inputs and id(t) in dirty for t in outputs], recorded)
    return tuple(out)


def _dirty(node: Any, outputs: tuple[Any, ...]) -> set[int]:
    found = set()
    for i, t in enumerate(node.dirty_tensors or ()):
        if not isinstance(t, Tensor):
            raise RuntimeError(
                f"mark_dirty can only accept variables, but argument {i} is of type {type(t).__name__}"
            )
        t._version_counter[0] += 1
        found.add(id(t))
    if found - {id(t) for t in outputs}:
        raise RuntimeError(NOT_RETURNED)
    return found


def _constants(node: Any) -> set[int]:
    found = set()
    for t in node.non_differentiable or ():
        if not isinstance(t, Tensor):
            raise RuntimeError(
                f"mark_non_differentiable only accepts variable arguments, but got {type(t).__name__}"
            )
        found.add(id(t))
    return found


def _without_history(t: Tensor, is_input: bool, is_dirty: bool) -> Tensor:
    if is_dirty:
        return t
    if not needs_grad(t):
        return _alias(t) if is_input else t
    if is_input:
        return t.detach()
    if t._view is None:
        t.detach_()
    return t


def _with_history(t: Tensor, node: Any, nr: int, is_input: bool, is_dirty: bool, first: Tensor) -> Tensor:
    if is_dirty:
        if not is_input:
            if t._view is not None:
                raise RuntimeError(DIRTY_NO_INPUT)
            warnings.warn(DIRTY_NO_INPUT, UserWarning, stacklevel=5)
        return _changed(t, node, nr, first)
    if is_input:
        t = _alias(t)
    t._node, t._nr, t._requires_grad = node, nr, True
    if t._view is not None:
        t._view.version = t._version_counter[0]
    return t


def _changed(t: Tensor, node: Any, nr: int, first: Tensor) -> Tensor:
    """An input that was changed in place: the same tensor with a new history."""
    if t._view is None:
        if t._node is None and t._requires_grad:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        move_retain(t, node, nr)
        t._node, t._nr, t._requires_grad = node, nr, True
        return t
    if node._outputs != 1:
        raise RuntimeError(SEVERAL_OUTPUTS)
    check_inplace(t)
    if first is not t:
        raise RuntimeError(
            "a Function that changes a view in place must take it as its first tensor argument: the history "
            "of its base could not be written otherwise. Pass it first, or clone() it before the call."
        )
    rebase(t, node)
    return t


def _alias(t: Tensor) -> Tensor:
    """Another tensor on the same memory, a view of ``t``."""
    found: Tensor = t._face._of(t._array)
    found._inference = t._inference
    make_view(found, t, (_same, ()))
    return found


def _same(array: Any) -> Any:
    return array


def _as_operation(tensors: list[Tensor], out: list[Any]) -> None:
    """Let a Function that is said to do no more than look at its input be a view operation like any other."""
    found = [t for t in out if isinstance(t, Tensor)]
    if len(tensors) != 1 or len(found) != 1:
        raise RuntimeError(NOT_ONE_VIEW)
    view, source = found[0]._view, tensors[0]
    if view is None:
        return
    view.creation = "" if source._view is None else source._view.creation
    if view.base is not (source if source._view is None else source._view.base):
        view.base._requires_grad = True  # a view of something else must not be changed


def _forbid_inplace(node: Any, out: list[Any], changed: list[bool], recorded: bool) -> None:
    """Changes of outputs that are views would lead around the user's backward."""
    several = sum(isinstance(t, Tensor) and t._node is node for t in out) > 1
    for t, is_changed in zip(out, changed, strict=True):
        if isinstance(t, Tensor) and t._view is not None and (t._node is node or not recorded):
            if several:
                t._view.creation = "multi"
            elif not is_changed:
                t._view.creation = "function"
