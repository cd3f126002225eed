"""Under which name is each value written?

Values that follow each other in a loop or out of a branch, and an array and what it becomes by a write in
place, share one name where their lives don't overlap. The user's names win; a value whose name is taken
while it lives gets a number.
"""

from __future__ import annotations

import keyword
from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ...rules.in_place import copy_as_it_lies
from ..ir import builtin
from ..ir.builtin import MUTATORS
from ..ir.liveness import Liveness, Places, Range, joined
from ..ir.ops import Arg, For, Function, If, Op, Statement, Var, While, binders, walk
from ..ir.temporaries import Temporaries
from .imports import identifier

COPIES = (builtin.copy, copy_as_it_lies)
VALUE = "value"  # the function's (first) result


def assign_names(
    function: Function, live: Liveness, is_inlined: Callable[[Statement], bool], reserved: set[str]
) -> dict[Var, str]:
    """A name for every Var that is not nested; ``reserved``: the global names that the module uses."""
    classes = _Classes(_Lives(function, live, is_inlined))
    pairs = list(_affinities(function))
    for one, other in pairs:
        classes.merge(one, other)
    for one, other in [*pairs, *_copies(function)]:
        classes.inherit(one, other)
    first = function.body.results[0] if function.body.results else None
    if isinstance(first, Var) and first in classes:
        classes.hints.setdefault(classes.find(first), VALUE)
    temporaries = Temporaries(function.body, classes.hint_of)
    return classes.named(reserved | set(keyword.kwlist) | {function.name}, temporaries.name)


class _Lives:
    """Where each Var that has a name holds its value (``of[var]``), in the order of definition.

    Two clash where they hold theirs at one place, unless both are names of one object: what a write in
    place returns is what it changed (``object``). ``moved``: those that are written once more, at the end of
    a turn, when what a loop reads there is still to be read.
    """

    def __init__(self, function: Function, live: Liveness, is_inlined: Callable[[Statement], bool]) -> None:
        self.params = set(function.params)
        self.object: dict[Var, Var] = {}
        self.of: dict[Var, list[Range]] = {param: [] for param in function.params}
        self.moved: dict[Var, set[Var]] = {}
        for op in walk(function.body):
            if is_inlined(op):
                continue
            self.of.update((var, []) for var in (*binders(op), *op.outs))
            if isinstance(op, Op) and op.fn in MUTATORS and isinstance(op.args[0], Var):
                self.object[op.outs[0]] = self.object.get(op.args[0], op.args[0])
            elif isinstance(op, (For, While)):
                self._moved(op, live)
        carried = {p for op in walk(function.body) if isinstance(op, (For, While)) for p in op.params}
        for var in self.of:
            if var in live.needed or var not in carried:
                self.of[var] = joined([*live.ranges.get(var, ()), live.written[var]])
        self.places = live.places

    def _moved(self, op: For | While, live: Liveness) -> None:
        """Ranges and flags are read after the carried values moved on."""
        yields = op.body.results[1:] if op.stops else op.body.results
        beside = live.own_reads(op)
        for param, moved in zip(op.params, yields, strict=True):
            if param in live.needed:
                for var in beside - {moved, param}:
                    self.moved.setdefault(param, set()).add(var)
                    self.moved.setdefault(var, set()).add(param)


