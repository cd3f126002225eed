"""Which operations do rules and generated code need that NumPy does not offer as one pure function?

Each is a plain NumPy function and a registered primitive with its own rule, so a program that uses them can
be differentiated again. None changes an argument.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import not_one_number
from .registry import nondifferentiable, vjp

# ----- writes as pure functions -----


def setitem(a: Any, idx: Any, v: Any) -> Any:
    """A copy of ``a`` with ``a[idx] = v``.

    >>> setitem(np.zeros(3), 1, 5.0)
    array([0., 5., 0.])
    """
    out = np.array(a)
    out[idx] = v
    return out


def add_at(a: Any, idx: Any, v: Any) -> Any:
    """A copy of ``a`` with ``v`` added at ``idx``; an index that occurs twice counts twice.

    >>> add_at(np.zeros(3), [1, 1], 5.0)
    array([ 0., 10.,  0.])
    """
    out = np.array(a)
    if may_repeat(idx):
        np.add.at(out, idx, v)
    else:
        out[idx] += v
    return out


def scatter(x: Any, idx: Any, g: Any) -> Any:
    """Zeros of ``x``'s shape with ``g`` added at ``idx``: the adjoint of ``x[idx]``. Reads the shape only.

    >>> scatter(np.ones(3), [0, 0, 2], np.array([1.0, 2.0, 3.0]))
    array([3., 0., 3.])
    """
    if isinstance(x, np.ndarray) and getattr(g, "dtype", None) is x.dtype:  # the usual case, without detours
        out = np.zeros(x.shape, x.dtype)
    else:
        out = np.zeros(np.shape(x), np.result_type(x, g))
    if may_repeat(idx):
        np.add.at(out, idx, g)
    else:
        out[idx] = g
    return out


def written(g: Any, idx: Any) -> Any:
    """The part of ``g`` that flows to ``v`` in ``a[idx] = v``: ``g[idx]``, but 0 where a later entry of
    ``idx`` wrote to the same place.

    >>> written(np.array([1.0, 2.0]), [0, 0, 1])
    array([0., 1., 2.])
    """
    value = np.asarray(g)[idx]
    if not may_repeat(idx):
        return value
    order = np.arange(value.size).reshape(value.shape)
    last = np.empty(np.shape(g), order.dtype)  # read where it was written to
    last[idx] = order
    return np.where(last[idx] == order, value, 0)


def reserve(a: Any, length: int) -> Any:
    """``a`` with room for ``length`` rows at least: itself, or its rows and new ones of no certain value.

    >>> len(reserve(np.zeros((3, 2)), 4))
    6
    """
    if length <= len(a):
        return a
    out = np.empty((max(length, 2 * len(a)), *a.shape[1:]), a.dtype)
    out[: len(a)] = a
    return out


def may_repeat(idx: Any) -> bool:
    """Whether an index can name one element twice: whether it holds integer arrays or lists.

    >>> may_repeat((0, slice(None))), may_repeat([0, 0])
    (False, True)
    """
    parts = idx if isinstance(idx, tuple) else (idx,)
    for part in parts:
        if isinstance(part, (int, slice, type(None), type(Ellipsis))):
            continue
        if np.ndim(part) > 0 and np.asarray(part).dtype != bool:
            return True
    return False


@vjp(setitem)
def setitem_rule(g, ans, a, idx, v):
    return setitem(g, idx, 0), None, unbroadcast(written(g, idx), v)


@vjp(add_at)
def add_at_rule(g, ans, a, idx, v):
    return g, None, unbroadcast(g[idx], v)


@vjp(scatter)
def scatter_rule(g, ans, x, idx, v):
    return None, None, unbroadcast(g[idx], v)


@vjp(written, view=True)
def written_rule(g, ans, x, idx):
    return setitem(np.zeros_like(x), idx, g), None


@vjp(reserve)
def reserve_rule(g, ans, a, length):
    return g[: np.shape(a)[0]], None


# ----- shapes -----


def unbroadcast(g: Any, x: Any) -> Any:
    """``g`` summed down to ``x``'s shape; ``g`` itself where the shapes agree. Reads ``x``'s shape only.

    What is written to an array may have more axes than it, of length 1.

    >>> unbroadcast(np.ones((2, 3)), np.zeros((2, 1)))
    array([[3.],
           [3.]])
    """
    shape, wide = np.shape(x), np.shape(g)
    if wide == shape:
        number = not shape and isinstance(g, np.ndarray) and not isinstance(x, np.ndarray)
        return g[()] if number else g  # no array, which other names may share, where a number is promised
    extra = len(wide) - len(shape)
    both = range(max(-extra, 0), len(shape))
    stretched = tuple(extra + i for i in both if shape[i] == 1 and wide[extra + i] != 1)
    summed = np.sum(g, axis=tuple(range(extra)) + stretched)
    return np.reshape(summed, shape) if shape else summed


def broadcast_like(g: Any, x: Any) -> Any:
    """``g`` stretched to ``x``'s shape, as a read-only view. Reads ``x``'s shape only.

    >>> broadcast_like(2.0, np.zeros(3))
    array([2., 2., 2.])
    """
    shape = x.shape if isinstance(x, np.ndarray) else np.shape(x)
    if isinstance(g, (np.ndarray, np.generic)) and not g.ndim:
        out = np.ndarray(shape, g.dtype, np.asarray(g), 0, (0,) * len(shape))  # broadcast_to, 4 times as fast
        out.flags.writeable = False
        return out
    return np.broadcast_to(_of_precision(g, x), shape)


def _of_precision(g: Any, x: Any) -> Any:
    """A number of Python's as an array of ``x``'s precision, as in arithmetic; else ``g`` itself."""
    if type(g) in (float, int, complex) and isinstance(x, (np.ndarray, np.generic)):
        return np.asarray(g, np.result_type(g, x.dtype))
    return g


def expand_reduced(g: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The result ``g`` of a reduction of ``x`` over ``axis``, the reduced axes put back with length 1.

    >>> expand_reduced(np.ones(2), np.ones((2, 3)), 1, False).shape
    (2, 1)
    """
    if keepdims:
        return g
    ndim = np.ndim(x)
    axes = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    reduced = {a % ndim for a in axes} if ndim else set()
    return np.reshape(_of_precision(g, x), tuple(1 if i in reduced else n for i, n in enumerate(np.shape(x))))


