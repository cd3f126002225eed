"""Which ufunc may write its result to where that is stored, as by ``out=``?

``store_at_once(body) -> None``. The beginning of ``write_in_place`` for NumPy code, so that the analysis sees
the write, and not the value that is no longer made. For kernels the order in memory does not matter.

An array to all of which a value is stored keeps its order in memory: by ``op=`` of arrays that may lie
otherwise, by ``out=``, by ``a[:] = b * c``. What is stored needs no place of its own::

    t = b * c
    a_1 = setitem(a, :, t)              np.multiply(b, c, out=a)
"""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any, TypeGuard

import numpy as np

from ...rules import helpers
from ..analysis.aliasing import is_whole_index
from ..ir import builtin
from ..ir.alternatives import is_mixed
from ..ir.ops import Block, Lit, Op, Statement, Var, blocks, operands, variables, walk
from ..ir.types import Array
from ..simplify.renaming import Renaming, replace_reads

UFUNCS: dict[Any, np.ufunc] = {
    operator.add: np.add,
    operator.sub: np.subtract,
    operator.mul: np.multiply,
    operator.truediv: np.divide,
    operator.neg: np.negative,
    abs: np.absolute,
}


def is_filling(fn: Any, count: int) -> TypeGuard[np.ufunc]:
    """Whether it is a function of so many arguments, with one result, that takes ``out=``."""
    return isinstance(fn, np.ufunc) and fn.nout == 1 and fn.nin == count and fn.signature is None


def store_at_once(body: Block) -> None:
    """Let ufuncs write to what all of their result is stored to; the reverse sweep reads the result there.

    Where the primal itself reads the result once more, it keeps a place of its own: sums depend on the order
    in memory.
    """
    names: Renaming = {}
    reads = _reads_of_primal(body)
    for block in (body, *(inner for op in walk(body) for inner in blocks(op))):
        makers: dict[Var, Op] = {}
        kept: list[Statement] = []
        for op in block.ops:
            maker = makers.get(op.args[2]) if _is_store(op) else None  # type: ignore[arg-type,union-attr]
            if maker is not None and maker is kept[-1] and reads[maker.out] == 1:
                kept.pop()
                _fill(op, maker)  # type: ignore[arg-type]
                names[maker.out] = op.outs[0]
            elif isinstance(op, Op) and _ufunc(op) is not None:
                makers[op.out] = op
            kept.append(op)
        block.ops = kept
    if names:
        replace_reads(body, names)


def _reads_of_primal(body: Block) -> Counter[Var]:
    """How often each value is read, but for the statements of the reverse sweep."""
    reads = Counter(variables(*body.results))
    for op in walk(body):
        if not op.adjoint:
            reads.update(variables(*operands(op)))
        for inner in blocks(op):
            reads.update(variables(*inner.results))
    return reads


def _is_store(op: Statement) -> bool:
    """Whether all of an array gets a value of its type."""
    if not isinstance(op, Op) or op.fn is not helpers.setitem or not is_whole_index(op.args[1]):
        return False
    target, value, type = op.args[0], op.args[2], op.out.type
    if not isinstance(target, Var) or not isinstance(value, Var) or not isinstance(type, Array):
        return False
    if target is value:
        return False
    return target.type == value.type == type and bool(type.shape) and not is_mixed(type)


def _ufunc(op: Op) -> np.ufunc | None:
    if op.kwargs or op.effect or len(op.outs) != 1:
        return None
    try:
        fn = UFUNCS.get(op.fn, op.fn)
    except TypeError:  # a callable that has no hash
        return None
    return fn if is_filling(fn, len(op.args)) else None


def _fill(store: Op, maker: Op) -> None:
    store.fn, store.args = builtin.fill_, (store.args[0], Lit(_ufunc(maker)), *maker.args)
    store.span = maker.span
