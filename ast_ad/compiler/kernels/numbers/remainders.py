"""What is left of a division by a number? To the last bit, without the loop over the quotient's bits of C.

``x - n * y``, with one rounding and ``n`` the rounded quotient, is what is left, or that and ``y`` less where
the quotient was rounded up to ``n``: both are floats, so that nothing is rounded [1]_. Quotients of more bits
than a float has are left to the C library, as what is infinite or no number.

.. [1] J.-M. Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., 2018, section 4.6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from ..linked import linked
from ..vector_math import call_of_numbers, lanes
from .as_written import PLAIN
from .selections import instructions


def _calls(name: str, build: Callable[..., Any]) -> Callable[..., Any]:
    """Instructions that call a function of numbers; the module that calls it has it, and its variants."""

    def call(builder: Any, x: Any, y: Any) -> Any:
        double = isinstance(x.type, ir.DoubleType)
        named = f"ast_ad_{name}" if double else f"ast_ad_{name}f"
        function = _defined(builder.module, x.type, named, build)
        counts = lanes(8 if double else 4)
        vectors = [(n, ir.VectorType(x.type, n)) for n in counts]
        return call_of_numbers(
            builder,
            function,
            [x, y],
            [(n, _defined(builder.module, type, f"{named}_{n}", build)) for n, type in vectors],
        )

    return call


def _defined(module: Any, type: Any, name: str, build: Callable[..., Any]) -> Any:
    """The function of a module that computes what ``build`` writes, of numbers or of vectors of them."""
    if name in module.globals:
        return module.globals[name]
    function = ir.Function(module, ir.FunctionType(type, [type, type]), name)
    function.linkage = "linkonce_odr"
    for attribute in ("noinline", "nounwind", "readnone"):  # written out, it were no vector function
        function.attributes.add(attribute)
    builder = ir.IRBuilder(function.append_basic_block())
    builder.ret(build(builder, *function.args))
    return function


def _fmod(builder: Any, x: Any, y: Any) -> Any:
    def call(name: str, *args: Any) -> Any:
        return _intrinsic(builder, name, *args)

    number = x.type.element if isinstance(x.type, ir.VectorType) else x.type
    zero = _constant(x.type, 0.0)
    whole = call("trunc", builder.fdiv(x, y, flags=PLAIN))
    near = call("fma", builder.fneg(whole), y, x)
    # It has the other sign where the quotient was rounded up.
    beyond = builder.fcmp_ordered("<", builder.fmul(near, call("copysign", _one(x), x), flags=PLAIN), zero)
    more = call("copysign", builder.select(beyond, call("fabs", y), zero), x)
    quick = call("copysign", builder.fadd(near, more, flags=PLAIN), x)
    most = _constant(x.type, 2.0**52 if isinstance(number, ir.DoubleType) else 2.0**23)
    known = builder.fcmp_ordered("<", call("fabs", whole), most)
    known = builder.and_(known, builder.fcmp_ordered("ord", near, near))
    if isinstance(x.type, ir.VectorType):
        bits = builder.bitcast(known, ir.IntType(x.type.count))
        every = builder.icmp_unsigned("==", bits, ir.Constant(bits.type, -1))
    else:
        every = known
    there = builder.block
    with builder.if_then(builder.not_(every), likely=False):
        slow, elsewhere = _by_library(builder, number, x, y), builder.block
    result = builder.phi(x.type)
    result.add_incoming(quick, there)
    result.add_incoming(slow, elsewhere)
    return result


def _by_library(builder: Any, number: Any, x: Any, y: Any) -> Any:
    """The C library's function of each number."""
    name = "fmod" if isinstance(number, ir.DoubleType) else "fmodf"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(number, [number] * 2), name)
    if not isinstance(x.type, ir.VectorType):
        return builder.call(function, [x, y])
    result = x
    for k in range(x.type.count):
        lane = ir.Constant(ir.IntType(32), k)
        numbers = [builder.extract_element(x, lane), builder.extract_element(y, lane)]
        result = builder.insert_element(result, builder.call(function, numbers), lane)
    return result


def _remainder(builder: Any, x: Any, y: Any) -> Any:
    rest, zero = _fmod(builder, x, y), _constant(x.type, 0.0)
    other = builder.xor(builder.fcmp_ordered("<", y, zero), builder.fcmp_ordered("<", rest, zero))
    turned = builder.select(other, builder.fadd(rest, y, flags=PLAIN), rest)
    none = builder.fcmp_ordered("==", rest, zero)
    return builder.select(none, _intrinsic(builder, "copysign", rest, y), turned)


def _intrinsic(builder: Any, name: str, *args: Any) -> Any:
    """A call of LLVM's function of this name, of numbers or of vectors."""
    type = args[0].type
    suffix = (
        f"v{type.count}{type.element.intrinsic_name}"
        if isinstance(type, ir.VectorType)
        else type.intrinsic_name
    )
    shape = ir.FunctionType(type, [type] * len(args))
    return builder.call(cgutils.get_or_insert_function(builder.module, shape, f"llvm.{name}.{suffix}"), args)


def _one(x: Any) -> Any:
    return _constant(x.type, 1.0)


def _constant(type: Any, value: float) -> Any:
    if isinstance(type, ir.VectorType):
        return ir.Constant(type, [ir.Constant(type.element, value)] * type.count)
    return ir.Constant(type, value)


@instructions(_calls("fmod", _fmod))
def fmod(x: Any, y: Any) -> Any:
    """What is left of ``x`` of floats when a multiple of ``y`` is taken away, with the sign of ``x``."""
    return np.fmod(x, y)


@instructions(_calls("remainder", _remainder))
def remainder(x: Any, y: Any) -> Any:
    """``x % y`` of floats with the sign of ``y``, that of 0 too; NaN for ``y = 0``."""
    return np.remainder(x, y)


@linked
def floor_divide(x, y):
    """``x // y`` of floats."""
    if y == 0:
        return x / y
    rest = fmod(x, y)
    quotient = (x - rest) / y
    if rest != 0 and (y < 0) != (rest < 0):
        quotient -= 1
    down = np.floor(quotient)
    return down + 1 if quotient - down > 0.5 else down


# ----- integers -----


@linked
def remainder_of_integers(x, y):
    """``x % y`` with the sign of ``y``; 0 for ``y = 0``."""
    if 0 <= x < y:  # as most indices that are to be within bounds
        return x
    if y == 0 or y == -1:
        return 0
    return x % y


@linked
def floor_divide_integers(x, y):
    """``x // y``; 0 for ``y = 0``."""
    if y == 0:
        return 0
    return -x if y == -1 else x // y


@linked
def fmod_of_integers(x, y):
    """The remainder with the sign of ``x``; 0 for ``y = 0``."""
    if y == 0 or y == -1:
        return 0
    rest = x % y
    return rest - y if rest != 0 and (x < 0) != (y < 0) else rest
