"""What keeps results from being differentiated? Nodes that raise, nodes where gradients get lost."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ...eager.node import NO_EDGE, Node, next_number
from ...eager.state import state
from ...eager.tensor import Tensor
from ...eager.views import accumulator, edge_of

__all__ = ["DelayedError", "UndefinedGrad", "once_differentiable"]


class Passing(Node):
    """A node whose outputs are its inputs, as far as the forward pass is concerned."""

    def outputs(self, tensors: Sequence[Any], edges: Sequence[Any]) -> tuple[Any, ...]:
        """The tensors, with this node as their history, which leads on along ``edges``."""
        found = []
        for nr, t in enumerate(tensors):
            out = t.detach() if isinstance(t, Tensor) else t
            if out is not t:
                out._node, out._nr, out._requires_grad = self, nr, True
            found.append(out)
        meta = [(t._array.shape, t._array.dtype) if isinstance(t, Tensor) else None for t in tensors]
        self._outputs, self._meta = len(meta), meta[0] if len(meta) == 1 else meta
        self._edges, self._live = tuple(edges), tuple(edge for edge in edges if edge[0] is not None)
        self._number = next_number()
        return tuple(found)


class ErrorNode(Passing):
    """The history of results that must not be differentiated."""

    def __init__(self, message: str) -> None:
        self.message = message

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        raise RuntimeError(self.message)


ErrorNode.__name__ = ErrorNode.__qualname__ = "Error"


class UndefinedGradNode(Passing):
    """The history of results whose gradient does not go on."""

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        return [None] * len(self._live)


UndefinedGradNode.__name__ = UndefinedGradNode.__qualname__ = "UndefinedGradBackward"


def _passed(node: Passing, tensors: Sequence[Tensor]) -> Any:
    edges = [edge_of(t) for t in tensors]
    recorded = any(target is not None for target, _ in edges)
    found = node.outputs(tensors, edges) if recorded else tuple(t.detach() for t in tensors)
    return found[0] if len(found) == 1 else found


class DelayedError(Node):
    """``DelayedError(message, n)(*tensors)`` returns the ``n`` tensors; their gradients raise the error."""

    def __init__(self, message: str, inputs: int) -> None:
        self.message = message

    def __call__(self, *tensors: Tensor) -> Any:
        return _passed(ErrorNode(self.message), tensors)


class UndefinedGrad(Node):
    """``UndefinedGrad()(*tensors)`` returns the tensors; their gradients do not reach the arguments."""

    def __call__(self, *tensors: Tensor) -> Any:
        return _passed(UndefinedGradNode(), tensors)


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Let a ``backward`` run unrecorded; to differentiate its results is an error.

    >>> import ast_ad
    >>> class Double(ast_ad.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...
    ...     @staticmethod
    ...     @once_differentiable
    ...     def backward(ctx, g):
    ...         return g * 2
    >>> x = ast_ad.tensor(1.0, requires_grad=True)
    >>> (g,) = ast_ad.autograd.grad(Double.apply(x) ** 2, x, create_graph=True)
    >>> g.backward()
    Traceback (most recent call last):
    RuntimeError: trying to differentiate twice a function that was marked with @once_differentiable
    """

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        recorded, state.grad = state.grad, False
        try:
            outputs = fn(ctx, *args, **kwargs)
        finally:
            state.grad = recorded
        if not recorded or not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            return outputs
        failing = _failing(outputs if isinstance(outputs, tuple) else (outputs,))
        return failing if isinstance(outputs, tuple) else failing[0]

    return wrapper


def _failing(outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tensors, with a history that raises when a gradient is sent through it."""
    edges: list[Any] = []
    for t in outputs:
        if isinstance(t, Tensor):
            leaf = t.detach()
            leaf._requires_grad = True
            edges.append((accumulator(leaf), 0))
        else:
            edges.append(NO_EDGE)
    message = "trying to differentiate twice a function that was marked with @once_differentiable"
    return ErrorNode(message).outputs(outputs, edges)
