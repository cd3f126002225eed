"""Which layers normalise samples? All features together, groups of channels, or by neighbouring channels."""

from __future__ import annotations

from typing import Any

from ....eager.operations.creation import empty
from ....eager.tensor import Tensor
from .. import functional as F, init
from ..parameter import Parameter
from .module import Module

__all__ = ["GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


def _sizes(normalized_shape: Any) -> tuple[int, ...]:
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


class LayerNorm(Module):
    """Normalise over the last dimensions, of the lengths ``normalized_shape``.

    Shapes: ``(..., *normalized_shape) -> (..., *normalized_shape)``.

    Args:
        normalized_shape: a number, or one for each of these dimensions.
        eps: added to the variance.
        elementwise_affine: whether there is a ``weight`` of this shape, which is trained.
        bias: whether there is a ``bias`` too.

    >>> import ast_ad
    >>> LayerNorm(2, eps=0.0)(ast_ad.tensor([1.0, 3.0])).detach()
    tensor([-1.,  1.])
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape, self.eps = _sizes(normalized_shape), eps
        self.elementwise_affine = elementwise_affine
        for name, there in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            made = Parameter(empty(self.normalized_shape, dtype=dtype)) if there else None
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Let ``weight`` be 1 and ``bias`` 0."""
        if self.elementwise_affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Any:
        """The normalised input."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Divide by the root of the mean square over the last dimensions.

    Shapes: ``(..., *normalized_shape) -> (..., *normalized_shape)``.

    Args:
        normalized_shape: their lengths.
        eps: added to the mean square; None: the distance from 1 to the next number of the input's dtype.
        elementwise_affine: whether there is a ``weight`` of this shape, which is trained.

    >>> import ast_ad
    >>> RMSNorm(2)(ast_ad.tensor([3.0, -3.0])).detach()
    tensor([ 1., -1.])
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(
        self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape, self.eps = _sizes(normalized_shape), eps
        self.elementwise_affine = elementwise_affine
        made = Parameter(empty(self.normalized_shape, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Let ``weight`` be 1."""
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Any:
        """The input divided by its root mean square."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """Normalise groups of channels of each sample of ``(N, C, ...)``.

    Shapes: ``(N, num_channels, ...) -> (N, num_channels, ...)``.

    Args:
        num_groups: into how many groups the channels are divided.
        num_channels: how many channels there are.
        eps: added to the variance.
        affine: whether there are a ``weight`` and a ``bias`` for each channel, which are trained.
        bias: whether there is the latter.

    Raises:
        ValueError: ``num_channels`` is not divisible by ``num_groups``.

    >>> import ast_ad
    >>> GroupNorm(1, 2, eps=0.0)(ast_ad.tensor([[1.0, 3.0]])).detach()
    tensor([[-1.,  1.]])
    """

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None,
        dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        for name, there in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, Parameter(empty(num_channels, dtype=dtype)) if there else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Let ``weight`` be 1 and ``bias`` 0."""
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Any:
        """The normalised input."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LocalResponseNorm(Module):
    """Divide by a power of the mean square of neighbouring channels.

    Shapes: ``(N, C, L, ...) -> (N, C, L, ...)``.

    Args:
        size: of how many channels.
        alpha: a factor of the mean.
        beta: the exponent.
        k: what is added to the mean.

    >>> LocalResponseNorm(2)
    LocalResponseNorm(2, alpha=0.0001, beta=0.75, k=1.0)
    """

    __constants__ = ["size", "alpha", "beta", "k"]

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Any:
        """The input divided by the power."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
