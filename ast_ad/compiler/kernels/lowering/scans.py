"""What becomes of cumulative sums? Loops that carry the sum so far, or rows that are added to the next."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from ...ir import builtin
from ...ir.ops import Arg, Lit, Op, Var
from ...ir.types import Array
from ..nests.affine_indices import Index
from ..nests.body import INT, Body, element_type
from ..nests.nests import Action
from ..numbers.scalars import NoForm
from .forms import computes_slowly, form_of, in_memory
from .loop_values import Formula, Memory, Value

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

Place = tuple[Index, ...]


@form_of(np.cumsum)
def _cumsum(s: Scalarizer, op: Op) -> None:
    value, type = s.array(op.args[0]), op.out.type
    axis = op.args[1] if len(op.args) > 1 else op.kwargs.get("axis", Lit(None))
    if not isinstance(type, Array) or not set(op.kwargs) <= {"axis"} or not isinstance(axis, Lit):
        raise NoForm("a cumulative sum, called like this")
    if (
        axis.value is None
        and value.rank > 1
        or value.type.dtype != type.dtype
        or type.kind not in ("float", "int", "complex")
    ):
        raise NoForm("a cumulative sum of this kind")
    along = (axis.value or 0) % value.rank
    out = s.allocate(type, value.lengths, op.out.hint, op.out)
    if along == value.rank - 1:
        _carried(s, value, out)
    else:
        _by_rows(s, value, out, along)
    s.bind(op.out, out)


def _carried(s: Scalarizer, value: Value, out: Memory) -> None:
    number = element_type(out.type)
    if computes_slowly(value):
        value = in_memory(s, value)  # computed on vectors, in a loop of its own

    def start(body: Body) -> list[Arg]:
        state = Var(number, "total")
        body.append(
            Op(builtin.assign, (Lit({"float": 0.0, "int": 0, "complex": 0j}[number.kind]),), (state,))
        )
        return [state]

    def step(body: Body, place: Place, states: list[Var]) -> list[Arg]:
        total = body.op(operator.add, states[0], value.element(body, place), type=number)
        body.store(out.var, out.group, place, total)
        return [total]

    keys = tuple(n.value if isinstance(n, Lit) else n for n in value.lengths)
    nothing = lambda body, place, states: None  # noqa: E731
    kept = value.rank - 1
    s.act(
        Action(
            value.lengths, keys, lambda body, place: None, kept=kept, start=start, step=step, finish=nothing
        )
    )


def _by_rows(s: Scalarizer, value: Value, out: Memory, axis: int) -> None:
    """Along another axis than the last: ``out[i] = out[i - 1] + x[i]``."""
    number = element_type(out.type)

    def element(body: Body, place: Place) -> Arg:
        x = value.element(body, place)
        at = body.number(place[axis])
        first = body.op(operator.eq, at, Lit(0), type=element_type(Array(np.dtype(bool), ())))
        before = body.choose(first, Lit(0), body.op(operator.sub, at, Lit(1), type=INT), INT)
        old = body.load(out.var, out.group, (*place[:axis], Index.of(before), *place[axis + 1 :]))
        return body.choose(first, x, body.op(operator.add, old, x, type=number), number)

    s.fill(out, Formula(out.type, out.lengths, [value, out], element, 2))
