"""How are powers with a constant exponent computed? As products, with a square root for halves.

``x**2`` is what NumPy computes as a product too; the others differ from the library's power by few roundings.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ....rules import partials
from ...ir.ops import Arg, Lit, Var
from ...ir.types import Scalar, Type, computed_alike, type_of
from ..nests.body import Body
from . import selections
from .scalar_calls import scalar_form

Power = Callable[[Body, Arg, Type], Arg]
PYTHON_POWERS = {operator.pow, pow, math.pow}
POWERS = {operator.pow, np.power, pow, np.float_power, math.pow}
LARGEST = 4.5


class NoForm(Exception):
    """An operation, or the way it is called, that kernels don't have."""


def argument_type(arg: Arg) -> Type:
    return arg.type if isinstance(arg, Var) else type_of(arg.value)  # type: ignore[union-attr]


def written_out(fn: Any, exponent: Any) -> Power | None:
    """How ``x**2``, ``x**-1.5`` and their like, and their derivatives, are computed."""
    if fn is np.square:
        return _whole(np.power, Lit(2), 2)
    if not isinstance(exponent, Lit) or type(exponent.value) not in (int, float):
        return None
    value = exponent.value
    if fn is partials.power_dx:
        return _slope(value) if value and _is_plain(value - 1) else None
    if fn not in POWERS or not _is_plain(value):
        return None
    if value in (1, 2, 3, 4):
        return _whole(fn, exponent, int(value))
    return lambda body, x, type: _power(body, x, value, type) or _called(body, fn, x, exponent, type)


def _is_plain(exponent: float) -> bool:
    return exponent != 0 and abs(exponent) <= LARGEST and exponent * 2 == int(exponent * 2)


def _slope(exponent: float) -> Power:
    """``p * x ** (p - 1)``."""

    def slope(body: Body, x: Arg, type: Type) -> Arg:
        found = _power(body, x, exponent - 1, type)
        if found is None:
            return _called(body, partials.power_dx, x, Lit(exponent), type)
        return body.op(operator.mul, Lit(float(exponent)), found, type=type)

    return slope


def _called(body: Body, fn: Any, x: Arg, exponent: Arg, type: Type) -> Arg:
    form = scalar_form(fn, [argument_type(x), argument_type(exponent)])
    if form is None:
        raise NoForm("a power of integers")
    return body.op(form, x, exponent, type=type)


def _whole(fn: Any, exponent: Arg, count: int) -> Power:
    """A product, of complex numbers and of NumPy's integers too, which wrap around in either."""
    whole = isinstance(exponent, Lit) and type(exponent.value) is int

    def power(body: Body, x: Arg, type: Type) -> Arg:
        inexact = isinstance(type, Scalar) and type.kind in ("float", "complex")
        wraps = isinstance(type, Scalar) and type.dtype == np.int64 and whole
        own = argument_type(x)
        if wraps and isinstance(own, Scalar) and own.kind == "int" and own.dtype in (None, np.int64):
            return _product(body, x, count, type)
        if isinstance(x, Lit) or not inexact or not computed_alike(own, type):
            return _called(body, fn, x, exponent, type)
        return _product(body, x, count, type)

    return power


def _power(body: Body, x: Arg, exponent: float, type: Type) -> Arg | None:
    """``x ** exponent`` of a double, the square root of any number, a complex one's product; else None."""
    if isinstance(x, Lit) or not isinstance(type, Scalar) or type.kind not in ("float", "complex"):
        return None
    if not computed_alike(argument_type(x), type):
        return None
    if exponent == 0.5:  # NumPy has no other either
        return body.op(np.sqrt, x, type=type)
    if type.kind == "complex":
        return _product(body, x, int(exponent), type) if exponent in (1, 2, 3, 4) else None
    if type.dtype not in (None, np.dtype(float)):
        return None
    count, half = divmod(abs(exponent), 1)
    edge, base = Lit(-np.inf), x
    if exponent < -0.5:
        edge, x = Lit(0.0), body.op(operator.truediv, Lit(1.0), x, type=type)
    if not half:
        return _product(body, x, int(count), type)
    # of `-inf` and of `-0.0` the powers are those of `inf` and `0.0`, but for whole ones
    is_edge = body.op(operator.eq, base, edge, type=Scalar("bool"))
    x = body.op(selections.where, is_edge, Lit(np.inf), x, type=type)
    root = body.op(np.sqrt, x, type=type)
    if exponent == -0.5:
        root = body.op(abs, root, type=type)  # of `-0.0`
        return body.op(operator.truediv, Lit(1.0), root, type=type)
    return body.op(operator.mul, _product(body, x, int(count), type), root, type=type)


def _product(body: Body, x: Arg, count: int, type: Type) -> Arg:
    if count == 1:
        return x
    square = body.op(operator.mul, x, x, type=type)
    if count == 2:
        return square
    return body.op(operator.mul, square, x if count == 3 else square, type=type)
