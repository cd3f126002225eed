"""Which choices between numbers do kernels make so often that each is compiled without a function of its own?

Written as instructions (a comparison, a selection), so that it costs nothing to compile and no branch keeps
a loop from vectorising. The arguments take their common type; the plain functions are those of NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending
from numba.core import types

type_callable: Any = extending.type_callable
lower_builtin: Any = extending.lower_builtin
NUMBERS = types.int64, types.float32, types.float64, types.complex64, types.complex128, types.boolean


def _compare(builder: Any, how: str, x: Any, y: Any) -> Any:
    """A comparison of two numbers; False where one is NaN."""
    whole = isinstance(x.type, ir.IntType)
    return builder.icmp_signed(how, x, y) if whole else builder.fcmp_ordered(how, x, y)


def _is_nan(builder: Any, x: Any) -> Any:
    if isinstance(x.type, ir.IntType):
        return ir.Constant(ir.IntType(1), 0)
    return builder.fcmp_unordered("uno", x, x)


def _zero(x: Any) -> Any:
    return ir.Constant(x.type, 0 if isinstance(x.type, ir.IntType) else 0.0)


def _first_if(builder: Any, how: str, x: Any, y: Any, other: Any) -> Any:
    """``x`` if it compares so with ``y`` or if ``other`` is NaN, else ``y``."""
    return builder.select(builder.or_(_compare(builder, how, x, y), _is_nan(builder, other)), x, y)


def _joined(context: Any, args: tuple[Any, ...]) -> Any:
    """The type that the arguments take; None for what are no numbers."""
    found = context.unify_types(*map(types.unliteral, args))  # type: ignore[attr-defined]
    return found if found in NUMBERS else None


def instructions(build: Callable[..., Any], condition: bool = False) -> Callable[[Any], Any]:
    """Compile a function as ``build`` writes it; ``condition``: its first argument is one."""

    def decorate(function: Any) -> Any:
        arity = function.__code__.co_argcount
        first = (types.boolean,) if condition else ()

        def signature(context: Any, *args: Any) -> Any:
            number = _joined(context, args[len(first) :])
            return None if number is None else number(*first, *([number] * (arity - len(first))))

        def typer(context: Any) -> Callable[..., Any]:
            def unary(x: Any) -> Any:
                return signature(context, x)

            def binary(x: Any, y: Any) -> Any:
                return signature(context, x, y)

            def ternary(condition: Any, x: Any, y: Any) -> Any:
                return signature(context, condition, x, y)

            return (unary, binary, ternary)[arity - 1]

        def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return build(builder, *args)

        type_callable(function)(typer)
        for number in NUMBERS:
            lower_builtin(function, *first, *([number] * (arity - len(first))))(lower)
        return function

    return decorate


@instructions(lambda b, x, y: _first_if(b, ">=", x, y, x))
def maximum(x: Any, y: Any) -> Any:
    """The larger of two numbers; NaN where one is NaN."""
    return x if x >= y or x != x else y


@instructions(lambda b, x, y: _first_if(b, "<=", x, y, x))
def minimum(x: Any, y: Any) -> Any:
    """The smaller of two numbers; NaN where one is NaN."""
    return x if x <= y or x != x else y


@instructions(lambda b, x, y: _first_if(b, ">=", x, y, y))
def fmax(x: Any, y: Any) -> Any:
    """The larger of two numbers; where one is NaN, the other."""
    return x if x >= y or y != y else y


@instructions(lambda b, x, y: _first_if(b, "<=", x, y, y))
def fmin(x: Any, y: Any) -> Any:
    """The smaller of two numbers; where one is NaN, the other."""
    return x if x <= y or y != y else y


@instructions(lambda b, condition, x, y: b.select(condition, x, y), condition=True)
def where(condition: Any, x: Any, y: Any) -> Any:
    """``x`` where the condition holds, else ``y``; of two types, in that of both."""
    chosen = x if condition else y
    return chosen if type(x) is type(y) else np.result_type(x, y).type(chosen)


@instructions(lambda b, g, p: b.select(_compare(b, "==", g, _zero(g)), g, b.fmul(g, p)))
def safe_product(g: Any, p: Any) -> Any:
    """``g * p``, but 0 where ``g`` is 0."""
    return g * p if g != 0 else g


def _exact_product(builder: Any, g: Any, p: Any) -> Any:
    zero = builder.or_(_compare(builder, "==", g, _zero(g)), _compare(builder, "==", p, _zero(p)))
    return builder.select(zero, _zero(g), builder.fmul(g, p))


@instructions(_exact_product)
def exact_product(g: Any, p: Any) -> Any:
    """``g * p``, but 0 where either is 0."""
    return g * p if g != 0 and p != 0 else 0.0


@instructions(lambda b, x, y: b.select(_compare(b, "==", y, _zero(y)), y, b.fdiv(x, y)))
def ratio(x: Any, y: Any) -> Any:
    """``x / y``, but 0 where ``y`` is 0."""
    return x / y if y != 0 else y


def _sign(builder: Any, x: Any) -> Any:
    below = builder.select(_compare(builder, "<", x, _zero(x)), ir.Constant(x.type, -1), x)
    return builder.select(_compare(builder, ">", x, _zero(x)), ir.Constant(x.type, 1), below)


@instructions(_sign)
def sign(x: Any) -> Any:
    """The sign of a number, 1 or -1, or the number itself where it is 0 or NaN."""
    return 1 if x > 0 else (-1 if x < 0 else x)
