"""What are the tangents of the operations that only bind, pack and unpack values?

They stand for Python syntax, or are those of lists and dicts that grow at run time. Each is linear in what it
moves about: the tangent of a tuple is a tuple, of a list a list, and the same is done to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...rules import containers, dicts
from ...rules.nested_lists import item_within, with_item, with_sum
from ...rules.rule_results import checked
from ..frontend.builder import type_of_arg
from ..ir import builtin
from ..ir.ops import Arg, Block, If, Op, Seq, Var
from ..ir.types import DictOf, ListOf, Scalar, Type, carries_derivative
from .tangent_values import tangent_type

if TYPE_CHECKING:
    from .tangent import Forward

Rule = Callable[["Forward", Op], None]


def _whole(sweep: Forward, arg: Arg) -> Arg:
    """The tangent of a container, complete."""
    return sweep.tangents.held(arg, tangent_type(type_of_arg(arg)))


def _assign(sweep: Forward, op: Op) -> None:
    sweep.tangents.put(op.out, _whole(sweep, op.args[0]))


def _told(sweep: Forward, op: Op) -> None:
    """More is known of the type: it is that of the result."""
    args = (_whole(sweep, op.args[0]), *op.args[1:])
    sweep.give(op, sweep.tangents.call(op, args, builtin.told if op.fn is builtin.told else None))


def _make(sweep: Forward, op: Op) -> None:
    kind = list if op.fn is builtin.make_list else tuple
    parts = sweep.tangents.held(Seq(op.args, kind), tangent_type(op.out.type))
    assert isinstance(parts, Seq)
    sweep.give(op, sweep.tangents.call(op, parts.items))


def _of_first(sweep: Forward, op: Op) -> None:
    """What reads items of its first argument, or leaves some out."""
    sweep.give(op, sweep.tangents.call(op, (_whole(sweep, op.args[0]), *op.args[1:])))


def _stores(depth: int, value: int) -> Rule:
    """What puts its argument at ``value`` into the container, its first; at ``depth`` 0 by a path."""

    def rule(sweep: Forward, op: Op) -> None:
        whole = tangent_type(op.out.type)
        element: Type = whole
        path = op.args[1] if not depth else None
        for _ in range(len(path.items) if isinstance(path, Seq) else 1):
            element = element.element if isinstance(element, (ListOf, DictOf)) else element
        args = [sweep.tangents.held(op.args[0], whole), *op.args[1:]]
        args[value] = sweep.tangents.held(op.args[value], element)
        sweep.give(op, sweep.tangents.call(op, tuple(args)))

    return rule


def _of_lists(*places: int) -> Rule:
    """What is linear in all of its lists together."""

    def rule(sweep: Forward, op: Op) -> None:
        whole = tangent_type(op.out.type)
        args = tuple([sweep.tangents.held(a, whole) if i in places else a for i, a in enumerate(op.args)])
        sweep.give(op, sweep.tangents.call(op, args))

    return rule


def _undefined(sweep: Forward, op: Op) -> None:
    sweep.tangents.missing.update(op.outs)


# ----- dicts: a key that a tangent lacks has the tangent zero
def _dict_get(sweep: Forward, op: Op) -> None:
    items, key = op.args
    zero = sweep.tangents.zeros(op.out, tangent_type(op.out.type))
    sweep.give(op, sweep.tangents.call(op, (_whole(sweep, items), key, zero), dicts.dict_get_or))


def _dict_get_or(sweep: Forward, op: Op) -> None:
    items, key, default = op.args
    type = tangent_type(op.out.type)
    zero = sweep.tangents.zeros(op.out, type)
    (found,) = sweep.tangents.call(op, (_whole(sweep, items), key, zero), dicts.dict_get_or)
    _or_default(sweep, op, op.out, found)


def _or_default(sweep: Forward, op: Op, out: Var, found: Var) -> None:
    """The tangent of what a dict has at a key, or else of the default, the third argument."""
    items, key, default = op.args
    if not sweep.tangents.has(default):
        sweep.tangents.put(out, found)
        return
    has = sweep.builder.opaque(dicts.dict_has, (items, key), Scalar("bool"))
    either = Var(found.type)
    default_dot = sweep.tangents.held(default, found.type)
    sweep.builder.append(
        If(has, Block([], (found,)), Block([], (default_dot,)), (either,), op.span, adjoint=True)
    )
    sweep.tangents.put(out, either)


def _dict_pop(sweep: Forward, op: Op) -> None:
    item = op.outs[1]
    zero = sweep.tangents.zeros(item, tangent_type(item.type))
    rest, found = sweep.tangents.call(op, (_whole(sweep, op.args[0]), op.args[1], zero), dicts.dict_take)
    sweep.tangents.put(op.outs[0], rest)
    if op.fn is dicts.dict_take:
        _or_default(sweep, op, item, found)
    else:
        sweep.tangents.put(item, found)


def _unpack(sweep: Forward, op: Op) -> None:
    tangent = _whole(sweep, op.args[0])
    if not isinstance(tangent, Seq):
        sweep.give(op, sweep.tangents.call(op, (tangent, *op.args[1:])))
        return
    for out, part in zip(op.outs, tangent.items, strict=True):
        if carries_derivative(out.type):
            sweep.tangents.put(out, part)


def _ruled(sweep: Forward, op: Op) -> None:
    from .own_tangents import tangent_of_ruled

    tangent_of_ruled(sweep, op)


STRUCTURAL: dict[object, Rule] = {
    builtin.assign: _assign,
    checked: _assign,
    builtin.told: _told,
    builtin.copy: _told,
    builtin.own: _told,
    builtin.make_tuple: _make,
    builtin.make_list: _make,
    builtin.tuple_get: _of_first,
    builtin.unpack: _unpack,
    builtin.undefined: _undefined,
    builtin.ruled: _ruled,
    item_within: _of_first,
    containers.list_get: _of_first,
    containers.list_pop: _of_first,
    containers.list_remove: _of_first,
    containers.list_slice: _of_first,
    containers.list_repeat: _of_first,
    containers.list_reverse: _of_first,
    containers.list_permuted: _of_first,
    containers.list_append: _stores(1, 1),
    containers.list_set: _stores(1, 2),
    containers.list_put: _stores(1, 2),
    containers.list_add_at: _stores(1, 2),
    with_item: _stores(0, 2),
    with_sum: _stores(0, 2),
    containers.list_concat: _of_lists(0, 1),
    containers.list_add: _of_lists(0, 1),
    containers.list_set_slice: _of_lists(0, 4),
    dicts.dict_empty: lambda sweep, op: None,
    dicts.dict_get: _dict_get,
    dicts.dict_get_or: _dict_get_or,
    dicts.dict_set: _stores(1, 2),
    dicts.dict_pop: _dict_pop,
    dicts.dict_take: _dict_pop,
    dicts.dict_add_at: _stores(1, 2),
    dicts.dict_add: _of_lists(0, 1),
}
