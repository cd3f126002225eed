"""Which of the lists that the user's program keeps can be arrays?

``Lists(function, rows_like)``. Asked by ``lists_as_arrays``. Lists that meet in a loop, a branch or an
operation become arrays together or not at all: if something is done to one of them for which there is no form
here, they stay lists.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from ...rules import containers, helpers
from ..arrays.lengths import is_number
from ..frontend.builder import type_of_arg
from ..ir import builtin
from ..ir.alternatives import alternatives, is_mixed, one_of
from ..ir.dims import Dim
from ..ir.mixed_numbers import own_and_numpys
from ..ir.ops import Arg, Block, For, Function, If, Lit, Op, Seq, Var, operands, variables
from ..ir.types import CLASSES, KINDS, NOTHING, Array, ListOf, Scalar, dtype_of
from .joined_lists import joining

Kind = Scalar | Array
LENGTHS = {len, containers.list_len}
GIVEN = {containers.list_given, containers.list_column}
"""What stands at the beginning of a program for a list that it is given."""
EXTREMA = {builtins.max, builtins.min}
ROWS = {containers.array_from_list, np.stack}
_SEQUENCES = {  # to which a list is several arrays, and an array may be something else
    *(np.concatenate, np.hstack, np.vstack, np.dstack, np.column_stack, np.block, np.histogramdd),
}
_ALIKE = {containers.list_zeros_like, containers.list_reverse, containers.list_pop}  # which fit any list


class Lists:
    """Groups lists that meet. ``elements``: the type of what each group holds; None where it stays a list."""

    def __init__(self, function: Function, rows_like: Collection[Any] = ()) -> None:
        self.rows_like = rows_like
        self.leaders: dict[Var, Var] = {}
        self.unfit: set[Var] = set()
        self.whole: set[Var] = set()  # those with ints that a float may not hold
        self.vectors: set[Var] = set()  # those that become arrays of the dtype that all elements have
        self.params = function.params
        self.forbid(function.params)
        self.block(function.body)
        self.leave(function.body.results)
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

    def leave(self, results: Sequence[Arg]) -> None:
        """Lists that the function returns."""
        self.forbid(variables(*results))

    def element(self, members: Sequence[Var]) -> Kind | None:
        """What a group holds, if all hold the same, and all that is done to them has a form."""
        kinds = {m.type.element for m in members if isinstance(m.type, ListOf)} - {NOTHING}
        if not kinds or not self.unfit.isdisjoint(members):
            return None
        kind = _numbers(kinds) if len(kinds) > 1 else next(iter(kinds))
        if not isinstance(kind, (Scalar, Array)) or kind.kind not in CLASSES:
            return None
        if isinstance(kind, Scalar):
            if kind.kind != "int" and not self.whole.isdisjoint(members):
                return None
            if len({dtype_of(t) for t in alternatives(kind)}) > 1 and not self.vectors.isdisjoint(members):
                return None
            return kind if not is_mixed(kind) or of_two(kind) else None
        known = all(isinstance(dim, int) or _is_argument(dim, self.params) for dim in kind.shape or ())
        return kind if kind.shape and known and not is_mixed(kind) else None

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
        if op.fn in GIVEN:
            self.leader(op.outs[0])
            return
        self.meet(held)
        if takes_array(op) or op.fn in ROWS:
            self.vectors.update(held)
        if not self.has_form(op) or op.kwargs and not (takes_array(op) or joining(op, self.rows_like)):
            self.forbid(held)

    def has_form(self, op: Op) -> bool:
        """Whether the operation is one on lists and array of rows that the conversion has."""
        fn, args = op.fn, op.args
        if fn is builtin.make_list:
            return all(self.fits(item, op.out, op.adjoint) for item in args)
        if joining(op, self.rows_like) is not None:
            return True
        if fn in self.rows_like and len(args) > 1:
            return _has_rows(args[0], args[1]) and all(is_number(axis, 0) for axis in args[2:])
        if takes_array(op):
            return True
        if not args or not isinstance(args[0], Var):  # several lists, or what needs none
            return False
        if fn is containers.list_append:
            return self.fits(args[1], op.out, op.adjoint)
        if fn is containers.list_get:
            return _is_place(args[1])
        if fn is containers.list_add_at:
            return _can_be_added(args[2], op.out) and _is_place(args[1])
        if fn in (containers.list_set, containers.list_put):
            return self.fits(args[2], op.out, op.adjoint) and _is_place(args[1])
        if fn in (containers.list_remove, containers.list_place):
            return _is_place(args[1])
        if fn is containers.list_slice:
            return all(map(_is_place_or_none, args[1:3])) and isinstance(args[3], Lit)
        if fn is containers.list_set_slice:  # a cotangent's: the lengths are equal
            return op.adjoint and isinstance(args[4], Var)
        if fn is builtins.sum or fn in EXTREMA:
            kind = args[0].type.element if isinstance(args[0].type, ListOf) else None
            known = isinstance(kind, Scalar) or isinstance(kind, Array) and fn is builtins.sum
            return known and len(args) < (3 if fn is builtins.sum else 2)
        if fn is containers.list_fill:
            return self.fits(args[1], op.out, op.adjoint)
        if fn is containers.list_repeat:
            kind = args[0].type.element if isinstance(args[0].type, ListOf) else None
            return isinstance(kind, Scalar) and _is_place(args[1])
        if fn in (containers.list_concat, containers.list_add):
            return isinstance(args[1], Var)
        if fn in ROWS:
            return len(args) == 1 and _has_rows(op.out, args[0])
        return fn in LENGTHS or fn in _ALIKE

    def fits(self, value: Arg, held: Var, adjoint: bool = False) -> bool:
        """Whether a value is one that the list holds, and no other; cotangents may be Python's or NumPy's."""
        assert isinstance(held.type, ListOf)
        kind, type = held.type.element, type_of_arg(value)
        if adjoint and all(
            isinstance(t, Scalar) and t.kind == "float" and not is_mixed(t) for t in (kind, type)
        ):
            return dtype_of(kind) == dtype_of(type)
        if isinstance(value, Lit):
            return isinstance(kind, Scalar) and type_of_arg(value) in alternatives(kind)
        if not isinstance(value, Var) or not isinstance(kind, Scalar) or not isinstance(value.type, Scalar):
            return isinstance(value, Var) and value.type == kind
        if value.type.kind == "int":
            self.whole.add(held)
        return set(alternatives(value.type)) <= set(alternatives(kind))


def takes_array(op: Op) -> bool:
    """Whether a function of NumPy takes lists of numbers, or of arrays of one shape, as the array of them."""
    if op.effect or any(isinstance(out.type, ListOf) for out in op.outs):
        return False
    for held in variables(*operands(op)):
        if isinstance(held.type, ListOf):
            known = isinstance(held.type.element, (Scalar, Array))
            if not known or not any(held is arg for arg in op.args):
                return False
    if op.fn in helpers.METADATA:
        return op.fn not in LENGTHS
    module = getattr(op.fn, "__module__", None) or ""
    if module == "_operator":
        return all(isinstance(out.type, Array) for out in op.outs)
    return (module.startswith("numpy") or isinstance(op.fn, np.ufunc)) and op.fn not in _SEQUENCES


def _can_be_added(value: Arg, held: Var) -> bool:
    """Whether a cotangent plus a value is one that the list can hold."""
    assert isinstance(held.type, ListOf)
    kind, type = held.type.element, type_of_arg(value)
    if isinstance(kind, Scalar) and isinstance(type, Scalar):
        return type.dtype is None and type.kind != "complex" or dtype_of(type) == dtype_of(kind)
    return type == kind


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


def _is_argument(dim: Dim, params: Sequence[Var]) -> bool:
    """Whether an argument of the function has the length."""
    return any(dim in (p.type.shape or ()) for p in params if isinstance(p.type, Array))


def _numbers(kinds: Collection[Any]) -> Scalar | None:
    """One type for numbers of several."""
    if not all(isinstance(kind, Scalar) for kind in kinds):
        return None
    widest = max(kinds, key=lambda kind: (KINDS.index(kind.kind), kind.dtype is not None))
    return one_of(widest, kinds)  # type: ignore[return-value]


def of_two(kind: Kind) -> bool:
    """Whether a number is Python's own or NumPy's, and a NumPy number can stand for either.

    >>> double = Scalar("float", np.dtype("d"))
    >>> of_two(one_of(double, (double, Scalar("int")))), of_two(double)
    (True, False)
    """
    classes = own_and_numpys(kind)
    dtype = np.dtype(kind.kind)
    return classes is not None and classes[0] in (int, CLASSES[kind.kind]) and classes[1] is dtype.type
