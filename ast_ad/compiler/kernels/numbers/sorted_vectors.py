"""In which order do the numbers of a vector come? Sorted in place, with the places that they had.

Short vectors by insertion, longer ones by their bits, digit by digit from the last one: numbers become
unsigned integers that have their order, with NaN behind all, as NumPy has it.
"""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator"
from typing import Any

import numpy as np

from ..linked import linked
from ..runtime import Mismatch

FEW = 64  # as many are sorted by insertion
FEWER = 4000  # as many are sorted by digits of 8 bits, more by such of 11


@linked
def _before(x: float, y: float) -> bool:
    return x < y or (y != y and x == x)


@linked
def _insert(values: Any, places: Any) -> None:
    for i in range(1, len(values)):
        x, place, j = values[i], places[i], i - 1
        while j >= 0 and _before(x, values[j]):
            values[j + 1], places[j + 1] = values[j], places[j]
            j -= 1
        values[j + 1], places[j + 1] = x, place


@linked
def _keys(values: Any) -> Any:
    """Unsigned integers in the order of the numbers; both zeros are one, and so are all NaN."""
    zero, top = np.uint64(0), np.uint64(1) << np.uint64(63)
    numbers = np.empty(len(values), np.float64)
    keys = numbers.view(np.uint64)
    for i in range(len(keys)):
        numbers[i] = values[i]
        if values[i] != values[i]:
            keys[i] = ~zero
        elif values[i] == 0.0:
            keys[i] = top
        elif keys[i] & top:
            keys[i] = ~keys[i]
        else:
            keys[i] |= top
    return keys


@linked
def _keys_of_integers(values: Any) -> Any:
    keys, top = np.empty(len(values), np.uint64), np.uint64(1) << np.uint64(63)
    for i in range(len(keys)):
        keys[i] = np.uint64(values[i]) ^ top
    return keys


@linked
def _by_digits(keys: Any, values: Any, places: Any) -> None:
    n = len(values)
    bits = 8 if n <= FEWER else 11
    size = 1 << bits
    mask = np.uint64(size - 1)
    order, next_order, counts = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(size, np.int64)
    for i in range(n):
        order[i] = i
    for digit in range((64 + bits - 1) // bits):
        shift = np.uint64(digit * bits)
        for d in range(size):
            counts[d] = 0
        for i in range(n):
            counts[(keys[i] >> shift) & mask] += 1
        if counts[(keys[0] >> shift) & mask] == n:
            continue
        before = 0
        for d in range(size):
            here = counts[d]
            counts[d] = before
            before += here
        for i in range(n):
            place = (keys[order[i]] >> shift) & mask
            next_order[counts[place]] = order[i]
            counts[place] += 1
        order, next_order = next_order, order
    numbers = np.empty(n, values.dtype)
    for i in range(n):
        numbers[i] = values[order[i]]
    for i in range(n):
        values[i], places[i] = numbers[i], order[i]


@linked
def sort_with_places(values: Any, places: Any) -> None:
    """Put the numbers in order, equal ones in the order that they had, and the places along with them."""
    for i in range(len(places)):
        places[i] = i
    if len(values) <= FEW:
        _insert(values, places)
    else:
        _by_digits(_keys(values), values, places)


@linked
def sort_integers_with_places(values: Any, places: Any) -> None:
    """The same for integers."""
    for i in range(len(places)):
        places[i] = i
    if len(values) <= FEW:
        _insert(values, places)
    else:
        _by_digits(_keys_of_integers(values), values, places)


@linked
def sort_rows_with_places(values: Any, places: Any) -> None:
    """The same for each row of a matrix."""
    for i in range(len(values)):
        sort_with_places(values[i], places[i])


@linked
def sort_rows_of_integers_with_places(values: Any, places: Any) -> None:
    for i in range(len(values)):
        sort_integers_with_places(values[i], places[i])


@linked
def require_no_ties(values: Any) -> None:
    """Stop the kernel if two sorted numbers are equal: in which order NumPy has them is its own matter."""
    for i in range(1, len(values)):
        if not values[i - 1] < values[i]:
            raise Mismatch


@linked
def require_no_ties_in_rows(values: Any) -> None:
    for i in range(len(values)):
        require_no_ties(values[i])
