"""Which modules drop elements at random? One for single elements, others for channels and for ``SELU``."""

from __future__ import annotations

from typing import Any

from ....eager.tensor import Tensor
from ..functional import regularization as F
from .module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    """A module with a probability."""

    __constants__ = ["p", "inplace"]

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """In training, elements are set to 0 with probability ``p``, and the others divided by ``1 - p``.

    Shapes: ``(...) -> (...)``.

    >>> import ast_ad
    >>> Dropout(0.2).eval()(ast_ad.ones(2))
    tensor([1., 1.])
    """

    def forward(self, input: Tensor) -> Any:
        """``dropout(input, p, training)``."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Dropout of whole channels of signals: ``(N, C, L) -> (N, C, L)``; ``N`` may be missing."""

    def forward(self, input: Tensor) -> Any:
        """``dropout1d(input, p, training)``."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Dropout of whole channels of images: ``(N, C, H, W) -> (N, C, H, W)``."""

    def forward(self, input: Tensor) -> Any:
        """``dropout2d(input, p, training)``."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Dropout of whole channels of volumes: ``(N, C, D, H, W) -> (N, C, D, H, W)``; ``N`` may be missing."""

    def forward(self, input: Tensor) -> Any:
        """``dropout3d(input, p, training)``."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps the mean 0 and the variance 1 of what comes out of ``SELU``: ``(...) -> (...)``."""

    def forward(self, input: Tensor) -> Any:
        """``alpha_dropout(input, p, training)``."""
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """``AlphaDropout`` of whole channels: ``(N, C, ...) -> (N, C, ...)``."""

    def forward(self, input: Tensor) -> Any:
        """``feature_alpha_dropout(input, p, training)``."""
        return F.feature_alpha_dropout(input, self.p, self.training)
