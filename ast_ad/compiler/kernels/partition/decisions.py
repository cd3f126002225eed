"""What do a kernel's decisions depend on? There numbers are rounded as NumPy rounds them.

``decide_as_written(kernel) -> None``. When a kernel is done, before it is emitted.

``int(x / 0.1)`` is another integer if ``x / 0.1`` is computed as ``x * 10``: on a grid, that happens at every
other point; and ``while t < end`` may make one turn more. So sums, products and quotients that become
integers, or are compared, are made one by one, in the order that is written; what they are made from, too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir import builtin
from ...ir.ops import Arg, For, Function, If, Op, Var, While, walk
from ...ir.types import Scalar
from ..numbers import as_written, kernel_math, python_math, sorted_places
from ..numbers.powers import argument_type

_AS_WRITTEN: dict[Callable[..., Any], Callable[..., Any]] = {
    operator.add: as_written.plus,
    operator.sub: as_written.minus,
    operator.mul: as_written.times,
    operator.truediv: as_written.over,
}
_STEPS = {
    np.floor, np.ceil, np.trunc, np.rint, np.fmod, kernel_math.floor_divide, kernel_math.remainder,
    python_math.floor_divide, python_math.remainder, kernel_math.heaviside,
}  # fmt: skip
"""What jumps, and gives a float."""


def decide_as_written(kernel: Function) -> None:
    """Make the arithmetic that decisions depend on NumPy's, in place."""
    sources = _sources(kernel)
    todo: list[Arg] = [a for op in walk(kernel.body) if isinstance(op, Op) and _decides(op) for a in op.args]
    seen: set[Var] = set()
    while todo:
        value = todo.pop()
        if not isinstance(value, Var) or value in seen:
            continue
        seen.add(value)
        for source in sources.get(value, ()):
            if isinstance(source, Op):
                source.fn = _as_written(source)
                todo.extend(source.args)
            else:
                todo.append(source)


def _as_written(op: Op) -> Callable[..., Any]:
    types = [argument_type(x) for x in (*op.args, *op.outs)]
    kinds = [type.kind for type in types if isinstance(type, Scalar)]
    if len(kinds) != 3 or set(kinds) - {"int", "float"} or kinds[-1] != "float":
        return op.fn
    return _AS_WRITTEN.get(op.fn, op.fn)


def _decides(op: Op) -> bool:
    """Whether it makes integers or truth values of floats, or jumps."""
    if op.fn.__module__ == sorted_places.__name__:
        return True
    floats = any(isinstance(a, Var) and _is_float(a) for a in op.args)
    return floats and (op.fn in _STEPS or all(_is_whole(out) for out in op.outs))


def _sources(kernel: Function) -> dict[Var, list[Op | Arg]]:
    """What each number is made from: an operation, or other numbers that it stands for."""
    found: dict[Var, list[Op | Arg]] = {}
    stored: dict[Arg, list[Op | Arg]] = {}  # in each array
    for op in walk(kernel.body):
        if isinstance(op, Op) and op.fn in (builtin.setitem_, builtin.add_item_):
            stored.setdefault(op.args[0], []).append(op.args[2])
    found.update((array, values) for array, values in stored.items() if isinstance(array, Var))
    for op in walk(kernel.body):
        if isinstance(op, Op) and op.fn is operator.getitem:
            found[op.outs[0]] = stored.get(op.args[0], [])
        elif isinstance(op, Op):
            found.update((out, [op]) for out in op.outs if _is_float(out))
        elif isinstance(op, If):
            for out, a, b in zip(op.outs, op.then.results, op.orelse.results, strict=True):
                found.setdefault(out, []).extend((a, b))
        elif isinstance(op, (For, While)):
            results = op.body.results[op.stops :]
            for out, p, init, result in zip(op.outs, op.params, op.inits, results, strict=True):
                found.setdefault(p, []).extend((init, result))
                found.setdefault(out, []).append(p)
    return found


def _is_float(var: Var) -> bool:
    return isinstance(var.type, Scalar) and var.type.kind == "float"


def _is_whole(var: Var) -> bool:
    return isinstance(var.type, Scalar) and var.type.kind in ("int", "bool")
