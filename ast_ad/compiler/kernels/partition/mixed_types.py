"""What can kernels do with a value whose type depends on the path taken?

They hold it as the widest of its types: an int that may be a float, too, is a float there. So they have those
operations only that make the same of it, whichever it is. Python's floats and NumPy's doubles are one; so are
Python's ints and int64, since what may be Python's is checked for overflow and for division by zero.
"""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from ...analysis.exceptions import is_elementwise
from ...ir import builtin
from ...ir.alternatives import alternatives, is_mixed
from ...ir.builtin import MUTATORS
from ...ir.ops import Lit, Op, operands, variables
from ...ir.types import CLASSES, Scalar, Type, dtype_of, kind_of
from ..runtime import Mismatch
from .single_precision import is_single_or_own

_NATIVE = {np.dtype(t) for t in (bool, int, float, complex)}
_SUMS = {operator.add, operator.sub, np.add, np.subtract}
_CHOICES = {
    operator.pos, operator.abs, builtins.abs, builtins.max, builtins.min, np.abs, np.positive, np.maximum,
    np.minimum, np.where,
}  # fmt: skip
_PRODUCTS = {operator.mul, np.multiply}
_POWERS = {operator.pow, builtins.pow, np.power}
_INDEXED = {operator.getitem, builtin.setitem_, builtin.add_item_, builtin.add_at_}
_COPIES = {builtin.assign, builtin.unread, operator.getitem, builtins.float, builtins.complex, *MUTATORS}


def can_hold(type: Type) -> bool:
    """Whether a number of the machine can stand for a value of any of its types.

    >>> from ast_ad.compiler.ir.alternatives import one_of
    >>> single, double = Scalar("float", np.dtype("f")), Scalar("float", np.dtype("d"))
    >>> can_hold(one_of(double, (Scalar("int"), double))), can_hold(one_of(double, (single, double)))
    (True, False)
    """
    if not is_mixed(type):
        return True
    if not isinstance(type, Scalar):  # arrays of several dtypes
        return False
    dtypes = {dtype_of(t) for t in alternatives(type)}  # Python's floats are doubles
    return dtypes <= _NATIVE or len(dtypes) == 1


def computes_alike(op: Op) -> bool:
    """Whether an operation makes the same of its arguments, whichever of their types they have."""
    if op.fn in _INDEXED and any(len(kinds(v.type)) > 1 for v in variables(op.args[1])):
        return False
    given, made = [kinds(v.type) for v in variables(*operands(op))], [kinds(v.type) for v in op.outs]
    if all(len(k) < 2 for k in (*given, *made)) or op.fn in _COPIES:
        return True
    some = set().union(*given, *made)
    if op.fn in _POWERS:  # negative powers of ints raise
        return some == {"int", "float"} and _is_small_power(op)
    if all(len(k) < 2 for k in made):  # of large ints, floats keep the first digits only
        return "int" not in set().union(*made) and not _takes_lengths(op)
    if "bool" in some:
        return False
    if op.fn in _SUMS:
        return True
    if op.fn in _PRODUCTS:  # zero times a negative int is not a negative zero
        return "complex" not in some and any(isinstance(a, Lit) and a.value >= 0 for a in op.args)
    return "complex" not in some and op.fn in _CHOICES


def _is_small_power(op: Op) -> bool:
    """Whether the exponent is a small whole number: a product, and a zero among ints has no sign."""
    exponent = op.args[1] if len(op.args) == 2 else None
    return isinstance(exponent, Lit) and type(exponent.value) is int and 0 < exponent.value <= 4


def _takes_lengths(op: Op) -> bool:
    """Whether an int among its arguments may be a length, which a float is not."""
    own = (getattr(op.fn, "__module__", None) or "").startswith("ast_ad")
    return not (own or is_elementwise(op.fn) or op.fn in CLASSES.values())


def kinds(type: Type) -> set[str]:
    """What a value may be: bool, int, float, complex."""
    if is_single_or_own(type):  # which kernels hold only where nothing can tell
        return {"float"}
    return {kind_of(t) for t in alternatives(type)} - {"other"}


def held_as(type: Type) -> Any:
    """What turns a number of several types into what a kernel holds it as; None if it is that already."""
    if is_single_or_own(type):
        return np.float32
    return CLASSES[type.kind] if isinstance(type, Scalar) and len(kinds(type)) > 1 else None


def widened(value: Any, kind: type) -> Any:
    """A number as the kind as which a kernel holds it."""
    try:
        return kind(value)
    except OverflowError:
        raise Mismatch from None
