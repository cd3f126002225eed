"""How do the linear filters of ``scipy.ndimage`` pass a cotangent back?

Read by the registry once the user's program has imported ``scipy.ndimage``. A filter extends its input beyond
the edges, as ``mode`` says, and correlates that with weights: it is linear in both. So three functions are
derivatives of each other: ``correlated``, its adjoint by the input (``uncorrelated``), and that by the
weights (``tap_sums``). All filters are made of them. Where the result goes to an array (``output=``) there is
no rule, and none for the number beyond the edges (``cval``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd

from .. import helpers
from ..numpy.gather import positions, refuse
from ..registry import composite, vjp

PADDED = {  # what NumPy calls the ways to extend an array
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "mirror": "reflect",
    "nearest": "edge",
    "wrap": "wrap",
    "grid-wrap": "wrap",
    "constant": "constant",
    "grid-constant": "constant",
}

# ----- the three linear functions -----


def correlated(x: Any, weights: Any, mode: str, cval: float, origin: Any) -> Any:
    """``nd.correlate(x, weights)``.

    >>> correlated(np.array([1.0, 2.0, 4.0]), np.array([0.0, 0.0, 1.0]), "nearest", 0.0, 0)
    array([2., 4., 4.])
    """
    x = np.asarray(x)
    return _valid(_extended(x, np.shape(weights), mode, cval, origin), np.asarray(weights), x.shape)


def uncorrelated(g: Any, weights: Any, x: Any, mode: str, origin: Any) -> Any:
    """The adjoint of ``correlated(x, weights)`` by ``x``, of which it reads the shape only.

    >>> uncorrelated(np.array([1.0, 2.0, 4.0]), np.array([0.0, 0.0, 1.0]), np.zeros(3), "nearest", 0)
    array([0., 1., 6.])
    """
    shape, g, turned = np.shape(x), np.asarray(g), np.flip(np.asarray(weights))
    if not np.size(x):
        return np.zeros(shape, g.dtype)
    around = np.pad(g, [(n - 1, n - 1) for n in turned.shape])
    room = tuple(m + n - 1 for m, n in zip(shape, turned.shape, strict=True))
    wide = _valid(around, turned, room)  # the cotangent of the extended input
    if PADDED[mode] == "constant":
        sides = _margins(turned.shape, origin)
        return wide[tuple(slice(first, first + m) for (first, _), m in zip(sides, shape, strict=True))].copy()
    places = _extended(positions(x), turned.shape, mode, 0, origin)
    return np.bincount(places.ravel(), wide.ravel(), np.size(x)).reshape(shape).astype(wide.dtype)


def tap_sums(g: Any, x: Any, weights: Any, mode: str, cval: float, origin: Any) -> Any:
    """The adjoint of ``correlated(x, weights)`` by ``weights``, of which it reads the shape only.

    >>> tap_sums(np.array([1.0, 2.0]), np.array([3.0, 5.0]), np.zeros(3), "constant", 0.0, 0)
    array([ 6., 13.,  5.])
    """
    x = np.asarray(x)
    sums = np.zeros(np.shape(weights), np.result_type(g, x, weights))
    wide = _extended(x, sums.shape, mode, cval, origin)
    for tap in np.ndindex(*sums.shape):
        seen = wide[tuple(slice(k, k + m) for k, m in zip(tap, x.shape, strict=True))]
        sums[tap] = np.sum(g * seen)
    return sums


@vjp(correlated)
def correlated_rule(g, ans, x, weights, mode, cval, origin):
    if np.iscomplexobj(x) or np.iscomplexobj(weights):
        refuse("filters of scipy.ndimage on complex numbers", "there is no rule for them")
    return uncorrelated(g, weights, x, mode, origin), tap_sums(g, x, weights, mode, cval, origin)


@vjp(uncorrelated)
def uncorrelated_rule(g, ans, h, weights, x, mode, origin):
    return correlated(g, weights, mode, 0.0, origin), tap_sums(h, g, weights, mode, 0.0, origin)


@vjp(tap_sums)
def tap_sums_rule(g, ans, h, x, weights, mode, cval, origin):
    return correlated(x, g, mode, cval, origin), uncorrelated(h, g, x, mode, origin)


helpers.METADATA.update({uncorrelated: 2, tap_sums: 2})
helpers.SHAPED_LIKE.update({correlated: (0, (0,)), uncorrelated: (2, (0,)), tap_sums: (2, (0, 1, 2))})


def _margins(lengths: Any, origin: Any) -> list[tuple[int, int]]:
    """How far the input is extended before and behind, for each axis.

    >>> _margins((3, 4), 0)
    [(1, 1), (2, 1)]
    """
    shifts = origin if isinstance(origin, (list, tuple)) else [origin] * len(lengths)
    return [(n // 2 + shift, n - 1 - n // 2 - shift) for n, shift in zip(lengths, shifts, strict=True)]


def _extended(x: Any, lengths: Any, mode: str, cval: float, origin: Any) -> Any:
    sides, way = _margins(lengths, origin), PADDED[mode]
    if not x.size:
        return np.zeros([m + n - 1 for m, n in zip(x.shape, lengths, strict=True)], x.dtype)
    return np.pad(x, sides, constant_values=cval) if way == "constant" else np.pad(x, sides, way)  # type: ignore[call-overload]


def _valid(wide: Any, weights: Any, shape: Any) -> Any:
    """The correlation where all weights lie within: element ``i`` sums ``weights[k] * wide[i + k]``."""
    found = nd.correlate(wide, weights, mode="constant")
    return found[tuple(slice(n // 2, n // 2 + m) for n, m in zip(weights.shape, shape, strict=True))].copy()


# ----- filters with weights -----


@composite(nd.correlate)
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    require_plain("correlate", output, axes)
    return correlated(input, weights, mode, cval, origin)


@composite(nd.convolve)
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    require_plain("convolve", output, axes)
    return correlated(input, np.flip(weights), mode, cval, turned(each(origin, np.ndim(input)), weights))


@composite(nd.correlate1d)
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    require_plain("correlate1d", output, None)
    return correlated(input, on_axis(weights, input, axis), mode, cval, shifted(input, axis, origin))


@composite(nd.convolve1d)
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    require_plain("convolve1d", output, None)
    lined = on_axis(weights, input, axis)
    return correlated(input, np.flip(lined), mode, cval, turned(shifted(input, axis, origin), lined))


def require_plain(name: str, output: Any, axes: Any) -> None:
    """Refuse options without a rule."""
    if output is not None or axes is not None:
        refuse(
            f"scipy.ndimage.{name} with output= or axes=", fix="use what it returns, or filter axis by axis"
        )


def each(value: Any, count: int) -> Any:
    """An option for every axis, given as one value or as many."""
    several = isinstance(value, (list, tuple)) or isinstance(value, np.ndarray) and np.ndim(value) > 0
    return value if several else [value for _ in range(count)]


def on_axis(weights: Any, x: Any, axis: int) -> Any:
    """Weights for one axis, with the rank of ``x``."""
    ndim = np.ndim(x)
    return np.reshape(weights, tuple([-1 if i == axis % ndim else 1 for i in range(ndim)]))


def shifted(x: Any, axis: int, origin: int) -> Any:
    """The origin for every axis, from that for one."""
    ndim = np.ndim(x)
    return [origin if i == axis % ndim else 0 for i in range(ndim)]


def turned(origin: Any, weights: Any) -> Any:
    """The origin of weights that are turned round."""
    return [-shift - (n + 1) % 2 for shift, n in zip(origin, np.shape(weights), strict=True)]


# ----- uniform and Gaussian filters -----


@composite(nd.uniform_filter1d)
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return nd.correlate1d(input, np.full(size, 1 / size), axis, output, mode, cval, origin)


@composite(nd.uniform_filter)
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    require_plain("uniform_filter", output, axes)
    ndim = np.ndim(input)
    sizes, modes, origins = each(size, ndim), each(mode, ndim), each(origin, ndim)
    for axis in range(ndim):
        if sizes[axis] > 1:
            input = nd.uniform_filter1d(input, sizes[axis], axis, None, modes[axis], cval, origins[axis])
    return input


@composite(nd.gaussian_filter1d)
def gaussian_filter1d(
    input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
):
    radius = int(truncate * sigma + 0.5) if radius is None else radius
    return nd.correlate1d(input, gaussian(sigma, order, radius)[::-1], axis, output, mode, cval)


def gaussian(sigma: Any, order: int, radius: int) -> Any:
    """A normal density on the integers, of sum 1, or its derivative: a polynomial times the density."""
    x, variance = np.arange(-radius, radius + 1), sigma * sigma
    density = np.exp(-0.5 / variance * x**2)
    before, factor = np.zeros(len(x)), np.ones(len(x))
    for n in range(order):
        before, factor = factor, -(x * factor + n * before) / variance
    return factor * (density / np.sum(density))


@composite(nd.gaussian_filter)
def gaussian_filter(
    input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None, axes=None
):
    require_plain("gaussian_filter", output, axes)
    ndim = np.ndim(input)
    sigmas, orders, modes, radii = each(sigma, ndim), each(order, ndim), each(mode, ndim), each(radius, ndim)
    for axis in range(ndim):
        if sigmas[axis] > 1e-15:
            input = nd.gaussian_filter1d(
                input,
                sigmas[axis],
                axis,
                orders[axis],
                None,
                modes[axis],
                cval,
                truncate,
                radius=radii[axis],
            )
    return input


# ----- differences -----


@composite(nd.sobel)
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    return smoothed_difference("sobel", [1.0, 2.0, 1.0], input, axis, output, mode, cval)


@composite(nd.prewitt)
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    return smoothed_difference("prewitt", [1.0, 1.0, 1.0], input, axis, output, mode, cval)


def smoothed_difference(
    name: str, smooth: list[float], x: Any, axis: int, output: Any, mode: Any, cval: Any
) -> Any:
    """The difference of the neighbours along an axis, summed with weights along the others."""
    require_plain(name, output, None)
    ndim = np.ndim(x)
    modes = each(mode, ndim)
    x = nd.correlate1d(x, [-1.0, 0.0, 1.0], axis, None, modes[axis], cval)
    for i in range(ndim):
        if i != axis % ndim:
            x = nd.correlate1d(x, smooth, i, None, modes[i], cval)
    return x


@composite(nd.laplace)
def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    require_plain("laplace", output, axes)
    modes = each(mode, np.ndim(input))
    total = nd.correlate1d(input, [1.0, -2.0, 1.0], 0, None, modes[0], cval)
    for axis in range(1, np.ndim(input)):
        total = total + nd.correlate1d(input, [1.0, -2.0, 1.0], axis, None, modes[axis], cval)
    return total


@composite(nd.gaussian_laplace)
def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, truncate=4.0):
    require_plain("gaussian_laplace", output, axes)
    ndim = np.ndim(input)
    parts = [[2 if i == axis else 0 for i in range(ndim)] for axis in range(ndim)]
    return sum([nd.gaussian_filter(input, sigma, order, None, mode, cval, truncate) for order in parts])


@composite(nd.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude(
    input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, truncate=4.0
):
    require_plain("gaussian_gradient_magnitude", output, axes)
    ndim = np.ndim(input)
    parts = [[1 if i == axis else 0 for i in range(ndim)] for axis in range(ndim)]
    slopes = [nd.gaussian_filter(input, sigma, order, None, mode, cval, truncate) for order in parts]
    return np.linalg.norm(
        np.stack(slopes), axis=0
    )  # at a corner all slopes may be 0: it has the derivative 0
