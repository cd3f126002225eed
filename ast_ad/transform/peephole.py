"""Which operations of a reverse sweep have a shorter form?

``rewrite`` returns the value that an operation has anyway, or changes the operation into a cheaper one.
Values may differ in the last bits, and in the sign of zero; types and shapes don't.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..frontend.builder import type_of_arg
from ..ir.ops import Arg, Lit, Op, Seq, Slice, Var
from ..ir.types import Array, Scalar, Type, differs_from_one, dtype_of, kind_of, rank_of
from ..rules import helpers
from ..rules.partials import power_dx
from .indices import is_basic_index


class Makers(dict[Var, Op]):
    """The operation that made each Var. ``new``: operations that a rule wants before the one it changes.
    ``find`` gives the Var that holds the result of an operation already."""

    def __init__(self, known: Mapping[Var, Op] | None = None) -> None:
        super().__init__(known or {})
        self.new: list[Op] = []
        self.find: Callable[[Op], Var | None] = lambda op: None

    def before(self, op: Op, fn: Callable[..., Any], *args: Arg, type: Type, **kwargs: Arg) -> Var:
        """The result of a new operation that will stand before ``op``."""
        made = Op(fn, args, (Var(type),), kwargs, op.span, adjoint=True)
        self.new.append(made)
        self[made.out] = made
        return made.out


MULTIPLY = {operator.mul, np.multiply}
ADD = {operator.add, np.add}
SUBTRACT = {operator.sub, np.subtract}
DIVIDE = {operator.truediv, np.divide}
NEGATE = {operator.neg, np.negative}


def rewrite(op: Op, makers: Makers) -> Arg | None:
    """The value of the operation if it is available; None if the operation stays, perhaps changed."""
    for _ in range(4):
        rule = RULES.get(op.fn)
        if rule is None or len(op.outs) != 1:
            return None
        before = op.fn, op.args
        value = rule(op, makers)
        if value is not None:
            return value
        if (op.fn, op.args) == before:
            return None
    return None


def _maker(arg: Arg, makers: Makers, fns: Any) -> Op | None:
    op = makers.get(arg) if isinstance(arg, Var) else None
    return op if op is not None and op.fn in fns and not op.kwargs else None


def _is(arg: Arg, number: float) -> bool:
    return isinstance(arg, Lit) and isinstance(arg.value, (int, float)) and arg.value == number \
        and not isinstance(arg.value, bool)  # fmt: skip


def _same(arg: Arg, type: Type) -> bool:
    """Whether an argument has, for certain, the type of a result that it shall replace."""
    have = type_of_arg(arg)
    if isinstance(have, Scalar) and isinstance(type, Scalar):
        return have.kind == type.kind and _width(have) == _width(type)
    return have == type and (not isinstance(have, Array) or have.shape is not None)


def _width(type: Scalar) -> np.dtype | None:
    return dtype_of(type)


def _change(op: Op, fn: Callable[..., Any], *args: Arg) -> None:
    op.fn, op.args, op.kwargs = fn, args, {}


# ----- arithmetic -----
def _multiply(op: Op, makers: Makers) -> Arg | None:
    for a, b in (op.args, op.args[::-1]):
        if _is(a, 1) and _same(b, op.out.type):
            return b
        if _is(a, -1) and _same(b, op.out.type):
            _change(op, operator.neg, b)
            return None
        if _stretched(op, a, b, makers):
            return None
        inverse = _maker(b, makers, DIVIDE)
        if inverse is not None and inverse.adjoint and _is(inverse.args[0], 1):
            _change(op, operator.truediv, a, inverse.args[1])
            return None
    for a, b in (op.args, op.args[::-1]):
        if _negated_factor(op, a, b, makers) or _scaled_twice(op, a, b, makers):
            return None
        if _scaled_small(op, a, b, makers):
            return None
        if _shared_quotient(op, a, b, makers):
            return None
    return None


def _shared_quotient(op: Op, g: Arg, b: Arg, makers: Makers) -> bool:
    """``g * (x / y)`` as ``(g / y) * x`` where ``g / y`` is known: both cotangents of a quotient have it."""
    quotient = _maker(b, makers, DIVIDE)
    if quotient is None or not quotient.adjoint or not _full(quotient.args[0], op):
        return False
    known = makers.find(Op(quotient.fn, (g, quotient.args[1]), (op.out,)))
    if known is None or not _full(known, op) or known.id > quotient.out.id:  # newer: the reverse of this
        return False
    _change(op, operator.mul, known, quotient.args[0])
    return True


def _full(arg: Arg, op: Op) -> bool:
    """Whether the operand has the dtype and, for certain, the shape of the elementwise operation's result."""
    if not isinstance(arg, Var) or kind_of(arg.type) not in ("float", "complex"):
        return False
    have, want = arg.type, op.out.type
    if not (isinstance(have, Array) and isinstance(want, Array)) or have.shape is None or want.shape is None:
        return _same(arg, want)
    return have.dtype == want.dtype and len(have.shape) == len(want.shape) and all(
        h == w or differs_from_one(h) for h, w in zip(have.shape, want.shape, strict=True)
    )


