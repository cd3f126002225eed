"""Which values of a region does its reverse sweep need, and how does each of them get there?

``plan(needed, primal, visible, shapes_only, policy, dear) -> Plan``. Once for each branch, each loop and each
program that is split in two, when the reverse region has been written and simplified: only then it is known
what it reads. ``repeat_into(block, ops, names) -> None`` puts what is to be computed again before the region.
``keep_lengths(block, primal, lists) -> None``, before the plan of a loop, lets numbers stand for lists whose
length alone is read.

The reverse region is first written as if it could read every Var of the primal region. Then what it really
reads is looked up: metadata is taken from a value of the same type that is visible anyway; of the rest, some
values are saved and the others computed again, as the policy says:

- ``"cheap"``: what costs nothing to speak of from visible or saved values is computed again;
- ``"min-cut"``: the least memory and work in all, by the cost model of ``recomputation``;
- a number: the same where that many directions will read what is saved.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass

import numpy as np

from ...errors import InternalError
from ...rules import containers, helpers
from ...rules.nested_lists import item_within
from ...rules.registry import lookup
from ..analysis.aliasing import behaviour
from ..frontend.builder import type_of_arg
from ..ir import builtin
from ..ir.alternatives import alternatives, is_mixed
from ..ir.ops import Arg, Block, Lit, Op, Span, Statement, Var, blocks, operands, variables, walk
from ..ir.types import Array, ListOf, Scalar, dtype_of
from ..simplify.renaming import Renaming, copy_statement, free, renamed, replace_reads
from ..simplify.view_indices import is_basic_index
from .recomputation import choose

POLICIES = "cheap", "min-cut"
Policy = str | int
CHEAP = {
    np.shape,
    np.ndim,
    np.size,
    len,
    builtin.tuple_get,
    builtin.assign,
    containers.list_len,
    containers.list_get,
    item_within,
}
VIEWS = {helpers.mT, helpers.hollow, helpers.broadcast_like, np.zeros_like, np.transpose, np.swapaxes}
_LENGTHS = {len, containers.list_len}
ARITHMETIC = {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.neg, operator.pos,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
    operator.not_, operator.and_, operator.or_, abs, min, max,
}  # fmt: skip


@dataclass
class Plan:
    """What the reverse region needs: values to save, and statements to repeat, in the primal's order."""

    saved: list[Var]
    repeated: list[Op]


def plan(
    needed: Iterable[Var],
    primal: Block,
    visible: Callable[[Var], bool],
    shapes_only: Set[Var] = frozenset(),
    policy: Policy = "cheap",
    dear: Callable[[Var], bool] = lambda var: False,
) -> Plan:
    """What to save and what to compute again.

    Args:
        needed: the values that the reverse region reads.
        primal: the region that computes them.
        visible: whether the reverse region has a value anyway.
        shapes_only: the values that it reads for shape and dtype only.
        policy: one of ``POLICIES``, or the number of directions.
        dear: whether it can read a value that is not visible as it is, at the price of a copy of its own.

    Raises:
        InternalError: no such policy.
    """
    if policy not in POLICIES and not isinstance(policy, int):
        raise InternalError(f"residuals by the policy {policy!r}; there are {', '.join(POLICIES)}")
    if policy != "cheap":
        directions = policy if isinstance(policy, int) else 1
        return Plan(*choose(needed, shapes_only, primal, visible, dear, directions))
    makers = {out: op for op in primal.ops if isinstance(op, Op) for out in op.outs}
    repeatable: dict[Var, bool] = {}

    def is_free(var: Var) -> bool:
        if visible(var):
            return True
        if var not in repeatable:
            op = makers.get(var)
            repeatable[var] = False
            repeatable[var] = op is not None and is_cheap(op) and all(map(is_free, variables(*operands(op))))
        return repeatable[var]

    needed = list(needed)
    saved = {v: None for v in needed if not is_free(v)}
    for var in list(saved):
        op = makers.get(var)
        sources = set() if op is None else {v for v in variables(*operands(op)) if not is_free(v)}
        if op is not None and is_cheap(op) and sources <= saved.keys():
            del saved[var]
    repeated: dict[int, Op] = {}

    def repeat(var: Var) -> None:
        if var in saved or visible(var):
            return
        op = makers[var]
        repeated[id(op)] = op
        for source in variables(*operands(op)):
            repeat(source)

    for var in needed:
        repeat(var)
    return Plan(list(saved), [op for op in primal.ops if id(op) in repeated and isinstance(op, Op)])


def is_cheap(op: Op) -> bool:
    """Whether repeating the operation costs no more than reading a saved result: O(1), nothing allocated.

    >>> x, n, y = Var(Scalar("float")), Var(Scalar("int")), Var(Scalar("float"))
    >>> is_cheap(Op(operator.pow, (x, Lit(2)), (y,))), is_cheap(Op(operator.pow, (x, n), (y,)))
    (True, False)
    """
    if op.effect:
        return False
    if op.fn is operator.getitem:
        return is_basic_index(op.args[1]) and not isinstance(type_of_arg(op.args[0]), Scalar)
    if op.fn in CHEAP or op.fn in VIEWS:
        return True
    primitive = lookup(op.fn)
    if primitive is not None and primitive.view and op.fn is not helpers.astype:
        return behaviour(op) != "fresh"
    if op.fn is operator.pow and not isinstance(op.args[1], Lit):
        return False  # as dear as an exponential; by a constant it is a product or a root, mostly
    return op.fn in ARITHMETIC and all(isinstance(o.type, Scalar) for o in op.outs)


