"""How does compiled code call NumPy's own LAPACK and transforms? By the loops of their universal functions.

``np.linalg`` and ``np.fft`` compute by generalised ufuncs, each of which is a C function for every
combination of types: ``loop(arrays, lengths, strides, data)``, as NumPy's documentation of its C interface
has it (``PyUFunc_FromFuncAndDataAndSignature``). Compiled code calls the same function for the same result,
to the bit, signs of vectors included, which another LAPACK chooses otherwise. Its address is made known to
the linker under a name when this module is imported, so that compiled code can be cached and finds it again
in another process.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import re
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import extending
from numba.core import cgutils, types

type_callable: Any = extending.type_callable
lower_builtin: Any = extending.lower_builtin
_any_types: Any = vars(types)["VarArg"]
_PREFIX = "ast_ad_loop_"


class _Head(ctypes.Structure):
    """The beginning of a universal function in memory, which is part of NumPy's public headers."""

    _fields_ = [
        *(("count", ctypes.c_ssize_t), ("type", ctypes.c_void_p)),
        *(("nin", ctypes.c_int), ("nout", ctypes.c_int), ("nargs", ctypes.c_int), ("identity", ctypes.c_int)),
        *(("functions", ctypes.POINTER(ctypes.c_void_p)), ("data", ctypes.POINTER(ctypes.c_void_p))),
        ("ntypes", ctypes.c_int),
    ]


def _loop(ufunc: np.ufunc, signature: str) -> tuple[int, int]:
    """The addresses of what computes a universal function of such types, and of its data (0: none).

    Raises:
        LookupError: there is none, or the object is laid out in another way.
    """
    if ctypes.sizeof(ctypes.c_ssize_t) != 8:
        raise LookupError("a system of other than 64 bits")
    head = _Head.from_address(id(ufunc))
    told = head.type, head.nin, head.nout, head.nargs, head.ntypes
    if told != (id(type(ufunc)), ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes):
        raise LookupError("the layout of a universal function")
    at = ufunc.types.index(signature) if signature in ufunc.types else -1
    if at < 0 or not head.functions or not head.functions[at]:
        raise LookupError(f"{ufunc.__name__} of {signature}")
    return head.functions[at], (head.data[at] or 0) if head.data else 0


def define(name: str, ufunc: np.ufunc, signature: str) -> Callable[..., None]:
    """A function that compiled code can call with the operands, arrays of the core's axes and numbers.

    Like the loop it may write to its first operand. A result that is a number is the first element of an
    array.

    Args:
        name: what the linker calls it.
        ufunc: generalised, of NumPy's.
        signature: types of operands as ``ufunc.types`` has them.
    """
    address, data = _loop(ufunc, signature)
    symbol = f"{_PREFIX}{name}"
    llvm.add_symbol(symbol, address)
    if data:
        llvm.add_symbol(symbol + "_data", data)
    core = [re.findall(r"\w+", axes) for axes in re.findall(r"\(([^)]*)\)", ufunc.signature or "")]

    def function(*operands: Any) -> None:
        ufunc(*operands[: ufunc.nin], out=operands[ufunc.nin :])

    def typer(context: Any) -> Callable[..., Any]:
        def of_two(a: Any, b: Any) -> Any:
            return types.void(a, b)

        def of_three(a: Any, b: Any, c: Any) -> Any:
            return types.void(a, b, c)

        def of_four(a: Any, b: Any, c: Any, d: Any) -> Any:
            return types.void(a, b, c, d)

        def of_seven(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any) -> Any:
            return types.void(a, b, c, d, e, f, g)

        by_count: dict[int, Callable[..., Any]] = {2: of_two, 3: of_three, 4: of_four, 7: of_seven}
        return by_count[len(core)]

    def lower(context: Any, builder: Any, called: Any, args: Any) -> Any:
        _call(context, builder, symbol, bool(data), core, list(zip(called.args, args, strict=True)))
        return context.get_dummy_value()

    function.__name__ = function.__qualname__ = name
    type_callable(function)(typer)
    lower_builtin(function, _any_types(types.Any))(lower)
    return function


