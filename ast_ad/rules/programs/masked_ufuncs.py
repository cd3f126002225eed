"""What do ufuncs make of masked arrays? Values, and a mask of where they mean nothing.

Two ways lead there, as in NumPy: ``np.ma.log(m)`` gives back what was there where the result is masked,
``np.log(m)`` computes everywhere. Both mask what lies outside of the domain of the function.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import UnsupportedError
from ..standing import is_read


class Masked:
    """What has ``values``, ``marks`` (its mask, or None) and ``fill`` (or None)."""

    values: Any
    marks: Any
    fill: Any
    filled: Any
    fill_value: Any


def values_of(a):
    """The numbers of a masked array, or the array itself."""
    if isinstance(a, Masked):
        return a.values
    if isinstance(a, np.ma.MaskedArray):
        return np.array(a.data)
    return np.asarray(a)


def marks_of(a):
    """The mask of a masked array; None: nothing is masked."""
    if isinstance(a, Masked):
        return a.marks
    if isinstance(a, np.ma.MaskedArray):
        return np.logical_or(a.mask, np.zeros(np.shape(a.data), bool))
    return None


def full_marks(a):
    """The mask of an array, with all its elements."""
    marks = marks_of(a)
    return np.zeros(np.shape(values_of(a)), bool) if marks is None else marks


def either(a, b):
    """Where one of two masks is true; None stands for no mask."""
    if a is None:
        return b
    return a if b is None else np.logical_or(a, b)


def spread(marks, shape):
    """A mask with the shape of the values, to be written to."""
    return np.logical_or(marks, np.zeros(shape, bool))


def outside(fn, a, b=None):
    """Where numbers are not in the domain of a function; None: it has no bounds."""
    if fn in (np.log, np.log2, np.log10):
        return a <= 0.0
    if fn == np.sqrt:
        return a < 0.0
    if fn in (np.arcsin, np.arccos):
        return np.logical_or(a > 1.0, a < -1.0)
    if fn == np.arctanh:
        return np.logical_or(a > 1.0 - 1e-15, a < -1.0 + 1e-15)
    if fn == np.arccosh:
        return a < 1.0
    if fn == np.tan:
        return np.abs(np.cos(a)) < 1e-35
    if fn in (np.divide, np.floor_divide, np.remainder, np.fmod):
        return np.abs(a) * np.finfo(float).tiny >= np.abs(b)
    return None


def number(result, mark):
    """A result without axes: the constant ``np.ma.masked`` where it is masked."""
    if mark is not None and mark:
        return nothing()
    return result


def nothing():
    """The constant that stands for one masked number. Compiled programs have no place for it."""
    if is_read():
        raise UnsupportedError("a number of a masked array that is masked", fix="ask for it before")
    return np.ma.masked


def unary(cls, fn, a):
    """``np.ma.exp(a)``."""
    values, marks = values_of(a), marks_of(a)
    with np.errstate(divide="ignore", invalid="ignore"):
        result = fn(values)
    beyond = outside(fn, values)
    if beyond is not None:
        marks = either(np.logical_or(~np.isfinite(result), beyond), marks)
    if np.ndim(result) == 0:
        return number(result, marks)
    kept = result if marks is None else np.where(marks, values, result).astype(result.dtype)
    return cls(kept, mask_of(marks), fill_value=fill_of(a))


def binary(cls, fn, a, b):
    """``np.ma.multiply(a, b)``: the first operand where the result is masked."""
    x, y = values_of(a), values_of(b)
    with np.errstate(divide="ignore", invalid="ignore"):
        result = fn(x, y)
    marks = either(marks_of(a), marks_of(b))
    beyond = outside(fn, x, y)
    if beyond is not None:
        marks = either(np.logical_or(~np.isfinite(result), beyond), marks)
    if np.ndim(result) == 0:
        return number(result, marks)
    kept = result
    if marks is not None:
        marks = spread(marks, np.shape(result))
        kept = np.where(marks, x, result).astype(result.dtype)
    return cls(kept, mask_of(marks), fill_value=fill_of(a if isinstance(a, Masked) else b))


def compared(cls, fn, a, b):
    """A comparison of masked arrays: a masked array of booleans."""
    x, y = values_of(a), values_of(b)
    marks = either(marks_of(a), marks_of(b))
    result = fn(x, y)
    if np.ndim(result) == 0:
        return number(result, marks)
    if marks is not None:
        marks = spread(marks, np.shape(result))
        if fn in (np.equal, np.not_equal):
            result = np.where(marks, fn(full_marks(a), full_marks(b)), result)
    return cls(result, mask_of(marks))


def power(cls, a, b):
    """``np.ma.power(a, b)``, which masks what is not finite, and fills it."""
    x, y = values_of(a), values_of(b)
    marks = either(marks_of(a), marks_of(b))
    with np.errstate(divide="ignore", invalid="ignore"):
        result = np.power(x, y) if marks is None else np.where(marks, x, np.power(x, y))
    invalid = ~np.isfinite(result)
    if np.ndim(result) == 0:
        return number(result[()], either(marks, invalid))
    filled = np.where(invalid, default_fill(result) if fill_of(a) is None else fill_of(a), result)
    return cls(filled, either(marks, invalid), fill_value=fill_of(a))


def changed(a, fn, b):
    """The operand of ``a op= b``, neutral where the result is masked; ``a`` gets the mask of the result."""
    operand, marks = values_of(b), marks_of(b)
    neutral = 1 if fn in (np.multiply, np.divide) else 0
    beyond = outside(fn, a.values, operand)
    a.marks = either(a.marks, either(marks, beyond))
    return operand if a.marks is None else np.where(a.marks, neutral, operand)


def by_ufunc(cls, fn, *operands):
    """``np.sin(m)``: NumPy computes everywhere, and masks what was masked or is outside of the domain."""
    values = [values_of(a) for a in operands]
    result = fn(*values)
    marks = None
    for a in operands:
        marks = either(marks, full_marks(a))
    beyond = outside(fn, *values)
    if beyond is not None:
        marks = either(marks, beyond)
        result = np.where(beyond, fill_outside(fn), result).astype(result.dtype)
    if np.ndim(result) == 0:
        return number(result[()], marks)
    if len(operands) > 1:
        marks = spread(marks, np.shape(result))
    return cls(result, marks, fill_value=fill_of(operands[0]))


def fill_outside(fn):
    return 0.0 if fn in (np.sqrt, np.arcsin, np.arccos, np.arctanh, np.tan) else 1.0


def mask_of(marks):
    """The argument of a new masked array for such a mask."""
    return False if marks is None else marks


def fill_of(a):
    return a.fill if isinstance(a, Masked) else None


def default_fill(values):
    """What stands in the place of masked numbers, if nothing else was said."""
    kind = values.dtype.kind
    if kind == "b":
        return True
    if kind in "iu":
        return 999999
    return 1e20 + 0j if kind == "c" else 1e20
