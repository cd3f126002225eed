"""Which loops over columns had better run along the rows? Those whose turns are independent.

``interchange(kernel) -> None``. Between ``hoist``, which takes lengths out of loops, and ``shrink``; where no
arguments of the kernel overlap.

A loop over ``k`` with ``c[i, :] += w[i, k] * a[:, k]`` in it goes down a column of ``a`` in each turn: one
number of each line of the cache, and no vectors. If no turn needs what another has done, each statement may
be done for all of them before the next one, and the inner loops may take the outer one into them::

    for k in range(n):                          for k in range(n):
        s = w[i, k] * x                             t[k] = w[i, k] * x
        for j in range(m):                      for j in range(m):
            c[i, j] += s * a[j, k]                  for k in range(n):
                                                        c[i, j] += t[k] * a[j, k]

What a turn computes for a later statement is kept in an array with a place for each turn.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...ir import builtin
from ...ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Lit,
    Op,
    Seq,
    Statement,
    Var,
    While,
    blocks,
    variables,
    walk,
)
from ...ir.types import Array, Dim, Scalar, dtype_of
from ...simplify.renaming import Renaming, copy_statement, free, reads_of, renamed, replace_reads
from .. import runtime as kernels
from ..partition.rounding import cancels
from .body import INT
from .independence import added_to, counts_from_zero, sharing

FEWEST_TURNS = 16
MOST_ARRAYS = 12
_ACCESSES = {operator.getitem, builtin.setitem_, builtin.add_item_}
_OF_COUNTERS = {operator.add, operator.sub, operator.mul, kernels.position}
_KINDS = {"float", "int", "bool", "complex"}


def interchange(kernel: Function) -> None:
    """Let such loops go along the rows, in place."""
    if not cancels(kernel):  # else its sums are made in order
        made = {op.outs[0] for op in walk(kernel.body) if isinstance(op, Op) and op.fn is np.empty}
        _block(kernel.body, {*kernel.params, *made})


def _block(block: Block, apart: set[Var]) -> None:
    new: list[Statement] = []
    for op in block.ops:
        for inner in blocks(op):
            _block(inner, apart)
        found = _interchanged(op, apart) if isinstance(op, For) else None
        new += [op] if found is None else found
    block.ops = new


def _interchanged(loop: For, apart: set[Var]) -> list[Statement] | None:
    """What stands for a loop, or None where it stays."""
    if loop.stops or loop.items or loop.parallel or not counts_from_zero(loop) or not _gains(loop):
        return None
    if _has_few_turns(loop):
        return None
    arrays = {v for op in walk(loop.body) if isinstance(op, Op) for v in variables(*op.args) if _is_array(v)}
    if not arrays <= apart or any(isinstance(op, (If, While)) or _is_whole(op) for op in walk(loop.body)):
        return None
    own = copy_statement(loop, {})
    assert isinstance(own, For)
    for inner in walk(Block([own])):
        if isinstance(inner, For):
            _without_names(inner.body)
            _add(inner.body)
    if sharing(own, _Apart(), {v: {v} for v in arrays}) is None:  # type: ignore[arg-type]
        return None
    pieces = _Pieces(own)
    found = pieces.written()
    return None if found is None else [*found, *_named(found, pieces.states, loop.outs)]


def _named(loops: list[Statement], states: list[Arg], outs: tuple[Var, ...]) -> list[Statement]:
    """Let what the loops end with be the loop's results; the statements that are needed for that."""
    ends: list[Statement] = []
    for state, out in zip(states, outs, strict=True):
        maker = next((op for op in loops if state in op.outs), None)
        if isinstance(maker, For):
            maker.outs = tuple(out if o is state else o for o in maker.outs)
        else:
            ends.append(Op(builtin.assign, (state,), (out,)))
    return ends


def _without_names(block: Block) -> None:
    """Let numbers have one name each."""
    names: Renaming = {}
    for op in block.ops:
        if isinstance(op, Op) and op.fn is builtin.assign and isinstance(op.out.type, Scalar):
            names[op.out] = renamed(op.args[0], names)
    block.ops = [op for op in block.ops if not (isinstance(op, Op) and op.outs and op.outs[0] in names)]
    replace_reads(block, names)


class _Apart:
    """The groups of arrays of which none share memory."""

    def of(self, var: Var) -> Var:
        return var


