"""Which integer is the result of an operation on integers, as a term?

Only Python's own integers have terms: NumPy's wrap around.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ...ir import builtin, dims, spans
from ...ir.ops import Arg, Lit, Var
from ...ir.types import Dim, Scalar, Type
from ..values import Callee
from .dummies import int_size

LONGEST_NUMBER = 4096  # bits


def _power(a: int, b: int) -> int:
    if b < 0 or abs(a) > 1 and b * abs(a).bit_length() > LONGEST_NUMBER:
        raise OverflowError("no length")
    result: int = a**b
    return result


def power(a: Dim | int, b: Dim | int) -> Dim | int | None:
    if isinstance(b, int) and 0 <= b <= 4:
        return dims.count([a] * b)
    if isinstance(b, int) and b < 0:
        return None
    return dims.term(_power, a, b, least=1 if (dims.lower(a) or 0) > 0 else None)


def lshift(a: Dim | int, b: Dim | int) -> Dim | int | None:
    by = power(2, b) if dims.reaches(b, 0) else None
    return None if by is None else dims.product(a, by)


def rshift(a: Dim | int, b: Dim | int) -> Dim | int | None:
    by = power(2, b) if isinstance(b, int) and b >= 0 else None
    return None if by is None else dims.floordiv(a, by)


TERMS: dict[Any, Callable[..., Dim | int | None]] = {
    operator.add: operator.add,
    operator.sub: operator.sub,
    operator.mul: dims.product,
    operator.floordiv: dims.floordiv,
    operator.mod: dims.mod,
    operator.pow: power,
    operator.lshift: lshift,
    operator.rshift: rshift,
    operator.neg: operator.neg,
    operator.pos: operator.pos,
    operator.invert: lambda n: -1 - n,
    abs: spans.absolute,
    max: dims.largest,
    min: dims.smallest,
    int: lambda n: n,
    builtin.assign: lambda n: n,
}


def size_of_result(fn: Callee, args: tuple[Arg, ...], type: Scalar) -> Dim | int | None:
    """The term of ``fn(*args)``; None where it has none, and stands for itself."""
    if not _is_pythons(type) or not args:
        return None
    make = TERMS.get(fn)
    if make is None or not all(map(_is_integer, args)) or fn in (max, min) and len(args) < 2:
        return None
    try:
        return make(*map(int_size, args))
    except (ZeroDivisionError, OverflowError, ValueError):  # of constants: the program raises that, too
        return None


def _is_integer(arg: Arg) -> bool:
    if isinstance(arg, Lit):
        return type(arg.value) is int
    return isinstance(arg, Var) and _is_pythons(arg.type)


def _is_pythons(type: Type) -> bool:
    return isinstance(type, Scalar) and type.kind == "int" and type.dtype is None and not type.among