_NOTHING = bytes(64)


def hollow(x: Any) -> Any:
    """A stand-in with the shape and dtype of ``x`` and no storage, for what is read for its shape only.

    >>> hollow(np.ones((1000, 1000))).strides
    (0, 0)
    """
    if isinstance(x, (list, tuple)):  # a list stays one; its numbers take no room
        return type(x)(hollow(item) if isinstance(item, (list, tuple, np.ndarray)) else item for item in x)
    shape, dtype = np.shape(x), np.asarray(x).dtype
    if dtype.hasobject or dtype.itemsize > len(_NOTHING):
        return np.broadcast_to(np.zeros((), dtype), shape)
    return np.ndarray(shape, dtype, _NOTHING, 0, (0,) * len(shape))  # broadcast_to, 10 times as fast


def stack_like(parts: Any, x: Any) -> Any:
    """The list ``parts`` of what was computed for ``x[0], x[1], ...`` as one array of ``x``'s shape.

    >>> stack_like([1.0, 2.0], np.zeros(2))
    array([1., 2.])
    """
    return np.reshape(np.array(parts), np.shape(x)) if len(parts) else np.zeros_like(x)


def list_from_array(a: Any, like: Any) -> Any:
    """The rows of ``a`` in containers such as ``like`` has (which is read for its structure and dtypes only).

    >>> list_from_array(np.ones(2), [0.0, np.float32(0.0)])
    [np.float64(1.0), np.float32(1.0)]
    """
    if not isinstance(like, (list, tuple)):
        single = getattr(like, "dtype", None) in (np.float32, np.complex64) and hasattr(a, "dtype")
        return a.astype(like.dtype) if single and a.dtype.kind == like.dtype.kind else a
    return type(like)(list_from_array(row, item) for row, item in zip(a, like, strict=True))


