"""What do comparisons, `is` and `in` mean on numbers, arrays, sequences and objects?"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from typing import Any

import gast
import numpy as np

from ....rules import required
from ...ir.dims import reaches
from ...ir.ops import Lit, Op, Var
from ...ir.types import Array, Dim, Opaque, Optional, Scalar, rank_of
from .. import doors
from ..builder import type_of_arg
from ..context import Context
from ..conversion import from_python
from ..guards import Guard
from ..loops.slots import in_heap
from ..outside_values import MAPPINGS, has_outside, own_item_code
from ..store.identities import static_entries
from ..store.outer_stores import Attributes
from ..store.records import COMPARED, note
from ..tables import expression
from ..told_values import is_constant
from ..types.dummies import int_value
from ..values import Arr, Dct, Live, Lst, Obj, Tup, Value
from .attribute_stores import has_entry
from .expressions import evaluate
from .object_operators import (
    compare_objects,
    found_in,
    is_operand,
    require_identity,
)
from .sameness import require_two

COMPARE = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
}


@expression(gast.Compare)
def eval_compare(cx: Context, node: gast.Compare) -> Any:
    """``a < b < c``: what comes later is evaluated only if what came before held; the last is the value."""

    def go(left: Value, position: int) -> Any:
        comparator = node.comparators[position]
        right = evaluate(cx, comparator)
        result = compare(cx, type(node.ops[position]).__name__, left, right)
        if position == len(node.ops) - 1:
            return result
        cond = doors.truth(cx, result)
        static = cx.static_value(cond)
        if isinstance(static, bool):
            return go(right, position + 1) if static else result
        plain = all(type(op).__name__ in COMPARE for op in node.ops[position + 1 :])
        if plain and is_number(right) and all(is_harmless(cx, n) for n in node.comparators[position + 1 :]):
            return conjunction(cx, cond, go(right, position + 1))
        return doors.choose(cx, cond, lambda: go(right, position + 1), lambda: result)

    return go(evaluate(cx, node.left), 0)


def is_number(value: Value) -> bool:
    """Whether comparing it with another one neither raises nor has code of its own."""
    type = value.type if isinstance(value, Var) else type_of_arg(value) if isinstance(value, Lit) else None
    return isinstance(type, Scalar) and type.kind in ("bool", "int", "float")


def is_harmless(cx: Context, node: gast.AST) -> bool:
    """Whether an expression certainly is a number, and nobody can tell that it was evaluated."""
    kind = type(node).__name__
    if kind == "Constant":
        return isinstance(node.value, (int, float))
    if kind == "UnaryOp":
        return isinstance(node.op, (gast.USub, gast.UAdd)) and is_harmless(cx, node.operand)
    if kind == "BinOp":
        plain = type(node.op).__name__ in ("Add", "Sub", "Mult")
        return plain and is_harmless(cx, node.left) and is_harmless(cx, node.right)
    if kind == "Call":  # len(x)
        known = isinstance(node.func, gast.Name) and getattr(evaluate(cx, node.func), "value", None) is len
        return known and len(node.args) == 1 and isinstance(held(cx, node.args[0]), (Arr, Lst, Tup))
    value = held(cx, node)
    return value is not None and is_number(value)


def held(cx: Context, node: gast.AST) -> Any:
    """What a local name certainly holds, or None."""
    return cx.state.get_name(cx.frame, node.id) if isinstance(node, gast.Name) else None


def conjunction(cx: Context, cond: Value, part: Value) -> Any:
    """``cond and part`` of two booleans without side effects."""
    test = doors.truth(cx, part)
    if isinstance(test, Lit):
        return cond if test.value else test
    return cx.emit(operator.and_, cond, test)


def compare(cx: Context, op: str, left: Value, right: Value) -> Any:
    if op in ("Is", "IsNot"):
        return identity(cx, op, left, right)
    if op in ("In", "NotIn"):
        return membership(cx, op, left, right)
    fn = COMPARE[op]
    if is_operand(left) or is_operand(right):
        found = compare_objects(cx, op, left, right)
        if found is not None:
            return found
        if op in ("Eq", "NotEq") and (isinstance(left, Obj) or isinstance(right, Obj)):
            require_identity(cx, left, right)
            return identity(cx, "Is" if op == "Eq" else "IsNot", left, right)
    if isinstance(left, (Tup, Lst)) and isinstance(right, (Tup, Lst)):
        return compare_sequences(cx, op, left, right)
    if isinstance(left, Dct) and isinstance(right, Dct) and op in ("Eq", "NotEq"):
        return compare_dicts(cx, op, left, right)
    one, two = cx.static_value(left), cx.static_value(right)
    if not isinstance(left, Arr) and not isinstance(right, Arr):
        static = [cx.is_static(left), cx.is_static(right)]
        if all(static):
            try:
                return from_python(cx, fn(one, two))
            except TypeError as problem:
                raise cx.unsupported("a comparison", str(problem), "compare like with like") from None
        if op in ("Eq", "NotEq") and never_equal(cx, left, right):
            return Lit(op == "NotEq")
        if op in ("Eq", "NotEq") and any(is_string(cx, part) for part in (left, right)):
            return cx.builder.opaque(fn, (cx.arg(left), cx.arg(right)), Scalar("bool"))
        known = by_lengths(fn, left, right)
        if known is not None:
            return Lit(known)
    return cx.emit(fn, left, right)


def by_lengths(fn: Any, left: Value, right: Value) -> bool | None:
    """What a comparison of ints says, where one of them is a length of which enough is known."""
    if not isinstance(left, (Var, Lit)) or not isinstance(right, (Var, Lit)):
        return None
    one, two = int_value(left), int_value(right)
    if not all(isinstance(n, (Dim, int)) for n in (one, two)) or type(one) is type(two) is int:
        return None
    if one == two:
        return bool(fn(0, 0))
    if reaches(one, two + 1):
        return bool(fn(1, 0))
    if reaches(two, one + 1):
        return bool(fn(0, 1))
    if fn in (operator.ge, operator.lt) and reaches(one, two):
        return fn is operator.ge
    return fn is operator.le if fn in (operator.le, operator.gt) and reaches(two, one) else None


def is_string(cx: Context, value: Value) -> bool:
    """Whether it is a string, or one of several, chosen at run time."""
    if isinstance(cx.static_value(value), str):
        return True
    return isinstance(value, Var) and isinstance(value.type, Opaque) and value.type.name == "str"


def never_equal(cx: Context, left: Value, right: Value) -> bool:
    """A number is not equal to None or a string."""
    kinds = []
    for value in (left, right):
        static = cx.static_value(value)
        number = isinstance(value, Var) and isinstance(value.type, Scalar)
        kinds.append("number" if number else "other" if isinstance(static, (str, type(None), type)) else "?")
    return sorted(kinds) == ["number", "other"]


def compare_sequences(cx: Context, op: str, left: Value, right: Value) -> Any:
    one, two = (v.items if isinstance(v, Tup) else cx.state.get(v) for v in (left, right))
    if op not in ("Eq", "NotEq") and isinstance(one, tuple) and isinstance(two, tuple):
        return in_order(cx, op, one, two)
    if left is right and op in ("Eq", "NotEq"):
        return Lit(op == "Eq")
    if isinstance(one, Var) or isinstance(two, Var):
        require_told_apart(cx, left, right)
        return cx.emit(COMPARE[op], left, right)
    if len(one) != len(two) or type(left) is not type(right):
        return Lit(op == "NotEq")
    return all_equal(cx, op, zip(one, two, strict=True))


def compare_dicts(cx: Context, op: str, left: Dct, right: Dct) -> Any:
    """Two dicts of known keys are equal if their keys are, and what stands under each."""
    one, two = static_entries(cx, left), static_entries(cx, right)
    if one.keys() != two.keys():
        return Lit(op == "NotEq")
    return all_equal(cx, op, ((value, two[key]) for key, value in one.items()))


def all_equal(cx: Context, op: str, pairs: Iterable[tuple[Value, Value]]) -> Any:
    """Whether the two of each pair are equal (``Eq``), or not all of them (``NotEq``)."""
    result: Any = Lit(True)
    for a, b in pairs:
        part = equal_items(cx, a, b)
        if isinstance(part, Lit) and not part.value:
            result = Lit(False)
            break
        result = part if isinstance(result, Lit) else conjunction(cx, result, part)
    if op == "Eq":
        return result
    return Lit(not result.value) if isinstance(result, Lit) else cx.emit(operator.not_, result)


def equal_items(cx: Context, a: Value, b: Value) -> Any:
    """As containers compare: one object is equal to itself, also where it is nan or an array."""
    if a is b or isinstance(a, Lit) and isinstance(b, Lit) and a.value is b.value:
        return Lit(True)
    if cx.builder.new_numbers.may_be_one(a, b):
        require_told_apart(cx, a, b)
    return doors.python_bool(cx, doors.truth(cx, compare(cx, "Eq", a, b)))


def require_told_apart(cx: Context, a: Value, b: Value) -> None:
    """Trace the call where both are nan, or hold it, and only Python knows whether it is one object."""
    args = cx.arg(a), cx.arg(b)
    cx.builder.append(Op(required.require_told_apart, args, (), {}, cx.builder.span, effect=True))


def in_order(cx: Context, op: str, one: tuple[Value, ...], two: tuple[Value, ...]) -> Any:
    """``(a, b) < (c, d)``: the first items that differ decide, or the lengths."""
    if not one or not two:
        return Lit(COMPARE[op](len(one), len(two)))
    same = equal_items(cx, one[0], two[0])
    if isinstance(same, Lit):
        return in_order(cx, op, one[1:], two[1:]) if same.value else compare(cx, op, one[0], two[0])
    return doors.choose(
        cx,
        same,
        lambda: in_order(cx, op, one[1:], two[1:]),
        lambda: doors.python_bool(cx, doors.truth(cx, compare(cx, op, one[0], two[0]))),
    )


def identity(cx: Context, op: str, left: Value, right: Value) -> Any:
    for value, other in ((left, right), (right, left)):
        if not (isinstance(other, Lit) and other.value is None and isinstance(value, (Var, Arr))):
            continue
        var = cx.variable(value)
        if isinstance(var.type, Optional):
            fn = operator.is_ if op == "Is" else operator.is_not
            return cx.builder.opaque(fn, (var, other), Scalar("bool"))
    one, two = (getattr(v, "python_value", None) for v in (left, right))
    if (one or isinstance(left, Lit)) and (two or isinstance(right, Lit)) and (one or two):
        lasting = [v for v in (left, right) if not (isinstance(v, Lit) and v.value is None)]
        same = False
        if len(lasting) == 2:
            objects = [v.python_value() if isinstance(v, Live) else v.value for v in lasting]  # type: ignore[union-attr]
            same = objects[0] is objects[1]
    elif isinstance(left, Lit) and isinstance(right, Lit):
        same = left.value is right.value or (
            type(left.value) is type(right.value)
            and isinstance(left.value, (bool, int, str))
            and left.value == right.value
        )
    else:
        same = left is right
        for value in (left, right) if isinstance(left, (Dct, Obj)) and isinstance(right, (Dct, Obj)) else ():
            note(cx, COMPARED, value)
        places = [v.view.at for v in (left, right) if isinstance(v, Lst) and in_heap(v) and v.view]
        if not same and len(places) == 2:  # lists are one if their places are
            return cx.emit(operator.eq if op == "Is" else operator.ne, *places)  # type: ignore[arg-type]
        if not same:
            require_two(cx, left, right)
        if any(is_numpy_bool(one) and may_be_number(cx, two) for one, two in ((left, right), (right, left))):
            raise cx.unsupported("`is` with a boolean of NumPy's", "there is one of each", "use ==")
        if not same and isinstance(left, Var) and isinstance(right, Lit) and isinstance(right.value, bool):
            known = cx.static_value(left)
            same = known is right.value
            if (
                not isinstance(known, (bool, int, float))
                and isinstance(left.type, Scalar)
                and left.type == Scalar("bool")
            ):
                return cx.emit(operator.eq if op == "Is" else operator.ne, left, right)
    return Lit(same == (op == "Is"))


def is_numpy_bool(value: Value) -> bool:
    return isinstance(value, Lit) and isinstance(value.value, np.bool_)


def may_be_number(cx: Context, value: Value) -> bool:
    """Whether it may be one of NumPy's two booleans, and is no array with axes."""
    if not isinstance(value, (Var, Arr)):
        return False
    found = cx.variable(value).type
    return not isinstance(found, Array) or not rank_of(found)


