"""How is one operation on numbers written in a kernel, so that it does what Python would?

Python's integers don't overflow and its divisions by zero raise: where that is not excluded, the kernel
checks, and hands the call back if it happens. All of Python's integers in a kernel are below ``LIMIT``, those
that it is given and those that it computes. So a sum or difference can't wrap before it is checked, and none
of the machine's 64-bit operations (``-``, ``abs``, ``//``, ``%``, ``min``) leaves the range.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ir import builtin
from ...ir.ops import Arg, Lit, Var
from ...ir.types import Scalar
from .. import runtime as kernels
from ..nests.body import Body
from ..nests.bounds import Bounds
from .integer_powers import integer_power, shift_left, shift_right
from .powers import PYTHON_POWERS, NoForm, argument_type, written_out
from .scalar_calls import scalar_form

_ADD = {operator.add, operator.sub}
_MULTIPLY = {operator.mul}
_DIVIDE = {operator.truediv, operator.floordiv, operator.mod}
_POWERS = {operator.pow: integer_power, operator.lshift: shift_left, operator.rshift: shift_right}
_BITS = {operator.and_, operator.or_, operator.xor}
_ROUNDED = {int: None, math.trunc: None, math.floor: np.floor, math.ceil: np.ceil, round: np.rint}
_UNCHANGED = {builtin.assign, operator.pos}
LIMIT = 2**62
"""What an integer of a kernel stays below; ``kernels.small`` checks it."""


def scalar_operation(
    body: Body, bounds: Bounds, fn: Callable[..., Any], args: Sequence[Arg], out: Var
) -> Arg:
    """Write ``fn(*args)`` of numbers; ``out`` tells the type of the result."""
    if any(isinstance(a, Lit) and type(a.value) is int and abs(a.value) >= LIMIT for a in args):
        raise NoForm("an integer above 62 bits")
    if fn in _UNCHANGED and len(args) == 1:
        return args[0]
    python_int = is_python_int(out.type)
    power = written_out(fn, args[1]) if len(args) == 2 and not python_int else None
    if power is not None:
        result = power(body, args[0], out.type)
        python = isinstance(out.type, Scalar) and out.type.dtype is None and out.type.kind == "float"
        overflows = python and fn in PYTHON_POWERS and isinstance(result, Var)
        return body.op(kernels.defined, result, type=out.type) if overflows else result
    types = [argument_type(a) for a in args]
    if not all(isinstance(t, Scalar) for t in types) or not isinstance(out.type, Scalar):
        raise NoForm("an operation on what are no numbers")
    if python_int:
        return _integer(body, bounds, fn, args, out)
    form = scalar_form(fn, types)
    if form is None:
        raise NoForm(f"`{getattr(fn, '__name__', fn)}` of {', '.join(map(str, types))}")
    python = all(t.dtype is None for t in types)  # type: ignore[union-attr]
    if python and fn in _DIVIDE:
        args = [args[0], _nonzero(body, args[1])]
    result = body.op(form, *args, type=out.type)
    raises = getattr(math, getattr(fn, "__name__", ""), None) is fn or (python and fn is operator.pow)
    if raises and out.type.kind == "float":
        result = body.op(kernels.defined, result, type=out.type)
    return result


def is_python_int(type: Any) -> bool:
    """Whether a value is, or may be, an int of Python's, which does not overflow."""
    return isinstance(type, Scalar) and type.kind == "int" and type.dtype is None


def _nonzero(body: Body, arg: Arg) -> Arg:
    if isinstance(arg, Lit) and arg.value != 0:
        return arg
    return body.op(kernels.nonzero, arg, type=argument_type(arg))


def _integer(body: Body, bounds: Bounds, fn: Callable[..., Any], args: Sequence[Arg], out: Var) -> Arg:
    """Arithmetic of Python's integers."""
    bounds.learn(out)
    near = bounds.is_small(out) or (fn in _ADD and all(map(bounds.is_small, args)))
    if fn in _ADD:
        form = _affine(bounds, fn, args)
        if form is not None:
            bounds.define(out, form)
        result = body.op(fn, *args, type=out.type)
        return result if near else body.op(kernels.small, result, type=out.type)
    if fn in _MULTIPLY:
        return body.op(operator.mul if near else kernels.product, *args, type=out.type)
    if fn in (operator.floordiv, operator.mod):
        return body.op(fn, args[0], _nonzero(body, args[1]), type=out.type)
    if fn in _BITS:  # of two in the range, but for -LIMIT
        result = body.op(fn, *args, type=out.type)
        return result if all(map(bounds.is_small, args)) else body.op(kernels.small, result, type=out.type)
    if fn in (min, max, operator.neg, abs):
        return body.op(fn, *args, type=out.type)
    if fn in _ROUNDED and len(args) == 1 and _is_float(args[0]):
        rounded = _ROUNDED[fn]
        x = args[0] if rounded is None else body.op(rounded, args[0], type=argument_type(args[0]))
        return body.op(kernels.whole, x, type=out.type)
    if fn is int and isinstance(argument_type(args[0]), Scalar):
        return _truncated(body, bounds, args[0], out)
    if fn is operator.pow and isinstance(args[1], Lit) and args[1].value == 2:
        return body.op(kernels.product, args[0], args[0], type=out.type)
    if fn in _POWERS:
        return body.op(_POWERS[fn], *args, type=out.type)
    raise NoForm(f"`{getattr(fn, '__name__', fn)}` of integers")


def _is_float(arg: Arg) -> bool:
    type = argument_type(arg)
    return isinstance(type, Scalar) and type.kind == "float" and not type.among


def _truncated(body: Body, bounds: Bounds, arg: Arg, out: Var) -> Arg:
    type = argument_type(arg)
    assert isinstance(type, Scalar)
    if type.kind not in ("int", "bool") or type.dtype == np.uint64:
        raise NoForm("a float, or an unsigned number of 64 bits, as an integer")
    result = body.op(int, arg, type=out.type)
    python = type.dtype is None and not type.among or type.kind == "bool" or bounds.is_small(arg)
    return result if python else body.op(kernels.small, result, type=out.type)


def _affine(bounds: Bounds, fn: Callable[..., Any], args: Sequence[Arg]) -> Any:
    a, b = map(bounds.affine, args)
    if a is None or b is None:
        return None
    return a + b if fn is operator.add else a - b


__all__ = ["NoForm", "argument_type", "scalar_operation", "written_out"]
