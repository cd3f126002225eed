"""What do ``a op= b`` and ``a[i] = b`` do, where it is known at run time only whether ``a`` is an array?"""

from __future__ import annotations

from typing import Any

import numpy as np

from .helpers import METADATA, astype
from .registry import composite, nondifferentiable, vjp


def fitting(new: Any, old: Any) -> Any:
    """``new``, which ``old op= value`` leaves: an array keeps its shape, a number has none to keep.

    >>> fitting(2.0, 1.0), fitting(np.float64(2.0), np.ones(()))
    (2.0, array(2.))

    Raises
    ------
    ValueError
        as NumPy, where the result has not the array's shape.
    """
    if not isinstance(old, np.ndarray):
        return new
    if np.shape(new) != old.shape:
        kept, wide = shown(old.shape), shown(np.shape(new))
        raise ValueError(
            f"non-broadcastable output operand with shape {kept} doesn't match the broadcast shape {wide}"
        )
    return np.asarray(new)


def shown(shape: tuple[int, ...]) -> str:
    """A shape as NumPy's messages have it."""
    return f"({','.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


@vjp(fitting)
def fitting_rule(g, ans, new, old):
    return g, None


def real_as_stored(x: Any, dtype: Any) -> Any:
    """A complex number as an array of real ones takes it: NumPy's with a warning, Python's not at all.

    >>> real_as_stored(1j, np.float64)
    Traceback (most recent call last):
    TypeError: float() argument must be a string or a real number, not 'complex'
    """
    return astype(x if isinstance(x, np.generic) else float(x), dtype)


@composite(real_as_stored)
def real_as_stored_rule(x, dtype):
    return astype(x, dtype)


def copy_as_it_lies(x: Any) -> Any:
    """A copy whose axes run in memory as those of ``x``, backwards ones too: NumPy sums in that order.

    >>> copy_as_it_lies(np.arange(3.0)[::-1]).strides
    (-8,)
    """
    turn = tuple(slice(None, None, -1 if step < 0 else 1) for step in x.strides)
    return np.copy(x[turn])[turn]


@vjp(copy_as_it_lies)
def copy_as_it_lies_rule(g, ans, x):
    return g


def is_array(x: Any) -> bool:
    """Whether it is an array, without axes too, which is written to; a number is not.

    >>> is_array(np.ones(())), is_array(np.float64(1.0)), is_array(1.0)
    (True, False, False)
    """
    return isinstance(x, np.ndarray)


def writable(x: Any) -> Any:
    """``x``, which has to be an array: of a number no item can be assigned.

    >>> writable(np.ones(2))
    array([1., 1.])
    """
    if not isinstance(x, np.ndarray):
        name = f"numpy.{type(x).__name__}" if isinstance(x, np.generic) else type(x).__name__
        raise TypeError(f"'{name}' object does not support item assignment")
    return x


@vjp(writable)
def writable_rule(g, ans, x):
    return g


nondifferentiable(is_array)
METADATA[fitting] = 1
