"""Which values of a program may be undefined, and are None then? Kernels can't be given them as they are.

A number that is undefined is never used: any number does in its place. An array that may be undefined keeps
what reads it in Python.
"""

from __future__ import annotations

from ....rules.helpers import zero_like
from ...ir import builtin
from ...ir.ops import Arg, For, Function, If, Lit, Op, Statement, Var, While, operands, variables, walk
from ...ir.types import Array, Scalar

DEFAULTS = {"float": 0.0, "int": 0, "bool": False, "complex": 0j}


def or_default(value: object, default: object) -> object:
    """The value, or the default where it is None.

    >>> or_default(None, 0.0), or_default(1.5, 0.0)
    (0.0, 1.5)
    """
    return default if value is None else value


def undefined(function: Function) -> set[Var]:
    """The numbers, arrays and lists that may be, or hold, what is undefined."""
    found: set[Var] = set()
    while True:
        more = {var for op in walk(function.body) for var in _passed_on(op, found)} - found
        if not more:
            return found
        found |= more


def _passed_on(op: Statement, found: set[Var]) -> list[Var]:
    def may(arg: Arg) -> bool:
        return isinstance(arg, Lit) and arg.value is None or isinstance(arg, Var) and arg in found

    if isinstance(op, If):
        pairs = zip(op.then.results, op.orelse.results, strict=True)
        return [out for out, (a, b) in zip(op.outs, pairs, strict=True) if may(a) or may(b)]
    if isinstance(op, (For, While)):
        out: list[Var] = []
        results = op.body.results[op.stops :]
        for outer, param, init, result in zip(op.outs, op.params, op.inits, results, strict=True):
            out += [outer, param] if may(init) or may(result) else []
        if isinstance(op, For):
            for source, items in op.items:
                out += items if may(source) else []
        return out
    if op.fn is builtin.undefined:
        return list(op.outs)
    if op.fn is zero_like:  # of what is undefined, the number 0.0, whatever the type
        return [out for out in op.outs if isinstance(out.type, Array) and may(op.args[0])]
    held = any(not isinstance(v.type, (Array, Scalar)) for v in (*op.outs, *variables(*operands(op))))
    if op.fn is builtin.assign or held:
        return list(op.outs) if any(may(v) for v in variables(*operands(op))) or _holds_none(op) else []
    return []


def _holds_none(op: Op) -> bool:
    """Whether None is put into a list."""
    from ...ir.ops import Seq

    def inside(arg: Arg) -> bool:
        return (
            isinstance(arg, Lit) and arg.value is None or isinstance(arg, Seq) and any(map(inside, arg.items))
        )

    is_list = any(not isinstance(v.type, (Array, Scalar)) for v in op.outs)
    return is_list and any(map(inside, op.args))
