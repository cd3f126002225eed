"""What do hulls, triangulations and Voronoi cells of traced points tell? Which points belong together.

These are integers, which don't depend on the points but where they jump. What Qhull computes of the numbers
(volumes, equations, the vertices of cells) has a derivative that is refused. Qhull itself is compiled, and
takes the place of no array by another object: it would end the process.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np

from ..eager.dispatch import needs_grad, plain_of
from ..eager.numpy_protocol import run
from ..eager.state import state
from ..eager.tensor import Tensor
from ..errors import MissingRuleError
from ..rules import helpers
from .creation import has_traced, stacked
from .refused_nodes import Refused
from .stand_ins import ClassNamespace
from .traced_array import Traced


class OfPoints(Refused):
    """The node of a number that Qhull has computed of the points."""

    def error(self) -> MissingRuleError:
        return MissingRuleError(
            f"the derivative of {self.what}",
            why="Qhull computes it, in compiled code",
            fix="compute it from the points and the indices of their simplices",
        )


def _of_plain_points(original: Any) -> Any:
    @functools.wraps(original)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        given = [*args, *kwargs.values()]
        if not state.tracing or not any(map(has_traced, given)):
            return original(self, *args, **kwargs)
        arrays = [stacked(v) if has_traced(v) and not isinstance(v, Tensor) else v for v in given]
        plain = [np.array(plain_of(v)) if isinstance(v, Tensor) else v for v in arrays]
        named = dict(zip(kwargs, plain[len(args) :], strict=True))
        before, state.tracing = state.tracing, 0  # what the library makes for itself is no part of the trace
        try:
            original(self, *plain[: len(args)], **named)
        finally:
            state.tracing = before
        if any(isinstance(v, Tensor) and needs_grad(v) for v in arrays):
            told = _of_given_points(self, arrays[0])
            for name, value in vars(self).items():
                vars(self)[name] = (
                    told[name] if name in told else _refusing(value, f"`{name}` of `{type(self).__name__}`")
                )

    return init


def _of_given_points(made: Any, given: Any) -> dict[str, Any]:
    """The attributes that are the given points themselves, or their bounds, with their derivatives."""
    kept = vars(made).get("_points")
    if not isinstance(given, Tensor) or not np.array_equal(kept, plain_of(given)):
        return {}
    points = run(helpers.astype, (given, np.dtype(float)), {})
    bounds = {"min_bound": np.min, "max_bound": np.max}
    return {"_points": points} | {
        k: run(fn, (points,), {"axis": 0}) for k, fn in bounds.items() if k in vars(made)
    }


def _refusing(value: Any, what: str) -> Any:
    """A number with a derivative that is refused; anything else as it is."""
    if not isinstance(value, (float, np.floating)) and getattr(value, "dtype", np.dtype(int)).kind != "f":
        return value
    t = Traced._of(value)
    t._node, t._nr, t._requires_grad = OfPoints(what, t._array), 0, True
    return t


def methods() -> list[tuple[Any, str, Any, Any]]:
    """The classes that call Qhull: as namespaces, names, the methods that stand there, what replaces them."""
    return _methods(sys.modules["scipy.spatial._qhull"]) if "scipy.spatial._qhull" in sys.modules else []


@functools.lru_cache(1)
def _methods(module: Any) -> list[tuple[Any, str, Any, Any]]:
    base = module._QhullUser
    of = [c for c in vars(module).values() if isinstance(c, type) and issubclass(c, base) and c is not base]
    return [(ClassNamespace(c), "__init__", c.__init__, _of_plain_points(c.__init__)) for c in of]  # type: ignore[misc]
