"""How is what a function returned put together from a program's results?

A structure is a position among the results, or a tuple or list of structures, or a tuple that begins with a
word: ``("static", object)``, ``("outside", path)``, ``("namedtuple", class, structures)``,
or ``("dict" or "object", class, dict)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def positions(structure: object) -> Iterator[int]:
    """The positions of the leaves of a result."""
    if isinstance(structure, int):
        yield structure
    elif isinstance(structure, tuple) and structure and isinstance(structure[0], str):
        kind, _, *rest = structure
        parts = () if kind in ("static", "outside") else rest[0]
        for part in parts.values() if isinstance(parts, dict) else parts:
            yield from positions(part)
    elif isinstance(structure, (tuple, list)):
        for part in structure:
            yield from positions(part)


def rebuild(structure: Any, results: Sequence[Any]) -> Any:
    """The value with this structure and these results."""
    if isinstance(structure, int):
        return results[structure]
    if isinstance(structure, list):
        return [rebuild(s, results) for s in structure]
    if isinstance(structure, tuple) and structure and isinstance(structure[0], str):
        kind, what, *rest = structure
        if kind == "static":
            return what
        if kind == "namedtuple":
            return what(*(rebuild(s, results) for s in rest[0]))
        content = {k: rebuild(s, results) for k, s in rest[0].items()}
        if kind == "dict":
            return what(content) if what is not dict else content
        instance = object.__new__(what)
        for key, item in content.items():
            object.__setattr__(instance, key, item)
        return instance
    return tuple(rebuild(s, results) for s in structure)
