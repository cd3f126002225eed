"""What does a loop do that runs over a list which changes meanwhile?

Python takes the item at the next position, as long as there is one. So does the loop here: turn by turn while
the list's length is static, then as a ``while`` over positions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..ir.ops import Lit, Var
from .core import Core
from .fixpoint import EveryPassRaises, Passes
from .sharing import lists_of
from .statements import EXITS
from .values import Iterable, Lst, Tup

MAX_TURNS = 600


class ListChanges(Exception):
    """The list that a loop runs over changes: run the loop by positions."""

    def __init__(self, base: Lst) -> None:
        super().__init__("a list changes while a loop runs over it")
        self.base = base


class LiveLists(Core):
    def check_iterated(self, base: Lst, change: str) -> None:
        """Notice that a list changes over which a loop runs; ``change``: 'set', 'append' or 'other'."""
        for source, fixed in zip(self.iterated, self.fixed, strict=True):
            if base in lists_of(source) and not (change == "set" and base not in fixed):
                if not (change == "append" and isinstance(source, Iterable) and source.kind == "reversed"):
                    raise ListChanges(base)

    def fixed_lists(self, source: Any) -> set[Lst]:
        return {base for base in lists_of(source) if not isinstance(self.state.get(base), Var)}

    def run_live(
        self, source: Any, base: Lst, body: Callable[[Any], None], names: set[str], live: Any
    ) -> None:
        """Run ``body`` for the item at each position that the list has when its turn comes."""
        if source is base:
            self.run_positions(base, 0, lambda i, item: body(item), names, live)
        elif source.kind == "enumerate" and source.sources[0] is base:
            self.run_positions(
                base,
                0,
                lambda i, item: body(Tup((self.binary(operator.add, source.start, i), item))),
                names,
                live,
            )
        else:
            raise self.unsupported(
                f"a list that changes while `{source.kind}` runs over it",
                "which items are still to come can't be told",
                "run over a copy, or over positions",
            )

    def run_positions(
        self, base: Lst, position: int, body: Callable[[Any, Any], None], names: set[str], live: Any
    ) -> None:
        while not self.state.dead:
            self.state.set_name(self.frame, "$continue", Lit(False))
            alive, content = self.alive(), self.state.get(base)
            if alive is False or isinstance(content, tuple) and position >= len(content):
                break
            if position > MAX_TURNS:
                raise self.unsupported(
                    "a list that grows while a loop runs over it",
                    f"it has more than {MAX_TURNS} items when it is read, and there is no end in sight",
                    "use an array, or bound the loop",
                )
            if alive is not True:
                self.branch(
                    alive, lambda at=position: self.run_rest(base, at, body, names, live), lambda: None, None
                )
                break
            if isinstance(content, Var):
                self.run_by_index(base, position, body, names, live)
                break
            body(Lit(position), content[position])
            position += 1
        self.state.set_name(self.frame, "$continue", Lit(False))

    def run_rest(
        self, base: Lst, position: int, body: Callable[[Any, Any], None], names: set[str], live: Any
    ) -> None:
        """Go on where the loop has not been left."""
        for name in EXITS:
            if self.state.get_name(self.frame, name) is not None:
                self.state.set_name(self.frame, name, Lit(False))
        self.run_positions(base, position, body, names, live)

    def run_by_index(
        self, base: Lst, position: int, body: Callable[[Any, Any], None], names: set[str], live: Any
    ) -> None:
        """``while position < len(base)``"""
        frame, name = self.frame, f"$position{len(self.iterated)}"
        self.state.set_name(frame, name, Lit(position))

        def test() -> Any:
            return self.emit(operator.lt, self.state.get_name(frame, name), self.length(base))

        def turn() -> None:
            at = self.state.get_name(frame, name)
            body(at, self.load_item(base, at))
            self.state.set_name(frame, name, self.emit(operator.add, at, Lit(1)))

        entry, mark = self.state.fork(), len(self.builder.block.ops)
        try:
            self.while_region(test, turn, {*names, name}, Passes(None if live is None else {*live, name}))
        except EveryPassRaises:
            del self.builder.block.ops[mark:]
            self.state = entry
            self.only_pass(test(), turn)
        self.state.set(frame, {k: v for k, v in self.state.get(frame).items() if k != name})
