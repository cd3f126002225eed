"""Which layers resize images, shuffle channels, or take images apart into blocks?"""

from __future__ import annotations

from typing import Any

from ....eager.tensor import Tensor
from .. import functional as F
from .module import Module

__all__ = [
    "ChannelShuffle", "Fold", "PixelShuffle", "PixelUnshuffle", "Unfold", "Upsample", "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
]  # fmt: skip


class Upsample(Module):
    """Images of another size; the arguments are those of ``functional.interpolate``.

    Shapes: ``(N, C, H, W) -> (N, C, H_out, W_out)`` with ``H_out = int(H * scale_factor)``, ``W_out``
    likewise, or with the lengths ``size``; so sequences and volumes.

    >>> import ast_ad
    >>> Upsample(scale_factor=2)(ast_ad.tensor([[[1.0, 3.0]]]))
    tensor([[[1., 1., 3., 3.]]])
    """

    def __init__(
        self, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
        align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.name = type(self).__name__
        self.size, self.mode, self.align_corners = size, mode, align_corners
        several = isinstance(scale_factor, tuple)
        self.scale_factor = (
            tuple(map(float, scale_factor)) if several else float(scale_factor) if scale_factor else None
        )
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Any:
        """The resized input."""
        how = self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        return F.interpolate(input, *how)

    def extra_repr(self) -> str:
        size = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{size}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """``Upsample`` in the mode 'nearest': ``(N, C, H, W) -> (N, C, H_out, W_out)``, as of ``interpolate``."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """``Upsample`` in the mode 'bilinear' with aligned corners.

    Shapes: ``(N, C, H, W) -> (N, C, H_out, W_out)``, as of ``interpolate``.
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


class PixelShuffle(Module):
    """``r * r`` channels as one whose images are ``r = upscale_factor`` times as wide and high.

    Shapes: ``(..., C * r * r, H, W) -> (..., C, H * r, W * r)``.

    >>> import ast_ad
    >>> PixelShuffle(2)(ast_ad.ones(4, 1, 1)).shape
    torch.Size([1, 2, 2])
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Any:
        """The shuffled input."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """What ``PixelShuffle`` came from.

    Shapes: ``(..., C, H * r, W * r) -> (..., C * r * r, H, W)`` with ``r = downscale_factor``.
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Any:
        """The shuffled input."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """The first channels of the groups, then the second ones, and so on: ``(N, C, ...) -> (N, C, ...)``."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Any:
        """The shuffled input."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"


class Unfold(Module):
    """The blocks of images as columns; the arguments are those of ``functional.unfold``.

    Shapes: ``(N, C, H, W) -> (N, C * KH * KW, B)``, as of ``unfold``.

    >>> Unfold(2)
    Unfold(kernel_size=2, dilation=1, padding=0, stride=1)
    """

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input: Tensor) -> Any:
        """The columns."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )


class Fold(Unfold):
    """The images that blocks add up to; the arguments are those of ``functional.fold``.

    Shapes: ``(N, C * KH * KW, B) -> (N, C, H, W)``, as of ``fold``.

    >>> Fold((4, 4), 2)
    Fold(output_size=(4, 4), kernel_size=2, dilation=1, padding=0, stride=1)
    """

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Any:
        """The images."""
        how = self.kernel_size, self.dilation, self.padding, self.stride
        return F.fold(input, self.output_size, *how)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, {super().extra_repr()}"
