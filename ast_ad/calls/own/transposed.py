"""What are the cotangents of a function that has a rule for tangents only, in a compiled program?

The tangent is a program of the arguments' tangents, and linear in them: its adjoint by them, which doesn't
depend on them then, is the rule for cotangents.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...compiler.adjoint.contributions import cotangent_type
from ...compiler.adjoint.linearity import adds_a_constant, values_read
from ...compiler.frontend.builder import type_of_arg
from ...compiler.frontend.callables.calls import call
from ...compiler.frontend.conversion import from_arg
from ...compiler.frontend.structures import rebuilt
from ...compiler.frontend.values import Tup
from ...compiler.ir.ops import Arg, Block, Function, Lit, Var
from ...compiler.ir.types import carries_derivative
from ...compiler.simplify.renaming import Renaming, copy_block
from ...rules import helpers
from ...rules.rule_results import not_linear
from ..inside_later import mapped
from ..pipeline import settled
from ..questions import Pullback
from .leaves import Fitting, leaves

if TYPE_CHECKING:
    from .lowering import Reading


class Tangent:
    """The tangent of one call."""

    def __init__(self, reading: Reading, structure: Any, ans: list[Arg], g: list[Arg]) -> None:
        self.reading, self.cx, self.own = reading, reading.cx, reading.own
        self.structure, self.ans, self.g = structure, ans, g
        self.answer = rebuilt(self.cx, structure, ans)
        self.tangents: list[Var] = []

    def cotangents(self) -> list[Arg]:
        """A cotangent for each input, or None."""
        cx, block = self.cx, Block()
        with cx.builder.nested(block):
            given = [mapped(cx, self.reading.args[i], self.tangent) for i in self.reading.chosen]
            found = self.called(given)
            parts = Fitting(cx, self.own.name, "the rule").leaves(self.answer, found, "the value")
        bars = [bar for bar in self.g if isinstance(bar, Var)]
        pairs = [(p, b) for p, b in zip(self.floats(parts), bars, strict=True) if isinstance(p, Var)]
        block.results = tuple(part for part, _ in pairs)
        function = settled(Function("tangent", tuple(self.tangents), block))
        count, wrt = len(pairs), tuple(range(len(self.tangents)))
        transposed = Pullback().program(function, wrt, tuple(range(count)), region=True)
        given_, seeds = transposed.params[: len(wrt)], transposed.params[len(wrt) :]
        self.require_linear(function, transposed, given_, transposed.body.results[count:])
        names: Renaming = dict(zip(seeds, (bar for _, bar in pairs), strict=True))
        for var, like in zip(given_, self.likes(), strict=True):
            names[var] = cx.builder.opaque(helpers.zero_like, (like,), var.type)
        copied = copy_block(transposed.body, names)
        for op in copied.ops:
            cx.builder.append(op)
        made = iter(copied.results[count:])
        return [next(made) if self.is_float(arg) else Lit(None) for arg in self.reading.inputs]

    def called(self, given: list[Any]) -> Any:
        """The tangent of the value for those of the arguments."""
        cx, own, reading = self.cx, self.own, self.reading
        if own.tangent is not None:
            fixed, primals = own.split(reading.args)
            found = call(cx, reading.rule("tangent"), [*fixed, Tup(tuple(primals)), Tup(tuple(given))], {})
            return reading.pair("the rule", found, "value, tangent")[1]
        parts: list[Any] = []
        for i, t in zip(reading.chosen, given, strict=True):
            if own.parts is not None and own.parts.get(i) is not None:
                rule = reading.rule("parts", i)
                parts.append(call(cx, rule, [t, self.answer, *reading.args], dict(reading.kwargs)))
        return self.summed(parts)

    def summed(self, parts: list[Any]) -> Any:
        """The sum of parts of the tangent."""
        fitting, total = Fitting(self.cx, self.own.name, "the rule"), list[Any]()
        for part in parts:
            found = fitting.leaves(self.answer, part, "the value")
            total = [self.added(a, b) for a, b in zip(total, found, strict=True)] if total else found
        if not total:
            return Lit(None)
        left = iter(total)
        return mapped(self.cx, self.answer, lambda leaf: from_arg(self.cx, next(left)))

    def added(self, a: Arg, b: Arg) -> Arg:
        """The sum of two leaves; None is zero."""
        if isinstance(a, Lit) and a.value is None:
            return b
        if isinstance(b, Lit) and b.value is None:
            return a
        found: Arg = self.cx.builder.op(operator.add, a, b)
        return found

    def tangent(self, leaf: Any) -> Any:
        """The tangent of a leaf of an argument; of what has no derivative: the leaf's zero."""
        found = self.cx.arg(leaf)
        if not self.is_float(found):
            return Lit(0) if isinstance(found, Lit) else self.reading.zero(leaf)
        var = Var(cotangent_type(type_of_arg(found)), "tangent")
        self.tangents.append(var)
        return self.cx.wrap_var(var)

    def likes(self) -> list[Arg]:
        return [arg for arg in self.reading.inputs if self.is_float(arg)]

    def floats(self, parts: list[Arg]) -> list[Arg]:
        """Those of the leaves of the value that carry a derivative."""
        every = leaves(self.cx, self.answer)
        return [p for p, leaf in zip(parts, every, strict=True) if self.is_float(self.cx.arg(leaf))]

    def is_float(self, arg: Arg) -> bool:
        return carries_derivative(type_of_arg(arg))

    def require_linear(
        self, tangent: Function, transposed: Function, tangents: Sequence[Var], bars: Sequence[Arg]
    ) -> None:
        """Refuse a tangent that is not linear in those of the arguments."""
        if values_read(transposed.body, bars, tangents) or adds_a_constant(tangent.body, self.tangents):
            raise not_linear(self.own.name).at(self.cx.builder.span)
