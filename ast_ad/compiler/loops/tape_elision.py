"""Which saved elements of an array does the loop leave where they are?

``read_final(function, report) -> Function``. After ``fuse_loops``, for the loops that still have a tape, and
before ``typed_tapes``, which would allocate memory for what need not be saved.

A value on a tape that was read from a carried array need not be saved if nothing overwrites it later: the
adjoint reads it from the array as the loop left it::

    for i in range(n):                          for i in range(n):
        t = a[i, :i]                                t = a[i, :i]
        a[i, i] = f(t)                              a[i, i] = f(t)
        tape.append(t)
    for i, t in reversed(...):                  for i in reversed(range(n)):
        ...                                         t = a[i, :i]

That is proved with the ranges of the loops: the places that are read and those written at any later time,
both linear in the loops' indices, have no element in common.
"""

from __future__ import annotations

import operator

import numpy as np

from ...rules import helpers
from ..ir.alternatives import is_mixed
from ..ir.ops import Arg, Block, For, Function, Lit, Op, Slice, Statement, Var, blocks, walk
from ..ir.types import Array, ListOf, Scalar
from ..report import UNHEARD, Report
from ..simplify.renaming import Renaming, bound_within, copy_function, copy_statement, renamed, replace_reads
from ..simplify.simplify import simplify
from ..simplify.view_indices import is_int, parts_of
from .affine import ONE, Linear, minus, plus, possible
from .loop_fusion import element_of

Pair = tuple[For, For]  # a loop and its adjoint
Env = dict[Var, Linear]  # what an index is
Write = tuple[Arg, Env, list[Linear]]  # an index, with the bounds of what is in it


def read_final(function: Function, report: Report = UNHEARD) -> Function:
    """The same function with fewer values on its tapes."""
    result = copy_function(function)
    finder = Finder(result, report)
    finder.visit(result.body)
    return simplify(result) if finder.found else result


