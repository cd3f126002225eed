"""Which arrays may a name hold that a loop carries by reference, and which of them does it hold now?

A name whose array has other names is carried by itself while its passes leave it alone; where they leave one
of two arrays from before the loop in it, a boolean is carried that says which. What else they leave is
carried by value, and writes to it are refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.ops import Arg, Block, If, Lit, Var
from ..ir.types import Scalar, Type
from .context import Context
from .values import Arr, Choice, Value, View


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


def is_first(cx: Context, value: Value, first: Arr) -> Arg:
    """Whether a value is the first of two arrays, as a boolean of the program."""
    if not isinstance(value, Arr) or value.view is None or not isinstance(value.view.parent, Choice):
        return Lit(value is first)
    choice = value.view.parent
    one, two = is_first(cx, choice.first, first), is_first(cx, choice.second, first)
    if isinstance(one, Lit) and one == two:
        return one
    flag = Var(Scalar("bool"), "which")
    sides = Block([], (one,)), Block([], (two,))
    cx.builder.append(If(choice.flag, *sides, (flag,), cx.builder.span, cx.builder.adjoint))
    return flag
