"""What do generated kernels import? The decorator that compiles them, and what they call to check.

Everything here is either for the module level of a generated file or can be called from compiled code. The
small functions are compiled as the instructions that they are: a function of its own would take the compiler
longer than the loop around it.
"""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numba
from llvmlite import ir
from numba import extending
from numba.core import cgutils, types

from ..garbage import collector_paused
from .code_cache import keep_machine_code
from .compilers import Apart, Careful
from .fresh_memory import empty
from .linked import linked

FLAGS, IN_ORDER, OF_SINGLE = {"reassoc", "contract", "arcp"}, {"arcp"}, {"reassoc", "contract"}
"""What LLVM may do with floating-point numbers: reorder sums and products; infinities and NaN stay.

``IN_ORDER``: in kernels where a sum contains a number and its opposite (``rounding``): a residual is that of
a quotient as it is rounded, whichever way. ``OF_SINGLE``: in single precision, where the processor's estimate
of a reciprocal makes NaN of `1 / 0`, `1 / inf`. Others of divisors below ``6e-309`` are infinite. Signs of
zeros count, but for ``partition.zero_signs``: else ``x / sqrt(x)`` becomes ``sqrt(x)``, 0 at 0."""

LONG = 1.0
"""Seconds of a compilation that is told."""

type_callable: Any = extending.type_callable
lower_builtin: Any = extending.lower_builtin
Typed = Callable[..., Any]
INTEGER: Any = types.int64
NUMBERS = INTEGER, types.float32, types.float64, types.complex64, types.complex128


class _Here(threading.local):
    """Where the call is written that is being compiled: the exception tells it."""

    place: Any = None


_here = _Here()


class Mismatch(Exception):
    """What a kernel takes for granted does not hold in this call; the NumPy program answers it."""


def kernel(function: Any) -> Any:
    """Compile a generated function on its first call, or take what another process has compiled.

    What it writes to must overlap with no other argument.
    """
    return compiled(function, pipeline_class=Apart)


def lean_kernel(function: Any) -> Any:
    """``kernel`` for a function that makes no arrays: without memory management, its calls take less time."""
    return compiled(function, pipeline_class=Apart, _nrt=False)


def overlapping_kernel(function: Any) -> Any:
    """``kernel`` for a function whose arguments may overlap."""
    return compiled(function)


def exact_kernel(function: Any) -> Any:
    """``overlapping_kernel`` for a function whose sums are made in the order that is written."""
    return compiled(function, IN_ORDER)


def exact_apart_kernel(function: Any) -> Any:
    """``kernel`` for such a function."""
    return compiled(function, IN_ORDER, pipeline_class=Apart)


def compiled(function: Any, flags: set[str] = FLAGS, pipeline_class: Any = Careful, **options: Any) -> Any:
    """What the decorators have in common."""
    if any("float32" in name or "complex64" in name for name in function.__code__.co_names):
        flags = flags & OF_SINGLE
    dispatcher: Any = numba.njit(
        error_model="numpy",
        fastmath=flags,
        pipeline_class=pipeline_class,
        no_cfunc_wrapper=True,  # nobody calls it as a function of C
        **options,
    )(function)
    keep_machine_code(dispatcher)
    dispatcher.compile = _told_if_long(collector_paused()(dispatcher.compile), function.__name__)
    return dispatcher


def _told_if_long(compile: Any, name: str) -> Any:
    """The same, with a line on the logger ``ast_ad`` when it keeps its caller waiting."""

    @functools.wraps(compile)
    def timed(*args: Any) -> Any:
        began = time.perf_counter()
        found = compile(*args)
        if (took := time.perf_counter() - began) > LONG:
            logging.getLogger("ast_ad").info("Numba compiled %s in %.1f s", name, took)
        return found

    return timed


# ----- how calls of the functions below are compiled
def _number(given: Any) -> Any:
    """The type in which an argument is taken; None for what is no number that int64 or floats hold."""
    if isinstance(given, (types.Integer, types.Boolean)):
        return None if given == types.uint64 else INTEGER
    return given if given in NUMBERS else None


