"""What do the blocks of an image look like as columns, and how do columns add up to an image?

``fold`` and ``unfold`` are each other's adjoint.

Index: unfold fold.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import helpers
from ..loops.pooling import taps
from ..registry import shape, vjp
from .pooling_sizes import each


def windows(name: str, pixels: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """The options as pairs, how many blocks there are, and for each axis and tap which have it, and where."""
    given = (kernel_size, dilation, padding, stride)
    if isinstance(kernel_size, (tuple, list)) and len(kernel_size) not in (1, 2):
        raise RuntimeError(f"It is expected kernel_size equals to 2, but got size {len(kernel_size)}")
    names = ("kernel_size", "dilation", "padding", "stride")
    pairs = [each(name, what, v, 2) for what, v in zip(names, given, strict=True)]
    for what, pair, least in zip(names, pairs, (1, 1, 0, 1), strict=True):
        if min(pair) < least:
            said = "should be greater than zero" if least else "should be non-negative"
            raise RuntimeError(f"{what.replace('_', ' ')} {said}, but got {what}: {list(pair)}")
    sizes = tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in zip(pixels, *pairs, strict=True)
    )
    places = []
    for n, k, d, p, s, m in zip(pixels, *pairs, sizes, strict=True):
        first = np.arange(max(m, 0)) * s - p
        found = [list(taps(first + t * d, first + t * d + 1, 1, n)) for t in range(k)]
        places.append(found)
    return pairs, sizes, places


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The blocks of images of shape ``(N, C, H, W)`` as columns: ``(N, C * taps, blocks)``.

    >>> unfold(np.arange(4.0).reshape(1, 1, 2, 2), (1, 2))
    array([[[0., 2.],
            [1., 3.]]])
    """
    single = input.ndim == 3
    x = input[None] if single else input
    if x.ndim != 4 or 0 in x.shape[1:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions "
            f"for input, but got: {list(input.shape)}"
        )
    pairs, sizes, places = windows("unfold", x.shape[2:], kernel_size, dilation, padding, stride)
    if min(sizes) < 1:
        raise RuntimeError(
            f"Given input with spatial size {x.shape[2:]}, kernel_size={pairs[0]}, dilation={pairs[1]}, "
            f"padding={pairs[2]}, calculated shape of the array of sliding blocks as {sizes}, but its "
            "components must be at least one."
        )
    out = np.zeros((*x.shape[:2], *pairs[0], *sizes), x.dtype)
    for i, rows in enumerate(places[0]):
        for j, columns in enumerate(places[1]):
            for row, y in rows:
                for column, z in columns:
                    out[:, :, i, j, row, column] = x[:, :, y, z]
    found = out.reshape(x.shape[0], x.shape[1] * math.prod(pairs[0]), math.prod(sizes))
    return found[0] if single else found


def fold(
    input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """The images whose blocks are given as columns; where blocks overlap they are added.

    >>> fold(np.ones((1, 2, 2)), (1, 3), (1, 2))
    array([[[[1., 2., 1.]]]])
    """
    single = input.ndim == 2
    x = input[None] if single else input
    if x.ndim != 3 or 0 in x.shape[1:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
            f"dimensions for input, but got: {list(input.shape)}"
        )
    pixels = each("fold", "output_size", output_size, 2)
    pairs, sizes, places = windows("fold", pixels, kernel_size, dilation, padding, stride)
    if x.shape[1] % math.prod(pairs[0]):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={x.shape[1]} and kernel_size={pairs[0]}."
        )
    if math.prod(sizes) != x.shape[2] or min(sizes) < 1:
        raise RuntimeError(
            f"Given output_size={pixels}, kernel_size={pairs[0]}, dilation={pairs[1]}, padding={pairs[2]}, "
            f"stride={pairs[3]}, expected size of input's dimension 2 to match the calculated number of "
            f"sliding blocks {sizes[0]} * {sizes[1]} = {math.prod(sizes)}, but got "
            f"input.size(2)={x.shape[2]}."
        )
    blocks = x.reshape(x.shape[0], x.shape[1] // math.prod(pairs[0]), *pairs[0], *sizes)
    out = np.zeros((*blocks.shape[:2], *pixels), x.dtype)
    for i, rows in enumerate(places[0]):
        for j, columns in enumerate(places[1]):
            for row, y in rows:
                for column, z in columns:
                    out[:, :, y, z] += blocks[:, :, i, j, row, column]
    return out[0] if single else out


def refold(g: Any, x: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """The adjoint of ``unfold(x, ...)``: each element of a block back to its pixel. Reads ``x``'s shape only.

    >>> refold(np.ones((1, 2, 2)), np.zeros((1, 1, 1, 3)), (1, 2), 1, 0, 1)
    array([[[[1., 2., 1.]]]])
    """
    return fold(g, np.shape(x)[np.ndim(x) - 2 :], kernel_size, dilation, padding, stride)


@vjp(unfold)
def unfold_rule(g, ans, input, kernel_size, dilation=1, padding=0, stride=1):
    return refold(g, input, kernel_size, dilation, padding, stride)


@vjp(refold)
def refold_rule(g, ans, v, x, kernel_size, dilation, padding, stride):
    return unfold(g, kernel_size, dilation, padding, stride)


@vjp(fold)
def fold_rule(g, ans, input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    return unfold(g, kernel_size, dilation, padding, stride)


helpers.METADATA[refold] = 1
helpers.SHAPED_LIKE[refold] = 1, (0,)


@shape(fold)
def fold_shape(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    return (*input[:-2], None, *each("fold", "output_size", output_size, 2))
