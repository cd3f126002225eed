"""How do the lists that the user's program keeps become arrays?

``lists_as_arrays(function, rows_like) -> Function``. For kernels only, after ``fuse_loops`` and before
``read_final``: what is left of lists then are tapes, and lists that don't fit.

A list of numbers, or of arrays of one shape, that grows at its end becomes an array with room for more, and
how many of its rows count::

    xs = [x]                        xs, count = np.empty((16, 3)), 1; xs[0] = x
    for i in range(n):              for i in range(n):
        xs.append(f(xs[-1]))            xs = reserve(xs, count + 1)
                                        xs[count] = f(xs[:count][-1])
                                        count += 1

So do the lists of cotangents of such a list. Lists that meet in a loop, a branch or an operation are
converted together or not at all: if something is done to one of them for which there is no form here, they
stay lists.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from ...rules import containers, helpers
from ..arrays.lengths import Lengths, Ops, is_number
from ..ir import builtin
from ..ir.alternatives import is_mixed
from ..ir.dims import Dim, reaches
from ..ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Lit,
    Op,
    Seq,
    Slice,
    Statement,
    Var,
    While,
    operands,
    variables,
)
from ..ir.types import NOTHING, Array, ListOf, Scalar, dtype_of
from ..simplify.dead_code import eliminate_dead_code
from ..simplify.renaming import copy_function
from .tape_places import FIRST_CAPACITY, INT

Kind = Scalar | Array
Pair = tuple[Arg, Arg]  # the array of rows, and how many count
_PYTHON = {"float": float, "complex": complex}
_LENGTHS = {len, containers.list_len}
_ROWS = {containers.array_from_list, np.stack}
_ALIKE = {containers.list_zeros_like, containers.list_reverse, containers.list_pop}  # which fit any list


def lists_as_arrays(function: Function, rows_like: Collection[Any] = ()) -> Function:
    """The same function with arrays for the lists that it keeps, as far as there are forms for what it does.

    Args:
        function: pure IR; it is left as it is.
        rows_like: functions of an array and a list that cut the array into rows like the list's elements.

    >>> lists_as_arrays(Function("nothing", (), Block([], (Lit(1),)))).body.results
    (1,)
    """
    found = _Lists(function, rows_like)
    if not any(found.elements.values()):
        return function
    function = copy_function(function)
    _Conversion(_Lists(function, rows_like)).block(function.body)
    eliminate_dead_code(function)
    return function


# ----- which lists
class _Lists:
    """Groups lists that meet. ``elements``: the type of what each group holds; None where it stays a list."""

    def __init__(self, function: Function, rows_like: Collection[Any]) -> None:
        self.rows_like = rows_like
        self.leaders: dict[Var, Var] = {}
        self.unfit: set[Var] = set()
        self.params = function.params
        self.forbid(function.params)
        self.block(function.body)
        self.forbid(variables(*function.body.results))
        groups: dict[Var, list[Var]] = {}
        for var in list(self.leaders):
            groups.setdefault(self.leader(var), []).append(var)
        self.elements = {leader: self.element(members) for leader, members in groups.items()}

    def leader(self, var: Var) -> Var:
        while self.leaders.setdefault(var, var) is not var:
            var = self.leaders[var]
        return var

    def of(self, arg: Any) -> Kind | None:
        """The type of the elements of a list that is converted; None for everything else."""
        return self.elements[self.leader(arg)] if isinstance(arg, Var) and arg in self.leaders else None

    def meet(self, args: Iterable[Arg]) -> None:
        """Lists that become one."""
        found = [a for a in args if isinstance(a, Var) and isinstance(a.type, ListOf)]
        for var in found:
            self.leaders[self.leader(var)] = self.leader(found[0])

    def forbid(self, vars: Iterable[Var]) -> None:
        """Lists of which more is asked than there are forms for."""
        for var in vars:
            if isinstance(var.type, ListOf):
                self.unfit.add(var)
                self.leader(var)

    def element(self, members: Sequence[Var]) -> Kind | None:
        """What a group holds, if all hold the same, and all that is done to them has a form."""
        kinds = {m.type.element for m in members if isinstance(m.type, ListOf)} - {NOTHING}
        if len(kinds) != 1 or not self.unfit.isdisjoint(members):
            return None
        (kind,) = kinds
        if not isinstance(kind, (Scalar, Array)) or kind.kind not in _PYTHON or is_mixed(kind):
            return None
        if isinstance(kind, Scalar):
            return kind
        known = all(isinstance(dim, int) or _is_argument(dim, self.params) for dim in kind.shape or ())
        return kind if kind.shape and known else None

    def block(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, Op):
                self.operation(op)
                continue
            if isinstance(op, If):
                for out, then, orelse in zip(op.outs, op.then.results, op.orelse.results, strict=True):
                    self.carry(out, then, orelse)
                inner = [op.then, op.orelse]
            else:
                results = op.body.results[op.stops :]
                for out, param, init, result in zip(op.outs, op.params, op.inits, results, strict=True):
                    self.carry(out, param, init, result)
                inner = [op.body] if isinstance(op, For) else [op.cond, op.body]
                if isinstance(op, For):  # which tapes are read by
                    self.forbid(v for source, items in op.items for v in (*variables(source), *items))
            for part in inner:
                self.block(part)

    def carry(self, out: Var, *others: Arg) -> None:
        if isinstance(out.type, ListOf):
            self.meet((out, *others))
            if not all(isinstance(a, Var) or _is_empty(a) for a in others):
                self.forbid((out,))
        else:
            self.forbid(variables(*others))

    def operation(self, op: Op) -> None:
        held = [v for v in (*variables(*operands(op)), *op.outs) if isinstance(v.type, ListOf)]
        if not held:
            return
        self.meet(held)
        if not self.has_form(op) or op.kwargs:
            self.forbid(held)

    def has_form(self, op: Op) -> bool:
        """Whether the operation is one on lists and array of rows that the conversion has."""
        fn, args = op.fn, op.args
        if fn is builtin.make_list:
            return all(self.fits(item, op.out) for item in args)
        if fn in self.rows_like and len(args) > 1:
            return _has_rows(args[0], args[1]) and all(is_number(axis, 0) for axis in args[2:])
        if not args or not isinstance(args[0], Var):  # several lists, or what needs none
            return False
        if fn is containers.list_append:
            return self.fits(args[1], op.out)
        if fn is containers.list_get:
            return _is_place(args[1])
        if fn is containers.list_add_at:
            return self.fits(args[2], op.out) and _is_place(args[1])
        if fn is containers.list_set:
            return self.fits(args[2], op.out) and _is_place(args[1])
        if fn is containers.list_slice:
            return all(map(_is_place_or_none, args[1:3])) and isinstance(args[3], Lit)
        if fn is containers.list_fill:
            return self.fits(args[1], op.out)
        if fn in (containers.list_concat, containers.list_add):
            return isinstance(args[1], Var)
        if fn in _ROWS:
            return len(args) == 1 and _has_rows(op.out, args[0])
        return fn in _LENGTHS or fn in _ALIKE

    def fits(self, value: Arg, held: Var) -> bool:
        """Whether a value is one that the list holds, and no other."""
        assert isinstance(held.type, ListOf)
        kind = held.type.element
        if isinstance(value, Lit):
            return isinstance(kind, Scalar) and kind.dtype is None and type(value.value) is float
        return isinstance(value, Var) and value.type == kind


def _has_rows(array: Arg, held: Arg) -> bool:
    """Whether the rows of an array are of the dtype and rank of a list's elements; lengths kernels check."""
    kind = held.type.element if isinstance(held, Var) and isinstance(held.type, ListOf) else None
    type = array.type if isinstance(array, Var) else None
    if not isinstance(kind, (Scalar, Array)) or not isinstance(type, Array) or type.shape is None:
        return False
    axes = kind.ndim if isinstance(kind, Array) else 0
    return axes is not None and (type.dtype, type.ndim) == (dtype_of(kind), axes + 1)


