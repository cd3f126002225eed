"""Where does the derivative of a value that is traced end? At the line that makes an integer of it.

Or where it is found to be a number that is kept outside: what is returned then was computed by an earlier
call. A gradient that is zero for this reason is told of, as in compiled programs
(``ast_ad.calls.zero_gradients``).
"""

from __future__ import annotations

import functools
import re
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from ..eager.recording import plain_of
from ..eager.state import state
from ..eager.tensor import Tensor
from ..eager.views import edge_of

End = tuple[str, str, int]  # how a derivative ends, the file's name, the line's number
Places = dict[End, Any]  # a node of the graph for each
INSIDE = re.compile(r"[/\\](ast_ad|numpy|scipy)[/\\]")


class Ends(threading.local):
    """Where derivatives ended in the present trace of this thread."""

    nodes: Places | None = None
    differences: set[Any] | None = None  # nodes of differences of zero, of a traced value and a plain one


ends = Ends()


def becomes_integer(t: Any) -> None:
    """Note that code makes an integer of a traced value."""
    ends_here(t, "integer")


def compared(t: Any, other: Any, same: bool) -> None:
    """Note that a traced value is what an earlier call had: equal, or at a bounded distance of zero.

    Whole numbers are a program's own. What else it is equal to, to the last digit, was computed of it before.
    """
    if ends.nodes is None or isinstance(other, Tensor):
        return
    value = plain_of(t)
    if same:
        met = bool(np.size(value) and np.all(value == other) and np.any(value != np.floor(value)))
    else:
        apart = ends.differences or set()
        met = bool(apart and np.all(value == 0.0) and not apart.isdisjoint(_behind(edge_of(t)[0], apart)))
    if met:
        ends_here(t, "equal")


def subtracted(t: Any, other: Any, difference: Any) -> None:
    """Note a difference of zero: how large it is may be compared."""
    if ends.differences is not None and isinstance(difference, Tensor) and not isinstance(other, Tensor):
        if np.all(plain_of(difference) == 0.0) and np.any(other):
            ends.differences.add(edge_of(difference)[0])


def compares(dispatch: Callable[..., Any]) -> Callable[..., Any]:
    """A function of facts about arrays: of two of them, whether they are the same."""

    @functools.wraps(dispatch)
    def compare(*args: Any, **kwargs: Any) -> Any:
        if state.tracing and len(args) > 1:
            for one, other in (args[:2], args[1::-1]):
                if isinstance(one, Tensor) and np.shape(one) == np.shape(plain_of(other)):
                    compared(one, other, True)
        return dispatch(*args, **kwargs)

    return compare


def ends_here(t: Any, how: str) -> None:
    """Note how the derivative of a traced value ends, with the line of the user's."""
    if ends.nodes is None:
        return
    node = edge_of(t)[0]
    if node is None:
        return
    frame: Any = sys._getframe(1)
    while frame is not None and INSIDE.search(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is not None:
        ends.nodes.setdefault((how, frame.f_code.co_filename, frame.f_lineno), node)


def counted(value: Any) -> Any:
    """What NumPy makes a count of, without its history; whether it can be one is NumPy's to say."""
    if isinstance(value, Tensor):
        becomes_integer(value)
    return plain_of(value)


def lost(nodes: Places, start: Any) -> Iterator[End]:
    """How and where the derivatives of values that depend on ``start``, a leaf of the graph, ended."""
    leaf = edge_of(start)[0]
    return (place for place, node in nodes.items() if leaf in _behind(node, {leaf}))


def _behind(node: Any, stop: Collection[Any]) -> Iterator[Any]:
    """The nodes that lead to one with their derivatives; what is flat by definition gives none."""
    pending, seen = [node], set()
    while pending:
        node = pending.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        yield node
        if node not in stop:
            pending += [target for target, _ in node._live]
