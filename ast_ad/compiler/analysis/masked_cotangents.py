"""Which cotangents may be zero because nobody looks at the value?

``masks(block, active, results, infinities, around) -> Masks``. Asked by ``adjoint`` after ``analyse`` and
``Infinities``, which it builds on, and before the sweep.

A branch of ``np.where`` that is not taken, an element that is not picked, a value that one side of an ``if``
reads, an argument of ``tanh`` that overflowed: their cotangents are zero, and have to stay so whatever the
derivative of what was computed there is. ``infinities`` tells where that could be infinite; ``Sweep.times``
asks both.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...rules import containers, helpers
from ...rules.registry import Primitive, lookup
from ..ir.ops import Arg, Block, For, If, Op, Var, While, binders, blocks, variables
from ..ir.types import Array, kind_of
from .activity import Useful, differentiable_arguments
from .aliasing import is_whole_index
from .infinities import Infinities, flat_at_infinity

# Functions that choose by value what they pass on: ``np.where(x > 0, f(x), g(x))``.
CHOOSING: set[Callable[..., Any]] = {
    *(np.where, np.select, np.choose, np.piecewise, np.clip, np.nan_to_num, np.compress, np.extract),
    *(np.maximum, np.minimum, np.fmax, np.fmin, np.heaviside, np.max, np.min, np.ptp, max, min),
    *(np.nansum, np.nanmean, np.nanprod, np.nancumsum, np.nancumprod, np.nanvar, np.nanstd, np.nanmedian),
    *(np.nanmax, np.nanmin, np.nanpercentile, np.nanquantile, np.median, np.percentile, np.quantile),
    *(np.partition, np.unique, np.interp, helpers.safe_product),
}

EXTREMA = (max, min)  # whose rules share the cotangent out by exact products

# Functions with rules for cotangents that make no zeros of their own. Of others it is not known.
DENSE: tuple[Callable[..., Any], ...] = (
    *(np.sum, np.mean, np.cumsum, np.std, np.var, np.prod, np.cumprod, sum, math.fsum, math.prod, np.sort),
    *(np.matmul, np.dot, np.inner, np.outer, np.vdot, np.vecdot, np.tensordot, np.einsum, np.kron),
    *(np.linalg.norm, np.linalg.solve, np.linalg.inv, np.linalg.det, np.linalg.slogdet, math.hypot),
    *(np.reshape, np.ravel, np.transpose, np.swapaxes, np.moveaxis, np.matrix_transpose, helpers.mT),
    *(np.expand_dims, np.squeeze, np.atleast_1d, np.flip, np.fliplr, np.flipud, np.roll, np.rot90),
    *(np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack, np.append, np.block),
    *(np.broadcast_to, np.repeat, np.tile, np.array, np.asarray, np.asanyarray, np.copy, math.dist),
    *(helpers.broadcast_like, helpers.unbroadcast, helpers.expand_reduced, helpers.astype),
    *(np.conjugate, np.angle, math.log, np.diff, np.convolve, np.correlate, np.polyval, np.trapezoid),
    *(np.average, np.gradient, np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, helpers.add_at),
    *(containers.list_add, containers.list_append, containers.list_concat, containers.list_reverse),
    *(containers.array_from_list, helpers.list_from_array, helpers.stack_like, np.ascontiguousarray),
)  # fmt: skip


# Whose cotangents may be NaN in places that the result of the program does not depend on.
DECOMPOSITIONS = (np.linalg.eigh, np.linalg.eig, np.linalg.svd)


@functools.cache
def _dense() -> frozenset[Primitive | None]:
    return frozenset(map(lookup, DENSE))


@dataclass
class Masks:
    """Active values by what made zeros in their cotangents: ``chosen``, a choice by value; ``masked``, also
    that nobody reads the value, or a place of it; ``weighted``, also a factor that is not differentiated;
    ``saturated``, also that a function is flat where its argument overflowed. ``decomposed``: on what a
    decomposition depends. ``steep``: what has an infinite derivative somewhere depends on it, so that its
    cotangent may be infinite."""

    chosen: set[Var] = field(default_factory=set)
    masked: set[Var] = field(default_factory=set)
    weighted: set[Var] = field(default_factory=set)
    saturated: set[Var] = field(default_factory=set)
    decomposed: set[Var] = field(default_factory=set)
    steep: set[Var] = field(default_factory=set)

    def include(self, other: Masks) -> None:
        """Add the masks of a block that becomes part of this one."""
        self.chosen |= other.chosen
        self.masked |= other.masked
        self.weighted |= other.weighted
        self.saturated |= other.saturated
        self.decomposed |= other.decomposed
        self.steep |= other.steep

    def like(self, outs: Iterable[Var]) -> Masks:
        """The masks of ``outs`` alone: ``around`` for the equivalent program of a composite rule."""
        found = self.chosen, self.masked, self.weighted, self.saturated, self.decomposed, self.steep
        return Masks(*(part.intersection(outs) for part in found))


def masks(
    block: Block,
    active: set[Var],
    results: tuple[Arg, ...],
    infinities: Infinities,
    around: Masks | None = None,
) -> Masks:
    """The masks within a block; ``around``: those of ``results``."""
    around = around or Masks()
    always = _Always(active)
    always.mark(*(() if around.chosen else results))
    always.block(block)
    nowhere: set[Var] = set()
    read, unweighted = _Dense(active, nowhere, False), _Dense(active, nowhere, True)
    sloping = _Dense(active, infinities.wild, False)
    for found, zeros in (
        (read, around.masked),
        (unweighted, around.weighted),
        (sloping, around.saturated),
    ):
        found.mark(*(() if zeros else results))
        found.block(block)
    decomposed, steep = _Before(active, _decomposes), _Before(active, infinities.has_poles)
    for before, are in ((decomposed, around.decomposed), (steep, around.steep)):
        before.mark(*(results if are else ()))
        before.block(block)
    kept = (always.vars, read.vars, unweighted.vars, sloping.vars)
    chosen, masked, weighted, saturated = (active - found for found in kept)
    return Masks(chosen, masked, weighted, saturated, decomposed.vars, steep.vars)


def chooses(op: Op) -> bool:
    """Whether an operation passes on what its arguments' values decide."""
    if op.fn in CHOOSING:
        return True
    flags = [v for v in variables(*op.args[1:2]) if isinstance(v.type, Array) and v.type.kind == "bool"]
    return bool(flags) and op.fn in (operator.getitem, helpers.setitem, helpers.written, helpers.scatter)


