"""Which shifts cancel, so that nothing depends on them?

``cancelling(block, results) -> set[Var]``. Asked by ``activity``. Softmax and its kin subtract a maximum
before they exponentiate, and divide it out or add it again after the logarithm: ``m + log(sum(exp(x - m)))``
is the same for every ``m``. A derivative through ``m`` is zero in exact arithmetic, and costs comparisons,
counts of ties and one more pass in any other.

It is proven from the operations. Of a value that depends on ``m`` it is known that it is ``v + c * m`` or
``v * exp(c * m)``, where ``v`` does not depend on ``m``, and along which of its axes ``m`` varies; where
``c`` becomes zero, the dependence ends. Anything else that reads such a value means that ``m`` stays.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ...rules.registry import lookup
from ..ir.ops import Arg, Block, Lit, Op, Seq, Slice, Statement, Var, reads, variables
from ..ir.types import Array, Scalar, kind_of, rank_of
from .aliasing import read_for_its_shape

EXTREMES = {
    *(np.max, np.min, np.amax, np.amin, np.nanmax, np.nanmin),
    *(max, min, np.maximum, np.minimum, np.fmax, np.fmin),
}
"""What makes a shift that may cancel."""
ADD, TIMES = "add", "times"


@dataclass(frozen=True)
class Follows:
    """A value is ``v + c * m`` (``ADD``) or ``v * exp(c * m)`` (``TIMES``).

    ``axes``: for each axis of the value the axis of ``m`` along which it follows it, or None.
    """

    how: str
    c: Fraction
    axes: tuple[int | None, ...]


class _Other(Exception):
    """The value depends on the shift in another way."""


Operand = Follows | None


def cancelling(block: Block, results: Iterable[Arg] = ()) -> set[Var]:
    """The extremes made in a block on which nothing that leaves it depends: as its results, or these."""
    found, results = set[Var](), (*block.results, *results)
    for position, op in enumerate(block.ops):
        if (
            isinstance(op, Op)
            and op.fn in EXTREMES
            and len(op.outs) == 1
            and kind_of(op.outs[0].type) == "float"
        ):
            if _cancels(op.outs[0], block.ops[position + 1 :], results):
                found.add(op.outs[0])
    return found


def _cancels(shift: Var, later: Sequence[Statement], results: Iterable[Arg]) -> bool:
    lengths = _lengths(shift)
    if lengths is None:
        return False
    axes = tuple(None if n == 1 else k for k, n in enumerate(lengths))
    known: dict[Var, Follows] = {shift: Follows(ADD, Fraction(1), axes)}
    for op in later:
        if not isinstance(op, Op):
            if not known.keys().isdisjoint(reads(op)):
                return False
            continue
        if known.keys().isdisjoint(variables(*op.args, *op.kwargs.values())):
            continue
        try:
            follows = _result(op, known)
        except _Other:
            return False
        if follows is not None and follows.c:
            known[op.outs[0]] = follows
    return known.keys().isdisjoint(variables(*results))


def _lengths(var: Var) -> Sequence[Any] | None:
    if isinstance(var.type, Scalar):
        return ()
    return var.type.shape if isinstance(var.type, Array) else None


def _result(op: Op, known: dict[Var, Follows]) -> Operand:
    """How the result follows the shift; None if it does not."""
    primitive = lookup(op.fn)
    if primitive is not None and primitive.kind == "nondifferentiable":
        return None
    shape_of = read_for_its_shape(op)
    if all(i == shape_of or known.keys().isdisjoint(variables(a)) for i, a in enumerate(op.args)) and not any(
        v in known for v in variables(*op.kwargs.values())
    ):
        return None
    rule = RULES.get(op.fn)
    if rule is None or len(op.outs) != 1 or _lengths(op.outs[0]) is None:
        raise _Other
    hidden = [a for a in op.args if not isinstance(a, Var)]  # in indices and lists
    if not known.keys().isdisjoint(variables(*hidden, *op.kwargs.values())):
        raise _Other
    return rule(op, *(known.get(a) if isinstance(a, Var) else None for a in op.args))


# ----- elementwise
def _joint(op: Op, how: str, c: Fraction, *given: Operand) -> Follows:
    """A result of elementwise operands that follow along the same axes, counted from the last one."""
    rank = rank_of(op.outs[0].type) or 0
    axes = {(None,) * (rank - len(g.axes)) + g.axes for g in given if g is not None}
    if len(axes) != 1 or any(g is not None and g.how != how for g in given):
        raise _Other
    return Follows(how, c, axes.pop())


def _c(given: Operand) -> Fraction:
    return Fraction(0) if given is None else given.c


def _add(op: Op, a: Operand, b: Operand) -> Operand:
    if a is not None and a.how == TIMES:
        return _alike(op, a, b)
    return _joint(op, ADD, _c(a) + _c(b), a, b)


def _subtract(op: Op, a: Operand, b: Operand) -> Operand:
    if a is not None and a.how == TIMES:
        return _alike(op, a, b)
    return _joint(op, ADD, _c(a) - _c(b), a, b)


def _alike(op: Op, a: Follows, b: Operand) -> Operand:
    """Two values with one factor in common."""
    if b is None or b.c != a.c:
        raise _Other
    return _joint(op, TIMES, a.c, a, b)


def _negative(op: Op, a: Follows) -> Operand:
    return Follows(a.how, -a.c if a.how == ADD else a.c, a.axes)


def _multiply(op: Op, a: Operand, b: Operand) -> Operand:
    for one, factor in ((a, op.args[1]), (b, op.args[0])):
        if one is not None and one.how == ADD:
            return _joint(op, ADD, one.c * _number(factor), one)
    return _joint(op, TIMES, _c(a) + _c(b), a, b)


def _divide(op: Op, a: Operand, b: Operand) -> Operand:
    if a is not None and a.how == ADD:
        return _joint(op, ADD, a.c / _number(op.args[1]), a)
    return _joint(op, TIMES, _c(a) - _c(b), a, b)


def _number(arg: Arg) -> Fraction:
    if not isinstance(arg, Lit) or type(arg.value) not in (int, float) or not math.isfinite(arg.value):
        raise _Other
    if not arg.value:
        raise _Other
    return Fraction(arg.value)


def _exp(op: Op, a: Follows) -> Operand:
    if a.how != ADD or op.kwargs:
        raise _Other
    return Follows(TIMES, a.c, a.axes)


def _log(op: Op, a: Follows) -> Operand:
    if a.how != TIMES or op.kwargs:
        raise _Other
    return Follows(ADD, a.c, a.axes)


def _copy(op: Op, a: Follows) -> Operand:
    if op.kwargs:
        raise _Other
    return a


# ----- along axes
def _sum(op: Op, a: Follows, *others: Operand) -> Operand:
    """Of values that all have the factor of one ``m``."""
    if a.how != TIMES:
        raise _Other
    return _reduced(op, a)


def _extreme(op: Op, a: Follows, *others: Operand) -> Operand:
    """The largest of numbers that are shifted together, or have one positive factor, is so as well."""
    return _reduced(op, a)


def _reduced(op: Op, a: Follows) -> Operand:
    names = ("axis",) if len(op.args) == 1 else ()
    kwargs = {k: v.value for k, v in op.kwargs.items() if isinstance(v, Lit)}
    if len(op.args) > 2 or kwargs.keys() != op.kwargs.keys() or not kwargs.keys() <= {*names, "keepdims"}:
        raise _Other
    axis = op.args[1] if len(op.args) == 2 else Lit(kwargs.get("axis"))
    if not isinstance(axis, Lit) or not (axis.value is None or type(axis.value) is int):
        raise _Other
    rank = len(a.axes)
    gone = range(rank) if axis.value is None else [axis.value % rank] if rank else []
    if any(a.axes[k] is not None for k in gone):
        raise _Other
    if kwargs.get("keepdims"):
        return a
    return Follows(a.how, a.c, tuple(m for k, m in enumerate(a.axes) if k not in gone))


def _indexed(op: Op, a: Operand, *others: Operand) -> Operand:
    """New axes, or fewer, along which it does not follow: ``m[:, None]``, ``m[:, 0]``."""
    index = op.args[1]
    items = list(index.items) if isinstance(index, Seq) else [index]
    if a is None or op.kwargs:
        raise _Other
    left, axes = list(a.axes), list[int | None]()
    rest = len(left) - sum(isinstance(i, Slice) or isinstance(i, Lit) and type(i.value) is int for i in items)
    whole = Slice(Lit(None), Lit(None), Lit(None))
    for place, item in enumerate(items):
        if isinstance(item, Lit) and item.value is Ellipsis:
            items[place : place + 1] = [whole] * rest
    for item in items:
        if isinstance(item, Lit) and item.value is None:
            axes.append(None)
        elif (
            isinstance(item, Slice) and all(_is_none(s) for s in (item.start, item.stop, item.step)) and left
        ):
            axes.append(left.pop(0))
        elif isinstance(item, Lit) and type(item.value) is int and left and left[0] is None:
            left.pop(0)
        else:
            raise _Other
    return Follows(a.how, a.c, (*axes, *left))


def _is_none(arg: Arg) -> bool:
    return isinstance(arg, Lit) and arg.value is None


def _expanded(op: Op, a: Operand, *others: Operand) -> Operand:
    axis = op.args[1] if len(op.args) == 2 else op.kwargs.get("axis")
    if a is None or not isinstance(axis, Lit) or type(axis.value) is not int:
        raise _Other
    axes = list(a.axes)
    axes.insert(axis.value % (len(axes) + 1), None)
    return Follows(a.how, a.c, tuple(axes))


def _product(op: Op, a: Operand, b: Operand) -> Operand:
    """Of matrices of which one has rows, or columns, with a factor each, and the other one has none."""
    ranks = [rank_of(x.type) if isinstance(x, Var) else None for x in op.args]
    given = a if a is not None else b
    if op.fn is np.dot and max(r or 3 for r in ranks) > 2:
        raise _Other
    if op.kwargs or None in ranks or given is None or a is not None and b is not None or given.how != TIMES:
        raise _Other
    left, right = (
        g.axes if g is not None else (None,) * (n or 0) for g, n in zip((a, b), ranks, strict=True)
    )
    if not left or not right or left[-1] is not None or right[-2:][0] is not None:
        raise _Other
    kept = (*left[-2:-1], *(right[-1:] if len(right) > 1 else ()))
    batch = max(left[:-2], right[:-2], key=lambda axes: (any(k is not None for k in axes), len(axes)))
    missing = (rank_of(op.outs[0].type) or 0) - len(kept) - len(batch)
    return Follows(TIMES, given.c, (*(None,) * missing, *batch, *kept))


def _where(op: Op, cond: Operand, a: Operand = None, b: Operand = None) -> Operand:
    """A choice between values that follow alike; instead of one a number that no shift changes."""
    if len(op.args) != 3 or cond is not None:
        raise _Other
    chosen = [g for g in (a, b) if g is not None]
    for given, arg in ((a, op.args[1]), (b, op.args[2])):
        if given is None and not (isinstance(arg, Lit) and arg.value in _FIXED[chosen[0].how]):
            raise _Other
    if len({g.c for g in chosen}) != 1:
        raise _Other
    return _joint(op, chosen[0].how, chosen[0].c, a, b)


_FIXED = {ADD: (math.inf, -math.inf), TIMES: (0,)}

RULES: dict[Any, Callable[..., Operand]] = {
    **dict.fromkeys((operator.add, np.add), _add),
    **dict.fromkeys((operator.sub, np.subtract), _subtract),
    **dict.fromkeys((operator.neg, np.negative), _negative),
    **dict.fromkeys((operator.mul, np.multiply), _multiply),
    **dict.fromkeys((operator.truediv, np.divide), _divide),
    **dict.fromkeys((np.exp, math.exp), _exp),
    **dict.fromkeys((np.log, math.log), _log),
    np.copy: _copy,
    np.sum: _sum,
    **dict.fromkeys((np.max, np.min), _extreme),
    operator.getitem: _indexed,
    np.expand_dims: _expanded,
    **dict.fromkeys((operator.matmul, np.matmul, np.dot), _product),
    np.where: _where,
}
