"""Where in an array does a loop read or write? Indices as affine forms of one loop's counter.

``scale * loop + const + sum(coefficient * term)``: enough for slices with any start and a constant step,
transposes and flips. Two accesses are compared by comparing these forms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...ir.ops import Arg, Lit, Var


@dataclass(frozen=True)
class Index:
    """An integer: ``loop`` is the counter of a generated loop, ``terms`` numbers that it does not change."""

    loop: Var | None = None
    scale: int = 1
    const: int = 0
    terms: tuple[tuple[Var, int], ...] = ()

    @staticmethod
    def of(arg: Arg) -> Index:
        """The index that a number is."""
        if isinstance(arg, Lit):
            return Index(None, 0, int(arg.value))
        assert isinstance(arg, Var)
        return Index(None, 0, 0, ((arg, 1),))

    def plus(self, other: Index) -> Index:
        """The sum; at most one of the two may move with a loop."""
        assert self.loop is None or other.loop is None
        moving = self if self.loop is not None else other
        terms = dict(self.terms)
        for var, coefficient in other.terms:
            terms[var] = terms.get(var, 0) + coefficient
        kept = tuple((v, c) for v, c in sorted(terms.items(), key=lambda item: item[0].id) if c)
        return Index(moving.loop, moving.scale, self.const + other.const, kept)

    def times(self, factor: int) -> Index:
        return Index(
            self.loop, self.scale * factor, self.const * factor, tuple((v, c * factor) for v, c in self.terms)
        )

    def on(self, loop: Var) -> Index:
        """The same on another loop."""
        return replace(self, loop=loop)


ZERO = Index(None, 0, 0)
