"""How does LLVM learn that an array which a kernel makes shares memory with no other?

Numba hands out the address as something read from memory, which may point anywhere. A loop that stores to
such an array, and reads another by indices, would not become vectors: the places can't be compared before.

Memory that a loop keeps for its turns (`nests/rooms.py`) is new in each turn in the same sense: nobody uses
what was in it any more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending
from numba.core import cgutils, imputils, types as numba_types
from numba.np import arrayobj

from .kept_memory import allocated

types: Any = numba_types
_none = ir.Constant(ir.IntType(1), 0)


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


def grown(room: Any, shape: int | Sequence[int]) -> Any:
    """A room for an array: the same if it has as many numbers, else a new one with some to spare."""
    count = math.prod(np.atleast_1d(shape))
    return room if count <= len(room) else np.empty(count + (count // 2 if len(room) else 0), room.dtype)


def carved(room: Any, shape: int | Sequence[int]) -> Any:
    """``empty(shape, room.dtype)`` in the memory of a room: what was made there before is not used again."""
    return room[: math.prod(np.atleast_1d(shape))].reshape(shape)


def _lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    lengths = arrayobj._parse_shape(context, builder, signature.args[0], args[0])
    return _made(context, builder, signature.return_type, lengths, _none)._getvalue()


def _made(context: Any, builder: Any, type: Any, lengths: Sequence[Any], wraps: Any) -> Any:
    """A new array in kept memory; ``wraps``: the product of its lengths did."""
    made = context.make_array(type)(context, builder)
    itemsize = context.get_constant(types.intp, arrayobj.get_itemsize(context, type))
    strides, size = list[Any](), itemsize
    for length in reversed(lengths):
        strides.insert(0, size)
        size, wraps = _times(builder, size, length, wraps)
    with builder.if_then(wraps, likely=False):
        context.call_conv.return_user_exc(builder, ValueError, ("array is too big",))
    memory = allocated(context, builder, size)
    with builder.if_then(cgutils.is_null(builder, memory), likely=False):
        context.call_conv.return_user_exc(builder, MemoryError, ("there is no memory for an array",))
    data = builder.bitcast(context.nrt.meminfo_data(builder, memory), made.data.type)
    arrayobj.populate_array(made, _unaliased(builder, data, False), lengths, strides, itemsize, memory)
    return made


def _times(builder: Any, a: Any, b: Any, wraps: Any) -> tuple[Any, Any]:
    """A product, and whether it or one before is more than there are numbers."""
    product = builder.smul_with_overflow(a, b)
    return builder.extract_value(product, 0), builder.or_(wraps, builder.extract_value(product, 1))


def _unaliased(builder: Any, data: Any, again: bool) -> Any:
    """An address as that of new memory; ``again``: it had other uses, which stay before this."""
    told = "=r,0,~{memory}" if again else "=r,0"
    same = ir.InlineAsm(ir.FunctionType(data.type, [data.type]), "", told, again)
    address = _Unaliased(builder.block, same, [data])  # no instruction: what goes in comes out
    builder._insert(address)
    # what frees the memory is told its address, not this one: seen here, no access is moved behind that
    seen = ir.InlineAsm(ir.FunctionType(ir.VoidType(), [address.type]), "", "r", True)
    builder.call(seen, [address])
    return address


def _grown_typer(context: Any) -> Callable[[Any, Any], Any]:
    return lambda room, shape: room


def _lower_grown(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    type = signature.return_type
    room = context.make_array(type)(context, builder, args[0])
    lengths = arrayobj._parse_shape(context, builder, signature.args[1], args[1])
    count, wraps = lengths[0], _none
    for length in lengths[1:]:
        count, wraps = _times(builder, count, length, wraps)
    found = cgutils.alloca_once_value(builder, args[0])
    is_new = builder.or_(wraps, builder.icmp_signed(">", count, room.nitems))
    with builder.if_else(is_new, likely=False) as (new, old):
        with new:
            is_first = builder.icmp_signed("==", room.nitems, count.type(0))
            more = builder.select(is_first, count.type(0), builder.ashr(count, count.type(1)))
            made = _made(context, builder, type, [builder.add(count, more)], wraps)
            builder.store(made._getvalue(), found)
        with old:
            context.nrt.incref(builder, type, args[0])
    return builder.load(found)


def _carved_typer(context: Any) -> Callable[[Any, Any], Any]:
    def typed(room: Any, shape: Any) -> Any:
        axes = shape.count if isinstance(shape, types.BaseTuple) else 1
        return types.Array(room.dtype, axes, "C")

    return typed


def _lower_carved(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    room = context.make_array(signature.args[0])(context, builder, args[0])
    lengths = arrayobj._parse_shape(context, builder, signature.args[1], args[1])
    made = context.make_array(signature.return_type)(context, builder)
    strides, step = list[Any](), room.itemsize
    for length in reversed(lengths):
        strides.insert(0, step)
        step = builder.mul(step, length)
    data = _unaliased(builder, room.data, True)
    arrayobj.populate_array(made, data, lengths, strides, room.itemsize, room.meminfo, room.parent)
    return imputils.impl_ret_borrowed(context, builder, signature.return_type, made._getvalue())


extending.type_callable(empty)(_typer)
extending.type_callable(carved)(_carved_typer)
extending.type_callable(grown)(_grown_typer)
for shapes in (types.Integer, types.BaseTuple):
    extending.lower_builtin(empty, shapes, types.Any)(_lower)
    extending.lower_builtin(grown, types.Array, shapes)(_lower_grown)
    extending.lower_builtin(carved, types.Array, shapes)(_lower_carved)
