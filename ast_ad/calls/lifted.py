"""What is a function of parts of its arguments? The same function, with the parts as its first arguments.

``Lifted(function, paths)`` called with ``(*parts, *args)`` puts the parts into their places, and calls
``function(*args)``. To the compiler that is no code but what the front end knows: an attribute of an object
from outside is a place of its store, whatever name leads to the object, and the place holds the part.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..compiler.frontend.constructs.attributes import load_attribute
from ..compiler.frontend.context import Context
from ..compiler.frontend.guards import ATTRIBUTE
from ..compiler.frontend.lower import callee_of
from ..compiler.frontend.store.lifted_places import Lifting
from ..compiler.frontend.values import Bound, Dct, Live, Lst, Obj, Tup
from ..compiler.ir.ops import Lit
from ..errors import InputValueError
from ..tracing import is_tracing
from ..trees import flatten
from .inside_later import mapped
from .key_paths import KeyPath, Step, Undo, put

SWAPPING = threading.RLock()  # objects hold other values while a function runs on these


class Lifted:
    """``function`` with the parts of its arguments at ``paths`` as its first arguments."""

    has_shelf = True  # see ``sharing``

    def __init__(self, function: Callable[..., Any], paths: Sequence[KeyPath]) -> None:
        self.function, self.paths = function, tuple(paths)
        self.owner = owner_of(function)
        found = inspect.signature(function)
        self.names = [p.name for p in found.parameters.values()]
        leading: list[str] = []
        for path in self.paths:
            name = "_".join(part for part in _words(str(path)) if part)
            while name in (*self.names, *leading) or not name.isidentifier():
                name += "_"
            leading.append(name)
        self.part_labels = dict(zip(leading, map(str, self.paths), strict=True))  # what users call them
        first = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in leading]
        self.__signature__ = inspect.Signature([*first, *found.parameters.values()])
        self._local = threading.local()  # ``places``: what was changed in the last trace
        functools.update_wrapper(self, function, updated=())

    def __reduce__(self) -> Any:
        return Lifted, (self.function, self.paths)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        count, undo = len(self.paths), Undo()
        rest = list(args[count:])
        with SWAPPING:
            try:
                for path, part in zip(self.paths, args, strict=False):
                    if self.owner is not None and path.root == self.owner[0]:
                        put(self.owner[1], path.steps, part, undo, True)
                        continue
                    place: Any = self.names.index(path.root)
                    given: Any = kwargs if path.root in kwargs else rest
                    place = path.root if path.root in kwargs else place
                    given[place] = put(given[place], path.steps, part, undo)
                found = self.function(*rest, **kwargs)
                leaves, tree = flatten(found)  # what it returns may be what holds the parts
            finally:
                undo.run()
                if is_tracing():
                    self._local.places = undo.places
        return tree.unflatten(leaves) if undo and tree.children else found

    @contextlib.contextmanager
    def hiding(self) -> Iterator[None]:
        """While what was changed in the last trace holds nothing: the parts were arguments there."""
        places, undo = getattr(self._local, "places", []), Undo()
        self._local.places = []
        with SWAPPING:
            try:
                for owner, step in places:
                    put(owner, (step,), None, undo, True)
                yield
            finally:
                undo.run()

    def is_owner(self, root: str) -> bool:
        return self.owner is not None and root == self.owner[0]

    def __ast_ad_lower__(self, cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """The abstract result of a call."""
        return lowered(cx, callee_of(cx, self.function), self.paths, self.names, self.owner, args, kwargs)


class AbstractLifted:
    """The same of an abstract function, where compiled code asks for a derivative."""

    def __init__(self, function: Any, paths: Sequence[KeyPath], names: Sequence[str], owner: Any) -> None:
        self.function, self.paths, self.names, self.owner = function, tuple(paths), list(names), owner

    def __ast_ad_lower__(self, cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return lowered(cx, self.function, self.paths, self.names, self.owner, args, kwargs)


def lowered(
    cx: Context,
    function: Any,
    paths: Sequence[KeyPath],
    names: Sequence[str],
    owner: Any,
    args: list[Any],
    kwargs: dict[str, Any],
) -> Any:
    """The abstract result of ``function`` with parts of its arguments in their places."""
    from ..compiler.frontend.callables.calls import call

    rest, kwargs = args[len(paths) :], dict(kwargs)
    lifting = Lifting(cx)
    try:
        for path, part in zip(paths, args, strict=False):
            root = root_of(cx, path, function, names, owner, rest, kwargs)
            made = lifting.put(root, path.steps, part)
            if made is not root:
                given: Any = kwargs if path.root in kwargs else rest
                given[path.root if path.root in kwargs else names.index(path.root)] = made
        found = call(cx, function, rest, kwargs)
        # What is returned may be a list or dict that holds a part only now.
        return mapped(cx, found, lambda leaf: leaf) if lifting.containers else found
    finally:
        lifting.undo()


def root_of(
    cx: Context, path: KeyPath, function: Any, names: Sequence[str], owner: Any, args: Any, kwargs: Any
) -> Any:
    """The abstract argument that a path begins at.

    Raises:
        InputValueError: the call has none.
    """
    if owner is not None and path.root == owner[0]:
        return function.args[0] if isinstance(function, Bound) else function
    if path.root in kwargs:
        return kwargs[path.root]
    place = names.index(path.root)
    if place < len(args):
        return args[place]
    raise not_passed(path, cx.builder.span)


def part_of(cx: Context, value: Any, steps: Sequence[Step]) -> Any:
    """The abstract part to which the steps lead."""
    for kind, key in steps:
        if kind == ATTRIBUTE:
            value = load_attribute(cx, value, key)
            continue
        items = value.items if isinstance(value, Tup) else None
        if isinstance(value, (Lst, Dct)):
            items = cx.state.get(value)
        if not isinstance(items, (tuple, dict)):
            raise cx.unsupported("a derivative by an item", "it is no item of a list or dict", "pass it")
        try:
            value = items[key]
        except (LookupError, TypeError):
            raise cx.unsupported("a derivative by an item", f"there is no item {key!r}", "check it") from None
    return value


def hollow(cx: Context, value: Any, steps: Sequence[Step]) -> Any:
    """An abstract argument with nothing in a place of its structure: the part is passed on its own."""
    if not steps:
        return Lit(None)
    (kind, key), rest = steps[0], steps[1:]
    if isinstance(value, Live) or getattr(value, "serial", 0) < 0:
        return value
    part = part_of(cx, value, steps[:1])
    made = hollow(cx, part, rest)
    if made is part:
        return value
    if isinstance(value, Tup):
        at = value.cls._fields.index(key) if kind == ATTRIBUTE else key  # type: ignore[union-attr]
        return Tup((*value.items[:at], made, *value.items[at + 1 :]), value.cls)
    if isinstance(value, Lst):
        items = cx.state.get(value)
        return Lst((*items[:key], made, *items[key + 1 :]))
    content = {**cx.state.get(value), key: made}
    return Dct(content, value.cls) if isinstance(value, Dct) else Obj(value.cls, content)


def not_passed(path: KeyPath, span: Any = None) -> InputValueError:
    why = f"the call does not pass `{path.root}`"
    return InputValueError(f"wrt={str(path)!r}", span, why, "pass it, or choose another")


def owner_of(function: Any) -> tuple[str, Any] | None:
    """The name in a method, and the object, of what the method is bound to; None for a plain function."""
    if isinstance(function, types.FunctionType):
        return None
    method = function if isinstance(function, types.MethodType) else getattr(function, "__call__", None)  # noqa: B004
    if not isinstance(method, types.MethodType) or not isinstance(method.__func__, types.FunctionType):
        return None
    code = method.__func__.__code__
    return (code.co_varnames[0], method.__self__) if code.co_argcount else None


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in text).split()
