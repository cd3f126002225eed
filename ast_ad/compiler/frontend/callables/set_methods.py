"""What do the methods of a set answer whose members are known, or that lives outside?

Only those that leave it as it is. What they answer is known where the members of the others are, too; else
they are read as the program that stands for a set.
"""

from __future__ import annotations

import functools
from typing import Any

from ...ir.ops import Lit
from .. import doors
from ..constructs.attributes import load_attribute
from ..context import Context
from ..hash_orders import note_order
from ..outside_values import capture_live
from ..tables import METHODS
from ..values import Live, Lst, Value
from .programs import by_program, set_made

READS = (
    *("union", "intersection", "difference", "symmetric_difference"),
    *("issubset", "issuperset", "isdisjoint", "copy"),
)


def answer(name: str, cx: Context, base: Value, *others: Value) -> Any:
    """What the method of this name answers."""
    members = cx.static_value(capture_live(cx, base) if isinstance(base, Live) else base)
    sets = [set_made(cx, set, other) for other in others]
    if all(isinstance(made, Lit) for made in sets):
        note_order(cx, set, members)
        return doors.fold(cx, getattr(type(members), name), members, *(made.value for made in sets))
    make = by_program(cx, set)
    assert make is not None
    return doors.call(cx, load_attribute(cx, make(Lst(tuple(map(Lit, members)))), name), list(sets), {})


METHODS.update({("set", name): functools.partial(answer, name) for name in READS})