class Finder:
    """Pairs of loops and their adjoints, and what they save.

    ``makers``: the statement that computes each Var; ``inside``: what the outermost loop binds; ``tapes``:
    the tape of an inner loop that the adjoint knows by another name; ``nests``: for each loop that has an
    adjoint the loops around it, and it, each with its adjoint."""

    def __init__(self, function: Function, report: Report) -> None:
        self.report = report
        self.makers: dict[Var, Statement] = {out: op for op in walk(function.body) for out in op.outs}
        self.inside: set[Var] = set()
        self.tapes: dict[Var, Var] = {}
        self.nests: dict[For, list[Pair]] = {}
        self.found = False
        self.count = 0

    def visit(self, block: Block) -> None:
        """Look for pairs of loops in the block and in the regions within."""
        for op in block.ops:
            for inner in blocks(op):
                self.visit(inner)
            if isinstance(op, For) and op.adjoint:
                for first in {id(m): m for source, _ in op.items if (m := self.loop(source, block))}.values():
                    self.inside = set(bound_within(Block([first])))
                    self.nests.clear()
                    self.pair([(first, op)])
                    self.together(first)

    def together(self, first: For) -> None:
        """What is to be done once all that the loops in an outermost one save has been seen."""

    def loop(self, source: Arg, block: Block) -> For | None:
        maker = self.makers.get(source) if isinstance(source, Var) else None
        return maker if isinstance(maker, For) and any(op is maker for op in block.ops) else None

    def pair(self, nest: list[Pair]) -> None:
        """Read what the last loop saves from arrays instead, where that is the same."""
        first, second = nest[-1]
        if not self.matches(nest):
            return
        self.nests[first] = nest
        for source, variables in second.items:
            tape = self.tapes.get(source, source) if isinstance(source, Var) else source
            for k, var in enumerate(variables):
                value = element_of(first, tape, len(variables), k)
                if not isinstance(value, Var):
                    continue
                op = self.makers.get(value)
                if isinstance(op, For) and isinstance(value.type, ListOf) and _holds(first.body, op):
                    self.tapes[var] = value
                    for other in second.body.ops:
                        if isinstance(other, For) and any(s is var for s, _ in other.items):
                            self.pair([*nest, (op, other)])
                else:
                    self.element(nest, value, var)

    def matches(self, nest: list[Pair]) -> bool:
        """Whether the loops of the last pair run over the same range, one forwards, one backwards."""
        first, second = nest[-1]
        if first.stops or second.stops or first.items or first.reverse or not second.reverse:
            return False
        if first.range is None or _direction(first) is None:
            return False
        if second.range is None:  # it goes along what the other has recorded, and has no index
            return all(self.records(first, source, len(names)) for source, names in second.items)
        env: Env = {first.index: {first.index: 1} for first, _ in nest}
        env.update({second.index: {first.index: 1} for first, second in nest})
        for a, b in zip(first.range, second.range, strict=True):
            one, other = self.linear(a, env), self.linear(b, env)
            if one is None or other is None or one != other:
                return False
        return True

    def records(self, first: For, source: Arg, count: int) -> bool:
        """Whether a loop has recorded all that is read from a source."""
        tape = self.tapes.get(source, source) if isinstance(source, Var) else source
        return all(element_of(first, tape, count, k) is not None for k in range(count))

    def element(self, nest: list[Pair], value: Var, var: Var) -> None:
        """Let the adjoint read a value, its ``var``, where it was read from or written to, if it can."""
        body = nest[-1][0].body
        maker = self.makers.get(value)
        if isinstance(maker, Op) and maker.fn is operator.getitem and _holds(body, maker):
            if self.replace(nest, maker.args[0], maker.args[1], var):
                return
        for op in body.ops:
            if isinstance(op, Op) and op.fn is helpers.setitem and op.args[2] is value:
                if _names_one(op.args[1], op.out, value) and self.replace(nest, op.out, op.args[1], var):
                    return

    def replace(self, nest: list[Pair], array: Arg, index: Arg, var: Var) -> bool:
        """Let the adjoint read the array as it is at the end, if what it reads is the same."""
        final = self.final(nest, array, index) if isinstance(array, Var) else None
        unknown = {first.index for first, second in nest if second.range is None}
        if final is None or any(self.depends(part, unknown) for part in _index_variables(index)):
            return False
        names: Renaming = {first.index: second.index for first, second in nest}
        body, before = nest[-1][1].body, list[Statement]()
        for part in _index_variables(index):
            self.rebuild(part, names, before)
        new = Var(var.type, var.hint)
        span = nest[-1][1].span
        read = Op(operator.getitem, (final, renamed(index, names)), (new,), {}, span, adjoint=True)
        replace_reads(body, {var: new})
        body.ops[:0] = [*before, read]
        self.found = True
        name = array.hint if isinstance(array, Var) and array.hint else "an array"
        text = f"what is read of `{name}` is not saved: nothing overwrites it later"
        self.report.note("tape elision", self.makers.get(var) or nest[-1][0], text)
        return True

    def depends(self, var: Arg, indices: set[Var]) -> bool:
        """Whether a number of an index is computed from one of these indices."""
        op = self.makers.get(var) if isinstance(var, Var) and var in self.inside else None
        args = op.args if isinstance(op, Op) else ()
        return var in indices or any(self.depends(a, indices) for a in args if isinstance(a, Var))

    def rebuild(self, var: Var, names: Renaming, before: list[Statement]) -> None:
        """Compute an index again in the adjoint."""
        if var in names or var not in self.inside:
            return
        op = self.makers[var]
        assert isinstance(op, Op)
        for arg in op.args:
            if isinstance(arg, Var):
                self.rebuild(arg, names, before)
        before.append(copy_statement(op, names))
        before[-1].adjoint = True

    # ----- what is written later -----
    def final(self, nest: list[Pair], array: Var, index: Arg) -> Var | None:
        """The array after the outermost loop, or after one within if it is saved there, if it still has at
        ``index`` what ``array`` has now."""
        if not isinstance(array.type, Array):
            return None
        env: Env = {first.index: {first.index: 1} for first, _ in nest}
        bounds = [form for first, _ in nest for form in self.bounds(first, {first.index: 1}, env)]
        if self.places(index, env, bounds) is None:
            return None
        version = array
        for level in reversed(range(len(nest))):
            first = nest[level][0]
            results = first.body.results
            found = [k for k, r in enumerate(results) if self.chain(first.body, r, version) is not None]
            if not found:
                return None
            k = found[0]
            writes = self.writes(self.chain(first.body, results[k], version), env, bounds)
            self.count += 1
            later: Linear = {("later", self.count): 1}
            inner = {**env, first.index: later}
            passed = minus({}, {first.index: 1}) if _direction(first) == 1 else {first.index: 1}
            after = [*bounds, *self.bounds(first, later, inner)]
            after.append(plus(plus(passed, later, _direction(first) or 1), {ONE: -1}))
            others = self.writes(self.chain(first.body, results[k], first.params[k]), inner, after)
            if writes is None or others is None:
                return None
            if any(self.overlap(index, env, write) for write in writes + others):
                return None
            version = first.outs[k]
            saved = self.saved(nest[level - 1], version) if level else None
            if saved is not None:
                return saved
        return version

    def saved(self, pair: Pair, value: Var) -> Var | None:
        """What the adjoint calls a value that the loop saves."""
        first, second = pair
        for source, variables in second.items:
            tape = self.tapes.get(source, source) if isinstance(source, Var) else source
            for k, var in enumerate(variables):
                if element_of(first, tape, len(variables), k) is value:
                    return var
        return None

    def chain(self, block: Block, last: Arg, version: Var) -> list[tuple[Statement, int]] | None:
        """The writes that make ``last`` from an earlier version of the array."""
        steps: list[tuple[Statement, int]] = []
        while last is not version:
            op = self.makers.get(last) if isinstance(last, Var) else None
            if op is None or not _holds(block, op):
                return None
            if isinstance(op, Op) and op.fn in (helpers.setitem, helpers.add_at):
                steps.append((op, 0))
                last = op.args[0]
            elif isinstance(op, For):
                assert isinstance(last, Var)
                steps.append((op, op.outs.index(last)))
                last = op.inits[steps[-1][1]]
            else:
                return None
        return steps

    def writes(
        self, steps: list[tuple[Statement, int]] | None, env: Env, bounds: list[Linear]
    ) -> list[Write] | None:
        """Where the steps write, at all iterations of loops among them."""
        if steps is None:
            return None
        found: list[Write] = []
        for op, k in steps:
            if isinstance(op, Op):
                found.append((op.args[1], env, bounds))
                continue
            assert isinstance(op, For)
            self.count += 1
            any_iteration: Linear = {("any", self.count): 1}
            inner = {**env, op.index: any_iteration}
            limits = [*bounds, *self.bounds(op, any_iteration, inner)]
            chain = self.chain(op.body, op.body.results[k + op.stops], op.params[k])
            more = self.writes(chain, inner, limits)
            if more is None:
                return None
            found += more
        return found

    def bounds(self, loop: For, index: Linear, env: Env) -> list[Linear]:
        """What is known of an index of the loop."""
        direction = _direction(loop)
        if loop.range is None or direction is None:
            return []
        start, stop = self.linear(loop.range[0], env), self.linear(loop.range[1], env)
        known = [] if start is None else [minus(index, start)]
        known += [] if stop is None else [minus(stop, index, -direction)]
        return known if direction > 0 else [minus({}, form) for form in known]

    # ----- places -----
    def overlap(self, index: Arg, env: Env, write: Write) -> bool:
        """Whether the write may hit what the index reads."""
        place, inner, bounds = write
        read, written = self.places(index, env, bounds), self.places(place, inner, bounds)
        if read is None or written is None:
            return True
        system = list(bounds)
        for (low, high), (first, last) in zip(read, written, strict=False):
            system += [minus(last, low, -1)] if last is not None else []
            system += [minus(high, first, -1)] if high is not None else []
        return possible(system)

    def places(self, index: Arg, env: Env, bounds: list[Linear]) -> list[tuple[Linear, Linear | None]] | None:
        """From where to where, exclusive, the index goes on each axis at most; None if unsure. Negative
        positions count from the end: a slice with one may go everywhere."""
        found: list[tuple[Linear, Linear | None]] = []
        for part in parts_of(index):
            low, high = self.place(part, env)
            if low is None:
                return None
            if any(possible([*bounds, minus({}, end, -1)]) for end in (low, high) if end is not None):
                if not isinstance(part, Slice):
                    return None
                low, high = {}, None
            found.append((low, high))
        return found

    def place(self, part: Arg, env: Env) -> tuple[Linear | None, Linear | None]:
        if isinstance(part, Slice):
            if not (_is_none(part.step) or _is_one(part.step)):
                return None, None
            low: Linear | None = {} if _is_none(part.start) else self.linear(part.start, env)
            if _is_none(part.stop):
                return low, None
            high = self.linear(part.stop, env)
            return (None, None) if high is None else (low, high)
        at = self.linear(part, env)
        return (None, None) if at is None else (at, plus(at, {ONE: 1}))

    def linear(self, arg: Arg, env: Env) -> Linear | None:
        """An integer as a linear form of indices and of what does not change in the loops."""
        if isinstance(arg, Lit):
            number = isinstance(arg.value, int) and not isinstance(arg.value, bool)
            return ({ONE: arg.value} if arg.value else {}) if number else None
        if not isinstance(arg, Var) or not isinstance(arg.type, Scalar) or arg.type.kind != "int":
            return None
        if arg.type.dtype not in (None, np.dtype(np.int64)):  # sums of others may wrap around
            return None
        if arg in env:
            return env[arg]
        op = self.makers.get(arg)
        if isinstance(op, Op) and op.fn in (operator.add, operator.sub):
            a, b = (self.linear(x, env) for x in op.args)
            if a is not None and b is not None:
                return plus(a, b, 1 if op.fn is operator.add else -1)
        return None if arg in self.inside else {arg: 1}


