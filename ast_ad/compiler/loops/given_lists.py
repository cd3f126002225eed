"""Which lists of numbers, or of tuples of them, that a program is given become arrays in kernels?

``own_lists(function, lists_of, is_of) -> None``, at the beginning of ``lists_as_arrays`` or ``tuples_apart``.
A list from outside is Python's, which no kernel takes: a loop over it would run in the driver, a call of a
kernel for each turn. If all that the program does to it has a form for lists that it keeps, it is one of
these, made at the start.
"""

from __future__ import annotations

from collections.abc import Callable

from ...rules import containers
from ..ir.alternatives import is_mixed
from ..ir.ops import Function, Op, Var
from ..ir.types import ListOf, Scalar, TupleOf, Type
from ..simplify.renaming import replace_reads
from .kept_lists import Lists


def own_lists(
    function: Function, lists_of: Callable[[Function], Lists], is_of: Callable[[Type], bool]
) -> None:
    """Let the body read lists of its own in place of those that it is given, as far as they can be arrays.

    Args:
        function: a program, which is changed.
        lists_of: what tells which lists of a program have a form.
        is_of: which types of lists are asked for.
    """
    given = {p: Var(p.type, p.hint) for p in function.params if is_of(p.type)}
    if not given:
        return
    replace_reads(function.body, given)
    made = {own: Op(containers.list_given, (p,), (own,)) for p, own in given.items()}
    function.body.ops[:0] = made.values()
    lists = lists_of(function)
    unfit = {own: p for p, own in given.items() if not _has_form(lists, own)}
    replace_reads(function.body, unfit)
    dropped = [made[own] for own in unfit]
    function.body.ops = [op for op in function.body.ops if op not in dropped]


def _has_form(lists: Lists, own: Var) -> bool:
    """Whether the list is one of those that are replaced, with elements as they are given."""
    found = lists.of(own)
    return found is not None and (not isinstance(found, Scalar) or found == own.type.element)  # type: ignore[union-attr]


def is_of_numbers(type: Type) -> bool:
    """Whether it is a list of Python's own ints or floats."""
    return isinstance(type, ListOf) and _is_number(type.element)


def is_of_tuples(type: Type) -> bool:
    """Whether it is a list of tuples of Python's own ints or floats."""
    kind = type.element if isinstance(type, ListOf) else None
    return isinstance(kind, TupleOf) and bool(kind.items) and all(map(_is_number, kind.items))


def _is_number(kind: Type) -> bool:
    if not isinstance(kind, Scalar) or is_mixed(kind):
        return False
    return kind.kind in ("int", "float") and kind.dtype is None
