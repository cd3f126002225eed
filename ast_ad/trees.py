"""Which numbers and arrays does an argument or a result consist of, and how is it put together again?

Tuples, lists, dicts, named tuples and dataclasses are taken apart, and so are objects of classes that were
registered (``registered.py``). Numbers and arrays are leaves; everything else (strings, None, flags, other
objects) is part of the structure, and so of what a compiled function is specialised to.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .errors import InputTypeError
from .homes import home_of
from .registered import Made, alike, besides, entry_of, instance_attributes, like

KEEP: Any = type("Keep", (), {"__repr__": lambda self: "KEEP"})()


class LEAF:
    """The ``type`` of a TreeDef that stands for a number or an array."""


class STATIC:
    """The ``type`` of a TreeDef that stands for a value of its own."""


def _static_key(value: Any) -> Any:
    """What decides whether two static values are the same: the value, or identity where it has no hash."""
    if value is None or isinstance(value, Made):
        return value
    try:
        hash(value)
    except TypeError:
        if isinstance(value, slice):
            return slice, value.start, value.stop, value.step
        return "id", id(value)
    cls = type(value)
    equal: Any = cls.__eq__
    if home_of(cls).split(".")[0] not in ("builtins", "numpy") and equal is not object.__eq__:
        return "id", id(value)  # two objects that call themselves equal may hold different numbers
    return cls, value


def _step(parent: TreeDef, key: Any) -> str:
    if issubclass(parent.type, dict) or isinstance(key, int):
        return f"[{key!r}]"
    return f".{key}"


class TreeDef:
    """The structure of a value, without its leaves. Equal structures are equal and hash alike.

    ``type`` is the container's, LEAF or STATIC; ``keys`` tell its children apart (indices, dict keys in
    insertion order, field names); ``static`` is the value that stands there where it is no leaf, or how an
    object of a registered class is made. ``whole``: that object, which is no part of what is compared.
    """

    __slots__ = "type", "keys", "children", "static", "num_leaves", "whole", "_hash"

    def __init__(
        self,
        type: Any,
        keys: tuple[Any, ...],
        children: tuple[TreeDef, ...],
        static: Any = None,
        whole: Any = None,
    ) -> None:
        self.type, self.keys, self.children, self.static = type, keys, children, static
        self.whole = whole
        self.num_leaves: int = 1 if type is LEAF else sum([child.num_leaves for child in children])
        self._hash = hash((type, keys, children, _static_key(static)))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, TreeDef)
            and self._hash == other._hash
            and self.type is other.type
            and self.keys == other.keys
            and self.children == other.children
            and _static_key(self.static) == _static_key(other.static)
        )

    def __repr__(self) -> str:
        if self.type is LEAF:
            return "*"
        if self.type is STATIC:
            return repr(self.static)
        if self.type is tuple or self.type is list:
            inner = ", ".join(map(repr, self.children))
            comma = "," if self.type is tuple and len(self.children) == 1 else ""
            return f"[{inner}]" if self.type is list else f"({inner}{comma})"
        pairs = zip(self.keys, self.children, strict=True)
        if issubclass(self.type, dict) and not isinstance(self.static, Made):
            return "{" + ", ".join(f"{key!r}: {child!r}" for key, child in pairs) + "}"
        if isinstance(self.static, Made):
            return f"{self.type.__name__}({', '.join(map(repr, self.children))})"
        return f"{self.type.__name__}(" + ", ".join(f"{key}={child!r}" for key, child in pairs) + ")"

    def unflatten(self, leaves: Sequence[Any], static: Any = KEEP) -> Any:
        """The value with this structure and these leaves.

        Args:
            leaves: as many as ``num_leaves``.
            static: what to put in the place of everything that is no leaf; by default what stood there.

        Raises:
            ValueError: another number of leaves.
        """
        if len(leaves) != self.num_leaves:
            raise ValueError(f"{len(leaves)} leaves for a structure with {self.num_leaves}: {self}")
        return leaves[0] if self.type is LEAF else self._build(iter(leaves), static)

    def statics(self) -> Iterator[Any]:
        """Everything in it that is no leaf."""
        if self.type is STATIC:
            yield self.static
        for child in self.children:
            yield from child.statics()

    def paths(self, root: str = "") -> tuple[str, ...]:
        """How each leaf is reached from a value called ``root``: ``params['W']``, ``layers[0].bias``."""
        return tuple(root + "".join(_step(parent, key) for parent, key in path) for path in self._routes())

    def names(self, root: str = "") -> tuple[str, ...]:
        """An identifier for each leaf: ``params_W``, ``layers_0_bias``; no two alike."""
        taken: dict[str, None] = {}
        for path in self._routes():
            parts = [root, *(str(key) for _, key in path)]
            name = re.sub(r"\W+", "_", "_".join(part for part in parts if part)).strip("_") or "leaf"
            name = f"_{name}" if name[0].isdigit() else name
            unique, count = name, 2
            while unique in taken:
                unique, count = f"{name}_{count}", count + 1
            taken[unique] = None
        return tuple(taken)

    def opened(self, value: Any) -> tuple[Any, ...]:
        """The children of another object of the same registered class."""
        return self.static.entry.open(value)[0]  # type: ignore[no-any-return]

    def bare(self) -> TreeDef:
        """The same without the objects that it was made of."""
        children = tuple([child.bare() for child in self.children])
        if self.whole is None and all(
            one is other for one, other in zip(children, self.children, strict=True)
        ):
            return self
        return TreeDef(self.type, self.keys, children, self.static)

    def _build(self, leaves: Iterator[Any], static: Any) -> Any:
        if self.type is LEAF:
            return next(leaves)
        if self.type is STATIC:
            return self.static if static is KEEP else static
        items = [child._build(leaves, static) for child in self.children]
        if self.type is list:
            return items
        if self.type is tuple:
            return tuple(items)
        if isinstance(self.static, Made):
            return self._made(items)
        if issubclass(self.type, dict):
            return self.type(zip(self.keys, items, strict=True))
        if issubclass(self.type, tuple):
            return self.type._make(items)
        value = bare(self.type)  # not through __init__: a gradient need not pass its checks
        for key, item in zip(self.keys, items, strict=True):
            object.__setattr__(value, key, item)
        return value

    def _made(self, items: list[Any]) -> Any:
        """The object of a registered class with these children."""
        made = self.static.entry.unflatten(self.static.aux, tuple(items))
        return made if self.whole is None else like(self.whole, made, self._again)

    def _again(self) -> Any:
        """The object of a registered class, made of its own children."""
        return self.static.entry.unflatten(self.static.aux, self.opened(self.whole))

    def other_attribute(self, other: TreeDef) -> str | None:
        """An attribute that objects of registered classes have beside what they are made of, and that is
        another one in a value of the same structure; None if there is none.
        """
        if self.whole is not None and other.whole is not None:
            here, there = self._besides(), other._besides()
            for name in (*here, *there):
                if name not in here or name not in there or not alike(here[name], there[name]):
                    return name
        pairs = zip(self.children, other.children, strict=True)
        return next((found for one, two in pairs if (found := one.other_attribute(two))), None)

    def _besides(self) -> dict[str, Any]:
        return besides(instance_attributes(self.whole), self._again())

    def _routes(self) -> Iterator[tuple[tuple[TreeDef, Any], ...]]:
        if self.type is LEAF:
            yield ()
        for key, child in zip(self.keys, self.children, strict=True):
            for route in child._routes():
                yield (self, key), *route


_PLAIN = {float, int, complex, np.ndarray, np.float64, np.float32}
_leaf = TreeDef(LEAF, (), ())
_none = TreeDef(STATIC, (), (), None)


def bare(cls: Any) -> Any:
    """An instance of a class, without what its ``__new__`` and ``__init__`` do.

    >>> isinstance(bare(KeyError), KeyError)
    True
    """
    builtin = next(base for base in cls.__mro__ if not base.__flags__ & HEAP)
    return builtin.__new__(cls)


HEAP = 1 << 9  # of classes that were made by Python code: others know how to make an instance


def flatten(value: Any, name: str = "") -> tuple[list[Any], TreeDef]:
    """The leaves of a value, in order, and its structure.

    Args:
        value: an argument or a result.
        name: what to call it in errors.

    Raises:
        InputTypeError: an array class whose operators mean something else (``np.matrix``, masked arrays), or
            a container that contains itself.

    >>> leaves, tree = flatten({"W": 1.0, "b": (2.0, None), "kind": "relu"})
    >>> leaves, tree
    ([1.0, 2.0], {'W': *, 'b': (*, None), 'kind': 'relu'})
    >>> tree.unflatten([10.0, 20.0])
    {'W': 10.0, 'b': (20.0, None), 'kind': 'relu'}
    >>> tree.paths("params"), tree.names("params")
    (("params['W']", "params['b'][0]"), ('params_W', 'params_b_0'))
    """
    if type(value) in _PLAIN:
        return [value], _leaf
    leaves: list[Any] = []
    try:
        return leaves, _walk(value, leaves)
    except RecursionError:
        raise InputTypeError(
            f"`{name or 'the value'}` contains itself, or is nested too deeply",
            why="its leaves cannot be listed",
            fix="pass the numbers and arrays in flat containers",
        ) from None
    except _StrangeArray as error:
        raise InputTypeError(
            f"`{name or 'the value'}` holds a {error}",
            why="its operators do not mean what they mean for arrays",
            fix="pass np.asarray(...) of it",
        ) from None


def aligned(tree: TreeDef, value: Any) -> list[Any]:
    """The leaves of another value in the order of a structure: what stands in the places of its leaves.

    Entries of dicts and fields belong together by their names, items of tuples and lists by their places.
    None may stand in the place of a leaf, and anything where there is none.

    Raises:
        ValueError: the value has another structure.

    >>> _, tree = flatten({"a": 1.0, "b": (2.0, None)})
    >>> aligned(tree, {"b": [5.0, None], "a": 4.0})
    [4.0, 5.0]
    """
    leaves, other = flatten(value)
    return _aligned(tree, other, leaves)


def _aligned(tree: TreeDef, other: TreeDef, leaves: Sequence[Any]) -> list[Any]:
    if tree.type is STATIC:
        return []
    if tree.type is LEAF:
        if other.type is LEAF:
            return [leaves[0]]
        if other.type is STATIC and other.static is None:
            return [None]
        raise ValueError(f"{other} where there is *")
    same = tree.type is other.type or all(
        issubclass(t.type, dict) and t.static is None for t in (tree, other)
    )
    keys = other.keys
    if not same and issubclass(tree.type, (tuple, list)) and issubclass(other.type, (tuple, list)):
        same, keys = (
            (tuple in (tree.type, other.type) or list in (tree.type, other.type)),
            tree.keys[: len(keys)],
        )
    if not same or len(other.keys) != len(tree.keys) or {*keys} != {*tree.keys}:
        raise ValueError(f"{other} where there is {tree}")
    ends = [0]
    for child in other.children:
        ends.append(ends[-1] + child.num_leaves)
    places = {key: n for n, key in enumerate(keys)}
    found: list[Any] = []
    for key, child in zip(tree.keys, tree.children, strict=True):
        n = places[key]
        found += _aligned(child, other.children[n], leaves[ends[n] : ends[n + 1]])
    return found


def containers(value: Any) -> Iterator[Any]:
    """The lists, dicts and dataclass objects in a value, each as often as it is there.

    >>> row = [1.0]
    >>> len(list(containers(([row, row], {}))))
    4
    """
    cls = type(value)
    if cls in _PLAIN or value is None:
        return
    items: Iterable[Any] = ()
    if isinstance(value, tuple) and entry_of(cls) is None:
        items = value
    elif cls is list or cls is dict or cls is OrderedDict:
        yield value
        items = value if cls is list else value.values()
    elif (entry := entry_of(cls)) is not None:
        yield value
        items = entry.open(value)[0]
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield value
        items = [getattr(value, f.name) for f in dataclasses.fields(value) if hasattr(value, f.name)]
    for item in items:
        yield from containers(item)


def repeated(values: Iterable[Any]) -> bool:
    """Whether a list, dict or dataclass object is in the values more than once."""
    found = [id(part) for value in values for part in containers(value)]
    return len(set(found)) < len(found)


class Changed(threading.local):
    """What a derivative that is called within a traced function changed of its arguments, in copies.

    To the function, of which a derivative may be asked in turn, that is a change. None: nothing is traced.
    """

    parts: list[Any] | None = None

    def note(self, parts: Iterable[Any]) -> None:
        if self.parts is not None:
            self.parts += parts


changed = Changed()


@contextlib.contextmanager
def noting_changes() -> Iterator[list[Any]]:
    """The arrays, lists, dicts and objects that derivatives in the block change in copies."""
    before, changed.parts = changed.parts, []
    try:
        yield changed.parts
    finally:
        changed.parts = before


def register_leaf(cls: type) -> None:
    """Let instances of exactly this class be leaves (the eager Tensor)."""
    _PLAIN.add(cls)


def is_opened(cls: type) -> bool:
    """Whether the objects of a class are taken apart.

    >>> is_opened(dict), is_opened(set)
    (True, False)
    """
    if cls in (tuple, list, dict, OrderedDict) or entry_of(cls) is not None:
        return True
    named = issubclass(cls, tuple) and hasattr(cls, "_fields") and hasattr(cls, "_make")
    return named or dataclasses.is_dataclass(cls)


class _StrangeArray(Exception):
    pass


def _walk(value: Any, leaves: list[Any]) -> TreeDef:
    cls = type(value)
    if cls in _PLAIN:
        leaves.append(value)
        return _leaf
    if value is None:
        return _none
    if cls is tuple or cls is list:
        return TreeDef(cls, tuple(range(len(value))), tuple([_walk(item, leaves) for item in value]))
    if cls is dict or cls is OrderedDict:
        return TreeDef(cls, tuple(value), tuple([_walk(item, leaves) for item in value.values()]))
    entry = entry_of(cls)
    if entry is not None:
        parts, aux = entry.open(value)
        children = tuple([_walk(item, leaves) for item in parts])
        return TreeDef(cls, tuple(range(len(parts))), children, Made(entry, aux), value)
    if isinstance(value, tuple) and hasattr(cls, "_fields") and hasattr(cls, "_make"):
        items = tuple.__iter__(value)  # whatever the class gives when it is iterated over
        return TreeDef(cls, cls._fields, tuple([_walk(item, leaves) for item in items]))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = tuple(f.name for f in dataclasses.fields(value) if hasattr(value, f.name))
        return TreeDef(cls, names, tuple([_walk(getattr(value, name), leaves) for name in names]))
    if _is_number_or_array(value):
        leaves.append(value)
        return _leaf
    return TreeDef(STATIC, (), (), value)


def _is_number_or_array(value: Any) -> bool:
    if "__ast_ad_plays__" in vars(type(value)):  # it stands for an array while a function runs
        raise _StrangeArray("structured array that the function makes")
    if isinstance(value, np.ndarray):
        cls = type(value)
        if cls not in (np.ndarray, np.memmap):
            module = home_of(cls).partition(".")[0]
            raise _StrangeArray(
                f"{module} {cls.__name__}" if module == "numpy" else f"{cls.__name__}, no plain array"
            )
        return True
    if isinstance(value, np.generic):
        return value.dtype.kind in "biufc"
    if hasattr(type(value), "_is_eager_tensor"):
        return True
    return isinstance(value, (int, float, complex)) and not isinstance(value, (bool, enum.Enum))
