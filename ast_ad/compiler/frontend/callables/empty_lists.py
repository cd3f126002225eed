"""What if a list is empty that NumPy makes an array of? Of nothing it makes a vector of floats, and `sum` 0.

So where a function's result would have another dtype or rank for floats, the list must hold something: the
program checks it when it runs, and a call in which it is empty is traced.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ....rules import containers
from ...ir.ops import Arg, Lit, Seq, Var, variables
from ...ir.types import Array, ListOf, Scalar, TupleOf, Type, dtype_of, kind_of, rank_of
from ..types.dummies import InferenceError, plain_type
from ..types.infer import is_number, result_type
from ..values import Callee

FLOAT = Scalar("float")


def must_hold_some(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg], found: Any) -> Iterator[Var]:
    """The lists among the arguments of a call that may not be empty, if its result is to be as ``found``."""
    lists = [v for v in variables(*args, *kwargs.values()) if _is_of_others(v.type) or _is_of_rows(v.type)]
    if fn is sum and lists and _is_of_rows(lists[0].type):  # of nothing it is what it begins with
        start = args[1] if len(args) > 1 else kwargs.get("start", Lit(0))
        yield from lists[:1] if _kinds(plain_type(start)) != _kinds(found) else ()
    if not lists or not _makes_arrays(fn):
        return
    for items in dict.fromkeys(lists):
        floats = Var(ListOf(FLOAT) if _is_of_rows(items.type) else _of_floats(items.type))
        try:
            other = result_type(
                fn,
                tuple(_replaced(arg, items, floats) for arg in args),
                {name: _replaced(arg, items, floats) for name, arg in kwargs.items()},
            )
        except InferenceError:  # then the call itself raises
            continue
        if _kinds(other) != _kinds(found):
            yield items


def _makes_arrays(fn: Callee) -> bool:
    package = (getattr(fn, "__module__", None) or "numpy").partition(".")[0]  # ufuncs have none
    return fn is containers.array_from_list or package in ("numpy", "scipy", "_operator")


def _is_of_others(type: Type) -> bool:
    """Whether it is a list of numbers that are no floats, or of such lists."""
    if not isinstance(type, ListOf):
        return False
    return _is_of_others(type.element) or is_number(type.element) and kind_of(type.element) != "float"


def _is_of_rows(type: Type) -> bool:
    """Whether it is a list of what has axes: of nothing, there is one axis."""
    if not isinstance(type, ListOf):
        return False
    element = type.element
    return isinstance(element, (ListOf, TupleOf)) or isinstance(element, Array) and element.shape != ()


def _of_floats(type: Type) -> Type:
    return replace(type, element=_of_floats(type.element)) if isinstance(type, ListOf) else FLOAT


def _replaced(arg: Arg, old: Var, new: Var) -> Arg:
    if isinstance(arg, Seq):
        return replace(arg, items=tuple(_replaced(item, old, new) for item in arg.items))
    return new if arg is old else arg


def _kinds(found: Any) -> list[Any]:
    items = found if isinstance(found, (list, tuple)) else [found]
    types = [item.type if isinstance(item, Var) else item for item in items]
    return [(kind_of(type), dtype_of(type), rank_of(type)) if is_number(type) else None for type in types]
