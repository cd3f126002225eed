"""How do contributions to a cotangent come together?

One ``Cotangents`` per region holds the cotangent of each value so far, as an Arg; no entry means zero. A
contribution is first fitted to its value (summed over broadcast axes, real for a real value, of its dtype)
and then added. What is scattered into an array is added at the index: a loop adds O(slice) in each pass.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...rules import containers, dicts, helpers
from ...rules.nested_lists import with_sum
from ...rules.of_dtypes import of_dtypes
from ..analysis.activity import Activity
from ..analysis.invariants import BrokenInvariant, cotangent_fault
from ..frontend.builder import Builder, type_of_arg
from ..ir.alternatives import alternatives, is_mixed, is_open, one_of, types_of, wide_enough
from ..ir.builtin import tuple_get
from ..ir.ops import Arg, Lit, Op, Seq, Statement, Var, atoms
from ..ir.types import (
    Array,
    DictOf,
    Dim,
    ListOf,
    Optional,
    Scalar,
    TupleOf,
    Type,
    carries_derivative,
    differs_from_one,
    dtype_of,
    kind_of,
)
from ..simplify.view_indices import compose
from .precision import as_constant, as_held, is_constant_of_pythons, item_of, wanted, wanted_within

CONTAINERS = ListOf, DictOf, TupleOf
SINGLE = np.dtype(np.float32), np.dtype(np.complex64)


@dataclass
class Sum:
    """Zeros to which values were added at indices.

    ``first`` is the operation that added the first one, as long as one value alone has the sum.
    """

    terms: list[tuple[Arg, Arg]]
    first: Statement | None = None


class Cotangents:
    """The cotangents of one region. ``local``: the Vars of the region (None: of everything); ``outer`` gives
    the cotangent so far of another Var when a region first adds to it, or None for zero."""

    def __init__(
        self,
        builder: Builder,
        activity: Activity,
        undefined: set[Var],
        local: Iterable[Var] | None = None,
        outer: Callable[[Var], Arg | None] | None = None,
    ) -> None:
        self.builder = builder
        self.activity = activity
        self.undefined = undefined
        self.local = None if local is None else set(local)
        self.outer = outer
        self.values: dict[Var, Arg] = {}
        self.touched: dict[Var, Arg | None] = {}
        self.sums: dict[Arg, Sum] = {}

    def extend(self, variables: Iterable[Var]) -> None:
        """Make more Vars the region's own."""
        if self.local is not None:
            self.local.update(variables)

    def get(self, var: Var) -> Arg | None:
        """The cotangent so far; None for zero."""
        if (
            var not in self.values
            and self.local is not None
            and var not in self.local
            and var not in self.touched
        ):
            assert self.outer is not None
            self.touched[var] = base = self.outer(var)
            if base is not None:
                self.values[var] = base
        return self.values.get(var)

    def take(self, var: Var) -> Arg | None:
        """The final cotangent of a Var of this region, which is about to be propagated.

        From now on it may be the cotangent of several values, and is read: no sum in it is changed any more.
        """
        bar = self.values.pop(var, None)
        if bar in self.sums:
            self.sums[bar] = Sum(self.sums[bar].terms)
        return bar

    def add(self, arg: Arg, bar: Any, broadcast: bool = False) -> None:
        """Add a contribution to what an argument refers to; ``broadcast``: it may have a larger shape."""
        if bar is None or isinstance(bar, Lit) and bar.value is None or not self.activity.of(arg):
            return
        if isinstance(arg, Seq):
            bar = self.unstretched(bar, arg) if broadcast else bar
            for item, part in zip(arg.items, self.parts(bar, len(arg.items), item_types(arg)), strict=True):
                self.add(item, part, broadcast)
        elif isinstance(arg, Var):
            if isinstance(bar, (tuple, list)):
                bar = Seq(tuple(Lit(None) if b is None else b for b in bar), type(bar))
            self.accumulate(arg, self.fit(bar, arg, broadcast))

    def parts(self, bar: Any, length: int, types: list[Type]) -> list[Any]:
        """The cotangents of the items of a display."""
        if isinstance(bar, (tuple, list)):
            return list(bar)
        if isinstance(bar, Seq):
            return list(bar.items)
        of_tuple = isinstance(bar, Var) and isinstance(bar.type, TupleOf)
        fn = (
            tuple_get
            if of_tuple
            else containers.list_get
            if isinstance(type_of_arg(bar), ListOf)
            else operator.getitem
        )
        whole = type_of_arg(bar)
        held = whole.items if isinstance(whole, TupleOf) else [item_of(whole)] * length
        return [
            self.builder.opaque(fn, (bar, Lit(i)), as_held(cotangent_type(types[i]), held[i]))
            if carries_derivative(types[i])
            else None
            for i in range(length)
        ]

    def accumulate(self, var: Var, bar: Arg) -> None:
        """Add a contribution of the right shape to the cotangent of ``var``."""
        fault = cotangent_fault(var.type, type_of_arg(bar))
        if fault is not None:
            raise BrokenInvariant(f"the cotangent of `{var.hint or var!r}`", self.builder.span, fault)
        before = self.get(var)
        scattered = self._scattered(var, bar)
        if scattered is not None:
            after = self._added_at(var, before, *scattered)
        elif before is not None and isinstance(before, Var) and self._rebased(before, bar):
            after = before
        else:
            after = bar if before is None else self.sum(before, bar, var.type)
        self._put(var, after)

    def add_entry(self, var: Arg, key: Arg, bar: Arg) -> None:
        """Add to the cotangent of a dict at a key."""
        if self.activity.of(var):
            assert isinstance(var, Var)
            before = self.get(var)
            args = (self.zeros(var) if before is None else before, key, bar)
            self._put(var, self.builder.opaque(dicts.dict_add_at, args, cotangent_type(var.type)))

    def add_within(self, var: Arg, path: Arg, bar: Arg) -> None:
        """Add to the cotangent of a list of lists at a path."""
        if self.activity.of(var):
            assert isinstance(var, Var)
            before = self.get(var)
            args = (self.zeros(var) if before is None else before, path, bar)
            self._put(var, self.builder.opaque(with_sum, args, cotangent_type(var.type)))

    def _put(self, var: Var, after: Arg) -> None:
        if isinstance(after, Var) and self._is_last(after):  # what another region made may be another's, too
            if after.hint is None and var.hint is not None:
                after.hint = bar_hint(var)
            if after.cotangent_of is None:
                after.cotangent_of = var.type
        self.values[var] = after

    def _is_last(self, var: Var) -> bool:
        ops = self.builder.block.ops
        return bool(ops) and var in ops[-1].outs

    def _scattered(self, var: Var, bar: Arg) -> tuple[Any, Arg, Arg] | None:
        """What to add with, the index and the value, where the contribution was just made by
        ``scatter(var, index, value)`` or, for a list, as zeros with one element set."""
        recent: dict[Arg, Op] = {
            op.outs[0]: op for op in self.builder.block.ops[-8:] if isinstance(op, Op) and len(op.outs) == 1
        }
        op = recent.get(bar)
        if op is None:
            return None
        if op.fn is helpers.scatter and op.args[0] is var:
            return helpers.add_at, op.args[1], op.args[2]
        zeros = recent.get(op.args[0]) if op.fn is containers.list_set else None
        if zeros is not None and zeros.fn is containers.list_zeros_like and zeros.args[0] is var:
            return containers.list_add_at, op.args[1], op.args[2]
        return None

    def _added_at(self, var: Var, before: Arg | None, fn: Any, index: Arg, value: Arg) -> Arg:
        """The operations that add ``value`` at ``index``; zeros with parts added are taken apart."""
        inner = self.sums.get(value) if fn is helpers.add_at else None
        terms = [(compose(self.builder, index, part), v) for part, v in inner.terms] if inner else []
        if not terms or any(part is None for part, _ in terms):
            terms = [(index, value)]
        after: Arg = self.zeros(var) if before is None else before
        total = Sum([]) if before is None else self.sums.get(before)
        for part, v in terms:
            assert part is not None
            after = self.builder.opaque(fn, (after, part, v), cotangent_type(var.type))
            if total is not None:
                first = total.first if total.terms else self.builder.block.ops[-1]
                total = Sum([*total.terms, (part, v)], first)
                self.sums[after] = total
        return after

    def _rebased(self, before: Var, bar: Arg) -> bool:
        """Let a sum that began with zeros begin with this contribution, if that was there already."""
        total, ops = self.sums.pop(before, None), self.builder.block.ops
        first = None if total is None else total.first
        if not isinstance(first, Op) or not isinstance(bar, Var) or bar.type != first.out.type:
            return False
        position = next((i for i, op in enumerate(ops) if op is first), None)
        if position is None or any(bar in op.outs for op in ops[position:]):
            return False
        first.args = (bar, *first.args[1:])
        return True

    def sum(self, a: Arg, b: Arg, type: Type) -> Arg:
        """The sum of two cotangents of a value."""
        if isinstance(type, ListOf):
            return self.builder.opaque(containers.list_add, (a, b), type)
        if isinstance(type, DictOf):
            return self.builder.opaque(dicts.dict_add, (a, b), type)
        if isinstance(a, Seq) or isinstance(b, Seq):
            types = item_types(a if isinstance(a, Seq) else b)
            length = len(types)
            pairs = zip(self.parts(a, length, types), self.parts(b, length, types), types, strict=True)
            return Seq(tuple(self._sum_or_none(x, y, t) for x, y, t in pairs), tuple)
        if isinstance(type, TupleOf):
            return self.builder.opaque(containers.add, (a, b), type)
        return self.builder.op(operator.add, a, b)

    def _sum_or_none(self, a: Arg | None, b: Arg | None, type: Type) -> Arg:
        if a is None or isinstance(a, Lit) and a.value is None:
            return Lit(None) if b is None else b
        return a if b is None or isinstance(b, Lit) and b.value is None else self.sum(a, b, type)

    def zeros(self, var: Var) -> Arg:
        """The zero cotangent of a value, emitted here."""
        type = var.type
        if isinstance(type, Scalar):
            return zero_number(type)
        if isinstance(type, DictOf):
            return self.builder.opaque(dicts.dict_empty, (), type)
        if isinstance(type, ListOf) and var not in self.undefined:
            return self.builder.opaque(containers.list_zeros_like, (var,), cotangent_type(type))
        plain = isinstance(type, Array) and type.shape is not None and not is_mixed(type)
        if plain and var not in self.undefined:
            return self.builder.opaque(np.zeros_like, (var,), type)
        zero = self.builder.opaque(helpers.zero_like, (var,), cotangent_type(type))
        self.inherit(var, zero)
        return zero

    def inherit(self, var: Var, bar: Arg) -> None:
        """Note that a cotangent may be the number 0, as its value may be missing: nobody reads its shape."""
        if var in self.undefined:
            self.undefined.update(v for v in atoms(bar) if isinstance(v, Var))

    def complete(self, bar: Arg | None, var: Var) -> Arg:
        """The cotangent with every zero in it made explicit, as what a loop carries or a list holds."""
        if bar is None or isinstance(bar, Lit) and bar.value is None:
            return self.zeros(var) if carries_derivative(var.type) else Lit(None)
        if (
            isinstance(bar, Seq)
            and isinstance(var.type, TupleOf)
            and any(isinstance(item, Lit) and item.value is None for item in bar.items)
        ):
            if var in self.undefined:  # there may be no tuple
                return self.builder.opaque(containers.add, (self.zeros(var), bar), var.type)
            places = enumerate(zip(bar.items, var.type.items, strict=True))
            return Seq(tuple(self.completed_place(item, var, k, type) for k, (item, type) in places), tuple)
        return bar

    def completed_place(self, bar: Arg, var: Var, k: int, type: Type) -> Arg:
        """The cotangent of the ``k``-th item of a tuple."""
        zero = isinstance(bar, Lit) and bar.value is None
        if not isinstance(bar, Seq) and not (zero and carries_derivative(type)):
            return bar
        return self.complete(bar, self.builder.opaque(tuple_get, (var, Lit(k)), type))

    def fit(self, bar: Arg, var: Var, broadcast: bool) -> Arg:
        """The contribution with the shape of ``var``, real if ``var`` is, and of its dtype."""
        if broadcast:
            bar = self.unbroadcast(bar, var)
        if isinstance(bar, Seq):
            return bar
        if isinstance(var.type, ListOf) and isinstance(type_of_arg(bar), Array):
            return self.builder.opaque(helpers.list_from_array, (bar, var), var.type)
        there = var.type.value if isinstance(var.type, Optional) else var.type
        if isinstance(there, Scalar) and isinstance(bar, Var) and isinstance(bar.type, Array):
            if bar.type.shape != ():  # checked when it runs: a number's is a number
                bar = self.builder.opaque(np.reshape, (bar, Seq(())), Array(bar.type.dtype, ()))
            bar = self.builder.op(operator.getitem, bar, ())  # no window, to which another part is added
        if kind_of(var.type) == "float" and kind_of(type_of_arg(bar)) == "complex":
            bar = self.builder.op(np.real, bar)
        bar = self.converted(bar, var.type)
        if kind_of(var.type) == "complex" and kind_of(type_of_arg(bar)) != "complex":
            bar = self.builder.op(complex, bar) if isinstance(var.type, Scalar) else bar
        return bar

    def converted(self, bar: Arg, type: Type) -> Arg:
        """The contribution, or what is in it, of the dtypes that values of the type have."""
        if isinstance(type, CONTAINERS) and isinstance(bar, Var):
            dtypes = wanted_within(bar.type, type)
            if any(one.value is not None for one in atoms(dtypes) if isinstance(one, Lit)):
                bar = self.builder.opaque(of_dtypes, (bar, dtypes), cotangent_type(type))
            return bar
        dtype = None if is_constant_of_pythons(bar) else wanted(type_of_arg(bar), type)
        if dtype is None:
            return bar
        return (
            as_constant(bar, dtype)
            if isinstance(bar, Lit)
            else self.builder.op(helpers.astype, bar, Lit(dtype))
        )

    def unstretched(self, bar: Any, display: Seq) -> Any:
        """The contribution to a display that was an operand as an array: ``x + [s]`` stretches it."""
        shape = _shape(type_of_arg(bar)) if isinstance(bar, Var) else ()
        numbers = all(isinstance(type, Scalar) for type in item_types(display))
        if shape == () or shape is not None and len(shape) == 1 and numbers and len(display.items) != 1:
            return bar
        return self.builder.op(helpers.unbroadcast, bar, display)

    def unbroadcast(self, bar: Arg, var: Var) -> Arg:
        """Sum over the axes along which ``var`` was stretched; statically where the types tell which."""
        have, want = _shape(type_of_arg(bar)), _shape(var.type)
        if have is None or want is None:
            return self.builder.op(helpers.unbroadcast, bar, var)
        if not want:
            return self.builder.op(np.sum, bar) if have else bar
        extra = len(have) - len(want)
        if extra < 0:  # a constant contribution to every element
            return self.builder.op(helpers.broadcast_like, bar, var)
        pairs = list(zip(have[extra:], want, strict=True))
        if not all(w == 1 or h == w or differs_from_one(w) for h, w in pairs):
            return self.builder.op(helpers.unbroadcast, bar, var)
        if extra:
            bar = self.builder.op(np.sum, bar, axis=_axes(range(extra)))
        stretched = [i for i, (h, w) in enumerate(pairs) if w == 1 and h != 1]
        return self.builder.op(np.sum, bar, axis=_axes(stretched), keepdims=True) if stretched else bar


