"""In which order do the loops of a kernel become better ones?

``improve(kernel, overlaps) -> None``. Once for each kernel that ``partition`` has, and for each part of it
that runs in threads; behind ``tidy`` and ``parallelise``.
"""

from __future__ import annotations

from ...ir.ops import Function, Var
from .axis_order import turn, with_columns
from .backward_counters import tell_signs
from .clamped_places import prove_places, split_clamps
from .index_checks import check_before
from .interchange import interchange
from .known_elements import read_once, without_twins
from .loop_invariants import hoist, shrink
from .rooms import keep_rooms
from .scalar_replacement import carry
from .scattered_sums import sums_apart
from .shared_memory import share_memory
from .short_axes import short_axes_first, with_short_cells
from .short_loops import write_out
from .unread_rows import save_what_is_read


def improve(kernel: Function, overlaps: bool) -> None:
    """Take out of loops what need not be in them, order them, and tell what compilers don't see, in place.

    Args:
        kernel: scalar operations and loops.
        overlaps: whether it writes to an argument that may share memory with another one.
    """
    prove_places(kernel)
    hoist(kernel)
    if not overlaps:
        interchange(kernel)
        hoist(kernel)
        if columns := with_columns(kernel):
            turn(kernel, columns)
            interchange(kernel)
            hoist(kernel)
    save_what_is_read(kernel)
    turned = set[Var]() if overlaps else with_short_cells(kernel)
    if not overlaps:
        write_out(kernel, turned)
        read_once(kernel)
        if without_twins(kernel):
            read_once(kernel)
    shrink(kernel)
    share_memory(kernel, turned)
    turn(kernel, short_axes_first(turned))
    split_clamps(kernel)
    if not overlaps:
        sums_apart(kernel)
        check_before(kernel)
        carry(kernel)
    keep_rooms(kernel)
    tell_signs(kernel)
