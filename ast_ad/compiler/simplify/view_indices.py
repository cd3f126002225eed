"""What does an index of a view name in the array itself?"""

from __future__ import annotations

import operator

import numpy as np

from ..frontend.builder import Builder
from ..ir.ops import Arg, Lit, Seq, Slice, Var
from ..ir.types import Scalar


def is_basic_index(index: Arg) -> bool:
    """Whether indexing with it gives a view or an element: ints, slices, None and Ellipsis."""
    return all(
        isinstance(p, Slice) or is_int(p) or _is_constant(p, (None, Ellipsis)) for p in parts_of(index)
    )


def literal_slices(index: Arg) -> slice | tuple[slice, ...] | None:
    """An index of slices with constant bounds as Python has it; None of any other."""
    parts = []
    for part in parts_of(index):
        if isinstance(part, Lit) and isinstance(part.value, slice):
            parts.append(part.value)
            continue
        bounds = (part.start, part.stop, part.step) if isinstance(part, Slice) else ()
        known = [bound.value for bound in bounds if isinstance(bound, Lit)]
        if len(known) < 3:
            return None
        parts.append(slice(*known))
    return tuple(parts) if isinstance(index, Seq) else parts[0]


def parts_of(index: Arg) -> tuple[Arg, ...]:
    """The index of each axis."""
    return index.items if isinstance(index, Seq) and index.kind is tuple else (index,)


def is_int(part: Arg) -> bool:
    if isinstance(part, Lit):
        return isinstance(part.value, (int, np.integer)) and not isinstance(part.value, bool)
    return isinstance(part, Var) and isinstance(part.type, Scalar) and part.type.kind == "int"


def compose(builder: Builder, outer: Arg, inner: Arg) -> Arg | None:
    """The index ``k`` with ``a[k] == a[outer][inner]``; None where it has no simple form.

    ``outer`` may hold ints and the slices ``:`` and ``::-1``, ``inner`` ints and, for an axis that ``outer``
    takes whole, slices.
    """
    first, second = parts_of(outer), list(parts_of(inner))
    if not all(is_int(p) or is_whole(p) or _is_reversed(p) for p in first):
        return None
    if not all(is_int(p) or isinstance(p, Slice) for p in second):
        return None
    combined: list[Arg] = []
    for part in first:
        if is_int(part) or not second:
            combined.append(part)
        elif is_whole(part):
            combined.append(second.pop(0))
        elif is_int(second[0]):
            combined.append(builder.op(operator.sub, -1, second.pop(0)))
        else:
            return None
    combined += second
    return combined[0] if len(combined) == 1 else Seq(tuple(combined))


def is_whole(part: Arg) -> bool:
    """Whether it is ``:``."""
    return isinstance(part, Slice) and all(
        _is_constant(p, (None,)) for p in (part.start, part.stop, part.step)
    )


def _is_reversed(part: Arg) -> bool:
    if not isinstance(part, Slice) or not isinstance(part.step, Lit) or part.step.value != -1:
        return False
    return _is_constant(part.start, (None,)) and _is_constant(part.stop, (None,))


def _is_constant(part: Arg, values: tuple[object, ...]) -> bool:
    return isinstance(part, Lit) and any(part.value is v for v in values)