def zero_number(type: Scalar) -> Lit:
    """The zero cotangent of a number; a float of Python times an integer of NumPy would be a double."""
    zero = 0j if type.kind == "complex" else 0.0
    dtype = dtype_of(type) if type.dtype is not None else None
    return Lit(dtype.type(zero) if dtype in SINGLE else zero)


def _axes(axes: Iterable[int]) -> Any:
    axes = tuple(axes)
    return axes[0] if len(axes) == 1 else axes


def _shape(type: Type) -> tuple[Dim | int, ...] | None:
    return () if isinstance(type, Scalar) else type.shape if isinstance(type, Array) else None


def item_types(arg: Arg) -> list[Type]:
    """The types of the items of a display."""
    assert isinstance(arg, Seq)
    return [type_of_arg(item) for item in arg.items]


def _among_others(type: Type) -> Type:
    """The type of the cotangents of elements; what carries no derivative keeps its own: nobody reads it."""
    if isinstance(type, TupleOf):
        return replace(type, items=tuple(map(_among_others, type.items)))
    if isinstance(type, (ListOf, DictOf)) or isinstance(type, Optional) and carries_derivative(type):
        return cotangent_type(type)
    return type


def cotangent_type(type: Type) -> Type:
    """The type of the cotangent of a value; that of None is a number."""
    if isinstance(type, Optional):
        inner = cotangent_type(type.value)
        return replace(inner, shape=None) if isinstance(inner, Array) else inner
    if isinstance(type, ListOf):
        return ListOf(_among_others(type.element))
    if isinstance(type, DictOf):
        return replace(type, element=_among_others(type.element))
    if not isinstance(type, (Scalar, Array)) or type.kind == "other":
        return type
    if type.kind in ("bool", "int"):  # what stands on another path in its place, or a zero
        return Array(np.dtype(float), type.shape) if isinstance(type, Array) else Scalar("float")
    plain = Array(type.dtype, type.shape) if isinstance(type, Array) else Scalar(type.kind, type.dtype)
    if isinstance(plain, Array) and plain.shape is None:  # the zero of integers has their axes
        return one_of(plain, map(cotangent_type, types_of(type)) if is_open(type) else ())
    return one_of(plain, [t for t in alternatives(type) if kind_of(t) in ("float", "complex")])


