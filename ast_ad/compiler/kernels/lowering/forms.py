"""What do the forms of operations share? Their table, and how operands are broadcast, checked and kept."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Arg, Lit, Op, Seq, Slice, Var, variables
from ...ir.types import Array, Scalar
from .. import runtime as kernels
from ..nests.affine_indices import Index
from ..nests.body import INT, Body
from ..nests.nests import SLOW, is_slow
from ..numbers.scalar_calls import scalar_form
from ..numbers.scalars import NoForm, argument_type, written_out
from .loop_values import CHEAP, Formula, Value, elementwise, is_stretched

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

TRANSCENDENTAL = 8  # the cost from which a formula is rather kept than computed twice
Form = Callable[["Scalarizer", Op], None]

FORMS: dict[Any, Form] = {}


def form_of(*fns: Any) -> Callable[[Form], Form]:
    """Register what becomes of calls of these functions."""

    def decorate(form: Form) -> Form:
        FORMS.update(dict.fromkeys(fns, form))
        return form

    return decorate


def pointwise(s: Scalarizer, op: Op, fn: Any, values: list[Any], out: Var | None = None) -> None:
    """A function of every element."""
    target = out or op.out
    assert isinstance(target.type, Array)
    s.bind(target, mapped_function(s, fn, values, target.type))


def mapped_function(s: Scalarizer, fn: Any, values: list[Any], type: Array) -> Value:
    """The array of ``fn`` of every element of the broadcast operands."""
    if type.shape is None or not type.shape:
        raise NoForm("an array of unknown rank or without axes")
    if any(isinstance(v, Seq) for v in values):
        raise NoForm("a list where an array is wanted")
    types = [Scalar(v.type.kind, v.type.dtype) if isinstance(v, Value) else argument_type(v) for v in values]
    power = written_out(fn, values[1] if len(values) == 2 else None)
    written = type.kind in ("float", "complex") or type.dtype == np.int64
    if power is not None and written and isinstance(values[0], Value) and values[0].type.dtype == type.dtype:
        base, element = values[0], Scalar(type.kind, type.dtype)
        return Formula(
            type, base.lengths, [base], lambda body, place: power(body, base.element(body, place), element)
        )
    found = scalar_form(fn, types) if all(isinstance(t, Scalar) for t in types) else None
    if found is None:
        raise NoForm(f"`{getattr(fn, '__name__', fn)}` of {', '.join(map(str, types))}")
    lengths = broadcast(s, [v for v in values if isinstance(v, Value)], type)
    cost = 1 if fn in CHEAP or found in CHEAP else 4 if fn in (operator.truediv, np.divide, np.sqrt) else 8
    kept = [_kept(s, v, lengths, found) if isinstance(v, Value) else v for v in values]
    return elementwise(found, kept, type, lengths, cost)


def _kept(s: Scalarizer, value: Value, lengths: tuple[Arg, ...], fn: Any) -> Value:
    """An operand; it is put into memory if it costs much and would be computed anew for every row.

    So it is where it is gathered, and what is computed of it is fast on vectors: in a loop of its own.
    """
    if value.cost >= TRANSCENDENTAL and is_stretched(value, lengths) or value.gathers and fn in SLOW:
        return in_memory(s, value)
    return value


def in_memory(s: Scalarizer, value: Value) -> Value:
    memory = s.allocate(value.type, value.lengths)
    s.fill(memory, value)
    return memory


def computes_slowly(value: Value) -> bool:
    """Whether each element takes a function that is several times as fast on vectors."""
    body = Body(accesses=[])
    value.element(body, tuple(Index(Var(INT)) for _ in value.lengths))
    return is_slow(body)


def broadcast(s: Scalarizer, values: list[Value], type: Array) -> tuple[Arg, ...]:
    """The lengths of the broadcast operands; what is not known to agree is checked."""
    rank = len(type.shape or ())
    lengths: list[Arg] = []
    for axis in range(rank):
        found: list[Arg] = []
        for value in values:
            own = axis - (rank - value.rank)
            if own >= 0:
                n = value.lengths[own]
                one = isinstance(n, Lit) and n.value == 1
                if not one and not any(s.the_same(n) == s.the_same(m) for m in found):
                    found.append(n)
        if not found:
            lengths.append(Lit(1))
            continue
        fixed = [n for n in found if isinstance(n, Lit)]
        first = fixed[0] if fixed else found[0]
        for other in found:
            if other is not first:
                require_equal(s, other, first)
        lengths.append(first)
    return tuple(lengths)


def same_length(a: Arg, b: Arg) -> bool:
    if isinstance(a, Lit) and isinstance(b, Lit):
        return bool(a.value == b.value)
    return a is b


def require_equal(s: Scalarizer, a: Arg, b: Arg) -> None:
    """Check two lengths when the kernel runs."""
    if s.the_same(a) == s.the_same(b):
        return
    if isinstance(a, Lit) and isinstance(b, Lit):
        raise NoForm("lengths that differ")
    key = ("equal", a if isinstance(a, Var) else a.value, b if isinstance(b, Var) else b.value)  # type: ignore[union-attr]
    if s.body.find(key) is None:
        if not s.waiting.isdisjoint(variables(a, b)):
            s.flush()
        equal = s.body.op(operator.eq, a, b, type=Scalar("bool"))
        s.body.append(Op(kernels.require, (equal,), (), effect=True))
        s.body.known[key] = Lit(True)
    s.are_equal(a, b)


def require_not_negative(s: Scalarizer, n: Arg) -> None:
    """Check a length that the program computes when the kernel runs, if nothing tells before."""
    if isinstance(n, Lit) and n.value < 0:
        raise NoForm("a negative length")
    if isinstance(n, Var) and not s.bounds.not_negative(s.bounds.affine(n)):
        require_at_least(s, n, 0)


def require_at_least(s: Scalarizer, n: Arg, least: int) -> None:
    """Check a length when the kernel runs, whatever is known of it."""
    if isinstance(n, Lit) and n.value < least:
        raise NoForm("a length that NumPy refuses")
    key = ("at least", n, least)
    if not isinstance(n, Var) or s.body.find(key) is not None:
        return
    if n in s.waiting:
        s.flush()
    valid = s.body.op(operator.ge, n, Lit(least), type=Scalar("bool"))
    s.body.append(Op(kernels.require, (valid,), (), effect=True))
    s.body.known[key] = Lit(True)


def resolved(s: Scalarizer, index: Arg) -> Arg:
    """An index with the kernel's numbers; arrays stay the program's."""

    def one(arg: Arg) -> Arg:
        if isinstance(arg, Seq):
            return Seq(tuple(map(one, arg.items)), arg.kind)
        if isinstance(arg, Slice):
            return Slice(one(arg.start), one(arg.stop), one(arg.step))
        if isinstance(arg, Var):
            value = s.arg(arg)
            if isinstance(value, Value):
                return arg
            if isinstance(value, Var) and not s.waiting.isdisjoint((value,)):
                s.flush()
            return value
        return arg

    return one(index)


def filled_by(
    s: Scalarizer,
    op: Op,
    fn: Any,
    given: Sequence[Arg],
    lengths: Sequence[tuple[Arg, ...]],
    *more: Arg,
    outs: Sequence[Var] | None = None,
    told: Var | None = None,
) -> None:
    """``fn(*given, *results, *more)``, with new arrays of such lengths for the results to fill.

    ``outs``: the results that are arrays, if not all are. ``told``: what ``fn`` returns.
    """
    made = []
    for out, own in zip(op.outs if outs is None else outs, lengths, strict=True):
        if not isinstance(out.type, Array):
            raise NoForm(f"`{op.fn.__name__}` of arrays")
        made.append((out, s.allocate(out.type, own, out.hint, out)))
    s.flush()
    filled = (*given, *(memory.var for _, memory in made), *more)
    s.body.append(Op(fn, filled, () if told is None else (told,), effect=True))
    s.body.forget_elements()
    for out, memory in made:
        s.bind(out, memory)


def options_of(op: Op, names: str, first: int = 1) -> dict[str, Any]:
    """What is given behind the first arguments, by name; one to overwrite an argument has no form."""
    known = names.split()
    given = dict(zip(known, op.args[first:], strict=False)) | op.kwargs
    found = {name: arg.value for name, arg in given.items() if isinstance(arg, Lit)}
    overwrites = any(value for name, value in found.items() if name.startswith("overwrite"))
    unknown = len(found) < len(given) or found.keys() - set(known) or len(op.args) > first + len(known)
    if overwrites or unknown:
        raise NoForm(f"`{op.fn.__name__}` with an option that is not known")
    return found
