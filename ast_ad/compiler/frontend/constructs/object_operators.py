"""What do operators, comparisons and builtins such as ``abs`` mean where the class of an operand tells?

The methods are looked up as Python does: in the class, in that of the right operand first if it is a
subclass, and the other one's where the first gives ``NotImplemented``. Before NumPy's numbers and arrays
comes what NumPy itself does with an object that it does not know.
"""

from __future__ import annotations

import dataclasses
import math
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ....rules.other_operands import LOWEST, UFUNCS, has_ufunc, is_converted, is_left_to
from ....rules.standing import original_of
from ...ir.ops import Lit, Var
from ...ir.types import Scalar
from .. import doors
from ..context import Context
from ..outside_values import class_member, class_stays
from ..store.outer_stores import found_in_class
from ..types.type_questions import asked
from ..values import Arr, Callee, Obj, Tup, Value
from .attributes import load_attribute
from .special_methods import class_of, special

OPERATORS: dict[Callee, str] = {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.truediv: "truediv",
    operator.floordiv: "floordiv",
    operator.mod: "mod",
    operator.pow: "pow",
    operator.matmul: "matmul",
    operator.and_: "and",
    operator.or_: "or",
    operator.xor: "xor",
    operator.lshift: "lshift",
    operator.rshift: "rshift",
    divmod: "divmod",
}
COMPARISONS = {  # with the comparison that the other operand is asked for
    "Eq": ("__eq__", "__eq__"),
    "NotEq": ("__ne__", "__ne__"),
    "Lt": ("__lt__", "__gt__"),
    "LtE": ("__le__", "__ge__"),
    "Gt": ("__gt__", "__lt__"),
    "GtE": ("__ge__", "__le__"),
}
OF_NAMES = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}
UNARY: dict[Callee, str] = {
    operator.neg: "__neg__",
    operator.pos: "__pos__",
    operator.invert: "__invert__",
    abs: "__abs__",
    float: "__float__",
    int: "__int__",
    complex: "__complex__",
    round: "__round__",
    reversed: "__reversed__",
    math.floor: "__floor__",
    math.ceil: "__ceil__",
    math.trunc: "__trunc__",
}


def is_operand(value: Value) -> bool:
    """Whether it is an object of a class with code of its own, or a named tuple."""
    return class_of(value) is not None


def is_refused(found: Value | None) -> bool:
    return isinstance(found, Lit) and found.value is NotImplemented


def binary_objects(cx: Context, fn: Callee, left: Value, right: Value) -> Any:
    """``left fn right``; None where no Python code has a say in it."""
    name = OPERATORS.get(fn)
    if name is None:
        return None
    found = by_ufunc(cx, fn, left, right)
    if found is None:
        found = ask_both(cx, left, right, f"__{name}__", f"__r{name}__")
    if found is None:
        found = by_ufunc(cx, fn, left, right, swapped=True)
    if found is None and (isinstance(left, Obj) or isinstance(right, Obj)):
        raise cx.unsupported(
            f"operator {fn.__name__} on objects", "their class does not define it", "call a method"
        )
    return found


def ask_both(cx: Context, left: Value, right: Value, method: str, reflected: str) -> Any:
    """What the one or the other makes of it; None if neither has code for it, or both decline."""
    one, two = class_of(left), class_of(right)
    order = [(left, method, right), (right, reflected, left)]
    if one is two and reflected != method and reflected.startswith("__r"):
        order = order[:1]  # the other one is not asked by Python
    elif one is not None and two is not None and one is not two and issubclass(two, one):
        if found_in_class(two, reflected) is not found_in_class(one, reflected):
            order.reverse()
    for owner, name, other in order:
        call = special(cx, owner, name)
        if call is None:
            continue
        if owner is right:
            other = passed_by_numpy(cx, other, right)
        found = doors.call(cx, call, [other], {})
        if not is_refused(found):
            return found
    return None


def met_by_numpy(cx: Context, left: Value, right: Value) -> tuple[type, float] | None:
    """The class of the right operand and the priority of the left one, if NumPy decides what they make.

    Its own classes' objects, and those that stand for them, come before it as subclasses do.
    """
    cls = class_of(right)
    if cls is None or isinstance(right, Tup) or original_of(cls) is not None:
        return None
    kind: Any = type(left.value) if isinstance(left, Lit) else None
    if isinstance(left, (Arr, Var)):
        kind = asked(cx, type, left)
    if not (isinstance(kind, type) and issubclass(kind, (np.ndarray, np.generic))):
        return None
    for name in ("__array_ufunc__", "__array_priority__"):
        class_stays(cx, cls, name)
    if "__array_priority__" in own_names(cx, right):
        raise cx.unsupported(
            "an operator of an array and an object", "it has a priority of its own", OTHER_WAYS
        )
    return cls, 0.0 if issubclass(kind, np.ndarray) else LOWEST


OTHER_WAYS = "give the class `__array_ufunc__ = None`, or put the object on the left"


def own_names(cx: Context, value: Value) -> Any:
    """The names of what an object holds itself."""
    return cx.state.get(value) if isinstance(value, Obj) else getattr(value.value, "__dict__", ())  # type: ignore[union-attr]


