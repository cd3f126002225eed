"""Which sums and products of a reverse sweep have factors in common?

Derivatives of derivatives are sums of products that share most of their factors. What terms share is
multiplied once (``factored``), what was multiplied or divided before is read (``known_product``,
``known_quotient``), and numbers that stand at several places of a product, its sign among them, become one
(``joined_scales``)::

    -(a * (2 * (t * (b * p)))) - b * (2 * (y * p))      is      -2 * ((b * p) * (a * t + y))

where ``b * p`` is known. Only products that the sweep makes and nothing else reads are taken apart, in the
block where they are made. Each rewriting leaves fewer operations, so that they end.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from ..ir.ops import Arg, Lit, Op, Var
from ..ir.types import dtype_of
from .patterns import ADD, DIVIDE, MULTIPLY, NEGATE, Makers, change, is_full, maker_of, same_type

DEEPEST = 5
"""Within so many products the factors are looked for."""

Product = tuple[float, list[Var]]


def is_scale(arg: Arg) -> bool:
    """A number that may be multiplied at another place of a product."""
    return isinstance(arg, Lit) and type(arg.value) in (int, float) and 1e-30 < abs(arg.value) < 1e30


def _alone(arg: Arg, makers: Makers, fns: Any) -> Op | None:
    """What made a value of the sweep that nothing else reads, in this block."""
    made = maker_of(arg, makers, fns)
    if made is None or not made.adjoint or not isinstance(arg, Var):
        return None
    return made if makers.uses[arg] <= 1 and makers.is_local(arg) else None


def factors(arg: Var, op: Op, makers: Makers) -> Product:
    """The number and the other factors, one at least, of a product of the type of an operation's result."""
    scale, found = _taken_apart(arg, op, makers, DEEPEST)
    return (scale, found) if found else (1, [arg])


def _taken_apart(arg: Var, op: Op, makers: Makers, depth: int) -> Product:
    made = _alone(arg, makers, MULTIPLY | NEGATE) if depth else None
    if made is None:
        return 1, [arg]
    scale: float = -1 if made.fn in NEGATE else 1
    found: list[Var] = []
    for part in made.args:
        if is_scale(part):
            scale *= part.value  # type: ignore[union-attr]
        elif isinstance(part, Var) and is_full(part, op):
            inner, more = _taken_apart(part, op, makers, depth - 1)
            scale, found = scale * inner, found + more
        else:
            return 1, [arg]
    return (scale, found) if 1e-30 < abs(scale) < 1e30 else (1, [arg])


def _product(scale: float, parts: Sequence[Var], op: Op, makers: Makers) -> Var:
    """The product of some factors, and a number, in front of an operation."""
    *others, value = parts
    for part in reversed(others):
        value = makers.before(op, operator.mul, part, value, type=op.out.type)
    if scale == -1:
        return makers.before(op, operator.neg, value, type=op.out.type)
    return value if scale == 1 else makers.before(op, operator.mul, Lit(scale), value, type=op.out.type)


# ----- sums -----
def factored(op: Op, makers: Makers) -> bool:
    """``c * (x * a) + c * (x * b)`` as ``c * (x * (a + b))``."""
    if not all(isinstance(arg, Var) and is_full(arg, op) for arg in op.args) or op.args[0] is op.args[1]:
        return False
    (c, these), (d, those) = (factors(arg, op, makers) for arg in op.args)  # type: ignore[arg-type]
    shared, rest, others = _common(these, those)
    joined = abs(c) == abs(d)
    if not rest or not others or not (shared or joined and abs(c) != 1):
        return False
    if op.fn not in ADD:
        d = -d
    if not joined:
        terms, scale = (_product(abs(c), rest, op, makers), _product(abs(d), others, op, makers)), 1.0
    else:
        terms, scale = (_product(1, rest, op, makers), _product(1, others, op, makers)), abs(c)
    if c < 0 < d:
        terms = terms[::-1]
    elif c < 0:
        scale = -scale
    sign = operator.add if (c < 0) == (d < 0) else operator.sub
    _become(op, scale, [*shared, makers.before(op, sign, *terms, type=op.out.type)], makers)
    return True


def _common(these: list[Var], those: list[Var]) -> tuple[list[Var], list[Var], list[Var]]:
    """What two products share, and what each has beside."""
    shared, rest, others = list[Var](), list[Var](), list(those)
    for factor in these:
        if factor in others:
            others.remove(factor)
            shared.append(factor)
        else:
            rest.append(factor)
    return shared, rest, others


def _become(op: Op, scale: float, parts: list[Var], makers: Makers) -> None:
    """Change an operation into a product of some factors and a number."""
    if scale == 1 and len(parts) > 1:
        change(op, operator.mul, parts[0], _product(1, parts[1:], op, makers))
    elif scale == -1:
        change(op, operator.neg, _product(1, parts, op, makers))
    else:
        change(op, operator.mul, Lit(scale), _product(1, parts, op, makers))


