"""Which lines ran in a call that was traced? The next program may do without the branches that did not."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ...compiler.budget import TOO_LARGE
from ...compiler.frontend.constructs.untaken_paths import Line
from ...errors import UnsupportedError
from ...tracing.ran_lines import asked

MOST = 4  # programs with branches left out, before a call that takes another branch is traced for good


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
        refused = isinstance(problem, UnsupportedError) and problem.construct != TOO_LARGE
        traced.watches = refused and not self.ran and self.wants_more()
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
    """Put into ``paths`` the lines that run in the trace that is made in the block."""
    ran: set[Line] = set()
    asked.lines = ran
    try:
        yield
    finally:
        asked.lines = None
        if ran:
            paths.add(ran)
