"""What do a kernel's decisions depend on? There numbers are rounded as NumPy rounds them.

``decide_as_written(kernel) -> None``. When a kernel is done, before it is emitted.

``int(x / 0.1)`` is another integer if ``x / 0.1`` is computed as ``x * 10``: on a grid, that happens at every
other point; and ``while t < end`` may make one turn more. So sums, products and quotients that become
integers, or are compared, are made one by one, in the order that is written. What they are made from, too:
for integers what was stored before, for the condition of a ``while`` what it carries. Not so for an ``if``:
what it compares may depend on the whole program, and all sums would be made one by one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...ir import builtin
from ...ir.ops import Arg, Block, Function, If, Op, Var, While, walk
from ...ir.types import Scalar, kind_of
from ..nests.nests import SLOW
from ..numbers import as_written, counts, kernel_math, python_math, remainders, sorted_places
from ..numbers.powers import argument_type
from ..runtime import numbers

_AS_WRITTEN: dict[Callable[..., Any], Callable[..., Any]] = {
    operator.add: as_written.plus,
    operator.sub: as_written.minus,
    operator.mul: as_written.times,
    operator.truediv: as_written.over,
    python_math.truediv: python_math.truediv_as_written,
}
Sources = dict[Var, list[Op | Arg]]
_STEPS = {
    np.floor, np.ceil, np.trunc, np.rint, remainders.fmod, remainders.floor_divide, remainders.remainder,
    python_math.floor_divide, python_math.remainder, kernel_math.heaviside,
}  # fmt: skip
"""What jumps, and gives a float."""


def decide_as_written(kernel: Function) -> None:
    """Make the arithmetic that decisions depend on NumPy's, in place."""
    made, stored, carried = _sources(kernel)
    whiles = {id(op) for loop in walk(kernel.body) if isinstance(loop, While) for op in loop.cond.ops}
    of_whiles: list[Arg] = []
    of_comparisons: list[Arg] = []
    of_others: list[Arg] = []
    for op in walk(kernel.body):
        if isinstance(op, Op) and _decides(op):
            compared = any(kind_of(out.type) == "bool" for out in op.outs)  # Python's or NumPy's
            of_whiles += op.args if id(op) in whiles else ()
            of_comparisons += op.args if compared and id(op) not in whiles else ()
            of_others += op.args if not compared and id(op) not in whiles else ()
    _follow(of_whiles, made, carried)
    _follow(of_comparisons, made, {})
    _follow(of_others, made, stored)


def _follow(values: Iterable[Arg], made: Sources, more: Sources) -> None:
    """Make as written what values are made from; ``more``: what else they stand for."""
    todo, seen = list(values), set[Var]()
    while todo:
        value = todo.pop()
        if not isinstance(value, Var) or value in seen:
            continue
        seen.add(value)
        for source in (*made.get(value, ()), *more.get(value, ())):
            if not isinstance(source, Op):
                todo.append(source)
            elif source.fn not in SLOW:  # else it is not NumPy's to the last bit
                source.fn = as_written_form(source)
                todo.extend(source.args)


def as_written_form(op: Op) -> Callable[..., Any]:
    """What computes an operation by itself, or what computes it now, if there is no other form."""
    types = [argument_type(x) for x in (*op.args, *op.outs)]
    kinds = [type.kind for type in types if isinstance(type, Scalar)]
    if len(kinds) != 3 or set(kinds) - {"int", "float"} or kinds[-1] != "float":
        return op.fn
    return _AS_WRITTEN.get(op.fn, op.fn)


def _decides(op: Op) -> bool:
    """Whether it makes integers or truth values of floats, or jumps."""
    if getattr(op.fn, "__module__", "") in (sorted_places.__name__, counts.__name__):
        return True
    if op.fn is numbers:  # of any other rounding, too
        return False
    floats = any(isinstance(a, Var) and _is_float(a) for a in op.args)
    return floats and (op.fn in _STEPS or all(_is_whole(out) for out in op.outs))


def _sources(kernel: Function) -> tuple[Sources, Sources, Sources]:
    """What numbers are made from: by operations or on paths, by stores into arrays, by turns of loops."""
    made: Sources = {}
    stored: Sources = {}
    carried: Sources = {}
    for op in walk(kernel.body):
        if isinstance(op, Op):
            made.update((out, [op]) for out in op.outs if _is_float(out) and op.fn is not operator.getitem)
        elif isinstance(op, If):
            for out, a, b in zip(op.outs, op.then.results, op.orelse.results, strict=True):
                made[out] = [a, b]
        else:
            results = op.body.results[op.stops :]
            for out, p, init, result in zip(op.outs, op.params, op.inits, results, strict=True):
                carried[p], carried[out] = [init, result], [p]
    before: Sources = {}
    for statement in kernel.body.ops:  # what a later one stores, in memory that two arrays share, is not read
        within = [op for op in walk(Block([statement])) if isinstance(op, Op)]
        for op in within:
            if op.fn in (builtin.setitem_, builtin.add_item_):
                before.setdefault(op.args[0], []).append(op.args[2])  # type: ignore[arg-type]
        now = {array: list(values) for array, values in before.items()}
        for op in within:
            if op.fn is operator.getitem and op.args[0] in now:
                stored[op.outs[0]] = now[op.args[0]]
    stored.update(before)
    return made, stored, carried


def _is_float(var: Var) -> bool:
    return isinstance(var.type, Scalar) and var.type.kind == "float"


def _is_whole(var: Var) -> bool:
    return isinstance(var.type, Scalar) and var.type.kind in ("int", "bool")
