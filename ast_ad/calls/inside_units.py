"""What is a block of a Jacobian in compiled code, where all of its columns can be had in one pass?

``columns(cx, push, place, chunk) -> list[Any] | None``. Asked before the pushforward is called once for each
column. ``rows`` is for pullbacks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiler.arrays.lengths import Ops
from ..compiler.frontend.context import Context
from ..compiler.frontend.conversion import from_arg
from ..compiler.frontend.values import Bound
from ..compiler.ir.ops import Arg, Lit, Op, Var, walk
from ..compiler.ir.types import Array
from ..compiler.tangent.unit_vectors import along_units
from .inside_later import NestedPullback, NestedPushforward


def columns(cx: Context, push: Any, place: int, chunk: int | None = None) -> list[Any] | None:
    """The tangents of the leaves of a value along all unit vectors of a leaf of the arguments.

    Args:
        cx: where the Jacobian is asked for.
        push: the abstract pushforward, with its residuals.
        place: of the leaf among those that are varied, in the order of the call.
        chunk: how many columns a pass may compute.

    Returns:
        An array for each leaf of the value, with one more axis; None where it takes a pass for each column.
    """
    later = push.fn.value if isinstance(push, Bound) and isinstance(push.fn, Lit) else None
    if not isinstance(later, NestedPushforward):
        return None
    region, (residuals,) = later.region, push.args
    primal = region.outer[_order(region)[place]]
    if not isinstance(primal, Var) or not isinstance(primal.type, Array) or primal.type.ndim != 1:
        return None
    length = primal.type.shape[0] if primal.type.shape else None
    if chunk is not None and not (isinstance(length, int) and length <= chunk):
        return None
    block, seeds = later.copied(residuals)
    seed = seeds.pop(_order(region)[place])
    found = along_units(block, seed, seeds, _length(cx, primal))
    if found is None:
        return None
    for op in found.ops:
        cx.builder.append(op)
    return [from_arg(cx, result) for result in found.results]


def rows(cx: Context, pull: Any, place: int, count: int) -> list[Any] | None:
    """The cotangents of the leaves of the arguments along all unit vectors of a leaf of the value.

    Asked where a pullback solves systems, whose matrix is the same for all rows; else rows are computed in
    turn, as each may be all that its own numbers need.

    Args:
        cx: where the Jacobian is asked for.
        pull: the abstract pullback, with its residuals.
        place: of the leaf of the value.
        count: how many leaves the arguments have.
    """
    later = pull.fn.value if isinstance(pull, Bound) and isinstance(pull.fn, Lit) else None
    if not isinstance(later, NestedPullback):
        return None
    region, (residuals,) = later.region, pull.args
    order, of = _order(region), region.places()[place]
    value = region.results[of]
    if len(order) != count or of not in region.of or not isinstance(value, Var):
        return None
    if not isinstance(value.type, Array) or value.type.ndim != 1:
        return None
    block, seeds = later.copied(residuals)
    if not any(isinstance(op, Op) and op.fn is np.linalg.solve for op in walk(block)):
        return None
    seed = seeds.pop(list(region.of).index(of))
    found = along_units(block, seed, seeds, _length(cx, value))
    if found is None:
        return None
    for op in found.ops:
        cx.builder.append(op)
    first = [cx.builder.op(np.moveaxis, found.results[i], Lit(-1), Lit(0)) for i in order]
    return [from_arg(cx, result) for result in first]


def _length(cx: Context, vector: Var) -> Arg:
    assert isinstance(vector.type, Array) and vector.type.shape is not None
    (length,) = vector.type.shape
    if isinstance(length, int):
        return Lit(length)
    return Ops(cx.builder.block.ops, cx.builder.span, cx.builder.adjoint).length(vector, 0)


def _order(region: Any) -> list[int]:
    """Where the leaves, in the order of the call, stand among those of the program."""
    counts = {i: sum(region.floats(region.args[i])) for i in region.chosen}
    starts, start = {}, 0
    for i in sorted(region.chosen):
        starts[i], start = start, start + counts[i]
    return [starts[i] + k for i in region.chosen for k in range(counts[i])]
