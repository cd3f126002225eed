"""Which integers are certainly within an array's bounds, or far from overflow?

Affine forms over lengths and loop counters, each counter with the bounds of its range.
"""

from __future__ import annotations

from ...ir.ops import Arg, Lit, Var
from ...ir.types import Dim, Scalar

Affine = Dim | int


class Bounds:
    """What is known of a program's integers."""

    def __init__(self) -> None:
        self._affine: dict[Var, Affine] = {}
        self._ranges: dict[Dim, tuple[Affine | None, Affine | None]] = {}
        self._order: dict[Dim, int] = {}
        self._lengths: dict[Dim, int] = {}
        self._small: set[Var] = set()

    def is_length(self, dim: Dim | int) -> None:
        """Note a length of an array: it is not negative."""
        if isinstance(dim, Dim):
            self._lengths[dim] = max(dim.least, self._lengths.get(dim, 0))

    def learn(self, var: Var) -> None:
        """Take what the type tells of a number."""
        if isinstance(var.type, Scalar) and var.type.size is not None:
            self._affine.setdefault(var, var.type.size)

    def same(self, out: Var, value: Var) -> None:
        """Note that two names stand for one number."""
        self.learn(out)
        if out in self._affine:
            self._affine.setdefault(value, self._affine[out])
        if out in self._small or self.is_small(out):
            self._small.add(value)

    def define(self, out: Var, form: Affine) -> None:
        self._affine[out] = form

    def affine(self, arg: Arg) -> Affine | None:
        """The number as an affine form; None where it is none that is known."""
        if isinstance(arg, Lit):
            return arg.value if type(arg.value) is int else None
        if isinstance(arg, Var):
            if arg not in self._affine:
                self.learn(arg)
            return self._affine.get(arg)
        return None

    def nearby(self, var: Var, form: Affine | None) -> None:
        """A number that was checked to be small."""
        self._small.add(var)
        if form is not None:
            self._affine[var] = form

    def loop(self, index: Var, low: Affine | None, high: Affine | None) -> None:
        """A counter that runs from ``low`` to ``high``, both included; the one where it begins is small."""
        symbol = Dim.symbol(("counter", index.id))
        self._affine[index] = symbol
        self._ranges[symbol] = low, high
        self._order[symbol] = len(self._order)

    def is_small(self, arg: Arg) -> bool:
        """Whether a number is a length, a counter or near to one: such are never close to overflow."""
        if isinstance(arg, Lit):
            return type(arg.value) is int and abs(arg.value) < 2**40
        if not isinstance(arg, Var):
            return False
        if arg in self._small:
            return True
        form = self.affine(arg)
        if isinstance(form, int):
            return abs(form) < 2**40
        if isinstance(form, Dim):
            atoms = [Dim(((atom, 1),)) for atom, _ in form.terms]
            near = all(abs(c) < 2**10 for _, c in form.terms) and abs(form.const) < 2**40
            return near and all(a in self._lengths or a in self._ranges for a in atoms)
        return False

    def not_negative(self, form: Affine | None) -> bool:
        """Whether an affine form is certainly not negative."""
        for _ in range(12):
            if form is None:
                return False
            if isinstance(form, int):
                return form >= 0
            counters = [
                (self._order[s], s, c)
                for s, c in ((Dim(((atom, 1),)), c) for atom, c in form.terms)
                if s in self._ranges
            ]
            if not counters:
                break
            _, symbol, coefficient = max(counters, key=lambda item: item[0])
            low, high = self._ranges[symbol]
            limit = low if coefficient > 0 else high
            if limit is None:
                return False
            form = form - symbol * coefficient + limit * coefficient
        if not isinstance(form, Dim):
            return form is not None and form >= 0
        least = form.const
        for atom, c in form.terms:
            length = Dim(((atom, 1),))
            if c < 0 or length not in self._lengths:
                return False
            least += c * self._lengths[length]
        return least >= 0

    def within(self, arg: Arg, length: Dim | int) -> bool:
        """Whether ``0 <= arg < length`` for certain."""
        form = self.affine(arg)
        if form is None:
            return False
        return self.not_negative(form) and self.not_negative(length - 1 - form)
