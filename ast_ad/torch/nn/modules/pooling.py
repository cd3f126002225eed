"""Which layers pool? Windows become their largest element, their mean or their norm."""

from __future__ import annotations

from typing import Any

from ....eager.tensor import Tensor
from .. import functional as F
from .module import Module

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "LPPool1d", "LPPool2d", "LPPool3d",
    "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
]  # fmt: skip


class _Pool(Module):
    """A layer that calls the function of its own name."""

    pool: Any
    rank = 0

    @classmethod
    def each(cls, given: Any) -> Any:
        """A number for each dimension."""
        return given if isinstance(given, tuple) else (given,) * cls.rank


# ----- maxima


class _MaxPool(_Pool):
    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        return_indices: bool = False, ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: Tensor) -> Any:
        """The largest elements, with their places if ``return_indices``."""
        return self.pool(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
            self.return_indices,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The largest element of each window along the last dimension; see ``functional.max_pool2d``.

    Shapes: ``(N, C, L) -> (N, C, L_out)``, as of ``max_pool1d``.
    """

    pool = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPool):
    """The largest element of each window over images; the arguments are those of ``functional.max_pool2d``.

    Shapes: ``(N, C, H, W) -> (N, C, H_out, W_out)``, as of ``max_pool2d``.

    >>> import ast_ad
    >>> MaxPool2d(2)(ast_ad.tensor([[[1.0, 2.0], [4.0, 3.0]]]))
    tensor([[[4.]]])
    >>> MaxPool2d(2)
    MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)
    """

    pool = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPool):
    """The largest element of each window over volumes; see ``functional.max_pool3d``.

    Shapes: ``(N, C, D, H, W) -> (N, C, D_out, H_out, W_out)``, as of ``max_pool3d``.
    """

    pool = staticmethod(F.max_pool3d)


class _AdaptiveMaxPool(_Pool):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def forward(self, input: Tensor) -> Any:
        """The largest elements, with their places if ``return_indices``."""
        return self.pool(input, self.output_size, self.return_indices)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """The largest element of each of ``output_size`` windows along the last dimension.

    Shapes: ``(N, C, L) -> (N, C, output_size)``; ``N`` may be missing.
    """

    pool = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The largest element of each of ``output_size`` windows over images.

    Shapes: ``(N, C, H, W) -> (N, C, *output_size)``; ``N`` may be missing.

    >>> AdaptiveMaxPool2d((5, None))
    AdaptiveMaxPool2d(output_size=(5, None))
    """

    pool = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """The largest element of each of ``output_size`` windows over volumes.

    Shapes: ``(N, C, D, H, W) -> (N, C, *output_size)``; ``N`` may be missing.
    """

    pool = staticmethod(F.adaptive_max_pool3d)


class _MaxUnpool(_Pool):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = self.each(kernel_size)
        self.stride = self.each(kernel_size if stride is None else stride)
        self.padding = self.each(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Any:
        """Zeros with the elements of ``input`` at their places."""
        return self.pool(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """Put elements where ``MaxPool1d`` found them.

    Shapes: ``(N, C, L), (N, C, L) -> (N, C, L_out)``, as of ``max_unpool1d``.
    """

    pool, rank = staticmethod(F.max_unpool1d), 1


class MaxUnpool2d(_MaxUnpool):
    """Put elements where ``MaxPool2d`` with ``return_indices`` found them.

    Shapes: ``(N, C, H, W), (N, C, H, W) -> (N, C, H_out, W_out)``, as of ``max_unpool2d``.

    >>> MaxUnpool2d(2)
    MaxUnpool2d(kernel_size=(2, 2), stride=(2, 2), padding=(0, 0))
    """

    pool, rank = staticmethod(F.max_unpool2d), 2


class MaxUnpool3d(_MaxUnpool):
    """Put elements where ``MaxPool3d`` found them.

    Shapes: ``(N, C, D, H, W), (N, C, D, H, W) -> (N, C, D_out, H_out, W_out)``, as of ``max_unpool3d``.
    """

    pool, rank = staticmethod(F.max_unpool3d), 3


# ----- means


class AvgPool1d(_Pool):
    """The mean of each window along the last dimension; see ``functional.avg_pool1d``.

    Shapes: ``(N, C, L) -> (N, C, L_out)``, as of ``avg_pool1d``.

    >>> AvgPool1d(3)
    AvgPool1d(kernel_size=(3,), stride=(3,), padding=(0,))
    """

    rank = 1

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size, self.padding = self.each(kernel_size), self.each(padding)
        self.stride = self.each(kernel_size if stride is None else stride)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Any:
        """The means."""
        how = self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        return F.avg_pool1d(input, *how)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AvgPool(_Pool):
    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input: Tensor) -> Any:
        """The means."""
        how = self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        return self.pool(input, *how, self.divisor_override)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(_AvgPool):
    """The mean of each window over images; the arguments are those of ``functional.avg_pool2d``.

    Shapes: ``(N, C, H, W) -> (N, C, H_out, W_out)``, as of ``avg_pool2d``.

    >>> import ast_ad
    >>> AvgPool2d(2)(ast_ad.tensor([[[1.0, 2.0], [4.0, 3.0]]]))
    tensor([[[2.5000]]])
    """

    pool = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPool):
    """The mean of each window over volumes; see ``functional.avg_pool2d``.

    Shapes: ``(N, C, D, H, W) -> (N, C, D_out, H_out, W_out)``, as of ``avg_pool3d``.
    """

    pool = staticmethod(F.avg_pool3d)


class _AdaptiveAvgPool(_Pool):
    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Any:
        """The means."""
        return self.pool(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """The mean of each of ``output_size`` windows along the last dimension.

    Shapes: ``(N, C, L) -> (N, C, output_size)``; ``N`` may be missing.
    """

    pool = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """The mean of each of ``output_size`` windows over images.

    Shapes: ``(N, C, H, W) -> (N, C, *output_size)``; ``N`` may be missing.

    >>> AdaptiveAvgPool2d((1, 1))
    AdaptiveAvgPool2d(output_size=(1, 1))
    """

    pool = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """The mean of each of ``output_size`` windows over volumes.

    Shapes: ``(N, C, D, H, W) -> (N, C, *output_size)``; ``N`` may be missing.
    """

    pool = staticmethod(F.adaptive_avg_pool3d)


# ----- norms


class _LPPool(_Pool):
    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = (
            norm_type,
            kernel_size,
            stride,
            ceil_mode,
        )

    def forward(self, input: Tensor) -> Any:
        """The norms."""
        return self.pool(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """The norm of each window along the last dimension; see ``functional.lp_pool1d``.

    Shapes: ``(N, C, L) -> (N, C, L_out)``, as of ``lp_pool1d``.
    """

    pool = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPool):
    """The norm of each window over images.

    Shapes: ``(N, C, H, W) -> (N, C, H_out, W_out)``, as of ``lp_pool2d``.

    >>> LPPool2d(2, 3)
    LPPool2d(norm_type=2, kernel_size=3, stride=None, ceil_mode=False)
    """

    pool = staticmethod(F.lp_pool2d)


class LPPool3d(_LPPool):
    """The norm of each window over volumes.

    Shapes: ``(N, C, D, H, W) -> (N, C, D_out, H_out, W_out)``, as of ``lp_pool3d``.
    """

    pool = staticmethod(F.lp_pool3d)
