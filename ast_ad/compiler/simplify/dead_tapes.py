"""Which saved values does nobody read any more? Removes them from the tapes that loops record.

``shrink_tapes(block) -> bool``. In ``simplify``, in turn with dead code until nothing changes: what is no
longer saved may be all that kept the statements that computed it. ``share_saved(block) -> bool`` comes
before, as one tangent may be saved for several values. It ends ``small_arrays``, too, since several of the
arrays whose elements that puts on a tape may hold the same scalar.

The adjoint of a loop saves what it reads; a later simplification, or the adjoint of the adjoint, may read
less.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ...rules.containers import list_append
from ..frontend.builder import type_of_arg
from ..ir.ops import Arg, Block, For, Lit, Op, Seq, Var, While, blocks, operands, variables, walk
from ..ir.types import ListOf
from .renaming import replace_reads


@dataclass
class Tape:
    """A list to which a loop appends one element an iteration: the operation, and the Vars that hold it."""

    append: Op
    holders: tuple[Var, ...]

    def set_type(self) -> None:
        for var in self.holders:
            var.type = ListOf(type_of_arg(self.append.args[1]))


def shrink_tapes(block: Block) -> bool:
    """Remove, in place, unread elements of tapes that one loop records and one reads; whether any were."""
    loops = [op for op in walk(block) if isinstance(op, For)]
    tapes = _Tapes(block) if loops else None
    return tapes is not None and any([tapes.shrink(op) for op in loops])


def share_saved(block: Block) -> bool:
    """Read each value that a tape holds several times, in place, from one place; whether any was."""
    loops = [op for op in walk(block) if isinstance(op, For)]
    tapes = _Tapes(block) if loops else None
    return tapes is not None and any([tapes.share(op) for op in loops])


class _Tapes:
    def __init__(self, block: Block) -> None:
        self.counts: Counter[Var] = Counter()
        self.makers: dict[Var, tuple[For | While, int]] = {}
        self.elements: dict[Var, tuple[Arg, int]] = {}
        self.count(block)
        for op in walk(block):
            if isinstance(op, (For, While)):
                self.makers.update((out, (op, i)) for i, out in enumerate(op.outs))
            if isinstance(op, For):
                for source, items in op.items:
                    self.elements.update((item, (source, i)) for i, item in enumerate(items))

    def count(self, block: Block) -> None:
        """How often each Var is read."""
        for op in block.ops:
            self.counts.update(variables(*operands(op)))
            for inner in blocks(op):
                self.count(inner)
        self.counts.update(variables(*block.results))

    def shrink(self, loop: For) -> bool:
        """Drop what the loop does not read of the tapes that it is zipped with."""
        changed, items = False, []
        for source, elements in loop.items:
            kept = [i for i, v in enumerate(elements) if self.counts[v]]
            chain = self.recorded(source) if 0 < len(kept) < len(elements) else []
            if chain:
                appended = chain[0].append.args[1]
                assert isinstance(appended, Seq)
                left = tuple(appended.items[i] for i in kept)
                chain[0].append.args = chain[0].append.args[0], left[0] if len(left) == 1 else Seq(left)
                for tape in chain:
                    tape.set_type()
                elements, changed = tuple(elements[i] for i in kept), True
                self.elements.update((item, (source, i)) for i, item in enumerate(elements))
            items.append((source, elements))
        loop.items = tuple(items)
        return changed

    def share(self, loop: For) -> bool:
        """Let the loop read constants, and what an earlier element is, not from this element."""
        names: dict[Var, Arg] = {}
        for source, elements in loop.items:
            chain = self.recorded(source) if len(elements) > 1 else []
            row = chain[0].append.args[1] if chain else None
            if not isinstance(row, Seq):
                continue
            first: dict[Var, Var] = {}
            for saved, element in zip(row.items, elements, strict=True):
                if isinstance(saved, Lit):
                    names[element] = saved
                elif isinstance(saved, Var) and saved in first:
                    names[element] = first[saved]
                elif isinstance(saved, Var):
                    first[saved] = element
        names = {var: arg for var, arg in names.items() if self.counts[var]}
        replace_reads(loop.body, names)
        return bool(names)

    def recorded(self, source: Arg) -> list[Tape]:
        """The tape that is read here only, then those on which it is an element; nothing if unsure."""
        if not isinstance(source, Var) or self.counts[source] != 1:
            return []
        if source in self.makers:
            tape = self.tape(source)
            return [] if tape is None else [tape]
        if source not in self.elements:
            return []
        outer, index = self.elements[source]
        chain = self.recorded(outer)
        if not chain:
            return []
        element = chain[0].append.args[1]
        inner = self.recorded(element.items[index] if isinstance(element, Seq) else element)
        if len(inner) != 1:
            return []
        inner[0].holders += (source,)
        return inner + chain

    def tape(self, out: Var) -> Tape | None:
        loop, position = self.makers[out]
        param, init = loop.params[position], loop.inits[position]
        result = loop.body.results[position + loop.stops]
        append = next((op for op in loop.body.ops if isinstance(op, Op) and result in op.outs), None)
        if append is None or append.fn is not list_append or append.args[0] is not param:
            return None
        alone = self.counts[param] == 1 and self.counts[append.out] == 1
        empty = isinstance(init, Seq) and not init.items
        return Tape(append, (param, append.out, out)) if alone and empty else None
