"""How does a loop run in threads? As chunks of its turns, each a call of a kernel of its own.

``parallelise(kernel, around, stand_in) -> list[tuple[Function, bool]]``. After ``tidy`` and before ``hoist``,
where the option ``parallel`` is set: chunks are kernels, for which the passes that follow run, too.

The chunks write to places of their own, and sum into numbers and copies of arrays of their own, which are
added up in order: for a given number of threads the same call gives the same digits. Where later turns have
longer loops in them, as in a triangle, a thread takes two blocks of turns, one from either end.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
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
    binders,
    blocks,
    operands,
    reads,
    variables,
    walk,
)
from ...ir.types import Array, Dim, Scalar, Type, dtype_of
from ...simplify.renaming import copy_function
from .. import runtime as kernels, threads
from ..partition.alias_sets import Groups
from ..partition.rounding import cancels
from .body import INT
from .independence import Sharing, sharing

BOOL = Scalar("bool")
MOST_PARTS = 8  # for one kernel: each takes time to compile
UNKNOWN_TURNS = 8
_MOVES = {operator.getitem, builtin.setitem_}
_CHEAP = {operator.add, operator.sub, operator.mul, operator.getitem, builtin.setitem_, builtin.add_item_}


def parallelise(
    kernel: Function, around: Groups, stand_in: Callable[[Function], Any]
) -> list[tuple[Function, bool]]:
    """Let independent loops of a kernel run in threads, in place; gives the new kernels.

    With each comes whether its arrays may overlap.

    Args:
        kernel: scalar operations and loops.
        around: which arrays of the whole program may share memory.
        stand_in: makes of a kernel what is called in the IR.
    """
    if cancels(kernel):  # its sums are made in order
        return []
    return _Parallel(kernel, Groups(kernel, around), stand_in).run()


class _Parallel:
    def __init__(self, kernel: Function, groups: Groups, stand_in: Callable[[Function], Any]) -> None:
        self.kernel, self.groups, self.stand_in = kernel, groups, stand_in
        self.parts: list[tuple[Function, bool]] = []
        self.inside: dict[Var, set[Var]] = {}
        every = [v for op in walk(kernel.body) for v in (*op.outs, *binders(op))]
        for var in (*kernel.params, *every):
            if isinstance(var.type, Array):
                self.inside.setdefault(groups.of(var), set()).add(var)

    def run(self) -> list[tuple[Function, bool]]:
        self.block(self.kernel.body)
        return self.parts

    def block(self, block: Block) -> None:
        for op in list(block.ops):
            if isinstance(op, For) and _is_worthwhile(op) and len(self.parts) < MOST_PARTS:
                found = sharing(op, self.groups, self.inside)
                if found is not None:
                    self.sink(op, found, block)
                    place = block.ops.index(op)
                    block.ops[place : place + 1] = self.chunked(op, found)
                    continue
            for inner in blocks(op):
                self.block(inner)

    def sink(self, loop: For, found: Sharing, block: Block) -> None:
        """Let turns have arrays of their own, of which nothing outside of the loop reads."""
        for op in [o for o in block.ops if isinstance(o, Op) and o.fn is np.empty]:
            (var,) = op.outs
            others = (o for o in walk(self.kernel.body) if o not in _within(loop))
            used = {v for o in others if o is not loop for v in _own_reads(o)}
            used.update(variables(*self.kernel.body.results))
            if (
                var in found.own
                and var not in used
                and len(self.inside[self.groups.of(var)] - _bound(loop)) == 1
            ):
                block.ops.remove(op)
                loop.body.ops.insert(0, op)

    def chunked(self, loop: For, found: Sharing) -> list[Statement]:
        """The loop in chunks."""
        assert loop.range is not None
        ops: list[Statement] = []
        work = _work(loop, loop.body, ops)
        turns = _op(ops, kernels.turns, *loop.range, hint="turns")
        count = _op(ops, threads.chunks, turns, work, hint="chunks")
        uneven = _is_uneven(loop)
        many = _op(ops, threads.blocks, count, hint="blocks") if uneven else count
        good = _array(ops, many, BOOL, "good")
        sums = [_array(ops, many, p.type, p.hint or "sums") for p in loop.params]
        part, free = self.part(loop, sums)
        called = self.stand_in(part)
        alone: list[Statement] = [Op(called, (Lit(0), Lit(0), turns, *free, *sums), (), effect=True)]
        alone.append(Op(builtin.setitem_, (good, Lit(0), Lit(True)), (Var(good.type),), effect=True))
        several: list[Statement] = []
        copies = {a: _op(several, threads.copies, count, a, type=_rows(a), hint=a.hint) for a in found.added}
        chunk = Var(INT, "chunk")
        inner: list[Statement] = []
        rows = {a: _op(inner, threads.copy_of, c, chunk, type=a.type, hint=a.hint) for a, c in copies.items()}

        def attempted(ops: list[Statement], block: Var) -> None:
            first = _op(ops, threads.cut, block, many, turns, hint="first")
            following = _op(ops, operator.add, block, Lit(1))
            last = _op(ops, threads.cut, following, many, turns, hint="last")
            args = (block, first, last, *(rows.get(v, v) for v in free), *sums)
            well = _op(ops, threads.attempt, Lit(called), Seq(args), type=BOOL)
            ops.append(Op(builtin.setitem_, (good, block, well), (Var(good.type),), effect=True))

        if uneven:
            end, both = Var(INT, "end"), list[Statement]()
            attempted(both, _op(both, threads.block, chunk, end, count, hint="block"))
            inner.append(_loop(loop, end, Lit(2), Block(both)))
        else:
            attempted(inner, chunk)
        several.append(_loop(loop, chunk, count, Block(inner), parallel=True))
        for array, copy in copies.items():
            several.append(Op(threads.add_copies, (array, copy), (), effect=True))
        single = _op(ops, operator.eq, count, Lit(1), type=BOOL)
        ops.append(If(single, Block(alone), Block(several), (), loop.span, loop.adjoint))
        ops.append(_total(loop, many, good, sums))
        return ops

    def part(self, loop: For, sums: list[Var]) -> tuple[Function, list[Var]]:
        """The kernel of a chunk of turns, and what it reads from outside: arguments of it, too."""
        assert loop.range is not None
        chunk, first, last = (Var(INT, name) for name in ("chunk", "first", "last"))
        bound = _bound(loop)
        ranges = set(variables(*loop.range))
        inner = {v for v in _reads(loop.body) if v not in bound}
        free = sorted(inner | ranges, key=lambda v: v.id)
        start, _, step = loop.range
        ops: list[Statement] = []
        bounds = [_moved(ops, start, n, step) for n in (first, last)]
        zeros = tuple(_zero(ops, p.type) for p in loop.params)
        outs = tuple(Var(p.type, p.hint) for p in loop.params)
        ops.append(
            For(
                loop.index,
                (bounds[0], bounds[1], step),
                (),
                loop.params,
                zeros,
                loop.body,
                outs,
                False,
                False,
                loop.span,
                loop.adjoint,
            )  # fmt: skip
        )
        for array, out in zip(sums, outs, strict=True):
            ops.append(Op(builtin.setitem_, (array, chunk, out), (Var(array.type),), effect=True))
        name = f"{self.kernel.name}_part_{len(self.parts) + 1}"
        whole = Function(name, (chunk, first, last, *free, *sums), Block(ops, ()))
        arrays = [self.groups.of(v) for v in free if isinstance(v.type, Array)]
        part = copy_function(whole)
        self.parts.append((part, len(set(arrays)) < len(arrays)))
        return part, free


def _loop(of: For, index: Var, turns: Arg, body: Block, parallel: bool = False) -> For:
    """A loop without results of its own, which stands where another one stood."""
    bounds = Lit(0), turns, Lit(1)
    return For(index, bounds, (), (), (), body, (), span=of.span, adjoint=of.adjoint, parallel=parallel)


def _op(
    ops: list[Statement], fn: Callable[..., Any], *args: Arg, type: Type = INT, hint: str | None = None
) -> Var:
    out = Var(type, hint)
    ops.append(Op(fn, args, (out,)))
    return out


def _moved(ops: list[Statement], start: Arg, turn: Arg, step: Arg) -> Arg:
    """The counter's value in a turn."""
    offset = turn if _is_int(step, 1) else _op(ops, operator.mul, turn, step)
    return offset if _is_int(start, 0) else _op(ops, operator.add, start, offset)


