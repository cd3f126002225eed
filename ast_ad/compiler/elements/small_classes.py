"""Which small arrays become scalars? Values that flow into each other decide together.

What a loop carries, its initial value and what its body yields are one class, so are the results of a branch,
an array and what a write makes of it, and what is put on a tape with what is taken from it. A class stays in
arrays if one of its members is indexed with a run-time value, if its members' types differ, or if a loop
carries it between operations none of which has a form on elements.
"""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...rules import helpers
from ...rules.containers import list_append
from ..ir import builtin
from ..ir.alternatives import is_mixed
from ..ir.ops import (
    UNKNOWN,
    Arg,
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
    variables,
    walk,
)
from ..ir.types import Array, ListOf, Scalar, TupleOf, Type, kind_of

# The result is the first argument, perhaps with some elements replaced.
SAME = {helpers.setitem, helpers.add_at, builtin.assign, builtin.copy, builtin.own}
# Operations with an index, and whether it is the result (else: the first argument) that must be small.
INDEXED = {operator.getitem: False, helpers.written: False, helpers.setitem: True, helpers.add_at: True,
           helpers.scatter: True}  # fmt: skip


LONGEST = 8


def is_small(type: Type, limit: int) -> bool:
    """Whether a value of the type is an array of at most ``limit`` numbers, all lengths constant.

    Along an axis that is longer than ``LONGEST`` a loop does better.
    """
    if not isinstance(type, Array) or type.shape is None or not all(isinstance(n, int) for n in type.shape):
        return False
    if is_mixed(type):
        return False
    numbers = type.dtype.kind in "biufc" and type.dtype.char not in "egG"  # no half or extended precision
    return numbers and 1 <= size(type) <= limit and max(type.shape, default=1) <= LONGEST  # type: ignore[type-var, operator]


def size(type: Array) -> int:
    """The number of elements of an array whose lengths are constants."""
    return math.prod(n for n in type.shape or () if isinstance(n, int))


def scalar_type(dtype: np.dtype) -> Scalar:
    """The type of an element."""
    return Scalar(kind_of(Array(dtype, ())), dtype)


def constant(arg: Arg) -> Any:
    """The Python value of an argument that is known now; UNKNOWN if it isn't."""
    if isinstance(arg, Lit):
        return arg.value
    if isinstance(arg, Var):
        return arg.known
    if isinstance(arg, Slice):
        parts = [constant(p) for p in (arg.start, arg.stop, arg.step)]
        return UNKNOWN if any(p is UNKNOWN for p in parts) else slice(*parts)
    items = [constant(item) for item in arg.items]
    return UNKNOWN if any(item is UNKNOWN for item in items) else arg.kind(items)


class Union:
    """Classes of Vars that were joined."""

    def __init__(self) -> None:
        self.parent: dict[Var, Var] = {}

    def find(self, var: Var) -> Var:
        root = var
        while (above := self.parent.get(root, root)) is not root:
            root = above
        while var is not root:
            self.parent[var], var = root, self.parent.get(var, root)
        return root

    def join(self, a: Var, b: Var) -> bool:
        """Join the classes of two Vars; whether they were different ones."""
        a, b = self.find(a), self.find(b)
        self.parent[a] = b
        return a is not b


