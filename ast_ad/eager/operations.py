"""What is an operation? A primitive with its node's name, and the slices of its rule for each use."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import rules  # noqa: F401  (fills the registry)
from ..errors import MissingRuleError
from ..rules.helpers import hollow
from ..rules.registry import lookup
from . import slices
from .node import node_class
from .saved import INFERENCE_SAVED
from .state import state
from .tensor import Tensor

SMALL = 64  # elements: a stand-in for what is read for its shape only would take more room
nothing: dict[str, Any] = {}


def shape_of(p: Any) -> Any:
    """What stands in for an argument of which only the shape is read."""
    if p.__class__ is np.ndarray:
        return p if p.size <= SMALL else hollow(p)
    if p.__class__ in (list, tuple):
        return type(p)([shape_of(item) for item in p])
    return p


def saved_result(array: np.ndarray, node: Any, nr: int, counter: Any) -> Tensor:
    """What a node saved of its own result, as another tensor with the same history."""
    t: Tensor = Tensor._of(array)
    t._node, t._nr, t._requires_grad = node, nr, True
    if counter is not None:
        t._version_counter = counter
    return t


@dataclass(slots=True, eq=False)
class Plan:
    """A slice of a rule, for one choice of active arguments. ``keeps``: whether it reads any value."""

    run: Callable[..., Any]
    run_tensors: Callable[..., Any]
    reads_ans: str
    reads: tuple[str, ...]
    keeps: bool

    def save(self, node: Any, a: Any, b: Any, x: Any, y: Any, out: Any, t: Any) -> None:
        """Keep what the slice reads of ``out = fn(x, y)``: the short way of ``_save``."""
        if not self.keeps:
            first, second = self.reads
            node.values = (None, shape_of(x) if first else None, shape_of(y) if second else None)
            return
        first, second = self.reads
        node.frees = True
        checks = []
        if self.reads_ans == "value":
            checks.append((0, t._version_counter, 0))
        if first == "value":
            if a._inference:
                raise RuntimeError(INFERENCE_SAVED)
            checks.append((1, a._version_counter, a._version_counter[0]))
        elif first:
            x = shape_of(x)
        if second == "value":
            if y is not b:
                if b._inference:
                    raise RuntimeError(INFERENCE_SAVED)
                checks.append((2, b._version_counter, b._version_counter[0]))
        elif second:
            y = shape_of(y)
        node.values = (
            out if self.reads_ans == "value" else shape_of(out) if self.reads_ans else None,
            x if first else None,
            y if second else None,
        )
        node.owners = (None, a if first == "value" else None, b if second == "value" and y is not b else None)
        node.checks = checks
        node.wrap = saved_result

    def save_one(self, node: Any, a: Any, x: Any, out: Any, t: Any) -> None:
        """Keep what the slice reads of ``out = fn(x)``."""
        checks = []
        kind = self.reads_ans
        if kind == "value":
            checks.append((0, t._version_counter, 0))
        elif kind:
            out = shape_of(out)
        else:
            out = None
        kind = self.reads[0]
        if kind == "value":
            if a._inference:
                raise RuntimeError(INFERENCE_SAVED)
            checks.append((1, a._version_counter, a._version_counter[0]))
            node.owners = (None, a)
        else:
            x = shape_of(x) if kind else None
        node.values, node.checks, node.wrap, node.frees = (out, x), checks, saved_result, bool(checks)


_named: dict[Callable[..., Any], Operation] = {}  # the first that the tensor interface made of a callable


class Operation:
    """A primitive as the eager mode runs it.

    ``name``: of its nodes, as in 'Mul' of MulBackward0. ``saved``: the names of its arguments among the node's
    ``_saved_`` attributes. ``inexact``: integers are computed in the default floating-point type. ``scalars``:
    a number among its arguments counts as a tensor, with an edge that leads nowhere. ``rule``: instead of the
    registered one.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        name: str = "",
        saved: Sequence[str] = ("self", "other"),
        inexact: bool = False,
        scalars: bool = False,
        rule: Callable[..., Any] | None = None,
    ) -> None:
        self.fn, self.saved, self.inexact, self.scalars = fn, tuple(saved), inexact, scalars
        self.primitive = lookup(fn)
        if rule is not None and self.primitive is not None:
            self.primitive = replace(self.primitive, rule=rule)
        self.name = name or backward_name(fn)
        self.node = type(self.name, (node_class(self.name),), {"operation": self, "__module__": "torch.autograd"})
        self.plans: dict[Any, Plan | None] = {}
        self.short: list[Plan | None] = [None] * 4  # of arithmetic, by active operands
        self.constant = self.primitive is not None and self.primitive.kind == "nondifferentiable"
        self.composite = self.primitive is not None and self.primitive.kind == "composite"
        self.view = self.primitive is not None and self.primitive.view
        self.combines = self.primitive is not None and self.primitive.kind == "elementwise"
        self.aten = self.name.partition("Backward")[0].lower()
        if name:
            _named.setdefault(fn, self)

    def remember(self, flags: int, operands: int = 2) -> None:
        """Let the short way of arithmetic take this choice of active operands from now on."""
        if not state.safe:
            active = (flags & 1 > 0, flags & 2 > 0)[:operands]
            self.short[flags] = self.plan(active, (), False, False)

    def plan(self, active: tuple[bool, ...], keywords: tuple[str, ...], complex_: bool, safe: bool) -> Plan:
        key = active, keywords, complex_, safe
        found = self.plans.get(key)
        if found is None:
            if self.primitive is None:
                raise MissingRuleError(
                    f"the derivative of `{getattr(self.fn, '__qualname__', self.fn)}`",
                    why="there is no rule for it, and it was called with a tensor that requires grad",
                    fix="detach() the tensor, or write an autograd.Function",
                )
            cut = slices.slice_rule(self.primitive, active, keywords, complex_, safe)
            assert cut is not None
            keeps = cut.reads_ans == "value" or "value" in cut.reads
            found = Plan(cut.run, cut.run_tensors, cut.reads_ans, cut.reads, keeps)
            self.plans[key] = found
        return found


def backward_name(fn: Callable[..., Any]) -> str:
    """The name of the nodes of a NumPy function: 'LogaddexpBackward0' for np.logaddexp."""
    words = getattr(fn, "__name__", "function").strip("_").split("_")
    return "".join(word[:1].upper() + word[1:] for word in words) + "Backward0"


@functools.cache
def operation(fn: Callable[..., Any]) -> Operation:
    """The operation of a callable: that of the tensor interface, if it has one."""
    return _named.get(fn) or Operation(fn)
