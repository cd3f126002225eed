"""What if two arguments share memory? To the function that is traced they are two arrays.

That is right as long as it writes to neither of them, and whose derivative is whose stays clear. An array
that is passed twice, and is no differentiated argument, is one array to the function too. So is any, where it
is known beforehand that the function writes: then the derivative is that by the one array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..eager.tensor import Tensor
from ..errors import SharedMemoryError


class Sharing:
    """The pairs of ``leaves`` that share memory; those at ``wrt`` are differentiated.

    ``writes``: whether it is known that the function writes to one of a pair.
    """

    def __init__(self, leaves: Sequence[Any], wrt: Sequence[int], writes: bool = False) -> None:
        arrays = [(i, _array(leaf)) for i, leaf in enumerate(leaves)]
        arrays = [(i, array) for i, array in arrays if array is not None and array.ndim]
        pairs = [(i, a, j, b) for n, (j, b) in enumerate(arrays) for i, a in arrays[:n]]
        shared = [(i, a, j, b) for i, a, j, b in pairs if np.may_share_memory(a, b)]
        most = 1 if writes else 0
        self.same: dict[int, int] = {}
        for i, a, j, b in reversed(shared):
            if _is_one(a, b) and len({i, j} & set(wrt)) <= most:
                self.same.update({i: j} if j in wrt else {j: i})
        self.watched = sorted({k for i, _, j, _ in shared if not self.one(i, j) for k in (i, j)})
        self.before: list[tuple[Any, Any]] = []

    def one(self, i: int, j: int) -> bool:
        """Whether the function gets one array for the two."""
        return self.same.get(i, i) == self.same.get(j, j)

    def enter(self, given: list[Any]) -> None:
        """Note what the function is given, in the place of ``leaves``; what is one array becomes one."""
        for j, i in self.same.items():
            given[j] = given[i]
        self.before = [(given[i], _state(given[i])) for i in self.watched]

    def check(self) -> None:
        """The function has run.

        Raises:
            SharedMemoryError: it wrote to one of two that share memory.
        """
        for value, state in self.before:
            if not np.array_equal(_state(value), state, equal_nan=isinstance(state, np.ndarray)):
                raise SharedMemoryError(
                    "two arguments that share memory, one of which the function writes to",
                    why="the write would change the other one too",
                    fix="pass a copy of one of them",
                )


def _array(leaf: Any) -> np.ndarray | None:
    if isinstance(leaf, Tensor):  # asked first: a traced array passes for an ndarray
        return leaf._array
    return leaf if isinstance(leaf, np.ndarray) else None


def _is_one(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays show the same elements in the same order."""
    facts = [(x.__array_interface__["data"], x.strides, x.shape, x.dtype) for x in (a, b)]
    return bool(facts[0] == facts[1])


def _state(value: Any) -> Any:
    """What changes when it is written to: the number of writes to a tensor, the contents of an array."""
    return value._version if isinstance(value, Tensor) else value.copy()
