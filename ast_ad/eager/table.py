"""What is an operation? A primitive with its node's name, and the slices of its rule for each use."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import rules  # noqa: F401  (fills the registry)
from ..errors import MissingRuleError
from ..rules import helpers
from ..rules.helpers import hollow
from ..rules.registry import Primitive, lookup
from .node import RuleNode, node_class
from .slices import slices
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


RuleNode.wrap = staticmethod(saved_result)


@dataclass(eq=False)
class Plan:
    """A slice of a rule, for one choice of active arguments. ``keeps``: whether it reads any value."""

    run: Callable[..., Any]
    run_tensors: Callable[..., Any]
    reads_ans: str
    reads: tuple[str, ...]
    keeps: bool

    @functools.cached_property
    def kinds(self) -> tuple[int, ...]:
        """What is read of the result and of the arguments: 0 nothing, 1 the shape, 2 the value."""
        return tuple(
            ["meta value".find(kind) // 5 + 1 if kind else 0 for kind in (self.reads_ans, *self.reads)]
        )

    def save_two(self, node: Any, t: Any, a: Any, b: Any, out: Any, x: Any, y: Any) -> bool:
        """Keep what the slice reads of ``out = fn(x, y)``, the short way; False if there is more to it."""
        reads_ans, reads_a, reads_b = self.kinds
        of_ans = of_a = of_b = None
        if reads_ans == 2:
            of_ans = t._version_counter
        else:
            out = shape_of(out) if reads_ans else None
        if reads_a == 2:
            of_a = a._version_counter
            if of_a[0] or a._inference:
                return False
        else:
            x, a = shape_of(x) if reads_a else None, None
        if reads_b != 2:
            y, b = shape_of(y) if reads_b else None, None
        elif y is b:  # a number
            b = None
        else:
            of_b = b._version_counter
            if of_b[0] or b._inference:
                return False
        node.values, node.quick = (out, x, y), True
        if self.keeps:
            node.owners, node.checks = (None, a, b), (of_ans, of_a, of_b)
            node.frees = True
        return True

    def save_one(self, node: Any, counter: Any, a: Any, out: Any, x: Any, rest: tuple[Any, ...] = ()) -> bool:
        """Keep what the slice reads of ``out = fn(x, *rest)``, the short way; False if there is more to it.

        ``counter``: that of the result; ``rest``: arguments without tensors and arrays.
        """
        reads_ans, reads_a = self.kinds[:2]
        of_ans = of_a = None
        if reads_ans == 2:
            of_ans = counter
        else:
            out = shape_of(out) if reads_ans else None
        if reads_a == 2:
            of_a = a._version_counter
            if of_a[0] or a._inference:
                return False
        else:
            x, a = shape_of(x) if reads_a else None, None
        node.values, node.quick = (out, x, *rest) if rest else (out, x), True
        if reads_ans == 2 or reads_a == 2:
            node.owners, node.checks = (None, a, *(None,) * len(rest)), (of_ans, of_a)
            node.frees = True
        return True


_named: dict[Callable[..., Any], Operation] = {}  # the first that the tensor interface made of a callable


class Operation:
    """A primitive as the eager mode runs it.

    ``name``: of its nodes, as in 'Mul' of MulBackward0. ``saved``: the names of its arguments among the
    node's ``_saved_`` attributes, by default of the first alone. ``inexact``: integers are computed in the
    default floating-point type. ``scalars``: a number among its arguments counts as a tensor, with an edge
    that leads nowhere. ``rule``: instead of the registered one. ``primitive``: instead of what is registered
    for ``fn``. ``keeps``: the names of what is saved though the rule does not read it, for PyTorch's nodes
    show it. ``images``: its result has the memory format of its argument. ``rows``: its result lies in memory
    row by row, however the argument does.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        name: str = "",
        saved: Sequence[str] = ("self",),
        inexact: bool = False,
        scalars: bool = False,
        rule: Callable[..., Any] | None = None,
        primitive: Primitive | None = None,
        keeps: Sequence[str] = (),
        images: bool = False,
        rows: bool = False,
    ) -> None:
        self.fn, self.saved, self.inexact, self.scalars = fn, tuple(saved), inexact, scalars
        self.keeps, self.images, self.rows = keeps, images, rows
        self.primitive = primitive or lookup(fn)
        if rule is not None and self.primitive is not None:
            self.primitive = replace(self.primitive, rule=rule)
        self.name = name or backward_name(fn)
        self.node = type(
            self.name, (node_class(self.name),), {"operation": self, "__module__": "torch.autograd"}
        )
        self.plans: dict[Any, Plan | None] = {}
        self.short: list[Plan | None] = [None] * 4  # of arithmetic, by active operands
        self.singles: dict[int, Plan] = {}  # where only the first of so many arguments is active
        self.constant = self.primitive is not None and self.primitive.kind == "nondifferentiable"
        self.composite = self.primitive is not None and self.primitive.kind == "composite"
        self.view = self.primitive is not None and self.primitive.view
        self.combines = self.primitive is not None and self.primitive.kind == "elementwise"
        self.aten = self.name.partition("Backward")[0].lower()
        self.results: tuple[str, ...] | None = None  # of several results: a name for each that the rule reads
        self.private: tuple[
            int, ...
        ] = ()  # of several results: those that may be changed, as a copy is saved
        if name and rule is None:
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
            of_ans, reads = (cut.reads_ans, cut.reads) if safe else self._with_kept(cut.reads_ans, cut.reads)
            found = Plan(cut.run, cut.run_tensors, of_ans, reads, of_ans == "value" or "value" in reads)
            self.plans[key] = found
        return found

    def _with_kept(self, of_ans: str, reads: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """What a slice reads and what is kept beside it."""
        kept = [name in self.keeps for name in (*self.saved, *[""] * len(reads))]
        values = tuple("value" if keep else kind for kind, keep in zip(reads, kept, strict=False))
        return "value" if "result" in self.keeps else of_ans, values


# What the tensor interface calls the steps that derivatives consist of.
STEPS: dict[Callable[..., Any], str] = {
    helpers.broadcast_like: "ExpandBackward0",
    helpers.expand_reduced: "ExpandBackward0",
    helpers.unbroadcast: "SumBackward1",
    helpers.safe_product: "MulBackward0",
    helpers.mT: "TransposeBackward0",
    np.expand_dims: "UnsqueezeBackward0",
}


def backward_name(fn: Callable[..., Any]) -> str:
    """The name of the nodes of a NumPy function: 'LogaddexpBackward0' for np.logaddexp."""
    if fn in STEPS:
        return STEPS[fn]
    words = getattr(fn, "__name__", "function").strip("_").split("_")
    return "".join(word[:1].upper() + word[1:] for word in words) + "Backward0"


def operation(fn: Callable[..., Any]) -> Operation:
    """The operation of a callable: that of the tensor interface, if it has one.

    It may have one later only: a trace can meet a function before the module is loaded that names it.
    """
    return _named.get(fn) or _unnamed(fn)


@functools.cache
def _unnamed(fn: Callable[..., Any]) -> Operation:
    return Operation(fn, saved=("self", "other"))
