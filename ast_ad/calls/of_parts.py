"""What is a derivative with respect to parts of arguments, ``wrt="p.a"``? One of a function of these parts.

``OfParts`` takes the parts out of a call's arguments, and calls a derivative of ``Lifted`` with them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..compiler.frontend.context import Context
from ..compiler.frontend.lower import callee_of
from ..compiler.frontend.values import Bound
from ..compiler.ir.ops import Lit
from ..errors import InputValueError, SharedMemoryError
from ..inspection.views import Inspection
from ..trees import containers
from .arguments import Arguments
from .inside import Nested, parameter_names
from .key_paths import KeyPath, is_container, key_paths, without
from .lifted import SWAPPING, AbstractLifted, Lifted, hollow, not_passed, owner_of, part_of, root_of
from .questions import Question

TOLD = {name for name in vars(Inspection) if not name.startswith("_")} | {"options", "question"}


class OfParts:
    """A derivative of ``function`` by the parts of its arguments that ``wrt`` names.

    ``make(function, argnums)`` gives a derivative; ``inner`` is that of the function of the parts.
    """

    def __init__(self, make: Callable[..., Any], function: Callable[..., Any], wrt: Any) -> None:
        if not callable(function):
            make(function, 0)  # refuses it
        self.make, self.function, self.wrt = make, function, wrt
        self.paths = key_paths(wrt)
        roots = tuple(dict.fromkeys(path.root for path in self.paths))
        owner = owner_of(function)
        self.arguments = Arguments(function, None, tuple(r for r in roots if owner is None or r != owner[0]))
        self.lifted = Lifted(function, self.paths)
        self.inner = make(self.lifted, tuple(range(len(self.paths))) if self.several else 0)
        functools.update_wrapper(self, function, updated=())

    @property
    def several(self) -> bool:
        return isinstance(self.wrt, (tuple, list))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        parts, args, kwargs = self.taken_out(args, kwargs)
        return self.inner(*parts, *args, **kwargs)

    def _prepare(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        parts, args, kwargs = self.taken_out(args, kwargs)
        return self.inner._prepare((*parts, *args), kwargs)

    def taken_out(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[list[Any], tuple[Any, ...], dict[str, Any]]:
        """The parts of a call's arguments, and the arguments without them, as far as these are containers.

        Raises:
            InputError: a part is not there, or can't be replaced.
        """
        args, kwargs = self.arguments.arrange(args, kwargs)
        rest: list[Any] = list(args)
        with SWAPPING:  # no other thread has put anything into their places
            roots = [self._root(path, args, kwargs) for path in self.paths]
            parts = [path.read(root) for path, root in zip(self.paths, roots, strict=True)]
            require_sole(self.paths, roots, (*args, *kwargs.values()))
            for path in self.paths:
                if self.lifted.is_owner(path.root):
                    continue
                if path.root in kwargs:
                    kwargs = {**kwargs, path.root: without(kwargs[path.root], path.steps)}
                else:
                    place = self.lifted.names.index(path.root)
                    rest[place] = without(rest[place], path.steps)
        return parts, tuple(rest), kwargs

    def _root(self, path: KeyPath, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if self.lifted.owner is not None and path.root == self.lifted.owner[0]:
            return self.lifted.owner[1]
        if path.root in kwargs:
            return kwargs[path.root]
        place = self.lifted.names.index(path.root)
        if place < len(args):
            return args[place]
        raise not_passed(path)

    def __ast_ad_lower__(self, cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """This derivative called inside of a function that is being compiled."""
        function = callee_of(cx, self.function)
        names, owner = self.lifted.names, self.lifted.owner
        parts, args, kwargs = taken_out(cx, self.paths, function, names, owner, args, kwargs)
        return self.inner.__ast_ad_lower__(cx, [*parts, *args], kwargs)

    def __getattr__(self, name: str) -> Any:
        if name in TOLD:
            return getattr(self.inner, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self) -> Any:
        return OfParts, (self.make, self.function, self.wrt)

    def __repr__(self) -> str:
        return repr(self.inner)


def require_sole(paths: Sequence[KeyPath], roots: Sequence[Any], values: Sequence[Any]) -> None:
    """
    Raises:
        SharedMemoryError: a list, dict or object of which a part is chosen is in the arguments twice.
    """
    found: list[int] | None = None
    for path, root in zip(paths, roots, strict=True):
        for n in range(len(path.steps)):
            at = KeyPath(path.root, path.steps[:n]).read(root)
            if not is_container(at):
                break
            found = [id(part) for value in values for part in containers(value)] if found is None else found
            if found.count(id(at)) > 1:
                raise SharedMemoryError(
                    f"wrt={str(path)!r}, a part of what is in the arguments twice",
                    why="the derivative is by the part in one place, and the other one is the same",
                    fix="pass a copy in one of the places",
                )


def taken_out(
    cx: Context,
    paths: Sequence[KeyPath],
    function: Any,
    names: Sequence[str],
    owner: Any,
    args: list[Any],
    kwargs: dict[str, Any],
) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """The abstract parts of arguments, and the arguments without them."""
    args, kwargs = list(args), dict(kwargs)
    parts = []
    for path in paths:
        root = root_of(cx, path, function, names, owner, args, kwargs)
        parts.append(part_of(cx, root, path.steps))
        if owner is not None and path.root == owner[0]:
            continue
        given: Any = kwargs if path.root in kwargs else args
        given[path.root if path.root in kwargs else names.index(path.root)] = hollow(cx, root, path.steps)
    return parts, args, kwargs


class NestedOfParts:
    """A question about parts of the arguments of an abstract function, in compiled code."""

    def __init__(self, question: Question, function: Any, wrt: Any) -> None:
        self.question, self.function = question, function
        self.paths = key_paths(wrt)
        self.several = isinstance(wrt, (tuple, list))
        self.names = parameter_names(function)
        self.owner = None
        if isinstance(function, Bound) and function.args:
            first = parameter_names(function.fn)[:1]
            self.owner = (first[0], None) if first else None
        known = [*self.names, *([self.owner[0]] if self.owner else [])]
        for path in self.paths:
            if path.root not in known:
                raise InputValueError(
                    f"wrt={str(path)!r}",
                    why=f"the function has no parameter `{path.root}`",
                    fix="use one of " + ", ".join(known),
                )

    def __ast_ad_lower__(self, cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        parts, args, kwargs = taken_out(cx, self.paths, self.function, self.names, self.owner, args, kwargs)
        lifted = Lit(AbstractLifted(self.function, self.paths, self.names, self.owner))
        names = [*map(str, self.paths), *self.names]
        argnums: Any = tuple(range(len(self.paths))) if self.several else 0
        return Nested(self.question, lifted, names, argnums).__ast_ad_lower__(cx, [*parts, *args], kwargs)

