"""What is a structured array? An array for each of its fields; an item of it leads to the items of these.

NumPy's own stands in one block of memory, of which each field is a view: nothing but the bytes tells the two
apart, and what shows those (``view``, ``tobytes``) is not followed.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from ..numpy.gather import refuse
from ..standing import is_read
from ..structured import classes, makers, makers_alike, noted

PLAIN = (np.empty,)  # while a function is traced, the name alone makes what is defined here
READS = ("tolist", "tobytes", "astype", "argsort", "searchsorted", "nbytes", "itemsize")


class Records:
    """A structured array: arrays by name, all of them with the same first axes."""

    __ast_ad_plays__ = np.ndarray  # what it is an instance of

    def __init__(self, fields, dtype, ndim):
        self.fields = fields
        self.dtype = dtype
        self.ndim = ndim
        if not is_read() and noted.made is not None:
            noted.made.append(weakref.ref(self))

    @property  # type: ignore[misc]
    def __class__(self):
        return self.__ast_ad_plays__

    @property
    def shape(self):
        return np.shape(self.fields[self.dtype.names[0]])[: self.ndim]

    @property
    def size(self):
        return int(np.prod(self.shape))

    def __eq__(self, other):
        not_compared()

    def __ne__(self, other):
        not_compared()

    def __bool__(self):
        not_compared()

    def __len__(self):
        return len(self.fields[self.dtype.names[0]])

    def __iter__(self):
        for i in range(len(self)):
            yield self[i]

    def __getitem__(self, key):
        if isinstance(key, str):
            return self.fields[key]
        if isinstance(key, list) and len(key) > 0 and isinstance(key[0], str):
            return Records({name: self.fields[name] for name in key}, self.dtype[key], self.ndim)
        if is_whole(key, self.ndim):
            return Record(self.fields, self.dtype, key)
        if isinstance(key, tuple) or key is Ellipsis or key is None or self.ndim != 1:
            refuse("this index of a structured array", "it is not followed", "take the field first")
        return Records({name: self.fields[name][key] for name in self.dtype.names}, self.dtype, self.ndim)

    def __setitem__(self, key, value):
        if isinstance(key, str):
            if value is not self.fields[key]:  # else it was changed in place
                self.fields[key][...] = value
        elif isinstance(value, (Records, Record)):
            for name, other in zip(self.dtype.names, value.dtype.names, strict=True):
                self.fields[name][key] = value[other]
        elif isinstance(value, tuple):
            for name, part in zip(self.dtype.names, value, strict=True):
                self.fields[name][key] = part
        elif isinstance(value, (int, float)):
            for name in self.dtype.names:
                self.fields[name][key] = value
        else:
            refuse("a store of this value into a structured array", "it is not followed", "store a tuple")

    def copy(self):
        return Records({name: np.copy(self.fields[name]) for name in self.dtype.names}, self.dtype, self.ndim)

    def __array__(self, dtype=None, copy=None):
        """The array itself, for what takes no other; in a trace, of constants."""
        if is_read():
            refuse(
                "a structured array as an operand", "an array for each field stands for it", "use its fields"
            )
        whole = PLAIN[0](self.shape, self.dtype)
        for name in self.dtype.names:
            whole[name] = self.fields[name]
        return whole

    def __getattr__(self, name):
        if name not in READS:
            if name.startswith("__") or name in ("fields", "dtype", "ndim"):
                raise AttributeError(name)
            refuse(f"`{name}` of a structured array", "it is not followed", "use its fields")
        return getattr(self.__array__(), name)


class Record:
    """An item of a structured array, which shows what that holds."""

    __ast_ad_plays__ = np.void

    def __init__(self, fields, dtype, index):
        self.fields = fields
        self.dtype = dtype
        self.index = index
        if not is_read() and noted.made is not None:
            noted.made.append(weakref.ref(self))

    @property  # type: ignore[misc]
    def __class__(self):
        return self.__ast_ad_plays__

    def __eq__(self, other):
        not_compared()

    def __ne__(self, other):
        not_compared()

    def __bool__(self):
        not_compared()

    def name(self, key):
        return key if isinstance(key, str) else self.dtype.names[key]

    def __len__(self):
        return len(self.dtype.names)

    def __iter__(self):
        for name in self.dtype.names:
            yield self.fields[name][self.index]

    def __getitem__(self, key):
        return self.fields[self.name(key)][self.index]

    def __setitem__(self, key, value):
        self.fields[self.name(key)][self.index] = value

    def item(self):
        return tuple([self.fields[name][self.index] for name in self.dtype.names])

    def copy(self):
        return Record({name: np.copy(self.fields[name]) for name in self.dtype.names}, self.dtype, self.index)


def not_compared():
    refuse(
        "a comparison of a structured array, or an item of one", "it is not followed", "compare the fields"
    )


def is_whole(key, ndim):
    """Whether an index is that of one item.

    >>> is_whole(3, 1), is_whole((0, 1), 2), is_whole(slice(2), 1)
    (True, True, False)
    """
    if ndim == 1:
        return isinstance(key, (int, np.integer))
    return (
        isinstance(key, tuple) and len(key) == ndim and all([isinstance(k, (int, np.integer)) for k in key])
    )


# ----- what makes them


def filled(make, shape, dtype):
    """``make(shape, dtype)`` of each field."""
    lengths = shape if isinstance(shape, (tuple, list)) else (shape,)
    if len(lengths) == 0:
        refuse("a structured array without axes", "it is not followed", "give it one of length 1")
    fields = {name: make((*lengths, *dtype[name].shape), of_numbers(dtype[name])) for name in dtype.names}
    return Records(fields, dtype, len(lengths))


def of_numbers(dtype):
    """The dtype of the numbers in a field."""
    if dtype.base.names is not None:
        refuse("a structured array in a structured array", "it is not followed", "use two of them")
    return dtype.base


def of_rows(rows, dtype):
    """``np.array(rows, dtype)`` of a list of tuples."""
    if isinstance(rows, Records):
        return rows.copy()
    if not isinstance(rows, list):
        refuse("a structured array of this value", "it is not followed", "give a list of tuples")
    fields = {
        name: np.array([row[j] for row in rows], of_numbers(dtype[name]))
        for j, name in enumerate(dtype.names)
    }
    return Records(fields, dtype, 1)


def zeros(shape, dtype):
    return filled(np.zeros, shape, dtype)


def ones(shape, dtype):
    return filled(np.ones, shape, dtype)


def empty(shape, dtype):
    return filled(np.empty, shape, dtype)


def zeros_like(a, dtype):
    return filled(np.zeros, a.shape, dtype)


def ones_like(a, dtype):
    return filled(np.ones, a.shape, dtype)


def empty_like(a, dtype):
    return filled(np.empty, a.shape, dtype)


made: tuple[Any, ...] = np.zeros, np.ones, np.empty, np.array
makers.update(zip(made, (zeros, ones, empty, of_rows), strict=True))
alike = np.zeros_like, np.ones_like, np.empty_like, np.copy
makers_alike.update(zip(alike, (zeros_like, ones_like, empty_like, of_rows), strict=True))
classes.append(Records)