def repeat_into(block: Block, ops: list[Op], names: Renaming) -> None:
    """Put copies of statements at the head of a block; ``names`` gains what they assign."""
    copies: list[Statement] = []
    for op in ops:
        if op.fn is builtin.assign and op.adjoint:
            names[op.out] = renamed(op.args[0], names)
            continue
        copies.append(copy_statement(op, names))
        copies[-1].adjoint = True
    block.ops[:0] = copies


# ----- metadata -------------------------------------------------------------------------------------
def read_for_metadata_only(block: Block) -> set[Var]:
    """The Vars that the block reads, but never for their values: for shape and dtype only."""
    metadata, values = _reads_by_kind(block)
    return metadata - values


def read_for_values(ops: Iterable[Statement]) -> set[Var]:
    """The Vars that statements read for their values."""
    return _reads_by_kind(Block(list(ops)))[1]


def _reads_by_kind(block: Block) -> tuple[set[Var], set[Var]]:
    metadata: set[Var] = set()
    values: set[Var] = set(variables(*block.results))

    def visit(block: Block) -> None:
        for op in block.ops:
            position = helpers.METADATA.get(op.fn) if isinstance(op, Op) else None
            if isinstance(op, Op) and position is not None:
                for i, arg in enumerate(op.args):
                    (metadata if i == position and isinstance(arg, Var) else values).update(variables(arg))
                values.update(variables(*op.kwargs.values()))
            else:
                values.update(variables(*operands(op)))
            for inner in blocks(op):
                visit(inner)
                values.update(variables(*inner.results))

    visit(block)
    return metadata, values


def keep_lengths(block: Block, primal: Block, lists: Iterable[Var]) -> None:
    """Let a block read how long these lists of the primal were from numbers, not from the lists.

    Of an array something small can stand for it (``helpers.hollow``); a list that changes later would be
    copied.
    """
    wanted = {v for v in lists if isinstance(v.type, ListOf)}
    names: Renaming = {}
    for var in wanted & set(free(block)):
        if all(_asks_length(op) for op in walk(block) if var in variables(*operands(op))):
            _read_length(block, var, primal, names)
    if names:
        replace_reads(block, names)


def _asks_length(op: Statement) -> bool:
    """Whether nothing of a list but its length is read.

    Zeros of arrays have the arrays' shapes, and those of NumPy's numbers in single precision that class.
    """
    if not isinstance(op, Op) or len(op.outs) != 1:
        return False
    element = getattr(op.out.type, "element", None)
    of_doubles = isinstance(element, Scalar) and all(dtype_of(t) == np.float64 for t in alternatives(element))
    return op.fn in _LENGTHS or op.fn is containers.list_zeros_like and of_doubles


def _read_length(block: Block, var: Var, primal: Block, names: Renaming) -> None:
    """Take the operations that ask for the length away, or let them make zeros of a number."""
    for i in range(len(block.ops) - 1, -1, -1):
        op = block.ops[i]
        for inner in blocks(op):
            _read_length(inner, var, primal, names)
        if not isinstance(op, Op) or var not in variables(*op.args):
            continue
        length = _length(var, primal, op.span)
        if op.fn in _LENGTHS:
            names[op.out] = length
            del block.ops[i]
        elif isinstance(length, Lit):
            op.fn, op.args = builtin.make_list, (Lit(0.0),) * length.value
        else:
            zero = Var(op.out.type)
            block.ops.insert(i, Op(builtin.make_list, (Lit(0.0),), (zero,), {}, op.span, adjoint=op.adjoint))
            op.fn, op.args = containers.list_repeat, (zero, length)


def _length(var: Var, primal: Block, span: Span) -> Arg:
    """The length of a list, as the block computes it, or will from now on."""
    for op in primal.ops:
        if isinstance(op, Op) and op.fn is builtin.make_list and op.outs == (var,):
            return Lit(len(op.args))
        if isinstance(op, Op) and op.fn in _LENGTHS and op.args == (var,):
            return op.out
    position = next((i + 1 for i, op in enumerate(primal.ops) if var in op.outs), 0)
    length = Var(Scalar("int"), "count")
    primal.ops.insert(position, Op(containers.list_len, (var,), (length,), {}, span))
    return length


def same_metadata(var: Var, candidates: Iterable[Var]) -> Var | None:
    """A value that has, for certain, the shape and dtype of an array."""
    if not isinstance(var.type, Array) or var.type.shape is None or is_mixed(var.type):
        return None
    return next((c for c in candidates if c is not var and c.type == var.type), None)


def borrow_metadata(
    block: Block, local: set[Var], candidates: Iterable[Var], read: list[Var] | None = None
) -> list[Var]:
    """Let a block read shapes from visible values rather than from the ``local`` ones of the primal.

    ``read``: what the block reads from outside, if that is known; what it reads after that is returned.
    """
    candidates = list(candidates)
    names: Renaming = {}
    read = free(block) if read is None else read
    for var in read:
        other = same_metadata(var, candidates) if var in local and isinstance(var.type, Array) else None
        if other is not None:
            names[var] = other
    if not names:
        return read
    _replace_metadata(block, names)
    return free(block)


def _replace_metadata(block: Block, names: Renaming) -> None:
    for op in block.ops:
        position = helpers.METADATA.get(op.fn) if isinstance(op, Op) else None
        if isinstance(op, Op) and position is not None and position < len(op.args):
            arg = op.args[position]
            if isinstance(arg, Var) and arg in names:
                op.args = (*op.args[:position], names[arg], *op.args[position + 1 :])
        for inner in blocks(op):
            _replace_metadata(inner, names)
