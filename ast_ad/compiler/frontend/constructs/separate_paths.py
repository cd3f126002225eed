"""What if a statement can't be read because a value has one of several types, by the path taken?

The program asks which of them it has, and what follows in the block is read once for each: there the type
is known. The questions are about the value, as it runs: how many axes it has, whether it is an array or a
number, of which class or dtype. What a value may be is known exactly (``ir.alternatives``), so that none is
asked about the last kind.

Where the rest of the block can't be read so, or several questions are under way, the statement alone is; else
it is tried in the block around this one. What can't be read for one kind of value ends the program there with
an error, and such a call is traced.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from ....errors import AdError, UnsupportedError
from ....rules import helpers
from ....rules.in_place import is_array
from ...ir.alternatives import common, types_of
from ...ir.builtin import raise_, told
from ...ir.ops import Block, Lit, Op, Var
from ...ir.types import NONE, Array, Opaque, Optional, Scalar, Type, dtype_of, rank_of
from .. import doors
from ..context import Context
from ..store.choices import told_which
from ..store.heaps import back
from ..types.several import open_variables
from ..values import Arr, Frame, State, Tup, Value
from .boundness import Raised, is_certain

WHOLE, MOST = 2, 4  # questions within each other: so that the rest of a block is read anew, and at all
BOOL = Scalar("bool")
ARRAY, NUMBER = "ndarray", "number"


@dataclass
class Before:
    """The state of the reading before a statement."""

    state: State
    block: Block
    mark: int
    newest: int
    kept: tuple[Any, ...]

    @classmethod
    def of(cls, cx: Context) -> Before:
        block, builder = cx.builder.block, cx.builder
        kept = dict(cx.errstate), cx.branch_start, builder.span, builder.narrowed, cx.frame, len(cx.moved)
        return cls(cx.state.fork(), block, len(block.ops), Var(BOOL).id, kept)

    def again(self, cx: Context) -> None:
        """Drop what was read since, to read it in another way."""
        del self.block.ops[self.mark :]
        cx.state = self.state.fork()
        errstate, cx.branch_start, cx.builder.span, cx.builder.narrowed, cx.frame, moved = self.kept
        cx.errstate = dict(errstate)
        back(cx, moved)


def exec_apart(cx: Context, run: Callable[[], Any], here: list[gast.AST]) -> Any:
    """Read a statement, the first of those ``here``; True: the others, too."""
    before = Before.of(cx)
    try:
        return run()
    except AdError as problem:
        var = asked_about(cx, problem, before)
        if var is None:
            raise
        refused = problem
    tried = [here, here[:1]] if len(cx.asked_apart) < WHOLE and len(here) > 1 else [here[:1]]
    for statements in tried:
        before.again(cx)
        try:
            read_apart(cx, var, statements)
            return len(statements) == len(here)
        except UnsupportedError:  # the whole rest can't be read so; the first statement alone perhaps can
            continue
    raise refused  # perhaps a block around this one can be read so


def asked_about(cx: Context, problem: AdError, before: Before) -> Var | None:
    """The value because of whose types a statement can't be read, if it was there before."""
    if len(cx.asked_apart) >= MOST or cx.builder.block is not before.block:
        return None
    makers = {out: op for op in before.block.ops[before.mark :] if isinstance(op, Op) for out in op.outs}
    left = list(getattr(problem, "apart", ()))
    for var in left:  # which grows
        if var.id >= before.newest:  # made in the statement itself: of what?
            op = makers.pop(var, None)
            left += open_variables(*op.args, *op.kwargs.values()) if op is not None else ()
        elif var.id not in cx.asked_apart and len(kinds(var.type)) > 1:
            return var
    return None


def read_apart(cx: Context, var: Var, statements: list[gast.AST]) -> None:
    """Read statements once for each kind of value that a variable may hold.

    Where they can't be read for one of several kinds, a call in which the value is of that kind is traced.
    """
    possible = kinds(var.type)
    refused: list[UnsupportedError] = []
    ends: list[bool] = []

    def as_this(type: Type) -> None:
        before = Before.of(cx)
        try:
            known(cx, var, type)
            doors.exec_block(cx, statements)
            doors.drop_dead_names(cx, statements[-1], after=True)  # they may differ in what can't be merged
            ends.append(not cx.state.dead)
        except UnsupportedError as problem:
            if is_certain(problem, before.block) or others_may_read(cx, problem):
                raise
            refused.append(problem)
            before.again(cx)
            give_up(cx, problem)

    def each(left: list[tuple[Any, Type]]) -> None:
        (sort, type), *others = left
        if others:
            doors.branch(cx, question(cx, var, sort), lambda: as_this(type), lambda: each(others), None)
        else:
            as_this(type)

    cx.asked_apart.append(var.id)
    try:
        each(possible)
    finally:
        cx.asked_apart.pop()
    if refused and not any(ends):
        raise refused[0]


