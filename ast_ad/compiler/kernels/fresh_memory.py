"""How does LLVM learn that an array which a kernel makes shares memory with no other?

Numba hands out the address as something read from memory, which may point anywhere. A loop that stores to
such an array, and reads another by indices, would not become vectors: the places can't be compared before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending
from numba.core import types as numba_types
from numba.np import arrayobj

types: Any = numba_types


class _Unaliased(ir.CallInstr):  # type: ignore[misc]
    """A call whose result points to what nothing else points to; llvmlite has no other way to say so."""

    def _descr(self, buffer: list[str], add_metadata: bool) -> None:
        text: list[str] = []
        super()._descr(text, add_metadata)
        buffer.append("".join(text).replace("call ", "call noalias ", 1))


def empty(shape: int | Sequence[int], dtype: Any) -> Any:
    """``np.empty(shape, dtype)``, of which compilers know that it is new memory."""
    return np.empty(shape, dtype)


def _typer(context: Any) -> Callable[[Any, Any], Any]:
    def typed(shape: Any, dtype: Any) -> Any:
        axes = shape.count if isinstance(shape, types.BaseTuple) else 1
        return types.Array(dtype.dtype, axes, "C")

    return typed


def _lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    lengths = arrayobj._parse_shape(context, builder, signature.args[0], args[0])
    made = arrayobj._empty_nd_impl(context, builder, signature.return_type, lengths)
    same = ir.InlineAsm(ir.FunctionType(made.data.type, [made.data.type]), "", "=r,0", False)
    address = _Unaliased(builder.block, same, [made.data])  # no instruction: what goes in comes out
    builder._insert(address)
    # what frees the memory is told its address, not this one: seen here, no access is moved behind that
    seen = ir.InlineAsm(ir.FunctionType(ir.VoidType(), [address.type]), "", "r", True)
    builder.call(seen, [address])
    made.data = address
    return made._getvalue()


extending.type_callable(empty)(_typer)
for shapes in (types.Integer, types.BaseTuple):
    extending.lower_builtin(empty, shapes, types.Any)(_lower)
