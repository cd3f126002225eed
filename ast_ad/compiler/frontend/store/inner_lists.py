"""How is a list read and written that is an element of a list or dict of run-time length?

It is a view of the other one, as a row is of an array: what it holds is read by its position, and a change
of it is a change of the other one. Who else may refer to it is known by the pools (holding.py).
"""

from __future__ import annotations

from typing import Any

from ....rules import containers, dicts
from ...ir.ops import Arg, Var
from ...ir.types import DictOf, list_of
from .. import doors
from ..builder import content_type
from ..callables.container_methods import joined_lists
from ..context import Context
from ..values import Dct, Heap, Lst, Seen, State, View
from .holding import STALE_LIST, inner_pools, pools_of


def load_inner(cx: Context, base: Lst | Dct, content: Var, position: Arg) -> Lst:
    """The list at a position of a list, or at a key of a dict."""
    of_list = isinstance(base, Lst)

    def get(whole: Any) -> Var:
        read = containers.list_get if of_list else dicts.dict_get
        return cx.builder.opaque(read, (whole, position), content_type(whole))

    def put(whole: Any, new: Any) -> Var:
        element = joined_lists(cx, list_of(whole.type.element), list_of(new.type))
        type = element if of_list else DictOf(whole.type.key, element.element)
        store = containers.list_set if of_list else dicts.dict_set
        after = cx.builder.opaque(store, (whole, position, new), type)
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
    heap = inner.view.parent
    parent = cx.read(heap) if isinstance(heap, Heap) else state.get(heap)
    value = inner.view.get(parent)
    state.set(inner, Seen(parent, value))
    return value


doors.read_inner = read_inner
