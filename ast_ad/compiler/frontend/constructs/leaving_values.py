"""What may leave a program? Values that Python has outside of it as they are inside.

``require_leaves`` refuses the others: iterators and views of dicts, which are lists in a program, and objects
of the classes that are read in the place of compiled ones.
"""

from __future__ import annotations

from typing import Any

from ....rules.standing import original_of
from ...ir.ops import Lit, Var
from ..context import Context
from ..spelling import with_article
from ..values import Comprehension, Dct, Flat, Generator, Iterable, Lst, Obj, Range, Tup, Value

ITERATORS = Iterable, Comprehension, Generator


def require_leaves(cx: Context, value: Value, seen: set[int] | None = None) -> None:
    """
    Raises:
        UnsupportedError: the value, or what it holds, is another one outside of the program.
    """
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    require_kept(cx, value, kind_inside(value))
    for part in _parts(cx, value):
        seen.add(id(value))
        require_leaves(cx, part, seen)


def require_kept(cx: Context, value: Value, kind: str | None = None) -> None:
    """
    Raises:
        UnsupportedError: the value is an iterator or a view, which would be a list behind its function.
    """
    if (kind := kind or kind_of_view(value)) is not None:
        raise cx.unsupported(
            f"{with_article(kind)} that leaves the function",
            "in compiled code it is made of lists and numbers",
            "return, or store, a list of its items",
        )


def kind_inside(value: Value) -> str | None:
    """What Python has outside where the program has something else; None if it is the same."""
    original = original_of(value.cls) if isinstance(value, Obj) else None
    return kind_of_view(value) if original is None else str(original.__name__)


def kind_of_view(value: Value) -> str | None:
    """The same of iterators and views."""
    if isinstance(value, Lst) and value.shows is not None:
        of, kind = value.shows
        return kind if of is None else f"view of a dict's {kind}"
    if isinstance(value, ITERATORS):
        return value.kind if isinstance(value, Iterable) else "generator"
    if isinstance(value, Range) and not is_fixed(value):
        return "range whose bounds are known at run time only"
    if isinstance(value, Flat):
        return "flat iterator of an array"
    return None


def is_fixed(value: Range) -> bool:
    """Whether the bounds of a range are known when the program is made."""
    return all(isinstance(part, Lit) for part in (value.start, value.stop, value.step))


def _parts(cx: Context, value: Value) -> list[Any]:
    if isinstance(value, Tup):
        return list(value.items)
    if not isinstance(value, (Lst, Dct, Obj)):
        return []
    content = cx.state.get(value)
    if isinstance(content, Var):
        return []
    return list(content.values() if isinstance(content, dict) else content)
