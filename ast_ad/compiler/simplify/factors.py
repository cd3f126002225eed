"""Which products of a reverse sweep have a cheaper form?

Signs and numbers move to where they cost least or vanish, what two cotangents have in common is computed
once. Each function changes the operation and returns whether it did.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ...rules import helpers
from ..frontend.builder import type_of_arg
from ..ir.ops import Arg, Lit, Op, Seq, Var
from ..ir.types import Array, Scalar, Type, dtype_of, rank_of
from .common_factors import is_scale
from .patterns import (
    DIVIDE,
    MULTIPLY,
    NEGATE,
    PRODUCT,
    Makers,
    change,
    gives_dtype,
    is_full,
    is_number,
    maker_of,
    same_type,
)


def negated_factor(op: Op, a: Arg, b: Arg, makers: Makers) -> bool:
    """``-x * b`` as ``-(x * b)``: a sign that is outside may vanish in a sum."""
    negated = maker_of(a, makers, NEGATE)
    if negated is None or not negated.adjoint or not is_full(a, op) or not isinstance(negated.args[0], Var):
        return False
    factors = (negated.args[0], b) if op.args[0] is a else (b, negated.args[0])
    change(op, operator.neg, makers.before(op, op.fn, *factors, type=op.out.type))
    return True


def scaled_twice(op: Op, a: Arg, b: Arg, makers: Makers) -> bool:
    """``2 * (3 * x)`` as ``6 * x``."""
    inner = maker_of(b, makers, MULTIPLY)
    if inner is None or not inner.adjoint or not is_scale(a):
        return False
    for factor, x in (inner.args, inner.args[::-1]):
        if is_scale(factor) and isinstance(x, Var) and same_type(x, op.out.type):
            product = a.value * factor.value  # type: ignore[union-attr]
            if 1e-30 < abs(product) < 1e30:
                change(op, operator.mul, Lit(product), x)
                return True
    return False


def scaled_small(op: Op, a: Arg, b: Arg, makers: Makers) -> bool:
    """``2 * broadcast_like(g, x)`` as ``broadcast_like(2 * g, x)``."""
    stretch = maker_of(b, makers, {helpers.broadcast_like})
    if stretch is None or not is_scale(a):
        return False
    g, x = stretch.args
    if is_scale(g):
        scaled: Arg = Lit(float(a.value * g.value))  # type: ignore[union-attr]
    elif is_full(g, Op(op.fn, (), (Var(type_of_arg(g)),))):
        scaled = makers.before(op, operator.mul, g, a, type=type_of_arg(g))
    else:
        return False
    change(op, helpers.broadcast_like, scaled, x)
    return True


def stretched(op: Op, a: Arg, b: Arg, makers: Makers) -> bool:
    """Read ``broadcast_like(g, x)`` as ``g`` where the other operand has the full shape."""
    stretch = maker_of(a, makers, {helpers.broadcast_like})
    if a is b or stretch is None or not isinstance(op.out.type, Array):
        return False
    other = type_of_arg(b)
    small = type_of_arg(stretch.args[0])
    if not isinstance(other, Array) or other.shape is None or other.shape != op.out.type.shape:
        return False
    if not isinstance(small, (Scalar, Array)) or not gives_dtype(op.out.type.dtype, small, other):
        return False
    op.args = tuple(stretch.args[0] if x is a else x for x in op.args)
    return True


def shared_quotient(op: Op, g: Arg, b: Arg, makers: Makers) -> bool:
    """``g * (x / y)`` as ``(g / y) * x`` where ``g / y`` is known: both cotangents of a quotient have it."""
    quotient = maker_of(b, makers, DIVIDE)
    if quotient is None or not quotient.adjoint or not is_full(quotient.args[0], op):
        return False
    known = makers.find(Op(quotient.fn, (g, quotient.args[1]), (op.out,)))
    if known is None or not is_full(known, op) or known.id > quotient.out.id:  # newer: the reverse of this
        return False
    change(op, operator.mul, known, quotient.args[0])
    return True


def scaled_outer(op: Op, a: Arg, b: Arg, makers: Makers) -> bool:
    """A number times an outer product: times the first vector."""
    outer, number = maker_of(b, makers, {np.outer}), type_of_arg(a)
    if outer is None or not outer.adjoint or not isinstance(number, Scalar) or not is_full(b, op):
        return False
    u, v = outer.args
    if not isinstance(u, Var) or rank_of(u.type) != 1 or dtype_of(u.type) != dtype_of(op.out.type):
        return False
    change(op, np.outer, makers.before(op, operator.mul, a, u, type=u.type), v)
    return True


def two_outers(op: Op, makers: Makers) -> bool:
    """The sum of two outer products as one product of matrices: the large result is written once."""
    pairs = [maker_of(arg, makers, {np.outer}) for arg in op.args]
    vectors = [v for pair in pairs if pair is not None and pair.adjoint for v in pair.args]
    dtype, types = dtype_of(op.out.type), [v.type for v in vectors if isinstance(v, Var)]
    if dtype is None or len(types) < 4:
        return False
    if any(not isinstance(t, Array) or t.ndim != 1 or t.dtype != dtype for t in types):
        return False
    (n,), (m,) = types[0].shape, types[1].shape  # type: ignore[union-attr, misc]
    columns, rows = Seq((vectors[0], vectors[2])), Seq((vectors[1], vectors[3]))
    left = makers.before(op, np.stack, columns, type=Array(dtype, (n, 2)), axis=Lit(1))
    right = makers.before(op, np.stack, rows, type=Array(dtype, (2, m)))
    change(op, operator.matmul, left, right)
    return True


def summed_product(op: Op, makers: Makers) -> bool:
    """``sum(a @ b, axis=0)`` as ``sum(a, axis=0) @ b``, and along rows, and both: no matrices are multiplied.

    It is what an offset gets that was stretched before a product, as in ``(x - mean) @ w``.
    """
    product = maker_of(op.args[0], makers, PRODUCT)
    if product is None or not product.adjoint or makers.uses[product.out] > 1:
        return False
    given = {name: arg.value for name, arg in op.kwargs.items() if isinstance(arg, Lit)}
    axis, kept = given.get("axis"), given.get("keepdims", False)
    if len(op.args) > 1 or given.keys() != op.kwargs.keys() or axis not in ((0, 1) if given else (None,)):
        return False
    dtype = dtype_of(op.out.type) if isinstance(op.out.type, (Array, Scalar)) else None
    factors: list[Any] = list(product.args)
    if not all(isinstance(m, Var) and _is_matrix(m.type, dtype) for m in factors):
        return False
    for along in (0, 1) if axis is None else (axis,):
        factors[along] = _summed(op, factors[along], along, kept, makers)
    change(op, operator.matmul, *factors)
    return True


def _is_matrix(type: Type, dtype: Any) -> bool:
    return isinstance(type, Array) and type.dtype == dtype and type.shape is not None and len(type.shape) == 2


def _summed(op: Op, matrix: Any, along: int, kept: bool, makers: Makers) -> Var:
    """The sum of a matrix's rows, or of its columns."""
    dims = list(matrix.type.shape)
    dims[along : along + 1] = [1] if kept else []
    how = {"axis": Lit(along), **({"keepdims": Lit(True)} if kept else {})}
    return makers.before(op, np.sum, matrix, type=Array(matrix.type.dtype, tuple(dims)), **how)


def plain_power(op: Op, makers: Makers) -> bool:
    """``power_derivative(x, 3, 2, 0)`` as ``6 * x``, if that has no singular point."""
    x, y, n, m = op.args
    if not (isinstance(y, Lit) and isinstance(n, Lit) and is_number(m, 0) and isinstance(x, Var)):
        return False
    if type(y.value) not in (int, float) or not same_type(x, op.out.type) or not y.value - n.value > 0:
        return False
    scale, exponent = math.prod(y.value - i for i in range(n.value)), y.value - n.value
    power = x if exponent == 1 else makers.before(op, operator.pow, x, Lit(exponent), type=op.out.type)
    change(op, operator.mul, Lit(scale), power)
    return True
