"""What is a block of a Jacobian in compiled code, where all of its columns can be had in one pass?

``columns(cx, push, place) -> list[Any] | None``. Asked before the pushforward is called once for each
column. ``rows`` is for pullbacks; ``columns_along`` and ``rows_along`` take some of the directions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..compiler.arrays.lengths import Ops
from ..compiler.frontend.context import Context
from ..compiler.frontend.conversion import from_arg
from ..compiler.frontend.values import Bound
from ..compiler.ir.ops import Arg, Block, Lit, Op, Var, walk
from ..compiler.ir.types import Array, Dim
from ..compiler.tangent.unit_vectors import along, along_units
from .inside_later import NestedPullback, NestedPushforward


def columns(cx: Context, push: Any, place: int) -> list[Any] | None:
    """The tangents of the leaves of a value along all unit vectors of a leaf of the arguments.

    Args:
        cx: where the Jacobian is asked for.
        push: the abstract pushforward, with its residuals.
        place: of the leaf among those that are varied, in the order of the call.

    Returns:
        An array for each leaf of the value, with one more axis; None where it takes several passes.
    """
    primal = _varied(push, place)
    if primal is None or not _is_vector(primal):
        return None
    found = _columns(push, place, lambda block, seed, others: along_units(
        block, seed, others, _length(cx, primal)
    ))  # fmt: skip
    return None if found is None else _appended(cx, found)


def columns_along(cx: Context, push: Any, place: int, seeds: Var | None = None) -> list[Any] | None:
    """The same along directions, the last axis of ``seeds``; without these only whether it can be had."""
    primal = _varied(push, place)
    if primal is None:
        return None
    given = _some(primal) if seeds is None else seeds
    found = _columns(push, place, lambda block, seed, others: along(block, seed, others, given))
    return None if found is None else [] if seeds is None else _appended(cx, found)


def _later(asked: Any, kind: type) -> Any:
    later = asked.fn.value if isinstance(asked, Bound) and isinstance(asked.fn, Lit) else None
    return later if isinstance(later, kind) else None


def _varied(push: Any, place: int) -> Var | None:
    """The leaf of the arguments in a place, if it is an array and this is a pushforward."""
    later = _later(push, NestedPushforward)
    primal = later.region.outer[_order(later.region)[place]] if later is not None else None
    return primal if _is_array(primal) else None


def _is_array(arg: Any) -> bool:
    return isinstance(arg, Var) and isinstance(arg.type, Array) and bool(arg.type.shape)


def _is_vector(var: Var) -> bool:
    return isinstance(var.type, Array) and var.type.ndim == 1


def _columns(push: Any, place: int, made: Callable[..., Block | None]) -> Block | None:
    later = _later(push, NestedPushforward)
    block, seeds = later.copied(push.args[0])
    return made(block, seeds.pop(_order(later.region)[place]), seeds)


def _appended(cx: Context, found: Block) -> list[Any]:
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
    value = _value(pull, place, count)
    if value is None or not _is_vector(value) or not _solves(_later(pull, NestedPullback).second.body):
        return None
    found = _rows(pull, place, lambda block, seed, others: along_units(
        block, seed, others, _length(cx, value)
    ))  # fmt: skip
    if found is None:
        return None
    for op in found.ops:
        cx.builder.append(op)
    order = _order(_later(pull, NestedPullback).region)
    first = [cx.builder.op(np.moveaxis, found.results[i], Lit(-1), Lit(0)) for i in order]
    return [from_arg(cx, result) for result in first]


def rows_along(cx: Context, pull: Any, place: int, count: int, seeds: Var | None = None) -> list[Any] | None:
    """The same along directions, the last axis of ``seeds`` and of the result; without: if it can be had."""
    value = _value(pull, place, count)
    if value is None:
        return None
    given = _some(value) if seeds is None else seeds
    found = _rows(pull, place, lambda block, seed, others: along(block, seed, others, given))
    if found is None or seeds is None:
        return None if found is None else []
    several = _appended(cx, found)
    return [several[i] for i in _order(_later(pull, NestedPullback).region)]


def _solves(block: Block) -> bool:
    return any(isinstance(op, Op) and op.fn is np.linalg.solve for op in walk(block))


def _value(pull: Any, place: int, count: int) -> Var | None:
    """The leaf of the value in a place, if it is an array and this is a pullback to all arguments."""
    later = _later(pull, NestedPullback)
    if later is None:
        return None
    region, of = later.region, later.region.places()[place]
    value = region.results[of]
    return value if len(_order(region)) == count and of in region.of and _is_array(value) else None


def _rows(pull: Any, place: int, made: Callable[..., Block | None]) -> Block | None:
    later = _later(pull, NestedPullback)
    block, seeds = later.copied(pull.args[0])
    return made(block, seeds.pop(list(later.region.of).index(later.region.places()[place])), seeds)


def _some(array: Var) -> Var:
    """Directions of which no more is known."""
    assert isinstance(array.type, Array) and array.type.shape is not None
    return Var(Array(np.dtype(float), (*array.type.shape, Dim.fresh())))


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
