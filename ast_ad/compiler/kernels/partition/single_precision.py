"""Which numbers are Python's own or in single precision, by the path taken, and the same in the latter?

``held_in_single(function) -> set[Var]`` before a program is cut into kernels;
``typed_numbers(kernel) -> None`` when one is done. ``total = 0.0`` before a loop that adds single precision
is Python's float until the first turn.

A kernel holds such a number in single precision if nothing can tell: where it is Python's it is one of the
program's constants that single precision holds exactly, and all that reads it makes the same of it, because
another operand has a dtype, to which NumPy converts Python's numbers.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator

import numpy as np

from ....rules import helpers
from ...analysis.exceptions import is_elementwise
from ...ir import builtin
from ...ir.alternatives import alternatives
from ...ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Lit,
    Op,
    Statement,
    Undefined,
    Var,
    While,
    operands,
    variables,
    walk,
)
from ...ir.types import Array, Scalar, Type

_SINGLE, _OWN = np.dtype("f"), {Scalar("float"), Scalar("int")}
_COPIES = {builtin.assign, builtin.unread}
_COMPARED = {operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne}
_OF_VALUES = {builtins.float, builtins.int, builtins.bool, helpers.astype}  # what asks for the number alone


def is_single_or_own(type: Type) -> bool:
    """Whether a number is in single precision or one of Python's own, by the path taken.

    >>> from ast_ad.compiler.ir.alternatives import one_of
    >>> single = Scalar("float", np.dtype("f"))
    >>> is_single_or_own(one_of(single, (single, Scalar("float")))), is_single_or_own(single)
    (True, False)
    """
    if not isinstance(type, Scalar) or not type.among:
        return False
    found = set(alternatives(type))
    return Scalar("float", _SINGLE) in found and found <= {Scalar("float", _SINGLE), *_OWN}


def held_in_single(function: Function) -> set[Var]:
    """Those of a function's variables that kernels may hold in single precision.

    Constants that such a variable may be are put in the places of their names.
    """
    _put_constants(function.body)
    made = _sources(function.body)
    found = {var for var in made if is_single_or_own(var.type)}
    readers = [op for op in walk(function.body) if isinstance(op, Op)]
    before = -1
    while len(found) != before:
        before = len(found)
        found = {var for var in found if all(_is_exact(source, found) for source in made[var])}
        for op in readers:
            read = found.intersection(variables(*operands(op)))
            if read and not _makes_the_same(op, read):
                found -= read
    return found


def _put_constants(body: Block) -> None:
    """Let branches and loops that leave, or carry, such numbers have constants without a name."""
    named = {
        out: op.args[0]
        for op in walk(body)
        if isinstance(op, Op) and op.fn is builtin.assign and isinstance(op.args[0], Lit)
        for out in op.outs
    }
    _rewrite(body, lambda arg: named.get(arg, arg) if isinstance(arg, Var) else arg)


def _rewrite(body: Block, new: Callable[[Arg], Arg]) -> None:
    """Change what may be the value of such a number where paths join, in place."""

    def changed(variables: tuple[Var, ...], values: tuple[Arg, ...]) -> tuple[Arg, ...]:
        pairs = zip(variables, values, strict=True)
        return tuple(new(value) if is_single_or_own(var.type) else value for var, value in pairs)

    for op in walk(body):
        if isinstance(op, If):
            for block in (op.then, op.orelse):
                block.results = changed(op.outs, block.results)
        if isinstance(op, (For, While)):
            op.inits = changed(op.params, op.inits)
            stops, results = op.body.results[: op.stops], op.body.results[op.stops :]
            op.body.results = (*stops, *changed(op.params, results))


def _sources(body: Block) -> dict[Var, list[Arg | Op]]:
    """What each variable that a statement binds gets its value from."""
    made: dict[Var, list[Arg | Op]] = {}
    for op in walk(body):
        if isinstance(op, Op):
            source = op.args[0] if op.fn in _COPIES and len(op.args) == 1 else op
            made.update({out: [source] for out in op.outs})
        for var, sources in _joined(op):
            made.setdefault(var, []).extend(sources)
    return made


def _joined(op: Statement) -> Iterator[tuple[Var, tuple[Arg, ...]]]:
    """The variables that branches and loops bind, each with what may be its value."""
    if isinstance(op, If):
        yield from zip(op.outs, zip(op.then.results, op.orelse.results, strict=True), strict=True)
    if isinstance(op, (For, While)):
        given = zip(op.inits, op.body.results[op.stops :], strict=True)
        for param, out, sources in zip(op.params, op.outs, given, strict=True):
            yield param, sources
            yield out, sources


def _is_exact(source: Arg | Op, found: set[Var]) -> bool:
    if isinstance(source, Lit):
        return _is_exact_number(source.value)
    if isinstance(source, Var):
        return source in found or source.type == Scalar("float", _SINGLE)
    return isinstance(source, Undefined) or isinstance(source, Op) and _is_element(source)


def _is_element(op: Op) -> bool:
    """Whether an operation reads an array in single precision, such as a tape that has kept these numbers."""
    array = op.args[0] if op.fn is operator.getitem else None
    if not isinstance(array, Var) or not isinstance(array.type, Array):
        return False
    return array.type.dtype == _SINGLE and not array.type.among


def _is_exact_number(value: object) -> bool:
    """Whether single precision holds a constant exactly.

    >>> _is_exact_number(0.5), _is_exact_number(0.1), _is_exact_number(1), _is_exact_number(2**24 + 1)
    (True, False, True, False)
    """
    if not isinstance(value, (float, np.float32)) and type(value) is not int:
        return False
    with np.errstate(over="ignore"):
        return float(np.float32(value)) == value or value != value


def _makes_the_same(op: Op, found: set[Var]) -> bool:
    """Whether an operation makes the same of the numbers ``found`` that it reads, whichever each is."""
    if op.fn in _COPIES:
        return True
    if op.fn not in _COMPARED and any(_is_open(out.type) for out in op.outs):
        return False
    if op.fn in _OF_VALUES:
        return True
    if any(Scalar("int") in alternatives(var.type) for var in found) and not _takes_values(op, found):
        return False
    if any(_is_typed(arg.type) for arg in operands(op) if isinstance(arg, Var)):
        return True
    others = [arg for arg in operands(op) if arg not in found]
    return op.fn in _COMPARED and all(isinstance(a, Lit) and _is_exact_number(a.value) for a in others)


def _takes_values(op: Op, found: set[Var]) -> bool:
    """Whether these numbers are operands: as an index, an axis or a length an int is no float."""
    if op.fn in builtin.MUTATORS:
        return found.isdisjoint(variables(op.args[1]))
    return is_elementwise(op.fn)


def _is_typed(type: Type) -> bool:
    """Whether all values of a type have the same dtype of NumPy's, of floats."""
    return (
        isinstance(type, (Scalar, Array))
        and not type.among
        and type.dtype is not None
        and type.dtype.kind == "f"
    )


def _is_open(type: Type) -> bool:
    return isinstance(type, (Scalar, Array)) and bool(type.among)


# ----- in a kernel
def typed_numbers(kernel: Function) -> None:
    """Give constants the dtype of what a kernel holds them as, in place."""
    for op in walk(kernel.body):
        if isinstance(op, Op) and op.fn in _COPIES and any(is_single_or_own(out.type) for out in op.outs):
            op.args = tuple(map(_typed, op.args))
    _rewrite(kernel.body, _typed)


def _typed(arg: Arg) -> Arg:
    return Lit(np.float32(arg.value)) if isinstance(arg, Lit) and type(arg.value) in (int, float) else arg
