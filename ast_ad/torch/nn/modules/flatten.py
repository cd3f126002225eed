"""Which layers only change the shape? Flatten and its inverse."""

from __future__ import annotations

from typing import Any

from .module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Makes one dimension of those from ``start_dim`` to ``end_dim``.

    Shapes: ``(a, b, c) -> (a, b * c)``.

    >>> import ast_ad
    >>> ast_ad.nn.Flatten()(ast_ad.ones(2, 3, 4)).shape
    torch.Size([2, 12])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Any) -> Any:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Makes several dimensions, of lengths ``unflattened_size``, of the dimension ``dim``.

    Shapes: ``(a, b * c, ...) -> (a, b, c, ...)``.

    Raises:
        TypeError: ``unflattened_size`` is no tuple of integers.

    >>> import ast_ad
    >>> ast_ad.nn.Unflatten(1, (3, 4))(ast_ad.ones(2, 12)).shape
    torch.Size([2, 3, 4])
    """

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        _check_sizes(unflattened_size)
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Any) -> Any:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


def _check_sizes(sizes: Any) -> None:
    if not isinstance(sizes, (tuple, list)):
        raise TypeError(f"unflattened_size must be a tuple of ints, but found type {type(sizes).__name__}")
    for i, n in enumerate(sizes):
        if not isinstance(n, int):
            raise TypeError(
                f"unflattened_size must be tuple of ints, but found element of type {type(n).__name__} at "
                f"pos {i}"
            )