def _is_array(var: Var) -> bool:
    return isinstance(var.type, Array)


def _is_whole(op: Statement) -> bool:
    """Whether a statement does more than compute with numbers, read or write an element, or check."""
    if not isinstance(op, Op) or op.fn in _ACCESSES:
        return isinstance(op, Op) and any(_is_array(o) for o in op.outs) and op.fn is operator.getitem
    return op.effect and op.fn is not kernels.require or any(map(_is_array, variables(*op.args, *op.outs)))


def _has_few_turns(loop: For) -> bool:
    numbers = [a.value for a in loop.range or () if isinstance(a, Lit)]
    return len(numbers) == 3 and max(numbers) < FEWEST_TURNS


# ----- gains
def _gains(loop: For) -> bool:
    return any(isinstance(op, For) and _gains_within(op, loop) for op in loop.body.ops)


def _gains_within(inner: For, outer: For) -> bool:
    """Whether more places move along a row with the outer loop than with the inner one."""
    if inner.stops or inner.items or not all(isinstance(op, Op) for op in inner.body.ops):
        return False
    made = {v for op in walk(outer.body) for v in op.outs}
    if inner.range is None or not made.isdisjoint(variables(*inner.range)) or outer.index in inner.range:
        return False
    makers = {out: op for op in walk(outer.body) if isinstance(op, Op) for out in op.outs}
    balance = 0
    for op in inner.body.ops:
        if isinstance(op, Op) and op.fn in _ACCESSES and isinstance(op.args[1], Seq):
            *rest, last = (_counters(i, (inner.index, outer.index), makers) for i in op.args[1].items)
            before = set[Var]().union(*rest)
            balance += (inner.index in before and inner.index not in last) and outer.index in last
            balance -= (outer.index in before and outer.index not in last) and inner.index in last
    return balance > 0


def _counters(index: Arg, among: tuple[Var, Var], makers: dict[Var, Op]) -> set[Var]:
    """By which of two counters an index moves."""
    if not isinstance(index, Var) or index in among:
        return {index} if isinstance(index, Var) else set()
    op = makers.get(index)
    return set() if op is None else set[Var]().union(*(_counters(a, among, makers) for a in op.args))


# ----- additions
def _add(block: Block) -> None:
    """Let ``a[i] = a[i] + x`` be an addition, which turns may make in any order."""
    makers = {op.outs[0]: op for op in block.ops if isinstance(op, Op) and len(op.outs) == 1}
    read = reads_of(block)
    for op in list(block.ops):
        if not isinstance(op, Op) or op.fn is not builtin.setitem_ or not isinstance(op.args[2], Var):
            continue
        total = makers.get(op.args[2])
        if total is None or total.fn not in (operator.add, operator.sub) or len(total.args) != 2:
            continue
        old = makers.get(total.args[0])  # type: ignore[arg-type]
        if old is None or old.fn is not operator.getitem or not _same_place(old.args, op.args):
            continue
        if read[total.out] == 1 and read[old.out] == 1 and not _between(block, old, op):
            term = total.args[1]
            if total.fn is operator.sub:
                term = Var(total.out.type)
                block.ops.insert(
                    block.ops.index(op), Op(operator.neg, (total.args[1],), (term,), span=op.span)
                )
            op.fn, op.args = builtin.add_item_, (*op.args[:2], term)
            block.ops = [o for o in block.ops if o is not total and o is not old]


def _same_place(one: tuple[Arg, ...], other: tuple[Arg, ...]) -> bool:
    a, b = (x.items if isinstance(x, Seq) else (x,) for x in (one[1], other[1]))
    return one[0] is other[0] and len(a) == len(b) and all(map(_is_equal, a, b))


def _is_equal(i: Arg, j: Arg) -> bool:
    return i is j or isinstance(i, Lit) and isinstance(j, Lit) and i.value == j.value


def _between(block: Block, first: Op, last: Op) -> bool:
    """Whether something between two statements, a loop perhaps, writes to the array of the second."""
    inside = walk(Block(block.ops[block.ops.index(first) + 1 : block.ops.index(last)]))
    return any(isinstance(o, Op) and o.effect and last.args[0] in o.args for o in inside)


