"""What is the tangent of a call whose derivative rule is the user's own?

``tangent_of_ruled(sweep, op)``: the user's rule, as ``ruled`` has it, maps cotangents of the values to those
of the inputs. It has to be linear in them. So it is pulled back by them: that maps tangents of the inputs to
those of the values. A rule for tangents came here as such a rule, and what it is pulled back to is itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..adjoint.adjoint import adjoint
from ..adjoint.linearity import are_linear
from ..adjoint.own_rules import rule_of_call
from ..frontend.builder import type_of_arg
from ..ir.ops import Arg, Function, Op, Var, variables
from ..ir.types import carries_derivative
from ..simplify.renaming import Renaming, copy_block, copy_statement, fresh, renamed
from .tangent_values import tangent_type

if TYPE_CHECKING:
    from .tangent import Forward


def tangent_of_ruled(sweep: Forward, op: Op) -> None:
    """Give the results the tangents that the user's rule says."""
    rule, inputs, names = rule_of_call(op, lambda others: any(map(sweep.tangents.has, variables(others))))
    if rule.tangent is None and rule.no_tangent is not None:
        raise rule.no_tangent.at(op.span)
    sweep.ruled.add(rule)
    bars = tuple([fresh(bar, names) for bar in rule.bars])
    block = copy_block(rule.body if rule.tangent is None else rule.tangent, names)
    if rule.tangent is None and not are_linear(block.ops, bars, block.results, adjoint):
        assert rule.not_linear is not None
        raise rule.not_linear.at(op.span)
    pairs = [
        (found, arg)
        for arg, found in zip(inputs, block.results, strict=True)
        if isinstance(found, Var) and carries_derivative(found.type) and sweep.tangents.has(arg)
    ]
    block.results = tuple([found for found, _ in pairs])
    directions = [sweep.tangents.held(arg, tangent_type(type_of_arg(arg))) for _, arg in pairs]
    _write(sweep, op, Function("rule", bars, block), directions)


def _write(sweep: Forward, op: Op, rule: Function, directions: list[Arg]) -> None:
    """Write the rule, pulled back, behind the operation."""
    count = len(rule.body.results)
    pulled = adjoint(rule, tuple(range(len(rule.params))), seed=True, region=True)
    # Of the cotangents that it is pulled back from only shapes are read: those of the values.
    names: Renaming = dict(zip(pulled.params, (*op.outs, *directions), strict=True))
    for statement in pulled.body.ops:
        made = copy_statement(statement, names)
        made.span = op.span
        sweep.builder.append(made)
    for out, found in zip(op.outs, pulled.body.results[count:], strict=True):
        sweep.tangents.put(out, renamed(found, names), covers=True)
