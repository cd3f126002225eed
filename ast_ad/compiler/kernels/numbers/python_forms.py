"""What computes operations on Python's own numbers, and the functions of ``math``, in a kernel?"""

from __future__ import annotations

import builtins
import cmath
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ir.types import Scalar
from . import complex_math as c, kernel_math as k, python_complex as q, python_math as p
from .integer_powers import python_power

Function = Callable[..., Any]
_COMPARISONS = {operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne}
_CONVERSIONS = {builtins.int, builtins.float, builtins.bool, builtins.complex, builtins.round}
_TRUTH = {operator.not_, operator.truth}
_BITS = {operator.and_, operator.or_, operator.xor, operator.invert}
_INTEGER = {
    operator.add: p.int_sum,
    operator.sub: p.int_difference,
    operator.mul: p.int_product,
    operator.floordiv: p.int_floor_divide,
    operator.mod: p.int_remainder,
    operator.truediv: p.truediv,
}
_FLOAT = {
    operator.add: operator.add,
    operator.sub: operator.sub,
    operator.mul: operator.mul,
    operator.truediv: p.truediv,
    operator.floordiv: p.floor_divide,
    operator.mod: p.remainder,
    operator.pow: p.power,
    builtins.pow: p.power,
}
_COMPLEX = {fn: fn for fn in (operator.add, operator.sub, operator.mul)}
_COMPLEX[operator.truediv] = p.divide_complex
_SIGNS = {operator.neg, operator.pos, operator.abs, builtins.abs}
_EXTREMA = {builtins.max: (p.larger, p.largest), builtins.min: (p.smaller, p.least)}  # of two, and of more
_NATIVE = {None, np.dtype(int), np.dtype(float)}
_MATH = {
    **{getattr(math, name): getattr(p, name) for name in ("exp", "expm1", "sinh", "cosh", "log1p", "log2")},
    **{getattr(math, name): getattr(p, name) for name in ("log10", "sqrt", "sin", "cos", "tan", "asin")},
    **{getattr(math, name): getattr(p, name) for name in ("acos", "acosh", "atanh", "tanh", "atan", "asinh")},
    **{getattr(math, name): getattr(p, name) for name in ("erf", "erfc", "degrees", "radians", "fabs")},
    **{
        getattr(math, name): getattr(p, name)
        for name in ("atan2", "hypot", "copysign", "fmod", "lgamma", "gamma")
    },
    **{getattr(math, name): getattr(p, name) for name in ("cbrt", "exp2") if hasattr(math, name)},
    math.pow: p.math_pow,
    math.isnan: k.isnan,
    math.isinf: k.isinf,
    math.isfinite: k.isfinite,
}
_CMATH = {
    **{
        getattr(cmath, name): getattr(q, name)
        for name in ("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")
    },
    **{getattr(cmath, name): getattr(q, name) for name in ("phase", "rect")},
    **{getattr(cmath, name): getattr(c, f"{name}_complex") for name in ("isnan", "isinf", "isfinite")},
}
_UNARY_TO_INT = {math.floor: p.floor, math.ceil: p.ceil, math.trunc: p.to_int}


def applies(fn: Function, own: bool) -> bool:
    """Whether Python's rules hold for a call; ``own``: all of its arguments are Python's own numbers."""
    if (
        getattr(fn, "__module__", "") in ("math", "cmath")
        or fn in _EXTREMA
        or fn in _CONVERSIONS
        or fn in _TRUTH
    ):
        return True
    python = _COMPARISONS | _BITS | _SIGNS | set(_FLOAT) | {operator.lshift, operator.rshift}
    return own and fn in python


