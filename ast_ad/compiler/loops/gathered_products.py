"""Which sums of outer products that the turns of an adjoint add up are one product of matrices?

``gather_products(function, report) -> Function``. For kernels only, after ``typed_tapes``, which makes rows
of what is saved; before ``write_in_place``, since it writes rows by pure ``setitem``.

The cotangent of a matrix by which a loop multiplies vectors is a sum of outer products. Added up turn by
turn, all of the matrix goes through the processor in each of them. The vectors are kept instead, as rows, and
BLAS goes over the matrix once::

    for i in reversed(range(n)):                for i in reversed(range(n)):
        h_bar = ...                                 h_bar = ...
        w_bar += np.outer(h_bar, h[i])              rows[i] = h_bar
                                                w_bar = rows.T @ h

Of a matrix whose two lengths are known, and so are small, the sum stays where it is: in registers, at best.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ...rules import helpers
from ..arrays.lengths import Ops, is_number, size_of
from ..ir.ops import (
    Arg,
    Block,
    For,
    Function,
    Lit,
    Op,
    Seq,
    Slice,
    Statement,
    Var,
    While,
    blocks,
    walk,
)
from ..ir.types import Array, Dim, Type
from ..report import UNHEARD, Report
from ..simplify.dead_code import eliminate_dead_code
from ..simplify.renaming import copy_function, reads_of, replace_reads

T = TypeVar("T")
FEW = 8  # turns of a loop in another one; measured for 20 rows
_PRODUCTS = {operator.matmul, np.matmul, np.dot}


def gather_products(function: Function, report: Report = UNHEARD) -> Function:
    """The same function with one product for the outer products that an adjoint adds up.

    Args:
        function: pure IR; it is left as it is.

    >>> gather_products(Function("nothing", (), Block([], (Lit(1),)))).body.results
    (1,)
    """
    if not any(isinstance(op, For) and op.adjoint for op in walk(function.body)):
        return function
    function = copy_function(function)
    if _Gathering(function, report).block(function.body):
        eliminate_dead_code(function)
    return function


@dataclass
class _Sum:
    """A matrix that a loop carries: each turn adds ``products`` to it, and ``others``."""

    loop: For
    position: int
    products: list[Op]
    others: list[Arg]

    @property
    def init(self) -> Arg:
        return self.loop.inits[self.position]


class _Gathering:
    def __init__(self, function: Function, report: Report) -> None:
        self.report = report
        self.kept: dict[tuple[For, Arg, int], Var] = {}
        self.uses = reads_of(function.body)
        self.makers = {out: op for op in walk(function.body) for out in op.outs}

    def block(self, block: Block, within: bool = False) -> bool:
        """Gather what the loops of a block, ``within`` another one or not, add up; whether there was any."""
        changed = False
        for op in list(block.ops):
            for inner in blocks(op):
                changed |= self.block(inner, within or isinstance(op, (For, While)))
            if within and _is_short(op):
                continue
            for found in reversed(list(self.sums(op))):
                self.gather(block, found)
                changed = True
        return changed

    # ----- finding -----
    def sums(self, loop: Statement) -> Iterator[_Sum]:
        """The matrices to which the adjoint of a loop adds outer products, a known number of times."""
        if not isinstance(loop, For) or not loop.adjoint or loop.stops or loop.items or loop.range is None:
            return
        if not isinstance(loop.range[2], Lit) or is_number(loop.range[2], 0):
            return
        for position, (param, result) in enumerate(zip(loop.params, loop.body.results, strict=True)):
            if not isinstance(param.type, Array) or param.type.ndim != 2 or self.uses.get(param) != 1:
                continue
            terms = self.terms(result, param.type, loop)
            added = {t for t in terms if isinstance(t, Var) and self.is_gathered(t, loop)}
            if added and terms.count(param) == 1:
                products = [op for op in loop.body.ops if isinstance(op, Op) and added.intersection(op.outs)]
                others = [t for t in terms if t is not param and t not in added]
                yield _Sum(loop, position, products, others)

    def terms(self, total: Arg, type: Array, loop: For) -> list[Arg]:
        """What is added up in a turn, each of the type of the whole sum."""
        op = self.makers.get(total) if isinstance(total, Var) else None
        if not isinstance(op, Op) or op.fn is not operator.add or op not in loop.body.ops:
            return [total]
        if self.uses[op.out] != 1 or not all(isinstance(a, Var) and a.type == type for a in op.args):
            return [total]
        return [term for arg in op.args for term in self.terms(arg, type, loop)]

    def is_gathered(self, term: Var, loop: For) -> bool:
        """Whether a term is an outer product of vectors that each turn makes, and a large one."""
        op, type = self.makers.get(term), term.type
        if not isinstance(op, Op) or op.fn not in {np.outer, *_PRODUCTS} or op.kwargs:
            return False
        if op not in loop.body.ops or self.uses[term] != 1:
            return False
        if not isinstance(type, Array) or all(isinstance(n, int) for n in type.shape or ()):
            return False
        own = {*loop.params, *(out for other in loop.body.ops for out in other.outs)}
        if not all(isinstance(a, Var) and a in own and _is_array_of(a.type, type.dtype) for a in op.args):
            return False
        left, right = (a.type.shape or () for a in op.args)  # type: ignore[union-attr]
        if op.fn is np.outer:
            return len(left) == len(right) == 1
        return len(left) == len(right) == 2 and left[1] == right[0] == 1

    # ----- writing -----
    def gather(self, block: Block, found: _Sum) -> None:
        """Keep the vectors of all turns as rows, and add the products of these after the loop."""
        loop, last = found.loop, found.loop.outs[found.position]
        before, after = (Ops(span=found.products[0].span, adjoint=True) for _ in range(2))
        pairs = [[self.rows(found, op, side, before) for side in (0, 1)] for op in found.products]
        self.note(found)
        total = self.left(found)
        for left, right in pairs:
            turned = after.op(helpers.mT, (left,), _turned(left.type), left.hint)
            product = after.op(operator.matmul, (turned, right), last.type, last.hint)
            total = (
                product
                if self.is_zero(total)
                else after.op(operator.add, (total, product), last.type, last.hint)
            )
        place = block.ops.index(loop)
        rest = Block(block.ops[place + 1 :], block.results)
        replace_reads(rest, {last: total})
        block.ops[place:] = [*before.ops, loop, *after.ops, *rest.ops]
        block.results = rest.results

    def rows(self, found: _Sum, product: Op, side: int, before: Ops) -> Var:
        """The vectors on one side of a product in all turns, as rows of a matrix."""
        loop, init, vector = found.loop, found.init, product.args[side]
        kept = self.kept.get((loop, vector, 0 if product.fn is np.outer else side)) or self.tape(vector, loop)
        if kept is not None:
            return kept
        assert loop.range is not None and isinstance(init, Var)
        assert isinstance(init.type, Array) and init.type.shape is not None
        count, length = self.turns(loop, before), before.length(init, side)
        type = Array(init.type.dtype, (_size(count), init.type.shape[side]))
        made = before.op(np.empty, (Seq((count, length)), Lit(type.dtype)), type, "rows")
        inside = Ops(span=product.span, adjoint=True)
        param, last = Var(type, "rows"), Var(type, "rows")
        row, value = inside.place(loop.index, loop.range), _vector(product, side, inside)
        now = inside.op(helpers.setitem, (param, row, value), type, "rows")
        place = loop.body.ops.index(product)
        loop.body.ops[place:place] = inside.ops
        loop.params, loop.inits = (*loop.params, param), (*loop.inits, made)
        loop.body.results, loop.outs = (*loop.body.results, now), (*loop.outs, last)
        self.kept[loop, vector, 0 if product.fn is np.outer else side] = last
        return last

    def tape(self, vector: Arg, loop: For) -> Var | None:
        """The matrix with a row for each turn of which a vector is the turn's row, if there is one."""
        op = self.makers.get(vector) if isinstance(vector, Var) else None
        if not isinstance(op, Op) or op.fn is not operator.getitem or op not in loop.body.ops:
            return None
        tape, index = op.args
        made = self.makers.get(tape) if isinstance(tape, Var) else None
        if index is not loop.index or not isinstance(tape, Var) or made is None or made in loop.body.ops:
            return None
        assert loop.range is not None
        start, stop, step = loop.range
        count = self.count_of_rows(tape)
        whole = count is not None and self.least(count) == self.least(stop)
        return tape if whole and is_number(start, 0) and is_number(step, 1) else None

    def least(self, count: Arg) -> Any:
        """A number of turns: of the maximum of one and 0, that one."""
        op = self.makers.get(count) if isinstance(count, Var) else None
        if isinstance(op, Op) and op.fn is max and len(op.args) == 2 and is_number(op.args[1], 0):
            count = op.args[0]
        return count.value if isinstance(count, Lit) else count

    def count_of_rows(self, tape: Arg) -> Arg | None:
        """With how many rows a matrix was made that loops have written since; None if that can't be seen."""
        op = self.makers.get(tape) if isinstance(tape, Var) else None
        if isinstance(op, For):
            position = [out is tape for out in op.outs].index(True)
            result = op.body.results[position + op.stops]
            while isinstance(result, Var) and isinstance(made := self.makers.get(result), Op):
                if made.fn is not helpers.setitem:
                    break
                result = made.args[0]
            return self.count_of_rows(op.inits[position]) if result is op.params[position] else None
        if isinstance(op, Op) and op.fn is np.empty and isinstance(op.args[0], Seq):
            return op.args[0].items[0]
        return None

    def turns(self, loop: For, before: Ops) -> Arg:
        """How often a loop runs."""
        assert loop.range is not None
        start, stop, step = loop.range
        op = self.makers.get(stop) if isinstance(stop, Var) else None
        known = isinstance(op, Op) and op.fn is max and any(is_number(a, 0) for a in op.args)
        return stop if known and is_number(start, 0) and is_number(step, 1) else before.trips(loop.range)

    def left(self, found: _Sum) -> Arg:
        """What the matrix is after the loop without the products."""
        loop, k = found.loop, found.position
        param, last, init = loop.params[k], loop.outs[k], found.init
        if not found.others:
            loop.params, loop.outs = _without(loop.params, k), _without(loop.outs, k)
            loop.inits, loop.body.results = _without(loop.inits, k), _without(loop.body.results, k)
            return init
        ops = Ops(span=loop.span, adjoint=True)
        total: Arg = param
        for term in found.others:
            total = ops.op(operator.add, (total, term), param.type, param.hint)
        loop.body.ops += ops.ops
        loop.body.results = (*loop.body.results[:k], total, *loop.body.results[k + 1 :])
        out = Var(last.type, last.hint)
        loop.outs = (*loop.outs[:k], out, *loop.outs[k + 1 :])
        return out

    def is_zero(self, total: Arg) -> bool:
        op = self.makers.get(total) if isinstance(total, Var) else None
        return isinstance(op, Op) and op.fn in (np.zeros_like, np.zeros)

    def note(self, found: _Sum) -> None:
        hint = found.loop.outs[found.position].hint
        name = f"`{hint}`" if hint else "a matrix"
        text = f"the products that {name} is a sum of are taken at once, of vectors that are kept"
        self.report.note("gathered products", found.loop, text)


