"""What does ``target op= value`` do: arrays are written, lists extended, all else is replaced?

Python stores what comes out of it in the target also where that is the very object that it found there: a
setter runs, and what the value's own code has put there meanwhile is gone. Here that store is left out where
the target certainly holds the object still, for then nobody can tell.
"""

from __future__ import annotations

import operator
from typing import Any

import gast
import numpy as np

from ...ir.ops import Lit, Var
from .. import doors
from ..callables.container_methods import list_extend
from ..callables.overwriting import overwrite
from ..context import Context
from ..store.choices import of_each_side, unlike_sides
from ..store.holding import set_list
from ..store.outer_stores import held_outside, is_stored
from ..store.sole_names import changed_or_replaced, is_loose, new_value
from ..tables import METHODS, statement
from ..types.type_questions import asked
from ..values import Arr, Callee, Dct, Frame, Live, Lst, Obj, Value
from .attribute_stores import WRITTEN, store_attribute
from .attributes import load_attribute
from .expressions import evaluate, load_name, mangled
from .local_classes import enclosing_scope
from .narrowing import there
from .object_operators import is_operand, replaces_array
from .special_methods import special
from .subscripts import load_item, store_item

IN_PLACE = {
    "Add": (operator.add, operator.iadd),
    "Sub": (operator.sub, operator.isub),
    "Mult": (operator.mul, operator.imul),
    "Div": (operator.truediv, operator.itruediv),
    "FloorDiv": (operator.floordiv, operator.ifloordiv),
    "Mod": (operator.mod, operator.imod),
    "Pow": (operator.pow, operator.ipow),
    "MatMult": (operator.matmul, operator.imatmul),
    "BitAnd": (operator.and_, operator.iand),
    "BitOr": (operator.or_, operator.ior),
    "BitXor": (operator.xor, operator.ixor),
    "LShift": (operator.lshift, operator.ilshift),
    "RShift": (operator.rshift, operator.irshift),
}


@statement(gast.AugAssign)
def exec_aug_assign(cx: Context, node: gast.AugAssign, rest: list[gast.AST]) -> None:
    AUGMENTED[type(node.target).__name__](cx, node, *IN_PLACE[type(node.op).__name__])


def augment_name(cx: Context, node: gast.AugAssign, plain: Callee, in_place: Callee) -> None:
    name = node.target.id
    before = load_name(cx, name)
    held = held_name(cx, name)
    value = evaluate(cx, node.value)
    moved = held is None or held_name(cx, name) is not held
    after = augment(cx, plain, in_place, before, value)
    if after is not before or moved:
        doors.bind(cx, name, after)


def augment_item(cx: Context, node: gast.AugAssign, plain: Callee, in_place: Callee) -> None:
    base, index = evaluate(cx, node.target.value), evaluate(cx, node.target.slice)
    before = load_item(cx, base, index)
    held = held_items(cx, base, index)
    value = evaluate(cx, node.value)
    if isinstance(base, Arr) and is_loose(cx, before):  # a window or a number: both end in the array
        return store_item(cx, base, index, new_value(cx, plain, before, value))
    moved = held is None or held_items(cx, base, index) is not held
    after = augment(cx, plain, in_place, before, value)
    window = isinstance(base, Arr) and isinstance(after, Arr) and after.view is not None
    written = after.view.put is not None if window else not moved  # where it lies
    if after is not before or not written:
        store_item(cx, base, index, after)


def augment_attribute(cx: Context, node: gast.AugAssign, plain: Callee, in_place: Callee) -> None:
    base, name = evaluate(cx, node.target.value), mangled(cx, node.target.attr)
    before = load_attribute(cx, base, name)
    held = held_attribute(cx, base, name)
    value = evaluate(cx, node.value)
    moved = held is None or held_attribute(cx, base, name) is not held
    after = augment(cx, plain, in_place, before, value)
    if after is not before or moved:
        store_attribute(cx, base, name, after)


AUGMENTED = {"Name": augment_name, "Subscript": augment_item, "Attribute": augment_attribute}


