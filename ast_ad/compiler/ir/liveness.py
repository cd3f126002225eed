"""Which values are still read after a statement?

A value that merely flows into a carried value, or out of a branch, is read only if somebody reads what it
becomes; so dead carried values cost nothing.

The places of a program are numbered in the order of the text, and where a value lives is a list of ranges of
them. Each value is assigned once and the program is structured, so this takes one walk backwards, and memory
in proportion to the program: a set of what lives for each statement would take the square of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator

from .ops import Arg, Block, For, Function, If, Op, Statement, Var, While, variables, walk

Leaves = Callable[[Arg], Iterable[Var]]
Reads = Callable[[Op], Iterable[Var]]
Range = tuple[int, int]  # the first and the last place


def op_reads(op: Op) -> Iterable[Var]:
    """Every Var among an op's own arguments."""
    return variables(*op.args, *op.kwargs.values())


class Liveness:
    """Where each Var lives (``ranges``, in order and apart) and where it is written (``written``).

    ``after``: the place behind each statement, by ``id``; at a place live the values that are read later.
    ``needed``: the Vars that some statement, or the function's result, really reads.

    ``leaves``: the Vars that an argument reads (an emitter passes those of the expression nested there).
    ``reads``: the Vars that an op reads (an alias analysis leaves out what is read for its shape only).

    >>> import operator
    >>> from .types import Scalar
    >>> x, y, z = (Var(Scalar("float"), name) for name in "xyz")
    >>> first, second = Op(operator.neg, (x,), (y,)), Op(operator.mul, (x, y), (z,))
    >>> live = Liveness(Function("f", (x,), Block([first, second], (z,))))
    >>> [live.is_read_after(v, first) for v in (x, y)], [live.is_read_after(v, second) for v in (x, z)]
    ([True, True], [False, True])
    """

    def __init__(self, function: Function, leaves: Leaves = variables, reads: Reads = op_reads) -> None:
        self._leaves, self._reads = leaves, reads
        self.needed = self._needed(function)
        self.ranges: dict[Var, list[Range]] = {}
        self.written: dict[Var, Range] = {}
        self.after: dict[int, int] = {}
        self.places = 0
        self._open: dict[Var, int] = {}  # what lives at the place that the walk has come to, and until where
        self._opened: list[Var] = []  # what began to live in the regions around
        self._here = 0
        self._all_read(function.body.results)
        self._block(function.body)
        for param in function.params:
            self._write(param, self._here, self._here)
        self._in_order()

    # ----- questions -----

    def is_read_after(self, var: Var, op: Statement) -> bool:
        """Whether the value is read by something that may run after the statement."""
        place, ranges = self.after[id(op)], self.ranges.get(var, ())
        i = bisect_right(ranges, (place, self.places)) - 1
        return i >= 0 and place <= ranges[i][1]

    def is_read_inside(self, op: For) -> bool:
        """Whether the loop's index is read by its body."""
        return op.index in self.ranges

    def own_reads(self, op: Statement) -> frozenset[Var]:
        """What the statement reads itself: arguments, conditions, ranges, lists run through, stop flags."""
        if isinstance(op, Op):
            return frozenset(self._reads(op))
        if isinstance(op, If):
            return self._all((op.cond,))
        stop = op.body.results[:1] if op.stops else ()
        if isinstance(op, While):
            return self._all((*op.cond.results, *stop))
        return self._all((*(op.range or ()), *(source for source, _ in op.items), *stop))

    def _all(self, args: Iterable[Arg]) -> frozenset[Var]:
        return frozenset(var for arg in args for var in self._leaves(arg))

    def _needed(self, function: Function) -> set[Var]:
        sources: dict[Var, list[Arg]] = {}
        todo: list[Var] = list(self._all(function.body.results))
        for op in walk(function.body):
            todo.extend(self._reads(op) if isinstance(op, Op) else self.own_reads(op))
            for out, args in _flows(op):
                sources.setdefault(out, []).extend(args)
        needed: set[Var] = set()
        while todo:
            var = todo.pop()
            if var not in needed:
                needed.add(var)
                todo.extend(self._all(sources.get(var, ())))
        return needed

    # ----- the walk backwards; places are counted down from 0, and up from 0 in the end -----

    def _read(self, variables: Iterable[Var]) -> None:
        """The Vars are read behind the place here, before the one that was passed last."""
        for var in variables:
            if var not in self._open:
                self._open[var] = self._here
                self._opened.append(var)

    def _all_read(self, args: Iterable[Arg]) -> None:
        for arg in args:
            self._read(self._leaves(arg))

    def _flow(self, targets: Iterable[Var], args: Iterable[Arg]) -> None:
        """What is read by moving ``args`` into those of ``targets`` that are needed."""
        self._all_read(arg for target, arg in zip(targets, args, strict=True) if target in self.needed)

    def _write(self, var: Var, first: int, last: int) -> None:
        """The Var has its value from here on; ``first`` to ``last``: the places at which it is written."""
        self.written[var] = first, last
        end = self._open.pop(var, None)
        if end is not None:
            self.ranges.setdefault(var, []).append((first, end))

    def _pass(self) -> int:
        """The place here; the walk goes on before it."""
        self._here -= 1
        return self._here + 1

    def _block(self, block: Block) -> None:
        for op in reversed(block.ops):
            place = self.after[id(op)] = self._pass()
            for out in op.outs:
                self._write(out, place, place)
            if isinstance(op, Op):
                self._read(self._reads(op))
            elif isinstance(op, If):
                self._branch(op)
            else:
                self._loop(op, place)

    def _branch(self, op: If) -> None:
        start = len(self._opened)
        self._flow(op.outs, op.orelse.results)
        self._block(op.orelse)
        first = self._pass()
        inside = self._since(start)
        for var in inside:  # it does not live in the other branch
            self.ranges.setdefault(var, []).append((first, self._open.pop(var)))
        del self._opened[start:]
        self._flow(op.outs, op.then.results)
        self._block(op.then)
        self._opened[start:] = self._since(start)
        self._read(inside)
        self._all_read((op.cond,))

    def _loop(self, op: For | While, place: int) -> None:
        start = len(self._opened)
        yields = op.body.results
        if isinstance(op, For):
            self._all_read(source for source, _ in op.items)  # being run through
        if op.stops:
            self._all_read(yields[:1])
            yields = yields[1:]
        self._flow(op.params, yields)
        self._block(op.body)
        if isinstance(op, While):
            self._pass()
            self._flow(op.outs, op.params)
            self._all_read(op.cond.results)
            self._block(op.cond)
            head = self._pass()
        else:
            body, head = self._pass(), self._here
            for var in (op.index, *(var for _, items in op.items for var in items)):
                self._write(var, head, body)
            self._flow(op.outs, op.params)
            self._pass()
        for param in op.params:
            self._write(param, head, head)
        inside = self._since(start)
        for var in inside:  # the next turn reads it, too
            self._open[var] = place - 1
        self._opened[start:] = inside
        if isinstance(op, For):
            self._all_read(op.range or ())
        self._flow(op.params, op.inits)

    def _since(self, start: int) -> list[Var]:
        """What began to live since then and is not written yet."""
        return list(dict.fromkeys(var for var in self._opened[start:] if var in self._open))

    def _in_order(self) -> None:
        """Count places upwards, and join the ranges of each Var that meet or overlap."""
        self.places = up = -self._here
        self.after = {key: place + up for key, place in self.after.items()}
        self.written = {var: (first + up, last + up) for var, (first, last) in self.written.items()}
        self.ranges = {var: joined((a + up, b + up) for a, b in found) for var, found in self.ranges.items()}


