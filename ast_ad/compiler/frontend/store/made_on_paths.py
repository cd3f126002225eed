"""Which array is it, behind a branch, that each path made or opened, or one of them only?

An array that has other names is the very one that the path had: a choice tells which path that was. What a
path made is a result of the branch, undefined on the other path; nobody reads it there. A value that has no
other name, a number or None among them, is what the branch gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ir.alternatives import is_mixed
from ...ir.ops import Arg, Undefined, Var, map_arg
from ...ir.types import Array
from .. import doors
from ..builder import type_of_arg
from ..constructs.boundness import export_contents, exported_var, is_known_outside, was_emitted_in_branch
from ..context import Context
from ..types.joins import is_alike
from ..values import Arr, Choice, Value, View
from .choices import chosen, is_itself, is_plain, is_replaced
from .heaps import array_in_heap
from .holding import pools_around
from .shared_names import PERHAPS, roots_of

if TYPE_CHECKING:
    from .merge import Phis


def one_of_two(
    cx: Context, out: Var, values: tuple[Value | None, Value | None], phis: Phis, since: int
) -> Arr | None:
    """The array that is one of two, either of which may have other names; None where it can't be followed.

    ``out``: what the branch gives for the value. Where a path has none, nothing that runs reads it.
    """
    if phis.flag is None or phis.apart or not (cx.by_reference or is_plain(out.type)):
        return None
    found: list[Arr] = []
    held = False  # by another name
    by_value = 0
    for value, of in zip(values, (phis.then, phis.orelse), strict=True):
        first = of is phis.then
        if not isinstance(value, Arr):
            if not cx.by_reference:
                return None
            by_value += 1
            found.append(Arr(own_result(cx, of[phis.outs.index(out)], out, first, phis)))
            if value is None:
                cx.partial.add(found[-1])
            continue
        shared = phis.shared[0 if first else 1]
        argument = of[phis.outs.index(out)]
        plain = isinstance(argument, Var) and is_alike(argument.type, out.type)
        if value.sources or value.foreign in PERHAPS or not (plain or cx.by_reference):
            return None
        roots = list(roots_of(value))
        held = held or any(root in shared for root in roots)
        if not any(root in shared for root in roots) and all(root.serial > since for root in roots):
            by_value += 1
            content = own_result(cx, argument, out, first, phis)
            found.append(Arr(content, within=pools_around(cx, value, phis.merged)))
        elif is_known_outside(cx, value, since) and all(isinstance(root, Arr) for root in roots):
            found.append(value)
        else:
            known = made_on_path(cx, value, first, phis, since) if cx.by_reference else None
            if known is None:
                return None
            found.append(known)
    if by_value == len(found) or not held:
        return None  # each has one name: the value is all that can be seen
    return chosen(found[0], phis.flag, found[1], out.type, out.hint)


def own_result(cx: Context, argument: Arg, out: Var, first: bool, phis: Phis) -> Var:
    """What a path gives itself, of the type that it has there: another one than of what the branch gives.

    The widest of several dtypes is another one, too: of what has it for certain, nothing has to be asked.
    """
    type = type_of_arg(argument)
    known = isinstance(type, Array) or is_replaced(type)
    same = is_alike(type, out.type) and not (is_mixed(out.type) and is_plain(type))
    if isinstance(argument, Undefined) or same or not known:
        return out
    if isinstance(argument, Var):
        return exported_var(cx, argument, first, phis)
    nothing = Undefined(type)
    return phis.add(argument if first else nothing, nothing if first else argument, type, out.hint)


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
