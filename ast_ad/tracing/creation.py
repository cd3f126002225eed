"""What do ``np.zeros``, ``np.array`` and their relatives make while a function is traced? Traced arrays.

NumPy asks no argument of theirs, and what is written to a plain array would be lost. ``fills``, ``full``,
``fromiter`` and ``converts`` make functions that ``replacements`` puts in the places of the originals.
"""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..eager.array_classes import is_followed
from ..eager.dispatch import plain_of
from ..eager.numpy_protocol import run
from ..eager.state import state
from ..eager.tensor import Tensor
from ..rules.structured import is_structured
from .faces import makers
from .flat_iterator import Flat
from .object_arrays import as_list, filled_with, objects_of
from .record_arrays import of_records
from .texts import check_read
from .traced_array import Traced


def has_traced(value: Any) -> bool:
    """Whether there is a traced array in an argument, also within lists and tuples."""
    if isinstance(value, (list, tuple)):
        return any(has_traced(item) for item in value)
    return isinstance(value, Tensor)


def fills(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes a new array, which is traced if it holds floats."""

    @functools.wraps(original)
    def create(*args: Any, **kwargs: Any) -> Any:
        if not state.tracing:
            return original(*args, **kwargs)
        kwargs = without_like(kwargs)
        if (records := of_records(original, args, kwargs)) is not None:
            return records
        if original.__name__.endswith("_like"):
            args = tuple(plain_of(a) if isinstance(a, Tensor) else a for a in args)
        if any(has_traced(v) for v in (*args, *kwargs.values())):
            return run(original, args, kwargs)
        made = original(*args, **kwargs)
        return Traced._of(made) if is_followed(type(made)) else made

    return create


def without_like(kwargs: dict[str, Any]) -> dict[str, Any]:
    """The options without ``like=`` where that is an array: then it is NumPy that makes the new one."""
    like = kwargs.get("like")
    return (
        {k: v for k, v in kwargs.items() if k != "like"}
        if type(like) is np.ndarray or has_traced(like)
        else kwargs
    )


def _first_by_name(original: Callable[..., Any], name: str, create: Callable[..., Any]) -> Callable[..., Any]:
    """A function in the place of NumPy's, whose first argument may be given by its name there."""

    @functools.wraps(original)
    def called(*args: Any, **kwargs: Any) -> Any:
        if not args and name in kwargs:
            args = (kwargs.pop(name),)
        return create(*args, **without_like(kwargs))

    return called


def full(original: Callable[..., Any]) -> Callable[..., Any]:
    """np.full and np.full_like: the number that fills may be traced."""

    def create(first: Any, fill_value: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        made = original(plain_of(first), plain_of(fill_value), dtype, *args, **kwargs)
        if not state.tracing:
            return made
        found = Traced._of(made)
        if not has_traced(fill_value):
            return found
        if isinstance(found, Tensor):
            found[...] = fill_value
            return found
        return filled_with(fill_value, made) if made.dtype.kind == "O" else found

    return _first_by_name(original, "a" if original is np.full_like else "shape", create)


def fromiter(original: Callable[..., Any]) -> Callable[..., Any]:
    """np.fromiter: the iterator may give traced numbers."""

    @functools.wraps(original)
    def create(iter: Any, dtype: Any, count: int = -1, **kwargs: Any) -> Any:
        if not state.tracing:
            return original(iter, dtype, count, **kwargs)
        items = list(iter if count < 0 else itertools.islice(iter, count))
        made = Traced._of(original(map(plain_of, items), dtype, count, **kwargs))
        if has_traced(items) and isinstance(made, Tensor):
            made[...] = items
        return made

    return create


def converts(original: Callable[..., Any]) -> Callable[..., Any]:
    """np.array and its relatives: an array of traced numbers is traced."""

    def convert(object: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        if not state.tracing:
            return original(object, dtype, *args, **kwargs)
        if isinstance(dtype, Tensor):  # NumPy would ask it for its own
            dtype = plain_of(dtype)
        if is_structured(type(object)) or isinstance(dtype, (np.dtype, list)) and has_traced(object):
            records = of_records(original, (object, dtype, *args), kwargs)
            if records is not None:
                return records
        of_objects = dtype is not None and np.dtype(dtype).kind == "O"
        object = object if dtype is None or of_objects else as_list(object)
        if original is not np.asanyarray and hasattr(type(object), "_as_numpys"):
            object = object._as_numpys()
        if isinstance(object, Flat):
            object = object.copy()
        elif isinstance(getattr(type(object), "__array__", None), types.FunctionType):
            made = object if isinstance(object, Tensor) else object.__array__()
            object = made
        if not has_traced(object):
            check_read(object)
            made = original(object, dtype, *args, **kwargs)
            new = is_followed(type(made)) and not _shared(made, object)
            return Traced._of(made) if new else made  # what is not new is known by another name
        if of_objects:
            return objects_of(object, original(plain_of(object), dtype, *args, **kwargs))
        if isinstance(object, Tensor):
            return _converted(object, original(plain_of(object), dtype, *args, **kwargs))
        try:
            found = stacked(object)
        except ValueError:
            original(plain_of(object), dtype, *args, **kwargs)  # says it in its own words
            raise
        if not isinstance(found, Tensor):
            return original(found, dtype, *args, **kwargs)
        like = original(found._array, dtype, *args, **kwargs)
        same = like.dtype == found._array.dtype and like.strides == found._array.strides
        return found if same else _converted(found, like)

    return _first_by_name(original, "object" if original is np.array else "a", convert)


def _shared(a: Any, b: Any) -> bool:
    return isinstance(b, np.ndarray) and np.may_share_memory(a, b)


def _converted(t: Any, like: np.ndarray) -> Any:
    """The traced value as the array ``like``: itself or a copy, of its layout, type and rank."""
    found = t
    if type(plain_of(t)) is not type(like) and not t._scalar:
        found = makers["view"](t, type(like))
    if like.dtype != t._array.dtype:
        found = t.astype(like.dtype)
        if not isinstance(found, Tensor):
            return like
    if found._scalar:
        found = run(np.reshape, (found, (1,)), {}).reshape(())
    elif found._array.dtype == t._array.dtype and not _shared(like, t._array):
        order = "C" if like.flags.c_contiguous else "F" if like.flags.f_contiguous else "K"
        found = run(np.copy, (t,), {"order": order})
    for _ in range(like.ndim - found._array.ndim):
        found = found[None]
    return found


def stacked(rows: Any) -> Any:
    if not isinstance(rows, (list, tuple)):
        return rows
    if not has_traced(rows):
        return np.array(rows)  # which makes no tensor of its own, with PyTorch's ways
    found = run(np.stack, ([stacked(row) for row in rows],), {})
    return found if plain_of(found).flags.c_contiguous else run(np.copy, (found,), {"order": "C"})


def of_lists(call: Callable[..., Any]) -> Callable[..., Any]:
    """A ufunc, or a method of one, that makes arrays of lists of traced numbers."""

    def of_arrays(*args: Any, **kwargs: Any) -> Any:
        if state.tracing and any(type(a) in (list, tuple) and has_traced(a) for a in args):
            args = tuple(stacked(a) if type(a) in (list, tuple) else a for a in args)
        return call(*args, **kwargs)

    return of_arrays
