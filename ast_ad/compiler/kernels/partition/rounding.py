"""Where does a program rely on how numbers are rounded? There sums must be made in the order that is written.

``cancels(kernel) -> bool``. Asked by ``interchange`` and ``parallelise``, and for the choice of the decorator
when the kernel is done; there behind ``keep_constants(kernel) -> None``, after which no constants cancel.

Compensated sums, ``(x + big) - big`` and their like compute a rounding error as a difference of what is equal
on paper. A compiler that may reorder sums makes 0 of it. Where numbers cancel that a program computes, all of
its sums are made in order: what belongs together may be far apart. Constants stand in the sum where they
cancel, as in ``1.0 - (1.0 - x)``, so that it is enough to make this one as it is written.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from ...ir import builtin
from ...ir.ops import Arg, Function, Lit, Op, Var, variables, walk
from ...ir.types import Scalar
from .decisions import as_written_form

MOST_TERMS = 64
Terms = dict[Var | None, tuple[float, float]]  # for each number (None: literals) what is added and subtracted


def cancels(kernel: Function) -> bool:
    """Whether somewhere in a kernel of scalar operations a sum contains a number and its opposite.

    >>> x, y, z = (Var(Scalar("float"), name) for name in "xyz")
    >>> body = [Op(operator.add, (x, Lit(1.0)), (y,)), Op(operator.sub, (y, Lit(1.0)), (z,))]
    >>> from ...ir.ops import Block
    >>> cancels(Function("f", (x,), Block(body, (z,)))), cancels(Function("f", (x,), Block(body[:1], (y,))))
    (True, False)
    """
    return any(any(map(_cancels, terms.values())) for _, terms, _ in _sums(kernel))


def keep_constants(kernel: Function) -> None:
    """Make the sums as they are written in which constants cancel, in place, if no other numbers do."""
    marked: dict[int, Op] = {}
    for _, terms, parts in _sums(kernel):
        if any(_cancels(pair) for var, pair in terms.items() if var is not None):
            return
        if None in terms and _cancels(terms[None]):
            marked.update((id(op), op) for op in parts)
    for op in marked.values():
        op.fn = as_written_form(op)


def _sums(kernel: Function) -> Iterator[tuple[Op, Terms, list[Op]]]:
    """The sums of a kernel: the last operation, the terms, and all operations that make it."""
    known: dict[Var, Terms] = {}
    made: dict[Var, list[Op]] = {}
    for op in walk(kernel.body):
        if not isinstance(op, Op) or len(op.outs) != 1 or not _is_float(op.outs[0]):
            continue
        terms = _sum(op, known)
        if terms is None:
            continue
        parts = {id(part): part for var in variables(*op.args) for part in made.get(var, ())}
        made_by = [*parts.values(), op]
        yield op, terms, made_by
        if len(terms) <= MOST_TERMS:
            known[op.outs[0]], made[op.outs[0]] = terms, made_by


def _cancels(pair: tuple[float, float]) -> bool:
    """Whether what is added is what is subtracted."""
    return min(pair) > 0 and abs(pair[0] - pair[1]) <= 1e-6 * max(pair)


def _is_float(var: Var) -> bool:
    return isinstance(var.type, Scalar) and var.type.kind in ("float", "complex")


def _sum(op: Op, known: dict[Var, Terms]) -> Terms | None:
    """The terms of a sum, difference or multiple; None for any other operation."""
    name = getattr(op.fn, "__name__", "").partition("_")[0]  # mul_float32 multiplies
    args = [_terms(a, known) for a in op.args]
    if op.fn is builtin.assign:
        return args[0]
    if len(args) == 2 and name == "add":
        return _joined(args[0], args[1])
    if len(args) == 2 and name == "sub":
        return _joined(args[0], _scaled(args[1], -1.0))
    if len(args) == 1 and op.fn is operator.neg:
        return _scaled(args[0], -1.0)
    if len(args) == 2 and name == "mul":
        for factor, terms in ((op.args[0], args[1]), (op.args[1], args[0])):
            if isinstance(factor, Lit) and isinstance(factor.value, (int, float)):
                return _scaled(terms, float(factor.value))
    return None


def _terms(arg: Arg, known: dict[Var, Terms]) -> Terms:
    if isinstance(arg, Var):
        return known.get(arg, {arg: (1.0, 0.0)})
    value = arg.value if isinstance(arg, Lit) else 0.0
    number = float(value) if isinstance(value, (int, float)) else 0.0
    return {None: (max(number, 0.0), max(-number, 0.0))}


def _scaled(terms: Terms, factor: float) -> Terms:
    size = abs(factor)
    pairs = {var: (plus * size, minus * size) for var, (plus, minus) in terms.items()}
    return pairs if factor >= 0 else {var: (minus, plus) for var, (plus, minus) in pairs.items()}


def _joined(a: Terms, b: Terms) -> Terms:
    out = dict(a)
    for var, (plus, minus) in b.items():
        old = out.get(var, (0.0, 0.0))
        out[var] = old[0] + plus, old[1] + minus
    return out
