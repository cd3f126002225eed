"""Which arrays that a loop carries never share memory with each other?

``Apart(function, owned, decisions)``, in each round of ``write_in_place``: ``Aliasing`` that knows such
arrays.

Of ``prev, cur = cur, nxt`` the roots alone say that ``prev`` and ``cur`` come from the same places. Here a
carried array is a root of its own during an iteration, and two of them are *apart* if their initial values
are and, if they are apart in one iteration, also in the next.
"""

from __future__ import annotations

import functools
from itertools import combinations, product

from ..ir.liveness import Liveness, Living
from ..ir.ops import For, Function, Var, While, walk
from ..ir.types import Array
from .aliasing import Aliasing, Decisions, Root, Storage, copied

_CARRIED = "carried"


class Apart(Aliasing):
    """Aliasing with ``may_share``; ``exact`` holds the storage of every Var in terms of carried arrays."""

    def __init__(self, function: Function, owned: frozenset[Var], decisions: Decisions) -> None:
        super().__init__(function, owned, decisions)
        self.full = self.storage
        self.loop_of: dict[Var, For | While] = {}
        self.depth: dict[For | While, int] = {}
        self.around = 0
        self.outward: dict[Var, frozenset[Root]] = {}  # where a carried array comes from, seen from outside
        self.storage = {param: self.full[param] for param in function.params}
        self.block(function.body)
        self.exact, self.storage = self.storage, self.full
        self._living: dict[frozenset[Root], Living] = {}
        self.apart = self._apart([op for op in walk(function.body) if isinstance(op, (For, While))])

    def may_share(self, one: Var, other: Var) -> bool:
        """Whether ``one``, or what it contains, may lie in the memory of ``other`` itself."""
        return self._overlap(self.exact[one].all, self.exact[other].direct)

    def sharing(self, var: Var, live: Liveness, place: int) -> list[Var]:
        """All that live at the place and may share (``may_share``) with the memory of ``var`` itself."""
        direct = self.exact[var].direct
        near = dict.fromkeys(roots for mark in self._marks(direct) for roots in self._by_mark.get(mark, ()))
        found: list[Var] = []
        for roots in near:
            if self._overlap(roots, direct):
                if roots not in self._living:
                    self._living[roots] = Living(live, self._of_roots[roots])
                found += self._living[roots].at(place)
        return found

    @functools.cached_property
    def _of_roots(self) -> dict[frozenset[Root], list[Var]]:
        """What lies in each set of roots, as many Vars lie in the same ones."""
        found: dict[frozenset[Root], list[Var]] = {}
        for var, storage in self.exact.items():
            found.setdefault(storage.all, []).append(var)
        return found

    @functools.cached_property
    def _by_mark(self) -> dict[object, list[frozenset[Root]]]:
        found: dict[object, list[frozenset[Root]]] = {}
        for roots in self._of_roots:
            for mark in self._marks(roots):
                found.setdefault(mark, []).append(roots)
        return found

    def _marks(self, roots: frozenset[Root]) -> set[object]:
        """What two sets of roots have in common if they overlap: roots, their origins outside, loops."""
        found: set[object] = set()
        todo = list(roots)
        while todo:
            root = todo.pop()
            if root not in found:
                found.add(root)
                if root[2] == _CARRIED:
                    found.add(self.loop_of[root[0]])
                    todo += self.outward.get(root[0], ())
        return found

    def _overlap(self, some: frozenset[Root], others: frozenset[Root]) -> bool:
        if not some.isdisjoint(others):
            return True
        if not any(level == _CARRIED for _, _, level in (*some, *others)):
            return False
        return any(self._same(a, b) for a, b in product(some, others))

    def _same(self, a: Root, b: Root) -> bool:
        if a == b:
            return True
        (one, _, kind), (other, _, other_kind) = a, b
        if kind == other_kind == _CARRIED:
            if self.loop_of[one] is self.loop_of[other]:
                return frozenset((one, other)) not in self.apart
            if self.depth[self.loop_of[one]] < self.depth[self.loop_of[other]]:
                return any(self._same(a, root) for root in self.outward[other])
        if kind == _CARRIED:
            return any(self._same(root, b) for root in self.outward[one])
        return other_kind == _CARRIED and any(self._same(a, root) for root in self.outward[other])

    def _apart(self, loops: list[For | While]) -> set[frozenset[Var]]:
        """The largest relation that the loops keep up."""
        arrays = [[i for i, p in enumerate(loop.params) if isinstance(p.type, Array)] for loop in loops]
        pairs = [
            (loop, i, j) for loop, some in zip(loops, arrays, strict=True) for i, j in combinations(some, 2)
        ]
        self.storage = self.exact
        self.apart = {frozenset((loop.params[i], loop.params[j])) for loop, i, j in pairs}
        size = -1
        while size != len(self.apart):
            size = len(self.apart)
            for loop, i, j in pairs:
                yields = loop.body.results[1:] if loop.stops else loop.body.results
                now = self._overlap(self.start(loop, i).all, self.start(loop, j).all)
                if now or self._overlap(self.of(yields[i]).all, self.of(yields[j]).all):
                    self.apart.discard(frozenset((loop.params[i], loop.params[j])))
        self.storage = self.full
        return self.apart

    def start(self, loop: For | While, position: int) -> Storage:
        """The storage of an initial value."""
        param, found = loop.params[position], self.held(loop.inits[position], loop.params[position])
        return copied(param, found) if (id(loop), position) in self.decisions.inits else found

    def loop(self, op: For | While) -> None:
        if not hasattr(self, "full"):
            return super().loop(op)
        self.depth[op] = self.around
        self.around += 1
        for param in op.params:
            self.loop_of[param] = op
            found = self.full[param]
            if isinstance(param.type, Array) and found.direct:
                found = Storage(frozenset(((param, False, _CARRIED),)), frozenset(), found.form)
            self.storage[param] = found
        if isinstance(op, For):
            self.items(op)
        else:
            self.block(op.cond)
        self.block(op.body)
        self.around -= 1
        for position, (param, out) in enumerate(zip(op.params, op.outs, strict=True)):
            if isinstance(param.type, Array):
                found = self._after(op, position)
                self.outward[param] = found.direct
                self.set(out, found)
            else:
                self.set(out, self.full[out])
        return None

    def _after(self, op: For | While, position: int) -> Storage:
        """The storage of a carried array once the loop is over, without the loop's own carried roots."""
        yields = op.body.results[1:] if op.stops else op.body.results
        found, todo, seen = Storage(form=self.full[op.params[position]].form), [position], {position}
        while todo:
            i = todo.pop()
            values = self.start(op, i) | self.aged(self.held(yields[i], op.params[i]), op)
            own = {root for root in values.all if root[2] == _CARRIED and root[0] in op.params}
            found |= Storage(values.direct - own, values.inside - own, values.form)
            more = {op.params.index(root[0]) for root in own} - seen
            seen |= more
            todo += sorted(more)
        return found