def _call(
    context: Any, builder: Any, symbol: str, has_data: bool, core: list[list[str]], operands: list[Any]
) -> None:
    """Write the call of a loop that is run once: pointers, lengths and strides on the stack."""
    word, byte = ir.IntType(64), ir.IntType(8).as_pointer()
    lengths: dict[str, Any] = {}
    pointers, strides = [], []
    for names, (kind, value) in zip(core, operands, strict=True):
        if not isinstance(kind, types.Array):
            pointers.append(builder.bitcast(cgutils.alloca_once_value(builder, value), byte))
            continue
        array = context.make_array(kind)(context, builder, value)
        pointers.append(builder.bitcast(array.data, byte))
        if not names:  # a number, which is the first element
            continue
        strides += cgutils.unpack_tuple(builder, array.strides, kind.ndim)
        for name, length in zip(names, cgutils.unpack_tuple(builder, array.shape, kind.ndim), strict=True):
            lengths.setdefault(name, length)
    zero, one = ir.Constant(word, 0), ir.Constant(word, 1)
    order = list(dict.fromkeys(name for names in core for name in names))
    args = [
        _on_stack(builder, byte, pointers),
        _on_stack(builder, word, [one, *(lengths[name] for name in order)]),
        _on_stack(builder, word, [zero] * len(core) + strides),
    ]
    module = builder.module
    kinds = [byte.as_pointer(), word.as_pointer(), word.as_pointer(), byte]
    loop = module.globals.get(symbol) or ir.Function(module, ir.FunctionType(ir.VoidType(), kinds), symbol)
    data = ir.Constant(byte, None)
    if has_data:
        named = module.globals.get(symbol + "_data")
        data = named or ir.GlobalVariable(module, ir.IntType(8), symbol + "_data")
    builder.call(loop, [*args, data])


def _on_stack(builder: Any, kind: Any, values: list[Any]) -> Any:
    """The address of values one behind the other."""
    found = cgutils.alloca_once(builder, kind, size=len(values))
    for i, value in enumerate(values):
        builder.store(value, builder.gep(found, [ir.Constant(ir.IntType(32), i)]))
    return found


def _define_all() -> dict[str, Callable[..., None]]:
    """What this NumPy has; where its functions are called or laid out otherwise, there is no form of them."""
    found = {}
    for module, prefix, entries in (
        ("numpy.linalg._umath_linalg", "linalg", _LINALG),
        ("numpy.fft._pocketfft_umath", "fft", _TRANSFORMS),
    ):
        for name, signatures in entries.items():
            for signature in signatures:
                with contextlib.suppress(ImportError, AttributeError, LookupError):
                    ufunc = getattr(importlib.import_module(module), name)
                    key = f"{name}_{signature[0]}"
                    found[key] = define(f"{prefix}_{key}", ufunc, signature)
    return found


_LINALG = {
    "eigh_lo": ("d->dd", "D->dD"),
    "eigh_up": ("d->dd", "D->dD"),
    "eigvalsh_lo": ("d->d", "D->d"),
    "eigvalsh_up": ("d->d", "D->d"),
    "svd": ("d->d", "D->d"),
    "svd_s": ("d->ddd", "D->DdD"),
    "qr_r_raw": ("d->d", "D->D"),
    "qr_reduced": ("dd->d", "DD->D"),
    "lstsq": ("ddd->ddid", "DDd->Ddid"),
}
_TRANSFORMS = {
    "fft": ("Dd->D",),
    "ifft": ("Dd->D",),
    "irfft": ("Dd->d",),
    "rfft_n_even": ("dd->D",),
    "rfft_n_odd": ("dd->D",),
}
LOOPS = _define_all()
"""By name and the type of the first operand, as ``eigh_lo_d``."""
