"""Which programs run in compiled code from end to end? Those whose driver Numba compiles, too.

``require_compiled(parts) -> None``. After ``partition``, for a derivative that is called from compiled code.

Such a driver consists of calls of kernels, new arrays, lengths and conversions of numbers.
"""

from __future__ import annotations

import operator

import numpy as np

from ....errors import UnsupportedError
from ...ir import builtin
from ...ir.ops import Op, Statement, variables, walk
from ...ir.types import Array
from .partition import KernelCall, Parts

_SAME = {
    np.empty, np.zeros, np.shape, builtin.assign, builtin.tuple_get, builtin.unpack, operator.matmul, len,
}  # fmt: skip
"""What means the same in Python and in compiled code."""
_OF_LENGTHS = {operator.add, operator.sub, operator.mul, operator.getitem, max, min}


def require_compiled(parts: Parts) -> None:
    """Let all of a driver be for compiled code.

    Raises:
        UnsupportedError: something in it stays with NumPy.
    """
    for op in walk(parts.driver.body):
        if not _is_known(op):
            raise _stays(op, parts)


def _is_known(op: Statement) -> bool:
    if not isinstance(op, Op) or op.kwargs:
        return False
    if isinstance(op.fn, KernelCall) or op.fn in _SAME:
        return True
    if isinstance(op.fn, type) and issubclass(op.fn, np.generic):
        return True
    numbers = not any(isinstance(v.type, Array) for v in (*variables(*op.args), *op.outs))
    return numbers and op.fn in _OF_LENGTHS and all(getattr(o.type, "kind", "") == "int" for o in op.outs)


def _stays(op: Statement, parts: Parts) -> UnsupportedError:
    name = getattr(getattr(op, "fn", None), "__name__", "a loop or branch around NumPy code")
    reasons = [why for refused, why in parts.refused if refused is op] or [why for _, why in parts.refused]
    return UnsupportedError(
        f"`{name}` in a gradient that is called from compiled code",
        op.span,
        why="it stays with NumPy" + (f": {reasons[0]}" if reasons else ""),
        fix="call the gradient from Python, or write this step with operations that kernels have",
    )