def by_ufunc(cx: Context, fn: Callee, left: Value, right: Value, swapped: bool = False) -> Any:
    """What the ``__array_ufunc__`` of the right operand makes of it; None if it has none.

    ``swapped``: that of the left one, which has no other code for it.
    """
    met = met_by_numpy(cx, right, left) if swapped else met_by_numpy(cx, left, right)
    if met is None or not has_ufunc(met[0]):
        return None
    return doors.call(cx, Lit(UFUNCS[fn]), [left, right], {})


def passed_by_numpy(cx: Context, left: Value, right: Value) -> Any:
    """The left operand as the method of the right one gets it, if it is one of NumPy's."""
    met = met_by_numpy(cx, left, right)
    if met is None or is_left_to(*met):
        return left
    if isinstance(left, Arr) or is_converted(met[0]):
        raise cx.unsupported(
            "an operator of an array and an object",
            "NumPy takes the object for a sequence, or applies the operator to each element",
            OTHER_WAYS,
        )
    if isinstance(left, Lit):
        return Lit(left.value.item())
    assert isinstance(left, Var) and isinstance(left.type, Scalar)
    return cx.emit({"int": int, "complex": complex, "bool": bool}.get(left.type.kind, float), left)


def replaces_array(cx: Context, array: Arr, value: Value) -> bool:
    """Whether ``array op= value`` gives the name what the class of the value makes of it."""
    met = met_by_numpy(cx, array, value)
    if met is None:
        return False
    if hasattr(met[0], "__array_ufunc__") or not is_left_to(*met):
        raise cx.unsupported(
            "a change of an array in place by an object", "its class, or NumPy, writes it", "make a new one"
        )
    return True


# ----- comparisons
def compare_objects(cx: Context, op: str, left: Value, right: Value) -> Any:
    """A comparison; None where no Python code has a say in it."""
    method, reflected = COMPARISONS[op]
    for owner, name, other in ((left, method, right), (right, reflected, left)):
        if is_generated(owner, name) and class_of(owner) is class_of(other):
            return compare_fields(cx, op if owner is left else REFLECTED[op], owner, other)
    found = by_ufunc(cx, getattr(operator, OF_NAMES[op]), left, right)
    if found is None:
        found = ask_both(cx, left, right, method, reflected)
    if found is None and op == "NotEq":  # by default the opposite of ==
        same = compare_objects(cx, "Eq", left, right)
        if same is not None:
            truth = doors.python_bool(cx, doors.truth(cx, same))
            return Lit(not truth.value) if isinstance(truth, Lit) else cx.emit(operator.not_, truth)
    return found


def require_identity(cx: Context, left: Value, right: Value) -> None:
    """Refuse a comparison that is not Python's own, which asks whether the operands are one object."""
    for value in (left, right):
        cls = class_of(value)
        by_identity = cls is None or found_in_class(cls, "__eq__") is object.__eq__
        if not by_identity and not special(cx, value, "__eq__"):
            raise cx.unsupported("a comparison of objects", "their class has no Python code", "compare parts")


REFLECTED = {"Eq": "Eq", "NotEq": "NotEq", "Lt": "Gt", "Gt": "Lt", "LtE": "GtE", "GtE": "LtE"}


def is_generated(value: Value, name: str) -> bool:
    """Whether the dataclass decorator has made the method, of which there is no text."""
    cls = class_of(value)
    raw = None if cls is None or not dataclasses.is_dataclass(cls) else found_in_class(cls, name)
    return isinstance(raw, types.FunctionType) and raw.__code__.co_filename == "<string>"


def compare_fields(cx: Context, op: str, left: Value, right: Value) -> Any:
    """What a dataclass compares: tuples of its fields."""
    cls: Any = class_of(left)
    class_member(cx, cls, COMPARISONS[op][0])
    names = [f.name for f in dataclasses.fields(cls) if f.compare]
    one, two = ([load_attribute(cx, v, name) for name in names] for v in (left, right))
    return doors.compare(cx, op, Tup(tuple(one)), Tup(tuple(two)))


# ----- builtins
def called(cx: Context, fn: Callee, args: list[Value]) -> Any:
    """``abs(o)``, ``operator.add(o, p)``; None where no Python code has a say."""
    if not any(is_operand(a) for a in args):
        return None
    try:
        known = fn in OPERATORS or fn in UNARY
    except TypeError:
        return None
    if not known:
        return None
    if fn in OPERATORS:
        return binary_objects(cx, fn, *args) if len(args) == 2 else None
    method = special(cx, args[0], UNARY[fn])
    return None if method is None else doors.call(cx, method, args[1:], {})


def unary_object(cx: Context, fn: Callee, value: Value) -> Any:
    method = special(cx, value, UNARY[fn])
    return None if method is None else doors.call(cx, method, [], {})


def found_in(cx: Context, container: Value, item: Value) -> Callable[[], Any] | None:
    """How ``item in container`` is asked of a class with ``__contains__``; None where it has none."""
    method = special(cx, container, "__contains__")
    return None if method is None else lambda: doors.call(cx, method, [item], {})
