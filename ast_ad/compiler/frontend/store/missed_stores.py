"""Does the program read from outside, by another way, what it has stored, and so what was there before?

An attribute is also an item of ``__dict__``, and what a partial or a function with defaults is called with
is also an item of ``keywords`` or ``__kwdefaults__``. A store by one of the ways is held back, and the other
ways lead to what lies outside.
"""

from __future__ import annotations

import gc
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..context import Context
from ..guards import ATTRIBUTE, ITEM, UNREADABLE, Path
from .left import changed_outside, stored_to

if TYPE_CHECKING:
    from ..inputs import Inputs


def require_none_missed(cx: Context) -> None:
    """Every read sees what is stored.

    Raises
    ------
    UnsupportedError
        if one comes by another way than the store.
    """
    inputs = cx.outside()
    changed = {id(inputs.sources[path]): path for path in changed_outside(cx)}
    stored = {(id(place.owner), place.name) for place in inputs.places.stored()}
    stored |= {
        (id(own_dict(p.owner)), p.name) for p in inputs.places.stored() if own_dict(p.owner) is not None
    }
    for owner in inputs.places.known.keys() & changed.keys():
        raise missed(cx, changed[owner], "a call reads it as it lies outside")
    for path in read_paths(inputs):
        for way, owner, kind, name in steps(path):
            by_dict = kind == ITEM and isinstance(owner, dict)
            if by_dict and id(owner) in changed and way not in inputs.captured:
                raise missed(cx, changed[id(owner)], f"it is also read as `{path}`")
            if kind == ATTRIBUTE and id(own := own_dict(owner)) in changed and name in own:
                raise missed(cx, changed[id(own)], f"it is also read as `{path}`")
            if (id(owner), name) in stored and (not by_dict or way in inputs.captured) and kind == ITEM:
                raise missed(cx, name, f"it is also read as `{path}`")


def missed(cx: Context, what: object, why: str) -> Exception:
    return cx.unsupported(stored_to(str(what)), why, "store and read it in one way")


def read_paths(inputs: Inputs) -> Iterator[Path]:
    """Where the program has found what it read."""
    yield from inputs.captured
    yield from (guard.path for guard in inputs.guards if guard.kind not in ("present", "missing"))


def steps(path: Path) -> Iterator[tuple[Path, Any, str, Any]]:
    """The reads of a path: the way to an object, the object, and what is read of it.

    An item of ``obj.__dict__`` is one of ``obj`` as well.
    """
    for i, (kind, name) in enumerate(path.steps):
        way = Path(path.root, path.steps[:i], path.label)
        try:
            owner = way.read()
        except UNREADABLE:
            return
        if isinstance(owner, types.MappingProxyType):
            [owner] = gc.get_referents(owner)
        yield way, owner, kind, name
        if i and kind == ITEM and path.steps[i - 1] == (ATTRIBUTE, "__dict__"):
            holder = Path(path.root, path.steps[: i - 1], path.label).read()
            yield way, holder, kind, name


def holders(owner: object) -> list[Any]:
    """An object, and the dict of its attributes."""
    own = own_dict(owner)
    return [owner] if own is None else [owner, own]


def own_dict(owner: object) -> Any:
    """The dict in which an object holds its attributes, or None."""
    found = getattr(owner, "__dict__", None)
    return found if isinstance(found, dict) else None
