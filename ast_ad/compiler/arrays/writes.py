"""What does a pure operation become when it writes in place, and how is a copy put before it?

``candidate(op)`` tells the first; ``copy_view(block, op, is_write) -> None`` is called between the rounds of
``write_in_place``, and ``Rewriter`` changes the statements when all its decisions are made.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Container, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...rules import containers, dicts, helpers
from ...rules.nested_lists import add_within, set_within, with_item, with_sum
from ..analysis import aliasing
from ..analysis.aliasing import read_for_its_shape
from ..ir import builtin
from ..ir.alternatives import is_mixed
from ..ir.ops import (
    Arg,
    Block,
    For,
    Lit,
    Op,
    Seq,
    Statement,
    Var,
    While,
    all_operands,
    blocks,
    map_arg,
    variables,
    walk,
)
from ..ir.types import Array, DictOf, ListOf, Scalar
from ..simplify.patterns import is_full
from ..simplify.renaming import replace_reads
from .out_arguments import UFUNCS, is_filling

_ACCUMULATE: dict[Any, Callable[..., Any]] = {
    operator.add: builtin.iadd_,
    np.add: builtin.iadd_,
    operator.sub: builtin.isub_,
    np.subtract: builtin.isub_,
}
PRODUCTS = {operator.mul, np.multiply}
_SCALE: dict[Any, Callable[..., Any]] = {
    **dict.fromkeys(PRODUCTS, builtin.imul_),
    operator.truediv: builtin.itruediv_,
    np.divide: builtin.itruediv_,
}
IN_PLACE: dict[Any, Callable[..., Any]] = {
    np.add: builtin.iadd_,
    np.subtract: builtin.isub_,
    np.multiply: builtin.imul_,
    np.divide: builtin.itruediv_,
}
_LISTS: dict[Any, Callable[..., Any]] = {
    containers.list_append: builtin.append_,
    containers.list_pop: builtin.pop_,
    containers.list_remove: builtin.pop_key_,
    containers.list_set: builtin.setitem_,
    with_item: builtin.within_,
    with_sum: builtin.within_,
    containers.list_concat: builtin.extend_,
}
_DICTS: dict[Any, Callable[..., Any]] = {
    dicts.dict_set: builtin.setitem_,
    dicts.dict_pop: builtin.pop_key_,
    dicts.dict_take: builtin.pop_key_,
}


def candidate(op: Op) -> Callable[..., Any] | None:
    """The write in place that the op may become."""
    if op.kwargs or op.effect or not op.args or not isinstance(op.args[0], Var) or not op.outs:
        return None
    target, out = op.args[0], op.outs[0]
    if isinstance(target.type, ListOf):
        if op.fn is containers.list_add_at:
            plain = isinstance(target.type.element, (Array, Scalar))
            return builtin.set_sum_ if plain else builtin.sum_item_
        if op.fn is containers.list_put and isinstance(op.args[1], Lit) and op.args[1].value >= 0:
            return builtin.insert_
        return _LISTS.get(op.fn)
    if isinstance(target.type, DictOf):
        if op.fn is dicts.dict_add_at:
            plain = isinstance(target.type.element, Scalar)
            return builtin.add_entry_ if plain else builtin.sum_entry_
        return _DICTS.get(op.fn)
    if not (isinstance(target.type, Array) and target.type.shape):
        return None
    if op.fn is helpers.setitem:
        return builtin.setitem_
    if op.fn is builtin.through:
        return builtin.through_
    if op.fn is builtin.fill_:
        return builtin.fill_
    if op.fn is helpers.add_at:
        return builtin.add_item_ if _never_repeats(op.args[1]) else builtin.add_at_
    if op.fn in _ACCUMULATE and out.type == target.type and not is_mixed(out.type) and len(op.args) == 2:
        if op.adjoint or (out.hint is not None and out.hint == target.hint):
            return _ACCUMULATE[op.fn]
    return None


@dataclass(frozen=True)
class Reuse:
    """The operations of a block that write their result to an operand, with what they become, by ``id``.

    The operand was allocated by this block, is like the result, and nothing reads it afterwards. Of a product
    the factors may change places.

    ``nested``: the values that are written inside of other expressions; they stay there. None: it is not
    known, and only products and quotients of a reverse sweep are looked at, those of an operand that was read
    before; but the operand may be what a loop ends with.
    """

    nested: Collection[Var] | None = None
    swapped: set[int] = field(default_factory=set)  # products whose factors have changed places

    def found(self, block: Block) -> dict[int, Callable[..., Any]]:
        found: dict[int, Callable[..., Any]] = {}
        reads = _places(block)
        made = {op.outs[0]: op for op in block.ops if isinstance(op, Op) and len(op.outs) == 1}
        carried = self.carried(block)
        crossed = self.crossed(block, reads)
        for position, op in enumerate(block.ops):
            for inner in blocks(op):
                found.update(self.found(inner))
            if not isinstance(op, Op) or not self.is_reusing(op, reads):
                continue
            for i, operand in enumerate(op.args if op.fn in PRODUCTS else op.args[:1]):
                if not isinstance(operand, Var) or not self.is_spent(operand, op, reads, position):
                    continue
                maker = made.get(operand)
                if operand not in carried and (maker is None or not self.is_reusable(maker, op, reads)):
                    continue
                known = op.adjoint and op.fn in _SCALE and len(reads[operand]) > 1
                if not known and crossed[position] > position:
                    continue
                if i:
                    op.args = (operand, op.args[0])
                    self.swapped.add(id(op))
                found[id(op)] = self.mutator(op)
                if (
                    maker is not None
                    and op.out.hint is not None
                    and not self.is_first_step(maker, len(reads[maker.out]))
                ):
                    maker.out.hint = maker.out.hint or ""  # a name of its own, whichever
                break
        return found

    def is_reusing(self, op: Op, reads: dict[Var, list[int]]) -> bool:
        """Whether it is an operation that can write to an operand, in a statement of its own."""
        if op.kwargs or op.effect or len(op.outs) != 1 or candidate(op) is not None:
            return False
        if self.nested is None:
            return op.adjoint and op.fn in _SCALE
        ufunc = UFUNCS.get(op.fn) if isinstance(op.fn, Hashable) else None
        return op.out not in self.nested and is_filling(ufunc or op.fn, len(op.args))

    def crossed(self, block: Block, reads: dict[Var, list[int]]) -> list[int]:
        """For each statement, how far expressions made before it are nested in later ones.

        Where that is behind the statement, they would have to stand before its write.
        """
        farthest, found = -1, []
        for op in block.ops:
            found.append(farthest)
            nested = () if self.nested is None else (out for out in op.outs if out in self.nested)
            places = (place for var in nested for place in reads.get(var, ()) if place < len(block.ops))
            farthest = max((farthest, *places))
        return found

    def carried(self, block: Block) -> set[Var]:
        """The results of loops, which kernels reuse: whether they are ours, the analysis finds out."""
        loops = [op for op in block.ops if isinstance(op, (For, While))] if self.nested is None else []
        return {out for loop in loops for out in loop.outs}

    def is_reusable(self, maker: Op, op: Op, reads: dict[Var, list[int]]) -> bool:
        """Whether the result of ``maker`` is ours, and no name that the user gave; a cotangent's name goes
        on to another cotangent only."""
        if aliasing.behaviour(maker) != "fresh":
            return False
        if self.nested is None and op.out.hint is None and len(reads.get(op.out, ())) < 2:
            return False  # a part of an expression
        if maker.out.hint is None or self.nested is None and maker.adjoint:
            return True
        return maker.adjoint and op.adjoint and op.out.hint is not None

    def is_spent(self, operand: Arg, op: Op, reads: dict[Var, list[int]], position: int) -> bool:
        """Whether the array, which has a name, is read here for the last time, and is like the result."""
        if not isinstance(operand, Var) or not isinstance(operand.type, Array) or not operand.type.shape:
            return False
        places = reads[operand]
        named = len(places) > 1 or (self.nested is not None and operand not in self.nested)
        last = named and places[-1] == position and places.count(position) == 1
        return last and operand.type.kind == "float" and is_full(operand, op)

    def is_first_step(self, maker: Op, reads: int) -> bool:
        """Whether the name of what it becomes may stand for the operand too.

        A value of the primal is not called a cotangent, nor is what is read for other purposes.
        """
        return maker.adjoint and (reads == 1 or self.nested is None)

    def mutator(self, op: Op) -> Callable[..., Any]:
        if op.fn in _SCALE and (op.adjoint or op.out.hint is None):
            return _SCALE[op.fn]
        return builtin.into_


def _places(block: Block) -> dict[Var, list[int]]:
    """The positions of the statements that read each Var; the end of the block is one too."""
    reads: dict[Var, list[int]] = {}
    for position, op in enumerate(block.ops):
        for var in variables(*all_operands(op)):
            reads.setdefault(var, []).append(position)
    for var in variables(*block.results):
        reads.setdefault(var, []).append(len(block.ops))
    return reads


def _never_repeats(index: Arg) -> bool:
    """Whether the index selects no element twice: a regular part, or a mask."""
    mask = isinstance(index, Var) and isinstance(index.type, Array) and index.type.kind == "bool"
    return mask or aliasing.is_basic_index(index)


def is_copyable(var: Var) -> bool:
    """Whether ``var.copy()`` certainly works and gives an object of its own."""
    return isinstance(var.type, (ListOf, DictOf)) or (isinstance(var.type, Array) and bool(var.type.shape))


def holds_arrays(var: Var) -> bool:
    """Whether the value is a container, any two elements of which may be the same array."""
    return not isinstance(var.type, Array) and not (
        isinstance(var.type, (ListOf, DictOf)) and isinstance(var.type.element, Scalar)
    )


def stored_arguments(op: Op) -> Iterable[Arg]:
    """The arguments that an op puts into a container."""
    made = op.fn in (builtin.make_list, builtin.make_tuple)
    for arg in op.args if made else op.args[1:]:
        yield from arg.items if isinstance(arg, Seq) else (arg,)


def copy_of(
    var: Var, ops: list[Statement], like: Op | None = None, hint: str | None = None, deep: bool = False
) -> Var:
    """Append a copy of the value to ``ops``; ``deep``: with all that it holds, and None of None."""
    out = Var(var.type, hint)
    origin = {"span": like.span, "adjoint": like.adjoint} if like is not None else {}
    plain = is_copyable(var) and not deep
    ops.append(Op(builtin.copy if plain else builtin.own, (var,), (out,), **origin))  # type: ignore[arg-type]
    return out


def copy_view(block: Block, op: Op, is_write: Callable[[Op], bool]) -> None:
    """Let what reads the op's result behind the next write read a copy of it.

    What reads it before does so as the user's program does, to the last bit: a sum over a view and over its
    copy may differ in rounding.
    """
    position = block.ops.index(op) + 1
    end = position
    while end < len(block.ops) and not _writes(block.ops[end], is_write):
        end += 1
    out = op.outs[0]
    if not any(out in set(variables(*all_operands(o))) for o in block.ops[position:end]):
        op.outs = (Var(out.type),)
        copied = Op(builtin.copy, op.outs, (out,), span=op.span, adjoint=op.adjoint)
        block.ops.insert(position, copied)
        return
    late = Var(out.type, out.hint)
    rest = Block(block.ops[end:], block.results)
    replace_reads(rest, {out: late})
    block.results = rest.results
    copied = Op(builtin.copy, (out,), (late,), span=op.span, adjoint=op.adjoint)
    block.ops.insert(end, copied)


def _writes(op: Statement, is_write: Callable[[Op], bool]) -> bool:
    """Whether the statement, or one within it, writes to an array."""
    inner = [op, *(o for block in blocks(op) for o in walk(block))]
    return any(isinstance(o, Op) and is_write(o) for o in inner)


class Rewriter:
    """Puts the writes and the copies into a function.

    ``mutators``: by ``id`` of an op, what it becomes; ``copies``: those whose target is copied first;
    ``doubtful``: Vars that may be None; ``ordered``: whether arrays keep their orders in memory.
    """

    def __init__(
        self,
        decisions: aliasing.Decisions,
        mutators: dict[int, Callable[..., Any]],
        copies: Container[int],
        doubtful: Container[Var],
        ordered: bool,
    ) -> None:
        self.decisions, self.mutators, self.copies, self.doubtful = decisions, mutators, copies, doubtful
        self.ordered = ordered

    def block(self, block: Block) -> None:
        new: list[Statement] = []
        for op in block.ops:
            if isinstance(op, (For, While)):
                inits = list(op.inits)
                for i, init in enumerate(inits):
                    if isinstance(init, Var) and (id(op), i) in self.decisions.inits:
                        inits[i] = copy_of(init, new, deep=init in self.doubtful)
                op.inits = tuple(inits)
            for inner in blocks(op):
                self.block(inner)
            if isinstance(op, Op):
                self.op(op, new)
            new.append(op)
        block.ops = new

    def op(self, op: Op, new: list[Statement]) -> None:
        stored = {v for k, v in self.decisions.stored if k == id(op)}
        if stored:
            made = op.fn in (builtin.make_list, builtin.make_tuple)
            kept, rest = ((), op.args) if made else (op.args[:1], op.args[1:])

            def change(var: Var) -> Arg:
                return copy_of(var, new, op, deep=var in self.doubtful) if var in stored else var

            op.args = (*kept, *(map_arg(change, arg) for arg in rest))
        if id(op) in self.mutators:
            mutator = self.mutators[id(op)]
            if id(op) in self.copies:
                if not self.ordered and lies_anywhere(op):
                    op.fn, op.args = builtin.copy, op.args[2:]
                    return
                self.copy_target(op, new)
            if mutator is builtin.fill_:
                mutator = in_its_place(op)
            elif mutator is builtin.into_:
                op.args = (op.args[0], Lit(UFUNCS.get(op.fn, op.fn)), *op.args[1:])
            elif mutator is builtin.within_:
                op.args = (*op.args, Lit(set_within if op.fn is with_item else add_within))
            elif mutator in (builtin.sum_item_, builtin.sum_entry_):
                op.args = (*op.args, Lit(containers.add))
            op.fn = mutator

    def copy_target(self, op: Op, new: list[Statement]) -> None:
        """Let the op write to a copy; where nothing of its target is read, to an array that is like it."""
        target, hint = op.args[0], op.outs[0].hint
        assert isinstance(target, Var)
        if is_overwritten(op):
            room = Var(target.type, hint)
            new.append(Op(np.empty_like, (target,), (room,), span=op.span, adjoint=op.adjoint))
        else:
            room = copy_of(target, new, op, hint)
        op.args = (room, *op.args[1:])


def is_overwritten(op: Op) -> bool:
    """Whether the op writes to all of its target, of which it reads nothing."""
    return isinstance(op.outs[0].type, Array) and read_for_its_shape(op) == 0


def lies_anywhere(op: Op) -> bool:
    """Whether a store leaves its value as it is, in whatever order that lies in memory."""
    return is_overwritten(op) and isinstance(op.args[2], Var) and op.args[2].type == op.out.type


def in_its_place(op: Op) -> Callable[..., Any]:
    """How ``ufunc(*args, out=array)`` is written; ``array op= value`` where it is that."""
    target, ufunc, *args = op.args
    assert isinstance(ufunc, Lit)
    if ufunc.value in IN_PLACE and args[0] is target:
        op.args = tuple(args)
        return IN_PLACE[ufunc.value]
    return builtin.fill_
