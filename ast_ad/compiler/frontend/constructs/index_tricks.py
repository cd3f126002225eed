"""What do ``np.r_[a, 0, b]`` and ``np.c_[a, b]`` join?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.ops import Lit
from ..context import Context
from ..types.type_questions import asked, known_rank
from ..values import Arr, Lst, Tup, Value


def joined_by_index(cx: Context, columns: bool, index: Value) -> Any:
    """The parts of an index, joined along an axis; a directive may say which, and how many axes they have."""
    axis, least, place = (-1, 2, 0) if columns else (0, 1, -1)
    parts: list[Value] = []
    for i, part in enumerate(index.items if isinstance(index, Tup) else (index,)):
        text = cx.static_value(part)
        if isinstance(text, str):
            numbers = text.split(",")
            if i or not all(n.strip().lstrip("-").isdigit() for n in numbers):
                raise cx.unsupported("a directive in np.r_", "it makes a matrix", "use np.concatenate")
            axis, least, place = [*map(int, numbers), *(axis, least, place)[len(numbers) :]]
            continue
        parts.append(part if is_scalar(part) else part_of(cx, part, least, place))
    if any(map(is_scalar, parts)):  # which has no say in the type, if it is a number of Python's
        dtype = Lit(asked(cx, np.result_type, *parts))
        parts = [part_of(cx, part, least, place, dtype) if is_scalar(part) else part for part in parts]
    return cx.emit(np.concatenate, Tup(tuple(parts)), axis=Lit(axis))


def is_scalar(part: Value) -> bool:
    return not isinstance(part, (Arr, Lst, Tup, slice))


def part_of(cx: Context, part: Value, least: int, place: int, dtype: Value = Lit(None)) -> Any:
    """One part as an array with at least so many axes.

    Args:
        place: how many of the new ones come last.
        dtype: of a number, what it becomes.
    """
    scalar = is_scalar(part)
    if isinstance(part, slice):
        array = range_of(cx, part)
    elif scalar:
        array = cx.emit(np.array, Lst((part,)), dtype=dtype)
    else:
        array = part if isinstance(part, Arr) else cx.emit(np.array, part)
    rank = known_rank(cx, cx.read(array))
    missing = least - (0 if scalar else rank)
    for _ in range(least - rank):
        array = cx.emit(np.expand_dims, array, Lit(0))
    if place == -1 or scalar or missing <= 0:
        return array
    if isinstance(part, slice):
        return cx.emit(np.swapaxes, array, Lit(-1), Lit(place))
    first = place + missing + 1 if place < 0 else place
    axes = list(range(least))
    return cx.emit(
        np.transpose, array, Tup(tuple(map(Lit, axes[:first] + axes[missing:] + axes[first:missing])))
    )


def range_of(cx: Context, part: slice) -> Any:
    """``start:stop:step``; with an imaginary step that many numbers, the last one included."""
    step = cx.static_value(part.step)
    start = Lit(0) if cx.static_value(part.start) is None and isinstance(part.start, Lit) else part.start
    if isinstance(step, complex):
        return cx.emit(np.linspace, start, part.stop, Lit(int(abs(step))))
    return cx.emit(np.arange, start, part.stop, Lit(1) if part.step in (None, Lit(None)) else part.step)
