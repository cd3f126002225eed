"""How is what a function returned put together from a program's results?

A structure is a position among the results, or a tuple or list of structures, or a tuple that begins with a
word: ``("static", object)``, ``("outside", path)``, ``("namedtuple", class, structures)``,
or ``("dict" or "object", class, dict)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...rules.memory import locked
from ...trees import TreeDef, bare, flatten, is_opened, register_leaf
from ..ir.ops import Arg, Lit, Op, Var
from .builder import type_of_arg
from .constructs.leaving_values import is_fixed, require_kept, require_leaves
from .constructs.local_classes import require_outside
from .context import Context
from .conversion import from_arg, from_python
from .registered_objects import in_order, require_unregistered
from .store.identities import static_entries
from .store.memory_layouts import LOCKED
from .values import Arr, Dct, Lst, Obj, Range, Tup, Value


def positions(structure: object) -> Iterator[int]:
    """The positions of the leaves of a result."""
    if isinstance(structure, int):
        yield structure
    elif isinstance(structure, tuple) and structure and isinstance(structure[0], str):
        kind, _, *rest = structure
        parts = () if kind in ("static", "outside") else rest[0]
        for part in parts.values() if isinstance(parts, dict) else parts:
            yield from positions(part)
    elif isinstance(structure, (tuple, list)):
        for part in structure:
            yield from positions(part)


class Position:
    """Stands for the result with this number, as a leaf."""

    def __init__(self, number: int) -> None:
        self.number = number


register_leaf(Position)


def opened(structure: Any) -> tuple[TreeDef, list[Any]]:
    """The tree of a value with this structure, and its leaves: the positions of results, or constants."""
    marks = [Position(i) for i in range(max(positions(structure), default=-1) + 1)]
    leaves, tree = flatten(rebuild(structure, marks))
    return tree, leaves


def holder_of(structure: Any, position: int) -> type:
    """The class of the outermost object, or dict of a class of its own, that a result is in."""
    if isinstance(structure, tuple) and structure and isinstance(structure[0], str):
        if not is_opened(structure[1]):
            return structure[1]
        parts = structure[2].values() if isinstance(structure[2], dict) else structure[2]
    else:
        parts = structure
    return holder_of(next(part for part in parts if position in positions(part)), position)


def rebuild(structure: Any, results: Sequence[Any]) -> Any:
    """The value with this structure and these results."""
    if isinstance(structure, int):
        return results[structure]
    if isinstance(structure, list):
        return [rebuild(s, results) for s in structure]
    if isinstance(structure, tuple) and structure and isinstance(structure[0], str):
        kind, what, *rest = structure
        if kind == "static":
            return what
        if kind == "namedtuple":
            return what(*(rebuild(s, results) for s in rest[0]))
        content = {k: rebuild(s, results) for k, s in rest[0].items()}
        if kind == "dict":
            return what(content) if what is not dict else content
        instance = bare(what)
        for key, item in content.items():
            object.__setattr__(instance, key, item)
        return instance
    return tuple(rebuild(s, results) for s in structure)


def structure_outside(cx: Context, value: Value, results: list[Arg]) -> Any:
    """See ``structure_of``, of a value that leaves the program."""
    require_leaves(cx, value)
    return structure_of(cx, value, results)


def structure_of(cx: Context, value: Value, results: list[Arg]) -> Any:
    """The shape of the returned value: a position for a leaf, containers, ("static", object)."""
    require_kept(cx, value)
    if isinstance(value, (Var, Arr)):
        arg = cx.arg(value)
        if isinstance(value, Arr) and value.foreign == LOCKED:
            arg = as_locked(cx, arg)
        results.append(arg)
        return len(results) - 1
    if isinstance(value, Tup):
        require_unregistered(cx, value.cls)
        items = tuple(structure_of(cx, v, results) for v in value.items)
        return items if value.cls is None else ("namedtuple", value.cls, items)
    if isinstance(value, Lst):
        content = cx.state.get(value)
        if isinstance(content, Var):
            results.append(cx.arg(value))
            return len(results) - 1
        return [structure_of(cx, v, results) for v in content]
    require_outside(cx, value.cls if isinstance(value, Obj) else getattr(value, "value", None))
    if isinstance(value, (Dct, Obj)):
        held = static_entries(cx, value) if isinstance(value, Dct) else in_order(cx, value)
        content = {k: structure_of(cx, v, results) for k, v in held.items()}
        return ("dict", value.cls, content) if isinstance(value, Dct) else ("object", value.cls, content)
    if isinstance(value, Lit):
        if isinstance(value.value, (int, float, complex, np.number)) and not isinstance(value.value, bool):
            results.append(value)
            return len(results) - 1
        return ("static", value.value)
    if hasattr(value, "python_value"):
        return ("static", value.python_value())
    if isinstance(value, Range) and is_fixed(value):
        return ("static", range(*map(cx.static_value, (value.start, value.stop, value.step))))
    results.append(cx.arg(value))
    return len(results) - 1


def as_locked(cx: Context, arg: Arg) -> Arg:
    """What stands for an array that is read-only by its flags: one view, however often it is returned."""
    for op in reversed(cx.builder.block.ops):
        if isinstance(op, Op) and op.fn is locked and op.args[0] is arg:
            return op.outs[0]
    return cx.builder.opaque(locked, (arg,), type_of_arg(arg))


def rebuilt(cx: Context, structure: Any, results: Sequence[Arg]) -> Any:
    """The abstract value with this structure (see ``structure_of``) and these results."""
    if isinstance(structure, int):
        return from_arg(cx, results[structure])
    if isinstance(structure, list):
        return Lst(tuple(rebuilt(cx, s, results) for s in structure))
    if isinstance(structure, tuple) and structure and isinstance(structure[0], str):
        kind, what, *rest = structure
        if kind == "static":
            return from_python(cx, what)
        if kind == "namedtuple":
            return Tup(tuple(rebuilt(cx, s, results) for s in rest[0]), what)
        content = {k: rebuilt(cx, s, results) for k, s in rest[0].items()}
        return Dct(content, what) if kind == "dict" else Obj(what, content)
    return Tup(tuple(rebuilt(cx, s, results) for s in structure))
