"""What does a derivative inside of a function store in what outlives the call?

The function that is differentiated becomes a block of its own. What it stores outside becomes results of that
block, and is stored by the program around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..compiler.frontend.context import Context
from ..compiler.frontend.values import Arr, Dct, Live, Lost, Lst, Maybe, Obj, State, Tup
from ..compiler.ir.ops import Arg, Lit, Var


class Carried:
    """What outside differs behind a block, made of the block's ``results``.

    ``born``: when the block began. While this is made, the store is that behind the block; ``into`` gives
    what it holds to the program around the block.
    """

    def __init__(self, cx: Context, before: State, born: int, results: list[Arg]) -> None:
        self.cx, self.born, self.results = cx, born, results
        self.positions: dict[int, tuple[Any, int]] = {}  # of variables and arrays, by identity
        self.made: dict[int, Any] = {}
        self.after = cx.state
        self.contents = {
            key: content
            for key, content in cx.state.contents.items()
            if is_outside(key) and content is not before.contents.get(key)
        }
        for content in self.contents.values():
            self.note(content)

    def note(self, value: Any) -> None:
        """Let what the block has computed be among its results."""
        if id(value) in self.positions:
            return
        if isinstance(value, Var) or isinstance(value, Arr) and value.serial >= self.born:
            self.positions[id(value)] = value, len(self.results)
            self.results.append(self.cx.arg(value))
        elif isinstance(value, (Lst, Dct, Obj)) and value.serial >= self.born:
            self.positions[id(value)] = value, -1
            self.note(self.cx.state.get(value))
        elif isinstance(value, Tup):
            self.note(value.items)
        elif isinstance(value, Maybe):
            self.note((value.value, value.bound))
        elif isinstance(value, (tuple, dict)):
            for part in value.values() if isinstance(value, dict) else value:
                self.note(part)
        elif not isinstance(value, (Lit, Live, Lost, Arr, Lst, Dct, Obj)):
            raise self.cx.unsupported(
                "a store to what outlives the call, within a differentiated function",
                f"a {type(value).__name__} is stored",
                "store a number or an array",
            )

    def into(self, state: State, results: Sequence[Arg]) -> None:
        """Let the store hold it, where the block has these results."""
        self.results = list(results)
        for key, content in self.contents.items():
            state.set(key, self.again(content))

    def again(self, value: Any) -> Any:
        if id(value) in self.made:
            return self.made[id(value)]
        found = self.made[id(value)] = self._again(value)
        return found

    def _again(self, value: Any) -> Any:
        if isinstance(value, (Var, Arr)) and id(value) in self.positions:
            arg = self.results[self.positions[id(value)][1]]
            return Arr(self.cx.variable(arg)) if isinstance(value, Arr) else arg
        if isinstance(value, dict):
            return {key: self.again(part) for key, part in value.items()}
        if isinstance(value, tuple):
            return tuple(map(self.again, value))
        if isinstance(value, Tup):
            return Tup(tuple(map(self.again, value.items)), value.cls)
        if isinstance(value, Maybe):
            return Maybe(self.again(value.value), self.again(value.bound))
        if isinstance(value, (Lst, Dct, Obj)) and value.serial >= self.born:
            content = self.again(self.after.get(value))
            return Lst(content) if isinstance(value, Lst) else type(value)(*_args(value, content))
        return value


def _args(value: Dct | Obj, content: dict[Any, Any]) -> tuple[Any, Any]:
    return (content, value.cls) if isinstance(value, Dct) else (value.cls, content)


def is_outside(key: object) -> bool:
    """Whether the store's entry is of what outlives the call."""
    return getattr(key, "serial", 0) < 0 and not (isinstance(key, Arr) and key.view is not None)
