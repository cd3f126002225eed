"""Is what a derivative rule computes linear in the cotangent? Then it can be transposed, to give tangents.

``is_linear(primitive, ops, g, cotangents, adjoint) -> bool``. Asked by the sweep of ``adjoint`` about each
rule that it inlines, where its program is to be transposed. ``values_read`` and
``adds_a_constant(block, seeds) -> bool`` are what it asks of the rule's program and of its transpose.

A rule may do with a cotangent what is not linear: clip it, or pass it on where it is positive. As a pullback
that is what its author wants; a tangent it does not have. The package's own rules are linear, which their
tests say; of another one the pullback is made, which must not depend on the value of the cotangent.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ...rules import helpers
from ...rules.registry import Primitive
from ..analysis.activity import analyse
from ..ir import builtin
from ..ir.ops import Arg, Block, Function, If, Lit, Op, Statement, Var, operands, variables, walk
from ..ir.types import carries_derivative
from ..simplify.dead_code import Liveness

OWN = "ast_ad.rules."
ZEROS = {np.zeros, np.zeros_like, helpers.zero_like}
SAME = {builtin.assign, builtin.copy, np.copy, np.reshape, np.broadcast_to, operator.getitem, operator.neg}
SUMS = {operator.add, operator.sub, np.add, np.subtract}
PRODUCTS = {operator.mul, np.multiply}


def is_linear(
    primitive: Primitive,
    ops: Sequence[Statement],
    g: Iterable[Arg],
    cotangents: Iterable[Any],
    adjoint: Callable[..., Function],
) -> bool:
    """Whether the cotangents of a rule's arguments are linear in those of its results: see ``are_linear``."""
    if primitive.rule is None or primitive.rule.__module__.startswith(OWN):
        return True
    return are_linear(ops, g, cotangents, adjoint)


def are_linear(
    ops: Sequence[Statement],
    g: Iterable[Arg],
    cotangents: Iterable[Any],
    adjoint: Callable[..., Function],
) -> bool:
    """Whether cotangents are linear in others.

    Args:
        ops: the statements that the rule was read as, which may read what stands before them.
        g: the cotangents of the results.
        cotangents: what the rule returned: None for an argument that has none, a tuple for a display.
        adjoint: the transformation of that name.
    """
    seeds = tuple(var for var in variables(*g) if carries_derivative(var.type))
    found = tuple(v for v in variables(*_parts(cotangents)) if carries_derivative(v.type))
    if not seeds or not found:
        return True
    rule = Function("rule", seeds, Block(list(ops), found))
    if adds_a_constant(rule.body, seeds):
        return False
    transposed = adjoint(rule, tuple(range(len(seeds))), seed=True, region=True)
    return not values_read(
        transposed.body, transposed.body.results[len(found) :], transposed.params[: len(seeds)]
    )


def _parts(cotangents: Iterable[Any]) -> Iterator[Arg]:
    for bar in cotangents:
        if isinstance(bar, (tuple, list)):
            yield from _parts(bar)
        elif bar is not None:
            yield bar


def adds_a_constant(block: Block, seeds: Sequence[Var]) -> bool:
    """Whether something else than zero is added to what depends on ``seeds``, or takes its place.

    Not all ways to do that are known: but ``g + 1``, ``np.where(mask, g, 1)`` and ``np.ones(3)`` are.
    """
    active, zeros = analyse(block, seeds, block.results).active, set[Var]()

    def constant(arg: Arg) -> bool:
        if isinstance(arg, Lit):
            return arg.value is not None and bool(np.any(arg.value != 0))
        return isinstance(arg, Var) and arg not in active and arg not in zeros

    for op in walk(block):
        if not isinstance(op, Op) or not op.outs:
            continue
        if op.fn in ZEROS:
            zeros.update(op.outs)
        elif op.fn in SAME and not any(map(constant, op.args[:1])) and op.out not in active:
            zeros.add(op.out)
        elif op.fn in PRODUCTS and op.out not in active and not all(map(constant, op.args[:2])):
            zeros.add(op.out)  # of numbers of which one is zero
        elif op.fn in SUMS and op.out in active and any(map(constant, op.args[:2])):
            return True
        elif op.fn is np.where and op.out in active and any(map(constant, op.args[1:])):
            return True
    return any(map(constant, block.results))


def values_read(block: Block, results: Iterable[Arg], among: Iterable[Var]) -> set[Var]:
    """Those Vars on whose values some of the results depend, not on their shapes and dtypes alone."""
    found = _Values()
    found.visit(block, None)
    found.need(*results)
    found.run()
    return found.vars.intersection(among)


class _Values(Liveness):
    def read(self, op: Op | If) -> Iterable[Arg]:
        position = helpers.METADATA.get(op.fn) if isinstance(op, Op) else None
        if position is None or not isinstance(op, Op):
            return operands(op)
        return (*(arg for i, arg in enumerate(op.args) if i != position), *op.kwargs.values())