def _is_int(arg: Arg, value: int) -> bool:
    return isinstance(arg, Lit) and type(arg.value) is int and arg.value == value


def _array(ops: list[Statement], length: Var, of: Type, hint: str) -> Var:
    dtype = dtype_of(of)
    assert dtype is not None
    return _op(ops, np.empty, length, Lit(dtype.type), type=Array(dtype, (Dim.fresh(),)), hint=hint)


def _rows(array: Var) -> Array:
    assert isinstance(array.type, Array) and array.type.shape is not None
    return Array(array.type.dtype, (Dim.fresh(), *array.type.shape))


def _zero(ops: list[Statement], type: Type) -> Arg:
    assert isinstance(type, Scalar)
    zero = Lit({"bool": False, "int": 0, "float": 0.0, "complex": 0j}[type.kind])
    same = type.dtype is None or type.dtype in [np.dtype(t) for t in (bool, int, float, complex)]
    return zero if same else _op(ops, type.dtype.type, zero, type=type)  # type: ignore[union-attr]


def _total(loop: For, count: Var, good: Var, sums: list[Var]) -> For:
    """The sums of all chunks, in order; a chunk that failed stops the kernel."""
    chunk = Var(INT, "chunk")
    ops: list[Statement] = []
    well = _op(ops, operator.getitem, good, chunk, type=BOOL)
    ops.append(Op(kernels.require, (well,), (), effect=True))
    params = tuple(Var(p.type, p.hint) for p in loop.params)
    results = []
    for param, array in zip(params, sums, strict=True):
        term = _op(ops, operator.getitem, array, chunk, type=param.type)
        assert isinstance(param.type, Scalar)
        joined = operator.or_ if param.type.kind == "bool" else operator.add
        results.append(_op(ops, joined, param, term, type=param.type, hint=param.hint))
    bounds = Lit(0), count, Lit(1)
    body = Block(ops, tuple(results))
    return For(chunk, bounds, (), params, loop.inits, body, loop.outs, False, False, loop.span, loop.adjoint)


