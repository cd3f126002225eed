"""What is a derivative when it is called with tensors? One node of their graph, or a part of the trace.

A compiled derivative runs on plain arrays; the node that stands for it has the pullback of the derivative, which
is compiled when it is first needed. A second backward asks for the pullback of that pullback, and so on: each is
a program that the compiler builds from the one before. Where it can't, the function of the derivative is traced
in place, in the graph that the tensors belong to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..api import Derivative, Vjp
from ..eager.dispatch import needs_grad
from ..eager.node import FREED, Node, next_number
from ..eager.numpy_protocol import run
from ..eager.state import state
from ..eager.tensor import Tensor
from ..eager.views import edge_of
from ..errors import InputError, NoDerivativeError, UnsupportedError
from ..options import Options
from ..trees import TreeDef, flatten, register_leaf
from ..variant import Request
from .derivative import TracedVariant
from .patches import replaced
from .traced import Traced
from .tracing import TracedPullback, plain, recording, trace

register_leaf(Tensor)


class CannotCompile(Exception):
    """There is no compiled pullback; the error says why."""


class EveryFloat(Vjp):
    """The pullback of a function to every number and array of floats among its arguments, or an error."""

    every_leaf = True

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, options=Options(fallback="error"))

    def at(self, args: tuple[Any, ...]) -> tuple[Any, Any]:
        """The value, and the pullback from its leaves to those of the arguments, as tuples."""
        try:
            variant, inputs = self._prepare(args, {})
        except (InputError, NoDerivativeError):
            raise
        except Exception as error:
            raise CannotCompile() from error
        try:
            results = variant.program(inputs)
        except UnsupportedError as error:
            raise CannotCompile() from error
        return variant.value(results), variant.pullback(results, inputs)


class CompiledPullback:
    """From cotangents of the leaves of a value to those of the leaves of arguments; see the package.

    ``every``: what computed the value from ``args``; ``traced``: gives the same pullback by tracing.
    """

    def __init__(
        self, every: EveryFloat, args: tuple[Any, ...], value: Any, pullback: Any, traced: Callable[[], Any]
    ) -> None:
        self.every, self.args, self.pullback, self.traced = every, args, pullback, traced
        self.like = [leaf for leaf in flatten(value)[0] if _has_derivative(leaf)]
        self.positions = [i for i, leaf in enumerate(flatten(value)[0]) if _has_derivative(leaf)]

    def seeds(self, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        """A cotangent for each leaf that has a derivative, zeros made explicit."""
        given = [cotangents[i] for i in self.positions]
        return tuple(
            np.zeros_like(like)[()] if g is None else np.asarray(g, np.result_type(like)).reshape(np.shape(like))[()]
            if not np.ndim(like) else np.asarray(g, np.result_type(like))
            for g, like in zip(given, self.like, strict=True)
        )

    def __call__(self, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(self.pullback.leaves(*self.seeds(cotangents)))

    def linearize(self, cotangents: Sequence[Any]) -> tuple[tuple[Any, ...], Any]:
        """The same cotangents, and their pullback."""
        try:
            args = self.seeds(cotangents), *self.args
            found, second = compiled(pulled(self.every), args, lambda: self.traced().linearize(cotangents)[1])
        except CannotCompile:
            return self.traced().linearize(cotangents)  # type: ignore[no-any-return]
        given = [cotangents[i] is not None for i in self.positions]
        return found, _Reordered(second, given)


class _Reordered:
    """The pullback of ``pulled``, whose cotangents come after the leaves of the arguments, not before."""

    def __init__(self, pullback: Any, given: list[bool]) -> None:
        self.pullback, self.given = pullback, given

    def order(self, found: Sequence[Any]) -> tuple[Any, ...]:
        count = len(self.given)
        return *found[count:], *(bar for bar, on in zip(found[:count], self.given, strict=True) if on)

    def __call__(self, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        return self.order(self.pullback(cotangents))

    def linearize(self, cotangents: Sequence[Any]) -> tuple[tuple[Any, ...], Any]:
        found, second = self.pullback.linearize(cotangents)
        leaves = len(found) - len(self.given)
        return self.order(found), _Rearranged(second, self.given, leaves)


class _Rearranged:
    """A pullback that takes cotangents in the order of ``_Reordered``."""

    def __init__(self, pullback: Any, given: list[bool], leaves: int) -> None:
        self.pullback, self.given, self.leaves = pullback, given, leaves

    def before(self, cotangents: Sequence[Any]) -> list[Any]:
        rest = iter(cotangents[self.leaves :])
        return [*(next(rest) if on else None for on in self.given), *cotangents[: self.leaves]]

    def __call__(self, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(self.pullback(self.before(cotangents)))

    def linearize(self, cotangents: Sequence[Any]) -> tuple[tuple[Any, ...], Any]:
        return self.pullback.linearize(self.before(cotangents))  # type: ignore[no-any-return]


def pulled(every: EveryFloat) -> Any:
    """The pullback as a function of the cotangents and of the point: code that the compiler reads."""
    found = vars(every).get("_pulled")
    if found is None:

        def pull_back(cotangents: Any, *args: Any) -> Any:
            return every(*args)[1](cotangents)

        found = every._pulled = EveryFloat(pull_back)  # type: ignore[attr-defined]
    return found


def compiled(every: EveryFloat, args: tuple[Any, ...], traced: Callable[[], Any]) -> tuple[Any, Any]:
    """The value and the pullback at a point; ``traced``: the pullback, where a compiled one is missing.

    Raises:
        CannotCompile: there is no compiled one at all.
    """
    value, pullback = every.at(args)
    return value, CompiledPullback(every, args, value, pullback, traced)


def compiled_vjp(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any]:
    """The value of a derivative, or of another function, at plain ``args``, and its pullback.

    The pullback has the form that is described in the package; its leaves are the floats among ``args``.

    Raises:
        CannotCompile: the function can only be traced.
    """
    every = vars(function).get("_every") if isinstance(function, Derivative) else None
    if every is None:
        every = EveryFloat(function)
        if isinstance(function, Derivative):
            function._every = every  # type: ignore[attr-defined]
    leaves, _ = flatten(args)
    wrt = tuple(i for i, leaf in enumerate(leaves) if _has_derivative(leaf))

    def traced() -> Any:
        if isinstance(function, Derivative):
            return trace(lambda *given: TracedCalls(function, given).answer(), args, {}, wrt)[1]
        return trace(function, args, {}, wrt)[1]

    return compiled(every, _copied(args), traced)


# ----- the node -------------------------------------------------------------------------------------
class CompiledBackward(Node):
    """The node of a compiled function: it sends gradients back with the function's pullback."""

    _pullback: Any = None
    _inputs: tuple[Any, ...] = ()

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        if self._pullback is None:
            raise RuntimeError(FREED)
        given = [g] if self._outputs == 1 else list(g)
        arrays = [plain(bar) if bar is not None else None for bar in given]
        if not graph:
            found: Sequence[Any] = self._pullback(arrays)
        else:
            values, second = self._pullback.linearize(arrays)
            inputs = [*self._inputs, *(bar for bar in given if bar is not None)]
            found = recorded(values, second, inputs, Tensor)
        return [bar for bar, edge in zip(found, self._edges, strict=True) if edge[0] is not None]

    def _release(self) -> None:
        self._pullback, self._inputs = None, ()


