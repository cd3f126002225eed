"""What holds operands whose order is of no matter, and is run through in one order all the same?

``Unordered(items)``, of minima, maxima and products (``dims``). A set's own order changes with each process,
as the hashes of strings do, and with it the text of a program, by which a later process finds what was
compiled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


class Unordered(frozenset[Any]):
    """A frozenset that is run through in the order in which its items were given.

    >>> Unordered("cab") == Unordered("abc"), list(Unordered("cab"))
    (True, ['c', 'a', 'b'])
    """

    _given: tuple[Any, ...]

    def __new__(cls, items: Iterable[Any] = ()) -> Unordered:
        given = tuple(dict.fromkeys(items))
        found = super().__new__(cls, given)
        found._given = given
        return found

    def __iter__(self) -> Iterator[Any]:
        return iter(self._given)
