"""Which systems have a matrix that is triangular for certain? They are solved by substitution.

``substitute(function, values) -> Function``. Asked of a program before it is cut in halves, since the
reverse sweep solves with what the function itself has factored; and once more for kernels, which may round
as they like: there the function's own systems are solved so, too. In NumPy code its value is NumPy's.

A matrix is triangular if what makes it puts zeros there: Cholesky's factor, ``np.tril`` and ``np.triu``,
their transposes, copies and sums. A product with zeros is none, as the other factor may be infinite.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...rules import helpers
from ...rules.containers import list_append
from ...rules.triangular import solve_triangular
from ..frontend.builder import type_of_arg
from ..ir import builtin
from ..ir.ops import Arg, Block, For, Function, If, Lit, Op, Seq, Statement, Var, While, blocks, walk
from ..ir.types import Array
from .renaming import copy_function

Sides = frozenset[str]
"""On which sides of the diagonal all elements are zeros: "above", "below"."""
NONE: Sides = frozenset()
SAME = {
    builtin.assign, builtin.copy, builtin.own, np.copy, np.array, np.asarray, np.ascontiguousarray,
    np.asfortranarray, operator.neg, operator.pos, np.negative, np.positive, np.conj, np.conjugate,
    np.real, helpers.astype,
}  # fmt: skip
TURNED = {np.transpose, np.matrix_transpose, np.linalg.matrix_transpose, helpers.mT}
SUMS = {operator.add, operator.sub, np.add, np.subtract}


def substitute(function: Function, values: bool = False) -> Function:
    """The same function, with substitution in the place of elimination; itself where there is none.

    Args:
        function: pure IR; it is left as it is.
        values: whether in the function's own statements, too, not in derivatives only.
    """
    if not any(_is_asked(op, values) for op in walk(function.body)):
        return function
    function = copy_function(function)
    _Pass(values).block(function.body)
    return function


def _is_asked(op: Statement, values: bool) -> bool:
    return isinstance(op, Op) and op.fn is np.linalg.solve and (values or op.adjoint) and _is_plain(op)


class _Pass:
    """``known``: where a value is zero; ``elements``: where those of a list are, or the items of each."""

    def __init__(self, values: bool) -> None:
        self.values = values
        self.known: dict[Var, Sides] = {}
        self.elements: dict[Var, tuple[Sides, ...]] = {}

    def block(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, Op):
                self.operation(op)
                continue
            if isinstance(op, For):
                self.items(op)
            for inner in blocks(op):
                self.block(inner)
            if isinstance(op, If):
                for out, one, other in zip(op.outs, op.then.results, op.orelse.results, strict=True):
                    self.note(out, _of(one, self.known) & _of(other, self.known))
            else:
                self.tapes(op)

    def operation(self, op: Op) -> None:
        if _is_asked(op, self.values):
            sides = _of(op.args[0], self.known)
            if sides:
                op.fn, op.args = solve_triangular, (*op.args, Lit("above" in sides))
        elif len(op.outs) == 1:
            self.note(op.out, _sides(op, self.known))

    def note(self, var: Var, sides: Sides) -> None:
        if sides and _rank(var) == 2:
            self.known[var] = sides

    def tapes(self, op: For | While) -> None:
        """Lists that begin empty and get one element in each turn: what holds of that holds of all."""
        appended = {made.out: made for made in op.body.ops if isinstance(made, Op) and made.fn is list_append}
        results = op.body.results[op.stops :]
        for param, init, result, out in zip(op.params, op.inits, results, op.outs, strict=True):
            made = appended.get(result) if isinstance(result, Var) else None
            if made is not None and made.args[0] is param and isinstance(init, Seq) and not init.items:
                element = made.args[1]
                parts = element.items if isinstance(element, Seq) else (element,)
                self.elements[out] = tuple(_of(part, self.known) for part in parts)

    def items(self, op: For) -> None:
        for source, items in op.items:
            found = self.elements.get(source, ()) if isinstance(source, Var) else ()
            if len(found) == len(items):
                for item, sides in zip(items, found, strict=True):
                    self.note(item, sides)


def _is_plain(op: Op) -> bool:
    return not op.kwargs and len(op.args) == 2 and isinstance(op.args[0], Var) and _rank(op.args[1]) in (1, 2)


def _of(arg: Arg, known: Mapping[Var, Sides]) -> Sides:
    return known.get(arg, NONE) if isinstance(arg, Var) else NONE


def _sides(op: Op, known: Mapping[Var, Sides]) -> Sides:
    """Where an operation's result is zero, whatever it is given."""
    fn, args = op.fn, op.args
    if fn in SAME:
        return _of(args[0], known) if args else NONE
    if fn in TURNED and len(args) == 1 and not op.kwargs:
        return _swapped(_of(args[0], known))
    if fn is np.swapaxes and {getattr(arg, "value", None) for arg in args[1:]} in ({0, 1}, {-1, -2}):
        return _swapped(_of(args[0], known))
    if fn in SUMS and len(args) == 2 and not op.kwargs:
        return _of(args[0], known) & _of(args[1], known)
    if fn is np.linalg.cholesky:
        upper = _constant(op, 1, "upper", False)
        return frozenset({"below" if upper else "above"}) if isinstance(upper, bool) else NONE
    if fn in (np.tril, np.triu):
        return _of_part(op, known)
    if fn is np.eye and len(args) == 1 and op.kwargs.keys() <= {"dtype"}:
        return frozenset({"above", "below"})
    if fn is np.diag and len(args) == 1 and not op.kwargs and _rank(args[0]) == 1:
        return frozenset({"above", "below"})
    return NONE


def _swapped(sides: Sides) -> Sides:
    return frozenset({"above": "below", "below": "above"}[side] for side in sides)


def _of_part(op: Op, known: Mapping[Var, Sides]) -> Sides:
    """Those of ``np.tril`` and ``np.triu``, which keep the zeros that there are."""
    k = _constant(op, 1, "k", 0)
    lower = op.fn is np.tril
    if type(k) is not int or (k > 0 if lower else k < 0):
        return _of(op.args[0], known)
    return _of(op.args[0], known) | {"above" if lower else "below"}


def _constant(op: Op, place: int, name: str, default: Any) -> Any:
    arg = op.args[place] if len(op.args) > place else op.kwargs.get(name, Lit(default))
    return arg.value if isinstance(arg, Lit) else None


def _rank(arg: Arg) -> int:
    type = type_of_arg(arg)
    return len(type.shape) if isinstance(type, Array) and type.shape is not None else -1
