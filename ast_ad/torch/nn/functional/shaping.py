"""How do images get edges, other sizes and other channels? Padding, resampling, shuffles and blocks."""

from __future__ import annotations

from typing import Any

from ....eager.dispatch import Operation, apply
from ....eager.dtypes import scalar_name
from ....eager.operations.pointwise import require_tensor, require_tensors
from ....eager.tensor import Tensor
from ....rules.networks import (
    blocks as nn_blocks,
    grids as nn_grids,
    padding as nn_padding,
    resampling as nn_resampling,
)
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from .surface import functional

__all__ = [
    "affine_grid", "channel_shuffle", "fold", "grid_sample", "interpolate", "pad", "pixel_shuffle",
    "pixel_unshuffle", "unfold", "upsample", "upsample_bilinear", "upsample_nearest",
]  # fmt: skip

CONSTANT = Operation(nn_padding.constant_pad, "ConstantPadNdBackward0", ("self", "pad"), images=True)
EDGES = {
    (mode, rank): Operation(
        nn_padding.edge_pad, f"{name}Pad{rank}DBackward0", ("self", "padding"), images=True
    )
    for mode, name in (("reflect", "Reflection"), ("replicate", "Replication"))
    for rank in (1, 2, 3)
} | {("circular", rank): Operation(nn_padding.edge_pad, "CopySlices") for rank in (1, 2, 3)}
SHUFFLE = Operation(nn_padding.pixel_shuffle, "PixelShuffleBackward0", images=True)
UNSHUFFLE = Operation(nn_padding.pixel_unshuffle, "PixelUnshuffleBackward0", images=True)
CHANNELS = Operation(nn_padding.channel_shuffle, "ChannelShuffleBackward0", images=True)
COLUMNS = Operation(nn_blocks.unfold, "Im2ColBackward0")
BLOCKS = Operation(nn_blocks.fold, "Col2ImBackward0")
NAMES = {"nearest": "Nearest{}D", "nearest-exact": "NearestExact{}D", "linear": "Linear1D"}
NAMES |= {"bilinear": "Bilinear2D", "bicubic": "Bicubic2D", "trilinear": "Trilinear3D"}
RESIZE = {
    (mode, rank): Operation(nn_resampling.resized, f"Upsample{name.format(rank)}Backward0", images=True)
    for mode, name in NAMES.items()
    for rank in (1, 2, 3)
}
GRID = Operation(nn_grids.affine_grid, "AffineGridGeneratorBackward0", ("theta",))
SAMPLE = Operation(nn_grids.grid_sample, "GridSamplerBackward0", ("input", "grid"))
AREA = {1: adaptive_avg_pool1d, 2: adaptive_avg_pool2d, 3: adaptive_avg_pool3d}


