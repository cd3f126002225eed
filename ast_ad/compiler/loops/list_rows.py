"""How does a list of lists of numbers become one list, end to end?

``rows_end_to_end(function, rows_like) -> Function``. For kernels only, before ``lists_as_arrays``, which has
forms for lists of numbers. Beside the numbers are two lists that tell where each inner list begins and ends::

    table.append(row)               starts.append(len(numbers))
                                    for v in row: numbers.append(v)
                                    ends.append(len(numbers))
    table[i][j]                     numbers[starts[i]:ends[i]][j]

So do the lists of cotangents. Where an inner list is replaced, or the lists go anywhere else, they stay as
they are.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...rules import containers, nested_lists, required
from ..arrays.lengths import Ops
from ..frontend.builder import type_of_arg
from ..ir import builtin
from ..ir.dims import Dim
from ..ir.ops import Arg, Block, For, Function, Lit, Op, Seq, Var, operands, variables
from ..ir.types import NOTHING, Array, ListOf, Scalar, Type
from ..simplify.dead_code import eliminate_dead_code
from ..simplify.renaming import copy_function
from .kept_lists import LENGTHS, Lists
from .list_statements import Replacing

_INT = Scalar("int")
_PLACES = ListOf(_INT)
_WITHIN = {nested_lists.item_within, nested_lists.with_item, nested_lists.with_sum}


def rows_end_to_end(function: Function, rows_like: Collection[Any] = ()) -> Function:
    """The same function with one list of numbers for each list of such lists.

    Args:
        function: pure IR; it is left as it is.
        rows_like: functions of an array and a list that cut the array into rows like the list's elements.

    >>> nothing = Function("nothing", (), Block([], ()))
    >>> rows_end_to_end(nothing) is nothing
    True
    """
    if not any(InnerLists(function, rows_like).elements.values()):
        return function
    function = copy_function(function)
    _EndToEnd(InnerLists(function, rows_like)).block(function.body)
    eliminate_dead_code(function)
    return function


class InnerLists(Lists):
    """The lists of lists of numbers with which nothing is done but what has a form here."""

    def element(self, members: Any) -> Any:
        """Whether a group is of such lists."""
        kinds = {m.type.element for m in members} - {NOTHING}
        fit = all(isinstance(kind, ListOf) and isinstance(kind.element, Scalar) for kind in kinds)
        return bool(kinds) and fit and self.unfit.isdisjoint(members)

    def of(self, arg: Any) -> Any:
        """True for a list that is replaced; None for everything else."""
        return super().of(arg) or None

    def operation(self, op: Op) -> None:
        held = [v for v in (*variables(*operands(op)), *op.outs) if _holds_lists(v.type)]
        if held:
            self.meet(held)
            if op.kwargs or not self.has_form(op):
                self.forbid(held)

    def has_form(self, op: Op) -> bool:
        fn, args = op.fn, op.args
        if fn is builtin.make_list:
            return all(map(_is_row, args))
        if fn is containers.list_append:
            return isinstance(args[0], Var) and _is_row(args[1])
        if fn in _WITHIN:
            return isinstance(args[1], Seq) and len(args[1].items) == 2
        if fn is containers.array_from_list:
            return len(args) == 1 and isinstance(op.out.type, Array) and op.out.type.ndim == 2
        if fn in self.rows_like:
            return len(args) == 2 and isinstance(args[0], Var) and isinstance(args[1], Var)
        known = LENGTHS | {containers.list_zeros_like, containers.list_get, containers.list_pop}
        return fn in known or fn is containers.list_add and all(isinstance(a, Var) for a in args)


def _holds_lists(type: Type) -> bool:
    return isinstance(type, ListOf) and isinstance(type.element, ListOf)


def _is_row(arg: Arg) -> bool:
    """Whether it is a list of numbers, as a variable or as it is written."""
    if isinstance(arg, Seq):
        return arg.kind is list and all(isinstance(type_of_arg(item), Scalar) for item in arg.items)
    return isinstance(arg, Var) and isinstance(arg.type, ListOf) and isinstance(arg.type.element, Scalar)


class Rows(NamedTuple):
    """What stands for a list of lists: all numbers, and where each list begins and ends among them."""

    numbers: Arg
    starts: Arg
    ends: Arg


class _EndToEnd(Replacing):
    """``rows``: what stands for each list of lists."""

    def __init__(self, lists: InnerLists) -> None:
        super().__init__(lists)
        self.rows: dict[Var, Rows] = {}

    def named(self, var: Var, kind: Any) -> tuple[Var, ...]:
        found = tuple(
            Var(type, hint) for type, hint in zip(_types(var), (var.hint, "starts", "ends"), strict=True)
        )
        self.rows[var] = Rows(*found)
        return found

    def carried(self, arg: Arg, out: Var, ops: Ops) -> tuple[Arg, ...]:
        return self.rows[arg] if isinstance(arg, Var) else (Seq((), list),) * 3

    def operation(self, op: Op, kind: Any, ops: Ops) -> None:
        fn, args = op.fn, op.args
        if fn is builtin.make_list:
            empty = [ops.op(builtin.make_list, (), type) for type in _types(op.out)]
            found = Rows(*empty)
            for row in args:
                found = self.appended(found, row, _types(op.out), ops)
            self.rows[op.out] = found
            return
        rows = self.rows[next(a for a in args if isinstance(a, Var) and self.lists.of(a))]
        if fn is containers.list_append:
            self.rows[op.out] = self.appended(rows, args[1], _types(op.out), ops)
        elif fn is containers.list_pop:
            self.popped(op, rows, ops)
        elif fn is containers.list_get:
            start, end = self.bounds(rows, args[1], ops)
            self.end(ops, containers.list_slice, (rows.numbers, start, end, Lit(None)), op)
        elif fn in _WITHIN:
            self.within(op, rows, ops)
        elif fn is containers.array_from_list:
            self.array(op, rows, ops)
        elif fn in LENGTHS:
            self.end(ops, fn, (rows.starts,), op)
        else:
            self.rows[op.out] = rows._replace(numbers=self.alike(op, rows, ops))

    def end(self, ops: Ops, fn: Any, args: tuple[Arg, ...], op: Op) -> None:
        """The operation that gives what ``op`` gave."""
        ops.ops.append(Op(fn, args, op.outs, {}, op.span, adjoint=op.adjoint))

    def alike(self, op: Op, rows: Rows, ops: Ops) -> Var:
        """The numbers of a list whose inner lists are as long as those of another one."""
        type = _types(op.out)[0]
        if op.fn is containers.list_zeros_like:
            return ops.op(op.fn, (rows.numbers,), type)
        if op.fn is containers.list_add:
            first, second = (self.rows[a].numbers for a in op.args)  # type: ignore[index]
            return ops.op(op.fn, (first, second), type)
        (array, _) = op.args
        assert isinstance(array, Var) and isinstance(array.type, Array)
        flat = ops.op(np.ravel, (array,), Array(array.type.dtype, (Dim.fresh(),)))
        return ops.op(op.fn, (flat, rows.numbers), type)

    def appended(self, rows: Rows, row: Arg, types: Sequence[Type], ops: Ops) -> Rows:
        """One more list, whose numbers are put behind the others."""
        numbers, begin = rows.numbers, ops.op(containers.list_len, (rows.numbers,), _INT)
        if isinstance(row, Seq):
            for item in row.items:
                numbers = ops.op(containers.list_append, (numbers, item), types[0])
        else:
            assert isinstance(row, Var) and isinstance(row.type, ListOf)
            i, before = Var(_INT, "i"), Var(types[0], "numbers")
            turn = Ops([], ops.span, ops.adjoint)
            item = turn.op(containers.list_get, (row, i), row.type.element)
            after = turn.op(containers.list_append, (before, item), types[0])
            count = ops.op(containers.list_len, (row,), _INT)
            numbers = self.loop(ops, i, count, before, numbers, Block(turn.ops, (after,)))
        end = ops.op(containers.list_len, (numbers,), _INT)
        places = ((rows.starts, begin), (rows.ends, end))
        return Rows(numbers, *(ops.op(containers.list_append, pair, _PLACES) for pair in places))

    def loop(self, ops: Ops, i: Var, count: Arg, param: Var, init: Arg, body: Block) -> Var:
        out = Var(param.type, param.hint)
        bounds, ends = (Lit(0), count, Lit(1)), {"span": ops.span, "adjoint": ops.adjoint}
        ops.ops.append(For(i, bounds, (), (param,), (init,), body, (out,), **ends))  # type: ignore[arg-type]
        return out

    def popped(self, op: Op, rows: Rows, ops: Ops) -> None:
        """The last list, whose numbers are taken away from behind the others."""
        rest, inner = op.outs
        kept, last = [], []
        for places in (rows.starts, rows.ends):
            left, place = Var(_PLACES), Var(_INT)
            ops.ops.append(Op(containers.list_pop, (places,), (left, place), {}, op.span, adjoint=op.adjoint))
            kept.append(left)
            last.append(place)
        cut = (rows.numbers, *last, Lit(None))
        ops.ops.append(Op(containers.list_slice, cut, (inner,), {}, op.span, adjoint=op.adjoint))
        type = _types(rest)[0]
        assert isinstance(type, ListOf)
        before, after, turn = Var(type, "numbers"), Var(type, "numbers"), Ops([], op.span, op.adjoint)
        gone = (after, Var(type.element))
        turn.ops.append(Op(containers.list_pop, (before,), gone, {}, op.span, adjoint=op.adjoint))
        count = ops.integer(operator.sub, last[1], last[0])
        numbers = self.loop(ops, Var(_INT, "i"), count, before, rows.numbers, Block(turn.ops, (after,)))
        self.rows[rest] = Rows(numbers, *kept)

    def bounds(self, rows: Rows, at: Arg, ops: Ops) -> tuple[Var, Var]:
        """Where one of the lists begins, and where it ends."""
        start, end = (ops.op(containers.list_get, (places, at), _INT) for places in rows[1:])
        return start, end

    def within(self, op: Op, rows: Rows, ops: Ops) -> None:
        """Read, write or add to a number of one of the lists."""
        path = op.args[1]
        assert isinstance(path, Seq)
        start, end = self.bounds(rows, path.items[0], ops)
        types: Any = _types(op.args[0])  # type: ignore[arg-type]
        inner = ops.op(containers.list_slice, (rows.numbers, start, end, Lit(None)), types[0])
        if op.fn is nested_lists.item_within:
            self.end(ops, containers.list_get, (inner, path.items[1]), op)
            return
        found = ops.op(
            containers.list_get, (inner, path.items[1]), types[0].element
        )  # which may not be there
        ops.ops.append(Op(builtin.unread, (found,), (), {}, op.span, True, op.adjoint))
        place = _from_first(path.items[1], start, end, ops)
        fn = containers.list_set if op.fn is nested_lists.with_item else containers.list_add_at
        numbers = ops.op(fn, (rows.numbers, place, op.args[2]), _types(op.out)[0])
        self.rows[op.out] = rows._replace(numbers=numbers)

    def array(self, op: Op, rows: Rows, ops: Ops) -> None:
        """The array of all lists, which are of one length."""
        start, end = self.bounds(rows, Lit(0), ops)
        width, i = ops.integer(operator.sub, end, start), Var(_INT, "i")
        turn = Ops([], op.span, op.adjoint)
        own = turn.integer(operator.sub, *reversed(self.bounds(rows, i, turn)))
        turn.ops.append(Op(required.require_as_many, (own, width), (), {}, op.span, True, op.adjoint))
        count = ops.op(containers.list_len, (rows.starts,), _INT)
        ends: dict[str, Any] = {"span": op.span, "adjoint": op.adjoint}
        ops.ops.append(For(i, (Lit(0), count, Lit(1)), (), (), (), Block(turn.ops, ()), (), **ends))
        assert isinstance(op.out.type, Array)
        flat = ops.op(op.fn, (rows.numbers,), Array(op.out.type.dtype, (Dim.fresh(),)))
        self.end(ops, np.reshape, (flat, Seq((count, width), tuple)), op)


def _from_first(place: Arg, start: Arg, end: Arg, ops: Ops) -> Arg:
    """Where a number is that is in its list at a place, which may be counted from the end."""
    if isinstance(place, Lit):
        return ops.integer(operator.add, end if place.value < 0 else start, place)
    length = ops.integer(operator.sub, end, start)
    return ops.integer(operator.add, start, ops.op(operator.mod, (place, length), _INT))


def _types(var: Var) -> tuple[Type, Type, Type]:
    """The types of what stands for a list of lists."""
    assert isinstance(var.type, ListOf)
    inner = var.type.element
    return inner if isinstance(inner, ListOf) else ListOf(NOTHING), _PLACES, _PLACES
