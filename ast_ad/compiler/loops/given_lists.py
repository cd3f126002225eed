"""Which lists of numbers that a program is given become arrays in kernels?

``own_lists(function, rows_like) -> None``, at the beginning of ``lists_as_arrays``. A list from outside is
Python's, which no kernel takes: a loop over it would run in the driver, a call of a kernel for each turn. If
all that the program does to it has a form for lists that it keeps, it is one of these, made at the start.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...rules import containers
from ..ir.alternatives import is_mixed
from ..ir.ops import Function, Op, Var
from ..ir.types import ListOf, Scalar, Type
from ..simplify.renaming import replace_reads
from .kept_lists import Lists


def own_lists(function: Function, rows_like: Collection[Any] = ()) -> None:
    """Let the body read lists of its own in place of those that it is given, as far as they can be arrays."""
    given = {p: Var(p.type, p.hint) for p in function.params if is_of_numbers(p.type)}
    if not given:
        return
    replace_reads(function.body, given)
    made = {own: Op(containers.list_given, (p,), (own,)) for p, own in given.items()}
    function.body.ops[:0] = made.values()
    lists = Lists(function, rows_like)
    unfit = {own: p for p, own in given.items() if lists.of(own) != p.type.element}  # type: ignore[union-attr]
    replace_reads(function.body, unfit)
    dropped = [made[own] for own in unfit]
    function.body.ops = [op for op in function.body.ops if op not in dropped]


def is_of_numbers(type: Type) -> bool:
    """Whether it is a list of Python's own ints or floats."""
    kind = type.element if isinstance(type, ListOf) else None
    if not isinstance(kind, Scalar) or is_mixed(kind):
        return False
    return kind.kind in ("int", "float") and kind.dtype is None