class _Classes:
    """Vars that share a name: a disjoint-set forest with the lives of each whole set."""

    def __init__(self, lives: _Lives) -> None:
        self.lives = lives
        self.parent: dict[Var, Var] = {}
        self.members: dict[Var, list[Var]] = {var: [var] for var in lives.of}
        self.own_hint = {var: var.hint for var in lives.of}  # "": a name of its own, by its formula
        self.hints: dict[Var, str] = {}  # of sets without a hint of their own
        self.held = dict(lives.of)
        self.objects: dict[Var, dict[Var, list[Range]]] = {}  # of sets of several Vars: their lives by object

    def __contains__(self, var: Var) -> bool:
        return var in self.lives.of

    def find(self, var: Var) -> Var:
        root = var
        while root in self.parent:
            root = self.parent[root]
        while var is not root:
            self.parent[var], var = root, self.parent[var]
        return root

    def hint_of(self, var: Var) -> str | None:
        """The name that the set of a Var has without a look at its formula."""
        return self.hint(self.find(var)) if var in self else None

    def hint(self, root: Var) -> str | None:
        own = self.own_hint[root]
        return self.hints.get(root) if own is None else own or None

    def by_object(self, root: Var) -> dict[Var, list[Range]]:
        """Where each of the objects lives that the set has names for."""
        found = self.objects.get(root)
        return found if found is not None else {self.lives.object.get(root, root): self.held[root]}

    def clash(self, a: Var, b: Var) -> bool:
        """Whether somebody in one set clashes with somebody in the other."""
        few, many = sorted((a, b), key=lambda root: len(self.members[root]))
        moved = self.lives.moved
        if moved and any(self.find(v) is many for member in self.members[few] for v in moved.get(member, ())):
            return True
        if not meet(self.held[a], self.held[b]):
            return False
        one, other = self.by_object(a), self.by_object(b)
        if one.keys().isdisjoint(other):
            return True
        return any(x is not y and meet(one[x], other[y]) for x in one for y in other)

    def merge(self, one: Var, other: Var) -> None:
        """Join the two sets if nobody in one clashes with anybody in the other and the names agree."""
        a, b = self.find(one), self.find(other)
        if a is b or a not in self.members or b not in self.members:
            return
        hints = [self.hints.get(r) if self.own_hint[r] is None else self.own_hint[r] for r in (a, b)]
        if (None not in hints and hints[0] != hints[1]) or self.clash(a, b):
            return
        few, many = sorted((self.by_object(a), self.by_object(b)), key=len)
        for key, ranges in few.items():
            many[key] = united(many[key], ranges) if key in many else ranges
        self.objects[a] = many
        self.held[a] = united(self.held[a], self.held[b])
        self.own_hint[a] = self.own_hint[b] if self.own_hint[a] is None else self.own_hint[a]
        self.parent[b] = a
        self.members[a] += self.members.pop(b)

    def inherit(self, one: Var, other: Var) -> None:
        """Name the one that has no name after the other, which it continues."""
        if one in self and other in self:
            a, b = self.find(one), self.find(other)
            for nameless, named in ((a, b), (b, a)):
                hint = self.hint(named)
                if self.own_hint[nameless] is None and nameless not in self.hints and hint is not None:
                    self.hints[nameless] = hint

    def named(self, reserved: set[str], formula: Callable[[Var], str]) -> dict[Var, str]:
        """Names for all; ``formula``: what a Var without a hint is called.

        Parameters keep their names, then come the user's.
        """
        names: dict[Var, str] = {}
        taken = _Taken(self, reserved)
        fixed = {self.find(param) for param in self.lives.params}
        for root in sorted(self.members, key=lambda root: (root not in fixed, self.hint(root) is None)):
            hint = self.hint(root)
            text = formula(self.members[root][-1]) if hint is None else hint
            names.update(dict.fromkeys(self.members[root], taken.free(root, Word(text, hint is None))))
        return names


class Word(NamedTuple):
    """What a set is called, apart from a number; ``formula``: by the operation that makes it."""

    text: str
    formula: bool = False


