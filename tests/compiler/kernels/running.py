"""How are programs with kernels run in tests? Compiled, or evaluated without compiling, and never forgiving.

Evaluated kernels are checked for what compiled code does not notice: places outside of an array are an error,
and new memory holds NaN. An unexpected error in the generator, or in kernels where
NumPy has none, is noted, though users get NumPy's results then.
"""

from __future__ import annotations

import collections
import contextlib
import operator
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import ast_ad
from ast_ad.calls import code as programs, derivative, pipeline
from ast_ad.calls.code import Loaded, NotCompiled, Pure
from ast_ad.compiler.ir import builtin
from ast_ad.compiler.ir.builtin import MUTATORS
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import For, Function, If, Op, Var, While, walk
from ast_ad.compiler.kernels import runtime as kernels
from ast_ad.compiler.kernels.fresh_memory import carved, empty, grown
from ast_ad.compiler.kernels.numbers import signed_zeros
from ast_ad.compiler.kernels.numbers.python_math import NotInKernel
from ast_ad.compiler.kernels.partition import partition as parts_of
from ast_ad.compiler.kernels.runtime import Mismatch
from ast_ad.compiler.report import UNHEARD
from ast_ad.compiler.simplify.renaming import copy_function

from .typed import check, inside_kernel, types_checked, undefined

HANDED_BACK = Mismatch, NotInKernel, AssertionError


class Lying(BaseException):
    """A kernel that touches what it must not; no handler of ordinary errors catches it."""


@dataclass
class Record:
    """What happened to programs: how many have kernels, what is left to NumPy and why, what went wrong."""

    kernels: int = 0
    without: int = 0
    refused: collections.Counter[str] = field(default_factory=collections.Counter)
    broken: list[str] = field(default_factory=list)  # errors of the generator
    dropped: list[BaseException] = field(default_factory=list)  # what kernels gave up for, and NumPy doesn't
    sources: list[Function] = field(default_factory=list)

    def note(self, refused: Any) -> None:
        for op, why in refused:
            name = getattr(getattr(op, "fn", None), "__name__", type(op).__name__)
            self.refused[f"{name}: {why}"] += 1


@contextlib.contextmanager
def watched(how: str = "compiled") -> Iterator[Record]:
    """Programs for Numba are 'compiled', or 'evaluated', or their text is run as Python ('interpreted')."""
    record = Record()
    names: tuple[tuple[Any, str, Any], ...] = (
        (programs, "FAIL_LOUDLY", True),
        (pipeline, "kernel_code", _compiler(record, how)),
        (programs.Code, "drop_kernels", _dropping(record)),
        (derivative.Derivative, "_build_kernels", _building(record)),
        (parts_of.KernelCall, "__call__", _call),
    )
    if how == "interpreted":
        names += ((kernels, "kernel", lambda function: function),)
        names += ((signed_zeros, "signless_kernel", lambda function: function),)
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in names]
    stored = os.environ.get("AST_AD_CACHE", "1")
    os.environ["AST_AD_CACHE"] = "0"  # what was compiled another time is not seen here
    try:
        for owner, name, value in names:
            setattr(owner, name, value)
        with types_checked():
            yield record
    finally:
        os.environ["AST_AD_CACHE"] = stored
        for owner, name, value in before:
            setattr(owner, name, value)


def _compiler(record: Record, how: str) -> Callable[..., Any]:
    compiled = pipeline.kernel_code

    def kernel_code(pure: Pure, report: Any) -> Any:
        try:
            found = evaluated(*pure) if how == "evaluated" else compiled(pure, report)
        except NotCompiled as reason:
            record.without += 1
            record.refused[str(reason)] += 1
            raise
        except Exception as error:
            record.broken.append(f"{type(error).__name__}: {error}")
            raise
        record.kernels += 1
        record.note(found.refused)
        record.sources.append(pure.function)
        return found

    return kernel_code


def _dropping(record: Record) -> Callable[..., None]:
    before = programs.Code.drop_kernels

    def drop_kernels(self: Any, problem: BaseException) -> None:
        record.dropped.append(problem)
        before(self, problem)

    return drop_kernels


def _building(record: Record) -> Callable[..., Any]:
    before = derivative.Derivative._build_kernels

    def build(self: Any, args: Any, kwargs: Any, known: Any) -> Any:
        try:
            return before(self, args, kwargs, known)
        except ast_ad.AdError:
            raise
        except Exception as error:
            record.broken.append(f"{type(error).__name__}: {error}")
            raise

    return build


# ----- evaluated kernels
def evaluated(function: Function, owned: Any, fresh: Any) -> Any:
    """A program whose kernels are evaluated."""
    placed = pipeline.for_kernels(Pure(function, owned, fresh), UNHEARD)
    parts = parts_of.partition(placed, f"{function.name}_kernel")
    if not parts.kernels:
        reasons = sorted({why for _, why in parts.refused})
        raise NotCompiled("nothing for kernels: " + "; ".join(reasons))
    for kernel in parts.kernels:
        assert_scalar(kernel)
        if kernel.name not in parts.overlapping:
            parts.calls[kernel.name].apart = written_to(kernel)  # type: ignore[attr-defined]
    return Loaded(lambda *args: evaluate(parts.driver, *args), "0", parts.refused)


