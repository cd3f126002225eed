"""What becomes of the positions of extrema? Loops that carry the best so far and where it was."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from ...ir import builtin
from ...ir.ops import Arg, Lit, Op, Var
from ...ir.types import Array, Scalar
from .. import runtime as kernels
from ..nests.affine_indices import ZERO, Index
from ..nests.body import INT, Body, element_type
from ..nests.nests import Action
from ..numbers import selections
from ..numbers.scalars import NoForm
from .forms import form_of
from .loop_values import Formula, Value
from .lowering import count_of
from .reductions import reduction_of
from .reshapes import flat_place

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

Place = tuple[Index, ...]
BOOL = Scalar("bool")


@form_of(np.argmax, np.argmin)
def _position(s: Scalarizer, op: Op) -> None:
    value = s.array(op.args[0])
    axis = op.args[1] if len(op.args) > 1 else op.kwargs.get("axis", Lit(None))
    if not set(op.kwargs) <= {"axis"} or not isinstance(axis, Lit) or value.type.kind not in ("float", "int"):
        raise NoForm("the position of an extremum, called like this")
    along = 0 if axis.value is None else axis.value % value.rank
    searched = value.lengths if axis.value is None else (value.lengths[along],)
    filled = s.body.op(operator.gt, count_of(s, searched), Lit(0), type=BOOL)
    s.body.append(Op(kernels.require, (filled,), (), effect=True))
    if value.rank == 1 or axis.value is None:
        _first(s, op, value)
    else:
        _along(s, op, value, along)


def _better(body: Body, op: Op, x: Arg, best: Arg, float_: bool) -> Arg:
    """Whether an element takes the place of the best so far: the first NaN stays."""
    test = body.op(operator.gt if op.fn is np.argmax else operator.lt, x, best, type=BOOL)
    if not float_:
        return test
    unordered = body.op(operator.ne, x, x, type=BOOL)
    before = body.op(operator.eq, best, best, type=BOOL)
    first = body.op(operator.and_, unordered, before, type=BOOL)
    return body.op(operator.or_, test, first, type=BOOL)


def _first(s: Scalarizer, op: Op, value: Value) -> None:
    """The position in a vector, or among all elements row by row, as a number."""
    number = element_type(value.type)
    result = Var(op.out.type, op.out.hint)
    worst = reduction_of(np.max if op.fn is np.argmax else np.min, value.type.dtype).start

    def start(body: Body) -> list[Arg]:
        best, where = Var(number, "best"), Var(INT, "place")
        body.append(Op(builtin.assign, (Lit(worst),), (best,)))
        body.append(Op(builtin.assign, (Lit(0),), (where,)))
        return [best, where]

    def step(body: Body, place: Place, states: list[Var]) -> list[Arg]:
        x = value.element(body, place)
        test = _better(body, op, x, states[0], number.kind == "float")
        here = body.number(flat_place(body, place, value.lengths))
        where = body.op(selections.where, test, here, states[1], type=INT)
        return [body.choose(test, x, states[0], number), where]

    def finish(body: Body, place: Place, states: list[Var]) -> None:
        body.append(Op(builtin.assign, (states[1],), (result,)))

    keys = tuple(n.value if isinstance(n, Lit) else n for n in value.lengths)
    action = Action(
        value.lengths, keys, lambda body, place: None, kept=0, start=start, step=step, finish=finish
    )
    action.defines = frozenset((result,))
    s.act(action)
    s.env[op.out] = result


def _along(s: Scalarizer, op: Op, value: Value, axis: int) -> None:
    """The positions along an axis, in memory next to the best so far."""
    type = op.out.type
    if not isinstance(type, Array):
        raise NoForm("the position of an extremum, called like this")
    lengths = tuple(n for k, n in enumerate(value.lengths) if k != axis)
    shape = tuple(d for k, d in enumerate(value.type.shape or ()) if k != axis)
    number = element_type(value.type)
    best = s.allocate(Array(value.type.dtype, shape), lengths)
    where = s.allocate(type, lengths, op.out.hint, op.out)

    def first(body: Body, place: Place) -> Arg:
        return value.element(body, (*place[:axis], ZERO, *place[axis:]))

    s.fill(best, Formula(best.type, lengths, [value], first, 1))
    s.fill(where, Lit(0))

    def emit(body: Body, place: Place) -> None:
        target = (*place[:axis], *place[axis + 1 :])
        x = value.element(body, place)
        old, at = best.element(body, target), where.element(body, target)
        test = _better(body, op, x, old, number.kind == "float")
        body.store(best.var, best.group, target, body.choose(test, x, old, number))
        here = body.op(selections.where, test, body.number(place[axis]), at, type=element_type(type))
        body.store(where.var, where.group, target, here)

    s.over(value, emit)
    s.bind(op.out, where)