def _integers(*given: Any) -> Any:
    return INTEGER(*[INTEGER] * len(given)) if all(_number(g) is INTEGER for g in given) else None


def _comparison(*given: Any) -> Any:
    return types.boolean(*[INTEGER] * len(given)) if _integers(*given) is not None else None


def _integer_of_float(given: Any) -> Any:
    return INTEGER(given) if given in (types.float32, types.float64) else None


def _same(given: Any) -> Any:
    number = _number(given)
    return None if number is None else number(number)


def _condition(given: Any) -> Any:
    return types.void(types.boolean) if _number(given) is not None else None


def _instructions(typed: Typed, cases: Sequence[tuple[Any, ...]], build: Callable[..., Any]) -> Any:
    """Compile calls of a function as ``build(context, builder, type, *arguments)`` writes them.

    Args:
        typed: from the arguments' types to the signature, or None.
        cases: the argument types of each signature.
    """

    def typer(context: Any) -> Typed:
        takes: dict[int, Typed] = {1: lambda i: typed(i), 2: lambda i, n: typed(i, n)}
        takes[3] = lambda start, stop, step: typed(start, stop, step)
        return takes[len(cases[0])]

    def lower(context: Any, builder: Any, signature: Any, args: Any, loc: Any = None) -> Any:
        _here.place = loc
        return build(context, builder, signature.args[0], *args)

    def decorate(function: Any) -> Any:
        type_callable(function)(typer)
        for case in cases:
            lower_builtin(function, *case)(lower)
        return function

    return decorate


def _stop_if(context: Any, builder: Any, condition: Any) -> None:
    """Leave the kernel."""
    with builder.if_then(condition, likely=False):
        context.call_conv.return_user_exc(builder, Mismatch, (), loc=_here.place, func_name="kernel")


def _constant(number: int) -> Any:
    return ir.Constant(ir.IntType(64), number)


def _parts(type: Any, x: Any, builder: Any) -> list[Any]:
    if isinstance(type, types.Complex):
        return [builder.extract_value(x, k) for k in (0, 1)]
    return [x]


def _largest(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.icmp_signed(">", a, b), a, b)


def _from_end(builder: Any, i: Any, n: Any) -> Any:
    """``i``, counted from the end where it is negative."""
    return builder.select(builder.icmp_signed("<", i, _constant(0)), builder.add(i, n), i)


# ----- checks
def _require(context: Any, builder: Any, type: Any, condition: Any) -> Any:
    _stop_if(context, builder, builder.not_(condition))
    return context.get_dummy_value()


@_instructions(_condition, [(types.boolean,)], _require)
def require(condition: bool) -> None:
    """Stop the kernel if a condition does not hold."""
    if not condition:
        raise Mismatch


def _counted(context: Any, builder: Any, type: Any, n: Any, known: Any) -> Any:
    _stop_if(context, builder, builder.icmp_signed("!=", n, known))
    return context.get_dummy_value()


@_instructions(
    lambda *given: _integers(*given) and types.void(INTEGER, INTEGER), [(INTEGER, INTEGER)], _counted
)
def counted(n: int, known: int) -> None:
    """Tell the compiler that a length is a number; what the driver has seen to, and nothing to assume."""
    if n != known:
        raise Mismatch


def _position(context: Any, builder: Any, type: Any, i: Any, n: Any) -> Any:
    place = _from_end(builder, i, n)
    _stop_if(context, builder, builder.icmp_unsigned(">=", place, n))
    return place


@_instructions(_integers, [(INTEGER, INTEGER)], _position)
def position(i: int, n: int) -> int:
    """Where the element ``i`` of ``n`` lies; counted from the end where it is negative."""
    if i < 0:
        i += n
    if i < 0 or i >= n:
        raise Mismatch
    return i


def _inside(context: Any, builder: Any, type: Any, i: Any, n: Any) -> Any:
    return builder.icmp_unsigned("<", _from_end(builder, i, n), n)


