"""Where does a derivative that does not arrive at a result end?

``lost(function, parameter, searches) -> tuple[str, Any]``. Asked after compilation, where a gradient is zero.

At a conversion to integers it is lost, which nobody means; functions that are flat by definition (``floor``,
comparisons, ``argmax``) end it, too, and are meant, but for those by which a loop searches (``searched``).
Nothing may lead from a parameter to the result at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...rules import helpers
from ...rules.registry import lookup
from ..ir.ops import Block, Function, Op, Var, operands, variables, walk
from ..ir.types import Array, kind_of
from .activity import Varied
from .searched import Searches


def lost(function: Function, parameter: Var, searches: Searches) -> tuple[str, Any]:
    """How the derivative by a parameter ends.

    "integer" or "search" and the statement's place, "flat", or "unused".
    """
    varied = Varied([parameter])
    varied.block(function.body)
    ends = list(_ends(function.body, varied.vars))
    conversions = [op for op in ends if _converts(op)]
    if conversions:
        return "integer", conversions[0].span
    others = [op for op in ends if op.fn not in helpers.METADATA]
    search = next(filter(searches.decide, others), None)
    if search is not None:
        return "search", search.span
    return ("flat" if others else "unused"), None


def _ends(block: Block, varied: set[Var]) -> Iterable[Op]:
    """The operations that read a value with the derivative, and give none."""
    for op in walk(block):
        if isinstance(op, Op) and not op.effect and varied.intersection(variables(*operands(op))):
            if not varied.intersection(op.outs):
                yield op


def _converts(op: Op) -> bool:
    """Whether an operation stores a float where only an integer has room."""
    if op.fn is int or op.fn in (helpers.astype, helpers.setitem, helpers.add_at):
        return any(kind_of(out.type) in ("int", "bool") for out in op.outs)
    primitive = lookup(op.fn)
    whole = all(isinstance(out.type, Array) and out.type.kind == "int" for out in op.outs)
    return primitive is not None and primitive.kind != "nondifferentiable" and whole
