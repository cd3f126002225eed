"""Which values are still read after a statement?

Backwards over the structured program. A value that merely flows into a carried value, or out of a branch,
is read only if somebody reads what it becomes; so dead carried values cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .ops import Arg, Block, For, Function, If, Op, Statement, Var, While, variables, walk

Leaves = Callable[[Arg], Iterable[Var]]
Reads = Callable[[Op], Iterable[Var]]


def op_reads(op: Op) -> Iterable[Var]:
    """Every Var among an op's own arguments."""
    return variables(*op.args, *op.kwargs.values())


class Liveness:
    """For each statement the Vars read ``after`` it, for each loop those read from its ``head`` on.

    ``leaves``: the Vars that an argument reads (an emitter passes those of the expression nested there).
    ``reads``: the Vars that an op reads (an alias analysis leaves out what is read for its shape only).
    """

    def __init__(self, function: Function, leaves: Leaves = variables, reads: Reads = op_reads) -> None:
        self._leaves, self._reads = leaves, reads
        self._statements = list(walk(function.body))
        self.needed = self._needed(function)
        self.after: dict[int, frozenset[Var]] = {}
        self.head: dict[int, frozenset[Var]] = {}
        self.body: dict[int, frozenset[Var]] = {}
        self._block(function.body, self._all(function.body.results))

    def _all(self, args: Iterable[Arg]) -> frozenset[Var]:
        return frozenset(var for arg in args for var in self._leaves(arg))

    def _needed(self, function: Function) -> set[Var]:
        """The Vars that some statement, or the function's result, really reads."""
        sources: dict[Var, list[Arg]] = {}
        todo: list[Var] = list(self._all(function.body.results))
        for op in self._statements:
            todo.extend(self.own_reads(op))
            for out, args in _flows(op):
                sources.setdefault(out, []).extend(args)
        needed: set[Var] = set()
        while todo:
            var = todo.pop()
            if var not in needed:
                needed.add(var)
                todo.extend(self._all(sources.get(var, ())))
        return needed

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

    def flowing(self, targets: Iterable[Var], args: Iterable[Arg]) -> frozenset[Var]:
        """What is read by moving ``args`` into those of ``targets`` that are needed."""
        return self._all(arg for target, arg in zip(targets, args, strict=True) if target in self.needed)

    def _block(self, block: Block, live: frozenset[Var]) -> frozenset[Var]:
        for op in reversed(block.ops):
            live = self._statement(op, live)
        return live

    def _statement(self, op: Statement, live: frozenset[Var]) -> frozenset[Var]:
        self.after[id(op)] = live
        live = live.difference(op.outs)
        if isinstance(op, Op):
            return live | self.own_reads(op)
        if isinstance(op, If):
            then = self._block(op.then, live | self.flowing(op.outs, op.then.results))
            orelse = self._block(op.orelse, live | self.flowing(op.outs, op.orelse.results))
            return then | orelse | self._all((op.cond,))
        return self._loop(op, live)

    def _loop(self, op: For | While, live: frozenset[Var]) -> frozenset[Var]:
        yields, stop = op.body.results, frozenset[Var]()
        if op.stops:
            yields, stop = yields[1:], self._all(yields[:1])
        leave = live | self.flowing(op.outs, op.params)  # what is read once the loop is over
        bound = set(op.params)
        if isinstance(op, For):
            leave |= self._all(source for source, _ in op.items)  # being run through
            bound.update((op.index, *(var for _, items in op.items for var in items)))
        head = leave
        while True:
            end = head.difference(bound) | self.flowing(op.params, yields) | stop
            inside = self.body[id(op)] = self._block(op.body, end)
            if isinstance(op, While):
                test = leave | inside | self._all(op.cond.results)
                start = head | self._block(op.cond, test)
            else:
                start = head | inside.difference(bound - set(op.params))
            if start == head:
                break
            head = start
        self.head[id(op)] = head
        entry = head.difference(bound) | self.flowing(op.params, op.inits)
        return entry | self._all(op.range or ()) if isinstance(op, For) else entry


def _flows(op: Statement) -> Iterable[tuple[Var, tuple[Arg, ...]]]:
    """Each Var that a region statement fills, with what may flow into it."""
    if isinstance(op, If):
        yield from zip(op.outs, zip(op.then.results, op.orelse.results, strict=True), strict=True)
    elif not isinstance(op, Op):
        yields = op.body.results[1:] if op.stops else op.body.results
        yield from zip(op.params, zip(op.inits, yields, strict=True), strict=True)
        yield from zip(op.outs, ((p,) for p in op.params), strict=True)
