"""Does a parameter only decide, by comparisons in a loop, what the loop goes on with?

``Searches(function, results).decide(op)``: whether an operation does. Asked by ``lost`` of those at which the
derivative by a parameter ends, where none reaches a result.

It does in a search for a root or a minimum: ``if f(middle) < y: low = middle``. Its result depends on the
parameter, and its derivative along the path taken is zero. What counts, or remembers the best so far, decides
nothing that it compares later; and a comparison that only ends a loop chooses how exact its result is.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from ..ir.ops import Arg, Block, For, Function, If, Lit, Op, Statement, Var, While, operands, variables, walk
from ..ir.types import carries_derivative, kind_of
from .activity import differentiable_arguments

Edges = dict[Var, set[Var]]


class Searches:
    """The operations of a function that decide what they are asked about next, if a result comes of it."""

    def __init__(self, function: Function, results: Iterable[Arg]) -> None:
        self.function, self.results = function, variables(*results)
        self.known: dict[Op, bool] = {}  # a program has many arguments, and fewer comparisons

    def decide(self, op: Op) -> bool:
        """Whether what an operation gives decides a number that it reads later, as a result does smoothly."""
        if op not in self.known:
            later, before = (reached(op.outs, e) for e in (self.reading.onwards, self.reading.backwards))
            self.known[op] = any(carries_derivative(var.type) for var in later & before & self.useful)
        return self.known[op]

    @functools.cached_property
    def reading(self) -> Reading:
        return Reading(self.function.body)

    @functools.cached_property
    def useful(self) -> set[Var]:
        """What a result may have a derivative by."""
        return reached(self.results, self.reading.smooth).union(self.results)


class Reading:
    """Who reads whom: ``backwards`` and ``onwards``, and ``smooth``, backwards along derivatives."""

    def __init__(self, body: Block) -> None:
        self.backwards: Edges = defaultdict(set)
        self.onwards: Edges = defaultdict(set)
        self.smooth: Edges = defaultdict(set)
        statements = list(walk(body))
        stops = conditions_of_ends(statements)
        for op in statements:
            if isinstance(op, Op):
                for out in op.outs:
                    self.add(out, *operands(op), smooth=False)
                    self.add(out, *differentiable_arguments(op))
            elif isinstance(op, If):
                for out, a, b in _choices(op):
                    self.add(out, a, b)
                    if stops.isdisjoint(variables(op.cond)):
                        self.add(out, op.cond, smooth=False)
            else:
                self.loop(op)

    def loop(self, op: For | While) -> None:
        for out, param, init, result in zip(
            op.outs, op.params, op.inits, op.body.results[op.stops :], strict=True
        ):
            self.add(param, init, result)
            self.add(out, param)
        if isinstance(op, For):
            self.add(op.index, *(op.range or ()), smooth=False)
            for source, items in op.items:
                for item in items:
                    self.add(item, source)

    def add(self, var: Var, *sources: Arg, smooth: bool = True) -> None:
        """What reads whom; ``smooth``: it may have a derivative by what it reads."""
        for source in variables(*sources):
            self.backwards[var].add(source)
            self.onwards[source].add(var)
            if smooth and carries_derivative(var.type):
                self.smooth[var].add(source)


def conditions_of_ends(statements: Iterable[Statement]) -> set[Var]:
    """The booleans that tell whether a loop ends, with those that they are put together of."""
    parts: Edges = defaultdict(set)
    ends: list[Var] = []
    for op in statements:
        if isinstance(op, If):
            for out, a, b in _choices(op):
                parts[out].update(variables(op.cond, a, b))
        elif isinstance(op, Op):
            for out in op.outs:
                parts[out].update(variables(*operands(op)))
        elif op.stops:
            ends += variables(op.body.results[0])
    of_booleans: Edges = {var: {v for v in read if kind_of(v.type) == "bool"} for var, read in parts.items()}
    return reached(ends, of_booleans).union(ends)


def _choices(op: If) -> Iterator[tuple[Var, Arg, Arg]]:
    """What a condition chooses: each Var, with the two values that it may have, where they differ."""
    for out, a, b in zip(op.outs, op.then.results, op.orelse.results, strict=True):
        if a is not b and not (isinstance(a, Lit) and isinstance(b, Lit) and a.value is b.value):
            yield out, a, b


def reached(start: Iterable[Var], edges: Mapping[Var, set[Var]]) -> set[Var]:
    """What edges lead to, the start itself only if they lead back to it."""
    found: set[Var] = set()
    todo = list(start)
    while todo:
        new = edges.get(todo.pop(), set()) - found
        found |= new
        todo += new
    return found
