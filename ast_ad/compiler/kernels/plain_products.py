"""Which products of kernels need no look at zeros, since a gradient would show that one met an infinity?

``watched(function) -> Function``, before a program writes in place, and
``unguard(kernel, watched) -> Function`` of each kernel; ``is_watched(function) -> bool`` in between. Asked
for kernels that run first: those that have shown a NaN are made anew without it.

A zero cotangent contributes nothing, whatever it is multiplied by: ``safe_product`` looks at it, and keeps
LLVM from joining it with a sum, or from making a loop of vectors. Without the look ``0 * inf`` is NaN, and
that stays one on its way to the results. Here the way is followed: where every operation on it passes NaN
on, or gives what does not depend on a finite number in its place, the products are plain, and the results
at its ends are looked at once. Anything else on the way means that all products stay as they are.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...rules import containers, helpers
from ...rules.numpy import diagonals, joining
from ..ir import builtin
from ..ir.ops import Arg, Block, For, Function, If, Op, Statement, Var, While, variables, walk
from ..ir.types import Array, Scalar, dtype_of, kind_of
from .numbers import selections
from .runtime import numbers

GUARDED = {helpers.safe_product, helpers.exact_product}
ANY, FIRST = None, frozenset({0})
PASSING: dict[Callable[..., Any], frozenset[int] | None] = {
    **dict.fromkeys((operator.add, operator.sub, operator.mul, operator.truediv, operator.neg), ANY),
    **dict.fromkeys((np.add, np.subtract, np.multiply, np.divide, np.negative, np.square, *GUARDED), ANY),
    **dict.fromkeys((operator.matmul, np.matmul, np.dot, np.outer, np.inner, np.vdot, np.cross), ANY),
    **dict.fromkeys((np.sqrt, np.exp, np.sin, np.cos, math.sqrt, math.exp, math.sin, math.cos), ANY),
    **dict.fromkeys((np.sum, np.cumsum, np.mean, np.conj, np.real, np.copy, np.positive, np.trace), FIRST),
    **dict.fromkeys((operator.getitem, np.reshape, np.ravel, np.transpose, np.matrix_transpose), FIRST),
    **dict.fromkeys((np.swapaxes, np.moveaxis, np.squeeze, np.expand_dims, np.flip, np.roll), FIRST),
    **dict.fromkeys((np.broadcast_to, np.diagonal, np.diag, np.tril, np.triu, np.ascontiguousarray), FIRST),
    **dict.fromkeys((np.repeat, np.tile, np.take, np.asarray, np.array, float), FIRST),
    **dict.fromkeys((np.float64, np.float32), FIRST),
    **dict.fromkeys((helpers.mT, helpers.astype, helpers.broadcast_like, helpers.unbroadcast), FIRST),
    **dict.fromkeys((helpers.expand_reduced, helpers.written, diagonals.on_diagonal), FIRST),
    **dict.fromkeys((joining.split_like, joining.unsplit, np.concatenate, np.stack), FIRST),
    **dict.fromkeys((helpers.setitem, helpers.add_at, containers.list_add_at), frozenset({0, 2})),
    containers.list_set: frozenset({0, 2}),
    **dict.fromkeys((containers.list_get, containers.list_pop, containers.list_zeros_like), FIRST),
    **dict.fromkeys((containers.list_append, containers.list_add, containers.add), ANY),
    **dict.fromkeys((builtin.assign, builtin.copy, builtin.make_tuple, builtin.tuple_get), ANY),
    np.where: frozenset({1, 2}),
}  # fmt: skip
"""The arguments whose NaN the results have wherever they depend on them; None: all arguments."""


class _Hidden(Exception):
    """What passes on no NaN reads one that may be there."""


def watched(function: Function) -> Function:
    """The same function with a look at the results that a NaN gets to; itself where one would be hidden.

    Args:
        function: pure IR; it is left as it is.
    """
    if not any(map(_is_guarded, walk(function.body))):
        return function
    try:
        reached = _reached(function.body)
    except _Hidden:
        return function
    shown = list(dict.fromkeys(v for v in variables(*function.body.results) if v in reached))
    if not all(map(_is_real, shown)):
        return function
    body = Block([*function.body.ops, *_look(shown)], function.body.results)
    return Function(function.name, function.params, body, function.doc)


def stored(x: Any) -> None:
    """Tell that an array is read from memory by what follows, not computed again; nothing at run time."""


def is_watched(function: Function) -> bool:
    """Whether the results are looked at."""
    return any(isinstance(op, Op) and op.fn is numbers for op in walk(function.body))


def unguard(kernel: Function, watched: bool) -> Function:
    """The kernel, in place, with plain products if its program is watched. NumPy's own would warn."""
    for op in walk(kernel.body) if watched else ():
        if isinstance(op, Op) and op.fn in (selections.safe_product, selections.exact_product):
            op.fn = operator.mul
    return kernel


