"""Where does the derivative of a value that is traced end? At the line that makes an integer of it.

A gradient that is zero for this reason is told of, as in compiled programs (``ast_ad.calls.zero_gradients``).
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Collection, Iterator
from typing import Any

from ..eager.recording import plain_of
from ..eager.tensor import Tensor
from ..eager.views import edge_of

Places = dict[tuple[str, int], Any]  # a node of the graph for each line, (filename, number)
INSIDE = re.compile(r"[/\\](ast_ad|numpy|scipy)[/\\]")


class Ends(threading.local):
    """What became an integer in the present trace of this thread: a node of the graph for each line."""

    nodes: Places | None = None


ends = Ends()


def becomes_integer(t: Any) -> None:
    """Note that code makes an integer of a traced value."""
    if ends.nodes is None:
        return
    node = edge_of(t)[0]
    if node is None:
        return
    frame: Any = sys._getframe(1)
    while frame is not None and INSIDE.search(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is not None:
        ends.nodes.setdefault((frame.f_code.co_filename, frame.f_lineno), node)


def counted(value: Any) -> Any:
    """What NumPy makes a count of, without its history; whether it can be one is NumPy's to say."""
    if isinstance(value, Tensor):
        becomes_integer(value)
    return plain_of(value)


def lost(nodes: Places, start: Any) -> tuple[str, int] | None:
    """The line at which a value that depends on ``start``, a leaf of the graph, became an integer."""
    leaf = edge_of(start)[0]
    return next((place for place, node in nodes.items() if leaf in _behind(node, {leaf})), None)


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
