"""How does one function serve tensors, arrays and the compiler?

``F.relu(tensor)`` is recorded; ``F.relu(array)`` computes on the array, and a compiled function that calls
``F.relu`` is differentiated by the same rule.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...eager.tensor import Tensor
from ...rules import registry

Function = Callable[..., Any]


def functional(on_arrays: Function | None = None) -> Callable[[Function], Function]:
    """Decorate what is done to tensors; ``on_arrays`` has the same parameters and works on ndarrays.

    ``on_arrays`` is a function with a rule (``rules.registry``), which compiled functions then use.
    """

    def decorate(on_tensors: Function) -> Function:
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
