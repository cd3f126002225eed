"""Which memory has to be written for tensors? All that they are views of, once, as PyTorch does it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...eager.places import root_of


class Place(NamedTuple):
    """Where a tensor's elements are: in which record, from which element on, how far apart."""

    key: int
    offset: int
    strides: tuple[int, ...]


class Memory:
    """The records for the tensors that are placed in it.

    Attributes:
        records: the bytes of each, as arrays.
    """

    def __init__(self) -> None:
        self.records: list[np.ndarray] = []
        self._keys: dict[int, int] = {}  # by the id of the array that owns the memory
        self._types: dict[int, np.dtype] = {}
        self._alive: list[np.ndarray] = []

    def place(self, array: np.ndarray) -> Place:
        """Where the array's elements are; ValueError if others see the same memory as another type."""
        root = root_of(array)
        record = _bytes_of(root)
        offset = _address(array) - _address(root) if array.size else 0
        size = array.itemsize
        if record is None or offset % size or any(s < 0 or s % size for s in array.strides):
            # Memory that no strides of whole elements describe: a copy of the elements.
            root = array = np.array(array, order="C")
            record, offset = _bytes_of(root), 0
        assert record is not None
        key = self._keys.get(id(root))
        if key is None:
            key = self._keys[id(root)] = len(self.records)
            self.records.append(record[: len(record) // size * size])
            self._types[key] = array.dtype
            self._alive.append(root)
        if self._types[key] != array.dtype:
            raise ValueError(
                "Cannot save multiple tensors or storages that view the same data as different types"
            )
        return Place(key, offset // size, tuple(s // size for s in array.strides))


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def _bytes_of(root: np.ndarray) -> np.ndarray | None:
    """The bytes of an array in the order of memory; None if there are gaps between its elements."""
    if root.dtype.hasobject:
        return None
    order = sorted(range(root.ndim), key=lambda i: -root.strides[i])
    dense = root.transpose(order)
    return dense.reshape(-1).view(np.uint8) if dense.flags.c_contiguous else None
