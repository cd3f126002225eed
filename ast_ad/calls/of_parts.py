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
from .arguments import Arguments, use_one_of
from .inside import Nested, parameter_names
from .key_paths import KeyPath, is_container, key_paths, require_apart, without
from .lifted import SWAPPING, AbstractLifted, Lifted, hollow, not_passed, owner_of, part_of, root_of
from .questions import Question
from .sharing import kept

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
        owner = owner_of(function)
        roots = dict.fromkeys(path.root for path in self.paths if owner is None or path.root != owner[0])
        require_known(self.paths, Arguments(function, None, None).names, owner)
        self.arguments = Arguments(function, None, tuple(roots))
        self.lifted = kept(function, (Lifted, wrt), lambda: Lifted(function, self.paths))
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
            require_apart(self.paths, roots)
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
    """A derivative by parts of the arguments of an abstract function, in compiled code.

    ``call(cx, lifted, names, argnums, args, kwargs)``: the result of the derivative of the function of the
    parts, whose arguments have these names.
    """

    def __init__(self, function: Any, wrt: Any, call: Callable[..., Any]) -> None:
        self.function, self.call = function, call
        self.paths = key_paths(wrt)
        self.argnums: Any = tuple(range(len(self.paths))) if isinstance(wrt, (tuple, list)) else 0
        self.names = parameter_names(function)
        self.owner: Any = None
        if isinstance(function, Bound) and function.args:
            first = parameter_names(function.fn)[:1]
            self.owner = (first[0], None) if first else None
        require_known(self.paths, self.names, self.owner)

    def __ast_ad_lower__(self, cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        parts, args, kwargs = taken_out(cx, self.paths, self.function, self.names, self.owner, args, kwargs)
        lifted = Lit(AbstractLifted(self.function, self.paths, self.names, self.owner))
        names = [*map(str, self.paths), *self.names]
        return self.call(cx, lifted, names, self.argnums, [*parts, *args], kwargs)


def of_question(question: Question) -> Callable[..., Any]:
    """How a question is called for the function of the parts."""

    def call(cx: Context, lifted: Any, names: Any, argnums: Any, args: Any, kwargs: Any) -> Any:
        return Nested(question, lifted, names, argnums).__ast_ad_lower__(cx, args, kwargs)

    return call


def require_known(paths: Sequence[KeyPath], names: Sequence[str], owner: Any) -> None:
    """
    Raises:
        InputValueError: a path begins at no parameter.
    """
    known = [*names, *([owner[0]] if owner else [])]
    for path in paths:
        if path.root not in known:
            raise InputValueError(
                f"wrt={str(path)!r}",
                why=f"the function has no parameter `{path.root}`",
                fix=use_one_of(known),
            )
