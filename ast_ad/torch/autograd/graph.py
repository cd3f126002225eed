"""How does a user look at the graph, and at what it saves? Nodes, edges, and hooks of saved tensors."""

from __future__ import annotations

import contextlib
import functools
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

from ...eager.hooks import RemovableHandle
from ...eager.node import Node as EngineNode
from ...eager.state import state
from ...eager.sweeps import GradientEdge
from ...eager.tensor import Tensor
from ...eager.views import edge_of
from .saved_copies import SavedCopies

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]

_Hook = Callable[[Any], Any]


class _NodeType(type):
    """Lets the nodes of the graph, and their classes, count as nodes."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, EngineNode)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return subclass is cls or issubclass(subclass, EngineNode)


class Node(metaclass=_NodeType):
    """What the nodes of the graph are: ``isinstance(t.grad_fn, Node)``. It is no base class of theirs.

    Nodes have ``name()``, ``next_functions``, ``metadata``, ``register_hook`` and ``register_prehook``.
    """

    def __new__(cls) -> Any:
        raise TypeError("nodes are made by recorded operations")


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge along which the gradient of ``tensor`` goes.

    Raises:
        RuntimeError: ``tensor`` does not require grad.

    >>> import ast_ad
    >>> x = ast_ad.tensor(2.0, requires_grad=True)
    >>> get_gradient_edge(x * x).node.name()
    'MulBackward0'
    """
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    found: Any = edge_of(tensor)
    return GradientEdge(*found)


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Say that tensors were changed in a way that could not be noticed.

    >>> import ast_ad
    >>> x = ast_ad.ones(2)
    >>> increment_version(x)
    >>> x._version
    1
    """
    tensors = (tensor,) if isinstance(tensor, Tensor) else tensor
    if not isinstance(tensors, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for t in tensors:
        t._version_counter[0] += 1


# ----- hooks of saved tensors


def _set_hooks(pairs: tuple[tuple[_Hook, _Hook], ...]) -> None:
    state.packs, state.pack = pairs, pairs[-1] if pairs else None
    state.ordinary = not pairs and not state.safe


class saved_tensors_hooks:
    """In the block ``pack_hook`` packs every tensor that is saved, and ``unpack_hook`` gives it back.

    Of nested pairs only the innermost is applied.

    >>> import ast_ad
    >>> x = ast_ad.tensor(3.0, requires_grad=True)
    >>> with saved_tensors_hooks(lambda t: t.item(), lambda number: ast_ad.tensor(number)):
    ...     y = x * x
    >>> y.backward()
    >>> x.grad
    tensor(6.)
    """

    def __init__(self, pack_hook: _Hook, unpack_hook: _Hook) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if not (callable(self.pack_hook) and callable(self.unpack_hook)):
            raise TypeError(
                "saved_tensors_hooks expects two callables: how to pack a tensor, and how to unpack it"
            )
        if state.no_pack is not None:
            raise RuntimeError(state.no_pack)
        _set_hooks((*state.packs, (self.pack_hook, self.unpack_hook)))

    def __exit__(self, *error: object) -> None:
        _set_hooks(state.packs[:-1])


class save_on_cpu(saved_tensors_hooks):
    """Within the block saved tensors are copies in main memory; here, where everything is, just copies."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(t: Tensor) -> Any:
            return Tensor._of(t._array.copy())

        super().__init__(pack, lambda packed: packed)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Within the block the use of ``saved_tensors_hooks`` is an error with this message.

    >>> with disable_saved_tensors_hooks("no hooks here"):
    ...     with saved_tensors_hooks(lambda t: t, lambda t: t):
    ...         pass
    Traceback (most recent call last):
    RuntimeError: no hooks here
    """
    before = state.no_pack
    if state.pack is not None:
        raise RuntimeError(error_message)
    state.no_pack = error_message
    try:
        yield
    finally:
        state.no_pack = before


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[SavedCopies]:
    """Within the block tensors may be changed in place though they are saved: they are copied before.

    The sweep must run within the block too.

    Raises:
        RuntimeError: such blocks are nested.

    >>> import ast_ad
    >>> x = ast_ad.tensor([2.0], requires_grad=True)
    >>> a = x * 1
    >>> with allow_mutation_on_saved_tensors():
    ...     y = a * a
    ...     with ast_ad.no_grad():
    ...         a += 1
    ...     y.backward(ast_ad.ones(1))
    >>> x.grad
    tensor([4.])
    """
    if state.before_change is not None:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    kept = SavedCopies()
    with saved_tensors_hooks(kept.pack, kept.unpack):
        state.before_change = kept.copy_saved
        try:
            yield kept
        finally:
            state.before_change = None
            kept.clear()


# ----- hooks of several tensors


class _MultiHandle(RemovableHandle):
    """The handle of a hook that was registered with several tensors."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: Literal["all", "any"] = "all"
) -> RemovableHandle:
    """Call ``fn`` when the gradients of all ``tensors`` have been computed, or of any (``mode``).

    Args:
        tensors: those whose gradients are waited for.
        fn: for ``'all'`` called with a sequence of gradients (None for tensors without influence); for
            ``'any'`` with the first gradient that is computed.
        mode: ``'all'`` or ``'any'``.

    >>> import ast_ad
    >>> x, y = (ast_ad.tensor(v, requires_grad=True) for v in (2.0, 3.0))
    >>> handle = register_multi_grad_hook((x, y), print)
    >>> (x * y).backward()
    [tensor(3.), tensor(2.)]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if not all(t.requires_grad for t in tensors):
        raise AssertionError("Expected gradient function to be set")
    hook = _any_hook(fn) if mode == "any" else _all_hook(tensors, fn)
    return _MultiHandle([t.register_hook(functools.partial(hook, i)) for i, t in enumerate(tensors)])


def _sweep() -> Any:
    if state.sweep is None:
        raise AssertionError("expected this hook to be called inside a backward call")
    return state.sweep


def _all_hook(tensors: Sequence[Tensor], fn: Callable[..., Any]) -> Callable[..., None]:
    """A hook per tensor that collects gradients, and calls ``fn`` when the last expected one has come."""
    lock = threading.Lock()
    found: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
    missing: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
    nodes = [edge_of(t)[0] for t in tensors]

    def hook(i: int, g: Any) -> None:
        sweep = _sweep()
        with lock:
            if sweep not in found:
                found[sweep] = [None] * len(nodes)
                missing[sweep] = sum(map(sweep.reaches, nodes))
            found[sweep][i] = g
            missing[sweep] -= 1
            done = missing[sweep] == 0
        if done:
            del missing[sweep]
            fn(found.pop(sweep))

    return hook


def _any_hook(fn: Callable[..., Any]) -> Callable[..., None]:
    lock = threading.Lock()
    called: weakref.WeakSet[Any] = weakref.WeakSet()

    def hook(i: int, g: Any) -> None:
        sweep = _sweep()
        with lock:
            first = sweep not in called
            called.add(sweep)
        if first:
            fn(g)

    return hook