def _negated_factor(op: Op, a: Arg, b: Arg, makers: Makers) -> bool:
    """``-x * b`` as ``-(x * b)``: a sign that is outside may vanish in a sum."""
    negated = _maker(a, makers, NEGATE)
    if negated is None or not negated.adjoint or not _full(a, op) or not isinstance(negated.args[0], Var):
        return False
    factors = (negated.args[0], b) if op.args[0] is a else (b, negated.args[0])
    _change(op, operator.neg, makers.before(op, op.fn, *factors, type=op.out.type))
    return True


def _scaled_twice(op: Op, a: Arg, b: Arg, makers: Makers) -> bool:
    """``2 * (3 * x)`` as ``6 * x``."""
    inner = _maker(b, makers, MULTIPLY)
    if inner is None or not inner.adjoint or not _is_scale(a):
        return False
    for factor, x in (inner.args, inner.args[::-1]):
        if _is_scale(factor) and isinstance(x, Var) and _same(x, op.out.type):
            product = a.value * factor.value  # type: ignore[union-attr]
            if 1e-30 < abs(product) < 1e30:
                _change(op, operator.mul, Lit(product), x)
                return True
    return False


def _is_scale(arg: Arg) -> bool:
    return isinstance(arg, Lit) and type(arg.value) in (int, float)


def _scaled_small(op: Op, a: Arg, b: Arg, makers: Makers) -> bool:
    """``2 * broadcast_like(g, x)`` as ``broadcast_like(2 * g, x)``."""
    stretch = _maker(b, makers, {helpers.broadcast_like})
    if stretch is None or not _is_scale(a):
        return False
    g, x = stretch.args
    if _is_scale(g):
        scaled: Arg = Lit(float(a.value * g.value))  # type: ignore[union-attr]
    elif _full(g, Op(op.fn, (), (Var(type_of_arg(g)),))):
        scaled = makers.before(op, operator.mul, g, a, type=type_of_arg(g))
    else:
        return False
    _change(op, helpers.broadcast_like, scaled, x)
    return True


def _stretched(op: Op, a: Arg, b: Arg, makers: Makers) -> bool:
    """Read ``broadcast_like(g, x)`` as ``g`` where the other operand has the full shape."""
    stretch = _maker(a, makers, {helpers.broadcast_like})
    if stretch is None or not isinstance(op.out.type, Array):
        return False
    other = type_of_arg(b)
    small = type_of_arg(stretch.args[0])
    if not isinstance(other, Array) or other.shape is None or other.shape != op.out.type.shape:
        return False
    if not isinstance(small, (Scalar, Array)) or not _result_dtype(small, other) == op.out.type.dtype:
        return False
    op.args = tuple(stretch.args[0] if x is a else x for x in op.args)
    return True


def _result_dtype(*types: Type) -> np.dtype:
    """The dtype of arithmetic on the types: Python's numbers don't widen an array's."""
    return np.result_type(*(
        np.zeros((), t.dtype) if isinstance(t, Array) else
        {"bool": True, "int": 1, "float": 1.0, "complex": 1j}[t.kind] if t.dtype is None else t.dtype  # type: ignore[union-attr]
        for t in types
    ))  # fmt: skip


def _add(op: Op, makers: Makers) -> Arg | None:
    if op.args[0] is op.args[1] and kind_of(op.out.type) in ("float", "complex"):
        _change(op, operator.mul, Lit(2), op.args[0])
        return None
    if _two_outers(op, makers):
        return None
    for a, b in (op.args, op.args[::-1]):
        if _is(a, 0) and _same(b, op.out.type):
            return b
        negated = _maker(b, makers, NEGATE)
        if negated is not None:
            _change(op, operator.sub, a, negated.args[0])
            return None
        if _stretched(op, a, b, makers):
            return None
    return None


