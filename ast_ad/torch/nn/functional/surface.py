"""How does one function serve tensors, arrays and the compiler?

``F.relu(tensor)`` is recorded; ``F.relu(array)`` computes on the array, and a compiled function that calls
``F.relu`` is differentiated by the same rule.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ....eager.dtypes import scalar_name
from ....eager.tensor import Tensor
from ....rules import registry

Function = Callable[..., Any]
# Functions of real numbers, for which PyTorch has no kernel of complex ones.
REAL = {
    "mse_loss", "huber_loss", "smooth_l1_loss", "kl_div", "binary_cross_entropy_with_logits", "hardtanh",
    "relu6", "avg_pool1d", "cosine_similarity", "hinge_embedding_loss", "soft_margin_loss",
}  # fmt: skip


def of_real_numbers(fn: Function) -> Function:
    """``fn``, which refuses complex tensors as its first argument."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else next(iter(kwargs.values()), None)
        if isinstance(first, Tensor) and first._array.dtype.kind == "c":
            raise NotImplementedError(
                f"\"{fn.__name__}_cpu\" not implemented for '{scalar_name(first._array.dtype)}'"
            )
        return fn(*args, **kwargs)

    return run


def functional(on_arrays: Function | None = None) -> Callable[[Function], Function]:
    """Decorate what is done to tensors; ``on_arrays`` has the same parameters and works on ndarrays.

    ``on_arrays`` is a function with a rule (``rules.registry``), which compiled functions then use.
    """

    def decorate(on_tensors: Function) -> Function:
        if on_tensors.__name__ in REAL:
            on_tensors = of_real_numbers(on_tensors)
        if on_arrays is None:
            return on_tensors

        @functools.wraps(on_tensors)
        def run(*args: Any, **kwargs: Any) -> Any:
            for a in args:
                if isinstance(a, Tensor):
                    return on_tensors(*args, **kwargs)
            if any(isinstance(a, Tensor) for a in kwargs.values()):
                return on_tensors(*args, **kwargs)
            return on_arrays(*args, **kwargs)

        registry.alias(on_arrays, run)
        return run

    return decorate
