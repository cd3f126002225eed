"""What are the functions of ``np.ma``, by what masked arrays and their ufuncs do?"""

from __future__ import annotations

import numpy as np

from ..standing import stands_always_for
from .masked_arrays import MaskedArray
from .masked_ufuncs import (
    Masked,
    binary,
    compared,
    either,
    full_marks,
    marks_of,
    power,
    unary,
    values_of,
)


def masked(a):
    return a if isinstance(a, Masked) else MaskedArray(a)


# ----- ufuncs
def of_one(fn):
    def call(a):
        return unary(MaskedArray, fn, a)

    return call


def of_two(fn):
    def call(a, b):
        return binary(MaskedArray, fn, a, b)

    return call


def comparison(fn):
    def call(a, b):
        return compared(MaskedArray, fn, masked(a), b)

    return call


def method(name):
    def call(a, *args, **kwargs):
        return getattr(masked(a), name)(*args, **kwargs)

    return call


for _name in (
    "exp conjugate sin cos tan arctan arcsinh sinh cosh tanh absolute fabs negative floor ceil sqrt log log2"
    " log10 arcsin arccos arccosh arctanh"
).split():
    stands_always_for(getattr(np.ma, _name))(of_one(getattr(np, _name)))
for (
    _name
) in "add subtract multiply divide floor_divide remainder fmod hypot arctan2 logical_and logical_or".split():
    stands_always_for(getattr(np.ma, _name))(of_two(getattr(np, _name)))
for _name in "equal not_equal less less_equal greater greater_equal".split():
    stands_always_for(getattr(np.ma, _name))(comparison(getattr(np, _name)))
for _name in (
    "sum prod mean var std max min ptp any all count cumsum cumprod compressed ravel transpose squeeze anom"
    " argmax argmin swapaxes repeat take copy trace diagonal round"
).split():
    if callable(getattr(np.ma, _name, None)):
        stands_always_for(getattr(np.ma, _name))(method(_name))


@stands_always_for(np.ma.power)
def ma_power(a, b):
    return power(MaskedArray, a, b)


@stands_always_for(np.ma.maximum)
def maximum(a, b=None):
    return (
        masked(a).max() if b is None else where(compared(MaskedArray, np.greater_equal, masked(a), b), a, b)
    )


@stands_always_for(np.ma.minimum)
def minimum(a, b=None):
    return masked(a).min() if b is None else where(compared(MaskedArray, np.less_equal, masked(a), b), a, b)


@stands_always_for(np.ma.clip)
def clip(a, a_min, a_max):
    return masked(a).clip(a_min, a_max)


@stands_always_for(np.ma.reshape)
def reshape(a, new_shape, order="C"):
    return masked(a).reshape(new_shape)


@stands_always_for(np.ma.dot)
def dot(a, b):
    return masked(a).dot(b)


# ----- making masked arrays
@stands_always_for(np.ma.array)
def array(
    data,
    dtype=None,
    copy=False,
    order=None,
    mask=np.ma.nomask,
    fill_value=None,
    keep_mask=True,
    ndmin=0,
    shrink=True,
):
    return MaskedArray(data, mask, dtype, copy, fill_value=fill_value, keep_mask=keep_mask, ndmin=ndmin)


@stands_always_for(np.ma.asarray, np.ma.asanyarray)
def asarray(a, dtype=None):
    return MaskedArray(a, dtype=dtype)


@stands_always_for(np.ma.masked_where)
def masked_where(condition, a, copy=True):
    chosen = condition.filled(True) if isinstance(condition, Masked) else np.asarray(condition, dtype=bool)
    values = np.array(values_of(a)) if copy else values_of(a)
    if np.ndim(chosen) and np.shape(chosen) != np.shape(values):
        raise IndexError("Inconsistent shape between the condition and the input")
    marks = np.logical_or(chosen, full_marks(a))
    return MaskedArray(values, marks, fill_value=a.fill if isinstance(a, Masked) else None)


@stands_always_for(np.ma.masked_invalid)
def masked_invalid(a, copy=True):
    return masked_where(~np.isfinite(values_of(a)), a, copy)


@stands_always_for(np.ma.masked_equal)
def masked_equal(x, value, copy=True):
    found = masked_where(values_of(x) == value, x, copy)
    found.fill = value
    return found


@stands_always_for(np.ma.masked_not_equal)
def masked_not_equal(x, value, copy=True):
    return masked_where(values_of(x) != value, x, copy)


@stands_always_for(np.ma.masked_less)
def masked_less(x, value, copy=True):
    return masked_where(values_of(x) < value, x, copy)


@stands_always_for(np.ma.masked_less_equal)
def masked_less_equal(x, value, copy=True):
    return masked_where(values_of(x) <= value, x, copy)


@stands_always_for(np.ma.masked_greater)
def masked_greater(x, value, copy=True):
    return masked_where(values_of(x) > value, x, copy)


@stands_always_for(np.ma.masked_greater_equal)
def masked_greater_equal(x, value, copy=True):
    return masked_where(values_of(x) >= value, x, copy)


@stands_always_for(np.ma.masked_inside)
def masked_inside(x, v1, v2, copy=True):
    low, high = (v2, v1) if v2 < v1 else (v1, v2)
    return masked_where((values_of(x) >= low) & (values_of(x) <= high), x, copy)


@stands_always_for(np.ma.masked_outside)
def masked_outside(x, v1, v2, copy=True):
    low, high = (v2, v1) if v2 < v1 else (v1, v2)
    return masked_where((values_of(x) < low) | (values_of(x) > high), x, copy)


