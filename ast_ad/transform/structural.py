"""What are the adjoints of the operations that only bind, pack and unpack values?

They stand for Python syntax or build the lists that loops save values in, so they are no NumPy functions
with a rule; the cotangent of a tuple is a tuple, and of a list a list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..frontend.builder import type_of_arg
from ..ir import builtin
from ..ir.ops import Arg, Lit, Op, Seq, Var
from ..ir.types import ListOf, TupleOf, Type, carries_derivative
from ..rules import containers
from .contributions import cotangent_type

if TYPE_CHECKING:
    from .adjoint import Sweep

Bars = list[Arg | None]


def _assign(sweep: Sweep, op: Op, bars: Bars) -> None:
    sweep.bars.add(op.args[0], bars[0])


def _make(sweep: Sweep, op: Op, bars: Bars) -> None:
    sweep.bars.add(Seq(op.args), bars[0])


def _tuple_get(sweep: Sweep, op: Op, bars: Bars) -> None:
    items, index = op.args
    assert isinstance(index, Lit)
    length = len(type_of_arg(items).items)  # type: ignore[union-attr]
    parts: list[Arg] = [Lit(None)] * length
    parts[index.value] = bars[0] or Lit(None)
    sweep.bars.add(items, Seq(tuple(parts)))


def _unpack(sweep: Sweep, op: Op, bars: Bars) -> None:
    whole = op.args[0]
    parts = [sweep.bars.complete(bar, out) for bar, out in zip(bars, op.outs, strict=True)]
    sweep.bars.add(whole, Seq(tuple(parts), list if isinstance(type_of_arg(whole), ListOf) else tuple))


def _list_append(sweep: Sweep, op: Op, bars: Bars) -> None:
    items, value = op.args
    g = bars[0]
    rest, last = Var(cotangent_type(op.out.type)), Var(element_cotangent(value))
    assert g is not None
    sweep.builder.append(Op(containers.list_pop, (g,), (rest, last), {}, op.span, adjoint=True))
    if isinstance(value, Seq) and isinstance(last.type, TupleOf):
        parts = tuple(Var(t) for t in last.type.items)
        sweep.builder.append(Op(builtin.unpack, (last, Lit(len(parts))), parts, {}, op.span, adjoint=True))
        for item, part in zip(value.items, parts, strict=True):
            sweep.bars.add(item, part)
    else:
        sweep.bars.add(value, last)
    sweep.bars.add(items, rest)


def _list_pop(sweep: Sweep, op: Op, bars: Bars) -> None:
    rest, last = (sweep.bars.complete(bar, out) for bar, out in zip(bars, op.outs, strict=True))
    sweep.bars.add(op.args[0], sweep.builder.opaque(containers.list_append, (rest, last), op.outs[0].type))


def _nothing(sweep: Sweep, op: Op, bars: Bars) -> None:
    pass


def element_cotangent(value: Arg) -> Type:
    """The type of the cotangent of what was appended; what carries no derivative has None."""
    return _cotangent_of(type_of_arg(value))


def _cotangent_of(type: Type) -> Type:
    if isinstance(type, TupleOf):
        return TupleOf(tuple(map(_cotangent_of, type.items)))
    if not carries_derivative(type):
        return type_of_arg(Lit(None))
    return cotangent_type(type)


STRUCTURAL: dict[object, Callable[[Sweep, Op, Bars], None]] = {
    builtin.assign: _assign,
    builtin.copy: _assign,
    builtin.own: _assign,
    builtin.make_tuple: _make,
    builtin.make_list: _make,
    builtin.tuple_get: _tuple_get,
    builtin.unpack: _unpack,
    builtin.undefined: _nothing,
    containers.list_append: _list_append,
    containers.list_pop: _list_pop,
}
