"""How do tangents go through branches and loops?

``forward_if(sweep, op)`` and ``forward_loop(sweep, op)``, where the sweep of ``tangent`` meets one. Tangents
are computed beside the primal, in the same branches and the same passes: they are further results of a branch
and further values that a loop carries, and a list of which a loop takes items is zipped with its tangents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..frontend.builder import type_of_arg
from ..ir.ops import Arg, Block, For, If, Var, While
from ..ir.types import NONE, Type, carries_derivative
from .tangent_values import tangent_hint, tangent_type

if TYPE_CHECKING:
    from .tangent import Forward


def forward_if(sweep: Forward, op: If) -> None:
    """Let an If yield the tangents of its active results, too."""
    places = [j for j, out in enumerate(op.outs) if sweep.is_active(out)]
    types = [tangent_type(op.outs[j].type) for j in places]
    for side in (op.then, op.orelse):
        _region(sweep, side, [(side.results[j], t) for j, t in zip(places, types, strict=True)])
    outs = tuple(sweep.tangents.new(op.outs[j]) for j in places)
    sweep.merged(outs)
    op.outs += outs
    sweep.builder.block.ops.append(op)


def _region(sweep: Forward, block: Block, results: list[tuple[Arg, Type]]) -> None:
    """Write tangents into a region, and let it yield those of ``results``, as values of their types."""
    statements, block.ops = block.ops, []
    with sweep.builder.nested(block):
        sweep.run(statements)
        block.results += tuple([sweep.tangents.held(arg, type) for arg, type in results])


def forward_loop(sweep: Forward, op: For | While) -> None:
    """Let a loop carry the tangents of the active values that it carries, too."""
    pairs = list(zip(op.params, op.outs, strict=True))
    carried = [j for j, pair in enumerate(pairs) if any(map(sweep.is_active, pair))]
    types = [_type(op.params[j]) for j in carried]
    inits = tuple([sweep.tangents.held(op.inits[j], t) for j, t in zip(carried, types, strict=True)])
    params = tuple([sweep.tangents.new(op.params[j]) for j in carried])
    if isinstance(op, For):
        op.items += tuple(
            (sweep.tangents.held(source, tangent_type(type_of_arg(source))), _items(sweep, items))
            for source, items in op.items
            if any(map(sweep.is_active, items))
        )
    results = op.body.results[op.stops :]
    sweep.merged(params)
    _region(sweep, op.body, [(results[j], _type(op.outs[j])) for j in carried])
    outs = tuple([sweep.tangents.new(op.outs[j]) for j in carried])
    sweep.merged(outs)
    op.params, op.inits, op.outs = op.params + params, op.inits + inits, op.outs + outs
    sweep.builder.block.ops.append(op)


def _type(var: Var) -> Type:
    return tangent_type(var.type) if carries_derivative(var.type) else NONE


def _items(sweep: Forward, items: tuple[Var, ...]) -> tuple[Var, ...]:
    """Variables for the tangents of the elements of a list."""
    return tuple(
        sweep.tangents.new(v) if sweep.is_active(v) else Var(_type(v), tangent_hint(v)) for v in items
    )
