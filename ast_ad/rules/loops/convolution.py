"""How do windows of images become the columns of a matrix, and back? Convolution is then a matrix product.

``images`` are padded and have shape (C, N, D, H, W); ``columns`` of shape (C, KD, KH, KW, N, OD, OH, OW) hold
what every tap of a kernel sees at every place of the result. ``places``: where in a channel's memory the
windows begin; ``taps``: how far from there each tap looks. ``view``: the images, in the shape of the columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import kernel


def gather_plain(images: Any, columns: Any, places: Any, taps: Any, view: Any) -> None:
    """Fill ``columns`` with the pixel of each tap at each place."""
    np.copyto(columns, view)


@kernel(gather_plain)
def gather_columns(images: Any, columns: Any, places: Any, taps: Any, view: Any) -> None:
    """Fill ``columns`` with the pixel of each tap at each place."""
    channels = images.shape[0]
    flat = images.reshape(channels, images.size // channels)
    rows = columns.reshape(channels, taps.size, places.size)
    for c in range(channels):
        pixels = flat[c]
        for k in range(taps.size):
            offset, row = taps[k], rows[c, k]
            for m in range(places.size):
                row[m] = pixels[places[m] + offset]


def scatter_plain(images: Any, columns: Any, places: Any, taps: Any, view: Any) -> None:
    """Add the columns to the pixels that they came from."""
    for tap in np.ndindex(*columns.shape[1:4]):
        view[:, *tap] += columns[:, *tap]  # the windows of one tap don't overlap


@kernel(scatter_plain)
def scatter_columns(images: Any, columns: Any, places: Any, taps: Any, view: Any) -> None:
    """Add the columns to the pixels that they came from."""
    channels = images.shape[0]
    flat = images.reshape(channels, images.size // channels)
    rows = columns.reshape(channels, taps.size, places.size)
    for c in range(channels):
        pixels = flat[c]
        for k in range(taps.size):
            offset, row = taps[k], rows[c, k]
            for m in range(places.size):
                pixels[places[m] + offset] += row[m]
