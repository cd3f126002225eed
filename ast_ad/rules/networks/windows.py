"""Where are the windows of a convolution in memory? Their sizes, and room for the columns of each block."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Numbers = tuple[int, ...]
BLOCK = 1 << 19  # elements of columns at a time: they stay in the processor's cache


def numbers(given: Any, rank: int, name: str = "a size") -> Numbers:
    """A number for each of ``rank`` axes. ``name``: what they are, for errors.

    >>> numbers(2, 3), numbers((1, 2), 2)
    ((2, 2, 2), (1, 2))
    """
    if isinstance(given, (int, np.integer)):
        return (int(given),) * rank
    found = tuple(int(n) for n in given)
    if len(found) == 1:
        return found * rank
    if len(found) != rank:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {rank} values to match the "
            f"convolution dimensions, but got {name}={list(found)}"
        )
    return found


def paddings(given: Any, taps: Numbers, stride: Numbers, dilation: Numbers) -> tuple[tuple[int, int], ...]:
    """How many pixels are added before and behind, along each axis.

    >>> paddings("same", (3, 2), (1, 1), (1, 1))
    ((1, 1), (0, 1))
    """
    if isinstance(given, str):
        if given not in ("valid", "same"):
            raise RuntimeError(f"Invalid padding string: '{given}'")
        if given == "same" and any(s != 1 for s in stride):
            raise RuntimeError("padding='same' is not supported for strided convolutions")
        total = [d * (k - 1) if given == "same" else 0 for k, d in zip(taps, dilation, strict=True)]
        return tuple((n // 2, n - n // 2) for n in total)
    found = numbers(given, len(taps), "padding")
    if any(n < 0 for n in found):
        raise RuntimeError("negative padding is not supported")
    return tuple((n, n) for n in found)


def check_rank(w: Any, rank: int, name: str) -> None:
    """Refuse kernels that have not ``rank`` spatial axes."""
    if np.ndim(w) != rank + 2:
        raise RuntimeError(
            f"expected {rank + 2}-dimensional weight for {name}, but got {np.ndim(w)}-dimensional weight "
            f"of size {list(np.shape(w))} instead"
        )


def check_channels(x: Any, w: Any, b: Any, groups: int, transposed: bool = False) -> None:
    """Refuse images, kernels and biases that don't fit each other.

    Raises:
        RuntimeError: with PyTorch's text.
    """
    shape, kernel = list(np.shape(x)), list(np.shape(w))
    rank = len(kernel) - 2
    if len(shape) not in (rank + 1, rank + 2) or rank < 1:
        raise RuntimeError(
            f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to "
            f"conv{'_transpose' if transposed else ''}{rank}d, but got input of size: {shape}"
        )
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if 0 in kernel[2:]:
        raise RuntimeError(f"kernel size should be greater than zero, but got {kernel[2:]}")
    have, said = shape[-rank - 1], f"Given {'transposed=1, ' if transposed else f'groups={groups}, '}"
    wanted = kernel[0] if transposed else kernel[1] * groups
    if not transposed and kernel[0] % groups:
        raise RuntimeError(
            f"{said}expected weight to be divisible by {groups} at dimension 0, but got weight of size "
            f"[{kernel}] instead"
        )
    if have != wanted:
        raise RuntimeError(
            f"{said}weight of size {kernel}, expected input{shape} to have {wanted} "
            f"channels, but got {have} channels instead"
        )
    results = kernel[1] * groups if transposed else kernel[0]
    if b is not None and np.shape(b) != (results,):
        raise RuntimeError(
            f"Given {'transposed=1, ' if transposed else ''}weight of size {kernel}, expected bias to be "
            f"1-dimensional with {results} elements, but got bias of size {list(np.shape(b))} instead"
        )


@functools.lru_cache(256)
def layout(
    padded: Numbers, taps: Numbers, out: Numbers, stride: Numbers, dilation: Numbers
) -> tuple[Any, Any]:
    """Where in the memory of a channel windows begin, and how far from there each tap looks.

    ``padded``: samples, depth, height and width of the padded images.

    >>> layout((1, 1, 1, 4), (1, 1, 2), (1, 1, 3), (1, 1, 1), (1, 1, 1))
    (array([0, 1, 2]), array([0, 1]))
    """
    steps = [math.prod(padded[i + 1 :]) for i in range(4)]
    between = zip((padded[0], *out), steps, (1, *stride), strict=True)
    looks = zip(taps, steps[1:], dilation, strict=True)
    return _sums(between), _sums(looks)


def _sums(terms: Any) -> Any:
    """All sums of a multiple of each step, the last varying fastest."""
    total = np.zeros(1, np.intp)
    for n, step, factor in terms:
        total = np.add.outer(total, np.arange(n) * (step * factor)).ravel()
    return total


class Windows:
    """The windows of one convolution as columns, for one block of samples after the other.

    ``images`` and ``kernel`` are shapes; ``places``: how many the result has along each axis, by default all.
    """

    def __init__(
        self,
        images: Numbers,
        kernel: Numbers,
        stride: Any,
        padding: Any,
        dilation: Any,
        groups: int,
        places: Sequence[int] | None = None,
    ) -> None:
        rank = len(kernel) - 2
        stride, dilation = numbers(stride, rank, "stride"), numbers(dilation, rank, "dilation")
        if min(stride) <= 0:
            raise RuntimeError("non-positive stride is not supported")
        if min(dilation) <= 0:
            raise RuntimeError("dilation should be greater than zero")
        pads = paddings(padding, kernel[2:], stride, dilation)
        self.places = fitting(images[2:], kernel[2:], stride, pads, dilation, places)
        lead = (1,) * (3 - rank)
        self.samples, self.channels, self.groups = *images[:2], groups
        self.stride, self.dilation = (*lead, *stride), (*lead, *dilation)
        self.taps, self.out = (*lead, *kernel[2:]), (*lead, *self.places)
        self.pixels, self.padding = (*lead, *images[2:]), (*((0, 0),) * len(lead), *pads)
        self.place_count = math.prod(self.places)
        self.rows, self.outer = math.prod(kernel[1:]), kernel[0] // groups
        per_sample = max(1, groups * self.rows * self.place_count)
        several = -(-256 // max(1, self.place_count))  # matrix products of few columns are slow
        self.block = max(1, min(self.samples, max(BLOCK // per_sample, several)))
        # A kernel of one tap that looks at each pixel once: the image is the matrix.
        self.direct = self.taps == self.stride == (1, 1, 1) and self.pixels == self.out

    def blocks(self) -> list[slice]:
        """The slices of samples."""
        n, size = self.samples, self.block
        return [slice(start, min(start + size, n)) for start in range(0, n, size)]

    def room(self, dtype: Any) -> Block:
        """The arrays that the blocks pass through."""
        return Block(self, self.block, dtype)

    def filled(self, room: Block, x: Any) -> Block:
        """The block whose images are those of ``x``."""
        block = room.of(len(x))
        block.inner[...] = x.reshape(len(x), -1, *self.pixels).swapaxes(0, 1)
        return block

    def pixels_as_columns(self, x: Any) -> Any:
        """The matrix of columns of one image without any copying, if there is one."""
        return x.reshape(self.groups, self.rows, self.place_count) if self.direct and len(x) == 1 else None

    def as_matrix(self, columns: Any) -> Any:
        """Columns in the shape (groups, rows, samples * places)."""
        return columns.reshape(self.groups, self.rows, columns.shape[4] * self.place_count)

    def matrix(self, y: Any) -> Any:
        """Some results, in the shape (groups, outer, samples * places); a view if it is one sample."""
        part = y.reshape(len(y), self.groups, self.outer, self.place_count)
        if len(part) == 1:
            return part[0]
        return part.transpose(1, 2, 0, 3).reshape(self.groups, self.outer, len(y) * self.place_count)


def fitting(
    pixels: Numbers,
    taps: Numbers,
    stride: Numbers,
    pads: Any,
    dilation: Numbers,
    places: Sequence[int] | None,
) -> Numbers:
    """How many places a kernel has along each axis, or ``places`` if that many fit.

    >>> fitting((5, 5), (3, 3), (2, 1), ((0, 0), (1, 1)), (1, 1), None)
    (2, 5)
    """
    padded = tuple(n + sum(pad) for n, pad in zip(pixels, pads, strict=True))
    spans = tuple(d * (k - 1) + 1 for k, d in zip(taps, dilation, strict=True))
    found = tuple((n - span) // s + 1 for n, span, s in zip(padded, spans, stride, strict=True))
    if min(found) < 1 and (places is None or min(places) > 0):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). "
            f"Kernel size: ({' x '.join(map(str, spans))}). Kernel size can't be greater than actual input "
            "size"
        )
    if places is None:
        return found
    if len(places) != len(found) or any(a > b for a, b in zip(places, found, strict=True)):
        raise RuntimeError(f"{tuple(places)} places of a kernel don't fit: there are {found}")
    return tuple(places)


class Block:
    """Room for so many padded images, and for their columns."""

    def __init__(self, windows: Windows, samples: int, dtype: Any) -> None:
        w = self.windows = windows
        padded = tuple(n + sum(pad) for n, pad in zip(w.pixels, w.padding, strict=True))
        inner = tuple(slice(before, before + n) for (before, _), n in zip(w.padding, w.pixels, strict=True))
        self.samples = samples
        self.images = np.zeros((w.channels, samples, *padded), dtype)
        self.inner = self.images[:, :, *inner]
        self.columns = np.empty((w.channels, *w.taps, samples, *w.out), dtype)
        self.layout = layout((samples, *padded), w.taps, w.out, w.stride, w.dilation)
        channel, sample, *pixel = self.images.strides
        steps = [d * s for d, s in zip(w.dilation, pixel, strict=True)]
        strides = [d * s for d, s in zip(w.stride, pixel, strict=True)]
        self.view = np.lib.stride_tricks.as_strided(
            self.images, self.columns.shape, (channel, *steps, sample, *strides)
        )

    def of(self, samples: int) -> Block:
        """The same for so many samples."""
        return self if samples == self.samples else Block(self.windows, samples, self.images.dtype)

    def arguments(self) -> tuple[Any, ...]:
        """What the kernels of ``rules.loops.convolution`` take."""
        return self.images, self.columns, *self.layout, self.view
