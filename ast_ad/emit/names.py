"""Under which name is each value written?

Values that follow each other in a loop or out of a branch, and an array and what it becomes by a write in
place, share one name where their lives don't overlap. The user's names win; a value whose name is taken
while it lives gets a number.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable

from ..ir import builtin
from ..ir.builtin import MUTATORS
from ..ir.liveness import Liveness
from ..ir.ops import Arg, Block, For, Function, If, Op, Statement, Var, While, binders, walk
from .references import identifier

DEFAULT, VALUE = "t", "value"  # a value without a name; the function's (first) result


def assign_names(
    function: Function, live: Liveness, is_inlined: Callable[[Statement], bool], reserved: set[str]
) -> dict[Var, str]:
    """A name for every Var that is not nested; ``reserved``: the global names that the module uses."""
    clashes = _Clashes(function, live, is_inlined)
    classes = _Classes(clashes)
    pairs = list(_affinities(function))
    for one, other in pairs:
        classes.merge(one, other)
    for one, other in [*pairs, *_copies(function)]:
        classes.inherit(one, other)
    first = function.body.results[0] if function.body.results else None
    if isinstance(first, Var) and first in classes.against:
        classes.hints.setdefault(classes.find(first), VALUE)
    return classes.named(reserved | set(keyword.kwlist) | {function.name})


class _Clashes:
    """Which Vars live at the same time with different values (``of[var]``), in the order of definition."""

    def __init__(self, function: Function, live: Liveness, is_inlined: Callable[[Statement], bool]) -> None:
        self.live, self.is_inlined = live, is_inlined
        self.object: dict[Var, Var] = {}  # what a write in place returns is what it changed
        self.params = set(function.params)
        order = [*function.params]
        for op in walk(function.body):
            order += [] if is_inlined(op) else [*binders(op), *op.outs]
        self.of: dict[Var, set[Var]] = {var: set() for var in order}
        self._defined(function.params, ())
        self._block(function.body)

    def _defined(self, variables: Iterable[Var], live: Iterable[Var]) -> None:
        """The Vars are all written at one place, where ``live`` must be left alone."""
        group = list(variables)
        for var in group:
            for other in (*live, *group):
                if other is not var and self._same(var) is not self._same(other):
                    self.of[var].add(other)
                    self.of[other].add(var)

    def _same(self, var: Var) -> Var:
        return self.object.get(var, var)

    def _block(self, block: Block) -> None:
        for op in block.ops:
            if self.is_inlined(op):
                continue
            if isinstance(op, Op) and op.fn in MUTATORS and isinstance(op.args[0], Var):
                self.object[op.outs[0]] = self._same(op.args[0])
            elif isinstance(op, If):
                self._block(op.then)
                self._block(op.orelse)
            elif isinstance(op, (For, While)):
                self._loop(op)
            self._defined(op.outs, self.live.after[id(op)])

    def _loop(self, op: For | While) -> None:
        yields = op.body.results[1:] if op.stops else op.body.results
        head = self.live.head[id(op)]
        beside = self.live.own_reads(op)  # ranges and flags are read after the carried values moved on
        params = [p for p in op.params if p in self.live.needed]
        self._defined(params, head)
        for param, moved in zip(op.params, yields, strict=True):
            if param in self.live.needed:
                self._defined([param], (var for var in beside if var is not moved))
        if isinstance(op, For):
            bound = [v for v in binders(op) if v not in op.params]
            self._defined(bound, self.live.body[id(op)] | head)
        else:
            self._block(op.cond)
        self._block(op.body)


class _Classes:
    """Vars that share a name: a disjoint-set forest with the clashes of each whole set."""

    def __init__(self, clashes: _Clashes) -> None:
        self.clashes = clashes
        self.parent: dict[Var, Var] = {}
        self.members: dict[Var, list[Var]] = {var: [var] for var in clashes.of}
        self.against: dict[Var, set[Var]] = clashes.of
        self.hints: dict[Var, str] = {}  # of sets without a hint of their own

    def find(self, var: Var) -> Var:
        while var in self.parent:
            var = self.parent[var]
        return var

    def hint(self, root: Var) -> str | None:
        return next((v.hint for v in self.members[root] if v.hint), self.hints.get(root))

    def merge(self, one: Var, other: Var) -> None:
        """Join the two sets if nobody in one clashes with anybody in the other and the names agree."""
        a, b = self.find(one), self.find(other)
        if a is b or a not in self.members or b not in self.members:
            return
        hints = self.hint(a), self.hint(b)
        if (None not in hints and hints[0] != hints[1]) or not self.against[a].isdisjoint(self.members[b]):
            return
        self.parent[b] = a
        self.members[a] += self.members.pop(b)
        self.against[a] = self.against[a] | self.against[b]

    def inherit(self, one: Var, other: Var) -> None:
        """Name the one that has no name after the other, which it continues."""
        if one in self.against and other in self.against:
            a, b = self.find(one), self.find(other)
            for nameless, named in ((a, b), (b, a)):
                hint = self.hint(named)
                if self.hint(nameless) is None and hint is not None:
                    self.hints[nameless] = hint

    def named(self, reserved: set[str]) -> dict[Var, str]:
        names: dict[Var, str] = {}
        fixed = {self.find(param) for param in self.clashes.params}
        for root in sorted(self.members, key=lambda root: root not in fixed):  # parameters keep their names
            taken = {names[v] for v in self.against[root] if v in names}
            names.update(dict.fromkeys(self.members[root], _free_name(self.hint(root), taken, reserved)))
        return names


def _free_name(hint: str | None, taken: set[str], reserved: set[str]) -> str:
    base = identifier(hint or DEFAULT)
    if not base.strip("_"):
        base = "unnamed"  # in what is emitted, `_` is what nobody reads
    if base in reserved:
        base += "_"
    name, count = base, 0
    while name in taken or name in reserved:
        count += 1
        name = f"{base}_{count}" if not base.endswith("_") else f"{base}{count}"
    return name


def _copies(function: Function) -> Iterable[tuple[Var, Var]]:
    """Copies and what they are made of."""
    for op in walk(function.body):
        if isinstance(op, Op) and op.fn is builtin.copy and isinstance(op.args[0], Var):
            yield op.outs[0], op.args[0]


def _affinities(function: Function) -> Iterable[tuple[Var, Var]]:
    """Pairs that should share a name, the most wanted first."""
    pairs: list[tuple[Var, Arg]] = []
    statements = list(walk(function.body))
    for op in statements:
        if isinstance(op, Op) and op.fn in MUTATORS:
            pairs.append((op.outs[0], op.args[0]))
    for op in statements:
        if isinstance(op, If):
            for block in (op.then, op.orelse):
                pairs += zip(op.outs, block.results, strict=True)
        elif isinstance(op, (For, While)):
            yields = op.body.results[1:] if op.stops else op.body.results
            pairs += [
                *zip(op.params, yields, strict=True),
                *zip(op.params, op.outs, strict=True),
                *zip(op.params, op.inits, strict=True),
            ]
    for one, other in pairs:
        if isinstance(other, Var):
            yield one, other