@stands_always_for(np.ma.masked_values)
def masked_values(x, value, rtol=1e-5, atol=1e-8, copy=True, shrink=True):
    found = masked_where(np.isclose(values_of(x), value, atol=atol, rtol=rtol), x, copy)
    found.fill = value
    return found


@stands_always_for(np.ma.fix_invalid)
def fix_invalid(a, mask=np.ma.nomask, copy=True, fill_value=None):
    found = MaskedArray(a, mask, copy=copy)
    invalid = ~np.isfinite(found.values)
    fill = found.fill_value if fill_value is None else fill_value
    return MaskedArray(
        np.where(invalid, fill, found.values), either(found.marks, invalid), fill_value=found.fill
    )


@stands_always_for(np.ma.masked_all)
def masked_all(shape, dtype=float):
    return MaskedArray(np.empty(shape, dtype), np.ones(shape, bool))


@stands_always_for(np.ma.zeros)
def zeros(shape, dtype=float):
    return MaskedArray(np.zeros(shape, dtype))


@stands_always_for(np.ma.ones)
def ones(shape, dtype=float):
    return MaskedArray(np.ones(shape, dtype))


@stands_always_for(np.ma.empty)
def empty(shape, dtype=float):
    return MaskedArray(np.empty(shape, dtype))


@stands_always_for(np.ma.zeros_like)
def zeros_like(a):
    return MaskedArray(np.zeros_like(values_of(a)), full_marks(a))


@stands_always_for(np.ma.ones_like)
def ones_like(a):
    return MaskedArray(np.ones_like(values_of(a)), full_marks(a))


# ----- looking at them
@stands_always_for(np.ma.filled)
def filled(a, fill_value=None):
    return a.filled(fill_value) if isinstance(a, Masked) else np.asarray(a)


@stands_always_for(np.ma.getdata)
def getdata(a, subok=True):
    return values_of(a)


@stands_always_for(np.ma.getmask)
def getmask(a):
    return masked(a).mask


@stands_always_for(np.ma.getmaskarray)
def getmaskarray(arr):
    return full_marks(arr)


@stands_always_for(np.ma.isMaskedArray)
def is_masked_array(x):
    return isinstance(x, Masked)


@stands_always_for(np.ma.is_masked)
def is_masked(x):
    marks = marks_of(x)
    return False if marks is None else np.any(marks)


# ----- several of them
@stands_always_for(np.ma.where)
def where(condition, x, y):
    if isinstance(condition, Masked):
        chosen, unknown = condition.filled(False), full_marks(condition)
    else:
        chosen, unknown = np.asarray(condition, dtype=bool), None
    a, b = values_of_part(x), values_of_part(y)
    marks = np.where(chosen, marks_of_part(x), marks_of_part(y))
    return MaskedArray(np.where(chosen, a, b), marks if unknown is None else np.logical_or(marks, unknown))


def values_of_part(x):
    return np.zeros(()) if x is np.ma.masked else values_of(x)


def marks_of_part(x):
    return np.ones((), bool) if x is np.ma.masked else full_marks(x)


@stands_always_for(np.ma.concatenate)
def concatenate(arrays, axis=0):
    values = np.concatenate([values_of(a) for a in arrays], axis)
    return MaskedArray(values, np.concatenate([full_marks(a) for a in arrays], axis))


@stands_always_for(np.ma.stack)
def stack(arrays, axis=0):
    values = np.stack([values_of(a) for a in arrays], axis)
    return MaskedArray(values, np.stack([full_marks(a) for a in arrays], axis))


@stands_always_for(np.ma.vstack)
def vstack(tup):
    return MaskedArray(np.vstack([values_of(a) for a in tup]), np.vstack([full_marks(a) for a in tup]))


@stands_always_for(np.ma.hstack)
def hstack(tup):
    return MaskedArray(np.hstack([values_of(a) for a in tup]), np.hstack([full_marks(a) for a in tup]))


@stands_always_for(np.ma.average)
def average(a, axis=None, weights=None, returned=False, keepdims=False):
    x = masked(a)
    if weights is None:
        found = x.mean(axis, keepdims=keepdims)
        return (found, x.count(axis) * 1.0) if returned else found
    w = masked(weights)
    if np.shape(w.values) != np.shape(x.values):
        shape = [1] * np.ndim(x.values)
        shape[axis] = np.size(w.values)
        w = MaskedArray(np.broadcast_to(np.reshape(w.values, shape), np.shape(x.values)))
    known = MaskedArray(w.values, either(w.marks, x.marks)) if x.marks is not None else w
    total = known.sum(axis=axis, keepdims=keepdims)
    found = (x * known).sum(axis=axis, keepdims=keepdims) / total
    return (found, total) if returned else found


@stands_always_for(np.ma.median)
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    x = masked(a)
    if axis is None:
        return np.median(x.compressed())
    return MaskedArray(
        np.nanmedian(x.astype(float).filled(np.nan), axis=axis, keepdims=keepdims),
        np.all(full_marks(x), axis=axis, keepdims=keepdims),
    )


@stands_always_for(np.ma.diff)
def diff(a, n=1, axis=-1):
    x = masked(a)
    for _ in range(n):
        later, earlier = np.moveaxis(x.values, axis, 0)[1:], np.moveaxis(x.values, axis, 0)[:-1]
        marks = np.moveaxis(full_marks(x), axis, 0)
        values = np.moveaxis(later - earlier, 0, axis)
        x = MaskedArray(values, np.moveaxis(np.logical_or(marks[1:], marks[:-1]), 0, axis))
    return x
