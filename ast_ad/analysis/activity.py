"""Through which values does a derivative flow from the inputs to the results?

A value is *varied* if it depends on an input and *useful* if a result depends on it, both by operations that
have a derivative; it is *active* if it is both. It is *masked* if its cotangent may be zero because of a
branch, a selection or a write that dropped it: such a zero has to win over an infinite partial derivative.

Both passes follow the regions; loops are run until nothing changes.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..ir.ops import Arg, Block, For, If, Lit, Op, Var, While, binders, variables, walk
from ..ir.types import Array, Opaque, Type, carries_derivative
from ..rules import helpers
from ..rules.registry import Primitive, lookup

# The cotangent of an argument of these is zero wherever the function does not pick, or keep, an element.
SELECTIONS = {
    helpers.safe_product,
    *(np.where, operator.getitem, helpers.setitem, np.take, np.take_along_axis, np.choose, np.select),
    *(np.clip, np.maximum, np.minimum, np.fmax, np.fmin, np.max, np.min, max, min, np.nan_to_num),
    *(np.nansum, np.nanmean, np.nanprod, np.nanvar, np.nanstd, np.nanmax, np.nanmin),
}


@dataclass
class Activity:
    """The side table: which Vars are active, which active ones have a masked cotangent, and which arrays may
    hold infinite values where nobody looks: they are a factor's partial derivative (``np.log(x)`` in
    ``x * np.log(x)``)."""

    active: set[Var] = field(default_factory=set)
    masked: set[Var] = field(default_factory=set)
    unbounded: set[Var] = field(default_factory=set)

    def include(self, other: Activity) -> None:
        """Add what was found for a block that becomes part of this one."""
        self.active |= other.active
        self.masked |= other.masked
        self.unbounded |= other.unbounded

    def of(self, arg: Arg) -> bool:
        """Whether a Var in the argument is active."""
        return any(v in self.active for v in variables(arg))


def analyse(block: Block, inputs: Iterable[Var], results: Iterable[Arg], masked: bool = False) -> Activity:
    """The activity of a block's Vars, from ``inputs`` to ``results`` (``masked``: if those are masked)."""
    varied = _Varied(inputs)
    varied.block(block)
    useful = _Useful(varied.vars)
    results = tuple(results)
    useful.mark(*results)
    useful.block(block)
    open_ = _Open(useful.vars)
    if not masked:
        open_.mark(*results)
    open_.block(block)
    return Activity(useful.vars, useful.vars - open_.vars, varied.unbounded)


def differentiable_arguments(op: Op) -> Iterator[Arg]:
    """The arguments through which a derivative may flow: not those read for their shape only."""
    primitive = lookup(op.fn)
    if primitive is not None and primitive.kind == "nondifferentiable":
        return
    metadata = helpers.METADATA.get(op.fn)
    yield from (arg for i, arg in enumerate(op.args) if i != metadata)
    yield from op.kwargs.values()


def is_regular(op: Op) -> bool:
    """Whether the derivatives are finite wherever the arguments are: of ``x ** 2``, of ``x / 2``."""
    exponent = op.args[1] if len(op.args) == 2 and not op.kwargs else Lit(None)
    constant: Any = exponent.value if isinstance(exponent, Lit) else getattr(exponent, "known", None)
    if type(constant) not in (int, float) or not math.isfinite(constant):
        return False
    primitive = lookup(op.fn)
    if primitive is lookup(np.power):
        return bool(constant >= 1 and constant == int(constant))
    return primitive is lookup(np.divide) and constant != 0


def _may_vary(type: Type, primitive: Primitive | None) -> bool:
    """An object that an unknown function makes of varied values may carry them on, hidden."""
    return carries_derivative(type) or primitive is None and isinstance(type, Opaque) and type.name != "None"


