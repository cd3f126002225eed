"""Which places are clamped to an array's ends? All of a loop but its first and last turns do without.

``prove_places(kernel) -> None`` behind ``interchange``, and ``split_clamps(kernel) -> None`` before
``check_before``.

A neighbour that is the place itself at the border, ``x[max(j - 1, 0)]``, is within bounds as its loop's
range is, so that nothing has to be checked. But LLVM makes no vectors of loads at such places. So the turns
in which a bound holds the place are loops of their own, in the same order, and those between have none::

    for j in range(n):                      for j in range(0, 1):
        y[j] = x[max(j - 1, 0)]                 y[j] = x[max(j - 1, 0)]
                                            for j in range(1, n):
                                                y[j] = x[j - 1]

It does not matter how long the loop is, nor in which order the bounds come: the loop between begins where all
lower bounds have been passed, ends where the first upper one is met, and may have no turns at all.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ...ir import builtin
from ...ir.ops import Arg, Block, For, Function, Lit, Op, Statement, Var, blocks, variables, walk
from ...ir.types import Array, Scalar
from ...simplify.renaming import Renaming, copy_statement, renamed, replace_reads
from .. import runtime as kernels
from ..numbers import selections
from .body import INT

LARGER = {selections.maximum, max}
SMALLER = {selections.minimum, min}
_ACCESSES = {operator.getitem, builtin.setitem_, builtin.add_item_}
_CHECKED = {kernels.small, kernels.nearby, kernels.turns, kernels.span, kernels.bound}
MOST = 400  # operations of a loop that is written three times


@dataclass(frozen=True)
class Form:
    """A sum of integers, each with a factor, and a constant."""

    terms: frozenset[tuple[Var, int]] = frozenset()
    const: int = 0

    def plus(self, other: Form, factor: int = 1) -> Form:
        terms = dict(self.terms)
        for var, n in other.terms:
            terms[var] = terms.get(var, 0) + n * factor
        kept = frozenset((v, n) for v, n in terms.items() if n)
        return Form(kept, self.const + other.const * factor)

    def of(self, var: Var) -> int:
        return dict(self.terms).get(var, 0)


def form_of(arg: Arg, makers: Mapping[Var, Statement]) -> Form | None:
    """An integer as a sum of others that are computed in no such way; None of what is no integer."""
    if isinstance(arg, Lit):
        return Form(const=arg.value) if type(arg.value) is int and abs(arg.value) < 2**40 else None
    if not isinstance(arg, Var) or not _is_integer(arg):
        return None
    op = makers.get(arg)
    if isinstance(op, Op) and op.fn is builtin.assign:
        return form_of(op.args[0], makers)
    if isinstance(op, Op) and op.fn in (operator.add, operator.sub) and not op.kwargs:
        one, two = (form_of(a, makers) for a in op.args)
        if one is not None and two is not None:
            return one.plus(two, 1 if op.fn is operator.add else -1)
    return Form(frozenset({(arg, 1)}))


def _is_integer(var: Var) -> bool:
    """Whether it is an integer of 64 bits: shorter ones wrap sooner."""
    return isinstance(var.type, Scalar) and var.type.kind == "int" and var.type.dtype in (None, np.int64)


# ----- places that are within bounds
def prove_places(kernel: Function) -> None:
    """Leave out the checks of clamped places that are certainly within bounds, in place."""
    makers = {out: op for op in walk(kernel.body) for out in op.outs}
    names: Renaming = {}
    _prove(kernel.body, Known(makers), names)
    replace_reads(kernel.body, names)


@dataclass
class Known:
    """``ranges``: of the loops around, outermost first."""

    makers: Mapping[Var, Statement]
    ranges: list[tuple[Var, Form, Form]] = field(default_factory=list)

    def least(self, arg: Arg, sign: int, beyond: Form) -> bool:
        """Whether ``beyond + sign * arg`` is certainly not negative."""
        op = self.makers.get(arg) if isinstance(arg, Var) else None
        if isinstance(op, Op) and (op.fn in LARGER or op.fn in SMALLER) and len(op.args) == 2:
            either = (op.fn in LARGER) == (sign > 0)
            return (any if either else all)(self.least(a, sign, beyond) for a in op.args)
        form = form_of(arg, self.makers)
        return form is not None and self.not_negative(beyond.plus(form, sign))

    def not_negative(self, form: Form) -> bool:
        """By the ranges of counters, and since a loop that has turns has a range that is not empty."""
        turns: list[Form] = []
        for counter, start, stop in reversed(self.ranges):
            factor = form.of(counter)
            end = start if factor > 0 else stop.plus(Form(const=-1))
            form = form.plus(Form(frozenset({(counter, 1)})), -factor).plus(end, factor)
            turns.append(stop.plus(start, -1).plus(Form(const=-1)))
        if not form.terms:
            return form.const >= 0
        return any(not (rest := form.plus(turn, -1)).terms and rest.const >= 0 for turn in turns)

    def lowest(self, form: Form) -> int | None:
        """What a sum certainly reaches, where the ranges of counters leave a number."""
        for counter, start, stop in reversed(self.ranges):
            factor = form.of(counter)
            end = start if factor > 0 else stop.plus(Form(const=-1))
            form = form.plus(Form(frozenset({(counter, 1)})), -factor).plus(end, factor)
        return None if form.terms else form.const


def _prove(block: Block, known: Known, names: Renaming) -> None:
    kept: list[Statement] = []
    for op in block.ops:
        if isinstance(op, Op) and op.fn is kernels.position and _is_clamped(op.args[0], known.makers):
            length = form_of(op.args[1], known.makers)
            below = length is not None and known.least(op.args[0], -1, length.plus(Form(const=-1)))
            if below and known.least(op.args[0], 1, Form()):
                names[op.outs[0]] = op.args[0]
                continue
        kept.append(op)
        ranges = known.ranges
        if isinstance(op, For) and (own := range_of(op, known.makers)) is not None:
            ranges = [*ranges, (op.index, *own)]
        for inner in blocks(op):
            _prove(inner, Known(known.makers, ranges), names)
    block.ops = kept


def range_of(loop: For, makers: Mapping[Var, Statement]) -> tuple[Form, Form] | None:
    """Start and stop of a loop that counts upwards by one, in either order."""
    if loop.range is None or loop.stops:
        return None
    start, stop, step = loop.range
    if not isinstance(step, Lit) or step.value != 1:
        return None
    ends = form_of(start, makers), form_of(stop, makers)
    return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])


def _is_clamped(arg: Arg, makers: Mapping[Var, Statement]) -> bool:
    op = makers.get(arg) if isinstance(arg, Var) else None
    return isinstance(op, Op) and (op.fn in LARGER or op.fn in SMALLER) and _is_integer(op.outs[0])


# ----- loops without the bounds
def split_clamps(kernel: Function) -> None:
    """Give the turns of innermost loops that no bound holds a loop without bounds, in place."""
    makers = {out: op for op in walk(kernel.body) for out in op.outs}
    _split(kernel.body, makers)


def _split(block: Block, makers: Mapping[Var, Statement]) -> None:
    new: list[Statement] = []
    for op in block.ops:
        for inner in blocks(op):
            _split(inner, makers)
        new += [op] if not isinstance(op, For) else _without_bounds(op, makers)
    block.ops = new


@dataclass
class _Clamps:
    """``free``: what each clamped place is where no bound holds it. ``first``, ``end``: the first turns that
    have passed a lower bound, and that have met an upper one."""

    free: Renaming = field(default_factory=dict)
    first: dict[Form, None] = field(default_factory=dict)
    end: dict[Form, None] = field(default_factory=dict)


def _without_bounds(loop: For, makers: Mapping[Var, Statement]) -> list[Statement]:
    """The loops that stand for one."""
    if loop.items or loop.reverse or loop.parallel or range_of(loop, makers) is None:
        return [loop]
    if len(loop.body.ops) > MOST or not all(isinstance(op, Op) for op in loop.body.ops):
        return [loop]
    clamps = _clamps(loop, makers)
    if not clamps.free:
        return [loop]
    assert loop.range is not None
    before: list[Statement] = []
    start, stop, _ = loop.range
    first, end = start, stop
    for form in clamps.first:
        first = _op(max, (first, number_of(form, before)), before)
    for form in clamps.end:
        end = _op(min, (end, number_of(form, before)), before)
    found, states = before, loop.inits
    ahead = _op(min, (first, stop), before) if clamps.first else start
    parts = [(start, ahead, False)] if clamps.first else []
    parts.append((first, end, True))  # which LLVM sees to begin with 0 or more: no index counts from the end
    parts += [(_op(max, (end, ahead), before), stop, False)] if clamps.end else []
    for n, (low, high, is_free) in enumerate(parts):
        part = _part(loop, low, high, states, clamps.free if is_free else {})
        if n == len(parts) - 1:
            part.outs = loop.outs
        found.append(part)
        states = part.outs
    return found


def _clamps(loop: For, makers: Mapping[Var, Statement]) -> _Clamps:
    """What holds the places of a loop's accesses."""
    made = {out for op in loop.body.ops for out in op.outs}
    own = {v: op for v, op in makers.items() if v in made}  # what is computed before the loop is one term
    places, found = _places(loop), _Clamps()
    for op in loop.body.ops:
        assert isinstance(op, Op)
        if not op.outs or op.outs[0] not in places or not _is_clamped(op.outs[0], own) or len(op.args) != 2:
            continue
        one, two = (form_of(a, own) for a in op.args)
        if one is None or two is None or sorted((one.of(loop.index), two.of(loop.index))) != [0, 1]:
            continue
        moving, (place, bound) = (op.args[0], (one, two)) if one.of(loop.index) else (op.args[1], (two, one))
        turn = bound.plus(place, -1).plus(Form(frozenset({(loop.index, 1)})))
        if all(v not in made and _is_small(v, loop, makers) for v, _ in turn.terms):
            found.free[op.outs[0]] = moving
            own[op.outs[0]] = Op(builtin.assign, (moving,), op.outs)  # as it is where no bound holds it
            if op.fn in LARGER:
                found.first[turn] = None
            else:
                found.end[turn.plus(Form(const=1))] = None
    return found


