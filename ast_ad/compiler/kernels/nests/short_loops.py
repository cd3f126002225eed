"""Which short loops had better be written out? Those in a loop whose turns could be vectors without them.

``write_out(kernel, turned) -> None``. In ``improve``, before ``shrink``, where no arguments overlap.

LLVM makes vectors of innermost loops only. A loop over cells with a loop over the 9 numbers of each in it is
none, and LLVM writes out only what stays small. Written out here, what all turns share is computed once, and
what a turn has written to a cell it need not read: arrays that are read nowhere else go. For their sake very
short ones are written out in other loops, too.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Collection
from typing import Any

from ...ir import builtin
from ...ir.ops import Arg, Block, For, Function, Lit, Op, Statement, Var, blocks, operands, variables
from ...ir.types import Array, Scalar
from ...simplify.patterns import arg_key
from ...simplify.renaming import Renaming, copy_statement, renamed
from .body import element_type
from .cells import apart_in, is_of_numbers, is_of_vectors, is_short, places_of, turns
from .dead_arrays import tidy

MOST = 600  # operations of a turn that is written out
_WRITES = {builtin.setitem_, builtin.add_item_}
_FOLDED = {operator.add, operator.sub, operator.mul}


def write_out(kernel: Function, turned: Collection[Var] = ()) -> None:
    """Write such loops out, in place; ``turned``: the arrays whose short axes are to come first."""
    if _block(kernel.body, apart_in(kernel), turned):
        tidy(kernel)


def _block(block: Block, apart: set[Var], turned: Collection[Var]) -> bool:
    """Whether anything was changed."""
    found = False
    for op in block.ops:
        for inner in blocks(op):
            found |= _block(inner, apart, turned)
        if isinstance(op, For) and not is_short(op) and _is_better_without(op, apart, turned):
            written, names = _Written(), Renaming()
            written.statements(op.body.ops, names)
            if len(written.ops) <= MOST:
                results = tuple(renamed(r, names) for r in op.body.results)
                op.body = Block(_additions(written.ops, results), results)
                found = True
    return found


def _is_better_without(loop: For, apart: set[Var], turned: Collection[Var]) -> bool:
    return is_of_vectors(loop, apart, turned) or is_of_numbers(loop, apart)


class _Written:
    """Statements without loops, of which none computes or reads what is at hand.

    ``known``: what operations gave; ``elements``: which of them depend on an array, and by which index.
    """

    def __init__(self) -> None:
        self.ops: list[Op] = []
        self.known: dict[Any, Var] = {}
        self.elements: dict[Var, dict[Any, tuple[Arg, ...]]] = {}

    def statements(self, ops: list[Statement], names: Renaming) -> None:
        for op in ops:
            if isinstance(op, For):
                self._loop(op, names)
            else:
                assert isinstance(op, Op)
                self._op(op, names)

    def _loop(self, loop: For, names: Renaming) -> None:
        states: list[Arg] = [
            self._typed(renamed(i, names), p) for p, i in zip(loop.params, loop.inits, strict=True)
        ]
        for turn in reversed(turns(loop)) if loop.reverse else turns(loop):
            inner: Renaming = {**names, loop.index: Lit(turn), **dict(zip(loop.params, states, strict=True))}
            self.statements(loop.body.ops, inner)
            states = [renamed(r, inner) for r in loop.body.results]
        for out, state in zip(loop.outs, states, strict=True):
            names[out] = self._typed(state, out)

    def _typed(self, arg: Arg, like: Var) -> Arg:
        """What a loop begins or ends with: a literal has the type that the loop carries."""
        if isinstance(arg, Var):
            return arg
        named = Var(like.type, like.hint)
        self.ops.append(Op(builtin.assign, (arg,), (named,)))
        return named

    def _op(self, op: Op, names: Renaming) -> None:
        new = copy_statement(op, names)
        assert isinstance(new, Op)
        if op.fn in _FOLDED and all(isinstance(a, Lit) and type(a.value) is int for a in new.args):
            names[op.out] = Lit(op.fn(*(a.value for a in new.args)))  # type: ignore[union-attr]
            return
        if op.fn in _WRITES:
            self._write(new)
            return
        key = _key(new)
        if key is not None and key in self.known:
            names[op.out] = self.known[key]
            return
        self.ops.append(new)
        arrays = [v for v in variables(*new.args) if isinstance(v.type, Array)]
        if op.effect:
            for array in arrays:
                self._forget(array, ())
        elif key is not None:
            self.known[key] = new.out
            for array in arrays:
                index = places_of(new.args[1]) if new.fn is operator.getitem else ()
                self.elements.setdefault(array, {})[key] = index

    def _write(self, op: Op) -> None:
        """A write to an element, whose value is at hand from then on."""
        array, place, value = op.args
        assert isinstance(array, Var)
        type, index = element_type(array.type), places_of(place)
        key = (operator.getitem, type, arg_key(array), arg_key(place))
        if op.fn is builtin.add_item_ and isinstance(value, Var) and value.type == type:
            old, total = self.known.get(key), Var(type)
            if old is None:
                old = Var(type)
                self.ops.append(Op(operator.getitem, (array, place), (old,), {}, op.span, False, op.adjoint))
            self.ops.append(Op(operator.add, (old, value), (total,), {}, op.span, False, op.adjoint))
            op.fn, op.args, value = builtin.setitem_, (array, place, total), total
        self.ops.append(op)
        self._forget(array, index)
        if op.fn is builtin.setitem_ and isinstance(value, Var) and value.type == type:
            self.known[key] = value
            self.elements.setdefault(array, {})[key] = index

    def _forget(self, array: Var, index: tuple[Arg, ...]) -> None:
        """Forget what depends on an element of an array."""
        of = self.elements.get(array, {})
        for key in [k for k, other in of.items() if not _is_elsewhere(index, other)]:
            del of[key], self.known[key]


def _additions(ops: list[Op], results: tuple[Arg, ...]) -> list[Statement]:
    """The statements with ``a[i] += v`` where a sum is read only by the write behind it."""
    reads = Counter(v for op in ops for v in variables(*operands(op)))
    reads.update(variables(*results))
    found: list[Op] = []
    for op in ops:
        found.append(op)
        if len(found) < 3:
            continue
        load, total, write = found[-3:]
        if (
            (load.fn, total.fn, write.fn) == (operator.getitem, operator.add, builtin.setitem_)
            and load.args == write.args[:2]
            and total.args[0] is load.out
            and write.args[2] is total.out
            and reads[load.out] == reads[total.out] == 1
        ):
            write.fn, write.args = builtin.add_item_, (*load.args, total.args[1])
            found[-3:] = [write]
    return [*found]


def _is_elsewhere(one: tuple[Arg, ...], other: tuple[Arg, ...]) -> bool:
    """Whether two indices have different numbers in some place; none of them counts from the end."""
    pairs = [
        (i.value, j.value)
        for i, j in zip(one, other, strict=False)
        if isinstance(i, Lit) and isinstance(j, Lit)
    ]
    return any(i != j and min(i, j) >= 0 for i, j in pairs)


def _key(op: Op) -> Any:
    """What tells an operation on numbers, or the read of an element, from others; None for all else."""
    if op.effect or len(op.outs) != 1 or not isinstance(op.outs[0].type, Scalar) or op.fn is builtin.assign:
        return None
    kwargs = tuple((name, arg_key(arg)) for name, arg in op.kwargs.items())
    return (op.fn, op.out.type, *map(arg_key, op.args), *kwargs)
