"""Which array is it, behind a branch, that only one path has made or opened, and that has other names there?

What the path made is a result of the branch, undefined on the other path; nobody reads it there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.ops import map_arg
from . import doors
from .boundness import export_contents, exported_var, is_known_outside, was_emitted_in_branch
from .choices import chosen, is_itself
from .context import Context
from .heaps import array_in_heap
from .sharing import roots_of
from .values import Arr, Choice, View

if TYPE_CHECKING:
    from .merge import Phis


def made_on_path(cx: Context, arr: Arr, first: bool, phis: Phis, since: int) -> Arr | None:
    """An array that has other names and that only one path knows, behind the branch."""
    if not is_itself(arr) or not all(isinstance(root, Arr) for root in roots_of(arr)):
        return None
    if is_known_outside(cx, arr, since):
        return arr
    key = ("made", id(arr))
    if key not in phis.memo:
        phis.memo[key] = _made_on_path(cx, arr, first, phis, since), arr
    return phis.memo[key][0]


def _made_on_path(cx: Context, arr: Arr, first: bool, phis: Phis, since: int) -> Arr | None:
    def behind(var: Any) -> Any:
        return exported_var(cx, var, first, phis)

    view = arr.view
    if view is None:
        export_contents(cx, arr, behind, phis, phis.states[0 if first else 1])
        return arr
    if isinstance(view.parent, Choice):
        choice = view.parent
        one, two = (made_on_path(cx, part, first, phis, since) for part in (choice.first, choice.second))
        if one is None or two is None:
            return None
        return chosen(one, behind(choice.flag), two, choice.type, choice.hint)
    parent = made_on_path(cx, view.parent, first, phis, since)
    if parent is None:
        return None
    if view.at is not None:
        return array_in_heap(cx, cx.heap(parent), map_arg(behind, view.at))
    if view.index is not None:
        return doors.item_view(cx, parent, map_arg(behind, view.index))
    if view.reads is None or any(was_emitted_in_branch(cx, var) for var in view.reads):
        return None
    return Arr(None, View(parent, view.get, view.put, None, view.reads))
