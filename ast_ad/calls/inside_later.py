"""What are the answers for later in compiled code: the pullback and the pushforward of a nested derivative?

Both are the second half of its program, appended where they are called: as often as that is.
``mapped`` and ``type_of_leaf`` are what abstract arguments and their leaves are walked with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..compiler.frontend.constructs.attributes import load_attribute
from ..compiler.frontend.context import Context
from ..compiler.frontend.registered_objects import parts_of
from ..compiler.frontend.structures import positions, rebuilt
from ..compiler.frontend.values import Arr, Dct, Live, Lost, Lst, Maybe, Obj, Tup
from ..compiler.ir.builtin import unpack
from ..compiler.ir.ops import Arg, Block, Function, Lit, Op, Var
from ..compiler.ir.types import (
    Array,
    DictOf,
    ListOf,
    Scalar,
    TupleOf,
    carries_derivative,
    dtype_of,
    kind_of,
    type_of,
)
from ..compiler.simplify.renaming import Renaming, copy_block, fresh
from ..errors import InputValueError


def mapped(
    cx: Context, value: Any, change: Callable[[Any], Any], made: list[tuple[Any, Any]] | None = None
) -> Any:
    """A new abstract value of the same structure, with each number, array, run-time list or dict changed.

    ``made``: gets each list, dict and object with what it was made of.
    """
    state = cx.state
    found: Any
    if isinstance(value, Tup):
        return Tup(tuple(mapped(cx, v, change, made) for v in value.items), value.cls)
    if isinstance(value, Lst) and isinstance(state.get(value), tuple):
        found = Lst(tuple(mapped(cx, v, change, made) for v in state.get(value)))
    elif isinstance(value, Dct) and not isinstance(state.get(value), Var):
        found = Dct({k: mapped(cx, v, change, made) for k, v in state.get(value).items()}, value.cls)
    elif isinstance(value, Obj):
        content, constant = parts_of(cx, value)
        items = {k: v if k in constant else mapped(cx, v, change, made) for k, v in content.items()}
        found = Obj(value.cls, items)
    else:
        if isinstance(value, (Maybe, Lost)):
            cx.arg(value)  # refuses it
        found = change(value) if is_leaf(value) else value
    if made is not None and found is not value and isinstance(found, (Lst, Dct, Obj)):
        made.append((found, value))
    return found


def is_leaf(value: Any) -> bool:
    """Whether an abstract value that is no container of known content is numeric, or such a list or dict."""
    if isinstance(value, Lit):
        return isinstance(value.value, (int, float, complex, np.generic)) and not isinstance(
            value.value, bool
        )
    return isinstance(value, (Var, Arr, Lst, Dct))


def leaves_of(cx: Context, value: Any) -> list[Arg]:
    """The numbers and arrays of an abstract value."""
    found: list[Arg] = []
    mapped(cx, value, lambda leaf: found.append(cx.arg(leaf)))
    return found


def alongside(cx: Context, like: Any, given: Any, what: str) -> list[Any]:
    """What stands, in another abstract value, in the places of the leaves of one; see ``trees.aligned``."""
    pairs = _pairs(cx, like, given)
    if pairs is None:
        raise InputValueError(
            f"a {what} of another structure",
            cx.builder.span,
            "it has not that of what it belongs to",
            "give it the same tuples, lists and dicts",
        )
    if not _is_container(cx, like):
        return [given for _ in leaves_of(cx, like)]
    return [leaf for one, two in pairs for leaf in alongside(cx, one, two, what)]


def _is_container(cx: Context, value: Any) -> bool:
    return isinstance(value, (Dct, Obj)) or items_of(cx, value) is not None


def _pairs(cx: Context, like: Any, given: Any) -> list[tuple[Any, Any]] | None:
    """The parts of two containers that belong together; None if they don't have the same."""
    if isinstance(like, Obj) and isinstance(given, Live):
        return _pairs_outside(cx, like, given)
    if isinstance(like, (Dct, Obj)):
        alike = type(given) is type(like) and (isinstance(like, Dct) or given.cls is like.cls)
        if not alike:
            return None
        (one, constant), two = _held(cx, like), _held(cx, given)[0]
        if one.keys() != two.keys():
            return None
        return [(part, two[key]) for key, part in one.items() if key not in constant]
    items, others = items_of(cx, like), items_of(cx, given)
    if items is None:
        return None if leaves_of(cx, like) and _is_container(cx, given) else []
    if others is None or len(others) != len(items):
        return None
    return list(zip(items, others, strict=True))


def _pairs_outside(cx: Context, like: Obj, given: Live) -> list[tuple[Any, Any]] | None:
    """The same, where what is given is an object from outside: its attributes are read where they are."""
    one, constant = _held(cx, like)
    if type(given.value) is not like.cls or not all(hasattr(given.value, key) for key in one):
        return None
    return [(part, load_attribute(cx, given, key)) for key, part in one.items() if key not in constant]


def _held(cx: Context, value: Dct | Obj) -> tuple[Any, list[str]]:
    """What a dict or an object holds, in the order of its leaves, and which of that are constants."""
    return parts_of(cx, value) if isinstance(value, Obj) else (cx.state.get(value), [])


def items_of(cx: Context, value: Any) -> Any:
    """The items of a tuple or of a list whose length is known; None of other values."""
    if isinstance(value, Tup):
        return value.items
    content = cx.state.get(value) if isinstance(value, Lst) else None
    return content if isinstance(content, tuple) else None


