"""What becomes of writes to parts of views? The views are maps of places, one after the other.

Loaded for the form that it registers; ``lowering`` looks that up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...ir import builtin
from ...ir.ops import Arg, Lit, Op, Seq, Var
from ..nests.body import Body
from ..numbers.scalars import NoForm
from .forms import FORMS, form_of, in_memory, resolved
from .index_maps import select
from .loop_values import Mapped, Value
from .partial_writes import fitted, scatter, target_of, unaliased
from .reshapes import Reshaped

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer


@form_of(builtin.through_)
def _through(s: Scalarizer, op: Op) -> None:
    """``array[1:].T[index] = value``."""
    memory, value = target_of(s, op), s.arg(op.args[2])
    views = _views(s, memory, op.args[3])
    seen = views[-1]
    part = select(s, seen, resolved(s, op.args[1]), None)

    def where(place: Any) -> Any:
        place = part.where(place)
        for view in reversed(views[1:]):
            place = view.where(place)
        return place

    def gather(body: Body, place: Any) -> Any:
        place = part.where(place)
        for view in reversed(views[1:]):
            place = view.where(place) if isinstance(view, Mapped) else view.place(body, place)
        return place

    plain = all(isinstance(view, Mapped) for view in views[1:])
    if isinstance(value, Value):
        value = fitted(s, value, part.lengths)
        if plain:
            value = unaliased(s, value, memory, where)
        elif any(other.group == memory.group for other in value.reads()):
            value = in_memory(s, value)
    if not plain:
        scatter(s, memory, replace(part, gather=gather), value, "w")
    elif not part.lengths and not s.pending and not isinstance(value, Value):
        s.body.store(memory.var, memory.group, where(()), value, "w")
    else:
        s.store(memory, where, part.lengths, value, "w")


def _views(s: Scalarizer, memory: Value, path: Arg) -> list[Any]:
    """An array and the views of views of it that a path names."""
    found = [memory]
    assert isinstance(path, Seq)
    for step in path.items:
        assert isinstance(step, Seq) and isinstance(step.items[0], Lit) and isinstance(step.items[1], Lit)
        var, out = Var(found[-1].type), Var(step.items[1].value)
        s.env[var] = found[-1]
        view = step.items[0].value
        FORMS[view](s, Op(view, (var, *step.items[2:]), (out,)))
        value = s.env[out]
        if not isinstance(value, (Mapped, Reshaped)) or value.base is not found[-1]:
            raise NoForm("a view that is no map of places")
        found.append(value)
    return found
