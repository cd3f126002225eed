"""What becomes of sorting? Within loops calls of a function that sorts vectors, or the rows of a matrix.

NumPy sorts outside of loops. The order in which it leaves equal numbers is known of its stable way only:
where the program asks for places in another way, kernels give up at equal numbers. In adjoints any order is
right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....rules.numpy import sorting
from ...ir.ops import Lit, Op
from ...ir.types import Array, Scalar
from ..numbers import sorted_places, sorted_vectors
from ..numbers.scalars import NoForm
from .forms import form_of
from .loop_values import Mapped, Memory, Value

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

_STABLE = ("stable", "mergesort")
_SORTS: dict[Any, Any] = {
    ("float", 1): sorted_vectors.sort_with_places,
    ("float", 2): sorted_vectors.sort_rows_with_places,
    ("int", 1): sorted_vectors.sort_integers_with_places,
    ("int", 2): sorted_vectors.sort_rows_of_integers_with_places,
}
_NO_TIES = {1: sorted_vectors.require_no_ties, 2: sorted_vectors.require_no_ties_in_rows}


@form_of(np.sort, np.argsort)
def _sort(s: Scalarizer, op: Op) -> None:
    type, value = op.out.type, s.array(op.args[0])
    axis = op.args[1] if len(op.args) > 1 else op.kwargs.get("axis", Lit(-1))
    kind = op.args[2] if len(op.args) > 2 else op.kwargs.get("kind", Lit(None))
    if not s.depth or len(op.args) > 3 or op.kwargs.keys() - {"axis", "kind"}:
        raise NoForm(f"`{op.fn.__name__}` of arrays")
    if not isinstance(axis, Lit) or not isinstance(kind, Lit) or not isinstance(type, Array):
        raise NoForm("a sort, called like this")
    if value.type.dtype.char not in "fdl" or value.rank > 2 or axis.value is None and value.rank > 1:
        raise NoForm("a sort of these numbers")
    along = (axis.value or 0) % value.rank
    turned = value.rank == 2 and along == 0
    ordered, places = _sorted(s, _turned(value) if turned else value)
    if op.fn is np.argsort and kind.value not in _STABLE and not op.adjoint:
        s.body.append(Op(_NO_TIES[value.rank], (ordered.var,), (), effect=True))
    found = places if op.fn is np.argsort else ordered
    s.bind(op.out, _turned(found) if turned else found)


@form_of(sorting.quantile_position)
def _quantile_position(s: Scalarizer, op: Op) -> None:
    """Of numbers; for arrays it has a definition."""
    q, count = s.number(op.args[0]), s.number(op.args[1])
    others = [a.value if isinstance(a, Lit) else None for a in op.args[2:]]
    if op.kwargs or others not in ([], ["linear"]) or not isinstance(op.out.type, Scalar):
        raise NoForm("a quantile by another method")
    s.define(
        op.out,
        lambda body: body.op(sorted_places.quantile_place, q, count, type=Scalar("float", op.out.type.dtype)),  # type: ignore[union-attr]
        [q, count],
    )


def _sorted(s: Scalarizer, value: Value) -> tuple[Memory, Memory]:
    """The numbers in order along the last axis, and the places that they had."""
    ordered = s.allocate(value.type, value.lengths)
    places = s.allocate(Array(np.dtype(int), value.type.shape), value.lengths)
    s.fill(ordered, value)
    s.flush()
    fn = _SORTS[value.type.kind, value.rank]
    s.body.append(Op(fn, (ordered.var, places.var), (), effect=True))
    s.body.forget_elements()
    return ordered, places


def _turned(value: Value) -> Value:
    """The transpose of a matrix."""
    shape = value.type.shape
    type = Array(value.type.dtype, None if shape is None else shape[::-1])
    return Mapped(type, value.lengths[::-1], value, lambda place: place[::-1])