class _Varied:
    def __init__(self, inputs: Iterable[Var]) -> None:
        self.vars = {v for v in inputs if carries_derivative(v.type)}
        self.unbounded: set[Var] = set()

    def has(self, *args: Arg) -> bool:
        return any(v in self.vars for v in variables(*args))

    def block(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, Op):
                self.op(op)
            elif isinstance(op, If):
                self.block(op.then)
                self.block(op.orelse)
                for out, a, b in zip(op.outs, op.then.results, op.orelse.results, strict=True):
                    self.flow(out, a, b)
            else:
                self.loop(op)

    def flow(self, var: Var, *sources: Arg) -> None:
        if self.has(*sources) and _may_vary(var.type, None):
            self.vars.add(var)

    def op(self, op: Op) -> None:
        if self.has(*differentiable_arguments(op)):
            primitive = lookup(op.fn)
            self.vars.update(out for out in op.outs if _may_vary(out.type, primitive))
            if primitive is not None and primitive.kind == "elementwise" and isinstance(op.out.type, Array):
                singular = primitive.partial_domain and not is_regular(op)
                if singular or any(v in self.unbounded for v in variables(*op.args)):
                    self.unbounded.add(op.out)

    def loop(self, op: For | While) -> None:
        for param, init in zip(op.params, op.inits, strict=True):
            self.flow(param, init)
        if isinstance(op, For):
            for source, items in op.items:
                for item in items:
                    self.flow(item, source)
        size = -1
        while size != len(self.vars):
            size = len(self.vars)
            self.block(op.body)
            for param, result in zip(op.params, op.body.results[op.stops :], strict=True):
                self.flow(param, result)
        for out, param in zip(op.outs, op.params, strict=True):
            self.flow(out, param)


class _Useful:
    """Runs backwards; ``vars`` are the varied values that a result depends on."""

    def __init__(self, varied: set[Var]) -> None:
        self.varied = varied
        self.vars: set[Var] = set()

    def mark(self, *args: Arg) -> None:
        self.vars.update(v for v in variables(*args) if v in self.varied)

    def block(self, block: Block) -> None:
        for op in reversed(block.ops):
            if isinstance(op, Op):
                if any(out in self.vars for out in op.outs):
                    self.mark(*differentiable_arguments(op))
            elif isinstance(op, If):
                for branch in (op.then, op.orelse):
                    for out, result in zip(op.outs, branch.results, strict=True):
                        if out in self.vars:
                            self.mark(result)
                    self.block(branch)
            else:
                self.loop(op)

    def loop(self, op: For | While) -> None:
        size = -1
        while size != len(self.vars):
            size = len(self.vars)
            for out, param, result in zip(op.outs, op.params, op.body.results[op.stops :], strict=True):
                if out in self.vars or param in self.vars:
                    self.mark(result)
            self.block(op.body)
        for out, param, init in zip(op.outs, op.params, op.inits, strict=True):
            if out in self.vars or param in self.vars:
                self.mark(init)
        if isinstance(op, For):
            for source, items in op.items:
                if any(item in self.vars for item in items):
                    self.mark(source)


class _Open:
    """Runs backwards over what is useful; ``vars`` are the values with a contribution that no mask drops.

    ``local``: what the branch around binds. What it adds to other values counts if the other side adds too.
    """

    def __init__(self, useful: set[Var]) -> None:
        self.useful = useful
        self.vars: set[Var] = set()
        self.local: set[Var] | None = None
        self.outer: set[Var] = set()

    def mark(self, *args: Arg) -> None:
        for var in variables(*args):
            if self.local is None or var in self.local:
                self.vars.add(var)
            else:
                self.outer.add(var)

    def block(self, block: Block) -> None:
        for op in reversed(block.ops):
            if isinstance(op, Op):
                if op.fn not in SELECTIONS and any(out in self.vars for out in op.outs):
                    self.mark(*differentiable_arguments(op))
            elif isinstance(op, If):
                self.mark(*set.intersection(*(self.side(op, branch) for branch in (op.then, op.orelse))))
            else:
                self.loop(op)

    def side(self, op: If, branch: Block) -> set[Var]:
        """The outer values to which one side of a branch adds."""
        around = self.local, self.outer
        self.local, self.outer = {v for inner in walk(branch) for v in (*inner.outs, *binders(inner))}, set()
        for out, result in zip(op.outs, branch.results, strict=True):
            if out in self.vars:
                self.mark(result)
        self.block(branch)
        found = self.outer
        self.local, self.outer = around
        return found

    def loop(self, op: For | While) -> None:
        """A result of the body is open if it is in every iteration, the last one included."""
        closed: set[Var] = set(op.params) - self.useful
        before = set(self.vars), set(self.outer)
        while True:
            for out, param, result in zip(op.outs, op.params, op.body.results[op.stops :], strict=True):
                if out in self.vars and param not in closed:
                    self.mark(result)
            self.block(op.body)
            found = {p for p in op.params if p not in closed and p not in self.vars | self.outer}
            if not found:
                break
            closed |= found
            self.vars, self.outer = set(before[0]), set(before[1])
        self.mark(*(init for param, init in zip(op.params, op.inits, strict=True) if param not in closed))
        if isinstance(op, For):
            for source, items in op.items:
                if any(item in self.vars for item in items):
                    self.mark(source)