class Classes:
    """What becomes of each small array and of each tape of a function.

    ``has_form``: whether an operation can be done on elements, as far as its callable tells.
    """

    def __init__(self, function: Function, limit: int, has_form: Callable[[Op], bool]) -> None:
        self.limit, self.has_form = limit, has_form
        self.union = Union()
        self.mixed = (
            False  # whether the dtype of an array depends on the path: a type then is only the widest
        )
        self.members: set[Var] = set()
        self.kept: set[Var] = set()  # members of classes that stay in arrays
        self.flowing: set[Var] = set()  # ... that a loop, branch or tape hands on
        self.touched: set[Var] = set()  # ... that an operation on elements makes or reads
        self.open: set[Var] = set()  # lists of which something else is read than the elements one by one
        self.appended: list[tuple[Var, Arg]] = []
        self.zipped: list[tuple[Var, tuple[Var, ...]]] = []
        self.slots: dict[Var, int] = {}
        for var in function.params:
            self.add(var)
            self.open.add(var)
        for op in walk(function.body):
            self.statement(op)
        self.open.update(variables(*function.body.results))
        self.tapes()
        self.decide()

    def scalar(self, var: Var) -> bool:
        """Whether a Var becomes scalars."""
        return self.small(var) and self.union.find(var) not in self.kept

    def small(self, var: Var) -> bool:
        return is_small(var.type, self.limit)

    # ----- what flows where
    def add(self, var: Var) -> None:
        if self.small(var) or isinstance(var.type, ListOf):
            self.members.add(var)

    def statement(self, op: Statement) -> None:
        for var in op.outs:
            self.add(var)
        if isinstance(op, Op):
            self.operation(op)
        elif isinstance(op, If):
            for out, *results in zip(op.outs, op.then.results, op.orelse.results, strict=True):
                self.flow(out, results)
            self.open.update(variables(op.cond))
        else:
            for param, out, init, result in zip(
                op.params, op.outs, op.inits, op.body.results[op.stops :], strict=True
            ):
                self.add(param)
                self.flow(out, [param, init, result])
            if isinstance(op, While):
                self.open.update(variables(*op.cond.results))
            else:
                self.items(op)

    def items(self, op: For) -> None:
        for source, vars in op.items:
            for var in vars:
                self.add(var)
            self.flowing.update(vars)
            if isinstance(source, Var):
                self.zipped.append((source, vars))
            else:
                self.keep(vars)
                self.open.update(vars)

    def operation(self, op: Op) -> None:
        if op.fn is list_append and isinstance(op.args[0], Var):
            self.union.join(op.out, op.args[0])
            self.appended.append((op.args[0], op.args[1]))
            return
        self.open.update(variables(*op.args, *op.kwargs.values()))
        self.open.update(op.outs)
        first = op.args[0] if op.args else None
        if op.fn in SAME and isinstance(first, Var) and self.small(first) and first.type == op.out.type:
            self.union.join(op.out, first)
        if op.fn in INDEXED and constant(op.args[1]) is UNKNOWN:
            self.keep([op.out if INDEXED[op.fn] else first])
        elif op.fn not in (builtin.assign, builtin.copy, builtin.own) and self.has_form(op):
            self.touched.update(op.outs)
            self.touched.update(variables(*op.args))

    def keep(self, args: Iterable[Any]) -> None:
        self.kept.update(a for a in args if isinstance(a, Var))

    def flow(self, out: Var, sources: Iterable[Arg]) -> None:
        """``out`` takes the values of these."""
        self.flowing.add(out)
        for source in sources:
            if isinstance(out.type, Array) and isinstance(source, Var) and isinstance(source.type, Array):
                self.mixed |= source.type.dtype != out.type.dtype
            if isinstance(source, Var) and source.type == out.type:
                self.union.join(out, source)
            elif isinstance(source, Var) or self.small(out) and not _is_none(source):
                self.keep([out, source])
                self.open.update([out, *variables(source)])
            elif isinstance(out.type, ListOf) and not (isinstance(source, Seq) and not source.items):
                self.open.update([out, *variables(source)])

    # ----- tapes
    def tapes(self) -> None:
        """Join what is put on each tape with what is taken from it."""
        while self.tape_round():
            pass
        count = -1
        while count != (count := len(self.closed_roots())):
            for var, element in self.appended:
                if self.is_open(var):
                    self.open.update(variables(element))
            for var, vars in self.zipped:
                if self.is_open(var):
                    self.open.update(vars)

    def closed_roots(self) -> set[Var]:
        opened = {self.union.find(v) for v in self.open}
        return {self.union.find(v) for v in self.members if isinstance(v.type, ListOf)} - opened

    def is_open(self, var: Var) -> bool:
        root = self.union.find(var)
        return any(self.union.find(v) is root for v in self.open if isinstance(v.type, ListOf))

    def tape_round(self) -> bool:
        """Join the elements at equal places of each tape; whether anything was joined."""
        places: dict[Var, list[tuple[Arg, ...]]] = defaultdict(list)
        for var, element in self.appended:
            seq = isinstance(element, Seq) and element.kind is tuple and len(element.items) > 1
            places[self.union.find(var)].append(element.items if seq else (element,))  # type: ignore[union-attr]
        for var, vars in self.zipped:
            places[self.union.find(var)].append(vars)
        changed = False
        for root, rows in places.items():
            if len({len(row) for row in rows}) > 1:
                if root not in self.open:
                    self.open.add(root)
                    changed = True
                continue
            self.slots[root] = len(rows[0])
            self.open.update(v for row in rows for a in row if not isinstance(a, Var) for v in variables(a))
            for column in zip(*rows, strict=True):
                changed |= self.column(column)
        return changed

    def column(self, column: tuple[Arg, ...]) -> bool:
        vars = [a for a in column if isinstance(a, Var) and (self.small(a) or isinstance(a.type, ListOf))]
        if not vars:
            return False
        self.members.update(vars)
        self.flowing.update(vars)
        if any(not isinstance(a, Var) or a.type != vars[0].type for a in column):
            self.keep(vars)
            self.open.update(vars)
            return False
        return any([self.union.join(vars[0], v) for v in vars[1:]])

    # ----- decisions
    def decide(self) -> None:
        opened = {self.union.find(v) for v in self.open if isinstance(v.type, ListOf)}
        self.closed = {self.union.find(v) for v in self.slots} - opened
        for var, element in self.appended:
            if self.union.find(var) not in self.closed:
                self.open.update(variables(element))
        self.slots = {self.union.find(v): n for v, n in self.slots.items()}
        for var, vars in self.zipped:
            if self.union.find(var) not in self.closed:
                self.keep(vars)
        kept = {self.union.find(v) for v in self.kept}
        flowing = {self.union.find(v) for v in self.flowing if self.small(v)}
        kept |= flowing - {self.union.find(v) for v in self.touched}
        self.kept = kept

    def tape_slots(self, var: Arg) -> int | None:
        """How many values an element of a tape holds whose elements are taken apart; None of other lists."""
        if not isinstance(var, Var):
            return None
        root = self.union.find(var)
        return self.slots[root] if root in self.closed else None

    def flat(self, var: Var) -> list[Type]:
        """The types of what stands for a Var: its own, or one for each element."""
        if self.scalar(var):
            assert isinstance(var.type, Array)
            return [scalar_type(var.type.dtype) for _ in range(size(var.type))]
        return [var.type]

    def retype_tapes(self) -> None:
        """Give the tapes the types that they have when small arrays on them are scalars."""
        columns: dict[Var, list[Arg]] = {}
        for var, vars in self.zipped:
            if self.tape_slots(var) is not None:
                columns.setdefault(self.union.find(var), list(vars))
        for var, element in self.appended:
            n = self.tape_slots(var)
            if n is not None:
                row = list(element.items) if n > 1 and isinstance(element, Seq) else [element]
                columns.setdefault(self.union.find(var), row)
        types: dict[Var, Type] = {}

        def type_of(arg: Any) -> list[Type]:
            if isinstance(arg, Var) and self.union.find(arg) in columns:
                return [tape_type(self.union.find(arg))]
            from ..frontend.builder import type_of_arg

            return self.flat(arg) if isinstance(arg, Var) else [type_of_arg(arg)]

        def tape_type(root: Var) -> Type:
            if root not in types:
                items = [t for arg in columns[root] for t in type_of(arg)]
                types[root] = ListOf(items[0] if len(items) == 1 else TupleOf(tuple(items)))
            return types[root]

        for var in self.members:
            root = self.union.find(var)
            if root in columns and isinstance(var.type, ListOf):
                tape_type(root)
        for var in self.members:
            root = self.union.find(var)
            if root in columns and isinstance(var.type, ListOf):
                var.type = types[root]


def _is_none(arg: Arg) -> bool:
    return isinstance(arg, Lit) and arg.value is None