# ----- what a loop reads and binds
def _within(loop: For) -> set[Statement]:
    return set(walk(loop.body))


def _own_reads(op: Statement) -> list[Var]:
    found = list(variables(*operands(op)))
    for block in blocks(op):
        found += variables(*block.results)
    return found


def _bound(loop: For) -> set[Var]:
    return {v for op in walk(loop.body) for v in (*op.outs, *binders(op))} | set(binders(loop))


def _reads(block: Block) -> set[Var]:
    return {v for op in block.ops for v in reads(op)} | set(variables(*block.results))


# ----- how much a loop does
def _is_worthwhile(loop: For) -> bool:
    """Whether the loop computes something, and is not known to have but a few turns."""
    inner = list(walk(loop.body))
    if all(isinstance(op, For) or isinstance(op, Op) and op.fn in _MOVES for op in inner):
        return False
    turns = _known_turns(loop)
    return turns is None or turns >= 64 or any(isinstance(op, (For, While)) for op in inner)


def _known_turns(loop: For) -> int | None:
    if loop.range is None or not all(isinstance(a, Lit) for a in loop.range):
        return None
    return len(range(*(a.value for a in loop.range if isinstance(a, Lit))))


def _is_uneven(loop: For) -> bool:
    """Whether a loop inside has another number of turns in each turn."""
    bound = _bound(loop)
    inner = (op.range for op in walk(loop.body) if isinstance(op, For) and op.range is not None)
    return any(not bound.isdisjoint(variables(*bounds)) for bounds in inner)


def _work(loop: For, block: Block, ops: list[Statement]) -> Arg:
    """An estimate of the operations in a block of a loop's body, computed ahead of the loop."""
    own = 1
    rest: list[Arg] = []
    for op in block.ops:
        if isinstance(op, Op):
            own += 1 if op.fn in _CHEAP else 6
            continue
        turns = _turns(op, loop, ops)
        for inner in blocks(op):
            found = _work(loop, inner, ops)
            if isinstance(turns, Lit) and isinstance(found, Lit):
                rest.append(Lit(turns.value * found.value))
            else:
                rest.append(_op(ops, operator.mul, turns, found))
    total: Arg = Lit(own)
    for found in rest:
        if isinstance(total, Lit) and isinstance(found, Lit):
            total = Lit(total.value + found.value)
        else:
            total = _op(ops, operator.add, total, found)
    return total


def _turns(op: Statement, loop: For, ops: list[Statement]) -> Arg:
    """An estimate of how often the regions of a statement in a loop run: as in the loop's middle turn."""
    if not isinstance(op, For | While):
        return Lit(1)
    if not isinstance(op, For) or op.range is None or isinstance(op.range[2], Var):
        return Lit(UNKNOWN_TURNS)
    if (known := _known_turns(op)) is not None:
        return Lit(known)
    bounds = _all_in_the_middle(op.range, loop, ops)
    return Lit(UNKNOWN_TURNS) if bounds is None else _op(ops, kernels.turns, *bounds)


def _all_in_the_middle(args: Iterable[Arg], loop: For, ops: list[Statement]) -> list[Arg] | None:
    found = [_in_the_middle(arg, loop, ops) for arg in args]
    known = [arg for arg in found if arg is not None]
    return known if len(known) == len(found) else None


def _in_the_middle(arg: Arg, loop: For, ops: list[Statement]) -> Arg | None:
    """A number in the middle turn of a loop, where it is the counter and what the loop does not change."""
    if arg is loop.index:
        assert loop.range is not None
        both = _op(ops, operator.add, *loop.range[:2])
        return _op(ops, operator.floordiv, both, Lit(2))
    if not isinstance(arg, Var) or arg not in _bound(loop):
        return arg
    made = next((o for o in walk(loop.body) if isinstance(o, Op) and arg in o.outs), None)
    if made is None or made.fn not in (operator.add, operator.sub, kernels.position) or made.kwargs:
        return None
    if made.fn is kernels.position:
        return _in_the_middle(made.args[0], loop, ops)
    sides = _all_in_the_middle(made.args, loop, ops)
    return None if sides is None else _op(ops, made.fn, *sides)
