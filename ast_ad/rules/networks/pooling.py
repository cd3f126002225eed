"""How do maxima and means over windows differentiate?

Maxima come with their places, to which the gradient goes; means are linear, and each function here is the
adjoint of its neighbour. Spatial axes are the last ``rank`` ones.

Index: max_pool adaptive_max_pool max_unpool avg_pool adaptive_avg_pool.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import helpers
from ..loops import pooling as kernels
from ..registry import nondifferentiable, vjp
from .pooling_sizes import check_adaptive, check_average, check_maximum, lengths, pooled_sizes, unpooled_sizes

# ----- maxima


def volumes(x: Any, rank: int) -> Any:
    """``x`` with three spatial axes and one more before them, in one piece of memory."""
    split = x.ndim - rank
    shape = (math.prod(x.shape[:split]), *(1,) * (3 - rank), *x.shape[split:])
    return np.ascontiguousarray(x).reshape(shape)


def flattened(x: Any, rank: int) -> Any:
    """``x`` with one spatial axis and one more before it."""
    split = x.ndim - rank
    return np.ascontiguousarray(x).reshape(math.prod(x.shape[:split]), math.prod(x.shape[split:]))


def maxima(x: Any, first: Any, stop: Any, step: Any, rank: int) -> tuple[Any, Any]:
    """The largest element of each window and its place; windows as the kernel wants them."""
    lead = (np.zeros(1, np.intp),) * (3 - rank)
    first, stop = (*lead, *first), (*(v + 1 for v in lead), *stop)
    sizes = x.shape[: x.ndim - rank] + tuple(map(len, first[3 - rank :]))
    if not math.prod(sizes):
        return np.empty(sizes, x.dtype), np.empty(sizes, np.int32)
    values, places = kernels.largest(volumes(x, rank), first, stop, (1,) * (3 - rank) + tuple(step))
    return values.reshape(sizes), places.reshape(sizes)


def fixed(v: Any) -> Any:
    """A list as a tuple, for a key of a cache."""
    return tuple(v) if isinstance(v, list) else v


@functools.lru_cache(256)
def max_windows(
    shape: Any, rank: int, ceil_mode: bool, kernel_size: Any, stride: Any, padding: Any, dilation: Any
) -> tuple[Any, Any, Any]:
    """Where the windows of ``max_pool`` begin and end, and the steps between their taps."""
    taps, stride, padding, dilation = lengths("max_pool", rank, kernel_size, stride, padding, dilation)
    check_maximum(shape, taps, stride, padding, dilation, rank)
    sizes = pooled_sizes(shape, taps, stride, padding, dilation, ceil_mode, rank)
    first = tuple(np.arange(n) * s - p for n, s, p in zip(sizes, stride, padding, strict=True))
    stop = tuple(f + (k - 1) * d + 1 for f, k, d in zip(first, taps, dilation, strict=True))
    for f, n, d in zip(first, shape[len(shape) - rank :], dilation, strict=True):
        if np.any(np.where(f < 0, f % d, f) >= n):
            raise RuntimeError("a window of max_pool has all its taps in the padding")
    return first, stop, dilation


def max_pool(
    x: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, rank: int
) -> tuple[Any, Any]:
    """The largest element of each window, and its place among the pixels.

    >>> max_pool(np.array([[1.0, 3.0, 2.0]]), 2, 1, 0, 1, False, 1)
    (array([[3., 3.]]), array([[1, 1]], dtype=int32))
    """
    how = (fixed(v) for v in (kernel_size, stride, padding, dilation))
    return maxima(x, *max_windows(x.shape, rank, ceil_mode, *how), rank)


@vjp(max_pool)
def max_pool_rule(g, ans, x, kernel_size, stride, padding, dilation, ceil_mode, rank):
    return at_places(g[0], ans[1], x, rank)


def adaptive_max_pool(x: Any, output_size: Any, rank: int) -> tuple[Any, Any]:
    """The largest element of each of so many windows of about the same size, and its place.

    >>> adaptive_max_pool(np.array([[1.0, 3.0, 2.0]]), 2, 1)
    (array([[3., 3.]]), array([[1, 1]], dtype=int32))
    """
    check_adaptive("adaptive_max_pool", x.shape, output_size, rank)
    wanted = adaptive_sizes(x.shape, output_size, rank)
    bounds = [adaptive_bounds(n, m) for n, m in zip(x.shape[x.ndim - rank :], wanted, strict=True)]
    return maxima(x, [b[0] for b in bounds], [b[1] for b in bounds], (1,) * rank, rank)


@vjp(adaptive_max_pool)
def adaptive_max_pool_rule(g, ans, x, output_size, rank):
    return at_places(g[0], ans[1], x, rank)


def at_places(g: Any, places: Any, x: Any, rank: int) -> Any:
    """Zeros of ``x``'s shape with ``g`` added at places among the pixels. Reads ``x``'s shape only.

    >>> at_places(np.array([1.0, 2.0]), np.array([1, 1]), np.zeros(3), 1)
    array([0., 3., 0.])
    """
    size = math.prod(np.shape(x)[np.ndim(x) - rank :])
    return kernels.scattered(flattened(g, rank), flattened(places, rank), size).reshape(np.shape(x))


@vjp(at_places)
def at_places_rule(g, ans, v, places, x, rank):
    return from_places(g, places, rank), None, None, None


def from_places(x: Any, places: Any, rank: int) -> Any:
    """The elements of ``x`` at places among the pixels: the adjoint of ``at_places``.

    >>> from_places(np.array([5.0, 6.0, 7.0]), np.array([1, 1]), 1)
    array([6., 6.])
    """
    return kernels.picked(flattened(x, rank), flattened(places, rank)).reshape(places.shape)


@vjp(from_places)
def from_places_rule(g, ans, x, places, rank):
    return at_places(g, places, x, rank), None, None


def max_unpool(
    x: Any, indices: Any, kernel_size: Any, stride: Any, padding: Any, output_size: Any, rank: int
) -> Any:
    """Zeros but for the elements of ``x``, which go to their places among the pixels.

    Of several that go to one place the last stays.

    >>> max_unpool(np.array([[5.0]]), np.array([[1]]), 2, None, 0, None, 1)
    array([[0., 5.]])
    """
    sizes = unpooled_sizes(x.shape, kernel_size, stride, padding, output_size, rank)
    flat, places = flattened(x, rank), flattened(np.asarray(indices), rank)
    size = math.prod(sizes)
    outside = (places < 0) | (places >= size)
    if np.any(outside):
        raise RuntimeError(
            f"Found an invalid max index: {places[outside][0]} (output volumes are of size "
            f"{'x'.join(map(str, sizes))}"
        )
    out = np.zeros((len(flat), size), x.dtype)
    np.put_along_axis(out, places, flat, 1)
    return out.reshape(x.shape[: x.ndim - rank] + sizes)


@vjp(max_unpool)
def max_unpool_rule(g, ans, x, indices, kernel_size, stride, padding, output_size, rank):
    return from_places(g, indices, rank) * is_last(indices, x, rank), None


def is_last(indices: Any, x: Any, rank: int) -> Any:
    """1 where an index is the last of its value among those of a sample and channel, else 0."""
    places = flattened(np.asarray(indices), rank)
    order = np.arange(places.shape[1])
    last = np.zeros((len(places), int(places.max(initial=0)) + 1), np.intp)
    np.put_along_axis(last, places, np.broadcast_to(order, places.shape), 1)
    kept = np.take_along_axis(last, places, 1) == order
    return kept.reshape(indices.shape).astype(np.asarray(x).dtype)


nondifferentiable(is_last)


# ----- means


def window_sums(x: Any, first: Any, stop: Any, rank: int) -> Any:
    """The sums over windows, one axis after the other."""
    for i in range(rank):
        axis = x.ndim - rank + i
        shape = x.shape[:axis] + (len(first[i]),) + x.shape[axis + 1 :]
        out, lead = np.zeros(shape, x.dtype), (slice(None),) * axis
        for windows, at in kernels.taps(first[i], stop[i], 1, x.shape[axis]):
            out[(*lead, windows)] += x[(*lead, at)]
        x = out
    return x


def window_spread(g: Any, first: Any, stop: Any, sizes: Any) -> Any:
    """The adjoint of ``window_sums`` of something whose last axes have these sizes."""
    for i, size in enumerate(sizes):
        axis = g.ndim - len(sizes) + i
        out = np.zeros(g.shape[:axis] + (size,) + g.shape[axis + 1 :], g.dtype)
        lead = (slice(None),) * axis
        for windows, at in kernels.taps(first[i], stop[i], 1, size):
            out[(*lead, at)] += g[(*lead, windows)]
        g = out
    return g


@functools.lru_cache(256)
def average_windows(
    shape: Any,
    rank: int,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> tuple[Any, Any, Any]:
    """Where the windows of ``avg_pool`` begin and end along each axis, and what their sums are divided by."""
    taps, stride, padding = lengths("avg_pool", rank, kernel_size, stride, padding)
    check_average(shape, taps, stride, padding, divisor_override, rank)
    sizes = pooled_sizes(shape, taps, stride, padding, (1,) * rank, ceil_mode, rank)
    first = [np.arange(n) * s - p for n, s, p in zip(sizes, stride, padding, strict=True)]
    pixels = shape[len(shape) - rank :]
    stop = [np.minimum(f + k, n + p) for f, k, n, p in zip(first, taps, pixels, padding, strict=True)]
    if divisor_override is not None:
        return first, stop, float(divisor_override)
    if not count_include_pad:
        counted = [(np.maximum(f, 0), np.minimum(e, n)) for f, e, n in zip(first, stop, pixels, strict=True)]
        return first, stop, product_of([e - f for f, e in counted])
    return first, stop, product_of([e - f for f, e in zip(first, stop, strict=True)])


def product_of(counts: Any) -> Any:
    """The outer product of the counts along each axis; a number where all are equal."""
    if all(np.all(c == c[:1]) for c in counts):
        return float(math.prod(int(c[0]) if c.size else 1 for c in counts))
    out = np.ones((), float)
    for c in counts:
        out = np.multiply.outer(out, c)
    return out


def divided(x: Any, divisor: Any) -> Any:
    """``x / divisor`` in the type of ``x``."""
    if x.dtype.kind in "iu":
        return np.trunc(x / divisor).astype(x.dtype)
    return x / (divisor if isinstance(divisor, float) else divisor.astype(x.dtype))


def avg_pool(
    x: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
    rank: int,
) -> Any:
    """The mean of each window.

    >>> avg_pool(np.array([[1.0, 3.0, 5.0]]), 2, 1, 0, False, True, None, 1)
    array([[2., 4.]])
    """
    how = fixed(kernel_size), fixed(stride), fixed(padding), ceil_mode, count_include_pad, divisor_override
    first, stop, divisor = average_windows(x.shape, rank, *how)
    return divided(window_sums(x, first, stop, rank), divisor)


def avg_pool_spread(
    g: Any,
    x: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
    rank: int,
) -> Any:
    """The adjoint of ``avg_pool(x, ...)``: each mean's cotangent to its window. Reads ``x``'s shape only.

    >>> avg_pool_spread(np.array([[2.0, 4.0]]), np.zeros((1, 3)), 2, 1, 0, False, True, None, 1)
    array([[1., 3., 2.]])
    """
    shape = np.shape(x)
    how = fixed(kernel_size), fixed(stride), fixed(padding), ceil_mode, count_include_pad, divisor_override
    first, stop, divisor = average_windows(shape, rank, *how)
    return window_spread(divided(g, divisor), first, stop, shape[len(shape) - rank :])


@vjp(avg_pool)
def avg_pool_rule(
    g, ans, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, rank
):
    return avg_pool_spread(
        g, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, rank
    )


@vjp(avg_pool_spread)
def avg_pool_spread_rule(
    g, ans, v, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, rank
):
    return avg_pool(g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, rank)


def adaptive_bounds(size: int, windows: int) -> tuple[Any, Any]:
    """Where so many windows of about the same length begin and end.

    >>> adaptive_bounds(5, 2)
    (array([0, 2]), array([3, 5]))
    """
    i = np.arange(windows)
    return i * size // max(windows, 1), -(-(i + 1) * size // max(windows, 1))


def adaptive_sizes(shape: Any, output_size: Any, rank: int) -> tuple[int, ...]:
    """The sizes that are asked for; None stands for that of the input."""
    asked = (output_size,) * rank if not isinstance(output_size, (tuple, list)) else output_size
    if len(asked) == 1 < rank:
        asked = tuple(asked) * rank
    pixels = shape[len(shape) - rank :]
    return tuple(n if m is None else int(m) for n, m in zip(pixels, asked, strict=True))


def adaptive_avg_pool(x: Any, output_size: Any, rank: int) -> Any:
    """The mean of each of so many windows of about the same size.

    >>> adaptive_avg_pool(np.array([[1.0, 3.0, 5.0]]), 2, 1)
    array([[2., 4.]])
    """
    check_adaptive("adaptive_avg_pool", x.shape, output_size, rank)
    wanted = adaptive_sizes(x.shape, output_size, rank)
    bounds = [adaptive_bounds(n, m) for n, m in zip(x.shape[x.ndim - rank :], wanted, strict=True)]
    sums = window_sums(x, [b[0] for b in bounds], [b[1] for b in bounds], rank)
    return divided(sums, product_of([b[1] - b[0] for b in bounds]))


def adaptive_avg_pool_spread(g: Any, x: Any, rank: int) -> Any:
    """The adjoint of ``adaptive_avg_pool(x, ...)``. Reads ``x``'s shape only.

    A window holds an element exactly if, with the sizes exchanged, the element's window holds the window.

    >>> adaptive_avg_pool_spread(np.array([[2.0, 4.0]]), np.zeros((1, 3)), 1)
    array([[1., 3., 2.]])
    """
    pixels, windows = np.shape(x)[np.ndim(x) - rank :], g.shape[g.ndim - rank :]
    counts = [adaptive_bounds(n, m) for n, m in zip(pixels, windows, strict=True)]
    bounds = [adaptive_bounds(m, n) for n, m in zip(pixels, windows, strict=True)]
    shared = divided(g, product_of([b[1] - b[0] for b in counts]))
    return window_sums(shared, [b[0] for b in bounds], [b[1] for b in bounds], rank)


@vjp(adaptive_avg_pool)
def adaptive_avg_pool_rule(g, ans, x, output_size, rank):
    return adaptive_avg_pool_spread(g, x, rank)


@vjp(adaptive_avg_pool_spread)
def adaptive_avg_pool_spread_rule(g, ans, v, x, rank):
    return adaptive_avg_pool(g, np.shape(v)[np.ndim(v) - rank :], rank)


helpers.METADATA.update({at_places: 2, avg_pool_spread: 1, adaptive_avg_pool_spread: 1})
helpers.SHAPED_LIKE.update({at_places: (2, (0,)), from_places: (1, (0,)), avg_pool_spread: (1, (0,))})
helpers.SHAPED_LIKE.update({adaptive_avg_pool_spread: (1, (0,))})
