"""Which sums and products have zeros of the right sign, in kernels where LLVM may choose the signs of others?

``SIGNED`` maps operators to them; ``partition.zero_signs`` tells where they stand. The decorators are of
kernels in which no other sign of a zero counts.
"""

from __future__ import annotations

import operator
from typing import Any

from numba.core import types

from ..compilers import Apart
from ..runtime import FLAGS, compiled
from ..translation import SIGNLESS
from .as_written import instruction

_SIGNED_FLAGS, _DOUBLE = ["reassoc", "contract"], (types.float64,)


def signless_kernel(function: Any) -> Any:
    """``kernel`` for such a function."""
    return compiled(function, FLAGS | {SIGNLESS}, pipeline_class=Apart)


def lean_signless_kernel(function: Any) -> Any:
    """``lean_kernel`` for such a function."""
    return compiled(function, FLAGS | {SIGNLESS}, pipeline_class=Apart, _nrt=False)


@instruction("fadd", _SIGNED_FLAGS, _DOUBLE)
def add_signed(x: Any, y: Any) -> Any:
    """``x + y`` of floats."""
    return x + y


@instruction("fsub", _SIGNED_FLAGS, _DOUBLE)
def sub_signed(x: Any, y: Any) -> Any:
    """``x - y`` of floats."""
    return x - y


@instruction("fmul", _SIGNED_FLAGS, _DOUBLE)
def mul_signed(x: Any, y: Any) -> Any:
    """``x * y`` of floats."""
    return x * y


SIGNED = {operator.add: add_signed, operator.sub: sub_signed, operator.mul: mul_signed}
"""What computes the same with zeros of the right sign; by names that tell the operation first."""
