"""What type has a result whose shape follows from the arguments' shapes, whatever the values are?

``helpers.SHAPED_LIKE`` lists the functions: dummies would have to fit each other (an index its array, the
parts of a list the whole), and lengths that differ by name only would be taken for different.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ....rules import helpers, registry
from ...ir.ops import UNKNOWN, Arg, Lit, Seq, Var, atoms
from ...ir.types import KIND_OF, Array, Dim, ListOf, Optional, Scalar, TupleOf, Type, dtype_of, type_of
from ..values import Callee
from .dummies import InferenceError

# These make an array of a list too.
ARRAYS = {helpers.broadcast_like, helpers.unbroadcast, helpers.scatter, helpers.setitem, helpers.add_at}
PRODUCTS = {operator.matmul, np.matmul, np.dot}


def shaped_like(fn: Callee, args: tuple[Arg, ...]) -> Any:
    """The result's type, or a list/tuple of types; None where it doesn't follow from the arguments' types."""
    if fn in PRODUCTS and len(args) == 2:
        return _product(_type(args[0]), _type(args[1]))
    if fn in registry.of_matrices and len(args) > registry.of_matrices[fn]:
        return _matrix(args, registry.of_matrices[fn])
    entry = helpers.SHAPED_LIKE.get(fn)
    if entry is None or len(args) <= max(entry[0], *entry[1], 0):
        return None
    position, sources = entry
    if fn is helpers.scatter:  # the adjoint of a read: what was read from was there
        args = tuple(map(_there, args))
    if fn in ARRAYS and not isinstance(_type(args[position]), (Array, Scalar)):
        return None
    types = [_type(a) for i in sources for a in atoms(args[i])]
    dtypes = [dtype_of(_element(t)) for t in types]
    if any(d is None or d.kind not in "fc" for d in dtypes):
        return None
    dtype = np.result_type(*dtypes) if dtypes else None
    numpy = any(not (isinstance(t, Scalar) and t.dtype is None) for t in types)
    if isinstance(args[position], Seq) and fn not in helpers.OF_PARTS and dtype is not None:
        return _stacked(args[position], dtype)
    vector = fn in helpers.OF_VECTORS and dtype is not None
    length = _length(args[position]) if vector else None
    return _of_arg(args[position], dtype, numpy) if length is None else Array(dtype, (length,))  # type: ignore[arg-type]


def _stacked(arg: Arg, dtype: np.dtype) -> Array | None:
    """What NumPy makes of a list or tuple of numbers and arrays of one shape; None where that isn't known."""
    if not isinstance(arg, Seq):
        found = _of_type(_type(arg), dtype, True)
        shape = () if isinstance(found, Scalar) else found.shape if isinstance(found, Array) else None
        return None if shape is None else Array(dtype, shape)
    items = [_stacked(item, dtype) for item in arg.items]
    if not items or any(item is None or item.ndim != items[0].ndim for item in items):  # type: ignore[union-attr]
        return None
    return Array(dtype, (len(items), *items[0].shape))  # type: ignore[union-attr,misc]


def _length(arg: Arg) -> Dim | int | None:
    """The length of a list of numbers, as the vector that it is to functions of arrays; None for all else."""
    if isinstance(arg, Seq):
        return len(arg.items) if all(isinstance(_type(item), Scalar) for item in arg.items) else None
    type = _type(arg)
    return Dim.fresh() if isinstance(type, ListOf) and isinstance(type.element, Scalar) else None


def _there(arg: Arg) -> Arg:
    """What may be None, where it is not."""
    return Var(arg.type.value) if isinstance(arg, Var) and isinstance(arg.type, Optional) else arg


