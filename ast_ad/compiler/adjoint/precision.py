"""Which dtype has a contribution to a cotangent, and to which is it converted before it is added?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..ir.alternatives import alternatives, one_of
from ..ir.ops import Arg, Lit, Seq, Var
from ..ir.types import (
    Array,
    DictOf,
    ListOf,
    Scalar,
    TupleOf,
    Type,
    carries_derivative,
    dtype_of,
    is_single,
    kind_of,
)


def is_constant_of_pythons(bar: Arg) -> bool:
    """Whether a contribution is a constant of Python's, which takes on the precision of what it meets."""
    return not isinstance(bar, Var) and not (isinstance(bar, Lit) and isinstance(bar.value, np.generic))


def as_constant(bar: Lit, dtype: np.dtype) -> Lit:
    """A constant of NumPy's, of the dtype."""
    return Lit(dtype.type(bar.value))


def wanted(have: Type, type: Type) -> np.dtype | None:
    """The dtype to which a contribution is to be converted; None if it is that of its value already.

    What is of one of several dtypes may be as wide as any of them. A number of Python's may be NumPy's.
    """
    want = _dtype(type)
    if want is None or _dtype(have) is None and not (isinstance(have, Scalar) and is_single(want)):
        return None
    return want if carries_derivative(have) and _dtypes(have) - _dtypes(type) - {want} else None


def wanted_within(have: Type, type: Type) -> Arg:
    """The dtypes to which the items of a contribution are to be converted: see ``of_dtypes``."""
    if isinstance(have, (ListOf, DictOf)) and isinstance(type, (ListOf, DictOf)):
        return wanted_within(have.element, type.element)
    if isinstance(have, TupleOf) and isinstance(type, TupleOf) and len(have.items) == len(type.items):
        return Seq(tuple(map(wanted_within, have.items, type.items)))
    numbers = isinstance(have, (Scalar, Array)) and isinstance(type, (Scalar, Array))
    return Lit(wanted(have, type) if numbers else None)


def _dtype(type: Type) -> np.dtype | None:
    """The dtype of what has one: arrays and NumPy's scalars."""
    return None if isinstance(type, Scalar) and type.dtype is None else dtype_of(type)


def _dtypes(type: Type) -> set[np.dtype | None]:
    """The dtypes that a value of the type may have: more than one where that depends on the path taken."""
    return {dtype_of(each) for each in alternatives(type)}


def item_of(whole: Type) -> Type:
    """The part of a type that tells the dtype of each item of a cotangent."""
    return whole.element if isinstance(whole, ListOf) else whole


def as_held(own: Type, held: Type) -> Type:
    """The type of a cotangent of the type ``own`` that is taken out of a whole, whose items are as ``held``.

    It has the rank of its own, but the dtypes that the whole has. What belongs to a list, written out or of
    a length known at run time, is a row of an array where the whole is one.
    """
    if isinstance(own, (TupleOf, ListOf)) and isinstance(held, Array):
        return replace(held, shape=None if held.shape is None else held.shape[1:], among=frozenset())
    if isinstance(own, TupleOf) and isinstance(held, TupleOf) and len(own.items) == len(held.items):
        return replace(own, items=tuple(map(as_held, own.items, held.items)))
    if isinstance(own, ListOf) and isinstance(held, ListOf):
        return ListOf(as_held(own.element, held.element))
    if not isinstance(own, (Scalar, Array)) or not isinstance(held, (Scalar, Array)):
        return own
    if not carries_derivative(own) or not carries_derivative(held):
        return own
    if isinstance(own, Scalar) and isinstance(held, Scalar):
        return held
    dtype, kind = dtype_of(held), kind_of(held)
    if isinstance(own, Array):
        dtypes = {d for d in map(dtype_of, alternatives(held)) if d is not None}
        assert dtype is not None
        return one_of(replace(own, dtype=dtype), [replace(own, dtype=d, among=frozenset()) for d in dtypes])
    numbers = [Scalar(kind_of(one), one.dtype) for one in alternatives(held)]  # type: ignore[union-attr]
    return one_of(Scalar(kind, dtype), numbers)
