"""Which writes may happen in place, and where must a copy be made for that?

The last pass: the IR is pure before it. ``b = setitem(a, i, v)`` becomes a write to ``a`` where ``a`` is
whole, was allocated by this program, and nobody reads what it was afterwards::

    z_bar = np.zeros(n)                 z_bar = np.zeros(n)
    v_bar = z_bar[1:]                   v_bar = z_bar[1:].copy()     (a view that is read after the write)
    z_bar_1 = setitem(z_bar, 1:, 0)     z_bar[1:] = 0

Otherwise something is copied: the view that would see the write, what is put into a list, the initial value
of a loop, the array itself, whichever costs least. All writes are candidates at first; each round of the
analysis repairs those that are not safe, until all are.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..analysis import aliasing
from ..analysis.aliasing import FOREIGN, READ_ONLY, WHOLE, Decisions, Root, Storage
from ..analysis.apart import Apart
from ..ir import builtin
from ..ir.liveness import Liveness
from ..ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Op,
    Seq,
    Statement,
    Var,
    While,
    binders,
    blocks,
    map_arg,
    variables,
    walk,
)
from ..ir.types import Array, ListOf, Scalar
from ..rules import containers, helpers
from .copying import copy_function
from .schedule import schedule
from .undefined import undefined_values

_ACCUMULATE: dict[Any, Callable[..., Any]] = {
    operator.add: builtin.iadd_,
    np.add: builtin.iadd_,
    operator.sub: builtin.isub_,
    np.subtract: builtin.isub_,
}
_LISTS: dict[Any, Callable[..., Any]] = {
    containers.list_append: builtin.append_,
    containers.list_pop: builtin.pop_,
    containers.list_set: builtin.setitem_,
    containers.list_concat: builtin.extend_,
}


def write_in_place(function: Function, owned: Collection[int] = (), fresh: Collection[int] = ()) -> Function:
    """The same function with writes in place; what it is given is not changed.

    Args:
        function: pure IR; it is left as it is.
        owned: positions of parameters that the function may overwrite.
        fresh: positions of results that the caller gets for keeps: they share memory with nothing else.
    """
    function = copy_function(function)
    schedule(function.body, candidate)
    _Pass(function, frozenset(function.params[i] for i in owned), frozenset(fresh)).run()
    return function


@dataclass
class _Place:
    """A candidate: an op that may write, what it becomes, and the loops around it."""

    op: Op
    mutator: Callable[..., Any]
    loops: tuple[For | While, ...]

    @property
    def target(self) -> Var:
        assert isinstance(self.op.args[0], Var)
        return self.op.args[0]


@dataclass
class _Pass:
    function: Function
    owned: frozenset[Var]
    fresh: frozenset[int]
    decisions: Decisions = field(default_factory=Decisions)

    def run(self) -> None:
        self.live = Liveness(self.function, reads=aliasing.data_reads)
        self.definitions: dict[Var, tuple[Statement, tuple[For | While, ...]]] = {}
        self.entries: dict[Var, tuple[For | While, int]] = {}
        self.around: dict[Var, tuple[For | While, ...]] = {}
        self.places: list[_Place] = []
        self.visit(self.function.body, ())
        self.mutators = {id(place.op): place.mutator for place in self.places}
        self.copies: set[int] = set()  # candidates whose target is copied first
        self.refused: set[int] = set()  # candidates that stay pure
        self.settled: set[int] = set()
        self.doubtful = undefined_values(self.function.body) | self.elements()
        while self.repair():
            pass
        results = self.copied_results()
        _Rewriter(self).block(self.function.body)
        self.function.body.results = results(self.function.body)

    # ----- what there is -----

    def visit(self, block: Block, loops: tuple[For | While, ...]) -> None:
        for op in block.ops:
            for out in op.outs:
                self.definitions[out] = op, loops
                self.around[out] = loops
            if isinstance(op, Op):
                mutator = candidate(op)
                if mutator is not None:
                    self.places.append(_Place(op, mutator, loops))
            elif isinstance(op, (For, While)):
                self.entries.update((p, (op, i)) for i, p in enumerate(op.params))
                self.around.update((v, (*loops, op)) for v in binders(op))
            for inner in blocks(op):
                self.visit(inner, (*loops, op) if isinstance(op, (For, While)) else loops)

    def elements(self) -> set[Var]:
        """Values that come out of containers: they may be None on the paths that don't use them."""
        found: set[Var] = set()
        for op in walk(self.function.body):
            if isinstance(op, Op) and aliasing.behaviour(op) in ("element", "pop"):
                found.update(op.outs)
            elif isinstance(op, For):
                found.update(var for _, targets in op.items for var in targets)
        return found

    def analyse(self) -> Apart:
        kept = frozenset(self.mutators) - self.copies - self.refused
        self.decisions = replace(self.decisions, writes=kept)
        return Apart(self.function, self.owned, self.decisions)

    # ----- one round -----

    def repair(self) -> bool:
        """Make the first unsafe writes safe; False where all are."""
        aliases = self.analyse()
        storage = aliases.storage
        touched: set[Root] = set()
        chains: set[Var] = set()
        repaired = False
        for place in self.places:
            if id(place.op) in self.settled:
                continue
            own = storage[place.target]
            chain = self.chain(place.target)
            if not touched.isdisjoint(own.direct) or not chains.isdisjoint(chain):
                continue  # what was repaired in this round may have helped here
            problem = self.conflict(place, own, aliases)
            if problem is not None:
                self.fix(place, own, problem, chain, storage)
                touched |= own.direct - {FOREIGN}
                chains |= chain | {place.op.outs[0]}
                repaired = True
            else:
                self.settled.add(id(place.op))  # for good: a copy elsewhere only makes it safer
        return repaired

    def conflict(self, place: _Place, own: Storage, aliases: Apart) -> Var | Root | None:
        """Why the write is not safe: FOREIGN memory, or not whole; or a Var that would see it."""
        if FOREIGN in own.direct or (own.form != WHOLE and isinstance(place.target.type, Array)):
            return FOREIGN
        written = place.op.outs[0]
        seen = [v for v in self.live.after[id(place.op)] if v is not written]
        if not _reads_safely(place):
            seen += variables(*place.op.args[1:])
        seen = [v for v in seen if aliases.may_share(v, place.target)]
        return min(seen, key=lambda v: (v is place.target, v.id)) if seen else None

    def fix(
        self, place: _Place, own: Storage, problem: Var | Root, chain: set[Var], storage: dict[Var, Storage]
    ) -> None:
        """Decide on one copy (or on no write at all) that removes the conflict."""
        if isinstance(problem, Var) and problem is not place.target:
            if self.copy_view(place, problem, own) or self.copy_stored(place, problem, own, storage):
                return
        if problem is not place.target and self.copy_init(place, chain, problem, storage):
            return
        if place.mutator in (builtin.iadd_, builtin.isub_):
            self.refused.add(id(place.op))
        else:
            self.copies.add(id(place.op))
        self.settled.add(id(place.op))

    def copy_view(self, place: _Place, seen: Var, own: Storage) -> bool:
        """Copy a view of the array where it is taken, unless that is in a deeper loop than the write."""
        op, loops = self.definitions.get(seen, (None, ()))
        if not isinstance(op, Op) or id(op) in self.decisions.copied or len(op.outs) != 1:
            return False
        if not is_copyable(seen) or len(loops) > len(place.loops) or seen in self.chain(place.target):
            return False
        if aliasing.behaviour(op) not in ("view", "read-only", "itself", "same"):
            return False
        self.decisions = replace(self.decisions, copied=self.decisions.copied | {id(op)})
        return True

    def copy_stored(self, place: _Place, seen: Var, own: Storage, storage: dict[Var, Storage]) -> bool:
        """Copy what is put into the container ``seen``, where it is put there."""
        if isinstance(seen.type, Array):
            return False
        found = set()
        for op, loops in self.definitions.values():
            if not isinstance(op, Op) or aliasing.behaviour(op) != "shallow" or len(loops) > len(place.loops):
                continue
            for arg in variables(*_stored(op)):
                shares = is_copyable(arg) and not storage[arg].direct.isdisjoint(own.direct)
                if shares and (id(op), arg) not in self.decisions.stored:
                    if not storage[op.outs[0]].direct.isdisjoint(storage[seen].direct):
                        found.add((id(op), arg))
        self.decisions = replace(self.decisions, stored=self.decisions.stored | found)
        return bool(found)

    def copy_init(
        self,
        place: _Place,
        chain: set[Var],
        problem: Var | Root,
        storage: dict[Var, Storage],
    ) -> bool:
        """Copy the initial value of a loop around the write, where the shared memory enters by it."""
        entries = [self.entries[v] for v in chain if v in self.entries]
        for loop in place.loops:  # the outermost first
            for entry, position in sorted(entries, key=lambda e: e[1]):
                init = loop.inits[position] if entry is loop else None
                if not isinstance(init, Var) or (id(loop), position) in self.decisions.inits:
                    continue
                if loop.params[position] is problem:
                    continue
                if is_copyable(init) and self.enters(storage, init, problem, loop):
                    self.decisions = replace(
                        self.decisions, inits=self.decisions.inits | {(id(loop), position)}
                    )
                    return True
        return False

    def enters(self, storage: dict[Var, Storage], init: Var, problem: Var | Root, loop: For | While) -> bool:
        """Whether it is by its initial value that the array written in the loop is not ours alone."""
        if not isinstance(problem, Var):
            return FOREIGN in storage[init].direct or storage[init].form != WHOLE
        if problem in self.entries and self.entries[problem][0] is loop:
            other = loop.inits[self.entries[problem][1]]
            return isinstance(other, Var) and not storage[other].all.isdisjoint(storage[init].direct)
        return loop not in self.around.get(problem, ()) and not storage[problem].all.isdisjoint(
            storage[init].direct
        )

    def chain(self, var: Var) -> set[Var]:
        """The Vars whose very object ``var`` may be: back through writes, branches and loops."""
        found: set[Var] = set()
        todo: list[Arg] = [var]
        while todo:
            var_ = todo.pop()
            if not isinstance(var_, Var) or var_ in found:
                continue
            found.add(var_)
            if var_ in self.entries:
                loop, position = self.entries[var_]
                yields = loop.body.results[1:] if loop.stops else loop.body.results
                todo += [loop.inits[position], yields[position]]
                continue
            op, _ = self.definitions.get(var_, (None, ()))
            if isinstance(op, Op):
                if id(op) in self.decisions.writes or aliasing.behaviour(op) in ("same", "itself"):
                    todo += op.args[:1] if var_ is op.outs[0] else ()
            elif isinstance(op, If):
                position = op.outs.index(var_)
                todo += [op.then.results[position], op.orelse.results[position]]
            elif op is not None:
                todo.append(op.params[op.outs.index(var_)])
        return found

    # ----- results -----

    def copied_results(self) -> Callable[[Block], tuple[Arg, ...]]:
        """Decide which parts of the results are copied; a function that does it, to be called at the end."""
        storage = self.analyse().storage
        parts = [(position, v) for position, r in enumerate(self.function.body.results) for v in variables(r)]
        copied: set[int] = set()
        for index, (position, var) in enumerate(parts):
            own = storage[var]
            others = [storage[v].all for i, (_, v) in enumerate(parts) if i != index and i not in copied]
            shared = any(not own.all.isdisjoint(roots) for roots in others) or _holds_arrays(var)
            if position in self.fresh and own.all and (shared or FOREIGN in own.all or own.form == READ_ONLY):
                copied.add(index)
        count, doubtful = iter(range(len(parts))), self.doubtful

        def copy_of(block: Block) -> Callable[[Var], Arg]:
            def change(var: Var) -> Arg:
                if next(count) not in copied:
                    return var
                return _copy(var, block.ops, deep=_holds_arrays(var) or var in doubtful)

            return change

        return lambda block: tuple(map_arg(copy_of(block), result) for result in block.results)