def bar_hint(var: Var) -> str | None:
    """The name of a value's cotangent."""
    return None if var.hint is None else f"{var.hint if var.hint.strip('_') else 'unnamed'}_bar"


def common_type(types: Iterable[Type]) -> Type:
    """A type that holds for all of them: equal lengths stay, others become unknown."""
    return functools.reduce(_either, map(cotangent_type, types))


def _either(first: Type, other: Type) -> Type:
    """The type of a cotangent that has one of two types; None stands for no cotangent."""
    if other == first or not carries_derivative(other):
        return first
    if not carries_derivative(first):
        return other
    if isinstance(first, ListOf) and isinstance(other, ListOf):
        return ListOf(_either(first.element, other.element))
    if isinstance(first, DictOf) and isinstance(other, DictOf):
        return replace(first, element=_either(first.element, other.element))
    if isinstance(first, TupleOf) and isinstance(other, TupleOf) and len(first.items) == len(other.items):
        return replace(first, items=tuple(map(_either, first.items, other.items)))
    if isinstance(first, (Scalar, Array)) and isinstance(other, (Scalar, Array)):
        arrays = isinstance(first, Array) or isinstance(other, Array)
        if first.kind == other.kind or arrays and "other" not in (first.kind, other.kind):
            return one_of(wide_enough(first, other), (first, other))
    elif isinstance(first, Array) or isinstance(other, Array):
        dtype = dtype_of(first)
        return Array(np.dtype(float) if dtype is None else dtype, None)
    return first
