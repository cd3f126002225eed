"""What array do nested lists make, with tensors among them? Tensors in them stand for their numbers.

A list's lengths are those of its first items, as in PyTorch, and what differs is told in PyTorch's words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import as_numpy, dtype_of, get_default_dtype, promote_types
from ..tensor import Tensor

SEQUENCES = (list, tuple)


def array_of(data: Any, dtype: Any = None) -> np.ndarray:
    """Numbers, or nested sequences of numbers, arrays and tensors of one element, as an array.

    Raises:
        ValueError, TypeError: lengths that differ, tensors of several elements, texts.
        RuntimeError: what is no number.
    """
    try:
        array = np.array(_plain(data))
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        _tell_ragged(data, _lengths(data), 0)
        raise
    if array.dtype.kind == "O":
        _tell_objects(data)
        raise ValueError("expected sequence of equal length: the data is ragged or holds no numbers")
    if array.dtype.kind in "US":
        if isinstance(data, SEQUENCES):
            raise ValueError("too many dimensions 'str'")
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    return array.astype(_dtype(data, array) if dtype is None else as_numpy(dtype), copy=False)


def _plain(data: Any) -> Any:
    if isinstance(data, Tensor):
        if data._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return data._array.reshape(())[()]
    if isinstance(data, SEQUENCES):
        return [_plain(item) for item in data]
    return data


def _dtype(data: Any, array: np.ndarray) -> Any:
    """Python's floats are of the default dtype; arrays and tensors among the data have their own."""
    if array.size and _has_arrays(data):
        return as_numpy(_promoted(data))
    if array.dtype.kind == "f":
        return get_default_dtype().dtype
    return get_default_dtype().to_complex().dtype if array.dtype.kind == "c" else array.dtype


def _has_arrays(data: Any) -> bool:
    if isinstance(data, SEQUENCES):
        return any(_has_arrays(item) for item in data)
    return isinstance(data, (np.ndarray, np.generic, Tensor))


def _promoted(data: Any) -> Any:
    if isinstance(data, SEQUENCES):
        found = None
        for item in data:
            if isinstance(item, SEQUENCES) and not item:
                continue
            own = _promoted(item)
            found = own if found is None or found is own else promote_types(found, own)
        return get_default_dtype() if found is None else found
    if isinstance(data, Tensor):
        return data.dtype
    if isinstance(data, (np.ndarray, np.generic)):
        return dtype_of(data.dtype.newbyteorder("="))
    if isinstance(data, float):
        return get_default_dtype()
    return get_default_dtype().to_complex() if isinstance(data, complex) else dtype_of(np.array(data).dtype)


def _lengths(data: Any) -> list[int]:
    lengths = []
    while isinstance(data, SEQUENCES) or isinstance(data, np.ndarray) and data.ndim:
        lengths.append(len(data))
        if not len(data):
            break
        data = data[0]
    return lengths


def _tell_ragged(data: Any, lengths: list[int], dim: int) -> None:
    """Raise PyTorch's error for the first place where the lengths are not those of the first items."""
    deep = isinstance(data, SEQUENCES) or isinstance(data, np.ndarray) and data.ndim
    if dim == len(lengths):
        if deep:
            raise TypeError(f"'{type(data).__name__}' object cannot be interpreted as a number")
        return
    if not deep:
        raise TypeError("not a sequence")
    if len(data) != lengths[dim]:
        raise ValueError(f"expected sequence of length {lengths[dim]} at dim {dim} (got {len(data)})")
    for item in data:
        _tell_ragged(item, lengths, dim + 1)


def _tell_objects(data: Any) -> None:
    if isinstance(data, SEQUENCES):
        for item in data:
            _tell_objects(item)
    elif not isinstance(data, (bool, int, float, complex, np.ndarray, np.generic, Tensor)):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
