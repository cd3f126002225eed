"""What becomes of sums, means, extrema and products of arrays? Loops that carry a number or add in memory."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir import builtin
from ...ir.ops import Arg, Lit, Op, Seq, Var
from ...ir.types import KIND_OF, Array, Scalar
from .. import runtime as kernels
from ..nests.affine_indices import ZERO, Index
from ..nests.body import Body
from ..nests.nests import Action
from ..numbers.scalar_calls import scalar_form
from ..numbers.scalars import NoForm, argument_type
from .forms import form_of, require_equal
from .loop_values import Formula, Value
from .lowering import count_of

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

Place = tuple[Index, ...]


@dataclass
class Reduction:
    """``step(state, x)`` from ``start`` on; ``adds`` tells a plain sum, which may be made in any order."""

    start: Any
    step: Any
    adds: bool = False


def reduction_of(fn: Any, dtype: np.dtype) -> Reduction:
    kind = KIND_OF[dtype.kind]
    if fn in (np.sum, np.mean):
        return Reduction({"float": 0.0, "int": 0, "complex": 0j}[kind], operator.add, True)
    if fn is np.prod:
        return Reduction({"float": 1.0, "int": 1, "complex": 1 + 0j}[kind], operator.mul)
    if kind == "complex":
        raise NoForm("an order of complex numbers")
    if fn is np.max:
        return Reduction(dtype.type(-np.inf) if kind == "float" else int(np.iinfo(dtype).min), np.maximum)
    return Reduction(dtype.type(np.inf) if kind == "float" else int(np.iinfo(dtype).max), np.minimum)


def _axes(op: Op, rank: int) -> tuple[tuple[int, ...], bool]:
    """The reduced axes, and whether they stay with length 1."""
    known = {"axis", "keepdims", *_OPTIONS}
    if not set(op.kwargs) <= known or len(op.args) > 2:
        raise NoForm("these keywords")
    axis = op.args[1] if len(op.args) > 1 else op.kwargs.get("axis", Lit(None))
    keep = op.kwargs.get("keepdims", Lit(False))
    if isinstance(axis, Seq):
        axis = Lit(tuple(i.value if isinstance(i, Lit) else None for i in axis.items))
    if not isinstance(axis, Lit) or not isinstance(keep, Lit):
        raise NoForm("an axis that is known at run time only")
    value = axis.value
    if value is not None and not rank:
        raise NoForm("the axes of a number")
    axes = range(rank) if value is None else value if isinstance(value, tuple) else (value,)
    return tuple(sorted(int(a) % rank for a in axes)), bool(keep.value)


@form_of(np.sum, np.mean, np.prod, np.max, np.min, np.amax, np.amin)
def reduction(s: Scalarizer, op: Op) -> None:
    out = op.out.type
    if not isinstance(s.arg(op.args[0]), (Value, Seq)):
        _of_number(s, op)
        return
    value = s.array(op.args[0])
    axes, keep = _axes(op, value.rank)
    if not axes and value.rank:
        raise NoForm("a reduction along no axis")
    if (
        not isinstance(out, (Scalar, Array))
        or out.dtype is None
        or out.kind not in ("float", "int", "complex")
    ):
        raise NoForm("a reduction of this type")
    if value.type.dtype.itemsize < 4 and value.type.kind != "bool" or out.dtype.name == "float16":
        raise NoForm(f"a reduction of {value.type.dtype}")
    if out.kind == "float" and value.type.kind != "float":
        raise NoForm("a mean of integers")
    fn = {np.amax: np.max, np.amin: np.min}.get(op.fn, op.fn)
    kind = reduction_of(fn, out.dtype)
    count = count_of(s, tuple(value.lengths[a] for a in axes))
    if fn in (np.max, np.min):
        var = op.args[0]
        again = isinstance(var, Var) and (s.uses.get(var, 0) > 1 or var in s.function.body.results)
        if again and isinstance(var, Var) and not value.is_view:
            value = s.in_memory(var)  # what equals the extremum is looked for: the very same numbers
    value, initial = _with_options(s, op, value)
    if fn in (np.max, np.min) and initial is None:
        _not_empty(s, count)
    finish = None
    if fn is np.mean:

        def finish(body: Body, total: Arg) -> Arg:
            return body.op(operator.truediv, total, count, type=Scalar(out.kind, out.dtype))

    elif initial is not None:

        def finish(body: Body, total: Arg) -> Arg:
            return _step(s, kind, Scalar(out.kind, out.dtype))(body, total, initial)

    reduce_axes(s, op.out, value, axes, keep, kind, finish)


_OPTIONS = ("where", "initial", "dtype")
_SINGLE = np.dtype(np.float32), np.dtype(np.complex64)


def _is(arg: Arg, constant: Any) -> bool:
    return isinstance(arg, Lit) and arg.value is constant


def _with_options(s: Scalarizer, op: Op, value: Value) -> tuple[Value, Arg | None]:
    """What is reduced, with what ``where`` leaves out replaced by what changes nothing; and ``initial``."""
    given = {k: op.kwargs[k] for k in _OPTIONS if k in op.kwargs and not _is(op.kwargs[k], None)}
    dtype, out = given.pop("dtype", None), op.out.type
    if not given and dtype is None:
        return value, None
    same = getattr(out, "dtype", None) == value.type.dtype
    named = dtype is None or isinstance(dtype, Lit) and np.dtype(dtype.value) == value.type.dtype
    if not same or not named:
        raise NoForm("a reduction in another type")
    initial, where = given.get("initial"), given.get("where", Lit(True))
    number = Scalar(value.type.kind, value.type.dtype)
    if initial is not None:
        type = argument_type(initial)
        fits = isinstance(type, Scalar) and type.kind in ("int", number.kind)
        if not fits or getattr(type, "dtype", None) not in (None, value.type.dtype):
            raise NoForm("a reduction that starts from another type")
        initial = s.number(initial)
        if isinstance(initial, Lit):
            initial = Lit(value.type.dtype.type(initial.value).item())
    if _is(where, True):
        return value, initial
    mask = s.array(where)
    fn = {np.amax: np.max, np.amin: np.min}.get(op.fn, op.fn)
    if fn is np.mean or initial is None and fn in (np.max, np.min):
        raise NoForm("a reduction of some elements")
    if mask.type.kind != "bool" or mask.rank != value.rank:
        raise NoForm("a reduction of some elements")
    for n, m in zip(value.lengths, mask.lengths, strict=True):
        require_equal(s, n, m)
    nothing = Lit(reduction_of(fn, value.type.dtype).start)

    def element(body: Body, place: Place) -> Arg:
        return body.choose(mask.element(body, place), value.element(body, place), nothing, number)

    return Formula(value.type, value.lengths, [value, mask], element, 1), initial


def _of_number(s: Scalarizer, op: Op) -> None:
    """A number is its own sum, mean, product and extremum, of the type that it has."""
    type, out = argument_type(op.args[0]), op.out.type
    axes, _ = _axes(op, 0)
    if axes or not isinstance(type, Scalar) or not isinstance(out, Scalar) or set(op.kwargs) & set(_OPTIONS):
        raise NoForm("a reduction of a number")
    alike = type.kind == out.kind and type.dtype in (None, out.dtype)
    if not alike and (out.dtype is None or type.kind not in ("bool", "int")):
        raise NoForm("a reduction of a number")
    s.compute(builtin.assign if alike else out.dtype.type, [s.number(op.args[0])], op.out)  # type: ignore[union-attr]


def _not_empty(s: Scalarizer, count: Arg) -> None:
    if isinstance(count, Lit) and count.value:
        return
    filled = s.body.op(operator.gt, count, Lit(0), type=Scalar("bool"))
    s.body.append(Op(kernels.require, (filled,), (), effect=True))


def reduce_axes(
    s: Scalarizer,
    out: Var,
    value: Value,
    axes: tuple[int, ...],
    keep: bool,
    kind: Reduction,
    finish: Callable[[Body, Arg], Arg] | None,
) -> None:
    """Reduce some axes of an array. ``finish`` turns a total into the result."""
    number = Scalar(out.type.kind, out.type.dtype)  # type: ignore[union-attr]
    kept = [k for k in range(value.rank) if k not in axes]
    if isinstance(out.type, Scalar):
        _total(s, out, value, kind, number, finish)
        return
    assert isinstance(out.type, Array)
    lengths = tuple(
        (Lit(1) if k in axes else value.lengths[k]) for k in range(value.rank) if keep or k in kept
    )
    if len(lengths) != len(out.type.shape or ()) or not lengths:
        raise NoForm("a reduction of unknown rank")
    memory = s.allocate(out.type, lengths, out.hint, out)

    def where(place: Place) -> Place:
        return tuple((ZERO if k in axes else place[k]) for k in range(value.rank) if keep or k in kept)

    if kept == list(range(len(kept))):
        _by_rows(s, memory, value, kept, where, kind, number, finish)
    else:
        _in_memory(s, memory, value, where, kind, number, finish)
    s.bind(out, memory)


def _step(s: Scalarizer, kind: Reduction, number: Scalar) -> Callable[[Body, Arg, Arg], Arg]:
    fn = scalar_form(kind.step, [number, number])
    if fn is None:
        raise NoForm(f"a reduction of {number}")
    return lambda body, a, b: body.op(fn, a, b, type=number)


def _held(body: Body, total: Arg, kind: Reduction, number: Scalar) -> Arg:
    """A total in the type of the array: in single precision it begins in double, and stays so."""
    if number.dtype not in _SINGLE or not isinstance(kind.start, (float, complex)):
        return total
    return body.op(number.dtype.type, total, type=number)


def _total(s: Scalarizer, out: Var, value: Value, kind: Reduction, number: Scalar, finish: Any) -> None:
    """Reduce to a number."""
    step = _step(s, kind, number)
    result = Var(out.type, out.hint)

    def done(body: Body, place: Place, states: list[Arg]) -> None:
        total = states[0] if finish is None else finish(body, states[0])
        total = _held(body, total, kind, number)
        body.append(Op(builtin.assign, (total,), (result,)))

    _run(s, value, 0, kind, number, step, done, frozenset((result,)))
    s.env[out] = result


def _run(
    s: Scalarizer,
    value: Value,
    kept: int,
    kind: Reduction,
    number: Scalar,
    step: Any,
    done: Any,
    defines: Any,
) -> None:
    def start(body: Body) -> list[Arg]:
        state = Var(number, "total")
        body.append(Op(builtin.assign, (Lit(kind.start),), (state,)))
        return [state]

    def turn(body: Body, place: Place, states: list[Var]) -> list[Arg]:
        return [step(body, states[0], value.element(body, place))]

    keys = tuple(n.value if isinstance(n, Lit) else n for n in value.lengths)
    s.act(
        Action(
            value.lengths, keys, lambda body, place: None, kept=kept, start=start, step=turn, finish=done,
            defines=defines, any_order=True,
        )
    )  # fmt: skip


def _by_rows(
    s: Scalarizer,
    memory: Any,
    value: Value,
    kept: list[int],
    where: Any,
    kind: Reduction,
    number: Scalar,
    finish: Any,
) -> None:
    """Reduce the last axes: a number for each row."""
    step = _step(s, kind, number)
    rank = value.rank

    def done(body: Body, place: Place, states: list[Arg]) -> None:
        total = states[0] if finish is None else finish(body, states[0])
        total = _held(body, total, kind, number)
        body.store(memory.var, memory.group, where((*place, *[ZERO] * (rank - len(place)))), total)

    _run(s, value, len(kept), kind, number, step, done, frozenset())


def _in_memory(
    s: Scalarizer, memory: Any, value: Value, where: Any, kind: Reduction, number: Scalar, finish: Any
) -> None:
    """Reduce other axes: row by row into memory."""
    step = _step(s, kind, number)
    s.fill(memory, Lit(kind.start))

    def emit(body: Body, place: Place) -> None:
        x = value.element(body, place)
        target = where(place)
        if kind.adds:
            body.store(memory.var, memory.group, target, x, "a")
        else:
            old = body.load(memory.var, memory.group, target)
            body.store(memory.var, memory.group, target, step(body, old, x))

    s.over(value, emit)
    if finish is not None:

        def change(body: Body, place: Place) -> Arg:
            return finish(body, body.load(memory.var, memory.group, place))

        s.fill(memory, Formula(memory.type, memory.lengths, [memory], change))


def sum_lines(s: Scalarizer, memory: Any, value: Value, where: Callable[[Place], Place], rows: bool) -> None:
    """Sum each row of a matrix, or each column, into a place in memory; that of columns holds zeros."""
    kind, number = reduction_of(np.sum, value.type.dtype), Scalar(value.type.kind, value.type.dtype)
    if rows:
        _by_rows(s, memory, value, [0], lambda place: where(place[:1]), kind, number, None)
        return

    def emit(body: Body, place: Place) -> None:
        body.store(memory.var, memory.group, where(place[1:]), value.element(body, place), "a")

    s.over(value, emit)


def sum_to(s: Scalarizer, op: Op, value: Value, like: Any) -> None:
    """Sum an array down to the shape of another."""
    rank = like.rank if isinstance(like, Value) else 0
    extra = value.rank - rank
    ones = [
        extra + k
        for k in range(rank)
        if isinstance(like.lengths[k], Lit)
        and like.lengths[k].value == 1
        and not _is_one(value.lengths[extra + k])
    ]
    for k in range(rank):
        if extra + k not in ones:
            require_equal(s, value.lengths[extra + k], like.lengths[k])
    axes = (*range(extra), *ones)
    out = op.out
    if value.type.dtype != out.type.dtype:  # type: ignore[union-attr]
        raise NoForm("a sum of another type")
    kind = reduction_of(np.sum, value.type.dtype)
    if not extra or not ones:
        reduce_axes(s, out, value, axes, bool(ones), kind, None)
        return
    shape = tuple(1 if extra + k in ones else (value.type.shape or ())[extra + k] for k in range(rank))
    partial = Var(Array(value.type.dtype, tuple((value.type.shape or ())[extra:])), None)
    reduce_axes(s, partial, value, tuple(range(extra)), False, kind, None)
    reduce_axes(s, out, s.array(partial), tuple(k - extra for k in ones), True, kind, None)
    assert shape is not None


def _is_one(n: Arg) -> bool:
    return isinstance(n, Lit) and n.value == 1
