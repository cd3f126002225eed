"""What is the tangent of an operation whose derivative rule gives cotangents?

``transposed(builder, op, tangents) -> tuple[Arg, ...]``, one for each result. Asked by ``tangent`` where an
operation has no rule of its own for tangents.

A rule for cotangents is linear in the cotangents of the results. So is the program of one operation with its
pullback, and the pullback of that, by those cotangents, maps the tangents of the arguments to the tangents of
the results. It is written behind the operation; what only the cotangents needed is dead code.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..adjoint.adjoint import adjoint
from ..frontend.builder import Builder, type_of_arg
from ..ir.ops import Arg, Block, Function, Lit, Op, Var, atoms
from ..ir.types import carries_derivative
from ..simplify.renaming import Renaming, copy_statement, fresh, renamed


def transposed(builder: Builder, op: Op, tangents: Mapping[Var, Arg]) -> tuple[Arg, ...]:
    """The tangents of the results that carry a derivative, in order, from those of the active arguments."""
    active = list(tangents)
    program = _transposed(op, active)
    body, outs = program.body, [out for out in op.outs if carries_derivative(out.type)]
    count = len(op.outs) + len(active)
    bars = body.results[len(op.outs) : count]
    given = [*active, *outs]  # of the cotangents of the results only shapes are read: those of the results
    names: Renaming = dict(zip(program.params, given, strict=False))
    directions = iter(program.params[len(given) :])
    for var, bar in zip(active, bars, strict=True):
        parts = [a for a in atoms(bar) if carries_derivative(type_of_arg(a))]
        wholes = [tangents[var]] if isinstance(bar, (Var, Lit)) else list(atoms(tangents[var]))
        for part, direction in zip(parts, wholes, strict=True):
            del part
            names[next(directions)] = direction
    primal, *statements = body.ops
    assert isinstance(primal, Op) and primal.fn is op.fn
    names.update(zip(primal.outs, op.outs, strict=True))
    for statement in statements:
        made = copy_statement(statement, names)
        made.span = op.span
        builder.append(made)
    return tuple(renamed(result, names) for result in body.results[count:])


def _transposed(op: Op, active: list[Var]) -> Function:
    """The program of the operation whose last results are its tangents."""
    names: Renaming = {}
    params = tuple([fresh(var, names) for var in active])
    primal = copy_statement(op, names)
    primal.adjoint = False  # what it computes stays, and stays the first
    one = Function("rule", params, Block([primal], primal.outs))
    places = tuple(range(len(active)))
    pulled = adjoint(one, places, seed=True, region=True, linear=True)
    seeds = tuple(range(len(active), len(pulled.params)))
    bars = tuple(range(len(op.outs), len(pulled.body.results)))
    return adjoint(pulled, seeds, seed=True, of=bars, region=True)