def type_of_leaf(arg: Arg) -> Any:
    """The type of an abstract number or array; None of another value."""
    return arg.type if isinstance(arg, Var) else type_of(arg.value) if isinstance(arg, Lit) else None


class Later:
    """The second half of a nested derivative: called with the residuals and, behind them, what is asked."""

    def __init__(self, region: Any, second: Function) -> None:
        self.region, self.second = region, second

    def appended(self, residuals: Any, given: Sequence[Arg]) -> tuple[Arg, ...]:
        """The results of the half for these arguments."""
        _, *params = self.second.params
        return self.region.append(*self.reading(residuals, dict(zip(params, given, strict=True))))  # type: ignore[no-any-return]

    def copied(self, residuals: Any) -> tuple[Block, list[Var]]:
        """The half as a block of its own, and its parameters."""
        names: Renaming = {}
        _, *params = self.second.params
        own = [fresh(param, names) for param in params]
        return copy_block(*self.reading(residuals, names)), own

    def reading(self, residuals: Any, names: Renaming) -> tuple[Block, Renaming]:
        """The half's body, and what it is to read: with ``names``, the residuals."""
        body = self.second.body
        first = body.ops[0] if body.ops else None
        if isinstance(first, Op) and first.fn is unpack and first.args[0] is self.second.params[0]:
            names.update(zip(first.outs, map(self.region.cx.arg, residuals.items), strict=True))
            body = Block(body.ops[1:], body.results)
        return body, names


class NestedPullback(Later):
    """From a cotangent of the value to those of the arguments."""

    def __ast_ad_lower__(self, cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        residuals, cotangent = args
        region, (_, *bars) = self.region, self.second.params
        if region.asked.every:
            leaves = leaves_of(cx, cotangent)
        else:
            given = alongside(cx, region.value(), cotangent, "cotangent")
            found = dict(zip(region.places(), given, strict=True))
            leaves = [cx.arg(found[i]) for i in region.of]  # of integers they mean nothing
        if len(leaves) != len(bars):
            what = "a cotangent for each number of a list whose length is known at run time only"
            raise cx.unsupported(what, "there it is one value", "trace it")
        for leaf, bar in zip(leaves, bars, strict=True):
            require_like(cx, leaf, bar, COTANGENT)
        return self.region.gradients(self.appended(residuals, leaves))


class NestedPushforward(Later):
    """From tangents of the arguments to those of the value."""

    def __ast_ad_lower__(self, cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        residuals, *tangents = args
        return structured(self.region, self.appended(residuals, self.region.varied(tangents)))


def structured(region: Any, tangents: Sequence[Arg]) -> Any:
    """Tangents of the results that have one, in the structure of the value."""
    found = dict(zip(region.of, tangents, strict=True))
    places = region.asked.question.parts(region.structure)[0]
    for i in positions(places):
        type = type_of_leaf(region.block.results[i])
        if isinstance(type, (ListOf, DictOf)) and _holds_integers(type):
            raise region.cx.unsupported(
                f"a tangent of {type}", "there are zeros in the places of its integers", "return arrays"
            )
    results = [found.get(i, Lit(0)) for i in range(max(positions(places), default=-1) + 1)]
    return rebuilt(region.cx, places, results)


def _holds_integers(type: Any) -> bool:
    if isinstance(type, (ListOf, DictOf)):
        return _holds_integers(type.element)
    if isinstance(type, TupleOf):
        return any(map(_holds_integers, type.items))
    return isinstance(type, (Scalar, Array)) and not carries_derivative(type)


COTANGENT: tuple[str, str, str] = (
    "a cotangent that may differ from the value in shape or kind",
    "the pullback takes one like its value",
    "make it with np.ones_like(value), or of the value itself",
)
TANGENT: tuple[str, str, str] = (
    "a tangent that may differ from its primal in shape or kind",
    "the pushforward takes one like the argument",
    "make it with np.ones_like(argument), or of the argument itself",
)


def require_tangents(cx: Context, given: Sequence[Arg], leaves: Sequence[Var]) -> None:
    """Tangents have the shapes and the dtypes of what they belong to: else the trace raises the error."""
    for tangent, leaf in zip(given, leaves, strict=True):
        require_like(cx, tangent, leaf, TANGENT)
        if dtype_of(type_of_leaf(tangent)) != dtype_of(leaf.type):
            raise cx.unsupported("a tangent of another dtype", "it has that of its primal", "convert it")


def require_like(cx: Context, leaf: Arg, var: Var, error: tuple[str, str, str]) -> None:
    """What is given has the shape of ``var``, and is real where that is: else the trace raises the error."""
    given, wanted = type_of_leaf(leaf), var.type
    complex_ = kind_of(given) == "complex" != kind_of(wanted)
    if isinstance(wanted, Array) or isinstance(given, Array):
        lengths = wanted.shape if isinstance(wanted, Array) else ()
        if not complex_ and lengths is not None and isinstance(given, Array) and given.shape == lengths:
            return
        if cx.inputs is not None:  # perhaps they are the same for the very shapes of this call
            cx.inputs.demand_shapes([v for v in (leaf, var) if isinstance(v, Var)])
    elif not complex_:
        return
    raise cx.unsupported(*error)
