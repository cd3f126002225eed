"""Which sums of a reverse sweep contain another one that is computed anyway?

``read_known_sums(block) -> None``. In ``small_arrays``, behind ``merge_additions``, which joins what belongs
to one element.

The cotangent of ``y + h * k`` goes to ``y`` and, times ``h``, to ``k``. Where it is a small array, each of
its elements is a sum of a few terms, which are added to the cotangent of ``y`` one by one::

    k_bar_0 += (p + q - r) * h              s = p + q - r
    y_bar_0 = z + p + q - r + t             k_bar_0 += s * h
                                            y_bar_0 = z + s + t
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ..ir.ops import Block, Op, Statement, Var, blocks
from ..ir.types import Scalar
from .renaming import reads_of

MOST_TERMS = 48
Term = tuple[int, Var]  # its sign and what it is


@dataclass
class _Sum:
    """A sum that is no part of another one. ``last``: what computes it; ``parts``: all operations that do."""

    position: int
    last: Op
    terms: list[Term]
    parts: list[Op]


def read_known_sums(block: Block) -> None:
    """Change, in place, the adjoint sums of a block and of the regions within."""
    for op in block.ops:
        for inner in blocks(op):
            read_known_sums(inner)
    sums = _sums(block)
    by_term: dict[Term, list[_Sum]] = {}
    for one in sums:
        for term in one.terms:
            by_term.setdefault(term, []).append(one)
    new: dict[int, list[Op]] = {}
    gone: set[int] = set()
    for one in sums:
        terms = list(one.terms)
        found = False
        while (known := _largest_within(terms, one, by_term)) is not None:
            terms, found = _with(terms, known), True
        if found:
            gone.update(map(id, one.parts))
            new[id(one.last)] = list(_written(terms, one.last))
    if new:
        kept: list[Statement] = []
        for op in block.ops:
            kept += new.get(id(op), [] if id(op) in gone else [op])
        block.ops = kept


def _sums(block: Block) -> list[_Sum]:
    """The sums of a block, in order."""
    uses = reads_of(block)
    made = {op.outs[0]: op for op in block.ops if isinstance(op, Op) and _is_sum(op)}
    inside = {
        arg
        for op in made.values()
        for arg in op.args
        if isinstance(arg, Var) and arg in made and uses[arg] == 1 and arg.type == op.out.type
    }
    found = []
    for position, op in enumerate(block.ops):
        if isinstance(op, Op) and _is_sum(op) and op.out not in inside:
            parts: list[Op] = []
            terms = list(_terms(op, 1, made, inside, parts))
            if 1 < len(terms) <= MOST_TERMS:
                found.append(_Sum(position, op, terms, parts))
    return found


def _is_sum(op: Op) -> bool:
    """Whether it adds, subtracts or negates floats of one type, in the sweep."""
    fns = (operator.neg, 1), (operator.add, 2), (operator.sub, 2)
    if not op.adjoint or op.kwargs or (op.fn, len(op.args)) not in fns:
        return False
    type = op.out.type
    return isinstance(type, Scalar) and type.kind == "float" and all(_has(arg, type) for arg in op.args)


def _has(arg: object, type: Scalar) -> bool:
    return isinstance(arg, Var) and arg.type == type


def _terms(op: Op, sign: int, made: dict[Var, Op], inside: set[Var], parts: list[Op]) -> Iterator[Term]:
    """The terms of a sum in order; the operations that add them go to ``parts``."""
    parts.append(op)
    for place, arg in enumerate(op.args):
        assert isinstance(arg, Var)
        own = -sign if op.fn is operator.neg or op.fn is operator.sub and place else sign
        if arg in inside:
            yield from _terms(made[arg], own, made, inside, parts)
        else:
            yield own, arg


def _largest_within(terms: list[Term], of: _Sum, by_term: dict[Term, list[_Sum]]) -> _Sum | None:
    """The sum with the most terms, at least two, that comes before and has only terms of these, not all."""
    counts = Counter(terms)
    near = {id(one): one for term in counts for one in by_term.get(term, ())}
    fits = [
        one
        for one in near.values()
        if one.position < of.position
        and one.last.out.type == of.last.out.type
        and len(one.terms) < len(terms)
        and not Counter(one.terms) - counts
    ]
    return max(fits, key=lambda one: (len(one.terms), -one.position), default=None)


def _with(terms: list[Term], known: _Sum) -> list[Term]:
    """The terms with a sum in the place of the first of its own."""
    left, rest = Counter(known.terms), list[Term]()
    place: int | None = None
    for term in terms:
        if left[term]:
            left[term] -= 1
            place = len(rest) if place is None else place
        else:
            rest.append(term)
    assert place is not None
    return [*rest[:place], (1, known.last.out), *rest[place:]]


def _written(terms: list[Term], last: Op) -> Iterator[Op]:
    """The operations that add terms up, the last of which gives what another one gave."""
    terms = sorted(terms, key=lambda term: -term[0]) if terms[0][0] < 0 else terms
    (sign, total), *others = terms
    if sign < 0:
        negative = Var(last.out.type)
        yield Op(operator.neg, (total,), (negative,), {}, last.span, adjoint=True)
        total = negative
    for k, (sign, term) in enumerate(others):
        out = last.out if k == len(others) - 1 else Var(last.out.type)
        yield Op(
            operator.add if sign > 0 else operator.sub, (total, term), (out,), {}, last.span, adjoint=True
        )
        total = out
