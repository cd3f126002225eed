"""Which arrays does the driver allocate for a kernel? Its results, and what has few numbers.

``allocate_outside(kernel) -> dict[Var, list[Statement]]``. The last change of a kernel but for dead code: it
looks at the allocations before all loops, where ``hoist`` puts them, of the size that ``shrink`` leaves.

A result that is passed in costs less than one that comes out. What a kernel uses alone it makes itself, in
memory that is kept from call to call (`kept_memory.py`); the driver's arrays are NumPy's. Arrays of a known
length are passed in, too: a kernel that makes no others needs no memory management, and LLVM does less well
with many that it sees being made.
"""

from __future__ import annotations

import operator

import numpy as np

from ...ir.ops import Arg, For, Function, Lit, Op, Seq, Statement, Var, While, variables, walk
from ...ir.types import Array, Type
from ...simplify.renaming import copy_statement

_NUMBERS = {operator.add, operator.sub, operator.mul, max, min, np.shape, operator.getitem}


def allocate_outside(kernel: Function) -> dict[Var, list[Statement]]:
    """Make parameters of those arrays; for each, the statements that allocate it, which bind the same Var."""
    makers = {out: op for op in kernel.body.ops if isinstance(op, Op) for out in op.outs}
    found: dict[Var, list[Statement]] = {}
    params = set(kernel.params)
    renewed = {v for op in walk(kernel.body) if isinstance(op, (For, While)) for v in variables(*op.inits)}
    for maker in list(makers.values()):
        if maker.fn is not np.empty or maker.outs[0] in renewed:
            continue
        result = maker.outs[0]
        returned = list(kernel.body.results).count(result)
        if returned > 1 or not returned and not _is_short(result.type):
            continue
        shape = _like(maker.args[0], makers, kernel)
        ops = _chain(shape, makers, params)
        if ops is None:
            continue
        new = Op(np.empty, (shape, maker.args[1]), (result,), span=maker.span, adjoint=maker.adjoint)
        found[result] = [*_copies(ops, new)]
        kernel.body.ops.remove(maker)
    kernel.params += tuple(found)
    kernel.body.results = tuple(r for r in kernel.body.results if r not in found)
    return found


def _is_short(type: Type) -> bool:
    return isinstance(type, Array) and type.shape is not None and all(isinstance(n, int) for n in type.shape)


def _like(shape: Arg, makers: dict[Var, Op], kernel: Function) -> Arg:
    """A parameter's whole shape, where the lengths are just that."""
    lengths = list(shape.items) if isinstance(shape, Seq) else [shape]
    for param in kernel.params:
        if (
            isinstance(param.type, Array)
            and param.type.shape is not None
            and len(param.type.shape) == len(lengths)
        ):
            wanted = [_length(n, makers) for n in lengths]
            dims = param.type.shape
            if all(
                w == (param, axis) or isinstance(n, Lit) and n.value == dims[axis] or _same(w, dims[axis])
                for axis, (n, w) in enumerate(zip(lengths, wanted, strict=True))
            ):
                out = next((o for o, op in makers.items() if op.fn is np.shape and op.args[0] is param), None)
                if out is not None:
                    return out
    return shape


def _same(where: tuple[Var, int] | None, dim: object) -> bool:
    """Whether a length taken from one array is, by its type, that of another."""
    if where is None or not isinstance(where[0].type, Array) or where[0].type.shape is None:
        return False
    return where[0].type.shape[where[1]] == dim


def _length(arg: Arg, makers: dict[Var, Op]) -> tuple[Var, int] | None:
    """The array and the axis that a length is taken from."""
    op = makers.get(arg) if isinstance(arg, Var) else None
    if op is None or op.fn is not operator.getitem or not isinstance(op.args[1], Lit):
        return None
    shape = makers.get(op.args[0]) if isinstance(op.args[0], Var) else None
    if shape is None or shape.fn is not np.shape or not isinstance(shape.args[0], Var):
        return None
    return shape.args[0], op.args[1].value


def _chain(arg: Arg, makers: dict[Var, Op], params: set[Var]) -> list[Op] | None:
    """The operations that compute an argument from parameters, in their order; None if there are others."""
    ops: list[Op] = []

    def visit(var: Var) -> bool:
        if var in params:
            return True
        op = makers.get(var)
        if op is None or op.fn not in _NUMBERS or op.effect:
            return False
        if op.fn is operator.getitem and isinstance(getattr(op.args[0], "type", None), Array):
            return False
        if op in ops:
            return True
        if not all(visit(v) for v in variables(*op.args)):
            return False
        ops.append(op)
        return True

    return ops if all(visit(v) for v in variables(arg)) else None


def _copies(ops: list[Op], last: Op) -> list[Statement]:
    names: dict[Var, Arg] = {}
    new: list[Statement] = []
    for op in ops:
        new.append(copy_statement(op, names))
    copied = copy_statement(last, names)
    copied.outs = last.outs
    return [*new, copied]
