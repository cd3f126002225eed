"""How is a value in a graph that is defined by an equation, ``F(x, p) = 0``, and not by operations?

A ``Solution`` is made with the number or array that a solver found. Its ``point`` goes into ``F``, which is
recorded once; ``close`` takes what came of it. The cotangent ``g`` of the value goes through
``w = -solve(J.T, g)``, where ``J`` is the derivative of ``F`` by ``x``, and then back over ``F`` to all that
it has read of the graph, closures included: that is found by looking where the edges lead.

The point stands for the value itself (``Alias``): in a sweep that is recorded, what depends on where ``x`` is
leads on to the value's own node, so that derivatives of all orders are those of the implicit function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from ...eager.fitting import fitted
from ...eager.node import AccumulateGrad, Node, next_number
from ...eager.numpy_protocol import run
from ...eager.state import restore, silence, state
from ...eager.steps import add_to
from ...eager.tensor import Tensor
from ...eager.views import edge_of
from ..traced_array import point

Edge = tuple[Any, int]
NEARLY = 1e-11  # of a matrix with rows and columns of one size: what is below is as good as singular


def pulled_back(roots: Sequence[tuple[Edge, Any]], first: int, stop: Any, graph: bool) -> dict[Edge, Any]:
    """Cotangents, from those of ``roots``, at the edges that lead out of what was recorded since ``first``.

    ``stop``: a node that is one of these ends, too.
    """
    heap: list[tuple[int, Any]] = []
    buffers: dict[Any, Any] = {}
    found: dict[Edge, Any] = {}

    def arrive(node: Any, nr: int, g: Any) -> None:
        if g is None:
            return
        g = fitted(g, node._meta_of(nr), graph)
        if node is stop or node._number < first or isinstance(node, AccumulateGrad):
            found[node, nr] = found[node, nr] + g if (node, nr) in found else g
            return
        if node not in buffers:
            heappush(heap, (-node._number, node))
        add_to(buffers, node, nr, g)

    before, state.grad = state.grad, graph
    token = silence()
    try:
        for (node, nr), g in roots:
            arrive(node, nr, g)
        while heap:
            node = heappop(heap)[1]
            outs = node._backward(buffers.pop(node), graph)
            for (target, nr), out in zip(node._live, outs, strict=True):
                arrive(target, nr, out)
    finally:
        state.grad = before
        restore(token)
    return found


def edges_out(root: Any, first: int, stop: Any) -> list[Edge]:
    """The edges that lead out of what was recorded since ``first``, in an order of their own."""
    found: dict[Edge, None] = {}
    pending: list[Edge] = [root]
    seen: set[Any] = set()
    while pending:
        node, nr = pending.pop()
        if node is stop:
            continue
        if node._number < first or isinstance(node, AccumulateGrad):
            found[node, nr] = None
        elif node not in seen:
            seen.add(node)
            pending.extend(node._live)
    return list(found)


class Alias(Node):
    """The point at which an equation is recorded: it is the solution itself."""

    def __init__(self, solution: Node, meta: Any) -> None:
        self._number, self._meta = next_number(), meta
        self._edges = self._live = ((solution, 0),)

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        return [g]


class SolutionBackward(Node):
    """The node of a value that solves an equation."""

    solution: Any = None

    def __init__(self, meta: Any) -> None:
        self._number, self._meta = next_number(), meta

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        found = self.solution.cotangents(g, graph)
        return [found.get(edge) for edge in self._live]


class Solution:
    """A number or a real array, ``x``, that solves an equation; see the module.

    Args:
        x: what the solver found.
        diagonal: each element has an equation of its own.
        least: where the equation is singular, the derivative of least length is taken.
    """

    def __init__(self, x: Any, diagonal: bool = False, least: bool = False) -> None:
        self.x, self.diagonal, self.least = x, diagonal, least
        self.shape, self.size = np.shape(x), int(np.size(x))
        meta = self.shape, np.result_type(x)
        self.node = SolutionBackward(meta)
        self.node.solution = self
        self.alias = Alias(self.node, meta)
        self.equation: Edge | None = None
        self.recorded: Any = None  # what the function whose zero it is returned
        self.least_told = 0.0  # by how much the function that is least has to change, to be told from another

    def untold(self) -> list[int]:
        """Coordinates that can change by as much as they are, and what is least changes by nothing."""
        size = (1.0 + np.abs(np.reshape(self.x, self.size))) ** 2
        curved = np.abs(np.diagonal(np.atleast_2d(self.linear.matrix)))
        return [int(i) for i in np.flatnonzero(size * curved <= self.least_told)]

    @property
    def point(self) -> Any:
        """The value to write the equation with."""
        return point(self.x, self.alias, 0)

    @property
    def value(self) -> Any:
        """The value for those who have asked for a solution."""
        return point(self.x, self.node if self.node._live else None, 0)

    def gradient(self, y: Any) -> Any:
        """The derivative of a number by the point, recorded."""
        root = edge_of(y) if isinstance(y, Tensor) else (None, 0)
        one = Tensor._of(np.ones(np.shape(getattr(y, "_array", y)), self.node._meta[1]))
        found = self.pulled([(root, one)], True) if root[0] is not None else {}
        g = found.get((self.alias, 0))
        return Tensor._of(np.zeros(self.shape)) if g is None else g

    def close(self, residual: Any, matrix: Callable[[], np.ndarray] | None = None) -> Linear:
        """Take the equation: an array of as many numbers as the solution has.

        ``matrix``: gives its derivative by the solution, where that takes less than a sweep for each number.
        """
        given = residual if isinstance(residual, Tensor) else Tensor._of(np.array(residual, float))
        flat = run(np.reshape, (given, (self.size,)), {})
        root = edge_of(flat)
        self.linear = Linear(np.zeros((self.size,) * 2), self)
        self.residual = flat._array
        if root[0] is None:
            return self.linear
        self.equation = root
        self.node._edges = self.node._live = tuple(edges_out(root, self.node._number, self.alias))
        self.linear = Linear(self.jacobian(False) if matrix is None else matrix(), self)
        return self.linear

    def pulled(self, roots: Sequence[tuple[Edge, Any]], graph: bool) -> dict[Edge, Any]:
        return pulled_back(roots, self.node._number, self.alias, graph)

    def jacobian(self, graph: bool) -> Any:
        """The derivative of the equation by the solution; its diagonal, where it is one."""
        seeds = [np.ones(self.size)] if self.diagonal else list(np.eye(self.size))
        kind = self.node._meta[1]
        rows = [self.row(seed.astype(kind), graph) for seed in seeds]
        if not graph:
            return rows[0] if self.diagonal else np.array(rows).reshape(self.size, self.size)
        return rows[0] if self.diagonal else run(np.stack, (rows,), {})

    def row(self, seed: np.ndarray, graph: bool) -> Any:
        assert self.equation is not None
        return self.by_point(self.equation, seed, graph)

    def by_point(self, root: Edge, seed: np.ndarray, graph: bool = False) -> Any:
        """The cotangent of the point, for that of what stands at a place of the graph."""
        found = self.pulled([(root, Tensor._of(seed) if graph else seed)], graph)
        g = found.get((self.alias, 0))
        if g is None:
            return Tensor._of(np.zeros(self.size)) if graph else np.zeros(self.size)
        return run(np.reshape, (g, (self.size,)), {}) if graph else np.reshape(g, self.size)

    def cotangents(self, g: Any, graph: bool) -> dict[Edge, Any]:
        """Those of what the equation reads, for that of the solution."""
        assert self.equation is not None
        if not graph:
            w = self.linear.transposed(np.reshape(g, self.size))
            return self.pulled([(self.equation, -w)], False)
        matrix, flat = self.jacobian(True), run(np.reshape, (g, (self.size,)), {})
        if self.diagonal:
            w = run(np.divide, (flat, matrix), {})
        elif self.linear.singular:
            w = run(np.matmul, (run(np.linalg.pinv, (run(np.transpose, (matrix,), {}),), {}), flat), {})
        else:
            w = run(np.linalg.solve, (run(np.transpose, (matrix,), {}), flat), {})
        return self.pulled([(self.equation, run(np.negative, (w,), {}))], True)


class Linear:
    """The derivative of an equation by its solution, and what can be done with it."""

    def __init__(self, matrix: np.ndarray, solution: Solution) -> None:
        self.matrix, self.solution = matrix, solution
        self.singular = bool(np.any(self._scaled_values() <= NEARLY))

    def _scaled_values(self) -> np.ndarray:
        """The singular values, with rows and columns of one size; NaN counts as zero."""
        m = np.abs(self.matrix) if self.matrix.ndim == 1 else self.matrix
        if not np.all(np.isfinite(m)):
            return np.zeros(1)
        if m.size == 1:
            return (m.reshape(1) != 0).astype(float)
        if m.ndim == 1:
            return m / max(m.max(initial=0.0), np.finfo(float).tiny)
        for axis in (1, 0):
            size = np.abs(m).max(axis, initial=0.0, keepdims=True)
            m = m / np.where(size > 0, size, 1.0)
        values: np.ndarray = np.linalg.svd(m, compute_uv=False)
        return values / max(values.max(initial=0.0), np.finfo(float).tiny)

    def transposed(self, g: np.ndarray) -> Any:
        """The solution of the transposed equation."""
        return self._solved(self.matrix.T, g)

    def step(self) -> np.ndarray:
        """How far Newton's method would go from here: the error of the solution."""
        return np.reshape(np.asarray(self._solved(self.matrix, self.solution.residual)), self.solution.shape)

    def _solved(self, matrix: np.ndarray, g: np.ndarray) -> Any:
        if not self.singular:
            return g / matrix.ravel() if matrix.ndim == 1 or matrix.size == 1 else np.linalg.solve(matrix, g)
        if self.solution.least and matrix.ndim == 2 and np.all(np.isfinite(matrix)):
            return np.linalg.pinv(matrix, rcond=NEARLY) @ g
        if matrix.ndim == 1:
            with np.errstate(all="ignore"):
                return np.where(matrix == 0, np.nan, g / matrix)
        return np.full(np.shape(g), np.nan)
