"""How do the filters of ``scipy.ndimage`` that choose a number pass a cotangent back?

Extrema, ranks and grey morphology look at the elements around a place, of an input that is extended beyond
the edges as ``mode`` says, and take one of them. So two linear functions are the derivatives of each other,
``windows`` and its adjoint ``unwindowed``; the rest is ``np.min``, ``np.max`` and ``np.sort`` of the elements
in a window. As everywhere equal extremes share the cotangent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd

from .. import helpers
from ..numpy.gather import positions
from ..registry import composite, nondifferentiable, shape, tried_as, vjp
from ..standing import stands_for
from .ndimage import PADDED, each, require_plain

# ----- what lies around each place -----


def windows(x: Any, size: Any, footprint: Any, mode: Any, cval: float, origin: Any, turn: bool) -> Any:
    """The elements around each place of ``x``, along a new last axis; ``turn``: mirrored, as dilations look.

    >>> windows(np.array([1.0, 2.0, 4.0]), 3, None, "nearest", 0.0, 0, False).tolist()
    [[1.0, 1.0, 2.0], [1.0, 2.0, 4.0], [2.0, 4.0, 4.0]]
    """
    x = np.asarray(x)
    places = _places(x, size, footprint, mode, origin, turn)
    return np.append(x.ravel(), np.asarray(cval, x.dtype))[places]


def unwindowed(g: Any, x: Any, size: Any, footprint: Any, mode: Any, origin: Any, turn: bool) -> Any:
    """The adjoint of ``windows(x, ...)`` by ``x``, of which it reads the shape only.

    >>> unwindowed(np.ones((3, 3)), np.zeros(3), 3, None, "nearest", 0, False)
    array([3., 3., 3.])
    """
    count, g = np.size(x), np.asarray(g)
    places = _places(np.asarray(x), size, footprint, mode, origin, turn)
    sums = np.bincount(places.ravel(), g.ravel(), count + 1)[:-1] if count else np.zeros(0)
    return sums.reshape(np.shape(x)).astype(g.dtype)


@vjp(windows)
def windows_rule(g, ans, x, size, footprint, mode, cval, origin, turn):
    return unwindowed(g, x, size, footprint, mode, origin, turn)


@vjp(unwindowed)
def unwindowed_rule(g, ans, h, x, size, footprint, mode, origin, turn):
    return windows(g, size, footprint, mode, 0.0, origin, turn)


@shape(windows)
def shape_of_windows(x, size=None, footprint=None, mode=None, cval=None, origin=None, turn=None):
    return (*x, None)


def lines_of(x: Any, size: Any, footprint: Any, mode: Any, cval: float, origin: Any) -> Any:
    """The elements around each place, a row for each."""
    around = windows(np.asarray(x, float), size, footprint, mode, float(cval), origin, False)
    return np.reshape(around, (np.size(x), np.shape(around)[-1]))


def rows_around(*args: Any) -> Any:
    """``lines_of`` under another name, for which it stands where traces look for programs."""
    return lines_of(*args)


stands_for(rows_around)(lines_of)
helpers.METADATA.update({unwindowed: 1})
helpers.SHAPED_LIKE.update({unwindowed: (1, (0,))})


def _places(x: Any, size: Any, footprint: Any, mode: Any, origin: Any, turn: bool) -> Any:
    """Where each window's elements are in ``x``; what is beyond the edges of a constant lies behind it."""
    ndim = x.ndim
    chosen = None if footprint is None else np.asarray(footprint, bool)
    lengths = [int(n) for n in (each(size, ndim) if chosen is None else chosen.shape)]
    if len(lengths) != ndim:
        raise ValueError(f"a window of {len(lengths)} dimensions for an array of {ndim}")
    chosen = np.ones(lengths, bool) if chosen is None else np.flip(chosen) if turn else chosen
    shifts = [int(shift) for shift in each(origin, ndim)]
    if turn:
        shifts = [-shift - (n + 1) % 2 for shift, n in zip(shifts, lengths, strict=True)]
    if not x.size:
        return np.zeros((*x.shape, int(chosen.sum())), int)
    found = positions(x)
    for axis, (n, shift, way) in enumerate(zip(lengths, shifts, each(mode, ndim), strict=True)):
        sides = [(0, 0)] * ndim
        sides[axis] = n // 2 + shift, n - 1 - n // 2 - shift
        if PADDED[way] == "constant":
            found = np.pad(found, sides, constant_values=x.size)
        else:
            found = np.pad(found, sides, PADDED[way])  # type: ignore[call-overload]
    around = np.lib.stride_tricks.sliding_window_view(found, tuple(lengths))
    return around[..., chosen]


# ----- extrema -----


def lowest(x: Any, size: Any, footprint: Any, structure: Any, mode: Any, cval: Any, origin: Any) -> Any:
    """The least number of each window, from which a structure's numbers are taken before."""
    if structure is None:
        return np.min(windows(x, size, footprint, mode, cval, origin, False), axis=-1)
    chosen = np.ones(np.shape(structure), bool) if footprint is None else np.asarray(footprint, bool)
    lowered = windows(x, size, chosen, mode, cval, origin, False) - np.asarray(structure)[chosen]
    return np.min(lowered, axis=-1)


def highest(x: Any, size: Any, footprint: Any, structure: Any, mode: Any, cval: Any, origin: Any) -> Any:
    """The greatest number of each window turned round, to which a structure's numbers are added before."""
    if structure is None:
        return np.max(windows(x, size, footprint, mode, cval, origin, True), axis=-1)
    chosen = np.ones(np.shape(structure), bool) if footprint is None else np.asarray(footprint, bool)
    raised = (
        windows(x, size, chosen, mode, cval, origin, True) + np.flip(np.asarray(structure))[np.flip(chosen)]
    )
    return np.max(raised, axis=-1)