def not_none(x: Any, attribute: str = "") -> Any:
    """``x``, which has to be there; ``attribute``: what it is asked for.

    >>> not_none(2.0)
    2.0
    """
    if x is None and attribute:
        raise AttributeError(f"'NoneType' object has no attribute {attribute!r}")
    if x is None:
        raise TypeError("this value is None on the path taken")
    return x


def sort_of(x: Any) -> str:
    """Whether ``x`` is an array or a number, and of which dtype or class of Python's.

    >>> sort_of(np.ones(2)), sort_of(np.float32(1)), sort_of(1.0), sort_of(True)
    ('ndarray of float64', 'number of float32', 'float', 'bool')
    """
    if isinstance(x, (np.ndarray, np.generic)):
        return f"{'ndarray' if isinstance(x, np.ndarray) else 'number'} of {x.dtype}"
    return type(x).__name__


def mT(x: Any) -> Any:
    """``x`` with the last two axes exchanged: the transpose of each matrix in a stack.

    >>> mT(np.zeros((2, 3, 4))).shape
    (2, 4, 3)
    """
    return x.swapaxes(-1, -2) if isinstance(x, np.ndarray) else np.swapaxes(x, -1, -2)


@vjp(unbroadcast)
def unbroadcast_rule(g, ans, x, like):
    return broadcast_like(g, x), None


@vjp(broadcast_like)
def broadcast_like_rule(g, ans, x, like):
    return unbroadcast(g, x), None


@vjp(expand_reduced)
def expand_reduced_rule(g, ans, x, like, axis=None, keepdims=False):
    return np.reshape(g, np.shape(x)), None


@vjp(stack_like)
def stack_like_rule(g, ans, parts, x):
    return list_from_array(g, parts), None


@vjp(list_from_array)
def list_from_array_rule(g, ans, a, like):
    return stack_like(g, a), None


@vjp(not_none)
def not_none_rule(g, ans, x, attribute=""):
    return g


@vjp(mT, view=True)
def mT_rule(g, ans, x):
    return mT(g)


# ----- values -----


def astype(x: Any, dtype: Any, copy: bool = True) -> Any:
    """``x`` converted to ``dtype``; a number becomes a NumPy scalar.

    >>> astype(np.array([1.7, 2.0]), int)
    array([1, 2])
    """
    if isinstance(x, (np.ndarray, np.generic)):
        return x.astype(dtype, copy=copy)
    return np.asarray(x).astype(dtype)[()]


def safe_product(g: Any, p: Any) -> Any:
    """``g * p``, but 0 where ``g`` is 0: no ``0 * inf`` through a branch that was not taken.

    >>> safe_product(np.array([0.0, 2.0]), np.array([np.inf, 3.0]))
    array([0., 6.])
    """
    if type(p) is np.ndarray:
        if p.dtype.kind in "fc" and cmath.isfinite(np.vdot(p, p)):  # the fastest look, and none that warns
            return g * p
    elif isinstance(p, float) and isinstance(g, float):
        number = float(g) * float(p) if g != 0 else 0.0
        return number if type(g) is type(p) is float else np.float64(number)
    elif isinstance(p, (float, np.inexact)) and cmath.isfinite(p):
        return g * p
    finite = np.isfinite(p)
    if np.count_nonzero(finite) == np.size(finite):  # most of the time one look shows that it is the product
        return np.multiply(g, p)
    with np.errstate(invalid="ignore"):
        return np.where(np.equal(g, 0), 0, np.multiply(g, p))[()]


def exact_product(g: Any, p: Any) -> Any:
    """``g * p``, but 0 where either is 0: a constant factor 0 takes the dependence away, whatever ``g`` is.

    >>> exact_product(np.array([np.nan, 0.0]), np.array([0.0, np.inf]))
    array([0., 0.])
    """
    if type(g) is float and type(p) in (float, int):  # of others the result is NumPy's
        return g * p if g and p else 0.0
    if isinstance(g, float) and isinstance(p, float):  # a number of NumPy's among them
        number = float(g) * float(p)
        return np.float64(number if number == number or g and p else 0.0)
    with np.errstate(invalid="ignore"):
        product = np.multiply(g, p)
    if not np.count_nonzero(np.isnan(product)):
        return product
    return np.where(np.equal(g, 0) | np.equal(p, 0), 0, product)[()]


