"""How is one operation on elements emitted so that it computes what NumPy computes on arrays?

An array's dtype decides what its arithmetic is; a Python number has no dtype. So a literal or number that
stands for an element is made a NumPy scalar wherever that changes the result's type, or what division by zero
does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..frontend.builder import type_of_arg
from ..frontend.types.dummies import InferenceError
from ..frontend.types.infer import COMPARISONS, result_type
from ..ir.ops import NOWHERE, UNKNOWN, Arg, Block, If, Lit, Op, Seq, Span, Statement, Var
from ..ir.types import Array, Scalar, Type, kind_of
from ..simplify.patterns import ADD, MULTIPLY, SUBTRACT
from .small_classes import constant, scalar_type

DEFAULT = {"float": np.dtype(float), "complex": np.dtype(complex)}
# On Python's floats and complex numbers these do what they do on NumPy's.
ALIKE = {operator.add, operator.sub, operator.mul, operator.neg, operator.pos}


Elements = Any  # an array of dtype object: an Arg each


class NoForm(Exception):
    """The operation can't be done on elements."""


def blank(shape: Any) -> Elements:
    """Room for elements."""
    return np.empty(shape, object)


def broadcast(elements: Elements, shape: Any) -> Elements:
    """The elements stretched to a shape."""
    return np.broadcast_to(elements, shape)


def one(arg: Arg) -> Elements:
    """A number as an array of no dimensions."""
    out = blank(())
    out[()] = arg
    return out


def map_elements(change: Callable[..., Arg], *arrays: Elements) -> Elements:
    """``change`` of the elements at each place, once for equal ones."""
    arrays = tuple(np.broadcast_arrays(*arrays))
    out, seen = blank(arrays[0].shape), {}
    for place in np.ndindex(out.shape):
        args = [a[place] for a in arrays]
        key = tuple(map(id, args))
        if key not in seen:
            seen[key] = change(*args)
        out[place] = seen[key]
    return out


def known(arg: Arg | None, default: Any = None) -> Any:
    """The constant value of an argument."""
    if arg is None:
        return default
    value = constant(arg)
    if value is UNKNOWN:
        raise NoForm
    return value


def cast(w: ElementWriter, arg: Arg, want: np.dtype) -> Elements:
    """The elements of an argument, converted."""
    elements, have = w.data(arg)
    if have == want:
        return elements
    return map_elements(lambda e: w.convert(e, have, want), elements)


def _of_kind(arg: Arg, type: Type) -> Arg:
    """A whole number that is written in the place of a float is one, as it is in an array."""
    whole = isinstance(arg, Lit) and isinstance(arg.value, int) and not isinstance(arg.value, bool)
    return Lit(float(arg.value)) if whole and kind_of(type) == "float" else arg  # type: ignore[union-attr]


def dtype_of_result(op: Op) -> np.dtype:
    type = op.outs[0].type
    if isinstance(type, Array):
        return type.dtype
    if isinstance(type, Scalar) and type.dtype is not None:
        return type.dtype
    raise NoForm


def stand_in(arg: Arg) -> Any:
    """What has the argument's shape."""
    if isinstance(arg, Seq):
        return arg.kind(map(stand_in, arg.items))
    type = type_of_arg(arg)
    shape = type.shape if isinstance(type, Array) else () if isinstance(type, Scalar) else None
    if shape is None or not all(isinstance(n, int) for n in shape):
        raise NoForm
    return np.broadcast_to(np.zeros((), object), shape)  # type: ignore[arg-type]


