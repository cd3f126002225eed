"""How does ``scipy.ndimage`` interpolate between the elements of an array, and pass a cotangent back?

A spline is a sum of basis functions, each times a coefficient. The coefficients are linear in the array
(``spline_filter``); the basis functions at a point are polynomials of its distance from an element.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd

from .. import helpers
from ..numpy.gather import refuse
from ..registry import composite, nondifferentiable, tried_as, vjp
from . import morphology  # noqa: F401  its rules and those of ndimage enter the registry, too

WIDENED = 12  # elements by which SciPy extends the array where a mode has no exact end conditions

# ----- coefficients -----


@vjp(nd.spline_filter1d)
def spline_filter1d(g, ans, input, order=3, axis=-1, output=np.float64, mode="mirror"):
    if output is not np.float64 and output != np.float64:  # the type, or what NumPy makes of it
        refuse("scipy.ndimage.spline_filter1d with output=", fix="use what it returns")
    return spline_adjoint(g, order, axis, mode) if order > 1 else g


def spline_adjoint(g: Any, order: int, axis: int, mode: str) -> Any:
    """The adjoint of ``spline_filter1d``, by the matrix with which that multiplies vectors."""
    matrix = nd.spline_filter1d(np.eye(np.shape(g)[axis]), order, 0, mode=mode)
    return np.moveaxis(np.moveaxis(g, axis, -1) @ matrix, -1, axis)


@vjp(spline_adjoint)
def spline_adjoint_rule(g, ans, h, order, axis, mode):
    return nd.spline_filter1d(g, order, axis, mode=mode)


helpers.SHAPED_LIKE[spline_adjoint] = 0, (0,)


@composite(nd.spline_filter)
def spline_filter(input, order=3, output=np.float64, mode="mirror"):
    for axis in range(np.ndim(input)):
        input = nd.spline_filter1d(input, order, axis, output, mode)
    return input


# ----- values at points -----


@composite(nd.map_coordinates)
def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    if output is not None:
        refuse("scipy.ndimage.map_coordinates with output=", fix="use what it returns")
    if mode == "nearest" and order > 1 and not prefilter:
        refuse("scipy.ndimage.map_coordinates(mode='nearest', prefilter=False)", "there is no rule for it")
    if order > 3 or mode not in ("constant", "nearest", "mirror", "reflect", "grid-mirror"):
        refuse(f"scipy.ndimage.map_coordinates({order=}, {mode=})", "there is no rule for it")
    places = np.asarray(coordinates)
    ndim, lengths = np.ndim(input), np.shape(places)[1:]
    places = np.reshape(places, (ndim, -1))
    outside = np.zeros(np.shape(places)[1], bool)
    if mode == "constant":
        for axis in range(ndim):
            outside = outside | beyond(places[axis], np.shape(input)[axis])
        places = np.where(outside, 0.0, places)
    if prefilter and order > 1:
        if mode == "nearest":
            input, places = np.pad(input, WIDENED, "edge"), places + WIDENED
        input = nd.spline_filter(input, order, mode=mode)
    taps, weights = [], np.ones(1)
    for axis in range(ndim):
        n = np.shape(input)[axis]
        inner = folded(places[axis], n, mode)
        lined = (*[1 for _ in range(axis)], order + 1, *[1 for _ in range(ndim - 1 - axis)], -1)
        taps.append(np.reshape(near_elements(inner, n, order, mode), lined))
        weights = weights * np.reshape(basis(inner - first_element(inner, order), order), lined)
    values = np.sum(input[tuple(taps)] * weights, axis=tuple(range(ndim)))
    return np.reshape(np.where(outside, cval, values), lengths)


def beyond(place: Any, n: int) -> Any:
    """Which points lie outside of an axis with ``n`` elements."""
    return (place < 0) | (place > n - 1)


def folded(place: Any, n: int, mode: str) -> Any:
    """The points within the axis at which the array has what its extension has there."""
    if mode == "nearest":
        return np.clip(place, 0.0, n - 1.0)
    if mode == "mirror":
        far = np.mod(place, max(2 * n - 2, 1))
        return np.minimum(far, 2 * n - 2 - far)
    if mode in ("reflect", "grid-mirror"):
        far = np.mod(place + 0.5, 2 * n)
        return np.minimum(far, 2 * n - far) - 0.5
    return place


def first_element(place: Any, order: int) -> Any:
    """The element from which distances are counted: the one before a point, of even orders the nearest."""
    return np.floor(place) if order % 2 else np.floor(place + 0.5)


def near_elements(place: Any, n: int, order: int, mode: str) -> Any:
    """The elements whose basis functions are not zero at the points, by rows; or what is seen there."""
    found = first_element(place, order).astype(int) - order // 2 + np.arange(order + 1)[:, None]
    if mode in ("reflect", "grid-mirror"):
        far = np.mod(found, 2 * n)
        return np.minimum(far, 2 * n - 1 - far)
    far = np.mod(found, max(2 * n - 2, 1))
    return np.minimum(far, 2 * n - 2 - far)


def basis(t: Any, order: int) -> Any:
    """The basis functions that are not zero, by rows, at a distance from the first element."""
    if order == 0:
        return np.ones((1, len(t)))
    if order == 1:
        return np.stack([1 - t, t])
    if order == 2:
        return np.stack([(0.5 - t) ** 2 / 2, 0.75 - t * t, (0.5 + t) ** 2 / 2])
    rest = 1 - t
    return np.stack([rest**3, 4 - 6 * t**2 + 3 * t**3, 4 - 6 * rest**2 + 3 * rest**3, t**3]) / 6


@composite(nd.shift)
def shifted(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """The array between its elements, at points that are shifted the other way."""
    lengths, ndim = np.shape(input), np.ndim(input)
    steps = shift if np.ndim(shift) else [shift for _ in range(ndim)]
    lines = positions_along(lengths)
    places = [np.broadcast_to(lines[axis] - steps[axis], lengths) for axis in range(ndim)]
    return nd.map_coordinates(input, np.stack(places), output, order, mode, cval, prefilter)


@composite(nd.affine_transform)
def affine_transform(
    input,
    matrix,
    offset=0.0,
    output_shape=None,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
):
    """The array at the points ``matrix @ place + offset``; of a vector, the matrix is diagonal."""
    matrix, ndim = np.asarray(matrix), np.ndim(input)
    lengths = np.shape(input) if output_shape is None else output_shape
    lines, places = positions_along(lengths), []
    for axis in range(ndim):
        place = offset[axis] if np.ndim(offset) else offset
        if np.ndim(matrix) == 1:
            place = place + matrix[axis] * lines[axis]
        else:
            if np.shape(matrix)[1] > len(lengths):  # of homogeneous coordinates
                place = matrix[axis, -1]
            for other in range(len(lengths)):
                place = place + matrix[axis, other] * lines[other]
        places.append(np.broadcast_to(place, lengths))
    return nd.map_coordinates(input, np.stack(places), output, order, mode, cval, prefilter)


@tried_as(nd.affine_transform)
def with_diagonal(input, matrix, *args, **kwargs):
    """SciPy divides by a diagonal, and then reads at infinite places, of memory that isn't there."""
    return (input, np.ones_like(matrix) if np.ndim(matrix) == 1 else matrix, *args), kwargs


@composite(nd.zoom)
def zoomed(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, grid_mode=False):
    """The array at points between its elements: its corners stay where they are."""
    if grid_mode:
        refuse("scipy.ndimage.zoom(grid_mode=True)", "there is no rule for it")
    shape, ndim = np.shape(input), np.ndim(input)
    lengths = [int(np.rint(shape[k] * (zoom[k] if np.ndim(zoom) else zoom))) for k in range(ndim)]
    lines, places = positions_along(lengths), []
    for axis in range(ndim):
        step = (shape[axis] - 1) / max(lengths[axis] - 1, 1)
        places.append(np.broadcast_to(lines[axis] * step, lengths))
    return nd.map_coordinates(input, np.stack(places), output, order, mode, cval, prefilter)


def positions_along(lengths: Any) -> Any:
    """The positions along each axis of an array, in its shape but for the other axes."""
    ndim = len(lengths)
    return [
        np.reshape(np.arange(lengths[axis]), [-1 if i == axis else 1 for i in range(ndim)])
        for axis in range(ndim)
    ]


nondifferentiable(beyond, first_element, near_elements)
