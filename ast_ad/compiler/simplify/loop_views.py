"""Which views are the same in every turn of a loop? They are taken once, before it.

``views_before_loops(function) -> Function``. Behind the front end and ``join_paths``, before ``adjoint``.

As nothing mutates in the IR, the front end takes a view anew wherever it is read: ``t = a.T`` before a loop
that reads ``t[i]`` is a view of ``a`` in each turn. In the derivative each turn would then make a cotangent
of all of the view, for one row of it, and add that to the one of ``a``: for n rows it would take n times as
long as the function. Before the loop, the view has one cotangent that all turns add to.

What may raise, or has no value on some paths, stays where it is. So does an index of ints and whole axes: an
index of what it names is one of the array (``view_indices.compose``), and needs no cotangent of a row.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...rules import helpers
from ...rules.registry import lookup
from ..analysis.undefined import undefined_values
from ..ir.alternatives import is_mixed
from ..ir.ops import (
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
    binders,
    blocks,
    variables,
)
from ..ir.types import Array, rank_of
from .patterns import arg_key
from .renaming import Renaming, bound_within, renamed, replace_operands, replace_reads
from .view_indices import is_basic_index, is_int, is_whole, parts_of
from .writes_through import read_through

TURNED = {np.transpose, np.swapaxes, np.moveaxis, np.ravel, np.expand_dims, helpers.mT}


def views_before_loops(function: Function) -> Function:
    """Take views before the loops in which they are the same, in place; return the function."""
    read_through(function)
    if any(map(blocks, function.body.ops)):
        passed = _Pass(undefined_values(function.body))
        passed.block(function.body, {})
        replace_reads(function.body, passed.names)
    return function


Known = dict[Any, tuple[tuple[Var, ...], int]]


class _Pass:
    def __init__(self, undefined: Any) -> None:
        self.undefined = undefined
        self.names: Renaming = {}
        self.rows: Renaming = {}  # for readers that are parts
        self.loops = 0  # around the statement

    def block(self, block: Block, known: Known) -> None:
        """``known``: the views that were taken before, here and around, and in how many loops."""
        known = dict(known)
        kept: list[Statement] = []
        for op in block.ops:
            replace_operands(op, self.names)
            if isinstance(op, (For, While)):
                for view in self.out_of(op, known):
                    replace_operands(view, self.names)
                    outs, _ = known.setdefault(key_of(view), (view.outs, self.loops))
                    if outs is view.outs:
                        kept.append(view)
                    self.names.update((a, b) for a, b in zip(view.outs, outs, strict=True) if a is not b)
            inside = isinstance(op, (For, While))
            self.loops += inside
            for inner in blocks(op):
                self.block(inner, known)
            self.loops -= inside
            if not (isinstance(op, Op) and is_view(op) and self.had(op, known)):
                kept.append(op)
        block.ops = kept

    def had(self, op: Op, known: Known) -> bool:
        """Whether a part was taken before the innermost loop; it stands for this one from now on."""
        replace_operands(op, self.names)
        if is_part(op):
            replace_operands(op, self.rows)
        outs, loops = known.setdefault(key_of(op), (op.outs, self.loops))
        if outs is op.outs or loops == self.loops:
            return False
        (self.names if is_part(op) else self.rows).update(zip(op.outs, outs, strict=True))
        return is_part(op)

    def out_of(self, loop: For | While, known: Known) -> list[Op]:
        """Take out of a loop the views that are the same in each turn."""
        bound = {*binders(loop)}
        for block in blocks(loop):
            bound.update(bound_within(block))
        found: list[Op] = []
        for block in blocks(loop):
            self.move(block, bound, found, known)
        return found

    def move(self, block: Block, bound: set[Var], found: list[Op], known: Known) -> None:
        kept: list[Statement] = []
        for op in block.ops:
            for inner in blocks(op):
                self.move(inner, bound, found, known)
            if isinstance(op, Op) and is_view(op):
                if not is_part(op):
                    self.loops += 1
                    self.had(op, dict(known))
                    self.loops -= 1
                elif self.is_the_same(op, bound):
                    replace_operands(op, self.rows)
                    bound.difference_update(op.outs)
                    found.append(op)
                    continue
            kept.append(op)
        block.ops = kept

    def is_the_same(self, op: Op, bound: set[Var]) -> bool:
        read = [renamed(v, self.rows) for v in variables(*op.args, *op.kwargs.values())]
        return never_raises(op) and not any(v in bound or v in self.undefined for v in read)


def key_of(op: Op) -> Any:
    """What a view is: two of one key are the same."""
    return op.fn, arg_key(Seq(op.args)), tuple(sorted((k, arg_key(v)) for k, v in op.kwargs.items()))


def is_view(op: Op) -> bool:
    """Whether it gives views of an array, or a row of it, of known shape."""
    types = [a.type for a in (op.args[0], *op.outs) if isinstance(a, Var)] if op.args and op.outs else []
    if op.effect or not types or not all(isinstance(t, Array) and t.shape is not None for t in types):
        return False
    primitive = None if any(map(is_mixed, types)) else lookup(op.fn)
    if (
        primitive is None
        or not primitive.view
        or op.fn is operator.getitem
        and not is_basic_index(op.args[1])
    ):
        return False
    try:
        hash(key_of(op))
    except TypeError:  # a literal without a hash
        return False
    return True


def is_part(op: Op) -> bool:
    """Whether it is a view that its readers can't do without: no row and no whole array."""
    return is_view(op) and not (
        op.fn is operator.getitem and all(is_int(p) or is_whole(p) for p in parts_of(op.args[1]))
    )


def never_raises(op: Op) -> bool:
    """Whether a view can be had of every array of the type."""
    if op.fn is not operator.getitem:
        return op.fn in TURNED and not any(isinstance(v, Var) for v in (*op.args[1:], *op.kwargs.values()))
    parts = [p for p in parts_of(op.args[1]) if not (isinstance(p, Lit) and p.value in (None, Ellipsis))]
    rank = rank_of(op.args[0].type)  # type: ignore[union-attr]
    if rank is None or len(parts) > rank or not all(isinstance(p, Slice) for p in parts):
        return False
    bounds = [p for part in parts if isinstance(part, Slice) for p in (part.start, part.stop)]
    steps = [part.step for part in parts if isinstance(part, Slice)]
    return all(is_int(p) or isinstance(p, Lit) and p.value is None for p in bounds) and all(
        isinstance(p, Lit) and p.value != 0 for p in steps
    )
