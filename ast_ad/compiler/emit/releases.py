"""Which arrays are let go before the function returns?

A name holds its array until the name is bound again or the function returns. For most that costs nothing:
elsewhere more arrays live at once. Where it would raise the peak above that of a program that takes names
again as soon as they are free, whatever they mean, an array with a name from its formula is deleted
(``del exp_z``) behind the statement that reads it last. Names of the user's are left alone.

Lengths are not known, so the peak is looked at for several choices of them.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ..analysis.aliasing import behaviour
from ..ir.builtin import MUTATORS, append_, insert_
from ..ir.liveness import Liveness
from ..ir.ops import Arg, Block, For, Function, Op, Statement, Var, While, binders, blocks, variables, walk
from ..ir.types import Array

_LONG, _SHORT = 1000, 30  # what lengths may be that are not known
_SYMBOLS, _RANKS = 7, 3
_CHOICES = 1 + _SYMBOLS + _RANKS  # all are long, or all but one; or only arrays with so many axes count
_TOLERANCE = 1.02  # of the peak
_KEEP = {append_, insert_}  # lists hold what is put in
_MOST_AXES = 5  # that count: so that sums stay within 64 bits


@dataclass(eq=False)
class _Tenure:
    """What a name holds between two bindings: from the place ``first`` to ``last``, where it is read last.

    It is made in ``block``. ``around``: the places of the outermost loop that it is in.
    """

    name: str
    first: int
    last: int
    size: np.ndarray | None = None  # in each choice of lengths; None for what takes no memory of its own
    block: Block | None = None
    around: tuple[int, int] | None = None
    formula: bool = True
    kept: bool = False  # a list has it, too, or another name
    members: list[Var] = field(default_factory=list)


def releases(
    function: Function, live: Liveness, names: Mapping[Var, str], is_inlined: Callable[[Statement], bool]
) -> dict[int, list[str]]:
    """The names to delete behind each statement, by ``id``."""
    tenures = _Tenures(function, live, names, is_inlined)
    candidates = sorted(tenures.candidates(), key=lambda t: t.last)
    if not candidates:
        return {}
    held = tenures.held()
    peak = tenures.peak_of_reuse(held) * _TOLERANCE
    found: dict[int, list[str]] = {}
    for t in candidates:
        start, stop = t.last + 1, tenures.next_binding(t)
        parts = [held[start:stop]]
        if t.around is not None and stop > t.around[1]:  # it is held in the next turn, too
            parts = [held[t.around[0] : tenures.first_binding(t)], held[start:stop]]
        if all(part.size == 0 or np.all(part.max(axis=0) + t.size <= peak) for part in parts):
            for part in parts:
                part += t.size
        elif (end := _end(t, live)) is not None and live.after[id(end)] < stop:
            found.setdefault(id(end), []).append(t.name)
    return found


def _end(t: _Tenure, live: Liveness) -> Statement | None:
    """The statement of its block with the last read."""
    assert t.block is not None
    ops = t.block.ops
    i = bisect_left(ops, t.last + 1, key=lambda op: live.after[id(op)])
    return ops[i] if i < len(ops) else None


class _Tenures:
    def __init__(
        self,
        function: Function,
        live: Liveness,
        names: Mapping[Var, str],
        is_inlined: Callable[[Statement], bool],
    ) -> None:
        self.live, self.names, self.is_inlined = live, names, is_inlined
        self.all: list[_Tenure] = []
        self.starts: dict[str, list[int]] = {}
        self._open: dict[str, _Tenure] = {}
        self.sizes = _Sizes()
        self._block(function.body, None)
        self.sized = {t: t.size for t in self.all if t.size is not None}
        users = {names[var] for var in names if var.hint}
        for t in self.all:
            t.formula = t.name not in users
            t.last = max([t.last, *(live.ranges[v][-1][1] for v in t.members if v in live.ranges)])

    def candidates(self) -> list[_Tenure]:
        """Those that may be deleted."""
        return [t for t in self.sized if t.formula and not t.kept and t.members[0] in self.live.needed]

    def held(self) -> np.ndarray:
        """What is held at each place, if names from formulas hold arrays no longer than these are read."""
        steps = np.zeros((self.live.places + 3, _CHOICES), np.int64)
        for t, size in self.sized.items():
            last = t.last if t.formula and not t.kept else self.next_binding(t)
            steps[max(t.first - 1, 0)] += size
            steps[last + 1] -= size
        return steps.cumsum(axis=0)

    def peak_of_reuse(self, held: np.ndarray) -> np.ndarray:
        """The most that is held where names are taken again as soon as they are free, whatever they mean."""
        steps = np.zeros_like(held)
        free: list[int] = []
        taken: list[tuple[int, int]] = []  # until when, and the number of the name
        holds: dict[int, _Tenure] = {}
        turns: dict[tuple[int, tuple[int, int]], tuple[_Tenure, _Tenure]] = {}  # the first and last of a loop
        for t in sorted((t for t in self.all if t.formula and not t.kept), key=lambda t: t.first):
            while taken and taken[0][0] < t.first:
                heapq.heappush(free, heapq.heappop(taken)[1])
            number = heapq.heappop(free) if free else len(taken)
            heapq.heappush(taken, (t.last, number))
            if (before := holds.get(number)) and before.size is not None:
                steps[before.last + 1] += before.size
                steps[t.first] -= before.size
            holds[number] = t
            if t.around is not None:
                turns[number, t.around] = turns.get((number, t.around), (t, t))[0], t
        for (_, around), (first, t) in turns.items():
            if t.size is not None:
                steps[around[0]] += t.size
                steps[max(first.first - (first is t), around[0])] -= t.size
        for t in holds.values():
            if t.size is not None:
                steps[t.last + 1] += t.size
        peak: np.ndarray = (held + steps.cumsum(axis=0)).max(axis=0)
        return peak

    def next_binding(self, t: _Tenure) -> int:
        starts = self.starts[t.name]
        i = bisect_left(starts, max(t.first, t.last) + 1)
        return starts[i] if i < len(starts) else self.live.places

    def first_binding(self, t: _Tenure) -> int:
        """Where the name is bound for the first time in a turn of the loop around."""
        assert t.around is not None
        starts = self.starts[t.name]
        return starts[bisect_left(starts, t.around[0])]

    def _block(self, block: Block, around: tuple[int, int] | None) -> None:
        for op in block.ops:
            if self.is_inlined(op):
                continue
            if isinstance(op, Op):
                self._op(op, block, around)
                continue
            loop = isinstance(op, (For, While))
            came = dict(zip(op.params, op.inits, strict=True)) if isinstance(op, (For, While)) else {}
            for var in binders(op):
                self._flow(var, came.get(var))
            inside = around
            if isinstance(op, (For, While)) and around is None:
                places = [self.live.after[id(o)] for inner in blocks(op) for o in walk(inner)]
                inside = min(places, default=0), max(places, default=0)
            for inner in blocks(op):
                self._block(inner, inside)
            for var in op.outs:
                self._flow(var, var if loop else None)

    def _flow(self, var: Var, source: Arg | None) -> None:
        """What no operation makes: under the name of its source the array is the one that the name has."""
        name = self.names.get(var, "")
        if isinstance(source, Var) and self.names.get(source) == name and name in self._open:
            self._open[name].members.append(var)
        else:
            self._bind(var, _Tenure(name, *self.live.written[var][:1] * 2))

    def _op(self, op: Op, block: Block, around: tuple[int, int] | None) -> None:
        place = self.live.after[id(op)]
        if op.fn in MUTATORS and isinstance(op.args[0], Var):
            changed = self._open.get(self.names.get(op.args[0], ""))
            if changed is not None:
                changed.members.append(op.outs[0])
                changed.kept |= self.names.get(op.outs[0], changed.name) != changed.name
            for var in variables(*op.args[1:]) if op.fn in _KEEP else ():
                if kept := self._open.get(self.names.get(var, "")):
                    kept.kept = True
            if changed is not None:
                return
        size = self.sizes.of(op)
        for out in op.outs:
            self._bind(out, _Tenure(self.names.get(out, ""), place, place, size, block, around))

    def _bind(self, var: Var, tenure: _Tenure) -> None:
        if tenure.name:
            tenure.members.append(var)
            self.all.append(tenure)
            self._open[tenure.name] = tenure
            self.starts.setdefault(tenure.name, []).append(tenure.first)


class _Sizes:
    """What an operation allocates, in each choice of lengths."""

    def __init__(self) -> None:
        self.choices: dict[object, np.ndarray] = {}  # by the symbols of a length
        self.none = np.zeros(_CHOICES, np.int64)

    def of(self, op: Op) -> np.ndarray | None:
        """None where the length is known, or the result shows memory that others hold."""
        if len(op.outs) != 1 or not isinstance(op.outs[0].type, Array) or not op.outs[0].type.shape:
            return None
        shape = op.outs[0].type.shape[:_MOST_AXES]
        if all(isinstance(length, int) for length in shape) or behaviour(op) != "fresh":
            return None
        size = self.none + 1
        for length in shape:
            size = size * (min(length, _LONG) if isinstance(length, int) else self._choices(length.terms))
        size[1 + _SYMBOLS :][: len(shape) - 1] = 0
        return size

    def _choices(self, symbols: object) -> np.ndarray:
        found = self.choices.get(symbols)
        if found is None:
            number = len(self.choices) + 1
            found = self.choices[symbols] = np.full(_CHOICES, _LONG, np.int64)
            if number <= _SYMBOLS:
                found[number] = _SHORT
        return found
