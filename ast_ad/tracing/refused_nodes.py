"""What stands in the graph for a value whose derivative is refused, as soon as one would flow through it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..eager.node import Node, next_number
from ..errors import MissingRuleError
from .sought import sought


class Refused(Node):
    """The node of a value of which it is not known by what it was computed: perhaps by all there is."""

    def __init__(self, name: str, array: np.ndarray) -> None:
        self.what, self._number, self._meta = name, next_number(), (array.shape, array.dtype)
        self._edges = self._live = sought.get()

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        if not self._live or not (graph or np.any(g)):  # it depends on nothing; it was overwritten
            return [None] * len(self._live)
        raise self.error()

    def error(self) -> MissingRuleError:
        return MissingRuleError(
            f"the derivative of {self.what}",
            why="it comes from the way that the solver took, not from the equation that it solved",
            fix="compute it from the solution, or take it for a constant (ast_ad.stop_gradient)",
        )