# ----- facts about single ops ------------------------------------------------------------------------


def candidate(op: Op) -> Callable[..., Any] | None:
    """The write in place that the op may become."""
    if op.kwargs or op.effect or not op.args or not isinstance(op.args[0], Var) or not op.outs:
        return None
    target, out = op.args[0], op.outs[0]
    if isinstance(target.type, ListOf):
        if op.fn is containers.list_add_at:
            return builtin.set_sum_ if isinstance(target.type.element, (Array, Scalar)) else None
        return _LISTS.get(op.fn)
    if not (isinstance(target.type, Array) and target.type.shape):
        return None
    if op.fn is helpers.setitem:
        return builtin.setitem_
    if op.fn is helpers.add_at:
        return builtin.add_item_ if _never_repeats(op.args[1]) else builtin.add_at_
    if op.fn in _ACCUMULATE and out.type == target.type and len(op.args) == 2:
        if op.adjoint or (out.hint is not None and out.hint == target.hint):
            return _ACCUMULATE[op.fn]
    return None


def _never_repeats(index: Arg) -> bool:
    """Whether the index selects no element twice: a regular part, or a mask."""
    mask = isinstance(index, Var) and isinstance(index.type, Array) and index.type.kind == "bool"
    return mask or aliasing.is_basic_index(index)


