"""In which order do the elements of a matrix lie in memory?

``runs_down(matrix) -> bool``, asked where a product is written, for the order of its loops.
"""

from __future__ import annotations

import operator

from ...ir.ops import Arg, Op, Var
from ..nests.affine_indices import Index
from ..nests.body import INT, Body
from .loop_values import Value

Place = tuple[Index, ...]


def runs_down(matrix: Value) -> bool:
    """Whether the rows of a matrix are columns in memory."""
    row, column = Var(INT), Var(INT)
    body = Body(accesses=[])
    matrix.element(body, (Index(row), Index(column)))
    last = [_fastest(a.index, (row, column), body) for a in body.accesses or ()]
    return last.count(row) > last.count(column)


def _fastest(place: Place, counters: tuple[Var, Var], body: Body) -> Var | None:
    """The counter whose next turn reads what lies beside an element, in a vector that is a matrix, too."""
    if len(place) > 1:
        return place[-1].loop
    makers = {op.outs[0]: op for op in body.ops if isinstance(op, Op) and len(op.outs) == 1}
    waiting: list[Arg] = [var for var, by in place[0].terms if abs(by) == 1]
    for var in waiting:  # in ``row * n + column`` the second is added as it is
        if var in counters:
            return var
        op = makers.get(var)  # type: ignore[arg-type]
        waiting += op.args if op is not None and op.fn in (operator.add, operator.sub) else ()
    return None
