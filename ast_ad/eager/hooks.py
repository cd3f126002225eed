"""What can a user's hooks change? The gradients that go into a node, and those that come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .fitting import fitted
from .handles import RemovableHandle as RemovableHandle  # pickles call it by this module, too
from .tensor import Tensor

# ----- gradients are arrays in a plain sweep, tensors in a recorded one; hooks always see tensors


def wrapped(g: Any, graph: bool) -> Any:
    """A gradient as a tensor."""
    return g if graph or g is None else Tensor._of(g)


def unwrapped(t: Any, graph: bool) -> Any:
    """A gradient as the sweep handles it."""
    return t if graph or t is None else t._array


def _parts(node: Any, g: Any) -> list[Any]:
    return [g] if node._outputs == 1 else list(g)


def _whole(node: Any, parts: list[Any]) -> Any:
    return parts[0] if node._outputs == 1 else parts


def tensor_hooks(node: Any, g: Any, graph: bool) -> Any:
    """The gradient after the hooks of the tensors that the node made, and kept for ``retain_grad``."""
    if node._hooks is None:  # of a leaf
        hooks = node.variable._hooks
        return _chain(hooks, g, graph) if hooks else g
    by_output, retained = node._hooks.tensor, node._hooks.retain
    if hasattr(node, "variable") and node.variable._hooks:
        g = _chain(node.variable._hooks, g, graph)
    if not by_output and not retained:
        return g
    parts = _parts(node, g)
    for nr, part in enumerate(parts):
        if nr in by_output:
            parts[nr] = part = _chain(by_output[nr], part, graph)
        tensor = retained[nr]() if nr in retained else None
        if tensor is not None and part is not None:
            kept = part.clone() if graph else wrapped(part.copy(), graph)  # who gets `part` may change it
            tensor._grad = kept if tensor._grad is None else tensor._grad + kept
    return _whole(node, parts)


def _chain(hooks: Any, g: Any, graph: bool) -> Any:
    value = wrapped(g, graph)
    for hook in list(hooks.values()):
        found = hook(value)
        if found is not None:
            _check(hook, found, value)
            value = found
    return unwrapped(value, graph)


def _name(hook: Any) -> str:
    return str(getattr(hook, "__name__", type(hook).__name__))


def _check(hook: Any, found: Any, value: Any) -> None:
    if found is None:
        return
    if not hasattr(type(found), "_is_eager_tensor"):
        raise TypeError(f"expected Variable, but hook returned '{type(found).__name__}'")
    if value is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if found._array.dtype != value._array.dtype:
        raise RuntimeError(
            f"hook '{_name(hook)}' has changed the type of value (was {value.type()} got {found.type()})"
        )
    if found._array.shape != value._array.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")


def prehooks(node: Any, g: Any, graph: bool) -> Any:
    """The gradients of a node's outputs after its prehooks."""
    grads = tuple(wrapped(part, graph) for part in _parts(node, g))
    for hook in list(node._hooks.pre.values()):
        grads = _replaced(hook, hook(grads), grads)
    return _whole(node, [unwrapped(part, graph) for part in grads])


def posthooks(node: Any, outs: Sequence[Any], g: Any, graph: bool) -> Sequence[Any]:
    """The node's results after its hooks, which see an entry per edge and may replace them all."""
    live = iter(outs)
    inputs = []
    for i, (target, nr) in enumerate(node._edges):
        out = None if target is None else next(live)
        if out is None:
            inputs.append(node._dropped.get(i))
        else:
            inputs.append(wrapped(fitted(out, target._meta_of(nr), graph), graph))
    grads_in = tuple(inputs)
    grads_out = tuple(wrapped(part, graph) for part in _parts(node, g))
    for hook in list(node._hooks.post.values()):
        grads_in = _replaced(hook, hook(grads_in, grads_out), grads_in)
    return [unwrapped(p, graph) for p, (target, _) in zip(grads_in, node._edges, strict=True) if target]


def _replaced(hook: Any, found: Any, grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a node's hook returned instead of ``grads``, checked; ``grads`` if that was None."""
    if found is None:
        return grads
    if not isinstance(found, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(found).__name__}'")
    if len(found) != len(grads):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(found)}, but "
            f"expected {len(grads)})"
        )
    for item, value in zip(found, grads, strict=True):
        _check(hook, item, value)
    return found


def after_accumulation(node: Any, g: Any, graph: bool) -> None:
    """Call the hooks of a leaf, and of its node, that run after ``grad`` was added to."""
    leaf = node.variable
    for hook in list((leaf._post_accumulate or {}).values()):
        found = hook(leaf)
        if found is None:
            continue
        if not hasattr(type(found), "_is_eager_tensor"):
            raise TypeError(f"expected Variable, but hook returned '{type(found).__name__}'")
        raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    if node._hooks is not None:
        shown = (wrapped(g, graph),)
        for hook in list(node._hooks.post.values()):
            _replaced(hook, hook((), shown), ())
