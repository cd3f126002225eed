"""Which arrays may a name hold that a loop carries by reference, and which of them does it hold now?

A name whose array has other names is carried by itself while its passes leave it alone; where they leave one
of two arrays from before the loop in it, a boolean is carried that says which. What else they leave is
carried by value, and writes to it are refused: then the program is read again, by references throughout
(``Inputs.references``). A name holds one of up to four arrays from before the loop then, or one that the
passes make and that no other name holds: its own, of which the value is carried.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from ....rules.helpers import not_none
from ....rules.in_place import writable
from ...ir.alternatives import is_mixed, types_of
from ...ir.builtin import assign, told
from ...ir.ops import Arg, Block, If, Lit, Var
from ...ir.types import Array, Optional, Scalar, Type, dtype_of, is_none, rank_of
from .. import doors
from ..builder import type_of_arg
from ..context import Context
from ..types.joins import join
from ..values import Arr, Choice, Value, View
from .shared_names import roots_of


def members(value: Value) -> Iterator[Arr]:
    """The arrays that one may be."""
    if isinstance(value, Arr) and value.view is not None and isinstance(value.view.parent, Choice):
        yield from members(value.view.parent.first)
        yield from members(value.view.parent.second)
    elif isinstance(value, Arr):
        yield value


def chosen(first: Arr, flag: Var, second: Arr, type: Type, hint: str | None) -> Arr:
    """The array that is one of two."""
    return Arr(None, View(Choice(flag, first, second, type, hint), None, None))


def among(arrays: Sequence[Arr], flags: Sequence[Var], type: Type, hint: str | None) -> Arr:
    """The first array of which the flag holds, or else the last one, which has no flag."""
    found = arrays[-1]
    for one, flag in reversed(list(zip(arrays, flags, strict=False))):
        found = chosen(one, flag, found, type, hint)
    return found


def is_choice(value: Value) -> bool:
    return isinstance(value, Arr) and value.view is not None and isinstance(value.view.parent, Choice)


def unlike_sides(value: Value) -> Choice | None:
    """The choice of two that differ in dtype, or in the number of axes, or of which one is no array."""
    if not isinstance(value, Arr) or value.view is None or not isinstance(value.view.parent, Choice):
        return None
    choice = value.view.parent
    return None if is_plain(choice.type) else choice


def is_plain(type: Type) -> bool:
    """Whether it is the type of arrays alone, of one dtype and number of axes."""
    return isinstance(type, Array) and type.shape is not None and not is_mixed(type)


def of_each_side(cx: Context, choice: Choice, do: Callable[[Value], object]) -> Any:
    """What ``do`` makes of the one of the two that it is."""
    one, two = choice.first, choice.second
    return doors.choose(cx, choice.flag, lambda: do(side_value(cx, one)), lambda: do(side_value(cx, two)))


def side_value(cx: Context, side: Arr) -> Value:
    """One of the two, or the number or None that it is."""
    content = cx.read(side)
    if is_none(content.type):
        return Lit(None)
    return content if is_replaced(content.type) else side


def is_replaced(type: Type) -> bool:
    """Whether it is the type of numbers or None, of which nobody can tell one from an equal one."""
    value = type.value if isinstance(type, Optional) else type
    return isinstance(value, Scalar) or is_none(value)


def is_itself(value: Value) -> bool:
    """Whether it is an array, or a window on one, that can be carried by reference."""
    while isinstance(value, Arr) and not (value.foreign or value.sources):
        if value.view is None or isinstance(value.view.parent, Choice):
            return True
        if value.view.get is None:
            return False
        value = value.view.parent
    return False


def own_content(cx: Context, value: Value, known: Collection[Arr], else_: Arg | None) -> Arg | None:
    """What an array holds where it is none of the known ones, and ``else_`` where it is.

    Without ``else_`` that is what the known one holds, or None where it is one for certain. Each is read
    where it is the one, else it may not be there.
    """
    if value in known:
        return else_
    if not is_choice(value):
        return cx.arg(value)
    choice = value.view.parent  # type: ignore[union-attr]
    parts = choice.first, choice.second
    sides = [block_of(cx, functools.partial(own_content, cx, part, known, else_)) for part in parts]
    one, two = (side.results[0] for side in sides)
    if not any(side.ops for side in sides) and (one is None or two is None or one == two):
        return two if one is None else one
    if None in (one, two) and not is_plain(choice.type):  # what the known one holds may be of another type
        return own_content(cx, parts[1 if one is None else 0], known, else_)
    filled = [
        block_of(cx, functools.partial(cx.arg, part)) if side.results[0] is None else side
        for side, part in zip(sides, parts, strict=True)
    ]
    found = Var(type_of_sides(choice, filled), choice.hint)
    cx.builder.append(If(choice.flag, filled[0], filled[1], (found,), cx.builder.span, cx.builder.adjoint))
    return found


# ----- reads and writes
def read_choice(cx: Context, arr: Arr, choice: Choice) -> Var:
    """What an array holds that is one of two; each is read where it is the one, else it may not be there."""
    contents = [cx.state.look(root) for root in roots_of(arr)]
    cached = cx.state.contents.get(arr)
    if cached is not None and cached[0] == contents:
        return cached[1]
    sides = [block_of(cx, functools.partial(cx.read, part)) for part in (choice.first, choice.second)]
    var = Var(type_of_sides(choice, sides), choice.hint)
    cx.builder.append(If(choice.flag, sides[0], sides[1], (var,), cx.builder.span, cx.builder.adjoint))
    cx.state.set(arr, (contents, var))
    return var


def type_of_sides(choice: Choice, sides: Sequence[Block]) -> Type:
    """The type of what is read where it is the one or the other; some of its arrays may be left out there."""
    one, two = (type_of_arg(side.results[0]) for side in sides)
    if not (is_plain(one) and is_plain(two)):
        return join(one, two)
    return choice.type if is_plain(choice.type) or not is_plain(found := join(one, two)) else found


def type_read(cx: Context, arr: Arr) -> Type:
    """The type of what an array holds, without a read: perhaps it is not there now."""
    if arr.view is None:
        return cx.read(arr).type
    [found] = block_of(cx, functools.partial(cx.read, arr)).results
    return type_of_arg(found)


def block_of(cx: Context, read: Callable[[], Arg | None]) -> Block:
    """A block that reads something, which is its result."""
    outer, cx.state = cx.state, cx.state.fork()
    try:
        with cx.builder.nested(Block()) as block:
            block.results = (read(),)  # type: ignore[assignment]
    finally:
        cx.state = outer
    return block


def may_hold(arr: Type, content: Type) -> bool:
    """Whether an array may be the one that holds some content: its dtype and number of axes never change.

    >>> import numpy as np
    >>> float64, int64 = Array(np.dtype("float64"), (3,)), Array(np.dtype("int64"), (3,))
    >>> may_hold(float64, float64), may_hold(int64, float64), may_hold(join(int64, float64), float64)
    (True, False, True)
    """
    first, second = ({(rank_of(t), dtype_of(t)) for t in types_of(type)} for type in (arr, content))
    return bool(first & second) or any(rank is None for rank, _ in first | second)


def told_which(cx: Context, value: Value, type: Type) -> Value:
    """The array that a choice is where its content has this type, or a choice of fewer arrays."""
    if not isinstance(value, Arr) or value.view is None or not isinstance(value.view.parent, Choice):
        return value
    choice = value.view.parent
    one, two = choice.first, choice.second
    fits = [may_hold(type_read(cx, part), type) for part in (one, two)]
    if fits[0] is not fits[1]:
        return told_which(cx, one if fits[0] else two, type)
    first, second = told_which(cx, one, type), told_which(cx, two, type)
    if first is one and second is two:
        return value
    assert isinstance(first, Arr) and isinstance(second, Arr)
    return chosen(first, choice.flag, second, type, choice.hint)


def write_choice(cx: Context, choice: Choice, var: Var) -> None:
    """Both hold what they did, but for the one that is written to.

    Where the type of what it holds was asked before, that may tell which of the two it is: the other can't
    hold the content, whatever the flag says, and would get a type that is not its own.
    """

    def change(arr: Arr) -> None:  # it keeps its length, which differs, perhaps, from the other's
        old = cx.read(arr)
        if is_replaced(old.type):  # a number or None is not written to: this raises
            cx.builder.opaque(writable, (old,), old.type)
        elif isinstance(var.type, Optional) and not isinstance(old.type, Optional):
            cx.write(arr, cx.builder.opaque(not_none, (var,), old.type))
        elif is_plain(var.type):
            cx.write(arr, cx.builder.opaque(assign, (var,), old.type))
        else:  # the branch tells which of them it is
            cx.write(arr, cx.builder.opaque(told, (var, Lit(rank_of(old.type))), old.type))

    one, two = choice.first, choice.second
    fits = [is_replaced(t) or may_hold(t, var.type) for t in (type_read(cx, one), type_read(cx, two))]
    if fits[0] is fits[1]:
        doors.branch(cx, choice.flag, lambda: change(one), lambda: change(two), None)
    else:
        change(one if fits[0] else two)


def is_first(cx: Context, value: Value, first: Arr) -> Arg:
    """Whether a value is the first of two arrays, as a boolean of the program."""
    if value is first or not isinstance(value, Arr) or not is_choice(value):
        return Lit(value is first)
    choice = value.view.parent  # type: ignore[union-attr]
    one, two = is_first(cx, choice.first, first), is_first(cx, choice.second, first)
    if isinstance(one, Lit) and one == two:
        return one
    flag = Var(Scalar("bool"), "which")
    sides = Block([], (one,)), Block([], (two,))
    cx.builder.append(If(choice.flag, *sides, (flag,), cx.builder.span, cx.builder.adjoint))
    return flag


doors.read_choice = read_choice
doors.write_choice = write_choice