@functional(nn_padding.pad)
def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    """``input`` with an edge.

    Shapes: ``(..., L) -> (..., L_out)`` with ``L_out = pad[0] + L + pad[1]``; so the dimensions before it by
    the next pairs.

    Args:
        input: of any shape; in the modes that are not constant, with one or two dimensions before the
            padded ones. A tensor or an array.
        pad: how much is added before and behind the last dimension, then before and behind the one before
            it, and so on. Negative numbers cut off.
        mode: 'constant', 'reflect' (mirrored, the border not repeated), 'replicate' (the border repeated) or
            'circular' (from the other side).
        value: of the constant edge, by default 0.

    Raises:
        RuntimeError, NotImplementedError: sizes that do not fit, or another mode.

    >>> import ast_ad
    >>> pad(ast_ad.tensor([[1.0, 2.0, 3.0]]), (1, 1), "reflect")
    tensor([[2., 1., 2., 3., 2.]])
    """
    require_tensor("pad", input)
    pads = tuple(map(int, pad))
    if mode not in nn_padding.MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    nn_padding.check_pads(input._array.shape, pads)
    if mode == "constant":
        return apply(CONSTANT, (input, pads, 0 if value is None else value))
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    nn_padding.check_edges(input._array.shape, pads, mode)
    return apply(EDGES[mode, len(pads) // 2], (input, pads, mode))


# ----- other sizes


@functional(nn_resampling.interpolate)
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Any:
    """Sequences, images or volumes of another size.

    Shapes: ``(N, C, L) -> (N, C, L_out)``, ``(N, C, H, W) -> (N, C, H_out, W_out)``,
    ``(N, C, D, H, W) -> (N, C, D_out, H_out, W_out)`` with ``L_out = int(L * scale_factor)``, the others
    likewise, or with the lengths ``size``.

    Args:
        input: of shape ``(N, C, ...)`` with one to three dimensions behind, a tensor or an array.
        size: the new lengths of these, or one for all.
        scale_factor: how many times as long they become; instead of ``size``.
        mode: 'nearest', 'nearest-exact', 'linear' (1-D), 'bilinear', 'bicubic' (2-D), 'trilinear' (3-D) or
            'area' (the mean of what a new pixel covers).
        align_corners: whether the outermost pixels lie at the outermost pixels, not the edges at the edges.
        recompute_scale_factor: whether the factors are those of the sizes that result.
        antialias: not supported.

    Raises:
        ValueError, NotImplementedError: options that do not fit.

    >>> import ast_ad
    >>> interpolate(ast_ad.tensor([[[1.0, 3.0]]]), scale_factor=2)
    tensor([[[1., 1., 3., 3.]]])
    """
    require_tensor("interpolate", input)
    if antialias:
        raise NotImplementedError("antialias=True is not supported: resample without it")
    shape = input._array.shape
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    sizes, _ = nn_resampling.target(shape, size, scale_factor, mode, align_corners, recompute_scale_factor)
    rank = len(shape) - 2
    if mode == "area":
        return AREA[rank](input, sizes)
    if input._array.dtype.kind != "f":
        kind = scalar_name(input._array.dtype)
        raise NotImplementedError(f"\"upsample_{mode}{rank}d\" not implemented for '{kind}'")
    how = size, scale_factor, mode, align_corners, recompute_scale_factor
    return apply(RESIZE[mode, rank], (input, *how))


def upsample(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: Any = None
) -> Any:
    """``interpolate`` under its former name.

    Shapes: ``(N, C, L) -> (N, C, L_out)``, ``(N, C, H, W) -> (N, C, H_out, W_out)``,
    ``(N, C, D, H, W) -> (N, C, D_out, H_out, W_out)`` with ``L_out = int(L * scale_factor)``, the others
    likewise, or with the lengths ``size``.
    """
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """``interpolate(mode="nearest")``.

    Shapes: ``(N, C, L) -> (N, C, L_out)``, ``(N, C, H, W) -> (N, C, H_out, W_out)``,
    ``(N, C, D, H, W) -> (N, C, D_out, H_out, W_out)`` with ``L_out = int(L * scale_factor)``, the others
    likewise, or with the lengths ``size``.
    """
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """``interpolate(mode="bilinear", align_corners=True)``.

    Shapes: ``(N, C, H, W) -> (N, C, H_out, W_out)`` with ``H_out = int(H * scale_factor)``, ``W_out``
    likewise, or with the lengths ``size``.
    """
    return interpolate(input, size, scale_factor, "bilinear", True)


# ----- other channels


@functional(nn_padding.pixel_shuffle)
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Any:
    """``r * r`` channels as one whose images are ``r = upscale_factor`` times as wide and high.

    Shapes: ``(..., C * r * r, H, W) -> (..., C, H * r, W * r)`` with ``r = upscale_factor``.

    Args:
        input: of shape ``(*, C * r * r, H, W)``, a tensor or an array.

    Raises:
        RuntimeError: the number of channels is not divisible.

    >>> import ast_ad
    >>> pixel_shuffle(ast_ad.arange(4.0).reshape(4, 1, 1), 2)
    tensor([[[0., 1.],
             [2., 3.]]])
    """
    require_tensor("pixel_shuffle", input)
    return apply(SHUFFLE, (input, upscale_factor))


@functional(nn_padding.pixel_unshuffle)
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Any:
    """What ``pixel_shuffle`` came from: of shape ``(*, C * r * r, H / r, W / r)``.

    Shapes: ``(..., C, H * r, W * r) -> (..., C * r * r, H, W)`` with ``r = downscale_factor``.

    >>> import ast_ad
    >>> pixel_unshuffle(ast_ad.ones(1, 4, 4), 2).shape
    torch.Size([4, 2, 2])
    """
    require_tensor("pixel_unshuffle", input)
    return apply(UNSHUFFLE, (input, downscale_factor))


@functional(nn_padding.channel_shuffle)
def channel_shuffle(input: Tensor, groups: int) -> Any:
    """The first channels of the groups, then the second ones, and so on.

    Shapes: ``(N, C, ...) -> (N, C, ...)``.

    Args:
        input: of shape ``(N, C, ...)``, a tensor or an array.

    Raises:
        RuntimeError: the number of channels is not divisible.

    >>> import ast_ad
    >>> channel_shuffle(ast_ad.arange(4.0).reshape(1, 4, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    require_tensor("channel_shuffle", input)
    return apply(CHANNELS, (input, groups))


@functional(nn_blocks.unfold)
def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The blocks of images as columns.

    Shapes: ``(N, C, H, W) -> (N, C * KH * KW, B)`` with ``B = H_out * W_out``,
    ``H_out = (H + 2 * padding - dilation * (KH - 1) - 1) // stride + 1``, ``W_out`` likewise; ``N`` may be
    missing.

    Args:
        input: of shape ``(N, C, H, W)`` or ``(C, H, W)``, a tensor or an array.
        kernel_size: the height and width of a block, or one number; so for the others.
        dilation: how far apart the pixels of a block are.
        padding: zeros around the images.
        stride: how far apart blocks are.

    Returns:
        Of shape ``(N, C * height * width, blocks)``.

    Raises:
        RuntimeError: sizes that do not fit.

    >>> import ast_ad
    >>> unfold(ast_ad.ones(1, 1, 3, 3), 2).shape
    torch.Size([1, 4, 4])
    """
    require_tensor("unfold", input)
    return apply(COLUMNS, (input, kernel_size, dilation, padding, stride))


@functional(nn_blocks.fold)
def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """The images that blocks add up to: the transpose of ``unfold``.

    Shapes: ``(N, C * KH * KW, B) -> (N, C, H, W)`` with ``B = H_out * W_out``,
    ``H_out = (H + 2 * padding - dilation * (KH - 1) - 1) // stride + 1``, ``W_out`` likewise; ``N`` may be
    missing.

    Args:
        input: of shape ``(N, C * height * width, blocks)``, a tensor or an array.
        output_size: the height and width of the images; the others as for ``unfold``.

    Raises:
        RuntimeError: sizes that do not fit.

    >>> import ast_ad
    >>> fold(ast_ad.ones(1, 2, 2), (1, 3), (1, 2))
    tensor([[[[1., 2., 1.]]]])
    """
    require_tensor("fold", input)
    return apply(BLOCKS, (input, output_size, kernel_size, dilation, padding, stride))


# ----- moving points


@functional(nn_grids.grid_sample)
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Any:
    """The values of images at given points.

    Shapes: ``(N, C, H, W), (N, I, J, 2) -> (N, C, I, J)``,
    ``(N, C, D, H, W), (N, I, J, K, 3) -> (N, C, I, J, K)``.

    Args:
        input: images ``(N, C, H, W)`` or volumes ``(N, C, D, H, W)``, a tensor or an array.
        grid: the points, of shape ``(N, height, width, 2)`` or ``(N, depth, height, width, 3)``, by
            coordinates between -1 and 1, the last dimension of ``input`` first.
        mode: 'bilinear' (between the nearest pixels) or 'nearest'.
        padding_mode: what there is outside: 'zeros', the 'border', or a 'reflection'.
        align_corners: whether -1 and 1 are the centres of the outermost pixels, not the edges.

    Returns:
        Of shape ``(N, C, height, width)`` or ``(N, C, depth, height, width)``.

    Raises:
        ValueError, RuntimeError, NotImplementedError: modes or shapes that do not fit.

    >>> import ast_ad
    >>> grid_sample(ast_ad.tensor([[[[1.0, 3.0]]]]), ast_ad.zeros(1, 1, 1, 2), align_corners=True)
    tensor([[[[2.]]]])
    """
    require_tensors("grid_sample", input=input, grid=grid)
    nn_grids.check_grid(input._array, grid._array, mode, padding_mode)
    return apply(SAMPLE, (input, grid, mode, padding_mode, bool(align_corners)))


@functional(nn_grids.affine_grid)
def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Any:
    """The points to which affine maps send the pixels of images: a grid for ``grid_sample``.

    Shapes: ``(N, 2, 3) -> (N, H, W, 2)`` for ``size`` ``(N, C, H, W)``; for ``(N, C, D, H, W)``:
    ``(N, 3, 4) -> (N, D, H, W, 3)``.

    Args:
        theta: of shape ``(N, 2, 3)`` for images, ``(N, 3, 4)`` for volumes.
        size: of the images, ``(N, C, H, W)`` or ``(N, C, D, H, W)``.
        align_corners: as for ``grid_sample``.

    Raises:
        ValueError, NotImplementedError: shapes that do not fit.

    >>> import ast_ad
    >>> affine_grid(ast_ad.eye(2, 3).unsqueeze(0), (1, 1, 1, 2), align_corners=False)
    tensor([[[[-0.5000,  0.0000],
              [ 0.5000,  0.0000]]]])
    """
    require_tensor("affine_grid", theta)
    shape, rank = theta._array.shape, len(size) - 2
    if rank not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got "
            f"size {size}."
        )
    if len(shape) != 3 or shape[1:] != (rank, rank + 1):
        raise ValueError(
            f"Expected a batch of {rank}D affine matrices of shape Nx{rank}x{rank + 1} for size {size}. "
            f"Got torch.Size({list(shape)})."
        )
    return apply(GRID, (theta, tuple(map(int, size)), bool(align_corners)))
