"""Between which bounds are the integers that loops count with?"""

from __future__ import annotations

import operator

from ..ir.dims import lower
from ..ir.ops import Arg, For, Lit, Op, Var
from ..ir.types import Dim, Scalar

Form = Dim | int


class Counters:
    """Integers as sums of lengths and of counters, whose ranges are known.

    Loops and operations are learned in the order of the program, outer before inner.
    """

    def __init__(self) -> None:
        self._forms: dict[Var, Form] = {}
        self._ranges: dict[
            Dim, tuple[Form, Form]
        ] = {}  # of each counter, both ends included; outer ones first

    def loop(self, op: For) -> None:
        """The counter of a loop that goes up."""
        if op.range is None:
            return
        start, stop = (self.form(arg) for arg in op.range[:2])
        step = op.range[2]
        if start is None or stop is None or not isinstance(step, Lit) or step.value < 1:
            return
        symbol = Dim.symbol(("counter", op.index.id))
        self._forms[op.index] = symbol
        self._ranges[symbol] = start, stop - 1

    def learn(self, op: Op) -> None:
        """A sum or difference of what is known."""
        if op.fn in (operator.add, operator.sub) and len(op.args) == 2:
            a, b = map(self.form, op.args)
            if a is not None and b is not None and op.out not in self._forms:
                self._forms[op.out] = op.fn(a, b)

    def form(self, arg: Arg) -> Form | None:
        """An integer of Python's as a sum; None where it is none, or is not known."""
        if isinstance(arg, Lit):
            return arg.value if type(arg.value) is int else None
        if not isinstance(arg, Var):
            return None
        if arg in self._forms:
            return self._forms[arg]
        known = isinstance(arg.type, Scalar) and arg.type.kind == "int" and arg.type.dtype is None
        return arg.type.size if known else None  # type: ignore[union-attr]

    def at_least(self, form: Form, least: int) -> bool:
        """Whether the integer certainly reaches a number."""
        for symbol, (low, high) in reversed(self._ranges.items()):
            if isinstance(form, int):
                break
            coefficient = dict(form.terms).get(symbol.terms[0][0], 0)
            if coefficient:
                form = form + (low if coefficient > 0 else high) * coefficient - symbol * coefficient
        found = lower(form)
        return found is not None and found >= least