def others_may_read(cx: Context, problem: UnsupportedError) -> bool:
    """Whether the program is read in another way for what is refused."""
    return getattr(problem, "aliased", False) and not cx.handles or hasattr(problem, "recursive")


def give_up(cx: Context, problem: UnsupportedError) -> None:
    """End this path of the program with an error: a call that gets here is traced."""
    parts = problem.construct, None, problem.why, problem.fix
    error = Var(Opaque("UnsupportedError"))
    cx.builder.append(Op(UnsupportedError, tuple(map(Lit, parts)), (error,), {}, cx.builder.span))
    cx.builder.append(Op(raise_, (error,), (), {}, cx.builder.span, True, cx.builder.adjoint))
    cx.state.dead = True
    raise Raised


# ----- which kinds there are
def kinds(type: Type) -> list[tuple[Any, Type]]:
    """The answers to a question that tells the types of a value apart, and the type that each leaves."""
    if isinstance(type, Optional):
        return [(None, NONE), (..., type.value)]
    types = types_of(type)
    for sort in (rank_of, _is_array, sort_of):
        groups: dict[Any, list[Type]] = {}
        for one in types:
            groups.setdefault(sort(one), []).append(one)
        if len(groups) > 1:
            return [(key, common(group)) for key, group in groups.items()] if len(groups) <= MOST else []
    return []


def _is_array(type: Type) -> str:
    return ARRAY if isinstance(type, Array) else NUMBER


def sort_of(type: Type) -> str:
    """What ``helpers.sort_of`` says of a value of the type."""
    python = isinstance(type, Scalar) and type.dtype is None
    return type.kind if python else f"{_is_array(type)} of {dtype_of(type)}"  # type: ignore[union-attr]


def question(cx: Context, var: Var, sort: Any) -> Var:
    """Whether a value is of a kind."""
    if sort is None:
        return cx.builder.opaque(operator.is_, (var, Lit(None)), BOOL)
    if sort in (ARRAY, NUMBER):
        found = cx.builder.opaque(is_array, (var,), BOOL)
        return found if sort == ARRAY else cx.builder.opaque(operator.not_, (found,), BOOL)
    asked, type = (np.ndim, Scalar("int")) if isinstance(sort, int) else (helpers.sort_of, Opaque("str"))
    return cx.builder.opaque(operator.eq, (cx.builder.opaque(asked, (var,), type), Lit(sort)), BOOL)


def known(cx: Context, var: Var, type: Type) -> None:
    """Let a variable have this type from here on, to the end of the block."""
    if type is NONE:
        replace_names(cx, var, lambda _: Lit(None))
        return
    better = cx.builder.narrowed.get(var.id)
    if better is not None and not isinstance(var.type, Optional):
        return
    if better is None:
        better = cx.builder.opaque(told, (var, Lit(rank_of(type))), type)
        better.hint = var.hint
    if isinstance(type, Scalar) or isinstance(type, Optional):
        replace_names(cx, var, lambda _: better)
    else:
        replace_names(cx, var, lambda held: told_which(cx, held, type))
        cx.builder.narrow(var, better)


def replace_names(cx: Context, var: Var, better: Callable[[Value], Value]) -> None:
    """The names of the function that hold a value hold what is better known.

    That is a number where they held what may be one, and the very array where they held one of several.
    """

    def replaced(held: Any) -> Any:
        if isinstance(held, Tup):
            items = tuple(map(replaced, held.items))
            same = all(a is b for a, b in zip(items, held.items, strict=True))
            return held if same else Tup(items, held.cls)
        return better(held) if held is var or isinstance(held, Arr) and shows(cx, held, var) else held

    frame: Frame | None = cx.frame
    while frame is not None:
        cx.state.set(frame, {name: replaced(held) for name, held in cx.state.get(frame).items()})
        frame = frame.enclosing


def shows(cx: Context, arr: Arr, var: Var) -> bool:
    """Whether a variable is what an array holds now."""
    if arr.view is None:
        content = cx.state.look(arr)
        return content is var or isinstance(content, Var) and cx.builder.narrowed.get(content.id) is var
    cached = cx.state.contents.get(arr)
    return isinstance(cached, tuple) and cached[1] is var and cx.read(arr) is var


doors.exec_apart = exec_apart
