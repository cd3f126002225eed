"""Which results are windows on the memory of an argument, and which arrays are surely contiguous?"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.ops import Arg, Lit, Seq, Var
from ..ir.types import Array, Scalar, kind_of
from ..rules import containers, helpers
from ..rules.registry import lookup
from .core import Core
from .probing import may_share
from .values import Arr, Lst, Tup, View

ALIASES_INPUT = {
    np.asarray,
    np.asanyarray,
    np.ascontiguousarray,
    np.asfortranarray,
    np.atleast_1d,
    np.atleast_2d,
    np.atleast_3d,
    np.require,
    np.asarray_chkfinite,
}
C_ORDERED = {
    np.zeros,
    np.ones,
    np.empty,
    np.full,
    np.arange,
    np.linspace,
    np.outer,
    np.array,
    np.concatenate,
    np.stack,
    np.vstack,
    np.eye,
    np.identity,
    np.copy,
    np.matmul,
    operator.matmul,
    np.dot,
    containers.array_from_list,
}

KEEPING_ORDER = {np.array, np.copy, np.concatenate, np.stack, np.vstack}
"""Their results lie in memory as their arguments do; of lists of numbers row by row."""
ORDERING = {np.ascontiguousarray, np.asfortranarray, np.require}
"""They return their argument, or a copy if it does not lie in memory as asked for."""
EACH = {np.broadcast_arrays, np.meshgrid, np.ix_}
"""Their results are views of one argument each."""


class Views(Core):
    # ----- which results are windows on their argument
    def mark_view(self, fn: Any, args: list[Any], kwargs: dict[str, Any], result: Any) -> Any:
        """Where the result may share memory with the first argument, remember it."""
        primitive = lookup(fn)
        bases = [a for a in (*args, *kwargs.values()) if isinstance(a, Arr)]
        if fn in KEEPING_ORDER and isinstance(result, Arr) and not all(map(self.is_contiguous, bases)):
            self.unordered.add(self.variable(result).id)
        base = bases[0] if len(bases) == 1 else args[0] if args else next(iter(kwargs.values()), None)
        if (
            primitive is None
            or not primitive.view
            or not isinstance(base, Arr)
            or not isinstance(result, (Arr, Tup, Lst))
        ):
            return result
        if not may_share(fn, tuple(map(self.arg, args)), {k: self.arg(v) for k, v in kwargs.items()}):
            return result
        if isinstance(result, Lst) and isinstance(self.state.get(result), Var):
            self.hold_element(self.pools_of(result), base)
            self.share(result.pools, "a window on an array")
            return result
        if isinstance(result, (Tup, Lst)):
            content = result.items if isinstance(result, Tup) else self.state.get(result)
            if isinstance(content, Var):  # a list of run-time length
                if self.inputs is None:
                    return result  # rules write to nothing
                raise self.unsupported(
                    "windows on an array, in a number known at run time only",
                    "writes to them could not be followed",
                    "give the number as a constant, or index the array",
                )
            owners = args if fn in EACH else [base] * len(content)
            items = tuple(self.uncertain(a, r) for a, r in zip(owners, content, strict=True))
            return Tup(items, result.cls) if isinstance(result, Tup) else Lst(items)
        type = self.read(base).type
        known = isinstance(type, Array) and type.shape is not None  # else it may get axes, or become an array
        if fn in ALIASES_INPUT and known and type == result.initial.type:  # type: ignore[union-attr]
            if fn not in ORDERING or self.has_order(base, fn):
                return base
        put = self.lens(fn, args, kwargs, result.initial.type)  # type: ignore[union-attr]
        view = Arr(
            None,
            View(
                base,
                lambda v: self.builder.op(
                    fn,
                    *(v if a is base else self.arg(a) for a in args),
                    **{k: v if a is base else self.arg(a) for k, a in kwargs.items()},
                ),
                put,
            ),
            base.foreign,
        )
        self.state.set(view, (self.read(base), result.initial))
        return view

    def has_order(self, arr: Arr, fn: Any) -> bool:
        """Whether the array certainly lies in memory as ``np.ascontiguousarray`` and its like want it."""
        vector = len(self.read(arr).type.shape or ()) == 1  # type: ignore[union-attr]
        return (vector or fn is np.ascontiguousarray) and self.is_contiguous(arr)

    def uncertain(self, base: Any, result: Any) -> Any:
        if not isinstance(result, Arr) or not isinstance(base, Arr):
            return result
        view = Arr(None, View(base, lambda v: None, None), base.foreign)
        self.state.set(view, (self.read(base), result.initial))
        return view

    def lens(self, fn: Any, args: list[Any], kwargs: dict[str, Any], type: Any) -> Any:
        """How a write through the view changes its base; None where NumPy may have made a copy."""
        if not args or not isinstance(args[0], Arr):
            return None
        base_type = self.read(args[0]).type
        reshaping = fn in (np.reshape, np.ravel) and self.is_contiguous(args[0])
        if reshaping or fn in (np.squeeze, np.expand_dims):
            return lambda v, new: self.builder.opaque(
                np.reshape, (new, self.builder.opaque(np.shape, (v,), shape_type(base_type))), v.type
            )
        if fn in (np.transpose, np.permute_dims):
            axes = self.static_value(args[1] if len(args) > 1 else kwargs.get("axes", Lit(None)))
            if axes is None:
                return lambda v, new: self.builder.opaque(np.transpose, (new,), v.type)
            if isinstance(axes, (tuple, list)):
                inverse = Seq(tuple(Lit(int(i)) for i in np.argsort(axes)), tuple)
                return lambda v, new: self.builder.opaque(np.transpose, (new, inverse), v.type)
        if fn is np.swapaxes:
            rest = tuple(map(self.arg, args[1:]))
            return lambda v, new: self.builder.opaque(np.swapaxes, (new, *rest), v.type)
        if fn is np.moveaxis:
            source, target = map(self.arg, args[1:])
            return lambda v, new: self.builder.opaque(np.moveaxis, (new, target, source), v.type)
        if fn in (np.real, np.imag) and kind_of(base_type) == "complex":
            other = np.imag if fn is np.real else np.real

            def put(v: Any, new: Any) -> Any:
                kept = self.builder.op(other, v)
                real, imag = (new, kept) if fn is np.real else (kept, new)
                return self.builder.op(operator.add, real, self.builder.op(operator.mul, imag, Lit(1j)))

            return put
        return None

    def is_contiguous(self, arr: Arr) -> bool:
        """Whether the array is certainly C-contiguous."""
        if arr.view is not None:
            parent = arr.view.parent
            index = arr.view.index
            return (
                isinstance(parent, Arr)
                and index is not None
                and self.is_contiguous(parent)
                and (all(map(is_int, parts_of(index))))
            )
        return arr.argument is None and self.built_contiguous(arr.initial)

    def built_contiguous(self, var: Any) -> bool:
        """Whether the operation that made a value allocates a C-ordered array."""
        if not isinstance(var.type, Array) or var.type.shape is None:
            return False
        if len(var.type.shape) <= 1:
            return var.id not in self.strided
        return var.id in self.c_ordered and var.id not in self.unordered

    @property
    def c_ordered(self) -> set[int]:
        found: set[int] = set()
        from ..ir.ops import Op

        for op in self.builder.block.ops:
            if isinstance(op, Op) and op.outs and op.fn in C_ORDERED:
                found.add(op.outs[0].id)
            elif (
                isinstance(op, Op)
                and op.outs
                and op.fn is helpers.setitem
                and any(isinstance(a, Var) and a.id in found for a in op.args[:1])
            ):
                found.add(op.outs[0].id)
        return found

    strided: frozenset[int] = frozenset()


def parts_of(index: Arg) -> tuple[Arg, ...]:
    return index.items if isinstance(index, Seq) and index.kind is tuple else (index,)


def is_int(part: Arg) -> bool:
    if isinstance(part, Lit):
        return isinstance(part.value, (int, np.integer)) and not isinstance(part.value, bool)
    return isinstance(part, Var) and isinstance(part.type, Scalar) and part.type.kind == "int"


def shape_type(type: Any) -> Any:
    from ..ir.types import TupleOf

    return TupleOf(tuple(Scalar("int", None, d) for d in type.shape))