@_instructions(_comparison, [(INTEGER, INTEGER)], _inside)
def inside(i: int, n: int) -> bool:
    """Whether there is an element ``i`` of ``n``."""
    return -n <= i < n


def _range_inside(context: Any, builder: Any, type: Any, start: Any, stop: Any, n: Any) -> Any:
    first = builder.icmp_signed(">=", start, builder.neg(n))
    last = builder.icmp_signed("<=", stop, n)
    return builder.or_(builder.icmp_signed(">=", start, stop), builder.and_(first, last))


@_instructions(_comparison, [(INTEGER, INTEGER, INTEGER)], _range_inside)
def range_inside(start: int, stop: int, n: int) -> bool:
    """Whether ``range(start, stop)`` has only numbers that are ``inside(i, n)``."""
    return start >= stop or (start >= -n and stop <= n)


@_instructions(_condition, [(types.boolean,)], _require)
def all_inside(within: bool) -> None:
    """Stop the kernel if some index was out of bounds."""
    if not within:
        raise Mismatch


def _numbers(context: Any, builder: Any, type: Any, x: Any) -> Any:
    _stop_if(context, builder, builder.fcmp_unordered("uno", x, x))
    return context.get_dummy_value()


@_instructions(lambda given: types.void(given), [(types.float64,), (types.float32,)], _numbers)
def numbers(x: float) -> None:
    """Stop the kernel at a NaN."""
    if x != x:
        raise Mismatch


def _wrapped(context: Any, builder: Any, type: Any, i: Any, n: Any) -> Any:
    return _from_end(builder, i, n)


@_instructions(_integers, [(INTEGER, INTEGER)], _wrapped)
def wrapped(i: int, n: int) -> int:
    """``position`` of an element that is known to be there."""
    return i + n if i < 0 else i


def _small(context: Any, builder: Any, type: Any, i: Any) -> Any:
    moved = builder.add(i, _constant(1 << 62))
    _stop_if(context, builder, builder.icmp_signed("<=", moved, _constant(0)))
    return i


@_instructions(_integers, [(INTEGER,)], _small)
def small(i: int) -> int:
    """An integer that is far from overflow, so that a sum of two such does not overflow."""
    if i > 4611686018427387903 or i < -4611686018427387903:
        raise Mismatch
    return i


def _nearby(context: Any, builder: Any, type: Any, i: Any) -> Any:
    moved = builder.add(i, _constant(1 << 40))
    _stop_if(context, builder, builder.icmp_unsigned(">=", moved, _constant(1 << 41)))
    return i


@_instructions(_integers, [(INTEGER,)], _nearby)
def nearby(i: int) -> int:
    """The first number of a loop, so small that no turn comes near to overflow."""
    if i >= 1099511627776 or i < -1099511627776:
        raise Mismatch
    return i


def _product(context: Any, builder: Any, type: Any, a: Any, b: Any) -> Any:
    real = ir.DoubleType()
    about = builder.fmul(builder.sitofp(a, real), builder.sitofp(b, real))
    limit = ir.Constant(real, 4e18)
    outside = builder.or_(
        builder.fcmp_ordered(">", about, limit), builder.fcmp_ordered("<", about, ir.Constant(real, -4e18))
    )
    _stop_if(context, builder, outside)
    return builder.mul(a, b)


@_instructions(_integers, [(INTEGER, INTEGER)], _product)
def product(a: int, b: int) -> int:
    """``a * b`` of integers; Python's don't overflow, so a product that would is left to Python."""
    if abs(float(a) * float(b)) > 4e18:
        raise Mismatch
    return a * b


def _defined(context: Any, builder: Any, type: Any, x: Any) -> Any:
    for part in _parts(type, x, builder):
        if not isinstance(part.type, ir.IntType):
            zero = builder.fsub(part, part)
            _stop_if(context, builder, builder.fcmp_unordered("!=", zero, ir.Constant(part.type, 0.0)))
    return x


@_instructions(_same, [(number,) for number in NUMBERS], _defined)
def defined(x: float) -> float:
    """``x``, which Python computes without an exception if it is finite."""
    if not (x - x == 0.0):
        raise Mismatch
    return x


