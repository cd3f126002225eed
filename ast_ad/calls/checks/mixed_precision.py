"""Which values may be of a wider precision than the compiler believes?

Where one path gives a number of Python's and the other a float32, the value is taken for a float32: mostly it
is a sum that begins with 0.0. By NumPy's promotion what is computed from the number may be a float64. Of such
values only the kind is believed, and the compiler rests nothing on more.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...compiler.ir.ops import (
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
    operands,
    variables,
    walk,
)
from ...compiler.ir.types import Array, DictOf, ListOf, Optional, Scalar, TupleOf, Type, dtype_of, type_of

WIDE = np.dtype(np.float64), np.dtype(np.complex128)


def mixed(body: Block) -> set[Var]:
    """The values that depend on one that is a number of Python's on some paths only."""
    found = {
        var for op in walk(body) for var, args in _merges(op) if any(_is_wider(a, var.type) for a in args)
    }
    size = -1
    while found and len(found) != size:  # once more for each loop that carries one to its begin
        size = len(found)
        for op in walk(body):
            _spread(op, found)
    return found


def _merges(op: Statement) -> Iterator[tuple[Var, tuple[Arg, ...]]]:
    """The variables that have the value of one of some others, and these."""
    if isinstance(op, If):
        yield from zip(op.outs, zip(op.then.results, op.orelse.results, strict=True), strict=True)
    elif isinstance(op, (For, While)):
        yield from zip(op.params, zip(op.inits, op.body.results[op.stops :], strict=True), strict=True)
    elif len(op.outs) == 1 and isinstance(op.out.type, (ListOf, DictOf)):
        yield op.out, op.args


def _spread(op: Statement, found: set[Var]) -> None:
    """What is computed from a found value is found."""
    for var, args in _merges(op):
        if found.intersection(variables(*args)):
            found.add(var)
    if isinstance(op, (For, While)):
        found.update(out for out, param in zip(op.outs, op.params, strict=True) if param in found)
    if isinstance(op, For):
        for source, names in op.items:
            if found.intersection(variables(source)):
                found.update(names)
    if isinstance(op, Op) and found.intersection(variables(*operands(op))):
        found.update(op.outs)


def _is_wider(arg: Arg, type: Type) -> bool:
    """Whether a value may be of a dtype that the believed one does not hold."""
    given: Type | None = None
    if isinstance(arg, Var):
        given = arg.type
    elif isinstance(arg, Lit) and isinstance(arg.value, (int, float, complex)):
        given = type_of(arg.value)
    elif isinstance(arg, Seq):
        return any(_is_wider(item, type) for item in arg.items)
    return given is not None and _exceeds(given, type)


def _exceeds(given: Type, type: Type) -> bool:
    if isinstance(type, Optional):
        return _exceeds(given, type.value)
    if isinstance(type, (ListOf, DictOf)):
        return _exceeds(given.element if isinstance(given, (ListOf, DictOf)) else given, type.element)
    if isinstance(type, TupleOf):
        items = given.items if isinstance(given, TupleOf) else ()
        return any(map(_exceeds, items, type.items))
    if isinstance(given, Optional):
        return _exceeds(given.value, type)
    if not (isinstance(given, (Scalar, Array)) and isinstance(type, (Scalar, Array))):
        return False
    wide, believed = dtype_of(given), dtype_of(type)
    if wide is None or believed is None or believed.kind not in "fc" or believed in WIDE:
        return False
    return not np.can_cast(wide, believed)