# ----- products -----
def joined_scales(op: Op, makers: Makers) -> bool:
    """``-(-2 * b)`` as ``2 * b``, ``0.5 * (a * (2 * b))`` as ``a * b``.

    A number in a product that is negated stays, as the sign may vanish in a sum.
    """
    *numbers, product = sorted(op.args, key=lambda arg: isinstance(arg, Var))
    if not isinstance(product, Var) or not is_full(product, op) or not all(map(is_scale, numbers)):
        return False
    scale, parts = factors(product, op, makers)
    if scale == 1 or not numbers and scale > 0 or len(parts) == 1 and scale == -1:
        return False
    for number in numbers or [Lit(-1)]:
        scale *= number.value  # type: ignore[union-attr]
    if not 1e-30 < abs(scale) < 1e30 or scale == 1 and len(parts) == 1:
        return False
    _become(op, scale, parts, makers)
    return True


def scaled_quotient(op: Op, a: Arg, b: Arg, makers: Makers) -> bool:
    """``(2 * x) * (0.5 / y)`` as ``x * (1 / y)``."""
    quotient = _alone(b, makers, DIVIDE)
    if quotient is None or not is_scale(quotient.args[0]) or not isinstance(a, Var) or not is_full(a, op):
        return False
    scale, parts = factors(a, op, makers)
    joined = scale * quotient.args[0].value  # type: ignore[union-attr]
    if scale == 1 or not 1e-30 < abs(joined) < 1e30:
        return False
    over = makers.before(op, quotient.fn, Lit(joined), quotient.args[1], type=quotient.out.type)
    change(op, op.fn, *_in_order(op, a, _product(1, parts, op, makers), over))
    return True


def scaled_sum(op: Op, makers: Makers) -> bool:
    """``np.sum(2 * x)`` as ``2 * np.sum(x)``, which has less to multiply."""
    terms = op.args[0]
    if not isinstance(terms, Var) or dtype_of(terms.type) != dtype_of(op.out.type):
        return False
    like = Op(op.fn, (), (Var(terms.type),), span=op.span)
    if not is_full(terms, like):
        return False
    scale, parts = factors(terms, like, makers)
    if scale == 1:
        return False
    total = makers.before(
        op, op.fn, _product(1, parts, like, makers), *op.args[1:], type=op.out.type, **op.kwargs
    )
    change(op, operator.mul, Lit(scale), total)
    return True


def _in_order(op: Op, first: Arg, one: Arg, other: Arg) -> tuple[Arg, Arg]:
    return (one, other) if op.args[0] is first else (other, one)


def known_product(op: Op, a: Arg, b: Arg, makers: Makers) -> bool:
    """``a * (x * y)`` as ``(a * x) * y`` where ``a * x`` is known."""
    inner = _alone(b, makers, MULTIPLY)
    if inner is None or not isinstance(a, Var) or not all(isinstance(arg, Var) for arg in inner.args):
        return False
    for x, y in (inner.args, inner.args[::-1]):
        for pair in ((a, x), (x, a)):
            known = makers.find(Op(inner.fn, pair, (op.out,)))
            if known is not None and _may_be_read(known, op, makers) and is_full(y, op):
                _read_with(op, known, y, makers)
                return True
    return False


def known_quotient(op: Op, makers: Makers) -> Var | None:
    """``(a * x) / y`` as ``(a / y) * x`` where ``a / y`` is known, or all of ``(a / y) * x``."""
    over, y = op.args
    product = _alone(over, makers, MULTIPLY)
    if product is None:
        return None
    for a, x in (product.args, product.args[::-1]):
        known = makers.find(Op(op.fn, (a, y), (op.out,)))
        if known is None or not _may_be_read(known, op, makers):
            continue
        for pair in ((known, x), (x, known)):
            value = makers.find(Op(product.fn, pair, (op.out,)))
            if value is not None and _may_be_read(value, op, makers):
                return value
        if is_full(x, op):
            _read_with(op, known, x, makers)
            return None
    return None


def product_over(op: Op, g: Arg, b: Arg, makers: Makers) -> Var | None:
    """``g * (x / y)`` where ``(g * x) / y`` is known."""
    quotient = maker_of(b, makers, DIVIDE)
    if quotient is None or not quotient.adjoint:
        return None
    x, y = quotient.args
    for pair in ((g, x), (x, g)):
        product = makers.find(Op(operator.mul, pair, (op.out,)))
        known = None if product is None else makers.find(Op(quotient.fn, (product, y), (op.out,)))
        if known is not None and _may_be_read(known, op, makers):
            return known
    return None


def _read_with(op: Op, known: Var, factor: Arg, makers: Makers) -> None:
    """Change an operation into the product of a value, which one more reads then, and a factor."""
    change(op, operator.mul, known, factor)
    makers.uses[known] += 1


def _may_be_read(known: Var, op: Op, makers: Makers) -> bool:
    """Whether a value of the sweep may be read instead: no more of the primal is kept for that."""
    made = makers.get(known)
    return made is not None and made.adjoint and is_full(known, op) and same_type(known, op.out.type)
