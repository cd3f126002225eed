"""Which lengths of arrays does a program take as known?

A program for arrays of any lengths is right for every call, but says little: two arguments may always have
different lengths. Where code is compiled for machines, more is taken as known, by the lengths of one call:
which are equal, and what the small ones are. A *pattern* is that knowledge, as a value; a program serves
the calls of its pattern.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..ir.types import Array, Dim, Scalar, type_of

SMALL = 16  # lengths up to this one are constants of a program that knows CONSTANTS

Shape = tuple[int, ...]


class Known(enum.IntEnum):
    """How much of the lengths a program takes as known, from most to least.

    Ones are always known; zeros, too, where equalities are.
    """

    CONSTANTS = 0
    EQUALITIES = 1
    ONES = 2


def pattern(shapes: Iterable[Shape], known: Known) -> tuple[Shape, ...]:
    """What is known of some shapes: constants stand for themselves, -1, -2, ... for the other lengths.

    >>> pattern([(3, 100), (100,), (50, 1)], Known.CONSTANTS)
    ((3, -1), (-1,), (-2, 1))
    >>> pattern([(3, 100), (100,), (50, 1)], Known.EQUALITIES)
    ((-1, -2), (-2,), (-3, 1))
    >>> pattern([(3, 100), (100,), (50, 1)], Known.ONES)
    ((-1, -1), (-1,), (-1, 1))
    """
    numbers: dict[int, int] = {}
    if known is Known.ONES:
        return tuple([tuple([1 if n == 1 else -1 for n in shape]) for shape in shapes])
    small = SMALL if known is Known.CONSTANTS else 1
    return tuple(
        [
            tuple([n if n <= small else numbers.setdefault(n, -1 - len(numbers)) for n in shape])
            for shape in shapes
        ]
    )


def shapes_of(values: Iterable[object]) -> tuple[Shape, ...]:
    """The shapes of the arrays among some values."""
    return tuple([value.shape for value in values if isinstance(value, np.ndarray)])


class Lengths:
    """The lengths of one build: equal ones get the same symbol, as far as that is known.

    >>> lengths = Lengths(Known.CONSTANTS)
    >>> a, b = lengths.of((3, 100), ("arg", 0)), lengths.of((100,), ("arg", 1))
    >>> a[0], a[1] == b[0]
    (3, True)
    """

    def __init__(self, known: Known = Known.ONES) -> None:
        self.known = known
        self._symbols: dict[int, Dim | int] = {}

    def of(self, shape: Shape, key: tuple[object, ...]) -> tuple[Dim | int, ...]:
        """The lengths of an array; ``key`` tells it apart from all others."""
        return tuple([self._length(n, (*key, axis)) for axis, n in enumerate(shape)])

    def fixed(self, shape: Shape) -> Shape:
        """The lengths of an array whose shape is compiled in."""
        if self.known is not Known.ONES:
            self._symbols.update(zip(shape, shape, strict=True))
        return shape

    def _length(self, n: int, key: object) -> Dim | int:
        if self.known is Known.ONES:
            return 1 if n == 1 else Dim.symbol(key, not_one=True, least=0)
        small = SMALL if self.known is Known.CONSTANTS else 1
        if n <= small:
            return n
        return self._symbols.setdefault(n, Dim.symbol(key, not_one=True, least=small + 1))


def leaf_type(
    value: object,
    key: tuple[object, ...],
    lengths: Lengths,
    constant_shape: bool = False,
    several: bool | None = None,
) -> Any:
    """The type that a number or array has in the signature: what is known of its lengths is part of it.

    ``several``: whether an int is 2 at least, if that is known.
    """
    if isinstance(value, np.ndarray):
        shape = lengths.fixed(value.shape) if constant_shape else lengths.of(value.shape, key)
        return Array(value.dtype, shape)
    found = type_of(value)
    return (
        Scalar("int", found.dtype, Dim.symbol(key, least=2 if several else None))
        if isinstance(found, Scalar) and found.kind == "int"
        else found
    )
