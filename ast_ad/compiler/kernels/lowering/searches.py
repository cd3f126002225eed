"""What becomes of searches in sorted arrays, and of interpolation between nodes? Calls, as of LAPACK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Arg, Lit, Op, Var
from ...ir.types import Array, Dim
from ..nests.body import element_type
from ..numbers import sorted_places
from ..numbers.scalars import NoForm
from .forms import form_of, require_equal
from .loop_values import Memory
from .masks import places

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

_PLACES: dict[Any, Any] = {
    "left": (sorted_places.place_before, sorted_places.place_all_before),
    "right": (sorted_places.place_behind, sorted_places.place_all_behind),
}


def _vector(s: Scalarizer, arg: Arg) -> Memory:
    """A vector of doubles in memory, where the searches read it."""
    value = s.array(arg) if isinstance(arg, Var) and isinstance(arg.type, Array) else None
    if value is None or value.rank != 1 or value.type.dtype != np.float64:
        raise NoForm("a search in other than a vector of doubles")
    if isinstance(value, Memory):
        return value
    memory = s.allocate(value.type, value.lengths)
    s.fill(memory, value)
    return memory


def _call(s: Scalarizer, op: Op, fns: Any, x: Arg, nodes: list[Memory], *more: Arg, first: bool) -> None:
    """The result for a number, or for each element of a vector; ``first``: x comes before the nodes."""
    of_one, of_all = fns
    inputs: list[Arg] = [n.var for n in nodes]
    if not isinstance(op.out.type, Array):
        number = s.number(x)
        s.flush()
        out = Var(element_type(op.out.type), op.out.hint)
        args = [number, *inputs] if first else [*inputs, number]
        s.body.append(Op(of_one, (*args, *more), (out,), effect=True))
        s.env[op.out] = out
        return
    points = _vector(s, x)
    result = s.allocate(op.out.type, points.lengths, op.out.hint, op.out)
    s.flush()
    args = [points.var, *inputs] if first else [*inputs, points.var]
    s.body.append(Op(of_all, (*args, *more, result.var), (), effect=True))
    s.body.known.clear()
    s.bind(op.out, result)


@form_of(np.searchsorted)
def _searchsorted(s: Scalarizer, op: Op) -> None:
    side: Any = op.args[2] if len(op.args) > 2 else op.kwargs.get("side", Lit("left"))
    if len(op.args) > 3 or op.kwargs.keys() - {"side"} or not isinstance(side, Lit):
        raise NoForm("a search with options")
    _call(s, op, _PLACES[side.value], op.args[1], [_vector(s, op.args[0])], first=False)


@form_of(np.digitize)
def _digitize(s: Scalarizer, op: Op) -> None:
    """A search in bins that ascend: NumPy answers for others, with a number or an error."""
    right: Any = op.args[2] if len(op.args) > 2 else op.kwargs.get("right", Lit(False))
    if not isinstance(right, Lit) or type(right.value) is not bool:
        raise NoForm("bins whose side is known at run time only")
    bins = _vector(s, op.args[1])
    s.flush()
    s.body.append(Op(sorted_places.require_ascending, (bins.var,), (), effect=True))
    _call(s, op, _PLACES["left" if right.value else "right"], op.args[0], [bins], first=False)


@form_of(np.flatnonzero)
def _flatnonzero(s: Scalarizer, op: Op) -> None:
    shape = op.out.type.shape if isinstance(op.out.type, Array) else None
    s.env[op.out] = places(s, s.array(op.args[0]), (shape or (Dim.fresh(),))[0])


@form_of(np.interp)
def _interp(s: Scalarizer, op: Op) -> None:
    names: dict[str, Arg] = dict(zip(("x", "xp", "fp", "left", "right", "period"), op.args, strict=False))
    names |= op.kwargs
    ends = [names.get(side, Lit(None)) for side in ("left", "right")]
    given = [not isinstance(end, Lit) or end.value is not None for end in ends]
    period = names.get("period", Lit(None))
    if not isinstance(period, Lit) or period.value is not None:
        raise NoForm("interpolation with a period")
    if element_type(op.out.type).dtype != np.float64 or given[0] != given[1]:
        raise NoForm("interpolation of other than doubles, or with a value beyond one end")
    xp, fp = _vector(s, names["xp"]), _vector(s, names["fp"])
    require_equal(s, xp.lengths[0], fp.lengths[0])
    if given[0]:
        fns: Any = sorted_places.interpolated, sorted_places.interpolate
        _call(s, op, fns, names["x"], [xp, fp], *map(s.number, ends), first=True)
    else:
        fns = sorted_places.interpolated_within, sorted_places.interpolate_within
        _call(s, op, fns, names["x"], [xp, fp], first=True)
