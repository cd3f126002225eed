"""Which elements of a larger array does a basic index name, one by one?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.ops import UNKNOWN, Arg, Lit, Seq, Slice
from ..ir.types import Array, Dim
from ..simplify.view_indices import is_basic_index, is_int, parts_of
from .small_classes import constant
from .small_elements import Elements, NoForm, blank

WHOLE = Slice(Lit(None), Lit(None), Lit(None))


def places(index: Arg, source: Array, shape: Any) -> Elements:
    """For each place of ``a[index]``, whose shape is given, the index of that element in ``a``."""
    if source.shape is None or not is_basic_index(index):
        raise NoForm
    axes = _axes(parts_of(index), len(source.shape))
    lengths = iter(shape)
    rows: list[list[Arg] | None] = []  # for each axis of the result, the indices; None: a new axis
    pattern: list[Any] = []  # for each axis of the source, its index or the axis of the result
    dims = iter(source.shape)
    for part in axes:
        if isinstance(part, Lit) and part.value is None:
            next(lengths)
            rows.append(None)
        elif isinstance(part, Slice):
            length, dim = next(lengths), next(dims)
            pattern.append(len(rows))
            rows.append(_indices(part, length, dim))
        else:
            next(dims)
            pattern.append(part)
    out = blank(shape)
    for place in np.ndindex(out.shape):
        items = tuple(rows[p][place[p]] if isinstance(p, int) else p for p in pattern)  # type: ignore[index]
        out[place] = items[0] if len(items) == 1 else Seq(items)
    return out


def _axes(parts: tuple[Arg, ...], ndim: int) -> list[Arg]:
    """The parts with Ellipsis, and what is left out at the end, written out."""
    taken = sum(1 for p in parts if is_int(p) or isinstance(p, Slice))
    rest: list[Arg] = [WHOLE] * (ndim - taken)
    out: list[Arg] = []
    for part in parts:
        if isinstance(part, Lit) and part.value is Ellipsis:
            out, rest = out + rest, []
        else:
            out.append(part)
    return out + rest


def _indices(part: Slice, length: int, dim: Dim | int) -> list[Arg]:
    """The indices along one axis that a slice of known length takes."""
    step = constant(part.step)
    if step is UNKNOWN:
        raise NoForm
    step = 1 if step is None else step
    start = constant(part.start)
    if isinstance(dim, int):
        value = constant(part)
        if value is UNKNOWN:
            raise NoForm
        return [Lit(i) for i in range(*value.indices(dim))]
    if start is UNKNOWN:
        raise NoForm
    first = (0 if step > 0 else -1) if start is None else start
    return [Lit(first + i * step) for i in range(length)]