def zero_like(x: Any) -> Any:
    """The zero cotangent of ``x``: 0.0 for a number, zeros for an array, and so within lists and tuples.

    >>> zero_like([1.0, np.ones(2)])
    [0.0, array([0., 0.])]
    """
    if isinstance(x, (list, tuple)):
        return type(x)(zero_like(item) for item in x)
    if isinstance(x, np.ndarray):
        return np.zeros(x.shape, x.dtype if x.dtype.kind in "fc" else float)
    return type(x)(0) if isinstance(x, (float, complex, np.inexact)) else 0.0


def one_like(x: Any) -> Any:
    """The cotangent 1 of ``x``, which has to be of one element.

    >>> one_like(np.array([[3.0]]))
    array([[1.]])
    """
    if np.size(x) != 1:
        raise not_one_number(f"an array of shape {np.shape(x)}")
    return np.ones_like(x)[()] if isinstance(x, (np.ndarray, np.generic)) else 1.0


@vjp(astype, np.astype) if hasattr(np, "astype") else vjp(astype)
def astype_rule(g, ans, x, dtype, copy=True):
    return g, None


@vjp(safe_product, broadcasts=True)
def safe_product_rule(g, ans, x, p):
    return safe_product(g, np.conj(p)), exact_product(g, np.conj(x))


@vjp(exact_product, broadcasts=True)
def exact_product_rule(g, ans, x, p):
    return exact_product(g, np.conj(p)), exact_product(g, np.conj(x))


def fails(name: str, *args: Any) -> bool:
    """Whether a function of ``np.linalg`` raises ``LinAlgError`` for these arguments.

    >>> fails("cholesky", -np.eye(2)), fails("inv", np.eye(2))
    (True, False)
    """
    try:
        getattr(np.linalg, name)(*args)
    except Exception as error:  # another one it raises where it is called in earnest
        return isinstance(error, np.linalg.LinAlgError)
    return False


nondifferentiable(hollow, zero_like, one_like, may_repeat, fails, sort_of)

# Which argument each of these reads for its shape and dtype only.
METADATA: dict[Callable[..., Any], int] = {
    unbroadcast: 1,
    broadcast_like: 1,
    scatter: 0,
    expand_reduced: 1,
    stack_like: 1,
    list_from_array: 1,
    hollow: 0,
    zero_like: 0,
    one_like: 0,
    np.zeros_like: 0,
    np.ones_like: 0,
    np.empty_like: 0,
    np.shape: 0,
    np.ndim: 0,
    np.size: 0,
    len: 0,
}

# Whose shape (of a list: whose structure) the result has, and whose dtype (none: the same type).
SHAPED_LIKE: dict[Callable[..., Any], tuple[int, tuple[int, ...]]] = {
    setitem: (0, (0,)),
    add_at: (0, (0,)),
    scatter: (0, (0, 2)),
    unbroadcast: (1, (0,)),
    broadcast_like: (1, (0,)),
    stack_like: (1, (0,)),
    list_from_array: (1, (0,)),
    zero_like: (0, (0,)),
    one_like: (0, (0,)),
}

# Those that give a list for a list (to others it is an array); those to which one of numbers is a vector.
OF_PARTS: set[Callable[..., Any]] = {stack_like, list_from_array, zero_like, one_like}
OF_VECTORS: set[Callable[..., Any]] = set()

# NumPy functions that write to their first argument, and the pure functions that give what it holds then.
IN_PLACE: dict[Callable[..., Any], Callable[..., Any]] = {}

# Real arguments give real or complex results, depending on their values: complex covers both.
COMPLEX_BY_VALUE: set[Callable[..., Any]] = {np.linalg.eig, np.linalg.eigvals, np.roots}

# Polynomials in the first argument, where the second is a whole number of at least 1.
POWERS: list[Callable[..., Any]] = [np.power]

# Those whose result is, by its type, ``args[0][args[1]]``.
ITEMS: set[Callable[..., Any]] = {written}
