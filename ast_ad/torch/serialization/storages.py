"""Which memory does a tensor of a file show? A piece of a record, checked before there is any view of it.

A checkpoint names its memory (storages) and describes each tensor by the place, lengths and strides it has
there. Such numbers come from outside: all of them are checked against the number of bytes that are there.
"""

from __future__ import annotations

import math
import re
import sys
from typing import Any

import numpy as np

from ...eager import dtypes
from ...eager.dtypes import dtype
from .archive import Archive
from .limits import MAX_DIMENSIONS, MAX_EXPANDED
from .problems import damaged, refused

KEY = re.compile(r"[0-9]{1,20}", re.ASCII)
# PyTorch's names of typed storages, and what their elements are here.
TYPED: dict[str, dtype] = {
    "DoubleStorage": dtypes.float64,
    "FloatStorage": dtypes.float32,
    "HalfStorage": dtypes.float16,
    "LongStorage": dtypes.int64,
    "IntStorage": dtypes.int32,
    "ShortStorage": dtypes.int16,
    "CharStorage": dtypes.int8,
    "ByteStorage": dtypes.uint8,
    "BoolStorage": dtypes.bool_,
    "ComplexFloatStorage": dtypes.complex64,
    "ComplexDoubleStorage": dtypes.complex128,
}


class Kind:
    """What the elements of a storage are: of a dtype, bfloat16 (which becomes float32), or just bytes."""

    def __init__(self, name: str, of: dtype | None, size: int) -> None:
        self.name, self.of, self.size = name, of, size


BFLOAT16 = Kind("BFloat16Storage", dtypes.float32, 2)
UNTYPED = Kind("UntypedStorage", None, 1)
KINDS = {name: Kind(name, of, of.itemsize) for name, of in TYPED.items()} | {BFLOAT16.name: BFLOAT16}


class Storage:
    """The memory that several tensors may show.

    Attributes:
        kind: what its elements are.
        count: how many of them.
    """

    def __init__(self, kind: Kind, count: int, raw: np.ndarray, swapped: bool) -> None:
        self.kind, self.count, self.swapped = kind, count, swapped
        self._raw = raw
        self._arrays: dict[Any, np.ndarray] = {}

    def array(self, stored: Any = None, conj: bool = False, neg: bool = False) -> np.ndarray:
        """All elements; the same array each time, so that tensors share it.

        Args:
            stored: the dtype, or BFLOAT16, of untyped memory.
            conj, neg: of these elements the conjugates, or the negatives.
        """
        untyped = self.kind is UNTYPED
        if not untyped:
            stored = BFLOAT16 if self.kind is BFLOAT16 else self.kind.of
        key = stored, conj, neg
        if key not in self._arrays:
            if (
                untyped
                and self._arrays
                and (self.swapped or conj or neg or BFLOAT16 in (stored, *self._stored()))
            ):
                raise refused(
                    "two tensors of different types share memory", "the elements have to be converted"
                )
            self._arrays[key] = (
                self._elements(stored) if not (conj or neg) else self._changed(stored, conj, neg)
            )
        return self._arrays[key]

    def _stored(self) -> list[Any]:
        return [stored for stored, *_ in self._arrays]

    def _changed(self, stored: Any, conj: bool, neg: bool) -> np.ndarray:
        array = self.array(stored)
        array = np.conj(array) if conj else array
        return np.negative(array) if neg else array

    def _elements(self, stored: Any) -> np.ndarray:
        own = np.dtype(np.uint16) if stored is BFLOAT16 else stored.dtype
        if self._raw.size and self._raw.__array_interface__["data"][0] % own.alignment:
            self._raw = self._raw.copy()  # files written long ago are not aligned; memory is
        raw = self._raw[: len(self._raw) // own.itemsize * own.itemsize]
        array = raw.view(own)
        if self.swapped and own.itemsize > 1:
            array = array.byteswap()
        if stored is BFLOAT16:
            return (array.astype(np.uint32) << 16).view(np.float32)
        if own.kind == "b" and raw.size and raw.max() > 1:
            raise damaged("a record of bools holds other numbers than 0 and 1")
        return array


class Storages:
    """The storages of an archive, each read when it is first needed.

    Args:
        archive: with a record ``data/<key>`` for each.
        byteorder: ``'little'`` or ``'big'``, that of the numbers in the records.
    """

    def __init__(self, archive: Archive, byteorder: str) -> None:
        self._archive = archive
        self._swapped = byteorder != sys.byteorder
        self._found: dict[str, Storage] = {}

    def named(self, name: object) -> Storage:
        """The storage that a persistent id means: ``('storage', kind, key, location, number of elements)``.

        The location is ignored: all memory is main memory.
        """
        if type(name) is not tuple or len(name) != 5 or type(name[0]) is not str or name[0] != "storage":
            raise damaged(
                "a persistent id names no storage", "nothing else is kept outside of the description"
            )
        _, kind, key, location, count = name
        if type(kind) is not Kind or type(key) is not str or type(location) is not str:
            raise damaged("a storage is described by things of the wrong kind")
        if type(count) is not int or count < 0 or not KEY.fullmatch(key):
            raise damaged(f"a storage has the number {key[:30]!r} and {str(count)[:30]} elements")
        found = self._found.get(key)
        if found is None:
            member = self._archive.members.get(f"data/{key}")
            if member is None or member.size != count * kind.size:
                there = "which is not in the archive" if member is None else f"which has {member.size} bytes"
                raise damaged(
                    f"a storage is said to have {count} elements of {kind.size} bytes in record {key}, "
                    f"{there}"
                )
            found = Storage(kind, count, self._archive.array(f"data/{key}"), self._swapped)
            self._found[key] = found
        if found.kind is not kind or found.count != count:
            raise damaged(f"the storage {key} is described in two ways")
        return found


def tensor_array(array: np.ndarray, offset: Any, size: Any, stride: Any) -> np.ndarray:
    """The elements of a tensor: a view of its storage.

    Args:
        array: all elements of the storage.
        offset: the number of the first element.
        size: a tuple, the length in each dimension.
        stride: a tuple, how many elements lie between neighbours in each dimension.

    Errors:
        FileFormatError: the tensor would reach out of the storage, or is no tensor.
    """
    if not (_are_counts(size) and _are_counts(stride) and _are_counts((offset,))):
        raise damaged("the offset, size or stride of a tensor is not made of numbers that are 0 or more")
    if len(size) != len(stride) or len(size) > MAX_DIMENSIONS:
        raise damaged(f"a tensor has {len(size)} dimensions and {len(stride)} strides")
    count = math.prod(size)
    if count:
        last = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
        if last >= array.size:
            raise damaged(
                f"a tensor of size {list(size)}, strides {list(stride)} and offset {offset} reaches "
                f"out of its storage of {array.size} elements"
            )
        if count > max(array.size, MAX_EXPANDED):
            raise refused(
                f"a tensor shows {array.size} elements as {count}",
                f"tensors that repeat their memory may have {MAX_EXPANDED} elements",
            )
    # The stride of a single element means nothing, and may be any number.
    steps = [array.itemsize * (s if n > 1 or s < 1 << 48 else 1) for n, s in zip(size, stride, strict=True)]
    try:
        if not count:
            return np.ndarray(size, array.dtype)
        return np.ndarray(size, array.dtype, array, offset * array.itemsize, steps)
    except (ValueError, OverflowError) as error:
        raise damaged(f"a tensor of size {list(size)} can't be", str(error)) from None


def _are_counts(numbers: object) -> bool:
    return isinstance(numbers, tuple) and all(type(n) is int and 0 <= n < 1 << 63 for n in numbers)