class Places:
    """The places of a program as the leaves of a binary tree, numbered as a heap."""

    def __init__(self, places: int) -> None:
        self.size = 1 << (places + 1).bit_length()

    def cover(self, first: int, last: int) -> Iterator[int]:
        """The nodes that consist of these places: few, however many places there are."""
        first, last = first + self.size, last + self.size + 1
        while first < last:
            if first & 1:
                yield first
                first += 1
            if last & 1:
                last -= 1
                yield last
            first, last = first >> 1, last >> 1

    def above(self, place: int) -> Iterator[int]:
        """The nodes around a place."""
        node = place + self.size
        while node := node >> 1:
            yield node


class Living:
    """Which of some Vars live at a place?"""

    def __init__(self, live: Liveness, variables: Iterable[Var]) -> None:
        self._tree = Places(live.places)
        self._nodes: dict[int, list[Var]] = {}
        for var in variables:
            for first, last in live.ranges.get(var, ()):
                for node in self._tree.cover(first, last):
                    self._nodes.setdefault(node, []).append(var)

    def at(self, place: int) -> list[Var]:
        found = list(self._nodes.get(place + self._tree.size, ()))
        for node in self._tree.above(place):
            found += self._nodes.get(node, ())
        return found


def joined(ranges: Iterable[Range]) -> list[Range]:
    """Ranges in order, those that touch made one.

    >>> joined([(5, 6), (1, 2), (3, 3), (6, 9)])
    [(1, 3), (5, 9)]
    """
    found: list[Range] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return found


def _flows(op: Statement) -> Iterable[tuple[Var, tuple[Arg, ...]]]:
    """Each Var that a region statement fills, with what may flow into it."""
    if isinstance(op, If):
        yield from zip(op.outs, zip(op.then.results, op.orelse.results, strict=True), strict=True)
    elif not isinstance(op, Op):
        yields = op.body.results[1:] if op.stops else op.body.results
        yield from zip(op.params, zip(op.inits, yields, strict=True), strict=True)
        yield from zip(op.outs, ((p,) for p in op.params), strict=True)