def _factors(op: Op, active: set[Var], weights: bool) -> Iterator[Arg]:
    """The arguments to which a choice-free operation passes its cotangent on, but not times a flag."""
    if lookup(op.fn) is not lookup(np.multiply):
        yield from differentiable_arguments(op)
        return
    for factor, other in zip(op.args, op.args[::-1], strict=True):
        flags = isinstance(other, Var) and kind_of(other.type) == "bool"
        if not (flags or weights and isinstance(other, Var) and other not in active):
            yield factor


class _Always(Useful):
    """``vars`` are the values with a path to the results on which nothing chooses by value."""

    def arguments(self, op: Op) -> Iterator[Arg]:
        return iter(()) if chooses(op) else _factors(op, self.varied, False)

    def is_reached(self, items: tuple[Var, ...]) -> bool:
        return are_all_in(items, self.vars, self.varied)


def are_all_in(items: Iterable[Var], found: set[Var], active: set[Var]) -> bool:
    """Whether the active items of a list are all among those found: a list is not known item by item."""
    some = [item for item in items if item in active]
    return bool(some) and found.issuperset(some)


class _Before(Useful):
    """``vars`` are the values on which operations of a kind depend."""

    def __init__(self, active: set[Var], is_one: Callable[[Op], bool]) -> None:
        super().__init__(active)
        self.is_one = is_one

    def block(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, Op) and self.is_one(op):
                self.mark(*differentiable_arguments(op))
        super().block(block)


def _decomposes(op: Op) -> bool:
    name = getattr(op.fn, "__name__", "")
    return op.fn in DECOMPOSITIONS or name in ("eigh", "eig", "svd") and lookup(op.fn) is not None


class _Dense:
    """Runs backwards over what is useful; ``vars`` are the values with a contribution that nothing masks.

    ``local``: what the branch around binds. What it adds to other values counts if the other side adds too.
    """

    def __init__(self, active: set[Var], wild: set[Var], weights: bool) -> None:
        self.active, self.wild, self.weights = active, wild, weights
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
                if any(out in self.vars for out in op.outs):
                    self.mark(*self.kept(op))
            elif isinstance(op, If):
                sides = [self.side(op, branch) for branch in (op.then, op.orelse)]
                self.mark(*set.intersection(*sides))
            else:
                self.loop(op)

    def kept(self, op: Op) -> Iterator[Arg]:
        """The arguments whose cotangents have no zeros but those that the result's have."""
        primitive = lookup(op.fn)
        known = primitive is not None and (primitive.kind == "elementwise" or primitive in _dense())
        if not (known or op.fn is helpers.setitem and is_whole_index(op.args[1])) or chooses(op):
            return
        flat = flat_at_infinity(op, primitive)
        for arg in _factors(op, self.active, self.weights):
            if flat is None or arg is not op.args[flat] or arg not in self.wild:
                yield arg

    def side(self, op: If, branch: Block) -> set[Var]:
        """The outer values to which one side of a branch adds."""
        around = self.local, self.outer
        self.local, self.outer = _visible(branch), set()
        for out, result in zip(op.outs, branch.results, strict=True):
            if out in self.vars:
                self.mark(result)
        self.block(branch)
        found = self.outer
        self.local, self.outer = around
        return found

    def loop(self, op: For | While) -> None:
        """A result of the body is open if it is in every iteration, the last one included."""
        closed: set[Var] = set(op.params) - self.active
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
                if are_all_in(items, self.vars, self.active):
                    self.mark(source)


def _visible(block: Block) -> set[Var]:
    """What a block binds, and the loops in it; what a branch in it binds is visible there only."""
    found: set[Var] = set()
    todo = [block]
    while todo:
        for op in todo.pop().ops:
            found.update(op.outs)
            if isinstance(op, (For, While)):
                found.update(binders(op))
                todo += blocks(op)
    return found
