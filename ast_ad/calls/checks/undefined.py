"""Where a derivative is NaN and differences are finite: is that by an infinite factor, as it has to be?

``is_undefined(program, args, kwargs, bars, forward) -> bool``. Asked in the check of a first call.

The chain rule has no answer where an infinite partial derivative is multiplied by zero, or cancels another
one: ``math.sqrt(s - s)`` is constant, and its derivative ``inf - inf``. That is no defect of a program if the
same rules, applied by the trace to what the function itself does, come to the same, and not because one of
them gives NaN for a cotangent that is finite.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...interrupts import let_through
from ...tracing.argument_copies import copied
from ...trees import flatten

UNDEFINED = "not a derivative, for it is nan: an infinite factor met a zero, or another one of the other sign"


def is_undefined(
    program: Any, args: Sequence[Any], kwargs: dict[str, Any], bars: Sequence[Any], forward: bool = False
) -> bool:
    """Whether there is NaN among ``bars``, the cotangents for ones, and in the same places of the trace's.

    ``forward``: they are tangents, and there is NaN among the cotangents of the trace.
    """
    if not any(bool(np.any(np.isnan(bar))) for bar in bars):
        return False
    try:
        found, made = ones_pulled(program, args, kwargs)
    except Exception as error:  # what can't be traced tells nothing
        let_through(error)
        return False
    if made or forward:
        return not made and any(bool(np.any(np.isnan(bar))) for bar in found)
    same = (np.array_equal(np.isnan(bar), np.isnan(other)) for bar, other in zip(bars, found, strict=True))
    return all(same)


def ones_pulled(program: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Sequence[Any], list[str]]:
    """The cotangents that a trace gives for ones, and the names of nodes that make NaN of finite ones."""
    from ...tracing.history import nodes_of
    from ...tracing.recorder import trace

    named = dict(zip(kwargs, copied(list(kwargs.values())), strict=True))
    value, pullback = trace(program.owner.function, copied(args), named, program.wrt)
    made: list[str] = []
    for node in nodes_of(pullback.outputs, pullback.starts):
        node.register_hook(functools.partial(_watch, made, node))
    count = len(flatten(program.owner.question.parts(value)[0])[0])
    seeds = [
        np.ones_like(leaf)[()] if i < count and np.result_type(leaf).kind in "fc" else None
        for i, leaf in enumerate(flatten(value)[0])
    ]
    return pullback(seeds), made


def _watch(made: list[str], node: Any, found: Sequence[Any], given: Sequence[Any]) -> None:
    if all(np.all(np.isfinite(g._array)) for g in given if g is not None):
        if any(np.any(np.isnan(g._array)) for g in found if g is not None):
            made.append(node.name())
