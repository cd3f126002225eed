"""Which loops are written as one? A straight run of array operations as a forest of loop nests.

``run(items, body) -> None``. The end of ``Scalarizer.flush``, after ``gathered``: what is pending is written.

Each operation is placed behind everything that it depends on, and within the loops of an earlier one as far
as both run over the same lengths, and what it reads was written in the same turn of the shared loops.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...ir.ops import NOWHERE, Arg, Block, For, Lit, Op, Span, Var, reads
from ...ir.types import Scalar, type_of
from .. import vector_math
from ..numbers import kernel_math, python_math, remainders
from .affine_indices import Index
from .body import INT, Access, Body

MAX_ITEMS = 40  # operations within one loop
MAX_CHECKS = 64  # pairs of places that may be the same; with more, compilers give up on vectors


@dataclass(eq=False)
class Action:
    """Something done for every point of a space.

    Attributes:
        lengths: of the space, outermost first; none for a statement that is done once.
        keys: what tells equal lengths apart from different ones.
        emit: writes it for one point (given by loop counters) into a body.
        kept: how many outer loops a reduction does not run over; ``start`` writes its initial values before
            the others, ``finish`` uses its results behind them.
        reads, defines: the scalars that it needs, and those that it makes.
        barrier: whether nothing may pass it.
        update: the write of a part of an array that it is (see ``stencil_gather``).
        vectors: whether it had better be in an innermost loop, as it computes what is fast on vectors.
        gathers: whether it reads by indices.
        scatters: whether it writes by indices, to places that two turns may share: no vectors can do that.
        singly: whether it writes what some of its places give one behind the other: no vectors do that.
        early: whether it had better come before the others: the start of sums in memory.
        any_order: whether what it carries may take the places in any order, as sums and extrema may.
    """

    lengths: tuple[Arg, ...]
    keys: tuple[Any, ...]
    emit: Callable[[Body, tuple[Index, ...]], None]
    span: Span = NOWHERE
    adjoint: bool = False
    kept: int | None = None
    start: Callable[[Body], list[Arg]] | None = None
    step: Callable[[Body, tuple[Index, ...], list[Var]], list[Arg]] | None = None
    finish: Callable[[Body, tuple[Index, ...], list[Var]], None] | None = None
    reads: frozenset[Var] = frozenset()
    defines: frozenset[Var] = frozenset()
    barrier: bool = False
    accesses: list[Access] = field(default_factory=list)
    loops: tuple[Var, ...] = ()
    vectors: bool = False
    gathers: bool = False
    scatters: bool = False
    singly: bool = False
    update: Any = None
    early: bool = False
    any_order: bool = False

    def trace(self) -> None:
        """Learn which memory it reads and writes, by writing it to nowhere."""
        self.loops = tuple(Var(INT, "i") for _ in self.lengths)
        body = Body(accesses=self.accesses)
        places = tuple(Index(loop) for loop in self.loops)
        if self.start is None:
            self.emit(body, places)
        else:
            assert self.step is not None and self.finish is not None and self.kept is not None
            states = [v if isinstance(v, Var) else Var(Scalar("float")) for v in self.start(body)]
            self.step(body, places, states)
            self.finish(body, places[: self.kept], states)
        self.vectors = self.start is None and is_slow(body)
        made = {out for op in body.ops for out in op.outs}
        self.gathers = any(
            access.kind == "r" and not made.isdisjoint(v for i in access.index for v, _ in i.terms)
            for access in self.accesses
        )
        self.reads |= {v for op in body.ops for v in reads(op) if v not in made}

    @property
    def one_by_one(self) -> bool:
        """Whether no vectors can do it, and nothing that shares its innermost loop."""
        runs_along = self.start is not None and not self.any_order and self.kept == len(self.lengths) - 1
        return self.scatters or self.gathers or runs_along

    @property
    def opens(self) -> int | None:
        """The number of loops around the place where its initial values are set; None if it has none."""
        return self.kept


def is_slow(body: Body) -> bool:
    """Whether it computes what is several times as fast on vectors."""
    return any(isinstance(op, Op) and op.fn in SLOW for op in body.ops)


SLOW = {fn for fn in vars(vector_math).values() if isinstance(fn, type(vector_math.exp))}
SLOW |= {  # and what is compiled in its place, and consists of these
    fn
    for fn in vars(kernel_math).values()
    if isinstance(fn, type(kernel_math.logaddexp)) and "vector_math" in fn.py_func.__code__.co_names
}
MANY_TIMES = SLOW | {remainders.fmod, remainders.remainder, remainders.remainder_of_integers}
"""What is many times as fast on vectors."""
FOR_VECTORS = MANY_TIMES | {operator.truediv, python_math.truediv, kernel_math.reciprocal, np.sqrt}
"""What is faster on vectors."""


@dataclass(eq=False)
class Nest:
    """A loop over ``length``, with what is in it, and the reductions that it runs (``open``)."""

    length: Arg
    key: Any
    items: list[Nest | Action] = field(default_factory=list)
    open: list[Action] = field(default_factory=list)

    def actions(self) -> Iterable[Action]:
        for item in self.items:
            if isinstance(item, Action):
                yield item
            else:
                yield from item.actions()


def actions(item: Nest | Action) -> Iterable[Action]:
    return [item] if isinstance(item, Action) else item.actions()


def shared(before: Action, after: Action) -> int | None:
    """How many loops two actions may share, the second behind the first; None: as many as they like.

    Sharing loops means that what the first does in one turn comes before what the second does in the same
    turn, but behind nothing of later turns.
    """
    if before.barrier or after.barrier or not before.defines.isdisjoint(after.reads):
        return 0
    limit: int | None = None
    for one in before.accesses:
        for two in after.accesses:
            if one.group != two.group or (one.kind == "r" and two.kind == "r") or _apart(one, two):
                continue
            if one.kind == two.kind == "a" and one.array is two.array:
                one_by_one = before.scatters and after.scatters
                if one_by_one or one.index[-1:] and _same(one.index[-1], two.index[-1]):
                    continue  # sums may be made in any order, and there are no vectors to be lost
                level = min(len(before.lengths), len(after.lengths)) - 1
                if level < 0:
                    continue
                level = max(level, _aligned(one, before, two, after))
            else:
                level = _aligned(one, before, two, after)
            limit = level if limit is None else min(limit, level)
    return limit


def _apart(one: Access, two: Access) -> bool:
    """Whether two accesses name different places along some axis in all turns: rows 0 and 1, say."""
    if one.array is not two.array:
        return False
    pairs = zip(one.index, two.index, strict=False)
    return any(
        i.loop is None and j.loop is None and i.terms == j.terms and i.const != j.const for i, j in pairs
    )


def _aligned(one: Access, before: Action, two: Access, after: Action) -> int:
    """How many outer loops two accesses may share: in these they meet in the same turn only."""
    if one.array is not two.array or len(one.index) != len(two.index):
        return 0
    level = 0
    for a, b in zip(before.loops, after.loops, strict=False):
        for i, j in zip(one.index, two.index, strict=True):
            if i.loop is a and j.loop is b and _same(i, j) and i.scale:
                break
        else:
            return level
        level += 1
    return level


def _same(i: Index, j: Index) -> bool:
    return (i.scale, i.const, i.terms) == (j.scale, j.const, j.terms)


def place(items: list[Nest | Action], action: Action, depth: int = 0) -> None:
    """Put the action into the forest, ``items`` being what is in ``depth`` loops around it."""
    best: Nest | None = None
    end = len(items)
    if action.early and not depth and action.lengths and not _earliest(items, action):
        end = 0
        takers = (i for i in items if isinstance(i, Nest) and _takes_early(i, action))
        best = next(takers, None)
    elif depth < len(action.lengths):
        best = max(_joinable(items, action, depth), key=lambda n: _common(n, action, depth), default=None)
    if best is not None:
        _open(best, action, depth)
        place(best.items, action, depth + 1)
        return
    if depth == len(action.lengths):
        items.append(action)
        return
    nest = Nest(action.lengths[depth], action.keys[depth])
    items.insert(end, nest)
    _open(nest, action, depth)
    place(nest.items, action, depth + 1)


def _joinable(items: list[Nest | Action], action: Action, depth: int) -> Iterator[Nest]:
    """The loops that an action may join, from the last back to what it has to stay behind."""
    for item in reversed(items):
        if isinstance(item, Nest) and item.key == action.keys[depth] and _fits(item, action, depth):
            yield item
        if any(shared(before, action) is not None for before in actions(item)):
            return


def _common(nest: Nest, action: Action, depth: int) -> int:
    """How many loops an action would share within a nest."""
    if depth + 1 >= len(action.lengths):
        return 1
    inner = _joinable(nest.items, action, depth + 1)
    return 1 + max((_common(n, action, depth + 1) for n in inner), default=0)


def _earliest(items: list[Nest | Action], action: Action) -> int:
    """The first position that an action may have."""
    for position in range(len(items), 0, -1):
        if any(shared(before, action) is not None for before in actions(items[position - 1])):
            return position
    return 0


def _takes_early(item: Nest, action: Action) -> bool:
    inside = list(actions(item))
    return item.key == action.keys[0] and all(a.early for a in inside)


def _open(nest: Nest, action: Action, depth: int) -> None:
    if action.kept == depth:
        nest.open.append(action)


def _fits(nest: Nest, action: Action, depth: int) -> bool:
    """Whether the action may join the loop: nothing in it must be finished first."""
    inside = list(nest.actions())
    if len(inside) >= MAX_ITEMS or any(before.singly is not action.singly for before in inside):
        return False
    if depth == len(action.lengths) - 1:
        if action.vectors and any(isinstance(item, Nest) for item in nest.items):
            return False
        here = [item for item in nest.items if isinstance(item, Action)]
        if action.one_by_one and any(item.vectors for item in here):
            return False
        if action.vectors and any(item.one_by_one for item in here):
            return False
    elif any(isinstance(item, Action) and item.vectors for item in nest.items):
        return False
    if depth == len(action.lengths) - 1:
        level = [a for a in inside if len(a.lengths) == len(action.lengths)]
        if _checks([*level, action]) > MAX_CHECKS:
            return False
    for before in inside:
        limit = shared(before, action)
        if limit is not None and limit <= depth:
            return False
    return True


def _checks(inside: Sequence[Action]) -> int:
    """How many pairs of places, one of them written, a compiler has to tell apart to use vectors.

    Different arrays don't overlap, and it knows that; rows of one array may.
    """
    written: set[Any] = set()
    read: set[Any] = set()
    for action in inside:
        for access in action.accesses:
            row = access.array, tuple((i.const, i.terms, i.scale, i.loop is None) for i in access.index)
            (read if access.kind == "r" else written).add(row)
    pairs = 0
    for array in {row[0] for row in written}:
        own = sum(row[0] is array for row in written)
        others = sum(row[0] is array for row in read - written)
        pairs += own * (own - 1) // 2 + own * others
    return pairs


def write(
    items: Sequence[Nest | Action], body: Body, loops: tuple[Var, ...], states: dict[Action, list[Any]]
) -> None:
    """Write the forest into a body."""
    for item in items:
        if isinstance(item, Action):
            body.origin.span, body.origin.adjoint = item.span, item.adjoint
            places = tuple(Index(loop) for loop in loops)
            if item.step is not None:
                states[item] = item.step(body, places, states[item])
            else:
                item.emit(body, places)
            continue
        _write_nest(item, body, loops, states)


def _write_nest(nest: Nest, body: Body, loops: tuple[Var, ...], states: dict[Action, list[Any]]) -> None:
    inside = list(nest.actions())
    for action in nest.open:
        assert action.start is not None
        body.origin.span, body.origin.adjoint = action.span, action.adjoint
        states[action] = action.start(body)
    running = [action for action in inside if action in states]
    span, adjoint = (inside[0].span, inside[0].adjoint) if inside else (NOWHERE, False)
    index = Var(INT, "ijkl"[len(loops)] if len(loops) < 4 else "i")
    params = {a: [Var(_type_of(s), _hint(s)) for s in states[a]] for a in running}
    inner = body.inner(frozenset(a.group for action in inside for a in action.accesses if a.kind != "r"))
    inits = [s for a in running for s in states[a]]
    before = dict(states)
    states.update(params)
    write(nest.items, inner, (*loops, index), states)
    results = [s for a in running for s in states[a]]
    flat = [p for a in running for p in params[a]]
    outs = [Var(p.type, p.hint) for p in flat]
    loop = For(
        index, (Lit(0), nest.length, Lit(1)), (), tuple(flat), tuple(inits), Block(inner.ops, tuple(results)),
        tuple(outs), False, False, span, adjoint,
    )  # fmt: skip
    body.ops.append(loop)
    states.clear()
    states.update(before)
    rest = list(outs)
    for action in running:
        states[action] = [rest.pop(0) for _ in params[action]]
    for action in inside:
        for access in action.accesses:
            if access.kind != "r":
                body.forget(access.group)
    for action in nest.open:
        assert action.finish is not None and action.kept is not None
        body.origin.span, body.origin.adjoint = action.span, action.adjoint
        places = tuple(Index(loop) for loop in loops)
        action.finish(body, places, states.pop(action))


def _type_of(arg: Any) -> Any:
    return arg.type if isinstance(arg, Var) else type_of(arg.value)


def _hint(arg: Any) -> str | None:
    return arg.hint if isinstance(arg, Var) else None


def run(items: Iterable[Action], body: Body) -> None:
    """Fuse a run of actions and write what comes out into a body."""
    forest: list[Nest | Action] = []
    for action in items:
        place(forest, action)
    write(forest, body, (), {})
