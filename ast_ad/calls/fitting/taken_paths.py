"""Which lines ran in a call that was traced? The next program may do without the branches that did not."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy as np

from ... import errors
from ...compiler.frontend.constructs.untaken_paths import Line
from ...errors import UnsupportedError

MOST = 4  # programs with branches left out, before a call that takes another branch is traced for good
OURS = tuple(os.path.dirname(str(module.__file__)) + os.sep for module in (errors, np))


class TakenPaths:
    """The lines that ran in the traced calls of a function.

    ``before``: those for which there is a program; ``times``: how often others were added; ``traced``: the
    traces that watched, by the kind of arguments.
    """

    def __init__(self) -> None:
        self.ran: frozenset[Line] = frozenset()
        self.before: frozenset[Line] = frozenset()
        self.times = 0
        self.traced: dict[Any, Any] = {}

    def trace(self, key: Any, traced: Any, problem: Exception) -> None:
        """Whether the trace of what was refused, for one kind of arguments, watches which lines run.

        Then the next call may be compiled, as far as calls go. Where the branches that ran were read alone,
        the function is refused for what it does there: it is traced as it was before.
        """
        traced.watches = isinstance(problem, UnsupportedError) and not self.ran and self.wants_more()
        traced.once = traced.watches or self.back()
        before = self.traced.pop(key, None)
        if traced.watches:
            self.traced[key] = traced
        elif before is not None:
            traced.checked = before.checked

    def wants_more(self) -> bool:
        """Whether one more program may be made, with more branches."""
        return self.times < MOST

    def add(self, ran: set[Line]) -> None:
        """More lines ran."""
        self.before, self.ran = self.ran, self.ran | ran
        self.times += 1

    def back(self) -> bool:
        """Do with the lines for which there was a program, if there was one: for the last there is none."""
        found = bool(self.before)
        if found:
            self.ran, self.before, self.times = self.before, frozenset(), MOST
        return found


@contextlib.contextmanager
def watched(paths: TakenPaths) -> Iterator[None]:
    """Put into ``paths`` the lines that run in the block, of all code but ours and NumPy's.

    Where a debugger is at work, which must not lose its events, nothing is noted.

    >>> def sign(x):
    ...     if x < 0.0:
    ...         return -1.0
    ...     return 1.0
    >>> paths, first = TakenPaths(), sign.__code__.co_firstlineno
    >>> with watched(paths):
    ...     _ = sign(2.0)
    >>> sorted(line - first for file, line in paths.ran if file == sign.__code__.co_filename)
    [1, 3]
    """
    if sys.gettrace() is not None:
        yield
        return
    ran: set[Line] = set()

    def line(frame: FrameType, event: str, _: Any) -> Any:
        ran.add((frame.f_code.co_filename, frame.f_lineno))
        return line

    def called(frame: FrameType, event: str, _: Any) -> Any:
        return None if frame.f_code.co_filename.startswith(OURS) else line

    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(None)
        paths.add(ran)
