"""Which operations of a reverse sweep have a shorter form?

``rewrite`` returns the value that an operation has anyway, or changes the operation into a cheaper one.
Values may differ in the last bits, and in the sign of zero; types and shapes don't.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules import helpers
from ...rules.numpy.views import add_view
from ...rules.partials import power_derivative, power_dx
from ..analysis.aliasing import is_whole_index
from ..frontend.builder import type_of_arg
from ..frontend.types.rule_divisions import is_pythons
from ..ir.ops import Arg, Lit, Op, Seq, Var
from ..ir.types import Array, Optional, Scalar, differs_from_one, dtype_of, kind_of, rank_of
from .common_factors import (
    factored,
    joined_scales,
    known_product,
    known_quotient,
    product_over,
    scaled_quotient,
    scaled_sum,
)
from .factors import (
    negated_factor,
    plain_power,
    scaled_outer,
    scaled_small,
    scaled_twice,
    shared_quotient,
    stretched,
    summed_product,
    two_outers,
)
from .patterns import (
    ADD,
    ARITHMETIC,
    DIVIDE,
    MULTIPLY,
    NEGATE,
    PRODUCT,
    SUBTRACT,
    Makers,
    arg_key,
    change,
    gives_dtype,
    is_full,
    is_number,
    maker_of,
    same_type,
)
from .unit_products import unit_product
from .view_indices import is_basic_index, literal_slices


def rewrite(op: Op, makers: Makers) -> Arg | None:
    """The value of the operation if it is available; None if the operation stays, perhaps changed."""
    for _ in range(4):
        rule = RULES.get(op.fn)
        if rule is None or len(op.outs) != 1 or op.kwargs and op.fn in ARITHMETIC:  # dtype=, where=
            return None
        before = op.fn, op.args
        value = rule(op, makers)
        if value is not None:
            return value
        if (op.fn, op.args) == before:
            return None
    return None


# ----- arithmetic -----
def _is_plain(op: Op, makers: Makers) -> bool:
    """Whether no operand is a constant, or was made by an operation of the sweep."""
    return not any(isinstance(arg, Lit) or arg in makers for arg in op.args)


def _multiply(op: Op, makers: Makers) -> Arg | None:
    if _is_plain(op, makers):
        return None
    for a, b in (op.args, op.args[::-1]):
        if is_number(a, 1) and same_type(b, op.out.type):
            return b
        if is_number(a, -1) and same_type(b, op.out.type):
            change(op, operator.neg, b)
            return None
        if stretched(op, a, b, makers):
            return None
        inverse = maker_of(b, makers, DIVIDE)
        if inverse is not None and inverse.adjoint and is_number(inverse.args[0], 1):
            change(op, division(inverse, a, inverse.args[1]), a, inverse.args[1])
            return None
    return None if joined_scales(op, makers) else _multiply_again(op, makers)


def _multiply_again(op: Op, makers: Makers) -> Arg | None:
    for a, b in (op.args, op.args[::-1]):
        known = product_over(op, a, b, makers)
        if known is not None:
            return known
        if negated_factor(op, a, b, makers) or scaled_twice(op, a, b, makers):
            return None
        if scaled_small(op, a, b, makers):
            return None
        if shared_quotient(op, a, b, makers) or scaled_outer(op, a, b, makers):
            return None
        if scaled_quotient(op, a, b, makers) or known_product(op, a, b, makers):
            return None
    return None


def _add(op: Op, makers: Makers) -> Arg | None:
    if op.args[0] is op.args[1] and kind_of(op.out.type) in ("float", "complex"):
        change(op, operator.mul, Lit(2), op.args[0])
        return None
    if _is_plain(op, makers) or two_outers(op, makers):
        return None
    for a, b in (op.args, op.args[::-1]):
        if is_number(a, 0) and same_type(b, op.out.type):
            return b
        negated = maker_of(b, makers, NEGATE)
        if negated is not None:
            change(op, operator.sub, a, negated.args[0])
            return None
        if stretched(op, a, b, makers):
            return None
    factored(op, makers)
    return None


def _subtract(op: Op, makers: Makers) -> Arg | None:
    a, b = op.args
    if is_number(b, 0) and same_type(a, op.out.type):
        return a
    negated = maker_of(b, makers, NEGATE)
    if negated is not None:
        change(op, operator.add, a, negated.args[0])
    elif not (stretched(op, a, b, makers) or stretched(op, b, a, makers)):
        factored(op, makers)
    return None


def _divide(op: Op, makers: Makers) -> Arg | None:
    a, b = op.args
    if is_number(b, 1) and same_type(a, op.out.type):
        return a
    known = known_quotient(op, makers)
    if known is not None:
        return known
    negated = maker_of(a, makers, NEGATE)
    if (
        op.fn not in DIVIDE
        or stretched(op, a, b, makers)
        or negated is None
        or not negated.adjoint
        or not is_full(a, op)
    ):
        return None
    if isinstance(negated.args[0], Var):
        quotient = makers.before(op, division(op, *op.args), negated.args[0], b, type=op.out.type)
        change(op, operator.neg, quotient)
    return None


def division(like: Op, a: Arg, b: Arg) -> Callable[..., Any]:
    """What divides as another operation did: Python's numbers may have to be divided by NumPy's function.

    A cotangent that is NumPy's by its type may be the zero of a path that gives none.
    """
    scalar = isinstance(type_of_arg(a), Scalar) and is_pythons(b)
    return np.divide if like.fn is np.divide and scalar else operator.truediv


def _negate(op: Op, makers: Makers) -> Arg | None:
    if isinstance(op.args[0], Lit) and type(op.args[0].value) is float:
        negative = Lit(-op.args[0].value)
        return negative if same_type(negative, op.out.type) else None
    inner = maker_of(op.args[0], makers, NEGATE)
    if inner is not None:
        return inner.args[0]
    if joined_scales(op, makers):
        return None
    difference = maker_of(op.args[0], makers, SUBTRACT)
    if difference is not None and difference.adjoint:
        change(op, operator.sub, *difference.args[::-1])
    return None


def _power(op: Op, makers: Makers) -> Arg | None:
    x, n = op.args
    return x if is_number(n, 1) and same_type(x, op.out.type) else None


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
        change(op, operator.mul, Lit(2), x)
    return None


def _power_derivative(op: Op, makers: Makers) -> Arg | None:
    plain_power(op, makers)
    return None


# ----- shapes and dtypes -----
def _unbroadcast(op: Op, makers: Makers) -> Arg | None:
    g, x = op.args
    have, want = type_of_arg(g), type_of_arg(x)
    if isinstance(want, Scalar):
        if rank_of(have) == 0:
            return g
        if isinstance(have, Array) and have.shape is not None:
            change(op, np.sum, g)
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
    want = want.value if isinstance(want, Optional) else want  # None has no axes either
    if isinstance(want, Scalar) and rank_of(have) == 0:
        return g  # and no array without axes, of which the type of a number knows nothing
    stretch = maker_of(g, makers, {helpers.broadcast_like})
    if stretch is not None:
        op.args = (stretch.args[0], x)
    return None


def _expand_reduced(op: Op, makers: Makers) -> Arg | None:
    return (
        op.args[0] if len(op.args) == 4 and isinstance(op.args[3], Lit) and op.args[3].value is True else None
    )


def _vector_already(op: Op, makers: Makers) -> Arg | None:
    """A vector that is flattened, or brought to the shape of a vector."""
    simple = not op.kwargs and len(op.args) <= 2
    return op.args[0] if simple and rank_of(type_of_arg(op.args[0])) == rank_of(op.out.type) == 1 else None


def _moved_axis(op: Op, makers: Makers) -> Arg | None:
    axes = op.args[1:]
    if len(axes) != 2 or not all(isinstance(axis, Lit) and type(axis.value) is int for axis in axes):
        return None
    return op.args[0] if arg_key(axes[0]) == arg_key(axes[1]) else None


def _written(op: Op, makers: Makers) -> Arg | None:
    if is_whole_index(op.args[1]) and same_type(op.args[0], op.out.type):
        return op.args[0]
    if is_basic_index(op.args[1]):
        change(op, operator.getitem, *op.args)
    return None


def _item(op: Op, makers: Makers) -> Arg | None:
    """The number in what turned out to be a number, and might have been an array without axes."""
    whole, index = op.args
    if not op.adjoint or not isinstance(type_of_arg(whole), Scalar):
        return None
    all_of_it = isinstance(index, Seq) and not index.items or isinstance(index, Lit) and index.value is ...
    return whole if all_of_it else None


def _where(op: Op, makers: Makers) -> Arg | None:
    """``where(c, broadcast_like(g, x), 0)`` chooses ``g`` where the condition has the full shape."""
    if len(op.args) != 3 or op.kwargs or not isinstance(op.out.type, Array):
        return None
    cond = type_of_arg(op.args[0])
    stretch = maker_of(op.args[1], makers, {helpers.broadcast_like})
    if stretch is None or not isinstance(cond, Array) or cond.shape is None:
        return None
    if cond.shape != op.out.type.shape:
        return None
    chosen, other = type_of_arg(stretch.args[0]), type_of_arg(op.args[2])
    if isinstance(chosen, (Scalar, Array)) and isinstance(other, (Scalar, Array)):
        if gives_dtype(op.out.type.dtype, chosen, other):
            op.args = (op.args[0], stretch.args[0], op.args[2])
    return None


def _astype(op: Op, makers: Makers) -> Arg | None:
    return op.args[0] if same_type(op.args[0], op.out.type) and isinstance(op.args[0], Var) else None


def _real_already(op: Op, makers: Makers) -> Arg | None:
    real = kind_of(type_of_arg(op.args[0])) in ("bool", "int", "float")
    return op.args[0] if real and not op.kwargs and same_type(op.args[0], op.out.type) else None


def _conjugate(op: Op, makers: Makers) -> Arg | None:
    """The conjugate of a conjugate."""
    before = maker_of(op.args[0], makers, {np.conj}) if len(op.args) == 1 and not op.kwargs else None
    if before is not None and len(before.args) == 1 and same_type(before.args[0], op.out.type):
        return before.args[0]
    return _real_already(op, makers)


def _sum(op: Op, makers: Makers) -> Arg | None:
    """``sum(-x)`` as ``-sum(x)``, which has less to negate, and so with numbers."""
    if len(op.args) > 2 or not op.kwargs.keys() <= {"axis", "keepdims"}:
        return None
    negated = maker_of(op.args[0], makers, NEGATE)
    if negated is not None and negated.adjoint and kind_of(op.out.type) in ("float", "complex"):
        total = makers.before(op, op.fn, negated.args[0], *op.args[1:], type=op.out.type, **op.kwargs)
        change(op, operator.neg, total)
    elif not summed_product(op, makers):
        scaled_sum(op, makers)
    return None


def _like_zeros(op: Op, makers: Makers) -> Arg | None:
    """Zeros that are like something are asked for nothing that it does not know itself."""
    zeros = maker_of(op.args[0], makers, {np.zeros_like}) if len(op.args) == 1 and not op.kwargs else None
    if zeros is not None and len(zeros.args) == 1 and same_type(zeros.args[0], zeros.out.type):
        op.args = zeros.args
    return None


# ----- writes -----
def _add_at(op: Op, makers: Makers) -> Arg | None:
    """Adding to zeros, or where a zero was just written, is writing."""
    target, index, value = op.args
    if not is_basic_index(index) or not isinstance(op.out.type, Array):
        return None
    zeros = maker_of(target, makers, {np.zeros_like})
    erased = maker_of(target, makers, {helpers.setitem})
    if zeros is not None and len(zeros.args) == 1:
        change(op, helpers.setitem, target, index, value)
    elif erased is not None and is_number(erased.args[2], 0) and arg_key(erased.args[1]) == arg_key(index):
        change(op, helpers.setitem, erased.args[0], index, value)
    return None


def _add_view(op: Op, makers: Makers) -> Arg | None:
    """What is added where a slice of a view looks is added by one step more."""
    like, steps, g = op.args
    part = maker_of(g, makers, {helpers.setitem})
    zeros = maker_of(part.args[0], makers, {np.zeros_like}) if part is not None else None
    if part is None or zeros is None or len(zeros.args) != 1 or not isinstance(steps, Seq):
        return None
    index, value = literal_slices(part.args[1]), part.args[2]
    if index is None or not isinstance(value, Var) or dtype_of(value.type) != dtype_of(part.out.type):
        return None
    if rank_of(value.type) == rank_of(part.out.type):
        change(op, op.fn, like, Seq((*steps.items, Lit((operator.getitem, (index,))))), value)
    return None


def _safe_product(op: Op, makers: Makers) -> Arg | None:
    g, p = op.args
    if isinstance(g, Lit) and g.value == 0:
        return g if same_type(g, op.out.type) else None
    if isinstance(g, Lit) or isinstance(p, Lit) and np.isfinite(p.value):
        change(op, operator.mul, g, p)
        return None
    for a, b in (op.args, op.args[::-1]):
        if (
            negated_factor(op, a, b, makers)
            or stretched(op, a, b, makers)
            or scaled_quotient(op, a, b, makers)
        ):
            break
    return None


TRANSPOSE = {np.transpose, helpers.mT, np.matrix_transpose}


def _transpose(op: Op, makers: Makers) -> Arg | None:
    """Two transposes are none; that of a product is a product in which the result lies row by row."""
    if len(op.args) != 1 or op.kwargs or rank_of(op.out.type) != 2:
        return None
    before = maker_of(op.args[0], makers, TRANSPOSE)
    if before is not None and len(before.args) == 1 and same_type(before.args[0], op.out.type):
        return before.args[0]
    product = maker_of(op.args[0], makers, PRODUCT)
    if product is None or not product.adjoint or makers.uses[product.out] > 1:
        return None
    flipped = []
    for matrix in product.args[::-1]:
        if not isinstance(matrix, Var) or not isinstance(matrix.type, Array) or matrix.type.ndim != 2:
            return None
        type = Array(matrix.type.dtype, matrix.type.shape[::-1])  # type: ignore[index]
        flipped.append(makers.before(op, np.transpose, matrix, type=type))
    change(op, operator.matmul, *flipped)
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
    power_derivative: _power_derivative,
    np.where: _where,
    helpers.unbroadcast: _unbroadcast,
    helpers.broadcast_like: _broadcast_like,
    helpers.expand_reduced: _expand_reduced,
    helpers.written: _written,
    helpers.astype: _astype,
    np.real: _real_already,
    np.conj: _conjugate,
    helpers.safe_product: _safe_product,
    helpers.add_at: _add_at,
    add_view: _add_view,
    **dict.fromkeys((np.zeros_like, np.shape), _like_zeros),
    np.moveaxis: _moved_axis,
    operator.getitem: _item,
    np.ravel: _vector_already,
    np.reshape: _vector_already,
    np.sum: _sum,
    **dict.fromkeys(PRODUCT, unit_product),
    **dict.fromkeys(TRANSPOSE, _transpose),
}