def recorded(values: Sequence[Any], pullback: Any, inputs: Sequence[Any], face: Any) -> list[Any]:
    """The values as tensors with one node, whose edges lead to ``inputs``."""
    outputs = [face._of(value) if _has_derivative(value) else value for value in values]
    edges = tuple(edge_of(t) if isinstance(t, Tensor) and needs_grad(t) else (None, 0) for t in inputs)
    live = tuple(edge for edge in edges if edge[0] is not None)
    made = [t for t in outputs if isinstance(t, Tensor)]
    if not state.grad or not live or not made:
        return outputs
    node = CompiledBackward()
    node._number = next_number()
    node._edges, node._live = edges, live
    node._inputs = tuple(inputs)
    floats = [i for i, t in enumerate(outputs) if isinstance(t, Tensor)]
    node._pullback = pullback if len(floats) == len(outputs) else _Among(pullback, floats, len(outputs))
    node._outputs = len(made)
    metas = [(t._array.shape, t._array.dtype) for t in made]
    node._meta = metas[0] if len(metas) == 1 else metas
    for nr, t in enumerate(made):
        t._node, t._nr, t._requires_grad = node, nr, True
    return outputs


class _Among:
    """A pullback that is given the cotangents of the leaves at ``positions`` only."""

    def __init__(self, pullback: Any, positions: list[int], length: int) -> None:
        self.pullback, self.positions, self.length = pullback, positions, length

    def spread(self, cotangents: Sequence[Any]) -> list[Any]:
        found: list[Any] = [None] * self.length
        for position, cotangent in zip(self.positions, cotangents, strict=True):
            found[position] = cotangent
        return found

    def __call__(self, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(self.pullback(self.spread(cotangents)))

    def linearize(self, cotangents: Sequence[Any]) -> tuple[tuple[Any, ...], Any]:
        return self.pullback.linearize(self.spread(cotangents))  # type: ignore[no-any-return]
