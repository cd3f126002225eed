"""Which part of an argument is meant by ``wrt="p.a"``, and how does a value get into its place?

A key path is written as Python reads the part: ``p.a``, ``p['a']``, ``p.layers[0].w``. Up to the first object
that is no container the way leads through the structure of an argument, of which a function gets another one
with the value in it. From there on it leads through what outlives the call, and other names may lead there,
too: the value is put into the object itself, and taken out when the function has run.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from ..compiler.frontend.guards import ATTRIBUTE, ITEM
from ..compiler.frontend.signatures import is_object
from ..errors import InputTypeError, InputValueError
from ..registered import cached_in, entry_of, instance_attributes, is_slot, reads_plainly, shallow_copy

Step = tuple[str, Any]
HOW = 'write it as it is read: "p.a", "p[\'a\']" or "p.layers[0].w"'


class Undo(list[Callable[[], None]]):
    """What makes objects what they were; ``places``: which of them were changed, and where."""

    def __init__(self) -> None:
        super().__init__()
        self.places: list[tuple[Any, Step]] = []

    def run(self) -> None:
        for step in reversed(self):
            step()


@dataclasses.dataclass(frozen=True)
class KeyPath:
    """A parameter, ``root``, and the steps from there."""

    root: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return self.root + written(self.steps)

    def read(self, value: Any) -> Any:
        """What is there in an argument.

        Raises:
            InputError: there is nothing, or nothing that can be replaced.
        """
        at = self.root
        outside = False
        for n, (kind, key) in enumerate(self.steps):
            outside = outside or not is_container(value)
            value = self._step(at, value, kind, key, outside)
            at = self.root + written(self.steps[: n + 1])
        return value

    def way(self, value: Any) -> list[tuple[int, Step]]:
        """The places through which the path leads, the part's own last, from the first with other names."""
        found: list[tuple[int, Step]] = []
        for step in self.steps:
            if found or not is_container(value):
                found.append((id(value), step))
            value = _held(value, step[1]) if step[0] == ATTRIBUTE else value[step[1]]
        return found

    def _step(self, at: str, value: Any, kind: str, key: Any, outside: bool) -> Any:
        return _attribute(self, at, value, key, outside) if kind == ATTRIBUTE else _item(self, at, value, key)


def written(steps: Sequence[Step]) -> str:
    """
    >>> written((("attribute", "a"), ("item", "W"), ("item", 0)))
    ".a['W'][0]"
    """
    return "".join(f".{key}" if kind == ATTRIBUTE else f"[{key!r}]" for kind, key in steps)


def has_steps(wrt: Any) -> bool:
    """Whether a part of an argument is among what is asked for."""
    several = wrt if isinstance(wrt, (tuple, list)) else (wrt,)
    return any(isinstance(one, str) and not one.isidentifier() for one in several)


def key_path(text: Any) -> KeyPath:
    """
    >>> key_path("p.layers[0]['w']")
    KeyPath(root='p', steps=(('attribute', 'layers'), ('item', 0), ('item', 'w')))
    """
    steps: list[Step] = []
    try:
        node: ast.expr = ast.parse(text, mode="eval").body
        while not isinstance(node, ast.Name):
            if isinstance(node, ast.Attribute):
                steps.append((ATTRIBUTE, node.attr))
            elif isinstance(node, ast.Subscript):
                steps.append((ITEM, ast.literal_eval(node.slice)))
            else:
                raise ValueError
            node = node.value
    except (SyntaxError, TypeError, ValueError):
        raise InputValueError(f"wrt={text!r}", why="it names no part of an argument", fix=HOW) from None
    return KeyPath(node.id, tuple(reversed(steps)))


def key_paths(wrt: Any) -> tuple[KeyPath, ...]:
    """The parts that are asked for.

    Raises:
        InputValueError: one lies in another.
    """
    found = tuple(map(key_path, wrt if isinstance(wrt, (tuple, list)) else (wrt,)))
    for n, one in enumerate(found):
        for other in found[:n]:
            short = min(len(one.steps), len(other.steps))
            if one.root == other.root and one.steps[:short] == other.steps[:short]:
                raise InputValueError(
                    f"wrt={wrt!r}", why="it names a part of an argument twice", fix="choose each part once"
                )
    return found


def require_apart(paths: Sequence[KeyPath], roots: Sequence[Any]) -> None:
    """
    Raises:
        InputValueError: two paths lead to one place, by other names, or one through the place of another.
    """
    ways = [path.way(root) for path, root in zip(paths, roots, strict=True)]
    for n, one in enumerate(ways):
        for m, other in enumerate(ways):
            if n != m and one and one[-1] in other:
                raise InputValueError(
                    f"wrt={str(paths[n])!r}",
                    why=f"`{paths[m]}` is the same place, or in it",
                    fix="choose one of them",
                )


def is_container(value: Any) -> bool:
    """Whether a value is a part of the structure of an argument, and taken apart with it."""
    cls = type(value)
    if cls in (tuple, list, dict, OrderedDict) or entry_of(cls) is not None:
        return True
    return hasattr(cls, "_fields") and isinstance(value, tuple) or dataclasses.is_dataclass(cls)


