"""How do arrays get edges, and how do shuffles of channels and pixels differentiate?

Everything here only moves elements; each function's rule is its adjoint. ``pads`` is PyTorch's: before and
behind the last axis, then before and behind the one before it, and so on; negative numbers cut off.

Index: pad constant_pad edge_pad; pixel_shuffle pixel_unshuffle channel_shuffle.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import helpers
from ..registry import program, shape, vjp

MODES = ("constant", "reflect", "replicate", "circular")


def per_axis(pads: Any, ndim: int) -> list[tuple[int, int, int]]:
    """(axis, before, behind) for each axis that is padded.

    >>> per_axis((1, 2, 0, 3), 4)
    [(3, 1, 2), (2, 0, 3)]
    """
    pads = tuple(map(int, pads))
    return [(ndim - 1 - i, pads[2 * i], pads[2 * i + 1]) for i in range(len(pads) // 2)]


def check_pads(shape: Any, pads: Any) -> None:
    """Refuse an odd number of pads, and more than there are axes."""
    if len(pads) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pads) > 2 * len(shape):
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding "
            f"length {len(pads)} and input of dimension {len(shape)}"
        )


def constant_pad(x: Any, pads: Any, value: Any = 0) -> Any:
    """``x`` with ``value`` around it.

    >>> constant_pad(np.array([1.0, 2.0]), (1, -1), 5.0)
    array([5., 1.])
    """
    check_pads(x.shape, pads)
    shape, to, of = list(x.shape), [slice(None)] * x.ndim, [slice(None)] * x.ndim
    for axis, before, behind in per_axis(pads, x.ndim):
        n = x.shape[axis]
        shape[axis] = n + before + behind
        if shape[axis] < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
        of[axis] = slice(max(-before, 0), n - max(-behind, 0))
        to[axis] = slice(max(before, 0), shape[axis] - max(behind, 0))
    out = np.full(shape, value, x.dtype) if value else np.zeros(shape, x.dtype)
    out[tuple(to)] = x[tuple(of)]
    return out


@vjp(constant_pad)
def constant_pad_rule(g, ans, x, pads, value=0):
    return constant_pad(g, tuple(-n for n in pads))


def sources(n: int, before: int, behind: int, mode: str) -> Iterator[tuple[slice, Any, bool]]:
    """The parts of a padded axis: where they are, from which elements they come, and whether it is one.

    >>> list(sources(3, 1, 0, "reflect"))
    [(slice(0, 1, None), slice(1, 2, None), False), (slice(1, 4, None), slice(0, 3, None), False)]
    """
    whole = n + before + behind
    low, high = max(-before, 0), n - max(-behind, 0)  # what is not cut off
    if before > 0:
        if mode == "reflect":
            yield slice(0, before), slice(before, 0, -1) if before > 1 else slice(1, 2), False
        else:
            source = slice(0, 1) if mode == "replicate" else slice(high - before, high)
            yield slice(0, before), source, mode == "replicate"
    inner = slice(max(before, 0), whole - max(behind, 0))
    yield inner, slice(low, high), False
    if behind > 0:
        end = slice(whole - behind, whole)
        if mode == "reflect":
            stop = n - 2 - behind
            yield end, slice(n - 2, stop if stop >= 0 else None, -1), False
        else:
            source = slice(n - 1, n) if mode == "replicate" else slice(low, low + behind)
            yield end, source, mode == "replicate"


def check_edges(shape: Any, pads: Any, mode: str) -> None:
    """Refuse edges that are wider than what they repeat."""
    check_pads(shape, pads)
    if mode not in MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    count, ndim = len(pads) // 2, len(shape)
    if ndim not in (count + 1, count + 2):
        raise NotImplementedError(f"Padding size {len(pads)} is not supported for {ndim}D input tensor.")
    for axis, before, behind in per_axis(pads, ndim):
        n = shape[axis]
        if mode == "reflect" and (before >= n or behind >= n):
            raise RuntimeError(
                f"Argument #{4 + 2 * (ndim - 1 - axis)}: Padding size should be "
                f"less than the corresponding input dimension, but got: padding ({before}, {behind}) at "
                f"dimension {axis} of input {list(shape)}"
            )
        left = n + min(before, 0) + min(behind, 0)  # what is not cut off
        if mode == "circular" and max(before, behind) > left:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if mode == "circular" and n + before + behind < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        if n + before + behind < 1 or not n:
            raise RuntimeError(f"input (length: {n}) is too small for padding ({before}, {behind})")


def edge_pad(x: Any, pads: Any, mode: str) -> Any:
    """``x`` with elements of its own around it: 'reflect', 'replicate' or 'circular'.

    >>> edge_pad(np.array([[1.0, 2.0, 3.0]]), (1, 2), "reflect")
    array([[2., 1., 2., 3., 2., 1.]])
    """
    check_edges(x.shape, pads, mode)
    for axis, before, behind in per_axis(pads, x.ndim):
        shape = x.shape[:axis] + (x.shape[axis] + before + behind,) + x.shape[axis + 1 :]
        out, lead = np.empty(shape, x.dtype), (slice(None),) * axis
        for place, source, _ in sources(x.shape[axis], before, behind, mode):
            out[(*lead, place)] = x[(*lead, source)]
        x = out
    return x


def edge_unpad(g: Any, x: Any, pads: Any, mode: str) -> Any:
    """The adjoint of ``edge_pad(x, ...)``: each copy is added to its source. Reads ``x``'s shape only.

    >>> edge_unpad(np.ones((1, 6)), np.zeros((1, 3)), (1, 2), "reflect")
    array([[2., 3., 1.]])
    """
    for axis, before, behind in reversed(per_axis(pads, g.ndim)):
        n = np.shape(x)[axis]
        out = np.zeros(g.shape[:axis] + (n,) + g.shape[axis + 1 :], g.dtype)
        lead = (slice(None),) * axis
        for place, source, one in sources(n, before, behind, mode):
            part = g[(*lead, place)]
            out[(*lead, source)] += part.sum(axis, keepdims=True) if one else part
        g = out
    return g


@vjp(edge_pad)
def edge_pad_rule(g, ans, x, pads, mode):
    return edge_unpad(g, x, pads, mode)


@vjp(edge_unpad)
def edge_unpad_rule(g, ans, v, x, pads, mode):
    return edge_pad(g, pads, mode)


@shape(constant_pad)
def constant_pad_shape(x, pads, value=0):
    return edge_pad_shape(x, pads, None)


@shape(edge_pad)
def edge_pad_shape(x, pads, mode):
    if pads is None or not all(isinstance(n, int) for n in pads):
        return (None,) * len(x)
    found = list(x)
    for axis, before, behind in per_axis(pads, len(x)):
        if before + behind:
            found[axis] = None  # not a sum: whether that equals another length is seen at run time only
    return tuple(found)


@program
def pad(input: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    """``input`` with an edge: of ``value`` (0), or in mode 'reflect', 'replicate' or 'circular' of its own.

    >>> pad(np.array([1.0, 2.0]), (1, 1))
    array([0., 1., 2., 0.])
    """
    if mode == "constant":
        return constant_pad(input, pad, 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    return edge_pad(input, pad, mode)


# ----- shuffles


def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """``r * r`` channels as one whose images are ``r`` times as wide and high.

    >>> pixel_shuffle(np.arange(4.0).reshape(4, 1, 1), 2)
    array([[[0., 1.],
            [2., 3.]]])
    """
    r, shape = upscale_factor, input.shape
    if len(shape) < 3:
        raise RuntimeError(
            "pixel_shuffle expects input to have at least 3 dimensions, but got input with "
            f"{len(shape)} dimension(s)"
        )
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    *lead, c, h, w = shape
    if c % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
            f"upscale_factor, but input.size(-3)={c} is not divisible by {r * r}"
        )
    parts = np.reshape(input, (*lead, c // (r * r), r, r, h, w))
    n = len(lead)
    turned = np.transpose(parts, (*range(n + 1), n + 3, n + 1, n + 4, n + 2))
    return np.array(turned, order="C").reshape((*lead, c // (r * r), h * r, w * r))


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """What ``pixel_shuffle`` came from.

    >>> pixel_unshuffle(np.arange(4.0).reshape(1, 2, 2), 2).ravel()
    array([0., 1., 2., 3.])
    """
    r, shape = downscale_factor, input.shape
    if len(shape) < 3:
        raise RuntimeError(
            "pixel_unshuffle expects input to have at least 3 dimensions, but got input with "
            f"{len(shape)} dimension(s)"
        )
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *lead, c, h, w = shape
    for name, n, at in (("height", h, -2), ("width", w, -1)):
        if n % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                f"input.size({at})={n} is not divisible by {r}"
            )
    parts = np.reshape(input, (*lead, c, h // r, r, w // r, r))
    n = len(lead)
    turned = np.transpose(parts, (*range(n + 1), n + 2, n + 4, n + 1, n + 3))
    return np.array(turned, order="C").reshape((*lead, c * r * r, h // r, w // r))


@vjp(pixel_shuffle)
def pixel_shuffle_rule(g, ans, input, upscale_factor):
    return pixel_unshuffle(g, upscale_factor)


@vjp(pixel_unshuffle)
def pixel_unshuffle_rule(g, ans, input, downscale_factor):
    return pixel_shuffle(g, downscale_factor)


def channel_shuffle(input: Any, groups: int) -> Any:
    """The first channels of the groups, then the second ones, and so on.

    >>> channel_shuffle(np.arange(4.0).reshape(1, 4, 1), 2).ravel()
    array([0., 2., 1., 3.])
    """
    shape = input.shape
    if len(shape) < 3:
        raise RuntimeError(
            "channel_shuffle expects input with > 2 dims, but got input with sizes " + str(list(shape))
        )
    if groups <= 0:
        raise RuntimeError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )
    if shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} groups."
        )
    parts = np.reshape(input, (shape[0], groups, shape[1] // groups, *shape[2:]))
    return np.array(np.swapaxes(parts, 1, 2), order="C").reshape(shape)


@vjp(channel_shuffle)
def channel_shuffle_rule(g, ans, input, groups):
    return channel_shuffle(g, np.shape(input)[1] // groups)


helpers.METADATA.update({edge_unpad: 1})
helpers.SHAPED_LIKE.update({edge_unpad: (1, (0,)), channel_shuffle: (0, (0,))})
