"""What is left of a division by a number? To the last bit, without the loop over the quotient's bits of C.

``x - n * y``, with one rounding and ``n`` the rounded quotient, is what is left, or that and ``y`` less where
the quotient was rounded up to ``n``: both are floats, so that nothing is rounded [1]_. Quotients of more bits
than a float has are left to the C library, as what is infinite or no number.

.. [1] J.-M. Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., 2018, section 4.6.
"""

from __future__ import annotations

import math
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
        if _is_power_of_two(y):
            return build(builder, x, y)
        named = f"ast_ad_{name}f" if isinstance(x.type, ir.FloatType) else f"ast_ad_{name}"
        vectors = [
            (n, _defined(builder.module, ir.VectorType(x.type, n), f"{named}_{n}", build))
            for n in lanes(4 if isinstance(x.type, ir.FloatType) else 8)
        ]
        return call_of_numbers(builder, _defined(builder.module, x.type, named, build), [x, y], vectors)

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

    if _is_power_of_two(y):  # then nothing is rounded
        whole = call("trunc", builder.fmul(x, _constant(x.type, 1.0 / y.constant), flags=PLAIN))
        rest = builder.fsub(x, builder.fmul(whole, y, flags=PLAIN), flags=PLAIN)
        return call("copysign", rest, x)
    double, zero = isinstance(_number(x.type), ir.DoubleType), _constant(x.type, 0.0)
    whole = call("trunc", builder.fdiv(x, y, flags=PLAIN))
    near = call("fma", builder.fneg(whole), y, x)
    # It has the other sign where the quotient was rounded up.
    signed = builder.fmul(near, call("copysign", _constant(x.type, 1.0), x), flags=PLAIN)
    more = builder.select(builder.fcmp_ordered("<", signed, zero), call("fabs", y), zero)
    quick = call("copysign", builder.fadd(near, call("copysign", more, x), flags=PLAIN), x)
    known = builder.fcmp_ordered("<", call("fabs", whole), _constant(x.type, 2.0**52 if double else 2.0**23))
    known = builder.and_(known, builder.fcmp_ordered("ord", near, near))
    name, number = "fmod" if double else "fmodf", _number(x.type)

    def by_library(x: Any, y: Any) -> Any:
        type = ir.FunctionType(number, [number, number])
        return builder.call(cgutils.get_or_insert_function(builder.module, type, name), [x, y])

    return _unless_known(builder, known, quick, by_library, x, y)


def _is_power_of_two(y: Any) -> bool:
    """Whether it is a constant of 1 or more by which division is exact; its quotients are no infinities."""
    if not isinstance(y, ir.Constant) or not isinstance(y.constant, float) or not 1.0 <= y.constant < 2.0**20:
        return False
    return math.frexp(y.constant)[0] == 0.5


def _unless_known(builder: Any, known: Any, quick: Any, slow: Callable[..., Any], x: Any, y: Any) -> Any:
    """What was computed if it is right for all lanes, or else what ``slow`` writes of each number."""
    vector = isinstance(x.type, ir.VectorType)
    if vector:
        bits = builder.bitcast(known, ir.IntType(x.type.count))
        known = builder.icmp_unsigned("==", bits, ir.Constant(bits.type, -1))
    before = builder.block
    with builder.if_then(builder.not_(known), likely=False):
        result = x if vector else slow(x, y)
        for k in range(x.type.count if vector else 0):
            lane = ir.Constant(ir.IntType(32), k)
            number = slow(builder.extract_element(x, lane), builder.extract_element(y, lane))
            result = builder.insert_element(result, number, lane)
        after = builder.block
    both = builder.phi(x.type)
    both.add_incoming(quick, before)
    both.add_incoming(result, after)
    return both


def _remainder(builder: Any, x: Any, y: Any) -> Any:
    rest, zero = _fmod(builder, x, y), _constant(x.type, 0.0)
    other = builder.xor(builder.fcmp_ordered("<", y, zero), builder.fcmp_ordered("<", rest, zero))
    turned = builder.select(other, builder.fadd(rest, y, flags=PLAIN), rest)
    none = builder.fcmp_ordered("==", rest, zero)
    return builder.select(none, _intrinsic(builder, "copysign", rest, y), turned)


def _remainder_of_integers(builder: Any, x: Any, y: Any) -> Any:
    zero = _constant(x.type, 0)
    above = builder.select(builder.icmp_signed(">=", x, y), builder.sub(x, y), x)
    quick = builder.select(builder.icmp_signed("<", x, zero), builder.add(x, y), above)
    known = builder.and_(builder.icmp_signed(">=", quick, zero), builder.icmp_signed("<", quick, y))

    def divided(x: Any, y: Any) -> Any:
        zero, one = _constant(x.type, 0), _constant(x.type, 1)
        whole = builder.or_(
            builder.icmp_signed("==", y, zero), builder.icmp_signed("==", y, _constant(x.type, -1))
        )
        rest = builder.srem(x, builder.select(whole, one, y))
        other = builder.icmp_signed("<", builder.xor(rest, y), zero)
        turned = builder.and_(other, builder.icmp_signed("!=", rest, zero))
        return builder.select(turned, builder.add(rest, y), rest)

    return _unless_known(builder, known, quick, divided, x, y)


def _intrinsic(builder: Any, name: str, *args: Any) -> Any:
    """A call of LLVM's function of this name, of numbers or of vectors."""
    type, suffix = args[0].type, _number(args[0].type).intrinsic_name
    if isinstance(type, ir.VectorType):
        suffix = f"v{type.count}{suffix}"
    shape = ir.FunctionType(type, [type] * len(args))
    return builder.call(cgutils.get_or_insert_function(builder.module, shape, f"llvm.{name}.{suffix}"), args)


def _number(type: Any) -> Any:
    return type.element if isinstance(type, ir.VectorType) else type


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
def floor_divide(x: Any, y: Any) -> Any:
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


@instructions(_calls("remainder_of_integers", _remainder_of_integers))
def remainder_of_integers(x: Any, y: Any) -> Any:
    """``x % y`` with the sign of ``y``; 0 for ``y = 0``. Nothing divides what is nearly within bounds."""
    return np.remainder(x, y)


@linked
def floor_divide_integers(x: Any, y: Any) -> Any:
    """``x // y``; 0 for ``y = 0``."""
    if y == 0:
        return 0
    return -x if y == -1 else x // y


@linked
def fmod_of_integers(x: Any, y: Any) -> Any:
    """The remainder with the sign of ``x``; 0 for ``y = 0``."""
    if y == 0 or y == -1:
        return 0
    rest = x % y
    return rest - y if rest != 0 and (x < 0) != (y < 0) else rest
