"""What are the adjoints of the operations that only bind, pack and unpack values?

They stand for Python syntax or build the lists that loops save values in, so they are no NumPy functions
with a rule; the cotangent of a tuple is a tuple, and of a list a list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...rules import containers, dicts, helpers
from ...rules.nested_lists import item_within, with_item, with_sum
from ...rules.rule_results import checked
from ..frontend.builder import type_of_arg
from ..ir import builtin
from ..ir.alternatives import alternatives, is_mixed
from ..ir.ops import Arg, Lit, Op, Seq, Var
from ..ir.types import EACH, Array, DictOf, ListOf, Scalar, TupleOf, Type, carries_derivative, dtype_of
from .contributions import cotangent_type, zero_number
from .own_rules import adjoint_of_ruled
from .precision import as_held

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
    rest, last = Var(cotangent_type(op.out.type)), Var(element_cotangent(value, op.out.type))
    assert g is not None
    sweep.builder.append(Op(containers.list_pop, (g,), (rest, last), {}, op.span, adjoint=True))
    _add_item(sweep, op, value, last)
    sweep.bars.add(items, rest)


def _add_item(sweep: Sweep, op: Op, value: Arg, bar: Var) -> None:
    """The cotangent of what was put into a list or dict."""
    if isinstance(value, Seq) and isinstance(bar.type, TupleOf):
        parts = tuple(Var(t) for t in bar.type.items)
        sweep.builder.append(Op(builtin.unpack, (bar, Lit(len(parts))), parts, {}, op.span, adjoint=True))
        for item, part in zip(value.items, parts, strict=True):
            sweep.bars.add(item, part)
    else:
        sweep.bars.add(value, bar)


def _list_pop(sweep: Sweep, op: Op, bars: Bars) -> None:
    rest, last = (sweep.bars.complete(bar, out) for bar, out in zip(bars, op.outs, strict=True))
    whole = cotangent_type(op.outs[0].type)
    sweep.bars.add(op.args[0], sweep.builder.opaque(containers.list_append, (rest, last), whole))


def _list_remove(sweep: Sweep, op: Op, bars: Bars) -> None:
    rest, item = (sweep.bars.complete(bar, out) for bar, out in zip(bars, op.outs, strict=True))
    args = (rest, op.args[1], item)
    whole = cotangent_type(op.outs[0].type)
    sweep.bars.add(op.args[0], sweep.builder.opaque(containers.list_put, args, whole))


def _list_put(sweep: Sweep, op: Op, bars: Bars) -> None:
    items, index, value = op.args
    g = bars[0]
    rest, item = Var(cotangent_type(op.out.type)), Var(element_cotangent(value, op.out.type))
    assert g is not None
    sweep.builder.append(Op(containers.list_remove, (g, index), (rest, item), {}, op.span, adjoint=True))
    _add_item(sweep, op, value, item)
    sweep.bars.add(items, rest)


def _list_set(sweep: Sweep, op: Op, bars: Bars) -> None:
    items, index, value = op.args
    g = bars[0]
    assert g is not None
    last = sweep.builder.opaque(containers.list_get, (g, index), element_cotangent(value, op.out.type))
    zero = _zero_instead(sweep, items, index, value)
    rest = sweep.builder.opaque(containers.list_set, (g, index, zero), cotangent_type(op.out.type))
    _add_item(sweep, op, value, last)
    sweep.bars.add(items, rest)


def _item_within(sweep: Sweep, op: Op, bars: Bars) -> None:
    sweep.bars.add_within(op.args[0], op.args[1], sweep.bars.complete(bars[0], op.out))


def _with_item(sweep: Sweep, op: Op, bars: Bars) -> None:
    items, path, value = op.args
    g = bars[0]
    assert g is not None and isinstance(path, Seq)
    type = element_cotangent(value, op.out.type, len(path.items))
    last = sweep.builder.opaque(item_within, (g, path), type)
    zero = _zero_instead(sweep, items, path, value)
    rest = sweep.builder.opaque(with_item, (g, path, zero), cotangent_type(op.out.type))
    _add_item(sweep, op, value, last)
    sweep.bars.add(items, rest)


def _with_sum(sweep: Sweep, op: Op, bars: Bars) -> None:
    items, path, value = op.args
    assert bars[0] is not None and isinstance(path, Seq)
    type = element_cotangent(value, op.out.type, len(path.items))
    part = sweep.builder.opaque(item_within, (bars[0], path), type)
    sweep.bars.add(items, bars[0])
    _add_item(sweep, op, value, part)


def _zero_instead(sweep: Sweep, items: Arg, index: Arg, value: Arg) -> Arg:
    """The zero cotangent of an element that ``value`` replaces, made without reading it where types agree."""
    kind, path = type_of_arg(items), index.items if isinstance(index, Seq) else (index,)
    for _ in path:
        assert isinstance(kind, ListOf)
        kind = kind.element
    zero = _zero_of(sweep, kind, value)
    if zero is not None:
        return zero
    old = sweep.builder.opaque(item_within, (items, Seq(path)), kind)
    return sweep.builder.opaque(helpers.zero_like, (old,), cotangent_type(kind))


def _zero_of(sweep: Sweep, kind: Type, value: Arg) -> Arg | None:
    """The zero cotangent of a type, made of it, or of a value of the same; None where neither tells it."""
    element = cotangent_type(kind)
    if isinstance(element, Scalar):
        dtypes = {dtype_of(one) for one in alternatives(element)}
        if len(dtypes) == 1:
            zero = 0j if element.kind == "complex" else 0.0
            return Lit(zero if element.dtype is None or element.among else element.dtype.type(zero))
    if isinstance(kind, Array) and kind.shape is not None and EACH not in kind.shape:
        if type_of_arg(value) == kind and not is_mixed(kind):
            return sweep.builder.opaque(helpers.zero_like, (value,), element)
    if type(kind) is TupleOf and isinstance(value, Seq) and len(value.items) == len(kind.items):
        places = [_zero_of(sweep, *pair) for pair in zip(kind.items, value.items, strict=True)]
        if None not in places:
            return Seq(tuple(place for place in places if place is not None), tuple)
    return None


def _dict_get(sweep: Sweep, op: Op, bars: Bars) -> None:
    sweep.bars.add_entry(op.args[0], op.args[1], sweep.bars.complete(bars[0], op.out))


def _dict_set(sweep: Sweep, op: Op, bars: Bars) -> None:
    items, key, value = op.args
    g = bars[0]
    rest, item = Var(cotangent_type(op.out.type)), Var(element_cotangent(value, op.out.type))
    assert g is not None
    args = (g, key, _zero(sweep, value, op.out.type))
    sweep.builder.append(Op(dicts.dict_take, args, (rest, item), {}, op.span, adjoint=True))
    _add_item(sweep, op, value, item)
    sweep.bars.add(items, rest)


def _zero(sweep: Sweep, value: Arg, container: Type) -> Arg:
    """The cotangent of a value that was put into a dict from which nobody has read it."""
    type = type_of_arg(value)
    if isinstance(type, Scalar):
        return zero_number(type)
    return sweep.builder.opaque(helpers.zero_like, (value,), element_cotangent(value, container))


def _dict_pop(sweep: Sweep, op: Op, bars: Bars) -> None:
    rest, item = (sweep.bars.complete(bar, out) for bar, out in zip(bars, op.outs, strict=True))
    args = (rest, op.args[1], item)
    sweep.bars.add(op.args[0], sweep.builder.opaque(dicts.dict_set, args, cotangent_type(op.outs[0].type)))


def _dict_add_at(sweep: Sweep, op: Op, bars: Bars) -> None:
    items, key, value = op.args
    assert bars[0] is not None
    type = element_cotangent(value, op.out.type)
    part = sweep.builder.opaque(dicts.dict_get_or, (bars[0], key, _zero(sweep, value, op.out.type)), type)
    sweep.bars.add(items, bars[0])
    _add_item(sweep, op, value, part)


def _dict_add(sweep: Sweep, op: Op, bars: Bars) -> None:
    for items in op.args:
        sweep.bars.add(items, bars[0])


def _nothing(sweep: Sweep, op: Op, bars: Bars) -> None:
    pass


def element_cotangent(value: Arg, container: Type, depth: int = 1) -> Type:
    """The type of the cotangent of what was put into a container, below ``depth`` levels of it.

    What carries no derivative has None, unless it stands among elements that do: a 0 in a list of floats, an
    empty list among lists of them.
    """
    element = container
    for _ in range(depth):
        element = element.element if isinstance(element, (ListOf, DictOf)) else element
    return _cotangent_of(type_of_arg(value), element)


def _cotangent_of(type: Type, among: Type) -> Type:
    if isinstance(type, TupleOf):
        alike = isinstance(among, TupleOf) and len(among.items) == len(type.items)
        others = among.items if alike else type.items  # type: ignore[union-attr]
        return TupleOf(tuple(map(_cotangent_of, type.items, others)))
    if not carries_derivative(type):
        numbers = isinstance(type, (Scalar, Array)) and isinstance(among, (Scalar, Array))
        alike = numbers or isinstance(type, ListOf) and isinstance(among, ListOf)
        return cotangent_type(among if alike and carries_derivative(among) else type_of_arg(Lit(None)))
    return as_held(cotangent_type(type), cotangent_type(among))


STRUCTURAL: dict[object, Callable[[Sweep, Op, Bars], None]] = {
    builtin.assign: _assign,
    builtin.told: _assign,
    builtin.copy: _assign,
    builtin.own: _assign,
    builtin.make_tuple: _make,
    builtin.make_list: _make,
    builtin.tuple_get: _tuple_get,
    builtin.unpack: _unpack,
    builtin.undefined: _nothing,
    builtin.ruled: adjoint_of_ruled,
    checked: _assign,
    containers.list_append: _list_append,
    containers.list_set: _list_set,
    item_within: _item_within,
    with_item: _with_item,
    with_sum: _with_sum,
    containers.list_pop: _list_pop,
    containers.list_remove: _list_remove,
    containers.list_put: _list_put,
    dicts.dict_empty: _nothing,
    dicts.dict_get: _dict_get,
    dicts.dict_get_or: _dict_get,
    dicts.dict_set: _dict_set,
    dicts.dict_pop: _dict_pop,
    dicts.dict_take: _dict_pop,
    dicts.dict_add_at: _dict_add_at,
    dicts.dict_add: _dict_add,
}
