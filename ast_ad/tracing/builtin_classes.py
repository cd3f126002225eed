"""How does code see what ``float(x)`` and ``type(x)`` are of a traced value? Through classes that look at it.

In the modules of a function that is traced, ``float``, ``complex``, ``type``, ``set``, ``frozenset`` and the
names of NumPy's floats mean these classes. They are equal to the ones whose places they take, and have the
same instances. A set is made of the traced numbers themselves, of equal ones of the first.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from ..eager.dispatch import plain_of
from ..eager.numpy_protocol import run
from ..eager.tensor import Tensor
from ..rules import helpers
from ..rules.structured import PLAYS
from .hashing import hashed_by_value
from .identity import InPlace
from .texts import check_read


class _Looking(type):
    """The type of a class that takes the place of a builtin one, ``_original``."""

    _original: Any

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls._original) if _stands(cls) else type.__instancecheck__(cls, value)

    def __subclasscheck__(cls, kind: Any) -> bool:
        if not _stands(cls):
            return type.__subclasscheck__(cls, kind)
        return issubclass(kind._original if _stands(kind) else kind, cls._original)

    def __eq__(cls, other: Any) -> bool:
        same = other is cls or _stands(cls) and other is cls._original
        return same or NotImplemented  # a dtype tells itself whether it is the class's

    def __hash__(cls) -> int:
        return hash(cls._original) if _stands(cls) else type.__hash__(cls)

    def __repr__(cls) -> str:
        return repr(cls._original) if _stands(cls) else type.__repr__(cls)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if not _stands(cls):  # a class that the user derived from one of these
            return type.__call__(cls, *args, **kwargs)
        if cls is Type:
            return _class_of(args[0]) if len(args) == 1 else type(*args, **kwargs)
        if cls in OF_ITEMS:
            with hashed_by_value():
                return cls._original(*args, **kwargs)
        if len(args) == 1 and not kwargs and _has_traced(args[0]):
            make = _of_numpy if issubclass(cls._original, np.generic) else _number
            return make(cls._original, args[0])
        if len(args) == 1 and not kwargs and cls in SPECIAL:
            method = getattr(type(args[0]), SPECIAL[cls], None)
            if isinstance(method, types.FunctionType):  # Python code, which may give a traced number
                return _returned(cls._original, method, args[0])
        if len(args) == 2 and cls is Complex and any(isinstance(arg, Tensor) for arg in args):
            real, imag = (Complex(arg) for arg in args)
            return real + imag * 1j
        found = cls._original(*args, **kwargs)
        check_read(args[0] if args else None)
        return found


def _returned(kind: Any, method: Any, value: Any) -> Any:
    """What ``__float__`` and its like give, which has to be of the kind, traced or not."""
    found = method(value)
    if isinstance(found, (Tensor, kind)):
        return found
    raise TypeError(f"{type(value).__name__}.{method.__name__} returned non-{kind.__name__}")


def _stands(cls: Any) -> bool:
    return "_original" in getattr(cls, "__dict__", ())


def _has_traced(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_has_traced, value))
    return isinstance(value, Tensor)


def _of_numpy(kind: Any, value: Any) -> Any:
    """Traced numbers as those of a class of NumPy's, with their history: a number, or an array of them."""
    like = kind(plain_of(value))  # refuses what is no number, and warns of a part that is lost
    t: Any = value if isinstance(value, Tensor) else run(np.array, (value,), {})
    if like.dtype.kind == "f" and t._array.dtype.kind == "c":
        t = run(np.real, (t,), {})
    if not isinstance(like, np.ndarray):
        return run(helpers.astype, (t[()] if t._array.ndim == 0 and not t._scalar else t, like.dtype), {})
    if np.may_share_memory(like, t._array):
        return t if like is t._array else t[...]
    return t.astype(like.dtype)


def _number(kind: Any, t: Any) -> Any:
    """A traced number as one of Python's, with its history."""
    if not isinstance(t, Tensor):  # a list
        return kind(plain_of(t))
    if getattr(t, "_python", None).__class__ is kind:
        return t
    kind(plain_of(t))  # refuses what is no number
    if kind is float and t._array.dtype.kind == "c":
        t = run(np.real, (t,), {})
    return run(kind, (t.reshape(()) if t._array.ndim else t,), {})


def _class_of(value: Any) -> Any:
    known = isinstance(value, Tensor) or issubclass(type(value), InPlace) or PLAYS in vars(type(value))
    found = value.__class__ if known else type(value)
    return next((c for c in _standing if c._original is found), found)


class Float(float, metaclass=_Looking):
    _original = float
    dtype = np.dtype(float)  # what NumPy asks a class for


class Complex(complex, metaclass=_Looking):
    _original = complex
    dtype = np.dtype(complex)


class Type(type, metaclass=_Looking):
    _original = type


class Set(set[Any], metaclass=_Looking):
    _original = set


class FrozenSet(frozenset[Any], metaclass=_Looking):
    _original = frozenset


class Float64(np.float64, metaclass=_Looking):
    _original = np.float64


class Float32(np.float32, metaclass=_Looking):
    _original = np.float32


class Complex128(np.complex128, metaclass=_Looking):
    _original = np.complex128


class Complex64(np.complex64, metaclass=_Looking):
    _original = np.complex64


class Ufunc(metaclass=_Looking):
    """Its methods are those of the ufunc that they are given, or of what stands in its place."""

    _original = np.ufunc


def _method_of_ufuncs(name: str) -> Any:
    def call(ufunc: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(ufunc, name)(*args, **kwargs)

    return staticmethod(call)


for _name in ("accumulate", "at", "outer", "reduce", "reduceat"):
    setattr(Ufunc, _name, _method_of_ufuncs(_name))

OF_ITEMS = Set, FrozenSet
OF_PYTHON = Float, Complex, Type, *OF_ITEMS
SPECIAL = {Float: "__float__", Complex: "__complex__"}
OF_NUMPY = Float64, Float32, Complex128, Complex64, Ufunc
_standing: list[Any] = [*OF_PYTHON, *OF_NUMPY]
for _class in _standing:
    _class.__name__ = _class.__qualname__ = _class._original.__name__
    _class.__module__ = _class._original.__module__
CLASSES: dict[str, Any] = {c.__name__: c for c in OF_PYTHON}
