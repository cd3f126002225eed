"""What is known of a loop's passes, and what does it carry from one to the next?"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from ...ir.ops import Arg, Var
from ..types.joins import renewed


class EveryPassRaises(Exception):
    """A loop of which each pass raises: there is at most one."""


@dataclass
class Passes:
    """What is known of a loop's passes.

    ``live``: the names of its frame that may be read at the start of a pass or behind the loop (None: all);
    ``any``: emits the boolean that tells whether there is a pass at all (None: only the loop can tell);
    ``certain``: whether it is known that there is one; ``index``: the variable that counts them;
    ``since``: variables with this id, or a higher one, are made in the loop.
    """

    live: Collection[str] | None = None
    any: Callable[[], Any] | None = None
    certain: bool = False
    index: Var | None = None
    since: int = 0


@dataclass
class Carried:
    """What a loop carries: at its start, at the end of each pass, at the start of each, and behind it.

    ``ran``: whether there was a pass, where it carries that.
    """

    inits: list[Arg] = field(default_factory=list)
    yields: list[Arg] = field(default_factory=list)
    variables: list[Var] = field(default_factory=list)
    outs: list[Var] = field(default_factory=list)
    ran: Var | None = None

    def add(self, starts: list[Arg], ends: list[Arg], results: list[Var]) -> None:
        """Carry values that no pass reads; what one finds has the lengths of the pass before."""
        self.inits += starts
        self.yields += ends
        self.variables += [Var(renewed(r.type, None), r.hint) for r in results]
        self.outs += results