class ElementWriter:
    """Emits operations on elements, with the span of the operation that they stand for."""

    span: Span = NOWHERE
    adjoint = False

    def __init__(self) -> None:
        self.made: set[Arg] = set()  # Vars that the operation at hand gave

    def emit(self, op: Statement) -> None:
        raise NotImplementedError

    def bind(self, *variables: Var) -> None:
        raise NotImplementedError

    def data(self, arg: Arg) -> tuple[Elements, np.dtype | None]:
        """The elements of an argument, and their dtype; None for Python's own numbers."""
        raise NotImplementedError

    def is_small(self, type: Any) -> bool:
        raise NotImplementedError

    def new(self, fn: Callable[..., Any], args: Sequence[Arg], type: Type) -> Var:
        out = Var(type)
        self.made.add(out)
        self.emit(Op(fn, tuple(args), (out,), {}, self.span, False, self.adjoint))
        self.bind(out)
        return out

    def op(
        self, fn: Callable[..., Any], args: Sequence[Arg], have: Sequence[np.dtype | None], want: np.dtype
    ) -> Arg:
        """``fn(*args)``; ``have``: the dtype of the array of which each argument is an element."""
        short = self.shorter(fn, args, have, want)
        if short is not None:
            return short
        for exact in (
            lambda a, d: a,
            lambda a, d: Lit(d.type(a.value)) if isinstance(a, Lit) and d is not None else a,
        ):
            tried = [exact(a, d) for a, d in zip(args, have, strict=True)]  # type: ignore[no-untyped-call]
            type = self.type_of(fn, tried, want)
            if type is not None:
                return self.new(fn, tried, type)
        tried = [a if d is None else self.exact(a, d, True) for a, d in zip(args, have, strict=True)]
        type = self.type_of(fn, tried, want)
        if type is None:
            raise NoForm
        return self.new(fn, tried, type)

    def type_of(self, fn: Callable[..., Any], args: Sequence[Arg], want: np.dtype) -> Scalar | None:
        """The type of the result if it is what an element of ``want`` may have."""
        try:
            type = result_type(fn, tuple(args), {})
        except InferenceError:
            return None
        if not isinstance(type, Scalar):
            return None
        if type.dtype is None and fn in COMPARISONS:  # of Python's numbers: as true as of NumPy's
            return type if want == np.dtype(bool) else None
        if type.dtype is None:
            return type if fn in ALIKE and DEFAULT.get(type.kind) == want else None
        return scalar_type(want) if type.dtype == want else None

    def shorter(
        self, fn: Callable[..., Any], args: Sequence[Arg], have: Sequence[np.dtype | None], want: np.dtype
    ) -> Arg | None:
        """The value of an operation that needs none."""
        if all(isinstance(a, Lit) for a in args):
            return _folded(fn, args, have, want)
        if len(args) != 2 or want.kind not in "fc":
            return None
        for i in (0, 1):
            number, other = args[i], args[1 - i]
            if not isinstance(number, Lit) or isinstance(number.value, bool):
                continue
            if fn in MULTIPLY and number.value == 1 and have[1 - i] == want:
                return other
            if not self.adjoint or number.value != 0:
                continue
            if fn in MULTIPLY:
                return Lit(want.type(0).item())
            if have[1 - i] == want and (fn in ADD or fn in SUBTRACT and i == 1):
                return other
            if have[1 - i] == want and fn in SUBTRACT:
                return self.op(operator.neg, (other,), (want,), want)
        return None

    def select(self, cond: Arg, a: Arg, b: Arg) -> Arg:
        """``a if cond else b`` of two elements."""
        if isinstance(cond, Lit):
            return a if cond.value else b
        if a is b:
            return a
        types = [type_of_arg(x) for x in (a, b)]
        var = next((t for x, t in zip((a, b), types, strict=True) if isinstance(x, Var)), types[0])
        a, b = (_of_kind(x, var) for x in (a, b))
        out = Var(var)
        self.made.add(out)
        self.emit(If(cond, Block([], (a,)), Block([], (b,)), (out,), self.span, self.adjoint))
        self.bind(out)
        return out

    def convert(self, arg: Arg, have: np.dtype | None, want: np.dtype) -> Arg:
        """An element of an array of dtype ``have`` in an array of dtype ``want``."""
        if have == want:
            return arg
        if isinstance(arg, Lit):
            try:
                value = want.type(arg.value if have is None else have.type(arg.value))
            except (TypeError, OverflowError, ValueError) as problem:
                raise NoForm from problem
            return Lit(value.item())
        type = type_of_arg(arg)
        if have is None and isinstance(type, Scalar) and DEFAULT.get(type.kind) == want:
            return arg
        return self.exact(arg, want)

    def exact(self, arg: Arg, dtype: np.dtype, always: bool = False) -> Arg:
        """A NumPy scalar of the dtype. Literals of the reverse sweep may stay Python's unless ``always``."""
        if isinstance(arg, Lit):
            if arg.value is None:
                return arg
            value = dtype.type(arg.value)
            return Lit(value.item() if self.adjoint and not always and dtype == np.float64 else value)
        type = type_of_arg(arg)
        if not isinstance(type, Scalar):
            raise NoForm
        if type.dtype == dtype:
            return arg
        if type.kind == "complex" and dtype.kind != "c":
            arg = self.new(np.real, (arg,), Scalar("float", np.dtype(float)))
            if dtype == np.float64:
                return arg
        return self.new(dtype.type, (arg,), scalar_type(dtype))


def _folded(
    fn: Callable[..., Any], args: Sequence[Arg], have: Sequence[np.dtype | None], want: np.dtype
) -> Arg | None:
    """The value of an operation on constants, unless NumPy would warn."""
    values = [
        a.value if d is None else d.type(a.value)  # type: ignore[union-attr]
        for a, d in zip(args, have, strict=True)
    ]
    try:
        with np.errstate(all="raise"):
            result = fn(*values)
    except Exception:
        return None
    return Lit(result.item()) if getattr(result, "dtype", None) == want and np.ndim(result) == 0 else None