# ----- reading
def _attribute(path: KeyPath, at: str, value: Any, name: str, outside: bool) -> Any:
    held = instance_attributes(value)
    raw = next((vars(cls)[name] for cls in type(value).__mro__ if name in vars(cls)), None)
    if isinstance(value, tuple) and name in getattr(value, "_fields", ()):
        return getattr(value, name)
    computed = isinstance(raw, (property, functools.cached_property))
    if computed or hasattr(type(raw), "__set__") and not is_slot(raw):
        raise InputValueError(
            f"wrt={str(path)!r}",
            why=f"`{name}` is computed by code of {type(value).__name__}, and held nowhere",
            fix="choose what it is computed from" + _choices(held),
        )
    of_class = raw is not None and not is_slot(raw) and not hasattr(type(raw), "__get__")
    if name not in held and not (of_class and outside and hasattr(value, "__dict__")):
        what = "does not exist" if raw is None or is_slot(raw) else "is a method, not a value"
        what = "is held by its class, not by the object" if of_class else what
        is_key = isinstance(value, dict) and name in value
        raise InputValueError(
            f"wrt={str(path)!r}",
            why=f"the attribute `{name}` of `{at}`, a {type(value).__name__}, {what}",
            fix=f"write {at}[{name!r}]" if is_key else "use one of its attributes" + _choices(held),
        )
    plain = not outside or is_object(value) and reads_plainly(type(value))
    if not plain:
        raise InputTypeError(
            f"wrt={str(path)!r}",
            why=f"attributes of `{at}`, a {type(value).__name__}, can't be replaced for the time of a call",
            fix="pass the value as an argument",
        )
    return held[name] if name in held else raw


def _choices(names: Any) -> str:
    shown = [str(name) for name in names if not str(name).startswith("__")]
    return ": " + ", ".join(shown) if shown else ""


def _item(path: KeyPath, at: str, value: Any, key: Any) -> Any:
    if not _has_plain_items(type(value)):
        raise InputTypeError(
            f"wrt={str(path)!r}",
            why=f"`{at}` is a {type(value).__name__}, whose items can't be replaced for the time of a call",
            fix="choose all of it, or an item of a tuple, list or dict",
        )
    try:
        found = value[key]
    except (LookupError, TypeError):
        names = [*value] if isinstance(value, dict) else [f"0 to {len(value) - 1}"] if value else []
        raise InputValueError(
            f"wrt={str(path)!r}",
            why=f"`{at}`, a {type(value).__name__}, has no item {key!r}",
            fix="use one of its items" + _choices(map(repr, names) if isinstance(value, dict) else names),
        ) from None
    if isinstance(key, slice) or not isinstance(value, dict) and (isinstance(key, bool) or key < 0):
        raise InputValueError(
            f"wrt={str(path)!r}", why="one item is chosen by its number, from 0", fix="write that"
        )
    return found


def _has_plain_items(cls: type) -> bool:
    """Whether a container's items are what its class says, without code of the user's."""
    if entry_of(cls) is not None:
        return False
    return cls in (tuple, list, dict, OrderedDict) or issubclass(cls, tuple) and hasattr(cls, "_fields")


# ----- writing
def put(value: Any, steps: Sequence[Step], new: Any, undo: Undo, outside: bool = False) -> Any:
    """A value with another one in the place to which the steps lead from it.

    What outlives the call is changed itself; ``undo`` gets what makes it what it was.
    """
    if not steps:
        return new
    (kind, key), rest = steps[0], steps[1:]
    outside = outside or not is_container(value)
    old = _held(value, key) if kind == ATTRIBUTE else value[key]
    made = put(old, rest, new, undo, outside)
    if made is old and rest:
        return value
    if isinstance(value, tuple):
        return _with_item(value, key if kind == ITEM else type(value)._fields.index(key), made)  # type: ignore[attr-defined]
    if not outside:
        return _with_part(value, kind, key, made)
    undo.places.append((value, (kind, key)))
    if kind == ATTRIBUTE:
        undo.append(_attribute_back(value, key))
        forget_cached(value)
        object.__setattr__(value, key, made)
    else:
        undo.append(_item_back(value, key, old, made))
        value[key] = made
    return value


def without(value: Any, steps: Sequence[Step]) -> Any:
    """An argument with nothing in a place of its structure, as the value there is passed on its own."""
    at = value
    for kind, key in steps:
        if not is_container(at) or entry_of(type(at)) is not None:
            return value
        at = _held(at, key) if kind == ATTRIBUTE else at[key]
    return put(value, steps, None, Undo())


def _held(value: Any, name: str) -> Any:
    held = instance_attributes(value)
    return held[name] if name in held else getattr(value, name)


def _with_item(value: tuple[Any, ...], index: int, item: Any) -> Any:
    items = [*value[:index], item, *value[index + 1 :]]
    return type(value)._make(items) if hasattr(value, "_make") else tuple(items)


def _with_part(value: Any, kind: str, key: Any, part: Any) -> Any:
    if kind == ITEM:
        found = value.copy()
        found[key] = part
        return found
    found = shallow_copy(value)
    object.__setattr__(found, key, part)
    return found


def _attribute_back(value: Any, name: str) -> Callable[[], None]:
    """What gives an object its own attribute again, and what it has kept of what was computed of it."""
    held, caches = instance_attributes(value), cached_in(value)

    def put_back() -> None:
        forget_cached(value)
        if caches:
            vars(value).update(caches)
        if name in held:
            object.__setattr__(value, name, held[name])
        elif name in instance_attributes(value):  # it is the class that has it
            object.__delattr__(value, name)

    return put_back


def forget_cached(value: Any) -> None:
    """Let what depends on an attribute be computed again."""
    for name in cached_in(value):
        del vars(value)[name]


def _item_back(value: Any, key: Any, old: Any, made: Any) -> Callable[[], None]:
    size = len(value)

    def put_back() -> None:
        places = [key]
        if isinstance(value, list) and len(value) != size:  # the function has moved it
            places = [n for n, item in enumerate(value) if item is made]
        for place in places:
            value[place] = old

    return put_back
