"""What does a pullback give within a trace, for cotangents that are traced?

``bars(pullback, seeds)``. It is linear, so that it is one node of the graph, whose own pullback is its
transpose: of code that is compiled, the derivative of that code, which the compiler reads as any other; of a
trace, that of its linearization. What the cotangents are computed from is known by then, and no part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..eager.state import state
from ..errors import UnsupportedError
from ..tracing.pullbacks import Rearranged
from ..tracing.traced_array import Traced, plain
from ..trees import flatten
from .compiled_pullbacks import CannotCompile, EveryFloat, compiled_vjp
from .pullback import open_doors
from .request import Request
from .tensor_nodes import edges_of, has_derivative, recorded
from .with_tensors import gradients

Linear = Callable[[Sequence[Any]], tuple[Sequence[Any], Any]]
"""From plain cotangents to those of the arguments, and the pullback from these to the first."""


def bars(
    linear: Linear | None, name: str, seeds: Sequence[Any], dtypes: Sequence[Any], request: Request
) -> Any:
    """The cotangents of the arguments that are asked for, traced.

    Raises:
        UnsupportedError: the pullback has no transpose.
    """
    given = [
        np.asarray(plain(seed), dtype)[() if np.ndim(plain(seed)) == 0 else ...]
        for seed, dtype in zip(seeds, dtypes, strict=True)
    ]
    tracing, state.tracing = state.tracing, 0  # what is read and run here gets plain arrays
    try:
        values, transpose = _refused(name) if linear is None else linear(given)
    finally:
        state.tracing = tracing
    pairs = zip(values, request.python, strict=True)
    found = [value if kind is None else kind(value) for value, kind in pairs]
    return gradients(request, recorded(found, transpose, edges_of(seeds), Traced))


def _refused(name: str) -> Any:
    raise UnsupportedError(
        f"the pullback of `{name}` at a traced cotangent",
        why="its value is a list whose length is known at run time only",
        fix="ask for the pullback within the function that is differentiated",
    )


def of_code(code: Any, residuals: Any) -> Linear:
    """A pullback that is compiled: ``code(residuals, *seeds)``."""

    def linear(seeds: Sequence[Any]) -> tuple[Sequence[Any], Any]:
        run = code.in_numpy()
        every = vars(code).setdefault("_every", EveryFloat(run, False))
        try:
            value, pullback = compiled_vjp(run, (residuals, *seeds), every)
        except CannotCompile as error:
            raise error.__cause__ or error from None
        found = [value] if has_derivative(value) else flatten(value)[0]
        before = sum(map(has_derivative, flatten(residuals)[0]))
        return found, Rearranged(pullback, range(len(found)), range(before, before + len(seeds)))

    return linear


def of_trace(pullback: Any, positions: Sequence[int], length: int) -> Linear:
    """A pullback from a trace; ``positions``: of the seeds among its ``length`` cotangents."""

    def linear(seeds: Sequence[Any]) -> tuple[Sequence[Any], Any]:
        given: list[Any] = [None] * length
        for position, seed in zip(positions, seeds, strict=True):
            given[position] = seed
        found, second = pullback.linearize(given)
        order = sorted(range(len(seeds)), key=lambda n: positions[n])
        places = [len(found) + order.index(n) for n in range(len(seeds))]
        return found, Rearranged(second, range(len(found)), places)

    return linear


open_doors(bars=bars, of_code=of_code)
