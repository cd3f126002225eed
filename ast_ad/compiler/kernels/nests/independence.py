"""Which loops of a kernel may run their turns at the same time? Those in which no turn meets another.

What a turn writes, it writes to places that only it names, or to arrays of its own; to numbers and
arrays that it only adds to, turns may add in any order, and what is true in one turn is true. Everything
else is taken to depend on earlier turns.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field

import numpy as np

from ...ir import builtin
from ...ir.ops import (
    Arg,
    Block,
    For,
    If,
    Lit,
    Op,
    Seq,
    Statement,
    Var,
    While,
    binders,
    reads,
    variables,
    walk,
)
from ...ir.types import Array, Scalar, dtype_of
from .. import runtime as kernels
from ..partition.alias_sets import Groups

READ, WRITE, ADD, WHOLE_READ, WHOLE_WRITE = "read", "write", "add", "whole read", "whole write"
_WRITES = {WRITE, ADD, WHOLE_WRITE}
_LENGTHS = {np.shape, np.empty, np.ndim, len}
Affine = tuple[int, frozenset[tuple[Var, int]], int]  # how often the counter, other numbers, and a constant


@dataclass
class Touch:
    """One access of an array."""

    kind: str
    array: Var
    index: tuple[Arg, ...] = ()


@dataclass
class Sharing:
    """``added``: the arrays that all turns add to; ``own``: those in which each turn has its places."""

    added: list[Var] = field(default_factory=list)
    own: list[Var] = field(default_factory=list)


def sharing(loop: For, groups: Groups, inside: dict[Var, set[Var]]) -> Sharing | None:
    """What the turns of a loop share, or None if one may depend on another.

    Args:
        loop: in a kernel of scalar operations.
        groups: which arrays of the kernel may share memory.
        inside: all arrays of each group.
    """
    if loop.stops or loop.items or loop.range is None or not _has_constant_step(loop):
        return None
    results = loop.body.results
    if not all(_is_sum(loop.body, p, r) for p, r in zip(loop.params, results, strict=True)):
        return None
    if any(isinstance(o, Op) and o.fn in (builtin.raise_, builtin.assert_) for o in walk(loop.body)):
        return None
    made = {v for op in walk(loop.body) for v in (*op.outs, *binders(op))}
    touched: dict[Var, list[Touch]] = {}
    for op in walk(loop.body):
        for touch in _touches(op):
            touched.setdefault(groups.of(touch.array), []).append(touch)
    found = Sharing()
    for group, touches in touched.items():
        if not any(t.kind in _WRITES for t in touches) or inside[group] <= made:
            continue
        arrays = {t.array for t in touches}
        if len(arrays) > 1 or arrays & made:
            return None
        if _is_apart(touches, loop):
            found.own += arrays
        elif all(t.kind == ADD for t in touches):
            found.added += arrays
        else:
            return None
    return found


def counts_from_zero(loop: For) -> bool:
    """Whether the smallest number of a loop's counter is known to be 0."""
    if loop.range is None:
        return False
    start, stop, step = (a.value if isinstance(a, Lit) else None for a in loop.range)
    return (start, step) == (0, 1) or (stop, step) == (-1, -1)


def _has_constant_step(loop: For) -> bool:
    step = loop.range[2] if loop.range is not None else None
    return isinstance(step, Lit) and type(step.value) is int and step.value != 0


def _touches(op: Statement) -> list[Touch]:
    """The accesses of a statement, without those of its regions."""
    if not isinstance(op, Op) or op.fn in _LENGTHS:
        return []
    arrays = [v for v in variables(*op.args, *op.kwargs.values()) if isinstance(v.type, Array)]
    first = op.args[0] if op.args else None
    if isinstance(first, Var) and isinstance(first.type, Array) and len(arrays) == 1:
        if op.fn is operator.getitem and not isinstance(op.outs[0].type, Array):
            return [Touch(READ, first, _places(op.args[1]))]
        if op.fn is builtin.setitem_:
            return [Touch(WRITE, first, _places(op.args[1]))]
        if op.fn is builtin.add_item_:
            return [Touch(ADD, first, _places(op.args[1]))]
    if op.fn is np.dot and len(arrays) == 3:
        return [*(Touch(WHOLE_READ, v) for v in arrays[:2]), Touch(WHOLE_WRITE, arrays[2])]
    if op.fn is np.transpose:
        return [Touch(WHOLE_READ, v) for v in arrays]
    return [Touch(WHOLE_WRITE, v) for v in arrays]