def _reads_safely(place: _Place) -> bool:
    """Whether the written value may overlap with the target: NumPy's own basic assignments take care."""
    if place.mutator in (builtin.iadd_, builtin.isub_):
        return True
    if place.mutator in (builtin.setitem_, builtin.add_item_) and isinstance(place.target.type, Array):
        return aliasing.is_basic_index(place.op.args[1])
    return place.mutator is builtin.pop_


def is_copyable(var: Var) -> bool:
    """Whether ``var.copy()`` certainly works and gives an object of its own."""
    return isinstance(var.type, ListOf) or (isinstance(var.type, Array) and bool(var.type.shape))


def _holds_arrays(var: Var) -> bool:
    """Whether the value is a container, any two elements of which may be the same array."""
    return not isinstance(var.type, Array) and not (
        isinstance(var.type, ListOf) and isinstance(var.type.element, Scalar)
    )


def _stored(op: Op) -> Iterable[Arg]:
    """The arguments that an op puts into a container."""
    made = op.fn in (builtin.make_list, builtin.make_tuple)
    for arg in op.args if made else op.args[1:]:
        yield from arg.items if isinstance(arg, Seq) else (arg,)


def _copy(
    var: Var, ops: list[Statement], like: Op | None = None, hint: str | None = None, deep: bool = False
) -> Var:
    """Append a copy of the value to ``ops``; ``deep``: with all that it holds, and None of None."""
    out = Var(var.type, hint)
    origin = {"span": like.span, "adjoint": like.adjoint} if like is not None else {}
    plain = is_copyable(var) and not deep
    ops.append(Op(builtin.copy if plain else builtin.own, (var,), (out,), **origin))  # type: ignore[arg-type]
    return out


