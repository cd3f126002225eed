"""Which arguments of a call are differentiated, and in which order do they arrive?"""

from __future__ import annotations

import contextlib
import inspect
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import InputTypeError, InputValueError


class Arguments:
    """The parameters of a function, and the choice of some by position or by name.

    >>> chosen = Arguments(lambda x, y=2.0, *, z: x * y * z, None, ("z", "y"))
    >>> chosen.arrange((1.0,), {"z": 3.0})
    ((1.0, 2.0), {'z': 3.0})
    >>> chosen.positions(["x", "y", "z"])
    [2, 1]
    """

    def __init__(self, function: Callable[..., Any], argnums: Any, wrt: Any) -> None:
        if argnums is not None and wrt is not None:
            raise InputTypeError(
                "argnums and wrt together", why="both choose the arguments", fix="pass one of them"
            )
        self.function = function
        self.signature = _signature(function)
        parameters = [] if self.signature is None else list(self.signature.parameters.values())
        labels: dict[str, str] = getattr(function, "part_labels", {})
        plain = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        self.names = [labels.get(p.name, p.name) for p in plain]
        by_position = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.positional = [labels.get(p.name, p.name) for p in plain if p.kind in by_position]
        chosen = wrt if wrt is not None else 0 if argnums is None else argnums
        self.single = not isinstance(chosen, (tuple, list))
        asked: Any = (chosen,) if self.single else chosen
        self.wrt: tuple[str, ...] = tuple(map(self._known, asked)) if wrt is not None else ()
        self.argnums: tuple[int, ...] = tuple(map(_index, asked)) if wrt is None else ()
        self._defaulted = self._with_default(parameters)
        self.places: Sequence[int] = ()  # of what a question chooses, call by call
        self._orders: dict[Any, Any] = {}

    def _known(self, name: Any) -> str:
        if name not in self.names:
            raise InputValueError(
                f"wrt={name!r}",
                why="the function has no such parameter",
                fix=use_one_of(self.names),
            )
        return str(name)

    def _with_default(self, parameters: Sequence[inspect.Parameter]) -> list[tuple[str, float]]:
        """The parameters to differentiate that a call may leave out, and their positions."""
        some = {*self.wrt, *(self.positional[i] for i in self.argnums if 0 <= i < len(self.positional))}
        found = [p.name for p in parameters if p.name in some and p.default is not p.empty]
        return [(n, self.positional.index(n) if n in self.positional else math.inf) for n in found]

    def has_defaults(self) -> bool:
        """Whether what is differentiated may be left out of a call."""
        return bool(self._defaulted)

    def arrange(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """A call's arguments, by position as far as the signature allows, with defaults to differentiate."""
        for name, position in self._defaulted:
            if position >= len(args) and name not in kwargs:
                kwargs = {**kwargs, name: inspect.signature(self.function).parameters[name].default}
        if not kwargs or self.signature is None:
            return args, kwargs
        order = self._orders.get((len(args), *kwargs))
        if order is None:
            numbers = {name: len(args) + i for i, name in enumerate(kwargs)}
            bound = self._bound(*range(len(args)), **numbers)
            order = self._orders[len(args), *kwargs] = bound.args, bound.kwargs
        given = (*args, *kwargs.values())
        return tuple([given[i] for i in order[0]]), {k: given[i] for k, i in order[1].items()}

    def label(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
        """The names of a call's arguments.

        Raises:
            TypeError: Python's own, for a call that doesn't fit the signature.
        """
        if self.signature is not None:
            self._bound(*args, **kwargs)
        known = len(self.positional)
        return [self.positional[i] if i < known else f"arg{i}" for i in range(len(args))] + list(kwargs)

    def _bound(self, *args: Any, **kwargs: Any) -> inspect.BoundArguments:
        """A call's arguments by the signature that the function shows, or, in a decorator, by its own."""
        assert self.signature is not None
        try:
            return self.signature.bind(*args, **kwargs)
        except TypeError as misfit:
            if not hasattr(self.function, "__wrapped__"):
                raise
            try:
                own = inspect.signature(self.function, follow_wrapped=False)
            except ValueError:  # a derivative, which takes the arguments of its function
                raise misfit from None
            return own.bind(*args, **kwargs)

    def choose(self, places: Sequence[int]) -> None:
        """Differentiate what is at these places of a call, by position or by keyword."""
        self.argnums = ()
        self.places = places

    def positions(self, names: Sequence[str]) -> list[int]:
        """The positions, among the arguments of a call with these names, of those to differentiate."""
        chosen = list(self.places)
        for name in self.wrt:
            if name not in names:
                raise InputValueError(
                    f"wrt={name!r}", why="the call does not pass it", fix="pass it, or choose another"
                )
            chosen.append(names.index(name))
        for i in self.argnums:
            name = self.positional[i] if 0 <= i < len(self.positional) else ""
            found = names.index(name) if name in names else i
            if not -len(names) <= found < len(names):
                raise InputValueError(
                    f"argnums={i}", why=f"the call has {len(names)} arguments", fix="choose one of them"
                )
            chosen.append(found % len(names))
        require_once(chosen, self.wrt or self.argnums, "wrt" if self.wrt else "argnums")
        return chosen

    def __str__(self) -> str:
        known = len(self.positional)
        chosen = self.places or self.argnums
        return ", ".join(self.wrt or [self.positional[i] if 0 <= i < known else str(i) for i in chosen])


def require_once(chosen: Sequence[int], asked: Any, name: str, span: Any = None) -> None:
    """Raise InputValueError if an argument is chosen twice: which of them would get the cotangent?"""
    if len({*chosen}) < len(chosen):
        raise InputValueError(
            f"{name}={asked!r}", span, "it names an argument twice", "choose each argument once"
        )


def use_one_of(names: Sequence[str]) -> str:
    """What to do about a parameter that a function does not have."""
    if names:
        return "use one of " + ", ".join(names)
    return "it has none that have names: use argnums=, or give it some"


def _index(value: Any) -> int:
    if not isinstance(value, (bool, np.bool_)):
        with contextlib.suppress(TypeError):  # an array, or what is no number at all
            return operator.index(value)
    raise InputTypeError(
        f"argnums={value!r}", why="it is no integer", fix="pass an int or a tuple of ints, or wrt="
    )


def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None
