"""Which Functions of ``torch.autograd._functions`` do programs use? ``Resize``."""

from __future__ import annotations

from typing import Any

from .function import Function


class Resize(Function):
    """A tensor in another shape of as many elements.

    >>> import ast_ad
    >>> Resize.apply(ast_ad.zeros(4), (2, 2)).shape
    torch.Size([2, 2])
    """

    @staticmethod
    def forward(ctx: Any, tensor: Any, sizes: Any) -> Any:
        """Raises RuntimeError for another number of elements."""
        ctx.input_size = tensor.shape
        count = 1
        for n in sizes:
            count *= int(n)
        if tensor.numel() != count:
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({count} elements in total), but the given "
                f"tensor has a size of {'x'.join(map(str, tensor.shape))} ({tensor.numel()} elements). "
                "autograd's resize can only change the shape of a given tensor, while preserving the "
                "number of "
                "elements. "
            )
        return tensor.contiguous().view(*sizes)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        """The gradient in the tensor's own shape."""
        return grad_output.contiguous().view(ctx.input_size), None
