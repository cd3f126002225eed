"""Which layers move learned kernels over sequences, images and volumes? Convolutions and their transposes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ....eager.operations.creation import empty
from ....eager.tensor import Tensor
from .. import functional as F, init
from ..parameter import Parameter
from .module import Module
from .utils import told

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

PADDINGS = ("valid", "same")
MODES = ("zeros", "reflect", "replicate", "circular")


class Convolution(Module):
    """What the layers share: sizes with a number per spatial axis, ``weight`` and ``bias``."""

    rank = 0
    transposed = False

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
        output_padding: Any, groups: int, bias: bool, padding_mode: str, dtype: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        _check(in_channels, out_channels, groups, padding, stride, padding_mode)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride = self.each(kernel_size), self.each(stride)
        self.padding = padding if isinstance(padding, str) else self.each(padding)
        self.dilation, self.output_padding = self.each(dilation), self.each(output_padding)
        self.transposed = type(self).transposed
        self.groups, self.padding_mode = groups, padding_mode
        self._reversed_padding_repeated_twice = self._edges()
        shape = (
            (in_channels, out_channels // groups)
            if self.transposed
            else (out_channels, in_channels // groups)
        )
        self.weight = Parameter(empty(*shape, *self.kernel_size, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    @classmethod
    def each(cls, given: Any) -> tuple[int, ...]:
        """A number for each spatial axis."""
        return tuple(given) if isinstance(given, Sequence) else (given,) * cls.rank

    def _edges(self) -> tuple[int, ...]:
        """How many pixels ``F.pad`` adds at each edge, the last axis first."""
        found = []
        for i in reversed(range(len(self.kernel_size))):
            if isinstance(self.padding, str):
                total = self.dilation[i] * (self.kernel_size[i] - 1) if self.padding == "same" else 0
                found += [total // 2, total - total // 2]
            else:
                found += [self.padding[i], self.padding[i]]
        return tuple(found)

    def reset_parameters(self) -> None:
        """Draw new parameters, evenly distributed in ``±1 / sqrt(channels and taps of a kernel)``."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def _convolved(self, conv: Callable[..., Any], x: Any) -> Any:
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            x = F.pad(x, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        return conv(x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        """The sizes, without those that are what they are by default."""
        none = (0,) * len(self.kernel_size)
        sizes = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        )
        ones = (1,) * len(self.dilation)
        parts = told(self, padding=none, dilation=ones, output_padding=none, groups=1)
        bias = ["bias=False"] if self.bias is None else []
        return ", ".join([sizes, *parts, *bias, *told(self, padding_mode="zeros")])


def _check(ins: int, outs: int, groups: int, padding: Any, stride: Any, mode: str) -> None:
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if ins % groups:
        raise ValueError("in_channels must be divisible by groups")
    if outs % groups:
        raise ValueError("out_channels must be divisible by groups")
    if isinstance(padding, str):
        if padding not in PADDINGS:
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {PADDINGS}")
        if padding == "same" and any(s != 1 for s in (stride if isinstance(stride, Sequence) else (stride,))):
            raise ValueError("padding='same' is not supported for strided convolutions")
    if mode not in MODES:
        raise ValueError(f"padding_mode must be one of {MODES}, but got padding_mode='{mode}'")


class _Plain(Convolution):
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            0,
            groups,
            bias,
            padding_mode,
            dtype,
        )


class Conv1d(_Plain):
    """``F.conv1d`` with kernels that are learned; arguments as those of ``Conv2d``.

    Shapes: ``(N, in_channels, L) -> (N, out_channels, L_out)`` with
    ``L_out = (L + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1``; ``N`` may be missing.

    >>> import ast_ad
    >>> Conv1d(16, 33, 3, stride=2)(ast_ad.ones(20, 16, 50)).shape
    torch.Size([20, 33, 24])
    """

    rank = 1

    def forward(self, input: Tensor) -> Any:
        """The convolution of sequences of shape (N, C, L) or (C, L)."""
        return self._convolved(F.conv1d, input)


class Conv2d(_Plain):
    """``F.conv2d`` with kernels that are learned.

    Shapes: ``(N, in_channels, H, W) -> (N, out_channels, H_out, W_out)`` with
    ``H_out = (H + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1``, ``W_out`` likewise; ``N``
    may be missing.

    Args:
        in_channels, out_channels: how many the images have, and how many kernels there are.
        kernel_size: their height and width: a number for both, or two.
        stride, padding, dilation, groups: as in ``F.conv2d``.
        bias: whether a number is added for each kernel.
        padding_mode: "zeros", "reflect", "replicate" or "circular".

    Raises:
        ValueError: sizes that can't be.

    >>> import ast_ad
    >>> layer = Conv2d(16, 33, (3, 5), stride=(2, 1), padding=(4, 2))
    >>> layer
    Conv2d(16, 33, kernel_size=(3, 5), stride=(2, 1), padding=(4, 2))
    >>> layer(ast_ad.ones(20, 16, 50, 100)).shape
    torch.Size([20, 33, 28, 100])
    """

    rank = 2

    def forward(self, input: Tensor) -> Any:
        """The convolution of images of shape (N, C, H, W) or (C, H, W)."""
        return self._convolved(F.conv2d, input)