# ----- pieces
@dataclass
class _Piece:
    """Statements of a turn: some in a row, or an inner loop that takes the outer one into it.

    ``sums``: the positions of the outer loop's carried numbers to which it adds, with what they are before
    and behind it. ``first``: what is stored, before the loop that follows, for the numbers that it carries.
    """

    ops: list[Statement]
    inner: For | None = None
    sums: dict[int, tuple[Var, Var]] = field(default_factory=dict)
    first: list[tuple[Var, Arg]] = field(default_factory=list)


class _Pieces:
    """``kept``: the arrays in which numbers of each turn wait; ``counted``: what counters alone make."""

    def __init__(self, loop: For) -> None:
        self.loop = loop
        self.pieces = [_Piece([])]
        for op in loop.body.ops:
            if isinstance(op, For) and _gains_within(op, loop):
                self.pieces += [_Piece([op], op), _Piece([])]
            else:
                self.pieces[-1].ops.append(op)
        self.kept: dict[Var, Var] = {}
        self.counted: dict[Var, Op] = {}
        self.states: list[Arg] = list(loop.inits)
        self.before: list[Statement] = []
        self.count = Var(INT, "turns")

    def written(self) -> list[Statement] | None:
        """The loops one behind the other, or None where a number can't be kept."""
        loop = self.loop
        assert loop.range is not None
        if not all(self._chain(j) for j in range(len(loop.params))):
            return None
        self.before.append(Op(kernels.turns, loop.range, (self.count,), span=loop.span, adjoint=loop.adjoint))
        if not self._keep():
            return None
        found = [self._along(p) if p.inner is not None else self._plain(p) for p in self.pieces]
        return [*self.before, *(op for op in found if op is not None)]

    def _chain(self, j: int) -> bool:
        """Follow a carried sum through the pieces."""
        now = self.loop.params[j]
        for piece in self.pieces:
            start = now
            for op in piece.ops:
                if now in free(Block([op])):
                    after = added_to(op, now)
                    if after is None:
                        return False
                    now = after
            if now is not start:
                piece.sums[j] = start, now
        return self.loop.body.results[j] is now

    def _keep(self) -> bool:
        """Find what has to be kept for a later piece, and make the arrays for it."""
        sums = {v for piece in self.pieces for pair in piece.sums.values() for v in pair}
        where: dict[Var, int] = {}
        for n, piece in enumerate(self.pieces):
            for op in piece.ops:
                where.update(dict.fromkeys(op.outs, n))
                if isinstance(op, Op) and op.fn in _OF_COUNTERS and self._is_of_counters(op):
                    self.counted[op.outs[0]] = op
        for n, piece in enumerate(self.pieces):
            if piece.inner is not None:
                for init, out in zip(piece.inner.inits, piece.inner.outs, strict=True):
                    if init not in sums:
                        if not self._array(out):
                            return False
                        self.pieces[n - 1].first.append((out, init))
        for n, piece in enumerate(self.pieces):
            for var in self._read(piece):
                if where.get(var, n) != n and var not in sums and var not in self.counted:
                    if not self._array(var):
                        return False
        return len(self.kept) <= MOST_ARRAYS

    def _is_of_counters(self, op: Op) -> bool:
        if op.outs[0].type != INT:
            return False
        inside = {v for o in walk(self.loop.body) for v in o.outs}
        return all(
            not isinstance(a, Var) or a is self.loop.index or a in self.counted or a not in inside
            for a in op.args
        )

    def _read(self, piece: _Piece) -> list[Var]:
        """What a piece reads that it does not make."""
        values = [a for _, init in piece.first for a in variables(init)]
        return list(dict.fromkeys([*free(Block(piece.ops)), *(v for v in values if not _makes(piece, v))]))

    def _array(self, var: Var) -> bool:
        """An array with the number that a Var is in each turn."""
        if var in self.kept:
            return True
        dtype = dtype_of(var.type)
        if not isinstance(var.type, Scalar) or var.type.kind not in _KINDS or dtype is None:
            return False
        self.kept[var] = Var(Array(dtype, (Dim.fresh(),)), var.hint or "each")
        op = Op(np.empty, (self.count, Lit(dtype.type)), (self.kept[var],), span=self.loop.span)
        self.before.append(op)
        return True

    # ----- loops
    def _start(self, piece: _Piece, names: Renaming, counter: Var, ops: list[Statement]) -> None:
        """Read what is kept, and compute numbers of counters again."""
        names[self.loop.index] = counter

        def known(var: Var) -> None:
            if var in names or _makes(piece, var):
                return
            if var in self.counted:
                for arg in variables(*self.counted[var].args):
                    known(arg)
                ops.append(copy_statement(self.counted[var], names))
            elif var in self.kept:
                names[var] = new = Var(var.type, var.hint)
                ops.append(Op(operator.getitem, (self.kept[var], counter), (new,)))

        for var in self._read(piece):
            known(var)

    def _sums(self, piece: _Piece, names: Renaming) -> list[Var]:
        params = []
        for start, _ in piece.sums.values():
            names[start] = Var(start.type, start.hint)
            params.append(names[start])
        return params  # type: ignore[return-value]

    def _store(self, var: Var, counter: Var, value: Arg) -> Op:
        kept = self.kept[var]
        return Op(builtin.setitem_, (kept, counter, value), (Var(kept.type),), effect=True)

    def _plain(self, piece: _Piece) -> Statement | None:
        """Statements in a row, for all turns."""
        later = [v for op in piece.ops for v in op.outs if v in self.kept]
        effects = any(isinstance(op, For) or op.effect for op in piece.ops if isinstance(op, (Op, For)))
        if not later and not piece.first and not piece.sums and not effects:
            return None
        counter, names, ops = Var(INT, self.loop.index.hint), Renaming(), list[Statement]()
        self._start(piece, names, counter, ops)
        params = self._sums(piece, names)
        ops += [copy_statement(op, names) for op in piece.ops]
        ops += [self._store(v, counter, renamed(v, names)) for v in later]
        ops += [self._store(v, counter, renamed(init, names)) for v, init in piece.first]
        assert self.loop.range is not None
        return self._loop(counter, self.loop.range, params, piece, names, Block(ops), self.loop)

    def _along(self, piece: _Piece) -> Statement:
        """The inner loop, with the outer one in it."""
        inner = piece.inner
        assert inner is not None and inner.range is not None
        counter, row, names, ops = (
            Var(INT, self.loop.index.hint),
            Var(INT, "j"),
            Renaming(),
            list[Statement](),
        )
        self._start(piece, names, counter, ops)
        names[inner.index] = row
        carried: list[tuple[Var, Arg]] = []
        sums: dict[int, int] = {}
        for n, (param, init) in enumerate(zip(inner.params, inner.inits, strict=True)):
            of = next((j for j, (start, _) in piece.sums.items() if start is init), None)
            names[param] = Var(param.type, param.hint)
            if of is not None:
                sums[of] = n
                continue
            ops.append(Op(operator.getitem, (self.kept[inner.outs[n]], counter), (names[param],)))  # type: ignore[arg-type]
            carried.append((inner.outs[n], inner.body.results[n]))
        ops += [copy_statement(op, names) for op in inner.body.ops]
        ops += [self._store(out, counter, renamed(result, names)) for out, result in carried]
        order = [sums[j] for j in piece.sums]
        params = [names[inner.params[n]] for n in order]
        block = Block(ops, tuple(renamed(inner.body.results[n], names) for n in order))
        around = [Var(p.type, p.hint) for p in params]  # type: ignore[union-attr]
        outs = tuple(Var(p.type, p.hint) for p in around)
        bounds, inits = (Lit(0), self.count, Lit(1)), tuple(around)
        within = For(counter, bounds, (), tuple(params), inits, block, outs)  # type: ignore[arg-type]
        within.span, within.adjoint = inner.span, inner.adjoint
        ends = dict(zip((end for _, end in piece.sums.values()), outs, strict=True))
        return self._loop(row, inner.range, around, piece, dict(ends), Block([within]), inner)

    def _loop(
        self,
        counter: Var,
        bounds: Any,
        params: list[Var],
        piece: _Piece,
        names: Renaming,
        block: Block,
        like: For,
    ) -> For:
        """A loop that carries the sums of a piece, which go on from there."""
        block.results = tuple(renamed(end, names) for _, end in piece.sums.values())
        inits = tuple(self.states[j] for j in piece.sums)
        outs = tuple(Var(p.type, p.hint) for p in params)
        for j, out in zip(piece.sums, outs, strict=True):
            self.states[j] = out
        return For(
            counter, bounds, (), tuple(params), inits, block, outs, span=like.span, adjoint=like.adjoint
        )


def _makes(piece: _Piece, var: Var) -> bool:
    return any(var in op.outs for op in piece.ops)