def _is_guarded(op: Statement) -> bool:
    return isinstance(op, Op) and op.fn in GUARDED and kind_of(op.out.type) == "float" and not op.kwargs


def _is_real(var: Var) -> bool:
    return isinstance(var.type, (Scalar, Array)) and kind_of(var.type) == "float"


def _look(results: Sequence[Var]) -> Iterator[Op]:
    """What stops a kernel where there is a NaN in a result: each is read once it is written.

    A sum shows it, and infinities of both signs, too, after which nothing but the time is lost.
    """
    arrays = [var for var in results if isinstance(var.type, Array)]
    totals = [Var(Scalar("float", dtype_of(var.type)), "total") for var in arrays]
    yield from (Op(stored, (var,), (), effect=True) for var in arrays)
    yield from (Op(np.sum, (var,), (total,)) for var, total in zip(arrays, totals, strict=True))
    for number in (*totals, *(var for var in results if var not in arrays)):
        yield Op(numbers, (number,), (), effect=True)


def _reached(body: Block) -> set[Var]:
    """What the NaN of a product that is guarded may get to.

    Raises:
        _Hidden: it may get lost.
    """
    found, size = set[Var](), -1
    while size != len(found):
        size = len(found)
        for op in walk(body):
            _follow(op, found)
    return found


def _follow(op: Statement, found: set[Var]) -> None:
    """Add to ``found`` what a statement passes on."""

    def holds(*args: Arg) -> bool:
        return not found.isdisjoint(variables(*args))

    if isinstance(op, Op):
        if _is_guarded(op) or _passes(op, holds):
            found.update(op.outs)
    elif isinstance(op, If):
        if holds(op.cond):
            raise _Hidden
        for out, *values in zip(op.outs, op.then.results, op.orelse.results, strict=True):
            found.update([out] if holds(*values) else ())
    else:
        results = op.body.results[op.stops :]
        if holds(*op.body.results[: op.stops]) or isinstance(op, While) and holds(*op.cond.results):
            raise _Hidden
        if isinstance(op, For):
            if holds(*(op.range or ())):
                raise _Hidden
            for source, items in op.items:
                found.update(items if holds(source) else ())
        for param, init, result, out in zip(op.params, op.inits, results, op.outs, strict=True):
            found.update((param, out) if holds(init, result, param) else ())


def _passes(op: Op, holds: Callable[..., bool]) -> bool:
    """Whether a NaN among the operands gets to the results; False: only shapes are read, if anything."""
    shape_of = helpers.METADATA.get(op.fn)
    read = [i for i, arg in enumerate(op.args) if i != shape_of and holds(arg)]
    if holds(*op.kwargs.values()):
        raise _Hidden
    if not read:
        return False
    known = PASSING.get(op.fn, frozenset())
    if op.effect or known is not ANY and not known.issuperset(read):
        raise _Hidden
    if any(kind_of(out.type) in ("bool", "int") for out in op.outs):
        raise _Hidden
    return True
