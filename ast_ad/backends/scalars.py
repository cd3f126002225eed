"""How is one operation on numbers written in a kernel, so that it does what Python would?

Python's integers don't overflow and its divisions by zero raise: where that is not excluded, the kernel
checks, and hands the call back if it happens.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from ..ir import builtin
from ..ir.ops import Arg, Lit, Var
from ..ir.types import Scalar
from . import kernels
from .body import Body
from .bounds import Bounds
from .powers import PYTHON_POWERS, NoForm, argument_type, written_out
from .scalar_calls import scalar_form

_ADD = {operator.add, operator.sub}
_MULTIPLY = {operator.mul}
_DIVIDE = {operator.truediv, operator.floordiv, operator.mod}
_UNCHANGED = {builtin.assign, operator.pos}


def scalar_operation(
    body: Body, bounds: Bounds, fn: Callable[..., Any], args: Sequence[Arg], out: Var
) -> Arg:
    """Write ``fn(*args)`` of numbers; ``out`` tells the type of the result."""
    if fn in _UNCHANGED and len(args) == 1:
        return args[0]
    power = written_out(fn, args[1] if len(args) == 2 else None)
    if power is not None:
        result = power(body, args[0], out.type)
        python = isinstance(out.type, Scalar) and out.type.dtype is None and out.type.kind == "float"
        overflows = python and fn in PYTHON_POWERS and isinstance(result, Var)
        return body.op(kernels.defined, result, type=out.type) if overflows else result
    types = [argument_type(a) for a in args]
    if not all(isinstance(t, Scalar) for t in types) or not isinstance(out.type, Scalar):
        raise NoForm("an operation on what are no numbers")
    if out.type.dtype is None and out.type.kind == "int":
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
    if fn in (min, max, operator.and_, operator.or_, operator.xor):
        return body.op(fn, *args, type=out.type)
    if fn in (operator.neg, abs):
        return body.op(fn, *args, type=out.type)
    if fn is int and isinstance(argument_type(args[0]), Scalar):
        return _truncated(body, args[0], out)
    if fn is operator.pow and isinstance(args[1], Lit) and args[1].value == 2:
        return body.op(kernels.product, args[0], args[0], type=out.type)
    raise NoForm(f"`{getattr(fn, '__name__', fn)}` of integers")


def _truncated(body: Body, arg: Arg, out: Var) -> Arg:
    kind = argument_type(arg).kind  # type: ignore[union-attr]
    if kind in ("int", "bool"):
        return body.op(int, arg, type=out.type)
    raise NoForm("a float as an integer")


def _affine(bounds: Bounds, fn: Callable[..., Any], args: Sequence[Arg]) -> Any:
    a, b = map(bounds.affine, args)
    if a is None or b is None:
        return None
    return a + b if fn is operator.add else a - b


__all__ = ["NoForm", "argument_type", "scalar_operation", "written_out"]
