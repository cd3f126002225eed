"""How does a loop of transcendental functions use the processor's vector unit?

Numba calls the scalar mathematical library once for every element. Here the call carries LLVM's attribute
``vector-function-abi-variant``, which names for each number of lanes the function of glibc's ``libmvec`` that
computes as many elements at once; the loop vectoriser replaces the call by it. What stays scalar calls the
scalar library as before. On platforms without ``libmvec`` the functions are those of Numba.

Each is a plain function of numbers as well, and has in compiled code the type of its argument: ``float32``
of ``float32``, ``float64`` of any other number. Edges (zeros, infinities, NaN, subnormals, numbers outside
the domain) are those of the C standard, as NumPy's are; errors are below 4 units in the last place, measured.
"""

from __future__ import annotations

import ctypes
import math
import platform
from collections.abc import Callable, Iterable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import extending
from numba.core import types

LIBRARY = "libmvec.so.1"
type_callable: Any = extending.type_callable
lower_builtin: Any = extending.lower_builtin


def _load() -> ctypes.CDLL | None:
    """The vector library, made known to the linker that joins compiled code, cached code included."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return None
    try:
        library = ctypes.CDLL(LIBRARY)
        llvm.load_library_permanently(LIBRARY)
    except (OSError, RuntimeError):  # no such library: the functions are Numba's
        return None
    return library


def _instruction_sets() -> list[tuple[str, int]]:
    """The letters by which vector functions are named, and bytes in a vector, that this processor has."""
    has = llvm.get_host_cpu_features()
    found = [("b", 16)]
    if has.get("avx"):
        found.append(("d" if has.get("avx2") and has.get("fma") else "c", 32))
    if has.get("avx512f") and has.get("avx512dq"):
        found.append(("e", 64))
    return found


_library = _load()
_sets = _instruction_sets() if _library else []

VECTORISED = _library is not None
# Code compiled here calls what this mathematical library has: for the names of directories of cached code.
CACHE_TAG = f"libmvec{platform.libc_ver()[1]}" if VECTORISED else "scalar"


def variants(symbol: str, arity: int, size: int) -> list[tuple[int, str]]:
    """The numbers of lanes and names of the vector functions for a function of numbers of ``size`` bytes.

    >>> variants("no_such_function", 1, 8)
    []
    """
    named = [(width // size, f"_ZGV{isa}N{width // size}{'v' * arity}_{symbol}") for isa, width in _sets]
    return [(lanes, name) for lanes, name in named if hasattr(_library, name)]


def _keep(module: ir.Module, functions: Iterable[ir.Function]) -> None:
    """List declarations that nothing calls as used, so that they are still there for the vectoriser."""
    name, pointer = "llvm.compiler.used", ir.IntType(8).as_pointer()
    used = module.globals.get(name)
    entries = list(used.initializer.constant) if used is not None else []
    known = {str(entry) for entry in entries}
    entries += [entry for entry in (f.bitcast(pointer) for f in functions) if str(entry) not in known]
    array = ir.ArrayType(pointer, len(entries))
    if used is None:
        used = ir.GlobalVariable(module, array, name)
        used.linkage, used.section = "appending", "llvm.metadata"
    used.value_type, used.type = array, array.as_pointer()
    used.initializer = ir.Constant(array, entries)


def _declare(module: ir.Module, type: ir.Type, arity: int, name: str) -> ir.Function:
    function = module.globals.get(name) or ir.Function(module, ir.FunctionType(type, [type] * arity), name)
    function.attributes.add("nounwind")
    function.attributes.add("readnone")
    return function


def _lowering(symbol: str, arity: int, number: Any, numba_number: Callable[..., Any]) -> Callable[..., Any]:
    """How a call with arguments of the type ``number`` is compiled."""
    single = number is types.float32
    symbol = symbol + "f" if single else symbol
    found = variants(symbol, arity, 4 if single else 8)

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not found:
            return context.compile_internal(builder, numba_number, signature, args)
        module, type = builder.module, ir.FloatType() if single else ir.DoubleType()
        vectors = [(n, _declare(module, ir.VectorType(type, n), arity, name)) for n, name in found]
        return call_of_numbers(builder, _declare(module, type, arity, symbol), args, vectors)

    return lower


def call_of_numbers(builder: Any, function: Any, args: Any, vectors: list[tuple[int, Any]]) -> Any:
    """A call that the loop vectoriser may replace; ``vectors``: functions of so many numbers at once."""
    call = builder.call(function, args)
    if vectors:
        kinds = "v" * len(args)
        names = [f"_ZGV_LLVM_N{lanes}{kinds}_{function.name}({vector.name})" for lanes, vector in vectors]
        # the base class's method: llvmlite's own refuses attributes that it has no name for
        set.add(call.attributes, f'"vector-function-abi-variant"="{",".join(names)}"')
        # without it LLVM takes half of what an AVX-512 processor has, and such loops 1.3 to 2.5 times as long
        set.add(builder.function.attributes, f'"prefer-vector-width"="{_sets[-1][1] * 8}"')
        _keep(builder.module, [vector for _, vector in vectors])
    return call


def lanes(size: int) -> list[int]:
    """How many numbers of ``size`` bytes the processor's widest vectors have, if there are any."""
    return [width // size for _, width in _sets[-1:]]


def _signature(*args: Any) -> Any:
    """The types with which a call is compiled; None for what is no real number."""
    if not all(isinstance(arg, (types.Float, types.Integer, types.Boolean)) for arg in args):
        return None
    number = types.float32 if all(arg is types.float32 for arg in args) else types.float64
    return number(*([number] * len(args)))


def _vectorised(symbol: str, python: Callable[..., Any], numba_number: Callable[..., Any]) -> Any:
    """The function of this module that calls ``symbol``; ``numba_number`` is how Numba computes it."""
    arity = numba_number.__code__.co_argcount

    def function(*args: Any) -> Any:
        return python(*args)

    function.__name__ = function.__qualname__ = symbol
    function.arity = arity  # type: ignore[attr-defined]
    function.__doc__ = f"``{symbol}`` of {'a number' if arity == 1 else 'two numbers'}."

    def type_function(context: Any) -> Callable[..., Any]:
        def unary(x: Any) -> Any:
            return _signature(x)

        def binary(x: Any, y: Any) -> Any:
            return _signature(x, y)

        return unary if arity == 1 else binary

    type_callable(function)(type_function)
    for number in types.float32, types.float64:
        lower_builtin(function, *([number] * arity))(_lowering(symbol, arity, number, numba_number))
    return function


exp = _vectorised("exp", np.exp, lambda x: math.exp(x))
exp2 = _vectorised("exp2", np.exp2, lambda x: np.exp2(x))
expm1 = _vectorised("expm1", np.expm1, lambda x: math.expm1(x))
log = _vectorised("log", np.log, lambda x: math.log(x))
log1p = _vectorised("log1p", np.log1p, lambda x: math.log1p(x))
log2 = _vectorised("log2", np.log2, lambda x: np.log2(x))
log10 = _vectorised("log10", np.log10, lambda x: math.log10(x))
sin = _vectorised("sin", np.sin, lambda x: math.sin(x))
cos = _vectorised("cos", np.cos, lambda x: math.cos(x))
tan = _vectorised("tan", np.tan, lambda x: math.tan(x))
asin = _vectorised("asin", np.arcsin, lambda x: math.asin(x))
acos = _vectorised("acos", np.arccos, lambda x: math.acos(x))
atan = _vectorised("atan", np.arctan, lambda x: math.atan(x))
sinh = _vectorised("sinh", np.sinh, lambda x: math.sinh(x))
cosh = _vectorised("cosh", np.cosh, lambda x: math.cosh(x))
tanh = _vectorised("tanh", np.tanh, lambda x: math.tanh(x))
asinh = _vectorised("asinh", np.arcsinh, lambda x: math.asinh(x))
acosh = _vectorised("acosh", np.arccosh, lambda x: math.acosh(x))
atanh = _vectorised("atanh", np.arctanh, lambda x: math.atanh(x))
erf = _vectorised("erf", math.erf, lambda x: math.erf(x))
erfc = _vectorised("erfc", math.erfc, lambda x: math.erfc(x))
cbrt = _vectorised("cbrt", np.cbrt, lambda x: np.cbrt(x))
pow = _vectorised("pow", np.power, lambda x, y: x**y)
atan2 = _vectorised("atan2", np.arctan2, lambda y, x: math.atan2(y, x))
hypot = _vectorised("hypot", np.hypot, lambda x, y: math.hypot(x, y))
