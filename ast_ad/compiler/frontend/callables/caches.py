"""May a function with a cache run at every call? If it changes nothing, and what it reads stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import gast

from ..constructs.local_classes import enclosing_scope
from ..context import Context
from ..values import Arr, Bound, Closure, Dct, Frame, Lst, Obj, Value

_read: WeakKeyDictionary[Closure, list[tuple[Any, Any]]] = WeakKeyDictionary()  # at the first call of each


def require_same_reads(cx: Context, function: Value) -> None:
    """What a function reads from around it is what it was: its cache holds what came of that."""
    if not isinstance(function, Closure):
        return
    now = list(reads_of(cx, function, set()))
    before = _read.setdefault(function, now)
    if len(now) != len(before) or any(
        a is not b for x, y in zip(now, before, strict=True) for a, b in zip(x, y, strict=True)
    ):
        raise cx.unsupported(
            "a function with a cache that reads what has changed since",
            "the cache holds what came of what it was",
            "pass it as an argument",
        )


def reads_of(cx: Context, function: Closure, known: set[int]) -> Iterator[tuple[Any, Any]]:
    """What a function finds around it, each with what that holds, and what those functions find."""
    known.add(id(function))
    names = {node.id for node in gast.walk(function.node) if isinstance(node, gast.Name)}
    for name in sorted(names):
        frame: Frame | None = function.frame
        while frame is not None and cx.state.get_name(frame, name) is None:
            frame = enclosing_scope(frame)
        if frame is None:
            continue
        value = cx.state.get_name(frame, name)
        yield value, cx.state.look(value) if isinstance(value, (Arr, Lst, Dct, Obj)) else None
        for one in (value, *value.args) if isinstance(value, Bound) else (value,):
            if isinstance(one, Closure) and id(one) not in known:
                yield from reads_of(cx, one, known)


@dataclass
class Before:
    """What there was before a call, and what it held. ``mark``: later than all that was made before."""

    contents: dict[Any, Any]
    mark: int

    @classmethod
    def of(cls, cx: Context) -> Before:
        return cls(dict(cx.state.contents), Lst(()).serial)

    def require_same(self, cx: Context, construct: str, why: str, fix: str) -> None:
        """A call has changed nothing of it: how often it is made does not show."""
        if any(self.is_changed(key, content) for key, content in cx.state.contents.items()):
            raise cx.unsupported(f"{construct} that changes something", why, fix)

    def is_changed(self, key: Any, now: Any) -> bool:
        if isinstance(key, Arr) and key.view is not None:  # what it shows is noted anew
            return False
        if key not in self.contents:
            return getattr(key, "serial", self.mark) < self.mark and now is not key.initial
        before = self.contents[key]
        if isinstance(key, Frame):
            return any(now.get(name) is not v for name, v in before.items() if not name.startswith("$"))
        return now is not before
