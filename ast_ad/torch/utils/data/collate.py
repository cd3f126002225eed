"""How do samples become a batch? Tensors, arrays and numbers are stacked; containers keep their form.

``default_collate`` follows the first sample's type; ``default_convert`` is for samples that are no batch.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from ....eager.namespace import NAMES
from ....eager.tensor import Tensor

__all__ = ["default_collate", "default_convert"]

FOUND = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
EQUAL = "each element in list of batch should be of equal size"


def default_collate(batch: Any) -> Any:
    """Make one of a list of samples, along a new first dimension.

    Tensors and arrays of one shape are stacked, numbers become a tensor, texts stay a list. Of dictionaries,
    named tuples and sequences the members are made one, each with its like; a tuple comes back as a list.

    Errors: ``TypeError`` for samples of another type; ``RuntimeError`` for shapes or lengths that differ.

    >>> default_collate([("a", 1), ("b", 2)])
    [('a', 'b'), tensor([1, 2])]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return NAMES["stack"](list(batch), 0)
    if isinstance(first, (np.ndarray, np.generic)) and not isinstance(first, (str, bytes)):
        return _arrays(batch, first)
    if isinstance(first, float):
        return NAMES["tensor"](batch, dtype=NAMES["float64"])
    if isinstance(first, int):
        return NAMES["tensor"](batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return _rebuilt(first, {key: default_collate([sample[key] for sample in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(default_collate, zip(*batch, strict=True)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError(EQUAL)
        members = [default_collate(like) for like in zip(*batch, strict=True)]
        return members if isinstance(first, tuple) else _rebuilt(first, members)
    raise TypeError(FOUND.format(type(first)))


def _arrays(batch: Any, first: Any) -> Any:
    if first.dtype.kind in "SaUO":
        raise TypeError(FOUND.format(first.dtype))
    if first.shape == ():
        return NAMES["as_tensor"](np.asarray(batch))
    return default_collate([NAMES["as_tensor"](array) for array in batch])


def default_convert(data: Any) -> Any:
    """Arrays in ``data`` made tensors, containers kept, all else as it is.

    >>> default_convert({"x": np.ones(2, np.float32), "name": "a"})
    {'x': tensor([1., 1.]), 'name': 'a'}
    """
    if isinstance(data, Tensor):
        return data
    if isinstance(data, (np.ndarray, np.generic)) and not isinstance(data, (str, bytes)):
        return data if data.dtype.kind in "SaUO" else NAMES["as_tensor"](data)
    return _each(data, default_convert)


def _each(data: Any, change: Callable[[Any], Any]) -> Any:
    """A container's like with its members changed."""
    if isinstance(data, Mapping):
        return _rebuilt(data, {key: change(value) for key, value in data.items()})
    if isinstance(data, tuple):
        members = [change(value) for value in data]
        return type(data)(*members) if hasattr(data, "_fields") else members
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _rebuilt(data, [change(value) for value in data])
    return data


def _rebuilt(old: Any, new: Any) -> Any:
    """``new`` as a container of ``old``'s type, with its other properties where it can be changed."""
    try:
        if isinstance(old, MutableMapping):
            clone = copy.copy(old)
            clone.update(new)
            return clone
        if isinstance(old, MutableSequence):
            sequence = copy.copy(old)
            for i, value in enumerate(new):
                sequence[i] = value
            return sequence
        return type(old)(new)
    except TypeError:  # a type made in another way than from its members
        return new
