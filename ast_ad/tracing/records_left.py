"""What becomes of structured arrays that a traced function stores in what outlives it? NumPy's own."""

from __future__ import annotations

import contextlib
import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import UnsupportedError
from ..rules.structured import is_structured, noted
from .survivors import make_plain
from .traced_array import plain


@contextlib.contextmanager
def made_plain() -> Iterator[None]:
    """After the block a structured array that it has stored in what outlives it is one of NumPy's."""
    before, noted.made = noted.made, []
    try:
        yield
        left = survivors(noted.made)
    finally:
        noted.made = before
    if left and (len(left) > 1 or not is_structured(type(left[0]))):
        raise UnsupportedError(
            "several structured arrays that outlive the call, or an item of one",
            why="in a trace they are arrays of their own for each field, which may be shared",
            fix="store their fields",
        )
    make_plain(left, as_stored)


def survivors(made: list[weakref.ref[Any]]) -> list[Any]:
    """Which of these something still refers to."""
    if any(reference() is not None for reference in made):
        gc.collect()  # a cycle, perhaps
    return [one for one in (reference() for reference in made) if one is not None]


def as_stored(records: Any) -> np.ndarray:
    """The structured array of what the fields hold now."""
    whole = np.empty(records.shape, records.dtype)
    for name in records.dtype.names:
        whole[name] = plain(records.fields[name])
    return whole
