"""Which operations need not run for the exceptions that they may raise, as another one raises the same?

``drop_readers(function) -> None``. In ``simplify``, between two removals of dead code: what was kept by a
reader (``keep_exceptions``) goes where it is read by nobody else. A transform of the primal that only its
own tangent's transform follows, of an array with the same lengths, is an example.
"""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

import numpy as np

from ..analysis.counters import Counters
from ..analysis.exceptions import may_raise
from ..ir import builtin
from ..ir.ops import (
    Arg,
    Block,
    For,
    Function,
    Op,
    Seq,
    Statement,
    Var,
    While,
    blocks,
    operands,
    variables,
    walk,
)
from ..ir.types import Array, Scalar, kind_of
from .patterns import arg_key

_INVERSES = {np.fft.ifft: np.fft.fft, np.fft.ifft2: np.fft.fft2, np.fft.ifftn: np.fft.fftn}
BY_TYPES = {
    np.fft.fft, np.fft.rfft, np.fft.irfft, np.fft.hfft, np.fft.ihfft, np.fft.fft2, np.fft.rfft2,
    np.fft.irfft2, np.fft.fftn, np.fft.rfftn, np.fft.irfftn, np.convolve, np.correlate, np.matmul, np.dot,
    np.inner, np.outer, np.einsum, np.tensordot, np.kron, np.concatenate, np.stack, np.vstack, np.hstack,
    np.sum, np.mean, np.cumsum, np.diff, np.roll, np.trace, np.reshape, np.transpose, operator.matmul,
}  # fmt: skip
"""Whether they raise is told by the dtypes and lengths of their arrays, and by their other arguments."""


def drop_readers(function: Function) -> None:
    """Remove, in place, the readers of what raises as another operation beside it does, which stays.

    What is computed for nobody else then gets a reader itself, if it may raise.
    """
    ops = [op for op in walk(function.body) if isinstance(op, Op)]
    if not any(op.fn is builtin.unread for op in ops) or any(op.fn is np.seterr for op in ops):
        return
    reads = Counter(v for op in walk(function.body) for v in variables(*operands(op)))
    reads.update(v for op in walk(function.body) for b in blocks(op) for v in variables(*b.results))
    reads.update(variables(*function.body.results))
    reads.update(function.params)  # which are there for anybody
    _block(function.body, reads, False)


def _block(block: Block, reads: Counter[Var], repeated: bool) -> None:
    """``repeated``: whether it is in a loop, where what reads a value may be for the next turn's only."""
    kept: list[Statement] = []
    run: list[Statement] = []  # between two effects
    for op in block.ops:
        for inner in blocks(op):
            _block(inner, reads, repeated or isinstance(op, (For, While)))
        run.append(op)
        if not isinstance(op, Op) or op.effect and op.fn is not builtin.unread:
            kept += _without_readers(run, reads, repeated)
            run = []
    block.ops = [*kept, *_without_readers(run, reads, repeated)]


def _without_readers(run: list[Statement], reads: Counter[Var], repeated: bool) -> list[Statement]:
    ops = [op for op in run if isinstance(op, Op)]
    if not any(op.fn is builtin.unread for op in ops):
        return run
    makers = {out: op for op in ops for out in op.outs}
    left = Counter(_key(op) for op in ops)  # of what raises by types, how many stay
    found: list[Statement] = []
    for op in run:
        if not isinstance(op, Op) or op.fn is not builtin.unread:
            found.append(op)
            continue
        for var in _read_for_exceptions(variables(*op.args), makers, left, reads, repeated):
            found.append(Op(builtin.unread, (var,), (), {}, op.span, True, op.adjoint))
    return found


def _read_for_exceptions(
    asked: list[Var], makers: dict[Var, Op], left: Counter[Any], reads: Counter[Var], repeated: bool
) -> list[Var]:
    """What still needs a reader, of these values and of those that they are computed from."""
    kept = []
    while asked:
        var = asked.pop()
        op = makers.get(var)
        if reads[var] > 1:  # somebody else needs it
            reads[var] -= 1
            kept += [var] if repeated else []
            continue
        if op is None or len(op.outs) != 1 or not (_is_alike(op, left) or not may_raise(op, Counters())):
            kept.append(var)
            continue
        left[_key(op)] -= 1
        reads[var] -= 1
        asked += variables(*operands(op))
    return kept


def _is_alike(op: Op, left: Counter[Any]) -> bool:
    key = _key(op)
    return key is not None and left[key] > 1


def _key(op: Op) -> Any:
    """What decides whether an operation raises; None where values may decide it."""
    if op.fn not in BY_TYPES and op.fn not in _INVERSES and not _of_arrays(op):
        return None
    names = sorted(op.kwargs)
    found = [_argument(arg) for arg in (*op.args, *(op.kwargs[name] for name in names))]
    return None if None in found else (_INVERSES.get(op.fn, op.fn), *names, *found)


def _of_arrays(op: Op) -> bool:
    """Whether it is NumPy's function of elements, of arrays of floats: it raises where lengths don't fit."""
    types = [arg.type if isinstance(arg, Var) else None for arg in (*op.args, *op.outs)]
    floats = all(isinstance(t, Array) and kind_of(t) in ("float", "complex") for t in types)
    known = isinstance(op.fn, np.ufunc) or getattr(op.fn, "__module__", None) == "_operator"
    return floats and known and not op.kwargs


def _argument(arg: Arg) -> Any:
    if isinstance(arg, Seq):
        items = tuple(map(_argument, arg.items))
        return None if None in items else (arg.kind.__name__, items)
    if isinstance(arg, Var) and isinstance(arg.type, Array):
        known = arg.type.shape is not None and None not in arg.type.shape and arg.type.kind != "other"
        return (arg.type.dtype.str, arg.type.shape) if known else None
    if isinstance(arg, Var) and isinstance(arg.type, Scalar) and arg.type.dtype is not None:
        return "number", arg.type.dtype.str
    return arg_key(arg)
