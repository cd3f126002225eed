"""How does a list of tuples become lists of what is in them?

``tuples_apart(function) -> Function``. For kernels only, before ``lists_as_arrays``, which knows lists of
numbers and of arrays::

    xs.append((x, a))               xs_0.append(x); xs_1.append(a)
    x, a = xs[i]                    x = xs_0[i]; a = xs_1[i]

So do the lists of their cotangents. Lists whose tuples go anywhere else stay as they are, and so do tapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...rules import containers
from ..arrays.lengths import Ops
from ..ir import builtin
from ..ir.ops import Arg, Function, Lit, Op, Seq, Var, operands, variables
from ..ir.types import NOTHING, ListOf, TupleOf
from ..simplify.dead_code import eliminate_dead_code
from ..simplify.renaming import copy_function
from .given_lists import is_of_tuples, own_lists
from .kept_lists import LENGTHS, Lists
from .list_statements import Replacing

_PLACED = {
    containers.list_append: 1,
    containers.list_set: 2,
    containers.list_add_at: 2,
    containers.list_put: 2,
}
_TAKEN = {containers.list_get, containers.list_pop, containers.list_remove}
_WHOLE = {
    containers.list_zeros_like, containers.list_reverse, containers.list_slice, containers.list_concat,
    containers.list_add, containers.list_set_slice,
}  # fmt: skip
_PARTS = {builtin.tuple_get, builtin.unpack}


def tuples_apart(function: Function) -> Function:
    """The same function with a list for each place of the tuples that its lists hold.

    Args:
        function: pure IR; it is left as it is.

    >>> from ast_ad.compiler.ir.ops import Block
    >>> nothing = Function("nothing", (), Block([], ()))
    >>> tuples_apart(nothing) is nothing
    True
    """
    if not TupleLists(function).leaders:
        return function
    function = copy_function(function)
    own_lists(function, TupleLists, is_of_tuples)
    _Apart(TupleLists(function)).block(function.body)
    eliminate_dead_code(function)
    return function


class TupleLists(Lists):
    """The lists of tuples with which nothing is done but what can be done to each place of the tuples."""

    def __init__(self, function: Function) -> None:
        self.taken: dict[Var, Var] = {}  # a tuple, and the list that it was in
        self.made: dict[Var, tuple[Arg, ...]] = {}  # a tuple, and what is in it
        super().__init__(function)

    def element(self, members: Any) -> Any:
        """How many places the tuples of a group have."""
        kinds = {m.type.element for m in members} - {NOTHING}
        counts = {len(kind.items) if type(kind) is TupleOf else 0 for kind in kinds}
        return counts.pop() if len(counts) == 1 and self.unfit.isdisjoint(members) else 0

    def of(self, arg: Any) -> Any:
        """How many places the tuples of a list have; None for everything else, and for lists that stay."""
        return super().of(arg) or None

    def operation(self, op: Op) -> None:
        if op.fn is builtin.make_tuple:
            self.made[op.out] = op.args
        placed = op.args if op.fn is builtin.make_list else op.args[_PLACED.get(op.fn, len(op.args)) :][:1]
        whole = op.args[:1] if op.fn in _PARTS else placed  # in which a tuple may stand for its places
        self.lose(v for arg in operands(op) for v in variables(arg) if not any(v is one for one in whole))
        within = [value for value in placed if isinstance(value, Seq)]
        self.forbid(variables(*within))  # lists in tuples, which would be one with the list of tuples
        super().operation(op)
        if op.fn in _TAKEN:
            self.taken.update((out, op.args[0]) for out in op.outs if isinstance(out.type, TupleOf))  # type: ignore[misc]

    def carry(self, out: Var, *others: Arg) -> None:
        self.lose(variables(*others))
        super().carry(out, *others)

    def leave(self, results: Sequence[Arg]) -> None:
        self.lose(variables(*results))
        super().leave(results)

    def lose(self, tuples: Any) -> None:
        """Tuples that are asked for as a whole: their lists stay."""
        self.forbid(self.taken[v] for v in tuples if v in self.taken)

    def has_form(self, op: Op) -> bool:
        fn, args = op.fn, op.args
        if fn is builtin.make_list:
            return all(self.fits(item, op.out) for item in args)
        if fn in _PLACED:
            return self.fits(args[_PLACED[fn]], op.out)
        return fn in _TAKEN or fn in _WHOLE and not op.kwargs or fn in LENGTHS

    def fits(self, value: Arg, held: Var, adjoint: bool = False) -> bool:
        """Whether the places of a tuple are known."""
        assert isinstance(held.type, ListOf)
        places = len(held.type.element.items) if isinstance(held.type.element, TupleOf) else 0
        if isinstance(value, Var) and value in self.made:
            return len(self.made[value]) == places
        if isinstance(value, Var) and value in self.taken:
            return isinstance(value.type, TupleOf) and len(value.type.items) == places
        return isinstance(value, Seq) and value.kind is tuple and len(value.items) == places


class _Apart(Replacing):
    """``parts``: the lists, or the values, that stand for a list of tuples, or for one tuple."""

    def __init__(self, lists: TupleLists) -> None:
        super().__init__(lists)
        self.parts: dict[Var, tuple[Arg, ...]] = {}

    def named(self, var: Var, kind: int) -> tuple[Var, ...]:
        self.parts[var] = found = tuple(Var(type, var.hint) for type in _types(var, kind))
        return found

    def carried(self, arg: Arg, out: Var, ops: Ops) -> tuple[Arg, ...]:
        if isinstance(arg, Var):
            return self.parts[arg]
        count: Any = self.lists.of(out)
        return (Seq((), list),) * count

    def other(self, op: Op, ops: Ops) -> None:
        if op.fn is builtin.make_tuple:
            self.parts[op.out] = op.args
        if op.fn not in _PARTS or op.args[0] not in self.parts:
            ops.ops.append(op)
            return
        found = self.parts[op.args[0]]
        values = (found[op.args[1].value],) if op.fn is builtin.tuple_get else found  # type: ignore[union-attr]
        for out, value in zip(op.outs, values, strict=True):
            ops.ops.append(Op(builtin.assign, (value,), (out,), {}, op.span, adjoint=op.adjoint))

    def operation(self, op: Op, kind: int, ops: Ops) -> None:
        fn, at = op.fn, _PLACED.get(op.fn)
        if fn is containers.list_given:
            for k, out in enumerate(self.outs_of(op.out, kind)):
                ops.ops.append(Op(containers.list_column, (*op.args, Lit(k)), (out,), {}, op.span))
            return
        if fn in LENGTHS:
            ops.ops.append(Op(fn, (self.parts[op.args[0]][0],), op.outs, {}, op.span, adjoint=op.adjoint))  # type: ignore[index]
            return
        outs = [self.outs_of(out, kind) for out in op.outs]
        for k in range(kind):
            if fn is builtin.make_list:
                args = tuple(self.places(item)[k] for item in op.args)
            else:
                args = tuple(
                    self.places(a)[k] if i == at or self.is_list(a) else a for i, a in enumerate(op.args)
                )
            made = tuple(out[k] for out in outs)
            ops.ops.append(Op(fn, args, made, {}, op.span, op.effect, op.adjoint))

    def is_list(self, arg: Arg) -> bool:
        return self.lists.of(arg) is not None

    def outs_of(self, out: Var, kind: int) -> tuple[Var, ...]:
        """What the places of a list, or of a tuple, are called."""
        types: Any = _types(out, kind) if self.is_list(out) else out.type.items  # type: ignore[union-attr]
        self.parts[out] = found = tuple(Var(type, out.hint) for type in types)
        return found

    def places(self, arg: Arg) -> tuple[Arg, ...]:
        """The parts of a list, or of a tuple."""
        return arg.items if isinstance(arg, Seq) else self.parts[arg]  # type: ignore[index]


def _types(var: Var, count: int) -> list[ListOf]:
    """The types of the lists that stand for one of tuples."""
    assert isinstance(var.type, ListOf)
    kind = var.type.element
    return [ListOf(item) for item in kind.items] if isinstance(kind, TupleOf) else [ListOf(kind)] * count