def membership(cx: Context, op: str, left: Value, right: Value) -> Any:
    answer = found_in(cx, right, left)
    if answer is None and isinstance(right, Attributes):
        answer = functools.partial(has_entry, cx, right, left)
    if answer is not None:
        return as_asked(cx, op, doors.python_bool(cx, doors.truth(cx, answer())))
    content: Any = (
        cx.state.get(right)
        if isinstance(right, (Dct, Lst))
        else right.items
        if isinstance(right, Tup)
        else None
    )
    needle = cx.static_value(left)
    if isinstance(right, Dct) and doors.is_run_time(cx, right, left):
        return as_asked(cx, op, doors.has_entry(cx, right, left))
    if isinstance(right, Dct):
        return Lit((cx.demand(left, "a dict key") in content) == (op == "In"))
    if isinstance(right, Live) and isinstance(right.value, MAPPINGS):
        code = own_item_code(cx, right, "__contains__")
        there = has_outside(cx, right, left) if code is None else doors.call(cx, code, [left], {})
        return as_asked(cx, op, doors.python_bool(cx, doors.truth(cx, there)))
    if isinstance(right, Live) and type(right.value) is frozenset and told_by_value(cx, left):
        cx.outside().guards.add(Guard.value(right.path, right.value))  # the same one has the same items
        return Lit((needle in right.value) == (op == "In"))
    if cx.is_static(left) and cx.is_static(right):
        return Lit((needle in cx.static_value(right)) == (op == "In"))
    if isinstance(content, tuple):
        found: Any = Lit(False)
        for item in content:
            part = equal_items(cx, left, item)
            if isinstance(part, Lit):
                found = part if part.value else found
                if part.value:
                    break
            else:
                found = part if isinstance(found, Lit) else cx.emit(operator.or_, found, part)
        return as_asked(cx, op, found)
    if isinstance(right, Lst):
        require_told_apart(cx, left, right)
    return cx.builder.opaque(
        lambda a, b: a in b if op == "In" else a not in b,
        (cx.arg(left), cx.arg(right)),
        Scalar("bool"),
    )


def as_asked(cx: Context, op: str, there: Value) -> Any:
    """What ``in`` or ``not in`` says, where it is known whether something is there."""
    if op == "In":
        return there
    return Lit(not there.value) if isinstance(there, Lit) else cx.emit(operator.not_, there)


def told_by_value(cx: Context, value: Value) -> bool:
    """Whether it is a constant, or a class with Python's own equality."""
    known = cx.static_value(value)
    return cx.is_static(value) and (is_constant(known) or type(known) is type)


doors.compare = compare
