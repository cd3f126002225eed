"""What do lower parts of the tensors ask of higher ones? Each is set by the module that defines it.

The package loads all of them, so they are open as soon as any module of it has been imported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from .node import Node
    from .tensor import Tensor


class Call(Protocol):
    def __call__(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any] = ...) -> Any: ...


# ----- dispatch
call: Call
# ----- engine
apply_node: Callable[[Node, Sequence[Any]], Any]
# ----- operations.creation
new_tensor: Callable[[Any, tuple[Any, ...], dict[str, Any]], Tensor]
rebuilt: Callable[[Any, np.ndarray, bool], Tensor]
# ----- operations.typed
dtype_named: Callable[[Any], Any]
# ----- sweeps
backward: Callable[[Any, Any, Any, bool, Any, Any], None]
# ----- views
edge_of: Callable[[Any], tuple[Node | None, int]]
refresh: Callable[[Any], None]
