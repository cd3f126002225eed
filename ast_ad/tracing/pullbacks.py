"""How are pullbacks put together? By giving their cotangents in another order, and by making them late.

All of them have the two methods that the package describes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Rearranged:
    """A pullback with its cotangents in another order.

    Args:
        pullback: the one that does the work.
        takes: for each cotangent that it takes, which of the given ones that is; None: it is zero.
        gives: for each cotangent that is returned, which of those that it returns.
    """

    def __init__(self, pullback: Any, takes: Sequence[int | None], gives: Sequence[int]) -> None:
        self.pullback, self.takes, self.gives = pullback, list(takes), list(gives)

    def _taken(self, cotangents: Sequence[Any]) -> list[Any]:
        return [None if i is None else cotangents[i] for i in self.takes]

    def __call__(self, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        found = self.pullback(self._taken(cotangents))
        return tuple(found[i] for i in self.gives)

    def linearize(self, cotangents: Sequence[Any]) -> tuple[tuple[Any, ...], Rearranged]:
        """The same cotangents, and their own pullback, rearranged accordingly."""
        taken = self._taken(cotangents)
        found, second = self.pullback.linearize(taken)
        places = {i: n for n, i in enumerate(self.gives)}
        used = [i for i, bar in zip(self.takes, taken, strict=True) if bar is not None]
        given = [i for i, bar in enumerate(cotangents) if bar is not None]
        takes = [places.get(i) for i in range(len(found))]
        gives = [*self.gives, *(len(found) + used.index(i) for i in given)]
        return tuple(found[i] for i in self.gives), Rearranged(second, takes, gives)


def spread(pullback: Any, positions: Sequence[int], length: int, leaves: int) -> Rearranged:
    """A pullback that takes the cotangents at ``positions`` of ``length``; the others are zero."""
    takes: list[int | None] = [None] * length
    for n, position in enumerate(positions):
        takes[position] = n
    return Rearranged(pullback, takes, range(leaves))


class Later:
    """The pullback of a pullback, made when it is asked for: first derivatives never do."""

    def __init__(self, pullback: Any, cotangents: Sequence[Any]) -> None:
        self.pullback, self.cotangents = pullback, tuple(cotangents)

    def made(self) -> Any:
        return self.pullback.linearize(self.cotangents)[1]

    def __call__(self, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(self.made()(cotangents))

    def linearize(self, cotangents: Sequence[Any]) -> tuple[tuple[Any, ...], Any]:
        return self.made().linearize(cotangents)