def _index_variables(index: Arg) -> list[Var]:
    parts = [p for part in parts_of(index) for p in _ends(part)]
    return [p for p in parts if isinstance(p, Var)]


def _ends(part: Arg) -> tuple[Arg, ...]:
    return (part.start, part.stop, part.step) if isinstance(part, Slice) else (part,)


def _names_one(index: Arg, array: Var, value: Var) -> bool:
    """Whether the index is that of one element, of the very type of the value."""
    if not isinstance(array.type, Array) or not isinstance(value.type, Scalar):
        return False
    if is_mixed(array.type) or is_mixed(value.type):
        return False
    parts = parts_of(index)
    return value.type.dtype == array.type.dtype and len(parts) == array.type.ndim and all(map(is_int, parts))


def _holds(block: Block, op: Statement) -> bool:
    return any(other is op for other in block.ops)


def _direction(loop: For) -> int | None:
    """1 for a loop that counts upwards by one, -1 for one that counts downwards; None for others."""
    step = loop.range[2] if loop.range is not None else None
    one = isinstance(step, Lit) and type(step.value) is int and step.value in (1, -1)
    return step.value if isinstance(step, Lit) and one else None


def _is_one(arg: Arg) -> bool:
    return isinstance(arg, Lit) and arg.value == 1 and not isinstance(arg.value, bool)


def _is_none(arg: Arg) -> bool:
    return isinstance(arg, Lit) and arg.value is None