def _product(a: Type, b: Type) -> Type | None:
    """The type of a product of vectors and matrices: inner lengths may be equal under different names."""
    if not (isinstance(a, Array) and isinstance(b, Array)) or a.ndim not in (1, 2) or b.ndim not in (1, 2):
        return None
    assert a.shape and b.shape
    dtype, inner = np.result_type(a.dtype, b.dtype), (a.shape[-1], b.shape[0])
    if dtype.kind not in "fc" or all(isinstance(n, int) for n in inner) and inner[0] != inner[1]:
        return None
    shape = a.shape[:-1] + b.shape[1:]
    return Array(dtype, shape) if shape else Scalar(KIND_OF[dtype.kind], dtype)


def _matrix(args: tuple[Arg, ...], position: int) -> Type | None:
    """A matrix of the shape of one of the arguments; None where it may be of lower precision."""
    given = [type for arg in args for type in map(_type, atoms(arg)) if isinstance(type, Array)]
    like = _type(args[position])
    if (
        not isinstance(like, Array)
        or like.shape is None
        or any(type.dtype.char not in "dDlq" for type in given)
    ):
        return None
    return Array(np.result_type(np.float64, *(type.dtype for type in given)), like.shape)


def told_type(told: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Any:
    """The type of a result whose shape is told by ``told``; see ``registry.shape``. None: not of these."""
    if any(map(_has_any_rank, (*args, *kwargs.values()))):
        return None
    try:
        lengths = told(*map(_told, args), **{name: _told(arg) for name, arg in kwargs.items()})
    except (TypeError, ValueError, IndexError, RuntimeError) as problem:
        raise InferenceError(f"{type(problem).__name__}: {problem}") from None
    types = [_type(arg) for arg in (*args, *kwargs.values()) if isinstance(arg, (Var, Lit))]
    dtype = np.result_type(*(t.dtype for t in types if isinstance(t, Array)))
    if isinstance(lengths, list):
        return tuple(_of_lengths(dtype, each) for each in lengths)
    return _of_lengths(dtype, lengths)


def _of_lengths(dtype: np.dtype, lengths: tuple[Dim | int | None, ...]) -> Array:
    return Array(dtype, tuple(Dim.fresh() if n is None else n for n in lengths))


def _has_any_rank(arg: Arg) -> bool:
    """Whether nothing can be told of an argument: it is an array, and of how many axes is not known."""
    return any(isinstance(type, Array) and type.shape is None for type in map(_type, atoms(arg)))


def _told(arg: Arg) -> Any:
    """An argument as far as it is known: the shape of an array, a number, or a tuple of them."""
    if isinstance(arg, Var):
        if isinstance(arg.type, Array):
            return arg.type.shape
        if isinstance(arg.type, TupleOf):
            return tuple(t.shape if isinstance(t, Array) else None for t in arg.type.items)
        if arg.known is not UNKNOWN:
            return arg.known
        return arg.type.size if isinstance(arg.type, Scalar) else None
    if isinstance(arg, Seq):
        return tuple(map(_told, arg.items))
    if isinstance(arg, Lit):
        return arg.value.shape if isinstance(arg.value, np.ndarray) else arg.value
    return None


def _type(arg: Arg) -> Type:
    return arg.type if isinstance(arg, Var) else type_of(arg.value if isinstance(arg, Lit) else None)


def _element(type: Type) -> Type:
    return _element(type.element) if isinstance(type, ListOf) else type


def _of_arg(arg: Arg, dtype: np.dtype | None, numpy: bool) -> Any:
    if isinstance(arg, Seq):
        items = [_of_arg(item, dtype, numpy) for item in arg.items]
        return None if any(i is None for i in items) else arg.kind(items)
    return _of_type(_type(arg), dtype, numpy)


def _of_type(type: Type, dtype: np.dtype | None, numpy: bool) -> Type | None:
    """The type with another dtype (None: as it is)."""
    if isinstance(type, ListOf):
        element = _of_type(type.element, dtype, numpy)
        return None if element is None else ListOf(element)
    if dtype is None:
        return type if isinstance(type, (Array, Scalar, TupleOf, Optional)) else None
    if isinstance(type, Scalar):
        return Scalar(KIND_OF[dtype.kind], dtype if numpy else None)
    return Array(dtype, type.shape) if isinstance(type, Array) else None
