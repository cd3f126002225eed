"""Which operations are programs of simpler ones? Those that have a definition are replaced by it.

``expand(function, definitions, simple, pointwise) -> Function``. For kernels only, after ``small_arrays``,
which has forms of its own for some of these operations, and before the passes on loops and tapes.

A definition is a Python function in plain NumPy with the parameters that it covers; a call with others, or
one that the definition does not fit, stays as it is. Of several, the last is for calls within loops, and
elsewhere they are tried in order. So do operations of which the definition's results have
another type, and those of which the definition holds something that is no simpler. A function that is defined
beside its rule, in terms of what is done to each element, needs no definition: its own body is one.
"""

from __future__ import annotations

import dis
import functools
import operator
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from ...errors import AdError
from ...rules.registry import body_of, lookup
from ..frontend.builder import Builder, as_arg, type_of_arg
from ..frontend.interpreter import inline
from ..ir import builtin
from ..ir.ops import Arg, Block, For, Function, Lit, Op, Seq, Statement, Var, While, blocks, variables, walk
from ..ir.types import Array, TupleOf, Type, computed_alike
from .dead_code import eliminate_dead_code
from .renaming import copy_function, renamed

Definition = Callable[..., Any]
Definitions = Mapping[Any, Definition | tuple[Definition, ...]]
MAX_DEPTH = 4  # of definitions within definitions
_RULES = lookup.__module__.rpartition(".")[0] + "."


def expand(
    function: Function,
    definitions: Definitions,
    simple: Callable[[Op], bool],
    pointwise: Callable[[Op], bool] = lambda op: False,
) -> Function:
    """The same function with definitions in the place of calls.

    Args:
        function: pure IR; it is left as it is.
        definitions: by function, what it stands for. Composites of the registry have one, too.
        simple: whether an operation needs no definition.
        pointwise: whether an operation is simple, and done to each element: such bodies are definitions.
    """
    function = copy_function(function)
    if _Pass(definitions, simple, pointwise).block(function.body, 0):
        eliminate_dead_code(function)
    return function


class _Pass:
    def __init__(
        self,
        definitions: Definitions,
        simple: Callable[[Op], bool],
        pointwise: Callable[[Op], bool],
    ) -> None:
        self.definitions, self.simple, self.pointwise = definitions, simple, pointwise
        self.tuples: dict[Var, Seq] = {}
        self.numbers: dict[Var, Arg] = {}  # negated constants, as they come from rules
        self.loops = 0  # around what is looked at

    def block(self, block: Block, depth: int) -> bool:
        """Replace what has a definition; whether there was any."""
        new: list[Statement] = []
        changed = False
        for op in block.ops:
            if isinstance(op, Op) and op.fn is builtin.tuple_get and op.args[0] in self.tuples:
                op.fn, op.args = builtin.assign, (self.tuples[op.args[0]].items[op.args[1].value],)  # type: ignore
            if isinstance(op, Op) and op.fn in (np.negative, operator.neg) and isinstance(op.args[0], Lit):
                if type(op.args[0].value) is int:
                    self.numbers[op.out] = Lit(-op.args[0].value)
            found = self.defined(op, depth) if isinstance(op, Op) and not self.simple(op) else None
            if found is None:
                changed |= self.inner(op, depth)
                new.append(op)
            else:
                new += found
                changed = True
        block.ops = new
        return changed

    def inner(self, statement: Statement, depth: int) -> bool:
        """Replace what has a definition in a statement's blocks."""
        self.loops += isinstance(statement, (For, While))
        changed = any([self.block(inner, depth) for inner in blocks(statement)])
        self.loops -= isinstance(statement, (For, While))
        return changed

    def defined(self, op: Op, depth: int) -> list[Statement] | None:
        """The statements of an operation's definition, which bind what it binds; None if it has none."""
        if depth == MAX_DEPTH or op.effect or not any(map(_is_array, variables(*op.args, *op.outs))):
            return None
        found, simple = self.definition(op)
        several = found if isinstance(found, tuple) else (found,)
        for definition in several[-1:] if self.loops else several:
            if definition is not None and (body := self.by(definition, simple, op, depth)) is not None:
                return body
        return None

    def by(
        self, definition: Definition, simple: Callable[[Op], bool], op: Op, depth: int
    ) -> list[Statement] | None:
        """The statements of one definition, if it is meant for the operation."""
        builder = Builder(Block(), op.adjoint)
        builder.span = op.span
        try:
            args = tuple(renamed(a, self.numbers) for a in op.args)
            result = inline(builder, definition, args, op.kwargs)
        except AdError:  # the definition is not meant for such a call, which stays as it is
            return None
        results = _several(result, len(op.outs))
        if results is None or not all(_fits(r, out.type) for r, out in zip(results, op.outs, strict=True)):
            return None
        self.block(builder.block, depth + 1)
        if not all(simple(o) if isinstance(o, Op) else simple is self.simple for o in walk(builder.block)):
            return None
        ends = []
        for result, out in zip(results, op.outs, strict=True):
            if isinstance(result, Seq):
                self.tuples[out] = result
                ends.append(Op(builtin.make_tuple, result.items, (out,)))
            else:
                ends.append(Op(builtin.assign, (result,), (out,)))
        for inner in (*builder.block.ops, *ends):
            inner.span, inner.adjoint = op.span, op.adjoint
        return [*builder.block.ops, *ends]

    def definition(self, op: Op) -> tuple[Definition | tuple[Definition, ...] | None, Callable[[Op], bool]]:
        """An operation's definition, or several, if it has one, and what may be in it."""
        try:
            if op.fn in self.definitions:
                return self.definitions[op.fn], self.simple
        except TypeError:  # an unhashable callable
            return None, self.simple
        primitive = lookup(op.fn)
        if primitive is None or primitive.kind == "composite":
            return None if primitive is None else primitive.rule, self.simple
        return _own_body(op.fn), self.pointwise


@functools.cache
def _own_body(fn: Callable[..., Any]) -> Definition | None:
    """A function that is defined beside its rule as a program; None of another one, and of one with loops."""
    if not isinstance(fn, FunctionType) or not fn.__module__.startswith(_RULES):
        return None
    loops = any(step.opname.startswith("JUMP_BACKWARD") for step in dis.get_instructions(fn))
    return None if loops else body_of(fn)


def _is_array(var: Var) -> bool:
    return isinstance(var.type, Array)


def _several(result: Any, count: int) -> list[Arg] | None:
    result = as_arg(result)
    if count == 1:
        return [result]
    items = result.items if isinstance(result, Seq) else ()
    return list(items) if len(items) == count else None


def _fits(result: Any, type: Type) -> bool:
    """Whether a result is of the type that it has to be: for arrays the same dtype and rank."""
    if isinstance(type, TupleOf) and isinstance(result, Seq):
        return len(type.items) == len(result.items) and all(map(_fits, result.items, type.items))
    if isinstance(type, Array):
        own = result.type if isinstance(result, Var) else None
        return isinstance(own, Array) and own.dtype == type.dtype and own.ndim == type.ndim
    try:
        return computed_alike(type_of_arg(result), type)
    except Exception:
        return False