def along(x: Any, axis: int, value: int, others: int) -> Any:
    """An option that has a value for one axis."""
    ndim = np.ndim(x)
    return [value if i == axis % ndim else others for i in range(ndim)]


@composite(nd.minimum_filter1d)
def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    require_plain("minimum_filter1d", output, None)
    sizes, origins = along(input, axis, size, 1), along(input, axis, origin, 0)
    return np.min(windows(input, sizes, None, mode, cval, origins, False), axis=-1)


@composite(nd.maximum_filter1d)
def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    require_plain("maximum_filter1d", output, None)
    sizes, origins = along(input, axis, size, 1), along(input, axis, origin, 0)
    return np.max(windows(input, sizes, None, mode, cval, origins, False), axis=-1)


@composite(nd.minimum_filter)
def minimum_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    require_plain("minimum_filter", output, axes)
    return np.min(windows(input, size, footprint, mode, cval, origin, False), axis=-1)


@composite(nd.maximum_filter)
def maximum_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    require_plain("maximum_filter", output, axes)
    return np.max(windows(input, size, footprint, mode, cval, origin, False), axis=-1)


# ----- ranks -----


@composite(nd.rank_filter)
def rank_filter(
    input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    require_plain("rank_filter", output, axes)
    return np.sort(windows(input, size, footprint, mode, cval, origin, False), axis=-1)[..., rank]


@composite(nd.median_filter)
def median_filter(
    input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    require_plain("median_filter", output, axes)
    seen = windows(input, size, footprint, mode, cval, origin, False)
    return np.sort(seen, axis=-1)[..., np.shape(seen)[-1] // 2]


@composite(nd.percentile_filter)
def percentile_filter(
    input,
    percentile,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    require_plain("percentile_filter", output, axes)
    seen = windows(input, size, footprint, mode, cval, origin, False)
    count = np.shape(seen)[-1]
    percentile = percentile + 100.0 if percentile < 0 else percentile
    rank = count - 1 if percentile == 100 else int(count * percentile / 100.0)
    return np.sort(seen, axis=-1)[..., rank]


# ----- morphology -----


@composite(nd.grey_erosion)
def grey_erosion(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    require_plain("grey_erosion", output, axes)
    return lowest(input, size, footprint, structure, mode, cval, origin)


@composite(nd.grey_dilation)
def grey_dilation(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    require_plain("grey_dilation", output, axes)
    return highest(input, size, footprint, structure, mode, cval, origin)


@composite(nd.grey_opening)
def grey_opening(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    require_plain("grey_opening", output, axes)
    lower = nd.grey_erosion(input, size, footprint, structure, None, mode, cval, origin)
    return nd.grey_dilation(lower, size, footprint, structure, None, mode, cval, origin)


@composite(nd.grey_closing)
def grey_closing(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    require_plain("grey_closing", output, axes)
    upper = nd.grey_dilation(input, size, footprint, structure, None, mode, cval, origin)
    return nd.grey_erosion(upper, size, footprint, structure, None, mode, cval, origin)


@composite(nd.morphological_gradient)
def morphological_gradient(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    require_plain("morphological_gradient", output, axes)
    upper = nd.grey_dilation(input, size, footprint, structure, None, mode, cval, origin)
    return upper - nd.grey_erosion(input, size, footprint, structure, None, mode, cval, origin)


@composite(nd.morphological_laplace)
def morphological_laplace(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    require_plain("morphological_laplace", output, axes)
    upper = nd.grey_dilation(input, size, footprint, structure, None, mode, cval, origin)
    lower = nd.grey_erosion(input, size, footprint, structure, None, mode, cval, origin)
    return upper + lower - 2.0 * np.asarray(input)


@composite(nd.white_tophat)
def white_tophat(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    require_plain("white_tophat", output, axes)
    return input - nd.grey_opening(input, size, footprint, structure, None, mode, cval, origin)


@composite(nd.black_tophat)
def black_tophat(
    input,
    size=None,
    footprint=None,
    structure=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    require_plain("black_tophat", output, axes)
    return nd.grey_closing(input, size, footprint, structure, None, mode, cval, origin) - input


# SciPy reads beyond a structure that is smaller than its footprint: the compiler must not try shapes.
GREY = (
    nd.grey_erosion,
    nd.grey_dilation,
    nd.grey_opening,
    nd.grey_closing,
    nd.morphological_gradient,
    nd.morphological_laplace,
    nd.white_tophat,
    nd.black_tophat,
)
helpers.SHAPED_LIKE.update({fn: (0, (0,)) for fn in GREY})

# ----- of booleans: whether an element is 0 is all that these ask

nondifferentiable(nd.binary_erosion, nd.binary_dilation, nd.binary_opening, nd.binary_closing)
nondifferentiable(nd.binary_hit_or_miss, nd.binary_propagation, nd.binary_fill_holes, nd.label)


@tried_as(
    nd.grey_erosion,
    nd.grey_dilation,
    nd.grey_opening,
    nd.grey_closing,
    nd.morphological_gradient,
    nd.morphological_laplace,
    nd.white_tophat,
    nd.black_tophat,
)
def with_equal_shapes(input, size=None, footprint=None, structure=None, *args, **kwargs):
    """SciPy reads as many heights as there are marks, and one at least."""
    if structure is not None and footprint is not None and np.shape(footprint) != np.shape(structure):
        raise ValueError("footprint and structure have to be of one shape")
    footprint = footprint if footprint is None else np.ones_like(footprint)
    return (input, size, footprint, structure, *args), kwargs
