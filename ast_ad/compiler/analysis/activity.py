"""Through which values does a derivative flow from the inputs to the results?

``analyse(block, inputs, results) -> Activity``. Asked by ``adjoint`` before the sweep, and at each composite
rule.

A value is *varied* if it depends on an input and *useful* if a result depends on it, both by operations that
have a derivative; it is *active* if it is both. A shift that cancels (``cancelling``) is not varied.

Both passes follow the regions; loops are run until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...rules.registry import Primitive, lookup
from ..ir.builtin import ruled
from ..ir.ops import Arg, Block, For, If, Op, Var, While, variables
from ..ir.types import Opaque, Type, carries_derivative, kind_of
from .aliasing import read_for_its_shape
from .cancelling import cancelling


@dataclass
class Activity:
    """The side table: which Vars are active."""

    active: set[Var] = field(default_factory=set)

    def include(self, other: Activity) -> None:
        """Add the activity of a block that becomes part of this one."""
        self.active |= other.active

    def of(self, arg: Arg) -> bool:
        """Whether a Var in the argument is active."""
        return any(v in self.active for v in variables(arg))


def analyse(block: Block, inputs: Iterable[Var], results: Iterable[Arg]) -> Activity:
    """The activity of a block's Vars, from ``inputs`` to ``results``."""
    results = tuple(results)
    varied = Varied(inputs)
    varied.block(block, results)
    useful = Useful(varied.vars)
    useful.mark(*results)
    useful.block(block)
    return Activity(useful.vars)


def differentiable_arguments(op: Op) -> Iterator[Arg]:
    """The arguments through which a derivative may flow: not those read for their shape only."""
    if op.fn is ruled:
        yield from op.args[2:4]  # by a rule of the user's, and by what it should have had one for
        return
    primitive = lookup(op.fn)
    if primitive is not None and (primitive.kind == "nondifferentiable" or _is_flat(op, primitive)):
        return
    metadata = read_for_its_shape(op)
    yield from (arg for i, arg in enumerate(op.args) if i != metadata)
    yield from op.kwargs.values()


def _is_flat(op: Op, primitive: Primitive) -> bool:
    return primitive.complex_only and all(kind_of(v.type) == "float" for v in variables(*op.args))


def _may_vary(type: Type, primitive: Primitive | None) -> bool:
    """An object that an unknown function makes of varied values may carry them on, hidden."""
    return carries_derivative(type) or primitive is None and isinstance(type, Opaque) and type.name != "None"


class Varied:
    def __init__(self, inputs: Iterable[Var]) -> None:
        self.vars = {v for v in inputs if carries_derivative(v.type)}

    def has(self, *args: Arg) -> bool:
        return any(v in self.vars for v in variables(*args))

    def block(self, block: Block, results: Iterable[Arg] = ()) -> None:
        fixed = cancelling(block, results)
        for op in block.ops:
            if isinstance(op, Op):
                if fixed.isdisjoint(op.outs):
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


class Useful:
    """Runs backwards; ``vars`` are the varied values that a result depends on."""

    def __init__(self, varied: set[Var]) -> None:
        self.varied = varied
        self.vars: set[Var] = set()

    def mark(self, *args: Arg) -> None:
        self.vars.update(v for v in variables(*args) if v in self.varied)

    def arguments(self, op: Op) -> Iterator[Arg]:
        """Those that a result of the operation makes useful."""
        return differentiable_arguments(op)

    def block(self, block: Block) -> None:
        for op in reversed(block.ops):
            if isinstance(op, Op):
                if any(out in self.vars for out in op.outs):
                    self.mark(*self.arguments(op))
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
                if self.is_reached(items):
                    self.mark(source)

    def is_reached(self, items: tuple[Var, ...]) -> bool:
        """Whether what is found in the items of a list holds of the list."""
        return any(item in self.vars for item in items)
