"""Is it cheaper to save a value for the reverse sweep, or to compute it again? A minimum cut decides.

The cost model, in units of one addition of two numbers:

- to save a value, 64 for each number in it: a store, a load and the memory between, of which the load is
  8. What is read for each of several directions is stored for all of them: 56 is divided by these. A length
  that is not a constant counts as 1000, but that of a slice as its axis; a list has that many elements; a
  stand-in for a shape costs 8.
- to compute it again, for each number in the result: arithmetic and comparisons 1, division and roots 8,
  exp and its like in arrays, which are vectors, 24, elements picked by an array of indices 4, and those
  that are put together from other arrays, as with margins, sums and products of small arrays with constant
  shapes 2 for each term, and so those along a few elements of each row. Views, lengths, an element of an
  array and what is undefined cost 1.
- An array or a list outside of a branch, in a loop, is saved for every turn if it is read: so are its
  elements instead.
- Everything else (exp and its like, reductions, products of matrices, calls, loops, branches) is saved.

The network has two nodes for each value, one before and one after "saved". On the sink's side of the cut is
what the reverse sweep has: saved, where only the second node is there, or computed again from what it has.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Set
from typing import Any

import numpy as np

from ...rules import containers, helpers
from ...rules.nested_lists import item_within
from ...rules.registry import lookup
from ..analysis.aliasing import is_basic_index
from ..frontend.builder import type_of_arg
from ..ir import builtin
from ..ir.ops import Arg, Block, Lit, Op, Seq, Slice, Var, operands, variables
from ..ir.types import Array, DictOf, ListOf, Scalar, TupleOf, Type
from ..simplify.renaming import Renaming, renamed
from ..simplify.simplify import expression_key
from .min_cut import INFINITE, Network

STORED, LOADED, STAND_IN, LONG, FEW, TERMS = 56, 8, 8, 1000, 64, 8
ITSELF = {
    np.shape, np.ndim, np.size, len, builtin.tuple_get, builtin.assign, builtin.told, builtin.undefined,
    containers.list_len, containers.list_get, item_within, helpers.mT, helpers.hollow, helpers.broadcast_like,
    np.transpose, np.swapaxes,
}  # fmt: skip
SIMPLE = {
    operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.lt, operator.le,
    operator.gt, operator.ge, operator.eq, operator.ne, operator.not_, operator.and_, operator.or_,
    abs, min, max, int, float, bool, helpers.safe_product, helpers.exact_product, helpers.astype,
    np.add, np.subtract, np.multiply, np.negative, np.positive, np.square, np.absolute, np.conjugate, np.sign,
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.logical_and,
    np.logical_or, np.logical_not, np.maximum, np.minimum, np.where, np.round, np.around, np.rint, np.floor,
    np.ceil, np.trunc, np.fix, np.fabs, np.isnan, np.isinf, np.isfinite, np.signbit, np.copysign, np.clip,
    np.zeros_like, np.ones_like, np.zeros, np.ones, np.array,
}  # fmt: skip
DIVISIONS = {
    operator.truediv, operator.floordiv, operator.mod, np.divide, np.floor_divide, np.remainder,
    np.reciprocal, np.sqrt, math.sqrt, helpers.setitem,
}  # fmt: skip
POWERS = {operator.pow, np.power, pow}
SMALL = {np.sum, np.dot, np.cross, operator.matmul, np.matmul}  # of few numbers
VECTORS = {
    np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sin, np.cos, np.tanh,
}  # fmt: skip
MOVED: set[Any] = {np.pad, np.concatenate, np.stack, np.vstack, np.hstack, np.roll, np.repeat, np.tile}
MARGINS = {"constant", "edge", "wrap", "reflect", "symmetric"}  # of elements as they are
EXTREMA = {np.max, np.min, np.nanmax, np.nanmin}
COPIES = {np.copy, builtin.copy}
WITH_OPTIONS: set[Any] = {np.zeros, np.ones, np.array, np.sum, helpers.astype, *MOVED}


def size(type: Type) -> int:
    """How many numbers a value of the type holds, where an unknown length counts as ``LONG``."""
    if isinstance(type, Array):
        if type.shape is None:
            return LONG
        return math.prod(max(d, 1) if isinstance(d, int) else LONG for d in type.shape)
    if isinstance(type, (ListOf, DictOf)):
        return LONG * size(type.element)
    if isinstance(type, TupleOf):
        return sum(map(size, type.items))
    return 1


def is_long(type: Type) -> bool:
    """Whether it is an array, a list or a dict of more than a few numbers."""
    return isinstance(type, (Array, ListOf, DictOf)) and size(type) > FEW


def cost_again(op: Op) -> int | None:
    """What it costs to repeat an operation; None where its result has to be saved.

    >>> x, y = Var(Scalar("float")), Var(Scalar("float"))
    >>> cost_again(Op(operator.add, (x, x), (y,))), cost_again(Op(np.exp, (x,), (y,)))
    (1, None)
    """
    if op.effect or len(op.outs) != 1:
        return None
    numbers = size(op.out.type)
    if op.fn is operator.getitem:
        if isinstance(type_of_arg(op.args[0]), Scalar):
            return None
        return 1 if is_basic_index(op.args[1]) else 4 * numbers
    if op.fn in ITSELF:
        return 1
    if not isinstance(op.out.type, (Scalar, Array)):
        return None
    if op.fn is np.sum and (terms := _terms_of_rows(op)):
        return 2 * terms * numbers
    each = _each(op)
    if each is not None and (not op.kwargs or op.fn in WITH_OPTIONS):
        return each * numbers
    primitive = lookup(op.fn)
    return 1 if primitive is not None and primitive.view and op.fn is not helpers.astype else None


def _each(op: Op) -> int | None:
    """The cost of each number of the result."""
    if op.fn in SIMPLE:
        return 1
    if op.fn in DIVISIONS:
        return 8
    if op.fn in MOVED:
        return 4 if _keeps_numbers(op) else None
    if op.fn in VECTORS:
        return 24 if is_long(op.out.type) else None
    if op.fn in SMALL:
        terms = sum(size(type_of_arg(arg)) for arg in op.args)
        return 2 * terms if terms <= FEW else None
    exponent = op.args[1].value if op.fn in POWERS and isinstance(op.args[1], Lit) else None
    if isinstance(exponent, (int, float)) and exponent in (1, 2, 3, 4):
        return 2
    return 8 if isinstance(exponent, (int, float)) and exponent in (-1, -2, 0.5, -0.5) else None


def _keeps_numbers(op: Op) -> bool:
    """Whether each number of the result is one of an argument, or given."""
    mode = op.kwargs.get("mode", op.args[2] if len(op.args) > 2 else Lit("constant"))
    odd = op.kwargs.get("reflect_type", Lit("even"))
    plain = isinstance(mode, Lit) and mode.value in MARGINS and isinstance(odd, Lit) and odd.value == "even"
    return op.fn is not np.pad or plain


def _terms_of_rows(op: Op) -> int | None:
    """How many elements each number of ``np.sum(x, axis)`` is the sum of, where these are a few."""
    type, axis = type_of_arg(op.args[0]), op.kwargs.get("axis", op.args[1] if len(op.args) == 2 else None)
    shape = type.shape if isinstance(type, Array) else None
    if not shape or not isinstance(axis, Lit) or not isinstance(axis.value, int):
        return None
    length = shape[axis.value] if -len(shape) <= axis.value < len(shape) else None
    return length if isinstance(length, int) and length <= TERMS else None


def choose(
    needed: Iterable[Var],
    shapes_only: Set[Var],
    primal: Block,
    visible: Callable[[Var], bool],
    dear: Callable[[Var], bool] = lambda var: False,
    directions: int = 1,
) -> tuple[list[Var], list[Op]]:
    """What to save and what to repeat, at the least cost in all.

    Args:
        needed: the values that the reverse sweep reads.
        shapes_only: those that it reads for shape and dtype only.
        primal: the region that computes them; what its inner regions compute can't be repeated.
        visible: whether the reverse sweep has a value anyway.
        dear: whether a value from outside of the region is saved there, if the reverse sweep reads it. As
            that may be done for others, too, it costs half.
        directions: for how many what is saved is read.
    """
    makers = _makers(primal)
    needed = [var for var in dict.fromkeys(needed) if not visible(var)]
    network = Network()
    source, sink = network.node(), network.node()
    compared = {
        v for op in primal.ops if isinstance(op, Op) and op.fn in EXTREMA for v in variables(*op.args)
    }  # the reverse sweep looks for what equals the extremum: computed again it may be rounded otherwise
    numbers = sizes(primal)
    before: dict[Var, int] = {}
    saving = LOADED + STORED // directions
    after: dict[Var, int] = {}
    pending = list(needed)
    for var in pending:  # which grows
        if var in before:
            continue
        before[var], after[var] = network.node(), network.node()
        pending += _sources(makers.get(var), visible)
    for var, node in before.items():
        network.edge(node, after[var], saving * numbers.get(var, size(var.type)) // (2 if dear(var) else 1))
        op = makers.get(var)
        again = None if op is None or var in compared else cost_again(op)
        network.edge(source, node, INFINITE if again is None else again)
        for other in _sources(op, visible):
            network.edge(after[other], node, INFINITE)
    for var in needed:
        network.edge(after[var], sink, STAND_IN if var in shapes_only else INFINITE)
    reverse = network.sink_side(source, sink)
    saved = [v for v in before if after[v] in reverse and before[v] not in reverse]
    saved += [v for v in needed if after[v] not in reverse]
    repeated = {v for v in before if after[v] in reverse and before[v] in reverse}
    return saved, [op for var, op in makers.items() if var in repeated]


def sizes(primal: Block) -> dict[Var, int]:
    """How many numbers the parts of arrays have at most, and what is computed of their elements."""
    found: dict[Var, int] = {}
    for op in primal.ops:
        if not isinstance(op, Op) or len(op.outs) != 1 or not isinstance(op.out.type, Array):
            continue
        arrays = [v for v in variables(*op.args) if isinstance(v.type, Array)]
        if op.fn is operator.getitem and arrays == [op.args[0]] and is_basic_index(op.args[1]):
            most = _size_of_part(arrays[0].type, op.args[1])
        elif op.fn in SIMPLE or op.fn in DIVISIONS or op.fn in POWERS:
            alike = [v for v in arrays if v.type.shape == op.out.type.shape]  # type: ignore[union-attr]
            most = min((found.get(v, size(v.type)) for v in alike), default=size(op.out.type))
        else:
            continue
        if most < size(op.out.type):
            found[op.out] = most
    return found


def _size_of_part(type: Type, index: Arg) -> int:
    """How many numbers ``x[index]`` has at most."""
    items = index.items if isinstance(index, Seq) else (index,)
    if not isinstance(type, Array) or type.shape is None or len(items) > len(type.shape):
        return size(type)
    if not all(isinstance(i, Slice) or isinstance(type_of_arg(i), Scalar) for i in items):  # None, Ellipsis
        return size(type)
    kept = [n for n, i in zip(type.shape, items, strict=False) if isinstance(i, Slice)]
    return size(Array(type.dtype, (*kept, *type.shape[len(items) :])))


def _makers(primal: Block) -> dict[Var, Op]:
    """The operation that makes each value, in order; a value that was computed before counts as that one."""
    makers: dict[Var, Op] = {}
    names: Renaming = {}
    known: dict[Any, Var] = {}
    for op in primal.ops:
        if not isinstance(op, Op):
            continue
        args = tuple(renamed(arg, names) for arg in op.args)
        kwargs = {name: renamed(arg, names) for name, arg in op.kwargs.items()}
        one = len(op.outs) == 1
        key = expression_key(Op(op.fn, args, op.outs, kwargs, effect=op.effect)) if one else None
        same = args[0] if op.fn in COPIES and len(args) == 1 and not kwargs else known.get(key)
        if one and isinstance(same, Var) and same.type == op.out.type:
            names[op.out] = same
            makers[op.out] = Op(builtin.assign, (same,), op.outs, span=op.span, adjoint=True)
        else:
            if key is not None:
                known[key] = op.out
            makers.update(dict.fromkeys(op.outs, op))
    return makers


def _sources(op: Op | None, visible: Callable[[Var], bool]) -> list[Var]:
    """The values that have to be at hand for the operation to be repeated."""
    if op is None or cost_again(op) is None:
        return []
    return [var for var in dict.fromkeys(variables(*operands(op))) if not visible(var)]
