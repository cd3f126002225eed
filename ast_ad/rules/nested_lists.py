"""How do values flow through the items of lists in lists, without a copy of more than the lists on the way?

``path`` holds the indices: ``d[i][j]`` is ``item_within(d, (i, j))``.
"""

from __future__ import annotations

from typing import Any

from . import helpers
from .containers import add

Path = tuple[int, ...]


def item_within(xs: list[Any], path: Path) -> Any:
    """``xs[i][j]``.

    >>> item_within([[1.0], [2.0, 3.0]], (1, 0))
    2.0
    """
    for i in path:
        xs = xs[i]
    return xs


def with_item(xs: list[Any], path: Path, v: Any) -> list[Any]:
    """``xs`` with ``xs[i][j] = v``.

    >>> with_item([[1.0], [2.0, 3.0]], (1, 0), 5.0)
    [[1.0], [5.0, 3.0]]
    """
    return set_within(list(xs), path, v)


def with_sum(xs: list[Any], path: Path, v: Any) -> list[Any]:
    """``xs`` with ``v`` added to ``xs[i][j]``.

    >>> with_sum([[1.0], [2.0, 3.0]], (1, 0), 5.0)
    [[1.0], [7.0, 3.0]]
    """
    return add_within(list(xs), path, v)


def set_within(xs: list[Any], path: Path, v: Any) -> list[Any]:
    """``xs[i][j] = v`` where nobody else has ``xs``; the lists within may be another's, and are replaced."""
    i, *rest = path
    xs[i] = set_within(list(xs[i]), tuple(rest), v) if rest else v
    return xs


def add_within(xs: list[Any], path: Path, v: Any) -> list[Any]:
    """``xs[i][j] = xs[i][j] + v`` where nobody else has ``xs``; the lists within are replaced."""
    i, *rest = path
    xs[i] = add_within(list(xs[i]), tuple(rest), v) if rest else add(xs[i], v)
    return xs


helpers.SHAPED_LIKE.update(dict.fromkeys((with_item, with_sum), (0, ())))
