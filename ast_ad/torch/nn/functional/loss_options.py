"""What do losses have in common? Reductions, the older arguments that chose them, and checks of sizes."""

from __future__ import annotations

import warnings
from typing import Any

from ....eager import namespace  # noqa: F401 - defines the operations
from ....eager.checks import broadcast
from ....eager.dtypes import result_dtype, scalar_name
from ....eager.tensor import Tensor
from ....rules.networks.losses import chosen

VALID = ("none", "mean", "sum")


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """'none', 'mean' or 'sum'; with a warning where the older arguments choose it.

    Raises:
        ValueError: no such reduction.
    """
    if size_average is None and reduce is None:
        return reduction if reduction in VALID else chosen(None, None, reduction)
    bool(size_average), bool(reduce)  # a tensor where an option is expected: MSELoss(input, target)
    how = chosen(size_average, reduce, reduction)
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{how}' instead.",
        stacklevel=4,
    )
    return how


def reduced(t: Any, how: str) -> Any:
    """The mean, the sum, or the tensor itself."""
    return t if how == "none" else t.mean() if how == "mean" else t.sum()


def warn_of_sizes(input: Tensor, target: Tensor) -> None:
    """Warn where a target broadcasts against the input."""
    if input._array.shape != target._array.shape:
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
            "This will likely lead to incorrect results due to broadcasting. Please ensure they have the "
            "same size.",
            stacklevel=4,
        )


def check_floating(kernel: str, *tensors: Tensor) -> None:
    """Refuse integers where PyTorch has no kernel for them."""
    dtype = result_dtype(*[t._array for t in tensors])
    if dtype.kind in "iub":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(dtype)}'")


def check_broadcast(*tensors: Tensor) -> None:
    """Refuse shapes that do not fit together, as PyTorch words it."""
    broadcast(*[t._array.shape for t in tensors])
