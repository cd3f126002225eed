"""How often may Python look for cyclic garbage while a graph is made and swept? Rarely.

``collected_rarely()``. A graph is many objects that stay, and that hold no cycles; by default the collector
looks through all of them again and again, which takes two fifths of a long trace. It is not switched off, as
the code that is traced may make garbage of its own.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

RARELY = 200_000, 20, 20
_lock = threading.Lock()
_inside: list[
    tuple[int, int, int]
] = []  # for each block that runs, in whatever thread, what was set before all


@contextlib.contextmanager
def collected_rarely() -> Iterator[None]:
    """The collector's thresholds are raised; what the user has set in the block stays.

    >>> before = gc.get_threshold()
    >>> with collected_rarely():
    ...     gc.get_threshold() == before
    False
    >>> gc.get_threshold() == before
    True
    """
    with _lock:
        before = _inside[0] if _inside else gc.get_threshold()
        _inside.append(before)
        if len(_inside) == 1 and 0 < before[0] < RARELY[0]:  # 0: it is switched off
            gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        with _lock:
            _inside.pop()
            if not _inside and gc.get_threshold() == RARELY:
                gc.set_threshold(*before)