def _two_outers(op: Op, makers: Makers) -> bool:
    """The sum of two outer products as one product of matrices: the large result is written once."""
    pairs = [_maker(arg, makers, {np.outer}) for arg in op.args]
    vectors = [v for pair in pairs if pair is not None and pair.adjoint for v in pair.args]
    types = [v.type for v in vectors if isinstance(v, Var)]
    if len(types) < 4 or any(not isinstance(t, Array) or t.ndim != 1 or t.dtype != dtype_of(op.out.type) for t in types):
        return False
    (n,), (m,), dtype = types[0].shape, types[1].shape, dtype_of(op.out.type)  # type: ignore[union-attr, misc]
    assert dtype is not None
    columns, rows = Seq((vectors[0], vectors[2])), Seq((vectors[1], vectors[3]))
    left = makers.before(op, np.stack, columns, type=Array(dtype, (n, 2)), axis=Lit(1))
    right = makers.before(op, np.stack, rows, type=Array(dtype, (2, m)))
    _change(op, operator.matmul, left, right)
    return True


def _subtract(op: Op, makers: Makers) -> Arg | None:
    a, b = op.args
    if _is(b, 0) and _same(a, op.out.type):
        return a
    negated = _maker(b, makers, NEGATE)
    if negated is not None:
        _change(op, operator.add, a, negated.args[0])
    elif not _stretched(op, a, b, makers):
        _stretched(op, b, a, makers)
    return None


def _divide(op: Op, makers: Makers) -> Arg | None:
    a, b = op.args
    if _is(b, 1) and _same(a, op.out.type):
        return a
    negated = _maker(a, makers, NEGATE)
    if _stretched(op, a, b, makers) or negated is None or not negated.adjoint or not _full(a, op):
        return None
    if isinstance(negated.args[0], Var):
        quotient = makers.before(op, operator.truediv, negated.args[0], b, type=op.out.type)
        _change(op, operator.neg, quotient)
    return None


def _negate(op: Op, makers: Makers) -> Arg | None:
    inner = _maker(op.args[0], makers, NEGATE)
    if inner is not None:
        return inner.args[0]
    difference = _maker(op.args[0], makers, SUBTRACT)
    if difference is not None and difference.adjoint:
        _change(op, operator.sub, *difference.args[::-1])
    return None


def _power(op: Op, makers: Makers) -> Arg | None:
    x, n = op.args
    return x if _is(n, 1) and _same(x, op.out.type) else None


def _power_dx(op: Op, makers: Makers) -> Arg | None:
    """``n * x ** (n - 1)`` for a constant n of which no singular point needs care."""
    x, n = op.args
    if (
        not isinstance(n, Lit)
        or type(n.value) not in (int, float)
        or kind_of(type_of_arg(x)) not in ("float", "complex")
    ):
        return None
    if n.value == 2:
        _change(op, operator.mul, Lit(2), x)
    return None


# ----- shapes and dtypes -----
def _unbroadcast(op: Op, makers: Makers) -> Arg | None:
    g, x = op.args
    have, want = type_of_arg(g), type_of_arg(x)
    if isinstance(want, Scalar):
        if rank_of(have) == 0:
            return g
        if isinstance(have, Array) and have.shape is not None:
            _change(op, np.sum, g)
        return None
    if not (isinstance(have, Array) and isinstance(want, Array)) or have.shape is None or want.shape is None:
        return None
    if len(have.shape) == len(want.shape) and all(
        h == w or differs_from_one(w) for h, w in zip(have.shape, want.shape, strict=True)
    ):
        return g
    return None


def _broadcast_like(op: Op, makers: Makers) -> Arg | None:
    g, x = op.args
    have, want = type_of_arg(g), type_of_arg(x)
    if (
        isinstance(have, Array)
        and isinstance(want, Array)
        and have.shape is not None
        and have.shape == want.shape
    ):
        return g
    if isinstance(want, Scalar) and rank_of(have) == 0:
        return g
    stretch = _maker(g, makers, {helpers.broadcast_like})
    if stretch is not None:
        op.args = (stretch.args[0], x)
    return None


def _expand_reduced(op: Op, makers: Makers) -> Arg | None:
    return (
        op.args[0] if len(op.args) == 4 and isinstance(op.args[3], Lit) and op.args[3].value is True else None
    )


def _moved_axis(op: Op, makers: Makers) -> Arg | None:
    same = len(op.args) == 3 and all(isinstance(axis, Lit) and type(axis.value) is int for axis in op.args[1:])
    return op.args[0] if same and arg_key(op.args[1]) == arg_key(op.args[2]) else None


