"""How does compiled code call the functions of ``scipy.special``?

By the addresses that ``scipy.special.cython_special`` offers: each is made known to the linker under a name
when this module is imported, so that compiled code can be cached and finds it again in another process.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import extending
from numba.core import types

type_callable: Any = extending.type_callable
lower_builtin: Any = extending.lower_builtin
_PREFIX = "ast_ad_special_"
_SIGNATURES = {f"double ({'double, ' * arity}int __pyx_skip_dispatch)": arity for arity in (1, 2, 3)}
_WITH_ORDER = {
    f"double ({whole}, {'double, ' * arity}int __pyx_skip_dispatch)": arity + 1
    for whole in ("long", "Py_ssize_t")
    for arity in (1, 2, 3)
}


def _addresses(signatures: dict[str, int]) -> dict[str, tuple[int, int]]:
    """The functions with such signatures by their public names: address and number of arguments."""
    try:
        from scipy.special import cython_special
    except ImportError:
        return {}
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    found = {}
    for name, capsule in cython_special.__pyx_capi__.items():
        signature = name_of(capsule)
        arity = signatures.get(signature.decode())
        if arity:  # functions of several types are called __pyx_fuse_0name, __pyx_fuse_1name
            public = name.removeprefix("__pyx_fuse_").lstrip("0123456789_")
            found[public] = (pointer_of(capsule, signature), arity)
    return found


def _define(name: str, address: int, arity: int, ordered: bool = False) -> Callable[..., Any]:
    """A function that compiled code can call; ``ordered``: its first argument is an integer."""
    symbol = _PREFIX + name + "_of_order" * ordered
    llvm.add_symbol(symbol, address)
    given = [types.int64] * ordered + [types.float64] * (arity - ordered)

    def function(*args: Any) -> Any:
        from scipy import special

        return getattr(special, name)(*args)

    def signature(*args: Any) -> Any:
        real = all(isinstance(arg, (types.Float, types.Integer, types.Boolean)) for arg in args)
        whole = not ordered or isinstance(args[0], (types.Integer, types.Boolean))
        return types.float64(*given) if real and whole else None

    def typer(context: Any) -> Callable[..., Any]:
        def unary(x: Any) -> Any:
            return signature(x)

        def binary(x: Any, y: Any) -> Any:
            return signature(x, y)

        def ternary(x: Any, y: Any, z: Any) -> Any:
            return signature(x, y, z)

        def quaternary(n: Any, x: Any, y: Any, z: Any) -> Any:
            return signature(n, x, y, z)

        return (unary, binary, ternary, quaternary)[arity - 1]

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        double, module = ir.DoubleType(), builder.module
        dispatch = ir.IntType(32)
        taken = [ir.IntType(64)] * ordered + [double] * (arity - ordered)
        called = module.globals.get(symbol) or ir.Function(
            module, ir.FunctionType(double, [*taken, dispatch]), symbol
        )
        called.attributes.add("nounwind")
        return builder.call(called, [*args, ir.Constant(dispatch, 0)])

    function.__name__ = function.__qualname__ = name + "_of_order" * ordered
    function.arity = arity  # type: ignore[attr-defined]
    function.__doc__ = f"``scipy.special.{name}`` of real numbers."
    type_callable(function)(typer)
    lower_builtin(function, *given)(lower)
    return function


ARITY: dict[str, int] = {}
for _name, (_address, _arity) in _addresses(_SIGNATURES).items():
    ARITY[_name] = _arity
    globals()[_name] = _define(_name, _address, _arity)

OF_ORDER: dict[str, int] = {}
for _name, (_address, _arity) in _addresses(_WITH_ORDER).items():
    OF_ORDER[_name] = _arity
    globals()[_name + "_of_order"] = _define(_name, _address, _arity, ordered=True)
