"""What is a number of NumPy's asked for? Which indices it takes, and which instruction asks.

It takes None, an ellipsis, and what is true or false. All else is an error, but an IndexError would end an
iteration by ``for``: so it is looked who asks.
"""

from __future__ import annotations

import ast
import dis
import itertools
import linecache
import operator
import types
from typing import Any

import numpy as np


def is_truth(index: Any) -> bool:
    """Whether an index is true or false: of a number it gives an array with that, or with nothing."""
    return isinstance(index, (bool, np.bool_)) or getattr(index, "dtype", None) == np.dtype(bool)


def is_indexing(frame: Any) -> bool:
    """Whether the code of a frame is at an index expression."""
    return instruction(frame)[0] == "BINARY_SUBSCR"


def is_storing(frame: Any) -> bool:
    """Whether the code of a frame is at a store of items."""
    return instruction(frame)[0] in ("STORE_SUBSCR", "STORE_SLICE")


def is_about_set(frame: Any) -> bool:
    """Whether it is at what makes a set, which gives what was put into it, or asks it for a member."""
    name, _ = instruction(frame)
    if name in ("BUILD_SET", "SET_ADD", "SET_UPDATE", "CONTAINS_OP"):
        return True
    tree = _expression_at(frame) if name in ("PRECALL", "CALL") else None
    method = tree.func if isinstance(tree, ast.Call) else None
    return isinstance(method, ast.Attribute) and method.attr in ("add", "discard", "remove")


def is_formatting(frame: Any) -> bool:
    """Whether it is at ``text % value``: a text alone asks for a plain number there."""
    name, operator_number = instruction(frame)
    return name == "BINARY_OP" and dis._nb_ops[operator_number][1] in ("%", "%=")  # type: ignore[attr-defined]


def is_asked_for_array(frame: Any) -> bool:
    """Whether it is at ``x.__array__()``: who writes that takes what it gives, where NumPy needs its own."""
    tree = _expression_at(frame) if instruction(frame)[0] in ("PRECALL", "CALL") else None
    method = tree.func if isinstance(tree, ast.Call) and not tree.args and not tree.keywords else None
    return isinstance(method, ast.Attribute) and method.attr == "__array__"


def _expression_at(frame: Any) -> ast.expr | None:
    """The expression at which a frame is; None if its source does not show it."""
    places = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    if None in places:
        return None
    first, last, start, end = places
    lines = [
        line.encode()
        for line in linecache.getlines(frame.f_code.co_filename, frame.f_globals)[first - 1 : last]
    ]
    if len(lines) != last - first + 1:
        return None
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        return ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
    except (SyntaxError, ValueError):
        return None


def format_of(frame: Any) -> str | None:
    """The text of ``text % value`` at which a frame is; None if its source does not show it."""
    tree = _expression_at(frame)
    left = tree.left if isinstance(tree, ast.BinOp) else None
    return left.value if isinstance(left, ast.Constant) and isinstance(left.value, str) else None


def instruction(frame: Any) -> tuple[str, int]:
    """The instruction that a frame is at, and its argument."""
    code, place = frame.f_code.co_code, frame.f_lasti
    while place and dis.opname[code[place]] == "CACHE":  # behind the instruction, in code that is warm
        place -= 2
    return dis.opname[code[place]], code[place + 1]


def settled(index: Any) -> Any:
    """An index in which objects that tell their number were asked: once, as by NumPy, though it is kept.

    >>> class Second:
    ...     def __index__(self):
    ...         return 1
    >>> settled((Second(), slice(Second(), None)))
    (1, slice(1, None, None))
    """
    if isinstance(index, tuple):
        asks = any(isinstance(part, (tuple, slice)) or _is_asked(part) for part in index)
        return tuple(map(settled, index)) if asks else index
    if isinstance(index, slice):
        parts = index.start, index.stop, index.step
        return slice(*map(settled, parts)) if any(map(_is_asked, parts)) else index
    return operator.index(index) if _is_asked(index) else index


def _is_asked(part: Any) -> bool:
    return type(getattr(type(part), "__index__", None)) is types.FunctionType and not hasattr(part, "_array")