def form(fn: Function, types: Sequence[Scalar], values: Sequence[Any]) -> Function | None:
    """The callable to print in a kernel, or None."""
    kinds = [type.kind for type in types]
    if fn is builtins.complex:
        return _to_complex(types)
    if getattr(fn, "__module__", "") == "cmath":
        return _of_cmath(fn, types)
    if any(type.dtype is not None and type.dtype.char not in "?lqfd" for type in types):
        return None
    if getattr(fn, "__module__", "") == "math":
        return _of_math(fn, kinds)
    if fn in _EXTREMA:
        return _EXTREMA[fn][len(types) > 2] if len(types) > 1 and _comparable(types) else None
    if fn is builtins.round and len(types) == 2:
        return p.rounded if types[0].dtype == np.float64 and kinds[1] == "int" else None
    if fn in _CONVERSIONS:
        return _conversion(fn, kinds)
    if fn in _TRUTH:
        return k.truth if fn is operator.truth else k.logical_not
    if fn in _COMPARISONS:
        return fn if "complex" not in kinds or fn in (operator.eq, operator.ne) else None
    if fn in _SIGNS:
        return fn if kinds != ["bool"] else None
    if fn in _BITS:
        return fn if len(set(kinds)) == 1 and (kinds[0] == "int" or kinds == ["bool", "bool"]) else None
    return _arithmetic(fn, types, values)


def _comparable(types: Sequence[Scalar]) -> bool:
    """Whether the machine compares as Python does, whose floats are doubles and whose ints int64 here."""
    kinds = {type.kind for type in types}
    alike = all((type.kind, type.dtype) == (types[0].kind, types[0].dtype) for type in types)
    return len(kinds) == 1 and kinds != {"complex"} and (alike or {t.dtype for t in types} <= _NATIVE)


def _arithmetic(fn: Function, types: Sequence[Scalar], values: Sequence[Any]) -> Function | None:
    kinds = {type.kind for type in types}
    if len(types) != 2:
        return None
    if "complex" in kinds:
        return _COMPLEX.get(fn)
    if "float" in kinds:
        if fn in (operator.pow, builtins.pow) and types[0].kind == "float" and type(values[1]) is int:
            return {2: p.power_two, 3: p.power_three}.get(values[1], python_power)
        if fn in (operator.pow, builtins.pow) and [type.kind for type in types] == ["float", "int"]:
            return python_power
        return _FLOAT.get(fn)
    plain = fn in (operator.add, operator.sub) or fn is operator.mul and None not in [t.size for t in types]
    if plain and any(
        t.size is not None for t in types
    ):  # next to a length or a literal no sum is out of range
        return fn
    return _INTEGER.get(fn)


def _of_math(fn: Function, kinds: Sequence[str]) -> Function | None:
    if "complex" in kinds:
        return None
    if fn in _UNARY_TO_INT:
        return _UNARY_TO_INT[fn] if kinds == ["float"] else k.identity if kinds == ["int"] else None
    if fn is math.log:
        return p.log if len(kinds) == 1 else p.log_with_base
    found = _MATH.get(fn)
    if fn in (math.isnan, math.isinf, math.isfinite) and kinds != ["float"]:
        return k.everywhere if fn is math.isfinite else k.nowhere
    two = fn in (math.atan2, math.hypot, math.copysign, math.fmod, math.pow)
    return found if len(kinds) == (2 if two else 1) else None


def _of_cmath(fn: Function, types: Sequence[Scalar]) -> Function | None:
    known = all(type.dtype is None or type.dtype.char in "?lqfdFD" for type in types)
    return _CMATH.get(fn) if known and len(types) == (2 if fn is cmath.rect else 1) else None


def _to_complex(types: Sequence[Scalar]) -> Function | None:
    """``complex`` of one number, or of a real and an imaginary part that are real."""
    known = all(type.dtype is None or type.dtype.char in "?lqfdFD" for type in types)
    if not known or len(types) > 2:
        return None
    if len(types) == 2:
        return None if any(type.kind == "complex" for type in types) else c.of_parts
    return c.to_complex if types[0].kind == "complex" else builtins.complex


def _conversion(fn: Function, kinds: Sequence[str]) -> Function | None:
    if len(kinds) != 1:
        return None
    (kind,) = kinds
    if fn is builtins.bool:
        return k.truth
    if kind == "complex":
        return None
    if fn is builtins.float:
        return np.float64
    if kind == "float":
        return p.to_int if fn is builtins.int else p.round_half_even
    return builtins.int if fn is builtins.int or kind == "bool" else k.identity
