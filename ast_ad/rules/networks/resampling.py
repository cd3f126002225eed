"""How do images of another size differentiate?

Resampling is linear: along each axis a pixel of the result is a weighted sum of some pixels, the *taps*. It
is done one axis after the other.

Index: interpolate resized resampled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import helpers
from ..loops import resampling as kernels
from ..numpy.gather import refuse
from ..registry import program, vjp
from .pooling import adaptive_avg_pool

SPATIAL = {
    "nearest": 0,
    "nearest-exact": 0,
    "area": 0,
    "linear": 1,
    "bilinear": 2,
    "bicubic": 2,
    "trilinear": 3,
}
CUBIC = -0.75  # the coefficient of Keys' kernel (1981) that PyTorch and OpenCV use


def positions(n: int, m: int, align: bool, scale: Any) -> Any:
    """Where the centres of ``m`` pixels are among those of ``n``; ``scale``: how much larger they asked for.

    >>> positions(2, 4, False, None)
    array([-0.25,  0.25,  0.75,  1.25])
    """
    if align:
        return np.arange(m) * ((n - 1) / (m - 1) if m > 1 else 0.0)
    return (np.arange(m) + 0.5) * (1 / scale if scale else n / max(m, 1)) - 0.5


def weighted(n: int, m: int, mode: str, align: bool, scale: Any) -> Iterator[tuple[Any, Any]]:
    """For each tap the pixels that it looks at, and their weights (None: 1)."""
    if mode in ("nearest", "nearest-exact"):
        half = 0.5 if mode == "nearest-exact" else 0.0
        step = np.float32(1 / scale if scale else n / max(m, 1))
        at = np.floor((np.arange(m) + np.float32(half)).astype(np.float32) * step)
        yield np.clip(at.astype(np.intp), 0, n - 1), None
        return
    where = positions(n, m, align, scale)
    if mode != "bicubic":
        where = np.maximum(where, 0)
        low = np.minimum(np.floor(where).astype(np.intp), n - 1)
        share = where - low
        yield low, 1 - share
        yield np.minimum(low + 1, n - 1), share
        return
    low = np.floor(where)
    t = where - low
    for offset, distance in ((-1, 1 + t), (0, t), (1, 1 - t), (2, 2 - t)):
        d = distance
        near = ((CUBIC + 2) * d - (CUBIC + 3)) * d * d + 1
        far = ((CUBIC * d - 5 * CUBIC) * d + 8 * CUBIC) * d - 4 * CUBIC
        yield np.clip(low.astype(np.intp) + offset, 0, n - 1), far if offset in (-1, 2) else near


def scales_of(scales: Any, rank: int) -> tuple[Any, ...]:
    return (None,) * rank if scales is None else tuple(scales)


def resampled(x: Any, size: Any, mode: str, align: bool, scales: Any) -> Any:
    """``x`` with other lengths of its last axes; ``scales``: the factors that were asked for, or None.

    >>> resampled(np.array([1.0, 3.0]), (3,), "linear", True, None)
    array([1., 2., 3.])
    """
    rank = len(size)
    for i, (m, scale) in enumerate(zip(size, scales_of(scales, rank), strict=True)):
        axis = x.ndim - rank + i
        flat = around(x, axis)
        out = kernels.gathered(flat, *table(flat.shape[1], m, mode, align, scale, x.dtype))
        x = out.reshape(x.shape[:axis] + (m,) + x.shape[axis + 1 :])
    return x


def around(x: Any, axis: int) -> Any:
    """``x`` with one axis before and one behind the given one, in one piece of memory."""
    shape = x.shape
    return np.ascontiguousarray(x).reshape(math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :]))


def table(n: int, m: int, mode: str, align: bool, scale: Any, dtype: Any) -> tuple[Any, Any]:
    """The taps as two matrices: where they look, and their weights."""
    found = list(weighted(n, m, mode, align, scale))
    ones = np.ones(m)
    weights = np.array([ones if w is None else w for _, w in found], dtype)
    return np.array([at for at, _ in found]), weights


def unresampled(g: Any, x: Any, mode: str, align: bool, scales: Any, rank: int) -> Any:
    """The adjoint of ``resampled(x, ...)``. Reads ``x``'s shape only.

    >>> unresampled(np.ones(3), np.zeros(2), "linear", True, None, 1)
    array([1.5, 1.5])
    """
    for i, scale in enumerate(scales_of(scales, rank)):
        axis = g.ndim - rank + i
        n, flat = np.shape(x)[axis], around(g, axis)
        shape = g.shape[:axis] + (n,) + g.shape[axis + 1 :]
        if not math.prod(shape) or not g.size:
            g = np.zeros(shape, g.dtype)
            continue
        g = kernels.spread(flat, *table(n, flat.shape[1], mode, align, scale, g.dtype), n).reshape(shape)
    return g


@vjp(resampled)
def resampled_rule(g, ans, x, size, mode, align, scales):
    return unresampled(g, x, mode, align, scales, len(size))


@vjp(unresampled)
def unresampled_rule(g, ans, v, x, mode, align, scales, rank):
    return resampled(g, np.shape(v)[np.ndim(v) - rank :], mode, align, scales)


def target(
    shape: Any, size: Any, scale_factor: Any, mode: str, align_corners: Any, recompute: Any
) -> tuple[Any, Any]:
    """The sizes of the result and the factors that count, or None; PyTorch's checks.

    >>> target((1, 1, 4), None, 2.0, "nearest", None, None)
    ((8,), (2.0,))
    """
    rank = len(shape) - 2
    if align_corners is not None and mode in SPATIAL and not SPATIAL[mode]:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic "
            "| trilinear"
        )
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None:
        if isinstance(size, (tuple, list)):
            if len(size) != rank:
                raise ValueError(
                    "Input and output must have the same number of spatial dimensions, but got input with "
                    f"spatial dimensions of {list(shape[2:])} and output size of {size}. Please provide "
                    "input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) "
                    "format."
                )
        check_mode(mode, rank)
        return tuple(map(int, size)) if isinstance(size, (tuple, list)) else (int(size),) * rank, None
    factors = scale_factor if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * rank
    if len(factors) != rank:
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with "
            f"spatial dimensions of {list(shape[2:])} and scale_factor of shape {scale_factor}. Please "
            "provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) "
            "format."
        )
    check_mode(mode, rank)
    sizes = tuple(math.floor(float(n) * f) for n, f in zip(shape[2:], factors, strict=True))
    return sizes, None if recompute else tuple(map(float, factors))


def check_mode(mode: str, rank: int) -> None:
    """Refuse a mode that is unknown, or for other images."""
    if mode not in SPATIAL or rank not in (1, 2, 3) or mode == "bicubic" and rank != 2:
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {rank + 2}D) for the modes: "
            f"nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
        )
    if SPATIAL[mode] not in (0, rank):
        raise NotImplementedError(f"Got {rank + 2}D input, but {mode} mode needs {SPATIAL[mode] + 2}D input")


def check_sizes(shape: Any, size: Any) -> None:
    """Refuse images without pixels."""
    if min((*shape[2:], *size)) <= 0:
        names = ("D", "H", "W")[3 - len(size) :]
        before, after = (
            ", ".join(f"{name}: {n}" for name, n in zip(names, sizes, strict=True))
            for sizes in (shape[2:], size)
        )
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({before}) and output ({after})"
        )


def resized(x: Any, size: Any, scale_factor: Any, mode: str, align_corners: Any, recompute: Any) -> Any:
    """``interpolate`` in one step, in any mode but 'area'.

    >>> resized(np.array([[[1.0, 3.0]]]), 4, None, "nearest", None, None)
    array([[[1., 1., 3., 3.]]])
    """
    sizes, factors = target(x.shape, size, scale_factor, mode, align_corners, recompute)
    check_sizes(x.shape, sizes)
    return resampled(x, sizes, mode, bool(align_corners), factors)


@vjp(resized)
def resized_rule(g, ans, x, size, scale_factor, mode, align_corners, recompute):
    return unresized(g, x, size, scale_factor, mode, align_corners, recompute)


def unresized(
    g: Any, x: Any, size: Any, scale_factor: Any, mode: str, align_corners: Any, recompute: Any
) -> Any:
    """The adjoint of ``resized(x, ...)``. Reads ``x``'s shape only.

    >>> unresized(np.ones((1, 1, 4)), np.zeros((1, 1, 2)), 4, None, "nearest", None, None)
    array([[[2., 2.]]])
    """
    _, factors = target(np.shape(x), size, scale_factor, mode, align_corners, recompute)
    return unresampled(g, x, mode, bool(align_corners), factors, np.ndim(x) - 2)


@vjp(unresized)
def unresized_rule(g, ans, v, x, size, scale_factor, mode, align_corners, recompute):
    return resized(g, size, scale_factor, mode, align_corners, recompute)


@program
def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
    antialias: bool = False,
) -> Any:
    """``input`` of shape ``(N, C, ...)`` with images of another size.

    >>> interpolate(np.array([[[1.0, 3.0]]]), 3, mode="linear", align_corners=True)
    array([[[1., 2., 3.]]])
    """
    if antialias:
        refuse("antialias=True", "there is no such filter here", fix="resample without it")
    if mode == "area":
        return area(input, size, scale_factor, recompute_scale_factor)
    return resized(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


def area(x: Any, size: Any, scale_factor: Any, recompute: Any) -> Any:
    """Resampling in the mode 'area': each pixel is the mean of what it covers."""
    sizes, _ = target(np.shape(x), size, scale_factor, "area", None, recompute)
    return adaptive_avg_pool(x, sizes, len(sizes))


helpers.METADATA.update({unresampled: 1, unresized: 1})
helpers.SHAPED_LIKE.update({unresampled: (1, (0,)), unresized: (1, (0,))})
