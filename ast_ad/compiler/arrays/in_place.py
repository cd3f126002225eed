"""Which writes may happen in place, and where must a copy be made for that?

``write_in_place(function, owned, fresh, nested, report, of) -> Function``. After all passes on pure IR, which
know nothing of writes: for NumPy right before emission, for kernels between ``typed_tapes`` and
``partition``. In it, in this order: ``results_apart`` (for kernels only), ``store_at_once`` (for NumPy only),
``join_writes``, ``schedule``, the analysis below, ``keep_directions``.

``b = setitem(a, i, v)`` becomes a write to ``a`` where ``a`` is whole, was allocated by this program, and
nobody reads what it was afterwards::

    z_bar = np.zeros(n)                 z_bar = np.zeros(n)
    v_bar = z_bar[1:]                   v_bar = z_bar[1:].copy()     (a view that is read after the write)
    z_bar_1 = setitem(z_bar, 1:, 0)     z_bar[1:] = 0

Otherwise something is copied: the view that would see the write, what is put into a list, the initial value
of a loop, the array itself, whichever costs least. All writes are candidates at first; each round of the
analysis repairs those that are not safe, until all are. Where that takes long, all are repaired at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

from ..analysis import aliasing
from ..analysis.aliasing import FOREIGN, READ_ONLY, WHOLE, Decisions, Root, Storage
from ..analysis.disjoint_carries import Apart
from ..analysis.undefined import doubtful_values
from ..ir import builtin
from ..ir.liveness import Liveness
from ..ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Op,
    Statement,
    Var,
    While,
    binders,
    blocks,
    map_arg,
    variables,
    walk,
)
from ..ir.types import Array, DictOf, ListOf
from ..report import UNHEARD, Report
from ..simplify.renaming import copy_function
from ..simplify.schedule import schedule
from ..simplify.writes_through import join_writes
from .directions import keep_directions
from .out_arguments import store_at_once
from .results_apart import results_apart
from .writes import (
    Reuse,
    Rewriter,
    candidate,
    copy_of,
    copy_view,
    holds_arrays,
    is_copyable,
    stored_arguments,
)


def write_in_place(
    function: Function,
    owned: Collection[int] = (),
    fresh: Collection[int] = (),
    nested: Callable[[Function], Collection[Var]] | None = None,
    report: Report = UNHEARD,
    of: Function | None = None,
) -> Function:
    """The same function with writes in place; what it is given is not changed.

    Args:
        function: pure IR; it is left as it is.
        owned: positions of parameters that the function may overwrite.
        fresh: positions of results that the caller gets for keeps: they share memory with nothing else.
        nested: which values of a function will be written inside of other expressions. Where this is known,
            whatever function of NumPy stands in a statement of its own may take the place of an operand.
        of: the function before passes that may take two of its results for one.
    """
    function = copy_function(function if of is None else results_apart(function, of, fresh))
    if nested is not None:
        store_at_once(function.body)
    join_writes(function, nested is not None)
    schedule(function.body, candidate)
    reuse = Reuse(nested(function) if nested is not None else None)
    _Pass(function, frozenset(function.params[i] for i in owned), frozenset(fresh), reuse, report).run()
    keep_directions(function.body)
    return function


STAGE = "writes in place"
MOST_LOOKED_AT = 20_000
"""Operations, by all rounds together (the largest programs of the tests: 3,000), after which no better copies
are looked for."""


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
    reuse: Reuse
    report: Report
    decisions: Decisions = field(default_factory=Decisions)

    def run(self) -> None:
        self.reused = self.reuse.found(self.function.body)
        self.survey()
        self.copies: set[int] = set()  # candidates whose target is copied first
        self.refused: set[int] = set()  # candidates that stay pure
        self.settled: set[int] = set()
        self.views: dict[Var, Op] = {}  # to be copied when this round is over
        self.viewed: set[int] = set()
        looked_at, size = 0, sum(1 for _ in walk(self.function.body))
        while self.repair(at_once=looked_at > MOST_LOOKED_AT):
            looked_at += size
        if looked_at <= MOST_LOOKED_AT:
            self.drop_needless_copies()
        self.doubtful = doubtful_values(self.function.body, self.elements())
        self.copy_results()
        self.restore_order()
        self.note_copies()
        mutators = {key: fn for key, fn in self.mutators.items() if key not in self.refused}
        ordered = self.reuse.nested is not None
        Rewriter(self.decisions, mutators, self.copies, self.doubtful, ordered).block(self.function.body)

    # ----- what there is -----

    def survey(self) -> None:
        """Collect what is defined where, and what may become a write."""
        self.live = Liveness(self.function, reads=aliasing.data_reads)
        self.definitions: dict[Var, tuple[Statement, tuple[For | While, ...]]] = {}
        self.blocks: dict[Var, Block] = {}
        self.entries: dict[Var, tuple[For | While, int]] = {}
        self.around: dict[Var, tuple[For | While, ...]] = {}
        self.places: list[_Place] = []
        self.visit(self.function.body, ())
        self.mutators = {id(place.op): place.mutator for place in self.places}

    def visit(self, block: Block, loops: tuple[For | While, ...]) -> None:
        for op in block.ops:
            for out in op.outs:
                self.definitions[out] = op, loops
                self.around[out] = loops
                self.blocks[out] = block
            if isinstance(op, Op):
                mutator = candidate(op) or self.reused.get(id(op))
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

    def repair(self, at_once: bool = False) -> bool:
        """Make the first unsafe writes safe, or all ``at_once``, each by itself; False where all are."""
        aliases = self.analyse()
        storage = aliases.storage
        touched: set[Root] = set()
        chains: set[Var] = set()
        repaired = False
        for place in self.places:
            if id(place.op) in self.settled:
                continue
            own = storage[place.target]
            if touched and not touched.isdisjoint(own.direct):
                continue  # what was repaired in this round may have helped here
            if chains and not chains.isdisjoint(self.chain(place.target)):
                continue
            problem = self.conflict(place, own, aliases)
            if problem is not None and id(place.op) in self.reused:
                self.refused.add(id(place.op))
                self.settled.add(id(place.op))
                repaired = True
            elif problem is not None and at_once:
                self.copy_target(place)
                repaired = True
            elif problem is not None:
                chain = self.chain(place.target)
                self.fix(place, own, problem, chain, storage)
                touched |= own.direct - {FOREIGN}
                chains |= chain | {place.op.outs[0]}
                repaired = True
            else:
                self.settled.add(id(place.op))  # for good: a copy elsewhere only makes it safer
        views, self.views = self.views, {}
        for seen, op in views.items():
            copy_view(self.blocks[seen], op, lambda o: id(o) in self.decisions.writes and not _is_list(o))
            self.viewed.add(id(op))
        if views:
            self.survey()
        return repaired

    def conflict(self, place: _Place, own: Storage, aliases: Apart) -> Var | Root | None:
        """Why the write is not safe: FOREIGN memory, or not whole; or a Var that would see it."""
        if FOREIGN in own.direct or (own.form != WHOLE and isinstance(place.target.type, Array)):
            return FOREIGN
        written = place.op.outs[0]
        behind = self.live.after[id(place.op)]
        seen = [v for v in aliases.sharing(place.target, self.live, behind) if v is not written]
        if not _reads_safely(place):
            seen += [v for v in variables(*place.op.args[1:]) if aliases.may_share(v, place.target)]
        return min(seen, key=lambda v: (v is place.target, v.id)) if seen else None

    def drop_needless_copies(self) -> None:
        """Do without a copy at the entry of a loop where copies that were made later suffice."""
        for key in sorted(self.decisions.inits, key=lambda key: key[1]):
            before = self.decisions
            self.decisions = replace(before, inits=before.inits - {key})
            aliases = self.analyse()
            writes = [place for place in self.places if id(place.op) in self.decisions.writes]
            if any(self.conflict(p, aliases.storage[p.target], aliases) is not None for p in writes):
                self.decisions = before

    def fix(
        self, place: _Place, own: Storage, problem: Var | Root, chain: set[Var], storage: dict[Var, Storage]
    ) -> None:
        """Decide on one copy (or on no write at all) that removes the conflict."""
        if isinstance(problem, Var) and problem is not place.target:
            if self.copy_view(place, problem) or self.copy_stored(place, problem, own, storage):
                return
        if problem is not place.target and self.copy_init(place, chain, problem, storage):
            return
        self.copy_target(place)

    def copy_target(self, place: _Place) -> None:
        """Write to a copy of the array, or leave a sum what it is; whatever else is decided, that is safe."""
        if place.mutator in (builtin.iadd_, builtin.isub_):
            self.refused.add(id(place.op))
        else:
            self.copies.add(id(place.op))
        self.settled.add(id(place.op))

    def copy_view(self, place: _Place, seen: Var) -> bool:
        """Copy a view of the array where it is taken, unless that is in a deeper loop than the write."""
        op, loops = self.definitions.get(seen, (None, ()))
        if not isinstance(op, Op) or len(op.outs) != 1 or id(op) in self.viewed:
            return False
        if not is_copyable(seen) or len(loops) > len(place.loops) or seen in self.chain(place.target):
            return False
        if aliasing.behaviour(op) not in ("view", "read-only", "itself", "same"):
            return False
        self.views[seen] = op
        return True

    def copy_stored(self, place: _Place, seen: Var, own: Storage, storage: dict[Var, Storage]) -> bool:
        """Copy what is put into the container ``seen``, where it is put there."""
        if isinstance(seen.type, Array):
            return False
        found = set()
        for op, loops in self.definitions.values():
            if not isinstance(op, Op) or aliasing.behaviour(op) != "shallow" or len(loops) > len(place.loops):
                continue
            for arg in variables(*stored_arguments(op)):
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

    def restore_order(self) -> None:
        """The factors of a product that stays what it was stand where they stood."""
        for place in self.places:
            if id(place.op) in self.refused & self.reuse.swapped:
                place.op.args = place.op.args[::-1]

    def note_copies(self) -> None:
        """Tell which writes cost a copy of the whole array."""
        for place in self.places:
            if id(place.op) in self.copies and not place.op.adjoint:
                name = f"`{place.target.hint}`" if place.target.hint else "the array"
                self.report.note(STAGE, place.op, f"{name} is copied before this write: it is read later on")
        for loop, position in ((op, i) for op, i in self.entries.values()):
            init = loop.inits[position]
            if (id(loop), position) in self.decisions.inits and not loop.adjoint and isinstance(init, Var):
                name = f"`{init.hint}`" if init.hint else "an array"
                self.report.note(STAGE, loop, f"{name} is copied before this loop, which writes to it")

    # ----- results -----

    def copy_results(self) -> None:
        """Copy those parts of the results for keeps that are not the caller's alone."""
        storage, body = self.analyse().storage, self.function.body
        parts = [(position, v) for position, result in enumerate(body.results) for v in variables(result)]
        copied: set[int] = set()
        for index, (position, var) in enumerate(parts):
            own = storage[var]
            others = [storage[v].all for i, (_, v) in enumerate(parts) if i != index and i not in copied]
            shared = any(not own.all.isdisjoint(roots) for roots in others) or holds_arrays(var)
            if position in self.fresh and own.all and (shared or FOREIGN in own.all or own.form == READ_ONLY):
                copied.add(index)
        count = iter(range(len(parts)))

        def change(var: Var) -> Arg:
            if next(count) not in copied:
                return var
            return copy_of(var, body.ops, deep=holds_arrays(var) or var in self.doubtful)

        body.results = tuple(map_arg(change, result) for result in body.results)


_CAREFUL = {builtin.iadd_, builtin.isub_, builtin.imul_, builtin.itruediv_, builtin.into_, builtin.fill_}
_INDEXED = {builtin.setitem_, builtin.add_item_, builtin.through_}


def _is_list(op: Op) -> bool:
    return isinstance(op.outs[0].type, (ListOf, DictOf))


def _reads_safely(place: _Place) -> bool:
    """Whether the written value may overlap with the target: NumPy's own basic assignments take care."""
    if place.mutator in _CAREFUL:
        return True
    if place.mutator in _INDEXED and isinstance(place.target.type, Array):
        return aliasing.is_basic_index(place.op.args[1])
    return place.mutator in (builtin.pop_, builtin.pop_key_)
