"""What did the passes do to a program? Each notes it in the report of the code that it works on.

``explain()`` prints the notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .ir.ops import NOWHERE, Span


@dataclass(frozen=True)
class Note:
    """What ``stage`` did, and the place in the user's code."""

    stage: str
    text: str
    span: Span = NOWHERE


class Report:
    """The notes on one program, in the order of the stages.

    >>> report = Report()
    >>> report.note("loop fusion", None, "one loop for two")
    >>> [str(note.text) for note in report]
    ['one loop for two']
    """

    def __init__(self, notes: Iterable[Note] = ()) -> None:
        self.notes = list(notes)

    def note(self, stage: str, op: Any, text: str) -> None:
        """Note what was done; ``op``: a statement, for its place, or None."""
        found = Note(stage, text, getattr(op, "span", NOWHERE))
        if found not in self.notes:
            self.notes.append(found)

    def __iter__(self) -> Iterator[Note]:
        return iter(self.notes)


class _Unheard(Report):
    def note(self, stage: str, op: Any, text: str) -> None:
        pass


UNHEARD: Report = _Unheard()
"""For a pass whose notes nobody wants."""
