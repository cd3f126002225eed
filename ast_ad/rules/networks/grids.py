"""How do images that are sampled at moving points differentiate, and the grids of such points?

Points are given by coordinates between -1 and 1, the last axis first: ``(x, y)`` in an image of shape
``(N, C, H, W)``, ``(x, y, z)`` in a volume.

Index: grid_sample affine_grid.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import helpers
from ..helpers import astype, mT
from ..registry import nondifferentiable, program, vjp
from ..torch.elementwise import clamp
from ..torch.gather import gather
from ..torch.steps import round_to

CORNERS: dict[int, Any] = {2: ((0, 0), (0, 1), (1, 0), (1, 1))}
CORNERS[3] = tuple((i, *rest) for i in (0, 1) for rest in CORNERS[2])
MODES, PADDINGS = ("bilinear", "nearest"), ("zeros", "border", "reflection")


def check_grid(input: Any, grid: Any, mode: str, padding_mode: str) -> None:
    """Refuse what does not fit, and the mode 'bicubic'."""
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
            f"'{mode}'"
        )
    if padding_mode not in PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', "
            f"but got: '{padding_mode}'"
        )
    if mode == "bicubic":
        raise NotImplementedError("grid_sample(): the mode 'bicubic' is not supported: use 'bilinear'")
    x, at = list(np.shape(input)), list(np.shape(grid))
    if len(x) not in (4, 5) or len(x) != len(at):
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input "
            f"with sizes {x} and grid with sizes {at}"
        )
    if x[0] != at[0]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
            f"{x} and grid with sizes {at}"
        )
    if at[-1] != len(x) - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {len(x) - 2} in last dimension, but got grid with "
            f"sizes {at}"
        )


def pixel(c: Any, n: Any, align: bool) -> Any:
    """Coordinates between -1 and 1 as places among ``n`` pixels.

    >>> pixel(np.array([-1.0, 1.0]), 4, True)
    array([0., 3.])
    """
    return (c + 1) * 0.5 * (n - 1) if align else ((c + 1) * n - 1) * 0.5


def reflected(p: Any, low: Any, high: Any) -> Any:
    """``p`` mirrored at ``low`` and ``high`` until it is between them.

    >>> reflected(np.array([-1.0, 4.0]), 0.0, 3.0)
    array([1., 2.])
    """
    span = high - low + (high == low)  # a number, so that single precision stays
    away = np.abs(p - low)
    turns = np.floor(away / span)
    rest = away - turns * span
    return np.where(turns % 2 == 0, rest + low, high - rest)


def inside(p: Any, n: Any, padding_mode: str, align: bool) -> Any:
    """Places as ``padding_mode`` moves them into the image."""
    if padding_mode == "reflection":
        p = reflected(p, 0.0, n - 1.0) * (n > 1) if align else reflected(p, -0.5, n - 0.5)
    return p if padding_mode == "zeros" else np.where(np.isnan(p), 0, clamp(p, 0, n - 1))  # NaN: the edge


def corner(flat: Any, places: Any, sizes: Any) -> Any:
    """The pixels of ``flat`` (N, C, pixels) at integer places along each axis, and whether there are any."""
    within: Any = True
    at: Any = 0
    for p, n in zip(places, sizes, strict=True):
        within = within & (p >= 0) & (p < n)
        at = at * n + np.where((p >= 0) & (p < n), p, 0)
    at = np.expand_dims(astype(at, np.int64), 1) * np.ones((1, np.shape(flat)[1], 1), np.int64)
    return gather(flat, 2, at), np.expand_dims(within, 1)


@program
def grid_sample(
    input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: Any = None
) -> Any:
    """The values of images ``(N, C, H, W)`` at the points of ``grid``, of shape ``(N, height, width, 2)``.

    >>> grid_sample(np.array([[[[1.0, 3.0]]]]), np.zeros((1, 1, 1, 2)))
    array([[[[2.]]]])
    """
    check_grid(input, grid, mode, padding_mode)
    rank, align = np.ndim(input) - 2, bool(align_corners)
    n, channels, sizes = np.shape(input)[0], np.shape(input)[1], np.shape(input)[2:]
    flat, points = np.reshape(input, (n, channels, -1)), np.reshape(grid, (n, -1, rank))
    at = [
        inside(pixel(points[:, :, rank - 1 - i], sizes[i], align), sizes[i], padding_mode, align)
        for i in range(rank)
    ]
    total: Any = 0
    if mode == "nearest":
        values, within = corner(flat, [round_to(p) for p in at], sizes)
        total = np.where(within, values, 0)
    else:
        low = [np.floor(p) for p in at]
        for bits in CORNERS[rank]:
            values, within = corner(flat, [p + bit for p, bit in zip(low, bits, strict=True)], sizes)
            share: Any = 1
            for p, start, bit in zip(at, low, bits, strict=True):
                share = share * (p - start if bit else 1 - (p - start))
            total = total + np.where(within, values, 0) * np.expand_dims(share, 1)
    return np.reshape(total, (n, channels, *np.shape(grid)[1:-1]))


# ----- grids


def affine_points(size: Any, align: bool, like: Any) -> Any:
    """The centres of pixels as ``(x, y, 1)``, one row each, in the type of ``like``."""
    sizes = tuple(map(int, size))[2:]
    lines = [
        np.linspace(-1, 1, n) * (1 if align and n > 1 else (n - 1) / n if not align else 0) for n in sizes
    ]
    axes = np.meshgrid(*lines, indexing="ij")
    return np.stack([*(a.ravel() for a in reversed(axes)), np.ones(math.prod(sizes))], 1).astype(
        np.asarray(like).dtype
    )


def affine_grid(theta: Any, size: Any, align_corners: Any = None) -> Any:
    """The points to which affine maps ``theta``, of shape ``(N, 2, 3)``, send the pixels of images.

    >>> affine_grid(np.eye(2, 3)[None], (1, 1, 1, 2))
    array([[[[-0.5,  0. ],
             [ 0.5,  0. ]]]])
    """
    points = affine_points(size, bool(align_corners), theta)
    return np.reshape(points @ mT(theta), (theta.shape[0], *tuple(map(int, size))[2:], theta.shape[1]))


@vjp(affine_grid)
def affine_grid_rule(g, ans, theta, size, align_corners=None):
    flat = np.reshape(g, (np.shape(theta)[0], -1, np.shape(theta)[1]))
    return mT(flat) @ affine_points(size, bool(align_corners), theta)


nondifferentiable(affine_points)
helpers.METADATA[affine_points] = 2
