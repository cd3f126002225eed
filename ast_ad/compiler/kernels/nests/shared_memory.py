"""Which arrays of a kernel take the place of one that nobody reads any more?

``share_memory(kernel, turned) -> None``. In ``improve``, when all loops have their order. Of two arrays that
a kernel makes, of one shape and dtype, the later one gets the memory of the earlier one where that is read
for the last time before, or, element by element, in the very turn of the loops in which the later one is
first written. What is not touched anew needs no fresh pages, and stays in the cache.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Collection
from itertools import takewhile
from typing import Any

import numpy as np

from ...ir import builtin
from ...ir.ops import Arg, Block, For, Function, Op, Seq, Statement, Var, binders, blocks, operands, variables
from ...ir.types import Array
from ...simplify.patterns import arg_key
from ...simplify.renaming import replace_operands

_ELEMENTS = {operator.getitem, builtin.setitem_, builtin.add_item_}
_SHAPES = {np.shape, np.ndim, len}


def share_memory(kernel: Function, turned: Collection[Var] = ()) -> None:
    """Let arrays share memory, in place; those that are to be ``turned`` among themselves."""
    uses = _Uses(kernel, turned)
    free: dict[Any, list[Var]] = defaultdict(list)
    for array in sorted(uses.alone, key=lambda v: uses.first[v]):
        fit = [old for old in free[uses.kinds[array]] if uses.follows(kernel.body, old, array)]
        place = max(fit, key=lambda v: uses.last[v], default=array)
        if place is not array:
            free[uses.kinds[array]].remove(place)
            uses.join(place, array)
            _rename(kernel.body, array, place)
        if place not in uses.results:
            free[uses.kinds[place]].append(place)


class _Uses:
    """Where the arrays are used that a kernel makes before its loops; ``alone``: those with one name only."""

    def __init__(self, kernel: Function, turned: Collection[Var] = ()) -> None:
        made = {op.outs[0]: op for op in kernel.body.ops if isinstance(op, Op) and op.fn is np.empty}
        self.kinds = {v: (arg_key(op.args[0]), arg_key(op.args[1]), v in turned) for v, op in made.items()}
        self.first: dict[Var, int] = {}
        self.last: dict[Var, int] = {}
        self._shown: dict[Var, Var] = {}  # by a view
        self._several: set[Var] = set()  # to which loops or branches give other names
        self._touched: dict[int, dict[Var, tuple[Arg, ...]]] = {}  # by a statement's id: see ``_find``
        for position, op in enumerate(kernel.body.ops):
            for array in self._find(op):
                self.first.setdefault(array, position)
                self.last[array] = position
        self.results = {self._shown.get(v, v) for v in variables(*kernel.body.results)}
        self.alone = [v for v in made if v in self.first and v not in self._several]
        self._made_at = {v: kernel.body.ops.index(op) for v, op in made.items()}

    def _find(self, op: Statement) -> dict[Var, tuple[Arg, ...]]:
        """Note the arrays whose elements a statement uses, with all that is in it.

        With each comes what all indices begin with; nothing for an array that is used as a whole.
        """
        used: dict[Var, tuple[Arg, ...]] = {}
        if not (isinstance(op, Op) and (op.fn in _SHAPES or op.fn is np.empty)):
            used = {self._shown.get(v, v): () for v in variables(*operands(op)) if _is_array(v)}
        bound = [v for v in (*binders(op), *op.outs) if _is_array(v)]
        if isinstance(op, Op) and len(used) == 1:
            (array,) = used
            self._shown.update(dict.fromkeys(bound, array))
            if op.fn in _ELEMENTS and op.args[0] is array and not any(map(_has_arrays, op.args[1:])):
                used[array] = tuple(op.args[1].items) if isinstance(op.args[1], Seq) else (op.args[1],)
        elif bound:
            self._several.update(used)
        for inner in blocks(op):
            for statement in inner.ops:
                _unite(used, self._find(statement))
            if not isinstance(op, Op):
                self._several |= {self._shown.get(v, v) for v in variables(*inner.results) if _is_array(v)}
        self._touched[id(op)] = used
        return used

    def join(self, old: Var, new: Var) -> None:
        """Let what is said of a new array hold for the old one, which takes its name if it is a result's."""
        self.last[old] = self.last[new]
        self._shown.update({view: old for view, of in self._shown.items() if of is new})
        old.hint = new.hint if new in self.results else "buffer"
        if new in self.results:
            self.results = self.results - {new} | {old}
        for known in self._touched.values():
            if new in known:
                _unite(known, {old: known.pop(new)})

    def follows(self, block: Block, old: Var, new: Var, counters: tuple[Var, ...] = ()) -> bool:
        """Whether, for each element on its own, all uses of an old array are before all of a new one.

        Args:
            block: runs once for each value of the counters, and holds all uses of the elements whose indices
                begin with them.
        """
        if not counters and self._made_at[old] > self._made_at[new]:
            return False  # its shape may have been asked for
        before = max((k for k, op in enumerate(block.ops) if old in self._touched[id(op)]), default=-1)
        after = min(
            (k for k, op in enumerate(block.ops) if new in self._touched[id(op)]), default=len(block.ops)
        )
        if before < after:
            return True
        loop = block.ops[before]
        if before > after or not isinstance(loop, For) or loop.range is None:
            return False
        counters = (*counters, loop.index)
        starts = [self._touched[id(loop)][v][: len(counters)] for v in (old, new)]
        return starts == [counters, counters] and self.follows(loop.body, old, new, counters)


def _unite(used: dict[Var, tuple[Arg, ...]], more: dict[Var, tuple[Arg, ...]]) -> None:
    """Add uses to uses, of which only what all indices begin with is kept."""
    for array, index in more.items():
        known = used.get(array, index)
        same = takewhile(lambda pair: pair[0] is pair[1], zip(known, index, strict=False))
        used[array] = tuple(one for one, _ in same)


def _has_arrays(arg: Arg) -> bool:
    return any(map(_is_array, variables(arg)))


def _is_array(var: Var) -> bool:
    return isinstance(var.type, Array)


def _rename(block: Block, new: Var, old: Var) -> None:
    """Give a new array the memory of an old one."""
    block.ops = [op for op in block.ops if not (isinstance(op, Op) and new in op.outs and op.fn is np.empty)]
    for op in block.ops:
        replace_operands(op, {new: old})
        for inner in blocks(op):
            _rename(inner, new, old)
    block.results = tuple(old if r is new else r for r in block.results)