def _is_empty(arg: Arg) -> bool:
    return isinstance(arg, Seq) and arg.kind is list and not arg.items


def _is_place(arg: Arg) -> bool:
    type = arg.type if isinstance(arg, Var) else None
    return isinstance(arg, Lit) or isinstance(type, Scalar) and type.kind == "int"


def _is_place_or_none(arg: Arg) -> bool:
    return isinstance(arg, Lit) and arg.value is None or _is_place(arg)


def _is_counter(arg: Arg) -> bool:
    """Whether an integer is certainly not negative."""
    if isinstance(arg, Lit):
        return bool(arg.value >= 0)
    size = arg.type.size if isinstance(arg, Var) and isinstance(arg.type, Scalar) else None
    return size is not None and reaches(size, 0)


def _is_argument(dim: Dim, params: Sequence[Var]) -> bool:
    """Whether an argument of the function has the length."""
    return any(dim in (p.type.shape or ()) for p in params if isinstance(p.type, Array))


# ----- what they become
class _Conversion:
    """Rewrites blocks; ``rows``: what each list has become."""

    def __init__(self, lists: _Lists) -> None:
        self.lists = lists
        self.rows: dict[Var, Pair] = {}
        self.params = list(lists.params)

    def block(self, block: Block) -> None:
        new: list[Statement] = []
        for op in block.ops:
            ops = Ops(new, op.span, op.adjoint)
            if isinstance(op, Op):
                held = (self.lists.of(v) for v in (*variables(*operands(op)), *op.outs))
                kind = next((k for k in held if k is not None), None)
                if kind is None:
                    new.append(op)
                else:
                    self.operation(op, kind, ops)
                continue
            if isinstance(op, If):
                for part in (op.then, op.orelse):
                    self.block(part)
                self.joined(op)
            else:
                self.loop(op, ops)
            new.append(op)
        block.ops = new

    # ----- statements
    def joined(self, op: If) -> None:
        outs: list[Var] = []
        for part in (op.then, op.orelse):
            ends = Ops(part.ops, op.span, op.adjoint)
            results: list[Arg] = []
            for out, result in zip(op.outs, part.results, strict=True):
                kind = self.lists.of(out)
                results += [result] if kind is None else self.pair(result, kind, ends)
            part.results = tuple(results)
        for out in op.outs:
            outs += self.named(out)
        op.outs = tuple(outs)

    def loop(self, op: For | While, ops: Ops) -> None:
        inits: list[Arg] = []
        for param, init in zip(op.params, op.inits, strict=True):
            kind = self.lists.of(param)
            inits += [init] if kind is None else self.pair(init, kind, ops)
        stops, carried = op.body.results[: op.stops], op.body.results[op.stops :]
        kinds = [self.lists.of(p) for p in op.params]
        op.params = tuple(v for p in op.params for v in self.named(p))
        op.inits = tuple(inits)
        if isinstance(op, While):
            self.block(op.cond)
        self.block(op.body)
        ends = Ops(op.body.ops, op.span, op.adjoint)
        results: list[Arg] = []
        for kind, result in zip(kinds, carried, strict=True):
            results += [result] if kind is None else self.pair(result, kind, ends)
        op.body.results = (*stops, *results)
        op.outs = tuple(v for out in op.outs for v in self.named(out))

    def named(self, var: Var) -> tuple[Var, ...]:
        """What stands for a value that a statement binds."""
        kind = self.lists.of(var)
        if kind is None:
            return (var,)
        pair = Var(_rows_of(kind), var.hint), Var(INT, "count")
        self.rows[var] = pair
        return pair

    def pair(self, arg: Arg, kind: Kind, ops: Ops) -> Pair:
        return self.rows[arg] if isinstance(arg, Var) else self.made((), kind, ops)

    # ----- operations
    def made(self, items: tuple[Arg, ...], kind: Kind, ops: Ops) -> Pair:
        """A list as it is written."""
        shape: tuple[Arg, ...] = (Lit(max(FIRST_CAPACITY, len(items))),)
        if isinstance(kind, Array):
            lengths = Lengths(self.params, {}, ops)
            found = [lengths.of(dim) for dim in kind.shape or ()]
            shape += tuple(n for n in found if n is not None)
        rows = ops.op(np.empty, (Seq(shape), Lit(dtype_of(kind))), _rows_of(kind), "items")
        for k, item in enumerate(items):
            rows = ops.op(helpers.setitem, (rows, Lit(k), item), rows.type, "items")
        return rows, Lit(len(items))

    def operation(self, op: Op, kind: Kind, ops: Ops) -> None:
        fn, args = op.fn, op.args
        if fn is builtin.make_list:
            self.rows[op.out] = self.made(args, kind, ops)
            return
        rows, count = self.rows[next(a for a in args if isinstance(a, Var) and self.lists.of(a))]
        if fn is containers.list_append:
            end = ops.integer(operator.add, count, Lit(1))
            room = ops.op(helpers.reserve, (rows, end), _rows_of(kind), "items")
            self.rows[op.out] = ops.op(helpers.setitem, (room, count, args[1]), room.type, "items"), end
        elif fn is containers.list_zeros_like:
            self.rows[op.out] = ops.op(np.zeros_like, (rows,), _rows_of(kind)), count
        elif fn in self.lists.rows_like:
            self.rows[op.out] = args[0], count
        elif fn in (containers.list_add_at, containers.list_set):
            if fn is containers.list_set:
                self.require_element(rows, count, args[1], kind, ops)
            place = _from_start(args[1], count, ops)
            change = helpers.setitem if fn is containers.list_set else helpers.add_at
            self.rows[op.out] = ops.op(change, (rows, place, args[2]), _rows_of(kind)), count
        elif fn is containers.list_pop:
            rest, item = op.outs
            if not op.adjoint:  # one that the program itself pops may be empty
                self.require_element(rows, count, Lit(-1), kind, ops)
            self.rows[rest] = rows, ops.integer(operator.sub, count, Lit(1))
            self.read(item, rows, count, Lit(-1), kind, ops)
        elif fn is containers.list_reverse:
            self.rows[op.out] = self.part(rows, count, (Lit(None), Lit(None), Lit(-1)), kind, ops)[0], count
        elif fn is containers.list_slice:
            self.rows[op.out] = self.part(rows, count, args[1:], kind, ops)
        elif fn is containers.list_fill:
            zeros = ops.op(np.zeros_like, (rows,), _rows_of(kind))
            self.rows[op.out] = ops.op(operator.add, (zeros, args[1]), _rows_of(kind)), count
        elif fn in (containers.list_concat, containers.list_add):
            self.rows[op.out] = self.of_two(fn, args, kind, ops)
        elif fn is containers.list_get:
            self.read(op.out, rows, count, args[1], kind, ops)
        elif fn in _ROWS:
            self.all_rows(op, rows, count, kind, ops)
        else:
            ops.ops.append(Op(builtin.assign, (count,), op.outs, {}, op.span, adjoint=op.adjoint))

    def those(self, rows: Arg, count: Arg, kind: Kind, ops: Ops) -> Var:
        """The rows that count."""
        return ops.op(operator.getitem, (rows, Slice(Lit(None), count, Lit(None))), _rows_of(kind))

    def require_element(self, rows: Arg, count: Arg, place: Arg, kind: Kind, ops: Ops) -> None:
        """Python's exception where there is no such element: beyond those that count there may be room."""
        type = kind if isinstance(kind, Array) else Scalar(kind.kind, dtype_of(kind))
        found = ops.op(operator.getitem, (self.those(rows, count, kind, ops), place), type)
        ops.ops.append(Op(builtin.unread, (found,), (), {}, ops.span, True, ops.adjoint))

    def part(self, rows: Arg, count: Arg, bounds: Sequence[Arg], kind: Kind, ops: Ops) -> Pair:
        """A slice of a list: rows of its own, all of which count."""
        those = self.those(rows, count, kind, ops)
        found = ops.op(operator.getitem, (those, Slice(*bounds)), _rows_of(kind))
        copied = ops.op(np.copy, (found,), found.type, "items")
        return copied, ops.op(len, (copied,), INT, "count")

    def of_two(self, fn: Any, args: Sequence[Arg], kind: Kind, ops: Ops) -> Pair:
        """One list behind another, or the sum of two cotangents, of which as many count."""
        (a, m), (b, n) = (self.rows[arg] for arg in args if isinstance(arg, Var))
        both = self.those(a, m, kind, ops), self.those(b, n, kind, ops)
        if fn is containers.list_add:
            return ops.op(operator.add, both, _rows_of(kind), "items"), m
        joined = ops.op(np.concatenate, (Seq(both, list),), _rows_of(kind), "items")
        return joined, ops.integer(operator.add, m, n)

    def read(self, out: Var, rows: Arg, count: Arg, place: Arg, kind: Kind, ops: Ops) -> None:
        """An element, as a value of its own: what the array holds may be overwritten."""
        those = self.those(rows, count, kind, ops)
        ends: dict[str, Any] = {"span": ops.span, "adjoint": ops.adjoint}
        if isinstance(kind, Scalar) and kind.dtype is not None:
            ops.ops.append(Op(operator.getitem, (those, place), (out,), **ends))
            return
        type = kind if isinstance(kind, Array) else Scalar(kind.kind, dtype_of(kind))
        found = ops.op(operator.getitem, (those, place), type)
        copied: Any = np.copy if isinstance(kind, Array) else _PYTHON[kind.kind]
        ops.ops.append(Op(copied, (found,), (out,), **ends))

    def all_rows(self, op: Op, rows: Arg, count: Arg, kind: Kind, ops: Ops) -> None:
        """The array of all elements; of arrays there has to be one, as an empty list has not their axes."""
        if isinstance(kind, Array) or op.fn is np.stack:
            one = ops.op(operator.floordiv, (count, count), INT)  # which raises for zero
            count = ops.op(operator.mul, (count, one), INT)
        those = self.those(rows, count, kind, ops)
        ops.ops.append(Op(np.copy, (those,), op.outs, {}, op.span, adjoint=op.adjoint))


def _from_start(place: Arg, count: Arg, ops: Ops) -> Arg:
    """The place of an element that there is, counted from the first."""
    if isinstance(place, Lit) and place.value < 0:
        return ops.integer(operator.add, count, place)
    return place if _is_counter(place) else ops.op(operator.mod, (place, count), INT)


def _rows_of(kind: Kind) -> Array:
    dtype = dtype_of(kind)
    assert dtype is not None
    return Array(dtype, (Dim.fresh(), *((kind.shape or ()) if isinstance(kind, Array) else ())))