# ----- what a target holds, to be compared only; None where a store must be made
def held_name(cx: Context, name: str) -> object:
    frame: Frame | None = None if "global " + name in cx.frame.nonlocals else cx.frame
    while frame is not None:
        found = cx.state.get_name(frame, name)
        if found is not None:
            return found
        if name in frame.cells:
            return held_outside(cx, frame.cells[name], "cell_contents")
        frame = enclosing_scope(frame)
    return held_outside(cx, cx.frame.globals, name)


def held_items(cx: Context, base: Value, index: Value) -> object:
    """The content of a list or dict; a slice is a list of its own, an array's items have no holder."""
    return cx.state.get(base) if isinstance(base, (Lst, Dct)) and not isinstance(index, slice) else None


def held_attribute(cx: Context, base: Value, name: str) -> object:
    if isinstance(base, Arr):
        return base if name in WRITTEN else None
    if isinstance(base, Obj):
        return cx.state.get(base).get(name) if sets_plainly(base.cls, object, name) else None
    if isinstance(base, (Live, Lit)):
        owner = base.value
        plain = sets_plainly(type(owner), type if isinstance(owner, type) else object, name)
        own = name in getattr(owner, "__dict__", ()) or is_stored(cx, owner, name)  # not its class's
        return held_outside(cx, owner, name) if plain and own else None
    return None


def sets_plainly(cls: type, base: type, name: str) -> bool:
    """Whether the instances of a class let themselves be given an attribute without any code of their own."""
    return cls.__setattr__ is base.__setattr__ and not hasattr(getattr(cls, name, None), "__set__")


def augment(cx: Context, plain: Callee, in_place: Callee, before: Value, value: Value) -> Any:
    """``before op= value``: arrays are written, lists extended, everything else is rebound."""
    if isinstance(before, (Lst, Dct)):
        return augment_container(cx, plain, before, value)
    if not isinstance(before, Arr):
        return augment_object(cx, plain, in_place, before, value)
    if is_operand(value) and replaces_array(cx, before, value):
        return doors.binary(cx, plain, before, value)
    choice = unlike_sides(before)
    if choice is not None:  # each as what it is: an array is written, a number replaced
        return of_each_side(cx, choice, lambda side: augment(cx, plain, in_place, side, value))
    old = there(cx, before)
    if old.type.shape is None:  # type: ignore[union-attr]
        return changed_or_replaced(cx, plain, before, value)
    overwrite(cx, before, old, doors.binary(cx, plain, before, value), (before, value))
    return before


def augment_container(cx: Context, plain: Callee, before: Value, value: Value) -> Any:
    """``before op= value`` of a list or dict."""
    if isinstance(before, Lst) and plain is operator.add:
        numpys = isinstance(value, (Var, Lit, Arr)) and asked(cx, is_numpys, value)
        if numpys:  # Python asks for a sum before it asks the list: the name gets a new array
            return doors.binary(cx, plain, before, value)
        list_extend(cx, before, value)
        return before
    if isinstance(before, Lst) and plain is operator.mul:
        repeated = doors.binary(cx, plain, before, value)
        if not isinstance(repeated, Lst):
            return repeated
        set_list(cx, before, cx.state.get(repeated))
        return before
    if isinstance(before, Dct) and plain is operator.or_:
        METHODS["dict", "update"](cx, before, value)
        return before
    return doors.binary(cx, plain, before, value)


def augment_object(cx: Context, plain: Callee, in_place: Callee, before: Value, value: Value) -> Any:
    """``before op= value`` of an object, which changes itself where its class says so."""
    cls = before.cls if isinstance(before, Obj) else type(getattr(before, "value", None))
    method = f"__{in_place.__name__}__"
    changing = special(cx, before, method) if isinstance(before, (Obj, Live)) else None
    if changing is not None:
        return doors.call(cx, changing, [value], {})
    if hasattr(cls, method):
        raise cx.unsupported("a change in place of this object", "it is not followed", "make a new one")
    return doors.binary(cx, plain, before, value)


def is_numpys(value: object) -> bool:
    return isinstance(value, (np.ndarray, np.generic))
