"""Which values, that the compiler tells apart, may be one object in the plain program? `is` asks for it.

``require_two(cx, left, right)`` refuses those. What an argument or a name outside holds are two objects in
a program that says so: its calls are checked for it.
"""

from __future__ import annotations

from ...ir.alternatives import is_mixed
from ...ir.ops import UNKNOWN, Lit, Var
from ...ir.types import Scalar
from ..builder import known_value, type_of_arg
from ..context import Context
from ..guards import Guard
from ..store.choices import members
from ..store.holding import pools_around, pools_with
from ..store.identities import CONTAINERS
from ..store.outer_stores import BEFORE
from ..values import Arr, Container, Pool, Tup, Value


def require_two(cx: Context, left: Value, right: Value) -> None:
    """What the compiler tells apart are two objects, or are told to be by a guard.

    Raises
    ------
    UnsupportedError
        if they may be one.
    Restart
        if they are one thing outside, under two names.
    """
    arrays = isinstance(left, Arr) and isinstance(right, Arr)
    if arrays and cx.handles or perhaps_one(left, right):
        raise cx.unsupported(
            "`is` of what may be one object",
            "whether they are one is known at run time only",
            "compare what they hold",
        )
    pools = [pools_of_value(cx, value) for value in (left, right)]
    if type(left) is type(right) and not pools[0].isdisjoint(pools[1]):
        raise cx.element(
            "`is` of what may be one element of a list",
            "whether they are one is known at run time only",
            "compare what they hold",
        )
    if isinstance(left, CONTAINERS) and isinstance(right, CONTAINERS) and type(left) is type(right):
        guard_two(cx, left, right)


def pools_of_value(cx: Context, value: Value) -> frozenset[Pool]:
    """The pools of elements that an array, a list or another object may be in."""
    if isinstance(value, Arr):
        return pools_around(cx, value, cx.state)
    return pools_with(cx, value, cx.state) if isinstance(value, CONTAINERS) else frozenset()


def perhaps_one(left: object, right: object) -> bool:
    """Whether two values that the compiler tells apart may be one object by how they were made."""
    if isinstance(left, CONTAINERS) and isinstance(right, CONTAINERS):
        return right in left.alike
    if isinstance(left, Arr) and isinstance(right, Arr):
        ones, others = list(members(left)), list(members(right))
        if len(ones) + len(others) > 2:
            return any(a is b or perhaps_one(a, b) for a in ones for b in others)
        return not (surely_made(left) or surely_made(right)) or bool(left.sources or right.sources)
    if isinstance(left, Tup) and isinstance(right, Tup):  # `t + ()` and `tuple(t)` are t
        return len(left.items) == len(right.items)
    numbers = [v for v in (left, right) if isinstance(v, Var)]
    other = right if numbers == [left] else left
    if isinstance(left, (Var, Lit)) and isinstance(right, (Var, Lit)) and are_unlike(left, right):
        return False
    if not isinstance(other, Lit) or not isinstance(other.value, (bool, int, float, complex, str)):
        return len(numbers) == 2
    return bool(numbers) and not is_bool(other, numbers[0])


def is_bool(constant: Lit, number: Var) -> bool:
    """Whether it is a question about True or False, which are one object each."""
    return isinstance(constant.value, bool) and not is_mixed(number.type)


def are_unlike(one: Var | Lit, other: Var | Lit) -> bool:
    """Whether two numbers have different classes, or are known to be different numbers."""
    types = type_of_arg(one), type_of_arg(other)
    if not all(isinstance(t, Scalar) and not is_mixed(t) for t in types):
        return False
    classes = {(t.kind, t.dtype) for t in types if isinstance(t, Scalar)}
    known = [known_value(v) for v in (one, other)]
    return len(classes) > 1 or not any(v is UNKNOWN for v in known) and repr(known[0]) != repr(known[1])


def surely_made(arr: Arr) -> bool:
    """Whether an array is an object of its own: no argument of a function, which may return it as it is."""
    return arr.foreign is None and arr.argument is None and (arr.view is None or arr.view.index is not None)


def guard_two(cx: Context, left: Container, right: Container) -> None:
    """Two lists, dicts or objects that were there before the call are two in every call of the program."""
    inputs = cx.inputs
    if inputs is None or not all(v.serial == BEFORE or v in inputs.containers for v in (left, right)):
        return
    if left in inputs.containers or right in inputs.containers:
        inputs.changes = inputs.asks = True  # the program is for no call where they are one, and no trace is
        return
    paths = [path for v in (left, right) for path, met in inputs.captured.items() if met is v]
    if len(paths) < 2:
        raise cx.unsupported("`is` of what lives outside", "where it is found is not known", "compare parts")
    if len({id(inputs.sources[path]) for path in paths}) < len(paths):
        inputs.one_thing()
    inputs.guards.add(Guard.apart(paths))