def _whole(context: Any, builder: Any, type: Any, x: Any) -> Any:
    size = builder.select(builder.fcmp_ordered("<", x, ir.Constant(x.type, 0.0)), builder.fneg(x), x)
    _stop_if(context, builder, builder.not_(builder.fcmp_ordered("<", size, ir.Constant(x.type, 2.0**62))))
    return builder.fptosi(x, ir.IntType(64))


@_instructions(_integer_of_float, [(types.float64,), (types.float32,)], _whole)
def whole(x: float) -> int:
    """``int(x)`` of a float; infinities and NaN raise in Python, and integers have no end there."""
    if not abs(x) < 4611686018427387904.0:
        raise Mismatch
    return int(x)


def _nonzero(context: Any, builder: Any, type: Any, x: Any) -> Any:
    zero = None
    for part in _parts(type, x, builder):
        if isinstance(part.type, ir.IntType):
            found = builder.icmp_signed("==", part, _constant(0))
        else:
            found = builder.fcmp_ordered("==", part, ir.Constant(part.type, 0.0))
        zero = found if zero is None else builder.and_(zero, found)
    _stop_if(context, builder, zero)
    return x


@_instructions(_same, [(number,) for number in NUMBERS], _nonzero)
def nonzero(x: Any) -> Any:
    """A divisor of Python's own, which must not be zero."""
    if x == 0:
        raise Mismatch
    return x


# ----- places and lengths
def _bound(context: Any, builder: Any, type: Any, i: Any, n: Any) -> Any:
    low = _largest(builder, _from_end(builder, i, n), _constant(0))
    return builder.select(builder.icmp_signed("<", low, n), low, n)


@_instructions(_integers, [(INTEGER, INTEGER)], _bound)
def bound(i: int, n: int) -> int:
    """A bound of a slice with a positive step, within ``n`` elements."""
    if i < 0:
        i += n
    return min(max(i, 0), n)


def _turns(context: Any, builder: Any, type: Any, start: Any, stop: Any, step: Any) -> Any:
    # a quotient below zero is none, so that it doesn't matter where it is rounded to
    one = builder.select(builder.icmp_signed(">", step, _constant(0)), _constant(1), _constant(-1))
    whole = builder.sub(builder.add(builder.sub(stop, start), step), one)
    return _largest(builder, builder.sdiv(whole, step), _constant(0))


@_instructions(_integers, [(INTEGER, INTEGER, INTEGER)], _turns)
def span(start: int, stop: int, step: int) -> int:
    """How many elements a slice with a positive step has."""
    return max(0, (stop - start + step - 1) // step)


@_instructions(_integers, [(INTEGER, INTEGER, INTEGER)], _turns)
def turns(start: int, stop: int, step: int) -> int:
    """How many numbers ``range(start, stop, step)`` has."""
    return max(0, (stop - start + step - (1 if step > 0 else -1)) // step)


def _arrays(target: Any, source: Any) -> Any:
    fits = target.dtype == source.dtype and target.layout == source.layout == "C"
    return types.void(target, source) if fits else None


def _copy(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    to, of = (
        context.make_array(type)(context, builder, x) for type, x in zip(signature.args, args, strict=True)
    )
    cgutils.raw_memcpy(builder, to.data, of.data, of.nitems, of.itemsize)
    return context.get_dummy_value()


def fill_rows(target: Any, source: Any) -> None:
    """``target[: len(source)] = source``, which takes two seconds to compile as it stands."""
    target[: len(source)] = source


type_callable(fill_rows)(lambda context: lambda target, source: _arrays(target, source))
lower_builtin(fill_rows, types.Array, types.Array)(_copy)


@linked
def reserve(array: Any, length: int) -> Any:
    """``rules.helpers.reserve``: an array with room for so many rows at least."""
    if length <= len(array):
        return array
    out = empty((max(length, 2 * len(array)),) + array.shape[1:], array.dtype)
    fill_rows(out, array)
    return out