def _places(index: Arg) -> tuple[Arg, ...]:
    return index.items if isinstance(index, Seq) else (index,)


# ----- places
def _is_apart(touches: list[Touch], loop: For) -> bool:
    """Whether all accesses name, along one axis, the same place, which is another in each turn."""
    makers = {out: op for op in walk(loop.body) if isinstance(op, Op) for out in op.outs}
    inner = {v for op in walk(loop.body) for v in (*op.outs, *binders(op))}
    if any(not t.index for t in touches):
        return False
    for axis in range(len(touches[0].index)):
        keys = {_affine(t.index[axis], loop, makers, inner) if axis < len(t.index) else None for t in touches}
        (key, *others) = keys
        if not others and key is not None and key[0] != 0:
            return True
    return False


def _affine(arg: Arg, loop: For, makers: dict[Var, Op], inner: set[Var]) -> Affine | None:
    """A place as a sum of multiples of the loop's counter and of numbers that the loop does not change."""
    if isinstance(arg, Lit):
        return (0, frozenset(), arg.value) if type(arg.value) is int else None
    if not isinstance(arg, Var):
        return None
    if arg is loop.index:
        return 1, frozenset(), 0
    if arg not in inner:
        return (0, frozenset({(arg, 1)}), 0) if arg not in loop.params else None
    op = makers.get(arg)
    if op is not None and op.fn is kernels.position and op.args[0] is loop.index and counts_from_zero(loop):
        return 1, frozenset(), 0  # what is not negative is not counted from the end
    if op is None or op.fn not in (operator.add, operator.sub, operator.mul):
        return None
    a, b = (_affine(x, loop, makers, inner) for x in op.args)
    if a is None or b is None:
        return None
    if op.fn is operator.mul:
        (a, b) = (b, a) if not a[0] and not a[1] else (a, b)
        return None if b[0] or b[1] else _combined(a, a, b[2], 0)
    return _combined(a, b, 1, 1 if op.fn is operator.add else -1)


def _combined(a: Affine, b: Affine, one: int, two: int) -> Affine:
    terms = {v: n * one for v, n in a[1]}
    for v, n in b[1]:
        terms[v] = terms.get(v, 0) + n * two
    rest = frozenset((v, n) for v, n in terms.items() if n)
    return a[0] * one + b[0] * two, rest, a[2] * one + b[2] * two


# ----- sums
def _is_sum(block: Block, param: Var, result: Arg) -> bool:
    """Whether a block gives a number plus what does not depend on it, and reads it for nothing else."""
    if not isinstance(param.type, Scalar) or param.type.kind not in ("float", "complex", "int", "bool"):
        return False
    now = param
    while True:
        users = [op for op in block.ops if now in set(reads(op))]
        if result is now:
            return not users and list(variables(*block.results)).count(now) == 1
        if len(users) != 1 or now in set(variables(*block.results)):
            return False
        after = added_to(users[0], now)
        if after is None or dtype_of(after.type) != dtype_of(param.type):
            return False
        now = after


def added_to(op: Statement, now: Var) -> Var | None:
    """The result of a statement that adds to a number, and does nothing else with it."""
    times = list(reads(op)).count(now)
    if isinstance(op, Op):
        adds = operator.or_ if isinstance(now.type, Scalar) and now.type.kind == "bool" else operator.add
        is_term = op.fn is adds or (op.fn is operator.sub and op.args[0] is now)
        plain = op.args.count(now) == 1 and not op.kwargs
        return op.outs[0] if times == 1 and plain and (is_term or op.fn is builtin.assign) else None
    if isinstance(op, If):
        if now in set(variables(op.cond)):
            return None
        for j, out in enumerate(op.outs):
            if all(_is_sum(b, now, b.results[j]) for b in (op.then, op.orelse)):
                return out
        return None
    if isinstance(op, While) or times != 1 or now not in op.inits:
        return None
    j = op.inits.index(now)
    inner = op.body.results[op.stops + j]
    return op.outs[j] if _is_sum(op.body, op.params[j], inner) else None