class Conv3d(_Plain):
    """``F.conv3d`` with kernels that are learned; arguments as those of ``Conv2d``.

    Shapes: ``(N, in_channels, D, H, W) -> (N, out_channels, D_out, H_out, W_out)`` with
    ``D_out = (D + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1``, ``H_out`` and ``W_out``
    likewise; ``N`` may be missing.
    """

    rank = 3

    def forward(self, input: Tensor) -> Any:
        """The convolution of volumes of shape (N, C, D, H, W) or (C, D, H, W)."""
        return self._convolved(F.conv3d, input)


class _Transposed(Convolution):
    transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias,
            padding_mode, dtype,
        )  # fmt: skip

    def _spread(self, conv: Callable[..., Any], x: Any, output_size: Any) -> Any:
        more = self.output_padding if output_size is None else self._output_padding(x, list(output_size))
        return conv(x, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)

    def _output_padding(self, x: Any, wanted: list[int]) -> tuple[int, ...]:
        """What has to be added so that images become ``wanted`` large.

        Raises:
            ValueError: the stride can't make them that large.
        """
        rank = len(self.kernel_size)
        lead = x.dim() - rank
        if len(wanted) == lead + rank:
            wanted = wanted[lead:]
        if len(wanted) != rank:
            raise ValueError(
                f"ConvTranspose{rank}D: for {x.dim()}D input, output_size must have {rank} or {lead + rank} "
                f"elements (got {len(wanted)})"
            )
        pixels = x.size()[lead:]
        each: Any = zip(pixels, self.kernel_size, self.stride, self.padding, self.dilation, strict=True)
        least = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, k, s, p, d in each]
        most = [low + s - 1 for low, s in zip(least, self.stride, strict=True)]
        if any(not low <= n <= high for n, low, high in zip(wanted, least, most, strict=True)):
            raise ValueError(
                f"requested an output size of {tuple(wanted)}, but valid sizes range from {least} to {most} "
                f"(for an input of {pixels})"
            )
        return tuple(n - low for n, low in zip(wanted, least, strict=True))


class ConvTranspose1d(_Transposed):
    """``F.conv_transpose1d`` with kernels that are learned; see ``ConvTranspose2d``.

    Shapes: ``(N, in_channels, L) -> (N, out_channels, L_out)`` with
    ``L_out = (L - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1``; ``N`` may
    be missing.
    """

    rank = 1

    def forward(self, input: Tensor, output_size: Any = None) -> Any:
        """Sequences of shape (N, C, L) or (C, L), made longer: ``output_size``, if there is a choice."""
        return self._spread(F.conv_transpose1d, input, output_size)


class ConvTranspose2d(_Transposed):
    """``F.conv_transpose2d`` with kernels that are learned: it makes images larger by its stride.

    Shapes: ``(N, in_channels, H, W) -> (N, out_channels, H_out, W_out)`` with
    ``H_out = (H - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1``, ``W_out``
    likewise; ``N`` may be missing.

    >>> import ast_ad
    >>> layer = ConvTranspose2d(16, 8, 3, stride=2, padding=1)
    >>> layer(ast_ad.ones(1, 16, 6, 6), output_size=(12, 12)).shape
    torch.Size([1, 8, 12, 12])
    """

    rank = 2

    def forward(self, input: Tensor, output_size: Any = None) -> Any:
        """Images of shape (N, C, H, W) or (C, H, W), enlarged: to ``output_size``, if there is a choice."""
        return self._spread(F.conv_transpose2d, input, output_size)


class ConvTranspose3d(_Transposed):
    """``F.conv_transpose3d`` with kernels that are learned; see ``ConvTranspose2d``.

    Shapes: ``(N, in_channels, D, H, W) -> (N, out_channels, D_out, H_out, W_out)`` with
    ``D_out = (D - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1``, ``H_out``
    and ``W_out`` likewise; ``N`` may be missing.
    """

    rank = 3

    def forward(self, input: Tensor, output_size: Any = None) -> Any:
        """Volumes of shape (N, C, D, H, W) or (C, D, H, W), enlarged."""
        return self._spread(F.conv_transpose3d, input, output_size)