# ----- the decisions carried out ---------------------------------------------------------------------


class _Rewriter:
    """Put the writes and the copies into the function."""

    def __init__(self, plan: _Pass) -> None:
        self.plan, self.decisions = plan, plan.decisions

    def block(self, block: Block) -> None:
        new: list[Statement] = []
        for op in block.ops:
            if isinstance(op, (For, While)):
                inits = list(op.inits)
                for i, init in enumerate(inits):
                    if isinstance(init, Var) and (id(op), i) in self.decisions.inits:
                        inits[i] = _copy(init, new, deep=init in self.plan.doubtful)
                op.inits = tuple(inits)
            for inner in blocks(op):
                self.block(inner)
            if isinstance(op, Op):
                self.op(op, new)
            else:
                new.append(op)
        block.ops = new

    def op(self, op: Op, new: list[Statement]) -> None:
        key = id(op)
        stored = {v for k, v in self.decisions.stored if k == key}
        if stored:
            made = op.fn in (builtin.make_list, builtin.make_tuple)
            kept, rest = ((), op.args) if made else (op.args[:1], op.args[1:])

            def change(var: Var) -> Arg:
                return _copy(var, new, op, deep=var in self.plan.doubtful) if var in stored else var

            op.args = (*kept, *(map_arg(change, arg) for arg in rest))
        if key in self.plan.mutators and key not in self.plan.refused:
            if key in self.plan.copies:
                target = op.args[0]
                assert isinstance(target, Var)
                op.args = (_copy(target, new, op, op.outs[0].hint), *op.args[1:])
            op.fn = self.plan.mutators[key]
        new.append(op)
        if key in self.decisions.copied:
            self.copy_result(op, new)

    def copy_result(self, op: Op, new: list[Statement]) -> None:
        """The op's own Var becomes the copy; what it made is read by the copy only."""
        out = op.outs[0]
        view = Var(out.type)
        op.outs = (view,)
        new.append(Op(builtin.copy, (view,), (out,), span=op.span, adjoint=op.adjoint))
