"""How does the state after a step depend on that before it, where no formula says so? By an equation.

In place of ``Radau``, ``BDF`` and ``LSODA`` stands a collocation at the states that were found: the equations
of Radau's method for each step, which these states nearly solve. ``collocation`` records one step, for
derivatives of all orders. ``at_once`` is the same of all steps, to first order, with a function that is
compiled: where the stages are constants, the slopes there are one call of it, and the rest is linear.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...eager.numpy_protocol import run
from ...eager.tensor import Tensor
from ...eager.views import edge_of
from .functions import bare
from .implicit import Solution

Right = Callable[[Any, Any], Any]


def collocation(states: Callable[[float], Any], stages: int, f: Right, t: Any, y: Any, h: Any) -> Any:
    """One step by the equations of Radau's method, which ``states`` of a finer one nearly solve."""
    places, matrix = radau(stages)
    start, length, size = float(bare(t)), float(bare(h)), np.size(bare(y))
    solution = Solution(np.array([states(start + c * length) for c in places]).ravel())
    inner = run(np.reshape, (solution.point, (stages, size)), {})
    slopes = [f(t + c * h, inner[i]) for i, c in enumerate(places.tolist())]
    rows = [inner[i] - y - h * combined(matrix[i], slopes) for i in range(stages)]

    def derivative() -> np.ndarray:
        """Each of the slopes depends on its own state alone."""
        own = [slope_by_states(solution, slope, size) for slope in slopes]
        parts = [length * sum(a * d for a, d in zip(matrix[i], own, strict=True)) for i in range(stages)]
        return np.eye(solution.size) - np.concatenate(parts)

    solution.close(run(np.concatenate, (rows,), {}), derivative)
    return run(np.reshape, (solution.value, (stages, size)), {})[stages - 1]


def combined(weights: Any, slopes: Sequence[Any]) -> Any:
    parts = [float(w) * slope for w, slope in zip(weights, slopes, strict=False) if w]
    return functools.reduce(lambda a, b: a + b, parts)


def slope_by_states(solution: Solution, slope: Any, size: int) -> np.ndarray:
    """The derivative of one of the slopes by the states of all stages."""
    root = edge_of(slope) if isinstance(slope, Tensor) else (None, 0)
    if root[0] is None:
        return np.zeros((size, solution.size))
    return np.array([solution.by_point(root, seed) for seed in np.eye(size)])


@functools.cache
def radau(stages: int) -> tuple[np.ndarray, np.ndarray]:
    """The places of the stages in a step, the last at its end, and the coefficients."""
    legendre = np.polynomial.Legendre
    difference = legendre.basis(stages, domain=[0, 1]) - legendre.basis(stages - 1, domain=[0, 1])
    places = np.sort(difference.roots().real)
    places[-1] = 1.0
    powers = np.arange(1, stages + 1)
    return places, (places[:, None] ** powers / powers) @ np.linalg.inv(places[:, None] ** (powers - 1))


def stages_for(tolerance: Any) -> int:
    return 3 if float(np.min(bare(tolerance))) > 1e-6 else 5


# ----- all steps at once, to first order
def at_once(
    function: Any,
    walk: Callable[..., Any],
    states: Callable[[Any], Any],
    y0: Any,
    pairs: Sequence[tuple[float, float]],
    args: tuple[Any, ...],
    stages: int,
) -> Any:
    """The states before the first step and after each, as rows in the graph; None if that can't be compiled.

    Args:
        function: of time and state, and of ``args``; compiled.
        walk: that calls it at all times.
        states: those of a finer solution, at an array of times.
        pairs: where each step begins and ends.
    """
    places, matrix = radau(stages)
    begins, ends = np.array(pairs, float).T
    times = np.ravel(begins[:, None] + places * (ends - begins)[:, None])
    points = np.ascontiguousarray(states(times).T)
    pulled = function.pulled(walk, times, points, args)
    if pulled is None:
        return None
    steps = LinearSteps(pulled[1], points.reshape(len(pairs), stages, -1), ends - begins, matrix)
    if not np.all(np.isfinite(steps.after)):
        return None
    found = np.concatenate([bare(y0)[None], points[stages - 1 :: stages]])
    return function.placed(found, steps.pull, y0, args)


class LinearSteps:
    """How the state after each step depends on the state before it and on the slopes at the stages.

    The stages ``Y`` of a step of length h from y solve ``Y = y + h * matrix @ f(Y)``. To first order the last
    one moves by ``after.T`` times what y does, and ``by_slopes.T`` times what the slopes do by themselves.

    Args:
        pull_slopes: the pullback of the slopes, to what is found around f and ``(times, points, args)``.
        points: the stages: an array (steps, stages, n).
        lengths: of the steps.
        matrix: the method's coefficients.
    """

    def __init__(
        self, pull_slopes: Callable[[Any], Any], points: np.ndarray, lengths: np.ndarray, matrix: np.ndarray
    ) -> None:
        self.pull_slopes = pull_slopes
        self.shape = steps, stages, size = points.shape
        own = np.empty((steps, stages, size, size))
        for row in range(size):
            seed = np.zeros((steps * stages, size))
            seed[:, row] = 1.0
            own[:, :, row] = np.reshape(pull_slopes(seed)[1][1], self.shape)
        scaled = lengths[:, None, None] * matrix
        parts = np.transpose(scaled[..., None, None] * own[:, None], (0, 1, 3, 2, 4))
        equation = np.eye(stages * size) - np.reshape(parts, (steps, stages * size, stages * size))
        last = np.broadcast_to(np.eye(stages * size)[:, -size:], (steps, stages * size, size))
        try:
            solved = np.linalg.solve(np.swapaxes(equation, 1, 2), last)
        except np.linalg.LinAlgError:
            solved = np.full(last.shape, np.nan)
        solved = solved.reshape(steps, stages, size, size)
        self.after = np.sum(solved, axis=1)
        self.by_slopes = np.einsum("nij,nixy->njxy", scaled, solved)

    def pull(self, bars: np.ndarray) -> Any:
        """From cotangents of all states to those of what is around f and of ``(y0, args)``."""
        slopes, bar = np.empty(self.shape), bars[-1]
        for n in reversed(range(len(self.after))):
            slopes[n] = self.by_slopes[n] @ bar
            bar = self.after[n] @ bar + bars[n]
        around, (_, _, args) = self.pull_slopes(np.reshape(slopes, (-1, self.shape[-1])))
        return around, (bar, args)
