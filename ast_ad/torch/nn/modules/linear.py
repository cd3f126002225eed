"""Which layers multiply by a matrix that is learned? Linear and bilinear ones; and one does nothing."""

from __future__ import annotations

import math
from typing import Any

from ....eager.operations.creation import empty
from ....eager.tensor import Tensor
from .. import init
from ..functional.linear import bilinear, linear
from ..parameter import Parameter
from .module import Module

__all__ = ["Bilinear", "Identity", "Linear"]


class Identity(Module):
    """A layer that returns its argument; it ignores whatever it is made with.

    Shapes: ``(...) -> (...)``.

    >>> import ast_ad
    >>> Identity(54, unused=1)(ast_ad.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """``input`` itself."""
        return input


class Linear(Module):
    """``x @ weight.T + bias``, with both evenly distributed in ``±1 / sqrt(in_features)`` at first.

    Shapes: ``(..., in_features) -> (..., out_features)``.

    Args:
        in_features: the length of the last dimension of what comes in.
        out_features: the length of the last dimension of what goes out.
        bias: whether there is one.

    >>> import ast_ad
    >>> layer = Linear(20, 30)
    >>> layer(ast_ad.ones(128, 20)).size()
    torch.Size([128, 30])
    >>> layer
    Linear(in_features=20, out_features=30, bias=True)
    """

    __constants__ = ["in_features", "out_features"]

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty(out_features, in_features, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new parameters."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Any:
        """``input @ weight.T + bias``."""
        return linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )


class Bilinear(Module):
    """``sum(x[i] * weight[k, i, j] * y[j]) + bias[k]``, evenly distributed in ``±1 / sqrt(in1_features)``.

    Shapes: ``(..., in1_features), (..., in2_features) -> (..., out_features)``.

    Args:
        in1_features: the length of the last dimension of ``x``.
        in2_features: the length of the last dimension of ``y``.
        out_features: the length of the last dimension of what goes out.
        bias: whether there is one.

    >>> import ast_ad
    >>> Bilinear(2, 3, 4)(ast_ad.ones(5, 2), ast_ad.ones(5, 3)).size()
    torch.Size([5, 4])
    """

    __constants__ = ["in1_features", "in2_features", "out_features"]

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = Parameter(empty(out_features, in1_features, in2_features, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new parameters."""
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Any:
        """The forms of each pair of vectors."""
        return bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
