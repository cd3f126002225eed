"""Is what a derivative rule computes linear in the cotangent? Then it can be transposed, to give tangents.

``is_linear(primitive, ops, g, cotangents) -> bool``. Asked by the sweep of ``adjoint`` about each rule that
it inlines, where its program is to be transposed.

A rule may do with a cotangent what is not linear: clip it, or pass it on where it is positive. As a pullback
that is what its author wants; a tangent it does not have. The package's own rules are linear, which their
tests say; of another one the pullback is made, which must not depend on the value of the cotangent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...rules import helpers
from ...rules.registry import Primitive
from ..ir.ops import Arg, Block, Function, If, Op, Statement, Var, atoms, operands, variables
from ..ir.types import carries_derivative
from ..simplify.dead_code import Liveness

OWN = "ast_ad.rules."


def is_linear(
    primitive: Primitive,
    ops: Sequence[Statement],
    g: Iterable[Arg],
    cotangents: Iterable[Arg],
) -> bool:
    """Whether the cotangents of a rule's arguments are linear in those of its results: see ``are_linear``."""
    if primitive.rule is None or primitive.rule.__module__.startswith(OWN):
        return True
    return are_linear(ops, g, cotangents)


def are_linear(ops: Sequence[Statement], g: Iterable[Arg], cotangents: Iterable[Arg]) -> bool:
    """Whether cotangents are linear in others.

    Args:
        ops: the statements that the rule was read as, which may read what stands before them.
        g: the cotangents of the results.
        cotangents: what the rule returned.
    """
    from .adjoint import adjoint  # which asks this module

    seeds = tuple(var for var in variables(*g) if carries_derivative(var.type))
    found = tuple(
        v for bar in cotangents for v in atoms(bar) if isinstance(v, Var) and carries_derivative(v.type)
    )
    if not seeds or not found:
        return True
    rule = Function("rule", seeds, Block(list(ops), found))
    transposed = adjoint(rule, tuple(range(len(seeds))), seed=True, region=True)
    return not values_read(
        transposed.body, transposed.body.results[len(found) :], transposed.params[: len(seeds)]
    )


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
