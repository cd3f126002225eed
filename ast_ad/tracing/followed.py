"""What do Python functions of NumPy's that have no rule do with traced arrays? They are followed.

A copy of such a function, or of the methods of a class, finds in its global variables what the code that is
traced finds in ``np``.
"""

from __future__ import annotations

import copy
import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..eager.dispatch import plain_of
from .builtin_classes import CLASSES
from .extrema import FUNCTIONS
from .traced_array import python_number


def followed(fn: types.FunctionType) -> Callable[..., Any]:
    """The function, as code that is traced."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        return _rebuilt(fn)(*args, **kwargs)

    return call


@functools.cache
def _rebuilt(fn: types.FunctionType) -> Callable[..., Any]:
    from .replacements import replacement, replacements

    table = replacements()
    names = dict(vars(replacement(sys.modules[fn.__globals__["__name__"]], table)))
    for name, value in names.items():
        if type(value) is types.ModuleType:
            names[name] = replacement(value, table) or value
    if "_array_converter" in names:
        names["_array_converter"] = _Converter
    found = types.FunctionType(
        fn.__code__, {**names, **CLASSES, **FUNCTIONS}, fn.__name__, fn.__defaults__, fn.__closure__
    )
    found.__kwdefaults__ = fn.__kwdefaults__
    return found


class _Converter:
    """The functions by which NumPy's own functions make arrays of their arguments."""

    def __init__(self, *values: Any) -> None:
        self.arrays = [_array()(value) for value in values]

    def __getitem__(self, i: int) -> Any:
        return self.arrays[i]

    def wrap(self, array: Any, to_scalar: bool | None = None) -> Any:
        return array[()] if to_scalar else array


def _followed_class(cls: type, **instead: Any) -> Any:
    """A class whose methods are followed, except those of ``instead``."""
    members = {n: m for base in cls.__mro__[-2::-1] for n, m in vars(base).items()}
    methods = {n: followed(m) for n, m in members.items() if isinstance(m, types.FunctionType)}
    return type(cls.__name__, (cls,), {"__slots__": (), **methods, **instead})


def _followed_object(value: Any) -> Any:
    found = copy.copy(value)
    found.__class__ = _followed_class(type(value))
    return found


def _vectorize_call(self: Any, func: Any, args: Any) -> Any:
    """``np.vectorize`` without a signature: the function gets Python's numbers, one after the other."""
    if self.signature is not None or not args:
        return followed(np.vectorize._vectorize_call)(self, func, args)  # type: ignore[attr-defined]
    array = _array()
    arrays = [array(a) for a in args]
    shape = np.broadcast_shapes(*[a.shape for a in arrays])
    several, types_ = False, self.otypes
    if types_ is None:
        if any(a.size == 0 for a in arrays):
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        first = func(*[a.flat[0] for a in arrays])
        several = isinstance(first, tuple)
        types_ = [np.asarray(plain_of(one)).dtype.char for one in (first if several else (first,))]
    columns = [np.broadcast_to(a, shape).ravel() for a in arrays]
    rows = [func(*map(python_number, row)) for row in zip(*columns, strict=True)]
    several = several or len(types_) > 1
    parts = zip(*rows, strict=True) if several and rows else [rows] * len(types_)
    found = [array(list(part), dtype=t).reshape(shape) for part, t in zip(parts, types_, strict=True)]
    return tuple(found) if several else found[0]


def _array() -> Any:
    from .replacements import replacements

    return replacements()[id(np.array)][1]


@functools.cache
def _followed_vectorize() -> Any:
    """Equal instances are made of one that was made before."""
    same = {
        "__eq__": lambda a, b: _made_of(a) is _made_of(b),
        "__hash__": lambda a: object.__hash__(_made_of(a)),
    }
    return _followed_class(np.vectorize, _vectorize_call=_vectorize_call, **same)


def _made_of(value: Any) -> Any:
    return vars(value).get("in_place_of", value) if isinstance(value, np.vectorize) else value


def vectorized(made: Any) -> Any:
    """An instance of ``np.vectorize`` that was made before, as one whose code is traced."""
    found = copy.copy(made)
    found.__class__ = _followed_vectorize()
    found.in_place_of = made
    if isinstance(made.pyfunc, types.MethodType):
        found.pyfunc = _as_it_stands(made.pyfunc)
    return found


def _as_it_stands(method: types.MethodType) -> Callable[..., Any]:
    """A method that was taken from its object before the trace: what stands in its place there now, if so."""

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        now = getattr(method.__self__, method.__name__, method)
        stands = getattr(now, "__func__", now)
        known = getattr(stands, "in_place_of", stands) is method.__func__
        return (now if known else method)(*args, **kwargs)

    return call


def objects() -> list[tuple[Any, Any]]:
    """What of NumPy is replaced: the originals, and what takes their places."""
    return [
        *((one, _followed_object(one)) for one in (np.c_, np.r_)),
        (np.vectorize, _followed_vectorize()),
    ]
