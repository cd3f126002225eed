"""What is a masked array? A pair of arrays: its values, and a mask of where they mean nothing."""

from __future__ import annotations

import numpy as np

from ..standing import stands_always_for
from .masked_ufuncs import (
    Masked,
    binary,
    by_ufunc,
    changed,
    compared,
    default_fill,
    either,
    fill_of,
    full_marks,
    marks_of,
    number,
    power,
    unary,
    values_of,
)

BY_METHOD = (
    "sum prod product mean std var max amax min amin ptp argmax argmin argsort any all cumsum cumprod reshape"
    " ravel transpose squeeze swapaxes round around clip copy repeat take compress diagonal trace dot"
).split()


KEEPING = ("dot", "inner", "kron", "solve", "inv")  # functions without marks that give masked arrays


def marked(operands):
    """Whether any element of the masked arrays among operands, and in lists of them, is masked."""
    for a in operands:
        if isinstance(a, (list, tuple)):
            if marked(a):
                return True
        elif isinstance(a, Masked) and np.any(full_marks(a)):
            return True
    return False


def unmasked(a):
    """The values of an operand without marks, and of those in a list."""
    if isinstance(a, (list, tuple)):
        return [unmasked(part) for part in a]
    return values_of(a) if isinstance(a, Masked) else a


PLAYS = (np.ma.MaskedArray,)  # while a function is traced, the name alone means another class