class _Taken:
    """Which names are taken where a set lives, and which is the first that is free?

    Hundreds of values may share one word, so what is asked is the numbers of all that live at some places at
    once: the bits of an integer.
    """

    def __init__(self, classes: _Classes, reserved: set[str]) -> None:
        self.classes, self.reserved = classes, reserved
        self.numbers: dict[Word, _Numbers] = {}
        self.of_object: dict[Var, dict[Var, Word]] = {}  # the sets that hold it, with their words
        self.holders: dict[str, dict[Word, list[Var]]] = {}  # of each name: its sets, by word

    def free(self, root: Var, word: Word) -> str:
        """The first name that no set has that clashes with this one; it has it from now on."""
        base = identifier(word.text)
        if not base.strip("_"):
            base = "unnamed"  # in what is emitted, `_` is what nobody reads
        if base in self.reserved:
            base += "_"
        word = Word(base, word.formula)
        taken = self._taken(root, word)
        while True:
            bit = ~taken & (taken + 1)
            count = bit.bit_length() - 1
            number = str(count) if base.endswith("_") else f"_{count}"
            name = f"{base}{number}" if count else base
            if name not in self.reserved and not self._is_taken_otherwise(name, word, root):
                break
            taken |= bit
        self.numbers[word].take(self.classes.held[root], bit, root)
        self.holders.setdefault(name, {}).setdefault(word, []).append(root)
        for key in self.classes.by_object(root):
            self.of_object.setdefault(key, {})[root] = word
        return name

    def _taken(self, root: Var, word: Word) -> int:
        """The numbers of names with this word that clashing sets have."""
        numbers = self.numbers.setdefault(word, _Numbers(self.classes.lives.places))
        for key in self.classes.by_object(root):
            if word in self.of_object.get(key, {}).values():  # names of one object don't clash
                each = [bit for other, bit in numbers.bits.items() if self.classes.clash(other, root)]
                return sum(dict.fromkeys(each))
        taken = numbers.at(self.classes.held[root])
        for member in self.classes.members[root] if self.classes.lives.moved else ():
            for var in self.classes.lives.moved.get(member, ()):
                taken |= numbers.bits.get(self.classes.find(var), 0)
        return taken

    def _is_taken_otherwise(self, name: str, word: Word, root: Var) -> bool:
        """Whether a set with another word has the name: `a_1` for itself, or as the second `a`.

        Two of the user's may have it one after the other; a formula's name means nothing else anywhere.
        """
        others = [(w, sets) for w, sets in self.holders.get(name, {}).items() if w != word]
        if word.formula or any(w.formula for w, _ in others):
            return bool(others)
        return any(self.classes.clash(other, root) for _, sets in others for other in sets)


class _Numbers:
    """The numbers that are taken at each place, as bits."""

    def __init__(self, places: int) -> None:
        self.tree = Places(places)
        self.bits: dict[Var, int] = {}  # by set
        self.whole: dict[int, int] = {}  # taken in all the places of a node
        self.part: dict[int, int] = {}  # taken in some of them

    def take(self, ranges: Iterable[Range], bit: int, root: Var) -> None:
        self.bits[root] = bit
        for first, last in ranges:
            for node in self.tree.cover(first, last):
                self.whole[node] = self.whole.get(node, 0) | bit
            for node in self._around(first, last):
                self.part[node] = self.part.get(node, 0) | bit

    def at(self, ranges: Iterable[Range]) -> int:
        """The numbers that are taken in any of the places."""
        found = 0
        for first, last in ranges:
            for node in self.tree.cover(first, last):
                found |= self.whole.get(node, 0) | self.part.get(node, 0)
            for node in self._around(first, last):
                found |= self.whole.get(node, 0)
        return found

    def _around(self, first: int, last: int) -> list[int]:
        """The nodes around the first place or the last one; from some height on they are the same."""
        one, other = first + self.tree.size, last + self.tree.size
        found = []
        while one := one >> 1:
            other >>= 1
            found.append(one)
            if other != one:
                found.append(other)
        return found


def meet(some: list[Range], others: list[Range]) -> bool:
    """Whether two lists of ranges, in order, have a place in common.

    >>> meet([(1, 3), (7, 9)], [(4, 6)]), meet([(1, 3), (7, 9)], [(5, 7)])
    (False, True)
    """
    few, many = (some, others) if len(some) < len(others) else (others, some)
    for first, last in few:
        i = bisect_left(many, (last + 1,))
        if i and many[i - 1][1] >= first:
            return True
    return False


def united(some: list[Range], others: list[Range]) -> list[Range]:
    """The places of both lists, in order.

    >>> united([(1, 3), (7, 9)], [(4, 6), (12, 12)])
    [(1, 9), (12, 12)]
    """
    few, many = (some, others) if len(some) < len(others) else (others, some)
    found = many.copy()
    for first, last in few:
        start, stop = bisect_left(found, (first,)), bisect_left(found, (last + 2,))
        if start and found[start - 1][1] >= first - 1:
            start -= 1
        if start < stop:
            first, last = min(first, found[start][0]), max(last, found[stop - 1][1])
        found[start:stop] = [(first, last)]
    return found


def _copies(function: Function) -> Iterable[tuple[Var, Var]]:
    """Copies and what they are made of."""
    for op in walk(function.body):
        if isinstance(op, Op) and op.fn in COPIES and isinstance(op.args[0], Var):
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
