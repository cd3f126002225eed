"""Is a call of a function that Numba has compiled, with traced arguments, one operation?

``as_one(jitted, python, args) -> Any``. Traced, a loop is as many operations as it has lines and turns, and
Numba is for long ones. Who compiles their derivatives says so by ``open_door``; what that gives is one node.
"""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Callable, Sequence
from typing import Any

from ..eager.recording import needs_grad
from ..eager.state import state
from ..eager.tensor import Tensor
from ..trees import flatten

TRACED: Any = object()  # the answer where the function has to be traced

_compilers: list[Callable[[Any, Any, Sequence[Any]], Any]] = []


def open_door(compiler: Callable[[Any, Any, Sequence[Any]], Any]) -> None:
    """``compiler(jitted, python, args)``: the value of a call as a node of the graph, or ``TRACED``."""
    _compilers[:] = [compiler]


def as_one(jitted: Any, python: Any, args: Sequence[Any]) -> Any:
    """The value, or ``TRACED``."""
    if not _compilers or not state.grad or not isinstance(python, types.FunctionType):
        return TRACED
    if not any(isinstance(leaf, Tensor) and needs_grad(leaf) for leaf in flatten(tuple(args))[0]):
        return TRACED
    return _compilers[0](jitted, python, args) if loops(python.__code__) else TRACED


@functools.lru_cache(maxsize=1024)
def loops(code: types.CodeType) -> bool:
    """Whether there is a loop in it: a jump to what stands before."""
    jumps = (step for step in dis.get_instructions(code) if "JUMP" in step.opname)
    return any(isinstance(step.argval, int) and step.argval <= step.offset for step in jumps)
