"""What is ``x.flat`` of a traced array? Its elements in the order of its rows, to read and to write."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..eager.dispatch import plain_of
from ..eager.numpy_protocol import run


class Flat:
    """The elements of a traced array in the order of its rows."""

    def __init__(self, base: Any) -> None:
        self.base, self.index = base, 0

    def _places(self, index: Any) -> Any:
        shape = self.base._array.shape
        return np.unravel_index(np.arange(self.base._array.size)[plain_of(index)], shape)

    def __len__(self) -> int:
        return int(self.base._array.size)

    def __getitem__(self, index: Any) -> Any:
        return self.base[self._places(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        places = self._places(index)
        count, given = np.size(places[0]), np.size(plain_of(value))
        if given not in (1, count):
            value = run(np.resize, (value, (count,)), {})
        self.base[places] = run(np.ravel, (value,), {}) if np.ndim(places[0]) and given > 1 else value

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.index >= len(self):
            raise StopIteration
        self.index += 1
        return self[self.index - 1]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.copy().__array__(dtype, copy)

    def copy(self) -> Any:
        return self.base.flatten()

    @property
    def coords(self) -> tuple[int, ...]:
        first, *others = self.base._array.shape or (1,)
        row, place = divmod(self.index, math.prod(others))
        found = row, *map(int, np.unravel_index(place, others))
        return found[: self.base._array.ndim]

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        return getattr(ufunc, method)(*map(_array, args), **kwargs)

    def __array_function__(self, fn: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return fn(*map(_array, args), **kwargs)


def _array(value: Any) -> Any:
    return value.copy() if isinstance(value, Flat) else value


def _comparison(name: str) -> Any:
    return lambda self, other: getattr(operator, name)(self.copy(), _array(other))


for _name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(Flat, _name, _comparison(_name))
Flat.__hash__ = None  # type: ignore[assignment]
