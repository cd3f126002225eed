"""Which activation functions are modules? Each of them, with PyTorch's arguments and representation."""

from __future__ import annotations

import warnings
from typing import Any

from ....eager.operations.creation import empty
from ....eager.tensor import Tensor
from .. import init
from ..functional import activations as F
from ..parameter import Parameter
from .module import Module

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU",
    "LogSigmoid", "LogSoftmax", "Mish", "PReLU", "RReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid",
    "Softmax", "Softmax2d", "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink",
    "Threshold",
]  # fmt: skip


OLDER_NAME = "keyword argument `{0}_value` is deprecated and renamed to `{0}_val`"


class _InPlace(Module):
    """A module whose only option is whether it changes its argument."""

    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ReLU(_InPlace):
    """``max(x, 0)``; ``inplace``: put into ``x`` itself.

    >>> import ast_ad
    >>> ReLU()(ast_ad.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Any:
        """``max(input, 0)``."""
        return F.relu(input, inplace=self.inplace)


class SELU(_InPlace):
    """The scaled ``ELU`` that keeps the mean 0 and the variance 1."""

    def forward(self, input: Tensor) -> Any:
        """``selu(input)``."""
        return F.selu(input, self.inplace)


class SiLU(_InPlace):
    """``x * sigmoid(x)``."""

    def forward(self, input: Tensor) -> Any:
        """``silu(input)``."""
        return F.silu(input, inplace=self.inplace)


class Mish(_InPlace):
    """``x * tanh(softplus(x))``."""

    def forward(self, input: Tensor) -> Any:
        """``mish(input)``."""
        return F.mish(input, inplace=self.inplace)


class Hardswish(_InPlace):
    """``x * relu6(x + 3) / 6``."""

    def forward(self, input: Tensor) -> Any:
        """``hardswish(input)``."""
        return F.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        return ""  # PyTorch does not tell


class Hardsigmoid(_InPlace):
    """``relu6(x + 3) / 6``."""

    def forward(self, input: Tensor) -> Any:
        """``hardsigmoid(input)``."""
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Sigmoid(Module):
    """``1 / (1 + exp(-x))``."""

    def forward(self, input: Tensor) -> Any:
        """``sigmoid(input)``."""
        return F.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Any:
        """``tanh(input)``."""
        return F.tanh(input)


class LogSigmoid(Module):
    """``log(sigmoid(x))``."""

    def forward(self, input: Tensor) -> Any:
        """``logsigmoid(input)``."""
        return F.logsigmoid(input)


class Softsign(Module):
    """``x / (1 + abs(x))``."""

    def forward(self, input: Tensor) -> Any:
        """``softsign(input)``."""
        return F.softsign(input)


class Tanhshrink(Module):
    """``x - tanh(x)``."""

    def forward(self, input: Tensor) -> Any:
        """``tanhshrink(input)``."""
        return F.tanhshrink(input)


class Threshold(Module):
    """``x`` where it is above ``threshold``, else ``value``."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input: Tensor) -> Any:
        """``threshold(input, threshold, value)``."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}{', inplace=True' if self.inplace else ''}"


class RReLU(Module):
    """``LeakyReLU`` with slopes that are drawn from ``[lower, upper]`` in training."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Tensor) -> Any:
        """``rrelu(input, lower, upper, training)``."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}{', inplace=True' if self.inplace else ''}"


class Hardtanh(Module):
    """``x`` confined to ``[min_val, max_val]``."""

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        if min_value is not None:
            warnings.warn(OLDER_NAME.format("min"), FutureWarning, stacklevel=2)
            min_val = min_value
        if max_value is not None:
            warnings.warn(OLDER_NAME.format("max"), FutureWarning, stacklevel=2)
            max_val = max_value
        self.min_val, self.max_val, self.inplace = min_val, max_val, inplace
        if min_val >= max_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")

    def forward(self, input: Tensor) -> Any:
        """``hardtanh(input, min_val, max_val)``."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}{', inplace=True' if self.inplace else ''}"


class ReLU6(Hardtanh):
    """``min(max(x, 0), 6)``."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class _Exponential(Module):
    """A module that tends to ``-alpha``."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}{', inplace=True' if self.inplace else ''}"


class ELU(_Exponential):
    """``x`` where it is positive, else ``alpha * (exp(x) - 1)``."""

    def forward(self, input: Tensor) -> Any:
        """``elu(input, alpha)``."""
        return F.elu(input, self.alpha, self.inplace)


class CELU(_Exponential):
    """``x`` where it is positive, else ``alpha * (exp(x / alpha) - 1)``."""

    def forward(self, input: Tensor) -> Any:
        """``celu(input, alpha)``."""
        return F.celu(input, self.alpha, self.inplace)


class LeakyReLU(Module):
    """``x`` where it is positive, else ``negative_slope * x``."""

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input: Tensor) -> Any:
        """``leaky_relu(input, negative_slope)``."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}{', inplace=True' if self.inplace else ''}"


class GLU(Module):
    """The first half along ``dim`` times the sigmoid of the second: ``(..., 2 * n) -> (..., n)``."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Any:
        """``glu(input, dim)``."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class GELU(Module):
    """``x`` times the normal distribution function of ``x``; ``approximate="tanh"``: by a tanh."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Any:
        """``gelu(input, approximate)``."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """``x``, but 0 between ``-lambd`` and ``lambd``."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Any:
        """``hardshrink(input, lambd)``."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class Softshrink(Module):
    """``x`` moved towards 0 by ``lambd``, and 0 between."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Any:
        """``softshrink(input, lambd)``."""
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softplus(Module):
    """``log(1 + exp(beta * x)) / beta``, and ``x`` where ``beta * x`` exceeds ``threshold``."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Tensor) -> Any:
        """``softplus(input, beta, threshold)``."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class PReLU(Module):
    """``LeakyReLU`` with a slope that is learned, or with one for each of ``num_parameters`` channels.

    Shapes: ``(N, num_parameters, ...) -> (N, num_parameters, ...)``.

    >>> import ast_ad
    >>> PReLU()(ast_ad.tensor([-1.0, 2.0])).tolist()
    [-0.25, 2.0]
    """

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(empty(num_parameters, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the slopes to ``init`` again."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Any:
        """``prelu(input, weight)``."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class _Along(Module):
    """A module whose only option is a dimension."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_Along):
    """``exp(x) / exp(x).sum(dim)``.

    Shapes: ``(...) -> (...)``.

    >>> import ast_ad
    >>> Softmax(dim=0)(ast_ad.zeros(2))
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Any:
        """``softmax(input, dim)``."""
        return F.softmax(input, self.dim, _stacklevel=5)


class Softmin(_Along):
    """``Softmax`` of ``-x``: ``(...) -> (...)``."""

    def forward(self, input: Tensor) -> Any:
        """``softmin(input, dim)``."""
        return F.softmin(input, self.dim, _stacklevel=5)


class LogSoftmax(_Along):
    """The logarithm of ``Softmax``: ``(...) -> (...)``."""

    def forward(self, input: Tensor) -> Any:
        """``log_softmax(input, dim)``."""
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """``Softmax`` over the channels of images: ``(N, C, H, W) -> (N, C, H, W)``; ``N`` may be missing."""

    def forward(self, input: Tensor) -> Any:
        """``softmax(input, -3)``."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)