def _written(op: Op, makers: Makers) -> Arg | None:
    if is_basic_index(op.args[1]):
        _change(op, operator.getitem, *op.args)
    return None


def _where(op: Op, makers: Makers) -> Arg | None:
    """``where(c, broadcast_like(g, x), 0)`` chooses ``g`` where the condition has the full shape."""
    if len(op.args) != 3 or op.kwargs or not isinstance(op.out.type, Array):
        return None
    cond = type_of_arg(op.args[0])
    stretch = _maker(op.args[1], makers, {helpers.broadcast_like})
    if stretch is None or not isinstance(cond, Array) or cond.shape is None or cond.shape != op.out.type.shape:
        return None
    chosen, other = type_of_arg(stretch.args[0]), type_of_arg(op.args[2])
    if isinstance(chosen, (Scalar, Array)) and isinstance(other, (Scalar, Array)):
        if _result_dtype(chosen, other) == op.out.type.dtype:
            op.args = (op.args[0], stretch.args[0], op.args[2])
    return None


def _astype(op: Op, makers: Makers) -> Arg | None:
    return op.args[0] if _same(op.args[0], op.out.type) and isinstance(op.args[0], Var) else None


def _real_already(op: Op, makers: Makers) -> Arg | None:
    real = kind_of(type_of_arg(op.args[0])) in ("bool", "int", "float")
    return op.args[0] if real and not op.kwargs and _same(op.args[0], op.out.type) else None


def _sum(op: Op, makers: Makers) -> Arg | None:
    """``sum(-x)`` as ``-sum(x)``, which has less to negate."""
    negated = _maker(op.args[0], makers, NEGATE)
    if negated is not None and negated.adjoint and kind_of(op.out.type) in ("float", "complex"):
        total = makers.before(op, op.fn, negated.args[0], *op.args[1:], type=op.out.type, **op.kwargs)
        _change(op, operator.neg, total)
    return None


# ----- writes -----
def _add_at(op: Op, makers: Makers) -> Arg | None:
    """Adding to zeros, or where a zero was just written, is writing."""
    target, index, value = op.args
    if not is_basic_index(index) or not isinstance(op.out.type, Array):
        return None
    zeros = _maker(target, makers, {np.zeros_like})
    erased = _maker(target, makers, {helpers.setitem})
    if zeros is not None and len(zeros.args) == 1:
        _change(op, helpers.setitem, target, index, value)
    elif erased is not None and _is(erased.args[2], 0) and arg_key(erased.args[1]) == arg_key(index):
        _change(op, helpers.setitem, erased.args[0], index, value)
    return None


def arg_key(arg: Arg) -> Any:
    """What an argument refers to: equal keys stand for equal values."""
    if isinstance(arg, Var):
        return arg.id
    if isinstance(arg, Seq):
        return (arg.kind.__name__, *map(arg_key, arg.items))
    if isinstance(arg, Slice):
        return ("slice", arg_key(arg.start), arg_key(arg.stop), arg_key(arg.step))
    exact = repr(arg.value) if isinstance(arg.value, (float, complex)) else ""
    return (type(arg.value).__name__, arg.value, exact)


def _safe_product(op: Op, makers: Makers) -> Arg | None:
    if any(isinstance(a, Lit) for a in op.args):
        _change(op, operator.mul, *op.args)
        return None
    for a, b in (op.args, op.args[::-1]):
        if _negated_factor(op, a, b, makers) or _stretched(op, a, b, makers):
            break
    return None


RULES: dict[Any, Callable[[Op, Makers], Arg | None]] = {
    **dict.fromkeys(MULTIPLY, _multiply),
    **dict.fromkeys(ADD, _add),
    **dict.fromkeys(SUBTRACT, _subtract),
    **dict.fromkeys(DIVIDE, _divide),
    **dict.fromkeys(NEGATE, _negate),
    operator.pow: _power,
    np.power: _power,
    power_dx: _power_dx,
    np.where: _where,
    helpers.unbroadcast: _unbroadcast,
    helpers.broadcast_like: _broadcast_like,
    helpers.expand_reduced: _expand_reduced,
    helpers.written: _written,
    helpers.astype: _astype,
    np.real: _real_already,
    np.conj: _real_already,
    helpers.safe_product: _safe_product,
    helpers.add_at: _add_at,
    np.moveaxis: _moved_axis,
    np.sum: _sum,
}
