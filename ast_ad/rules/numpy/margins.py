"""Arrays with margins: which element of an array do the elements of its margins repeat?"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from typing import Any

import numpy as np

from .. import helpers
from ..registry import vjp
from .gather import nowhere, positions, refuse, scatter_to

MODES = ("edge", "reflect", "symmetric", "wrap", "linear_ramp")


@vjp(np.pad)
def pad(g, ans, array, pad_width, mode="constant", constant_values=0, reflect_type="even", end_values=0):
    if mode == "constant":
        inserted = np.pad(nowhere(array), pad_width, constant_values=positions(constant_values))
        return unpadded(g, array, pad_width), None, None, scatter_to(constant_values, inserted, g)
    if mode not in MODES or reflect_type != "even":
        refuse(f"np.pad(mode={mode!r})", "there is no rule for this way of padding")
    if mode == "linear_ramp" and np.any(np.not_equal(end_values, 0)):
        refuse("np.pad(end_values=...)", "there is a rule for ramps that end at zero")
    return folded(g, array, pad_width, mode)


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


helpers.METADATA.update({unpadded: 1, folded: 1})
helpers.SHAPED_LIKE.update({unpadded: (1, (0,)), folded: (1, (0,))})
