"""How are the arguments of a call copied, so that a run on the copies is a run on the arguments?

Each array gets memory of its own with the strides of the original and its place in a cache line, for sums are
made in the order of memory; arrays that share memory share that of their copies. Containers are built anew.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..trees import flatten

LINE = 64  # bytes of a cache line: code for vectors treats what is aligned to it apart


def copied(values: Sequence[Any]) -> list[Any]:
    """The values with copies of all arrays in them; other objects are what they were."""
    flat = [flatten(value) for value in values]
    arrays = Copies(leaf for leaves, _ in flat for leaf in leaves if isinstance(leaf, np.ndarray))
    return [tree.unflatten([arrays.of(leaf) for leaf in leaves]) for leaves, tree in flat]


def uncopied(values: Sequence[Any]) -> str:
    """Why a function can't be run again on copies of its arguments; empty if it can."""
    _, tree = flatten(list(values))
    if any(hasattr(v, "__next__") or isinstance(v, io.IOBase) for v in tree.statics()):
        return "an argument can't be copied"
    return ""


class Copies:
    """Copies of some arrays, by the identity of the original."""

    def __init__(self, arrays: Iterable[np.ndarray]) -> None:
        different = {id(array): array for array in arrays if array.dtype.kind in "biufc"}
        self._found: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        for group in _sharing(list(different.values())):
            if len(group) == 1 and _is_sparse(group[0]):
                self._found[id(group[0])] = group[0], group[0].copy("K")
                continue
            memory, start = _copied_memory(group)
            for array in group:
                twin = np.ndarray(array.shape, array.dtype, memory, _address(array) - start, array.strides)
                twin.flags.writeable = array.flags.writeable
                self._found[id(array)] = array, twin

    def of(self, value: Any) -> Any:
        """The copy of an array; any other value as it is."""
        known = self._found.get(id(value))
        return value if known is None or known[0] is not value else known[1]


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def _bounds(array: np.ndarray) -> tuple[int, int]:
    low, high = np.lib.array_utils.byte_bounds(array)
    return int(low), int(high) if array.size else int(low)


def _is_sparse(array: np.ndarray) -> bool:
    """Whether it spans much more memory than it shows, as a column of a large matrix does."""
    low, high = _bounds(array)
    return high - low > 1_000_000 and high - low > 16 * array.nbytes


def _sharing(arrays: list[np.ndarray]) -> list[list[np.ndarray]]:
    """The arrays in groups; the memory that those of two groups span does not overlap."""
    groups: list[list[np.ndarray]] = []
    last = -1
    for array in sorted(arrays, key=_bounds):
        low, high = _bounds(array)
        if groups and low < last:
            groups[-1].append(array)
        else:
            groups.append([array])
        last = max(last, high)
    return groups


def _copied_memory(group: list[np.ndarray]) -> tuple[Any, int]:
    """A copy of the memory that the arrays span, and the address that its begin stands for."""
    low = min(_bounds(array)[0] for array in group)
    high = max(_bounds(array)[1] for array in group)
    buffer = np.empty(high - low + 2 * LINE, np.uint8)
    shift = (low - _address(buffer)) % LINE
    memory = buffer[shift : shift + max(high - low, 1)]
    if high > low:
        memory[: high - low] = np.asarray(_Memory(low, high - low))
    return memory.data, low


class _Memory:
    """Bytes at an address, as NumPy takes them."""

    def __init__(self, address: int, size: int) -> None:
        self.__array_interface__ = {"data": (address, True), "shape": (size,), "typestr": "|u1", "version": 3}
