"""Which arithmetic is rounded as NumPy rounds it, each operation by itself and in the order that is written?

Kernels may multiply by a reciprocal, or round ``a * b + c`` once; not with these, in terms of which they
write what is then rounded to an integer or compared (``decisions``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numba import extending
from numba.core import types

FLOATS: Any = (types.float32, types.float64)
PLAIN = [""]
"""No flag of LLVM's. Numba gives its flags to what has an empty list."""


def instruction(
    name: str, flags: Sequence[str] = PLAIN, floats: Sequence[Any] = FLOATS
) -> Callable[[Any], Any]:
    """Compile a function of two numbers as one instruction on floats, which integers become."""

    def typer(context: Any) -> Any:
        def typed(x: Any, y: Any) -> Any:
            found = context.unify_types(types.unliteral(x), types.unliteral(y))  # type: ignore[attr-defined]
            if isinstance(found, (types.Integer, types.Boolean)):
                found = types.float64
            return found(found, found) if found in floats else None

        return typed

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return getattr(builder, name)(*args, flags=flags)

    def decorate(function: Any) -> Any:
        extending.type_callable(function)(typer)
        for number in floats:
            extending.lower_builtin(function, number, number)(lower)
        return function

    return decorate


@instruction("fadd")
def plus(x: Any, y: Any) -> Any:
    """``x + y`` of floats."""
    return x + y


@instruction("fsub")
def minus(x: Any, y: Any) -> Any:
    """``x - y`` of floats."""
    return x - y


@instruction("fmul")
def times(x: Any, y: Any) -> Any:
    """``x * y`` of floats."""
    return x * y


@instruction("fdiv")
def over(x: Any, y: Any) -> Any:
    """``x / y`` of floats, or of integers."""
    return x / y