def _is_small(var: Var, loop: For, makers: Mapping[Var, Statement]) -> bool:
    """Whether a sum with it is far from overflow: a length, a counter, or what was checked."""
    op = makers.get(var)
    if isinstance(op, Op) and op.fn is operator.getitem:
        shape = makers.get(op.args[0]) if isinstance(op.args[0], Var) else None
        return isinstance(shape, Op) and shape.fn is np.shape
    if isinstance(op, Op) and op.fn in (operator.add, operator.sub):
        return all(not isinstance(a, Var) or _is_small(a, loop, makers) for a in op.args)
    assert loop.range is not None
    return isinstance(op, Op) and op.fn in _CHECKED or var in loop.range


def _places(loop: For) -> set[Var]:
    """The numbers that the places of elements are computed from."""
    found: set[Var] = set()
    for op in reversed(loop.body.ops):
        if isinstance(op, Op) and op.fn in _ACCESSES and isinstance(getattr(op.args[0], "type", None), Array):
            found.update(v for v in variables(op.args[1]) if _is_integer(v))
        elif isinstance(op, Op) and not found.isdisjoint(op.outs):
            found.update(v for v in variables(*op.args) if _is_integer(v))
    return found


def _part(loop: For, low: Arg, high: Arg, states: tuple[Arg, ...], free: Renaming) -> For:
    """The turns of a loop from ``low`` to ``high``, with its clamped places as ``free`` has them."""
    names: Renaming = {}
    index = names[loop.index] = Var(loop.index.type, loop.index.hint)
    params = tuple(Var(p.type, p.hint) for p in loop.params)
    names.update(zip(loop.params, params, strict=True))
    ops: list[Statement] = []
    for op in loop.body.ops:
        if op.outs and op.outs[0] in free:
            names[op.outs[0]] = renamed(free[op.outs[0]], names)
        else:
            ops.append(copy_statement(op, names))
    block = Block(ops, tuple(renamed(r, names) for r in loop.body.results))
    outs = tuple(Var(o.type, o.hint) for o in loop.outs)
    return For(
        index, (low, high, Lit(1)), (), params, states, block, outs, span=loop.span, adjoint=loop.adjoint
    )


def number_of(form: Form, ops: list[Statement]) -> Arg:
    """The statements that compute a sum."""
    total: Arg = Lit(form.const)
    for var, factor in sorted(form.terms, key=lambda term: term[0].id):
        term = var if abs(factor) == 1 else _op(operator.mul, (var, Lit(abs(factor))), ops)
        total = _op(operator.add if factor > 0 else operator.sub, (total, term), ops)
    return total


def _op(fn: Callable[..., int], args: tuple[Arg, ...], ops: list[Statement]) -> Arg:
    if all(isinstance(a, Lit) for a in args):
        return Lit(fn(*(a.value for a in args if isinstance(a, Lit))))
    if fn is operator.add and isinstance(args[0], Lit) and args[0].value == 0:
        return args[1]
    out = Var(INT)
    ops.append(Op(fn, args, (out,)))
    return out