def _is_short(op: Statement) -> bool:
    """Whether it is a loop of so few turns that a call of BLAS takes longer than it saves."""
    if not isinstance(op, For) or op.range is None or not is_number(op.range[0], 0):
        return False
    stop = op.range[1]
    return isinstance(stop, Lit) and stop.value < FEW


def _is_array_of(type: Type, dtype: np.dtype) -> bool:
    return isinstance(type, Array) and type.dtype == dtype


def _vector(product: Op, side: int, ops: Ops) -> Arg:
    """One of the two vectors of an outer product, which may be written as one of a column and a row."""
    arg = product.args[side]
    if product.fn is np.outer or not isinstance(arg, Var) or not isinstance(arg.type, Array):
        return arg
    whole = Slice(Lit(None), Lit(None), Lit(None))
    index = (whole, Lit(0)) if side == 0 else (Lit(0), whole)
    lengths = (arg.type.shape or ())[side : side + 1]
    return ops.op(operator.getitem, (arg, Seq(index)), Array(arg.type.dtype, lengths), arg.hint)


def _turned(type: Any) -> Array:
    return Array(type.dtype, type.shape[::-1])


def _size(count: Arg) -> Dim | int:
    size = size_of(count)
    return Dim.fresh() if size is None else size


def _without(values: tuple[T, ...], position: int) -> tuple[T, ...]:
    return (*values[:position], *values[position + 1 :])
