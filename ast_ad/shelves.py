"""What is kept of a function from one use to the next? What was made for it, on a shelf that hangs on it.

``shelf_of(function) -> Shelf | None``. So function and shelf go together, though what is kept may hold the
function; nothing else holds a shelf.
"""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable
from typing import Any

NAME = "__ast_ad_shelf__"
MOST = 64  # things that are kept of one function
BARE = types.FunctionType, functools.partial  # whose attributes are the user's, if there are any


class Shelf:
    """What is kept of a function, or of all derivatives that share their programs: by what is asked."""

    def __init__(self, function: Any = None) -> None:
        self._of = None if function is None else weakref.ref(function)
        self._kept: dict[Any, Any] = {}

    def belongs_to(self, function: Any) -> bool:
        """Not so on a wrapper that has copied the function's attributes."""
        return self._of is not None and self._of() is function

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made for a key that is equal, of the same types. The key must be hashable."""
        found = self._kept.get(key)
        if found is None:
            while len(self._kept) >= MOST:
                self._kept.pop(next(iter(self._kept)), None)
            found = self._kept.setdefault(key, make())
        return found

    def __reduce__(self) -> Any:
        return Shelf, ()  # a function that is pickled by its attributes leaves its programs behind


def shelf_of(function: Any) -> Shelf | None:
    """The shelf that hangs on a function or a derivative; None of what nothing can be hung on."""
    found = getattr(function, "shared", None) if hasattr(type(function), "shares_programs") else None
    if found is not None:
        return found.shelf  # type: ignore[no-any-return]
    if type(function) not in BARE and not hasattr(type(function), "has_shelf"):
        return None
    space = vars(function)
    shelf = space.get(NAME)
    if not isinstance(shelf, Shelf) or not shelf.belongs_to(function):
        shelf = space[NAME] = Shelf(function)
    return shelf
