"""Which sums and products have zeros of the right sign, in kernels where LLVM may choose the signs of others?

``SIGNED`` maps operators to them; ``partition.zero_signs`` tells where they stand. The decorators are of
kernels in which no other sign of a zero counts.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from numba import extending
from numba.core import types

from ..compilers import Apart
from ..runtime import FLAGS, compiled
from ..translation import SIGNLESS

_SIGNED_FLAGS = ["reassoc", "contract"]


def signless_kernel(function: Any) -> Any:
    """``kernel`` for such a function."""
    return compiled(function, FLAGS | {SIGNLESS}, pipeline_class=Apart)


def lean_signless_kernel(function: Any) -> Any:
    """``lean_kernel`` for such a function."""
    return compiled(function, FLAGS | {SIGNLESS}, pipeline_class=Apart, _nrt=False)


def _instruction(name: str) -> Callable[[Any], Any]:
    """Compile a function of two numbers in double precision as one instruction."""

    def typer(context: Any) -> Any:
        numbers = types.Float, types.Integer, types.Boolean

        def typed(x: Any, y: Any) -> Any:
            known = all(isinstance(given, numbers) and given != types.float32 for given in (x, y))
            return types.float64(types.float64, types.float64) if known else None

        return typed

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return getattr(builder, name)(*args, flags=_SIGNED_FLAGS)

    def decorate(function: Any) -> Any:
        extending.type_callable(function)(typer)
        extending.lower_builtin(function, types.float64, types.float64)(lower)
        return function

    return decorate


@_instruction("fadd")
def add_signed(x: Any, y: Any) -> Any:
    """``x + y`` of floats."""
    return x + y


@_instruction("fsub")
def sub_signed(x: Any, y: Any) -> Any:
    """``x - y`` of floats."""
    return x - y


@_instruction("fmul")
def mul_signed(x: Any, y: Any) -> Any:
    """``x * y`` of floats."""
    return x * y


SIGNED = {operator.add: add_signed, operator.sub: sub_signed, operator.mul: mul_signed}
"""What computes the same with zeros of the right sign; by names that tell the operation first."""
