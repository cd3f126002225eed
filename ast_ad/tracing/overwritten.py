"""What if a function of a library may overwrite its argument, as ``np.median(x, overwrite_input=True)`` may?

Its result is what it would be otherwise, and so is the derivative of that. The argument gets what the library
has left there; of that no derivative is known, and one that leads through it is refused.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..eager.state import state
from ..eager.tensor import Tensor
from ..errors import MissingRuleError
from ..rules.registry import writing_parameters
from .births import is_followed
from .refused_nodes import Refused


class Overwritten(Refused):
    """The node of what a library has left in an array that it might overwrite."""

    def error(self) -> MissingRuleError:
        return MissingRuleError(
            f"the derivative of {self.what}",
            why="the library has used the array for its own purposes",
            fix="leave overwrite_...= away, or don't read the array afterwards",
        )


def permissions(original: Any) -> tuple[tuple[int, str], ...]:
    return tuple((i, name) for i, name in writing_parameters(original) if name.startswith("overwrite_"))


def overwriting(original: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """``call``, in the place of the original, for arguments that it may overwrite."""
    flags = permissions(original)
    if not flags:
        return call
    names = {name for _, name in flags}

    @functools.wraps(original)
    def permitted(*args: Any, **kwargs: Any) -> Any:
        kwargs = {
            n: v for n, v in kwargs.items() if n not in names or v is not False
        }  # rules don't know them
        places = {i for i, _ in flags if i < len(args)}
        given = {n for i, n in flags if (args[i] if i in places else kwargs.get(n)) is True}
        arrays = [v for v in (*args, *kwargs.values()) if isinstance(v, Tensor) and v._array.ndim]
        if not (given and state.tracing and any(map(is_followed, arrays))):
            return call(*args, **kwargs)
        after = {id(t): t._array.copy("K") for t in arrays}
        rest = [False if i in places else v for i, v in enumerate(args)]
        while rest and len(rest) - 1 in places:  # not every rule knows it by its place
            rest.pop()
        found = call(*rest, **{n: v for n, v in kwargs.items() if n not in given})
        plain = [after.get(id(v), v) for v in args]
        before, state.tracing = state.tracing, 0
        try:
            original(*plain, **{n: after.get(id(v), v) for n, v in kwargs.items()})
        finally:
            state.tracing = before
        for t in arrays:
            if after[id(t)].tobytes() != t._array.tobytes():
                t[...] = _unknown(original, t, after[id(t)])
        return found

    return permitted


def _unknown(original: Any, array: Any, content: np.ndarray) -> Any:
    """What is left in an array: its derivative is refused."""
    t = type(array)._of(content)
    t._node = Overwritten(f"what `{original.__name__}` has left in the array that it overwrote", content)
    t._nr, t._requires_grad = 0, True
    return t
