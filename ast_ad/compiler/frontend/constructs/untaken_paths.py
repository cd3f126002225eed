"""Which branches has no call taken so far? They are not read where the whole program can't be.

A program that was refused may be refused for what no call ever does: an error message, a case that the data
never are. Its first call was traced meanwhile, and it is known which lines ran. So the next one is read once
more without the branches that did not: there the program ends with an error, such a call is traced, and lets
the one after it take that branch, too.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import TYPE_CHECKING

import gast

from ....errors import UntakenPathError
from ...ir.builtin import raise_
from ...ir.ops import Lit, Op, Var
from ...ir.types import Opaque
from .boundness import Raised

if TYPE_CHECKING:
    from ..context import Context

Line = tuple[str, int]  # a file and a line


class Untaken:
    """Of a program that is being read: the lines that ran, and the branches that are left out for it."""

    def __init__(self, ran: Collection[Line]) -> None:
        self.ran = ran
        self.left: dict[Line, None] = {}

    def has(self, filename: str, test: gast.AST, body: list[gast.AST]) -> bool:
        """Whether a condition was asked in a call, and none of the lines of what it decides ran.

        What stands in the line of the condition ran with it, as far as is known.
        """
        first, last = body[0].lineno, max(map(end_of, body))
        asked = (filename, test.lineno) in self.ran and first > end_of(test)
        return asked and not any((filename, line) in self.ran for line in range(first, last + 1))


def end_of(node: gast.AST) -> int:
    """The last line of a piece of code."""
    last: int = getattr(node, "end_lineno", None) or node.lineno
    return last


def leave_out(cx: Context, test: gast.AST, body: list[gast.AST]) -> None:
    """End the path here if no call has taken it, in a program that is not read whole."""
    untaken = None if cx.bounds is None else cx.bounds.untaken
    if untaken is None or not body or not untaken.has(cx.frame.source.filename, test, body):
        return
    line = cx.frame.source.filename, body[0].lineno
    untaken.left[line] = None
    told = (
        f"a branch that no call has taken so far ({os.path.basename(line[0])}:{line[1]})",
        None,
        "the program can't be compiled with it, and was made for the branches that were taken",
        "nothing is to be done: the call is traced, and the next program has the branch",
    )
    error = Var(Opaque("UntakenPathError"))
    cx.builder.append(Op(UntakenPathError, tuple(map(Lit, told)), (error,), {}, cx.builder.span))
    cx.builder.append(Op(raise_, (error,), (), {}, cx.builder.span, True, cx.builder.adjoint))
    cx.state.dead = True
    raise Raised


def told(left: Collection[Line]) -> list[str]:
    """The lines of ``explain()`` on what a program leaves out.

    >>> told([("/home/ada/trees.py", 7)])
    ['trees.py:7']
    """
    return [f"{os.path.basename(file)}:{line}" for file, line in left]
