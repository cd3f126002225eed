"""Which place in an array has a number, row by row? Counted as unsigned integers, which divide fast."""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator, no-any-return"
from typing import Any

import numpy as np

from ..linked import linked
from ..runtime import Mismatch


@linked
def row_of(number: int, length: int) -> Any:
    """In which row of ``length`` elements the element with a number is.

    >>> int(row_of(7, 3)), int(row_of(0, 0))
    (2, 0)
    """
    return np.int64(np.uint64(number) // np.uint64(max(length, 1)))


@linked
def column_of(number: int, length: int) -> Any:
    """At which place of its row it is.

    >>> int(column_of(7, 3)), int(column_of(0, 0))
    (1, 0)
    """
    return np.int64(np.uint64(number) % np.uint64(max(length, 1)))


@linked
def rows_in(count: int, length: int) -> int:
    """How many rows of ``length`` elements ``count`` of them are; an error that NumPy raises if none fit.

    >>> int(rows_in(6, 3))
    2
    """
    if length <= 0 or count % length != 0:
        raise Mismatch
    return count // length