def _call(self: Any, *args: Any) -> Any:
    """A kernel evaluated on numbers that compute as compiled ones do; what it returns are Python's."""
    for i in getattr(self, "apart", ()):
        for j, other in enumerate(args):
            if i != j and isinstance(other, np.ndarray) and np.shares_memory(args[i], other):
                raise Lying("arguments that overlap")
    floats = {float: np.float64, complex: np.complex128}
    lengths: dict[Any, int] = {}
    for param, arg in zip(self.kernel.params, args, strict=True):
        check(param, arg, lengths)
    inside_kernel[0] = True
    try:
        results = evaluate(checked(self.kernel), *(floats.get(type(a), lambda x: x)(a) for a in args))
    finally:
        inside_kernel[0] = False
    several = isinstance(results, tuple)
    plain = [r.item() if isinstance(r, np.generic) else r for r in (results if several else (results,))]
    undefined.extend(r for r in plain if isinstance(r, np.ndarray) and not r.size)
    return tuple(plain) if several else plain[0]


_CHECKED: dict[int, tuple[Function, Function]] = {}


def checked(kernel: Function) -> Function:
    """The kernel with functions of Python in the place of compiled ones, and strict about memory."""
    if id(kernel) not in _CHECKED:
        copy = copy_function(kernel)
        for op in walk(copy.body):
            if isinstance(op, Op):
                op.fn = _STRICT.get(op.fn, getattr(op.fn, "py_func", op.fn))
        _CHECKED[id(kernel)] = kernel, copy
    return _CHECKED[id(kernel)][1]


def written_to(kernel: Function) -> list[int]:
    """The positions of the arrays that a kernel writes to."""
    written = {op.args[0] for op in walk(kernel.body) if isinstance(op, Op) and op.fn in MUTATORS}
    while True:  # also under the names that regions give them
        more = {a for op in walk(kernel.body) for a in _same(op, written)} - written
        if not more:
            return [i for i, p in enumerate(kernel.params) if p in written]
        written |= more


def _same(op: Any, written: set[Any]) -> list[Any]:
    """What else is written to where names that a statement binds are."""
    if isinstance(op, (For, While)):
        results = op.body.results[op.stops :]
        groups = [
            ((o, p), (p, i, r)) for o, p, i, r in zip(op.outs, op.params, op.inits, results, strict=True)
        ]
    elif isinstance(op, If):
        groups = [((o,), (a, b)) for o, a, b in zip(op.outs, op.then.results, op.orelse.results, strict=True)]
    elif op.fn is kernels.reserve:
        groups = [((op.outs[0],), (op.args[0],))]
    else:
        return []
    return [
        v for names, sources in groups if not written.isdisjoint(names) for v in sources if isinstance(v, Var)
    ]


def assert_scalar(kernel: Function) -> None:
    """Kernels have no array operations: only new memory, shapes, and single elements."""
    from ast_ad.compiler.ir.types import Array

    for op in walk(kernel.body):
        if isinstance(op, Op) and any(isinstance(o.type, Array) for o in op.outs):
            known = {empty, grown, carved, np.transpose, kernels.reserve, builtin.assign}
            known |= {builtin.setitem_, builtin.add_item_}
            assert op.fn in known, f"{op.fn} of arrays in a kernel"


def _place(array: Any, index: Any) -> None:
    places = index if isinstance(index, tuple) else (index,)
    if isinstance(array, tuple):
        return
    if len(places) != array.ndim:
        raise Lying(f"{places} in {array.ndim} dimensions")
    for i, n in zip(places, array.shape, strict=True):
        if not 0 <= i < n:
            raise Lying(f"element {places} of {array.shape}")


def _get(array: Any, index: Any) -> Any:
    _place(array, index)
    return array[index]


def _set(array: Any, index: Any, value: Any) -> Any:
    _place(array, index)
    return builtin.setitem_(array, index, value)


def _add(array: Any, index: Any, value: Any) -> Any:
    _get(array, index)
    return builtin.add_item_(array, index, value)


def _empty(shape: Any, dtype: Any) -> Any:
    array = np.empty(shape, dtype)
    array.fill(np.nan if array.dtype.kind in "fc" else 111 if array.dtype.kind in "iu" else 1)
    return array


def _reserve(array: Any, length: int) -> Any:
    if length <= len(array):
        return array
    out = _empty((max(length, 2 * len(array)), *array.shape[1:]), array.dtype)
    out[: len(array)] = array
    return out


def _grown(room: Any, shape: Any) -> Any:
    found = grown(room, shape)
    return found if found is room else _empty(len(found), room.dtype)


def _carved(room: Any, shape: Any) -> Any:
    """As new memory: whoever still reads what was there before finds NaN."""
    array = carved(room, shape)
    array[...] = _empty(shape, room.dtype)
    return array


_STRICT = {
    operator.getitem: _get,
    builtin.setitem_: _set,
    builtin.add_item_: _add,
    empty: _empty,
    grown: _grown,
    carved: _carved,
    kernels.reserve: _reserve,
    operator.truediv: np.true_divide,
}  # no exceptions in compiled code
