"""Arrays with margins: which element of an array do the elements of its margins repeat?"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from typing import Any

import numpy as np

from .. import helpers
from ..helpers import unbroadcast
from ..registry import nondifferentiable, vjp
from .gather import nowhere, positions, refuse, scatter_to
from .sorting import ranks

MODES = ("edge", "reflect", "symmetric", "wrap", "linear_ramp")
EXTREMES = ("maximum", "minimum", "median")


@vjp(np.pad)
def pad(
    g,
    ans,
    array,
    pad_width,
    mode="constant",
    constant_values=0,
    reflect_type="even",
    end_values=0,
    stat_length=None,
):
    if mode == "constant":
        inserted = np.pad(nowhere(array), pad_width, constant_values=positions(constant_values))
        return unpadded(g, array, pad_width), None, None, scatter_to(constant_values, inserted, g)
    if mode == "empty":
        return unpadded(g, array, pad_width)
    if mode in MODES and reflect_type == "even":
        bar = folded(g, array, pad_width, mode)
        if mode != "linear_ramp":
            return bar
        return bar, None, None, None, None, ends_of_ramps(g, array, pad_width, end_values)
    if mode in ("reflect", "symmetric", "mean"):
        return folded_each(g, array, pad_width, mode, reflect_type, stat_length)
    if mode in EXTREMES:
        return folded_extremes(g, array, pad_width, mode, stat_length)
    refuse(f"np.pad(mode={mode!r})", "there is no rule for this way of padding")


def margins(x: Any, pad_width: Any) -> list[tuple[int, int]]:
    """How many elements ``np.pad(x, pad_width)`` puts before each axis, and how many behind it.

    >>> margins(np.zeros((3, 4)), (1, 2)), margins(np.zeros((3, 4)), {-1: 2})
    ([(1, 2), (1, 2)], [(0, 0), (2, 2)])
    """
    if isinstance(pad_width, dict):
        pairs = np.zeros((np.ndim(x), 2), int)
        for axis, width in pad_width.items():
            pairs[axis] = width
    else:
        pairs = np.broadcast_to(np.asarray(pad_width), (np.ndim(x), 2))
    return [(int(before), int(behind)) for before, behind in pairs]


def unpadded(g: Any, x: Any, pad_width: Any) -> Any:
    """The part of ``g`` that belongs to ``x`` in ``np.pad(x, pad_width)``. Reads ``x``'s shape only.

    >>> unpadded(np.arange(5.0), np.zeros(2), (1, 2))
    array([1., 2.])
    """
    sides = zip(margins(x, pad_width), np.shape(x), strict=True)
    return g[tuple(slice(before, before + n) for (before, _), n in sides)]


@vjp(unpadded, view=True)
def unpadded_rule(g, ans, v, x, pad_width):
    return np.pad(g, pad_width), None, None


def folded(g: Any, x: Any, pad_width: Any, mode: str) -> Any:
    """``g`` summed down to ``x``, of whose elements ``np.pad(x, pad_width, mode)`` is made. Reads its shape.

    >>> folded(np.array([1.0, 2.0, 4.0, 8.0, 16.0]), np.zeros(2), (1, 2), "edge")
    array([ 3., 28.])
    >>> folded(np.array([1.0, 2.0, 4.0, 8.0, 16.0]), np.zeros(2), (1, 2), "wrap")
    array([10., 21.])
    """
    sides = margins(x, pad_width)
    most = [n - (mode == "reflect") for n in np.shape(x)]
    if mode not in ("edge", "linear_ramp") and any(
        max(pair) > n for pair, n in zip(sides, most, strict=True)
    ):
        return scatter_to(x, np.pad(positions(x), pad_width, mode), g)  # type: ignore[call-overload]
    out = np.array(g)
    for axis, (before, behind) in enumerate(sides):
        out = _folded_along(out, axis, before, behind, mode)
    return out


def _folded_along(g: Any, axis: int, before: int, behind: int, mode: str) -> Any:
    """The margins of one axis are added to what they repeat."""
    rows = np.moveaxis(g, axis, 0)
    n = len(rows) - before - behind
    first, out, last = rows[:before], rows[before : before + n].copy(), rows[before + n :]
    if mode == "edge":
        if before:
            out[0] += np.sum(first, axis=0)
        if behind:
            out[-1] += np.sum(last, axis=0)
    elif mode == "linear_ramp":
        if before:
            out[0] += np.tensordot(np.arange(before) / before, first, 1)
        if behind:
            out[-1] += np.tensordot(np.arange(behind)[::-1] / behind, last, 1)
    elif mode == "wrap":
        out[n - before :] += first
        out[:behind] += last
    else:
        skipped = int(mode == "reflect")  # which does not repeat the edge itself
        out[skipped : skipped + before] += first[::-1]
        out[n - skipped - behind : n - skipped] += last[::-1]
    return np.moveaxis(out, 0, axis)


@vjp(folded)
def folded_rule(g, ans, v, x, pad_width, mode):
    return np.pad(g, pad_width, mode), None, None, None


# ----- ways of padding in which a margin is computed of several elements -----


def options_of(mode: str, reflect_type: str, pairs: Any) -> dict[str, Any]:
    """The options that ``np.pad`` takes in this mode."""
    return {"stat_length": pairs} if mode == "mean" else {"reflect_type": reflect_type}


def folded_each(g: Any, x: Any, pad_width: Any, mode: str, reflect_type: str, stat_length: Any) -> Any:
    """``g`` brought back to ``x``'s shape by the transposed matrix of each axis: its unit vectors, padded.

    >>> folded_each(np.array([1.0, 2.0, 4.0]), np.zeros(2), (1, 0), "mean", "even", None)
    array([2.5, 4.5])
    """
    few = None if stat_length is None else np.broadcast_to(stat_length, (np.ndim(x), 2))
    out = np.copy(g)
    for axis, pair in enumerate(margins(x, pad_width)):
        options = options_of(mode, reflect_type, None if few is None else (tuple(few[axis]), (1, 1)))
        matrix = np.pad(np.eye(np.shape(x)[axis]), (pair, (0, 0)), mode, **options)  # type: ignore[call-overload]
        out = np.moveaxis(np.tensordot(out, matrix.astype(out.dtype), (axis, 0)), -1, axis)
    return out


@vjp(folded_each)
def folded_each_rule(g, ans, v, x, pad_width, mode, reflect_type, stat_length):
    return np.pad(g, pad_width, mode, **options_of(mode, reflect_type, stat_length))


def ends_of_ramps(g, x, pad_width, end_values):
    """The cotangent of the numbers at which ramps end: the others of a ramp have a share of them.

    Ramps along one axis are padded along those that follow.
    """
    parts = []
    sides = margins(x, pad_width)
    for axis in range(np.ndim(x) - 1, -1, -1):
        before, behind = sides[axis]
        rows = np.moveaxis(g, axis, 0)
        n = np.shape(x)[axis]
        first = np.sum(np.moveaxis(rows[:before], 0, -1) * np.linspace(1.0, 0.0, before, endpoint=False))
        rising = np.flip(np.linspace(1.0, 0.0, behind, endpoint=False))
        parts.append([first, np.sum(np.moveaxis(rows[before + n :], 0, -1) * rising)])
        g = folded(g, within(g, axis, n), only(axis, np.ndim(x), sides[axis]), "linear_ramp")
    return unbroadcast(np.array(parts[::-1]), end_values)


def within(g: Any, axis: int, n: int) -> Any:
    """What is shaped like ``g``, but of length ``n`` along an axis."""
    shape = tuple(n if i == axis else m for i, m in enumerate(np.shape(g)))
    return helpers.hollow(np.broadcast_to(0.0, shape))


def only(axis: int, ndim: int, pair: tuple[int, int]) -> list[tuple[int, int]]:
    """The margins of one axis, and none of the others."""
    return [pair if i == axis else (0, 0) for i in range(ndim)]


def folded_extremes(g, x, pad_width, mode, stat_length):
    """``g`` brought back to ``x``: of each axis' margins what they are made of gets its part.

    The margins of an axis are made of those of the axes before it, too.
    """
    lengths = np.broadcast_to(-1 if stat_length is None else stat_length, (np.ndim(x), 2))
    sides = margins(x, pad_width)
    stages = [x]
    for axis in range(np.ndim(x) - 1):
        stages.append(np.pad(stages[-1], only(axis, np.ndim(x), sides[axis]), mode, stat_length=stat_length))
    for axis in range(np.ndim(x) - 1, -1, -1):
        before, _ = sides[axis]
        whole, rows = np.moveaxis(stages[axis], axis, 0), np.moveaxis(g, axis, 0)
        n = np.shape(x)[axis]
        first, last = taken_of(lengths[axis], n)
        out = rows[before : before + n]
        out = helpers.add_at(out, first, np.sum(rows[:before], axis=0) * parts_in(whole[first], mode))
        out = helpers.add_at(out, last, np.sum(rows[before + n :], axis=0) * parts_in(whole[last], mode))
        g = np.moveaxis(out, 0, axis)
    return g


def taken_of(lengths: Any, n: int) -> tuple[slice, slice]:
    """Of which rows, of ``n``, the margins in front and behind are computed; a negative length: of all."""
    first, last = (n if k < 0 else min(int(k), n) for k in lengths)
    return slice(0, first), slice(n - last, n)


def parts_in(rows: Any, mode: str) -> Any:
    """The share of each element in the maximum, minimum or median of its column.

    >>> parts_in(np.array([1.0, 3.0, 3.0]), "maximum"), parts_in(np.array([1.0, 3.0, 4.0]), "median")
    (array([0. , 0.5, 0.5]), array([0., 1., 0.]))
    """
    if mode == "median":
        middle = (len(rows) - 1) / 2
        return np.maximum(1 - np.abs(ranks(rows, 0) - middle), 0.0)
    reached = rows == (np.max(rows, axis=0) if mode == "maximum" else np.min(rows, axis=0))
    return reached / np.sum(reached, axis=0)


nondifferentiable(parts_in)
helpers.SHAPED_LIKE[parts_in] = 0, (0,)
helpers.METADATA.update({unpadded: 1, folded: 1, folded_each: 1})
helpers.SHAPED_LIKE.update({f: (1, (0,)) for f in (unpadded, folded, folded_each)})
