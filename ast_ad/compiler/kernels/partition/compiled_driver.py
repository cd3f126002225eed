"""Which programs run in compiled code from end to end? Those whose driver Numba compiles, too.

``compile_entirely(function, owned, fresh, parallel) -> tuple[Callable[..., Any], str]``. In place of
``compile_numba``, by the same stages, for a derivative that is called from compiled code.

Such a driver consists of calls of kernels, new arrays, lengths and conversions of numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection
from typing import Any

import numba
import numpy as np

from ....errors import UnsupportedError
from ...arrays.in_place import write_in_place
from ...emit.load import load_module
from ...emit.python import emit_module
from ...ir import builtin
from ...ir.ops import Function, Op, Statement, variables, walk
from ...ir.types import Array
from ..numba import decorators, prepare, stamp
from .partition import KernelCall, Parts, partition

_SAME = {
    np.empty, np.zeros, np.shape, builtin.assign, builtin.tuple_get, builtin.unpack, operator.matmul, len,
}  # fmt: skip
"""What means the same in Python and in compiled code."""
_OF_LENGTHS = {operator.add, operator.sub, operator.mul, operator.getitem, max, min}


def driver(function: Any) -> Any:
    """Compile the driver of some kernels."""
    return numba.njit(error_model="numpy")(function)


def compile_entirely(
    function: Function, owned: Collection[int], fresh: Collection[int], parallel: bool = False
) -> tuple[Callable[..., Any], str]:
    """Compile a program into a function that compiled code can call, and its source.

    Args:
        function: pure IR.
        owned: positions of parameters that it may overwrite.
        fresh: positions of results that the caller gets for keeps.
        parallel: whether independent loops run in threads.

    Raises:
        UnsupportedError: something in it stays with NumPy.
    """
    name = function.name
    placed = write_in_place(prepare(function), owned, fresh)
    parts = partition(placed, f"{name}_kernel", whole=True, parallel=parallel)
    for op in walk(parts.driver.body):
        if not _is_known(op):
            raise _stays(op, parts)
    parts.driver.name = name
    emitted = emit_module(
        [*parts.kernels, parts.driver],
        header=f"kernels {stamp()}",
        decorators={**decorators(parts), name: driver},
        local=parts.calls,
    )
    module = load_module(emitted.text, emitted.injected, name, dict(emitted.lines))
    return getattr(module, name), emitted.text


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
