"""How far is a function followed that calls itself as often as the data decide?

Calls are inlined, and where nothing but a condition at run time ends a recursion, inlining never ends. Such a
function is read once more with a bound: deeper calls raise ``RecursionDepthError`` in the program.
"""

from __future__ import annotations

import os
import types
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ....errors import AdError, RecursionDepthError
from ...ir.builtin import raise_
from ...ir.ops import Block, Lit, Op, Var, variables
from ...ir.types import Opaque, Scalar
from ..constructs.boundness import Raised
from ..constructs.untaken_paths import Line, Untaken
from ..inputs import Restart
from ..values import Frame

if TYPE_CHECKING:
    from ..context import Context

MAX_RECURSION = 120
FIRST_BOUND = 4  # calls within calls, before it is known how deep one goes
LAST_BOUND = 32
MOST_BODIES = 100  # of one function within one program

Code = tuple[str, int, str]  # a function's file, first line and name


def code_of_tree(node: Any, frame: Frame) -> Code:
    """``code_of`` of the function with this tree."""
    first = frame.source.first_line if node is frame.source.tree else node.lineno
    decorators = [d.lineno for d in getattr(node, "decorator_list", ())]
    return frame.source.filename, min([first, *decorators]), getattr(node, "name", "<lambda>")


def code_of(code: types.CodeType) -> Code:
    """The file, line and name of a code object: the same where a closure is defined anew at each call."""
    return code.co_filename, code.co_firstlineno, code.co_name


class Bounds:
    """How deep each function may call itself in one program, by its code; which branches it may leave out."""

    def __init__(self, asked: Mapping[Code, int] | None, ran: Collection[Line] = ()) -> None:
        self.asked = asked or {}
        self.untaken = Untaken(ran)
        self.used: dict[Code, int] = {}  # by a program that is being read
        self.given_up = asked is None

    def add(self, problem: AdError) -> bool:
        """Bound the recursion that a problem is about; whether that changes anything."""
        code = getattr(problem, "recursive", None)
        if code is None or code in self.used or self.given_up:
            return False
        self.used[code] = self.asked.get(code, FIRST_BOUND)
        return True

    def drop(self) -> bool:
        """Do without: a program with bounds is too large, or can't be made. Whether that changes anything."""
        dropped = bool(self.used)
        self.used.clear()
        self.given_up = self.given_up or dropped
        return dropped


def follow(cx: Context, node: Any, frame: Frame, name: str) -> bool:
    """Whether a function that may be under way already is followed once more.

    Where there is a bound and a condition stands between its last call and this one, it may end this path.
    """
    under_way = cx.active.get(id(node), ())
    if not under_way or cx.bounds is None:
        return len(under_way) <= MAX_RECURSION
    bound = cx.bounds.used.get(code_of_tree(node, frame))
    if bound is None:
        return len(under_way) <= MAX_RECURSION
    cx.bodies[id(node)] += 1
    if len(under_way) >= bound and under_way[-1] is not cx.builder.block:
        stop(cx, name, bound)
    return len(under_way) <= MAX_RECURSION and cx.bodies[id(node)] <= MOST_BODIES


def demand_compared(cx: Context, under_way: Sequence[Block]) -> None:
    """Ask for a build in which what decides whether a function calls itself is static, where that is lengths.

    ``under_way``: where its calls stand. Of ints of arguments it is asked where they are compared with
    lengths; where the data decide, nothing is asked.
    """
    found: set[Any] = set()
    assert cx.inputs is not None
    for block, cond in reversed(cx.conditions):
        op, keys = cx.inputs.producers.get(getattr(cond, "id", -1)), set[Any]()
        types = [v.type for v in variables(*op.args)] if op is not None else []
        sizes = [type.size if isinstance(type, Scalar) else None for type in types]
        static = all(isinstance(n, int) or n is not None and cx.inputs.dim_leaves(n, keys) for n in sizes)
        if static and any(key[2:] == ("shape",) for key in keys):
            found |= keys
        if under_way and block is under_way[-1]:  # what stands before the last call has decided about that
            break
    if found - cx.inputs.constants:
        raise Restart(found)


def told(depths: Mapping[Code, int]) -> list[str]:
    """The lines of ``explain()`` on a program's bounds.

    >>> told({("/home/ada/trees.py", 7, "walk"): 4})
    ['walk  trees.py:7: 4 calls deep']
    """
    return [
        f"{name}  {os.path.basename(file)}:{line}: {depth} calls deep"
        for (file, line, name), depth in depths.items()
    ]


def stop(cx: Context, name: str, bound: int) -> None:
    """End this path of the program: a call that gets here is traced."""
    text = f"recursion in `{name}`, more than {bound} calls deep"
    told = (
        text,
        None,
        "the program was made for calls that end before",
        "use a loop, or let the call be traced",
    )
    error = Var(Opaque("RecursionDepthError"))
    cx.builder.append(Op(RecursionDepthError, tuple(map(Lit, told)), (error,), {}, cx.builder.span))
    cx.builder.append(Op(raise_, (error,), (), {}, cx.builder.span, True, cx.builder.adjoint))
    cx.state.dead = True
    raise Raised
