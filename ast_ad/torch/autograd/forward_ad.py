"""How do derivatives go forward? Dual tensors carry a tangent through a program.

There are no rules of their own for tangents. What dual tensors go through is recorded, and a backward pass is
linear in the gradient that it starts from: its derivative with respect to that gradient, in the direction of
the tangents of the inputs, is the tangent of the output. So inside a level dual tensors require grad, and
recording must not be switched off.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...eager.engine import execute
from ...eager.modes import Mode
from ...eager.node import AccumulateGrad, Node, next_number
from ...eager.saved import linked
from ...eager.state import state
from ...eager.steps import reachable
from ...eager.sweeps import grad
from ...eager.tensor import Tensor
from ...eager.views import edge_of

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]


class UnpackedDualTensor(NamedTuple):
    """A value and its tangent, which is None for what does not depend on a dual tensor."""

    primal: Any
    tangent: Any


class Level:
    """What is within one ``dual_level``."""

    __slots__ = ("grad", "pulling")

    def __init__(self, grad: bool) -> None:
        self.grad = grad  # whether operations were recorded outside
        self.pulling = False  # whether a backward pass is under way that finds a tangent

    def unpack(self, tensor: Tensor) -> UnpackedDualTensor:
        """``unpack_dual``, for who prints tensors."""
        return unpack_dual(tensor)

    def before(self, cls: Any, args: tuple[Any, ...]) -> list[Any] | None:
        """The tangents of the arguments for the ``jvp`` of a Function; None if that is not needed."""
        from .function import Function
        from .function_tangents import tangents_of

        return None if cls.jvp is Function.jvp else tangents_of(self, args)

    def after(self, node: Any, args: tuple[Any, ...], outputs: tuple[Any, ...], tangents: Any) -> None:
        """Ask the ``jvp`` of a Function for the tangents of its outputs."""
        from .function_tangents import give_tangents

        if tangents is not None:
            give_tangents(self, node, args, outputs, tangents)

    def start(self, t: Tensor, tangent: Any) -> None:
        """Let a tangent enter at a tensor: what it was computed from has no further influence."""
        source = Identity(t, tangent, self)
        t._node, t._nr, t._requires_grad = source, 0, True
        if t._view is not None:
            t._view.version = t._version_counter[0]


class Identity(Node):
    """Where a tangent enters: a dual tensor as the copy of its primal. ``tangent``: None where it is zero.

    To a backward pass that finds tangents this is the end.
    """

    def __init__(self, primal: Tensor, tangent: Any, level: Level) -> None:
        self._edges = (edge_of(primal),)
        self._onward = tuple(edge for edge in self._edges if edge[0] is not None)
        self._number, self._meta = next_number(), (primal._array.shape, primal._array.dtype)
        self.tangent, self.level = tangent, level

    @property
    def _live(self) -> Any:
        return () if self.level.pulling else self._onward

    @_live.setter
    def _live(self, edges: Any) -> None:
        self._onward = edges

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        return (g,) * len(self._live)


def enter_dual_level() -> int:
    """Begin a level, in which ``make_dual`` and ``unpack_dual`` work.

    Raises:
        RuntimeError: there is one already.
    """
    if state.dual is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    if state.inference:
        raise RuntimeError("tangents are not available in inference mode, where nothing is recorded")
    state.dual, state.grad = Level(state.grad), True
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End the level; its tangents are gone.

    Raises:
        RuntimeError: there is none.
    """
    if state.dual is None or level not in (None, 0):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not "
            "supported."
        )
    state.grad, state.dual = state.dual.grad, None


class dual_level(Mode):
    """A block (or a function, as a decorator) in which tensors may carry tangents.

    >>> import ast_ad
    >>> x, direction = ast_ad.tensor([1.0, 2.0]), ast_ad.tensor([1.0, 0.5])
    >>> with dual_level():
    ...     y = make_dual(x, direction) ** 3
    ...     value, tangent = unpack_dual(y)
    >>> tangent
    tensor([3., 6.])
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *error: Any) -> None:
        exit_dual_level()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Any:
    """A tensor on the memory of ``tensor`` that carries ``tangent``.

    Raises:
        RuntimeError: outside of a level, another shape of the tangent, or a tensor that is dual already.
        ValueError: integers.
    """
    if state.dual is None:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    for name, t in (("primal", tensor), ("tangent", tangent)):
        if t._array.dtype.kind not in "fc":
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {t.dtype}")
    if tensor._array.shape != tangent._array.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, "
            f"this is not supported. Tensor is of size {list(tensor._array.shape)} while the given forward "
            f"gradient is of size {list(tangent._array.shape)}."
        )
    if _sources(edge_of(tensor)[0]):
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 "
            "is not supported."
        )
    if _sources(edge_of(tangent)[0]):
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level0 is not supported."
        )
    if tangent._array.dtype != tensor._array.dtype:
        tangent = tangent.to(tensor.dtype)
    found = tensor._face._of(tensor._array)
    found._version_counter = tensor._version_counter
    found._node, found._requires_grad = Identity(tensor, tangent, state.dual), True
    return found


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The value of a tensor and its tangent, None outside of the level and where there is none."""
    node, nr = edge_of(tensor)
    sources = _sources(node)
    if not sources:
        return UnpackedDualTensor(tensor, None)
    differentiable = any(isinstance(other, AccumulateGrad) for other in reachable([node]))
    sources = [source for source in sources if source.tangent is not None]
    if not sources:
        return UnpackedDualTensor(linked(tensor, (node, nr)) if differentiable else tensor.detach(), None)
    differentiable = differentiable or any(source.tangent.requires_grad for source in sources)
    if sources == [node]:  # a dual tensor as it was made
        tangent = sources[0].tangent
    else:
        seed: Any = Tensor._of(np.zeros_like(tensor._array))
        seed._requires_grad = True
        found = _pulled(node, nr, seed, sources)
        tangent = _tangent(found, sources, seed, differentiable)
    if differentiable:
        return UnpackedDualTensor(linked(tensor, (node, nr)), tangent)
    return UnpackedDualTensor(tensor.detach(), tangent)


def _sources(node: Any) -> list[Identity]:
    """Where tangents enter what ``node`` was computed from."""
    level = state.dual
    if level is None or node is None:
        return []
    level.pulling = True
    try:
        return [n for n in reachable([node]) if isinstance(n, Identity) and n.level is level]
    finally:
        level.pulling = False


def _pulled(node: Any, nr: int, seed: Any, sources: Sequence[Identity]) -> dict[Any, Any]:
    """What a backward pass brings to the sources."""
    level = sources[0].level
    level.pulling = True
    try:
        return execute([(node, nr, seed)], True, True, [(source, 0) for source in sources]) or {}
    finally:
        level.pulling = False


def _tangent(found: dict[Any, Any], sources: Sequence[Identity], seed: Any, differentiable: bool) -> Any:
    pairs = [(found[source, 0], source.tangent) for source in sources if found.get((source, 0)) is not None]
    pairs = [(g, tangent) for g, tangent in pairs if g.requires_grad]
    if not pairs:
        return Tensor._of(np.zeros_like(seed._array))
    gradients, tangents = zip(*pairs, strict=True)
    return grad(gradients, seed, tangents, create_graph=differentiable, materialize_grads=True)[0]


def __getattr__(name: str) -> Any:
    if name == "_current_level":  # asked for by name in older programs
        return -1 if state.dual is None else 0
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
