"""What are the functions of ``np.ma`` that lay out elements anew? Those of NumPy, of values and of marks."""

from __future__ import annotations

import numpy as np

from ..standing import stands_always_for
from .masked_arrays import MaskedArray
from .masked_functions import masked, method
from .masked_ufuncs import full_marks, values_of


def of_array(fn):
    def call(a, *args, **kwargs):
        return MaskedArray(fn(values_of(a), *args, **kwargs), fn(full_marks(a), *args, **kwargs))

    return call


def of_several(fn):
    def call(tup):
        return MaskedArray(fn([values_of(a) for a in tup]), fn([full_marks(a) for a in tup]))

    return call


def of_each(fn):
    one = of_array(fn)

    def call(*arys):
        return one(arys[0]) if len(arys) == 1 else [one(a) for a in arys]

    return call


for _fn in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
    stands_always_for(getattr(np.ma, _fn.__name__))(of_each(_fn))
stands_always_for(np.ma.diag)(of_array(np.diag))
for _name in ("column_stack", "dstack"):
    stands_always_for(getattr(np.ma, _name))(of_several(getattr(np, _name)))
for _name, _method in {"around": "round", "product": "prod"}.items():
    stands_always_for(getattr(np.ma, _name))(method(_method))


@stands_always_for(np.ma.append)
def append(a, b, axis=None):
    values = np.append(values_of(a), values_of(b), axis)
    return MaskedArray(values, np.append(full_marks(a), full_marks(b), axis))


@stands_always_for(np.ma.shape)
def shape(obj):
    return np.shape(values_of(obj))


@stands_always_for(np.ma.ndim)
def ndim(obj):
    return np.ndim(values_of(obj))


@stands_always_for(np.ma.size)
def size(obj, axis=None):
    return np.size(values_of(obj), axis)


@stands_always_for(np.ma.empty_like)
def empty_like(prototype):
    x = masked(prototype)
    return MaskedArray(np.empty_like(x.values), np.array(full_marks(x)))
