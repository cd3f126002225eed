"""How do many parameters become one vector, and back?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....eager.operations.joining import cat
from ....eager.tensor import Tensor
from ..modules.registration import typename

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """All elements of the parameters in one vector, recorded.

    >>> import ast_ad
    >>> parameters_to_vector([ast_ad.ones(2, 2), ast_ad.zeros(1)])
    tensor([1., 1., 1., 1., 0.])
    """
    return cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Let the parameters be successive parts of a vector: they share its memory.

    Raises:
        TypeError: ``vec`` is no tensor.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    vector: Any = vec
    start = 0
    for param in parameters:
        end = start + param.numel()
        param.data = vector[start:end].view_as(param).data
        start = end
