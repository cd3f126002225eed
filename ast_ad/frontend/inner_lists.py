"""How is a list read and written that is an element of a list of run-time length?

It is a view of the other one, as a row is of an array: what it holds is read by its position, and a change
of it is a change of the other one. Who else may refer to it is known by the pools (holding.py).
"""

from __future__ import annotations

from typing import Any

from ..ir.ops import Arg, Var
from ..ir.types import list_of
from ..rules import containers
from . import doors
from .container_methods import joined_lists
from .context import Context, content_type
from .holding import STALE_LIST, inner_pools, pools_of
from .values import Lst, Seen, State, View


def load_inner(cx: Context, base: Lst, content: Var, position: Arg) -> Lst:
    """The list at a position of a list."""

    def get(whole: Any) -> Var:
        return cx.builder.opaque(containers.list_get, (whole, position), content_type(whole))

    def put(whole: Any, new: Any) -> Var:
        type = joined_lists(cx, whole.type, list_of(new.type))
        after = cx.builder.opaque(containers.list_set, (whole, position, new), type)
        after.hint = whole.hint
        return after

    inner = Lst(STALE_LIST, pools=inner_pools(cx, base), within=pools_of(cx, base), view=View(base, get, put))
    cx.state.set(inner, Seen(content, get(content)))
    return inner


def read_inner(cx: Context, state: State, inner: Lst) -> Any:
    """What an element holds now that an element of its list was written."""
    if state is not cx.state:
        raise cx.lost(STALE_LIST)
    assert inner.view is not None and inner.view.get is not None
    parent = state.get(inner.view.parent)
    value = inner.view.get(parent)
    state.set(inner, Seen(parent, value))
    return value


doors.read_inner = read_inner
