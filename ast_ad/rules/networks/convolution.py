"""How does a convolution differentiate? By two others: it is bilinear, and so are they.

With ``y = convolve(x, w)``: ``x_bar = spread(y_bar, w)`` sends each place's cotangent through the kernel to
the pixels that it was computed from, and ``w_bar = correlated(x, y_bar)`` sums what each tap saw. Each of the
three is the derivative of the others, so that derivatives of any order exist. ``spread`` is the transposed
convolution.

Images have shape (N, C, *pixels) or (C, *pixels), kernels (O, C / groups, *taps), with one to three spatial
axes; ``stride``, ``padding`` and ``dilation`` are a number for all of them, or a tuple with one for each.
``padding`` may be "valid" (none) or "same" (as many places as pixels).

Index: convolve spread correlated; convolution transposed_convolution.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..loops.convolution import gather_columns, scatter_columns
from ..numpy.products import conjugate
from ..registry import alias, shape, vjp
from .windows import Windows, check_channels, check_rank, numbers


def convolve(
    x: Any, w: Any, stride: Any, padding: Any, dilation: Any, groups: int, places: Any = None
) -> Any:
    """The convolution of ``x`` with the kernels ``w``, of shape (N, O, *places); by default all places.

    >>> convolve(np.ones((1, 1, 4)), np.ones((1, 1, 2)), 1, 0, 1, 1)
    array([[[2., 2., 2.]]])
    """
    if np.ndim(x) == np.ndim(w) - 1:
        return convolve(x[None], w, stride, padding, dilation, groups, places)[0]
    kind = np.result_type(x, w)
    x, w = np.ascontiguousarray(x, kind), np.ascontiguousarray(w, kind)
    windows = Windows(x.shape, w.shape, stride, padding, dilation, groups, places)
    out = np.empty((x.shape[0], w.shape[0], *windows.places), kind)
    matrices, room = w.reshape(groups, windows.outer, windows.rows), windows.room(kind)
    for chosen in windows.blocks():
        part = out[chosen]
        cols = windows.pixels_as_columns(x[chosen])
        if cols is None:
            block = windows.filled(room, x[chosen])
            gather_columns(*block.arguments())
            cols = windows.as_matrix(block.columns)
        if len(part) == 1:
            np.matmul(matrices, cols, out=part.reshape(groups, windows.outer, windows.place_count))
        else:
            found = np.matmul(matrices, cols).reshape(w.shape[0], len(part), *windows.places)
            part[...] = found.swapaxes(0, 1)
    return out


def spread(g: Any, w: Any, pixels: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """The transposed convolution: each place of ``g`` adds its value times the kernels to an image.

    This is the transposed convolution, the cotangent of ``x`` in ``convolve``.

    >>> spread(np.ones((1, 1, 3)), np.ones((1, 1, 2)), (4,), 1, 0, 1, 1)
    array([[[1., 2., 2., 1.]]])
    """
    if np.ndim(g) == np.ndim(w) - 1:
        return spread(g[None], w, pixels, stride, padding, dilation, groups)[0]
    kind = np.result_type(g, w)
    g, w = np.ascontiguousarray(g, kind), np.ascontiguousarray(w, kind)
    images = (g.shape[0], w.shape[1] * groups, *pixels)
    windows = Windows(images, w.shape, stride, padding, dilation, groups, g.shape[2:])
    transposed = w.reshape(groups, windows.outer, windows.rows).swapaxes(1, 2)
    if windows.direct and windows.block == 1:
        at_places = g.reshape(len(g), groups, windows.outer, windows.place_count)
        return np.matmul(transposed, at_places).reshape(images)
    out, room = np.empty(images, kind), windows.room(kind)
    for chosen in windows.blocks():
        part = out[chosen]
        block = room.of(len(part))
        block.images[...] = 0
        np.matmul(transposed, windows.matrix(g[chosen]), out=windows.as_matrix(block.columns))
        scatter_columns(*block.arguments())
        part.reshape(len(part), images[1], *windows.pixels)[...] = block.inner.swapaxes(0, 1)
    return out


def correlated(x: Any, g: Any, taps: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """The cotangent of kernels: for each of their ``taps`` the sum over all places of ``g`` times its pixel.

    This is the cotangent of ``w`` in ``convolve``.

    >>> correlated(np.arange(4.0).reshape(1, 1, 4), np.ones((1, 1, 3)), (2,), 1, 0, 1, 1)
    array([[[3., 6.]]])
    """
    if np.ndim(x) == len(taps) + 1:
        return correlated(x[None], g[None], taps, stride, padding, dilation, groups)
    kind = np.result_type(x, g)
    x, g = np.ascontiguousarray(x, kind), np.ascontiguousarray(g, kind)
    shape = (g.shape[1], x.shape[1] // groups, *taps)
    windows = Windows(x.shape, shape, stride, padding, dilation, groups, g.shape[2:])
    out, room = np.zeros((groups, windows.outer, windows.rows), kind), windows.room(kind)
    for n, chosen in enumerate(windows.blocks()):
        cols = windows.pixels_as_columns(x[chosen])
        if cols is None:
            block = windows.filled(room, x[chosen])
            gather_columns(*block.arguments())
            cols = windows.as_matrix(block.columns)
        if n:
            out += np.matmul(windows.matrix(g[chosen]), cols.swapaxes(1, 2))
        else:
            np.matmul(windows.matrix(g[chosen]), cols.swapaxes(1, 2), out=out)
    return out.reshape(shape)


@vjp(convolve)
def convolve_rule(g, ans, x, w, stride, padding, dilation, groups, places=None):
    pixels, taps = np.shape(x)[2 - np.ndim(w) :], np.shape(w)[2:]
    return (
        spread(g, conjugate(w), pixels, stride, padding, dilation, groups),
        correlated(conjugate(x), g, taps, stride, padding, dilation, groups),
    )


@vjp(spread)
def spread_rule(h, ans, g, w, pixels, stride, padding, dilation, groups):
    places, taps = np.shape(g)[2 - np.ndim(w) :], np.shape(w)[2:]
    return (
        convolve(h, conjugate(w), stride, padding, dilation, groups, places),
        correlated(h, conjugate(g), taps, stride, padding, dilation, groups),
    )


@vjp(correlated)
def correlated_rule(h, ans, x, g, taps, stride, padding, dilation, groups):
    rank = np.ndim(h) - 2
    pixels, places = np.shape(x)[np.ndim(x) - rank :], np.shape(g)[np.ndim(g) - rank :]
    return (
        spread(conjugate(g), h, pixels, stride, padding, dilation, groups),
        convolve(conjugate(x), h, stride, padding, dilation, groups, places),
    )


# ----- with a bias: what networks are made of -----


def added(y: Any, b: Any, rank: int) -> Any:
    """``y`` itself, to which the bias of each channel has been added."""
    if b is not None:
        y += np.reshape(b, (-1, *(1,) * rank))
    return y


def by_channel(g: Any, rank: int) -> Any:
    """The sum of ``g`` for each channel: over samples and places.

    >>> by_channel(np.ones((2, 3, 4)), 1)
    array([8., 8., 8.])
    """
    channel = np.ndim(g) - rank - 1
    return np.sum(g, axis=tuple([axis for axis in range(np.ndim(g)) if axis != channel]))


def convolution(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """``convolve``, plus a bias for each kernel.

    Raises:
        RuntimeError: shapes that don't fit each other.

    >>> convolution(np.ones((1, 1, 4)), np.ones((1, 1, 2)), np.array([1.0]))
    array([[[3., 3., 3.]]])
    """
    check_channels(input, weight, bias, groups)
    return added(convolve(input, weight, stride, padding, dilation, groups), bias, np.ndim(weight) - 2)


@vjp(convolution)
def convolution_rule(g, ans, input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    pixels, taps = np.shape(input)[2 - np.ndim(weight) :], np.shape(weight)[2:]
    return (
        spread(g, conjugate(weight), pixels, stride, padding, dilation, groups),
        correlated(conjugate(input), g, taps, stride, padding, dilation, groups),
        None if bias is None else by_channel(g, np.ndim(weight) - 2),
    )


def transposed_convolution(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """``spread``, plus a bias for each channel; kernels have shape (C, O / groups, *taps).

    The images are ``(n - 1) * stride - 2 * padding + dilation * (taps - 1) + output_padding + 1`` large.

    >>> transposed_convolution(np.ones((1, 1, 2)), np.ones((1, 1, 2)), None, 2)
    array([[[1., 1., 1., 1.]]])
    """
    rank = np.ndim(weight) - 2
    check_channels(input, weight, bias, groups, True)
    each = (numbers(given, rank) for given in (stride, padding, output_padding, dilation))
    pixels = tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + o + 1
        for n, k, s, p, o, d in zip(np.shape(input)[-rank:], np.shape(weight)[2:], *each, strict=True)
    )
    check_pixels(np.shape(input)[-rank:], pixels)
    return added(spread(input, weight, pixels, stride, padding, dilation, groups), bias, rank)


def check_pixels(places: Any, pixels: Any) -> None:
    """Refuse a transposed convolution whose padding takes all pixels away."""
    if any(n < 1 for n in pixels):
        before, after = (" x ".join(map(str, size)) for size in (places, pixels))
        raise RuntimeError(
            f"Given input size per channel: ({before}). Calculated output size per channel: ({after}). "
            "Output size is too small"
        )


@vjp(transposed_convolution)
def transposed_convolution_rule(
    g, ans, input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    places, taps = np.shape(input)[2 - np.ndim(weight) :], np.shape(weight)[2:]
    return (
        convolve(g, conjugate(weight), stride, padding, dilation, groups, places),
        correlated(g, conjugate(input), taps, stride, padding, dilation, groups),
        None if bias is None else by_channel(g, np.ndim(weight) - 2),
    )


def of_rank(fn: Any, rank: int, name: str) -> Any:
    """``fn``, refusing kernels that have not ``rank`` spatial axes; it has the rule of ``fn``."""

    def run(input: Any, weight: Any, *args: Any, **kwargs: Any) -> Any:
        check_rank(weight, rank, name)
        return fn(input, weight, *args, **kwargs)

    run.__name__ = name
    alias(fn, run)
    return run


# ----- the shapes of their results, for the compiler -----


@shape(convolve)
def convolve_shape(x, w, stride, padding, dilation, groups, places=None):
    rank = len(w) - 2
    return (*x[: -1 - rank], w[0], *(places or places_of(x[-rank:], w[2:], stride, padding, dilation)))


@shape(convolution)
def convolution_shape(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return convolve_shape(input, weight, stride, padding, dilation, groups)


def places_of(pixels, taps, stride, padding, dilation):
    """How many places a kernel has, where its step is 1; None elsewhere: a quotient is no symbol."""
    rank = len(taps)
    if padding == "same":
        return pixels
    if padding is None or stride is None or dilation is None:
        return (None,) * rank
    pads = numbers(0 if padding == "valid" else padding, rank)
    each = zip(pixels, taps, numbers(stride, rank), pads, numbers(dilation, rank), strict=True)
    return tuple(
        None if s != 1 or n is None or k is None else n + 2 * p - (k - 1) * d for n, k, s, p, d in each
    )


@shape(spread)
def spread_shape(g, w, pixels, stride, padding, dilation, groups):
    channels = w[1] if groups == 1 else None  # that a product equals the channels of x is not known
    return (*g[: len(g) + 1 - len(w)], channels, *pixels)


@shape(correlated)
def correlated_shape(x, g, taps, stride, padding, dilation, groups):
    inner = x[-len(taps) - 1]
    return g[-len(taps) - 1], inner if groups == 1 else None, *taps


@shape(transposed_convolution)
def transposed_convolution_shape(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    rank, channels = len(weight) - 2, weight[1] if groups == 1 else None
    # No sums and products: whether they equal other lengths is seen at run time only.
    return (*input[: -1 - rank], channels, *(None,) * rank)