@stands_always_for(np.ma.MaskedArray)
class MaskedArray(Masked):
    """An array some of whose elements mean nothing."""

    __array_priority__ = 15

    def __init__(
        self,
        data=None,
        mask=np.ma.nomask,
        dtype=None,
        copy=False,
        subok=True,
        ndmin=0,
        fill_value=None,
        keep_mask=True,
        hard_mask=None,
        shrink=True,
        order=None,
    ):
        if hard_mask:
            raise NotImplementedError("a hard mask is not followed")
        values = np.array(values_of(data), dtype=dtype) if copy else np.asarray(values_of(data), dtype=dtype)
        own = marks_of(data)
        if mask is np.ma.nomask:
            given = own
        else:
            if mask is True or mask is False:
                given = np.full(np.shape(values), mask)
            else:
                given = np.asarray(values_of(mask), dtype=bool)
                if given.ndim == 0:
                    given = np.full(np.shape(values), bool(given))
                else:
                    given = np.reshape(given, np.shape(values))
            if keep_mask:
                given = either(own, given)
        if ndmin > np.ndim(values):
            values = np.reshape(values, (1,) * (ndmin - np.ndim(values)) + np.shape(values))
        self.values = values
        self.marks = given
        self.fill = fill_of(data) if fill_value is None else fill_value

    # ----- what it is
    @property  # type: ignore[misc]
    def __class__(self):
        return PLAYS[0]

    @property
    def data(self):
        return self.values

    @property
    def _data(self):
        return self.values

    @property
    def mask(self):
        return np.ma.nomask if self.marks is None else self.marks

    @mask.setter
    def mask(self, value):
        if value is np.ma.nomask:
            self.marks = None
        else:
            self.marks = np.array(np.broadcast_to(value, np.shape(self.values)), dtype=bool)

    @property
    def _mask(self):
        return self.mask

    @property
    def fill_value(self):
        return default_fill(self.values) if self.fill is None else self.fill

    @fill_value.setter
    def fill_value(self, value):
        self.fill = value

    @property
    def shape(self):
        return self.values.shape

    @property
    def ndim(self):
        return self.values.ndim

    @property
    def size(self):
        return self.values.size

    @property
    def dtype(self):
        return self.values.dtype

    @property
    def T(self):
        return self.same(lambda a: a.T)

    @property
    def real(self):
        return self.same(lambda a: a.real) if self.values.dtype.kind == "c" else self

    def same(self, function):
        """The same of the values and of the mask, as of a move of the elements."""
        found = function(self.values)
        if np.ndim(found) == 0:
            return number(found, None if self.marks is None else function(self.marks))
        mask = np.ma.nomask if self.marks is None else function(self.marks)
        return MaskedArray(found, mask, fill_value=self.fill)

    def filled(self, fill_value=None):
        if self.marks is None:
            return self.values
        return np.where(self.marks, self.fill_value if fill_value is None else fill_value, self.values)

    def compressed(self):
        flat = np.ravel(self.values)
        return flat if self.marks is None else flat[~np.ravel(self.marks)]

    def count(self, axis=None, keepdims=False):
        return np.sum(~full_marks(self), axis=axis, keepdims=keepdims)

    def copy(self, order="C"):
        return self.same(lambda a: a.copy())

    def astype(self, dtype):
        mask = np.ma.nomask if self.marks is None else self.marks.copy()
        return MaskedArray(self.values.astype(dtype), mask, fill_value=self.fill)

    def reshape(self, *shape):
        given = shape[0] if len(shape) == 1 else shape
        return self.same(lambda a: np.reshape(a, given))

    def ravel(self):
        return self.same(np.ravel)

    def flatten(self):
        return self.copy().ravel()

    def transpose(self, *axes):
        return self.same(lambda a: a.transpose(*axes))

    def squeeze(self, axis=None):
        return self.same(lambda a: np.squeeze(a, axis))

    def swapaxes(self, a, b):
        return self.same(lambda x: np.swapaxes(x, a, b))

    def repeat(self, repeats, axis=None):
        return self.same(lambda a: np.repeat(a, repeats, axis))

    def take(self, indices, axis=None):
        return self.same(lambda a: np.take(a, indices, axis))

    def compress(self, condition, axis=None):
        return self.same(lambda a: np.compress(condition, a, axis))

    def diagonal(self, offset=0, axis1=0, axis2=1):
        return self.same(lambda a: np.diagonal(a, offset, axis1, axis2))

    # ----- items
    def __len__(self):
        return len(self.values)

    def __iter__(self):
        for i in range(len(self.values)):
            yield self[i]

    def __getitem__(self, index):
        place = index.values if isinstance(index, Masked) else index
        return self.same(lambda a: a[place])

    def __setitem__(self, index, value):
        place = index.values if isinstance(index, Masked) else index
        if value is np.ma.masked:
            if self.marks is None:
                self.marks = np.zeros(np.shape(self.values), bool)
            self.marks[place] = True
        else:
            marks = marks_of(value)
            self.values[place] = values_of(value) if isinstance(value, Masked) else value
            if self.marks is None and marks is not None:
                self.marks = np.zeros(np.shape(self.values), bool)
            if self.marks is not None and (not isinstance(index, Masked) or isinstance(value, Masked)):
                self.marks[place] = False if marks is None else marks

    # ----- sums over elements that are not masked
    def over(self, fn, neutral, axis, keepdims, **options):
        """A reduction to which masked elements give what changes nothing."""
        found = fn(self.filled(neutral), axis=axis, keepdims=keepdims, **options)
        if np.ndim(found) == 0:
            return number(found, None if self.marks is None else np.all(self.marks))
        mask = np.ma.nomask if self.marks is None else np.all(self.marks, axis=axis, keepdims=keepdims)
        return MaskedArray(found, mask, fill_value=self.fill)

    def sum(self, axis=None, dtype=None, out=None, keepdims=False):
        return self.over(np.sum, 0, axis, keepdims, dtype=dtype)

    def prod(self, axis=None, dtype=None, out=None, keepdims=False):
        return self.over(np.prod, 1, axis, keepdims, dtype=dtype)

    def any(self, axis=None, out=None, keepdims=False):
        return self.over(np.any, False, axis, keepdims)

    def all(self, axis=None, out=None, keepdims=False):
        return self.over(np.all, True, axis, keepdims)

    def max(self, axis=None, out=None, fill_value=None, keepdims=False):
        return self.extremum(np.max, -np.inf if fill_value is None else fill_value, axis, keepdims)

    def min(self, axis=None, out=None, fill_value=None, keepdims=False):
        return self.extremum(np.min, np.inf if fill_value is None else fill_value, axis, keepdims)

    def extremum(self, fn, neutral, axis, keepdims):
        found = self.over(fn, neutral, axis, keepdims)
        if not isinstance(found, Masked) or found.marks is None:
            return found
        kept = np.where(found.marks, found.fill_value, found.values)
        return MaskedArray(kept, found.marks, fill_value=self.fill)

    def ptp(self, axis=None, out=None, fill_value=None, keepdims=False):
        return self.max(axis, keepdims=keepdims) - self.min(axis, keepdims=keepdims)

    def argmax(self, axis=None):
        return np.argmax(self.filled(-np.inf), axis=axis)

    def argmin(self, axis=None):
        return np.argmin(self.filled(np.inf), axis=axis)

    def mean(self, axis=None, dtype=None, out=None, keepdims=False):
        if self.marks is None:
            return self.over(np.mean, 0, axis, keepdims, dtype=dtype)
        total = self.sum(axis=axis, dtype=dtype, keepdims=keepdims)
        count = self.count(axis=axis, keepdims=keepdims)
        return binary(MaskedArray, np.divide, total * 1.0, count) if np.ndim(count) else total * 1.0 / count

    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        if self.marks is None:
            return self.over(np.var, 0, axis, keepdims, dtype=dtype, ddof=ddof)
        count = self.count(axis=axis, keepdims=keepdims) - ddof
        apart = self - self.mean(axis, dtype, keepdims=True)
        squares = (apart * np.conj(apart.values)).real if self.values.dtype.kind == "c" else apart * apart
        found = binary(MaskedArray, np.divide, squares.sum(axis, keepdims=keepdims), count)
        if not isinstance(found, Masked):
            return found
        mask = np.logical_or(np.all(self.marks, axis=axis, keepdims=keepdims), count <= 0)
        return MaskedArray(found.values, mask, fill_value=self.fill)

    def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        return unary(MaskedArray, np.sqrt, self.var(axis, dtype, out, ddof, keepdims))

    def anom(self, axis=None, dtype=None):
        mean = self.mean(axis, dtype)
        return self - (mean if axis is None else mean.same(lambda a: np.expand_dims(a, axis)))

    def cumsum(self, axis=None, dtype=None, out=None):
        mask = np.ma.nomask if self.marks is None else self.marks.copy()
        if axis is None and self.marks is not None:
            mask = np.ravel(self.marks).copy()
        return MaskedArray(np.cumsum(self.filled(0), axis=axis, dtype=dtype), mask)

    def cumprod(self, axis=None, dtype=None, out=None):
        mask = np.ma.nomask if self.marks is None else self.marks.copy()
        if axis is None and self.marks is not None:
            mask = np.ravel(self.marks).copy()
        return MaskedArray(np.cumprod(self.filled(1), axis=axis, dtype=dtype), mask)

    def round(self, decimals=0, out=None):
        mask = np.ma.nomask if self.marks is None else self.marks
        return MaskedArray(np.round(self.values, decimals), mask, fill_value=self.fill)

    def clip(self, min=None, max=None):
        mask = np.ma.nomask if self.marks is None else self.marks
        return MaskedArray(np.clip(self.values, min, max), mask, fill_value=self.fill)

    def trace(self, offset=0, axis1=0, axis2=1):
        return self.diagonal(offset, axis1, axis2).filled(0).sum(axis=-1)

    def dot(self, b, out=None):
        known = np.dot((~full_marks(self)).astype(int), (~full_marks(b)).astype(int))
        found = np.dot(self.filled(0), b.filled(0) if isinstance(b, Masked) else values_of(b))
        return number(found, known == 0) if np.ndim(found) == 0 else MaskedArray(found, known == 0)

    # ----- operators
    def __add__(self, other):
        return binary(MaskedArray, np.add, self, other)

    def __radd__(self, other):
        return binary(MaskedArray, np.add, other, self)

    def __sub__(self, other):
        return binary(MaskedArray, np.subtract, self, other)

    def __rsub__(self, other):
        return binary(MaskedArray, np.subtract, other, self)

    def __mul__(self, other):
        return binary(MaskedArray, np.multiply, self, other)

    def __rmul__(self, other):
        return binary(MaskedArray, np.multiply, other, self)

    def __truediv__(self, other):
        return binary(MaskedArray, np.divide, self, other)

    def __rtruediv__(self, other):
        return binary(MaskedArray, np.divide, other, self)

    def __floordiv__(self, other):
        return binary(MaskedArray, np.floor_divide, self, other)

    def __rfloordiv__(self, other):
        return binary(MaskedArray, np.floor_divide, other, self)

    def __mod__(self, other):
        return binary(MaskedArray, np.remainder, self, other)

    def __pow__(self, other):
        return power(MaskedArray, self, other)

    def __rpow__(self, other):
        return power(MaskedArray, other, self)

    def __neg__(self):
        return by_ufunc(MaskedArray, np.negative, self)

    def __abs__(self):
        return by_ufunc(MaskedArray, np.absolute, self)

    def __invert__(self):
        return by_ufunc(MaskedArray, np.invert, self)

    def __and__(self, other):
        return by_ufunc(MaskedArray, np.bitwise_and, self, other)

    def __or__(self, other):
        return by_ufunc(MaskedArray, np.bitwise_or, self, other)

    def __iadd__(self, other):
        self.values += changed(self, np.add, other)
        return self

    def __isub__(self, other):
        self.values -= changed(self, np.subtract, other)
        return self

    def __imul__(self, other):
        self.values *= changed(self, np.multiply, other)
        return self

    def __itruediv__(self, other):
        self.values /= changed(self, np.divide, other)
        return self

    def __eq__(self, other):
        return compared(MaskedArray, np.equal, self, other)

    def __ne__(self, other):
        return compared(MaskedArray, np.not_equal, self, other)

    def __lt__(self, other):
        return compared(MaskedArray, np.less, self, other)

    def __le__(self, other):
        return compared(MaskedArray, np.less_equal, self, other)

    def __gt__(self, other):
        return compared(MaskedArray, np.greater, self, other)

    def __ge__(self, other):
        return compared(MaskedArray, np.greater_equal, self, other)

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != "__call__" or kwargs:
            return NotImplemented
        return by_ufunc(MaskedArray, ufunc, *inputs)

    def __array_function__(self, func, types, args, kwargs):
        if func.__name__ not in BY_METHOD or len(args) == 0 or not isinstance(args[0], Masked):
            if marked((*args, *kwargs.values())):  # what NumPy's functions do with marks is none of a rule
                return NotImplemented
            found = func(*map(unmasked, args), **{name: unmasked(value) for name, value in kwargs.items()})
            return MaskedArray(found) if func.__name__ in KEEPING and np.ndim(found) > 0 else found
        name = {"amax": "max", "amin": "min", "around": "round"}.get(func.__name__, func.__name__)
        return getattr(args[0], name)(*args[1:], **kwargs)
